//! The expression form: by value, in a constant, in a function, from a caller's macro.
#![deny(warnings)]

use authority::operations::{child_agent, filesystem, github};
use authority::{ThreadPermissions, authority};

const CONSTANT: ThreadPermissions = authority! { filesystem "ws" => read; };
static STATIC: ThreadPermissions = authority! { filesystem "ws" => read,; };

macro_rules! read_only {
    ($binding:literal) => {
        authority! { filesystem $binding => read; }
    };
}

fn with_child() -> ThreadPermissions {
    authority! {
        filesystem "ws" => read, write;
        github "acme/widgets" => read, issue.write,;
        child_agent "a-b" => delegate {
            filesystem "ws" => read;
            github "acme/widgets" => read;
            child_agent "type" => delegate, cancel { filesystem "ws" => read; }
        };
    }
}

fn main() {
    let read = || ThreadPermissions::builder().filesystem("ws", [filesystem::Read]);
    let built = read().build().expect("builds");
    let local: ThreadPermissions = authority! { filesystem "ws" => read; };
    for declared in [&CONSTANT, &STATIC, &local, &read_only!("ws")] {
        assert_eq!(*declared, built);
        assert_eq!(declared.clone(), built);
    }

    let nested = read()
        .github("acme/widgets", [github::Read])
        .child("type", [child_agent::Delegate, child_agent::Cancel], read());
    let built = ThreadPermissions::builder()
        .filesystem("ws", [filesystem::Write, filesystem::Read])
        .github("acme/widgets", [github::IssueWrite, github::Read])
        .child("a-b", [child_agent::Delegate], nested)
        .build()
        .expect("builds");
    let declared = with_child();
    assert_eq!(declared, built);
    let child = declared.child("a-b").and_then(|child| child.child("type"));
    assert_eq!(child, built.child("a-b").and_then(|child| child.child("type")));
    assert_eq!(child.map(|child| child.scopes().count()), Some(1));
}
