//! What a Rust source says about modules and macros, found by walking its tokens.
//!
//! Tokens, not syntax: a call of `authority!` is found where it stands, also in a function, in a
//! block, or among the tokens of another macro, which only that macro could parse.

use std::rc::Rc;

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use syn::parse::Parser as _;

/// The name of the macro whose calls are looked for.
pub(crate) const MACRO: &str = "authority";

/// What one source file declares.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    /// `mod name;` and `include!("…")`.
    pub(crate) modules: Vec<ModuleFile>,
    /// Every macro call, in source order.
    pub(crate) calls: Vec<MacroCall>,
    /// Names that `authority as name` gives the macro in this file.
    pub(crate) aliases: Vec<String>,
    /// Names of macros that hand all of their tokens on to `authority!`.
    pub(crate) forwarders: Vec<String>,
    /// Calls of `authority!` in a `macro_rules!`, whose tokens only its caller knows.
    pub(crate) hidden: Vec<Ident>,
}

/// A file that a source refers to.
#[derive(Debug)]
pub(crate) struct ModuleFile {
    pub(crate) reference: Reference,
    /// The modules around it in the same file, with the directories that `#[path]` gives them.
    pub(crate) inside: Vec<(String, Option<String>)>,
    /// Whether the file may be missing: under a `cfg`, or among the tokens of a macro.
    pub(crate) may_be_missing: bool,
    pub(crate) place: Ident,
}

/// How a file is referred to.
#[derive(Debug)]
pub(crate) enum Reference {
    /// `mod name;`, with the paths of `#[path]`, and whether the usual place counts too.
    Module {
        name: String,
        paths: Vec<String>,
        usual: bool,
    },
    /// `include!("path")`.
    Include(String),
}

/// `name! { tokens }`
#[derive(Debug)]
pub(crate) struct MacroCall {
    pub(crate) name: String,
    pub(crate) place: Ident,
    pub(crate) tokens: Group,
    /// Modules, functions and the binding around it, within the file.
    pub(crate) path: Vec<String>,
}

/// Outlines the tokens of a file.
pub(crate) fn outline(tokens: TokenStream) -> Outline {
    let mut walker = Walker::default();
    walker.walk(tokens, &Around::default());
    walker.outline
}

/// What stands around a list of tokens.
#[derive(Clone, Default)]
struct Around {
    path: Rc<Vec<String>>,
    modules: Rc<Vec<(String, Option<String>)>>,
    in_macro: bool,
}

impl Around {
    fn named(&self, name: &str) -> Self {
        let mut path = Vec::clone(&self.path);
        path.push(name.to_owned());
        Around {
            path: Rc::new(path),
            ..self.clone()
        }
    }

    fn module(&self, name: &str, directory: Option<String>) -> Self {
        let mut modules = Vec::clone(&self.modules);
        modules.push((name.to_owned(), directory));
        Around {
            modules: Rc::new(modules),
            ..self.named(name)
        }
    }

    fn in_macro(&self) -> Self {
        Around {
            in_macro: true,
            ..self.clone()
        }
    }
}

#[derive(Default)]
struct Walker {
    outline: Outline,
}

