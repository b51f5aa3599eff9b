//! Names and texts become typed values, and the rules between entries are checked.

use authority_core::draft::{
    self, BindingKind, Draft, DraftEntry, DraftKind, DraftTarget, Violation, ViolationKind,
};
use authority_core::target::{
    Endpoint, Origin, RelativePath, Repository, WorkingDirectory, argv_sha256,
};
use authority_core::vocabulary::{
    ExecutionMode, Protocol, RedirectPolicy, Setting, SettingGroup, SettingRange,
};
use authority_core::{
    CredentialTarget, Digest, Id, Kind, McpToolBinding, MicroDollars, MoneyError, Operation,
    OperationSet, Rule, TextError, ThreadPermissions, ToolBinding, ToolName,
};
use proc_macro2::{Ident, Span};

use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::parse::example;
use crate::suggest;
use crate::tree::{Body, Content, Entry, Scope, Setting as SettingEntry, Text};

/// A body that was checked as a root.
#[derive(Clone, Debug)]
pub struct Checked {
    /// Every error, syntax errors too, in the order of the source.
    pub diagnostics: Vec<Diagnostic>,
    /// The permissions, when there is no error.
    pub permissions: Option<ThreadPermissions>,
    /// The typed entries.
    pub draft: Draft,
}

/// Checks a body as that of a root, with the blocks in it.
pub fn check(body: &Body) -> Checked {
    let mut checker = Checker {
        diagnostics: Vec::new(),
        sites: Vec::new(),
    };
    let draft = checker.body(body);
    let (permissions, violations) = draft::resolve(&draft, "");
    let mut diagnostics = body.diagnostics.clone();
    let has_syntax_error = !diagnostics.is_empty();
    diagnostics.append(&mut checker.diagnostics);
    let sites = checker.sites;
    // A body with nothing but syntax errors is not empty.
    let violations = violations
        .into_iter()
        .filter(|found| !(has_syntax_error && matches!(found.kind, ViolationKind::EmptyBody)));
    diagnostics.extend(violations.map(|violation| diagnose(&violation, &sites)));
    diagnostics.sort_by_key(|diagnostic| {
        let start = diagnostic.span.start();
        (start.line, start.column)
    });
    let permissions = diagnostics.is_empty().then_some(permissions);
    Checked {
        diagnostics,
        permissions,
        draft,
    }
}

/// Where a part of the draft stands: its target, its operations, the whole entry.
#[derive(Clone, Copy, Debug)]
struct Site {
    /// The target or value.
    target: Span,
    /// The operations, where they are what is wrong.
    operations: Span,
}

struct Checker {
    diagnostics: Vec<Diagnostic>,
    sites: Vec<Site>,
}

impl Checker {
    fn site(&mut self, target: Span, operations: Span) -> usize {
        self.sites.push(Site { target, operations });
        self.sites.len() - 1
    }

    fn body(&mut self, body: &Body) -> Draft {
        let site = self.site(body.span, body.span);
        let mut draft = Draft {
            site,
            docs: body.docs.clone(),
            entries: Vec::new(),
        };
        for (index, entry) in body.entries.iter().enumerate() {
            let before = self.diagnostics.len();
            let kinds = self.entry(entry);
            let poisoned = entry.broken || self.diagnostics.len() > before;
            for (span, kind) in kinds {
                let kind = if poisoned { poison(kind) } else { kind };
                let site = match &kind {
                    DraftKind::Scope { .. } | DraftKind::Child { .. } => {
                        self.site(span, operations_span(entry).unwrap_or(span))
                    }
                    _ => self.site(span, span),
                };
                draft.entries.push(DraftEntry { index, site, kind });
            }
        }
        draft
    }

