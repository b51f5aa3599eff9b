//! The manifest: the vocabulary, and what is read and written, as data.

use serde::Serialize;

use crate::audit::{READ_VERSIONS, WRITTEN_VERSION};
use crate::scope::SCHEMA_VERSION;
use crate::vocabulary::{
    Boundary, Class, ExecutionMode, KINDS, Lifetime, Preset, Protocol, RedirectPolicy,
    RevalidationReason, ReviewerKind, RuleDecision, Setting,
};

/// The vocabulary in its order, the versions of the documents, and the version of Unicode: what
/// another program has to know to work with this one. Its JSON is stable.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Manifest {
    /// The version of the schema.
    pub schema_version: u64,
    /// The kinds of targets, by their names on the wire.
    pub resource_kinds: Vec<&'static str>,
    /// The operations of each kind. The two levels of `mcp` stand apart.
    pub operations: Vec<KindOperations>,
    /// How long a grant lives.
    pub lifetimes: Vec<&'static str>,
    /// The ready policies of when to ask.
    pub approval_presets: Vec<&'static str>,
    /// Who answers a question.
    pub reviewer_kinds: Vec<&'static str>,
    /// What an approval rule says.
    pub decisions: Vec<&'static str>,
    /// Who really enforces a decision.
    pub boundaries: Vec<&'static str>,
    /// Why a grant does not hold any more.
    pub revalidation_reasons: Vec<&'static str>,
    /// How processes run, weakest to strictest.
    pub execution_modes: Vec<&'static str>,
    /// The protocols of network endpoints.
    pub protocols: Vec<&'static str>,
    /// What happens to redirects.
    pub redirect_policies: Vec<&'static str>,
    /// The numbers that a declaration can set, by their names on the wire.
    pub settings: Vec<&'static str>,
    /// The rule by which a child's scope is within its parent's ceiling.
    pub child_authority_rule: &'static str,
    /// Whether a program that reviews changes who enforces.
    pub auto_review_changes_enforcement: bool,
    /// What binds an approval to a preview without its contents.
    pub content_free_preview_binding: &'static str,
    /// The versions of each document.
    pub documents: Vec<DocumentVersions>,
    /// The Unicode version of the rules for texts.
    pub unicode_version: String,
}

/// The operations of one kind.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[non_exhaustive]
pub struct KindOperations {
    /// The kind, by its name for people: it tells the two levels of `mcp` apart.
    pub kind: &'static str,
    /// What a target of the kind stands for.
    pub about: &'static str,
    /// Its operations.
    pub operations: Vec<OperationEntry>,
}

/// One operation.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[non_exhaustive]
pub struct OperationEntry {
    /// Its name.
    pub name: &'static str,
    /// `read_only` or `effect`.
    pub class: &'static str,
    /// What holding it allows.
    pub covers: &'static str,
    /// What it never allows.
    pub never_covers: &'static str,
}

/// The versions of one document.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DocumentVersions {
    /// The document.
    pub document: &'static str,
    /// The versions that are read.
    pub read: Vec<u64>,
    /// The version that is written, of a document that is.
    pub written: Option<u64>,
}

/// The manifest of this version of the crate.
pub fn manifest() -> Manifest {
    let mut resource_kinds: Vec<_> = KINDS.iter().map(|kind| kind.name).collect();
    resource_kinds.dedup();
    Manifest {
        schema_version: SCHEMA_VERSION,
        resource_kinds,
        operations: KINDS
            .iter()
            .map(|kind| KindOperations {
                kind: kind.title,
                about: kind.about,
                operations: kind
                    .operations
                    .iter()
                    .map(|operation| OperationEntry {
                        name: operation.name,
                        class: match operation.class {
                            Class::ReadOnly => "read_only",
                            Class::Effect => "effect",
                        },
                        covers: operation.covers,
                        never_covers: operation.never,
                    })
                    .collect(),
            })
            .collect(),
        lifetimes: names(Lifetime::ALL, Lifetime::name),
        approval_presets: names(Preset::ALL, Preset::name),
        reviewer_kinds: names(ReviewerKind::ALL, ReviewerKind::name),
        decisions: names(RuleDecision::ALL, RuleDecision::name),
        boundaries: names(Boundary::ALL, Boundary::name),
        revalidation_reasons: names(RevalidationReason::ALL, RevalidationReason::name),
        execution_modes: names(ExecutionMode::ALL, ExecutionMode::name),
        protocols: names(Protocol::ALL, Protocol::name),
        redirect_policies: names(RedirectPolicy::ALL, RedirectPolicy::name),
        settings: names(Setting::ALL, Setting::wire_name),
        child_authority_rule: "same_target_and_subset_operations",
        auto_review_changes_enforcement: false,
        content_free_preview_binding: "sha256",
        documents: vec![
            DocumentVersions {
                document: "scope",
                read: vec![SCHEMA_VERSION],
                written: Some(SCHEMA_VERSION),
            },
            DocumentVersions {
                document: "request",
                read: vec![1],
                written: None,
            },
            DocumentVersions {
                document: "receipt",
                read: READ_VERSIONS.to_vec(),
                written: Some(WRITTEN_VERSION),
            },
        ],
        unicode_version: unicode_version(),
    }
}

