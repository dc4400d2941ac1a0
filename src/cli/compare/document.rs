//! `callscape compare --json`.

use serde::Serialize;

use super::args::CompareArgs;
use super::tables::{NamedRelation, Tables};
use crate::range::Reaching;
use callscape_analysis::alignment::Alignment;
use callscape_analysis::comparison::Comparison;
use callscape_analysis::comparison::amounts::{Amounts, Change, Measure};
use callscape_analysis::comparison::causes::Cause;
use callscape_analysis::comparison::pairing::How;
use callscape_analysis::comparison::phases::PhasePair;
use callscape_analysis::comparison::revised::{self, Revised};
use callscape_base::units::{Cost, Time, Unit, counted};
use callscape_facts::trace::Enclosing;

/// Calls and costs of one side for JSON: whole numbers, means of several runs rounded.
#[derive(Serialize)]
pub(super) struct Side {
    calls: u64,
    total_ns: u64,
    self_ns: u64,
    /// Waiting time in both costs, if known
    #[serde(skip_serializing_if = "Option::is_none")]
    waiting_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    self_waiting_ns: Option<u64>,
}

impl Side {
    fn new(amounts: &Amounts, knows_waiting: bool) -> Side {
        let waiting = |cost: f64| knows_waiting.then(|| cost.round() as u64);
        Side {
            calls: amounts.calls.round() as u64,
            total_ns: amounts.total.round() as u64,
            self_ns: amounts.self_cost.round() as u64,
            waiting_ns: waiting(amounts.waiting),
            self_waiting_ns: waiting(amounts.self_waiting),
        }
    }
}

/// Both sides of a change.
#[derive(Serialize)]
struct Sides<T> {
    a: T,
    b: T,
}

impl<T> Sides<T> {
    fn new(comparison: &Comparison, change: &Change, of: fn(&Amounts, bool) -> T) -> Sides<T> {
        Sides {
            a: of(&change.a, comparison.knows_waiting(0)),
            b: of(&change.b, comparison.knows_waiting(1)),
        }
    }
}

#[derive(Serialize)]
pub(super) struct RelationSide {
    calls: u64,
    cost_ns: u64,
    self_cost_ns: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    waiting_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    self_waiting_ns: Option<u64>,
}

impl RelationSide {
    fn new(amounts: &Amounts, knows_waiting: bool) -> RelationSide {
        let side = Side::new(amounts, knows_waiting);
        RelationSide {
            calls: side.calls,
            cost_ns: side.total_ns,
            self_cost_ns: side.self_ns,
            waiting_ns: side.waiting_ns,
            self_waiting_ns: side.self_waiting_ns,
        }
    }
}

/// Sort key, if it is not one of the sides' numbers: shares, or amounts per call.
#[derive(Serialize)]
struct Compared {
    a: f64,
    b: f64,
}

/// Fields of every difference.
#[derive(Serialize)]
struct Said {
    /// both, added or gone
    change: &'static str,
    /// Ratio of B to A for the sort key; `None` if A is 0
    ratio: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    compared: Option<Compared>,
    /// Probability of such a difference by chance, if each side has several runs
    #[serde(skip_serializing_if = "Option::is_none")]
    chance: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    noise: Option<bool>,
}

impl Said {
    fn new(change: &Change, measure: Measure, is_scaled: bool) -> Said {
        let chance = change.chance(measure);
        Said {
            change: change.standing().name(),
            ratio: change.ratio(measure),
            compared: is_scaled.then(|| Compared {
                a: change.a.of(measure),
                b: change.b.of(measure),
            }),
            chance,
            noise: chance.map(|_| !change.is_significant(measure)),
        }
    }
}

#[derive(Serialize)]
struct FunctionRow<'a> {
    name: &'a str,
    module: String,
    file: &'a str,
    line: u32,
    #[serde(flatten)]
    sides: Sides<Side>,
    #[serde(flatten)]
    said: Said,
    /// For a function that moved, was renamed, or was paired by the user
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Before<'a>>,
}

#[derive(Serialize)]
pub(super) struct Before<'a> {
    pub how: &'static str,
    pub name: &'a str,
    pub file: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub likeness: Option<f64>,
}

#[derive(Serialize)]
struct RelationRow<'a> {
    from: &'a str,
    to: &'a str,
    #[serde(flatten)]
    sides: Sides<RelationSide>,
    #[serde(flatten)]
    said: Said,
    #[serde(skip_serializing_if = "Option::is_none")]
    from_module: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to_module: Option<&'a str>,
}