    /// What an entry says, with where it says it. Nothing, when it is not known.
    fn entry(&mut self, entry: &Entry) -> Vec<(Span, DraftKind)> {
        let unknown = || {
            vec![(
                entry.keyword.span(),
                DraftKind::Poisoned {
                    kind: None,
                    target: None,
                },
            )]
        };
        match &entry.content {
            Content::Scope(scope) => self.scope(entry, scope),
            Content::Unknown => unknown(),
            _ if entry.broken => match &entry.content {
                // An expectation relates to nothing that others relate to.
                Content::Expect { .. } => Vec::new(),
                _ => unknown(),
            },
            Content::Credential {
                word,
                id,
                binding,
                none,
                ..
            } => {
                let said = self.credential(
                    word.as_ref(),
                    id.as_ref(),
                    binding.as_ref(),
                    none.is_some(),
                    &entry.keyword,
                );
                said.map_or_else(unknown, |said| vec![said])
            }
            Content::Tool {
                id,
                word,
                server,
                tool,
                ..
            } => {
                let said = self.tool(
                    id.as_ref(),
                    word.as_ref(),
                    server.as_ref(),
                    tool.as_ref(),
                    &entry.keyword,
                );
                said.map_or_else(unknown, |said| vec![said])
            }
            Content::Environment { ids, none } => {
                let mut said: Vec<_> = ids
                    .iter()
                    .filter_map(|text| Some((text.span(), DraftKind::Environment(self.id(text)?))))
                    .collect();
                said.extend(
                    none.as_ref()
                        .map(|none| (none.span(), DraftKind::None(BindingKind::Environment))),
                );
                if said.is_empty() { unknown() } else { said }
            }
            Content::Execution(mode) => {
                let mode = self.word(
                    mode.as_ref(),
                    &entry.keyword,
                    ExecutionMode::ALL,
                    ExecutionMode::name,
                    "execution mode",
                );
                mode.map_or_else(unknown, |(span, mode)| {
                    vec![(span, DraftKind::Execution(mode))]
                })
            }
            Content::Settings { settings, .. } => {
                let group = SettingGroup::ALL
                    .iter()
                    .copied()
                    .find(|group| entry.keyword == group.name());
                let said: Vec<_> = group
                    .into_iter()
                    .flat_map(|group| settings.iter().map(move |setting| (group, setting)))
                    .filter_map(|(group, setting)| self.setting(group, setting))
                    .collect();
                if said.is_empty() { unknown() } else { said }
            }
            Content::Expect {
                verdict,
                keyword,
                scope,
            } => self
                .expectation(verdict.as_ref(), keyword.as_ref(), scope)
                .into_iter()
                .collect(),
        }
    }

    fn scope(&mut self, entry: &Entry, scope: &Scope) -> Vec<(Span, DraftKind)> {
        let keyword = entry.keyword.to_string();
        let is_joined = scope.first.as_ref().is_some_and(is_joined);
        let kind = suggest::kind_of(&keyword, scope.second.is_some() || is_joined);
        let span = target_span(scope).unwrap_or(entry.keyword.span());
        let target = self.target(&keyword, scope);
        let operations = kind.and_then(|kind| self.operations(kind, scope, target.as_ref()));
        let block = scope.block.as_ref().map(|block| self.body(block));
        let line = u32::try_from(entry.keyword.span().start().line).unwrap_or(0);
        let doc = entry.doc.clone();
        let said = match (target, operations, block) {
            (Some(target), Some(operations), None) if !entry.broken => DraftKind::Scope {
                target,
                operations,
                delegable: scope.delegable.is_some(),
                doc,
                line,
            },
            (Some(target), Some(operations), Some(body)) => DraftKind::Child {
                target,
                operations,
                body,
                doc,
                line,
            },
            (target, _, _) => DraftKind::Poisoned { kind, target },
        };
        vec![(span, said)]
    }

