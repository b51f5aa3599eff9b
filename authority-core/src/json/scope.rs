//! The scope document (schema version 1) and lists of them, decoded.

use std::collections::HashMap;

use crate::ceiling::Ceiling;
use crate::digest::Digest;
use crate::json::{self, DecodeError, DecodeRule, Reader, canonical, members};
use crate::operation_set::OperationSet;
use crate::scope::{SCHEMA_VERSION, Scope};
use crate::target::Target;
use crate::vocabulary::{KINDS, Kind};

impl<'a> Scope<'a> {
    /// Decodes a scope document: `{"operations":[…],"schema_version":1,"target":{…}}`, with
    /// `scope_sha256` or without. A text without escapes is borrowed.
    ///
    /// # Errors
    ///
    /// The first error in document order. Nothing is coerced, repaired or ignored.
    pub fn from_json(json: &'a str) -> Result<Self, DecodeError> {
        json::decode(json, Scope::decode)
    }

    pub(crate) fn decode(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        match reader.canonical(canonical::scope) {
            Some(scope) => Ok(scope),
            None => Scope::decode_strictly(reader),
        }
    }

    pub(crate) fn decode_strictly(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let mut named = None;
        let mut has_version = false;
        let mut sha256 = None;
        let mut target = None;
        reader.object(|reader, key| {
            match key {
                Key::Operations => named = Some(NamedOperations::decode(reader)?),
                Key::SchemaVersion => {
                    reader.version(SCHEMA_VERSION)?;
                    has_version = true;
                }
                Key::ScopeSha256 => sha256 = Some((reader.start(), reader.text::<Digest>()?)),
                Key::Target => target = Some(Target::decode(reader)?),
            }
            Ok(())
        })?;
        let missing = |key: &'static str| reader.error(DecodeRule::MissingKey(key));
        let named = named.ok_or_else(|| missing("operations"))?;
        if !has_version {
            return Err(missing("schema_version"));
        }
        let target = target.ok_or_else(|| missing("target"))?;
        let operations = named
            .of_kind(target.kind())
            .map_err(|error| error.inside("operations"))?;
        let scope = Scope::trusted(target, operations);
        match sha256 {
            Some((start, sha256)) if sha256 != scope.sha256() => {
                Err(DecodeError::new(DecodeRule::DigestMismatch, start).inside("scope_sha256"))
            }
            _ => Ok(scope),
        }
    }
}

impl<'a> Ceiling<'a> {
    /// Decodes a JSON list of scope documents.
    ///
    /// # Errors
    ///
    /// The first error in document order; of two scopes with the same target it is at the second.
    pub fn from_json(json: &'a str) -> Result<Self, DecodeError> {
        json::decode(json, Ceiling::decode)
    }

    pub(crate) fn decode(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let mut scopes = Vec::new();
        let mut indices = HashMap::new();
        reader.list(|reader, index| {
            let start = reader.start();
            let scope = Scope::decode(reader)?;
            if let Some(first) = indices.insert(scope.target().clone(), index) {
                return Err(DecodeError::new(
                    DecodeRule::DuplicateEntry { first },
                    start,
                ));
            }
            scopes.push(scope);
            Ok(())
        })?;
        Ok(Ceiling::trusted(scopes))
    }
}

members! {
    enum Key {
        Operations "operations",
        SchemaVersion "schema_version",
        ScopeSha256 "scope_sha256",
        Target "target",
    }
}

/// A list of operations whose kind is not known yet: the target may stand after it.
struct NamedOperations<'a> {
    /// Bits of every operation, of any kind, with one of the names.
    bits: u64,
    /// How many names there are.
    count: u32,
    /// Where the list starts.
    list: Reader<'a>,
}

impl<'a> NamedOperations<'a> {
    fn decode(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let mut named = NamedOperations {
            bits: 0,
            count: 0,
            list: reader.clone(),
        };
        reader.list(|reader, _| {
            let start = reader.start();
            let bits = named_operation(reader)?;
            if named.bits & bits != 0 {
                let first = named.position(|earlier| earlier == bits);
                return Err(DecodeError::new(
                    DecodeRule::DuplicateEntry { first },
                    start,
                ));
            }
            named.bits |= bits;
            named.count += 1;
            Ok(())
        })?;
        if named.count == 0 {
            return Err(reader.error(DecodeRule::Empty));
        }
        Ok(named)
    }

    /// The operations, when all are of this kind. An error is one of the list.
    fn of_kind(mut self, kind: Kind) -> Result<OperationSet, DecodeError> {
        let of_kind = kind
            .operations()
            .fold(0, |bits, operation| bits | operation.bit());
        match OperationSet::from_word(self.bits & of_kind) {
            Some(operations) if operations.word().count_ones() == self.count => Ok(operations),
            _ => {
                let foreign = self.position(|bits| bits & of_kind == 0);
                let error = DecodeError::new(DecodeRule::OtherKind(kind), self.list.start());
                Err(error.inside(&foreign.to_string()))
            }
        }
    }

