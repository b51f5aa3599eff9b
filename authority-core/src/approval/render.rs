//! The text of a preview for reviewers.
//!
//! It is injective: each part has a line of its own that begins with its name, texts stand in quotes
//! with what does not show escaped, and nothing else stands outside quotes but words, numbers and
//! digests. So no content can look like another line, and uncut texts of different previews differ.

use std::fmt::{self, Write as _};

use crate::approval::coverage::{AdvisoryField, EffectField};
use crate::approval::preview::Preview;
use crate::approval::value::{Detail, Value};
use crate::digest::Digest;
use crate::id::Id;
use crate::target::{FilesystemTarget, RelativePath, WorkingDirectory, wire};
use crate::text;

/// How much of a preview its text shows. What is left out is marked with the size and the digest of
/// the whole.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct TextLimits {
    /// The most characters of one text; the rest is left out of its middle.
    pub characters: usize,
    /// The most items of one list.
    pub items: usize,
}

impl TextLimits {
    /// Nothing is left out.
    pub const UNCUT: TextLimits = TextLimits {
        characters: usize::MAX,
        items: usize::MAX,
    };
}

/// 2,000 characters and 200 items.
impl Default for TextLimits {
    fn default() -> Self {
        TextLimits {
            characters: 2_000,
            items: 200,
        }
    }
}

impl Preview {
    /// The preview as text for a reviewer, within the default limits: everything that an approval
    /// covers, then what is advisory, then the digest.
    ///
    /// Characters that do not show are escaped, line breaks too, and nothing is abbreviated or
    /// replaced; each argument stands on its own line. A text that is cut says so. The texts that an
    /// approval only records as digests stand here in full: this is for the reviewer, not for logs.
    pub fn render(&self) -> String {
        self.render_within(TextLimits::default())
    }

    /// The same within these limits.
    pub fn render_within(&self, limits: TextLimits) -> String {
        let mut page = Page {
            out: String::with_capacity(1_024),
            limits,
        };
        page.effect(self);
        page.advisory(self);
        let _ = writeln!(page.out, "preview {}", self.sha256());
        page.out
    }
}

struct Page {
    out: String,
    limits: TextLimits,
}

impl Page {
    fn effect(&mut self, preview: &Preview) {
        let operation = preview.operation();
        let row = operation.row();
        let _ = writeln!(self.out, "{} {}", operation.kind().title(), row.name);
        let _ = writeln!(self.out, "  covers: {}", row.covers);
        let _ = writeln!(self.out, "  never covers: {}", row.never);
        for (name, value) in preview.scope().target().members() {
            if name != "kind" {
                self.member(name, &value);
            }
        }
        for (field, value) in preview.effect() {
            self.field(*field, value);
        }
        match preview.credential() {
            None => self.line(EffectField::Credential, "none"),
            Some(grant) => {
                let target = format!("{} {}", grant.target.kind_name(), grant.target.id());
                let binding = grant.binding.as_ref().map_or("none", Id::as_str);
                let quotes = if grant.binding.is_some() { "\"" } else { "" };
                let value = format!("{quotes}{binding}{quotes} for {target}");
                self.line(EffectField::Credential, value);
            }
        }
        let boundary = preview.boundary();
        let value = format_args!("{} ({})", boundary.name(), boundary.about());
        self.line(EffectField::Boundary, value);
        let bindings: Vec<_> = preview.bindings().iter().collect();
        self.list(
            EffectField::Bindings,
            &bindings,
            |page, (binding, revision)| {
                let _ = write!(page.out, "{binding} is {revision}");
            },
        );
    }

    fn member(&mut self, name: &str, value: &wire::Value<'_>) {
        let _ = write!(self.out, "  {name}: ");
        let _ = match value {
            wire::Value::Null => write!(self.out, "none"),
            wire::Value::Bool(flag) => write!(self.out, "{flag}"),
            wire::Value::Number(number) => write!(self.out, "{number}"),
            wire::Value::Digest(digest) => write!(self.out, "{digest}"),
            wire::Value::Text(text) => {
                self.quoted(text);
                Ok(())
            }
        };
        self.out.push('\n');
    }

    fn field(&mut self, field: EffectField, value: &Value) {
        match value {
            Value::None => self.line(field, "none"),
            Value::Flag(flag) => self.line(field, flag),
            Value::Number(number) => self.line(field, number),
            Value::Word(word) => self.line(field, word),
            Value::Digest(digest) => self.line(field, digest),
            Value::Text(text) => self.text(field.name(), text),
            Value::Shown(shown) => self.text(field.name(), &shown.text),
            Value::Arguments(arguments, digest) => self.arguments(field, arguments, *digest),
            Value::Operands(operands) => {
                self.list(field, operands, |page, (argument, digest)| {
                    let _ = write!(page.out, "argument {argument} is {digest}");
                });
            }
            Value::Ids(ids) => self.list(field, ids, |page, id| page.quoted(id.as_str())),
            Value::Directory(WorkingDirectory { binding, path })
            | Value::File(FilesystemTarget { binding, path }) => {
                self.place(field, binding, path.as_ref());
            }
            Value::Route(route) => {
                let _ = write!(self.out, "  {field}: {}, model ", route.provider_id);
                self.quoted(&route.model_id);
                self.out.push('\n');
            }
            Value::Resource(sort, detail) => {
                let _ = write!(self.out, "  {field}: {sort}");
                match detail {
                    Detail::None => {}
                    Detail::Number(number) => {
                        let _ = write!(self.out, " {number}");
                    }
                    Detail::Name(name) => {
                        self.out.push(' ');
                        self.quoted(name);
                    }
                }
                self.out.push('\n');
            }
        }
    }

