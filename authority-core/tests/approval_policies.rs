//! Approval policies: the vectors of presets, explicit rules, and the boundary's rule.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use authority_core::operations::{browser, child_agent, filesystem, github};
use authority_core::target::{FilesystemTarget, RelativePath};
use authority_core::vocabulary::{Boundary, Lifetime, Preset, ReviewerKind, RuleDecision};
use authority_core::{
    ApprovalPolicy, BindingResolver, BoundDirectory, CompileError, CompiledRule, Digest, Effect,
    ExplicitRule, GithubPart, GithubResource, Id, Kind, Operation, OperationSet, Preview, Previous,
    Request, RequiredBinding, ResolvedBinding, Reviewed, Reviewer, RootHandle, RootOptions,
    RuleError, Scope, Target, ThreadIdentity, ThreadPermissions, ThreadPolicy,
};
use proptest::prelude::*;
use serde_json::Value;

const DECISIONS: [RuleDecision; 3] = [RuleDecision::Allow, RuleDecision::Ask, RuleDecision::Deny];

fn digest(value: &Value) -> Option<Digest> {
    Digest::parse_hex(value.as_str()?).ok()
}

fn digests(value: &Value) -> Option<BTreeMap<Digest, Digest>> {
    let pairs = value.as_object()?.iter();
    pairs
        .map(|(key, value)| Some((Digest::parse_hex(key).ok()?, digest(value)?)))
        .collect()
}

fn policy(value: &Value) -> Option<ApprovalPolicy> {
    let word = |value: &Value| value.as_str().map(str::to_owned);
    let reviewer = &value["reviewer"];
    let kind = ReviewerKind::from_name(&word(&reviewer["kind"])?)?;
    let id = Id::parse(reviewer["id"].as_str()?).ok()?.into_owned();
    let preset = Preset::from_name(&word(&value["preset"])?)?;
    let boundary = Boundary::from_name(&word(&value["boundary"])?)?;
    let source = Id::parse(value["policy_source"].as_str()?).ok()?;
    let policy = ApprovalPolicy::new(preset, Reviewer::new(kind, id));
    Some(policy.with_boundary(boundary).with_policy_source(source))
}

fn compiled(case: &Value) -> Option<Vec<CompiledRule>> {
    let scopes = case["scopes"].as_array()?.iter();
    let scopes = scopes
        .map(|scope| {
            Scope::from_json(&scope.to_string())
                .map(Scope::into_owned)
                .ok()
        })
        .collect::<Option<Vec<_>>>()?;
    let reviewed = digests(&case["reviewed"])?.into_iter();
    let reviewed = reviewed.map(|(scope_sha256, preview_sha256)| Reviewed {
        scope_sha256,
        preview_sha256,
    });
    let previews = digests(&case["previews"])?;
    policy(&case["policy"])?
        .compile(&scopes, &previews, &reviewed.collect())
        .ok()
}

#[test]
fn presets() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/vectors/presets.json");
    let file: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let cases = file["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 70);
    for case in cases {
        let rules = compiled(case);
        assert_eq!(
            rules.is_some(),
            case["ok"].as_bool().unwrap(),
            "{}",
            case["id"]
        );
        let rule = |rule: &CompiledRule| {
            serde_json::json!({
                "decision": rule.decision.name(),
                "preview_sha256": rule.preview_sha256.to_hex(),
                "scope_sha256": rule.scope_sha256.to_hex(),
            })
        };
        if let Some(rules) = rules {
            let rules = Value::Array(rules.iter().map(rule).collect());
            assert_eq!(rules, case["rules"], "{}", case["id"]);
        }
    }
}

fn alice() -> Reviewer {
    Reviewer::human("alice").unwrap()
}

fn scope(target: Target<'static>, operations: &[Operation]) -> Scope<'static> {
    let operations = OperationSet::new(target.kind(), operations.iter().copied()).unwrap();
    Scope::new(target, operations).unwrap()
}

fn file(binding: &'static str, path: Option<&'static str>) -> FilesystemTarget<'static> {
    FilesystemTarget {
        binding: Id::parse(binding).unwrap(),
        path: path.map(|path| RelativePath::parse(path).unwrap()),
    }
}

