//! Laws of previews: the text is injective, and contents stay out of everything else.

use authority_core::operations::{
    browser, filesystem, github, integration, mcp_tool, network, subprocess,
};
use authority_core::vocabulary::{Boundary, RedirectPolicy};
use authority_core::{
    BindingResolver, BoundDirectory, Content, Digest, Effect, GithubPart, GithubResource,
    HttpRequest, Preview, Previous, Request, RequiredBinding, ResolvedBinding, RootHandle,
    RootOptions, TextLimits, ThreadIdentity, ThreadPermissions, ThreadPolicy,
};
use proptest::prelude::*;

struct Host;

impl BindingResolver for Host {
    fn resolve(&self, binding: &RequiredBinding) -> Option<ResolvedBinding> {
        let revision_sha256 = match binding {
            RequiredBinding::Integration {
                revision_sha256, ..
            } => *revision_sha256,
            _ => Digest::of(b"revision"),
        };
        Some(ResolvedBinding {
            revision_sha256,
            directory: Some(BoundDirectory {
                host: "/srv/ws".into(),
                guest: "/ws".into(),
            }),
        })
    }
}

fn tree() -> (RootHandle, ThreadPolicy) {
    let revision = Digest::of(b"tracker").to_string();
    let permissions = ThreadPermissions::builder()
        .filesystem("ws", [authority_core::operations::filesystem::Read])
        .subprocess("sh", &[], "ws", None, [subprocess::Execute])
        .mcp_tool("docs", "search", [mcp_tool::Call])
        .integration("tracker", &revision, [integration::Invoke])
        .server("docs", None)
        .build()
        .unwrap();
    let revisions = permissions.check_bindings(&Host).unwrap();
    let identity = ThreadIdentity::root("alice", "acme", "run-1").unwrap();
    let options = RootOptions::default().revisions(revisions);
    ThreadPolicy::for_root_with(identity, &permissions, options)
}

fn made(root: &ThreadPolicy, request: &Request<'_>, effect: &Effect<'_>) -> Preview {
    Preview::new(root, request, effect, Boundary::EnforcedByHarness).unwrap()
}

/// The uncut text without any digest, so that what differs must differ in itself.
fn text_without_digests(preview: &Preview) -> String {
    let text = preview.render_within(TextLimits::UNCUT);
    let mut parts = text.split("sha256:");
    let head = parts.next().unwrap_or_default().to_owned();
    parts.fold(head, |text, part| text + part.get(64..).unwrap_or(part))
}

/// Texts that try to look like something else.
fn sly() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "\"",
        "\\",
        "\n",
        "n",
        "\r",
        " ",
        "\t",
        "    1: ",
        "\u{1b}",
        "\\u{1B}",
        "u{",
        "}",
        "a",
        "é",
        "e\u{301}",
        "\u{301}",
        "\u{202e}",
        "\u{2800}",
        "\u{a0}",
        "…",
        "none",
        "1",
        ": ",
        "\n  reason: ",
        "not part of the approval\n",
        "\u{200b}",
    ]);
    prop::collection::vec(pieces, 0..5).prop_map(|pieces| pieces.concat())
}

/// Two texts that some way of escaping writes alike.
const ALIKE: &[(&str, &str)] = &[
    ("\n", "\\n"),
    ("\r", "\\r"),
    ("\t", "\\t"),
    ("\"", "\\\""),
    ("\\", "\\\\"),
    ("\u{1b}", "\\u{1B}"),
    ("\u{2800}", "\\u{2800}"),
    ("\u{202e}", "\\u{202E}"),
    ("\u{a0}", " "),
    ("e\u{301}", "é"),
    ("\u{200b}", ""),
];

/// What stands between a name and its text.
const BETWEEN: &str = "\": \"";

type Pairs = Vec<(String, String)>;

#[derive(Clone, Debug, PartialEq)]
struct Run {
    arguments: Vec<String>,
    directory: &'static str,
    operands: Vec<usize>,
    reason: Option<String>,
    explanation: Option<String>,
    labels: Pairs,
}

fn runs() -> impl Strategy<Value = Run> {
    let pairs = prop::collection::vec((sly(), sly()), 0..3);
    (
        prop::collection::vec(sly(), 0..4),
        prop::sample::select(vec![".", "a", "a/b"]),
        prop::option::of(sly()),
        prop::option::of(sly()),
        pairs,
        any::<[bool; 4]>(),
    )
        .prop_map(
            |(arguments, directory, reason, explanation, labels, is_file)| Run {
                operands: (0..arguments.len())
                    .filter(|index| is_file[*index])
                    .collect(),
                arguments,
                directory,
                reason,
                explanation,
                labels,
            },
        )
}

