use authority::authority;

authority! {
    pub mod host {
        filesystem "ws" => read;
        credential mcp "github" = "gh-prod";
        environment none;
        child_agent "reviewer" => delegate {
            filesystem "ws" => read;
            credential none;
            credential provider "anthropic" = "one";
        }
        credential provider "anthropic" = "one";
    }
}

fn main() {}
