use authority::authority;

authority! {
    pub mod host {
        network "postgres://db.internal:5432" => connect;
        network "db.internal:5432" => connect;
    }
}

fn main() {}
