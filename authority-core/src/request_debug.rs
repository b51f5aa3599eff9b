//! What is seen of a request in logs.

use std::fmt;

use crate::operation_set::OperationSet;
use crate::request::Request;
use crate::scope::Scope;
use crate::target::Target;

/// Kind, operation, ids and digests only: no argument, path, address or name that someone else gave.
impl fmt::Debug for Request<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = formatter.debug_struct("Request");
        fields.field("kind", &self.operation().kind().name());
        fields.field("operation", &self.operation().name());
        match self.target() {
            Target::Filesystem(target) => {
                fields.field("root_id", &target.binding.as_str());
            }
            Target::Subprocess(target) => {
                fields.field("executable", &target.executable.as_str());
                fields.field("argv_sha256", &target.argv_sha256);
                fields.field("cwd_sha256", &target.cwd_sha256);
            }
            Target::Mcp(target) => {
                fields.field("server_id", &target.server.as_str());
            }
            Target::Integration(target) => {
                fields.field("integration_id", &target.integration.as_str());
                fields.field("revision_sha256", &target.revision_sha256);
            }
            Target::ChildAgent(target) => {
                fields.field("agent_id", &target.agent.as_str());
                fields.field("parent_ceiling_sha256", &target.parent_ceiling_sha256);
            }
            Target::Network(_) | Target::Github(_) | Target::Browser(_) => {}
        }
        if let Some(thread) = self.thread() {
            fields.field("thread_id", &thread.as_str());
        }
        if let Some(credential) = self.credential() {
            fields.field("credential", &credential.as_str());
        }
        if let Some(file) = self.file() {
            fields.field("file_root_id", &file.binding.as_str());
        }
        let operations = OperationSet::only(self.operation());
        let scope = Scope::trusted(self.target().clone(), operations);
        fields.field("scope_sha256", &scope.sha256());
        fields.finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::Digest;
    use crate::id::Id;
    use crate::target::{FilesystemTarget, RelativePath, WorkingDirectory, argv_sha256};
    use crate::vocabulary::RedirectPolicy;
    use crate::vocabulary::operations::{
        browser, child_agent, filesystem, github, integration, mcp_server, mcp_tool, network,
        subprocess,
    };

    const SECRET: &str = "hunter2";

    /// The digest of the wire form of the scope.
    fn of_scope(operation: &str, target: &str) -> Digest {
        Digest::of(
            format!(r#"{{"operations":["{operation}"],"schema_version":1,"target":{{{target}}}}}"#)
                .as_bytes(),
        )
    }

    #[test]
    fn a_run_shows_digests_of_its_arguments_and_its_directory() {
        let arguments = ["--password", SECRET];
        let run = Request::subprocess("curl", &arguments, "ws", SECRET, subprocess::Execute);
        let run = run.unwrap().with_credential("vault").unwrap();
        let argv = argv_sha256(&arguments).unwrap();
        let directory = WorkingDirectory {
            binding: Id::parse("ws").unwrap(),
            path: Some(RelativePath::parse(SECRET).unwrap()),
        };
        let cwd = directory.sha256();
        let scope = of_scope(
            "execute",
            &format!(
                r#""argv_sha256":"{}","cwd_sha256":"{}","executable":"curl","kind":"subprocess""#,
                argv.to_hex(),
                cwd.to_hex(),
            ),
        );
        assert_eq!(
            format!("{run:?}"),
            format!(
                r#"Request {{ kind: "subprocess", operation: "execute", executable: "curl", argv_sha256: {argv}, cwd_sha256: {cwd}, credential: "vault", scope_sha256: {scope}, .. }}"#
            )
        );
    }

    #[test]
    fn every_kind_shows_its_ids() {
        let revision = Digest::of(b"revision");
        let file = FilesystemTarget {
            binding: Id::parse("ws").unwrap(),
            path: Some(RelativePath::parse(SECRET).unwrap()),
        };
        let host = format!("https://{SECRET}.example");
        let repository = format!("acme/{SECRET}");
        let agent = |thread, operation| Request::child_agent("helper", revision, thread, operation);
        for (request, shown) in [
            (
                Request::filesystem("ws", SECRET, filesystem::Read),
                r#"kind: "filesystem", operation: "read", root_id: "ws", "#.to_owned(),
            ),
            (
                Request::network(&host, RedirectPolicy::Deny, network::RequestSafe),
                r#"kind: "network", operation: "request.safe", "#.to_owned(),
            ),
            (
                Request::github(&repository, github::IssueWrite),
                r#"kind: "github", operation: "issue.write", "#.to_owned(),
            ),
            (
                Request::browser(&host, Some(file), browser::Upload),
                r#"kind: "browser", operation: "upload", file_root_id: "ws", "#.to_owned(),
            ),
            (
                Request::mcp_server("docs", mcp_server::Start),
                r#"kind: "mcp", operation: "start", server_id: "docs", "#.to_owned(),
            ),
            (
                Request::mcp_tool("docs", SECRET, mcp_tool::Call),
                r#"kind: "mcp", operation: "call", server_id: "docs", "#.to_owned(),
            ),
            (
                Request::integration("tracker", revision, integration::Invoke),
                format!(
                    r#"kind: "integration", operation: "invoke", integration_id: "tracker", revision_sha256: {revision}, "#
                ),
            ),
            (
                agent(None, child_agent::Delegate),
                format!(
                    r#"kind: "child_agent", operation: "delegate", agent_id: "helper", parent_ceiling_sha256: {revision}, "#
                ),
            ),
            (
                agent(Some("thread-7"), child_agent::Cancel),
                format!(
                    r#"kind: "child_agent", operation: "cancel", agent_id: "helper", parent_ceiling_sha256: {revision}, thread_id: "thread-7", "#
                ),
            ),
        ] {
            let debug = format!("{:?}", request.unwrap());
            let digest = debug.strip_prefix("Request { ");
            let digest = digest.and_then(|debug| debug.strip_prefix(&shown));
            let digest = digest.and_then(|debug| debug.strip_prefix("scope_sha256: sha256:"));
            assert_eq!(
                digest.map(|digest| &digest[64..]),
                Some(", .. }"),
                "{debug}"
            );
        }
    }

    #[cfg(feature = "url")]
    #[test]
    fn no_whole_url_is_shown() {
        let url = format!("https://a.example/{SECRET}?token={SECRET}");
        let safe = Request::network_url(&url, RedirectPolicy::Deny, network::RequestSafe).unwrap();
        let page = Request::browser_url(&url, None, browser::Navigate).unwrap();
        assert_eq!(safe.url(), Some(&*url));
        assert!(!format!("{safe:?}{page:?}{safe:#?}").contains(SECRET));
    }
}
