//! The rules between the entries of a declaration, and between a child's block and its parent's.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use crate::credential::CredentialTarget;
use crate::declaration::Declaration;
use crate::digest::Digest;
use crate::draft::{
    BindingKind, Draft, DraftEntry, DraftKind, DraftTarget, Violation, ViolationKind,
};
use crate::id::{Id, ToolName};
use crate::money::MicroDollars;
use crate::operation_set::OperationSet;
use crate::permissions::ThreadPermissions;
use crate::settings::Settings;
use crate::tool::{McpToolBinding, ToolBinding};
use crate::vocabulary::{ExecutionMode, Kind, Setting, SettingRange, operations};

/// Checks the rules between the entries of a root's draft and those of its children's blocks.
///
/// `assembled` is the same draft, assembled: expectations are decided on it by
/// the code that decides at run time. Violations come in the order of the entries.
pub fn check(draft: &Draft, assembled: &ThreadPermissions) -> Vec<Violation> {
    let mut checker = Checker::default();
    checker.body(draft, &assembled.0, None);
    checker.violations
}

/// The name of the module that a child's block becomes: its id with `-`, `.` and `:` as `_`, a
/// leading digit prefixed by `_`, and a keyword of any edition raw. `None` for the four keywords
/// that cannot be raw.
pub fn module_name(agent: &str) -> Option<String> {
    const KEYWORDS: [&str; 50] = [
        "abstract",
        "as",
        "async",
        "await",
        "become",
        "box",
        "break",
        "const",
        "continue",
        "do",
        "dyn",
        "else",
        "enum",
        "extern",
        "false",
        "final",
        "fn",
        "for",
        "gen",
        "if",
        "impl",
        "in",
        "let",
        "loop",
        "macro",
        "match",
        "mod",
        "move",
        "mut",
        "override",
        "priv",
        "pub",
        "ref",
        "return",
        "static",
        "struct",
        "trait",
        "true",
        "try",
        "type",
        "typeof",
        "unsafe",
        "unsized",
        "use",
        "virtual",
        "where",
        "while",
        "yield",
        "macro_rules",
        "union",
    ];
    let name: String = agent
        .chars()
        .map(|character| {
            if matches!(character, '-' | '.' | ':') {
                '_'
            } else {
                character
            }
        })
        .collect();
    match name.as_str() {
        "self" | "Self" | "super" | "crate" | "_" => None,
        keyword if KEYWORDS.contains(&keyword) => Some(format!("r#{keyword}")),
        _ if name.starts_with(|first: char| first.is_ascii_digit()) => Some(format!("_{name}")),
        _ => Some(name),
    }
}

#[derive(Default)]
struct Checker {
    violations: Vec<Violation>,
    /// Every id by its namespace and lower-case spelling, with the spelling and site seen first.
    ids: HashMap<(&'static str, String), (String, usize)>,
    /// The id of each namespace that was seen last.
    last_ids: HashMap<&'static str, String>,
    /// Namespaces and lower-case spellings that were reported: nothing more is said about them.
    clashes: HashSet<(&'static str, String)>,
}

/// What a body holds, named or inherited.
struct Held<'a> {
    scopes: HashMap<&'a DraftTarget, (OperationSet, usize)>,
    /// The filesystem bindings and MCP servers that scopes name.
    bindings: HashSet<&'a Id<'static>>,
    servers: HashSet<&'a Id<'static>>,
    /// The whole filesystem bindings among the scopes.
    wholes: HashMap<&'a Id<'static>, (OperationSet, usize)>,
    poison: Poison<'a>,
    credentials: HashMap<&'a CredentialTarget<'static>, (Option<&'a Id<'static>>, usize)>,
    tools: HashMap<&'a Id<'static>, (&'a ToolBinding<'static>, usize)>,
    environment: HashMap<&'a Id<'static>, usize>,
    /// The collections that are named here, `none` included, and not inherited.
    named: HashSet<BindingKind>,
    execution_mode: Option<ExecutionMode>,
    settings: Settings,
    /// The digest that the target of each agent carries.
    agents: HashMap<String, Digest>,
}

/// Where the entries that stand at most once in a body were seen.
#[derive(Default)]
struct Seen {
    settings: HashMap<Setting, usize>,
    execution: Option<usize>,
    none: HashMap<BindingKind, usize>,
}

/// What the entries with an error of their own leave unsaid.
#[derive(Default)]
struct Poison<'a> {
    everything: bool,
    kinds: HashSet<Kind>,
    targets: HashSet<&'a DraftTarget>,
}