    fn target(&mut self, keyword: &str, scope: &Scope) -> Option<DraftTarget> {
        let first = scope.first.as_ref();
        match keyword {
            "filesystem" => {
                let binding = self.first_of_two(keyword, first?, scope);
                let path = self.path(scope.second.as_ref());
                Some(DraftTarget::Filesystem(binding?, path?))
            }
            "subprocess" => {
                let executable = self.id(first?);
                let arguments = self.arguments(scope);
                let (binding, path) = scope.directory.as_ref()?;
                let binding = self.id(binding);
                let path = self.path(path.as_ref());
                let directory = WorkingDirectory {
                    binding: binding?,
                    path: path?,
                };
                Some(DraftTarget::Subprocess(executable?, arguments?, directory))
            }
            "network" => {
                let endpoint = self.parsed(first?, |text| {
                    Endpoint::parse(text).map(Endpoint::into_owned)
                });
                let redirect = match &scope.redirect {
                    None => Some(RedirectPolicy::Deny),
                    Some(word) => {
                        let names = RedirectPolicy::name;
                        let word = word.as_ref()?;
                        self.word(
                            Some(word),
                            word,
                            RedirectPolicy::ALL,
                            names,
                            "redirect policy",
                        )
                        .map(|(_, policy)| policy)
                    }
                };
                Some(DraftTarget::Network(endpoint?, redirect?))
            }
            "github" => {
                let repository = self.parsed(first?, |text| {
                    Repository::parse(text).map(Repository::into_owned)
                });
                Some(DraftTarget::Github(repository?))
            }
            "browser" => {
                let origin =
                    self.parsed(first?, |text| Origin::parse(text).map(Origin::into_owned));
                Some(DraftTarget::Browser(origin?))
            }
            "mcp" => {
                let server = self.first_of_two(keyword, first?, scope);
                let tool = match &scope.second {
                    None => Some(None),
                    Some(tool) => self
                        .parsed(tool, |text| ToolName::parse(text).map(ToolName::into_owned))
                        .map(Some),
                };
                Some(DraftTarget::Mcp(server?, tool?))
            }
            "integration" => {
                let integration = self.id(first?);
                let revision = self.parsed(scope.second.as_ref()?, Digest::parse);
                Some(DraftTarget::Integration(integration?, revision?))
            }
            "child_agent" => Some(DraftTarget::ChildAgent(self.id(first?)?)),
            _ => None,
        }
    }

    /// The arguments of a subprocess; the digest is computed only to check them.
    fn arguments(&mut self, scope: &Scope) -> Option<Vec<String>> {
        let texts = scope.arguments.as_ref()?;
        let arguments: Vec<String> = texts.iter().filter_map(|text| text.value.clone()).collect();
        if arguments.len() != texts.len() {
            return None;
        }
        let refused = texts.iter().zip(&arguments).find_map(|(text, argument)| {
            let error = authority_core::target::check_argument(argument).err()?;
            Some((text.span(), error))
        });
        let too_many = || {
            argv_sha256(&arguments)
                .err()
                .zip(texts.last().map(Text::span))
                .map(|(error, span)| (span, error))
        };
        match refused.or_else(too_many) {
            None => Some(arguments),
            Some((span, error)) => {
                self.refuse(span, &error);
                None
            }
        }
    }

