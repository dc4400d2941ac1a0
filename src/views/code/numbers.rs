//! What the recording tells of the lines of the file that is shown.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::parts::found::Found;
use crate::parts::kept::choices;
use crate::parts::text;
use callscape_analysis::lines::{FileLines, FunctionInFile, Line, LineCalls, LineFacts};
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{Cost, ModuleId, TimeRange, Unit};
use callscape_facts::hierarchy::Hierarchy;
use callscape_source::relations::sites::CallSite;
use callscape_state::State;
use callscape_state::document::Document;
use callscape_state::job::Job;

/// Which recording, and which part of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FactsKey {
    /// Counts the sessions that were shown.
    pub session: u64,
    pub recording: usize,
    pub range: Option<TimeRange>,
}

/// Of which file, and of which text.
#[derive(Clone, Copy, Debug, PartialEq)]
struct LinesKey {
    facts: FactsKey,
    file: ModuleId,
    /// [`callscape_state::Stamps::sources`], where the calls of the text are known.
    sites: Option<u64>,
}

/// What is asked of the recording.
#[derive(Clone, Copy, Debug)]
pub(super) struct Question<'a> {
    pub facts: FactsKey,
    pub file: ModuleId,
    /// The structure at the lines of this text, where that is not the session's own.
    pub structure: Option<&'a Arc<Hierarchy>>,
    /// The calls of the text, and which text that is.
    pub sites: Option<(&'a Arc<Vec<CallSite>>, u64)>,
    /// The calls of the text will be known: there is no answer without them.
    pub waits: bool,
}

/// The lines of a file, with what they are in the structure as it is displayed.
#[derive(Debug)]
pub(super) struct Numbers {
    pub lines: FileLines,
    /// By module of the structure without a mapping the displayed one; empty where they are the same.
    displayed: Vec<Option<ModuleId>>,
    most: [Cost; 2],
    /// From which line on the innermost function ran, did not run, or there is none; in order.
    ran: Vec<(u32, Option<bool>)>,
    is_inferred: bool,
}

impl Numbers {
    fn new(lines: FileLines, displayed: Vec<Option<ModuleId>>) -> Numbers {
        Numbers {
            most: [lines.largest_cost(), lines.largest_self()],
            ran: stretches(&lines.functions),
            is_inferred: lines.lines.iter().any(Line::is_inferred),
            lines,
            displayed,
        }
    }

    /// A cost as cells have room for it: of things their number alone.
    pub(super) fn cell(&self, cost: Cost) -> String {
        match &self.lines.unit {
            Unit::Things(_) => format!("{}{}", cost.sign(), text::count(cost.size())),
            unit => unit.show(cost),
        }
    }

    /// Whether the line of any call is inferred.
    pub(super) fn is_inferred(&self) -> bool {
        self.is_inferred
    }

    /// Whether the innermost function around a line ran; none outside of functions. O(log n).
    pub(super) fn ran(&self, line: u32) -> Option<bool> {
        let behind = self.ran.partition_point(|(from, _)| *from <= line);
        self.ran.get(behind.checked_sub(1)?)?.1
    }

    /// The displayed module that one of the structure without a mapping is.
    pub(super) fn displayed(&self, module: ModuleId) -> Option<ModuleId> {
        match self.displayed.is_empty() {
            true => Some(module),
            false => *self.displayed.get(module.index())?,
        }
    }

    /// What colours a line, from 0 to 1: the part of the run or of what all calls of its function cost, or its own cost beside
    /// the largest one of a line. None where there is nothing to colour.
    pub(super) fn strength(&self, line: &Line, tint: Tint) -> Option<f32> {
        match tint {
            Tint::Run | Tint::Calls if line.by_callee.is_empty() => None,
            Tint::Run => {
                // While recursion goes on it counts once.
                let cost = line.total.unwrap_or(line.cost).min(line.cost);
                Some((cost.ns() as f64 / self.most(tint).ns().max(1) as f64) as f32)
            }
            Tint::Calls => Some(line.share as f32),
            Tint::Own => {
                let own = line.self_cost.filter(|cost| *cost > Cost::ZERO)?;
                Some((own.ns() as f64 / self.most(tint).ns().max(1) as f64) as f32)
            }
        }
    }

    /// The cost of the strongest colour.
    pub(super) fn most(&self, tint: Tint) -> Cost {
        match tint {
            Tint::Run => self.lines.whole,
            Tint::Calls => self.most[0],
            Tint::Own => self.most[1],
        }
    }

    /// The innermost function that a line is in. O(functions of the file).
    pub(super) fn function_at(&self, line: u32) -> Option<&FunctionInFile> {
        let functions = self.lines.functions.iter();
        // The innermost begins last.
        functions
            .rev()
            .find(|it| it.lines.0 > 0 && (it.lines.0..=it.lines.1).contains(&line))
    }

