//! A package in a git repository, where the commands of a page are run.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::markdown::repository;

/// Files that commands may name.
const FILES: [(&str, &str); 3] = [
    (
        "audit.jsonl",
        include_str!("../../../authority-core/src/audit/two_lines.jsonl"),
    ),
    (
        "requests.jsonl",
        "{\"operation\":\"read\",\"target\":{\"kind\":\"github\",\"repository\":\"acme/checkout\"}}\n",
    ),
    (
        "reviewer.json",
        include_str!("../../../examples/artifacts/offline-reader.json"),
    ),
];

/// The package `acme`, with this repository beside it. Its first state is committed, as
/// `origin/main` too.
pub(crate) struct Playground {
    directory: TempDir,
}

impl Playground {
    /// A package with this program.
    pub(crate) fn new(program: &str) -> Self {
        let playground = Playground {
            directory: tempfile::tempdir().expect("a temporary directory"),
        };
        playground.write(
            "Cargo.toml",
            "[package]\nname = \"acme\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n",
        );
        playground.program(program);
        for (path, text) in FILES {
            playground.write(path, text);
        }
        let beside = playground.directory.path().join("authority");
        std::os::unix::fs::symlink(repository(), beside).expect("a link");
        let set_up = "git init --quiet --initial-branch main && git add --all &&
            git -c user.name=a -c user.email=a@example.com commit --quiet --message 'The first state' &&
            git update-ref refs/remotes/origin/main HEAD";
        playground.run(set_up).expect("a git repository");
        playground
    }

    /// Writes the program. Statements alone stand in a function, as in doc tests.
    pub(crate) fn program(&self, program: &str) {
        let is_whole = program.contains("fn main()") || program.contains("pub mod ");
        let whole = if is_whole {
            program
        } else {
            &format!("fn main() {{ {program} }}\n")
        };
        self.write("src/main.rs", whole);
    }

    /// Writes a file of the package.
    pub(crate) fn write(&self, path: impl AsRef<Path>, text: &str) {
        let path = self.package().join(path);
        std::fs::create_dir_all(path.parent().expect("it has one")).expect("directories");
        std::fs::write(path, text).expect("the file is written");
    }

    /// What a command says. One that fails has found something, but its usage is right.
    pub(crate) fn run(&self, command: &str) -> Result<String, String> {
        let output = self.shell(&format!("{{ {command}\n}} 2>&1"));
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        match output.status.code() {
            Some(0 | 1) => Ok(said),
            _ => Err(format!("`{command}` fails: {said}")),
        }
    }

    /// Runs a step of a workflow, for a pull request that wants into `main`.
    pub(crate) fn step(&self, command: &str) -> Result<(), String> {
        if command.starts_with("cargo install") {
            let words: Vec<_> = command.split_whitespace().collect();
            return crate::stands_in_ci(&words);
        }
        let command = command.replace("${{ github.base_ref }}", "main");
        if command.contains("${{") {
            return Err(format!("what is a variable of `{command}`?"));
        }
        self.run(&format!(
            "export GITHUB_STEP_SUMMARY=../summary.md\n{command}"
        ))
        .map(drop)
    }

    fn package(&self) -> PathBuf {
        self.directory.path().join("acme")
    }

    fn shell(&self, script: &str) -> std::process::Output {
        let tool = Path::new(env!("CARGO_BIN_EXE_cargo-authority"));
        let mut paths = vec![tool.parent().expect("its directory").to_owned()];
        paths.extend(std::env::split_paths(
            &std::env::var_os("PATH").unwrap_or_default(),
        ));
        Command::new("bash")
            .args(["-euo", "pipefail", "-c", script])
            .current_dir(self.package())
            .env("PATH", std::env::join_paths(paths).expect("paths"))
            .env("CARGO_NET_OFFLINE", "true")
            .env("CARGO_TERM_COLOR", "never")
            .output()
            .expect("bash runs")
    }
}

/// Whether this was said: `…` stands for any text of a line, and as a line for any lines.
pub(crate) fn is_like(shown: &str, said: &str) -> bool {
    let shown: Vec<_> = shown.lines().collect();
    let said: Vec<_> = said.lines().collect();
    lines_are_like(&shown, &said)
}

fn lines_are_like(shown: &[&str], said: &[&str]) -> bool {
    match shown {
        [] => said.is_empty(),
        ["…", rest @ ..] => {
            (0..=said.len()).any(|left_out| lines_are_like(rest, &said[left_out..]))
        }
        [line, rest @ ..] => match said {
            [first, others @ ..] => line_is_like(line, first) && lines_are_like(rest, others),
            [] => false,
        },
    }
}

fn line_is_like(shown: &str, said: &str) -> bool {
    let Some((start, rest)) = shown.split_once('…') else {
        return shown == said;
    };
    let Some(said) = said.strip_prefix(start) else {
        return false;
    };
    let places = said.char_indices().map(|(place, _)| place);
    places
        .chain([said.len()])
        .any(|place| line_is_like(rest, &said[place..]))
}

#[test]
fn what_is_left_out() {
    assert!(is_like("a\n", "a\n") && !is_like("a\n", "a\nb\n") && !is_like("a\nb\n", "a\n"));
    assert!(is_like("a…c…\n", "abbc\n") && !is_like("a…c\n", "abb\n"));
    assert!(is_like("a\n…\nd\n", "a\nb\nc\nd\n") && is_like("a\n…\n", "a\n"));
    assert!(!is_like("a\n…\nd\n", "a\nb\n"));
}
