use authority::authority;

authority! {
    pub mod host {
        filesystem "ws" => read;
        child_agent "worker" => delegate {
            filesystem "ws" => read;
            child_agent "worker" => delegate { filesystem "ws" => read; }
        }
    }
}

fn main() {}