    /// The lines with something to colour, in order.
    pub(super) fn colored(&self, tint: Tint) -> impl DoubleEndedIterator<Item = &Line> {
        let lines = self.lines.lines.iter();
        lines.filter(move |line| self.strength(line, tint).is_some())
    }

    /// The line that costs most among those from the first up to the last.
    pub(super) fn hottest(&self, tint: Tint, (first, last): (u32, u32)) -> Option<u32> {
        let colored = self.colored(tint);
        let inside = colored.filter(|it| (first..=last).contains(&it.line));
        // Of equals the first.
        let hottest = inside.max_by_key(|it| (cost_of(it, tint), std::cmp::Reverse(it.line)));
        hottest.map(|it| it.line)
    }
}

choices! {
    /// What colours of lines say.
    #[derive(Default)]
    pub(super) enum Tint {
        /// The calls that are made in a line, beside the whole run.
        #[default]
        Run = "run", "calls made in the line, as a share of the run";
        /// The same beside all calls of its function.
        Calls = "calls", "calls made in the line, as a share of its function";
        Own = "own", "the line itself";
    }
}

/// What a line costs by what its colour says.
pub(super) fn cost_of(line: &Line, tint: Tint) -> Cost {
    match tint {
        Tint::Run | Tint::Calls => line.cost,
        Tint::Own => line.self_cost.unwrap_or_default(),
    }
}

/// The call relation of some calls as it is displayed: caller and callee, where both have a block of their own.
pub(super) fn relation(
    document: &Document,
    numbers: &Numbers,
    calls: &LineCalls,
) -> Option<(ModuleId, ModuleId)> {
    let shown = |module| document.city.displayed(numbers.displayed(module)?);
    let (from, to) = (shown(calls.caller)?, shown(calls.callee)?);
    (from != to).then_some((from, to))
}

/// The numbers of one recording, worked out on another thread.
#[derive(Default)]
pub(super) struct Counting {
    facts: Found<FactsKey, Arc<LineFacts>>,
    lines: Found<LinesKey, Arc<Numbers>>,
}

impl Counting {
    /// Begins to work out what is wanted, and takes what was found meanwhile: whether there is something new.
    pub(super) fn update(
        &mut self,
        asked: Question<'_>,
        state: &State,
        document: &Document,
    ) -> bool {
        let key = asked.facts;
        let session = Arc::clone(&document.base);
        let start = || {
            let session = Arc::clone(&session);
            Job::named("lines", state.waker(), move |progress| {
                progress.start("adding up the calls of functions", 0);
                let found = session.recordings.get(key.recording);
                let found = found.map(|it| LineFacts::new(&session.hierarchy, it, key.range));
                progress.check()?;
                found.map(Arc::new).ok_or(Cancelled)
            })
        };
        // While the pointer draws a range it is another one in each frame.
        match state.draws_range() {
            true => self.facts.want_next(key, start),
            false => self.facts.want(key, start),
        }
        let mut is_new = self.facts.poll();
        is_new |= self.lines.poll();
        let Some((of, facts)) = self.facts.last() else {
            return is_new;
        };
        if asked.waits || (of.recording, of.session) != (key.recording, key.session) {
            return is_new;
        }
        let wanted = LinesKey {
            facts: *of,
            file: asked.file,
            sites: asked.sites.map(|(_, text)| text),
        };
        let (facts, sites) = (
            Arc::clone(facts),
            asked.sites.map(|(sites, _)| Arc::clone(sites)),
        );
        let (file, origins) = (asked.file, document.origins());
        let structure = asked.structure.cloned();
        self.lines.want_next(wanted, || {
            let origins = origins.to_vec();
            Job::named("lines", state.waker(), move |_| {
                let sites = sites.as_ref().map(|it| it.as_slice());
                let resolved = session.recordings.get(key.recording).ok_or(Cancelled)?;
                let structure = structure.as_deref().unwrap_or(&session.hierarchy);
                let lines = facts.file(structure, resolved, file, sites);
                let displayed = displayed(&origins, session.hierarchy.len());
                Ok(Arc::new(Numbers::new(lines, displayed)))
            })
        });
        is_new
    }

    /// The numbers of this file, perhaps of the range before.
    pub(super) fn of(&self, session: u64, file: ModuleId) -> Option<&Arc<Numbers>> {
        let (key, numbers) = self.lines.last()?;
        (key.file == file && key.facts.session == session).then_some(numbers)
    }

    pub(super) fn is_waiting(&self) -> bool {
        self.facts.is_running() || self.lines.is_running()
    }

