use authority::authority;

authority! {
    #[derive(Debug)]
    pub mod host {
        filesystem "ws" => read;
    }
}

fn main() {}
