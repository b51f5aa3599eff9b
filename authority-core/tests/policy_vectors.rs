//! Restrictions, intersections and delegations, against values of an independent model.

use authority_core::draft::{self, BindingKind, Draft, DraftEntry, DraftKind, DraftTarget};
use authority_core::operations::child_agent;
use authority_core::vocabulary::{ExecutionMode, Setting, SettingGroup, SettingRange};
use authority_core::{
    Artifact, CredentialTarget, Id, Kind, McpToolBinding, MicroDollars, ModelRoute, OperationSet,
    PolicyIntersectionError, Restriction, RootOptions, Scope, Target, ThreadIdentity,
    ThreadPermissions, ThreadPolicy, ToolBinding, ToolName,
};
use serde_json::Value;

fn cases(json: &str) -> Vec<Value> {
    let file: Value = serde_json::from_str(json).expect("JSON");
    file["cases"].as_array().expect("cases").clone()
}

fn id(value: &Value) -> Id<'static> {
    Id::parse(value.as_str().expect("a text"))
        .expect("an id")
        .into_owned()
}

/// The entries of permissions as JSON. A `child_agent` scope gets the block that `block` has.
fn draft_of(permissions: &Value, block: &dyn Fn(&str, &str) -> Option<Draft>) -> Draft {
    let mut draft = Draft::default();
    let mut push = |kind: DraftKind| {
        let index = draft.entries.len();
        draft.entries.push(DraftEntry {
            index,
            site: index,
            kind,
        });
    };
    for scope in permissions["scopes"].as_array().expect("scopes") {
        let json = scope.to_string();
        let scope = Scope::from_json(&json).expect("a scope").into_owned();
        let operations = scope.operations();
        let (doc, line) = (String::new(), 0);
        let target = match scope.target().clone() {
            Target::Filesystem(target) => DraftTarget::Filesystem(target.binding, target.path),
            Target::Subprocess(target) => DraftTarget::SubprocessDigests(
                target.executable,
                target.argv_sha256,
                target.cwd_sha256,
            ),
            Target::Network(target) => DraftTarget::Network(target.endpoint, target.redirect),
            Target::Github(repository) => DraftTarget::Github(repository),
            Target::Browser(target) => DraftTarget::Browser(target.origin),
            Target::Mcp(target) => DraftTarget::Mcp(target.server, target.tool),
            Target::Integration(target) => {
                DraftTarget::Integration(target.integration, target.revision_sha256)
            }
            Target::ChildAgent(target) => {
                let agent = DraftTarget::ChildAgent(target.agent.clone());
                match block(
                    target.agent.as_str(),
                    &target.parent_ceiling_sha256.to_hex(),
                ) {
                    Some(body) => push(DraftKind::Child {
                        target: agent,
                        operations,
                        body,
                        doc,
                        line,
                    }),
                    None => push(DraftKind::Scope {
                        target: agent,
                        operations,
                        delegable: false,
                        doc,
                        line,
                    }),
                }
                continue;
            }
        };
        push(DraftKind::Scope {
            target,
            operations,
            delegable: false,
            doc,
            line,
        });
    }
    for kind in bindings_of(permissions) {
        push(kind);
    }
    draft
}

