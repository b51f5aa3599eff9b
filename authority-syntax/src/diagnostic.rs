//! One form for every message: what is wrong in one line with a code, then what to write.

use std::fmt::{self, Write as _};

use proc_macro2::Span;

use crate::codes::Code;

/// An error in a declaration.
///
/// [`Display`](fmt::Display) gives the message as the compiler shows it: the title with the code in
/// brackets, and on the next line `help:` with what to write instead.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// The stable code.
    pub code: Code,
    /// The token that is wrong.
    pub span: Span,
    /// What is wrong, in one line.
    pub message: String,
    /// What to write instead.
    pub help: String,
}

impl Diagnostic {
    pub(crate) fn new(
        code: Code,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Diagnostic {
            code,
            span,
            message: message.into(),
            help: help.into(),
        }
    }

    /// Names a second place, as ` (first given on line 12)`, when its line is known.
    pub(crate) fn with_place(mut self, what: &str, place: Span) -> Self {
        let line = place.start().line;
        if line > 0 {
            let _ = write!(self.message, " ({what} on line {line})");
        }
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} [{}]", self.message, self.code)?;
        for (index, line) in self.help.lines().enumerate() {
            let label = if index == 0 { "help: " } else { "      " };
            write!(formatter, "\n  {label}{line}")?;
        }
        Ok(())
    }
}
