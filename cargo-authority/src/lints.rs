//! The lints over a declaration that compiles.

use std::collections::HashMap;
use std::net::IpAddr;

use authority_core::vocabulary::{Kind, operations};
use authority_core::{ChildCeiling, CredentialTarget, Declaration, Digest, OperationSet, Target};
use authority_syntax::tree::{Body, Content, Entry, Text};
use proc_macro2::Span;
use unicode_normalization::UnicodeNormalization;

use crate::entries;
use crate::finding::{Finding, Place};
use crate::lint::Lint;
use crate::source::{Declared, Workspace};

/// Looks at every declaration without errors.
pub(crate) fn lint(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for declared in &workspace.declarations {
        let Some(permissions) = &declared.permissions else {
            continue;
        };
        let mut linter = Linter {
            workspace,
            declared,
            findings: Vec::new(),
        };
        linter.body(&declared.body, permissions.declaration());
        findings.append(&mut linter.findings);
    }
    findings
}

struct Linter<'w> {
    workspace: &'w Workspace,
    declared: &'w Declared,
    findings: Vec<Finding>,
}

impl Linter<'_> {
    fn find(&mut self, lint: Lint, message: String, span: Span) {
        let place = Place::of(self.declared.place.file, span);
        self.findings.push(lint.with_message(message, place));
    }

    fn body(&mut self, body: &Body, declaration: &Declaration) {
        self.path_aliases(body);
        self.unused_bindings(body, declaration);
        self.unnamed_grants(body, declaration);
        for entry in &body.entries {
            self.entry(entry);
        }
        for (agent, ceiling) in declaration.children() {
            if let Some(block) = entries::block(body, agent.as_str()) {
                self.body(block, ceiling.declaration());
            }
        }
    }

    fn path_aliases(&mut self, body: &Body) {
        let mut seen: HashMap<(&str, String), &str> = HashMap::new();
        for entry in &body.entries {
            let Content::Scope(scope) = &entry.content else {
                continue;
            };
            if entry.keyword != "filesystem" {
                continue;
            }
            if let (Some(binding), Some(text)) = (value(scope.first.as_ref()), &scope.second)
                && let Some(path) = &text.value
            {
                let folded = path.nfkc().collect::<String>().to_lowercase();
                let first = *seen.entry((binding, folded)).or_insert(path);
                if first != path {
                    let message = format!(
                        "`{path}` and `{first}` in `{binding}` are one file on some systems"
                    );
                    self.find(Lint::PathAlias, message, text.span());
                }
            }
        }
    }

    fn entry(&mut self, entry: &Entry) {
        let Content::Scope(scope) = &entry.content else {
            return;
        };
        for argument in scope.arguments.iter().flatten() {
            self.argument(argument);
        }
        let ids = scope
            .first
            .iter()
            .chain(scope.directory.iter().map(|(binding, _)| binding));
        for text in ids {
            let Some(name) = &text.value else { continue };
            let is_of_one_machine = match entry.keyword.to_string().as_str() {
                "network" | "browser" => host(name).is_some_and(is_local_host),
                "filesystem" | "subprocess" => is_local_id(name),
                _ => false,
            };
            if is_of_one_machine {
                let message = format!("`{name}` means something on one machine or network only");
                self.find(Lint::MachineSpecific, message, text.span());
            }
        }
        if let ("integration", Some(revision)) = (entry.keyword.to_string().as_str(), &scope.second)
            && let Some(Ok(digest)) = revision.value.as_deref().map(Digest::parse)
            && is_placeholder(&digest)
        {
            let message = "this digest is a placeholder, not that of a revision".to_owned();
            self.find(Lint::MutableRevision, message, revision.span());
        }
    }

    fn argument(&mut self, text: &Text) {
        let Some(argument) = &text.value else { return };
        let is_variable = argument.split(['/', '=', ':']).any(|part| {
            part.strip_prefix('$').is_some_and(|name| {
                name.starts_with(|c: char| c.is_ascii_alphabetic() || "_{".contains(c))
            })
        });
        if argument.contains(['*', '?']) || argument.starts_with("~/") || is_variable {
            let message = "nothing expands this argument: it is passed as it stands".to_owned();
            self.find(Lint::PatternInArgument, message, text.span());
        }
        let moves = ["@latest", ":latest", "@main", "@master", "@next"];
        if moves.iter().any(|end| argument.ends_with(end)) {
            let message = format!("what `{argument}` stands for can change");
            self.find(Lint::MutableRevision, message, text.span());
        }
    }

    fn unused_bindings(&mut self, body: &Body, declaration: &Declaration) {
        let environment = declaration.environment().into_iter().flatten();
        if !any_scope(declaration, &starts_processes) {
            for id in environment {
                if let Some(span) = entries::environment(body, id.as_str()) {
                    let message = format!("no process here gets the environment entry `{id}`");
                    self.find(Lint::UnusedBinding, message, span);
                }
            }
        }
        let is_github = |operations: OperationSet| operations.kind() == Kind::Github;
        for grant in declaration.credentials().into_iter().flatten() {
            let is_provider =
                matches!(&grant.target, CredentialTarget::Provider(id) if id.as_str() == "github");
            if is_provider && !any_scope(declaration, &is_github) {
                let span = entries::credential(body, &grant.target);
                let message = "no repository here uses the credential of `github`".to_owned();
                self.find(Lint::UnusedBinding, message, span.unwrap_or(body.span));
            }
        }
    }

    fn unnamed_grants(&mut self, body: &Body, declaration: &Declaration) {
        for scope in declaration
            .scopes()
            .filter(|scope| scope.is_delegable_path())
        {
            let Target::Filesystem(target) = scope.target() else {
                continue;
            };
            let is_named_by_child = declaration
                .children()
                .any(|(_, child)| child.scopes().any(|named| named.target() == scope.target()));
            let path = target.path.as_ref().map_or("", |path| path.as_str());
            if !is_named_by_child && !self.is_named_by_code(path) {
                let message = format!("neither a child nor the code names `{path}`");
                let span = entries::span(body, scope.origin().index);
                self.find(Lint::UnnamedGrant, message, span);
            }
        }
    }

    /// Whether the path stands in quotes outside of this declaration.
    fn is_named_by_code(&self, path: &str) -> bool {
        let literal = format!("\"{path}\"");
        let files = self.workspace.files.iter().enumerate();
        let mut outside = files.map(|(index, file)| {
            let own = &self.declared.call;
            file.text
                .match_indices(&literal)
                .any(|(at, _)| index != own.file || !own.range.contains(&at))
        });
        outside.any(|found| found)
    }
}

