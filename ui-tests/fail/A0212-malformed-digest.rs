use authority::authority;

authority! {
    pub mod host {
        integration "tracker" @ "v45" => invoke;
        integration "tracker" @ "sha256:9f86" => invoke;
        integration "tracker" @ "main" => enable;
    }
}

fn main() {}
