use authority::authority;

authority! {
    pub mod host {
        filesystem "ws" => read;
        child_agent "reviewer" => delegate {
            budget tokens_per_turn = 1;
        }
    }
}

fn main() {}
