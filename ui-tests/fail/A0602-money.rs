use authority::authority;

authority! {
    pub mod host {
        filesystem "ws" => read;
        budget cost_per_session_usd = 2.5000001;
    }
}

fn main() {}
