use authority::authority;

authority! {
    pub mod host {
        filesystem "ws" => read;
        github "acme/widgets" => read;
        credential provider "anthropic" = "anthropic-prod";
        tool "echo" = native;
        environment "CI";
        child_agent "reviewer" => delegate {
            filesystem "ws" => read;
            credential provider "anthropic" = "anthropic-test";
            tool "shell" = native;
            environment "HOME_ID";
        }
    }
}

fn main() {}
