//! A child as a restriction makes it: what the parent holds, less what the artifact takes away.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use crate::artifact::{Artifact, ModelRoute};
use crate::child_ceiling::ChildCeiling;
use crate::credential::{CredentialGrant, CredentialTarget};
use crate::declaration::Declaration;
use crate::declaration::table::Table;
use crate::id::Id;
use crate::operation_set::OperationSet;
use crate::policy::holdings::{
    As, Bindings, Holdings, credentials, environment, scope_of_tool, tools,
};
use crate::policy::mask::{Mask, Runs};
use crate::policy::{PolicyIntersectionError, PreparedChild, Selection, ThreadPolicy};
use crate::restriction::{Restriction, THREAD_POLICY_EXTENSION};
use crate::sandbox::FilesystemGrant;
use crate::settings::Settings;
use crate::tool::{McpToolBinding, ToolBinding, ToolGrant};
use crate::vocabulary::{Setting, operations::mcp_tool};

impl ThreadPolicy {
    /// Makes a child that holds what this policy holds, less what the artifact takes away. A
    /// restriction that names what the parent does not hold restricts to nothing there.
    ///
    /// # Errors
    ///
    /// `IdentityMismatch` for a thread id that was used before, `CredentialNotGranted` when the
    /// artifact names a model whose provider has no credential left, `LimitExceeded` at the depth's
    /// limit, `Closed`.
    pub fn intersect(
        &self,
        artifact: &Artifact,
        thread_id: &str,
    ) -> Result<PreparedChild, PolicyIntersectionError> {
        self.intersect_with(artifact, None, thread_id)
    }

    /// The same for an artifact that must have the restriction.
    ///
    /// # Errors
    ///
    /// As [`intersect`](Self::intersect), and `UnsupportedShape` when it has none.
    pub fn intersect_required(
        &self,
        artifact: &Artifact,
        thread_id: &str,
    ) -> Result<PreparedChild, PolicyIntersectionError> {
        if !artifact.is_restricted() {
            let section = THREAD_POLICY_EXTENSION;
            return Err(PolicyIntersectionError::UnsupportedShape {
                section,
                pointer: String::new(),
            });
        }
        self.intersect(artifact, thread_id)
    }

    /// The same for a child that keeps no other scopes than those of a selection that was made once
    /// for the root.
    ///
    /// # Errors
    ///
    /// As [`intersect`](Self::intersect), and `IdentityMismatch` for a selection of another root.
    pub fn intersect_selected(
        &self,
        artifact: &Artifact,
        selection: &Selection,
        thread_id: &str,
    ) -> Result<PreparedChild, PolicyIntersectionError> {
        if !std::ptr::eq(selection.root.as_ptr(), Arc::as_ptr(&self.0.root)) {
            return Err(PolicyIntersectionError::IdentityMismatch);
        }
        self.intersect_with(artifact, Some(selection), thread_id)
    }

    fn intersect_with(
        &self,
        artifact: &Artifact,
        selection: Option<&Selection>,
        thread_id: &str,
    ) -> Result<PreparedChild, PolicyIntersectionError> {
        let mut holdings = self.narrowed(artifact.restriction(), selection);
        holdings.route = self.route_of(artifact, &holdings)?;
        self.prepare(
            artifact.id.clone(),
            thread_id,
            holdings,
            self.0.block.clone(),
        )
    }

    pub(super) fn prepare(
        &self,
        agent: Id<'static>,
        thread_id: &str,
        holdings: Holdings,
        block: Option<Arc<ChildCeiling>>,
    ) -> Result<PreparedChild, PolicyIntersectionError> {
        if !self.is_open() {
            return Err(PolicyIntersectionError::Closed);
        }
        let thread = Id::parse(thread_id)
            .map_err(|_| PolicyIntersectionError::IdentityMismatch)?
            .into_owned();
        let depth = self.identity().agent_path().len() + 1;
        let most = self.settings().limits.max_depth;
        if most.is_some_and(|most| depth > most as usize) {
            return Err(PolicyIntersectionError::LimitExceeded {
                limit: Setting::Depth,
            });
        }
        self.0.root.take_thread_id(&thread)?;
        let identity = self.identity().child(agent, thread);
        let root = Arc::clone(&self.0.root);
        Ok(PreparedChild(ThreadPolicy::new(
            root,
            Some(self.clone()),
            identity,
            holdings,
            block,
        )))
    }

