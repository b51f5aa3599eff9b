//! A host of an older edition, with macros of its own around the declaration.
#![deny(warnings)]

use authority::{ThreadPermissions, authority};

macro_rules! with_literal {
    ($binding:literal, $path:literal) => {
        authority! { filesystem $binding / $path => read; }
    };
}

macro_rules! with_operation {
    ($operation:ident) => {
        authority! { filesystem "ws" => $operation; }
    };
}

macro_rules! with_entries {
    ($visibility:vis $name:ident { $($entries:tt)* }) => {
        authority! { $visibility mod $name { $($entries)* } }
    };
}

with_entries! { pub host { filesystem "ws" => read; github "acme/widgets" => read; } }

/// What the macros make.
pub fn roots() -> [ThreadPermissions; 2] {
    [with_literal!("ws", "Cargo.toml"), with_operation!(read)]
}

#[cfg(test)]
mod tests {
    #[test]
    fn they_hold_what_was_passed() {
        let [path, whole] = super::roots();
        let shown = |root: &authority::ThreadPermissions| root.scopes().map(|scope| scope.to_string()).collect::<Vec<_>>();
        assert_eq!(shown(&path), ["filesystem \"ws\" / \"Cargo.toml\" => read"]);
        assert_eq!(shown(&whole), ["filesystem \"ws\" => read"]);
        assert_eq!(super::host::PERMISSIONS.scopes().count(), 2);
    }
}
