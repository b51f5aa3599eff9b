//! Laws of grants as documents: what is printed decodes, and nothing of a refused one is repeated.

use authority_core::{Grant, GrantSeal, MacKey, SealedGrant, Timestamp};
use proptest::prelude::*;
use serde_json::{Value, json};

const DIGEST: &str = "60c2fc8a3b622e8acab9d1ec5813eda971ef9a08ed5de974c7d7debaf37f5d8f";

fn document() -> Value {
    let grant = json!({
        "bindings_sha256": DIGEST, "boundary": "enforced_by_harness",
        "created_at": "2031-03-04T10:00:00Z", "expires_at": "2031-03-04T10:30:00Z",
        "holder": {
            "agent_path": ["helper"], "declaration_sha256": DIGEST, "owner_id": "alice",
            "permissions_sha256": DIGEST, "root_run_id": "run-1", "thread_id": "thread-1",
            "workspace_id": "checkout",
        },
        "id": "grant-1", "lifetime": {"kind": "session", "session_id": "session-1"},
        "parent_grant_id": "grant-0", "policy_source": "settings", "preview_sha256": DIGEST,
        "reviewer": {"id": "alice", "kind": "human"}, "revoked_at": "2031-03-04T10:20:00Z",
        "schema_version": 1,
        "scope": {
            "operations": ["read"], "schema_version": 1,
            "target": {"kind": "github", "repository": "acme/checkout"},
        },
        "uses": 3,
    });
    json!({"grant": grant, "mac": DIGEST, "schema_version": 1})
}

/// Every value of a document, and every object, by JSON Pointer.
fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                pointers(value, &format!("{at}/{key}"), found);
            }
        }
        Value::Array(elements) => {
            for (index, value) in elements.iter().enumerate() {
                pointers(value, &format!("{at}/{index}"), found);
            }
        }
        _ => {}
    }
}

/// A marker and the spellings in which it could leak.
fn forms(bytes: &[u8]) -> (String, Vec<String>) {
    let joined = |prefix: &str| {
        let bytes = bytes.iter().map(|byte| format!("{prefix}{byte:02x}"));
        bytes.collect::<String>()
    };
    let marker = joined("");
    let spelt = |prefix: &str| {
        let bytes = marker.bytes().map(|byte| format!("{prefix}{byte:02x}"));
        bytes.collect::<String>()
    };
    let leaks = [
        marker.clone(),
        marker.to_ascii_uppercase(),
        joined("%"),
        joined("\\u00"),
        spelt(""),
        spelt("%"),
        spelt("\\u00"),
        format!("{bytes:?}"),
        format!("{:?}", marker.as_bytes()),
    ];
    (marker, leaks.into())
}

fn assert_silent(said: &str, leaks: &[String]) {
    for leak in leaks {
        assert!(!said.contains(leak.as_str()), "{leak} in {said}");
    }
}

proptest! {
    #[test]
    fn nothing_of_a_refused_document_is_repeated(bytes in any::<[u8; 16]>(), at in any::<prop::sample::Index>(), as_key in any::<bool>()) {
        let (marker, leaks) = forms(&bytes);
        let mut places = Vec::new();
        pointers(&document(), "", &mut places);
        let mut changed = document();
        let place = changed.pointer_mut(at.get::<String>(&places)).unwrap();
        match place {
            Value::Object(members) if as_key => {
                members.insert(marker.clone(), Value::Null);
            }
            // No canonical text of any kind has a blank.
            place => *place = Value::String(format!("{marker} {marker}")),
        }
        let error = SealedGrant::from_json(&changed.to_string()).unwrap_err();
        assert_silent(&format!("{error} {error:?}"), &leaks);
        let error = Grant::from_json(&changed["grant"].to_string());
        if let Err(error) = error {
            assert_silent(&format!("{error} {error:?}"), &leaks);
        }
        let error = Timestamp::parse(&marker).unwrap_err();
        assert_silent(&format!("{error} {error:?}"), &leaks);
    }

    /// Of a grant neither the target nor the MAC is printed, and of a seal nothing of the key.
    #[test]
    fn debug_prints_neither_targets_nor_keys(bytes in any::<[u8; 16]>()) {
        let (marker, mut leaks) = forms(&bytes);
        let mut document = document();
        document["grant"]["scope"]["target"]["repository"] = json!(format!("acme/{marker}"));
        let grant = Grant::from_json(&document["grant"].to_string()).unwrap();
        let seal = GrantSeal::new(MacKey::new(marker.as_bytes()).unwrap());
        let sealed = seal.seal(&grant);
        let printed: Value = serde_json::from_str(&sealed.to_json()).unwrap();
        leaks.push(printed["mac"].as_str().unwrap().to_owned());
        assert_silent(&format!("{grant:?} {sealed:?} {seal:?}"), &leaks);
    }

    #[test]
    fn what_is_printed_decodes(seconds in 0_u32..1800, uses in 1_u32.., revoked in any::<bool>()) {
        let mut document = document();
        document["grant"]["expires_at"] = json!(format!("2031-03-04T10:{:02}:{:02}Z", seconds / 60, seconds % 60));
        document["grant"]["uses"] = json!(uses);
        if !revoked {
            document["grant"]["revoked_at"] = Value::Null;
        }
        let sealed = SealedGrant::from_json(&document.to_string()).unwrap();
        prop_assert_eq!(sealed.to_json(), document.to_string());
        prop_assert_eq!(sealed.grant().to_json(), document["grant"].to_string());
        prop_assert_eq!(sealed.grant().uses().get(), uses);
    }

    #[test]
    fn no_text_panics(text in any::<String>(), cut in any::<prop::sample::Index>()) {
        let _ = SealedGrant::from_json(&text);
        let document = document().to_string();
        prop_assert!(SealedGrant::from_json(&document[..cut.index(document.len())]).is_err());
    }
}
