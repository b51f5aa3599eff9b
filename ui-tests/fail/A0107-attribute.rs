use authority::authority;

authority! {
    pub mod host {
        filesystem "ws" => read;
        #[cfg(feature = "x")]
        github "acme/widgets" => read;
    }
}

fn main() {}
