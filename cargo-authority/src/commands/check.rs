//! `check`: every error that the compiler would report, and the lints.

use authority_syntax::Code;

use crate::arguments::CheckFormat;
use crate::error::Error;
use crate::finding::{Finding, Severity};
use crate::lint::Lint;
use crate::lints;
use crate::report::{json, sarif, text};
use crate::source::{Selection, Workspace};
use crate::{Verdict, print};

pub(crate) fn run(selection: &Selection, format: CheckFormat) -> Result<Verdict, Error> {
    let mut workspace = Workspace::read(selection)?;
    let mut findings = std::mem::take(&mut workspace.findings);
    findings.extend(lints::lint(&workspace));
    findings.sort_by_key(|finding| (finding.place.file, finding.place.range.start));
    let errors = count(&findings, Severity::Error);
    match format {
        CheckFormat::Json => print(&json::line(&json::Check::of(&workspace, &findings))?)?,
        CheckFormat::Sarif => print(&json::line(&log(&workspace, &findings))?)?,
        CheckFormat::Text => {
            let coloured = text::is_coloured(&std::io::stdout());
            print(&text::findings(&workspace, &findings, coloured))?;
            eprintln!(
                "{} declarations, {errors} errors, {} warnings",
                workspace.declarations.len(),
                count(&findings, Severity::Warning)
            );
        }
    }
    Ok(Verdict::finding(errors > 0))
}

fn count(findings: &[Finding], severity: Severity) -> usize {
    findings
        .iter()
        .filter(|finding| finding.severity == severity)
        .count()
}

fn log(workspace: &Workspace, findings: &[Finding]) -> serde_json::Value {
    let codes = Code::ALL.iter().map(|code| sarif::Rule {
        id: code.name().to_owned(),
        title: code.title().to_owned(),
        explanation: code.explanation().to_owned(),
    });
    let lints = Lint::ALL.iter().map(|lint| sarif::Rule {
        id: lint.code().to_owned(),
        title: lint.title().to_owned(),
        explanation: lint.explanation().to_owned(),
    });
    let entries = findings.iter().map(|finding| sarif::Entry {
        rule: finding.code,
        level: finding.severity.name(),
        message: format!("{}\nhelp: {}", finding.message, finding.help),
        file: workspace.path(&finding.place),
        line: finding.place.line,
        column: Some(finding.place.column),
    });
    sarif::log(
        &codes.chain(lints).collect::<Vec<_>>(),
        &entries.collect::<Vec<_>>(),
    )
}
