//! What a program cannot do to policies. Each proof is a pair that differs in its last line alone: one
//! that compiles, so that the other fails for no other reason.

/// A root, a child of it that is not started, and a request.
macro_rules! setup {
    () => {
        r#"
# use authority_core::operations::filesystem;
# use authority_core::*;
# fn clones<T: Clone>() {}
# fn decodes<'de, T: serde::Deserialize<'de>>() {}
# fn has_default<T: Default>() {}
# fn points_at_policy<T: std::ops::Deref<Target = U>, U>() {}
# let permissions = ThreadPermissions::builder().filesystem("ws", [filesystem::Read]).build()?;
# let identity = ThreadIdentity::root("alice", "checkout", "run-42")?;
let (handle, root) = ThreadPolicy::for_root(identity, &permissions);
let artifact = Artifact::new(Id::parse("helper")?.into_owned());
let prepared = root.intersect(&artifact, "thread-1")?;
let request = Request::filesystem("ws", "Cargo.toml", filesystem::Read)?;
"#
    };
}

macro_rules! proof {
    ($(#[doc = $about:literal])+ $name:ident: $compiles:literal, but $code:literal $fails:literal) => {
        $(#[doc = $about])+
        #[doc = concat!("```\n", setup!(), $compiles, "\n# Ok::<(), Box<dyn std::error::Error>>(())\n```")]
        #[doc = concat!("```compile_fail,", $code, "\n", setup!(), $fails, "\n# Ok::<(), Box<dyn std::error::Error>>(())\n```")]
        struct $name;
    };
}

proof! {
    /// A policy is not decoded from a document.
    PolicyIsNotDecoded: "decodes::<String>();", but "E0277" "decodes::<ThreadPolicy>();"
}

proof! {
    /// Authority is never the result of a missing value.
    PolicyHasNoDefault: "has_default::<String>();", but "E0277" "has_default::<ThreadPolicy>();"
}

proof! {
    /// What a policy is made of is in no one's reach.
    PolicyHasNoOpenParts: "root.clone();", but "E0616" "root.0.clone();"
}

proof! {
    /// A policy is not made of parts either.
    PolicyIsNotPutTogether: "let all: Vec<_> = [root].into_iter().map(Some).collect();",
    but "E0423" "let all: Vec<_> = [root].into_iter().map(ThreadPolicy).collect();"
}

proof! {
    /// What a policy shows is not set.
    SettingsAreNotSet: "assert_eq!(*root.settings(), *root.settings());",
    but "E0594" "*root.settings() = *root.settings();"
}

proof! {
    /// Nor is who it is for.
    IdentityIsNotSet: "assert_eq!(*root.identity(), *root.identity());",
    but "E0594" "*root.identity() = ThreadIdentity::root(\"bob\", \"checkout\", \"run-42\")?;"
}

proof! {
    /// A child decides when it was started, and not before.
    PreparedChildDoesNotDecide:
    "assert!(prepared.start_by_host(&handle)?.decide(&request).is_allowed());",
    but "E0599" "assert!(prepared.decide(&request).is_allowed());"
}

proof! {
    /// It is no policy, and does not become one by being pointed at.
    PreparedChildIsNoPolicy: "let policy: &ThreadPolicy = &root;",
    but "E0308" "let policy: &ThreadPolicy = &prepared;"
}

proof! {
    /// Nor by any other thing that it points at.
    PreparedChildPointsAtNothing: "points_at_policy::<Box<ThreadPolicy>, _>();",
    but "E0277" "points_at_policy::<PreparedChild, _>();"
}

proof! {
    /// The policy in it is in no one's reach.
    PreparedChildHasNoOpenParts: "prepared.permissions_sha256();",
    but "E0616" "prepared.0.permissions_sha256();"
}

proof! {
    /// Nor does it give it away.
    PreparedChildShowsNoPolicy: "prepared.permissions_sha256();", but "E0624" "prepared.policy();"
}

proof! {
    /// A thread does not start its own children: only who has the handle does.
    PolicyStartsNoChild: "prepared.start_by_host(&handle)?;",
    but "E0308" "prepared.start_by_host(&root)?;"
}

proof! {
    /// A child is started once.
    PreparedChildIsStartedOnce: "prepared.start_by_host(&handle)?; root.clone();",
    but "E0382" "prepared.start_by_host(&handle)?; prepared.start_by_host(&handle)?;"
}

proof! {
    /// There is one of it.
    PreparedChildIsNotCloned: "clones::<ThreadPolicy>();", but "E0277" "clones::<PreparedChild>();"
}

proof! {
    /// It is not decoded from a document.
    PreparedChildIsNotDecoded: "decodes::<String>();", but "E0277" "decodes::<PreparedChild>();"
}

proof! {
    /// It has no default.
    PreparedChildHasNoDefault: "has_default::<String>();", but "E0277" "has_default::<PreparedChild>();"
}

proof! {
    /// There is one handle of a root: whoever holds a copy could start children and revoke.
    HandleIsNotCloned: "clones::<ThreadPolicy>();", but "E0277" "clones::<RootHandle>();"
}
