//! How many bytes an entry adds to the expansion: a figure without noise, in place of seconds.

use authority_core::Digest;

/// Bytes of the expansion of entries, as the compiler is given them.
fn bytes(entries: &str) -> usize {
    // The working directory and parent's target that entries refer to.
    let source = format!("[authority] filesystem \"w\" => read, write; {entries}");
    let expansion = crate::expand(source.parse().expect("it lexes")).to_string();
    assert!(!expansion.contains("compile_error"), "{expansion}");
    expansion.len()
}

/// The text of an entry, by its number.
type Entry = Box<dyn Fn(usize) -> String>;

#[test]
fn an_entry_is_small() {
    let digest = |number: usize| Digest::of(&number.to_le_bytes()).to_string();
    // Kind, operations, digests, entry. A scope has a digest; a subprocess two more, an integration
    // and a child agent one more.
    let kinds: [(&str, usize, usize, Entry); 8] = [
        (
            "filesystem",
            2,
            1,
            Box::new(|n| format!("filesystem \"x{n}\" => read, write;")),
        ),
        (
            "path",
            2,
            1,
            Box::new(|n| format!("filesystem \"x\" / \"src/{n}.rs\" => read, write;")),
        ),
        (
            "subprocess",
            1,
            3,
            Box::new(|n| format!("subprocess \"git\" [\"show\", \"{n}\"] in \"w\" => execute;")),
        ),
        (
            "network",
            2,
            1,
            Box::new(|n| format!("network \"https://h{n}.example:443\" => connect, request.safe;")),
        ),
        (
            "github",
            2,
            1,
            Box::new(|n| format!("github \"acme/r{n}\" => read, pull_request.write;")),
        ),
        (
            "browser",
            2,
            1,
            Box::new(|n| format!("browser \"https://h{n}.example\" => read, navigate;")),
        ),
        (
            "mcp",
            1,
            1,
            Box::new(|n| {
                format!(
                    "mcp \"d\" / \"t{n}\" => call;{}",
                    if n == 0 {
                        "credential mcp \"d\" = none;"
                    } else {
                        ""
                    }
                )
            }),
        ),
        (
            "integration",
            1,
            2,
            Box::new(move |n| format!("integration \"i\" @ \"{}\" => invoke;", digest(n))),
        ),
    ];
    for (kind, operations, digests, entry) in kinds {
        // From 64 to 128 the index doubles too, so that an entry's share of it is counted.
        let entries = |count: usize| (0..count).map(&entry).collect::<String>();
        check(
            kind,
            operations,
            digests,
            bytes(&entries(128)) - bytes(&entries(64)),
        );
    }
    // An agent's entry alone, without a block: a child that hands on what its parent declares.
    let repeated = |count: usize, entry: &dyn Fn(usize) -> String| -> String {
        (0..count).map(entry).collect::<Vec<_>>().concat()
    };
    let agents = repeated(128, &|n| {
        format!("child_agent \"a{n}\" => delegate {{ filesystem \"w\" => read; }}")
    });
    let handing_on = |count: usize| {
        let handed = repeated(count, &|n| format!("child_agent \"a{n}\" => delegate;"));
        bytes(&format!(
            "{agents} child_agent \"z\" => delegate {{ filesystem \"w\" => write; {handed} }}"
        ))
    };
    check("child_agent", 1, 2, handing_on(128) - handing_on(64));
}

/// Checks what 64 entries added.
fn check(kind: &str, operations: usize, digests: usize, added: usize) {
    let an_entry = added.div_ceil(64);
    let most = 260 + 55 * operations + 100 * digests;
    assert!(
        an_entry <= most,
        "{kind}: {an_entry} bytes, and at most {most} are allowed"
    );
}
