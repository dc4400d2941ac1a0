//! Which lines of a source tree ran, by reports of coverage: those of lcov and Cobertura.

use std::collections::HashMap;

use super::result_sets::{Files, Spans};
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::Hierarchy;
use callscape_import::results::ResultSet;

/// Lines that reports count, and how many of them ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    pub counted: u32,
    pub ran: u32,
}

/// What reports of coverage say of the modules of a source tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// By module, the lines that are in it and in no module below it: of a function its own, of a file those outside of functions.
    pub own: Vec<Lines>,
    /// Of the whole tree.
    pub all: Lines,
    /// Lines of files that are not in the source tree, that several files may be meant by, or without a number.
    pub unknown: u64,
}

impl Coverage {
    /// Adds up what reports say of each line, so that a line ran that ran in any of them; none where no report is one of
    /// coverage. O(files + functions + lines log lines).
    pub fn new<'a>(
        reports: impl Iterator<Item = &'a ResultSet>,
        hierarchy: &Hierarchy,
    ) -> Option<Coverage> {
        let mut reports = reports.filter(|it| it.is_coverage).peekable();
        reports.peek()?;
        let files = Files::new(hierarchy);
        let mut coverage = Coverage {
            own: vec![Lines::default(); hierarchy.len()],
            ..Coverage::default()
        };
        let mut found: HashMap<&str, Option<ModuleId>> = HashMap::new();
        let mut lines: Vec<(ModuleId, u32, bool)> = Vec::new();
        for hit in reports.flat_map(|it| &it.hits) {
            let file = found
                .entry(&hit.file)
                .or_insert_with(|| files.find(&hit.file));
            match file.filter(|_| hit.line > 0) {
                Some(file) => lines.push((file, hit.line, hit.count > 0)),
                None => coverage.unknown += 1,
            }
        }
        lines.sort_unstable();
        let mut spans: Option<(ModuleId, Spans)> = None;
        for line in lines.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            // Of a line that is told of several times the last says whether it ever ran.
            let Some(&(file, number, ran)) = line.last() else {
                continue;
            };
            let (_, spans) = match spans.take_if(|it| it.0 == file) {
                Some(known) => spans.insert(known),
                None => spans.insert((file, Spans::new(hierarchy, file))),
            };
            let module = spans.at(number).unwrap_or(file);
            if let Some(own) = coverage.own.get_mut(module.index()) {
                own.add(ran);
            }
            coverage.all.add(ran);
        }
        Some(coverage)
    }
}

impl Lines {
    fn add(&mut self, ran: bool) {
        self.counted += 1;
        self.ran += u32::from(ran);
    }
}
