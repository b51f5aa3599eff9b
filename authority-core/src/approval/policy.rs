//! Approval policies: when somebody is asked, and who.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::time::Duration;

use crate::approval::preview::Preview;
use crate::approval::reviewer::Reviewer;
use crate::approval::rule::{ExplicitRule, RuleError};
use crate::digest::Digest;
use crate::id::Id;
use crate::permissions::ThreadPermissions;
use crate::request::Request;
use crate::scope::Scope;
use crate::target::{FilesystemTarget, Target};
use crate::vocabulary::{Boundary, Kind, Lifetime, Operation, Preset, RuleDecision};

/// When somebody is asked, and who: for all kinds, or another for one.
///
/// It sits on top of what is held: a request that the thread's policy denies is never asked about,
/// and nothing here can allow it. The parts are independent; another reviewer changes neither the
/// decisions nor the boundary.
///
/// ```
/// use authority_core::vocabulary::{Boundary, Kind};
/// use authority_core::{ApprovalPolicy, Reviewer};
///
/// let alice = Reviewer::human("alice")?;
/// let policy = ApprovalPolicy::ask_on_writes(alice.clone())
///     .with_kind(Kind::Subprocess, ApprovalPolicy::always_ask(alice));
/// assert_eq!(policy.boundary(), Boundary::EnforcedByHarness);
/// # Ok::<(), authority_core::TextError>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ApprovalPolicy {
    preset: Preset,
    reviewer: Reviewer,
    policy_source: Id<'static>,
    boundary: Boundary,
    quorum: NonZeroU32,
    longest: [Duration; 3],
    reviewed: BTreeSet<Reviewed>,
    rules: Vec<ExplicitRule>,
    kinds: BTreeMap<Kind, ApprovalPolicy>,
}

/// A scope and a preview that were reviewed together.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Reviewed {
    /// Digest of the scope.
    pub scope_sha256: Digest,
    /// Digest of the preview.
    pub preview_sha256: Digest,
}

/// What is known beside target and operation.
#[derive(Clone, Copy)]
struct What {
    boundary: Boundary,
    /// Scope and preview, where there is a preview.
    pair: Option<Reviewed>,
}

/// What a preset says of one scope.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct CompiledRule {
    /// Digest of the scope.
    pub scope_sha256: Digest,
    /// Digest of its preview.
    pub preview_sha256: Digest,
    /// Whether it is allowed or asked about.
    pub decision: RuleDecision,
}

/// Why scopes, previews and reviewed digests do not fit together.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum CompileError {
    /// A scope is given twice.
    #[error("the scope {scope_sha256} is given twice")]
    DuplicateScope {
        /// Digest of the scope.
        scope_sha256: Digest,
    },
    /// A scope has no preview.
    #[error("the scope {scope_sha256} has no preview")]
    MissingPreview {
        /// Digest of the scope.
        scope_sha256: Digest,
    },
    /// There is a preview of a scope that is not given.
    #[error("there is a preview of the scope {scope_sha256}, which is not given")]
    UnknownPreview {
        /// Digest of the scope.
        scope_sha256: Digest,
    },
    /// A scope was reviewed that is not given.
    #[error("the scope {scope_sha256} was reviewed, and is not given")]
    UnknownReviewed {
        /// Digest of the scope.
        scope_sha256: Digest,
    },
}

/// Five minutes, twelve hours, thirty days: in the order of the vocabulary's lifetimes.
const LONGEST: [Duration; 3] = [
    Duration::from_mins(5),
    Duration::from_hours(12),
    Duration::from_hours(30 * 24),
];

impl ApprovalPolicy {
    /// Everything is asked about.
    pub fn always_ask(reviewer: Reviewer) -> Self {
        ApprovalPolicy::new(Preset::AlwaysAsk, reviewer)
    }

    /// Operations that only look are allowed, others asked about.
    pub fn ask_on_writes(reviewer: Reviewer) -> Self {
        ApprovalPolicy::new(Preset::AskOnWrites, reviewer)
    }

    /// Exactly these scopes with exactly these previews are allowed, others asked about.
    pub fn allow_reviewed(reviewer: Reviewer, pairs: impl IntoIterator<Item = Reviewed>) -> Self {
        ApprovalPolicy {
            reviewed: pairs.into_iter().collect(),
            ..ApprovalPolicy::new(Preset::AllowReviewed, reviewer)
        }
    }

