use authority::authority;

authority! {
    pub mod host {
        filesystem "ws" / "a:b" => read;
        filesystem "ws" / "logs/COM1.txt" => write;
        filesystem "ws" / "logs/COM¹" => write;
        filesystem "ws" / "notes." => read;
        filesystem "ws" / "" => read;
    }
}

fn main() {}