impl Poison<'_> {
    fn is_empty(&self) -> bool {
        !self.everything && self.kinds.is_empty() && self.targets.is_empty()
    }

    fn hides_kind(&self, kind: Kind) -> bool {
        self.everything || self.kinds.contains(&kind)
    }

    fn hides(&self, target: &DraftTarget) -> bool {
        self.hides_kind(target.kind()) || self.targets.contains(target)
    }

    /// Whether an MCP server might have a target that is not known.
    fn hides_server(&self, server: &Id<'_>) -> bool {
        self.hides_kind(Kind::McpServer)
            || self.hides_kind(Kind::McpTool)
            || self
                .targets
                .iter()
                .any(|target| matches!(target, DraftTarget::Mcp(id, _) if id == server))
    }

    /// Whether a filesystem binding might have an entry that is not known.
    fn hides_binding(&self, binding: &Id<'_>) -> bool {
        self.hides_kind(Kind::Filesystem)
            || self
                .targets
                .iter()
                .any(|target| matches!(target, DraftTarget::Filesystem(id, _) if id == binding))
    }
}

const SERVER: &str = "MCP server";
const BINDING: &str = "filesystem binding";

impl Checker {
    fn report(&mut self, site: usize, other: Option<usize>, kind: ViolationKind) {
        self.violations.push(Violation { site, other, kind });
    }

    /// Checks one body; `parent` is who declares it, and the site of the entry whose block it is.
    fn body<'a>(
        &mut self,
        draft: &'a Draft,
        assembled: &Declaration,
        parent: Option<(&Held<'a>, usize)>,
    ) {
        let before = self.violations.len();
        self.namespaces(draft);
        let mut held = self.entries(draft, parent.is_none());
        if held.scopes.is_empty() && held.poison.is_empty() {
            self.report(
                parent.map_or(draft.site, |(_, site)| site),
                None,
                ViolationKind::EmptyBody,
            );
        }
        held.agents = agents(assembled);
        if let Some((parent, _)) = parent {
            self.against_parent(draft, assembled, parent);
            held.inherit(parent);
        }
        self.references(draft, &held);
        self.paths(draft, &held);
        if held.poison.is_empty() && self.violations.len() == before {
            self.expectations(draft, assembled);
        }
        self.children(draft, assembled, &held);
    }

