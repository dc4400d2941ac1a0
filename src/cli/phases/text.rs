//! Phases as an indented table of contents.

use super::report::{CostKind, Report, share};
use callscape_analysis::phases::folding::{Item, fold_children};
use callscape_analysis::phases::{Alike, Gathered, Parent, Phase};
use callscape_base::escape;
use callscape_base::units::{Cost, counted, grouped};

/// Past this depth the indent stays.
const DEEPEST: usize = 30;
/// Maximum number of outliers listed per repetition.
const OUTLIERS: usize = 5;
/// How wide a bar is that stands for all of the time, in letters.
const BAR: usize = 8;

/// Stack of items still to write.
enum Work<'a> {
    /// Items of siblings.
    Items(Vec<Item>, Vec<u32>, usize),
    Item(Item, Vec<u32>, usize),
    Gathered(&'a Gathered, usize),
}

struct Text<'a, 'b> {
    report: &'b Report<'a>,
    whole: Cost,
    lines: Vec<String>,
    work: Vec<Work<'a>>,
}

/// All lines.
pub(super) fn lines(report: &Report<'_>) -> Vec<String> {
    let mut text = Text {
        report,
        whole: report.phases.cost(),
        lines: heading(report),
        work: Vec::new(),
    };
    if report.phases.rows() == 0 {
        return text.lines;
    }
    let columns = format!(
        "{:>width$}  {:>9}  {:>13}  phase",
        "share",
        "cost",
        "calls",
        width = BAR + 6
    );
    text.lines.push(String::new());
    text.lines.push(columns);
    let threads = report.resolved.recording.trace.threads();
    for (root, of) in report.phases.roots.iter().enumerate() {
        let gathered = report.phases.gathered_in(None).iter();
        let gathered: Vec<&Gathered> = gathered.filter(|row| row.thread == of.thread).collect();
        let has_phases = report.phases.children(Parent::Root(root)).next().is_some();
        if !has_phases && gathered.is_empty() {
            continue;
        }
        let mut indent = 0;
        if report.phases.roots.len() > 1 {
            let thread = &threads[of.thread.index()];
            let name = match thread.name.as_str() {
                "" => format!("thread {}", thread.id),
                name => format!("thread {} {name}", thread.id),
            };
            text.line(of.cost, &grouped(of.calls), 0, &name);
            indent = 1;
        }
        text.push_below(Parent::Root(root), &gathered, indent);
        text.write_all();
    }
    text.lines
}

fn heading(report: &Report<'_>) -> Vec<String> {
    let phases = report.phases;
    let parameters = phases.parameters;
    let mut lines = vec![format!(
        "{}: {} and {} of gathered calls stand for {}; {:.0} % of {} explained",
        escape::name(&report.resolved.recording.name()),
        counted(phases.phases.len() as u64, "phase", "phases"),
        counted(phases.gathered.len() as u64, "row", "rows"),
        counted(phases.calls(), "call", "calls"),
        phases.explained() * 100.0,
        phases.cost(),
    )];
    let calls = parameters.heavy.triggered;
    let chosen = if parameters.chose_calls {
        " (given)"
    } else {
        ""
    };
    let cost = match parameters.short {
        Some(short) => format!(
            "{}, {} × {short}, the cost of a typical short call",
            parameters.heavy.cost,
            grouped(calls)
        ),
        None => parameters.heavy.cost.to_string(),
    };
    let elapsed = match report.costs {
        CostKind::Running => "",
        CostKind::Elapsed => " elapsed",
    };
    let alike = match parameters.alike {
        Alike::Functions => format!("up to {} of the functions differ", parameters.similarity),
        Alike::Calls => "the same sequence of calls".to_owned(),
    };
    lines.push(format!(
        "heavy: from {}{chosen} or {cost}{elapsed} on; alike: {alike}",
        counted(calls, "call", "calls"),
    ));
    if report.is_sampled {
        lines.push("calls are reconstructed from samples: calls shorter than the sampling interval are missing, and \
                    adjacent calls may be merged".to_owned());
    }
    if phases.rows() == 0 {
        lines.push("nothing is heavy; lower --min-calls or --min-cost".to_owned());
    }
    lines
}

