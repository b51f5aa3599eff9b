//! The law of comparison: it reports a widening exactly when some request is allowed by the new state
//! and not by the old one, or a number or binding grew.

use std::fmt::Write as _;

use authority_core::vocabulary::RedirectPolicy;
use authority_core::{Request, ThreadIdentity, ThreadPermissions, ThreadPolicy, operations};
use authority_syntax::tree::Form;
use proptest::prelude::*;

use crate::meaning::{Change, Lock, Locked, Meaning, What, compare};

/// A small declaration: sets of operations as bits, numbers, bindings.
#[derive(Clone, Debug)]
struct Small {
    whole: u8,
    path: u8,
    github: u8,
    ssh: u8,
    agent: u8,
    tokens: Option<u8>,
    environment: bool,
    /// Operations on the repository, the environment (named or inherited), tokens.
    child: Option<(u8, Option<bool>, Option<u8>)>,
}

fn small() -> impl Strategy<Value = Small> {
    let child = (
        1..4_u8,
        proptest::option::of(any::<bool>()),
        proptest::option::of(0..3_u8),
    );
    let tokens = proptest::option::of(0..3_u8);
    let sets = (0..4_u8, 0..4_u8, 0..4_u8, 0..4_u8, 1..4_u8);
    (sets, tokens, any::<bool>(), proptest::option::of(child)).prop_map(
        |((whole, path, github, ssh, agent), tokens, environment, child)| Small {
            whole,
            path,
            github,
            ssh,
            agent,
            tokens,
            environment,
            child,
        },
    )
}

fn listed(bits: u8, names: [&str; 2]) -> String {
    let held = names
        .iter()
        .enumerate()
        .filter(|(bit, _)| bits & 1 << bit != 0);
    held.map(|(_, name)| *name).collect::<Vec<_>>().join(", ")
}

impl Small {
    fn text(&self) -> String {
        let mut text = String::new();
        let mut scope = |target: &str, bits: u8, names: [&str; 2]| {
            if bits != 0 {
                text.push_str(&(target.to_owned() + " => " + &listed(bits, names) + ";\n"));
            }
        };
        scope("filesystem \"ws\"", self.whole, ["read", "write"]);
        let is_covered = self.whole != 0 && self.path & !self.whole == 0;
        let word = if is_covered { " delegable" } else { "" };
        scope(
            &format!("filesystem \"ws\" / \"a\"{word}"),
            self.path,
            ["read", "write"],
        );
        scope("github \"a/b\"", self.github, ["read", "issue.write"]);
        scope(
            "network \"ssh://h:22\"",
            self.ssh,
            ["connect", "request.safe"],
        );
        if let Some(tokens) = self.tokens {
            let _ = writeln!(text, "budget tokens_per_turn = {tokens};");
        }
        if self.environment {
            text.push_str("environment \"CI\";\n");
        }
        if let Some((github, environment, tokens)) = self.child {
            let operations = listed(self.agent, ["delegate", "message"]);
            let _ = writeln!(text, "child_agent \"c\" => {operations} {{");
            let _ = writeln!(
                text,
                "github \"a/b\" => {};",
                listed(github, ["read", "issue.write"])
            );
            match environment {
                Some(true) => text.push_str("environment \"CI\";\n"),
                Some(false) => text.push_str("environment none;\n"),
                None => {}
            }
            if let Some(tokens) = tokens {
                let _ = writeln!(text, "budget tokens_per_turn = {tokens};");
            }
            text.push_str("}\n");
        }
        text
    }

    /// `None` when the declaration does not compile.
    fn permissions(&self) -> Option<ThreadPermissions> {
        let parsed = authority_syntax::parse(self.text().parse().expect("it lexes"));
        let Form::Body(body) = parsed.form else {
            panic!("entries");
        };
        authority_syntax::check(&body).permissions
    }

    /// The largest number of tokens that the child may use.
    fn child_tokens(&self) -> Option<u8> {
        let (_, _, own) = self.child?;
        match (own, self.tokens) {
            (Some(own), Some(held)) => Some(own.min(held)),
            (own, held) => own.or(held),
        }
    }

    fn child_environment(&self) -> bool {
        let named = self.child.and_then(|(_, environment, _)| environment);
        named.unwrap_or(self.environment)
    }
}

fn requests() -> Vec<Request<'static>> {
    use operations::{filesystem, github, network};
    let mut requests = Vec::new();
    for path in ["a", "b", "."] {
        for operation in [filesystem::Read, filesystem::Write, filesystem::List] {
            requests.push(Request::filesystem("ws", path, operation).expect("a request"));
        }
    }
    for operation in [github::Read, github::IssueWrite] {
        requests.push(Request::github("a/b", operation).expect("a request"));
    }
    for operation in [network::Connect, network::RequestSafe] {
        let request = Request::network("ssh://h:22", RedirectPolicy::Deny, operation);
        requests.push(request.expect("a request"));
    }
    requests
}