    /// Collects what the entries say, and reports what is said twice.
    fn entries<'a>(&mut self, draft: &'a Draft, is_root: bool) -> Held<'a> {
        let mut held = Held {
            scopes: HashMap::new(),
            bindings: HashSet::new(),
            servers: HashSet::new(),
            wholes: HashMap::new(),
            poison: Poison::default(),
            credentials: HashMap::new(),
            tools: HashMap::new(),
            environment: HashMap::new(),
            named: HashSet::new(),
            execution_mode: None,
            settings: Settings::UNBOUNDED,
            agents: HashMap::new(),
        };
        let mut seen = Seen::default();
        for entry in &draft.entries {
            self.entry(&mut held, &mut seen, entry, is_root);
        }
        let mut none: Vec<_> = seen.none.into_iter().collect();
        none.sort_by_key(|(_, site)| *site);
        for (kind, site) in none {
            if is_root {
                self.report(site, None, ViolationKind::NoneInRoot { kind });
            } else if !held.named.insert(kind) {
                self.report(site, None, ViolationKind::NoneBesideNamed { kind });
            }
        }
        held
    }

    fn entry<'a>(
        &mut self,
        held: &mut Held<'a>,
        seen: &mut Seen,
        entry: &'a DraftEntry,
        is_root: bool,
    ) {
        let site = entry.site;
        match &entry.kind {
            DraftKind::Scope {
                target, operations, ..
            } => {
                if let (true, DraftTarget::ChildAgent(agent)) = (is_root, target) {
                    let agent = agent.clone();
                    self.report(site, None, ViolationKind::AgentWithoutBlock { agent });
                }
                self.target(held, target, *operations, site);
            }
            DraftKind::Child {
                target, operations, ..
            } => self.target(held, target, *operations, site),
            DraftKind::Credential { target, binding } => {
                held.named.insert(BindingKind::Credential);
                let first = held.credentials.get(target).map(|(_, first)| *first);
                if let Some(first) = first {
                    self.report(site, Some(first), ViolationKind::CredentialTwice);
                } else {
                    held.credentials.insert(target, (binding.as_ref(), site));
                }
            }
            DraftKind::Tool { id, binding } => {
                held.named.insert(BindingKind::Tool);
                match held.tools.entry(id) {
                    Entry::Occupied(first) => {
                        self.twice(site, first.get().1, format!("tool \"{id}\""));
                    }
                    Entry::Vacant(slot) => drop(slot.insert((binding, site))),
                }
            }
            DraftKind::Environment(id) => {
                held.named.insert(BindingKind::Environment);
                match held.environment.entry(id) {
                    Entry::Occupied(first) => {
                        self.twice(site, *first.get(), format!("environment \"{id}\""));
                    }
                    Entry::Vacant(slot) => {
                        slot.insert(site);
                    }
                }
            }
            DraftKind::Execution(mode) => match seen.execution {
                Some(first) => self.twice(site, first, "`execution`".to_owned()),
                None => (held.execution_mode, seen.execution) = (Some(*mode), Some(site)),
            },
            DraftKind::Setting(setting, value) => match seen.settings.entry(*setting) {
                Entry::Occupied(first) => {
                    self.twice(site, *first.get(), format!("`{}`", setting.name()));
                }
                Entry::Vacant(slot) => {
                    slot.insert(site);
                    held.settings = held.settings.with(*setting, *value);
                }
            },
            DraftKind::None(kind) => {
                let first = seen.none.insert(*kind, site);
                if let Some(first) = first {
                    self.twice(site, first, format!("`{} none`", kind.keyword()));
                }
            }
            DraftKind::Poisoned { kind: None, .. } => held.poison.everything = true,
            DraftKind::Poisoned {
                target: Some(target),
                ..
            } => {
                held.poison.targets.insert(target);
            }
            DraftKind::Poisoned {
                kind: Some(kind), ..
            } => {
                held.poison.kinds.insert(*kind);
            }
            DraftKind::Expect { .. } => {}
        }
    }

    fn target<'a>(
        &mut self,
        held: &mut Held<'a>,
        target: &'a DraftTarget,
        operations: OperationSet,
        site: usize,
    ) {
        match target {
            DraftTarget::Filesystem(binding, path) => {
                if path.is_none() {
                    held.wholes.entry(binding).or_insert((operations, site));
                }
                held.bindings.insert(binding)
            }
            DraftTarget::Mcp(server, _) => held.servers.insert(server),
            _ => false,
        };
        match held.scopes.entry(target) {
            Entry::Occupied(first) => {
                let (before, first) = *first.get();
                let operations = before.union(operations);
                self.report(site, Some(first), ViolationKind::TargetTwice { operations });
            }
            Entry::Vacant(slot) => {
                slot.insert((operations, site));
            }
        }
    }

    fn twice(&mut self, site: usize, first: usize, what: String) {
        self.report(site, Some(first), ViolationKind::GivenTwice { what });
    }

    /// Reports ids of one namespace that differ only in case, in the whole declaration.
    fn namespaces(&mut self, draft: &Draft) {
        for entry in &draft.entries {
            let site = entry.site;
            match &entry.kind {
                DraftKind::Scope { target, .. } | DraftKind::Child { target, .. } => match target {
                    DraftTarget::Filesystem(binding, _) => self.id(BINDING, binding, site),
                    DraftTarget::Subprocess(executable, _, directory) => {
                        self.id("executable", executable, site);
                        self.id(BINDING, &directory.binding, site);
                    }
                    DraftTarget::SubprocessDigests(executable, ..) => {
                        self.id("executable", executable, site);
                    }
                    DraftTarget::Mcp(server, _) => self.id(SERVER, server, site),
                    DraftTarget::Integration(integration, _) => {
                        self.id("integration", integration, site);
                    }
                    DraftTarget::ChildAgent(agent) => self.id("agent", agent, site),
                    DraftTarget::Network(..) | DraftTarget::Github(_) | DraftTarget::Browser(_) => {
                    }
                },
                DraftKind::Credential { target, binding } => {
                    match target {
                        CredentialTarget::Provider(id) => self.id("provider", id, site),
                        CredentialTarget::McpServer(id) => self.id(SERVER, id, site),
                    }
                    if let Some(binding) = binding {
                        self.id("credential binding", binding, site);
                    }
                }
                DraftKind::Tool { id, binding } => {
                    self.id("tool", id, site);
                    if let ToolBinding::Mcp(binding) = binding {
                        self.id(SERVER, &binding.server, site);
                    }
                }
                DraftKind::Environment(id) => self.id("environment entry", id, site),
                _ => {}
            }
        }
    }

    fn id(&mut self, namespace: &'static str, id: &Id<'_>, site: usize) {
        // Most entries of a body name the binding of the one before.
        let last = self.last_ids.entry(namespace).or_default();
        if last == id.as_str() {
            return;
        }
        id.as_str().clone_into(last);
        let key = (namespace, id.as_str().to_ascii_lowercase());
        let (first, other) = self
            .ids
            .entry(key.clone())
            .or_insert_with(|| (id.as_str().to_owned(), site));
        if first != id.as_str() {
            let (first, other, id) = (first.clone(), *other, id.as_str().to_owned());
            if self.clashes.insert(key) {
                self.report(
                    site,
                    Some(other),
                    ViolationKind::IdsDifferInCase {
                        namespace,
                        id,
                        first,
                    },
                );
            }
        }
    }

    fn clashes(&self, namespace: &'static str, id: &Id<'_>) -> bool {
        self.clashes
            .contains(&(namespace, id.as_str().to_ascii_lowercase()))
    }

    /// A child's block against what its parent holds.
    fn against_parent(&mut self, draft: &Draft, assembled: &Declaration, parent: &Held<'_>) {
        for entry in &draft.entries {
            let site = entry.site;
            match &entry.kind {
                DraftKind::Scope {
                    target, operations, ..
                } => {
                    self.child_scope(site, target, *operations, parent);
                }
                DraftKind::Child {
                    target: DraftTarget::ChildAgent(agent),
                    ..
                } if parent.agents.get(agent.as_str()) == Some(&assembled.ceiling_sha256()) => {
                    let agent = agent.clone();
                    self.report(site, None, ViolationKind::ChildTargetIsParents { agent });
                }
                DraftKind::Setting(setting, value) => match parent.settings.value(*setting) {
                    Some(held) if *value > held => {
                        let [value, parent] = [*value, held].map(|value| written(*setting, value));
                        let setting = *setting;
                        let kind = ViolationKind::ChildLimitAboveParent {
                            setting,
                            value,
                            parent,
                        };
                        self.report(site, None, kind);
                    }
                    _ => {}
                },
                DraftKind::Execution(mode) => {
                    let parent = parent.execution_mode.unwrap_or(ExecutionMode::Sandboxed);
                    if *mode < parent {
                        let kind = ViolationKind::ChildExecutionWeaker {
                            mode: *mode,
                            parent,
                        };
                        self.report(site, None, kind);
                    }
                }
                _ if parent.poison.everything => {}
                DraftKind::Credential { target, binding } => {
                    let held = parent.credentials.get(target).map(|(binding, _)| *binding);
                    if held != Some(binding.as_ref()) {
                        let held = held
                            .map(|held| held.map_or("none".to_owned(), |id| format!("\"{id}\"")));
                        let kind = BindingKind::Credential;
                        self.report(
                            site,
                            None,
                            ViolationKind::ChildBindingNotHeld { kind, held },
                        );
                    }
                }
                DraftKind::Tool { id, binding } => {
                    let held = parent.tools.get(id).map(|(binding, _)| *binding);
                    if held != Some(binding) {
                        let kind = BindingKind::Tool;
                        let held = held.map(ToString::to_string);
                        self.report(
                            site,
                            None,
                            ViolationKind::ChildBindingNotHeld { kind, held },
                        );
                    }
                }
                DraftKind::Environment(id) if !parent.environment.contains_key(id) => {
                    let kind = BindingKind::Environment;
                    self.report(
                        site,
                        None,
                        ViolationKind::ChildBindingNotHeld { kind, held: None },
                    );
                }
                _ => {}
            }
        }
    }

    fn child_scope(
        &mut self,
        site: usize,
        target: &DraftTarget,
        operations: OperationSet,
        parent: &Held<'_>,
    ) {
        if parent.poison.hides(target) {
            return;
        }
        let Some((held, other)) = parent.scopes.get(target) else {
            let covered_by = match target {
                DraftTarget::Filesystem(binding, Some(_)) => {
                    parent.whole(binding).map(|_| binding.clone())
                }
                _ => None,
            };
            let declared = parent.declared(target.kind());
            let kind = ViolationKind::ChildTargetNotHeld {
                covered_by,
                declared,
            };
            return self.report(site, None, kind);
        };
        if let Some(missing) = operations.difference(*held) {
            let kind = ViolationKind::ChildOperationsNotHeld {
                missing,
                held: *held,
            };
            self.report(site, Some(*other), kind);
        }
    }

    /// References from one entry to another of the same body.
    fn references(&mut self, draft: &Draft, held: &Held<'_>) {
        let mut servers: HashSet<&Id<'_>> = HashSet::new();
        for entry in &draft.entries {
            let site = entry.site;
            match &entry.kind {
                DraftKind::Scope {
                    target: DraftTarget::Subprocess(_, _, directory),
                    ..
                } => {
                    let binding = &directory.binding;
                    if !held.bindings.contains(binding)
                        && !held.poison.hides_binding(binding)
                        && !self.clashes(BINDING, binding)
                    {
                        let binding = binding.clone();
                        self.report(site, None, ViolationKind::DirectoryNotDeclared { binding });
                    }
                }
                DraftKind::Scope {
                    target: DraftTarget::Mcp(server, _),
                    ..
                } => {
                    let target = CredentialTarget::McpServer(server.clone());
                    if servers.insert(server)
                        && !held.credentials.contains_key(&target)
                        && !held.poison.everything
                        && !self.clashes(SERVER, server)
                    {
                        let server = server.clone();
                        self.report(
                            site,
                            None,
                            ViolationKind::ServerWithoutCredential { server },
                        );
                    }
                }
                DraftKind::Credential {
                    target: CredentialTarget::McpServer(server),
                    ..
                } if !held.servers.contains(server)
                    && !held.poison.hides_server(server)
                    && !self.clashes(SERVER, server) =>
                {
                    let server = server.clone();
                    self.report(site, None, ViolationKind::CredentialForNoServer { server });
                }
                DraftKind::Tool {
                    binding: ToolBinding::Mcp(McpToolBinding { server, tool }),
                    ..
                } => {
                    self.tool(site, server, tool, held);
                }
                _ => {}
            }
        }
    }

    fn tool(
        &mut self,
        site: usize,
        server: &Id<'static>,
        tool: &ToolName<'static>,
        held: &Held<'_>,
    ) {
        let target = DraftTarget::Mcp(server.clone(), Some(tool.clone()));
        if held.poison.hides(&target) || self.clashes(SERVER, server) {
            return;
        }
        let (server, tool) = (server.clone(), tool.clone());
        match held.scopes.get(&target) {
            None => self.report(site, None, ViolationKind::ToolNotDeclared { server, tool }),
            Some((operations, other))
                if !operations.contains(operations::mcp_tool::Call.into()) =>
            {
                self.report(
                    site,
                    Some(*other),
                    ViolationKind::ToolNotCallable { server, tool },
                );
            }
            Some(_) => {}
        }
    }

    /// An exact path that its whole binding grants already says `delegable`, and no other does.
    fn paths(&mut self, draft: &Draft, held: &Held<'_>) {
        for entry in &draft.entries {
            let DraftKind::Scope {
                target: DraftTarget::Filesystem(binding, Some(_)),
                operations,
                delegable,
                ..
            } = &entry.kind
            else {
                continue;
            };
            let hides_whole = || {
                held.poison
                    .hides(&DraftTarget::Filesystem(binding.clone(), None))
            };
            if !held.poison.is_empty() && hides_whole() {
                continue;
            }
            let whole = held.whole(binding);
            let covered = whole.is_some_and(|(whole, _)| operations.is_subset(whole));
            let touched = whole.is_some_and(|(whole, _)| operations.intersection(whole).is_some());
            let other = whole.map(|(_, site)| site);
            if covered && !delegable {
                let binding = binding.clone();
                self.report(entry.site, other, ViolationKind::CoveredPath { binding });
            } else if *delegable && !touched {
                self.report(entry.site, other, ViolationKind::NothingToCover);
            }
        }
    }

    /// Decides each expected operation by the code that decides at run time.
    fn expectations(&mut self, draft: &Draft, assembled: &Declaration) {
        let agents = agents(assembled);
        for entry in &draft.entries {
            let DraftKind::Expect {
                allow,
                target,
                operations,
            } = &entry.kind
            else {
                continue;
            };
            let agent_digest = match target {
                DraftTarget::ChildAgent(agent) => agents.get(agent.as_str()).copied(),
                _ => None,
            };
            let target =
                target.to_target(agent_digest.unwrap_or_else(|| assembled.ceiling_sha256()));
            for (site, operation) in operations {
                let decision = assembled.decide(&target, *operation);
                if decision.is_allowed() != *allow {
                    let (operation, expected) = (*operation, *allow);
                    let kind = ViolationKind::ExpectationNotMet {
                        operation,
                        expected,
                        decision,
                    };
                    self.report(*site, None, kind);
                }
            }
        }
    }

    /// The blocks of the body's children, and the names of their modules.
    fn children(&mut self, draft: &Draft, assembled: &Declaration, held: &Held<'_>) {
        let mut names: HashMap<String, (&Id<'_>, usize)> = HashMap::new();
        for entry in &draft.entries {
            let DraftKind::Child {
                target: DraftTarget::ChildAgent(agent),
                body,
                ..
            } = &entry.kind
            else {
                continue;
            };
            let site = entry.site;
            match module_name(agent.as_str()) {
                None => {
                    let agent = agent.clone();
                    self.report(site, None, ViolationKind::ChildNameReserved { agent });
                }
                Some(module) => match names.entry(module) {
                    Entry::Vacant(slot) => drop(slot.insert((agent, site))),
                    Entry::Occupied(slot) => {
                        let (first, other) = *slot.get();
                        if first != agent && !self.clashes("agent", agent) {
                            let (agent, first, module) = (
                                agent.clone(),
                                first.clone().into_owned(),
                                slot.key().clone(),
                            );
                            let kind = ViolationKind::ChildNamesCollide {
                                agent,
                                first,
                                module,
                            };
                            self.report(site, Some(other), kind);
                        }
                    }
                },
            }
            if let Some(ceiling) = assembled.child(agent.as_str()) {
                self.body(body, &ceiling.0, Some((held, site)));
            }
        }
    }
}

