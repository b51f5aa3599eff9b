use authority::authority;

authority! {
    pub mod host {
        filesystem "ws" => read;
        budget tokens_per_turn = 1;
        budget tokens_per_turn = 2;
        execution auto;
        execution sandboxed;
        environment "CI", "CI";
        tool "echo" = native;
        tool "echo" = native;
    }
}

fn main() {}
