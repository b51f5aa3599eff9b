//! The wire form of targets (schema version 1): JSON, written canonically.

use crate::canonical::{push_key, push_string};
use crate::digest::Digest;
use crate::target::{RelativePath, Target};

impl Target<'_> {
    /// Canonical JSON of the wire form.
    pub fn canonical_json(&self) -> String {
        let mut json = String::new();
        self.push_canonical_json(&mut json);
        json
    }

    pub(crate) fn push_canonical_json(&self, out: &mut String) {
        out.push('{');
        for (key, value) in self.members() {
            push_key(out, key);
            match value {
                Value::Null => out.push_str("null"),
                Value::Bool(true) => out.push_str("true"),
                Value::Bool(false) => out.push_str("false"),
                Value::Number(number) => out.push_str(&number.to_string()),
                Value::Text(text) => push_string(out, text),
                Value::Digest(digest) => {
                    out.push('"');
                    digest.push_hex(out);
                    out.push('"');
                }
            }
        }
        out.push('}');
    }

    /// The members of the wire form, sorted by key.
    pub(crate) fn members(&self) -> Vec<(&'static str, Value<'_>)> {
        let kind = ("kind", Value::Text(self.kind().name()));
        match self {
            Target::Filesystem(target) => vec![
                kind,
                ("recursive", Value::Bool(target.path.is_none())),
                (
                    "relative_path",
                    Value::Text(target.path.as_ref().map_or(".", RelativePath::as_str)),
                ),
                ("root_id", Value::Text(target.binding.as_str())),
            ],
            Target::Subprocess(target) => vec![
                ("argv_sha256", Value::Digest(target.argv_sha256)),
                ("cwd_sha256", Value::Digest(target.cwd_sha256)),
                ("executable", Value::Text(target.executable.as_str())),
                kind,
            ],
            Target::Network(target) => vec![
                ("host", Value::Text(target.endpoint.host())),
                kind,
                ("port", Value::Number(target.endpoint.port())),
                ("protocol", Value::Text(target.endpoint.protocol().name())),
                ("redirect_policy", Value::Text(target.redirect.name())),
            ],
            Target::Github(repository) => {
                vec![kind, ("repository", Value::Text(repository.as_str()))]
            }
            Target::Browser(target) => vec![kind, ("origin", Value::Text(target.origin.as_str()))],
            Target::Mcp(target) => vec![
                kind,
                ("server_id", Value::Text(target.server.as_str())),
                (
                    "tool_name",
                    target
                        .tool
                        .as_ref()
                        .map_or(Value::Null, |tool| Value::Text(tool.as_str())),
                ),
            ],
            Target::Integration(target) => vec![
                ("integration_id", Value::Text(target.integration.as_str())),
                kind,
                ("revision_sha256", Value::Digest(target.revision_sha256)),
            ],
            Target::ChildAgent(target) => vec![
                ("agent_id", Value::Text(target.agent.as_str())),
                kind,
                (
                    "parent_ceiling_sha256",
                    Value::Digest(target.parent_ceiling_sha256),
                ),
            ],
        }
    }
}

/// The value of a member.
#[derive(Eq, PartialEq)]
pub(crate) enum Value<'v> {
    Null,
    Bool(bool),
    Number(u16),
    Text(&'v str),
    Digest(Digest),
}
