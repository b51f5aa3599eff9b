//! A reviewer at a terminal.

use std::fmt::{self, Write as _};
use std::io::{self, BufRead, IsTerminal as _, Read as _, Write};
use std::num::NonZeroU32;
use std::sync::Mutex;
use std::time::Duration;

use authority_core::vocabulary::ReviewerKind;
use authority_core::{Answer, Question, Review, ReviewError, Timestamp};

/// Lines that are no answer, after which there is none.
const TRIES: usize = 3;

/// The longest line that is looked at, in bytes. No answer is longer.
const LONGEST_LINE: u64 = 80;

/// Asks the person at the terminal.
///
/// It shows [`Question::render`], and reads a line: `y` or `once` allows this once, `n` denies, and
/// where the thread has a session `session N` allows it N times in it. The answer is that of the
/// person whom the policy names: with this reviewer a host says that this person sits there. It is
/// one person: where the policy asks for several, this reviewer is not enough.
///
/// Nothing allows by default. A line that says anything else is asked for again; after three of them
/// there is no answer, and none where the input ends, cannot be read, or nothing can be shown
/// ([`ReviewError::Unavailable`], which denies). The same holds at once where standard input or
/// standard error is no terminal, and where the policy names a program in place of a person.
///
/// One question is shown at a time. What was typed before it is thrown away, so that a line meant for
/// another does not answer it; on systems that are not Unix that cannot be done. Reading waits as
/// long as the person does: an answer after the deadline is late, and discarded.
///
/// A host whose terminal is in raw mode, or that reads its standard input itself, asks in its own
/// way: see [`Review`].
pub struct TerminalReviewer {
    terminal: Mutex<Box<dyn Terminal>>,
    session_lifetime: Duration,
}

impl TerminalReviewer {
    /// A reviewer at the terminal of the process: standard input and standard error.
    pub fn new() -> Self {
        Self::at(Standard)
    }

    /// A reviewer at other streams, of which the host knows who is at their end.
    pub fn over(input: impl BufRead + Send + 'static, output: impl Write + Send + 'static) -> Self {
        Self::at(Streams { input, output })
    }

    fn at(terminal: impl Terminal + 'static) -> Self {
        TerminalReviewer {
            terminal: Mutex::new(Box::new(terminal)),
            session_lifetime: Duration::from_hours(1),
        }
    }

    /// How long `session N` allows at most, from when it was asked: one hour by default. Where the
    /// policy allows less than this, such an answer is refused.
    #[must_use]
    pub fn with_session_lifetime(mut self, lifetime: Duration) -> Self {
        self.session_lifetime = lifetime;
        self
    }

    /// Until when `session N` would allow; none without a session.
    fn session_end(&self, question: &Question) -> Option<Timestamp> {
        question.session_id()?;
        question.asked_at().after(self.session_lifetime).ok()
    }
}

impl Review for TerminalReviewer {
    fn review(&self, question: &Question) -> Result<Answer, ReviewError> {
        let by = question.reviewer();
        if by.kind() != ReviewerKind::Human {
            return Err(ReviewError::Unavailable);
        }
        let session_end = self.session_end(question);
        let text = text(question, session_end);
        let mut terminal = self.terminal.lock().map_err(|_| ReviewError::Unavailable)?;
        let said = ask(&mut **terminal, &text, session_end)
            .ok()
            .flatten()
            .ok_or(ReviewError::Unavailable)?;
        Ok(match said {
            Said::No => question.deny(by),
            Said::Once => question.allow_once(by),
            Said::Session { uses, until } => question.allow_for_session(by, uses, until),
        })
    }
}

impl Default for TerminalReviewer {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for TerminalReviewer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("TerminalReviewer")
            .field("session_lifetime", &self.session_lifetime)
            .finish_non_exhaustive()
    }
}

/// What a person types.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Said {
    Once,
    Session { uses: NonZeroU32, until: Timestamp },
    No,
}

