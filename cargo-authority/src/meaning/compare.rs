//! Two states of a declaration, compared by what they allow.

use std::collections::BTreeMap;
use std::fmt::Display;

use authority_core::vocabulary::{Setting, SettingRange};
use authority_core::{CredentialTarget, MicroDollars, Operation, Target};

use crate::meaning::inherit::Held;
use crate::meaning::{Meaning, ScopeMeaning, ToolMeaning};

/// One widening or narrowing.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Change {
    pub(crate) is_widened: bool,
    pub(crate) what: What,
    /// The agents whose blocks lead to it.
    pub(crate) path: Vec<String>,
    /// What is held now and was not, or was held and is not, as the DSL writes it.
    pub(crate) text: String,
    pub(crate) subject: Subject,
}

/// What changed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum What {
    Target,
    Operation,
    Limit,
    Binding,
    Child,
    ExecutionMode,
}

impl What {
    pub(crate) const ALL: [What; 6] = [
        What::Target,
        What::Operation,
        What::Limit,
        What::Binding,
        What::Child,
        What::ExecutionMode,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            What::Target => "target",
            What::Operation => "operation",
            What::Limit => "limit",
            What::Binding => "binding",
            What::Child => "child",
            What::ExecutionMode => "execution_mode",
        }
    }
}

/// The entry that a change is about.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Subject {
    /// The entry with this index in the new body.
    Entry(usize),
    Credential(CredentialTarget<'static>),
    Tool(String),
    Environment(String),
    Execution,
    Setting(Setting),
    Agent(String),
    /// An entry that is not there any more.
    Gone,
}

/// All changes from one state of a root to another.
pub(crate) fn compare(base: &Meaning, new: &Meaning) -> Vec<Change> {
    let mut comparison = Comparison::default();
    comparison.bodies(&[State::root(base)], &[State::root(new)]);
    comparison.changes
}

/// All that a root brings which was not there before.
pub(crate) fn new(root: &Meaning) -> Vec<Change> {
    compare(&root.nothing(), root)
}

/// What the child of an agent does not get of what its parent holds. The parents come from the root
/// down.
pub(crate) fn losses(parents: &[&Meaning], agent: &str, child: &Meaning) -> Vec<Change> {
    let Some((parent, above)) = parents.split_last() else {
        return Vec::new();
    };
    // That it does not get itself is no loss.
    let mut parent = (*parent).clone();
    parent.agents.remove(agent);
    let root = above.first().map(|root| State::root(root));
    let above = root.map(|root| {
        let rest = above.iter().skip(1);
        rest.fold(root, |state, body| state.child(body))
    });
    let parent = match &above {
        None => State::root(&parent),
        Some(above) => above.child(&parent),
    };
    let own = parent.child(child);
    let mut comparison = Comparison::default();
    comparison.bodies(&[parent], &[own]);
    let mut losses = comparison.changes;
    losses.retain(|change| !change.is_widened && change.path.is_empty());
    losses
}

/// A body, and what it holds of what can be inherited.
#[derive(Clone)]
struct State<'m> {
    body: &'m Meaning,
    held: Held,
}

impl<'m> State<'m> {
    fn root(body: &'m Meaning) -> Self {
        State {
            body,
            held: Held::of(body, None),
        }
    }

    fn child(&self, body: &'m Meaning) -> Self {
        State {
            body,
            held: Held::of(body, Some(&self.held)),
        }
    }
}

/// The block that an agent's thread gets in a chain of bodies, the root first: the body's own, or
/// that of the nearest one above, which the body hands on.
fn block<'m>(chain: &[State<'m>], agent: &str) -> Option<&'m Meaning> {
    chain
        .iter()
        .rev()
        .find_map(|state| state.body.children.get(agent))
}

#[derive(Default)]
struct Comparison {
    changes: Vec<Change>,
    path: Vec<String>,
}

impl Comparison {
    fn push(&mut self, is_widened: bool, what: What, text: String, subject: Subject) {
        self.changes.push(Change {
            is_widened,
            what,
            path: self.path.clone(),
            text,
            subject,
        });
    }

    /// Compares the last bodies of two chains.
    fn bodies(&mut self, base: &[State<'_>], new: &[State<'_>]) {
        let (Some(old), Some(now)) = (base.last(), new.last()) else {
            return;
        };
        self.scopes(old.body, now.body);
        self.bindings(old, now);
        self.numbers(old, now);
        self.agents(base, new);
    }

