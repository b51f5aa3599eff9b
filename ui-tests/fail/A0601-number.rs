use authority::authority;

authority! {
    pub mod host {
        filesystem "ws" => read;
        budget tokens_per_turn = -1;
        limit agents = 5_000_000_000;
        rate tokens_per_minute = 99999999999999999999;
    }
}

fn main() {}