    /// `None` when the text is refused, `Some(None)` when there is none.
    #[allow(clippy::option_option)]
    fn path(&mut self, text: Option<&Text>) -> Option<Option<RelativePath<'static>>> {
        match text {
            None => Some(None),
            Some(text) => self
                .parsed(text, |text| {
                    RelativePath::parse(text).map(RelativePath::into_owned)
                })
                .map(Some),
        }
    }

    /// The id in front of a path or tool. Both in one text is what people try first.
    fn first_of_two(&mut self, keyword: &str, text: &Text, scope: &Scope) -> Option<Id<'static>> {
        let before = self.diagnostics.len();
        let id = self.id(text);
        let parts = text.value.as_deref().and_then(|text| text.split_once('/'));
        if let (Some(refused), Some((first, second)), None) =
            (self.diagnostics.get_mut(before), parts, &scope.second)
        {
            let is_second = match keyword {
                "mcp" => ToolName::parse(second).is_ok(),
                _ => RelativePath::parse(second).is_ok(),
            };
            if Id::parse(first).is_ok() && is_second {
                refused.help =
                    format!("write the two parts apart: {keyword} \"{first}\" / \"{second}\"");
            }
        }
        id
    }

    fn id(&mut self, text: &Text) -> Option<Id<'static>> {
        self.parsed(text, |text| Id::parse(text).map(Id::into_owned))
    }

    fn parsed<T>(
        &mut self,
        text: &Text,
        parse: impl FnOnce(&str) -> Result<T, TextError>,
    ) -> Option<T> {
        match parse(text.value.as_deref()?) {
            Ok(value) => Some(value),
            Err(error) => {
                self.refuse(text.span(), &error);
                None
            }
        }
    }

    fn refuse(&mut self, span: Span, error: &TextError) {
        self.diagnostics.push(Diagnostic::new(
            code_of(error.rule()),
            span,
            error.to_string(),
            error.help(),
        ));
    }

    fn operations(
        &mut self,
        kind: Kind,
        scope: &Scope,
        target: Option<&DraftTarget>,
    ) -> Option<OperationSet> {
        let mut operations: Vec<Operation> = Vec::new();
        let mut is_whole = true;
        for path in &scope.operations {
            if path.broken {
                is_whole = false;
                continue;
            }
            let span = path
                .segments
                .first()
                .map_or_else(Span::call_site, Ident::span);
            let last = path.segments.last().map_or(span, Ident::span);
            match self.operation(kind, &path.name(), span, last) {
                Some(operation) if operations.contains(&operation) => {
                    let message = format!("operation `{operation}` is named twice");
                    self.diagnostics.push(Diagnostic::new(
                        Code::A0304,
                        span,
                        message,
                        "leave one of them away",
                    ));
                    is_whole = false;
                }
                Some(operation) if !can_carry(target, operation) => {
                    let message =
                        format!("`{operation}` is HTTP, which this protocol does not carry");
                    let help =
                        "write `connect`: it is the only operation on `ssh`, `tcp` and `udp`";
                    self.diagnostics
                        .push(Diagnostic::new(Code::A0303, span, message, help));
                    is_whole = false;
                }
                Some(operation) => operations.push(operation),
                None => is_whole = false,
            }
        }
        OperationSet::new(kind, operations)
            .ok()
            .filter(|_| is_whole)
    }

    fn operation(&mut self, kind: Kind, name: &str, span: Span, last: Span) -> Option<Operation> {
        if let Some(operation) = kind.operation(name) {
            return Some(operation);
        }
        let elsewhere = Kind::all().find(|other| other.operation(name).is_some());
        let help = suggest::help_for_operation(name, kind);
        let diagnostic = match elsewhere {
            Some(other) => {
                let message = format!("operation `{name}` belongs to `{other}`, not to `{kind}`");
                Diagnostic::new(
                    Code::A0303,
                    span,
                    message,
                    other_kind_help(name, kind, &help),
                )
            }
            None => {
                // The wrong segment: the first one, when it begins no operation of the kind.
                let group = name.split('.').next().unwrap_or(name);
                let known = kind
                    .operations()
                    .any(|known| known.name().split('.').next() == Some(group));
                let span = if known { last } else { span };
                Diagnostic::new(
                    Code::A0302,
                    span,
                    format!("unknown operation `{name}` of `{kind}`"),
                    help,
                )
            }
        };
        self.diagnostics.push(diagnostic);
        None
    }

    fn credential(
        &mut self,
        word: Option<&Ident>,
        id: Option<&Text>,
        binding: Option<&Text>,
        none: bool,
        keyword: &Ident,
    ) -> Option<(Span, DraftKind)> {
        let known = ["provider", "mcp", "none"];
        let word = self.known_word(word, keyword, &known, "target of a credential")?;
        if word == "none" {
            return Some((word.span(), DraftKind::None(BindingKind::Credential)));
        }
        let text = id?;
        let id = self.id(text);
        let binding = match binding {
            None if none => Some(None),
            None => None,
            Some(binding) => self.id(binding).map(Some),
        };
        let target = if word == "mcp" {
            CredentialTarget::McpServer(id?)
        } else {
            CredentialTarget::Provider(id?)
        };
        Some((
            text.span(),
            DraftKind::Credential {
                target,
                binding: binding?,
            },
        ))
    }

    fn tool(
        &mut self,
        id: Option<&Text>,
        word: Option<&Ident>,
        server: Option<&Text>,
        tool: Option<&Text>,
        keyword: &Ident,
    ) -> Option<(Span, DraftKind)> {
        let Some(text) = id else {
            return word.map(|none| (none.span(), DraftKind::None(BindingKind::Tool)));
        };
        let id = self.id(text);
        let word = self.known_word(word, keyword, &["native", "mcp"], "binding of a tool")?;
        let binding = if word == "native" {
            ToolBinding::Native
        } else {
            let server = self.id(server?);
            let tool = self.parsed(tool?, |text| {
                ToolName::parse(text).map(ToolName::into_owned)
            });
            ToolBinding::Mcp(McpToolBinding {
                server: server?,
                tool: tool?,
            })
        };
        Some((text.span(), DraftKind::Tool { id: id?, binding }))
    }

    fn setting(&mut self, group: SettingGroup, entry: &SettingEntry) -> Option<(Span, DraftKind)> {
        let name = entry.name.to_string();
        let Some(setting) = Setting::in_group(group, &name) else {
            let help = suggest::help_for_setting(&name, group);
            let message = format!("unknown setting `{name}` of `{}`", group.name());
            self.diagnostics.push(Diagnostic::new(
                Code::A0109,
                entry.name.span(),
                message,
                help,
            ));
            return None;
        };
        let (number, span) = entry.number.as_ref()?;
        match value(setting, number) {
            Ok(value) => Some((entry.name.span(), DraftKind::Setting(setting, value))),
            Err((code, message, help)) => {
                self.diagnostics
                    .push(Diagnostic::new(code, *span, message, help));
                None
            }
        }
    }

    fn expectation(
        &mut self,
        verdict: Option<&Ident>,
        keyword: Option<&Ident>,
        scope: &Scope,
    ) -> Option<(Span, DraftKind)> {
        let keyword = keyword?.to_string();
        let kind = suggest::kind_of(&keyword, scope.second.is_some())?;
        let target = self.target(&keyword, scope);
        let set = self.operations(kind, scope, None)?;
        let target = target?;
        let operations = scope.operations.iter().filter_map(|path| {
            let operation = kind
                .operation(&path.name())
                .filter(|operation| set.contains(*operation))?;
            let span = path.segments.first()?.span();
            Some((self.site(span, span), operation))
        });
        let operations = operations.collect();
        let allow = verdict? == "allow";
        Some((
            target_span(scope)?,
            DraftKind::Expect {
                allow,
                target,
                operations,
            },
        ))
    }

    fn word<T: Copy>(
        &mut self,
        word: Option<&Ident>,
        keyword: &Ident,
        all: &[T],
        name: impl Fn(T) -> &'static str,
        what: &str,
    ) -> Option<(Span, T)> {
        let names: Vec<_> = all.iter().map(|value| name(*value)).collect();
        let word = self.known_word(word, keyword, &names, what)?;
        all.iter()
            .copied()
            .find(|value| word == name(*value))
            .map(|value| (word.span(), value))
    }

    fn known_word<'i>(
        &mut self,
        word: Option<&'i Ident>,
        keyword: &Ident,
        known: &[&'static str],
        what: &str,
    ) -> Option<&'i Ident> {
        let Some(word) = word else {
            let help = format!("write one of {}", suggest::listed(known));
            self.diagnostics.push(Diagnostic::new(
                Code::A0109,
                keyword.span(),
                format!("{what} is missing"),
                help,
            ));
            return None;
        };
        if known.iter().any(|name| word == name) {
            return Some(word);
        }
        let help = suggest::help_for_word(&word.to_string(), known);
        self.diagnostics.push(Diagnostic::new(
            Code::A0109,
            word.span(),
            format!("unknown {what} `{word}`"),
            help,
        ));
        None
    }
}

