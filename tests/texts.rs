//! Grammar, decoder and builder accept exactly the same texts, of every kind of text.

use authority::operations::{
    browser, child_agent, filesystem, github, integration, mcp_server, mcp_tool, network,
    subprocess,
};
use authority::{RedirectPolicy, Scope, ThreadPermissions};
use authority_syntax::tree::Form;
use proptest::prelude::*;
use serde_json::{Value, json};

/// A kind of text: where it stands in the DSL, in a scope document, and in the builder.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Binding,
    Executable,
    Server,
    Integration,
    Agent,
    Tool,
    Path,
    Endpoint,
    Repository,
    Origin,
    Digest,
}

const KINDS: [Kind; 11] = [
    Kind::Binding,
    Kind::Executable,
    Kind::Server,
    Kind::Integration,
    Kind::Agent,
    Kind::Tool,
    Kind::Path,
    Kind::Endpoint,
    Kind::Repository,
    Kind::Origin,
    Kind::Digest,
];
const DIGEST: &str = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

impl Kind {
    fn grammar_accepts(self, text: &str) -> bool {
        // The text as it would stand between the quotes; `\"` is the only escape of the DSL.
        let text = text.replace('"', "\\\"");
        let entries = match self {
            Kind::Binding => format!("filesystem \"{text}\" => read;"),
            Kind::Executable => {
                format!("filesystem \"w0\" => read; subprocess \"{text}\" [] in \"w0\" => execute;")
            }
            Kind::Server => format!("mcp \"{text}\" => list; credential mcp \"{text}\" = none;"),
            Kind::Integration => format!("integration \"{text}\" @ \"sha256:{DIGEST}\" => invoke;"),
            // An id that is no name of a module is still an id.
            Kind::Agent => format!(
                "filesystem \"w0\" => read, list; child_agent \"{text}\" => delegate {{ filesystem \"w0\" => read; }}"
            ),
            Kind::Tool => format!("mcp \"d0\" / \"{text}\" => call; credential mcp \"d0\" = none;"),
            Kind::Path => format!("filesystem \"w0\" / \"{text}\" => read;"),
            Kind::Endpoint => format!("network \"{text}\" => connect;"),
            Kind::Repository => format!("github \"{text}\" => read;"),
            Kind::Origin => format!("browser \"{text}\" => read;"),
            Kind::Digest => format!("integration \"t0\" @ \"sha256:{text}\" => invoke;"),
        };
        let Ok(tokens) = entries.parse() else {
            return false;
        };
        let Form::Body(body) = authority_syntax::parse(tokens).form else {
            return false;
        };
        authority_syntax::check(&body).diagnostics.is_empty()
    }

    fn decoder_accepts(self, text: &str) -> bool {
        let (target, operation) = match self {
            Kind::Binding => (
                json!({"kind":"filesystem","recursive":true,"relative_path":".","root_id":text}),
                "read",
            ),
            Kind::Executable => (
                json!({"kind":"subprocess","executable":text,"argv_sha256":DIGEST,"cwd_sha256":DIGEST}),
                "execute",
            ),
            Kind::Server => (
                json!({"kind":"mcp","server_id":text,"tool_name":null}),
                "list",
            ),
            Kind::Integration => (
                json!({"kind":"integration","integration_id":text,"revision_sha256":DIGEST}),
                "invoke",
            ),
            Kind::Agent => (
                json!({"kind":"child_agent","agent_id":text,"parent_ceiling_sha256":DIGEST}),
                "delegate",
            ),
            Kind::Tool => (
                json!({"kind":"mcp","server_id":"d0","tool_name":text}),
                "call",
            ),
            Kind::Path => (
                json!({"kind":"filesystem","recursive":false,"relative_path":text,"root_id":"w0"}),
                "read",
            ),
            Kind::Endpoint => {
                // The wire has an endpoint in three parts; an IPv6 address stands without brackets.
                let Some((protocol, rest)) = text.split_once("://") else {
                    return false;
                };
                let Some((host, port)) = rest.rsplit_once(':') else {
                    return false;
                };
                let is_port =
                    !port.starts_with('0') && port.bytes().all(|byte| byte.is_ascii_digit());
                let Some(port) = port.parse::<u16>().ok().filter(|_| is_port) else {
                    return false;
                };
                let bare = host
                    .strip_prefix('[')
                    .and_then(|host| host.strip_suffix(']'));
                if bare.is_some() != host.contains(':') {
                    return false;
                }
                let host = bare.unwrap_or(host);
                (
                    json!({"kind":"network","protocol":protocol,"host":host,"port":port,"redirect_policy":"deny"}),
                    "connect",
                )
            }
            Kind::Repository => (json!({"kind":"github","repository":text}), "read"),
            Kind::Origin => (json!({"kind":"browser","origin":text}), "read"),
            Kind::Digest => (
                json!({"kind":"integration","integration_id":"t0","revision_sha256":text}),
                "invoke",
            ),
        };
        let scope = json!({"operations":[operation],"schema_version":1,"target":target});
        Scope::from_json(&scope.to_string()).is_ok()
    }

