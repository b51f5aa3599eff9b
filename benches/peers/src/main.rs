//! Measures `authority-core` and its peers on the same work, in one run.
//!
//! ```text
//! peers [SUBJECT …]          prints the report, of these subjects or of all
//! peers into DOCUMENT        puts the report of all subjects into a Markdown document
//! peers decisions DEPTH N    decides N times at depth 1 or 1,000, for a profiler
//! peers text WORK N          does N steps of work on texts, for a profiler
//! ```

mod allocations;
#[cfg(feature = "engines")]
mod engines;
mod figures;
mod measure;
mod report;
mod strict;
mod work;

use std::io;
use std::path::Path;

use crate::figures::decide::Decisions;
use crate::report::Report;

#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["into", document] => report(&[]).write_into(Path::new(document))?,
        ["decisions", depth, decisions] => {
            let decisions = decisions.parse().expect("a number of decisions");
            figures::depth::decide(depth != "1", decisions);
        }
        ["text", work, steps] => {
            figures::text::repeat(work, steps.parse().expect("a number of steps"));
        }
        _ => print!("{}", report(&arguments).to_markdown()),
    }
    Ok(())
}

/// Measures these subjects, or all.
fn report(subjects: &[&str]) -> Report {
    let mut report = Report::default();
    for (subject, measure) in SUBJECTS {
        if subjects.is_empty() || subjects.contains(subject) {
            eprintln!("{subject}");
            measure(&mut report);
        }
    }
    report
}

type Measure = fn(&mut Report);

/// The subjects, in the order of the table.
const SUBJECTS: &[(&str, Measure)] = &[
    ("limits", figures::limits::measure),
    ("decide", decide),
    ("depth", figures::depth::measure),
    ("derive", figures::derive::measure),
    ("handles", figures::handles::derive),
    ("load", figures::load::measure),
    ("memory", figures::memory::measure),
    ("declared", figures::declared::measure),
    ("digest", figures::digest::measure),
    ("ledger", figures::ledger::measure),
];

fn decide(report: &mut Report) {
    for count in [10, 1_000, 100_000, 1_000_000] {
        let decisions = Decisions::new(count);
        figures::decide::measure(report, &decisions);
        figures::handles::decide(report, &decisions);
        #[cfg(feature = "engines")]
        engines::measure(report, &decisions);
    }
    report.note(work::ABOUT);
}
