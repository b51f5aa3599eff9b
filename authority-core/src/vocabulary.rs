//! The one table of names: kinds, operations, settings, and every other word of the wire.
//!
//! The enums, the parsers, the names that `authority!` expands to, the [manifest](crate::manifest()),
//! the generated docs and the messages are all derived from this file. Adding an operation is a
//! change of one row.

use std::fmt;

/// How an operation is classed: whether it can change anything.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Class {
    /// Looking only: nothing is started, connected, loaded, run or changed.
    ReadOnly,
    /// Everything else.
    Effect,
}

/// One kind of target, as the vocabulary describes it.
#[derive(Debug)]
pub struct KindRow {
    /// The kind.
    pub kind: Kind,
    /// Its name on the wire and in the DSL.
    pub name: &'static str,
    /// Its name for people, which tells the two levels of `mcp` apart.
    pub title: &'static str,
    /// What a target of this kind stands for.
    pub about: &'static str,
    /// Its operations, in the order of the vocabulary.
    pub operations: &'static [OperationRow],
}

/// One operation, as the vocabulary describes it.
#[derive(Debug)]
pub struct OperationRow {
    /// Its name on the wire and in the DSL.
    pub name: &'static str,
    /// Whether it only looks.
    pub class: Class,
    /// What holding it allows.
    pub covers: &'static str,
    /// What it is sometimes taken for and never allows.
    pub never: &'static str,
}