    /// Index of the first name in the list whose bits are such.
    fn position(&self, such: impl Fn(u64) -> bool) -> usize {
        let mut position = 0;
        let mut found = false;
        // The list has been read up to what is looked for: no error is new.
        let _ = self.list.clone().list(|reader, index| {
            let bits = named_operation(reader)?;
            if !found && such(bits) {
                (position, found) = (index, true);
            }
            Ok(())
        });
        position
    }
}

/// Reads an operation's name. Gives the bits of the operations of any kind that have it.
fn named_operation(reader: &mut Reader<'_>) -> Result<u64, DecodeError> {
    let rows = || KINDS.iter().flat_map(|kind| kind.operations);
    let bits_of = |name: &str| {
        let named = rows().enumerate().filter(|(_, row)| row.name == name);
        let bits = named.fold(0, |bits, (number, _)| bits | 1 << number);
        (bits != 0).then_some(bits)
    };
    reader.word(bits_of, rows().map(|row| row.name))
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    fn refused(json: &str) -> (String, DecodeRule) {
        let error = Scope::from_json(json).unwrap_err();
        (error.pointer().to_owned(), error.rule())
    }

    const TARGET: &str = r#""target":{"kind":"github","repository":"acme/widgets"}"#;

    #[test]
    fn operations_may_stand_before_or_after_the_target() {
        let before = format!(r#"{{"operations":["read"],"schema_version":1,{TARGET}}}"#);
        let after = format!(r#"{{{TARGET},"schema_version":1,"operations":["read"]}}"#);
        let scope = Scope::from_json(&before).unwrap();
        assert_eq!(scope, Scope::from_json(&after).unwrap());
        assert_eq!(scope.canonical_json(), before);
        assert_eq!(serde_json::to_string(&scope).unwrap(), before);
    }

    #[test]
    fn pointers_and_rules() {
        use DecodeRule::{
            DigestMismatch, DuplicateEntry, Empty, ForeignKey, MissingKey, Not, OtherKind,
            UnknownKey, UnknownWord, Version,
        };
        let zeros = "0".repeat(64);
        for (json, pointer, rule) in [
            ("[]".to_owned(), "", Not("an object")),
            (
                format!(r#"{{"schema_version":1,{TARGET}}}"#),
                "",
                MissingKey("operations"),
            ),
            (
                format!(r#"{{"operations":["read"],{TARGET}}}"#),
                "",
                MissingKey("schema_version"),
            ),
            (
                r#"{"operations":["read"],"schema_version":1}"#.to_owned(),
                "",
                MissingKey("target"),
            ),
            (
                format!(r#"{{"operations":[],"schema_version":1,{TARGET}}}"#),
                "/operations",
                Empty,
            ),
            (
                format!(r#"{{"operations":["read","raed"],{TARGET}}}"#),
                "/operations/1",
                UnknownWord {
                    nearest: Some("read"),
                },
            ),
            (
                format!(r#"{{"operations":["read","issue.write","read"],{TARGET}}}"#),
                "/operations/2",
                DuplicateEntry { first: 0 },
            ),
            (
                format!(r#"{{"operations":["read","execute"],"schema_version":1,{TARGET}}}"#),
                "/operations/1",
                OtherKind(Kind::Github),
            ),
            (
                format!(r#"{{"operations":["read"],"schema_version":2,{TARGET}}}"#),
                "/schema_version",
                Version(1),
            ),
            (
                format!(
                    r#"{{"operations":["read"],"schema_version":1,"scope_sha256":"{zeros}",{TARGET}}}"#
                ),
                "/scope_sha256",
                DigestMismatch,
            ),
            (
                r#"{"target":{"repository":"acme/widgets"}}"#.to_owned(),
                "/target",
                MissingKey("kind"),
            ),
            (
                r#"{"target":{"kind":"github"}}"#.to_owned(),
                "/target",
                MissingKey("repository"),
            ),
            (
                r#"{"target":{"kind":"github","repository":"a/b","root_id":"ws"}}"#.to_owned(),
                "/target",
                ForeignKey {
                    key: "root_id",
                    kind: Kind::Github,
                },
            ),
            (
                r#"{"target":{"kind":"git_hub"}}"#.to_owned(),
                "/target/kind",
                UnknownWord {
                    nearest: Some("github"),
                },
            ),
            (
                r#"{"target":{"endpoint":{"host":"a.example"},"kind":"network"}}"#.to_owned(),
                "/target",
                UnknownKey { nearest: None },
            ),
        ] {
            assert_eq!(refused(&json), (pointer.to_owned(), rule), "{json}");
        }
    }

    /// The kind and the wire form of any target.
    /// The canonical text of a target of any kind.
    pub(crate) fn any_target() -> impl Strategy<Value = (Kind, String)> {
        const ID: &str = "[A-Za-z0-9][A-Za-z0-9._:-]{0,9}";
        const DIGEST: &str = "[0-9a-f]{64}";
        prop_oneof![
            Just((Kind::Filesystem, r#"{"kind":"filesystem","recursive":true,"relative_path":".","root_id":"ws"}"#.to_owned())),
            (ID, "[a-z0-9]{1,5}(/[a-z0-9]{1,5}){0,3}").prop_map(|(id, path)| {
                (Kind::Filesystem, format!(r#"{{"kind":"filesystem","recursive":false,"relative_path":"{path}x","root_id":"{id}"}}"#))
            }),
            (DIGEST, DIGEST, ID).prop_map(|(argv, cwd, id)| {
                (Kind::Subprocess, format!(r#"{{"argv_sha256":"{argv}","cwd_sha256":"{cwd}","executable":"{id}","kind":"subprocess"}}"#))
            }),
            (prop_oneof!["[a-z]{1,9}\\.example", Just("2001:db8::1".to_owned())], 1_u16.., any::<prop::sample::Index>(), any::<bool>()).prop_map(|(host, port, protocol, deny)| {
                let protocol = protocol.get(crate::vocabulary::Protocol::ALL);
                let redirect = if deny { "deny" } else { "same_origin" };
                (Kind::Network, format!(r#"{{"host":"{host}","kind":"network","port":{port},"protocol":"{protocol}","redirect_policy":"{redirect}"}}"#))
            }),
            ("[a-z]{1,9}", "[a-z]{1,9}").prop_map(|(owner, name)| {
                (Kind::Github, format!(r#"{{"kind":"github","repository":"{owner}/{name}"}}"#))
            }),
            "[a-z]{1,9}".prop_map(|host| {
                (Kind::Browser, format!(r#"{{"kind":"browser","origin":"https://{host}.example"}}"#))
            }),
            ID.prop_map(|id| (Kind::McpServer, format!(r#"{{"kind":"mcp","server_id":"{id}","tool_name":null}}"#))),
            (ID, ID).prop_map(|(id, tool)| {
                (Kind::McpTool, format!(r#"{{"kind":"mcp","server_id":"{id}","tool_name":"{tool}"}}"#))
            }),
            (ID, DIGEST).prop_map(|(id, digest)| {
                (Kind::Integration, format!(r#"{{"integration_id":"{id}","kind":"integration","revision_sha256":"{digest}"}}"#))
            }),
            (ID, DIGEST).prop_map(|(id, digest)| {
                (Kind::ChildAgent, format!(r#"{{"agent_id":"{id}","kind":"child_agent","parent_ceiling_sha256":"{digest}"}}"#))
            }),
        ]
    }

    proptest! {
        #[test]
        fn any_scope_prints_and_decodes_to_itself(
            (kind, target) in any_target(),
            chosen in prop::collection::vec(any::<bool>(), 7),
        ) {
            let mut names: Vec<_> = kind.operations().zip(&chosen)
                .filter_map(|(operation, chosen)| chosen.then_some(operation.name()))
                .collect();
            let json = |names: &[&str]| {
                format!(r#"{{"operations":{names:?},"schema_version":1,"target":{target}}}"#)
            };
            let as_declared = json(&names);
            let Ok(scope) = Scope::from_json(&as_declared) else {
                prop_assert!(names.is_empty());
                return Ok(());
            };
            names.sort_unstable();
            let canonical = scope.canonical_json();
            prop_assert_eq!(&canonical, &json(&names).replace(", ", ","));
            prop_assert_eq!(&Scope::from_json(&canonical).unwrap(), &scope);
            let serialized = serde_json::to_string(&scope).unwrap();
            prop_assert_eq!(&Scope::from_json(&serialized).unwrap(), &scope);
            let with_digest = canonical.replace(
                "\"target\":",
                &format!("\"scope_sha256\":\"{}\",\"target\":", scope.sha256().to_hex()),
            );
            prop_assert_eq!(&Scope::from_json(&with_digest).unwrap(), &scope);
            prop_assert_eq!(scope.clone().into_owned(), scope);
        }

        #[test]
        fn no_text_panics(text in any::<String>(), (_, target) in any_target(), cut in any::<prop::sample::Index>()) {
            let _ = Scope::from_json(&text);
            let json = format!(r#"{{"operations":["read"],"schema_version":1,"target":{target}}}"#);
            prop_assert!(Scope::from_json(&json[..cut.index(json.len())]).is_err());
        }
    }
}
