//! Seals: who can write a store of grants can not approve.

use std::fmt;

use crate::approval::Grant;
use crate::declaration::json::{Value, object, text};
use crate::digest::Digest;
use crate::json::{self, DecodeError, DecodeRule, Reader, members};
use crate::mac::MacKey;

/// A host's key, under which grants are sealed with HMAC-SHA-256 before they are stored.
///
/// A grant that somebody else wrote into the store has no valid MAC and is no grant. A MAC does not
/// tell when a store was put back to an earlier state, with a use not yet counted or a revocation not
/// yet written: that is bounded by the grant's expiry, and ended by a new key.
#[derive(Clone)]
pub struct GrantSeal(MacKey);

impl GrantSeal {
    /// The seal with this key, which the store's writers cannot read.
    pub const fn new(key: MacKey) -> Self {
        GrantSeal(key)
    }

    /// The grant with its MAC, which stays right when the grant is revoked.
    pub fn seal(&self, grant: &Grant) -> SealedGrant {
        SealedGrant {
            grant: grant.clone(),
            mac: Some(self.0.tag(covered(grant).as_bytes())),
        }
    }

    /// Whether the grant has this key's MAC. Takes the same time whichever byte differs.
    pub fn verifies(&self, sealed: &SealedGrant) -> bool {
        let covered = || covered(&sealed.grant);
        let mac = sealed.mac.as_ref();
        mac.is_some_and(|mac| self.0.is_tag(covered().as_bytes(), mac.as_bytes()))
    }
}

/// What a MAC covers: domain `authority/grant-seal/v1`. Revoking only takes, so it needs no key.
fn covered(grant: &Grant) -> String {
    let grant = grant.not_revoked();
    let scope = grant.scope().canonical_json();
    let covered = object([
        ("domain", text("authority/grant-seal/v1")),
        ("grant", grant.to_value(&scope)),
    ]);
    covered.to_canonical_json()
}

impl fmt::Debug for GrantSeal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("GrantSeal")
    }
}

/// A grant as a store keeps it, with a MAC if the host has a key.
#[derive(Clone, Eq, PartialEq)]
pub struct SealedGrant {
    grant: Grant,
    mac: Option<Digest>,
}

impl SealedGrant {
    /// A grant without a MAC, for a store that only this process can write.
    pub fn unsealed(grant: Grant) -> Self {
        SealedGrant { grant, mac: None }
    }

    /// The grant. That it has a MAC does not mean that the MAC is right: see
    /// [`GrantSeal::verifies`].
    pub fn grant(&self) -> &Grant {
        &self.grant
    }

    /// The same grant revoked, with the same MAC.
    #[must_use]
    pub fn revoked(&self, at: crate::Timestamp) -> Self {
        SealedGrant {
            grant: self.grant.revoked(at),
            mac: self.mac,
        }
    }

    /// The record and its MAC as canonical JSON.
    pub fn to_json(&self) -> String {
        let scope = self.grant.scope().canonical_json();
        let mac = self.mac.map_or(Value::Null, |mac| text(&mac.to_hex()));
        let members = [
            ("grant", self.grant.to_value(&scope)),
            ("mac", mac),
            ("schema_version", Value::Number(SCHEMA_VERSION)),
        ];
        object(members).to_canonical_json()
    }

    /// Decodes what [`to_json`](Self::to_json) gives. The MAC is not checked.
    ///
    /// # Errors
    ///
    /// The first error in document order, with its JSON Pointer.
    pub fn from_json(json: &str) -> Result<Self, DecodeError> {
        json::decode(json, |reader| {
            let mut grant = None;
            let mut mac = None;
            let mut has_mac = false;
            let mut has_version = false;
            reader.object(|reader, key| {
                match key {
                    Key::Grant => grant = Some(Grant::decode(reader)?),
                    Key::Mac => {
                        mac = reader.nullable(Reader::text::<Digest>)?;
                        has_mac = true;
                    }
                    Key::SchemaVersion => {
                        reader.version(SCHEMA_VERSION)?;
                        has_version = true;
                    }
                }
                Ok(())
            })?;
            let missing = |key: &'static str| reader.error(DecodeRule::MissingKey(key));
            let grant = grant.ok_or_else(|| missing("grant"))?;
            if !has_mac {
                return Err(missing("mac"));
            }
            if !has_version {
                return Err(missing("schema_version"));
            }
            Ok(SealedGrant { grant, mac })
        })
    }
}

