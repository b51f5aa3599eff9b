//! Grants as documents, and whether they still hold: the vectors, in the nested form of a record.

use authority_core::vocabulary::RevalidationReason;
use authority_core::{Context, DecodeRule, Digest, Grant, GrantError, Scope, Timestamp};
use serde_json::{Map, Value, json};

fn cases(file: &str) -> Vec<Value> {
    let path = format!(
        "{}/../tests/vectors/{file}.json",
        env!("CARGO_MANIFEST_DIR")
    );
    let text = std::fs::read_to_string(path).unwrap();
    let vectors: Value = serde_json::from_str(&text).unwrap();
    vectors["cases"].as_array().unwrap().clone()
}

const BINDINGS: &str = "60c2fc8a3b622e8acab9d1ec5813eda971ef9a08ed5de974c7d7debaf37f5d8f";

/// A grant of the vectors' flat form as a record.
fn record(flat: &Value) -> Value {
    let mut flat = flat.as_object().unwrap().clone();
    let mut take = |key: &str| flat.remove(key).unwrap();
    let kind = take("lifetime");
    let is_persisted = kind == "persisted_policy";
    let thread = |id: &str| if is_persisted { Value::Null } else { json!(id) };
    let uses = if kind == "operation" { 1 } else { 3 };
    let holder = json!({
        "agent_path": ["helper"], "declaration_sha256": BINDINGS, "owner_id": "alice",
        "permissions_sha256": BINDINGS, "root_run_id": thread("run-1"),
        "thread_id": thread("thread-1"), "workspace_id": "checkout",
    });
    let mut lifetime = Map::from_iter([("kind".to_owned(), kind)]);
    for key in ["operation_id", "session_id", "policy_id"] {
        let id = take(key);
        if !id.is_null() {
            lifetime.insert(key.to_owned(), id);
        }
    }
    let reviewer = json!({"id": take("reviewer_id"), "kind": take("reviewer_kind")});
    let boundary = take("enforcement");
    // What is left has the same name in both forms, or is unknown.
    flat.extend([
        ("boundary".to_owned(), boundary),
        ("bindings_sha256".to_owned(), json!(BINDINGS)),
        ("holder".to_owned(), holder),
        ("lifetime".to_owned(), lifetime.into()),
        ("reviewer".to_owned(), reviewer),
        ("schema_version".to_owned(), json!(1)),
        ("uses".to_owned(), json!(uses)),
    ]);
    flat.into()
}

/// The reasons' names; `None` when grant or context cannot be built.
fn revalidate(grant: &Value, context: &Value) -> Option<Vec<&'static str>> {
    let grant = Grant::from_json(&record(grant).to_string()).ok()?;
    let scope = context["current_scope"].to_string();
    let scope = Scope::from_json(&scope).ok()?;
    let context = Context {
        scope: &scope,
        preview_sha256: Digest::parse_hex(context["current_preview_sha256"].as_str()?).ok()?,
        bindings_sha256: Digest::parse_hex(BINDINGS).ok()?,
        now: Timestamp::parse(context["now"].as_str()?).ok()?,
        redirected: context["redirected"].as_bool()?,
        retry: context["retry"].as_bool()?,
        has_live_parents: false,
    };
    let reasons = grant.revalidate(&context).ok()?;
    Some(reasons.into_iter().map(RevalidationReason::name).collect())
}

#[test]
fn revalidation() {
    let cases = cases("revalidation");
    assert_eq!(cases.len(), 80);
    for case in &cases {
        let id = case["id"].as_str().unwrap();
        let reasons = revalidate(&case["grant"], &case["context"]);
        assert_eq!(reasons.is_some(), case["ok"].as_bool().unwrap(), "{id}");
        if let Some(reasons) = reasons {
            assert_eq!(json!(reasons), case["reasons"], "{id}");
        }
    }
}

fn sound() -> (Value, Value) {
    let case = cases("revalidation").remove(0);
    (case["grant"].clone(), case["context"].clone())
}

#[test]
fn child_grants_keep_the_child_rule() {
    let cases = cases("child_rule");
    assert_eq!(cases.len(), 55);
    let (flat, _) = sound();
    for case in &cases {
        let mut parent = record(&flat);
        parent["scope"] = case["parent"].clone();
        let mut child = record(&flat);
        child["id"] = json!("grant_2");
        child["parent_grant_id"] = parent["id"].clone();
        child["scope"] = case["child"].clone();
        let [child, parent] =
            [child, parent].map(|record| Grant::from_json(&record.to_string()).unwrap());
        let expected = if case["within"] == true {
            Ok(())
        } else {
            Err(GrantError::WiderScope)
        };
        assert_eq!(child.check_parent(&parent), expected, "{}", case["id"]);
    }
}