/// Whether some request is allowed now and was not.
fn any_new(was: impl Fn(&Request<'_>) -> bool, is: impl Fn(&Request<'_>) -> bool) -> bool {
    requests()
        .iter()
        .any(|request| is(request) && !was(request))
}

/// The root's policy, and its child's if the root may make one now.
fn policies(permissions: &ThreadPermissions) -> Option<(ThreadPolicy, ThreadPolicy)> {
    let identity = ThreadIdentity::root("o", "w", "r").expect("an identity");
    let (handle, root) = ThreadPolicy::for_root(identity, permissions);
    let child = root.delegate(permissions.child("c")?, "t").ok()?;
    let child = child.start_by_host(&handle).ok()?;
    // What is decided after this is denied, so the handle outlives the test.
    std::mem::forget(handle);
    Some((root, child))
}

fn grew(was: Option<u8>, is: Option<u8>) -> bool {
    was.is_some_and(|was| is.is_none_or(|is| is > was))
}

fn has(changes: &[Change], path: &[&str], whats: &[What]) -> bool {
    changes
        .iter()
        .any(|change| change.is_widened && change.path == path && whats.contains(&change.what))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_widening_is_reported_exactly_when_there_is_one(base in small(), new in small()) {
        let (Some(old), Some(now)) = (base.permissions(), new.permissions()) else {
            return Ok(());
        };
        let changes = compare(&Meaning::of(old.declaration()), &Meaning::of(now.declaration()));
        let scopes = [What::Target, What::Operation];
        let by_agent = |change: &&Change| change.text.starts_with("child_agent");
        let root: Vec<_> = changes.iter().filter(|change| !by_agent(change)).cloned().collect();

        let is_wider = any_new(|request| old.decide(request).is_allowed(), |request| now.decide(request).is_allowed());
        prop_assert_eq!(has(&root, &[], &scopes), is_wider);
        prop_assert_eq!(has(&changes, &[], &[What::Limit]), grew(base.tokens, new.tokens));
        prop_assert_eq!(has(&changes, &[], &[What::Binding]), new.environment && !base.environment);
        prop_assert_eq!(has(&changes, &[], &[What::Child]), new.child.is_some() && base.child.is_none());

        if let (Some(_), Some((_, environment, tokens))) = (base.child, new.child) {
            let more_on_agent = new.agent & !base.agent != 0;
            let agent: Vec<_> = changes.iter().filter(by_agent).cloned().collect();
            prop_assert_eq!(has(&agent, &[], &[What::Operation]), more_on_agent);
            if let (Some((_, was)), Some((_, is))) = (policies(&old), policies(&now)) {
                let is_wider = any_new(|request| was.decide(request).is_allowed(), |request| is.decide(request).is_allowed());
                prop_assert_eq!(has(&changes, &["c"], &scopes), is_wider);
            }
            // What both inherit was said of the parent.
            let named = tokens.is_some() || base.child.is_some_and(|(_, _, tokens)| tokens.is_some());
            prop_assert_eq!(has(&changes, &["c"], &[What::Limit]), named && grew(base.child_tokens(), new.child_tokens()));
            let named = environment.is_some() || base.child.is_some_and(|(_, environment, _)| environment.is_some());
            let gained = new.child_environment() && !base.child_environment();
            prop_assert_eq!(has(&changes, &["c"], &[What::Binding]), named && gained);
        }
    }

    #[test]
    fn back_is_the_reverse(base in small(), new in small()) {
        let (Some(old), Some(now)) = (base.permissions(), new.permissions()) else {
            return Ok(());
        };
        let (old, now) = (Meaning::of(old.declaration()), Meaning::of(now.declaration()));
        prop_assert!(compare(&old, &old).is_empty());
        let count = |changes: Vec<Change>, is_widened: bool| changes.iter().filter(|change| change.is_widened == is_widened).count();
        prop_assert_eq!(count(compare(&old, &now), true), count(compare(&now, &old), false));
    }

    #[test]
    fn a_lock_means_what_it_was_made_of(small in small()) {
        let Some(permissions) = small.permissions() else {
            return Ok(());
        };
        let locked = Locked::of(&permissions, "src/lib.rs", 1);
        let lock = Lock::new([("x".to_owned(), locked)].into());
        let text = crate::report::json::indented(&serde_json::to_string(&lock).expect("JSON"));
        let read = Lock::from_json(&text).expect("a lock");
        let read = &read.declarations["x"];
        prop_assert!(read.is_same(&Locked::of(&permissions, "src/other.rs", 2)));
        let (now, then) = (Meaning::of(permissions.declaration()), read.meaning().expect("a meaning"));
        prop_assert!(compare(&now, &then).is_empty());
        prop_assert!(compare(&then, &now).is_empty());
    }
}
