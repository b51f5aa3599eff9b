use authority::authority;

authority! {
    pub mod host {
        filesystem "ws" => read, write, read;
    }
}

fn main() {}
