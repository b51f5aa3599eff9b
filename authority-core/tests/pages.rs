//! Parts of pages of `docs` are made from the source.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use authority_core::vocabulary::{Boundary, Cause, Preset, Setting};
use authority_core::{AdvisoryField, Coverage, EffectField, Kind, Operation};

/// The name of a part, and what stands in it.
type Part = (&'static str, String);

/// `UPDATE_DOCS=1 cargo test -p authority-core --test pages` writes the parts anew.
#[test]
fn the_pages_are_up_to_date() {
    let approvals = [
        ("presets", presets()),
        ("boundaries", boundaries()),
        ("coverage", coverage()),
        ("causes", causes()),
    ];
    is_up_to_date("approvals.md", &approvals);
    let declaring = [("kinds", kinds()), ("settings", settings())];
    is_up_to_date("declaring.md", &declaring);
}

/// Every domain of a digest stands in the page of wire formats, and no other.
#[test]
fn domains() {
    let mut directories = vec![std::path::PathBuf::from("src")];
    let mut in_source = BTreeSet::new();
    while let Some(directory) = directories.pop() {
        for entry in directory.read_dir().expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                in_source.extend(domains_of(
                    &std::fs::read_to_string(path).expect("a source"),
                ));
            }
        }
    }
    let page = include_str!("../../docs/wire-formats.md");
    let rows: String = page
        .lines()
        .filter(|line| line.starts_with("| `authority/"))
        .collect();
    assert_eq!(domains_of(&rows), in_source);
}

/// The texts `authority/…/v1`.
fn domains_of(text: &str) -> BTreeSet<String> {
    let is_part = |character: char| character.is_ascii_alphanumeric() || "/-".contains(character);
    let words = text.split(|character| !is_part(character));
    let domains = words.filter(|word| word.starts_with("authority/") && word.ends_with("/v1"));
    domains.map(str::to_owned).collect()
}

fn is_up_to_date(name: &str, parts: &[Part]) {
    let path = format!(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/{}"), name);
    let page = std::fs::read_to_string(&path).expect("the page");
    let made = parts.iter().fold(page.clone(), |page, (name, part)| {
        let (begin, end) = (
            format!("<!-- made from the source: {name} -->\n"),
            format!("<!-- end of {name} -->\n"),
        );
        let (head, rest) = page.split_once(&begin).expect(name);
        let (_, tail) = rest.split_once(&end).expect(name);
        format!("{head}{begin}\n{part}\n{end}{tail}")
    });
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &made).expect("the page is written");
    }
    let page = std::fs::read_to_string(&path).expect("the page");
    assert!(
        page == made,
        "docs/{name} differs from the source: run this test with UPDATE_DOCS=1"
    );
}

/// Every kind with its operations: those that only look apart.
fn kinds() -> String {
    let mut out = "| kind | is | only looks | acts |\n| --- | --- | --- | --- |\n".to_owned();
    for kind in Kind::all() {
        let (looks, acts): (Vec<_>, Vec<_>) = kind.operations().partition(|it| it.is_read_only());
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} |",
            kind.title(),
            kind.row().about.trim_end_matches('.'),
            names(&looks),
            names(&acts)
        );
    }
    out
}

fn names(operations: &[Operation]) -> String {
    let names = operations.iter();
    let names: Vec<_> = names.map(|operation| format!("`{operation}`")).collect();
    names.join(", ")
}

fn settings() -> String {
    let rows = Setting::ALL.iter().map(|setting| {
        let group = setting.group().name();
        format!("| `{group} {}` | {} |\n", setting.name(), setting.about())
    });
    format!(
        "| setting | bounds |\n| --- | --- |\n{}",
        rows.collect::<String>()
    )
}

fn presets() -> String {
    let rows = Preset::ALL.iter();
    let rows = rows.map(|preset| format!("| `{preset}` | {} |\n", preset.about()));
    format!(
        "| preset | what it says |\n| --- | --- |\n{}",
        rows.collect::<String>()
    )
}

