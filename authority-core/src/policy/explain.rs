//! Why a request is allowed or denied: for people, never for a model and never in a receipt.

use std::fmt;

use crate::decision::Decision;
use crate::declaration::{Declaration, DeclaredScope};
use crate::operation_set::OperationSet;
use crate::permissions::ThreadPermissions;
use crate::policy::ThreadPolicy;
use crate::request::Request;
use crate::target::{McpTarget, Target};
use crate::vocabulary::DenyReason;

/// Why a request is allowed or denied.
///
/// [`Display`](fmt::Display) gives it in lines for a person. It has no wire form: what is declared
/// and not held is not for the thread to know.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Explanation {
    /// The decision.
    pub decision: Decision,
    /// The entry that decided, or that would have if it were held: as the DSL writes it, with its
    /// doc comment and its place.
    pub entry: Option<ExplainedEntry>,
    /// Where in the chain of threads the operation was lost: 0 is the root.
    pub lost_at: Option<LostAt>,
    /// The declared target that is nearest to the requested one, when that is not declared.
    pub nearest: Option<Nearest>,
    /// The entry that a person would have to declare. It is never applied.
    pub would_declare: Option<String>,
}

/// An entry of the declaration.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ExplainedEntry {
    /// The entry as the DSL writes it.
    pub text: String,
    /// Position among the entries of its body, from 0.
    pub index: usize,
    /// Its doc comment, empty when it has none.
    pub doc: String,
    /// Its file and line, when they are known.
    pub place: Option<(String, u32)>,
}

/// Where an operation was lost.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct LostAt {
    /// Level of the chain: 1 is a child of the root.
    pub level: usize,
    /// The thread at that level.
    pub thread_id: String,
    /// Whether this thread's own restriction or ceiling took it, or that of one above it.
    pub by: Side,
}

/// Which side took something.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Side {
    /// A thread above: it was not held any more.
    Parent,
    /// The thread's own restriction or ceiling.
    Restriction,
}

/// A declared target that is near to the requested one.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Nearest {
    /// The entry as the DSL writes it.
    pub text: String,
    /// The fields of the target that differ.
    pub differs: Vec<&'static str>,
}

impl ThreadPermissions {
    /// Explains the decision on a request.
    pub fn explain(&self, request: &Request<'_>) -> Explanation {
        explain(self.declaration(), request, self.decide(request), None)
    }
}

impl ThreadPolicy {
    /// Explains the decision on a request: the deciding entry, or at which level and by which side
    /// it was lost, or the nearest declared target.
    pub fn explain(&self, request: &Request<'_>) -> Explanation {
        let decision = self.decide(request);
        let lost_at = match decision {
            Decision::Deny(DenyReason::Narrowed) => self.lost_at(request),
            _ => None,
        };
        explain(self.declaration(), request, decision, lost_at)
    }

    /// The first thread from the root down that does not hold what the request asks for.
    fn lost_at(&self, request: &Request<'_>) -> Option<LostAt> {
        let chain: Vec<_> = self.ancestors().collect();
        let mut levels = chain.iter().rev().enumerate();
        let (level, policy) = levels.find(|(_, policy)| {
            !policy
                .decide_target(request.hashed_target(), request.operation())
                .is_allowed()
        })?;
        let by = if level + 1 == chain.len() {
            Side::Restriction
        } else {
            Side::Parent
        };
        Some(LostAt {
            level,
            thread_id: policy.identity().thread_id().to_string(),
            by,
        })
    }
}

fn explain(
    declaration: &Declaration,
    request: &Request<'_>,
    decision: Decision,
    lost_at: Option<LostAt>,
) -> Explanation {
    let target = request.target();
    let declared = decision
        .entry()
        .or_else(|| declaration.find(target))
        .or_else(|| declaration.whole_binding(target))
        .and_then(|entry| declaration.scope(entry));
    let is_known = declared.is_some();
    let lacks_operation =
        declared.is_none_or(|scope| !scope.operations().contains(request.operation()));
    Explanation {
        decision,
        entry: declared.map(ExplainedEntry::of),
        lost_at,
        nearest: if is_known {
            None
        } else {
            nearest(declaration, target)
        },
        would_declare: (!decision.is_allowed()
            && lacks_operation
            && target.allows(request.operation()))
        .then(|| would_declare(declared, request)),
    }
}