impl<'a> Text<'a, '_> {
    fn line(&mut self, cost: Cost, calls: &str, indent: usize, text: &str) {
        let share = share(cost, self.whole);
        let indent = "  ".repeat(indent.min(DEEPEST));
        self.lines.push(format!(
            "{}{:>4.0} %  {:>9}  {calls:>13}  {indent}{}",
            bar(share),
            share * 100.0,
            cost.to_string(),
            escape::name(text)
        ));
    }

    fn phase(&self, index: u32) -> &'a Phase {
        &self.report.phases.phases[index as usize]
    }

    fn push_below(&mut self, parent: Parent, gathered: &[&'a Gathered], indent: usize) {
        let rows = gathered.iter().rev().map(|row| Work::Gathered(row, indent));
        self.work.extend(rows);
        let items = fold_children(self.report.phases, parent);
        let siblings = self.report.phases.children(parent).collect();
        self.work.push(Work::Items(items, siblings, indent));
    }

    fn write_all(&mut self) {
        while let Some(work) = self.work.pop() {
            match work {
                Work::Items(items, mut siblings, indent) => {
                    // Taken off at the end, so that the first comes last.
                    for item in items.into_iter().rev() {
                        let rest = siblings.len() - item.length() as usize;
                        let of_item = siblings.split_off(rest);
                        self.work.push(Work::Item(item, of_item, indent));
                    }
                }
                Work::Item(Item::One(_), siblings, indent) => {
                    siblings.iter().for_each(|&phase| self.one(phase, indent));
                }
                Work::Item(item, siblings, indent) => self.repeated(item, &siblings, indent),
                Work::Gathered(row, indent) => self.gathered(row, indent),
            }
        }
    }

    /// A phase and its descendants.
    fn one(&mut self, index: u32, indent: usize) {
        let phase = self.phase(index);
        let label = self.report.labels.phase(index, phase);
        let mark = if phase.is_outlier { ", an outlier" } else { "" };
        self.line(
            phase.cost,
            &grouped(phase.calls),
            indent,
            &format!("{label}{mark}"),
        );
        self.push_below_phase(index, indent + 1);
    }

    fn push_below_phase(&mut self, index: u32, indent: usize) {
        let gathered: Vec<&Gathered> = self.report.phases.gathered_in(Some(index)).iter().collect();
        self.push_below(Parent::Phase(index), &gathered, indent);
    }

    /// A repetition: its sums, one instance, and outliers.
    fn repeated(&mut self, item: Item, siblings: &[u32], indent: usize) {
        let Item::Repeated(repeated) = item else {
            return;
        };
        let sum = |of: &[u32]| {
            let phases = of.iter().map(|&index| self.phase(index));
            phases.fold((Cost::ZERO, 0), |(cost, calls), phase| {
                (cost + phase.cost, calls + phase.calls)
            })
        };
        let (cost, calls) = sum(siblings);
        let outliers: Vec<u32> = siblings
            .iter()
            .copied()
            .filter(|&index| self.phase(index).is_outlier)
            .collect();
        let found = match outliers.len() {
            0 => String::new(),
            many => format!(", {}", counted(many as u64, "outlier", "outliers")),
        };
        let length = repeated.length as usize;
        let mut instances = siblings.chunks(length);
        let is_usual = |of: &&[u32]| !of.iter().any(|&index| self.phase(index).is_outlier);
        let shown = instances.find(is_usual).unwrap_or(&siblings[..length]);
        let listed = outliers.iter().take(OUTLIERS);
        let listed: Vec<u32> = listed.copied().collect();
        let times = format!("× {}{found}", grouped(u64::from(repeated.instances)));
        let outliers_at = self.work.len();
        if let ([Item::One(_)], [phase]) = (&*repeated.pattern, shown) {
            let label = self.report.labels.phase(*phase, self.phase(*phase));
            self.line(cost, &grouped(calls), indent, &format!("{label} {times}"));
            self.push_below_phase(*phase, indent + 1);
        } else {
            let pattern = format!("{} phases {times}", repeated.pattern.len());
            self.line(cost, &grouped(calls), indent, &pattern);
            let items = Work::Items(repeated.pattern, shown.to_vec(), indent + 1);
            self.work.push(items);
        }
        // Behind the instance that is shown.
        let below = self.work.split_off(outliers_at);
        let listed = listed.into_iter().rev();
        let listed = listed.map(|index| Work::Item(Item::One(0), vec![index], indent + 1));
        self.work.extend(listed);
        self.work.extend(below);
    }

    fn gathered(&mut self, row: &Gathered, indent: usize) {
        let label = self.report.labels.function(row.function);
        let text = format!("{label} × {}, each light", grouped(row.of));
        self.line(row.cost, &grouped(row.calls), indent, &text);
    }
}

/// A bar of whole letters and a part of one.
fn bar(share: f64) -> String {
    const PARTS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
    let eighths = (share.clamp(0.0, 1.0) * (BAR * 8) as f64).round() as usize;
    let mut bar = "█".repeat(eighths / 8);
    if !eighths.is_multiple_of(8) {
        bar.push(PARTS[eighths % 8]);
    }
    let letters = bar.chars().count();
    bar.push_str(&" ".repeat(BAR - letters));
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_shares() {
        assert_eq!(bar(0.0), "        ");
        assert_eq!(bar(1.0), "████████");
        assert_eq!(bar(0.5), "████    ");
        assert_eq!(bar(0.07), "▌       ");
        assert_eq!(bar(f64::NAN), "        ");
    }
}
