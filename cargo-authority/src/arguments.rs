//! The command line.

use std::path::PathBuf;

use authority_core::audit::Head;
use authority_core::vocabulary::Preset;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::schema::Name;
use crate::source::Selection;

/// Lists, checks and compares the `authority!` declarations of a workspace, without running it.
///
/// A declaration is named `path/to/file.rs` (when the file holds one), `path/to/file.rs::release_bot`
/// or `package::path::release_bot`, as `list` shows it.
///
/// Exit codes: 0 fine, 1 a finding, 2 what was given cannot be decoded, or the usage is wrong.
#[derive(Debug, Parser)]
#[command(
    name = "cargo authority",
    bin_name = "cargo authority",
    version,
    max_term_width = 100
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// The manifest of the workspace
    #[arg(long, global = true, value_name = "PATH")]
    pub(crate) manifest_path: Option<PathBuf>,
    /// Read only this package (may be given several times)
    #[arg(short, long, global = true, value_name = "NAME")]
    pub(crate) package: Vec<String>,
}

/// What is to be done.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Lists every declaration: name, place, entries, children, ceiling digest
    #[command(after_help = "Example:\n  cargo authority list --format json")]
    List(Show),
    /// Checks all declarations without compiling, and lints them
    #[command(after_help = "Example:\n  cargo authority check --format sarif > authority.sarif")]
    Check {
        /// The form of the result
        #[arg(long, value_enum, default_value_t)]
        format: CheckFormat,
    },
    /// Writes authority.lock.json: a snapshot of every declaration, to be committed
    #[command(after_help = "Example:\n  cargo authority lock --check")]
    Lock {
        /// Write nothing; fail when the lock and the declarations differ, wherever they stand
        #[arg(long)]
        check: bool,
    },
    /// Compares the declarations by what they allow; fails when something is widened
    #[command(after_help = "Example:\n  cargo authority diff origin/main --format markdown")]
    Diff {
        /// The git revision to compare with; else authority.lock.json where there is one, else HEAD
        base: Option<String>,
        /// The form of the result
        #[arg(long, value_enum, default_value_t)]
        format: DiffFormat,
    },
    /// Documents the declarations: entries, doc comments, children and what they lose, links to source
    #[command(
        after_help = "Example:\n  cargo authority doc --out docs/authority\n  cargo authority doc --out docs/authority --check"
    )]
    Doc {
        /// The form of the result; with `--out` every form, when it is left away, else Markdown
        #[arg(long, value_enum)]
        format: Option<DocFormat>,
        /// Write files named `authority` into this directory, with links to the sources
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
        /// Write nothing; fail when the files and what would be written differ
        #[arg(long, requires = "out")]
        check: bool,
    },
    /// The child that artifacts lead to, one after the other: what each level holds and lost
    #[command(
        after_help = "Example:\n  cargo authority delegate --root src/main.rs --artifact reviewer.json --format json"
    )]
    Delegate {
        /// The declaration
        #[arg(long)]
        root: String,
        /// An artifact as JSON (may be given several times)
        #[arg(long, value_name = "FILE")]
        artifact: Vec<PathBuf>,
        /// The form of the result
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// Explains the code of an error or a lint
    #[command(after_help = "Example:\n  cargo authority explain A0201")]
    Explain {
        /// The code
        code: String,
    },
    /// Canonical JSON and digest of scopes and ceilings, for other implementations of the schema
    #[command(after_help = "Example:\n  cargo authority digest scopes.jsonl\n\n\
                            Each line is a scope, or a JSON array of scopes: a ceiling. For each comes one line,\n  \
                            {\"ok\":true,\"canonical_json\":…,\"scope_sha256\":…}   (a ceiling: \"ceiling_sha256\")\n  \
                            {\"ok\":false,\"pointer\":…,\"rule\":…}   and exit code 2")]
    Digest {
        /// JSON Lines; standard input, when it is left away
        file: Option<PathBuf>,
    },
    /// What would become of requests: one decision a line, and no side effect
    #[command(
        after_help = "Example:\n  cargo authority simulate --root src/main.rs --requests requests.jsonl --format json\n\n\
                      A line is a request, as `cargo authority schema request` says. For each comes one line,\n  \
                      {\"decision\":\"allow|ask|deny\",\"reason\":…,\"entry\":N|null,\"level\":N|null,\"scope_sha256\":…}\n\n\
                      The requests are those of the last artifact's thread, or of the root. A request does not say what it\n\
                      would do, and a grant is of exactly that: where a grant may hold, the decision is `ask`, because\n\
                      `preview_unknown`. A line that is no request is denied, as `undecodable`, with exit code 2."
    )]
    Simulate {
        /// The declaration
        #[arg(long)]
        root: String,
        /// An artifact as JSON: a child of the root, then a child of that (may be given several times)
        #[arg(long, value_name = "FILE")]
        artifact: Vec<PathBuf>,
        /// The requests: JSON Lines
        #[arg(long, value_name = "FILE")]
        requests: PathBuf,
        /// When somebody is asked
        #[arg(long, value_name = "PRESET", default_value = Preset::AskOnWrites.name(), value_parser = presets())]
        preset: Preset,
        /// The grants that there are: JSON Lines, all of one owner and workspace
        #[arg(long, value_name = "FILE")]
        grants: Option<PathBuf>,
        /// The form of the result
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// Verifies a chain of receipts, or shows it
    #[command(
        after_help = "Example:\n  cargo authority audit verify audit.jsonl --head 5:DIGEST\n\nRead-only; the file may be of another machine."
    )]
    Audit {
        #[command(subcommand)]
        command: AuditCommand,
    },
    /// The vocabulary: kinds, operations and every other word, as JSON
    #[command(after_help = "Example:\n  cargo authority manifest")]
    Manifest,
    /// The JSON Schema (2020-12) of a document, or of what a command prints
    #[command(after_help = "Example:\n  cargo authority schema request > request.schema.json")]
    Schema {
        /// What it is of
        #[arg(value_enum)]
        name: Name,
    },
    /// Completions of `cargo-authority` for a shell
    #[command(
        after_help = "Example:\n  cargo authority completions bash > ~/.local/share/bash-completion/completions/cargo-authority"
    )]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// The manual page
    #[command(after_help = "Example:\n  cargo authority man > cargo-authority.1")]
    Man,
}

