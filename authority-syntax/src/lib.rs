//! The language of `authority!` declarations: tokens to a tree, a tree to checked permissions.
//!
//! The macro, the command-line tool and the fuzzers share this crate, so that there is one grammar
//! and one set of messages. Parsing never fails and never panics: an entry that is not finished is
//! kept as far as it goes.
//!
//! ```
//! let tokens = r#"filesystem "ws" => raed;"#.parse().expect("it lexes");
//! let parsed = authority_syntax::parse(tokens);
//! let authority_syntax::tree::Form::Body(body) = parsed.form else { panic!("no module") };
//! let checked = authority_syntax::check(&body);
//! assert_eq!(
//!     checked.diagnostics[0].to_string(),
//!     "unknown operation `raed` of `filesystem` [A0302]\n  help: write `read`",
//! );
//! ```

mod check;
mod codes;
mod diagnostic;
pub mod docs;
mod fuzz;
mod literal;
mod parse;
mod print;
mod suggest;
mod tokens;
pub mod tree;

pub use check::{Checked, check};
pub use codes::Code;
pub use diagnostic::Diagnostic;
#[doc(hidden)]
pub use fuzz::fuzz;
pub use parse::parse;
pub use print::print;
