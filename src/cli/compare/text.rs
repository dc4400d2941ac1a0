//! `callscape compare` for people.

use std::io::{self, Write};

use super::super::output::{Align, Table};
use super::args::CompareArgs;
use super::document::{Paired, before, paired, runs};
use super::tables::Tables;
use callscape_analysis::comparison::Comparison;
use callscape_analysis::comparison::amounts::{Amounts, Change, Measure, Timed};
use callscape_analysis::comparison::phases::PhasePair;
use callscape_analysis::comparison::tables::Given;
use callscape_base::escape;
use callscape_base::units::{Cost, Unit, grouped};
use callscape_model::causes::Words;
use callscape_model::difference::ratio;
use callscape_views::text::counted;

/// Rows of a table for people, where not asked for otherwise.
const TOP: usize = 20;

/// Maximum number of causes.
const CAUSES: usize = 6;

/// Maximum number of functions named per calling context.
const NAMED_OF_PATH: usize = 5;

impl Tables {
    /// Writes the tables for people.
    pub(crate) fn write(
        &self,
        out: &mut dyn Write,
        comparison: &Comparison,
        args: &CompareArgs,
    ) -> io::Result<()> {
        let top = args.top.unwrap_or(TOP);
        for (side, letter) in [(0, 'A'), (1, 'B')] {
            for run in runs(comparison, side) {
                let calls = match run.calls {
                    0 => String::new(),
                    calls => format!("{} of ", counted(calls, "call", "calls")),
                };
                let functions = counted(run.functions as u64, "function", "functions");
                let part = run.part(comparison.enclosing);
                let (name, size) = (escape::name(&run.name), run.size);
                writeln!(out, "{letter}  {name}: {calls}{functions} in {size}{part}")?;
            }
        }
        let paired = paired(comparison);
        let part = |count: usize, what: &str| match count {
            0 => String::new(),
            count => format!(", {count} {what}"),
        };
        writeln!(
            out,
            "{} in both{}{}{}{}{}{}",
            counted(paired.both as u64, "function", "functions"),
            part(paired.moved, "of them moved"),
            part(paired.renamed, "of them renamed"),
            part(paired.given, "of them paired by you"),
            part(paired.only_a, "only in A"),
            part(paired.only_b, "only in B"),
            counted_once(comparison, &paired),
        )?;
        for line in comparison.revised_in_words(false) {
            writeln!(out, "{line}")?;
        }
        for [old, new] in &paired.moved_files {
            writeln!(out, "{} is now {}", escape::name(old), escape::name(new))?;
        }
        if let Some(timed) = timed(comparison) {
            writeln!(out, "{timed}")?;
        }
        self.write_causes(out, comparison, args)?;
        let show = Show::new(comparison, self.measure);
        let hierarchy = &comparison.session.hierarchy;
        let functions = self.order.iter().map(|&row| {
            let path = hierarchy.path(comparison.rows[row as usize].module);
            let name = comparison.function(row).name;
            let was = was(comparison, row).map_or(String::new(), |was| format!(" [{was}]"));
            (self.functions[row as usize], format!("{name}{was}  {path}"))
        });
        show.section(out, "function", functions, top)?;
        let modules = self.modules.iter().map(|it| (it.change, it.path.clone()));
        show.section(out, "module", modules, top.min(args.top.unwrap_or(10)))?;
        let relations = self.relations.iter();
        let relations = relations.map(|it| (it.change, format!("{} → {}", it.from, it.to)));
        // Calls inside others of their relation count again.
        let heading = match (self.is_grouped, self.measure) {
            (true, Measure::Total) => "call relation between modules (sum of cost)",
            (true, _) => "call relation between modules",
            (false, Measure::Total) => "call relation (sum of cost)",
            (false, _) => "call relation",
        };
        // Revisions have no calls.
        if comparison.revised().is_none() {
            show.section(out, heading, relations, top)?;
        }
        if let Some(tree) = &self.contexts {
            let contexts = self.context_order.iter().map(|&number| {
                let path = tree.path(number);
                let from = path.len().saturating_sub(NAMED_OF_PATH);
                let names = path[from..]
                    .iter()
                    .map(|&row| comparison.function(row).name);
                let mut names: Vec<&str> = names.collect();
                if from > 0 {
                    names.insert(0, "…");
                }
                (tree.contexts[number as usize].change, names.join(" → "))
            });
            show.section(out, "calling context", contexts, top)?;
        }
        match &self.phases {
            Some(phases) => show_phases(out, phases, show.unit, top),
            None => Ok(()),
        }
    }
}