/// What is to be done with a chain of receipts.
#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// Verifies every line; fails at the first bad one
    #[command(
        after_help = "Example:\n  cargo authority audit verify audit.jsonl --head 5:DIGEST\n\n\
                      Without a head, accidents are found; a cut at the end of a line cannot be excluded.\n\
                      What has a start and no end is listed, and is no finding: it may still run."
    )]
    Verify {
        /// The file: a record a line
        file: PathBuf,
        /// A head of the chain that was stored elsewhere, as this command prints it
        #[arg(long, value_name = "SEQ:DIGEST", value_parser = head)]
        head: Option<Head>,
        /// The form of the result
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// Prints the records that are good, and what verifying says
    #[command(
        after_help = "Example:\n  cargo authority audit show audit.jsonl\n\nAs JSON: a record a line, and last {\"verification\":…}."
    )]
    Show {
        /// The file: a record a line
        file: PathBuf,
        /// The form of the result
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
}

/// The presets by their names.
fn presets() -> impl TypedValueParser<Value = Preset> {
    let known = Preset::ALL.iter();
    let known = known.map(|preset| PossibleValue::new(preset.name()).help(preset.about()));
    PossibleValuesParser::new(known).map(|name| {
        // The parser gives no other name.
        Preset::from_name(&name).unwrap_or(Preset::AlwaysAsk)
    })
}

fn head(text: &str) -> Result<Head, &'static str> {
    Head::parse(text)
        .ok_or("a head is the number of a record, `:`, and 64 lower-case hexadecimal digits")
}

/// How a result is shown.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Show {
    /// The form of the result
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

/// The forms that most results have.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    #[default]
    Text,
    /// For programs; the form is stable
    Json,
}

/// The forms of a check's result.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, ValueEnum)]
pub(crate) enum CheckFormat {
    /// For people
    #[default]
    Text,
    /// For programs; the form is stable
    Json,
    /// SARIF 2.1.0, for code hosts
    Sarif,
}

/// The forms of a comparison's result.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, ValueEnum)]
pub(crate) enum DiffFormat {
    /// For people: a line a change
    #[default]
    Text,
    /// For programs; the form is stable
    Json,
    /// SARIF 2.1.0, for code hosts
    Sarif,
    /// A table for a pull request
    Markdown,
}

/// The forms of the documentation.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum DocFormat {
    /// For people who read the repository
    Markdown,
    /// One page with a search, which needs no other file and no network
    Html,
    /// For programs; the form is stable
    Json,
}

impl Arguments {
    /// Which sources are read.
    pub(crate) fn selection(&self) -> Selection {
        Selection {
            manifest: self.manifest_path.clone(),
            packages: self.package.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn every_command_has_an_example() {
        let mut command = Arguments::command();
        command.build();
        check(&command, "cargo authority");
        command.debug_assert();
    }

    fn check(command: &clap::Command, name: &str) {
        let commands = command.get_subcommands();
        for command in commands.filter(|command| command.get_name() != "help") {
            let help = command
                .get_after_help()
                .map(ToString::to_string)
                .unwrap_or_default();
            let name = format!("{name} {}", command.get_name());
            assert!(help.contains(&name), "{name}: {help}");
            assert!(command.get_about().is_some());
            check(command, &name);
        }
    }
}