/// The entries of permissions that are no scopes.
fn bindings_of(permissions: &Value) -> Vec<DraftKind> {
    let mut kinds = Vec::new();
    let mut push = |kind| kinds.push(kind);
    let credentials = permissions["credentials"].as_array().expect("credentials");
    for credential in credentials {
        let target = id(&credential["target"]["id"]);
        let target = match credential["target"]["kind"].as_str() {
            Some("provider") => CredentialTarget::Provider(target),
            _ => CredentialTarget::McpServer(target),
        };
        let binding = (!credential["binding_id"].is_null()).then(|| id(&credential["binding_id"]));
        push(DraftKind::Credential { target, binding });
    }
    let tools = permissions["tools"].as_object().expect("tools");
    for (tool, binding) in tools {
        let binding = match binding.as_str() {
            Some("native") => ToolBinding::Native,
            _ => ToolBinding::Mcp(McpToolBinding {
                server: id(&binding["server_id"]),
                tool: ToolName::parse(binding["tool_name"].as_str().expect("a name"))
                    .expect("a name")
                    .into_owned(),
            }),
        };
        push(DraftKind::Tool {
            id: Id::parse(tool).expect("an id").into_owned(),
            binding,
        });
    }
    let environment = permissions["sandbox"]["environment"]
        .as_array()
        .expect("environment");
    for entry in environment {
        push(DraftKind::Environment(id(entry)));
    }
    for (is_empty, kind) in [
        (credentials.is_empty(), BindingKind::Credential),
        (tools.is_empty(), BindingKind::Tool),
        (environment.is_empty(), BindingKind::Environment),
    ] {
        if is_empty {
            push(DraftKind::None(kind));
        }
    }
    let mode = permissions["sandbox"]["execution_mode"]
        .as_str()
        .expect("a mode");
    push(DraftKind::Execution(
        ExecutionMode::from_name(mode).expect("a mode"),
    ));
    for setting in Setting::ALL {
        let holder = match setting.group() {
            SettingGroup::Budget => &permissions["budgets"],
            SettingGroup::Rate => &permissions["budgets"]["rate_limit"],
            SettingGroup::Limit => permissions,
        };
        let number = &holder[setting.wire_name()];
        if number.is_null() {
            continue;
        }
        let value = match setting.range() {
            // One vector has 1e-06, as the library that printed it writes it.
            SettingRange::Money => {
                let text = if number.as_f64() == Some(1e-6) {
                    "0.000001".to_owned()
                } else {
                    number.to_string()
                };
                let text = text.strip_suffix(".0").unwrap_or(&text).to_owned();
                MicroDollars::parse(&text).expect("money").micros()
            }
            SettingRange::U32 | SettingRange::U64 => number.as_u64().expect("a number"),
        };
        push(DraftKind::Setting(*setting, value));
    }
    kinds
}

fn root_of(permissions: &Value) -> ThreadPermissions {
    draft::assemble(&draft_of(permissions, &|_, _| None), "")
}

fn identity() -> ThreadIdentity {
    ThreadIdentity::root("alice", "acme", "run-1").expect("an identity")
}

fn route(value: &Value) -> Option<ModelRoute> {
    (!value.is_null()).then(|| ModelRoute {
        provider_id: id(&value["provider_id"]),
        model_id: value["model_id"].as_str().expect("a model").to_owned(),
    })
}

fn options(value: &Value) -> RootOptions {
    let options = RootOptions::default();
    match route(value) {
        Some(route) => options.route(route),
        None => options,
    }
}

/// An artifact from its parts: the text of each extension, as a host with richer artifacts has it.
fn artifact_of(value: &Value) -> Result<Artifact, PolicyIntersectionError> {
    let mut artifact = Artifact::new(id(&value["id"]));
    artifact.model = route(&value["model"]);
    for (name, extension) in value["extensions"].as_object().expect("extensions") {
        artifact = artifact.with_extension(name, &extension.to_string())?;
    }
    Ok(artifact)
}

