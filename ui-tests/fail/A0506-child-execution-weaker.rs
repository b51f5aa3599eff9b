use authority::authority;

authority! {
    pub mod host {
        filesystem "ws" => read;
        child_agent "reviewer" => delegate {
            filesystem "ws" => read;
            execution direct;
        }
    }
}

fn main() {}