#[derive(Serialize)]
struct ModuleRow<'a> {
    module: &'a str,
    #[serde(flatten)]
    sides: Sides<Side>,
    #[serde(flatten)]
    said: Said,
}

#[derive(Serialize)]
struct ContextRow<'a> {
    /// Names, the outermost first
    path: Vec<&'a str>,
    #[serde(flatten)]
    sides: Sides<Side>,
    #[serde(flatten)]
    said: Said,
}

/// A reason of the difference, in the fields of its definition; costs in the unit of the recordings.
#[derive(Serialize)]
struct CauseRow<'a> {
    /// Names, the outermost first
    path: Vec<&'a str>,
    kind: &'static str,
    /// Name in A, if it differs
    #[serde(skip_serializing_if = "Option::is_none")]
    was: Option<&'a str>,
    /// In how many contexts of these two functions it differs
    contexts: u32,
    a: CauseSide,
    b: CauseSide,
    /// Share of the difference of the totals
    explains: f64,
}

#[derive(Serialize)]
struct CauseSide {
    calls: u64,
    #[serde(rename = "self")]
    self_cost: u64,
    total: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    self_waiting: Option<u64>,
}

impl<'a> CauseRow<'a> {
    fn new(comparison: &'a Comparison, cause: &Cause) -> CauseRow<'a> {
        let path = cause.path.iter();
        let side = |of: &Amounts, side: usize| CauseSide {
            calls: of.calls.round() as u64,
            self_cost: of.self_cost.round() as u64,
            total: of.total.round() as u64,
            self_waiting: comparison
                .knows_waiting(side)
                .then(|| of.self_waiting.round() as u64),
        };
        CauseRow {
            path: path.map(|&row| comparison.function(row).name).collect(),
            kind: cause.kind.name(),
            was: cause.was.map(|row| comparison.function(row).name),
            contexts: cause.contexts,
            a: side(&cause.change.a, 0),
            b: side(&cause.change.b, 1),
            explains: cause.explains,
        }
    }
}

#[derive(Serialize)]
pub(super) struct Run {
    pub name: String,
    /// Cut-off by --from and --to
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range_ns: Option<[Time; 2]>,
    pub format: &'static str,
    pub calls: u64,
    pub functions: usize,
    /// Number of runs it averages, if it also has their spread
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_of: Option<u64>,
    pub duration_ns: Cost,
    /// Duration, or total weight of a profile
    #[serde(skip)]
    pub size: String,
}

impl Run {
    /// The range that counts, and how calls count that extend beyond it; empty for all of the run.
    pub(super) fn part(&self, enclosing: Enclosing) -> String {
        let Some([from, to]) = self.range_ns else {
            return String::new();
        };
        let how = match enclosing {
            Enclosing::Parts => "",
            Enclosing::Whole => ", calls around it with all their cost",
            Enclosing::None => ", only calls inside it",
        };
        format!(", from {from} to {to}{how}")
    }
}

#[derive(Serialize)]
pub(super) struct Runs {
    a: Vec<Run>,
    b: Vec<Run>,
}

#[derive(Serialize)]
pub(super) struct Paired {
    pub both: usize,
    pub moved: usize,
    pub renamed: usize,
    pub given: usize,
    pub only_a: usize,
    pub only_b: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub moved_files: Vec<[String; 2]>,
}

/// A revision of the source tree.
#[derive(Serialize)]
struct RevisionRow {
    name: String,
    commit: String,
    /// In seconds since 1970
    time: i64,
    /// Lines of code
    lines: u64,
    complexity: u64,
}

#[derive(Serialize)]
struct Revisions {
    a: RevisionRow,
    b: RevisionRow,
    functions: revised::Functions,
    files: revised::Files,
}

impl Revisions {
    fn new(of: Revised) -> Revisions {
        let [a, b] = [0, 1].map(|side| RevisionRow {
            name: of.revisions[side].name.clone(),
            commit: of.revisions[side].commit.clone(),
            time: of.revisions[side].time,
            lines: of.lines[side],
            complexity: of.complexity[side],
        });
        Revisions {
            a,
            b,
            functions: of.functions,
            files: of.files,
        }
    }
}

#[derive(Serialize)]
struct Clocks {
    /// How many calls of A were found again in B
    matched_calls: usize,
    points: Vec<[Time; 2]>,
}

/// A phase of one side.
#[derive(Serialize)]
struct PhaseSide {
    calls: u64,
    cost_ns: Cost,
}

#[derive(Serialize)]
struct PhaseRow<'a> {
    name: &'a str,
    depth: u32,
    /// null if a side has no such phase
    a: Option<PhaseSide>,
    b: Option<PhaseSide>,
}