impl Tables {
    /// Writes the causes of the cost difference between A and B, one sentence each.
    fn write_causes(
        &self,
        out: &mut dyn Write,
        comparison: &Comparison,
        args: &CompareArgs,
    ) -> io::Result<()> {
        let causes = &self.causes;
        let words = Words::of(comparison, causes);
        if causes.causes.is_empty() || words.is_nothing(causes.difference) {
            return Ok(());
        }
        let difference = words.difference(causes.difference);
        let per_call = if words.is_per_call { " a call" } else { "" };
        writeln!(out, "\nwhy B differs by {difference}{per_call}:")?;
        let name = |row: u32| comparison.function(row).name;
        let mut rest = causes.rest;
        for (place, cause) in causes.causes.iter().enumerate() {
            if place >= args.top.unwrap_or(CAUSES) {
                rest += cause.explains;
                continue;
            }
            let what = words.what(cause, name);
            let share = words.share(cause, causes);
            writeln!(out, "  {}: {share}", escape::name(&what))?;
        }
        match (rest * 100.0).round() {
            0.0 => Ok(()),
            rest => writeln!(
                out,
                "  all others together: {}",
                format!("{rest:.0} %").replace('-', "−")
            ),
        }
    }
}

/// The phases that differ, in the order that they have.
fn show_phases(
    out: &mut dyn Write,
    phases: &[PhasePair],
    unit: &Unit,
    top: usize,
) -> io::Result<()> {
    let headings = ["Δ", "A", "B", "calls A", "calls B"].map(|it| (it, Align::Right));
    let columns = [&headings[..], &[("phase", Align::Left)]].concat();
    let mut table = Table::new(&columns);
    let differ: Vec<&PhasePair> = phases.iter().filter(|it| it.differs()).collect();
    for pair in differ.iter().take(top) {
        let difference = pair.cost_difference();
        let sign = match difference.signum() {
            1 => "+",
            -1 => "−",
            _ => "",
        };
        let size = u64::try_from(difference.unsigned_abs()).unwrap_or(u64::MAX);
        let or_none = |text: Option<String>| text.unwrap_or_else(|| "–".to_owned());
        let [cost_a, cost_b] = pair
            .sides
            .map(|of| or_none(of.map(|of| unit.show(of.cost))));
        let [calls_a, calls_b] = pair.sides.map(|of| or_none(of.map(|of| grouped(of.calls))));
        table.row(vec![
            format!("{sign}{}", unit.show(Cost::from_ns(size))),
            cost_a,
            cost_b,
            calls_a,
            calls_b,
            pair.name.clone(),
        ]);
    }
    writeln!(out)?;
    if differ.is_empty() {
        return writeln!(out, "no phase differs");
    }
    table.write(out)?;
    match differ.len().saturating_sub(top) {
        0 => Ok(()),
        more => writeln!(out, "and {more} more differences"),
    }
}

/// The kind of time compared, and the total waiting time of both sides; `None` if costs are not times or waiting is
/// unknown.
pub(super) fn timed(comparison: &Comparison) -> Option<String> {
    let known = [0, 1].map(|side| comparison.knows_waiting(side));
    if !comparison.unit().is_time() || known == [false, false] {
        return None;
    }
    let whole = comparison.modules(Given::Recorded);
    let whole = whole.first().copied().unwrap_or_default();
    let waited = |side: usize, amounts: &Amounts| match known[side] {
        true => Cost::from_ns(amounts.self_waiting.round() as u64).to_string(),
        false => "not known".to_owned(),
    };
    let what = match comparison.timed {
        Timed::Running => "running time is compared",
        Timed::Elapsed => "elapsed time is compared",
    };
    Some(format!(
        "{what}; waiting in calls: {} in A, {} in B",
        waited(0, &whole.a),
        waited(1, &whole.b)
    ))
}

/// What a function was before it moved or was renamed.
pub(super) fn was(comparison: &Comparison, row: u32) -> Option<String> {
    let before = before(comparison, row)?;
    let likeness = before
        .likeness
        .map(|it| format!(" ({:.0} % alike)", it * 100.0));
    let was = comparison.rows[row as usize].was.as_deref();
    let name = match (before.name == comparison.function(row).name, before.file) {
        (false, _) => before.name,
        (true, "") => was.unwrap_or("without a file"),
        (true, file) => file,
    };
    Some(format!(
        "{}: was {name}{}",
        before.how,
        likeness.unwrap_or_default()
    ))
}

/// How amounts are written in the tables for people.
#[derive(Clone, Copy)]
pub(super) struct Show<'a> {
    pub measure: Measure,
    unit: &'a Unit,
    is_by_shares: bool,
    is_per_call: bool,
    counts_calls: bool,
    has_noise: bool,
    knows_waiting: bool,
}

