use authority::authority;

authority! {
    pub mod host {
        filesystem "ws" => read;
        github "acme/widgets" => read;
        budget tokens_per_turn = 1_000, cost_per_session_usd = 2.50;
        child_agent "reviewer" => delegate {
            filesystem "ws" => read;
            budget tokens_per_turn = 2_000, cost_per_session_usd = 2.500001;
        }
    }
}

fn main() {}
