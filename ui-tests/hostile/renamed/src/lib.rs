//! A host that knows the crate under another name.
#![deny(warnings)]

permits::authority! {
    pub mod host {
        filesystem "ws" => read, list;
        child_agent "reviewer" => delegate { filesystem "ws" => read; }
    }
}

/// The expression form.
pub fn root() -> permits::ThreadPermissions {
    permits::authority! { filesystem "ws" => read; }
}
