//! The sources of a revision, read through the program `git` without touching the checkout.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::error::Error;

/// The sources of a revision in a directory of their own, which goes when this does.
pub(crate) struct Revision {
    _directory: TempDir,
    /// What the workspace's root is there.
    pub(crate) root: PathBuf,
}

impl Revision {
    /// Writes the Rust sources and manifests of a revision to a temporary directory. The index and
    /// the files of the checkout stay as they are.
    pub(crate) fn of(root: &Path, revision: &str) -> Result<Self, Error> {
        let commit = format!("{revision}^{{commit}}");
        let commit = line(git(root).args([
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            &commit,
        ]))
        .map_err(|_| Error::Unknown {
            what: "revision",
            word: revision.to_owned(),
            known: String::new(),
        })?;
        let top = line(git(root).args(["rev-parse", "--show-toplevel"]))?;
        let prefix = line(git(root).args(["rev-parse", "--show-prefix"]))?;
        let directory = TempDir::with_prefix("cargo-authority-")
            .map_err(|error| Error::file(std::env::temp_dir(), &error))?;
        let index = directory.path().join("index");
        let with_index = || {
            let mut command = git(Path::new(&top));
            command.env("GIT_INDEX_FILE", &index);
            command
        };
        output(with_index().args(["read-tree", &commit]), &[])?;
        let listed = output(with_index().args(["ls-files", "--stage", "-z"]), &[])?;
        let mut wanted = Vec::new();
        for entry in listed.split(|byte| *byte == 0) {
            if let Some(path) = source(entry) {
                wanted.extend(path);
                wanted.push(0);
            }
        }
        let tree = directory.path().join("tree");
        let mut prefix_argument = std::ffi::OsString::from("--prefix=");
        prefix_argument.push(&tree);
        prefix_argument.push("/");
        let mut checkout = with_index();
        checkout
            .args(["checkout-index", "-z", "--stdin"])
            .arg(prefix_argument);
        output(&mut checkout, &wanted)?;
        Ok(Revision {
            root: tree.join(prefix),
            _directory: directory,
        })
    }
}

/// The path of an entry of the index that is a Rust source, a manifest or a link.
fn source(entry: &[u8]) -> Option<&[u8]> {
    let at = entry.iter().position(|byte| *byte == b'\t')?;
    let (mode, path) = (&entry[..at], &entry[at + 1..]);
    let is_wanted =
        path.ends_with(b".rs") || path.ends_with(b"Cargo.toml") || mode.starts_with(b"120000");
    is_wanted.then_some(path)
}

fn git(directory: &Path) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(directory);
    command
}

fn line(command: &mut Command) -> Result<String, Error> {
    let output = output(command, &[])?;
    Ok(String::from_utf8_lossy(&output)
        .trim_end_matches('\n')
        .to_owned())
}

fn output(command: &mut Command, input: &[u8]) -> Result<Vec<u8>, Error> {
    let failed = |message: String| Error::Program {
        program: "git",
        message,
    };
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| failed(error.to_string()))?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin
            .write_all(input)
            .map_err(|error| failed(error.to_string()))?;
    }
    let output = child
        .wait_with_output()
        .map_err(|error| failed(error.to_string()))?;
    if output.status.success() {
        Ok(output.stdout)
    } else {
        Err(failed(
            String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        ))
    }
}
