//! Links from the documentation to the sources.

use std::fmt::Write as _;
use std::path::Path;

/// How the sources are reached from where the documentation lies.
#[derive(Debug)]
pub(crate) struct Links {
    /// `None` where no relative link is the same on every machine.
    up: Option<String>,
}

impl Links {
    /// For documentation in the root of the workspace.
    pub(crate) fn from_root() -> Self {
        Links {
            up: Some(String::new()),
        }
    }

    /// For documentation in a directory. One outside of the workspace has no links.
    pub(crate) fn from_directory(directory: &Path, root: &Path) -> Self {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let below = real(directory);
        let below = below.strip_prefix(real(root)).ok();
        Links {
            up: below.map(|below| "../".repeat(below.components().count())),
        }
    }

    /// The address of a line, where the file is one of the workspace.
    pub(crate) fn to(&self, file: &str, line: usize) -> Option<String> {
        let is_inside = !Path::new(file).has_root() && !file.contains(':');
        let mut address = self.up.clone().filter(|_| is_inside)?;
        for byte in file.bytes() {
            if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
                address.push(char::from(byte));
            } else {
                let _ = write!(address, "%{byte:02X}");
            }
        }
        let _ = write!(address, "#L{line}");
        Some(address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_relative_and_encoded() {
        let directory = tempfile::tempdir().expect("a directory");
        let root = directory.path();
        std::fs::create_dir_all(root.join("docs/a")).expect("directories");
        let links = Links::from_directory(&root.join("docs/a"), root);
        assert_eq!(
            links.to("src/lib.rs", 3).expect("a link"),
            "../../src/lib.rs#L3"
        );
        assert_eq!(
            links.to("src/a b\"<)|.rs", 1).expect("a link"),
            "../../src/a%20b%22%3C%29%7C.rs#L1"
        );
        assert_eq!(
            Links::from_root().to("é.rs", 1).expect("a link"),
            "%C3%A9.rs#L1"
        );
        // The path of one machine is in no documentation.
        assert_eq!(links.to("/elsewhere/lib.rs", 3), None);
        assert_eq!(
            Links::from_directory(Path::new("/"), root).to("a.rs", 1),
            None
        );
    }
}
