//! What a thread holds against another one, field by field: for people.

use std::fmt;

use crate::credential::CredentialTarget;
use crate::declaration::json;
use crate::id::Id;
use crate::policy::ThreadPolicy;
use crate::policy::explain::Side;
use crate::target::Target;
use crate::tool::ToolBinding;
use crate::vocabulary::{Setting, SettingGroup};

/// What became of one part of another thread's permissions.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum ChangeOutcome {
    /// Held as the other thread holds it.
    Inherited,
    /// Held, with less.
    Narrowed,
    /// Not held any more.
    Dropped,
    /// Asked for by the thread's own restriction, and never held.
    NotHeld,
}

impl ChangeOutcome {
    /// The outcome's name.
    pub const fn name(self) -> &'static str {
        match self {
            ChangeOutcome::Inherited => "inherited",
            ChangeOutcome::Narrowed => "narrowed",
            ChangeOutcome::Dropped => "dropped",
            ChangeOutcome::NotHeld => "not_held",
        }
    }
}

/// One part of the permissions, and what became of it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Change {
    /// The part, as the DSL writes it.
    pub part: String,
    /// JSON Pointer of the part: into the permissions of the other thread, and of what is not held
    /// into the thread's own restriction.
    pub pointer: String,
    /// What became of it.
    pub outcome: ChangeOutcome,
    /// Which side decided that.
    pub by: Side,
    /// The credential without which a server's scope or tool is unusable, when the part was dropped
    /// because this thread does not hold it.
    pub for_want_of: Option<CredentialTarget<'static>>,
}

/// What a thread holds against another one, field by field.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Difference(Vec<Change>);

impl Difference {
    /// Every part: what the other thread holds, in the order of the declaration, then what this
    /// thread's restriction asked for and nobody held.
    pub fn changes(&self) -> &[Change] {
        &self.0
    }
}

impl ThreadPolicy {
    /// What this thread holds of what another one, usually above it, holds.
    pub fn explain_difference(&self, other: &ThreadPolicy) -> Difference {
        let mut changes = Vec::new();
        let mine = self.scopes();
        let scopes = other.scopes();
        let order = places(&scopes, |scope| scope.target().canonical_json());
        for (scope, place) in scopes.iter().zip(order) {
            let held = mine.iter().find(|held| held.target() == scope.target());
            let outcome = match held {
                Some(held) if held.operations() == scope.operations() => ChangeOutcome::Inherited,
                Some(_) => ChangeOutcome::Narrowed,
                None => ChangeOutcome::Dropped,
            };
            let part = match held.and_then(|held| scope.operations().difference(held.operations()))
            {
                Some(lost) => format!(
                    "{} => {} (without {lost})",
                    scope.target(),
                    scope.operations()
                ),
                None => format!("{} => {}", scope.target(), scope.operations()),
            };
            let server = match scope.target() {
                Target::Mcp(target) => Some(&target.server),
                _ => None,
            };
            let pointer = format!("/scopes/{place}");
            changes.push(self.change(pointer, part, outcome, server));
        }
        let credentials: Vec<_> = other.credentials().collect();
        let order = places(&credentials, |grant| {
            json::credential(grant).to_canonical_json()
        });
        for (grant, place) in credentials.into_iter().zip(order) {
            let is_held = self.credentials().any(|held| held == grant);
            let pointer = format!("/credentials/{place}");
            changes.push(self.change(pointer, grant.to_string(), kept(is_held), None));
        }
        for grant in other.tools() {
            let is_held = self.tools().any(|held| held == grant);
            let server = match &grant.binding {
                ToolBinding::Mcp(binding) => Some(&binding.server),
                ToolBinding::Native => None,
            };
            let part = format!("tool \"{}\"", grant.id);
            let pointer = format!("/tools/{}", grant.id);
            changes.push(self.change(pointer, part, kept(is_held), server));
        }
        for (place, id) in other.environment().enumerate() {
            let is_held = self.environment().any(|held| held == id);
            let part = format!("environment \"{id}\"");
            let pointer = format!("/sandbox/environment/{place}");
            changes.push(self.change(pointer, part, kept(is_held), None));
        }
        if self.execution_mode() != other.execution_mode() {
            let part = format!(
                "execution {} (was {})",
                self.execution_mode(),
                other.execution_mode()
            );
            let pointer = "/sandbox/execution_mode".to_owned();
            changes.push(self.change(pointer, part, ChangeOutcome::Narrowed, None));
        }
        for setting in Setting::ALL {
            let (own, held) = (
                self.settings().value(*setting),
                other.settings().value(*setting),
            );
            if own != held {
                let shown = |value: Option<u64>| {
                    value.map_or("unbounded".to_owned(), |value| value.to_string())
                };
                let part = format!("{} {} (was {})", setting.name(), shown(own), shown(held));
                changes.push(self.change(pointer(*setting), part, ChangeOutcome::Narrowed, None));
            }
        }
        let not_held = self.0.holdings.not_held.iter();
        changes.extend(not_held.map(|(pointer, part)| {
            self.change(pointer.clone(), part.clone(), ChangeOutcome::NotHeld, None)
        }));
        Difference(changes)
    }

    /// A part of a server's, or of none. What is inherited is the parent's doing; what is less, that
    /// of a restriction or ceiling.
    fn change(
        &self,
        pointer: String,
        part: String,
        outcome: ChangeOutcome,
        server: Option<&Id<'_>>,
    ) -> Change {
        let by = match outcome {
            ChangeOutcome::Inherited | ChangeOutcome::NotHeld => Side::Parent,
            ChangeOutcome::Narrowed | ChangeOutcome::Dropped => Side::Restriction,
        };
        Change {
            part,
            pointer,
            outcome,
            by,
            for_want_of: server
                .filter(|_| outcome == ChangeOutcome::Dropped)
                .and_then(|server| self.credential_not_given(server)),
        }
    }
}

fn kept(is_held: bool) -> ChangeOutcome {
    if is_held {
        ChangeOutcome::Inherited
    } else {
        ChangeOutcome::Dropped
    }
}

/// The place of each item in a list that is sorted by canonical JSON.
fn places<T>(items: &[T], json: impl Fn(&T) -> String) -> Vec<usize> {
    let mut sorted: Vec<_> = items.iter().map(json).zip(0..).collect();
    sorted.sort();
    let mut places = vec![0; items.len()];
    for (place, (_, index)) in sorted.into_iter().enumerate() {
        places[index] = place;
    }
    places
}

/// Where a setting stands in the JSON of permissions.
fn pointer(setting: Setting) -> String {
    let within = match setting.group() {
        SettingGroup::Budget => "/budgets",
        SettingGroup::Rate => "/budgets/rate_limit",
        SettingGroup::Limit => "",
    };
    format!("{within}/{}", setting.wire_name())
}

/// A line a part; what is inherited is only counted.
impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inherited = self
            .0
            .iter()
            .filter(|change| change.outcome == ChangeOutcome::Inherited)
            .count();
        write!(formatter, "{inherited} inherited")?;
        for change in self
            .0
            .iter()
            .filter(|change| change.outcome != ChangeOutcome::Inherited)
        {
            write!(
                formatter,
                "\n  {:<8} {}",
                change.outcome.name(),
                change.part
            )?;
            if let Some(target) = &change.for_want_of {
                let (kind, id) = (target.kind_name(), target.id());
                write!(formatter, ", for want of credential {kind} \"{id}\"")?;
            }
        }
        Ok(())
    }
}