impl Walker {
    fn walk(&mut self, tokens: TokenStream, around: &Around) {
        let tokens: Vec<_> = tokens.into_iter().collect();
        let mut attributes = Attributes::default();
        // The function or the binding that the next tokens belong to.
        let mut function: Option<String> = None;
        let mut binding: Option<String> = None;
        let mut at = 0;
        while at < tokens.len() {
            let rest = &tokens[at..];
            if let Some((group, taken)) = attribute(rest) {
                attributes.add(group);
                at += taken;
                continue;
            }
            if ident(rest, 0).is_some_and(|word| word == "pub") {
                at += 1 + usize::from(group(rest, 1, Delimiter::Parenthesis).is_some());
                continue;
            }
            let mut taken = 1;
            if let Some((name, after)) = named(rest, "mod") {
                taken = self.module(rest, name, after, &attributes, around).max(1);
            } else if let Some(call) = macro_call(rest) {
                let around = match &binding {
                    Some(name) => around.named(name),
                    None => around.clone(),
                };
                taken = call.taken;
                self.call(&call, &around);
            } else if let Some((name, after)) = named(rest, "fn") {
                function = Some(plain(name));
                taken = after;
            } else if let Some((name, after)) = bound(rest) {
                // Of the parameters of a function, no constant is one of these.
                binding = function.is_none().then(|| plain(name));
                taken = after;
            } else if let Some((alias, after)) = alias(rest) {
                self.outline.aliases.push(alias);
                taken = after;
            } else if let TokenTree::Group(group) = &rest[0] {
                let around = match (&function, &binding) {
                    (Some(name), _) if group.delimiter() == Delimiter::Brace => around.named(name),
                    (_, Some(name)) => around.named(name),
                    _ => around.clone(),
                };
                if group.delimiter() == Delimiter::Brace {
                    function = None;
                }
                self.walk(group.stream(), &around);
            } else if is_punct(rest, 0, ';') {
                (function, binding) = (None, None);
            }
            attributes = Attributes::default();
            at += taken;
        }
    }

    /// `mod name;` or `mod name { … }`: how many tokens it takes.
    fn module(
        &mut self,
        rest: &[TokenTree],
        name: &Ident,
        after: usize,
        attributes: &Attributes,
        around: &Around,
    ) -> usize {
        if let Some(body) = group(rest, after, Delimiter::Brace) {
            let around = around.module(&plain(name), attributes.paths.first().cloned());
            self.walk(body.stream(), &around);
            return after + 1;
        }
        if !is_punct(rest, after, ';') {
            return 1;
        }
        self.outline.modules.push(ModuleFile {
            reference: Reference::Module {
                name: plain(name),
                paths: attributes.paths.clone(),
                usual: !attributes.has_certain_path,
            },
            inside: Vec::clone(&around.modules),
            may_be_missing: around.in_macro || attributes.is_conditional,
            place: name.clone(),
        });
        after + 1
    }

    fn call(&mut self, call: &Call<'_>, around: &Around) {
        if call.name == "macro_rules" {
            self.macro_rules(call);
            return;
        }
        if call.name == "include"
            && let Some(path) = only_text(&call.group.stream())
        {
            self.outline.modules.push(ModuleFile {
                reference: Reference::Include(path),
                inside: Vec::clone(&around.modules),
                may_be_missing: true,
                place: call.name.clone(),
            });
        }
        self.outline.calls.push(MacroCall {
            name: plain(call.name),
            place: call.name.clone(),
            tokens: call.group.clone(),
            path: Vec::clone(&around.path),
        });
        // The modules in a declaration are not modules of the file.
        if call.name != MACRO {
            self.walk(call.group.stream(), &around.in_macro());
        }
    }

    /// The rules of a macro are patterns of tokens, not tokens: they are looked at only to know
    /// whether the macro hands everything on, and whether it hides a declaration.
    fn macro_rules(&mut self, call: &Call<'_>) {
        let Some(name) = call.defined else { return };
        if is_forwarder(&call.group.stream()) {
            self.outline.forwarders.push(plain(name));
        } else {
            find_hidden(call.group.stream(), &mut self.outline.hidden);
        }
    }
}

/// The attributes in front of an item, as far as they say where its file is.
#[derive(Default)]
struct Attributes {
    paths: Vec<String>,
    /// Whether one of the paths holds under every configuration.
    has_certain_path: bool,
    is_conditional: bool,
}