impl<'a> PhaseRow<'a> {
    fn new(pair: &'a PhasePair) -> PhaseRow<'a> {
        let [a, b] = pair.sides.map(|of| {
            of.map(|of| PhaseSide {
                calls: of.calls,
                cost_ns: of.cost,
            })
        });
        PhaseRow {
            name: &pair.name,
            depth: pair.depth,
            a,
            b,
        }
    }
}

#[derive(Serialize)]
pub(crate) struct Document<'a> {
    runs: Runs,
    /// What the tables are sorted by
    sort: &'static str,
    /// costs, shares, or per call
    compared: &'static str,
    /// Which time: running, without what threads waited, or elapsed
    time: &'static str,
    /// How calls count that are open at an end of the range, if there is one
    #[serde(skip_serializing_if = "Option::is_none")]
    enclosing: Option<Reaching>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<&'a Unit>,
    /// What differs between two revisions, if these are compared
    #[serde(skip_serializing_if = "Option::is_none")]
    revisions: Option<Revisions>,
    paired: Paired,
    warnings: Vec<String>,
    /// Times of A and B that are the same, in nanoseconds; between them a straight line
    #[serde(skip_serializing_if = "Option::is_none")]
    clocks: Option<Clocks>,
    /// Causes of the difference between both totals, the largest first
    causes: Vec<CauseRow<'a>>,
    /// Share of all other causes; the shares add up to 1
    causes_rest: f64,
    functions: Vec<FunctionRow<'a>>,
    relations: Vec<RelationRow<'a>>,
    modules: Vec<ModuleRow<'a>>,
    /// Phases by callee and order within their classes, if both have times
    #[serde(skip_serializing_if = "Option::is_none")]
    phases: Option<Vec<PhaseRow<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contexts: Option<Vec<ContextRow<'a>>>,
}

pub(super) fn runs(comparison: &Comparison, side: usize) -> Vec<Run> {
    let places = comparison.runs_of(side);
    let of = places.zip(comparison.recordings(side));
    of.map(|(place, it)| Run {
        name: it.recording.name(),
        range_ns: comparison
            .range(place)
            .map(|range| [range.start, range.end]),
        format: it.recording.format,
        calls: it.recording.calls(),
        functions: it.recording.functions.len(),
        mean_of: comparison.mean_runs(side).map(|told| told.runs),
        duration_ns: it.recording.timed().duration(),
        size: match (&it.recording.profile, comparison.mean_runs(side)) {
            (Some(profile), Some(told)) => {
                let weight = it.recording.unit().show(profile.weight());
                let runs = counted(told.runs, "run", "runs");
                format!("{weight}, mean of {runs}")
            }
            (Some(profile), None) => it.recording.unit().show(profile.weight()),
            (None, _) => it.recording.timed().duration().to_string(),
        },
    })
    .collect()
}

pub(super) fn paired(comparison: &Comparison) -> Paired {
    let count =
        |is: &dyn Fn(Option<How>) -> bool| comparison.rows.iter().filter(|row| is(row.how)).count();
    let only = |side: usize| {
        let rows = comparison.rows.iter();
        rows.filter(|row| row.how.is_none() && row.names[side].is_some())
            .count()
    };
    Paired {
        both: count(&|how| how.is_some()),
        moved: count(&|how| how == Some(How::Moved)),
        renamed: count(&|how| matches!(how, Some(How::Renamed(_)))),
        given: count(&|how| how == Some(How::Given)),
        only_a: only(0),
        only_b: only(1),
        moved_files: comparison.moved_files.clone(),
    }
}

/// Previous name and place of a function, if they changed.
pub(super) fn before(comparison: &Comparison, row: u32) -> Option<Before<'_>> {
    let how = comparison.rows[row as usize].how?;
    let old = comparison.function_of(row, 0);
    let likeness = match how {
        How::Renamed(likeness) => Some(likeness),
        _ => None,
    };
    (how != How::Same).then(|| Before {
        how: how.name(),
        name: old.name,
        file: old.file,
        likeness,
    })
}