impl fmt::Debug for SealedGrant {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("SealedGrant")
            .field("grant", &self.grant)
            .field("has_mac", &self.mac.is_some())
            .finish()
    }
}

const SCHEMA_VERSION: u64 = 1;

members! {
    enum Key {
        Grant "grant",
        Mac "mac",
        SchemaVersion "schema_version",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Timestamp;
    use crate::approval::Lifetime;
    use crate::approval::store_conformance::{grant, session};
    use crate::id::Id;

    fn seal(byte: u8) -> GrantSeal {
        GrantSeal::new(MacKey::new(&[byte; 32]).unwrap())
    }

    #[test]
    fn a_key_is_never_printed() {
        assert_eq!(format!("{:?}", seal(7)), "GrantSeal");
    }

    #[test]
    fn any_other_content_or_key_is_refused() {
        let first = grant("first", &session("s"), 3);
        let sealed = seal(7).seal(&first);
        assert!(seal(7).verifies(&sealed));
        assert!(!seal(8).verifies(&sealed));
        assert!(!seal(7).verifies(&SealedGrant::unsealed(first.clone())));

        let json = sealed.to_json();
        assert_eq!(SealedGrant::from_json(&json), Ok(sealed.clone()));
        for (from, to) in [
            ("\"uses\":3", "\"uses\":4"),
            ("\"alice\"", "\"bob\""),
            ("T10:30:00Z", "T10:30:01Z"),
            ("acme/checkout", "acme/checkoux"),
        ] {
            assert!(json.contains(from));
            let forged = SealedGrant::from_json(&json.replace(from, to)).unwrap();
            assert!(!seal(7).verifies(&forged), "{to}");
        }

        // Revoking needs no key.
        let at = Timestamp::parse("2031-03-04T10:05:00Z").unwrap();
        let revoked = sealed.revoked(at);
        assert!(revoked.grant().is_revoked() && seal(7).verifies(&revoked));
    }

    /// HMAC-SHA-256 written out after RFC 2104.
    #[test]
    fn the_mac_is_the_standard_one() {
        let first = grant("first", &session("s"), 3);
        let covered = format!(
            r#"{{"domain":"authority/grant-seal/v1","grant":{}}}"#,
            first.to_json()
        );
        let pad = |pad: u8| std::iter::repeat_n(7 ^ pad, 32).chain([pad; 32]);
        let inner: Vec<u8> = pad(0x36).chain(covered.bytes()).collect();
        let inner = Digest::of(&inner);
        let outer: Vec<u8> = pad(0x5c).chain(*inner.as_bytes()).collect();
        assert_eq!(seal(7).seal(&first).mac, Some(Digest::of(&outer)));
    }

    #[test]
    fn documents_are_decoded_strictly() {
        let policy_id = Id::parse("p").unwrap().into_owned();
        let persisted = grant("first", &Lifetime::PersistedPolicy { policy_id }, 3);
        let json = seal(7).seal(&persisted).to_json();
        for (from, to, pointer) in [
            (r#","schema_version":1}"#, "}", ""),
            (
                r#","schema_version":1}"#,
                r#","schema_version":2}"#,
                "/schema_version",
            ),
            (r#""mac":"#, r#""mac":null,"max":"#, ""),
            (r#""mac":""#, r#""mac":"0"#, "/mac"),
            (r#""uses":3"#, r#""uses":-3"#, "/grant/uses"),
        ] {
            assert!(json.contains(from), "{from}");
            // The last: the grant has a version too.
            let at = json.rfind(from).unwrap();
            let json = format!("{}{to}{}", &json[..at], &json[at + from.len()..]);
            let error = SealedGrant::from_json(&json).unwrap_err();
            assert_eq!(error.pointer(), pointer, "{to}");
        }
    }
}
