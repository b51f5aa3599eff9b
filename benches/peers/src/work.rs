//! The work that everyone does: N exact grants over all eight kinds, and queries of them.

use std::collections::{BTreeMap, BTreeSet};

use authority_core::target::{
    BrowserTarget, ChildAgentTarget, Endpoint, FilesystemTarget, IntegrationTarget, McpTarget,
    NetworkTarget, Origin, RelativePath, Repository, SubprocessTarget, WorkingDirectory,
    argv_sha256,
};
use authority_core::{
    Digest, Id, Kind, Operation, OperationSet, PermissionsBuilder, Request, Scope, Target,
    ThreadIdentity, ThreadPermissions, ThreadPolicy, ToolName,
    operations::{browser, child_agent, github},
    vocabulary::RedirectPolicy,
};

/// The kinds, each with the same share of the grants, but for agents once there are many. Of the two
/// levels of `mcp` it is the tools.
pub const KINDS: [Kind; 8] = [
    Kind::Filesystem,
    Kind::Subprocess,
    Kind::Network,
    Kind::Github,
    Kind::Browser,
    Kind::McpTool,
    Kind::Integration,
    Kind::ChildAgent,
];

/// The work, in words.
pub const ABOUT: &str = "N grants of exact targets, the same number of each kind, but at most 1,000 agents, \
     with a third of the kind's operations on average. Queries are half hits, a quarter known targets with \
     another operation, a quarter unknown targets, in random order: 4,096, and 32,768 from N = 100,000 on. \
     The child has lost the network and holds a dense mask.";

/// An agent comes with a block of its own.
const MOST_AGENTS: usize = 1_000;

/// A repository beside the grants, which is all that the blocks of child agents hold.
const SHARED: &str = "shared/notes";

/// One exact grant.
#[derive(Clone)]
pub struct Grant {
    pub target: Target<'static>,
    pub operations: OperationSet,
}

/// One question, and its answer.
#[derive(Clone)]
pub struct Query {
    pub target: Target<'static>,
    pub operation: Operation,
    pub is_allowed: bool,
}

/// A query before its target is made.
struct QueryDraft {
    index: usize,
    salt: &'static str,
    operation: Operation,
    is_allowed: bool,
}

/// A root with its grants.
pub struct Work {
    pub permissions: ThreadPermissions,
    pub grants: Vec<Grant>,
}

impl Work {
    /// `count` grants over all eight kinds.
    pub fn new(count: usize) -> Self {
        Self::of_kinds(count, &KINDS)
    }

    /// `count` grants that a scope document can hold: a child agent's names the digest of the
    /// ceiling that it stands in, and comes with a block.
    pub fn without_agents(count: usize) -> Self {
        Self::of_kinds(count, &KINDS[..7])
    }

    fn of_kinds(count: usize, kinds: &[Kind]) -> Self {
        let mut random = Random(7);
        let mut agents = 0;
        let drafts: Vec<_> = (0..count)
            .map(|index| {
                let kind = kinds[random.below(kinds.len() - usize::from(agents == MOST_AGENTS))];
                agents += usize::from(kind == Kind::ChildAgent);
                let operations = random.some(&operations_of(kind));
                (kind, index, operations)
            })
            .collect();
        let tools = drafts.iter().filter(|(kind, ..)| *kind == Kind::McpTool);
        let servers: BTreeSet<_> = tools.map(|(_, index, _)| server(*index)).collect();
        let mut builder = ThreadPermissions::builder().github(SHARED, [github::Read]);
        for server in &servers {
            builder = builder.server(server, None);
        }
        for (kind, index, operations) in &drafts {
            builder = grant(builder, *kind, *index, operations);
        }
        let permissions = builder.build().expect("the grants keep the rules");
        let ceiling = permissions.ceiling_sha256();
        let grants = drafts.into_iter().map(|(kind, index, operations)| Grant {
            target: target(kind, index, "", ceiling),
            operations: OperationSet::new(kind, operations).expect("of the kind, not empty"),
        });
        Work {
            grants: grants.collect(),
            permissions,
        }
    }

    /// Half hits; half misses, of which half ask for a target that is not there and half for an
    /// operation that is not granted. In random order, each with texts of its own.
    pub fn queries(&self, count: usize) -> Vec<Query> {
        let mut random = Random(99);
        let mut drafts: Vec<_> = (0..count)
            .map(|number| self.draft(number % 4, &mut random))
            .collect();
        for last in (1..drafts.len()).rev() {
            drafts.swap(last, random.below(last + 1));
        }
        let ceiling = self.permissions.ceiling_sha256();
        let queries = drafts.into_iter().map(|draft| Query {
            target: target(draft.operation.kind(), draft.index, draft.salt, ceiling),
            operation: draft.operation,
            is_allowed: draft.is_allowed,
        });
        queries.collect()
    }