    fn narrowed(&self, restriction: &Restriction, selection: Option<&Selection>) -> Holdings {
        let held = &self.0.holdings;
        let settings = tighter(&held.settings, &restriction.settings);
        let bindings = self.narrowed_bindings(restriction, &settings);
        let listed = restriction
            .scopes
            .as_ref()
            .map(|scopes| self.select(scopes));
        let listed = [listed.as_ref(), selection];
        let lost = self.lost(&bindings, Fall::Calls);
        let mut narrowed = self.cleared(held.scopes.clone(), &settings, lost);
        for listed in listed.into_iter().flatten() {
            narrowed = listed
                .scopes
                .and(self.slots(), |index| narrowed.word(index));
        }
        if restriction.network_enabled == Some(false) {
            let network = &self.0.root.groups().network_slots;
            narrowed = narrowed.and(self.slots(), |index| !network.word(index));
        }
        if let Some(wanted) = &restriction.filesystem {
            let files = &self.0.root.groups().filesystem_slots;
            let granted = self.granted_files(wanted);
            narrowed = narrowed.and(self.slots(), |index| {
                !files.word(index) | granted.word(index)
            });
        }
        Holdings {
            scopes: narrowed,
            own_agents: self.narrowed_agents(listed),
            bindings,
            execution_mode: restriction
                .execution_mode
                .map_or(held.execution_mode, |mode| mode.max(held.execution_mode)),
            settings,
            not_held: self.not_held(restriction).into(),
            route: None,
        }
    }

    pub(super) fn slots(&self) -> usize {
        self.declaration().derived().slots()
    }

    /// What is left of a mask when everything falls that has to: lost slots, what was revoked, and
    /// every `call` when no tool may run.
    pub(super) fn cleared(&self, mask: Mask, settings: &Settings, mut lost: Runs) -> Mask {
        self.0.root.push_revoked(&mut lost);
        let mut mask = mask;
        if !lost.is_empty() {
            let lost = Mask::of(lost, self.slots());
            mask = mask.and(self.slots(), |index| !lost.word(index));
        }
        if settings.limits.max_concurrent_tools == Some(0) {
            let calls = &self.0.root.groups().call_slots;
            mask = mask.and(self.slots(), |index| !calls.word(index));
        }
        mask
    }

    fn narrowed_agents(
        &self,
        listed: [Option<&Selection>; 2],
    ) -> Option<Arc<[(usize, OperationSet)]>> {
        let own = self.0.holdings.own_agents.as_ref()?;
        if listed.iter().all(Option::is_none) {
            return Some(Arc::clone(own));
        }
        let kept = own.iter().filter_map(|(row, operations)| {
            let target = self.block().scope(*row)?.target();
            let listed = listed.iter().flatten();
            let word = listed.fold(operations.word(), |word, selection| {
                word & selection.of_agent(&target)
            });
            Some((*row, OperationSet::from_word(word)?))
        });
        Some(kept.collect())
    }

    fn narrowed_bindings(&self, restriction: &Restriction, settings: &Settings) -> Arc<Bindings> {
        let held = &self.0.holdings.bindings;
        let root = self.declaration();
        let has_no_tool = settings.limits.max_concurrent_tools == Some(0);
        let inherits = restriction.credentials.is_none()
            && restriction.tools.is_none()
            && restriction.environment.is_none()
            && !has_no_tool;
        let has_revoked = self.0.root.has_revoked_bindings();
        if inherits && !has_revoked {
            return Arc::clone(held);
        }
        let mut narrowed = Bindings::clone(held);
        if let Some(wanted) = &restriction.credentials {
            narrowed.keep_credentials(root, wanted);
        }
        if let Some(wanted) = &restriction.tools {
            narrowed.keep_tools(root, wanted);
        }
        if has_no_tool {
            narrowed.keep_tools(root, &[]);
        }
        if let Some(wanted) = &restriction.environment {
            narrowed.keep_environment(root, wanted);
        }
        if has_revoked {
            self.drop_revoked_bindings(&mut narrowed);
        }
        Arc::new(narrowed)
    }

