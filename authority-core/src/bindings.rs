//! What a host has to resolve before a root may start, and the check that it has.

use std::fmt;
use std::path::PathBuf;

use crate::credential::CredentialTarget;
use crate::declaration::Declaration;
use crate::declaration::json::{Value, digest_of, object, text};
use crate::digest::Digest;
use crate::id::Id;
use crate::permissions::ThreadPermissions;
use crate::target::Target;

/// One thing that the declaration names by an id and the host resolves.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum RequiredBinding {
    /// A directory, on the host and in the guest.
    Filesystem(Id<'static>),
    /// An executable.
    Executable(Id<'static>),
    /// A credential for a target.
    Credential {
        /// What the credential is for.
        target: CredentialTarget<'static>,
        /// The credential's id.
        binding: Id<'static>,
    },
    /// An environment entry.
    Environment(Id<'static>),
    /// An MCP server.
    McpServer(Id<'static>),
    /// An integration at one revision.
    Integration {
        /// The integration.
        integration: Id<'static>,
        /// The revision that was reviewed.
        revision_sha256: Digest,
    },
    /// An agent that a child is made of.
    Agent(Id<'static>),
}

impl fmt::Display for RequiredBinding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RequiredBinding::Filesystem(id) => write!(formatter, "filesystem \"{id}\""),
            RequiredBinding::Executable(id) => write!(formatter, "executable \"{id}\""),
            RequiredBinding::Credential { target, binding } => {
                write!(
                    formatter,
                    "credential \"{binding}\" for {} \"{}\"",
                    target.kind_name(),
                    target.id()
                )
            }
            RequiredBinding::Environment(id) => write!(formatter, "environment \"{id}\""),
            RequiredBinding::McpServer(id) => write!(formatter, "mcp \"{id}\""),
            RequiredBinding::Integration {
                integration,
                revision_sha256,
            } => {
                write!(
                    formatter,
                    "integration \"{integration}\" @ \"{revision_sha256}\""
                )
            }
            RequiredBinding::Agent(id) => write!(formatter, "agent \"{id}\""),
        }
    }
}

/// What one id stands for now.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ResolvedBinding {
    /// Digest of what the id stands for: it changes when the id is bound to something else.
    pub revision_sha256: Digest,
    /// Of a filesystem binding, where it lies.
    pub directory: Option<BoundDirectory>,
}

/// Where a filesystem binding lies.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct BoundDirectory {
    /// The directory on the host, absolute and free of links and `..`.
    pub host: PathBuf,
    /// Its mount point in the guest, absolute and free of `..`.
    pub guest: PathBuf,
}

/// The host's side: what each id stands for.
pub trait BindingResolver {
    /// What the id stands for, or `None` when the host has bound nothing to it.
    fn resolve(&self, binding: &RequiredBinding) -> Option<ResolvedBinding>;

    /// Whether two filesystem bindings may overlap. Say so for the pairs that are meant to.
    fn may_overlap(&self, first: &Id<'_>, second: &Id<'_>) -> bool {
        let _ = (first, second);
        false
    }
}

/// What every required id stands for: fixed for a root's life.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct BindingRevisions(Vec<(RequiredBinding, Digest)>);

impl BindingRevisions {
    /// These bindings with the digests of what they stand for.
    pub(crate) fn of(mut revisions: Vec<(RequiredBinding, Digest)>) -> Self {
        revisions.sort();
        revisions.dedup();
        BindingRevisions(revisions)
    }

    /// Every required binding with the digest of what it stands for, sorted.
    pub fn iter(&self) -> impl Iterator<Item = (&RequiredBinding, Digest)> {
        self.0
            .iter()
            .map(|(binding, revision)| (binding, *revision))
    }

    /// The digest of what a binding stands for.
    pub fn revision(&self, binding: &RequiredBinding) -> Option<Digest> {
        let found = self.0.binary_search_by(|(other, _)| other.cmp(binding));
        found.ok().map(|index| self.0[index].1)
    }

    /// Digest of all of them, domain `authority/bindings/v1`.
    pub fn sha256(&self) -> Digest {
        let bindings = self.iter().map(|(binding, revision)| {
            object([
                ("binding", text(&binding.to_string())),
                ("revision_sha256", text(&revision.to_hex())),
            ])
        });
        let members = [("bindings", Value::List(bindings.collect()))];
        digest_of("authority/bindings/v1", members)
    }
}

/// What is wrong with a host's bindings: everything at once.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub struct BindingError {
    /// What the host has bound nothing to.
    pub missing: Vec<RequiredBinding>,
    /// Filesystem bindings without an absolute host directory and guest mount point.
    pub without_directory: Vec<Id<'static>>,
    /// Integrations that are bound to another revision than the declared one.
    pub other_revision: Vec<Id<'static>>,
    /// Filesystem bindings of which one equals or lies inside the other.
    pub overlapping: Vec<(Id<'static>, Id<'static>)>,
}

