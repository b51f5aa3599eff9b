//! A host that has the macro from another crate only.
#![deny(warnings)]

hostile_facade::declare! {
    pub mod host {
        github "acme/widgets" => read, pull_request.write;
        child_agent "reviewer" => delegate { github "acme/widgets" => read; }
    }
}

hostile_facade::read_only!(pub reader, "acme/widgets");

/// The same through the re-exported crate.
pub fn root() -> hostile_facade::authority::ThreadPermissions {
    hostile_facade::authority::authority! { github "acme/widgets" => read; }
}

#[cfg(test)]
mod tests {
    #[test]
    fn all_ways_make_the_same_root() {
        assert_eq!(
            super::root().ceiling_sha256(),
            super::reader::CEILING_SHA256
        );
        assert_ne!(super::host::CEILING_SHA256, super::reader::CEILING_SHA256);
    }
}
