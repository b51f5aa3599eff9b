//! No content, argument or path gets into what a gate writes, says or traces (AG-audit-06, -07, -08).

use std::fmt::Debug;
use std::sync::Arc;

use authority_core::audit::{Code, MemoryAudit};
use authority_core::operations::{filesystem, github};
use authority_core::vocabulary::Boundary;
use authority_core::{
    Amounts, Answer, ApprovalPolicy, BindingResolver, BoundDirectory, Capabilities, Digest, Effect,
    Gate, GithubPart, GithubResource, ManualClock, Outcome, Previous, Question, Request,
    RequiredBinding, ResolvedBinding, Review, ReviewError, Reviewer, RootOptions, ThreadIdentity,
    ThreadPermissions, ThreadPolicy,
};
use proptest::prelude::*;

/// Every form in which 16 bytes may hide in a text.
fn forms(marker: [u8; 16]) -> Vec<String> {
    let raw = String::from_utf8_lossy(&marker).into_owned();
    let hex = hex(marker);
    let percent = hex
        .as_bytes()
        .chunks(2)
        .fold(String::new(), |percent, pair| {
            percent + "%" + &String::from_utf8_lossy(pair).to_uppercase()
        });
    let list = format!("{marker:?}");
    let list = list.trim_matches(['[', ']']).to_owned();
    let base64 = (0..3).map(|offset| base64_inside(&marker, offset));
    [
        raw,
        hex.to_uppercase(),
        hex,
        percent.to_lowercase(),
        percent,
        list,
    ]
    .into_iter()
    .chain(base64)
    .collect()
}

fn hex(marker: [u8; 16]) -> String {
    format!("{:032x}", u128::from_be_bytes(marker))
}

/// The characters of base64 that stand for these bytes alone, when so many others come before.
fn base64_inside(bytes: &[u8], offset: usize) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bits: Vec<u8> = bytes
        .iter()
        .flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1))
        .collect();
    let skipped = (6 - offset * 8 % 6) % 6;
    bits[skipped..]
        .chunks_exact(6)
        .map(|bits| {
            bits.iter()
                .fold(0, |index, bit| index << 1 | usize::from(*bit))
        })
        .map(|index| char::from(ALPHABET[index]))
        .collect()
}

#[test]
fn base64_of_a_part() {
    // Of "Man", "xMan" and "xxMan" the characters that "Man" alone decides: of `TWFu`, `eE1hbg==`
    // and `eHhNYW4=`.
    assert_eq!(base64_inside(b"Man", 0), "TWFu");
    assert_eq!(base64_inside(b"Man", 1), "1hb");
    assert_eq!(base64_inside(b"Man", 2), "NYW");
}

struct Yes;

impl Review for Yes {
    fn review(&self, question: &Question) -> Result<Answer, ReviewError> {
        Ok(question.allow_once(question.reviewer()))
    }
}

struct Host;

impl BindingResolver for Host {
    fn resolve(&self, _: &RequiredBinding) -> Option<ResolvedBinding> {
        Some(ResolvedBinding {
            revision_sha256: Digest::of(b"revision"),
            directory: Some(BoundDirectory {
                host: "/srv/ws".into(),
                guest: "/ws".into(),
            }),
        })
    }
}

const BROKEN: Code = Code::new("broken").unwrap();

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn nothing_shows_a_marker(marker in any::<[u8; 16]>()) {
        let hex = hex(marker);
        let path = format!("{hex}/notes");
        let permissions = ThreadPermissions::builder()
            .filesystem("ws", [filesystem::Write])
            .github("acme/checkout", [github::IssueWrite])
            .build()
            .unwrap();
        let identity = ThreadIdentity::root("alice", "checkout", "run-1").unwrap();
        let revisions = permissions.check_bindings(&Host).unwrap();
        let options = RootOptions::default().revisions(revisions);
        let (handle, root) = ThreadPolicy::for_root_with(identity, &permissions, options);
        let audit = Arc::new(MemoryAudit::new());
        let rules = ApprovalPolicy::always_ask(Reviewer::human("alice").unwrap());
        let gate = Gate::builder(&handle, rules, ManualClock::new()).reviewer(Yes);
        let gate = gate.audit(Arc::clone(&audit)).build().unwrap();
        gate.ledger().begin_turn(&root).unwrap();

        let mut said = Vec::new();
        let mut say = |thing: &dyn Debug| said.push(format!("{thing:?} {thing:#?}"));

        // A path, a content, and the message of an error.
        let request = Request::filesystem("ws", &path, filesystem::Write).unwrap();
        let effect = Effect::write_file(marker.as_slice(), Previous::digest_of(&marker))
            .with_reason(&hex)
            .with_explanation(&hex);
        let own = Capabilities::new(Boundary::EnforcedByHarness);
        let permit = gate.authorize(&root, &request, &effect, Amounts::NONE).unwrap();
        say(&(&request, &permit, &gate));
        let running = gate.redeemer().redeem(permit, &request, &effect, own).unwrap();
        say(&running);
        running.finish(Outcome::failed(BROKEN, &hex), Amounts::NONE).unwrap();

        // A payload that changes before it is sent.
        let request = Request::github("acme/checkout", github::IssueWrite).unwrap();
        let issue = GithubResource { repository_id: None, part: GithubPart::Tag(&hex) };
        let effect = Effect::github_write(issue, marker.as_slice());
        let permit = gate.authorize(&root, &request, &effect, Amounts::NONE).unwrap();
        let other = Effect::github_write(issue, hex.as_str());
        let denied = gate.redeemer().redeem(permit, &request, &other, own).unwrap_err();
        say(&denied);
        say(&denied.explain());

        // A path that is not held.
        let request = Request::filesystem(&hex, &path, filesystem::Read);
        if let Ok(request) = request {
            let denied = gate.authorize(&root, &request, &Effect::none(), Amounts::NONE).unwrap_err();
            say(&denied);
            say(&denied.explain());
        }
        said.push(String::from_utf8(audit.bytes()).unwrap());
        said.push(format!("{:?}", audit.records()));
        for form in forms(marker) {
            for text in &said {
                prop_assert!(!text.contains(&form), "{form} in {text}");
            }
        }
    }
}
