use authority::authority;

authority! {
    pub mod host {
        filesystem "ws" => read;
        github "acme/widgets" => read;
        child_agent "reviewer" => delegate {
            github "acme/tools" => read;
            filesystem "ws" / "Cargo.toml" => read;
        }
    }
}

fn main() {}