fn of_file(path: Option<&'static str>, operations: &[filesystem::Operation]) -> Scope<'static> {
    let operations: Vec<_> = operations.iter().map(|op| Operation::from(*op)).collect();
    scope(Target::Filesystem(file("ws", path)), &operations)
}

#[test]
fn what_does_not_fit_together() {
    let policy = ApprovalPolicy::always_ask(alice());
    let read = of_file(Some("a"), &[filesystem::Read]);
    let scope_sha256 = read.sha256();
    let preview_sha256 = Digest::of(b"preview");
    let previews = BTreeMap::from([(scope_sha256, preview_sha256)]);
    let pair = Reviewed {
        scope_sha256,
        preview_sha256,
    };
    let none = BTreeMap::new();
    let compile = |scopes: &[Scope<'_>], previews, reviewed: &[Reviewed]| {
        policy.compile(scopes, previews, &reviewed.iter().copied().collect())
    };
    assert_eq!(
        compile(&[read.clone(), read.clone()], &previews, &[]),
        Err(CompileError::DuplicateScope { scope_sha256 })
    );
    assert_eq!(
        compile(std::slice::from_ref(&read), &none, &[]),
        Err(CompileError::MissingPreview { scope_sha256 })
    );
    assert_eq!(
        compile(&[], &previews, &[]),
        Err(CompileError::UnknownPreview { scope_sha256 })
    );
    assert_eq!(
        compile(&[], &none, &[pair]),
        Err(CompileError::UnknownReviewed { scope_sha256 })
    );
    assert_eq!(compile(&[read], &previews, &[pair]).unwrap().len(), 1);
}

struct Host;

impl BindingResolver for Host {
    fn resolve(&self, binding: &RequiredBinding) -> Option<ResolvedBinding> {
        Some(ResolvedBinding {
            revision_sha256: Digest::of(binding.to_string().as_bytes()),
            directory: Some(BoundDirectory {
                host: "/srv/ws".into(),
                guest: "/ws".into(),
            }),
        })
    }
}

fn tree() -> (RootHandle, ThreadPolicy) {
    let worker = ThreadPermissions::builder().filesystem("ws", [filesystem::Read]);
    let reviewer = ThreadPermissions::builder()
        .filesystem("ws", [filesystem::Read])
        .child("worker", [child_agent::Status], worker);
    let permissions = ThreadPermissions::builder()
        .filesystem("ws", [filesystem::Read, filesystem::Write])
        .filesystem_path("ws", "run.sh", [filesystem::Execute])
        .github("acme/widgets", [github::Read, github::IssueWrite])
        .browser("https://docs.rs", [browser::Download, browser::Upload])
        .child("reviewer", [child_agent::Delegate], reviewer)
        .build()
        .unwrap();
    let revisions = permissions.check_bindings(&Host).unwrap();
    let identity = ThreadIdentity::root("alice", "acme", "run-1").unwrap();
    let options = RootOptions::default().revisions(revisions);
    ThreadPolicy::for_root_with(identity, &permissions, options)
}

fn preview(root: &ThreadPolicy, request: &Request<'_>, effect: &Effect<'_>) -> Preview {
    Preview::new(root, request, effect, Boundary::EnforcedByHarness).unwrap()
}

fn read_of(root: &ThreadPolicy, path: &str) -> Preview {
    let request = Request::filesystem("ws", path, filesystem::Read).unwrap();
    preview(root, &request, &Effect::none())
}

fn write_of(root: &ThreadPolicy, path: &str) -> Preview {
    let request = Request::filesystem("ws", path, filesystem::Write).unwrap();
    preview(root, &request, &Effect::write_file("a", Previous::New))
}

fn issue(root: &ThreadPolicy, operation: github::Operation) -> Preview {
    let part = GithubPart::Repository;
    let resource = GithubResource {
        repository_id: None,
        part,
    };
    let request = Request::github("acme/widgets", operation).unwrap();
    let effect = match operation {
        github::Read => Effect::github_read(resource),
        _ => Effect::github_write(resource, "a"),
    };
    preview(root, &request, &effect)
}

#[test]
fn presets_decide_one_operation() {
    use RuleDecision::{Allow, Ask};
    let (_handle, root) = tree();
    let (read, write) = (read_of(&root, "a"), write_of(&root, "a"));
    let pair = Reviewed {
        scope_sha256: write.scope_sha256(),
        preview_sha256: write.sha256(),
    };
    let other_preview = Reviewed {
        preview_sha256: read.sha256(),
        ..pair
    };
    for (policy, of_read, of_write) in [
        (ApprovalPolicy::always_ask(alice()), Ask, Ask),
        (ApprovalPolicy::ask_on_writes(alice()), Allow, Ask),
        (ApprovalPolicy::allow_reviewed(alice(), [pair]), Ask, Allow),
        (
            ApprovalPolicy::allow_reviewed(alice(), [other_preview]),
            Ask,
            Ask,
        ),
        (
            ApprovalPolicy::new(Preset::AllowReviewed, alice()),
            Ask,
            Ask,
        ),
    ] {
        let decisions = (policy.decide(&read), policy.decide(&write));
        assert_eq!(decisions, (of_read, of_write), "{policy:?}");
    }
}

#[test]
fn rules_come_before_the_preset_and_the_strictest_counts() {
    let (_handle, root) = tree();
    let whole = |decision| ExplicitRule::new(of_file(None, &[filesystem::Read]), decision);
    for first in DECISIONS {
        let policy = ApprovalPolicy::always_ask(alice()).with_rule(whole(first));
        // A rule on a whole binding applies to the binding's own directory and every path in it.
        for path in [".", "a", "b/c"] {
            assert_eq!(policy.decide(&read_of(&root, path)), first);
        }
        assert_eq!(policy.decide(&write_of(&root, "a")), RuleDecision::Ask);
        for second in DECISIONS {
            let policy = policy.clone().with_rule(whole(second));
            assert_eq!(policy.decide(&read_of(&root, "a")), first.max(second));
        }
    }
}

#[test]
fn rules_are_about_their_own_target_and_operations() {
    let (_handle, root) = tree();
    let elsewhere = Target::Filesystem(file("other", None));
    for rule in [
        scope(elsewhere, &[filesystem::Read.into()]),
        of_file(None, &[filesystem::Write]),
        of_file(Some("b"), &[filesystem::Read]),
        issue(&root, github::Read).scope().clone(),
    ] {
        let rule = ExplicitRule::new(rule, RuleDecision::Deny);
        let policy = ApprovalPolicy::ask_on_writes(alice()).with_rule(rule);
        let decision = policy.decide(&read_of(&root, "a"));
        assert_eq!(decision, RuleDecision::Allow, "{policy:?}");
    }
}

#[test]
fn the_boundary_has_the_last_word() {
    let (_handle, root) = tree();
    for decision in DECISIONS {
        let rule = ExplicitRule::new(of_file(None, &[filesystem::Read]), decision);
        let policy = ApprovalPolicy::ask_on_writes(alice()).with_rule(rule);
        let expected = decision.max(RuleDecision::Ask);
        let advisory = Boundary::AdvisoryOrUnobservable;
        let under = policy.clone().with_boundary(advisory);
        assert_eq!(under.decide(&read_of(&root, "a")), expected);
        assert_eq!(policy.decide(&read_of(&root, "a")), decision);
        // Nor is it the preview's boundary that enforces an allowance.
        let request = Request::filesystem("ws", "a", filesystem::Read).unwrap();
        let shown = Preview::new(&root, &request, &Effect::none(), advisory).unwrap();
        assert_eq!(policy.decide(&shown), expected);
    }
}

#[test]
fn the_file_of_a_download_is_decided_too() {
    use RuleDecision::{Allow, Ask, Deny};
    let (_handle, root) = tree();
    let target = Some(file("ws", Some("a.pdf")));
    let download = Request::browser("https://docs.rs", target.clone(), browser::Download).unwrap();
    let upload = Request::browser("https://docs.rs", target, browser::Upload).unwrap();
    let effect = Effect::download(Some("/"), Previous::New);
    let requests = (download.clone(), upload.clone());
    let download = preview(&root, &download, &effect);
    let upload = preview(&root, &upload, &Effect::upload(Some("/"), "a"));
    let origin = Target::Browser(authority_core::target::BrowserTarget {
        origin: authority_core::target::Origin::parse("https://docs.rs").unwrap(),
    });
    let bindings: Vec<_> = download
        .bindings()
        .iter()
        .map(|(binding, _)| binding.to_string())
        .collect();
    assert_eq!(bindings, [r#"filesystem "ws""#]);
    let both = scope(origin, &[browser::Download.into(), browser::Upload.into()]);
    let of_page = |decision| ExplicitRule::new(both.clone(), decision);
    let of_write = |decision| ExplicitRule::new(of_file(None, &[filesystem::Write]), decision);
    let policy = ApprovalPolicy::ask_on_writes(alice()).with_rule(of_page(Allow));
    assert_eq!(
        (policy.decide(&download), policy.decide(&upload)),
        (Ask, Allow)
    );
    let denied = policy.clone().with_rule(of_write(Deny));
    assert_eq!(
        (denied.decide(&download), denied.decide(&upload)),
        (Deny, Allow)
    );
    let (download_request, upload_request) = (&requests.0, &requests.1);
    assert_eq!(
        (
            denied.decide_request(download_request),
            denied.decide_request(upload_request)
        ),
        (Deny, Allow)
    );
    let allowed = policy.with_rule(of_write(Allow));
    assert_eq!(allowed.decide(&download), Allow);
    assert_eq!(allowed.with_rule(of_page(Deny)).decide(&upload), Deny);
}

#[test]
fn kinds_have_policies_of_their_own() {
    let (_handle, root) = tree();
    let deny = ExplicitRule::new(of_file(None, &[filesystem::Write]), RuleDecision::Deny);
    let strict = ApprovalPolicy::always_ask(Reviewer::auto_review("guard").unwrap())
        .with_longest(Lifetime::Session, Duration::from_mins(1))
        .with_rule(deny);
    let policy = ApprovalPolicy::ask_on_writes(alice()).with_kind(Kind::Github, strict.clone());
    assert_eq!(policy.decide(&read_of(&root, "a")), RuleDecision::Allow);
    assert_eq!(
        policy.decide(&issue(&root, github::Read)),
        RuleDecision::Ask
    );
    // No rule is lost, wherever it is given.
    assert_eq!(policy.decide(&write_of(&root, "a")), RuleDecision::Deny);
    let longest = |kind| policy.of_kind(kind).longest(Lifetime::Session);
    assert_eq!(longest(Kind::Github), Duration::from_mins(1));
    assert_eq!(longest(Kind::Browser), Duration::from_hours(12));
    assert_eq!(policy.longest(Lifetime::Operation), Duration::from_mins(5));
    assert_eq!(
        policy.longest(Lifetime::PersistedPolicy),
        Duration::from_hours(30 * 24)
    );
    assert_eq!(policy.of_kind(Kind::Github).reviewer(), strict.reviewer());
    // A policy for a kind says nothing of another.
    let nested = ApprovalPolicy::always_ask(alice()).with_kind(Kind::Github, policy);
    let github = nested.of_kind(Kind::Github);
    assert_eq!(github.preset(), Preset::AskOnWrites);
    assert_eq!(github.of_kind(Kind::Github), github);
}

#[test]
fn rules_are_about_what_is_held_under_its_only_name() {
    let (_handle, root) = tree();
    let permissions = root.root_permissions();
    let github = |operations: &[github::Operation], repository| {
        let operations: Vec<_> = operations.iter().map(|op| Operation::from(*op)).collect();
        let request = Request::github(repository, github::Read).unwrap();
        scope(request.target().clone(), &operations)
    };
    let (_, reviewer) = permissions.children().next().unwrap();
    let worker = reviewer
        .scopes()
        .map(authority_core::DeclaredScope::to_scope)
        .find(|scope| scope.target().kind() == Kind::ChildAgent)
        .unwrap();
    let checked = |scope: &Scope<'_>| {
        let rule = ExplicitRule::new(scope.clone(), RuleDecision::Deny);
        ApprovalPolicy::always_ask(alice())
            .with_rule(rule)
            .check_rules(permissions)
    };
    for held in [
        of_file(None, &[filesystem::Read]),
        of_file(None, &[filesystem::Read, filesystem::Write]),
        of_file(Some("run.sh"), &[filesystem::Execute]),
        github(&[github::IssueWrite], "acme/widgets"),
        worker,
    ] {
        assert_eq!(checked(&held), Ok(()), "{held:?}");
    }
    for unheld in [
        of_file(None, &[filesystem::Delete]),
        of_file(Some("a"), &[filesystem::Delete]),
        of_file(Some("a"), &[filesystem::Execute]),
        github(&[github::ReleaseWrite], "acme/widgets"),
        github(&[github::Read], "acme/other"),
    ] {
        let scope_sha256 = unheld.sha256();
        assert_eq!(
            checked(&unheld),
            Err(RuleError::NotHeld { scope_sha256 }),
            "{unheld:?}"
        );
    }
    for alias in [
        of_file(Some("a"), &[filesystem::Read]),
        of_file(Some("run.sh"), &[filesystem::Write, filesystem::Execute]),
    ] {
        let scope_sha256 = alias.sha256();
        assert_eq!(
            checked(&alias),
            Err(RuleError::Alias { scope_sha256 }),
            "{alias:?}"
        );
    }
}

#[test]
fn errors_and_debug_name_no_path() {
    let secret = of_file(Some("secret-name.txt"), &[filesystem::Read]);
    let rule = ExplicitRule::new(secret, RuleDecision::Deny);
    let (_handle, root) = tree();
    let policy = ApprovalPolicy::always_ask(alice()).with_rule(rule);
    let error = policy.check_rules(root.root_permissions()).unwrap_err();
    for text in [
        format!("{policy:?}"),
        format!("{error:?}"),
        error.to_string(),
    ] {
        assert!(!text.contains("secret-name"), "{text}");
    }
}

fn presets_strategy() -> impl Strategy<Value = Preset> {
    prop::sample::select(Preset::ALL)
}

proptest! {
    /// What is asked about does not become allowed because a thread holds less, and a reviewer
    /// changes no decision.
    #[test]
    fn neither_narrowing_nor_the_reviewer_changes_a_decision(
        preset in presets_strategy(),
        boundary in prop::sample::select(Boundary::ALL),
        rule in prop::option::of(prop::sample::select(&DECISIONS[..])),
        write in any::<bool>(),
    ) {
        let (handle, root) = tree();
        let (_, ceiling) = root.root_permissions().children().next().unwrap();
        let child = root.delegate(ceiling, "t-1").unwrap().start_by_host(&handle).unwrap();
        let policy = |reviewer| {
            let policy = ApprovalPolicy::new(preset, reviewer).with_boundary(boundary);
            match rule {
                Some(rule) => policy.with_rule(ExplicitRule::new(
                    of_file(None, &[filesystem::Read, filesystem::Write]),
                    rule,
                )),
                None => policy,
            }
        };
        let person = policy(alice());
        let program = policy(Reviewer::auto_review("guard").unwrap());
        let made = |thread| if write { write_of(thread, "a") } else { read_of(thread, "a") };
        let decision = person.decide(&made(&root));
        prop_assert_eq!(person.decide(&made(&child)), decision);
        let operation = if write { filesystem::Write } else { filesystem::Read };
        let request = Request::filesystem("ws", "a", operation).unwrap();
        prop_assert_eq!(person.decide_request(&request), decision);
        prop_assert_eq!(program.decide(&made(&root)), decision);
        prop_assert_eq!(person.boundary(), program.boundary());
        if boundary == Boundary::AdvisoryOrUnobservable {
            prop_assert_ne!(decision, RuleDecision::Allow);
        }
    }

    /// One rule for the one scope of a request is what the compiled preset says of it.
    #[test]
    fn decisions_are_compiled_rules(preset in presets_strategy(), is_reviewed in any::<bool>()) {
        let (_handle, root) = tree();
        for made in [read_of(&root, "a"), write_of(&root, "a"), issue(&root, github::IssueWrite)] {
            let pair = Reviewed {
                scope_sha256: made.scope_sha256(),
                preview_sha256: made.sha256(),
            };
            let reviewed: BTreeSet<_> = is_reviewed.then_some(pair).into_iter().collect();
            let policy = match preset {
                Preset::AllowReviewed => ApprovalPolicy::allow_reviewed(alice(), reviewed.clone()),
                _ => ApprovalPolicy::new(preset, alice()),
            };
            let previews = BTreeMap::from([(pair.scope_sha256, pair.preview_sha256)]);
            let scopes = [made.scope().clone()];
            let rules = policy.compile(&scopes, &previews, &reviewed).unwrap();
            prop_assert_eq!(rules[0].decision, policy.decide(&made));

            // Without an effect nobody knows whether it is what was reviewed.
            let request = Request::new(made.scope().target().clone(), made.operation()).unwrap();
            let expected = match preset {
                Preset::AllowReviewed => RuleDecision::Ask,
                _ => policy.decide(&made),
            };
            prop_assert_eq!(policy.decide_request(&request), expected);
        }
    }
}