fn run_of(root: &ThreadPolicy, run: &Run) -> Preview {
    let request = Request::subprocess(
        "sh",
        &run.arguments,
        "ws",
        run.directory,
        subprocess::Execute,
    );
    let operands = run
        .operands
        .iter()
        .map(|index| (*index, Content::from("a")));
    let effect = Effect::run(Digest::of(b"sh"), "", operands);
    let effect = run
        .reason
        .iter()
        .fold(effect, |effect, text| effect.with_reason(text));
    let effect = run
        .explanation
        .iter()
        .fold(effect, |effect, text| effect.with_explanation(text));
    let effect = run
        .labels
        .iter()
        .fold(effect, |effect, (name, text)| effect.with_label(name, text));
    made(root, &request.unwrap(), &effect)
}

#[derive(Clone, Debug, PartialEq)]
struct Call {
    arguments: String,
    claims: Pairs,
    is_tool: bool,
}

fn calls() -> impl Strategy<Value = Call> {
    let pairs = prop::collection::vec((sly(), sly()), 0..3);
    (sly(), pairs, any::<bool>()).prop_map(|(arguments, claims, is_tool)| Call {
        arguments,
        claims: if is_tool { claims } else { Vec::new() },
        is_tool,
    })
}

fn call_of(root: &ThreadPolicy, call: &Call) -> Preview {
    if !call.is_tool {
        let request =
            Request::integration("tracker", Digest::of(b"tracker"), integration::Invoke).unwrap();
        return made(root, &request, &Effect::invoke(&call.arguments));
    }
    let request = Request::mcp_tool("docs", "search", mcp_tool::Call).unwrap();
    let digest = Digest::of(b"a");
    let effect = Effect::call_tool(digest, digest, &call.arguments);
    let effect = call.claims.iter().fold(effect, |effect, (name, text)| {
        effect.with_server_claim(name, text)
    });
    made(root, &request, &effect)
}

#[derive(Clone, Debug, PartialEq)]
struct Place {
    sort: u8,
    name: String,
    repository_id: Option<u64>,
}

fn places() -> impl Strategy<Value = Place> {
    (0..7_u8, sly(), prop::option::of(0..3_u64)).prop_map(|(sort, name, repository_id)| Place {
        sort,
        name: if sort == 3 || sort == 4 {
            name
        } else {
            String::new()
        },
        repository_id,
    })
}

fn place_of(root: &ThreadPolicy, place: &Place) -> Preview {
    let part = match place.sort {
        0 => GithubPart::Repository,
        1 => GithubPart::New,
        2 => GithubPart::Number(1),
        3 => GithubPart::Branch(&place.name),
        4 => GithubPart::Tag(&place.name),
        5 => GithubPart::Comment(1),
        _ => GithubPart::Run(1),
    };
    let resource = GithubResource {
        repository_id: place.repository_id,
        part,
    };
    let request = Request::github("acme/widgets", github::Read).unwrap();
    made(root, &request, &Effect::github_read(resource))
}

proptest! {
    #[test]
    fn texts_of_different_runs_differ(first in runs(), second in runs()) {
        let (_handle, root) = tree();
        let (one, other) = (run_of(&root, &first), run_of(&root, &second));
        prop_assert_eq!(first == second, text_without_digests(&one) == text_without_digests(&other));
    }

    #[test]
    fn texts_that_look_alike_differ(
        head in sly(),
        tail in sly(),
        (own, other) in prop::sample::select(ALIKE),
    ) {
        let (_handle, root) = tree();
        let run = |text: &str| Run {
            arguments: vec![format!("{head}{text}{tail}")],
            directory: ".",
            operands: Vec::new(),
            reason: None,
            explanation: None,
            labels: Vec::new(),
        };
        let text = |piece| text_without_digests(&run_of(&root, &run(piece)));
        prop_assert_ne!(text(own), text(other));
    }

    #[test]
    fn no_text_ends_its_quotes(name in sly(), middle in sly(), text in sly()) {
        let (_handle, root) = tree();
        let call = |name, text| Call {
            arguments: String::new(),
            claims: vec![(name, text)],
            is_tool: true,
        };
        let first = call(format!("{name}{BETWEEN}{middle}"), text.clone());
        let second = call(name, format!("{middle}{BETWEEN}{text}"));
        let texts = [first, second].map(|call| text_without_digests(&call_of(&root, &call)));
        prop_assert_ne!(&texts[0], &texts[1]);
    }

    #[test]
    fn texts_of_different_calls_differ(first in calls(), second in calls()) {
        let (_handle, root) = tree();
        let (one, other) = (call_of(&root, &first), call_of(&root, &second));
        prop_assert_eq!(first == second, text_without_digests(&one) == text_without_digests(&other));
    }

    #[test]
    fn texts_of_different_resources_differ(first in places(), second in places()) {
        let (_handle, root) = tree();
        let (one, other) = (place_of(&root, &first), place_of(&root, &second));
        prop_assert_eq!(first == second, text_without_digests(&one) == text_without_digests(&other));
    }

    #[test]
    fn every_line_is_one_of_the_text_itself(run in runs()) {
        let (_handle, root) = tree();
        let made = run_of(&root, &run);
        let fixed = 20 + run.arguments.len() + run.operands.len();
        let labels = if run.labels.is_empty() { 0 } else { 1 + run.labels.len() };
        let advisory = run.reason.iter().len() + run.explanation.iter().len() + labels;
        let text = made.render_within(TextLimits::UNCUT);
        prop_assert_eq!(text.lines().count(), fixed + advisory, "{}", text);
        prop_assert!(!text.chars().any(|character| character.is_control() && character != '\n'));
    }

    /// Contents, arguments, paths and advisory texts stand in the text for the reviewer only.
    #[test]
    fn no_content_in_debug_changes_or_errors(bytes in any::<[u8; 16]>(), other in any::<[u8; 16]>()) {
        let (_handle, root) = tree();
        let marker = |bytes| Digest::of(bytes).to_hex()[..32].to_owned();
        let (one, two) = (marker(&bytes), marker(&other));
        let (first, mut texts) = observe(&root, &one);
        let (second, _) = observe(&root, &two);
        for (first, second) in first.iter().zip(&second) {
            match (first, second) {
                (Ok(first), Ok(second)) => {
                    let changes = second.changes(first);
                    texts.push(format!("{first:?}{:?}{changes:?}", first.advisory()));
                    texts.extend(changes.iter().map(ToString::to_string));
                }
                (first, _) => {
                    let error = first.as_ref().unwrap_err();
                    texts.push(format!("{error:?}{error}"));
                }
            }
        }
        for form in forms(&one) {
            for text in &texts {
                prop_assert!(!text.contains(&form), "{} in {}", form, text);
            }
        }
    }
}