macro_rules! vocabulary {
    ($(
        $Kind:ident $module:ident $name:literal $title:literal $about:literal {
            $( $op:ident $Op:ident $op_name:literal $class:ident $covers:literal $never:literal; )*
            $( => $group:ident $group_about:literal {
                $( $gop:ident $GOp:ident $gop_name:literal $gclass:ident $gcovers:literal $gnever:literal; )*
            } )*
        }
    )*) => {
        /// A kind of target. The two levels of `mcp`, a server and one of its tools, are two kinds
        /// here, because their operations differ; on the wire both are `mcp`.
        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
        #[repr(u8)]
        pub enum Kind { $( #[doc = $about] $Kind, )* }

        /// Every kind with its operations, in the order of the vocabulary.
        pub static KINDS: &[KindRow] = &[ $( KindRow {
            kind: Kind::$Kind,
            name: $name,
            title: $title,
            about: $about,
            operations: &[
                $( OperationRow { name: $op_name, class: Class::$class, covers: $covers, never: $never }, )*
                $( $( OperationRow { name: $gop_name, class: Class::$gclass, covers: $gcovers, never: $gnever }, )* )*
            ],
        }, )* ];

        /// The operations of each kind as typed values, for requests and builders in host code.
        pub mod operations {
            $(
                #[doc = concat!("Operations of the kind `", $title, "`.")]
                pub mod $module {
                    #[doc = concat!("An operation on a `", $title, "` target.")]
                    #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
                    #[repr(u8)]
                    pub enum Operation {
                        $( #[doc = $covers] $Op, )*
                        $( $( #[doc = $gcovers] $GOp, )* )*
                    }
                    pub use Operation::*;

                    impl From<Operation> for super::super::Operation {
                        fn from(operation: Operation) -> Self {
                            super::super::Operation::nth(super::super::Kind::$Kind, operation as u8)
                        }
                    }
                }
            )*
        }

        /// The names that `authority!` expands to. Each kind is a constant and a module of its
        /// operations, so that an editor can complete, explain, find and rename them.
        #[doc(hidden)]
        #[allow(non_upper_case_globals)]
        #[cfg(feature = "host")]
        pub mod names {
            $(
                #[doc = $about]
                pub const $module: crate::declared::Name = crate::declared::Name;
                #[doc = $about]
                pub mod $module {
                    use crate::declared::Name;

                    #[doc(hidden)]
                    pub const __: Name = Name;
                    $(
                        #[doc = $covers]
                        #[doc = concat!("\n\nNever covers: ", $never, ".")]
                        pub const $op: Name = Name;
                    )*
                    $(
                        #[doc = $group_about]
                        pub mod $group {
                            use crate::declared::Name;

                            #[doc(hidden)]
                            pub const __: Name = Name;
                            $(
                                #[doc = $gcovers]
                                #[doc = concat!("\n\nNever covers: ", $gnever, ".")]
                                pub const $gop: Name = Name;
                            )*
                        }
                    )*
                }
            )*
        }
    };
}

vocabulary! {
    Filesystem filesystem "filesystem" "filesystem"
    "A directory that the host has bound to an id, or one exact path in it." {
        inspect Inspect "inspect" ReadOnly "metadata of a path: whether it exists, its type, size and times" "contents, or the names in a directory";
        list List "list" ReadOnly "the names in a directory" "contents of files";
        read Read "read" ReadOnly "the contents of a regular file" "running it, or following a link out of the binding";
        write Write "write" Effect "creating or changing one regular file; a rename is `delete` of the source and `write` of the destination" "parent directories, links, mode bits, special files";
        delete Delete "delete" Effect "deleting one file or one empty directory" "recursion";
        execute Execute "execute" Effect "an already permitted process in the sandbox may load or exec the file" "starting a process: that is `subprocess`";
    }
    Subprocess subprocess "subprocess" "subprocess"
    "One executable with exactly these arguments in exactly this working directory." {
        simulate Simulate "simulate" ReadOnly "evaluating authority and sandbox for the run" "starting anything";
        execute Execute "execute" Effect "one run with exactly that argv (`argv[0]` is the binding's guest path), that working directory, and the policy's environment entries" "a shell's reading of argv; inherited environment";
    }
    Network network "network" "network"
    "One endpoint: protocol, host and port, with what happens to redirects." {
        connect Connect "connect" Effect "a raw stream, `ws` and `wss` too; the only operation on `ssh`, `tcp` and `udp`" "HTTP requests";
        => request "HTTP requests to the endpoint." {
            safe RequestSafe "request.safe" Effect "GET, HEAD and OPTIONS without body and without upgrade" "requests that write; a redirect's next hop";
            write RequestWrite "request.write" Effect "every other HTTP request" "safe requests; a redirect's next hop";
        }
    }
    Github github "github" "github"
    "One repository on github.com." {
        read Read "read" ReadOnly "reading the repository, its issues and pull requests" "any other repository, whatever the credential reaches";
        => issue "Issues of the repository." {
            write IssueWrite "issue.write" Effect "creating, editing, labelling and closing issues" "comments";
        }
        => comment "Comments on issues and pull requests." {
            write CommentWrite "comment.write" Effect "writing comments on issues and pull requests" "editing the issue or pull request itself";
        }
        => pull_request "Pull requests of the repository." {
            write PullRequestWrite "pull_request.write" Effect "opening, editing and closing pull requests" "merging: that is `contents.write`";
        }
        => contents "The repository's contents." {
            write ContentsWrite "contents.write" Effect "commits, branches, merging a pull request" "`.github/workflows`: needs `workflow.run` too; releases";
        }
        => workflow "Workflows of the repository." {
            run WorkflowRun "workflow.run" Effect "starting, cancelling and re-running workflows; with `contents.write`, changing them" "changing workflow files alone";
        }
        => release "Releases of the repository." {
            write ReleaseWrite "release.write" Effect "creating, editing and publishing releases and their tags" "commits";
        }
    }
    Browser browser "browser" "browser"
    "One exact origin in a browser." {
        inspect Inspect "inspect" ReadOnly "title, address and state of a page of the origin" "its contents";
        read Read "read" ReadOnly "the contents of a page of the origin" "moving to another page";
        navigate Navigate "navigate" Effect "opening a page of the origin" "a redirect to another origin";
        interact Interact "interact" Effect "clicking, typing and submitting on a page of the origin" "files";
        download Download "download" Effect "saving a file, together with `write` of the named filesystem target" "a file that the filesystem scopes do not grant";
        upload Upload "upload" Effect "sending a file, together with `read` of the named filesystem target" "a file that the filesystem scopes do not grant";
    }
    McpServer mcp_server "mcp" "mcp (server)"
    "An MCP server that the host has bound to an id." {
        list List "list" ReadOnly "the server's list of tools" "calling a tool; resources, prompts, sampling, elicitation";
        status Status "status" ReadOnly "whether the server runs (`not_started` when it does not)" "starting it";
        start Start "start" Effect "starting the server as the host has bound it" "calling a tool";
    }
    McpTool mcp_tool "mcp" "mcp (tool)"
    "One tool of an MCP server." {
        inspect Inspect "inspect" ReadOnly "the tool's definition" "calling it";
        call Call "call" Effect "calling the tool" "resources, prompts, sampling, elicitation; any other tool";
    }
    Integration integration "integration" "integration"
    "An installed integration at one immutable revision." {
        inspect Inspect "inspect" ReadOnly "the integration's definition" "loading it";
        status Status "status" ReadOnly "whether it is enabled and healthy" "loading it";
        invoke Invoke "invoke" Effect "running the integration at this revision" "any other revision";
        enable Enable "enable" Effect "enabling the integration at this revision" "installing another revision";
        disable Disable "disable" Effect "disabling the integration" "removing it";
        remove Remove "remove" Effect "removing the integration" "what it has made elsewhere";
    }
    ChildAgent child_agent "child_agent" "child_agent"
    "An agent that this thread may make a child of, under this declaration." {
        inspect Inspect "inspect" ReadOnly "the declaration and state of a live descendant that the request names" "any other thread of that agent";
        status Status "status" ReadOnly "whether a live descendant that the request names runs" "any other thread of that agent";
        delegate Delegate "delegate" Effect "making a child with a frozen subset of this thread's authority" "anything that this thread does not hold";
        message Message "message" Effect "sending a message to a live descendant that the request names" "any other thread of that agent";
        cancel Cancel "cancel" Effect "cancelling a live descendant that the request names" "any other thread of that agent";
    }
}

impl Kind {
    /// The kind's row of the vocabulary.
    pub fn row(self) -> &'static KindRow {
        &KINDS[self as usize]
    }

    /// The kind's name on the wire and in the DSL; `mcp` for both of its levels.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The kind's name for people, which tells the two levels of `mcp` apart.
    pub fn title(self) -> &'static str {
        self.row().title
    }

    /// Every kind, in the order of the vocabulary.
    pub fn all() -> impl Iterator<Item = Kind> {
        KINDS.iter().map(|row| row.kind)
    }

    /// The kind's operations, in the order of the vocabulary.
    pub fn operations(self) -> impl Iterator<Item = Operation> {
        let first = FIRST[self as usize];
        (first..FIRST[self as usize + 1]).map(Operation)
    }

    /// The operation of this kind with this name.
    pub fn operation(self, name: &str) -> Option<Operation> {
        let mut rows = self.row().operations.iter().zip(0..);
        let (_, index) = rows.find(|(row, _)| row.name == name)?;
        Some(Operation::nth(self, index))
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.title())
    }
}

/// Number of the first operation of each kind, and the number of all operations last.
const FIRST: [u8; KINDS.len() + 1] = {
    let mut first = [0; KINDS.len() + 1];
    let mut kind = 0;
    while kind < KINDS.len() {
        let count = KINDS[kind].operations.len();
        assert!(
            first[kind] as usize + count <= 64,
            "operations fit in one machine word"
        );
        #[allow(clippy::cast_possible_truncation)]
        let count = count as u8;
        first[kind + 1] = first[kind] + count;
        kind += 1;
    }
    first
};

/// The kind of each operation.
const KIND_OF: [Kind; Operation::COUNT] = {
    let mut kinds = [Kind::Filesystem; Operation::COUNT];
    let mut kind = 0;
    while kind < KINDS.len() {
        let mut operation = FIRST[kind];
        while operation < FIRST[kind + 1] {
            kinds[operation as usize] = KINDS[kind].kind;
            operation += 1;
        }
        kind += 1;
    }
    kinds
};

/// One operation of one kind. An operation of another kind with the same name is another
/// operation: `filesystem` `execute` is not `subprocess` `execute`.
#[derive(Clone, Copy, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Operation(u8);

impl Operation {
    /// The number of all operations.
    pub(crate) const COUNT: usize = FIRST[KINDS.len()] as usize;

    /// The `index`th operation of a kind.
    pub(crate) const fn nth(kind: Kind, index: u8) -> Self {
        Operation(FIRST[kind as usize] + index)
    }

    /// The operation with this bit in the word of an [`OperationSet`](crate::OperationSet).
    pub(crate) const fn from_bit(bit: u8) -> Self {
        Operation(bit)
    }

    /// The operation's bit in the word of an [`OperationSet`](crate::OperationSet).
    pub(crate) const fn bit(self) -> u64 {
        1 << self.0
    }

    /// The kind that the operation belongs to.
    pub fn kind(self) -> Kind {
        KIND_OF[usize::from(self.0)]
    }

    /// The operation's row of the vocabulary.
    pub fn row(self) -> &'static OperationRow {
        let kind = self.kind();
        &kind.row().operations[usize::from(self.0 - FIRST[kind as usize])]
    }

    /// The operation's name on the wire and in the DSL.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Whether the operation only looks. A property of its row, never of its name.
    pub fn is_read_only(self) -> bool {
        self.row().class == Class::ReadOnly
    }
}

impl fmt::Debug for Operation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.kind().title(), self.name())
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