fn value(text: Option<&Text>) -> Option<&str> {
    text?.value.as_deref()
}

/// Whether a scope here, or in a child, is like that.
fn any_scope(declaration: &Declaration, is_wanted: &impl Fn(OperationSet) -> bool) -> bool {
    let here = declaration
        .scopes()
        .any(|scope| is_wanted(scope.operations()));
    here || declaration
        .children()
        .map(|(_, ceiling)| ChildCeiling::declaration(ceiling))
        .any(|child| any_scope(child, is_wanted))
}

fn starts_processes(held: OperationSet) -> bool {
    held.kind() == Kind::Subprocess || held.contains(operations::mcp_server::Start.into())
}

/// The host of `protocol://host:port`, without brackets.
fn host(endpoint: &str) -> Option<&str> {
    let (_, host) = endpoint.split_once("://")?;
    if let Some((host, _)) = host.strip_prefix('[').and_then(|host| host.split_once(']')) {
        return Some(host);
    }
    Some(host.rsplit_once(':').map_or(host, |(host, _)| host))
}

fn is_local_host(host: &str) -> bool {
    match host.parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) => {
            address.is_private() || address.is_loopback() || address.is_link_local()
        }
        Ok(IpAddr::V6(address)) => {
            address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local()
        }
        Err(_) => {
            let last = host.rsplit('.').next().unwrap_or(host);
            !host.contains('.') || ["local", "lan", "internal", "localhost"].contains(&last)
        }
    }
}

fn is_local_id(id: &str) -> bool {
    let is_drive =
        id.len() > 1 && id.as_bytes()[1] == b':' && id.as_bytes()[0].is_ascii_alphabetic();
    let words = [
        "home",
        "users",
        "desktop",
        "laptop",
        "macbook",
        "localhost",
        "my",
    ];
    let first = id.split(['.', '_', ':', '-']).next().unwrap_or(id);
    is_drive || (first.len() < id.len() && words.contains(&first.to_lowercase().as_str()))
}

fn is_placeholder(digest: &Digest) -> bool {
    let hex = digest.to_hex();
    let first = &hex[..1];
    hex == first.repeat(64) || *digest == Digest::of(b"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts() {
        for (endpoint, local) in [
            ("https://api.example.com:443", false),
            ("https://10.0.0.1:443", true),
            ("https://8.8.8.8:443", false),
            ("tcp://[::1]:80", true),
            ("tcp://[2001:db8::1]:80", false),
            ("http://localhost", true),
            ("https://nas.local:443", true),
            ("https://localhost.example.com:443", false),
        ] {
            assert_eq!(
                host(endpoint).is_some_and(is_local_host),
                local,
                "{endpoint}"
            );
        }
    }

    #[test]
    fn ids() {
        for (id, local) in [
            ("c:src", true),
            ("home-alice", true),
            ("ws", false),
            ("home", false),
            ("workspace.home", false),
        ] {
            assert_eq!(is_local_id(id), local, "{id}");
        }
    }
}
