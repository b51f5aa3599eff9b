use authority::authority;

authority! {
    pub mod host {
        github "acme/widgets" => execute;
        mcp "docs" => call;
        mcp "docs" / "search" => start;
        filesystem "ws" => navigate;
        network "ssh://git.example.com:22" => request.safe;
    }
}

fn main() {}
