//! The README and the guide: every example is run or decoded, and every link leads somewhere.
//!
//! The language of a code block says what is done with it:
//!
//! | block | |
//! | --- | --- |
//! | `rust` | a doc test of the facade; one that declares something is the `src/main.rs` of the commands below it |
//! | `rust,compile_fail` and then `text` | refused with these messages |
//! | `json KIND`, `json KIND FILE` | decoded as this kind of document; the file is there for the commands below it |
//! | `json KIND refused PLACE` | refused at this place, `target.port`; without one, as a whole |
//! | `json canonical`, `json canonical FIELD` | the bytes that the digest of the document above is taken over; it is the next digest of the page |
//! | `console` | each command is run, and says what stands below it, if anything does; `…` is any text of a line, or any lines |
//! | `yaml` | each command of the workflow is run |
//! | `text` | otherwise for people |

mod documents;
mod links;
mod markdown;
mod playground;

use std::fmt::Write as _;
use std::path::Path;

use markdown::{Block, Page, repository};
use playground::Playground;
use serde_json::Value;

#[test]
fn every_link_leads_somewhere() {
    let broken: Vec<_> = markdown::all_pages()
        .iter()
        .flat_map(links::broken)
        .collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn every_example_is_tested() {
    let wrong: Vec<_> = guide().iter().flat_map(tested).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The README and the pages of `docs`, but for the history of decisions.
fn guide() -> Vec<Page> {
    let is_of_the_guide =
        |path: &Path| path == Path::new("README.md") || path.parent() == Some(Path::new("docs"));
    let pages = markdown::all_pages().into_iter();
    pages.filter(|page| is_of_the_guide(&page.path)).collect()
}

/// What is wrong with the examples of a page.
fn tested(page: &Page) -> Vec<String> {
    let mut examples = Examples::of(page);
    let mut wrong = Vec::new();
    for block in &page.blocks {
        if let Err(error) = examples.test(block) {
            wrong.push(format!("{}:{}: {error}", page.path.display(), block.line));
        }
    }
    wrong
}

/// The examples of a page so far.
struct Examples<'p> {
    page: &'p Page,
    playground: Option<Playground>,
    /// The declarations that commands read.
    program: String,
    /// A program that is wrong, of the block before.
    refused: Option<&'p str>,
    /// The kind and the text of the last document.
    document: Option<(&'p str, &'p str)>,
}

impl<'p> Examples<'p> {
    fn of(page: &'p Page) -> Self {
        Examples {
            page,
            playground: None,
            program: first_declaration_of_the_readme(),
            refused: None,
            document: None,
        }
    }

    fn test(&mut self, block: &'p Block) -> Result<(), String> {
        let refused = self.refused.take();
        let words: Vec<_> = block.language.split_whitespace().collect();
        match *words.as_slice() {
            ["rust" | "rust,no_run"] => self.rust(block),
            ["rust,compile_fail"] => {
                self.refused = Some(&block.text);
                self.is_a_doc_test()
            }
            ["text"] => refused.map_or(Ok(()), |program| messages(program, &block.text)),
            ["json", "canonical", ref field @ ..] => {
                let (kind, text) = self.document.ok_or("no document above")?;
                let digest = documents::digest(kind, field.first().copied(), text)?;
                self.canonical(block, &digest)
            }
            ["json", kind, "refused", ref place @ ..] => documents::refused(
                kind,
                &block.text,
                place.first().copied().unwrap_or_default(),
            ),
            ["json", kind, ref file @ ..] => {
                self.document = Some((kind, &block.text));
                if let Some(file) = file.first() {
                    self.playground().write(file, &block.text);
                }
                documents::decode(kind, &block.text)
            }
            ["console"] => commands(block)
                .into_iter()
                .try_for_each(|(command, output)| self.command(&command, &output)),
            ["yaml"] => steps(block)
                .iter()
                .try_for_each(|command| self.playground().step(command)),
            _ => Err(format!("what is a block of `{}`?", block.language)),
        }
    }

    fn rust(&mut self, block: &Block) -> Result<(), String> {
        if block.text.contains("authority! {") {
            self.program.clone_from(&block.text);
            if let Some(playground) = &self.playground {
                playground.program(&block.text);
            }
        }
        self.is_a_doc_test()
    }

    /// The page is among the doc tests.
    fn is_a_doc_test(&self) -> Result<(), String> {
        let facade = std::fs::read_to_string(repository().join("src/lib.rs")).expect("the facade");
        let included = format!("include_str!(\"../{}\")", self.page.path.display());
        if facade.contains(&included) {
            return Ok(());
        }
        Err("src/lib.rs does not include the page as doc tests".to_owned())
    }

    /// The text has this digest, which the page names next.
    fn canonical(&self, block: &Block, digest: &str) -> Result<(), String> {
        let text = block.text.trim_end_matches('\n');
        let of_text = documents::sha256(text);
        if of_text != digest {
            return Err(format!(
                "the digest is {digest}, and that of the text {of_text}"
            ));
        }
        let named = self.page.text_after(block).find(|word| word.len() == 64);
        match named {
            Some(named) if named == digest => Ok(()),
            _ => Err(format!("the page names {named:?}, not {digest}")),
        }
    }

    fn command(&mut self, command: &str, output: &str) -> Result<(), String> {
        let words: Vec<_> = command.split_whitespace().collect();
        match *words.as_slice() {
            ["cargo", "authority" | "add", ..] => {}
            ["cargo", ..] => return stands_in_ci(&words),
            _ => {}
        }
        // What the tool says of other sources than these is in its own tests.
        let is_about_these = self.page.path != Path::new("docs/cargo-authority.md");
        let said = self.playground().run(command)?;
        if is_about_these && !output.is_empty() && !playground::is_like(output, &said) {
            return Err(format!("`{command}` says\n{said}"));
        }
        Ok(())
    }

    fn playground(&mut self) -> &Playground {
        let program = &self.program;
        self.playground
            .get_or_insert_with(|| Playground::new(program))
    }
}

/// A command that takes long or reads the whole repository: CI runs it as its own step.
fn stands_in_ci(words: &[&str]) -> Result<(), String> {
    let ci = std::fs::read_to_string(repository().join(".ci/run")).expect("what CI runs");
    let words: Vec<_> = words
        .iter()
        .copied()
        .take_while(|word| *word != "#")
        .collect();
    let runs = |line: &str| {
        let mut line = line.split_whitespace();
        words.iter().all(|word| line.any(|other| other == *word))
    };
    if ci.lines().any(runs) {
        return Ok(());
    }
    Err(format!("CI does not run `{}`", words.join(" ")))
}

fn first_declaration_of_the_readme() -> String {
    let page = Page::read(Path::new("README.md"));
    let mut blocks = page.blocks.into_iter();
    let block = blocks.find(|block| block.text.contains("pub mod release_bot"));
    block.expect("a declaration").text
}

/// The commands of a block, each with what it says.
fn commands(block: &Block) -> Vec<(String, String)> {
    let mut commands: Vec<(String, String)> = Vec::new();
    for line in block.text.lines() {
        match (line.strip_prefix("$ "), commands.last_mut()) {
            (Some(command), _) => commands.push((command.to_owned(), String::new())),
            (None, Some((_, output))) => {
                output.push_str(line);
                output.push('\n');
            }
            (None, None) => panic!("{line}: what says that?"),
        }
    }
    commands
}

/// The commands of a workflow: what stands behind `run:`, or indented below `run: |`.
fn steps(block: &Block) -> Vec<String> {
    let mut steps: Vec<String> = Vec::new();
    // How far the lines of the last `run: |` are indented at least.
    let mut open = None;
    for line in block.text.lines() {
        let indent = line.len() - line.trim_start().len();
        if let (Some(least), Some(step)) = (open, steps.last_mut())
            && indent > least
        {
            step.push_str(line.trim_start());
            step.push('\n');
            continue;
        }
        open = None;
        match line
            .trim_start()
            .trim_start_matches("- ")
            .strip_prefix("run:")
        {
            Some(run) if run.trim() == "|" => {
                open = Some(indent);
                steps.push(String::new());
            }
            Some(run) => steps.push(run.trim().to_owned()),
            None => {}
        }
    }
    steps
}

/// The program is refused with these messages.
fn messages(program: &str, text: &str) -> Result<(), String> {
    let said = Playground::new(program).run("cargo authority check --format json")?;
    let said: Value = serde_json::from_str(&said).map_err(|error| format!("{error}: {said}"))?;
    let mut messages = String::new();
    for found in said["diagnostics"].as_array().into_iter().flatten() {
        let word = |key: &str| found[key].as_str().unwrap_or_default();
        if word("severity") == "error" {
            let (message, code, help) = (word("message"), word("code"), word("help"));
            let _ = writeln!(messages, "error: {message} [{code}]\n         help: {help}");
        }
    }
    if messages == text {
        return Ok(());
    }
    Err(format!("the messages are\n{messages}"))
}