    /// A preset by its value; for [`Preset::AllowReviewed`] nothing is reviewed yet.
    ///
    /// The source is `host`, the boundary [`Boundary::EnforcedByHarness`], and one reviewer is
    /// enough.
    pub fn new(preset: Preset, reviewer: Reviewer) -> Self {
        ApprovalPolicy {
            preset,
            reviewer,
            policy_source: Id("host".into()),
            boundary: Boundary::EnforcedByHarness,
            quorum: NonZeroU32::MIN,
            longest: LONGEST,
            reviewed: BTreeSet::new(),
            rules: Vec::new(),
            kinds: BTreeMap::new(),
        }
    }

    /// The same policy with the name of where it comes from, as receipts show it.
    #[must_use]
    pub fn with_policy_source(mut self, source: Id<'_>) -> Self {
        self.policy_source = source.into_owned();
        self
    }

    /// The same policy under another boundary. Under [`Boundary::AdvisoryOrUnobservable`] nothing is
    /// allowed without asking: nobody would be enforcing it.
    #[must_use]
    pub fn with_boundary(mut self, boundary: Boundary) -> Self {
        self.boundary = boundary;
        self
    }

    /// The same policy where so many different people must allow.
    #[must_use]
    pub fn with_quorum(mut self, quorum: NonZeroU32) -> Self {
        self.quorum = quorum;
        self
    }

    /// The same policy where a grant of this lifetime holds at most so long.
    #[must_use]
    pub fn with_longest(mut self, lifetime: Lifetime, longest: Duration) -> Self {
        self.longest[lifetime as usize] = longest;
        self
    }

    /// The same policy with one more rule.
    #[must_use]
    pub fn with_rule(mut self, rule: ExplicitRule) -> Self {
        self.rules.push(rule);
        self
    }

    /// The same policy with another one for this kind. The rules of that one join the rules of this
    /// one; what it says of other kinds does not count.
    #[must_use]
    pub fn with_kind(mut self, kind: Kind, mut policy: ApprovalPolicy) -> Self {
        self.rules.append(&mut policy.rules);
        policy.kinds.clear();
        self.kinds.insert(kind, policy);
        self
    }

    /// What holds for a kind: its own policy, or this one.
    pub fn of_kind(&self, kind: Kind) -> &ApprovalPolicy {
        self.kinds.get(&kind).unwrap_or(self)
    }

    /// The preset.
    pub fn preset(&self) -> Preset {
        self.preset
    }

    /// Who is asked.
    pub fn reviewer(&self) -> &Reviewer {
        &self.reviewer
    }

