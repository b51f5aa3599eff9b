use authority::authority;

authority! {
    pub mod host {
        filesystem "ws" / "~/notes.md" => read;
        filesystem "ws" / "$HOME/notes.md" => read;
        filesystem "ws" / "${HOME}/notes.md" => read;
        filesystem "ws" / "%USERPROFILE%/notes.md" => read;
    }
}

fn main() {}
