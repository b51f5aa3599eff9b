use authority::authority;

authority! {
    pub mod host {
        filesystem "my workspace" => read;
        subprocess "/usr/bin/git" ["push"] in "ws" => execute;
        mcp "" => list;
        mcp "docs" / "search tool" => call;
        tool "-echo" = native;
        environment "_CI";
    }
}

fn main() {}
