use authority::authority;

authority! {
    pub mod host {
        filesystem "ws" => read;
        filesystem "WS" => write;
    }
}

fn main() {}
