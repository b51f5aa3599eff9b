use authority::authority;

authority! {
    pub mod host {
        filesystem "ws" => read;
    }
    filesystem "ws" => read;
}

authority! {
    pub mod {
        filesystem "ws" => read;
    }
}

authority! {
    mod other;
}

fn main() {}