fn other_kind_help(name: &str, kind: Kind, help: &str) -> String {
    match (kind, name) {
        (Kind::McpServer, "call" | "inspect") => {
            format!("grant it on the tool: mcp \"docs\" / \"search\" => {name};")
        }
        (Kind::McpTool, "list" | "status" | "start") => {
            format!("grant it on the server: mcp \"docs\" => {name};")
        }
        _ => help.to_owned(),
    }
}

/// HTTP requests exist on HTTP only.
fn can_carry(target: Option<&DraftTarget>, operation: Operation) -> bool {
    let Some(DraftTarget::Network(endpoint, _)) = target else {
        return true;
    };
    let raw = matches!(
        endpoint.protocol(),
        Protocol::Ssh | Protocol::Tcp | Protocol::Udp
    );
    !raw || operation.name() == "connect"
}

/// An entry with an error of its own leaves unsaid what it relates to.
fn poison(kind: DraftKind) -> DraftKind {
    match kind {
        DraftKind::Scope { target, .. } => DraftKind::Poisoned {
            kind: Some(target.kind()),
            target: Some(target),
        },
        // A child's own entry may be right where its block has errors: they are poisoned there.
        child @ DraftKind::Child { .. } => child,
        other @ DraftKind::Poisoned { .. } => other,
        _ => DraftKind::Poisoned {
            kind: None,
            target: None,
        },
    }
}

/// Whether a text holds a tool beside its server: the operations are meant for the tool.
fn is_joined(text: &Text) -> bool {
    text.value.as_deref().is_some_and(|text| text.contains('/'))
}

fn target_span(scope: &Scope) -> Option<Span> {
    scope
        .second
        .as_ref()
        .or(scope.first.as_ref())
        .map(Text::span)
}