impl<'a> Held<'a> {
    fn whole(&self, binding: &Id<'static>) -> Option<(OperationSet, usize)> {
        self.wholes.get(binding).copied()
    }

    /// The first three targets of a kind, as the DSL writes them; none of the kinds that are shown
    /// with digests.
    fn declared(&self, kind: Kind) -> Vec<String> {
        if matches!(kind, Kind::Subprocess | Kind::ChildAgent) {
            return Vec::new();
        }
        let scopes = self.scopes.iter();
        let mut targets: Vec<_> = scopes.filter(|(target, _)| target.kind() == kind).collect();
        targets.sort_by_key(|(_, (_, site))| *site);
        let digest = Digest::from_bytes([0; 32]);
        let written = targets.into_iter().take(3);
        written
            .map(|(target, _)| target.to_target(digest).to_string())
            .collect()
    }

    fn calls(&self, binding: &McpToolBinding<'static>) -> bool {
        let target = DraftTarget::Mcp(binding.server.clone(), Some(binding.tool.clone()));
        let scope = self.scopes.get(&target);
        scope.is_some_and(|(operations, _)| operations.contains(operations::mcp_tool::Call.into()))
    }

    /// Takes from the parent what this body does not name, less what falls with a target.
    fn inherit(&mut self, parent: &Held<'a>) {
        if !self.named.contains(&BindingKind::Credential) {
            let inherited = parent
                .credentials
                .iter()
                .filter(|(target, _)| match target {
                    CredentialTarget::Provider(_) => true,
                    CredentialTarget::McpServer(server) => self.servers.contains(server),
                });
            self.credentials = inherited.map(|(target, grant)| (*target, *grant)).collect();
        }
        if !self.named.contains(&BindingKind::Tool) {
            let inherited = parent
                .tools
                .iter()
                .filter(|(_, (binding, _))| match binding {
                    ToolBinding::Native => true,
                    ToolBinding::Mcp(binding) => self.calls(binding),
                });
            self.tools = inherited.map(|(id, tool)| (*id, *tool)).collect();
        }
        if !self.named.contains(&BindingKind::Environment) {
            self.environment.clone_from(&parent.environment);
        }
        self.execution_mode = self.execution_mode.or(parent.execution_mode);
        self.settings = self.settings.tighter(&parent.settings);
    }
}

/// The agents that a body holds, with the digest in their targets.
fn agents(assembled: &Declaration) -> HashMap<String, Digest> {
    let targets = assembled.scopes().filter_map(|scope| match scope.target() {
        crate::Target::ChildAgent(target) => Some((
            target.agent.as_str().to_owned(),
            target.parent_ceiling_sha256,
        )),
        _ => None,
    });
    targets.collect()
}

/// A setting's number as the DSL writes it.
fn written(setting: Setting, value: u64) -> String {
    match setting.range() {
        SettingRange::Money => MicroDollars::new(value).to_string(),
        SettingRange::U32 | SettingRange::U64 => value.to_string(),
    }
}
