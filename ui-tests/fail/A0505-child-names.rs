use authority::authority;

authority! {
    pub mod host {
        filesystem "ws" => read, write;
        child_agent "a-b" => delegate { filesystem "ws" => read; }
        child_agent "a.b" => delegate { filesystem "ws" => write; }
        child_agent "self" => delegate { filesystem "ws" => read; }
    }
}

fn main() {}