/// The entry with the operation added, or a new one.
fn would_declare(declared: Option<DeclaredScope<'_>>, request: &Request<'_>) -> String {
    match declared {
        Some(scope) => {
            let text = scope.to_string();
            let target = text
                .rsplit_once(" => ")
                .map_or(text.as_str(), |(target, _)| target);
            let wanted =
                OperationSet::from_word(scope.operations().word() | request.operation().bit());
            format!(
                "{target} => {};",
                wanted.unwrap_or_else(|| scope.operations())
            )
        }
        None => format!("{request};"),
    }
}

impl ExplainedEntry {
    fn of(scope: DeclaredScope<'_>) -> Self {
        let origin = scope.origin();
        ExplainedEntry {
            text: scope.to_string(),
            index: origin.index,
            doc: origin.doc.to_owned(),
            place: (origin.line > 0).then(|| (origin.file.to_owned(), origin.line)),
        }
    }
}

/// The declared target of the kind with the most equal fields; the first of several.
fn nearest(declaration: &Declaration, wanted: &Target<'_>) -> Option<Nearest> {
    let wanted_fields = fields(wanted);
    let near = declaration.scopes().filter_map(|scope| {
        let target = scope.target();
        let differs: Vec<_> = (target.kind() == wanted.kind())
            .then(|| {
                fields(&target)
                    .into_iter()
                    .zip(&wanted_fields)
                    .filter(|(own, other)| own != *other)
            })?
            .map(|((name, _), _)| name)
            .collect();
        Some((differs, scope))
    });
    let (differs, scope) = near.min_by_key(|(differs, _)| differs.len())?;
    Some(Nearest {
        text: scope.to_string(),
        differs,
    })
}

/// The fields that make a target's identity, by their names on the wire.
fn fields(target: &Target<'_>) -> Vec<(&'static str, String)> {
    match target {
        Target::Filesystem(target) => vec![
            ("root_id", target.binding.to_string()),
            (
                "relative_path",
                target
                    .path
                    .as_ref()
                    .map_or(".".to_owned(), ToString::to_string),
            ),
        ],
        Target::Subprocess(target) => vec![
            ("executable", target.executable.to_string()),
            ("argv_sha256", target.argv_sha256.to_hex()),
            ("cwd_sha256", target.cwd_sha256.to_hex()),
        ],
        Target::Network(target) => vec![
            ("protocol", target.endpoint.protocol().to_string()),
            ("host", target.endpoint.host().to_owned()),
            ("port", target.endpoint.port().to_string()),
            ("redirect_policy", target.redirect.to_string()),
        ],
        Target::Github(repository) => vec![("repository", repository.to_string())],
        Target::Browser(target) => vec![("origin", target.origin.to_string())],
        Target::Mcp(McpTarget { server, tool }) => vec![
            ("server_id", server.to_string()),
            (
                "tool_name",
                tool.as_ref().map_or_else(String::new, ToString::to_string),
            ),
        ],
        Target::Integration(target) => vec![
            ("integration_id", target.integration.to_string()),
            ("revision_sha256", target.revision_sha256.to_hex()),
        ],
        Target::ChildAgent(target) => vec![
            ("agent_id", target.agent.to_string()),
            (
                "parent_ceiling_sha256",
                target.parent_ceiling_sha256.to_hex(),
            ),
        ],
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.decision {
            Decision::Allow(_) => formatter.write_str("allowed")?,
            Decision::Deny(reason) => write!(formatter, "denied, {reason}: {}", reason.about())?,
        }
        if let Some(entry) = &self.entry {
            let verb = if self.decision.is_allowed() {
                "by"
            } else {
                "declared"
            };
            write!(formatter, "\n  {verb} {}", entry.text)?;
            if let Some((file, line)) = &entry.place {
                write!(formatter, " ({file}:{line})")?;
            }
            for line in entry.doc.lines() {
                write!(formatter, "\n    {line}")?;
            }
        }
        if let Some(lost) = &self.lost_at {
            let by = match lost.by {
                Side::Parent => "above this thread",
                Side::Restriction => "by this thread's own restriction or ceiling",
            };
            write!(
                formatter,
                "\n  lost at level {} (thread {}), {by}",
                lost.level, lost.thread_id
            )?;
        }
        if let Some(nearest) = &self.nearest {
            write!(
                formatter,
                "\n  the nearest declared is {}; it differs in {}",
                nearest.text,
                nearest.differs.join(", ")
            )?;
        }
        if let Some(line) = &self.would_declare {
            write!(formatter, "\n  a person would have to declare: {line}")?;
        }
        Ok(())
    }
}
