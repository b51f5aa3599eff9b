//! Where the entries of a body stand in the source.

use authority_core::CredentialTarget;
use authority_core::vocabulary::Setting;
use authority_syntax::tree::{Body, Content, Entry};
use proc_macro2::Span;

/// Where the entry with this index stands.
pub(crate) fn span(body: &Body, index: usize) -> Span {
    body.entries
        .get(index)
        .map_or(body.span, |entry| entry.keyword.span())
}

/// The block of an agent.
pub(crate) fn block<'b>(body: &'b Body, agent: &str) -> Option<&'b Body> {
    body.entries.iter().find_map(|entry| match &entry.content {
        Content::Scope(scope) if is_agent(entry, agent) => scope.block.as_ref(),
        _ => None,
    })
}

/// Where the entry of an agent stands.
pub(crate) fn agent(body: &Body, agent: &str) -> Option<Span> {
    let entry = body.entries.iter().find(|entry| is_agent(entry, agent))?;
    Some(entry.keyword.span())
}

/// Where a credential's entry stands.
pub(crate) fn credential(body: &Body, target: &CredentialTarget<'_>) -> Option<Span> {
    let wanted = match target {
        CredentialTarget::Provider(_) => "provider",
        CredentialTarget::McpServer(_) => "mcp",
    };
    find(body, |content| match content {
        Content::Credential { word, id, .. } => {
            let is_word = word.as_ref().is_some_and(|word| word == wanted);
            let id = id.as_ref()?;
            (is_word && id.value.as_deref() == Some(target.id().as_str())).then(|| id.span())
        }
        _ => None,
    })
}

/// Where a tool's entry stands.
pub(crate) fn tool(body: &Body, tool: &str) -> Option<Span> {
    find(body, |content| match content {
        Content::Tool { id, .. } => {
            let id = id.as_ref()?;
            (id.value.as_deref() == Some(tool)).then(|| id.span())
        }
        _ => None,
    })
}

/// Where the id of an environment entry stands.
pub(crate) fn environment(body: &Body, entry: &str) -> Option<Span> {
    find(body, |content| match content {
        Content::Environment { ids, .. } => {
            let id = ids.iter().find(|id| id.value.as_deref() == Some(entry))?;
            Some(id.span())
        }
        _ => None,
    })
}

/// Where the execution mode stands.
pub(crate) fn execution(body: &Body) -> Option<Span> {
    find(body, |content| match content {
        Content::Execution(mode) => mode.as_ref().map(proc_macro2::Ident::span),
        _ => None,
    })
}

/// Where a setting stands.
pub(crate) fn setting(body: &Body, wanted: Setting) -> Option<Span> {
    body.entries.iter().find_map(|entry| {
        let Content::Settings { settings, .. } = &entry.content else {
            return None;
        };
        let setting = settings
            .iter()
            .find(|setting| setting.name == wanted.name())?;
        (entry.keyword == wanted.group().name()).then(|| setting.name.span())
    })
}

fn find(body: &Body, place: impl Fn(&Content) -> Option<Span>) -> Option<Span> {
    body.entries.iter().find_map(|entry| place(&entry.content))
}

fn is_agent(entry: &Entry, agent: &str) -> bool {
    match &entry.content {
        Content::Scope(scope) => {
            let first = scope
                .first
                .as_ref()
                .and_then(|first| first.value.as_deref());
            entry.keyword == "child_agent" && first == Some(agent)
        }
        _ => false,
    }
}