    /// A query of one of the four sorts.
    fn draft(&self, sort: usize, random: &mut Random) -> QueryDraft {
        loop {
            let index = random.below(self.grants.len());
            let grant = &self.grants[index];
            let kind = grant.target.kind();
            let is_granted = |operation: &Operation| grant.operations.contains(*operation);
            let (granted, others): (Vec<_>, Vec<_>) =
                operations_of(kind).into_iter().partition(is_granted);
            let (salt, operations) = match sort {
                0 | 1 => ("", granted),
                2 => ("", others),
                _ => ("no-", operations_of(kind)),
            };
            if operations.is_empty() {
                continue;
            }
            let operation = operations[random.below(operations.len())];
            // The other operations on an agent ask for a living thread of it.
            if kind != Kind::ChildAgent || operation == child_agent::Delegate.into() {
                return QueryDraft {
                    index,
                    salt,
                    operation,
                    is_allowed: sort < 2,
                };
            }
        }
    }

    /// The grants in a hash table.
    pub fn table(&self) -> Table<OperationSet> {
        let grants = self.grants.iter();
        grants
            .map(|grant| (key(&grant.target), grant.operations))
            .collect()
    }

    /// The grants in an ordered table.
    pub fn ordered_table(&self) -> BTreeMap<Box<[u8]>, OperationSet> {
        let grants = self.grants.iter();
        grants
            .map(|grant| (key(&grant.target), grant.operations))
            .collect()
    }

    /// The texts of all requests that are allowed, in a hash table.
    pub fn request_table(&self) -> hashbrown::HashSet<String, foldhash::fast::RandomState> {
        self.grants.iter().flat_map(Grant::request_jsons).collect()
    }

    /// A root policy; it lives as long as its handle.
    pub fn root(&self, run: &str) -> (authority_core::RootHandle, ThreadPolicy) {
        let identity = ThreadIdentity::root("owner", "workspace", run).expect("ids");
        ThreadPolicy::for_root(identity, &self.permissions)
    }
}

impl Grant {
    pub fn scope(&self) -> Scope<'static> {
        Scope::new(self.target.clone(), self.operations).expect("of the kind")
    }

    /// The canonical text of the scope.
    pub fn json(&self) -> String {
        self.scope().canonical_json()
    }

    /// The canonical texts of all requests that it allows.
    fn request_jsons(&self) -> impl Iterator<Item = String> {
        let operations = self.operations.iter();
        operations.map(|operation| request_json(&self.target, operation))
    }
}

impl Query {
    pub fn request(&self) -> Request<'_> {
        Request::new(self.target.clone(), self.operation).expect("an operation of the kind")
    }

    /// The canonical text of the request.
    pub fn json(&self) -> String {
        request_json(&self.target, self.operation)
    }
}

pub fn request_json(target: &Target<'_>, operation: Operation) -> String {
    format!(
        r#"{{"operation":"{}","target":{}}}"#,
        operation.name(),
        target.canonical_json()
    )
}

/// A hash table over the keys of targets, with the fastest hash of the field.
pub type Table<V> = hashbrown::HashMap<Box<[u8]>, V, foldhash::fast::RandomState>;

/// A target as the bytes of its identity: the shortest key that a hash table can have for it.
pub fn key(target: &Target<'_>) -> Box<[u8]> {
    let mut key = vec![target.kind() as u8];
    let mut text = |parts: &[&[u8]]| {
        for part in parts {
            key.extend_from_slice(part);
            key.push(0);
        }
    };
    match target {
        Target::Filesystem(target) => {
            let path = target.path.as_ref().map_or(".", RelativePath::as_str);
            text(&[target.binding.as_str().as_bytes(), path.as_bytes()]);
        }
        Target::Subprocess(target) => text(&[
            target.executable.as_str().as_bytes(),
            target.argv_sha256.as_bytes(),
            target.cwd_sha256.as_bytes(),
        ]),
        Target::Network(target) => text(&[
            target.endpoint.to_string().as_bytes(),
            target.redirect.name().as_bytes(),
        ]),
        Target::Github(repository) => text(&[repository.as_str().as_bytes()]),
        Target::Browser(target) => text(&[target.origin.as_str().as_bytes()]),
        Target::Mcp(target) => {
            let tool = target.tool.as_ref().map_or("", ToolName::as_str);
            text(&[target.server.as_str().as_bytes(), tool.as_bytes()]);
        }
        Target::Integration(target) => text(&[
            target.integration.as_str().as_bytes(),
            target.revision_sha256.as_bytes(),
        ]),
        Target::ChildAgent(target) => text(&[
            target.agent.as_str().as_bytes(),
            target.parent_ceiling_sha256.as_bytes(),
        ]),
    }
    key.into()
}

