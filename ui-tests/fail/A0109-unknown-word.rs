use authority::authority;

authority! {
    pub mod host {
        filesystem "ws" => read;
        network "https://api.example.com:443" redirect follow => request.safe;
        execution sandbox;
        budget tokens = 5;
        limit max_agents = 5;
        expect permit filesystem "ws" => read;
        credential user "x" = none;
        tool "echo" = builtin;
    }
}

fn main() {}
