use authority::authority;

authority! {
    pub mod host {
        file "ws" => read;
        filesytem "ws" => read;
        github "acme/widgets" => read;
    }
}

fn main() {}