    fn scopes(&mut self, base: &Meaning, new: &Meaning) {
        for scope in &new.scopes {
            self.gained(scope, base, true, Subject::Entry(scope.index));
        }
        for scope in &base.scopes {
            let entry = new.scopes.iter().find(|now| now.target == scope.target);
            let subject = entry.map_or(Subject::Gone, |now| Subject::Entry(now.index));
            self.gained(scope, new, false, subject);
        }
    }

    /// What a scope allows that another state does not.
    fn gained(
        &mut self,
        scope: &ScopeMeaning,
        other: &Meaning,
        is_widened: bool,
        subject: Subject,
    ) {
        let gained: Vec<_> = scope
            .operations
            .iter()
            .filter(|operation| may_allow(&scope.target, *operation))
            .filter(|operation| !allows(other, &scope.target, *operation))
            .map(Operation::name)
            .collect();
        if gained.is_empty() {
            return;
        }
        let is_known = other
            .scopes
            .iter()
            .any(|known| known.target == scope.target);
        let what = if is_known {
            What::Operation
        } else {
            What::Target
        };
        let text = format!("{} => {}", scope.text, gained.join(", "));
        self.push(is_widened, what, text, subject);
    }

    fn bindings(&mut self, base: &State<'_>, new: &State<'_>) {
        if base.body.credentials.is_some() || new.body.credentials.is_some() {
            self.credentials(base, new);
        }
        if base.body.tools.is_some() || new.body.tools.is_some() {
            self.tools(&base.held.tools, &new.held.tools);
        }
        if base.body.environment.is_some() || new.body.environment.is_some() {
            let (old, now) = (&base.held.environment, &new.held.environment);
            for (entries, is_widened) in [(now - old, true), (old - now, false)] {
                for id in entries {
                    let subject = Subject::Environment(id.clone());
                    self.push(
                        is_widened,
                        What::Binding,
                        format!("environment \"{id}\""),
                        subject,
                    );
                }
            }
        }
    }

    /// Another binding is another grant; to use none is less than to use one.
    fn credentials(&mut self, base: &State<'_>, new: &State<'_>) {
        let show = |target: &CredentialTarget<'_>, binding: &Option<authority_core::Id<'_>>| {
            let word = match target {
                CredentialTarget::Provider(_) => "provider",
                CredentialTarget::McpServer(_) => "mcp",
            };
            let binding = binding
                .as_ref()
                .map_or("none".to_owned(), |binding| format!("\"{binding}\""));
            format!("credential {word} \"{}\" = {binding}", target.id())
        };
        for (target, was, is) in both(&base.held.credentials, &new.held.credentials) {
            let subject = Subject::Credential(target.clone());
            match (was, is) {
                (None, Some(binding)) => {
                    self.push(true, What::Binding, show(target, binding), subject);
                }
                (Some(binding), None) => {
                    self.push(false, What::Binding, show(target, binding), subject);
                }
                (Some(was), Some(is)) if was != is => {
                    let text = format!("{} (was {})", show(target, is), named(was.as_ref()));
                    self.push(is.is_some(), What::Binding, text, subject);
                }
                _ => {}
            }
        }
    }

    fn tools(&mut self, base: &BTreeMap<String, ToolMeaning>, new: &BTreeMap<String, ToolMeaning>) {
        let binding = |binding: &ToolMeaning| match binding {
            None => "native".to_owned(),
            Some((server, tool)) => format!("mcp \"{server}\" / \"{tool}\""),
        };
        for (id, was, is) in both(base, new) {
            let subject = Subject::Tool(id.clone());
            let show = |bound: &ToolMeaning| format!("tool \"{id}\" = {}", binding(bound));
            match (was, is) {
                (None, Some(bound)) => self.push(true, What::Binding, show(bound), subject),
                (Some(bound), None) => self.push(false, What::Binding, show(bound), subject),
                (Some(was), Some(is)) if was != is => {
                    let text = format!("{} (was {})", show(is), binding(was));
                    self.push(true, What::Binding, text, subject);
                }
                _ => {}
            }
        }
    }

