//! Approvals: when somebody is asked, and what exactly they approve.

mod boundary;
mod coverage;
mod effect;
mod grant;
mod holder;
mod http;
mod lifetime;
mod path;
mod policy;
mod preview;
mod render;
mod revalidate;
mod reviewer;
mod rule;
mod timestamp;
mod value;

pub use coverage::{AdvisoryField, Coverage, EffectField};
pub use effect::{Content, Effect, GithubPart, GithubResource, HttpRequest, Previous};
pub use grant::{Grant, GrantError, NewGrant};
pub use holder::Holder;
pub use lifetime::Lifetime;
pub use policy::{ApprovalPolicy, CompileError, CompiledRule, Reviewed};
pub use preview::{Advisory, Preview, PreviewChange, PreviewError};
pub use render::TextLimits;
pub use revalidate::{Context, RevalidateError};
pub use reviewer::Reviewer;
pub use rule::{ExplicitRule, RuleError};
pub use timestamp::{Timestamp, TimestampError};
