use authority::authority;

authority! {
    pub mod host {
        filesystem "ws" => read;
        budget tokens_per_turn = "8000";
        budget tokens_per_session = 1.5;
        limit agents = many;
        budget cost_per_session_usd = 2.5e3;
    }
}

fn main() {}
