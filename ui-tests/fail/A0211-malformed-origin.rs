use authority::authority;

authority! {
    pub mod host {
        browser "https://docs.rs/serde" => read;
        browser "http://example.com" => read;
        browser "docs.rs" => read;
        browser "null" => read;
        browser "about:blank" => read;
    }
}

fn main() {}
