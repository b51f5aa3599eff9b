use authority::{ThreadPermissions, authority};

fn main() {
    let _root: ThreadPermissions = authority! {};
}
