//! What a thread holds against another one, field by field: for people.

use std::fmt;

use crate::policy::ThreadPolicy;
use crate::policy::explain::Side;
use crate::vocabulary::Setting;

/// What became of one part of another thread's permissions.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Outcome {
    /// Held as the other thread holds it.
    Inherited,
    /// Held, with less.
    Narrowed,
    /// Not held any more.
    Dropped,
    /// Asked for by the thread's own restriction, and never held.
    NotHeld,
}

impl Outcome {
    /// The outcome's name.
    pub const fn name(self) -> &'static str {
        match self {
            Outcome::Inherited => "inherited",
            Outcome::Narrowed => "narrowed",
            Outcome::Dropped => "dropped",
            Outcome::NotHeld => "not_held",
        }
    }
}

/// One part of the permissions, and what became of it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Change {
    /// The part, as the DSL writes it.
    pub part: String,
    /// What became of it.
    pub outcome: Outcome,
    /// Which side decided that.
    pub by: Side,
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
        for scope in other.scopes() {
            let held = mine.iter().find(|held| held.target() == scope.target());
            let outcome = match held {
                Some(held) if held.operations() == scope.operations() => Outcome::Inherited,
                Some(_) => Outcome::Narrowed,
                None => Outcome::Dropped,
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
            changes.push(Change {
                part,
                outcome,
                by: Self::side(outcome),
            });
        }
        Self::compare(
            &mut changes,
            other.credentials(),
            |grant| self.credentials().any(|held| held == grant),
            ToString::to_string,
        );
        Self::compare(
            &mut changes,
            other.tools(),
            |grant| self.tools().any(|held| held == grant),
            |grant| format!("tool \"{}\"", grant.id),
        );
        Self::compare(
            &mut changes,
            other.environment(),
            |id| self.environment().any(|held| held == id),
            |id| format!("environment \"{id}\""),
        );
        if self.execution_mode() != other.execution_mode() {
            let part = format!(
                "execution {} (was {})",
                self.execution_mode(),
                other.execution_mode()
            );
            changes.push(Change {
                part,
                outcome: Outcome::Narrowed,
                by: Side::Restriction,
            });
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
                changes.push(Change {
                    part,
                    outcome: Outcome::Narrowed,
                    by: Side::Restriction,
                });
            }
        }
        changes.extend(self.0.holdings.not_held.iter().map(|part| Change {
            part: part.clone(),
            outcome: Outcome::NotHeld,
            by: Side::Parent,
        }));
        Difference(changes)
    }

    fn compare<'a, T: 'a>(
        changes: &mut Vec<Change>,
        items: impl Iterator<Item = &'a T>,
        is_held: impl Fn(&T) -> bool,
        show: impl Fn(&T) -> String,
    ) {
        for item in items {
            let outcome = if is_held(item) {
                Outcome::Inherited
            } else {
                Outcome::Dropped
            };
            changes.push(Change {
                part: show(item),
                outcome,
                by: Self::side(outcome),
            });
        }
    }

    /// What is inherited is the parent's doing; what is less, that of a restriction or ceiling.
    fn side(outcome: Outcome) -> Side {
        match outcome {
            Outcome::Inherited | Outcome::NotHeld => Side::Parent,
            Outcome::Narrowed | Outcome::Dropped => Side::Restriction,
        }
    }
}

/// A line a part; what is inherited is only counted.
impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inherited = self
            .0
            .iter()
            .filter(|change| change.outcome == Outcome::Inherited)
            .count();
        write!(formatter, "{inherited} inherited")?;
        for change in self
            .0
            .iter()
            .filter(|change| change.outcome != Outcome::Inherited)
        {
            write!(
                formatter,
                "\n  {:<8} {}",
                change.outcome.name(),
                change.part
            )?;
        }
        Ok(())
    }
}