impl<'a> Show<'a> {
    pub(super) fn new(comparison: &'a Comparison, measure: Measure) -> Show<'a> {
        Show {
            measure,
            unit: comparison.unit(),
            is_by_shares: comparison.is_by_shares && comparison.per.is_none(),
            is_per_call: comparison.per.is_some(),
            counts_calls: comparison.counts_calls(),
            has_noise: comparison.counted_runs().iter().all(|&runs| runs > 1),
            knows_waiting: [0, 1].iter().all(|&side| comparison.knows_waiting(side)),
        }
    }

    /// The same by another measure.
    pub(super) fn by(&self, measure: Measure) -> Show<'a> {
        Show { measure, ..*self }
    }

    pub(super) fn amount(&self, value: f64) -> String {
        if self.is_by_shares {
            return format!("{:.2} %", value * 100.0);
        }
        if self.measure.is_cost() {
            return self.unit.show(Cost::from_ns(value.round() as u64));
        }
        self.calls(value)
    }

    pub(super) fn calls(&self, value: f64) -> String {
        match (self.counts_calls, self.is_per_call) {
            (false, _) => "–".to_owned(),
            (true, true) => format!("{value:.3}"),
            (true, false) if value.fract() == 0.0 => format!("{value:.0}"),
            (true, false) => format!("{value:.1}"),
        }
    }

    pub(super) fn delta(&self, change: &Change) -> String {
        let delta = change.delta(self.measure);
        let sign = match delta {
            delta if delta > 0.0 => "+",
            delta if delta < 0.0 => "−",
            _ => "",
        };
        format!("{sign}{}", self.amount(delta.abs()))
    }

    /// The headings of the columns before the name.
    pub(super) fn headings(&self) -> Vec<&'static str> {
        let mut columns = vec!["Δ", "ratio", "A", "B"];
        if self.measure != Measure::Calls {
            if self.knows_waiting {
                columns.extend(["waiting A", "waiting B"]);
            }
            if self.counts_calls {
                columns.extend(["calls A", "calls B"]);
            }
        }
        if self.has_noise {
            columns.push("chance");
        }
        columns
    }

    /// Contents of these columns.
    pub(super) fn cells(&self, change: &Change) -> Vec<String> {
        let ratio = ratio(change, self.measure);
        let mut cells = vec![
            self.delta(change),
            ratio,
            self.amount(change.a.of(self.measure)),
            self.amount(change.b.of(self.measure)),
        ];
        if self.measure != Measure::Calls {
            if self.knows_waiting {
                let waiting = |of: &Amounts| self.amount(of.waiting_of(self.measure));
                cells.extend([waiting(&change.a), waiting(&change.b)]);
            }
            if self.counts_calls {
                cells.extend([self.calls(change.a.calls), self.calls(change.b.calls)]);
            }
        }
        if self.has_noise {
            cells.push(match change.chance(self.measure) {
                Some(chance) if change.is_significant(self.measure) => match chance < 0.001 {
                    true => "< 0.001".to_owned(),
                    false => format!("{chance:.3}"),
                },
                Some(_) => "noise".to_owned(),
                None => "–".to_owned(),
            });
        }
        cells
    }

    fn section(
        &self,
        out: &mut dyn Write,
        heading: &'static str,
        rows: impl Iterator<Item = (Change, String)>,
        top: usize,
    ) -> io::Result<()> {
        let headings = self.headings().into_iter();
        let mut columns: Vec<(&'static str, Align)> =
            headings.map(|heading| (heading, Align::Right)).collect();
        columns.push((heading, Align::Left));
        let mut table = Table::new(&columns);
        let (mut shown, mut more) = (0, 0);
        for (change, name) in rows.filter(|(change, _)| change.differs(self.measure)) {
            if shown == top {
                more += 1;
                continue;
            }
            shown += 1;
            let mut cells = self.cells(&change);
            cells.push(name);
            table.row(cells);
        }
        writeln!(out)?;
        if shown == 0 {
            return writeln!(out, "no {heading} differs");
        }
        table.write(out)?;
        if more > 0 {
            writeln!(out, "and {more} more differences")?;
        }
        Ok(())
    }
}

/// Explains why fewer functions are in both than in each recording: functions with the same name and place count once.
pub(super) fn counted_once(comparison: &Comparison, paired: &Paired) -> &'static str {
    let is_less = |side: usize, only: usize| {
        let mut runs = runs(comparison, side).into_iter();
        runs.any(|run| run.functions > paired.both + only)
    };
    match is_less(0, paired.only_a) || is_less(1, paired.only_b) {
        true => " (functions with the same name and place count once)",
        false => "",
    }
}