    pub(super) fn drop_revoked_bindings(&self, bindings: &mut Bindings) {
        let root = self.declaration();
        let held: Vec<_> = self.credentials().collect();
        bindings.keep_credentials(root, held);
        let held: Vec<_> = self.tools().map(|grant| &grant.id).collect();
        bindings.keep_tools(root, held);
        let held: Vec<_> = self.environment().collect();
        bindings.keep_environment(root, held);
    }

    /// The slots that fall with bindings that this thread was given and a child is not: the scopes of
    /// a server whose credential goes, and the `call` of a server's tool whose last id goes.
    pub(super) fn lost(&self, child: &Arc<Bindings>, fall: Fall) -> Runs {
        let held = &self.0.holdings.bindings;
        let mut lost = Runs::NONE;
        if Arc::ptr_eq(held, child) {
            return lost;
        }
        let declaration = self.declaration();
        let gone = gone(
            credentials(declaration),
            &held.credentials,
            &child.credentials,
        );
        for grant in gone {
            if let CredentialTarget::McpServer(server) = &grant.target {
                let groups = self.0.root.groups();
                for scope in groups.of_server(declaration, server.as_str()) {
                    lost.push_scope(scope, scope.operations());
                }
            }
        }
        if fall == Fall::Calls {
            self.push_calls_without_tool(child, &mut lost);
        }
        lost
    }

    /// One that no id was ever bound to is untouched.
    fn push_calls_without_tool(&self, child: &Bindings, lost: &mut Runs) {
        let declaration = self.declaration();
        let table = tools(declaration);
        let held = &self.0.holdings.bindings.tools;
        let gone: Vec<_> = gone(table, held, &child.tools)
            .filter_map(server_tool)
            .collect();
        if gone.is_empty() {
            return;
        }
        let kept = (0..table.len()).filter(|index| child.tools.has(*index));
        let kept: HashSet<_> = kept
            .filter_map(|index| server_tool(table.at(index)?))
            .collect();
        for binding in gone {
            if !kept.contains(binding)
                && let Some(scope) = scope_of_tool(declaration, binding)
            {
                lost.push_scope(scope, OperationSet::only(mcp_tool::Call.into()));
            }
        }
    }

    /// The filesystem slots that a restriction by bindings leaves.
    fn granted_files(&self, wanted: &BTreeMap<String, FilesystemGrant>) -> Mask {
        let mut granted = Runs::NONE;
        let groups = self.0.root.groups();
        for (binding, grant) in wanted {
            for scope in groups.in_binding(self.declaration(), binding) {
                let counts = |operation| {
                    let counts = FilesystemGrant::of(operation);
                    (counts.read && grant.read) || (counts.write && grant.write)
                };
                let kept = scope
                    .operations()
                    .iter()
                    .filter(|operation| counts(*operation));
                let kept = kept.fold(0, |word, operation| word | operation.bit());
                if let Some(kept) = OperationSet::from_word(kept) {
                    granted.push_scope(scope, kept);
                }
            }
        }
        Mask::of(granted, self.slots())
    }

    /// What the restriction names and this thread does not hold: no error, since restrictions are
    /// written without knowing the parent.
    fn not_held(&self, restriction: &Restriction) -> Vec<(String, String)> {
        let mut parts = Vec::new();
        for (index, wanted) in restriction.scopes.iter().flatten().enumerate() {
            let held = self.held_on(wanted.target());
            let missing = wanted.operations().word() & !held;
            if let Some(missing) = OperationSet::from_word(missing) {
                parts.push((
                    format!("/scopes/{index}"),
                    format!("{} => {missing}", wanted.target()),
                ));
            }
        }
        for (index, wanted) in restriction.credentials.iter().flatten().enumerate() {
            if self.credential(&wanted.target) != Some(wanted) {
                parts.push((format!("/credentials/{index}"), wanted.to_string()));
            }
        }
        for (index, wanted) in restriction.tools.iter().flatten().enumerate() {
            if self.tool(wanted.as_str()).is_err() {
                parts.push((format!("/tools/{index}"), format!("tool \"{wanted}\"")));
            }
        }
        for (index, wanted) in restriction.environment.iter().flatten().enumerate() {
            if !self.holds_environment(wanted) {
                parts.push((
                    format!("/sandbox/environment/{index}"),
                    format!("environment \"{wanted}\""),
                ));
            }
        }
        for binding in restriction.filesystem.iter().flat_map(BTreeMap::keys) {
            let groups = self.0.root.groups();
            let mut scopes = groups.in_binding(self.declaration(), binding);
            if !scopes.any(|scope| self.held(scope, As::Now).is_some()) {
                parts.push((
                    format!("/sandbox/filesystem/{binding}"),
                    format!("filesystem \"{binding}\""),
                ));
            }
        }
        parts
    }

