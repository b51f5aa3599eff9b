//! Writes a declaration of 1,000 scopes for the macro, and finds the versions of what is measured.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// What the report names with its version.
const MEASURED: [&str; 10] = [
    "biscuit-auth",
    "casbin",
    "cedar-policy",
    "foldhash",
    "hashbrown",
    "regorus",
    "serde_jcs",
    "serde_json",
    "sha2",
    "authority-core",
];

fn main() {
    let directory = env::var("OUT_DIR").expect("set by cargo");
    let path = Path::new(&directory).join("declared.rs");
    fs::write(path, declaration()).expect("a writable directory");
    println!("cargo::rustc-env=COMPILER={}", compiler());
    println!("cargo::rustc-env=VERSIONS={}", versions());
    println!("cargo::rerun-if-changed=Cargo.lock");
    println!("cargo::rerun-if-changed=build.rs");
}

fn declaration() -> String {
    let mut body = String::new();
    for index in 0..1_000 {
        let entry = match index % 7 {
            0 => format!(r#"filesystem "ws" / "src/file_{index}.rs" => read, write"#),
            1 => format!(r#"subprocess "make" ["--job={index}"] in "ws" => execute"#),
            2 => format!(r#"network "https://api-{index}.example.com:443" => request.safe"#),
            3 => format!(r#"github "acme/service-{index}" => read, issue.write"#),
            4 => format!(r#"browser "https://docs-{index}.example.com" => read, navigate"#),
            5 => format!(r#"mcp "server-{}" / "tool_{index}" => call"#, index % 10),
            _ => format!(
                r#"integration "tracker-{index}" @ "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" => invoke"#
            ),
        };
        let _ = writeln!(body, "        {entry};");
    }
    for server in 0..10 {
        let _ = writeln!(body, "        credential mcp \"server-{server}\" = none;");
    }
    format!(
        "#[allow(clippy::too_many_lines)]\nfn declared() -> ThreadPermissions {{\n    authority! {{\n{body}    }}\n}}\n"
    )
}

fn compiler() -> String {
    let rustc = env::var("RUSTC").expect("set by cargo");
    let output = Command::new(rustc).arg("--version").output();
    let output = output.expect("a compiler that runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    // `rustc 1.95.0 (…)`
    text.split(" (").next().unwrap_or_default().to_owned()
}

/// `name version` of each, by the lock file.
fn versions() -> String {
    let lock = fs::read_to_string("Cargo.lock").expect("a lock file");
    let packages = lock.split("[[package]]\n").skip(1).filter_map(|package| {
        let value = |key: &str| {
            let line = package.lines().find_map(|line| line.strip_prefix(key))?;
            Some(line.trim_matches(['=', ' ', '"']).to_owned())
        };
        Some((value("name")?, value("version")?))
    });
    let mut versions: Vec<_> = packages
        .filter(|(name, _)| MEASURED.contains(&name.as_str()))
        .map(|(name, version)| format!("`{name}` {version}"))
        .collect();
    versions.sort();
    versions.join(", ")
}
