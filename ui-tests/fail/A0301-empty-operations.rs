use authority::authority;

authority! {
    pub mod host {
        filesystem "ws" => ;
        filesystem "ws" / "Cargo.toml" => ;
        subprocess "git" ["status"] in "ws" => ;
        network "https://api.example.com:443" => ;
        github "acme/widgets" => ;
        browser "https://docs.rs" => ;
        mcp "docs" => ;
        mcp "docs" / "search" => ;
        integration "tracker" @ "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" => ;
        child_agent "reviewer" => { filesystem "ws" => read; }
        expect allow filesystem "ws" => ;
    }
}

fn main() {}