    /// The model's route: the artifact's own needs its provider's credential, an inherited one is
    /// dropped without it.
    fn route_of(
        &self,
        artifact: &Artifact,
        holdings: &Holdings,
    ) -> Result<Option<Arc<ModelRoute>>, PolicyIntersectionError> {
        let root = self.declaration();
        let is_granted =
            |route: &ModelRoute| holdings.bindings.has_provider(root, &route.provider_id);
        match &artifact.model {
            Some(route) if is_granted(route) => Ok(Some(Arc::new(route.clone()))),
            Some(route) => Err(PolicyIntersectionError::CredentialNotGranted {
                provider: route.provider_id.to_string(),
            }),
            None => Ok(self
                .0
                .holdings
                .route
                .clone()
                .filter(|route| is_granted(route))),
        }
    }
}

/// What falls with tool ids that a child is not given.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(super) enum Fall {
    /// The `call` of a server's tool whose last id goes.
    Calls,
    /// Nothing: a block that names tools names its scopes too.
    Nothing,
}

/// Setting by setting the lower one, shared when nothing is.
pub(super) fn tighter(held: &Arc<Settings>, other: &Settings) -> Arc<Settings> {
    let tighter = held.tighter(other);
    if tighter == **held {
        Arc::clone(held)
    } else {
        Arc::new(tighter)
    }
}

impl Bindings {
    pub(super) fn keep_credentials<'a>(
        &mut self,
        root: &Declaration,
        wanted: impl IntoIterator<Item = &'a CredentialGrant>,
    ) {
        let table = credentials(root);
        let index_of = |wanted: &CredentialGrant| table.search(|grant| grant.cmp(wanted));
        self.credentials = kept(
            &self.credentials,
            table.len(),
            wanted.into_iter().filter_map(index_of),
        );
    }

    pub(super) fn keep_tools<'a>(
        &mut self,
        root: &Declaration,
        wanted: impl IntoIterator<Item = &'a Id<'static>>,
    ) {
        let table = tools(root);
        let index_of = |wanted: &Id<'static>| table.search(|grant| grant.id.cmp(wanted));
        self.tools = kept(
            &self.tools,
            table.len(),
            wanted.into_iter().filter_map(index_of),
        );
    }

    pub(super) fn keep_environment<'a>(
        &mut self,
        root: &Declaration,
        wanted: impl IntoIterator<Item = &'a Id<'static>>,
    ) {
        let table = environment(root);
        let index_of = |wanted: &Id<'static>| table.search(|id| id.cmp(wanted));
        self.environment = kept(
            &self.environment,
            table.len(),
            wanted.into_iter().filter_map(index_of),
        );
    }

    pub(super) fn has_provider(&self, root: &Declaration, provider: &Id<'static>) -> bool {
        let target = CredentialTarget::Provider(provider.clone());
        let index = credentials(root).search(|grant| grant.target.cmp(&target));
        index.is_some_and(|index| self.credentials.has(index))
    }
}

/// What a mask has of these indices.
fn kept(mask: &Mask, length: usize, indices: impl Iterator<Item = usize>) -> Mask {
    let mut runs = Runs::NONE;
    indices.for_each(|index| runs.push(index));
    Mask::of(runs, length).and(length, |index| mask.word(index))
}

/// The elements that one mask has and another one has not.
fn gone<'a, T>(
    table: &'a Table<T>,
    held: &'a Mask,
    child: &'a Mask,
) -> impl Iterator<Item = &'a T> {
    (0..table.len())
        .filter(|index| held.has(*index) && !child.has(*index))
        .filter_map(|index| table.at(index))
}

fn server_tool(grant: &ToolGrant) -> Option<&McpToolBinding<'static>> {
    match &grant.binding {
        ToolBinding::Native => None,
        ToolBinding::Mcp(binding) => Some(binding),
    }
}
