use authority::authority;

authority! {
    pub mod host {
        filesystem "ws" => read | list;
        github "acme/widgets" => read + issue.write;
        browser "https://docs.rs" -> read;
        filesystem "ws" / => list;
        ; 
        mcp["docs"] => list;
        expect allow filesystem "ws" / "Cargo.toml" delegable => read;
    }
}

fn main() {}