macro_rules! words {
    ($( $(#[$attribute:meta])* $Enum:ident { $( $Variant:ident $name:literal $doc:literal; )* } )*) => { $(
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
        pub enum $Enum { $( #[doc = $doc] $Variant, )* }

        impl $Enum {
            /// Every value, in the order of the vocabulary.
            pub const ALL: &'static [$Enum] = &[ $( $Enum::$Variant, )* ];

            /// The value's name on the wire.
            pub const fn name(self) -> &'static str {
                match self { $( $Enum::$Variant => $name, )* }
            }

            /// What the value means.
            pub const fn about(self) -> &'static str {
                match self { $( $Enum::$Variant => $doc, )* }
            }

            /// The value with this name. Nothing falls back to a default.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $( $name => Some($Enum::$Variant), )* _ => None }
            }
        }

        impl fmt::Display for $Enum {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(self.name())
            }
        }
    )* };
}

words! {
    /// How a process of the thread runs, weakest to strictest.
    #[derive(Ord, PartialOrd)]
    ExecutionMode {
        Direct "direct" "on the host";
        Auto "auto" "in a sandbox where the executor can, else on the host";
        Sandboxed "sandboxed" "in a sandbox, never otherwise";
    }
    /// What happens to an HTTP redirect. Neither covers the other.
    #[derive(Ord, PartialOrd)]
    RedirectPolicy {
        Deny "deny" "a 3xx response is the result";
        SameOrigin "same_origin" "a hop to the same scheme, host and port may be submitted as a new request with its own decision";
    }
    /// A protocol of a network endpoint.
    #[derive(Ord, PartialOrd)]
    Protocol {
        Https "https" "HTTP over TLS";
        Http "http" "HTTP in clear";
        Wss "wss" "WebSocket over TLS";
        Ws "ws" "WebSocket in clear";
        Ssh "ssh" "Secure Shell";
        Tcp "tcp" "a raw TCP stream";
        Udp "udp" "raw UDP datagrams";
    }
    /// Why a request is denied: a code for programs and agents.
    #[derive(Ord, PartialOrd)]
    DenyReason {
        TargetNotDeclared "target_not_declared" "no declaration names the target";
        OperationNotGranted "operation_not_granted" "the target is declared without the operation";
        Narrowed "narrowed" "the root holds it, and this thread does not";
        Revoked "revoked" "it was revoked for the whole tree";
        PolicyClosed "policy_closed" "the thread or one above it was closed";
        NotADescendant "not_a_descendant" "the thread that the request names is no live descendant";
    }
    /// How long a grant lives.
    #[derive(Ord, PartialOrd)]
    Lifetime {
        Operation "operation" "one operation that was asked about";
        Session "session" "a session that the host names, until a time";
        PersistedPolicy "persisted_policy" "a stored policy, until a time";
    }
    /// A ready policy of when to ask.
    #[derive(Ord, PartialOrd)]
    Preset {
        AlwaysAsk "always_ask" "every scope is asked about";
        AskOnWrites "ask_on_writes" "scopes whose operations are all read-only are allowed, others asked about";
        AllowReviewed "allow_reviewed" "exactly the reviewed scopes and previews are allowed, others asked about";
    }
    /// What an approval rule says. Ordered by strictness: the greatest is the strictest.
    RuleDecision {
        Ask "ask" "a reviewer is asked";
        Allow "allow" "it may run";
        Deny "deny" "it may not run";
    }
    /// Who answers a question. Ordered by strength: the greatest is the strongest.
    ReviewerKind {
        Human "human" "a person";
        AutoReview "auto_review" "a program, which only denies or allows once";
    }
    /// Who really enforces a decision. Ordered by strength: the greatest is the strongest.
    Boundary {
        EnforcedByHarness "enforced_by_harness" "the program that hosts the agent";
        DelegatedToCliSandbox "delegated_to_cli_sandbox" "the sandbox of a command-line tool that the host runs";
        AdvisoryOrUnobservable "advisory_or_unobservable" "nobody: it is advice, or cannot be seen";
    }
    /// Why a grant does not hold any more.
    #[derive(Ord, PartialOrd)]
    RevalidationReason {
        Expired "expired" "its time is over";
        Revoked "revoked" "it was taken back";
        StalePreview "stale_preview" "what would run is not what was approved";
        TargetChanged "target_changed" "the target, or what a binding resolves to, is not the approved one";
        Redirect "redirect" "a redirect needs a decision of its own";
        Retry "retry" "a retry needs a decision of its own";
    }
    /// What became of a request, or of what was asked, granted or started for it.
    OutcomeCode {
        Permitted "permitted" "a permit was made";
        Denied "denied" "the request was denied; the reasons say why";
        Asked "asked" "a reviewer was asked";
        Granted "granted" "a grant was made: by an answer, or by the host";
        AnswerDiscarded "answer_discarded" "an answer came too late, or does not fit its question, and was discarded";
        Refused "refused" "an executor could not redeem the permit; the reasons say why";
        Expired "expired" "a question, a permit or a grant ended because its time was over";
        Revoked "revoked" "a grant, a scope or a thread was taken back";
        Started "started" "the permit was redeemed: from here on the effect may have happened";
        Completed "completed" "what was started ended as it should";
        Failed "failed" "what was started ended with an error";
        Cancelled "cancelled" "the request was cancelled, before it started or while it ran";
        Abandoned "abandoned" "what was started was dropped without saying how it ended";
    }
    /// Why a question does not end with an answer that allows. Each of them denies.
    Cause {
        NoReviewer "no_reviewer" "the gate has nobody to ask: denied at once";
        ReviewerSaidNo "reviewer_said_no" "the answer is no; it is remembered until the session ends";
        ReviewerTimeout "reviewer_timeout" "no answer came before the question's deadline";
        ReviewerError "reviewer_error" "the reviewer could not be asked, or could not answer";
        ReviewerPanicked "reviewer_panicked" "the reviewer panicked, where panics unwind";
        LateAnswer "late_answer" "the question had ended when the answer came, with its request, session, thread or deadline: the answer is discarded and recorded";
        AnswerMismatch "answer_mismatch" "the answer is one to another question or preview, or one that this reviewer may not give";
        TooManyQuestions "too_many_questions" "the thread or the root has too many open questions, or asked too many within a minute";
        DeniedBefore "denied_before" "a reviewer has said no to this, or three times on this target, in the same session";
    }
}

