//! What is documented of a workspace: one model for every form.

use authority_core::vocabulary::{ExecutionMode, KINDS, Setting, SettingRange};
use authority_core::{
    CredentialTarget, Declaration, DeclaredScope, MicroDollars, OperationSet, Target,
    ThreadPermissions,
};
use authority_syntax::tree;
use proc_macro2::Span;
use serde::Serialize;
use unicode_normalization::char::is_combining_mark;

use crate::entries;
use crate::meaning::{self, Meaning};
use crate::source::{Declared, Workspace};

/// The documentation of a workspace. As JSON it is what `doc --format json` gives.
#[derive(Serialize)]
pub(crate) struct Document {
    pub(crate) declarations: Vec<Root>,
}

/// One declaration.
#[derive(Serialize)]
pub(crate) struct Root {
    pub(crate) name: String,
    /// Its doc comment, empty when it has none.
    pub(crate) doc: String,
    pub(crate) file: String,
    pub(crate) line: usize,
    #[serde(flatten)]
    pub(crate) body: Body,
}

/// The block of a child, under its parent.
#[derive(Serialize)]
pub(crate) struct Child {
    pub(crate) agent: String,
    /// What may be done to it, and how it is.
    pub(crate) operations: Vec<&'static str>,
    pub(crate) doc: String,
    pub(crate) line: usize,
    /// What it does not get of what its parent holds.
    pub(crate) loses: Vec<Loss>,
    #[serde(flatten)]
    pub(crate) body: Body,
}

/// What a body grants. Lines are those of the declaration's file.
#[derive(Serialize)]
pub(crate) struct Body {
    /// The kinds of targets that it has.
    pub(crate) targets: Vec<Group>,
    pub(crate) bindings: Vec<Binding>,
    pub(crate) limits: Vec<Limit>,
    pub(crate) children: Vec<Child>,
    pub(crate) ceiling_sha256: String,
    pub(crate) declaration_sha256: String,
}

/// The targets of one kind.
#[derive(Serialize)]
pub(crate) struct Group {
    pub(crate) kind: &'static str,
    pub(crate) title: &'static str,
    pub(crate) about: &'static str,
    pub(crate) entries: Vec<Entry>,
}

/// A target with its operations.
#[derive(Serialize)]
pub(crate) struct Entry {
    /// The target as the DSL writes it, without its keyword.
    pub(crate) target: String,
    pub(crate) delegable: bool,
    /// Operations that only look.
    pub(crate) looks: Vec<&'static str>,
    /// All others.
    pub(crate) acts: Vec<&'static str>,
    pub(crate) doc: String,
    pub(crate) line: usize,
    pub(crate) scope_sha256: String,
}

/// Credentials, tools, environment and execution mode: what a body names of them.
#[derive(Serialize)]
pub(crate) struct Binding {
    pub(crate) kind: &'static str,
    /// What is bound, as the DSL writes it; `inherited` when the body does not say.
    pub(crate) value: String,
    /// `null` where there is no entry.
    pub(crate) line: Option<usize>,
}

/// A number that bounds something.
#[derive(Serialize)]
pub(crate) struct Limit {
    pub(crate) group: &'static str,
    pub(crate) name: &'static str,
    pub(crate) at_most: String,
    pub(crate) about: &'static str,
    pub(crate) line: Option<usize>,
}

/// One thing that a child does not get.
#[derive(Serialize)]
pub(crate) struct Loss {
    pub(crate) what: &'static str,
    pub(crate) text: String,
}

impl Document {
    /// Documents the declarations that have no error.
    pub(crate) fn of(workspace: &Workspace) -> Self {
        let declarations = workspace.declarations.iter();
        Document {
            declarations: declarations
                .filter_map(|declared| {
                    let permissions = declared.permissions.as_ref()?;
                    Some(Root::of(workspace, declared, permissions))
                })
                .collect(),
        }
    }
}

impl Root {
    fn of(workspace: &Workspace, declared: &Declared, permissions: &ThreadPermissions) -> Self {
        let declaration = permissions.declaration();
        Root {
            name: declared.name.clone(),
            doc: doc(&declared.docs.join("\n")),
            file: workspace.path(&declared.place).to_owned(),
            line: declared.place.line,
            body: Body::of(declaration, &declared.body, &[&Meaning::of(declaration)]),
        }
    }
}

impl Body {
    /// `chain` is what it and those above it mean, the root first.
    fn of(declaration: &Declaration, source: &tree::Body, chain: &[&Meaning]) -> Self {
        let groups = KINDS.iter().map(|row| Group {
            kind: row.name,
            title: row.title,
            about: row.about,
            entries: declaration
                .scopes()
                .filter(|scope| scope.operations().kind() == row.kind)
                .map(|scope| Entry::of(scope, source))
                .collect(),
        });
        let children = declaration.children().map(|(agent, ceiling)| {
            let (agent, body) = (agent.as_str(), ceiling.declaration());
            let scope = declaration.scopes().find(
                |scope| matches!(scope.target(), Target::ChildAgent(target) if target.agent.as_str() == agent),
            );
            let own = Meaning::of(body);
            let chain_below = [chain, &[&own]].concat();
            let loses = meaning::losses(chain, agent, &own).into_iter();
            let span = entries::agent(source, agent).unwrap_or(source.span);
            Child {
                agent: agent.to_owned(),
                operations: scope.map_or_else(Vec::new, |scope| names(scope.operations(), |_| true)),
                doc: scope.map_or_else(String::new, |scope| doc(scope.origin().doc)),
                line: line(span),
                loses: loses
                    .map(|change| Loss {
                        what: change.what.name(),
                        text: change.text,
                    })
                    .collect(),
                body: Body::of(
                    body,
                    entries::block(source, agent).unwrap_or(source),
                    &chain_below,
                ),
            }
        });
        Body {
            targets: groups.filter(|group| !group.entries.is_empty()).collect(),
            bindings: bindings(declaration, source, chain.len() > 1),
            limits: limits(declaration, source),
            children: children.collect(),
            ceiling_sha256: declaration.ceiling_sha256().to_hex(),
            declaration_sha256: declaration.declaration_sha256().to_hex(),
        }
    }
}