    fn numbers(&mut self, base: &State<'_>, new: &State<'_>) {
        let names_mode = base.body.execution.is_some() || new.body.execution.is_some();
        let (was, is) = (base.held.execution, new.held.execution);
        if names_mode && was != is {
            let text = format!("execution {is} (was {was})");
            self.push(is < was, What::ExecutionMode, text, Subject::Execution);
        }
        for setting in Setting::ALL.iter().copied() {
            let value = |state: &State<'_>| state.held.settings.value(setting);
            let is_named = |state: &State<'_>| state.body.settings.value(setting).is_some();
            let (was, is) = (value(base), value(new));
            if was == is || !(is_named(base) || is_named(new)) {
                continue;
            }
            // None is unbounded.
            let is_widened = was.is_some_and(|was| is.is_none_or(|is| is > was));
            let text = format!(
                "{} {} = {} (was {})",
                setting.group().name(),
                setting.name(),
                number(setting, is),
                number(setting, was)
            );
            self.push(is_widened, What::Limit, text, Subject::Setting(setting));
        }
    }

    fn agents(&mut self, base: &[State<'_>], new: &[State<'_>]) {
        let (Some(old), Some(now)) = (base.last(), new.last()) else {
            return;
        };
        for (agent, was, is) in both(&old.body.agents, &now.body.agents) {
            let subject = Subject::Agent(agent.clone());
            let text =
                |operations: &dyn Display| format!("child_agent \"{agent}\" => {operations}");
            let (Some(was), Some(is)) = (was, is) else {
                for (operations, is_widened) in [(is, true), (was, false)] {
                    if let Some(operations) = operations {
                        let subject = if is_widened {
                            subject.clone()
                        } else {
                            Subject::Gone
                        };
                        self.push(is_widened, What::Child, text(operations), subject);
                    }
                }
                continue;
            };
            for (gained, is_widened) in [(is.difference(*was), true), (was.difference(*is), false)]
            {
                if let Some(gained) = gained {
                    self.push(is_widened, What::Operation, text(&gained), subject.clone());
                }
            }
            let owns = |state: &State<'_>| state.body.children.contains_key(agent);
            let (Some(was), Some(is)) = (block(base, agent), block(new, agent)) else {
                continue;
            };
            match (owns(old), owns(now)) {
                // Handed on in both: what changed in the block is said where it stands.
                (false, false) => {}
                (true, true) => {
                    self.path.push(agent.clone());
                    let base = [base, &[old.child(was)]].concat();
                    let new = [new, &[now.child(is)]].concat();
                    self.bodies(&base, &new);
                    self.path.pop();
                }
                // A block in place of a handed-on one, or the reverse, is another child.
                _ => self.push(
                    true,
                    What::Child,
                    format!("child_agent \"{agent}\" with another block"),
                    subject,
                ),
            }
        }
    }
}

/// Whether any request could be allowed by this scope: nothing can write the directory of a binding
/// itself, but a whole binding stands for every path in it.
fn may_allow(target: &Target<'_>, operation: Operation) -> bool {
    matches!(target, Target::Filesystem(_)) || target.allows(operation)
}

/// Whether a body allows an operation on a target: by the very target, or by its whole binding.
fn allows(body: &Meaning, target: &Target<'_>, operation: Operation) -> bool {
    body.scopes.iter().any(|scope| {
        scope.operations.contains(operation)
            && may_allow(&scope.target, operation)
            && (scope.target == *target || covers(&scope.target, target))
    })
}

fn covers(whole: &Target<'_>, path: &Target<'_>) -> bool {
    match (whole, path) {
        (Target::Filesystem(whole), Target::Filesystem(path)) => {
            whole.path.is_none() && whole.binding == path.binding
        }
        _ => false,
    }
}

/// Every key with its value in both maps, sorted.
fn both<'m, K: Ord, V>(
    base: &'m BTreeMap<K, V>,
    new: &'m BTreeMap<K, V>,
) -> impl Iterator<Item = (&'m K, Option<&'m V>, Option<&'m V>)> {
    let mut keys: Vec<_> = base.keys().chain(new.keys()).collect();
    keys.sort();
    keys.dedup();
    keys.into_iter()
        .map(|key| (key, base.get(key), new.get(key)))
}

fn named(binding: Option<&impl Display>) -> String {
    binding.map_or("none".to_owned(), |binding| format!("\"{binding}\""))
}

fn number(setting: Setting, value: Option<u64>) -> String {
    match value {
        None => "unbounded".to_owned(),
        Some(value) if setting.range() == SettingRange::Money => {
            MicroDollars::new(value).to_string()
        }
        Some(value) => value.to_string(),
    }
}
