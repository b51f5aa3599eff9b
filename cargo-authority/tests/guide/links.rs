//! Links within the repository.

use std::path::{Component, Path, PathBuf};

use crate::markdown::{Page, repository};

/// The links of a page to files or headings that are not there.
pub(crate) fn broken(page: &Page) -> Vec<String> {
    let broken = page.links.iter().filter_map(|(line, link)| {
        let why = reason(page, link)?;
        Some(format!("{}:{line}: `{link}`: {why}", page.path.display()))
    });
    broken.collect()
}

/// Why a link leads nowhere.
fn reason(page: &Page, link: &str) -> Option<&'static str> {
    if link.starts_with("https://") || link.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let Some(path) = resolved(&page.path, file) else {
        return Some("it leads out of the repository");
    };
    if !repository().join(&path).exists() {
        return Some("there is no such file");
    }
    let has_anchor = match file {
        "" => page.anchors.contains(anchor),
        _ if path.extension().is_some_and(|extension| extension == "md") => {
            Page::read(&path).anchors.contains(anchor)
        }
        _ => false,
    };
    (!anchor.is_empty() && !has_anchor).then_some("there is no such heading")
}

/// The file of a link from this page, from the root of the repository.
fn resolved(page: &Path, file: &str) -> Option<PathBuf> {
    if file.is_empty() {
        return Some(page.to_owned());
    }
    let mut path = page.parent()?.to_owned();
    for component in Path::new(file).components() {
        match component {
            Component::Normal(name) => path.push(name),
            Component::ParentDir if path.pop() => {}
            Component::CurDir => {}
            _ => return None,
        }
    }
    Some(path)
}
