//! How a question reaches whoever answers it.

use std::pin::Pin;

use crate::gate::{Answer, Question};

/// Asks somebody, and waits for the answer.
///
/// The gate names the reviewer in its [`ApprovalPolicy`](crate::ApprovalPolicy); an implementation
/// says how that reviewer is reached: a terminal, a dialogue, a message. What it shows is
/// [`Question::render`]. There is none here that allows by itself.
pub trait Review: Send + Sync {
    /// Asks, and gives the answer, which only the question makes.
    ///
    /// An answer after [`Question::deadline`] is late and discarded. A panic is an error too, where
    /// panics unwind.
    ///
    /// # Errors
    ///
    /// When nobody answers.
    fn review(&self, question: &Question) -> Result<Answer, ReviewError>;
}

/// The same without blocking. No runtime is needed: the host's own awaits it, and ends it by the
/// host's own timer.
pub trait ReviewAsync: Send + Sync {
    /// Asks, and gives the answer.
    ///
    /// # Errors
    ///
    /// As [`Review::review`].
    fn review<'a>(&'a self, question: &'a Question) -> ReviewFuture<'a>;
}

/// The answer of a [`ReviewAsync`], in time.
pub type ReviewFuture<'a> = Pin<Box<dyn Future<Output = Result<Answer, ReviewError>> + Send + 'a>>;

/// Why a reviewer gives no answer.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum ReviewError {
    /// The deadline passed.
    #[error("nobody answered in time")]
    TimedOut,
    /// The reviewer cannot be reached, or what came back is no answer.
    #[error("the reviewer cannot be asked")]
    Unavailable,
}
