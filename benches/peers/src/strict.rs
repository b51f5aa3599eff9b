//! Strict decoding by `serde_json` of the documents that this project reads: unknown keys, unknown
//! words and duplicates are refused, every key that must be there is, nothing is coerced.
//!
//! It is as fast as `serde` can be made: no `tag`, which buffers what it reads, and strings borrowed
//! from the text. It checks no target and no rule between the members.

use serde::Deserialize;

/// A restriction that lists scopes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StrictRestriction<'a> {
    #[serde(rename = "version")]
    _version: u32,
    #[serde(borrow)]
    pub scopes: Vec<StrictScope<'a>>,
}

impl<'a> StrictRestriction<'a> {
    pub fn decode(text: &'a str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }
}

/// A scope document.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StrictScope<'a> {
    #[serde(rename = "operations")]
    _operations: Vec<Operation>,
    #[serde(rename = "schema_version")]
    _schema_version: u32,
    #[serde(borrow, rename = "target")]
    _target: Target<'a>,
}

impl<'a> StrictScope<'a> {
    pub fn decode(text: &'a str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Filesystem,
    Subprocess,
    Network,
    Github,
    Browser,
    Mcp,
    Integration,
}

/// The operations of all kinds.
#[derive(Deserialize)]
enum Operation {
    #[serde(rename = "inspect")]
    Inspect,
    #[serde(rename = "list")]
    List,
    #[serde(rename = "read")]
    Read,
    #[serde(rename = "write")]
    Write,
    #[serde(rename = "delete")]
    Delete,
    #[serde(rename = "execute")]
    Execute,
    #[serde(rename = "simulate")]
    Simulate,
    #[serde(rename = "connect")]
    Connect,
    #[serde(rename = "request.safe")]
    RequestSafe,
    #[serde(rename = "request.write")]
    RequestWrite,
    #[serde(rename = "issue.write")]
    IssueWrite,
    #[serde(rename = "comment.write")]
    CommentWrite,
    #[serde(rename = "pull_request.write")]
    PullRequestWrite,
    #[serde(rename = "contents.write")]
    ContentsWrite,
    #[serde(rename = "workflow.run")]
    WorkflowRun,
    #[serde(rename = "release.write")]
    ReleaseWrite,
    #[serde(rename = "navigate")]
    Navigate,
    #[serde(rename = "interact")]
    Interact,
    #[serde(rename = "status")]
    Status,
    #[serde(rename = "start")]
    Start,
    #[serde(rename = "call")]
    Call,
    #[serde(rename = "invoke")]
    Invoke,
    #[serde(rename = "enable")]
    Enable,
    #[serde(rename = "disable")]
    Disable,
    #[serde(rename = "remove")]
    Remove,
}

/// The members of all kinds, flat.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
struct Target<'a> {
    kind: Kind,
    root_id: Option<&'a str>,
    relative_path: Option<&'a str>,
    recursive: Option<bool>,
    executable: Option<&'a str>,
    argv_sha256: Option<&'a str>,
    cwd_sha256: Option<&'a str>,
    protocol: Option<&'a str>,
    host: Option<&'a str>,
    port: Option<u16>,
    redirect_policy: Option<&'a str>,
    repository: Option<&'a str>,
    origin: Option<&'a str>,
    server_id: Option<&'a str>,
    tool_name: Option<&'a str>,
    integration_id: Option<&'a str>,
    revision_sha256: Option<&'a str>,
}