/// The group of a [`Setting`]: the keyword of its entry in the DSL.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum SettingGroup {
    /// `budget`: how much may be used.
    Budget,
    /// `rate`: how fast.
    Rate,
    /// `limit`: how many at once, and how deep.
    Limit,
}

impl SettingGroup {
    /// Every group, in the order of the vocabulary.
    pub const ALL: &'static [SettingGroup] = &[
        SettingGroup::Budget,
        SettingGroup::Rate,
        SettingGroup::Limit,
    ];

    /// The keyword of the group in the DSL.
    pub const fn name(self) -> &'static str {
        match self {
            SettingGroup::Budget => "budget",
            SettingGroup::Rate => "rate",
            SettingGroup::Limit => "limit",
        }
    }
}

/// What numbers a [`Setting`] takes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SettingRange {
    /// A whole number from 0 to 4,294,967,295.
    U32,
    /// A whole number from 0 to 18,446,744,073,709,551,615.
    U64,
    /// US dollars with at most six decimals, kept as micro-dollars in 64 bits.
    Money,
}

macro_rules! settings {
    ($( $group:ident $module:ident $group_about:literal {
        $( $name:ident $Variant:ident $wire:literal $range:ident $about:literal; )*
    } )*) => {
        /// A number that a declaration can set: a budget, a rate or a limit. All are upper bounds;
        /// one that is not set is unbounded, and zero is a real bound.
        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
        #[repr(u8)]
        pub enum Setting { $( $( #[doc = $about] $Variant, )* )* }

        impl Setting {
            /// Every setting, in the order of the vocabulary.
            pub const ALL: &'static [Setting] = &[ $( $( Setting::$Variant, )* )* ];

            /// The setting's name in the DSL.
            pub const fn name(self) -> &'static str {
                match self { $( $( Setting::$Variant => stringify!($name), )* )* }
            }

            /// The setting's name on the wire.
            pub const fn wire_name(self) -> &'static str {
                match self { $( $( Setting::$Variant => $wire, )* )* }
            }

            /// The keyword that introduces the setting in the DSL.
            pub const fn group(self) -> SettingGroup {
                match self { $( $( Setting::$Variant => SettingGroup::$group, )* )* }
            }

            /// What numbers the setting takes.
            pub const fn range(self) -> SettingRange {
                match self { $( $( Setting::$Variant => SettingRange::$range, )* )* }
            }

            /// What the setting bounds, with its unit.
            pub const fn about(self) -> &'static str {
                match self { $( $( Setting::$Variant => $about, )* )* }
            }
        }

        /// The names of settings that `authority!` expands to.
        #[doc(hidden)]
        #[allow(non_upper_case_globals)]
        #[cfg(feature = "host")]
        pub mod setting_names {
            $(
                #[doc = $group_about]
                pub const $module: crate::declared::Name = crate::declared::Name;
                #[doc = $group_about]
                pub mod $module {
                    #[doc(hidden)]
                    pub const __: crate::declared::Name = crate::declared::Name;
                    $(
                        #[doc = concat!("At most this many: ", $about, ".")]
                        pub const $name: crate::declared::Name = crate::declared::Name;
                    )*
                }
            )*
        }
    };
}

