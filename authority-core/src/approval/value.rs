//! Values of effect fields: what the digest is taken over, and what a reviewer is shown.

use crate::artifact::ModelRoute;
use crate::declaration::json::{Value as Json, object, text};
use crate::digest::Digest;
use crate::id::Id;
use crate::target::{FilesystemTarget, RelativePath, WorkingDirectory};

/// The value of an effect field.
#[derive(Clone, Eq, PartialEq)]
pub(super) enum Value {
    /// Explicitly nothing.
    None,
    Flag(bool),
    Number(u64),
    Word(&'static str),
    Text(String),
    Digest(Digest),
    /// A text of which only the digest is recorded.
    Shown(Shown),
    Arguments(Vec<String>, Digest),
    /// Numbers of arguments, sorted, with the digest of the file that each names.
    Operands(Vec<(usize, Digest)>),
    Ids(Vec<Id<'static>>),
    Directory(WorkingDirectory<'static>),
    File(FilesystemTarget<'static>),
    Route(ModelRoute),
    Resource(&'static str, Detail),
}

/// A text that is shown, and its digest, which is recorded.
#[derive(Clone, Eq, PartialEq)]
pub(super) struct Shown {
    pub(super) text: String,
    pub(super) sha256: Digest,
}

/// Which one of a sort of resource.
#[derive(Clone, Eq, PartialEq)]
pub(super) enum Detail {
    None,
    Number(u64),
    Name(String),
}

impl Value {
    pub(super) fn shown(text: String) -> Self {
        let sha256 = Digest::of(text.as_bytes());
        Value::Shown(Shown { text, sha256 })
    }

    /// The value as the digest of a preview covers it.
    pub(super) fn to_json(&self) -> Json<'static> {
        match self {
            Value::None => Json::Null,
            Value::Flag(flag) => Json::Bool(*flag),
            Value::Number(number) => Json::Number(*number),
            Value::Word(word) => text(word),
            Value::Text(own) => text(own),
            Value::Digest(digest) | Value::Arguments(_, digest) => hex(*digest),
            Value::Shown(shown) => hex(shown.sha256),
            Value::Operands(operands) => {
                let operand = |(argument, digest): &(usize, Digest)| {
                    object([
                        ("argument", Json::Number(*argument as u64)),
                        ("content_sha256", hex(*digest)),
                    ])
                };
                Json::List(operands.iter().map(operand).collect())
            }
            Value::Ids(ids) => Json::List(ids.iter().map(|id| text(id.as_str())).collect()),
            Value::Directory(WorkingDirectory { binding, path })
            | Value::File(FilesystemTarget { binding, path }) => {
                let path = path.as_ref().map_or(".", RelativePath::as_str);
                object([
                    ("relative_path", text(path)),
                    ("root_id", text(binding.as_str())),
                ])
            }
            Value::Route(route) => object([
                ("model_id", text(&route.model_id)),
                ("provider_id", text(route.provider_id.as_str())),
            ]),
            Value::Resource(sort, detail) => {
                let detail = match detail {
                    Detail::None => Json::Null,
                    Detail::Number(number) => Json::Number(*number),
                    Detail::Name(name) => text(name),
                };
                object([("is", text(sort)), ("which", detail)])
            }
        }
    }
}

pub(super) fn hex(digest: Digest) -> Json<'static> {
    Json::Text(digest.to_hex())
}