impl Attributes {
    fn add(&mut self, attribute: &Group) {
        let tokens: Vec<_> = attribute.stream().into_iter().collect();
        let Some(word) = ident(&tokens, 0) else {
            return;
        };
        if word == "path" {
            self.paths.extend(assigned_text(&tokens));
            self.has_certain_path = true;
        } else if word == "cfg" {
            self.is_conditional = true;
        } else if word == "cfg_attr"
            && let Some(arguments) = group(&tokens, 1, Delimiter::Parenthesis)
        {
            let arguments: Vec<_> = arguments.stream().into_iter().collect();
            for at in 0..arguments.len() {
                if ident(&arguments, at).is_some_and(|word| word == "path") {
                    self.paths.extend(assigned_text(&arguments[at..]));
                    self.is_conditional = true;
                }
            }
        }
    }
}

/// `#[…]` or `#![…]`, and how many tokens it takes.
fn attribute(tokens: &[TokenTree]) -> Option<(&Group, usize)> {
    if !is_punct(tokens, 0, '#') {
        return None;
    }
    let inner = usize::from(is_punct(tokens, 1, '!'));
    let group = group(tokens, 1 + inner, Delimiter::Bracket)?;
    Some((group, 2 + inner))
}

/// `word name`, with `mut` between them or not, and how many tokens it takes.
fn named<'t>(tokens: &'t [TokenTree], word: &str) -> Option<(&'t Ident, usize)> {
    ident(tokens, 0).filter(|first| *first == word)?;
    let at = 1 + usize::from(ident(tokens, 1).is_some_and(|word| word == "mut"));
    Some((ident(tokens, at)?, at + 1))
}

/// `let name`, `const name` or `static name`, and not `const fn name`.
fn bound(tokens: &[TokenTree]) -> Option<(&Ident, usize)> {
    let words = ["let", "const", "static"];
    let (name, after) = words.iter().find_map(|word| named(tokens, word))?;
    let is_qualifier = ["fn", "unsafe", "async", "extern"]
        .iter()
        .any(|word| name == word);
    (!is_qualifier).then_some((name, after))
}

/// `authority as name`
fn alias(tokens: &[TokenTree]) -> Option<(String, usize)> {
    ident(tokens, 0).filter(|name| *name == MACRO)?;
    ident(tokens, 1).filter(|word| *word == "as")?;
    Some((plain(ident(tokens, 2)?), 3))
}

struct Call<'t> {
    name: &'t Ident,
    /// The name behind the `!`: of `macro_rules! name`.
    defined: Option<&'t Ident>,
    group: &'t Group,
    taken: usize,
}

/// `name! group` or `name! name group`
fn macro_call(tokens: &[TokenTree]) -> Option<Call<'_>> {
    let name = ident(tokens, 0)?;
    if !is_punct(tokens, 1, '!') {
        return None;
    }
    let defined = ident(tokens, 2);
    let at = 2 + usize::from(defined.is_some());
    match tokens.get(at)? {
        TokenTree::Group(group) if group.delimiter() != Delimiter::None => Some(Call {
            name,
            defined,
            group,
            taken: at + 1,
        }),
        _ => None,
    }
}

/// Whether the one rule is `($($tokens:tt)*) => { path::authority! { $($tokens)* } }`.
fn is_forwarder(rules: &TokenStream) -> bool {
    let rules: Vec<_> = rules.clone().into_iter().collect();
    let [
        TokenTree::Group(pattern),
        TokenTree::Punct(_),
        TokenTree::Punct(_),
        TokenTree::Group(body),
        end @ ..,
    ] = rules.as_slice()
    else {
        return false;
    };
    let is_end = end.is_empty() || (end.len() == 1 && is_punct(end, 0, ';'));
    let Some(name) = all_tokens(&pattern.stream()) else {
        return false;
    };
    let body: Vec<_> = body.stream().into_iter().collect();
    let body = match body.split_last() {
        Some((TokenTree::Punct(last), rest)) if last.as_char() == ';' => rest,
        _ => &body,
    };
    let [
        path @ ..,
        TokenTree::Ident(last),
        TokenTree::Punct(bang),
        TokenTree::Group(handed),
    ] = body
    else {
        return false;
    };
    let is_path = path.iter().all(|token| match token {
        TokenTree::Punct(punct) => matches!(punct.as_char(), ':' | '$'),
        TokenTree::Ident(_) => true,
        _ => false,
    });
    is_end
        && is_path
        && last == MACRO
        && bang.as_char() == '!'
        && handed.stream().to_string().replace(' ', "") == format!("$(${name})*")
}

