//! What a misspelt word was probably meant to be.

use authority_core::Kind;
use authority_core::suggest::{nearest, nearest_many};
use authority_core::vocabulary::{Setting, SettingGroup};
use proc_macro2::Ident;

use crate::tree::Scope;

/// Words of other systems, and the operations that they stand for here.
const OPERATION_SYNONYMS: &[(&str, &[&str])] = &[
    ("r", &["read"]),
    ("w", &["write"]),
    ("x", &["execute"]),
    ("rw", &["read", "write"]),
    ("rwx", &["read", "write", "execute"]),
    ("ls", &["list"]),
    ("dir", &["list"]),
    ("stat", &["inspect"]),
    ("exists", &["inspect"]),
    ("cat", &["read"]),
    ("open", &["read"]),
    ("view", &["read", "inspect"]),
    ("create", &["write", "pull_request.write", "issue.write"]),
    ("edit", &["write", "contents.write"]),
    ("modify", &["write"]),
    ("update", &["write", "contents.write"]),
    ("append", &["write"]),
    ("remove", &["delete"]),
    ("rm", &["delete"]),
    ("unlink", &["delete"]),
    ("rename", &["delete", "write"]),
    ("exec", &["execute"]),
    ("run", &["execute", "workflow.run", "invoke"]),
    ("spawn", &["execute"]),
    ("launch", &["execute", "start"]),
    ("get", &["request.safe", "read"]),
    ("head", &["request.safe"]),
    ("fetch", &["request.safe", "read"]),
    ("post", &["request.write"]),
    ("put", &["request.write"]),
    ("patch", &["request.write"]),
    ("request", &["request.safe", "request.write"]),
    ("http", &["request.safe", "request.write"]),
    ("push", &["contents.write"]),
    ("commit", &["contents.write"]),
    ("merge", &["contents.write"]),
    ("pull", &["read"]),
    ("clone", &["read"]),
    ("issue", &["issue.write"]),
    ("comment", &["comment.write"]),
    ("pull_request", &["pull_request.write"]),
    ("pr", &["pull_request.write"]),
    ("release", &["release.write"]),
    ("publish", &["release.write"]),
    ("workflow", &["workflow.run"]),
    ("dispatch", &["workflow.run"]),
    ("click", &["interact"]),
    ("type", &["interact"]),
    ("goto", &["navigate"]),
    ("visit", &["navigate"]),
    ("use", &["call", "invoke"]),
    ("invoke", &["call"]),
    ("call", &["invoke"]),
    ("stop", &["cancel", "disable"]),
    ("kill", &["cancel"]),
    ("send", &["message", "request.write"]),
    ("spawn_child", &["delegate"]),
];

/// Keywords of other systems, and the entries that they stand for here.
const KEYWORD_SYNONYMS: &[(&str, &str)] = &[
    ("file", "filesystem"),
    ("files", "filesystem"),
    ("fs", "filesystem"),
    ("path", "filesystem"),
    ("directory", "filesystem"),
    ("folder", "filesystem"),
    ("process", "subprocess"),
    ("command", "subprocess"),
    ("exec", "subprocess"),
    ("shell", "subprocess"),
    ("bash", "subprocess"),
    ("net", "network"),
    ("http", "network"),
    ("https", "network"),
    ("url", "network"),
    ("host", "network"),
    ("repo", "github"),
    ("repository", "github"),
    ("git", "github"),
    ("web", "browser"),
    ("origin", "browser"),
    ("server", "mcp"),
    ("plugin", "integration"),
    ("agent", "child_agent"),
    ("child", "child_agent"),
    ("subagent", "child_agent"),
    ("secret", "credential"),
    ("token", "credential"),
    ("env", "environment"),
    ("sandbox", "execution"),
    ("mode", "execution"),
    ("limits", "limit"),
    ("max", "limit"),
    ("rate_limit", "rate"),
    ("assert", "expect"),
    ("test", "expect"),
];

/// At most this many suggestions: more are no help.
const MOST: usize = 3;

/// What the unknown operation was probably meant to be, of the operations of the kind.
pub(crate) fn help_for_operation(name: &str, kind: Kind) -> String {
    let own: Vec<&'static str> = kind
        .operations()
        .map(authority_core::Operation::name)
        .collect();
    let found = meant(name, &own, OPERATION_SYNONYMS);
    // Words that stand for several operations at once.
    if matches!(name, "rw" | "rwx" | "rename") && found.len() > 1 {
        return format!("write `{}`", found.join(", "));
    }
    if matches!(
        name,
        "all" | "any" | "every" | "everything" | "full" | "admin"
    ) {
        return format!(
            "nothing stands for several operations; name each: {}",
            listed(&own)
        );
    }
    if found.is_empty() {
        format!("`{kind}` has {}", listed(&own))
    } else {
        format!("write {}", alternatives(&found))
    }
}

