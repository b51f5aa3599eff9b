//! Permissions and snapshot of a thread as JSON and as digests.

use std::sync::OnceLock;

use crate::declaration::json::{MoneyForm, Permissions, Value, digest_of, object, text};
use crate::declaration::table::Table;
use crate::digest::Digest;
use crate::policy::ThreadPolicy;
use crate::policy::holdings::As;

/// Computed when first asked for.
#[derive(Default)]
pub(super) struct Digests {
    permissions: OnceLock<Box<Digest>>,
    snapshot: OnceLock<Box<Digest>>,
}

impl ThreadPolicy {
    /// The permissions that the thread was given, as canonical JSON, for people and tools to look
    /// at. What is revoked later is not taken from it.
    pub fn to_json(&self) -> String {
        self.permissions(MoneyForm::Decimal, |value| value.to_canonical_json())
    }

    /// Digest of the permissions that the thread was given, domain `authority/permissions/v1`. It is
    /// the same for the thread's life: what is revoked later changes decisions, not the digest.
    /// Computed when first asked for.
    pub fn permissions_sha256(&self) -> Digest {
        let digest = || {
            self.permissions(MoneyForm::Micro, |value| {
                digest_of("authority/permissions/v1", [("permissions", value)])
            })
        };
        **self.0.digests.permissions.get_or_init(|| digest().into())
    }

    /// Digest of the declaration or of the child's block that the thread stands under.
    pub fn declaration_sha256(&self) -> Digest {
        self.block().declaration_sha256()
    }

    /// Digest of everything that the thread is, domain `authority/snapshot/v1`: its identity, its
    /// parent's snapshot, its permissions, the declaration or block that it stands in, its model and
    /// the revisions of the root's bindings. Computed when first asked for.
    pub fn snapshot_sha256(&self) -> Digest {
        let snapshot =
            |policy: &ThreadPolicy| policy.0.digests.snapshot.get().map(|digest| **digest);
        let missing = self
            .ancestors()
            .take_while(|policy| snapshot(policy).is_none());
        // From the top down, so that no chain is too deep.
        let missing: Vec<_> = missing.collect();
        for policy in missing.into_iter().rev() {
            let parent = policy.0.parent.as_ref().and_then(snapshot);
            let _ = policy
                .0
                .digests
                .snapshot
                .set(policy.snapshot(parent).into());
        }
        snapshot(self).unwrap_or_else(|| unreachable!("it was just computed"))
    }

    fn snapshot(&self, parent: Option<Digest>) -> Digest {
        let hex = |digest: Digest| text(&digest.to_hex());
        let identity = self.identity();
        let path = identity.agent_path().iter();
        let route = self.route().map(|route| {
            object([
                ("provider_id", text(route.provider_id.as_str())),
                ("model_id", text(&route.model_id)),
            ])
        });
        let members = [
            (
                "identity",
                object([
                    ("owner_id", text(identity.owner_id().as_str())),
                    ("workspace_id", text(identity.workspace_id().as_str())),
                    ("root_run_id", text(identity.root_run_id().as_str())),
                    ("thread_id", text(identity.thread_id().as_str())),
                    (
                        "agent_path",
                        Value::List(path.map(|agent| text(agent.as_str())).collect()),
                    ),
                ]),
            ),
            ("parent_snapshot_sha256", parent.map_or(Value::Null, hex)),
            ("permissions_sha256", hex(self.permissions_sha256())),
            ("declaration_sha256", hex(self.declaration_sha256())),
            ("model", route.unwrap_or(Value::Null)),
            (
                "binding_revisions_sha256",
                self.0.root.revisions_sha256().map_or(Value::Null, hex),
            ),
        ];
        digest_of("authority/snapshot/v1", members)
    }

    fn permissions<R>(&self, money: MoneyForm, use_value: impl FnOnce(Value<'_>) -> R) -> R {
        let scopes = crate::permissions::printed(self.scopes_as(As::Made));
        let credentials: Table<_> = self.credentials_as(As::Made).cloned().collect();
        let tools: Table<_> = self.tools_as(As::Made).cloned().collect();
        let environment: Table<_> = self.environment_as(As::Made).cloned().collect();
        let parts = Permissions {
            scopes: &scopes,
            credentials: Some(&credentials),
            tools: Some(&tools),
            environment: Some(&environment),
            execution_mode: Some(self.execution_mode()),
            settings: self.settings(),
        };
        use_value(parts.to_value(money))
    }
}