    /// A binding, and a path in it.
    fn place(&mut self, field: EffectField, binding: &Id<'_>, path: Option<&RelativePath<'_>>) {
        let _ = write!(self.out, "  {field}: ");
        self.quoted(binding.as_str());
        if let Some(path) = path {
            self.out.push_str(" / ");
            self.quoted(path.as_str());
        }
        self.out.push('\n');
    }

    /// Each argument on its own line, under their number and the digest of all.
    fn arguments(&mut self, field: EffectField, arguments: &[String], digest: Digest) {
        let _ = writeln!(
            self.out,
            "  {field}: {} arguments, {digest}",
            arguments.len()
        );
        self.items(arguments, |page, argument| page.quoted(argument));
    }

    fn advisory(&mut self, preview: &Preview) {
        self.out.push_str("not part of the approval\n");
        let advisory = preview.advisory();
        if let Some(reason) = advisory.reason() {
            self.text(AdvisoryField::Reason.name(), reason);
        }
        if let Some(explanation) = advisory.explanation() {
            self.text(AdvisoryField::Explanation.name(), explanation);
        }
        self.pairs(AdvisoryField::Labels, advisory.labels());
        self.pairs(AdvisoryField::ServerClaims, advisory.server_claims());
        let chain = advisory.agent_chain();
        let _ = writeln!(
            self.out,
            "  {}: owner \"{}\", workspace \"{}\", run \"{}\", thread \"{}\"",
            AdvisoryField::AgentChain,
            chain.owner_id(),
            chain.workspace_id(),
            chain.root_run_id(),
            chain.thread_id()
        );
        self.items(chain.agent_path(), |page, agent| {
            page.quoted(agent.as_str());
        });
    }

    fn pairs(&mut self, field: AdvisoryField, pairs: &[(String, String)]) {
        if pairs.is_empty() {
            return;
        }
        let _ = writeln!(self.out, "  {field}: {}", pairs.len());
        self.items(pairs, |page, (name, text)| {
            page.quoted(name);
            page.out.push_str(": ");
            page.quoted(text);
        });
    }

    fn line(&mut self, name: impl fmt::Display, value: impl fmt::Display) {
        let _ = writeln!(self.out, "  {name}: {value}");
    }

    fn text(&mut self, name: &str, text: &str) {
        let _ = write!(self.out, "  {name}: ");
        self.quoted(text);
        self.out.push('\n');
    }

    fn list<T>(&mut self, field: EffectField, items: &[T], push: impl Fn(&mut Self, &T)) {
        self.line(field, items.len());
        self.items(items, push);
    }

    /// One item a line, numbered from 0; those beyond the limit are left out of the middle.
    fn items<T>(&mut self, items: &[T], push: impl Fn(&mut Self, &T)) {
        let cut = Cut::of(items.len(), self.limits.items);
        for (index, item) in items.iter().enumerate() {
            if index == cut.head && cut.left_out > 0 {
                let _ = writeln!(
                    self.out,
                    "    … {} of {} left out …",
                    cut.left_out,
                    items.len()
                );
            }
            if cut.shows(index) {
                let _ = write!(self.out, "    {index}: ");
                push(self, item);
                self.out.push('\n');
            }
        }
    }

    /// A text in quotes; beyond the limit its head and its tail, each in quotes, and between them
    /// what is left out.
    fn quoted(&mut self, text: &str) {
        let count = text.chars().count();
        let cut = Cut::of(count, self.limits.characters);
        if cut.left_out == 0 {
            return push_quoted(&mut self.out, text.chars());
        }
        push_quoted(&mut self.out, text.chars().take(cut.head));
        let _ = write!(
            self.out,
            " … {} of {count} characters left out; all {} bytes are {} … ",
            cut.left_out,
            text.len(),
            Digest::of(text.as_bytes())
        );
        push_quoted(&mut self.out, text.chars().skip(cut.head + cut.left_out));
    }
}

/// How many of a number of things are left out, and after how many.
struct Cut {
    head: usize,
    left_out: usize,
}

impl Cut {
    fn of(count: usize, limit: usize) -> Self {
        let left_out = count.saturating_sub(limit);
        Cut {
            head: (count - left_out).div_ceil(2),
            left_out,
        }
    }

    fn shows(&self, index: usize) -> bool {
        index < self.head || index >= self.head + self.left_out
    }
}

fn push_quoted(out: &mut String, characters: impl Iterator<Item = char>) {
    /// A blank that is no white space.
    const BRAILLE_BLANK: char = '\u{2800}';
    out.push('"');
    for character in characters {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            BRAILLE_BLANK => out.push_str("\\u{2800}"),
            ' ' => out.push(' '),
            _ if text::is_visible(character) && text::stands_alone(character) => {
                out.push(character);
            }
            _ => {
                let _ = write!(out, "\\u{{{:X}}}", u32::from(character));
            }
        }
    }
    out.push('"');
}
