//! A draft as the text of its declaration: the canonical layout, an entry a line.

use std::fmt::Write as _;

use authority_core::draft::{Draft, DraftKind, DraftTarget};
use authority_core::vocabulary::{RedirectPolicy, Setting, SettingRange};
use authority_core::{CredentialTarget, MicroDollars};

/// Prints the entries of a draft. What is accepted prints to text that is accepted and means the
/// same; poisoned entries are left out.
pub fn print(draft: &Draft) -> String {
    let mut out = String::new();
    push_body(&mut out, draft, 0);
    out
}

fn push_body(out: &mut String, draft: &Draft, depth: usize) {
    let indent = "    ".repeat(depth);
    for line in &draft.docs {
        let _ = writeln!(out, "{indent}#![doc = {line:?}]");
    }
    for entry in &draft.entries {
        let line = match &entry.kind {
            DraftKind::Scope {
                target,
                operations,
                delegable,
                doc,
                ..
            } => {
                push_doc(out, doc, &indent);
                let delegable = if *delegable { " delegable" } else { "" };
                format!("{}{delegable} => {operations};", target_text(target))
            }
            DraftKind::Child {
                target,
                operations,
                body,
                doc,
                ..
            } => {
                push_doc(out, doc, &indent);
                let mut block = format!("{} => {operations} {{\n", target_text(target));
                push_body(&mut block, body, depth + 1);
                block + &indent + "}"
            }
            DraftKind::Credential { target, binding } => {
                let (word, id) = match target {
                    CredentialTarget::Provider(id) => ("provider", id),
                    CredentialTarget::McpServer(id) => ("mcp", id),
                };
                let binding = binding
                    .as_ref()
                    .map_or("none".to_owned(), |binding| quoted(binding.as_str()));
                format!("credential {word} {} = {binding};", quoted(id.as_str()))
            }
            DraftKind::None(kind) => format!("{} none;", kind.keyword()),
            DraftKind::Tool { id, binding } => format!("tool {} = {binding};", quoted(id.as_str())),
            DraftKind::Environment(id) => format!("environment {};", quoted(id.as_str())),
            DraftKind::Execution(mode) => format!("execution {mode};"),
            DraftKind::Setting(setting, value) => {
                format!(
                    "{} {} = {};",
                    setting.group().name(),
                    setting.name(),
                    number(*setting, *value)
                )
            }
            DraftKind::Expect {
                allow,
                target,
                operations,
            } => {
                let verdict = if *allow { "allow" } else { "deny" };
                let operations: Vec<_> = operations
                    .iter()
                    .map(|(_, operation)| operation.name())
                    .collect();
                format!(
                    "expect {verdict} {} => {};",
                    target_text(target),
                    operations.join(", ")
                )
            }
            DraftKind::Poisoned { .. } => continue,
        };
        let _ = writeln!(out, "{indent}{line}");
    }
}

fn push_doc(out: &mut String, doc: &str, indent: &str) {
    // The space is the one that `/// ` has, so that an indented line keeps its own.
    for line in doc.split('\n').filter(|_| !doc.is_empty()) {
        let line = format!(" {line}");
        let _ = writeln!(out, "{indent}#[doc = {line:?}]");
    }
}

fn target_text(target: &DraftTarget) -> String {
    let keyword = target.kind().name();
    let rest = match target {
        DraftTarget::Filesystem(binding, path) => two(
            binding.as_str(),
            path.as_ref()
                .map(authority_core::target::RelativePath::as_str),
        ),
        DraftTarget::Subprocess(executable, arguments, directory) => {
            let arguments: Vec<_> = arguments
                .iter()
                .map(|argument| format!("{argument:?}"))
                .collect();
            let path = directory
                .path
                .as_ref()
                .map(authority_core::target::RelativePath::as_str);
            let directory = two(directory.binding.as_str(), path);
            format!(
                "{} [{}] in {directory}",
                quoted(executable.as_str()),
                arguments.join(", ")
            )
        }
        // The DSL declares arguments, not digests.
        DraftTarget::SubprocessDigests(executable, ..) => quoted(executable.as_str()),
        DraftTarget::Network(endpoint, RedirectPolicy::Deny) => quoted(&endpoint.to_string()),
        DraftTarget::Network(endpoint, redirect) => {
            format!("{} redirect {redirect}", quoted(&endpoint.to_string()))
        }
        DraftTarget::Github(repository) => quoted(repository.as_str()),
        DraftTarget::Browser(origin) => quoted(origin.as_str()),
        DraftTarget::Mcp(server, tool) => two(
            server.as_str(),
            tool.as_ref().map(authority_core::ToolName::as_str),
        ),
        DraftTarget::Integration(integration, revision) => {
            format!("{} @ \"{revision}\"", quoted(integration.as_str()))
        }
        DraftTarget::ChildAgent(agent) => quoted(agent.as_str()),
    };
    format!("{keyword} {rest}")
}

fn two(first: &str, second: Option<&str>) -> String {
    match second {
        None => quoted(first),
        Some(second) => format!("{} / {}", quoted(first), quoted(second)),
    }
}

/// A target's text: `\"` is the only escape.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\\\""))
}

fn number(setting: Setting, value: u64) -> String {
    match setting.range() {
        SettingRange::Money => MicroDollars::new(value).to_string(),
        SettingRange::U32 | SettingRange::U64 => value.to_string(),
    }
}
