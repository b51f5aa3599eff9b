//! What an approval covers: the one table of effect fields and advisory fields of every operation.
//!
//! Previews, their digests, the text for reviewers and `docs/approvals.md` are all made from it.

use std::fmt;

use crate::vocabulary::{Kind, Operation, operations};

/// What a preview of one operation is made of.
#[derive(Debug)]
pub struct Coverage {
    /// The operation.
    pub operation: Operation,
    /// What an approval covers beside [`COMMON`](Coverage::COMMON). Every field is mandatory.
    pub effect: &'static [EffectField],
    /// What a reviewer is shown beside it, and no approval covers.
    pub advisory: &'static [AdvisoryField],
}

macro_rules! fields {
    ($( $(#[$attribute:meta])* $Enum:ident { $( $Variant:ident $name:literal $about:literal; )* } )*) => { $(
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
        pub enum $Enum { $( #[doc = $about] $Variant, )* }

        impl $Enum {
            /// Every field.
            pub const ALL: &'static [$Enum] = &[ $( $Enum::$Variant, )* ];

            /// The field's name.
            pub const fn name(self) -> &'static str {
                match self { $( $Enum::$Variant => $name, )* }
            }

            /// What the field holds.
            pub const fn about(self) -> &'static str {
                match self { $( $Enum::$Variant => $about, )* }
            }
        }

        impl fmt::Display for $Enum {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(self.name())
            }
        }
    )* };
}

fields! {
    /// A part of an effect: it goes into the preview's digest, so an approval covers it.
    EffectField {
        Scope "scope" "the target with all that it names, and this one operation";
        Credential "credential" "the held credential binding that is used, or that none is";
        Boundary "boundary" "who enforces the approval";
        Bindings "bindings" "of every binding that the operation uses, the digest of what its id stands for";
        OwnDirectory "own_directory" "whether it is the binding's own directory that is meant";
        ContentBytes "content_bytes" "byte count of the content that is written";
        ContentSha256 "content_sha256" "digest of the content";
        Current "current" "digest of the content that is there, or `empty_directory`";
        Previous "previous" "digest of the content that is replaced, or `new`";
        Argv "argv" "digest of the arguments after the executable, shown in full";
        Cwd "cwd" "the working directory: a filesystem binding and a path in it";
        Environment "environment" "ids of the environment entries that the process gets, and no others";
        ExecutableSha256 "executable_sha256" "digest of the file that runs";
        StdinSha256 "stdin_sha256" "digest of all that the process reads from its standard input";
        Operands "operands" "for each argument that the host names as a file, the digest of the file's content";
        Method "method" "the HTTP method";
        PathAndQuery "path_and_query" "digest of path and query as the WHATWG URL standard serialises them, shown as they are sent; `null` for a raw stream";
        HeadersSha256 "headers_sha256" "digest of the sorted headers, without those that the transport manages and that of the credential; `null` for a raw stream";
        BodyBytes "body_bytes" "byte count of the body";
        BodySha256 "body_sha256" "digest of the body";
        ResponseCeiling "response_ceiling" "the most bytes of a response that are read";
        RepositoryId "repository_id" "GitHub's number of the repository, or `null` where the host does not know it";
        Resource "resource" "what in the repository is meant: all of it, something new, a number, a branch, a tag, a comment or a run; case is kept";
        PayloadBytes "payload_bytes" "byte count of what is sent";
        PayloadSha256 "payload_sha256" "digest of what is sent";
        File "file" "the filesystem target that is written or read, which is decided too";
        LaunchSha256 "launch_sha256" "digest of the server's launch definition";
        ToolDefinitionSha256 "tool_definition_sha256" "digest of the tool's definition as the server advertises it";
        Arguments "arguments" "digest of the arguments, shown to the reviewer";
        Thread "thread" "the thread that is meant";
        CeilingDeclarationSha256 "ceiling_declaration_sha256" "declaration digest of the ceiling that the child stands under";
        ChildPermissionsSha256 "child_permissions_sha256" "digest of the permissions that the child gets";
        ArtifactSha256 "artifact_sha256" "digest of the artifact that the child is made from, or `null` for none";
        ModelRoute "model_route" "the provider and model that the child uses, or `null` for none";
    }
    /// What a reviewer is shown beside the effect. It is not in the digest: no approval covers it.
    AdvisoryField {
        Reason "reason" "why it is asked, in the words of whoever asks";
        Explanation "explanation" "a model's explanation";
        Labels "labels" "names and texts that the host adds";
        AgentChain "agent_chain" "owner, workspace, run, thread, and the agents from the root's child down to the one that asks";
        ServerClaims "server_claims" "what the server says of its tool, as `readOnlyHint`; it never lowers a requirement";
    }
}