/// Operations that a request can ask for with nothing but a target.
fn operations_of(kind: Kind) -> Vec<Operation> {
    let moves_file = [browser::Download.into(), browser::Upload.into()];
    let operations = kind.operations();
    operations
        .filter(|operation| !moves_file.contains(operation))
        .collect()
}

fn server(index: usize) -> String {
    format!("server-{:02}", index % 31)
}

fn agent(index: usize, salt: &str) -> String {
    format!("{salt}agent-{index:07}")
}

fn grant(
    builder: PermissionsBuilder,
    kind: Kind,
    index: usize,
    operations: &[Operation],
) -> PermissionsBuilder {
    if kind == Kind::ChildAgent {
        use child_agent::{Cancel, Delegate, Inspect, Message, Status};
        let all = [Cancel, Delegate, Inspect, Message, Status];
        let operations = all
            .into_iter()
            .filter(|one| operations.contains(&(*one).into()));
        let block = ThreadPermissions::builder().github(SHARED, [github::Read]);
        return builder.child(&agent(index, ""), operations, block);
    }
    let target = target(kind, index, "", Digest::of(b""));
    let operations = OperationSet::new(kind, operations.iter().copied()).expect("not empty");
    builder.scope(&Scope::new(target, operations).expect("of the kind"))
}

fn target(kind: Kind, index: usize, salt: &str, ceiling: Digest) -> Target<'static> {
    let id = |text: &str| Id::parse(text).expect("an id").into_owned();
    let path = |text: &str| RelativePath::parse(text).expect("a path").into_owned();
    match kind {
        Kind::Filesystem => Target::Filesystem(FilesystemTarget {
            binding: id(&format!("project-{:03}", index % 97)),
            path: Some(path(&format!(
                "src/{salt}module_{:04}/file_{index:07}.rs",
                index % 4_099
            ))),
        }),
        Kind::Subprocess => {
            let arguments = [format!("{salt}run"), format!("--job={index}")];
            let directory = WorkingDirectory {
                binding: id(&format!("project-{:03}", index % 97)),
                path: None,
            };
            Target::Subprocess(SubprocessTarget {
                executable: id(&format!("worker-{:02}", index % 53)),
                argv_sha256: argv_sha256(&arguments).expect("plain arguments"),
                cwd_sha256: directory.sha256(),
            })
        }
        Kind::Network => {
            let text = format!(
                "https://{salt}api-{index:07}.eu-west-{}.example.com:443",
                index % 3
            );
            Target::Network(NetworkTarget {
                endpoint: Endpoint::parse(&text).expect("an endpoint").into_owned(),
                redirect: RedirectPolicy::Deny,
            })
        }
        Kind::Github => {
            let text = format!("team-{:02}/{salt}service-{index:07}", index % 53);
            Target::Github(Repository::parse(&text).expect("a repository").into_owned())
        }
        Kind::Browser => {
            let text = format!("https://{salt}docs-{index:07}.example.com");
            Target::Browser(BrowserTarget {
                origin: Origin::parse(&text).expect("an origin").into_owned(),
            })
        }
        Kind::McpServer => Target::Mcp(McpTarget {
            server: id(&server(index)),
            tool: None,
        }),
        Kind::McpTool => {
            let tool = format!("{salt}tool_{index:07}");
            Target::Mcp(McpTarget {
                server: id(&server(index)),
                tool: Some(ToolName::parse(&tool).expect("a name").into_owned()),
            })
        }
        Kind::Integration => Target::Integration(IntegrationTarget {
            integration: id(&format!("{salt}integration-{index:07}")),
            revision_sha256: Digest::of(&index.to_le_bytes()),
        }),
        Kind::ChildAgent => Target::ChildAgent(ChildAgentTarget {
            agent: id(&agent(index, salt)),
            parent_ceiling_sha256: ceiling,
        }),
    }
}

/// Numbers that are the same in every run (xorshift64*).
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        usize::try_from(number).unwrap_or(0) % bound
    }

    /// Each with a chance of one third; at least one, and not all if there are two.
    fn some(&mut self, operations: &[Operation]) -> Vec<Operation> {
        loop {
            let mut chosen = operations.to_vec();
            chosen.retain(|_| self.below(3) == 0);
            if !chosen.is_empty() && (chosen.len() < operations.len() || operations.len() == 1) {
                return chosen;
            }
        }
    }
}