fn operations_span(entry: &Entry) -> Option<Span> {
    match &entry.content {
        Content::Scope(scope) => scope.operations.first()?.segments.first().map(Ident::span),
        _ => None,
    }
}

/// A setting's number from its text. Underscores between digits are free.
fn value(setting: Setting, text: &str) -> Result<u64, (Code, String, String)> {
    let digits = text.replace('_', "");
    let most = match setting.range() {
        SettingRange::U32 => u64::from(u32::MAX),
        SettingRange::U64 | SettingRange::Money => u64::MAX,
    };
    if setting.range() == SettingRange::Money {
        return MicroDollars::parse(&digits)
            .map(MicroDollars::micros)
            .map_err(|error| {
                let code = match error {
                    MoneyError::TooManyDecimals => Code::A0602,
                    MoneyError::Negative | MoneyError::NegativeZero | MoneyError::TooLarge => {
                        Code::A0601
                    }
                    MoneyError::NotANumber | MoneyError::Exponent => Code::A0603,
                };
                (
                    code,
                    error.to_string(),
                    "write US dollars with at most six decimals, as `2.50`".to_owned(),
                )
            });
    }
    let range = format!("write a whole number from 0 to {most}");
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if let Some(negative) = digits.strip_prefix('-').filter(|rest| is_digits(rest)) {
        return Err((
            Code::A0601,
            format!("`{}` cannot be -{negative}", setting.name()),
            range,
        ));
    }
    if !is_digits(&digits) {
        return Err((
            Code::A0603,
            format!("`{}` takes a whole number", setting.name()),
            range,
        ));
    }
    match digits.parse::<u64>().ok().filter(|value| *value <= most) {
        Some(value) => Ok(value),
        None => Err((
            Code::A0601,
            format!("`{}` is at most {most}", setting.name()),
            range,
        )),
    }
}

fn code_of(rule: Rule) -> Code {
    match rule {
        Rule::Wildcard => Code::A0201,
        Rule::Prefix => Code::A0202,
        Rule::Invisible => Code::A0203,
        Rule::NotCanonical => Code::A0204,
        Rule::Id => Code::A0205,
        Rule::Path => Code::A0206,
        Rule::Host => Code::A0207,
        Rule::Port => Code::A0208,
        Rule::Protocol => Code::A0209,
        Rule::Repository => Code::A0210,
        Rule::Origin => Code::A0211,
        Rule::Digest => Code::A0212,
        Rule::Variable => Code::A0213,
        Rule::MixedScripts => Code::A0214,
        Rule::Argument => Code::A0215,
    }
}

/// A broken rule between entries, as a message at its place.
fn diagnose(violation: &Violation, sites: &[Site]) -> Diagnostic {
    let unknown = Site {
        target: Span::call_site(),
        operations: Span::call_site(),
    };
    let site = sites.get(violation.site).copied().unwrap_or(unknown);
    let (code, help) = rule(&violation.kind);
    let span = match violation.kind {
        ViolationKind::ChildOperationsNotHeld { .. } => site.operations,
        _ => site.target,
    };
    let diagnostic = Diagnostic::new(code, span, violation.kind.to_string(), help);
    let is_repetition = matches!(
        code,
        Code::A0401 | Code::A0402 | Code::A0404 | Code::A0406 | Code::A0505
    );
    match violation.other.and_then(|other| sites.get(other)) {
        Some(other) if is_repetition => diagnostic.with_place("first given", other.target),
        Some(other) => diagnostic.with_place("declared", other.target),
        None => diagnostic,
    }
}

