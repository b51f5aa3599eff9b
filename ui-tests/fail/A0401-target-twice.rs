use authority::authority;

authority! {
    pub mod host {
        filesystem "ws" => read;
        github "acme/widgets" => read;
        filesystem "ws" => write;
    }
}

fn main() {}