/// The name of a pattern that takes everything: `$($name:tt)*`.
fn all_tokens(pattern: &TokenStream) -> Option<String> {
    let text = pattern.to_string().replace(' ', "");
    let name = text.strip_prefix("$($")?.strip_suffix(":tt)*")?;
    let is_name = name
        .chars()
        .all(|character| character.is_alphanumeric() || character == '_');
    is_name.then(|| name.to_owned())
}

/// The calls of `authority!` in the rules of a macro that write entries of their own.
fn find_hidden(rules: TokenStream, hidden: &mut Vec<Ident>) {
    let tokens: Vec<_> = rules.into_iter().collect();
    for at in 0..tokens.len() {
        if let Some(call) = macro_call(&tokens[at..])
            && call.name == MACRO
            && writes_entries(call.group.stream())
        {
            hidden.push(call.name.clone());
        } else if let TokenTree::Group(group) = &tokens[at] {
            find_hidden(group.stream(), hidden);
        }
    }
}

fn writes_entries(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => writes_entries(group.stream()),
        TokenTree::Literal(_) => true,
        TokenTree::Ident(word) => word == "mod",
        TokenTree::Punct(_) => false,
    })
}

fn ident(tokens: &[TokenTree], at: usize) -> Option<&Ident> {
    match tokens.get(at) {
        Some(TokenTree::Ident(ident)) => Some(ident),
        _ => None,
    }
}

fn is_punct(tokens: &[TokenTree], at: usize, character: char) -> bool {
    matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == character)
}

fn group(tokens: &[TokenTree], at: usize, delimiter: Delimiter) -> Option<&Group> {
    match tokens.get(at) {
        Some(TokenTree::Group(group)) if group.delimiter() == delimiter => Some(group),
        _ => None,
    }
}

/// `word = "text"`
fn assigned_text(tokens: &[TokenTree]) -> Option<String> {
    match (is_punct(tokens, 1, '='), tokens.get(2)?) {
        (true, TokenTree::Literal(literal)) => text(literal),
        _ => None,
    }
}

fn only_text(tokens: &TokenStream) -> Option<String> {
    let tokens: Vec<_> = tokens.clone().into_iter().collect();
    match tokens.as_slice() {
        [TokenTree::Literal(literal)] => text(literal),
        _ => None,
    }
}

fn text(literal: &proc_macro2::Literal) -> Option<String> {
    syn::parse_str::<syn::LitStr>(&literal.to_string())
        .ok()
        .map(|literal| literal.value())
}

/// A name without `r#`.
pub(crate) fn plain(name: &Ident) -> String {
    let name = name.to_string();
    name.strip_prefix("r#").map_or(name.clone(), str::to_owned)
}