    fn builder_accepts(self, text: &str) -> bool {
        let builder = ThreadPermissions::builder();
        let whole =
            || ThreadPermissions::builder().filesystem("w0", [filesystem::Read, filesystem::List]);
        let builder = match self {
            Kind::Binding => builder.filesystem(text, [filesystem::Read]),
            Kind::Executable => whole().subprocess(text, &[], "w0", None, [subprocess::Execute]),
            Kind::Server => builder
                .mcp_server(text, [mcp_server::List])
                .server(text, None),
            Kind::Integration => {
                builder.integration(text, &format!("sha256:{DIGEST}"), [integration::Invoke])
            }
            Kind::Agent => {
                let block = ThreadPermissions::builder().filesystem("w0", [filesystem::Read]);
                whole().child(text, [child_agent::Delegate], block)
            }
            Kind::Tool => builder
                .mcp_tool("d0", text, [mcp_tool::Call])
                .server("d0", None),
            Kind::Path => builder.filesystem_path("w0", text, [filesystem::Read]),
            Kind::Endpoint => builder.network(text, RedirectPolicy::Deny, [network::Connect]),
            Kind::Repository => builder.github(text, [github::Read]),
            Kind::Origin => builder.browser(text, [browser::Read]),
            Kind::Digest => {
                builder.integration("t0", &format!("sha256:{text}"), [integration::Invoke])
            }
        };
        builder.build().is_ok()
    }

    fn agree(self, text: &str) {
        // Names that Rust reserves are ids, but no modules: both makers of children refuse them.
        if matches!(self, Kind::Agent)
            && matches!(text, "self" | "Self" | "super" | "crate" | "w0" | "W0")
        {
            return;
        }
        // The helper entries take these ids; another case of them is another error.
        if ["w0", "d0", "t0"]
            .iter()
            .any(|id| id.eq_ignore_ascii_case(text))
        {
            return;
        }
        let [grammar, decoder, builder] = [
            self.grammar_accepts(text),
            self.decoder_accepts(text),
            self.builder_accepts(text),
        ];
        assert!(
            grammar == decoder && decoder == builder,
            "{self:?} {text:?}: {grammar} {decoder} {builder}"
        );
    }
}

/// Every string in a JSON value.
fn strings(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(list) => list.iter().for_each(|value| strings(value, found)),
        Value::Object(map) => map.values().for_each(|value| strings(value, found)),
        _ => {}
    }
}

#[test]
fn the_shared_corpus() {
    let mut corpus = Vec::new();
    for file in [
        include_str!("vectors/scopes.json"),
        include_str!("vectors/scopes_refused.json"),
    ] {
        let file: Value = serde_json::from_str(file).expect("JSON");
        for case in file["cases"].as_array().expect("cases") {
            strings(&case["scope"]["target"], &mut corpus);
        }
    }
    corpus.extend(
        [
            "https://a.example:443",
            "ssh://[2001:db8::1]:22",
            "https://[::1]443",
            "https://a:0443",
            "r3---sn.example",
        ]
        .map(str::to_owned),
    );
    corpus.sort();
    corpus.dedup();
    assert!(corpus.len() > 300);
    for text in &corpus {
        for kind in KINDS {
            kind.agree(text);
        }
        Kind::Endpoint.agree(&format!("https://{text}:443"));
        Kind::Origin.agree(&format!("https://{text}"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn generated_texts(
        text in prop_oneof![
            "[a-zA-Z0-9._:/@-]{0,12}",
            "[a-z./~$%{}* ?\\[\\]\"äа\u{200b}-]{0,10}",
            "(https?|wss|ssh|tcp|ftp)://[a-z0-9.:\\[\\]-]{1,14}(:[0-9]{1,5})?",
            "[0-9a-fA-F]{63,65}",
        ],
        kind in proptest::sample::select(&KINDS[..]),
    ) {
        kind.agree(&text);
    }
}
