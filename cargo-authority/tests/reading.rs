//! How sources are found and read.

mod common;

use std::fmt::Write as _;

use common::{Project, declaration, findings, names};

fn listed(project: &Project) -> Vec<String> {
    let list = project.run(&["list", "--format", "json"]).json(0);
    names(&list).into_iter().map(str::to_owned).collect()
}

#[test]
fn the_tree_of_modules_is_followed() {
    let project = Project::new(&[
        (
            "src/lib.rs",
            "mod flat; pub(crate) mod deep; #[path = \"elsewhere/x.rs\"] mod moved;\n\
             mod inline { pub mod inner; #[path = \"y.rs\"] mod y; }\n\
             #[cfg(never)] mod gone; #[cfg(windows)] mod windows;\n\
             include!(\"included.inc\");\n",
        ),
        ("src/flat.rs", &declaration("one")),
        ("src/deep/mod.rs", "mod leaf;"),
        ("src/deep/leaf.rs", &declaration("two")),
        (
            "src/elsewhere/x.rs",
            &format!("mod beside; {}", declaration("three")),
        ),
        ("src/elsewhere/beside.rs", &declaration("four")),
        ("src/inline/inner.rs", &declaration("five")),
        ("src/inline/y.rs", &declaration("six")),
        ("src/windows.rs", &declaration("seven")),
        ("src/included.inc", &declaration("eight")),
        ("src/no_module.rs", &declaration("nobody")),
        ("src/bin/tool.rs", &declaration("nine")),
        ("src/main.rs", &declaration("ten")),
        ("examples/show.rs", &declaration("eleven")),
        ("build.rs", &declaration("twelve")),
    ]);
    let mut names = listed(&project);
    names.sort();
    assert_eq!(
        names,
        [
            "acme::build_script_build::twelve",
            "acme::deep::leaf::two",
            "acme::eight",
            "acme::flat::one",
            "acme::inline::inner::five",
            "acme::inline::y::six",
            "acme::moved::beside::four",
            "acme::moved::three",
            "acme::show::eleven",
            "acme::ten",
            "acme::tool::nine",
            "acme::windows::seven",
        ]
    );
}

