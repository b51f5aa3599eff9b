//! A host that has the macro from another crate only.
#![deny(warnings)]

hostile_facade::declare! {
    pub mod host {
        github "acme/widgets" => read, pull_request.write;
        child_agent "reviewer" => delegate { github "acme/widgets" => read; }
    }
}

/// The same through the re-exported crate.
pub fn root() -> hostile_facade::authority::ThreadPermissions {
    hostile_facade::authority::authority! { github "acme/widgets" => read; }
}
