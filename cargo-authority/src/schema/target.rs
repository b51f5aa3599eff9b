//! Targets with their operations: scopes and requests.

use authority_core::vocabulary::operations::{browser, child_agent};
use authority_core::vocabulary::{Protocol, RedirectPolicy};
use authority_core::{Kind, Operation};
use serde_json::{Value, json};

use super::{number, object, of, open_object, set, text, word};

/// Who writes the target.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(super) enum Form {
    /// A declaration: in its one spelling.
    Declared,
    /// A request, which may spell some of it otherwise.
    Requested,
}

/// A target with its operations, of each kind.
pub(super) fn scope() -> Value {
    let kinds = Kind::all().map(|kind| {
        let mut operations = set(&word(kind.operations().map(Operation::name)));
        operations["minItems"] = json!(1);
        let mut scope = open_object(
            [
                ("operations", operations),
                ("schema_version", json!({ "const": 1 })),
                ("target", target(kind, Form::Declared)),
            ],
            [("scope_sha256", of("digest"))],
        );
        scope["title"] = json!(kind.title());
        scope["description"] = json!(kind.row().about);
        scope
    });
    json!({
        "oneOf": kinds.collect::<Vec<_>>(),
        "$comment": "Not said: that a key stands once, that a number is written in plain digits, and that scope_sha256 is the digest of the rest.",
    })
}

/// What somebody wants to do now, of each kind.
pub(super) fn request() -> Value {
    let kinds = Kind::all().flat_map(|kind| {
        let operations: Vec<_> = kind.operations().collect();
        // Operations of one kind differ in what stands beside them.
        let (with, without): (Vec<_>, Vec<_>) = operations
            .into_iter()
            .partition(|operation| has_more(*operation));
        let parts = [(with, true), (without, false)];
        let parts = parts
            .into_iter()
            .filter(|(operations, _)| !operations.is_empty());
        parts.map(move |(operations, has_more)| {
            let mut wanted = target(kind, Form::Requested);
            if has_more && kind == Kind::ChildAgent {
                wanted = with_thread(wanted);
            }
            let members = [
                (
                    "operation",
                    word(operations.iter().map(|operation| operation.name())),
                ),
                ("target", wanted),
            ];
            let credential = ("credential", of("id"));
            let mut request = if has_more && kind == Kind::Browser {
                let file = ("file", filesystem(Form::Requested));
                let [operation, target] = members;
                open_object([operation, target, file], [credential])
            } else {
                open_object(members, [credential])
            };
            request["title"] = json!(kind.title());
            request
        })
    });
    json!({
        "oneOf": kinds.collect::<Vec<_>>(),
        "$comment": "Not said: that a key stands once, and which hosts, origins and URLs are valid: a request may spell them in several ways.",
    })
}

/// Whether the operation moves a file, or is one on a thread that runs.
fn has_more(operation: Operation) -> bool {
    let moves_file = [browser::Download, browser::Upload].map(Operation::from);
    let starts: Operation = child_agent::Delegate.into();
    moves_file.contains(&operation) || (operation.kind() == Kind::ChildAgent && operation != starts)
}

fn with_thread(mut target: Value) -> Value {
    target["properties"]["thread_id"] = of("id");
    if let Some(required) = target["required"].as_array_mut() {
        required.push(json!("thread_id"));
    }
    target
}

/// The target of a kind.
fn target(kind: Kind, form: Form) -> Value {
    let is_request = form == Form::Requested;
    let name = ("kind", json!({ "const": kind.name() }));
    match kind {
        Kind::Filesystem => filesystem(form),
        Kind::Subprocess if is_request => {
            let argument =
                json!({ "type": "string", "maxLength": 4096, "not": { "pattern": "\\u0000" } });
            let run = object([
                name.clone(),
                ("executable", of("id")),
                (
                    "argv",
                    json!({ "type": "array", "maxItems": 1024, "items": argument }),
                ),
                (
                    "cwd",
                    object([("root_id", of("id")), ("relative_path", dot_or_path())]),
                ),
            ]);
            json!({ "oneOf": [run, target(kind, Form::Declared)] })
        }
        Kind::Subprocess => object([
            name,
            ("executable", of("id")),
            ("argv_sha256", of("digest")),
            ("cwd_sha256", of("digest")),
        ]),
        Kind::Network => {
            let redirect = word(RedirectPolicy::ALL.iter().map(|policy| policy.name()));
            let redirect = ("redirect_policy", redirect);
            let host = if is_request { spelled() } else { of("host") };
            let parts = object([
                name.clone(),
                ("host", host),
                ("port", number(1, u16::MAX.into())),
                (
                    "protocol",
                    word(Protocol::ALL.iter().map(|protocol| protocol.name())),
                ),
                redirect.clone(),
            ]);
            if is_request {
                let whole = open_object([name, ("url", spelled())], [redirect]);
                json!({ "oneOf": [parts, whole] })
            } else {
                parts
            }
        }
        Kind::Github => object([name, ("repository", text::repository(is_request))]),
        Kind::Browser if is_request => {
            let parts = object([name.clone(), ("origin", spelled())]);
            json!({ "oneOf": [parts, object([name, ("url", spelled())])] })
        }
        Kind::Browser => object([name, ("origin", of("origin"))]),
        Kind::McpServer => object([
            name,
            ("server_id", of("id")),
            ("tool_name", json!({ "type": "null" })),
        ]),
        Kind::McpTool => object([
            name,
            ("server_id", of("id")),
            ("tool_name", of("tool_name")),
        ]),
        Kind::Integration => object([
            name,
            ("integration_id", of("id")),
            ("revision_sha256", of("digest")),
        ]),
        Kind::ChildAgent => object([
            name,
            ("agent_id", of("id")),
            ("parent_ceiling_sha256", of("digest")),
        ]),
    }
}

/// A whole binding, or one path in it.
pub(super) fn filesystem(form: Form) -> Value {
    let form = |is_whole: bool| {
        let path = if is_whole {
            json!({ "const": "." })
        } else {
            of("path")
        };
        let members = [
            ("kind", json!({ "const": Kind::Filesystem.name() })),
            ("root_id", of("id")),
            ("relative_path", path),
        ];
        let recursive = ("recursive", json!({ "const": is_whole }));
        match form {
            Form::Declared => {
                let [kind, binding, path] = members;
                object([kind, binding, path, recursive])
            }
            Form::Requested => open_object(members, [recursive]),
        }
    };
    json!({ "oneOf": [form(true), form(false)] })
}

fn dot_or_path() -> Value {
    json!({ "anyOf": [{ "const": "." }, of("path")] })
}

/// A text that a request may spell in several ways.
fn spelled() -> Value {
    json!({ "type": "string", "minLength": 1 })
}
