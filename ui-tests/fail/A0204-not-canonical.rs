use authority::authority;

authority! {
    pub mod host {
        filesystem "ws" / "café.md" => read;
        network "https://API.example.com:443" => request.safe;
        network "https://example.com.:443" => request.safe;
        network "https://bücher.example:443" => request.safe;
        network "https://[2001:DB8::1]:443" => request.safe;
        github "Rust-Lang/Cargo" => read;
        browser "https://docs.rs/" => read;
        browser "https://docs.rs:443" => read;
        integration "tracker" @ "sha256:9F86D081884C7D659A2FEAA0C55AD015A3BF4F1B2B0B822CD15D6C15B0F00A08" => invoke;
    }
}

fn main() {}