impl Tables {
    /// The document, with `clocks` if the alignment was requested.
    pub(crate) fn document<'a>(
        &'a self,
        comparison: &'a Comparison,
        args: &CompareArgs,
        clocks: Option<&Alignment>,
    ) -> Document<'a> {
        let top = args.top.unwrap_or(usize::MAX);
        let functions = self.order.iter().take(top);
        let functions = functions.map(|&row| self.function_row(comparison, row));
        let relations = self.relations.iter().take(top);
        let relations = relations.map(|relation| self.relation_row(comparison, relation));
        let modules = self.modules.iter().take(top);
        let modules = modules.map(|of| ModuleRow {
            module: &of.path,
            sides: Sides::new(comparison, of.raw.as_ref().unwrap_or(&of.change), Side::new),
            said: self.said(&of.change),
        });
        let phases = self.phases.as_ref();
        let phases = phases.map(|all| all.iter().take(top).map(PhaseRow::new));
        let contexts = self.contexts.as_ref().filter(|_| args.contexts);
        let contexts = contexts.map(|tree| {
            let order = self.context_order.iter().take(top);
            let row = |&number: &u32| {
                let path = tree.path(number).into_iter();
                let change = &tree.contexts[number as usize].change;
                ContextRow {
                    path: path.map(|row| comparison.function(row).name).collect(),
                    sides: Sides::new(comparison, &change.elapsed(comparison.timed), Side::new),
                    said: self.said(change),
                }
            };
            order.map(row).collect()
        });
        let causes = &self.causes.causes;
        let (told, untold) = causes.split_at(causes.len().min(top));
        let untold: f64 = untold.iter().map(|cause| cause.explains).sum();
        let unit = comparison.unit();
        let doubts = comparison.doubts.iter().map(ToString::to_string);
        Document {
            runs: Runs {
                a: runs(comparison, 0),
                b: runs(comparison, 1),
            },
            sort: self.measure.name(),
            compared: match (comparison.per, comparison.is_by_shares) {
                (Some(_), _) => "per call",
                (None, true) => "shares",
                (None, false) => "costs",
            },
            time: comparison.timed.name(),
            enclosing: (!comparison.limits.is_empty()).then_some(args.enclosing),
            unit: (!unit.is_time()).then_some(unit),
            revisions: comparison.revised().map(Revisions::new),
            paired: paired(comparison),
            warnings: doubts.chain(comparison.unclear.iter().cloned()).collect(),
            clocks: clocks.map(|alignment| Clocks {
                matched_calls: alignment.matched,
                points: alignment.points().collect(),
            }),
            causes: told
                .iter()
                .map(|cause| CauseRow::new(comparison, cause))
                .collect(),
            causes_rest: self.causes.rest + untold,
            functions: functions.collect(),
            relations: relations.collect(),
            modules: modules.collect(),
            phases: phases.map(Iterator::collect),
            contexts,
        }
    }

    fn said(&self, change: &Change) -> Said {
        Said::new(change, self.measure, self.raw.is_some())
    }

    fn function_row<'a>(&'a self, comparison: &'a Comparison, row: u32) -> FunctionRow<'a> {
        let hierarchy = &comparison.session.hierarchy;
        let function = comparison.function(row);
        let change = &self.functions[row as usize];
        let raw = self.raw.as_ref().map_or(change, |raw| &raw[row as usize]);
        FunctionRow {
            name: function.name,
            module: hierarchy.path(comparison.rows[row as usize].module),
            file: function.file,
            line: function.line,
            sides: Sides::new(comparison, raw, Side::new),
            said: self.said(change),
            before: before(comparison, row),
        }
    }

    fn relation_row<'a>(
        &self,
        comparison: &Comparison,
        relation: &'a NamedRelation,
    ) -> RelationRow<'a> {
        let raw = relation.raw.as_ref().unwrap_or(&relation.change);
        let path = |end: usize| relation.paths.as_ref().map(|paths| paths[end].as_str());
        RelationRow {
            from: &relation.from,
            to: &relation.to,
            sides: Sides::new(comparison, raw, RelationSide::new),
            said: self.said(&relation.change),
            from_module: path(0),
            to_module: path(1),
        }
    }
}
