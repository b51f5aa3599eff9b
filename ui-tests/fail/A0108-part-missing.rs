use authority::authority;

authority! {
    pub mod host {
        filesystem "ws" => read;
        subprocess "git" in "ws" => execute;
        subprocess "git" ["status"] => execute;
        integration "tracker" => invoke;
        credential provider "anthropic";
        tool "echo";
        budget tokens_per_turn;
    }
}

fn main() {}
