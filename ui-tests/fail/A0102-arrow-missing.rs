use authority::authority;

authority! {
    pub mod host {
        filesystem "ws" read;
        github "acme/widgets" = read;
        browser "https://docs.rs";
    }
}

fn main() {}
