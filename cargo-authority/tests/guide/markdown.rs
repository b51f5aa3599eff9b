//! Pages: their code blocks, headings and links.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// A Markdown file.
pub(crate) struct Page {
    /// From the root of the repository.
    pub(crate) path: PathBuf,
    text: String,
    pub(crate) blocks: Vec<Block>,
    /// The anchors of its headings.
    pub(crate) anchors: BTreeSet<String>,
    /// Where each link leads, with its line.
    pub(crate) links: Vec<(usize, String)>,
}

/// A fenced code block.
pub(crate) struct Block {
    pub(crate) language: String,
    pub(crate) text: String,
    /// The line of its fence.
    pub(crate) line: usize,
    end: usize,
}

/// The root of the repository.
pub(crate) fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Every Markdown file of the repository.
pub(crate) fn all_pages() -> Vec<Page> {
    let mut directories = vec![PathBuf::new()];
    let mut pages = Vec::new();
    while let Some(directory) = directories.pop() {
        let entries = repository().join(&directory).read_dir();
        for entry in entries.expect("a directory") {
            let entry = entry.expect("an entry");
            let path = directory.join(entry.file_name());
            let is_source = |name: &str| name != "target" && !name.starts_with('.');
            if !entry.file_name().to_str().is_some_and(is_source) {
                continue;
            }
            if entry.file_type().expect("its type").is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                pages.push(Page::read(&path));
            }
        }
    }
    pages.sort_by(|one, other| one.path.cmp(&other.path));
    pages
}

impl Page {
    /// Reads a page, by its path from the root of the repository.
    pub(crate) fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(repository().join(path)).expect("the page");
        let mut page = Page {
            path: path.to_owned(),
            text: String::new(),
            blocks: Vec::new(),
            anchors: BTreeSet::new(),
            links: Vec::new(),
        };
        let line = |offset: usize| 1 + text[..offset].matches('\n').count();
        // The text of the heading or of the block that is open.
        let mut open: Option<String> = None;
        let parser = Parser::new_ext(&text, Options::ENABLE_TABLES);
        for (event, range) in parser.into_offset_iter() {
            match event {
                Event::Start(Tag::Heading { .. } | Tag::CodeBlock(_)) => open = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => {
                    let heading = open.take().unwrap_or_default();
                    page.add_anchor(&anchor(&heading));
                }
                Event::Text(part) | Event::Code(part) => {
                    if let Some(open) = &mut open {
                        open.push_str(&part);
                    }
                }
                Event::End(TagEnd::CodeBlock) => page.blocks.push(Block {
                    language: String::new(),
                    text: open.take().unwrap_or_default(),
                    line: line(range.start),
                    end: range.end,
                }),
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    page.links.push((line(range.start), dest_url.into_string()));
                }
                _ => {}
            }
        }
        page.name_languages(&text);
        page.text = text;
        page
    }

    /// The words behind a block.
    pub(crate) fn text_after(&self, block: &Block) -> impl Iterator<Item = &str> {
        self.text[block.end..].split(|character: char| !character.is_ascii_alphanumeric())
    }

    /// The anchor of one more heading: of equal ones, later ones are numbered.
    fn add_anchor(&mut self, anchor: &str) {
        let numbered = (1..).map(|number| format!("{anchor}-{number}"));
        let mut names = std::iter::once(anchor.to_owned()).chain(numbered);
        let free = names.find(|name| !self.anchors.contains(name));
        self.anchors.extend(free);
    }

    fn name_languages(&mut self, text: &str) {
        let languages =
            Parser::new_ext(text, Options::ENABLE_TABLES).filter_map(|event| match event {
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) => {
                    Some(language.into_string())
                }
                Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)) => {
                    Some("(indented)".to_owned())
                }
                _ => None,
            });
        for (block, language) in self.blocks.iter_mut().zip(languages) {
            block.language = language;
        }
    }
}

/// The anchor that GitHub gives to a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase();
    let kept = kept
        .chars()
        .filter(|character| character.is_alphanumeric() || matches!(character, ' ' | '-' | '_'));
    kept.map(|character| if character == ' ' { '-' } else { character })
        .collect()
}
