use authority::{Request, authority, operations::filesystem};

authority! {
    pub mod host {
        filesystem "ws" => raed;
        child_agent "reviewer" => delegate {
            filesystem "ws" => read;
        }
    }
}

fn main() {
    let request = Request::filesystem("ws", "a", filesystem::Read).unwrap();
    let _ = host::PERMISSIONS.decide(&request);
    let _ = (host::CEILING_SHA256, host::DECLARATION_SHA256);
    let _ = host::reviewer::CEILING.scopes().count();
    let root = authority! { filesystem "ws" => ; };
    let _ = root.decide(&request);
}
