use authority::authority;

authority! {
    pub mod host {
        filesystem "ws" => read;
        credential provider "anthropic" = "one";
        credential provider "anthropic" = "two";
    }
}

fn main() {}