fn boundaries() -> String {
    let rows = Boundary::ALL.iter();
    let rows = rows.map(|boundary| format!("| `{boundary}` | {} |\n", boundary.about()));
    format!(
        "| boundary | who enforces |\n| --- | --- |\n{}",
        rows.collect::<String>()
    )
}

fn causes() -> String {
    let rows = Cause::ALL.iter();
    let rows = rows.map(|cause| format!("| `{cause}` | {} | denied |\n", cause.about()));
    format!(
        "| cause | what it is | leads to |\n| --- | --- | --- |\n| answer | an answer that allows, in time, by who was asked | a grant; the whole pipeline runs again |\n{}",
        rows.collect::<String>()
    )
}

/// AG-docs-01: every cause has its row.
#[test]
fn ag_docs_01() {
    let page = include_str!("../../docs/approvals.md");
    for cause in Cause::ALL {
        let row = format!("| `{cause}` | {} | denied |", cause.about());
        assert!(page.contains(&row), "{cause}");
    }
}

fn coverage() -> String {
    let mut out = String::new();
    out.push_str("Every approval covers these, whatever the operation:\n\n");
    for field in Coverage::COMMON {
        push_field(&mut out, *field);
    }
    out.push_str("\nA reviewer is shown these beside them. They are not in the digest, and no approval covers them:\n\n");
    for field in AdvisoryField::ALL {
        let _ = writeln!(out, "- `{field}`: {}{}", field.about(), only(*field));
    }
    for kind in Kind::all() {
        let _ = writeln!(out, "\n### {}\n", kind.title());
        out.push_str(kind.row().about);
        out.push('\n');
        for operation in kind.operations() {
            push_operation(&mut out, operation);
        }
    }
    out
}

/// For which operations a reviewer is shown the field, if not for all.
fn only(field: AdvisoryField) -> String {
    let has_it = |operation: &Operation| operation.coverage().advisory.contains(&field);
    let (with, without): (Vec<_>, Vec<_>) =
        Kind::all().flat_map(Kind::operations).partition(has_it);
    if without.is_empty() {
        return String::new();
    }
    let names = with
        .iter()
        .map(|operation| format!("{} `{operation}`", operation.kind().title()));
    format!(" (only for {})", names.collect::<Vec<_>>().join(", "))
}

fn push_operation(out: &mut String, operation: Operation) {
    let (row, coverage) = (operation.row(), operation.coverage());
    let _ = writeln!(out, "\n#### {} `{}`\n", operation.kind().title(), row.name);
    let _ = writeln!(out, "Allows: {}. Never: {}.\n", row.covers, row.never);
    let common = Coverage::COMMON.iter().map(|field| format!("`{field}`"));
    let common = common.collect::<Vec<_>>().join(", ");
    if coverage.effect.is_empty() {
        let _ = writeln!(out, "An approval covers {common}, and nothing else.");
    } else {
        let _ = writeln!(out, "An approval covers {common}, and\n");
        for field in coverage.effect {
            push_field(out, *field);
        }
    }
}

fn push_field(out: &mut String, field: EffectField) {
    let _ = writeln!(out, "- `{field}`: {}", field.about());
}

#[test]
fn every_field_has_a_place() {
    let rows = Kind::all()
        .flat_map(Kind::operations)
        .map(Operation::coverage);
    let rows: Vec<_> = rows.collect();
    assert_eq!(rows.len(), 40);
    for field in EffectField::ALL {
        let is_common = Coverage::COMMON.contains(field);
        let is_used = rows.iter().any(|row| row.effect.contains(field));
        assert!(is_common != is_used, "{field}");
    }
    for field in AdvisoryField::ALL {
        assert!(
            rows.iter().any(|row| row.advisory.contains(field)),
            "{field}"
        );
    }
}