impl Entry {
    fn of(scope: DeclaredScope<'_>, source: &tree::Body) -> Self {
        let text = scope.to_string();
        let text = text
            .rsplit_once(" => ")
            .map_or(text.as_str(), |(target, _)| target);
        let target = text.split_once(' ').map_or(text, |(_, target)| target);
        let target = target.strip_suffix(" delegable").unwrap_or(target);
        Entry {
            target: target.to_owned(),
            delegable: scope.is_delegable_path(),
            looks: names(scope.operations(), |is_read_only| is_read_only),
            acts: names(scope.operations(), |is_read_only| !is_read_only),
            doc: doc(scope.origin().doc),
            line: line(entries::span(source, scope.origin().index)),
            scope_sha256: scope.sha256().to_hex(),
        }
    }
}

fn names(operations: OperationSet, include: impl Fn(bool) -> bool) -> Vec<&'static str> {
    let operations = operations.iter();
    operations
        .filter(|operation| include(operation.is_read_only()))
        .map(authority_core::Operation::name)
        .collect()
}

fn bindings(declaration: &Declaration, source: &tree::Body, inherits: bool) -> Vec<Binding> {
    let default = if inherits { "inherited" } else { "none" };
    let mut bindings = Vec::new();
    let mut push = |kind, items: Option<Vec<(String, Option<Span>)>>| {
        let is_named = items.is_some();
        let items = items.unwrap_or_default();
        if items.is_empty() {
            bindings.push(Binding {
                kind,
                value: if is_named { "none" } else { default }.to_owned(),
                line: None,
            });
        }
        bindings.extend(items.into_iter().map(|(value, span)| Binding {
            kind,
            value,
            line: span.map(line),
        }));
    };
    let credentials = declaration.credentials().map(|grants| {
        let grants = grants.map(|grant| {
            let binding = grant.binding.as_ref();
            let binding = binding.map_or("none".to_owned(), |id| format!("\"{id}\""));
            let word = match grant.target {
                CredentialTarget::Provider(_) => "provider",
                CredentialTarget::McpServer(_) => "mcp",
            };
            let id = grant.target.id();
            let place = entries::credential(source, &grant.target);
            (format!("{word} \"{id}\" = {binding}"), place)
        });
        grants.collect()
    });
    push("credential", credentials);
    let tools = declaration.tools().map(|grants| {
        let grants = grants.map(|grant| {
            let place = entries::tool(source, grant.id.as_str());
            (format!("\"{}\" = {}", grant.id, grant.binding), place)
        });
        grants.collect()
    });
    push("tool", tools);
    let environment = declaration.environment().map(|ids| {
        let ids = ids.map(|id| {
            let place = entries::environment(source, id.as_str());
            (format!("\"{id}\""), place)
        });
        ids.collect()
    });
    push("environment", environment);
    let mode = declaration.execution_mode();
    let default = (!inherits).then_some(ExecutionMode::Sandboxed);
    let mode = mode
        .or(default)
        .map(|mode| vec![(mode.name().to_owned(), entries::execution(source))]);
    push("execution", mode);
    bindings
}

fn limits(declaration: &Declaration, source: &tree::Body) -> Vec<Limit> {
    let limit = |setting: Setting| {
        let value = declaration.settings().value(setting)?;
        let at_most = match setting.range() {
            SettingRange::Money => MicroDollars::new(value).to_string(),
            SettingRange::U32 | SettingRange::U64 => value.to_string(),
        };
        Some(Limit {
            group: setting.group().name(),
            name: setting.name(),
            at_most,
            about: setting.about(),
            line: entries::setting(source, setting).map(line),
        })
    };
    Setting::ALL.iter().copied().filter_map(limit).collect()
}

fn line(span: Span) -> usize {
    span.start().line
}

/// A doc comment, its lines without the white space around them. Characters that do not show, or turn
/// the direction of a text, are written as escapes.
fn doc(text: &str) -> String {
    let lines: Vec<_> = text.trim().lines().map(str::trim).collect();
    let mut out = String::with_capacity(text.len());
    for character in lines.join("\n").chars() {
        let shows = character.is_ascii_graphic()
            || matches!(character, ' ' | '\n')
            || (!character.is_ascii()
                && (is_combining_mark(character) || character.escape_debug().len() == 1));
        if shows {
            out.push(character);
        } else {
            out.extend(character.escape_unicode());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_show_in_a_doc_comment_is_escaped() {
        assert_eq!(
            doc(" Grüße, 日本語, e\u{301}.\n\n\tno \u{202e}trick\u{200b}\u{7} \n"),
            "Grüße, 日本語, e\u{301}.\n\nno \\u{202e}trick\\u{200b}\\u{7}"
        );
    }
}
