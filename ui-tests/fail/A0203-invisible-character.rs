use authority::authority;

authority! {
    pub mod host {
        filesystem "w​s" => read;
        filesystem "ws" / "docs/a⁠b.md" => read;
        github "acme/wid­gets" => read;
        subprocess "git" ["a\0b"] in "ws" => execute;
    }
}

fn main() {}
