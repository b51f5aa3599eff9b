//! A host with macros of its own around the declaration. `old` and `new` build it in two editions.
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

macro_rules! with_two_segments {
    ($kind:ident $repository:literal, $first:ident . $second:ident) => {
        authority! { $kind $repository => $first.$second; }
    };
}

macro_rules! with_numbers {
    ($argument:literal, $name:ident = $tokens:literal) => {
        authority! {
            filesystem "ws" => read;
            subprocess "git" [$argument] in "ws" => execute;
            budget $name = $tokens;
        }
    };
}

macro_rules! with_entries {
    ($visibility:vis $name:ident { $($entries:tt)* }) => {
        authority! { $visibility mod $name { $($entries)* } }
    };
}

with_entries! { pub host { filesystem "ws" => read; github "acme/widgets" => read; } }

/// What the macros make.
pub fn roots() -> [ThreadPermissions; 4] {
    [
        with_literal!("ws", "Cargo.toml"),
        with_operation!(read),
        with_two_segments!(github "acme/widgets", pull_request . write),
        with_numbers!("status", tokens_per_turn = 8_000),
    ]
}

#[cfg(test)]
mod tests {
    use authority::{Setting, ThreadPermissions};

    fn shown(root: &ThreadPermissions) -> Vec<String> {
        root.scopes().map(|scope| scope.to_string()).collect()
    }

    #[test]
    fn they_hold_what_was_passed() {
        let [path, whole, repository, numbers] = super::roots();
        assert_eq!(shown(&path), ["filesystem \"ws\" / \"Cargo.toml\" => read"]);
        assert_eq!(shown(&whole), ["filesystem \"ws\" => read"]);
        assert_eq!(
            shown(&repository),
            ["github \"acme/widgets\" => pull_request.write"]
        );
        assert_eq!(numbers.scopes().count(), 2);
        assert_eq!(
            numbers
                .declaration()
                .settings()
                .value(Setting::TokensPerTurn),
            Some(8_000)
        );
        assert_eq!(super::host::PERMISSIONS.scopes().count(), 2);
    }
}
