//! The table of results: what was measured, against what, and whether the goal is met.

use std::fmt::{self, Write};
use std::num::NonZero;
use std::path::Path;
use std::{fs, io};

use crate::measure::Figure;

/// Rows in the order in which they were measured.
#[derive(Default)]
pub struct Report {
    rows: Vec<Row>,
    notes: Vec<String>,
}

/// A line of the table.
struct Row {
    figure: String,
    work: String,
    ours: String,
    peer: String,
    theirs: String,
    ratio: String,
    goal: String,
    is_met: Option<bool>,
}

/// What a row must show.
#[derive(Clone, Copy)]
pub enum Goal {
    /// At most this many times the peer.
    AtMost(f64),
    /// At least this many times faster than the peer.
    Faster(f64),
    /// At most this many nanoseconds.
    Nanoseconds(f64),
    /// At most this many bytes, or this many of something else that is counted.
    Count(f64),
    /// Nothing: the row is there to be seen.
    None,
}

impl Goal {
    fn is_met(self, ours: f64, ratio: Option<f64>) -> Option<bool> {
        match (self, ratio) {
            (Goal::AtMost(most), Some(ratio)) => Some(ratio <= most),
            (Goal::Faster(least), Some(ratio)) => Some(ratio.recip() >= least),
            (Goal::Nanoseconds(most) | Goal::Count(most), _) => Some(ours <= most),
            _ => None,
        }
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Goal::AtMost(most) => write!(formatter, "≤ {most} ×"),
            Goal::Faster(least) => write!(formatter, "≥ {} × faster", grouped(least)),
            Goal::Nanoseconds(most) => write!(formatter, "≤ {most} ns"),
            Goal::Count(most) => write!(formatter, "≤ {}", grouped(most)),
            Goal::None => write!(formatter, "–"),
        }
    }
}

impl Report {
    /// A time against that of a peer, with the ratio of the two.
    pub fn time(
        &mut self,
        figure: &str,
        work: &str,
        ours: &Figure,
        (peer, theirs): (&str, &Figure),
        goal: Goal,
    ) {
        let ratio = ours.ratio(theirs);
        self.push(Row {
            figure: figure.to_owned(),
            work: work.to_owned(),
            ours: nanoseconds(ours),
            peer: peer.to_owned(),
            theirs: nanoseconds(theirs),
            ratio: times(ratio, goal),
            goal: goal.to_string(),
            is_met: goal.is_met(ours.median(), Some(ratio)),
        });
    }

    /// A time against a fixed goal.
    pub fn alone(&mut self, figure: &str, work: &str, ours: &Figure, goal: Goal) {
        self.push(Row {
            figure: figure.to_owned(),
            work: work.to_owned(),
            ours: nanoseconds(ours),
            peer: String::new(),
            theirs: String::new(),
            ratio: String::new(),
            goal: goal.to_string(),
            is_met: goal.is_met(ours.median(), None),
        });
    }

    /// Bytes or a count against a fixed goal, and what a peer has of it.
    pub fn count(
        &mut self,
        figure: &str,
        work: &str,
        (ours, unit): (f64, &str),
        peer: Option<(&str, f64)>,
        goal: Goal,
    ) {
        let in_unit = |count: f64| format!("{} {unit}", grouped(count)).trim_end().to_owned();
        self.push(Row {
            figure: figure.to_owned(),
            work: work.to_owned(),
            ours: in_unit(ours),
            peer: peer.map_or(String::new(), |(name, _)| name.to_owned()),
            theirs: peer.map_or(String::new(), |(_, theirs)| in_unit(theirs)),
            ratio: peer.map_or(String::new(), |(_, theirs)| times(ours / theirs, goal)),
            goal: goal.to_string(),
            is_met: goal.is_met(ours, peer.map(|(_, theirs)| ours / theirs)),
        });
    }

    /// Something that a reader of the table has to know.
    pub fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        eprintln!("  note: {note}");
        self.notes.push(note);
    }

    fn push(&mut self, row: Row) {
        eprintln!("  {row}");
        self.rows.push(row);
    }

    /// The table and the notes, as a section of a Markdown document.
    pub fn to_markdown(&self) -> String {
        let met = |met: bool| {
            self.rows
                .iter()
                .filter(|row| row.is_met == Some(met))
                .count()
        };
        let mut text = format!(
            "{HEADING}\n\n\
             Measured in one run on {}. Times are the median and the minimum over many short rounds in which \
             the candidates take turns, a step; ratios are medians of those within a round, since others use \
             the machine too. {}.\n\n\
             Goals met: {}, not met: {}. Run it again with `benches/decisions`.\n\n\
             | figure | work | this project | compared with | it | ratio | goal | met |\n\
             | --- | --- | --: | --- | --: | --: | --: | --- |\n",
            machine(),
            env!("VERSIONS"),
            met(true),
            met(false),
        );
        for row in &self.rows {
            let _ = writeln!(text, "{row}");
        }
        text.push('\n');
        for note in &self.notes {
            let _ = writeln!(text, "- {note}");
        }
        text
    }

    /// Puts the section into a document, in place of the one that it has.
    pub fn write_into(&self, path: &Path) -> io::Result<()> {
        let document = fs::read_to_string(path)?;
        let (before, section) = document.split_once(HEADING).unwrap_or((&document, ""));
        let after = section.find("\n## ").map_or("", |next| &section[next..]);
        let before = before.trim_end();
        fs::write(path, format!("{before}\n\n{}{after}", self.to_markdown()))
    }
}

const HEADING: &str = "## Decisions, delegation and the ledger";

/// The processor, the number of its cores and the compiler.
fn machine() -> String {
    let processor = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = processor
        .lines()
        .find_map(|line| line.strip_prefix("model name"));
    let model = model.map_or("a processor", |model| model.trim_matches(['\t', ' ', ':']));
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let compiler = env!("COMPILER");
    format!("{model} with {cores} cores, {compiler}, default release profile")
}

impl fmt::Display for Row {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let met = match self.is_met {
            Some(true) => "yes",
            Some(false) => "**no**",
            None => "",
        };
        write!(
            formatter,
            "| {} | {} | {} | {} | {} | {} | {} | {met} |",
            self.figure, self.work, self.ours, self.peer, self.theirs, self.ratio, self.goal
        )
    }
}

/// Median and minimum, in a unit that both can be read in.
fn nanoseconds(figure: &Figure) -> String {
    let (median, minimum) = (figure.median(), figure.minimum());
    let (unit, scale) = match minimum {
        ..1e4 => ("ns", 1.0),
        ..1e7 => ("µs", 1e3),
        _ => ("ms", 1e6),
    };
    format!(
        "{} / {} {unit}",
        short(median / scale),
        short(minimum / scale)
    )
}

fn short(number: f64) -> String {
    if number < 100.0 {
        format!("{number:.1}")
    } else {
        grouped(number)
    }
}

/// A ratio the way round that its goal is stated.
fn times(ratio: f64, goal: Goal) -> String {
    match goal {
        Goal::Faster(_) => format!("{} × faster", short(ratio.recip())),
        _ => format!("{ratio:.2} ×"),
    }
}

/// A whole number with a comma before every three digits.
pub fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) && !text.ends_with('-') {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
