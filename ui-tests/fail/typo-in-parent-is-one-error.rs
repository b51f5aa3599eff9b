use authority::authority;

authority! {
    pub mod host {
        filesystem "ws" => read, wriet;
        github "acme/widgets" => read;
        child_agent "reviewer" => delegate {
            filesystem "ws" => read, write;
            github "acme/widgets" => read;
            expect allow filesystem "ws" / "src/lib.rs" => write;
        }
        expect allow filesystem "ws" / "src/lib.rs" => write;
    }
}

fn main() {}
