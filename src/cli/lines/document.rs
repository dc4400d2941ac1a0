//! The lines of a file as a JSON document.

use serde::Serialize;

use crate::output;
use callscape_analysis::lines::{self, FileLines, LineCalls};
use callscape_analysis::session::{Resolved, Session};
use callscape_base::units::{Cost, Unit};
use callscape_source::relations::sites::CallSite;
use callscape_source::text::SourceText;

/// Source text of the file.
pub(super) struct Source {
    pub text: SourceText,
    pub sites: Option<Vec<CallSite>>,
    pub is_newer: bool,
}

#[derive(Serialize)]
pub(super) struct Document {
    pub file: String,
    pub unit: Unit,
    /// How the lines of calls are known.
    pub call_sites: CallSites,
    pub lines: Vec<Line>,
    /// Functions of the file, in the order of the text.
    pub functions: Vec<Function>,
    /// Lines of the text; `None` if there is no text.
    pub source: Option<Text>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum CallSites {
    Recorded,
    Inferred,
    Unknown,
}

#[derive(Serialize)]
pub(super) struct Line {
    pub line: u32,
    #[serde(rename = "self")]
    pub self_cost: Option<Cost>,
    pub calls: u64,
    pub cost: Cost,
    pub inferred: bool,
    pub callees: Vec<Callee>,
    pub total: Option<Cost>,
    pub samples: Option<u64>,
    pub share: f64,
    /// The line itself, without its end.
    pub text: Option<String>,
}

#[derive(Serialize)]
pub(super) struct Callee {
    pub name: String,
    pub calls: u64,
    pub cost: Cost,
    pub module: String,
    pub inferred: bool,
    /// Number of call sites of this name in the caller that share these inferred calls.
    pub shared_by: Option<u32>,
    /// How it is known that it was called in the line.
    pub evidence: Evidence,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Evidence {
    Recorded,
    /// The caller's text calls something of the name.
    Name,
    /// Found through functions that it calls and that were not recorded.
    Inlined,
    /// Its only call of something without a name.
    Nameless,
    /// The line of the call is unknown.
    None,
}

#[derive(Serialize)]
pub(super) struct Function {
    pub name: String,
    pub module: String,
    pub line: u32,
    pub end_line: u32,
    pub executed: bool,
    pub calls: u64,
    #[serde(rename = "self")]
    pub self_cost: Cost,
    pub total: Cost,
    /// Calls of which it is not known in which line they were made.
    pub unplaced: Vec<Callee>,
}

#[derive(Serialize)]
pub(super) struct Text {
    pub lines: u32,
    /// It was changed after the recording.
    pub newer: bool,
    /// Number of recorded lines past its end.
    pub past_end: usize,
    /// Number of byte sequences that are not text.
    pub replaced: u64,
}

impl Document {
    pub(super) fn new(
        session: &Session,
        (file, lines): (String, &FileLines),
        source: Option<&Source>,
    ) -> anyhow::Result<Document> {
        let hierarchy = &session.hierarchy;
        let resolved = output::recording(session)?;
        let callees = |calls: &[LineCalls]| -> Vec<Callee> {
            let calls = calls.iter();
            calls.map(|it| callee(session, resolved, it)).collect()
        };
        let unplaced = |calls: &[LineCalls]| -> Vec<Callee> {
            let callees = callees(calls).into_iter();
            let callees = callees.map(|it| Callee {
                evidence: Evidence::None,
                ..it
            });
            callees.collect()
        };
        let functions = lines.functions.iter().map(|it| Function {
            name: hierarchy.name(it.module).to_owned(),
            module: hierarchy.path(it.module),
            line: it.lines.0,
            end_line: it.lines.1,
            executed: it.is_executed,
            calls: it.calls,
            self_cost: it.self_cost,
            total: it.total,
            unplaced: unplaced(&it.unplaced),
        });
        let has_inferred = lines.lines.iter().any(|it| it.is_inferred());
        Ok(Document {
            file,
            unit: lines.unit.clone(),
            call_sites: match (lines.knows_sites, has_inferred) {
                (true, _) => CallSites::Recorded,
                (false, true) => CallSites::Inferred,
                (false, false) => CallSites::Unknown,
            },
            lines: lines
                .lines
                .iter()
                .map(|it| Line {
                    line: it.line,
                    self_cost: it.self_cost,
                    calls: it.calls,
                    cost: it.cost,
                    inferred: it.is_inferred(),
                    callees: callees(&it.callees()),
                    total: it.total,
                    samples: it.samples,
                    share: it.share,
                    text: source
                        .and_then(|source| source.text.line(it.line))
                        .map(str::to_owned),
                })
                .collect(),
            functions: functions.collect(),
            source: source.map(|source| Text {
                lines: source.text.lines(),
                newer: source.is_newer,
                past_end: lines.past_end(source.text.lines()),
                replaced: source.text.replaced(),
            }),
        })
    }
}

fn callee(session: &Session, resolved: &Resolved, calls: &LineCalls) -> Callee {
    Callee {
        name: resolved
            .recording
            .functions
            .get(calls.function)
            .name
            .to_owned(),
        calls: calls.calls,
        cost: calls.cost,
        module: session.hierarchy.path(calls.callee),
        inferred: calls.evidence.is_inferred(),
        evidence: match calls.evidence {
            lines::Evidence::Recorded => Evidence::Recorded,
            lines::Evidence::Name { .. } => Evidence::Name,
            lines::Evidence::Inlined { .. } => Evidence::Inlined,
            lines::Evidence::Nameless => Evidence::Nameless,
        },
        shared_by: calls
            .evidence
            .is_inferred()
            .then(|| calls.evidence.places()),
    }
}
