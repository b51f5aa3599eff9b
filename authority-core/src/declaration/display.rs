//! Declared scopes as the DSL writes them, for people.

use std::fmt::{self, Write as _};

use crate::declaration::DeclaredScope;
use crate::id::ToolName;
#[cfg(feature = "host")]
use crate::request::Request;
use crate::target::{McpTarget, RelativePath, Target};
use crate::vocabulary::RedirectPolicy;

/// The entry as the DSL writes it, without the `;`: `filesystem "ws" / "Cargo.toml" => read`.
impl fmt::Display for DeclaredScope<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.target(), self.run()) {
            (Target::Subprocess(target), Some((arguments, binding, path))) => {
                push_run(
                    formatter,
                    target.executable.as_str(),
                    arguments,
                    binding,
                    path,
                )?;
            }
            (target, _) => fmt::Display::fmt(&target, formatter)?,
        }
        if self.is_delegable_path() {
            formatter.write_str(" delegable")?;
        }
        write!(formatter, " => {}", self.operations())
    }
}

/// The target and operation as the DSL would grant them, for people.
#[cfg(feature = "host")]
impl fmt::Display for Request<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.target(), self.arguments(), self.working_directory()) {
            (Target::Subprocess(target), Some(arguments), Some(directory)) => {
                let path = directory.path.as_ref().map(RelativePath::as_str);
                push_run(
                    formatter,
                    target.executable.as_str(),
                    arguments,
                    directory.binding.as_str(),
                    path,
                )?;
            }
            (target, ..) => fmt::Display::fmt(target, formatter)?,
        }
        write!(formatter, " => {}", self.operation())
    }
}

fn push_run<'t>(
    formatter: &mut fmt::Formatter<'_>,
    executable: &str,
    arguments: impl IntoIterator<Item = &'t str>,
    binding: &str,
    path: Option<&str>,
) -> fmt::Result {
    write!(formatter, "subprocess {} [", Literal(executable))?;
    for (index, argument) in arguments.into_iter().enumerate() {
        if index > 0 {
            formatter.write_str(", ")?;
        }
        write!(formatter, "{argument:?}")?;
    }
    write!(formatter, "] in {}", Literal(binding))?;
    push_path(formatter, path)
}

/// The target as the DSL writes it. A subprocess and a child agent are shown with their digests,
/// which is all that such a target holds.
impl fmt::Display for Target<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.kind().name())?;
        formatter.write_char(' ')?;
        match self {
            Target::Filesystem(target) => {
                Literal(target.binding.as_str()).fmt(formatter)?;
                push_path(formatter, target.path.as_ref().map(RelativePath::as_str))
            }
            Target::Subprocess(target) => write!(
                formatter,
                "{} argv {} cwd {}",
                Literal(target.executable.as_str()),
                target.argv_sha256,
                target.cwd_sha256
            ),
            Target::Network(target) => {
                Literal(&target.endpoint.to_string()).fmt(formatter)?;
                match target.redirect {
                    RedirectPolicy::Deny => Ok(()),
                    RedirectPolicy::SameOrigin => {
                        write!(formatter, " redirect {}", target.redirect)
                    }
                }
            }
            Target::Github(repository) => Literal(repository.as_str()).fmt(formatter),
            Target::Browser(target) => Literal(target.origin.as_str()).fmt(formatter),
            Target::Mcp(McpTarget { server, tool }) => {
                Literal(server.as_str()).fmt(formatter)?;
                push_path(formatter, tool.as_ref().map(ToolName::as_str))
            }
            Target::Integration(target) => {
                write!(
                    formatter,
                    "{} @ \"{}\"",
                    Literal(target.integration.as_str()),
                    target.revision_sha256
                )
            }
            Target::ChildAgent(target) => Literal(target.agent.as_str()).fmt(formatter),
        }
    }
}

fn push_path(formatter: &mut fmt::Formatter<'_>, path: Option<&str>) -> fmt::Result {
    match path {
        Some(path) => write!(formatter, " / {}", Literal(path)),
        None => Ok(()),
    }
}

/// A target's text as a string literal of the DSL: `\"` is its only escape.
struct Literal<'a>(&'a str);

impl fmt::Display for Literal<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "\"{}\"", self.0.replace('"', "\\\""))
    }
}