fn names<T: Copy>(all: &[T], name: impl Fn(T) -> &'static str) -> Vec<&'static str> {
    all.iter().map(|&word| name(word)).collect()
}

/// The oldest Unicode version among the tables that the rules use.
fn unicode_version() -> String {
    let (major, minor, update) = unicode_normalization::UNICODE_VERSION;
    let versions = [
        (major.into(), minor.into(), update.into()),
        unicode_properties::UNICODE_VERSION,
        unicode_script::UNICODE_VERSION,
    ];
    let (major, minor, update) = versions.into_iter().min().unwrap_or_default();
    format!("{major}.{minor}.{update}")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn json() {
        let mut manifest = serde_json::to_value(manifest()).unwrap();
        let operations = manifest.as_object_mut().unwrap().remove("operations");
        let words: Vec<_> = operations
            .unwrap()
            .as_array()
            .unwrap()
            .iter()
            .map(words)
            .collect();
        let expected = [
            ("filesystem", "inspect list read | write delete execute"),
            ("subprocess", "simulate | execute"),
            ("network", "| connect request.safe request.write"),
            (
                "github",
                "read | issue.write comment.write pull_request.write contents.write workflow.run release.write",
            ),
            (
                "browser",
                "inspect read | navigate interact download upload",
            ),
            ("mcp (server)", "list status | start"),
            ("mcp (tool)", "inspect | call"),
            (
                "integration",
                "inspect status | invoke enable disable remove",
            ),
            ("child_agent", "inspect status | delegate message cancel"),
        ];
        assert_eq!(
            words,
            expected.map(|(kind, words)| (kind.to_owned(), words.to_owned()))
        );
        assert_eq!(
            manifest,
            json!({
                "schema_version": 1,
                "resource_kinds": [
                    "filesystem", "subprocess", "network", "github", "browser", "mcp",
                    "integration", "child_agent",
                ],
                "lifetimes": ["operation", "session", "persisted_policy"],
                "approval_presets": ["always_ask", "ask_on_writes", "allow_reviewed"],
                "reviewer_kinds": ["human", "auto_review"],
                "decisions": ["ask", "allow", "deny"],
                "boundaries": [
                    "enforced_by_harness", "delegated_to_cli_sandbox", "advisory_or_unobservable",
                ],
                "revalidation_reasons": [
                    "expired", "revoked", "stale_preview", "target_changed", "redirect", "retry",
                ],
                "execution_modes": ["direct", "auto", "sandboxed"],
                "protocols": ["https", "http", "wss", "ws", "ssh", "tcp", "udp"],
                "redirect_policies": ["deny", "same_origin"],
                "settings": [
                    "max_tokens_per_turn", "max_tokens_per_session", "max_tool_calls_per_turn",
                    "max_cost_per_session_usd", "timeout_seconds", "requests_per_minute",
                    "tokens_per_minute", "max_active_skills", "max_concurrent_tools",
                    "max_agents", "max_depth",
                ],
                "child_authority_rule": "same_target_and_subset_operations",
                "auto_review_changes_enforcement": false,
                "content_free_preview_binding": "sha256",
                "documents": [
                    { "document": "scope", "read": [1], "written": 1 },
                    { "document": "request", "read": [1], "written": null },
                    { "document": "receipt", "read": [1], "written": 1 },
                ],
                "unicode_version": "18.0.0",
            })
        );
    }

    /// A kind with the names of its operations, the read-only ones before the bar.
    fn words(kind: &Value) -> (String, String) {
        let of_class = |class: &str| {
            let operations = kind["operations"].as_array().unwrap().iter();
            let names = operations.filter(|operation| operation["class"] == class);
            let names: Vec<_> = names
                .map(|operation| operation["name"].as_str().unwrap())
                .collect();
            names.join(" ")
        };
        let words = format!("{} | {}", of_class("read_only"), of_class("effect"));
        let title = kind["kind"].as_str().unwrap().to_owned();
        (title, words.trim_start().to_owned())
    }
}