/// The lines of the doc comments among attributes.
pub(crate) fn docs(attributes: TokenStream) -> Vec<String> {
    let attributes = syn::Attribute::parse_outer.parse2(attributes);
    let line = |attribute: &syn::Attribute| match &attribute.meta {
        syn::Meta::NameValue(meta) if meta.path.is_ident("doc") => match &meta.value {
            syn::Expr::Lit(syn::ExprLit {
                lit: syn::Lit::Str(line),
                ..
            }) => Some(line.value()),
            _ => None,
        },
        _ => None,
    };
    attributes.iter().flatten().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(source: &str) -> Outline {
        outline(source.parse().expect("it lexes"))
    }

    /// Each call of the macro: the path around it, then its tokens.
    fn calls(source: &str) -> Vec<String> {
        let calls = of(source).calls;
        let calls = calls.iter().filter(|call| call.name == MACRO);
        calls
            .map(|call| format!("{}: {}", call.path.join("::"), call.tokens.stream()))
            .collect()
    }

    #[test]
    fn calls_are_found_where_they_stand() {
        for (source, found) in [
            ("authority! { a }", ": a"),
            ("authority::authority! ( a );", ": a"),
            ("::perms::authority! [ a ];", ": a"),
            ("mod x { pub mod y { authority! { a } } }", "x::y: a"),
            ("fn f() { let root: P = authority! { a }; }", "f::root: a"),
            (
                "impl T { fn f(&self) -> P { g(|| { authority! { a } }) } }",
                "f: a",
            ),
            (
                "const fn f<const N: usize>() -> P where T: U { authority! { a } }",
                "f: a",
            ),
            (
                "static ROOT: L<P> = L::new(|| authority! { a });",
                "ROOT: a",
            ),
            (
                "cfg_if! { if #[cfg(unix)] { mod x { authority! { a } } } }",
                "x: a",
            ),
            ("let r#type = authority! { a };", "type: a"),
        ] {
            assert_eq!(calls(source), [found], "{source}");
        }
    }

    #[test]
    fn no_calls() {
        for source in [
            "/// authority! { a }\nfn f() {}",
            "const TEXT: &str = \"authority! { a }\";",
            "use authority::authority;",
            "macro_rules! m { () => { authority! { filesystem \"ws\" => read; } } }",
            "if authority != x {}",
        ] {
            assert_eq!(calls(source), [] as [String; 0], "{source}");
        }
    }

    #[test]
    fn the_modules_of_a_declaration_are_its_own() {
        assert!(of("authority! { pub mod a; }").modules.is_empty());
    }

    #[test]
    fn module_files() {
        let outline = of(r#"
            mod plain;
            #[path = "else.rs"] pub(crate) mod moved;
            #[cfg(unix)] mod unix;
            #[cfg_attr(unix, path = "u.rs")] #[cfg_attr(windows, path = "w.rs")] mod either;
            mod inline { mod inner; #[path = "dir"] mod deep { mod leaf; } }
            include!("more.rs");
            wrap! { mod wrapped; }
        "#);
        let shown: Vec<_> = outline
            .modules
            .iter()
            .map(|module| {
                let reference = match &module.reference {
                    Reference::Module { name, paths, usual } => {
                        format!("{name} {paths:?} {usual}")
                    }
                    Reference::Include(path) => format!("include {path}"),
                };
                let inside: Vec<_> = module
                    .inside
                    .iter()
                    .map(|(name, path)| path.clone().unwrap_or_else(|| name.clone()))
                    .collect();
                format!("{}|{reference}|{}", inside.join("/"), module.may_be_missing)
            })
            .collect();
        assert_eq!(
            shown,
            [
                "|plain [] true|false",
                "|moved [\"else.rs\"] false|false",
                "|unix [] true|true",
                "|either [\"u.rs\", \"w.rs\"] true|true",
                "inline|inner [] true|false",
                "inline/dir|leaf [] true|false",
                "|include more.rs|true",
                "|wrapped [] true|true",
            ]
        );
    }

    #[test]
    fn other_names_of_the_macro() {
        let outline = of(r"
            use authority::authority as grants;
            macro_rules! declare { ($($t:tt)*) => { $crate::authority! { $($t)* } }; }
            macro_rules! other { ($($t:tt)*) => { authority! { $($t)* more } } }
        ");
        assert_eq!(outline.aliases, ["grants"]);
        assert_eq!(outline.forwarders, ["declare"]);
        assert!(outline.hidden.is_empty());
    }

    #[test]
    fn declarations_that_only_a_macro_knows() {
        let outline = of(
            r#"macro_rules! m { ($b:literal) => { const X: P = authority! { filesystem $b => read; filesystem "x" => read; }; } }"#,
        );
        assert_eq!(outline.hidden.len(), 1);
    }
}