/// The spellings in which a marker could leak.
fn forms(marker: &str) -> Vec<String> {
    let encoded = |prefix: &str| {
        let bytes = marker.bytes().map(|byte| format!("{prefix}{byte:02x}"));
        bytes.collect::<String>()
    };
    let lists = format!("{:?}", marker.as_bytes());
    vec![
        marker.to_owned(),
        encoded(""),
        encoded("%"),
        encoded("\\u00"),
        lists.trim_matches(['[', ']']).to_owned(),
    ]
}

/// Previews, or why there are none, with this marker in every text that a host can give, and the
/// Debug forms of what they were made from.
fn observe(
    root: &ThreadPolicy,
    marker: &str,
) -> (
    Vec<Result<Preview, authority_core::PreviewError>>,
    Vec<String>,
) {
    let (mut previews, mut texts) = (Vec::new(), Vec::new());
    let mut push = |request: Request<'_>, effect: Effect<'_>| {
        let effect = effect
            .with_reason(marker)
            .with_explanation(marker)
            .with_label(marker, marker);
        texts.push(format!("{effect:?}{effect:#?}"));
        // The id of a credential is shown.
        if request.credential().is_none() {
            texts.push(format!("{request:?}{request:#?}"));
        }
        let made = Preview::new(root, &request, &effect, Boundary::EnforcedByHarness);
        previews.push(made);
    };
    let arguments = [marker];
    let run = Request::subprocess("sh", &arguments, "ws", marker, subprocess::Execute).unwrap();
    let digest = Digest::of(b"sh");
    push(
        run.clone(),
        Effect::run(digest, marker, [(0, Content::from(marker))]),
    );
    push(
        run,
        Effect::run(digest, marker, [(9, Content::from(marker))]),
    );
    let call = || Request::mcp_tool("docs", "search", mcp_tool::Call).unwrap();
    let effect = || Effect::call_tool(digest, digest, marker).with_server_claim(marker, marker);
    push(call(), effect());
    push(call().with_credential(marker).unwrap(), effect());
    let branch = GithubResource {
        repository_id: None,
        part: GithubPart::Branch(marker),
    };
    let github = || Request::github("acme/widgets", github::ContentsWrite).unwrap();
    push(github(), Effect::github_write(branch, marker));
    let path = format!("/{marker}?{marker}");
    let read = Request::filesystem("ws", marker, filesystem::Read).unwrap();
    push(read, Effect::none());
    let page = || Request::browser("https://docs.rs", None, browser::Interact).unwrap();
    push(page(), Effect::interact(Some(&path), marker));
    push(page(), Effect::interact(Some(marker), marker));
    push(
        page(),
        Effect::write_file(marker, Previous::digest_of(marker)),
    );
    let post = Request::network(
        "https://a.example",
        RedirectPolicy::Deny,
        network::RequestWrite,
    )
    .unwrap();
    let headers = [("x", marker)];
    let other_host = [("host", marker)];
    for (method, headers) in [
        ("POST", &headers),
        (marker, &headers),
        ("POST", &other_host),
    ] {
        let request = HttpRequest {
            method,
            path_and_query: Some(&path),
            headers,
            body: marker.into(),
            response_ceiling: 1,
        };
        push(post.clone(), Effect::http(request));
    }
    let request = HttpRequest {
        method: marker,
        path_and_query: Some(marker),
        headers: &headers,
        body: marker.into(),
        response_ceiling: 1,
    };
    let debug = format!("{request:?}{branch:?}{:?}", Previous::digest_of(marker));
    texts.push(debug);
    (previews, texts)
}