/// Money as this crate prints it.
fn normal(json: &Value) -> Value {
    let text = json
        .to_string()
        .replace("1e-6", "0.000001")
        .replace("1e-06", "0.000001");
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn refused_restrictions() {
    let cases = cases(include_str!(
        "../../tests/vectors/restrictions_refused.json"
    ));
    assert!(cases.len() >= 45);
    for case in cases {
        let text = case["text"].as_str().expect("a text");
        let decoded = match case["extension"].as_str() {
            Some("budgets") => Restriction::from_budgets_json(text),
            _ => Restriction::from_json(text),
        };
        let error = decoded.expect_err(text);
        if let Some(pointer) = case["pointer"].as_str() {
            assert_eq!(error.pointer(), pointer, "{}: {text}", case["id"]);
        }
    }
}

#[test]
fn intersections() {
    let cases = cases(include_str!("../../tests/vectors/intersections.json"));
    assert_eq!(cases.len(), 65);
    for case in cases {
        let name = case["id"].as_str().expect("an id");
        let permissions = root_of(&case["root"]);
        assert_eq!(
            serde_json::from_str::<Value>(&permissions.to_json()).expect("JSON"),
            normal(&case["root"]),
            "{name}"
        );
        let (handle, root) =
            ThreadPolicy::for_root_with(identity(), &permissions, options(&case["root_route"]));
        let made = artifact_of(&case["artifact"])
            .and_then(|artifact| root.intersect(&artifact, "thread-2"));
        match (made, case.get("error")) {
            (Ok(child), None) => {
                let child = child.start_by_host(&handle).expect("open");
                let json: Value = serde_json::from_str(&child.to_json()).expect("JSON");
                assert_eq!(json, normal(&case["child"]), "{name}");
                assert_eq!(child.route().cloned(), route(&case["route"]), "{name}");
            }
            (Err(error), Some(expected)) => match (&error, expected["section"].as_str()) {
                (
                    PolicyIntersectionError::CredentialNotGranted { provider },
                    Some("credential_not_granted"),
                ) => {
                    assert_eq!(
                        Some(provider.as_str()),
                        expected["provider"].as_str(),
                        "{name}"
                    );
                }
                (PolicyIntersectionError::UnsupportedShape { section, pointer }, wanted) => {
                    assert_eq!(
                        (Some(*section), Some(pointer.as_str())),
                        (wanted, expected["pointer"].as_str()),
                        "{name}"
                    );
                }
                _ => panic!("{name}: {error}"),
            },
            (Ok(_), Some(expected)) => panic!("{name}: expected {expected}"),
            (Err(error), None) => panic!("{name}: {error}"),
        }
        drop(handle);
    }
}

#[test]
fn delegations() {
    let cases = cases(include_str!("../../tests/vectors/delegate.json"));
    assert_eq!(cases.len(), 30);
    for case in cases {
        let name = case["id"].as_str().expect("an id");
        let declared: Vec<&str> = case["declares"]
            .as_array()
            .expect("agents")
            .iter()
            .filter_map(Value::as_str)
            .collect();
        // What a child of the ceiling may do is not the question: any block within it.
        let own_ceiling = draft::assemble(&draft_of(&case["ceiling"], &|_, _| None), "")
            .ceiling_sha256()
            .to_hex();
        let any = |of: &Value| {
            let mut scopes = of.clone();
            let list = scopes["scopes"].as_array().expect("scopes").clone();
            scopes["scopes"] = list
                .into_iter()
                .filter(|scope| scope["target"]["kind"] != "child_agent")
                .take(1)
                .collect();
            draft_of(&scopes, &|_, _| None)
        };
        let mut ceiling = draft_of(&case["ceiling"], &|agent, digest| {
            (declared.contains(&agent) && digest == own_ceiling).then(|| any(&case["ceiling"]))
        });
        // In these vectors a ceiling names every number, and `null` is unbounded. A block cannot name
        // "unbounded": the largest number stands for it where the root has a bound.
        for setting in Setting::ALL {
            let [held, named] = [&case["root"], &case["ceiling"]].map(|permissions| match setting
                .group()
            {
                SettingGroup::Budget => &permissions["budgets"][setting.wire_name()],
                SettingGroup::Rate => &permissions["budgets"]["rate_limit"][setting.wire_name()],
                SettingGroup::Limit => &permissions[setting.wire_name()],
            });
            if named.is_null() && !held.is_null() {
                let most = if setting.takes(u64::MAX) {
                    u64::MAX
                } else {
                    u64::from(u32::MAX)
                };
                let index = ceiling.entries.len();
                ceiling.entries.push(DraftEntry {
                    index,
                    site: index,
                    kind: DraftKind::Setting(*setting, most),
                });
            }
        }
        let foreign = case["ceiling"]["scopes"]
            .as_array()
            .expect("scopes")
            .iter()
            .any(|scope| {
                let target = &scope["target"];
                let given = target["parent_ceiling_sha256"].as_str();
                let root = draft::assemble(&draft_of(&case["root"], &|_, _| None), "")
                    .ceiling_sha256()
                    .to_hex();
                target["kind"] == "child_agent"
                    && given != Some(own_ceiling.as_str())
                    && given != Some(root.as_str())
            });
        if foreign {
            // A target with another digest than that of the root or of the ceiling itself cannot be
            // declared: the digest is computed from where the entry stands.
            assert_eq!(case["within"], false, "{name}");
            continue;
        }
        let mut root = draft_of(&case["root"], &|_, _| Some(any(&case["root"])));
        let index = root.entries.len();
        let asked = Id::parse("asked").expect("an id").into_owned();
        root.entries.push(DraftEntry {
            index,
            site: index,
            kind: DraftKind::Child {
                target: DraftTarget::ChildAgent(asked),
                operations: OperationSet::new(Kind::ChildAgent, [child_agent::Delegate])
                    .expect("operations"),
                body: ceiling,
                doc: String::new(),
                line: 0,
            },
        });
        let permissions = draft::assemble(&root, "");
        let (handle, policy) = ThreadPolicy::for_root(identity(), &permissions);
        let ceiling = permissions.child("asked").expect("declared");
        let made = policy.delegate(ceiling, "thread-2");
        assert_eq!(
            made.is_ok(),
            case["within"] == true,
            "{name}: {:?}",
            made.err()
        );
        if let Ok(child) = made {
            let child = child.start_by_host(&handle).expect("open");
            let json: Value = serde_json::from_str(&child.to_json()).expect("JSON");
            assert_eq!(json["scopes"], case["ceiling"]["scopes"], "{name}");
        }
    }
}
