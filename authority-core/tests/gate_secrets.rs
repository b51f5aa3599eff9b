//! No content, argument or secret gets into what a gate writes, says or traces, whatever it is.

mod traced;

use std::fmt::{Debug, Display};
use std::num::NonZeroU32;
use std::panic::resume_unwind;
use std::sync::Arc;

use authority_core::audit::{Code, HmacSealer, MemoryAudit, Seal};
use authority_core::operations::{filesystem, github, mcp_tool, network, subprocess};
use authority_core::vocabulary::{Boundary, RedirectPolicy};
use authority_core::{
    Amounts, Answer, ApprovalPolicy, Attempt, BindingResolver, BoundDirectory, Capabilities,
    Content, Digest, Effect, Gate, GithubPart, GithubResource, GrantSeal, GrantStore, HttpRequest,
    Id, MacKey, ManualClock, MemoryGrants, Outcome, Preview, Previous, Question, Request,
    RequiredBinding, ResolvedBinding, Review, ReviewError, Reviewer, RootOptions, ThreadIdentity,
    ThreadPermissions, ThreadPolicy,
};
use proptest::prelude::*;

use crate::traced::Traced;

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

/// Allows for a time, under a stored policy; of an issue that is tagged it breaks, and says why.
struct Breaks(String);

impl Review for Breaks {
    fn review(&self, question: &Question) -> Result<Answer, ReviewError> {
        if question.preview().operation() == github::CommentWrite.into() {
            // As a panic, without what it would print.
            resume_unwind(Box::new(self.0.clone()));
        }
        let until = question.asked_at().after(MINUTE).unwrap();
        let by = question.reviewer();
        Ok(question.persist_until(by, id("settings"), NonZeroU32::MIN, until))
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
const MINUTE: std::time::Duration = std::time::Duration::from_mins(1);

fn id(text: &str) -> Id<'static> {
    Id::parse(text).unwrap().into_owned()
}

fn permissions(argument: &str) -> ThreadPermissions {
    ThreadPermissions::builder()
        .filesystem("ws", [filesystem::Read, filesystem::Write])
        .subprocess("sh", &[argument], "ws", None, [subprocess::Execute])
        .network(
            "https://api.example.com:443",
            RedirectPolicy::Deny,
            [network::RequestWrite],
        )
        .github("acme/checkout", [github::IssueWrite, github::CommentWrite])
        .mcp_tool("mail", "send", [mcp_tool::Call])
        .server("mail", Some("mail-prod"))
        .build()
        .unwrap()
}

/// All that was said of what happened.
#[derive(Default)]
struct Said(Vec<String>);

impl Said {
    fn debug(&mut self, thing: &dyn Debug) {
        self.0.push(format!("{thing:?} {thing:#?}"));
    }

    fn display(&mut self, thing: impl Display) {
        self.0.push(thing.to_string());
    }
}

/// A gate, and what it says.
struct Run<'a> {
    gate: &'a Gate,
    root: &'a ThreadPolicy,
    said: Said,
}

