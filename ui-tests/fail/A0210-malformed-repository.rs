use authority::authority;

authority! {
    pub mod host {
        github "cargo" => read;
        github "-acme/widgets" => read;
        github "https://github.com/acme/widgets" => read;
        github "acme/widgets.git" => read;
    }
}

fn main() {}
