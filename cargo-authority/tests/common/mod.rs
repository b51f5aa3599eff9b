//! Projects in temporary directories, and the tool run in them.

#![allow(dead_code, unreachable_pub)]

pub mod schemas;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// A project whose sources a test wrote.
pub struct Project {
    directory: TempDir,
}

impl Project {
    /// A package `acme` with these files; a manifest is added.
    pub fn new(files: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let project = Project { directory };
        project.write(
            "Cargo.toml",
            "[package]\nname = \"acme\"\nedition = \"2024\"\n[workspace]\n",
        );
        for (path, text) in files {
            project.write(path, text);
        }
        project
    }

    pub fn path(&self) -> PathBuf {
        self.directory.path().canonicalize().expect("it is there")
    }

    pub fn write(&self, path: impl AsRef<Path>, text: impl AsRef<[u8]>) {
        let path = self.directory.path().join(path);
        std::fs::create_dir_all(path.parent().expect("it has one")).expect("directories");
        std::fs::write(path, text).expect("the file is written");
    }

    pub fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.directory.path().join(path)).expect("the file")
    }

    /// Runs `cargo authority` with these words.
    pub fn run(&self, words: &[&str]) -> Ran {
        self.run_with(words, "")
    }

    /// Runs it with this standard input.
    pub fn run_with(&self, words: &[&str], input: &str) -> Ran {
        use std::io::Write as _;
        let mut child = Command::new(env!("CARGO_BIN_EXE_cargo-authority"))
            .args(["authority"])
            .args(words)
            .current_dir(self.directory.path())
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .expect("the tool starts");
        let mut stdin = child.stdin.take().expect("it is piped");
        // A command that reads nothing may be gone already.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        Ran::of(&child.wait_with_output().expect("the tool ends"))
    }

    /// Runs git, as a committer that the machine need not know.
    pub fn git(&self, words: &[&str]) {
        let output = Command::new("git")
            .args([
                "-c",
                "user.name=a",
                "-c",
                "user.email=a@example.com",
                "-c",
                "init.defaultBranch=main",
            ])
            .args(words)
            .current_dir(self.directory.path())
            .output()
            .expect("git runs");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }

    /// Commits everything.
    pub fn commit(&self) {
        self.git(&["init", "--quiet"]);
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", "a state"]);
    }
}

/// What a run of the tool said.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
        Ran {
            code: output.status.code().expect("it ended by itself"),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        }
    }

    /// The result, of a run with this exit code.
    pub fn with(self, code: i32) -> String {
        assert_eq!(self.code, code, "{self:?}");
        self.stdout
    }

    /// The result as JSON, of a run with this exit code.
    pub fn json(self, code: i32) -> Value {
        let text = self.with(code);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }
}

/// The names that `list` gives.
pub fn names(list: &Value) -> Vec<&str> {
    let declarations = list["declarations"].as_array().expect("a list");
    let names = declarations.iter().map(|row| row["name"].as_str());
    names.map(|name| name.expect("a name")).collect()
}

/// Code and place of each diagnostic of `check`.
pub fn findings(check: &Value) -> Vec<String> {
    let found = check["diagnostics"].as_array().expect("a list").iter();
    found
        .map(|found| {
            let text = |key: &str| found[key].as_str().expect("a text");
            format!(
                "{} {}:{}:{}",
                text("code"),
                text("file"),
                found["line"],
                found["column"]
            )
        })
        .collect()
}

/// A declaration that is right, in a module of this name.
pub fn declaration(name: &str) -> String {
    format!("authority::authority! {{ pub mod {name} {{ filesystem \"ws\" => read; }} }}\n")
}