#[test]
fn calls_in_functions_macros_and_under_other_names() {
    let project = Project::new(&[(
        "src/lib.rs",
        r#"
        use authority::authority as grants;
        macro_rules! declare { ($($t:tt)*) => { $crate::authority! { $($t)* } } }
        fn start() { let root = authority::authority! { filesystem "a" => read; }; }
        impl Host { fn make() { run(|| { authority! { filesystem "b" => read; } }) } }
        static ROOT: Lazy<P> = Lazy::new(|| grants! { filesystem "c" => read; });
        cfg_if! { if #[cfg(unix)] { authority! { mod wrapped { filesystem "d" => read; } } } }
        declare! { mod forwarded { filesystem "e" => read; } }
        #[cfg(unix)] authority! { mod twice { filesystem "f" => read; } }
        #[cfg(windows)] authority! { mod twice { filesystem "g" => read; } }
        other! { filesystem "no" => declaration; }
        "#,
    )]);
    assert_eq!(
        listed(&project),
        [
            "acme::start::root",
            "acme::make",
            "acme::ROOT",
            "acme::wrapped",
            "acme::forwarded",
            "acme::twice",
            "acme::twice#2",
        ]
    );
}

#[test]
fn a_file_that_does_not_parse_is_reported_and_the_others_are_read() {
    let project = Project::new(&[
        (
            "src/lib.rs",
            &format!("mod lexes; mod broken; {}", declaration("fine")),
        ),
        ("src/lexes.rs", &format!("fn fn; {}", declaration("nobody"))),
        (
            "src/broken.rs",
            &format!("authority fn f( {{\n {}", declaration("nobody")),
        ),
    ]);
    let check = project.run(&["check", "--format", "json"]).json(1);
    assert_eq!(
        findings(&check),
        ["C0101 src/lexes.rs:1:4", "C0101 src/broken.rs:1:17"]
    );
    assert_eq!(check["declarations"], 1);
    let list = project.run(&["list"]);
    assert_eq!(list.code, 2);
    assert!(
        list.stdout
            .starts_with("acme::fine  src/lib.rs:1  1 entry, 0 children  sha256:")
    );
    assert!(
        list.stderr.contains("--> src/lexes.rs:1:4"),
        "{}",
        list.stderr
    );
}

#[test]
fn files_that_are_missing_or_not_text() {
    let project = Project::new(&[("src/lib.rs", "mod absent;\nmod bytes;\n")]);
    project.write("src/bytes.rs", b"// authority \xff".as_slice());
    let check = project.run(&["check", "--format", "json"]).json(1);
    assert_eq!(
        findings(&check),
        ["C0102 src/lib.rs:1:5", "C0101 src/bytes.rs:1:1"]
    );
}

#[cfg(unix)]
#[test]
fn links_and_names_that_are_not_utf_8() {
    use std::os::unix::ffi::OsStrExt as _;

    let project = Project::new(&[
        ("src/lib.rs", "mod a; mod again;"),
        ("src/a.rs", &declaration("one")),
    ]);
    let link = |from: &str, to: &str| {
        std::os::unix::fs::symlink(from, project.path().join(to)).expect("a link");
    };
    link("a.rs", "src/again.rs");
    link("loop.rs", "src/loop.rs");
    link("..", "src/up");
    project.write(
        std::ffi::OsStr::from_bytes(b"src/\xff.rs"),
        declaration("nobody"),
    );
    assert_eq!(listed(&project), ["acme::a::one"]);
}

#[test]
fn a_byte_order_mark_and_a_first_line_for_a_shell_keep_places() {
    let text = format!(
        "\u{feff}#!/usr/bin/env run\n{}",
        "authority! { filesystem \"ws\" => raed; }"
    );
    let project = Project::new(&[
        (
            "src/lib.rs",
            &format!(
                "mod x;\nfn f() {{ {} }}",
                "authority! { filesystem \"é\" => read; }"
            ),
        ),
        ("src/x.rs", &text),
    ]);
    let check = project.run(&["check", "--format", "json"]).json(1);
    assert_eq!(
        findings(&check),
        ["A0205 src/lib.rs:2:34", "A0302 src/x.rs:2:33"]
    );
}

#[test]
fn packages_of_a_workspace() {
    let project = Project::new(&[]);
    project.write(
        "Cargo.toml",
        "[workspace]\nmembers = [\"b\", \"a\"]\nresolver = \"3\"\n",
    );
    for name in ["a", "b"] {
        project.write(
            format!("{name}/Cargo.toml"),
            format!("[package]\nname = \"host-{name}\"\nedition = \"2024\"\n"),
        );
        project.write(format!("{name}/src/lib.rs"), declaration("root"));
    }
    assert_eq!(listed(&project), ["host-a::root", "host-b::root"]);
    let one = project
        .run(&["list", "--format", "json", "-p", "host-b"])
        .json(0);
    assert_eq!(names(&one), ["host-b::root"]);
    let none = project.run(&["list", "-p", "host-c"]);
    assert_eq!((none.code, none.stdout.as_str()), (2, ""));
    assert!(
        none.stderr
            .contains("no package `host-c`: there is `host-a`, `host-b`")
    );
}

/// Sources of crates that many use, with a declaration added somewhere inside.
#[test]
fn sources_of_other_people() {
    let registry = std::env::var_os("CARGO_HOME").map(std::path::PathBuf::from);
    let home = std::env::home_dir().map(|home| home.join(".cargo"));
    let Some(registry) = registry.or(home).map(|cargo| cargo.join("registry/src")) else {
        return;
    };
    let indices = std::fs::read_dir(&registry).into_iter().flatten().flatten();
    let crates: Vec<_> = indices
        .flat_map(|index| {
            std::fs::read_dir(index.path())
                .into_iter()
                .flatten()
                .flatten()
        })
        .map(|entry| entry.path())
        .collect();
    let mut tried = 0;
    for (name, inside) in [
        ("clap_builder-4", "src/parser/parser.rs"),
        ("proptest-1", "src/strategy/traits.rs"),
        ("serde_json-1", "src/value/mod.rs"),
        ("syn-3", "src/item.rs"),
    ] {
        let Some(source) = crates.iter().find(|path| {
            path.file_name()
                .is_some_and(|found| found.to_string_lossy().starts_with(name))
        }) else {
            continue;
        };
        let project = Project::new(&[]);
        copy(source, &project.path());
        let text = project.read(inside);
        let own = "\nfn added() -> P { authority! { github \"acme/checkout\" => read; } }\n";
        project.write(inside, format!("{text}{own}"));
        // A published package is not always a workspace of its own.
        let manifest = project.read("Cargo.toml");
        project.write("Cargo.toml", format!("{manifest}\n[workspace]\n"));
        let check = project.run(&["check", "--format", "json"]).json(0);
        assert_eq!(check["declarations"], 1, "{name}: {check}");
        assert_eq!(findings(&check), [] as [String; 0], "{name}");
        let list = project.run(&["list", "--format", "json"]).json(0);
        assert_eq!(list["declarations"][0]["file"], inside);
        assert_eq!(
            list["declarations"][0]["line"],
            text.lines().count() + 1 + usize::from(text.ends_with('\n'))
        );
        tried += 1;
    }
    // The dependencies of this very test were unpacked there, unless they are vendored.
    assert!(tried >= 3 || crates.is_empty(), "{tried}");
}

fn copy(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir_all(to).expect("a directory");
    for entry in std::fs::read_dir(from).expect("a directory").flatten() {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            std::fs::copy(entry.path(), to).expect("a copy");
        }
    }
}

/// A thousand files take well under a second, also without optimisation.
#[test]
fn a_thousand_files() {
    let project = Project::new(&[]);
    let filler = "/// Does a thing.\npub fn thing(x: u64) -> u64 {\n    x.wrapping_mul(3) + 1 // and no more\n}\n".repeat(80);
    let mut root = String::new();
    for number in 0..1000 {
        let _ = writeln!(root, "mod m{number};");
        project.write(format!("src/m{number}.rs"), &filler);
    }
    project.write("src/lib.rs", root + &declaration("root"));
    let start = std::time::Instant::now();
    assert_eq!(listed(&project), ["acme::root"]);
    let took = start.elapsed();
    assert!(took.as_secs_f64() < 3.0, "{took:?}");
}