fn meant(
    name: &str,
    own: &[&'static str],
    synonyms: &[(&str, &[&'static str])],
) -> Vec<&'static str> {
    let same = |text: &str| text.replace('-', "_").to_ascii_lowercase();
    let mut found: Vec<&'static str> = own
        .iter()
        .copied()
        .filter(|known| same(known) == same(name))
        .collect();
    let last = name.rsplit('.').next().unwrap_or(name);
    let words = [name, last].map(same);
    for word in &words {
        let known = synonyms
            .iter()
            .filter(|(synonym, _)| synonym == word)
            .flat_map(|(_, meant)| meant.iter().copied());
        found.extend(known.filter(|known| own.contains(known)));
    }
    // In a group that exists, a synonym in this group is what was meant.
    if let Some((group, _)) = name.split_once('.') {
        let in_group = |known: &&str| known.split('.').next() == Some(group) && known.contains('.');
        if found.iter().any(in_group) {
            found.retain(in_group);
            found.dedup();
            return found;
        }
    }
    if name.contains('.') {
        found.extend(nearest_many(name, own.iter().copied()));
        let first = same(name.split('.').next().unwrap_or(name));
        let near = own.iter().filter(|known| {
            known
                .split('.')
                .next()
                .is_some_and(|group| nearest(&first, [group]).is_some() && known.contains('.'))
        });
        found.extend(near);
    } else {
        found.extend(
            own.iter()
                .filter(|known| known.contains('.') && known.rsplit('.').next() == Some(last)),
        );
    }
    found.extend(nearest_many(name, own.iter().copied()));
    let mut unique = Vec::new();
    for name in found {
        if !unique.contains(&name) && unique.len() < MOST {
            unique.push(name);
        }
    }
    unique
}

/// What the unknown keyword was probably meant to be.
pub(crate) fn help_for_keyword(word: &str, known: &[&'static str]) -> String {
    let lower = word.to_ascii_lowercase();
    let synonym = KEYWORD_SYNONYMS
        .iter()
        .find(|(synonym, meant)| *synonym == lower && known.contains(meant));
    let found = synonym
        .map(|(_, meant)| *meant)
        .or_else(|| nearest(&lower, known.iter().copied()));
    match found {
        Some(found) => format!("write `{found}`: {}", crate::parse::example(found)),
        None => format!("write one of {}", listed(known)),
    }
}

/// What the unknown word was probably meant to be, of a few known ones.
pub(crate) fn help_for_word(word: &str, known: &[&'static str]) -> String {
    let near = nearest(word, known.iter().copied());
    let prefix = || {
        known
            .iter()
            .copied()
            .find(|name| name.starts_with(word) || word.starts_with(name))
    };
    match near.or_else(prefix) {
        Some(found) => format!("write `{found}`"),
        None => format!("write one of {}", listed(known)),
    }
}

/// What the unknown setting was probably meant to be: of its group, then of another.
pub(crate) fn help_for_setting(word: &str, group: SettingGroup) -> String {
    let bare = word.strip_prefix("max_").unwrap_or(word);
    let names = |group| {
        let settings = Setting::ALL
            .iter()
            .filter(move |setting| setting.group() == group);
        settings.map(|setting| setting.name()).collect::<Vec<_>>()
    };
    let own = names(group);
    if let Some(found) = nearest(bare, own.iter().copied()) {
        return format!("write `{found}`");
    }
    let starting: Vec<_> = own
        .iter()
        .copied()
        .filter(|name| name.starts_with(bare))
        .take(MOST)
        .collect();
    if !starting.is_empty() {
        return format!("write {}", alternatives(&starting));
    }
    for other in SettingGroup::ALL {
        if let Some(found) = nearest(bare, names(*other)) {
            return format!("`{found}` is a setting of `{}`", other.name());
        }
    }
    format!("`{}` has {}", group.name(), listed(&own))
}

/// The settings of a group, for a place where one is missing.
pub(crate) fn settings_of(keyword: &Ident) -> String {
    let settings = Setting::ALL
        .iter()
        .filter(|setting| keyword == setting.group().name());
    let names: Vec<_> = settings.map(|setting| setting.name()).collect();
    format!(
        "name one of {} with its number: {}",
        listed(&names),
        crate::parse::example(&keyword.to_string())
    )
}

/// The operations that an unfinished entry could have.
pub(crate) fn operations_of(keyword: &Ident, scope: &Scope) -> String {
    let kind = kind_of(&keyword.to_string(), scope.second.is_some());
    kind.map_or_else(String::new, |kind| {
        let names: Vec<_> = kind
            .operations()
            .map(authority_core::Operation::name)
            .collect();
        listed(&names)
    })
}

/// Whether an operation that this entry could have begins with these names.
pub(crate) fn begins_operation(keyword: &Ident, scope: &Scope, name: &str) -> bool {
    !starting_with(keyword, scope, name).is_empty()
}

/// The operations that begin with these names.
pub(crate) fn operations_like(keyword: &Ident, scope: &Scope, name: &str) -> String {
    alternatives(&starting_with(keyword, scope, name))
}

fn starting_with(keyword: &Ident, scope: &Scope, name: &str) -> Vec<&'static str> {
    let kind = kind_of(&keyword.to_string(), scope.second.is_some());
    let operations = kind.into_iter().flat_map(Kind::operations);
    operations
        .map(authority_core::Operation::name)
        .filter(|known| {
            known
                .strip_prefix(name)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
        .collect()
}

/// An operation to show where a target of this keyword has none.
pub(crate) fn common_operation(keyword: &Ident, scope: &Scope) -> &'static str {
    match keyword.to_string().as_str() {
        "subprocess" => "execute",
        "network" => "connect",
        "mcp" if scope.second.is_some() => "call",
        "mcp" => "list",
        "integration" => "invoke",
        "child_agent" => "delegate",
        _ => "read",
    }
}

/// The kind of a target with this keyword.
pub(crate) fn kind_of(keyword: &str, has_second: bool) -> Option<Kind> {
    match keyword {
        "mcp" if has_second => Some(Kind::McpTool),
        "mcp" => Some(Kind::McpServer),
        _ => Kind::all().find(|kind| kind.name() == keyword),
    }
}

/// `a`, `b`, `c`
pub(crate) fn listed(names: &[&str]) -> String {
    names
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// `a` or `b`
fn alternatives(names: &[&str]) -> String {
    names
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(" or ")
}
