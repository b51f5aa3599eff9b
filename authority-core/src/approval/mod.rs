//! Approvals: when somebody is asked, and what exactly they approve.

mod boundary;
mod coverage;
mod effect;
mod grant;
mod grants;
mod holder;
mod http;
mod lifetime;
mod maker;
mod memory_grants;
mod path;
mod policy;
mod preview;
mod preview_error;
mod render;
mod revalidate;
mod reviewer;
mod rule;
mod seal;
mod store;
#[cfg(any(test, feature = "conformance"))]
pub(crate) mod store_conformance;
mod timestamp;
mod value;

pub use coverage::{AdvisoryField, Coverage, EffectField};
pub use effect::{Content, Effect, GithubPart, GithubResource, HttpRequest, Previous};
pub use grant::{Grant, GrantError, NewGrant};
pub use grants::{Found, Grants, Refusal};
pub use holder::Holder;
pub use lifetime::Lifetime;
pub use memory_grants::MemoryGrants;
pub use policy::{ApprovalPolicy, CompileError, CompiledRule, Reviewed};
pub use preview::{Advisory, Preview, PreviewChange};
pub use preview_error::PreviewError;
pub use render::TextLimits;
pub use revalidate::{Context, RevalidateError};
pub use reviewer::Reviewer;
pub use rule::{ExplicitRule, RuleError};
pub use seal::{GrantSeal, SealedGrant};
pub use store::{GrantQuery, GrantStore, GrantStoreError, StoredGrant};
pub use timestamp::{Timestamp, TimestampError};
