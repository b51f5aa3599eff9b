use authority::authority;

authority! {
    pub mod host {

    }
}

fn main() {}