settings! {
    Budget budget "How much a thread and all its descendants may use." {
        tokens_per_turn TokensPerTurn "max_tokens_per_turn" U64 "model tokens in one turn";
        tokens_per_session TokensPerSession "max_tokens_per_session" U64 "model tokens in the whole session";
        tool_calls_per_turn ToolCallsPerTurn "max_tool_calls_per_turn" U32 "tool calls started in one turn";
        cost_per_session_usd CostPerSessionUsd "max_cost_per_session_usd" Money "US dollars spent in the whole session, with at most six decimals";
        timeout_seconds TimeoutSeconds "timeout_seconds" U64 "seconds from the thread's start to its deadline";
    }
    Rate rate "How fast a thread and all its descendants may go." {
        requests_per_minute RequestsPerMinute "requests_per_minute" U32 "model requests in any 60 seconds";
        tokens_per_minute TokensPerMinute "tokens_per_minute" U64 "model tokens in any 60 seconds";
    }
    Limit limit "How many at once, and how deep." {
        active_skills ActiveSkills "max_active_skills" U32 "skills active at once";
        concurrent_tools ConcurrentTools "max_concurrent_tools" U32 "tools running at once";
        agents Agents "max_agents" U32 "live descendants at once";
        depth Depth "max_depth" U32 "length of the agent path below the root";
    }
}

impl Setting {
    /// Whether the setting takes this number.
    pub const fn takes(self, value: u64) -> bool {
        match self.range() {
            SettingRange::U32 => value <= u32::MAX as u64,
            SettingRange::U64 | SettingRange::Money => true,
        }
    }

    /// The setting of this group with this name in the DSL.
    pub fn in_group(group: SettingGroup, name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|setting| setting.group() == group && setting.name() == name)
    }
}