impl Said {
    /// What a line says, if it says exactly one thing.
    fn of(line: &[u8], session_end: Option<Timestamp>) -> Option<Self> {
        let text = str::from_utf8(line).ok()?;
        let words: Vec<_> = text.split_ascii_whitespace().collect();
        match (&*words, session_end) {
            (["y" | "once"], _) => Some(Said::Once),
            (["n"], _) => Some(Said::No),
            (["session", uses], Some(until)) if uses.bytes().all(|byte| byte.is_ascii_digit()) => {
                let uses = uses.parse().ok()?;
                Some(Said::Session { uses, until })
            }
            _ => None,
        }
    }
}

/// The question, and what can be said to it.
fn text(question: &Question, session_end: Option<Timestamp>) -> String {
    let mut text = question.render();
    let (by, deadline) = (question.reviewer().id().as_str(), question.deadline());
    // Writing to a string does not fail.
    let _ = writeln!(
        text,
        "{by}, may this run? The answer counts until {deadline}."
    );
    text.push_str("  y or once  yes, this once\n");
    if let Some(end) = session_end {
        let _ = writeln!(
            text,
            "  session N  yes, N times in this session until {end}"
        );
    }
    text.push_str("  n          no\n");
    text
}

/// Shows a question and reads the answer; none where none comes.
fn ask(
    terminal: &mut dyn Terminal,
    text: &str,
    session_end: Option<Timestamp>,
) -> io::Result<Option<Said>> {
    if !terminal.is_there() {
        return Ok(None);
    }
    let mut before = text;
    for _ in 0..TRIES {
        terminal.show(before)?;
        terminal.discard_typed()?;
        terminal.show("> ")?;
        let Some(line) = terminal.line()? else {
            return Ok(None);
        };
        let said = Said::of(&line, session_end);
        if said.is_some() {
            return Ok(said);
        }
        before = "That is none of the answers above.\n";
    }
    terminal.show("It does not run.\n")?;
    Ok(None)
}

/// What a person sits at.
trait Terminal: Send {
    /// Whether somebody can see and answer.
    fn is_there(&self) -> bool;

    /// Throws away what was typed and not read.
    fn discard_typed(&mut self) -> io::Result<()>;

    /// Shows a text, now.
    fn show(&mut self, text: &str) -> io::Result<()>;

    /// The next whole line, or none at the end of the input.
    fn line(&mut self) -> io::Result<Option<Vec<u8>>>;
}

/// Standard input and standard error.
struct Standard;

impl Terminal for Standard {
    fn is_there(&self) -> bool {
        io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    #[cfg(unix)]
    fn discard_typed(&mut self) -> io::Result<()> {
        rustix::termios::tcflush(io::stdin(), rustix::termios::QueueSelector::IFlush)?;
        Ok(())
    }

    #[cfg(not(unix))]
    fn discard_typed(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn show(&mut self, text: &str) -> io::Result<()> {
        show(&mut io::stderr(), text)
    }

    fn line(&mut self) -> io::Result<Option<Vec<u8>>> {
        line(&mut io::stdin().lock())
    }
}

/// Streams of the host's.
struct Streams<I, O> {
    input: I,
    output: O,
}

impl<I: BufRead + Send, O: Write + Send> Terminal for Streams<I, O> {
    fn is_there(&self) -> bool {
        true
    }

    /// A stream does not say what was written before the question.
    fn discard_typed(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn show(&mut self, text: &str) -> io::Result<()> {
        show(&mut self.output, text)
    }

    fn line(&mut self) -> io::Result<Option<Vec<u8>>> {
        line(&mut self.input)
    }
}

fn show(output: &mut impl Write, text: &str) -> io::Result<()> {
    output.write_all(text.as_bytes())?;
    output.flush()
}

/// Of a line that is too long for an answer only the start. One that the input's end cuts is none.
fn line(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let read = input.take(LONGEST_LINE).read_until(b'\n', &mut line)?;
    if line.last() == Some(&b'\n') {
        return Ok(Some(line));
    }
    if read as u64 == LONGEST_LINE {
        input.skip_until(b'\n')?;
        return Ok(Some(line));
    }
    Ok(None)
}

#[cfg(test)]
mod tests;
