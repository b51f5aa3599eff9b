use authority::authority;

authority! {
    pub mod host {
        filesystem "ws" / "src/" => read;
        filesystem "ws" / "/etc/passwd" => read;
        filesystem "ws" / "./src" => read;
        filesystem "ws" / "../other" => read;
        filesystem "ws" / "src//lib.rs" => read;
        filesystem "ws" / "src/../lib.rs" => read;
        filesystem "ws" / "." => read;
        subprocess "git" ["status"] in "ws" / "crates/" => execute;
    }
}

fn main() {}
