//! The vectors of schema version 1 for scopes and ceilings, most of them computed by another
//! implementation: they come out byte for byte.

use authority_core::{Ceiling, DecodeError, Scope};
use serde_json::Value;

fn cases(file: &str) -> Vec<Value> {
    let path = format!(
        "{}/../tests/vectors/{file}.json",
        env!("CARGO_MANIFEST_DIR")
    );
    let text = std::fs::read_to_string(path).unwrap();
    let vectors: Value = serde_json::from_str(&text).unwrap();
    vectors["cases"].as_array().unwrap().clone()
}

/// Decodes a scope, and once more in a spelling that is not canonical: it must not matter.
fn decode(text: &str) -> Result<Scope<'_>, DecodeError> {
    let decoded = Scope::from_json(text);
    let spaced = text.replacen('{', "{ ", 1);
    match (&decoded, Scope::from_json(&spaced)) {
        (Ok(scope), Ok(other)) => assert_eq!(*scope, other, "{text}"),
        (Err(error), Err(other)) => assert_eq!(
            (error.pointer(), error.rule()),
            (other.pointer(), other.rule()),
            "{text}"
        ),
        _ => panic!("{text}"),
    }
    decoded
}

fn id(case: &Value) -> &str {
    case["id"].as_str().unwrap()
}

#[test]
fn scopes() {
    let cases = cases("scopes");
    assert_eq!(cases.len(), 333);
    for case in &cases {
        let text = case["scope"].to_string();
        let scope = decode(&text).unwrap_or_else(|error| panic!("{}: {error}", id(case)));
        let canonical = scope.canonical_json();
        assert_eq!(
            canonical,
            case["canonical_json"].as_str().unwrap(),
            "{}",
            id(case)
        );
        assert_eq!(
            scope.sha256().to_hex(),
            case["scope_sha256"].as_str().unwrap(),
            "{}",
            id(case)
        );
        assert_eq!(decode(&canonical).unwrap(), scope, "{}", id(case));
        let serialized = serde_json::to_string(&scope).unwrap();
        assert_eq!(
            Scope::from_json(&serialized).unwrap(),
            scope,
            "{}",
            id(case)
        );
    }
}

#[test]
fn scopes_refused() {
    let cases = cases("scopes_refused");
    assert_eq!(cases.len(), 328);
    for case in &cases {
        let text = case["scope"].to_string();
        let refused = decode(&text);
        assert!(refused.is_err(), "{}: {text}", id(case));
    }
}

#[test]
fn decode_text() {
    for case in cases("decode_text") {
        let decoded = decode(case["text"].as_str().unwrap());
        let digest = decoded.map(|scope| scope.sha256().to_hex()).ok();
        assert_eq!(
            digest.as_deref(),
            case["scope_sha256"].as_str(),
            "{}",
            id(&case)
        );
        assert_eq!(
            digest.is_some(),
            case["ok"].as_bool().unwrap(),
            "{}",
            id(&case)
        );
    }
}

#[test]
fn child_rule() {
    let cases = cases("child_rule");
    assert_eq!(cases.len(), 55);
    for case in &cases {
        let [child, parent] = ["child", "parent"].map(|side| case[side].to_string());
        let child = Scope::from_json(&child).unwrap();
        let parent = Scope::from_json(&parent).unwrap();
        let within = case["within"].as_bool().unwrap();
        assert_eq!(child.is_within(&parent), within, "{}", id(case));
        let [child, parent] = [child, parent].map(|scope| Ceiling::new([scope]).unwrap());
        assert_eq!(child.is_within(&parent), within, "{}", id(case));
        assert_eq!(
            child.outside(&parent).count(),
            usize::from(!within),
            "{}",
            id(case)
        );
    }
}

#[test]
fn ceiling_digests() {
    let mut seen = 0;
    for case in cases("digests") {
        let input = case["input"].to_string();
        let (digest, key) = match case["of"].as_str().unwrap() {
            "argv" | "cwd" => continue,
            "the child_agent scope that release_bot holds" => {
                let scope = Scope::from_json(&input).unwrap();
                assert_eq!(
                    scope.canonical_json(),
                    case["canonical_json"].as_str().unwrap()
                );
                (scope.sha256(), "scope_sha256")
            }
            _ => (Ceiling::from_json(&input).unwrap().sha256(), "sha256"),
        };
        assert_eq!(
            digest.to_hex(),
            case[key].as_str().unwrap(),
            "{}",
            id(&case)
        );
        seen += 1;
    }
    assert_eq!(seen, 3);
}