    /// The work that takes long enough to be shown.
    pub(super) fn slow(&self) -> Option<&Progress> {
        self.facts.slow().or_else(|| self.lines.slow())
    }

    /// Stops it.
    pub(super) fn stop(&mut self) {
        self.facts.stop();
        self.lines.stop();
    }
}

/// By module of the structure without a mapping the first displayed one that it is; empty without a mapping.
fn displayed(origins: &[ModuleId], modules: usize) -> Vec<Option<ModuleId>> {
    if origins.is_empty() {
        return Vec::new();
    }
    let mut displayed = vec![None; modules];
    for (origin, module) in origins.iter().zip(0..) {
        if let Some(of) = displayed.get_mut(origin.index()) {
            of.get_or_insert(ModuleId(module));
        }
    }
    displayed
}

/// From which line on code of functions ran, did not run, or there is none: as the innermost function says. Functions of one
/// line share it with each other and with what is around them: it ran where any of them did.
fn stretches(functions: &[FunctionInFile]) -> Vec<(u32, Option<bool>)> {
    let mut short: BTreeMap<u32, bool> = BTreeMap::new();
    for function in functions.iter().filter(|it| it.lines.0 == it.lines.1) {
        *short.entry(function.lines.0).or_default() |= function.is_executed;
    }
    // In order of their first lines, the outer ones first.
    let long = functions.iter().filter(|it| it.lines.0 < it.lines.1);
    let mut long = innermost(long).into_iter().peekable();
    let mut found = Stretches::default();
    let mut around = None;
    for (line, ran) in short.into_iter().filter(|(line, _)| *line > 0) {
        while let Some((first, of)) = long.next_if(|(first, _)| *first <= line) {
            found.add(first, of);
            around = of;
        }
        found.add(line, Some(ran || around == Some(true)));
        let next = line.saturating_add(1);
        if long.peek().is_none_or(|(first, _)| *first > next) {
            found.add(next, around);
        }
    }
    long.for_each(|(first, of)| found.add(first, of));
    found.0
}

/// From which line on which of some functions, in order of their first lines, is the innermost one.
fn innermost<'a>(functions: impl Iterator<Item = &'a FunctionInFile>) -> Vec<(u32, Option<bool>)> {
    let mut found = Stretches::default();
    let mut open: Vec<(u32, bool)> = Vec::new();
    let last = (u32::MAX, None);
    let begins = functions.map(|it| (it.lines.0, Some((it.lines.1, it.is_executed))));
    for (first, function) in begins.chain(Some(last)) {
        while let Some((end, _)) = open.pop_if(|(end, _)| *end < first) {
            found.add(end.saturating_add(1), open.last().map(|(_, ran)| *ran));
        }
        if let Some((end, ran)) = function {
            open.push((end, ran));
            found.add(first, Some(ran));
        }
    }
    found.0
}

/// First lines of stretches, in order, each other than the one before.
#[derive(Default)]
struct Stretches(Vec<(u32, Option<bool>)>);

impl Stretches {
    fn add(&mut self, line: u32, ran: Option<bool>) {
        match self.0.last_mut() {
            Some(last) if last.0 == line => last.1 = ran,
            Some(last) if last.1 == ran => {}
            _ => self.0.push((line, ran)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_function_says_whether_a_line_ran() {
        let function = |first, last, is_executed| FunctionInFile {
            module: ModuleId(0),
            lines: (first, last),
            is_executed,
            calls: 0,
            self_cost: Cost::ZERO,
            total: Cost::ZERO,
            call_costs: Cost::ZERO,
            unplaced: Vec::new(),
        };
        // The last ones share lines, which one of them ran in.
        let functions = [
            function(0, 0, true),
            function(3, 20, true),
            function(5, 9, false),
            function(6, 7, true),
            function(10, 12, false),
            function(21, 21, false),
            function(30, 31, true),
            function(40, 45, true),
            function(42, 42, false),
            function(50, 50, false),
            function(50, 50, true),
            function(50, 50, false),
        ];
        let numbers = Numbers {
            lines: FileLines {
                file: ModuleId(0),
                unit: Default::default(),
                lines: Vec::new(),
                functions: functions.to_vec(),
                knows_self: false,
                knows_sites: false,
                is_of_whole: false,
                whole: Cost::ZERO,
            },
            displayed: Vec::new(),
            most: [Cost::ZERO; 2],
            ran: stretches(&functions),
            is_inferred: false,
        };
        for line in 0..60 {
            let around = match line {
                42 | 50 => Some(true),
                _ => numbers.function_at(line).map(|it| it.is_executed),
            };
            assert_eq!(numbers.ran(line), around, "line {line}");
        }
    }
}
