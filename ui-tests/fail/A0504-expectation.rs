use authority::authority;

authority! {
    pub mod host {
        filesystem "ws" => read;
        expect allow filesystem "ws" / "src/lib.rs" => read, write;
        expect deny filesystem "ws" / "src/lib.rs" => read;
    }
}

fn main() {}