macro_rules! coverage {
    ($( $Kind:ident $module:ident { $( $Op:ident => [$($field:ident),*] $(claims $claim:ident)?; )* } )*) => {
        /// A row for every operation, in the order of the vocabulary.
        const COVERAGE: &[Coverage] = &[ $( $( Coverage {
            operation: Operation::nth(Kind::$Kind, operations::$module::$Op as u8),
            effect: &[ $( EffectField::$field, )* ],
            advisory: &[
                AdvisoryField::Reason,
                AdvisoryField::Explanation,
                AdvisoryField::Labels,
                AdvisoryField::AgentChain,
                $( AdvisoryField::$claim, )?
            ],
        }, )* )* ];
    };
}

coverage! {
    Filesystem filesystem {
        Inspect => [OwnDirectory];
        List => [OwnDirectory];
        Read => [OwnDirectory];
        Write => [ContentBytes, ContentSha256, Previous];
        Delete => [Current];
        Execute => [ContentSha256];
    }
    Subprocess subprocess {
        Simulate => [Argv, Cwd, Environment];
        Execute => [Argv, Cwd, Environment, ExecutableSha256, StdinSha256, Operands];
    }
    Network network {
        Connect => [PathAndQuery, HeadersSha256];
        RequestSafe => [Method, PathAndQuery, HeadersSha256, BodyBytes, BodySha256, ResponseCeiling];
        RequestWrite => [Method, PathAndQuery, HeadersSha256, BodyBytes, BodySha256, ResponseCeiling];
    }
    Github github {
        Read => [RepositoryId, Resource];
        IssueWrite => [RepositoryId, Resource, PayloadBytes, PayloadSha256];
        CommentWrite => [RepositoryId, Resource, PayloadBytes, PayloadSha256];
        PullRequestWrite => [RepositoryId, Resource, PayloadBytes, PayloadSha256];
        ContentsWrite => [RepositoryId, Resource, PayloadBytes, PayloadSha256];
        WorkflowRun => [RepositoryId, Resource, PayloadBytes, PayloadSha256];
        ReleaseWrite => [RepositoryId, Resource, PayloadBytes, PayloadSha256];
    }
    Browser browser {
        Inspect => [PathAndQuery];
        Read => [PathAndQuery];
        Navigate => [PathAndQuery];
        Interact => [PathAndQuery, PayloadBytes, PayloadSha256];
        Download => [PathAndQuery, File, Previous];
        Upload => [PathAndQuery, File, PayloadBytes, PayloadSha256];
    }
    McpServer mcp_server {
        List => [];
        Status => [];
        Start => [LaunchSha256];
    }
    McpTool mcp_tool {
        Inspect => [];
        Call => [ToolDefinitionSha256, LaunchSha256, Arguments] claims ServerClaims;
    }
    Integration integration {
        Inspect => [];
        Status => [];
        Invoke => [Arguments];
        Enable => [];
        Disable => [];
        Remove => [];
    }
    ChildAgent child_agent {
        Inspect => [Thread];
        Status => [Thread];
        Delegate => [CeilingDeclarationSha256, ChildPermissionsSha256, ArtifactSha256, ModelRoute];
        Message => [Thread, PayloadBytes, PayloadSha256];
        Cancel => [Thread];
    }
}

/// Every operation has its row: a missing, doubled or misplaced one does not compile.
const _: () = {
    let mut row = 0;
    while row < COVERAGE.len() {
        assert!(COVERAGE[row].operation.bit() == 1 << row);
        row += 1;
    }
    assert!(row == Operation::COUNT);
};

impl Coverage {
    /// What every approval covers, whatever the operation.
    pub const COMMON: &'static [EffectField] = &[
        EffectField::Scope,
        EffectField::Credential,
        EffectField::Boundary,
        EffectField::Bindings,
    ];
}

impl Operation {
    /// What an approval of the operation covers.
    ///
    /// ```
    /// use authority_core::{Operation, operations::mcp_server};
    ///
    /// let start = Operation::from(mcp_server::Start).coverage();
    /// let names: Vec<_> = start.effect.iter().map(|field| field.name()).collect();
    /// assert_eq!(names, ["launch_sha256"]);
    /// ```
    pub fn coverage(self) -> &'static Coverage {
        &COVERAGE[self.bit().trailing_zeros() as usize]
    }
}