impl fmt::Display for BindingError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the host does not resolve what the declaration names")?;
        for binding in &self.missing {
            write!(formatter, "\n  not bound: {binding}")?;
        }
        for id in &self.without_directory {
            write!(
                formatter,
                "\n  no absolute host directory and guest mount point: filesystem \"{id}\""
            )?;
        }
        for id in &self.other_revision {
            write!(
                formatter,
                "\n  bound to another revision than the declared one: integration \"{id}\""
            )?;
        }
        for (first, second) in &self.overlapping {
            write!(
                formatter,
                "\n  one of these filesystem bindings equals or lies inside the other: \"{first}\", \"{second}\""
            )?;
        }
        Ok(())
    }
}

impl ThreadPermissions {
    /// Every id that the host has to resolve before the root may start, those of declared children
    /// included, sorted and each once.
    pub fn required_bindings(&self) -> Vec<RequiredBinding> {
        let mut required = Vec::new();
        collect(&self.0, &mut required);
        required.sort();
        required.dedup();
        required
    }

    /// Checks that the host resolves everything, and takes what each id stands for now.
    ///
    /// # Errors
    ///
    /// [`BindingError`] names everything that is wrong at once: ids that are bound to nothing,
    /// filesystem bindings without directories or that overlap on the host's or the guest's side,
    /// and integrations of another revision.
    pub fn check_bindings(
        &self,
        resolver: &impl BindingResolver,
    ) -> Result<BindingRevisions, BindingError> {
        let mut error = BindingError {
            missing: Vec::new(),
            without_directory: Vec::new(),
            other_revision: Vec::new(),
            overlapping: Vec::new(),
        };
        let mut revisions = Vec::new();
        let mut directories: Vec<(Id<'static>, BoundDirectory)> = Vec::new();
        for binding in self.required_bindings() {
            let Some(found) = resolver.resolve(&binding) else {
                error.missing.push(binding);
                continue;
            };
            match (&binding, found.directory) {
                (RequiredBinding::Filesystem(id), Some(directory))
                    if directory.host.is_absolute() && directory.guest.is_absolute() =>
                {
                    directories.push((id.clone(), directory));
                }
                (RequiredBinding::Filesystem(id), _) => error.without_directory.push(id.clone()),
                (
                    RequiredBinding::Integration {
                        integration,
                        revision_sha256,
                    },
                    _,
                ) if *revision_sha256 != found.revision_sha256 => {
                    error.other_revision.push(integration.clone());
                }
                _ => {}
            }
            revisions.push((binding, found.revision_sha256));
        }
        for (index, (first, left)) in directories.iter().enumerate() {
            for (second, right) in &directories[index + 1..] {
                if left.overlaps(right)
                    && !resolver.may_overlap(first, second)
                    && !resolver.may_overlap(second, first)
                {
                    error.overlapping.push((first.clone(), second.clone()));
                }
            }
        }
        if error.missing.is_empty()
            && error.without_directory.is_empty()
            && error.other_revision.is_empty()
            && error.overlapping.is_empty()
        {
            Ok(BindingRevisions(revisions))
        } else {
            Err(error)
        }
    }
}

impl BoundDirectory {
    fn overlaps(&self, other: &BoundDirectory) -> bool {
        let either =
            |left: &PathBuf, right: &PathBuf| left.starts_with(right) || right.starts_with(left);
        either(&self.host, &other.host) || either(&self.guest, &other.guest)
    }
}

fn collect(declaration: &Declaration, required: &mut Vec<RequiredBinding>) {
    for scope in declaration.scopes() {
        match scope.target().into_owned() {
            Target::Filesystem(target) => {
                required.push(RequiredBinding::Filesystem(target.binding));
            }
            Target::Subprocess(target) => {
                required.push(RequiredBinding::Executable(target.executable));
                if let Some((_, binding, _)) = scope.run() {
                    required.push(RequiredBinding::Filesystem(Id(binding.to_owned().into())));
                }
            }
            Target::Mcp(target) => required.push(RequiredBinding::McpServer(target.server)),
            Target::Integration(target) => required.push(RequiredBinding::Integration {
                integration: target.integration,
                revision_sha256: target.revision_sha256,
            }),
            Target::ChildAgent(target) => required.push(RequiredBinding::Agent(target.agent)),
            Target::Network(_) | Target::Github(_) | Target::Browser(_) => {}
        }
    }
    for grant in declaration.credentials().into_iter().flatten() {
        if let Some(binding) = &grant.binding {
            required.push(RequiredBinding::Credential {
                target: grant.target.clone(),
                binding: binding.clone(),
            });
        }
    }
    for id in declaration.environment().into_iter().flatten() {
        required.push(RequiredBinding::Environment(id.clone()));
    }
    for (_, child) in declaration.children() {
        collect(&child.0, required);
    }
}
