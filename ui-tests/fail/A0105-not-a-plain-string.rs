use authority::authority;

authority! {
    pub mod host {
        filesystem "ws\u{2f}src" => read;
        filesystem r"ws" => read;
        filesystem b"ws" => read;
        filesystem WORKSPACE => read;
        filesystem concat!("w", "s") => read;
        filesystem "ws" / "src\\lib.rs" => read;
        filesystem 5 => read;
        github => read;
    }
}

fn main() {}
