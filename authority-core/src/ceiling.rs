//! Ceilings: sets of scopes, at most one per target.

use std::collections::HashMap;

use crate::canonical::{push_key, push_list};
use crate::digest::Digest;
use crate::operation_set::OperationSet;
use crate::scope::{SCHEMA_VERSION, Scope};
use crate::target::Target;
use crate::vocabulary::Kind;

/// A set of scopes, at most one per target: all that a thread may be given.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Ceiling<'a> {
    /// Sorted by target.
    scopes: Vec<Scope<'a>>,
}

/// Why a ceiling cannot be built.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum CeilingError {
    /// Two scopes have the same target.
    #[error("scopes {first} and {second} have the same target: join their operations in one")]
    SameTarget {
        /// Index of the first of the two, counted from 0.
        first: usize,
        /// Index of the second.
        second: usize,
    },
}

impl<'a> Ceiling<'a> {
    /// The ceiling of these scopes, in any order; none at all grants nothing.
    ///
    /// # Errors
    ///
    /// When two scopes have the same target.
    pub fn new(scopes: impl IntoIterator<Item = Scope<'a>>) -> Result<Self, CeilingError> {
        let scopes: Vec<_> = scopes.into_iter().collect();
        let mut indices = HashMap::with_capacity(scopes.len());
        for (second, scope) in scopes.iter().enumerate() {
            if let Some(first) = indices.insert(scope.target(), second) {
                return Err(CeilingError::SameTarget { first, second });
            }
        }
        drop(indices);
        Ok(Ceiling::trusted(scopes))
    }

    /// The ceiling of scopes that are known to have different targets.
    pub(crate) fn trusted(mut scopes: Vec<Scope<'a>>) -> Self {
        scopes.sort_unstable_by(|left, right| left.target().cmp(right.target()));
        Ceiling { scopes }
    }

    /// The scopes, sorted by target.
    pub fn scopes(&self) -> &[Scope<'a>] {
        &self.scopes
    }

    /// The operations that are granted on exactly this target.
    pub fn operations(&self, target: &Target<'_>) -> Option<OperationSet> {
        self.scope(target).map(Scope::operations)
    }

    fn scope(&self, target: &Target<'_>) -> Option<&Scope<'a>> {
        let position = self
            .scopes
            .binary_search_by(|scope| scope.target().cmp(target))
            .ok()?;
        self.scopes.get(position)
    }

    /// Whether this ceiling may be delegated under the other one: each scope's target is identical
    /// to one there, with a subset of its operations.
    pub fn is_within(&self, parent: &Ceiling<'_>) -> bool {
        self.outside(parent).next().is_none()
    }

    /// The scopes that may not be delegated under the other ceiling.
    pub fn outside<'s>(&'s self, parent: &'s Ceiling<'_>) -> impl Iterator<Item = &'s Scope<'a>> {
        self.scopes.iter().filter(|scope| {
            !parent
                .scope(scope.target())
                .is_some_and(|held| scope.is_within(held))
        })
    }

    /// Canonical JSON of `{"schema_version":1,"scopes":[…]}` with the scopes' digests, sorted, which
    /// is what the digest is taken over. `child_agent` scopes are left out: they carry that digest.
    pub fn canonical_json(&self) -> String {
        let counted = self
            .scopes
            .iter()
            .filter(|scope| scope.target().kind() != Kind::ChildAgent);
        canonical_json_of(counted.map(Scope::sha256))
    }

    /// SHA-256 of the canonical JSON.
    pub fn sha256(&self) -> Digest {
        Digest::of(self.canonical_json().as_bytes())
    }
}

/// The digest of a ceiling whose scopes, without the `child_agent` ones, have these digests.
pub(crate) fn sha256_of(digests: impl Iterator<Item = Digest>) -> Digest {
    Digest::of(canonical_json_of(digests).as_bytes())
}

fn canonical_json_of(digests: impl Iterator<Item = Digest>) -> String {
    let mut digests: Vec<_> = digests.collect();
    digests.sort_unstable();
    let mut json = String::from("{");
    push_key(&mut json, "schema_version");
    json.push_str(&SCHEMA_VERSION.to_string());
    push_key(&mut json, "scopes");
    push_list(&mut json, digests, |out, digest| {
        out.push('"');
        digest.push_hex(out);
        out.push('"');
    });
    json.push('}');
    json
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::DecodeRule;

    fn scope(repository: &str, operations: &str) -> String {
        format!(
            r#"{{"operations":{operations},"schema_version":1,"target":{{"kind":"github","repository":"{repository}"}}}}"#
        )
    }

    #[test]
    fn at_most_one_scope_per_target() {
        let read = scope("a/b", r#"["read"]"#);
        let write = scope("a/b", r#"["issue.write"]"#);
        let other = scope("a/c", r#"["read"]"#);
        let error = Ceiling::from_json(&format!("[{read},{other},{write}]")).unwrap_err();
        assert_eq!(error.pointer(), "/2");
        assert_eq!(error.rule(), DecodeRule::DuplicateEntry { first: 0 });

        let scopes = [&other, &read, &write].map(|json| Scope::from_json(json).unwrap());
        let same = CeilingError::SameTarget {
            first: 1,
            second: 2,
        };
        assert_eq!(Ceiling::new(scopes), Err(same));
    }

    #[test]
    fn order_is_no_part_of_a_ceiling() {
        let left = scope("a/b", r#"["read"]"#);
        let right = scope("a/c", r#"["read","issue.write"]"#);
        let forth = format!("[{left},{right}]");
        let back = format!("[{right},{left}]");
        let ceiling = Ceiling::from_json(&forth).unwrap();
        assert_eq!(ceiling, Ceiling::from_json(&back).unwrap());
        for scope in ceiling.scopes() {
            assert_eq!(ceiling.operations(scope.target()), Some(scope.operations()));
        }
    }

    #[test]
    fn within() {
        let read = scope("a/b", r#"["read"]"#);
        let more = scope("a/b", r#"["read","issue.write"]"#);
        let other = scope("a/c", r#"["read"]"#);
        let ceiling = |scopes: &[&str]| {
            let json = format!("[{}]", scopes.join(","));
            let scopes = Ceiling::from_json(&json).unwrap().scopes.into_iter();
            Ceiling::new(scopes.map(Scope::into_owned)).unwrap()
        };
        let parent = ceiling(&[&more, &other]);
        for (child, within) in [
            (ceiling(&[]), true),
            (ceiling(&[&read]), true),
            (ceiling(&[&more, &other]), true),
            (ceiling(&[&scope("a/d", r#"["read"]"#)]), false),
            (ceiling(&[&scope("a/c", r#"["issue.write"]"#)]), false),
        ] {
            assert_eq!(child.is_within(&parent), within, "{child:?}");
        }
    }
}
