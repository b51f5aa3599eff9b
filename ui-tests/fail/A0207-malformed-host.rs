use authority::authority;

authority! {
    pub mod host {
        network "https://2130706433:443" => connect;
        network "https://0x7f.0.0.1:443" => connect;
        network "https://0177.0.0.1:443" => connect;
        network "https://127.1:443" => connect;
        network "https://[::ffff:127.0.0.1]:443" => connect;
        network "https://.example.com:443" => connect;
        network "https://user@example.com:443" => connect;
        network "https://my_host:443" => connect;
    }
}

fn main() {}
