use authority::authority;

authority! {
    pub mod host {
        filesystem "ws" => list, read;
        filesystem "ws" / "Cargo.toml" => read;
        filesystem "other" / "Cargo.toml" delegable => read;
    }
}

fn main() {}
