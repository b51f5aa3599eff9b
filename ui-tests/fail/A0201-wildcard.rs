use authority::authority;

authority! {
    pub mod host {
        filesystem "*" => read;
        filesystem "ws" / "src/*.rs" => read;
        filesystem "ws" / "src/?.rs" => read;
        subprocess "git*" ["status"] in "ws" => execute;
        subprocess "git" ["status"] in "ws" / "crates/*" => execute;
        network "https://*.example.com:443" => request.safe;
        network "https://api.example.com:*" => request.safe;
        github "acme/*" => read;
        browser "https://*.example.com" => read;
        mcp "docs*" => list;
        mcp "docs" / "*" => call;
        integration "tracker*" @ "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" => invoke;
        integration "tracker" @ "*" => invoke;
        child_agent "reviewer*" => delegate { filesystem "ws" => read; }
        credential provider "*" = none;
        tool "*" = native;
        environment "CI_*";
    }
}

fn main() {}
