//! What is wrong in a source: an error of the grammar, or what a lint noticed.

use std::ops::Range;

use authority_syntax::Diagnostic;
use proc_macro2::Span;

/// What is wrong, where, and what to do.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub(crate) code: &'static str,
    pub(crate) severity: Severity,
    pub(crate) message: String,
    pub(crate) help: String,
    pub(crate) place: Place,
}

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Severity {
    /// It does not compile, or cannot be read.
    Error,
    /// It compiles, and somebody should look at it.
    Warning,
}

impl Severity {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }
}

/// A place in a source file of a workspace.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Place {
    /// Index of the file.
    pub(crate) file: usize,
    /// From 1.
    pub(crate) line: usize,
    /// In characters, from 1.
    pub(crate) column: usize,
    /// In bytes.
    pub(crate) range: Range<usize>,
}

impl Place {
    pub(crate) fn of(file: usize, span: Span) -> Self {
        let start = span.start();
        Place {
            file,
            line: start.line,
            column: start.column + 1,
            range: span.byte_range(),
        }
    }

    pub(crate) fn start_of(file: usize) -> Self {
        Place {
            file,
            line: 1,
            column: 1,
            range: 0..0,
        }
    }
}

impl Finding {
    pub(crate) fn of(diagnostic: &Diagnostic, at: &impl Fn(Span) -> Place) -> Self {
        Finding {
            code: diagnostic.code.name(),
            severity: Severity::Error,
            message: diagnostic.message.clone(),
            help: diagnostic.help.clone(),
            place: at(diagnostic.span),
        }
    }
}
