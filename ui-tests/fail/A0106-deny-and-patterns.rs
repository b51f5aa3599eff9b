use authority::authority;

authority! {
    pub mod host {
        filesystem "ws" => read;
        deny filesystem "ws" / "secrets" => read;
        allow github "acme/widgets" => read;
        filesystem "ws" except "secrets" => list;
        all "ws" => read;
        github any => read;
    }
}

fn main() {}
