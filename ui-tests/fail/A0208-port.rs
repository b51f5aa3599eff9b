use authority::authority;

authority! {
    pub mod host {
        network "https://api.example.com" => request.safe;
        network "https://api.example.com:0" => request.safe;
        network "https://api.example.com:0443" => request.safe;
        network "https://api.example.com:65536" => request.safe;
        network "tcp://db.internal" => connect;
    }
}

fn main() {}
