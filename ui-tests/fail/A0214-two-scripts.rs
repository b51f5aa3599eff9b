use authority::authority;

authority! {
    pub mod host {
        filesystem "ws" / "src/аpp.rs" => read;
        network "https://аpi.example.com:443" => request.safe;
        github "acme/wіdgets" => read;
    }
}

fn main() {}