#[test]
fn a_child_lies_within_its_parent() {
    let (flat, context) = sound();
    let parent = Grant::from_json(&record(&flat).to_string()).unwrap();
    let child = |key: &str, value: Value| {
        let mut child = record(&flat);
        child["id"] = json!("grant_2");
        child["parent_grant_id"] = json!("grant_1");
        child[key] = value;
        Grant::from_json(&child.to_string()).unwrap()
    };
    let other = json!(format!("00{}", &BINDINGS[2..]));
    for (key, value, error) in [
        ("parent_grant_id", json!("grant_3"), GrantError::OtherParent),
        ("parent_grant_id", Value::Null, GrantError::OtherParent),
        ("preview_sha256", other.clone(), GrantError::OtherApproval),
        ("bindings_sha256", other, GrantError::OtherApproval),
        ("policy_source", json!("other"), GrantError::OtherApproval),
        (
            "boundary",
            json!("delegated_to_cli_sandbox"),
            GrantError::OtherApproval,
        ),
        (
            "reviewer",
            json!({"id": "bob", "kind": "human"}),
            GrantError::OtherApproval,
        ),
        (
            "lifetime",
            json!({"kind": "session", "session_id": "s"}),
            GrantError::OtherApproval,
        ),
        (
            "created_at",
            json!("2031-03-04T09:59:59Z"),
            GrantError::OutlivesParent,
        ),
        (
            "expires_at",
            json!("2031-03-04T10:30:00.000000001Z"),
            GrantError::OutlivesParent,
        ),
    ] {
        assert_eq!(child(key, value).check_parent(&parent), Err(error), "{key}");
    }
    let sound = child("created_at", json!("2031-03-04T10:00:00Z"));
    assert_eq!(sound.check_parent(&parent), Ok(()));

    // A parent that is missing or revoked counts as revoked.
    let mut flat = flat;
    flat["parent_grant_id"] = json!("grant_0");
    assert_eq!(revalidate(&flat, &context), Some(vec!["revoked"]));
}

#[test]
fn records() {
    let (flat, _) = sound();
    let value = record(&flat);
    let grant = Grant::from_json(&value.to_string()).unwrap();
    let json = grant.to_json();
    assert_eq!(Grant::from_json(&json).unwrap(), grant);
    // Sorted keys without white space, times in UTC with `Z`.
    let written = value.to_string().replace("+00:00", "Z");
    assert_eq!(json, written);
    let covered = format!(r#"{{"domain":"authority/grant/v1","grant":{written}}}"#);
    assert_eq!(grant.sha256(), Digest::of(covered.as_bytes()));

    // Revoking makes another record; revoking again changes nothing.
    let at = |text| Timestamp::parse(text).unwrap();
    let revoked = grant.revoked(at("2031-03-04T10:05:00Z"));
    assert!(revoked.is_revoked() && !grant.is_revoked());
    assert_eq!(revoked.revoked(at("2031-03-04T10:06:00Z")), revoked);
    assert_ne!(revoked.sha256(), grant.sha256());
    assert!(revoked.is_same_but_for_revocation(&grant));
    assert_eq!(Grant::from_json(&revoked.to_json()).unwrap(), revoked);
}

#[test]
fn records_are_decoded_strictly() {
    let (flat, _) = sound();
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut value = record(&flat);
        change(&mut value);
        let error = Grant::from_json(&value.to_string()).unwrap_err();
        (error.pointer().to_owned(), error.rule())
    };
    let whole = |rule| (String::new(), rule);
    assert_eq!(
        refused(&|value| value["schema_version"] = json!(2)),
        ("/schema_version".to_owned(), DecodeRule::Version(1))
    );
    assert_eq!(
        refused(&|value| value["uses"] = json!(2)),
        whole(DecodeRule::Grant(GrantError::OperationIsSingleUse))
    );
    assert_eq!(
        refused(&|value| value["uses"] = json!(0)),
        (
            "/uses".to_owned(),
            DecodeRule::NumberRange {
                least: 1,
                most: 4_294_967_295
            }
        )
    );
    assert_eq!(
        refused(&|value| {
            value["holder"]["thread_id"] = Value::Null;
            value["holder"]["root_run_id"] = Value::Null;
        }),
        whole(DecodeRule::Grant(GrantError::HolderForm))
    );
    assert_eq!(
        refused(&|value| value["expires_at"] = json!("2031-03-04T09:00:00Z")),
        whole(DecodeRule::Grant(GrantError::ExpiresBeforeCreation))
    );
    // Every member is needed, and known.
    let keys: Vec<String> = record(&flat).as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys.len(), 15);
    for key in &keys {
        let (pointer, rule) = refused(&|value| {
            value.as_object_mut().unwrap().remove(key);
        });
        assert!(
            matches!(rule, DecodeRule::MissingKey(missing) if missing == key),
            "{key}"
        );
        assert_eq!(pointer, "");
    }
    let twice = record(&flat).to_string().replacen('{', r#"{"uses":1,"#, 1);
    let error = Grant::from_json(&twice).unwrap_err();
    assert_eq!(
        error.rule(),
        DecodeRule::DuplicateKey {
            known: Some("uses")
        }
    );
}
