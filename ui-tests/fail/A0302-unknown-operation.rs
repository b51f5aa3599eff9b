use authority::authority;

authority! {
    pub mod host {
        filesystem "ws" => raed;
        filesystem "ws" / "a" => rw;
        github "acme/widgets" => pull_request.create;
        github "acme/tools" => Read;
        github "acme/other" => issues.write;
        browser "https://docs.rs" => all;
        mcp "docs" => *;
        network "https://api.example.com:443" => get;
    }
}

fn main() {}