impl Run<'_> {
    /// Runs it to an end with this message.
    fn do_it(&mut self, request: &Request<'_>, effect: &Effect<'_>, message: &str) {
        let simulated = self
            .gate
            .simulate(&Attempt::new(self.root, request, effect));
        self.said.debug(&(request, effect, simulated));
        let permit = self
            .gate
            .authorize(self.root, request, effect, Amounts::NONE);
        let permit = permit.unwrap();
        self.said.debug(&permit);
        let own = Capabilities::new(Boundary::EnforcedByHarness)
            .with_mounts()
            .with_egress()
            .with_environment();
        let running = self.gate.redeemer().redeem(permit, request, effect, own);
        let running = running.unwrap();
        self.said.debug(&running);
        let failed = Outcome::failed(BROKEN, message);
        self.said.debug(&failed);
        running.finish(failed, Amounts::NONE).unwrap();
    }

    /// Is refused something else than what was permitted.
    fn changes(&mut self, request: &Request<'_>, effect: &Effect<'_>, other: &Effect<'_>) {
        let permit = self
            .gate
            .authorize(self.root, request, effect, Amounts::NONE);
        let own = Capabilities::new(Boundary::EnforcedByHarness);
        let denied = self
            .gate
            .redeemer()
            .redeem(permit.unwrap(), request, other, own);
        let denied = denied.unwrap_err();
        self.said.debug(&denied);
        self.said.display(denied.explain());
    }

    fn is_denied(&mut self, request: &Request<'_>, effect: &Effect<'_>) {
        let denied = self
            .gate
            .authorize(self.root, request, effect, Amounts::NONE);
        let denied = denied.unwrap_err();
        self.said.debug(&denied);
        self.said.display(denied.explain());
        self.said.display(denied.reason());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn ag_audit_06(marker in any::<[u8; 16]>()) {
        let hex = hex(marker);
        // Secrets of the host: keys of grants and of seals.
        let key = MacKey::new(hex.as_bytes()).unwrap();
        let sealer = HmacSealer::new(id("key-1"), key.clone());
        let seal = GrantSeal::new(key.clone());

        let permissions = permissions(&hex);
        let revisions = permissions.check_bindings(&Host).unwrap();
        let identity = ThreadIdentity::root("alice", "checkout", "run-1").unwrap();
        let options = RootOptions::default().revisions(revisions);
        let (handle, root) = ThreadPolicy::for_root_with(identity, &permissions, options);
        let (audit, grants) = (Arc::new(MemoryAudit::new()), Arc::new(MemoryGrants::new()));
        let rules = ApprovalPolicy::always_ask(Reviewer::human("alice").unwrap());
        let gate = Gate::builder(&handle, rules, ManualClock::new())
            .reviewer(Breaks(hex.clone()))
            .grants(Arc::clone(&grants))
            .grant_seal(seal.clone())
            .audit(Arc::clone(&audit))
            .build()
            .unwrap();
        gate.ledger().begin_turn(&root).unwrap();
        let mut run = Run { gate: &gate, root: &root, said: Said::default() };
        run.said.debug(&(&key, &sealer, &seal, &gate, gate.redeemer(), &grants, &audit, &handle, &root));

        let traced = Traced::default();
        traced.during(|| {
            // A file: a path, a content, advice, and the message of an error.
            let path = format!("{hex}/notes");
            let request = Request::filesystem("ws", &path, filesystem::Write).unwrap();
            let effect = Effect::write_file(marker.as_slice(), Previous::digest_of(&marker))
                .with_reason(&hex)
                .with_explanation(&hex)
                .with_label(&hex, &hex);
            run.do_it(&request, &effect, &hex);

            // A process: an argument, a standard input, a file that it runs.
            let arguments = [hex.as_str()];
            let request = Request::subprocess("sh", &arguments, "ws", ".", subprocess::Execute);
            let effect = Effect::run(Digest::of(b"sh"), &marker, [(0, Content::of(&marker))]);
            run.do_it(&request.unwrap(), &effect, &hex);

            // A request by HTTP: a path, headers, a body.
            let endpoint = "https://api.example.com:443";
            let request = Request::network(endpoint, RedirectPolicy::Deny, network::RequestWrite);
            let path = format!("/{hex}?token={hex}");
            let headers = [("authorization", hex.as_str()), ("cookie", hex.as_str())];
            let http = HttpRequest {
                method: "POST",
                path_and_query: Some(&path),
                headers: &headers,
                body: Content::of(&marker),
                response_ceiling: 1_000,
            };
            run.said.debug(&http);
            run.do_it(&request.unwrap(), &Effect::http(http), &hex);

            // A tool: arguments, and what its server claims.
            let call = Request::mcp_tool("mail", "send", mcp_tool::Call).unwrap();
            let arguments = format!(r#"{{"{hex}":"{hex}"}}"#);
            let digest = Digest::of(b"definition");
            let effect = Effect::call_tool(digest, digest, &arguments).with_server_claim(&hex, &hex);
            run.do_it(&call, &effect, &hex);

            // A payload that changes before it is sent.
            let request = Request::github("acme/checkout", github::IssueWrite).unwrap();
            let issue = GithubResource { repository_id: None, part: GithubPart::Tag(&hex) };
            let effect = Effect::github_write(issue, marker.as_slice());
            run.changes(&request, &effect, &Effect::github_write(issue, hex.as_str()));

            // A reviewer that breaks, and says why.
            let request = Request::github("acme/checkout", github::CommentWrite).unwrap();
            run.is_denied(&request, &effect);

            // What is not held, and what has no preview.
            let request = Request::filesystem("home", &hex, filesystem::Write).unwrap();
            run.is_denied(&request, &Effect::write_file(&hex, Previous::New));
            run.is_denied(&call, &Effect::invoke(&arguments));

            // What is written of it as JSON.
            let preview = Preview::new(&root, &call, &effect_of(&arguments), Boundary::EnforcedByHarness);
            let preview = preview.unwrap();
            run.said.debug(&preview);
            run.said.debug(&preview.advisory());
            run.said.display(serde_json::to_string(preview.scope()).unwrap());
        });
        let mut said = run.said;
        said.display(root.to_json());
        said.display(serde_json::to_string(&permissions).unwrap());
        for record in audit.records() {
            said.debug(&record);
            said.display(record.to_json());
            let Some(grant) = record.grant() else { continue };
            let stored = grants.grant(&grant.id).unwrap().unwrap();
            // A grant for a file names its path, by which it is found again.
            if stored.sealed.grant().scope().target().kind() != authority_core::Kind::Filesystem {
                said.display(stored.sealed.to_json());
            }
            said.debug(&stored);
        }
        said.display(String::from_utf8(audit.bytes()).unwrap());
        said.debug(&Seal::of_head(&sealer, audit.head()).unwrap());
        said.0.extend(traced.fields());
        for form in forms(marker) {
            for text in &said.0 {
                prop_assert!(!text.contains(&form), "{form} in {text}");
            }
        }
    }
}

fn effect_of(arguments: &str) -> Effect<'static> {
    let digest = Digest::of(b"definition");
    Effect::call_tool(digest, digest, arguments)
}
