use authority::authority;

authority! {
    #[cfg(any())]
    pub mod absent {
        filesystem "ws" => raed;
    }
    pub mod present {
        filesystem "ws" => wriet;
    }
}

fn main() {}
