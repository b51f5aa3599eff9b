//! Approvals: when somebody is asked, and what exactly they approve.

mod boundary;
mod coverage;
mod effect;
mod holder;
mod http;
mod path;
mod policy;
mod preview;
mod render;
mod reviewer;
mod rule;
mod timestamp;
mod value;

pub use coverage::{AdvisoryField, Coverage, EffectField};
pub use effect::{Content, Effect, GithubPart, GithubResource, HttpRequest, Previous};
pub use holder::Holder;
pub use policy::{ApprovalPolicy, CompileError, CompiledRule, Reviewed};
pub use preview::{Advisory, Preview, PreviewChange, PreviewError};
pub use render::TextLimits;
pub use reviewer::Reviewer;
pub use rule::{ExplicitRule, RuleError};
pub use timestamp::{Timestamp, TimestampError};