    /// Where the policy comes from.
    pub fn policy_source(&self) -> &Id<'static> {
        &self.policy_source
    }

    /// Who enforces what it decides.
    pub fn boundary(&self) -> Boundary {
        self.boundary
    }

    /// How many different people must allow.
    pub fn quorum(&self) -> NonZeroU32 {
        self.quorum
    }

    /// How long a grant of this lifetime holds at most: by default five minutes for one operation,
    /// twelve hours for a session, thirty days for a persisted policy.
    pub fn longest(&self, lifetime: Lifetime) -> Duration {
        self.longest[lifetime as usize]
    }

    /// The rules beside the preset, for all kinds.
    pub fn rules(&self) -> &[ExplicitRule] {
        &self.rules
    }

    /// Checks that every rule speaks of something that the root holds, and under its only name.
    ///
    /// # Errors
    ///
    /// The first rule that can not stand.
    pub fn check_rules(&self, root: &ThreadPermissions) -> Result<(), RuleError> {
        self.rules.iter().try_for_each(|rule| rule.check(root))
    }

    /// The presets as one rule a scope, sorted by scope digest. Explicit rules are not part of it.
    ///
    /// # Errors
    ///
    /// When a scope is given twice, when scopes and previews do not match one to one, and when a
    /// scope was reviewed that is not given.
    pub fn compile(
        &self,
        scopes: &[Scope<'_>],
        previews: &BTreeMap<Digest, Digest>,
        reviewed: &BTreeSet<Reviewed>,
    ) -> Result<Vec<CompiledRule>, CompileError> {
        let mut by_digest = BTreeMap::new();
        for scope in scopes {
            let scope_sha256 = scope.sha256();
            if by_digest.insert(scope_sha256, scope).is_some() {
                return Err(CompileError::DuplicateScope { scope_sha256 });
            }
        }
        let is_unknown = |digest: &Digest| !by_digest.contains_key(digest);
        if let Some(&scope_sha256) = previews.keys().find(|digest| is_unknown(digest)) {
            return Err(CompileError::UnknownPreview { scope_sha256 });
        }
        if let Some(pair) = reviewed.iter().find(|pair| is_unknown(&pair.scope_sha256)) {
            let scope_sha256 = pair.scope_sha256;
            return Err(CompileError::UnknownReviewed { scope_sha256 });
        }
        let rules = by_digest.iter().map(|(&scope_sha256, scope)| {
            let preview_sha256 = *previews
                .get(&scope_sha256)
                .ok_or(CompileError::MissingPreview { scope_sha256 })?;
            let pair = Reviewed {
                scope_sha256,
                preview_sha256,
            };
            let operations = scope.operations();
            let policy = self.of_kind(operations.kind());
            let decision = policy.preset_decision(operations.is_read_only(), Some(&pair), reviewed);
            Ok(CompiledRule {
                scope_sha256,
                preview_sha256,
                decision: bounded(decision, policy.boundary),
            })
        });
        rules.collect()
    }

    /// Whether what the preview shows is allowed, asked about or denied: by the explicit rules that
    /// apply, of which the strictest counts, else by the preset; the boundary's rule comes last.
    ///
    /// The one scope that is looked at is the request's target with exactly its operation. The file
    /// of a browser's download or upload is decided too, and the stricter of the two counts.
    pub fn decide(&self, preview: &Preview) -> RuleDecision {
        let what = What {
            boundary: preview.boundary(),
            pair: Some(Reviewed {
                scope_sha256: preview.scope_sha256(),
                preview_sha256: preview.sha256(),
            }),
        };
        let target = preview.scope().target();
        self.decide_parts(what, target, preview.operation(), preview.file())
    }

    /// The same of a request whose effect is not known, under the boundary of its kind. What was
    /// reviewed is asked about, since nobody knows whether it is this.
    pub fn decide_request(&self, request: &Request<'_>) -> RuleDecision {
        let operation = request.operation();
        let what = What {
            boundary: self.of_kind(operation.kind()).boundary,
            pair: None,
        };
        self.decide_parts(what, request.target(), operation, request.file_operation())
    }

    fn decide_parts(
        &self,
        what: What,
        target: &Target<'_>,
        operation: Operation,
        file: Option<(&FilesystemTarget<'_>, Operation)>,
    ) -> RuleDecision {
        let decision = self.decide_part(what, target, operation);
        match file {
            None => decision,
            Some((file, operation)) => {
                let file = Target::Filesystem(file.clone());
                decision.max(self.decide_part(what, &file, operation))
            }
        }
    }

    fn decide_part(&self, what: What, target: &Target<'_>, operation: Operation) -> RuleDecision {
        let policy = self.of_kind(operation.kind());
        let rules = self.rules.iter();
        let explicit = rules
            .filter(|rule| rule.applies_to(target, operation))
            .map(ExplicitRule::decision)
            .max();
        let decision = explicit.unwrap_or_else(|| {
            policy.preset_decision(
                operation.is_read_only(),
                what.pair.as_ref(),
                &policy.reviewed,
            )
        });
        bounded(decision, policy.boundary.min(what.boundary))
    }

    fn preset_decision(
        &self,
        is_read_only: bool,
        pair: Option<&Reviewed>,
        reviewed: &BTreeSet<Reviewed>,
    ) -> RuleDecision {
        let is_allowed = match self.preset {
            Preset::AlwaysAsk => false,
            Preset::AskOnWrites => is_read_only,
            Preset::AllowReviewed => pair.is_some_and(|pair| reviewed.contains(pair)),
        };
        if is_allowed {
            RuleDecision::Allow
        } else {
            RuleDecision::Ask
        }
    }
}

/// Where nobody enforces, nothing is allowed without asking.
fn bounded(decision: RuleDecision, boundary: Boundary) -> RuleDecision {
    match boundary {
        Boundary::AdvisoryOrUnobservable => decision.max(RuleDecision::Ask),
        Boundary::DelegatedToCliSandbox | Boundary::EnforcedByHarness => decision,
    }
}