/// The code of a rule between entries, and what to write.
fn rule(kind: &ViolationKind) -> (Code, String) {
    match kind {
        ViolationKind::EmptyBody => {
            (Code::A0104, format!("declare at least one target: {}", example("filesystem")))
        }
        ViolationKind::AgentWithoutBlock { agent } => (
            Code::A0104,
            format!("write what it may do: child_agent \"{agent}\" => delegate {{ {} }}", example("")),
        ),
        ViolationKind::TargetTwice { operations } => (
            Code::A0401,
            format!("join the operations in one entry: `=> {operations}`"),
        ),
        ViolationKind::IdsDifferInCase { first, .. } => (
            Code::A0402,
            format!("write `{first}` in both places, or give one of them another name"),
        ),
        ViolationKind::DirectoryNotDeclared { binding } => (
            Code::A0403,
            format!("declare the binding, so that it can be mounted: filesystem \"{binding}\" => inspect;"),
        ),
        ViolationKind::ServerWithoutCredential { server } => (
            Code::A0403,
            format!("add `credential mcp \"{server}\" = \"…\";`, or `credential mcp \"{server}\" = none;` when it needs none"),
        ),
        ViolationKind::ToolNotDeclared { server, tool } => {
            (Code::A0403, format!("declare it: mcp \"{server}\" / \"{tool}\" => call;"))
        }
        ViolationKind::CredentialTwice => (Code::A0404, "keep one of the two entries".to_owned()),
        ViolationKind::NoneBesideNamed { kind } => (
            Code::A0405,
            format!("leave `{0} none` away: naming one {0} entry already replaces what is inherited", kind.keyword()),
        ),
        ViolationKind::NoneInRoot { kind } => {
            (Code::A0405, format!("leave `{} none` away", kind.keyword()))
        }
        ViolationKind::CredentialForNoServer { server } => (
            Code::A0405,
            format!("declare what it is for, as `mcp \"{server}\" => start, list;`, or leave the credential away"),
        ),
        ViolationKind::GivenTwice { .. } => (Code::A0406, "keep one of the two".to_owned()),
        ViolationKind::ToolNotCallable { server, tool } => (
            Code::A0407,
            format!("add `call` to the entry mcp \"{server}\" / \"{tool}\", or leave the tool away"),
        ),
        ViolationKind::CoveredPath { .. } => (
            Code::A0408,
            "leave the entry away; or, if a child is to be given just this path, write `delegable` before `=>`".to_owned(),
        ),
        ViolationKind::NothingToCover => (Code::A0408, "leave `delegable` away".to_owned()),
        ViolationKind::ChildTargetNotHeld { covered_by, declared } => {
            (Code::A0501, target_not_held_help(covered_by.as_ref(), declared))
        }
        ViolationKind::ChildOperationsNotHeld { missing, held } => (
            Code::A0502,
            format!("leave `{missing}` away; the parent holds `{held}`"),
        ),
        ViolationKind::ChildLimitAboveParent { setting, parent, .. } => {
            (Code::A0503, format!("write at most `{} = {parent}`", setting.name()))
        }
        ViolationKind::ExpectationNotMet { expected: true, operation, .. } => (
            Code::A0504,
            format!("grant `{operation}` on this very target (or on its whole filesystem binding), or expect `deny`"),
        ),
        ViolationKind::ExpectationNotMet { expected: false, operation, .. } => (
            Code::A0504,
            format!("take `{operation}` away from the entry that grants it, or expect `allow`"),
        ),
        ViolationKind::ChildNamesCollide { .. } => {
            (Code::A0505, "give one of them another id: `-`, `.` and `:` become `_` in a module's name".to_owned())
        }
        ViolationKind::ChildNameReserved { .. } => (
            Code::A0505,
            "give the agent another id: Rust reserves this name".to_owned(),
        ),
        ViolationKind::ChildTargetIsParents { agent } => (
            Code::A0505,
            format!("leave the block away to hand on the parent's target: child_agent \"{agent}\" => delegate;"),
        ),
        ViolationKind::ChildExecutionWeaker { parent, .. } => (
            Code::A0506,
            format!("write `execution {parent}`, or leave the entry away to inherit it"),
        ),
        ViolationKind::ChildBindingNotHeld { held: Some(held), .. } => (
            Code::A0507,
            format!("the parent binds it to `{held}`; write the same, or leave the entry away to inherit it"),
        ),
        ViolationKind::ChildBindingNotHeld { kind, held: None } => (
            Code::A0507,
            format!("declare it in the parent, or leave the entry away; `{} none` drops what is inherited", kind.keyword()),
        ),
    }
}

/// What to write in place of a child's target that the parent does not hold.
fn target_not_held_help(covered_by: Option<&Id<'_>>, declared: &[String]) -> String {
    if let Some(binding) = covered_by {
        return format!(
            "the parent holds the whole binding `{binding}`, which is another target; declare the path there too, \
             with `delegable` before `=>`"
        );
    }
    let spelt = if declared.is_empty() {
        "spelt the same".to_owned()
    } else {
        format!("spelt the same, as `{}`", declared.join("`, `"))
    };
    format!(
        "a child gets targets that its parent declares, {spelt}; declare it there, or leave it away here"
    )
}
