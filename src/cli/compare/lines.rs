//! The lines behind the first differences in a report, with the code around them.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::tables::Tables;
use crate::page::escaped;
use callscape_analysis::comparison::{Comparison, Inputs};
use callscape_analysis::line_changes::Aligned;
use callscape_analysis::lines::{
    FileLines, Line, LineDifference, LineFacts, difference, file_around, recorded_at,
};
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::ModuleId;
use callscape_source::relations::sites::CallSite;
use callscape_source::text::{SourceText, TextTree};

/// Number of causes, and of functions in the table, to look up lines for.
const FUNCTIONS: usize = 8;

/// Lines shown per function, and lines of context around each.
const LINES: usize = 3;
const AROUND: u32 = 2;

/// Longer lines are cut, at this letter.
const LETTERS: usize = 180;

/// The lines of one function that differ, with those around them.
pub(super) struct Hunk {
    pub function: String,
    pub path: String,
    pub lines: Vec<ShownLine>,
    /// Some of it is inferred from names.
    pub is_inferred: bool,
    /// The file was changed after a recording was made.
    pub is_newer: bool,
}

/// A line of the text of B, or of A where B has it no more.
pub(super) struct ShownLine {
    pub number: u32,
    pub is_of_a: bool,
    pub text: String,
    /// Costs in A and B including the calls made in the line, and their difference; `None` if unknown.
    pub costs: Option<([String; 2], i64)>,
    /// Lines before it are left out.
    pub is_behind_gap: bool,
}

/// Both versions of a file's text, and their alignment.
struct Texts {
    /// For A and B; for A only if it has its own source tree.
    of: [Option<SourceText>; 2],
    sites: [Vec<CallSite>; 2],
    aligned: Option<Aligned>,
    is_newer: bool,
}

/// The first run of each side, and what its lines are made of.
struct Sides<'a> {
    comparison: &'a Comparison,
    trees: [Option<TextTree>; 2],
    has_two_trees: bool,
    facts: [LineFacts; 2],
}

/// Lines of the functions that explain most and differ most. None without a source tree, if units differ, or if shares
/// are compared, because lines have no shares.
pub(super) fn find(
    inputs: &Inputs,
    comparison: &Comparison,
    tables: &Tables,
    progress: &Progress,
) -> Result<Vec<Hunk>, Cancelled> {
    let Some(sides) = Sides::new(inputs, comparison) else {
        return Ok(Vec::new());
    };
    let causes = tables.causes.causes.iter().take(FUNCTIONS);
    let mut wanted: Vec<(u32, Option<u32>)> = Vec::new();
    for cause in causes {
        // In the function itself, and where its caller calls it.
        wanted.push((cause.row(), None));
        if let [.., caller, row] = cause.path[..] {
            wanted.push((caller, Some(row)));
        }
    }
    let order = tables.order.iter().take(FUNCTIONS);
    wanted.extend(order.map(|&row| (row, None)));
    let mut seen = HashSet::new();
    let mut hunks: Vec<Hunk> = Vec::new();
    progress.start(
        "searching for the lines of differences",
        wanted.len() as u64,
    );
    for (place, (row, callee)) in wanted.into_iter().enumerate() {
        progress.set(place as u64)?;
        if hunks.len() < FUNCTIONS {
            hunks.extend(sides.hunk(row, callee, &mut seen, progress));
        }
    }
    Ok(hunks)
}

impl<'a> Sides<'a> {
    fn new(inputs: &Inputs, comparison: &'a Comparison) -> Option<Sides<'a>> {
        let [a, b] = [0, 1].map(|side| comparison.recordings(side).first());
        let (a, b) = (a?, b?);
        let is_same_unit = a.recording.unit() == b.recording.unit();
        if comparison.is_by_shares || comparison.per.is_some() || !is_same_unit {
            return None;
        }
        let tree = |dir: Option<&PathBuf>| dir.and_then(|dir| TextTree::new(dir).ok());
        let dirs = &inputs.source_dirs;
        let trees = [dirs.first(), dirs.last()].map(tree);
        trees[1].as_ref()?;
        let hierarchy = &comparison.session.hierarchy;
        let facts = [(a, 0), (b, comparison.runs[0])]
            .map(|(resolved, at)| LineFacts::new(hierarchy, resolved, comparison.within(at)));
        Some(Sides {
            comparison,
            trees,
            has_two_trees: dirs.len() > 1,
            facts,
        })
    }

    /// Lines of a row's function that differ most, or the lines that call another function.
    fn hunk(
        &self,
        row: u32,
        callee: Option<u32>,
        seen: &mut HashSet<ModuleId>,
        progress: &Progress,
    ) -> Option<Hunk> {
        let comparison = self.comparison;
        let hierarchy = &comparison.session.hierarchy;
        let module = comparison.rows[row as usize].module;
        let callee = callee.map(|row| comparison.rows[row as usize].module);
        if seen.contains(&module) {
            return None;
        }
        let file = file_around(hierarchy, module)?;
        let path = hierarchy.path(file);
        let texts = self.texts(&path, progress)?;
        let of_a = comparison.structure_of_a.as_deref();
        let structures = [of_a.unwrap_or(hierarchy), hierarchy];
        let lines = [0, 1].map(|side| {
            let resolved = &comparison.recordings(side)[0];
            let sites = Some(&texts.sites[side][..]);
            self.facts[side].functions(structures[side], resolved, (file, &[module]), sites)
        });
        if lines.iter().any(|it| it.is_of_whole) {
            return None;
        }
        let differences = difference(&lines[0], &lines[1], |line| texts.in_b(line));
        let calls = |line: Option<&Line>| {
            let mut all = line.iter().flat_map(|it| &it.by_callee);
            callee.is_none_or(|callee| all.any(|it| it.callee == callee))
        };
        let is_meant = |it: &&LineDifference<'_>| change(it) != 0 && (calls(it.a) || calls(it.b));
        let mut most: Vec<&LineDifference<'_>> = differences.iter().filter(is_meant).collect();
        most.sort_by_key(|it| std::cmp::Reverse(change(it).unsigned_abs()));
        most.truncate(LINES);
        if most.is_empty() {
            return None;
        }
        seen.insert(module);
        let mut sides = most.iter().flat_map(|it| [it.a, it.b]).flatten();
        Some(Hunk {
            function: comparison.function(row).name.to_owned(),
            path,
            is_inferred: sides.any(Line::is_inferred),
            is_newer: texts.is_newer,
            lines: shown(&texts, &lines, &differences, &most),
        })
    }

    /// Texts of the file at `path` in the structure; `None` if B has none.
    fn texts(&self, path: &str, progress: &Progress) -> Option<Texts> {
        let moved = self.comparison.moved_files.iter();
        let mut moved = moved.filter(|it| it[1] == path);
        let of_a = match self.has_two_trees {
            true => moved.next().map_or(path, |it| &it[0]),
            false => path,
        };
        let mut sites = [Vec::new(), Vec::new()];
        let mut of = [None, None];
        let mut is_newer = false;
        for (side, path) in [of_a, path].into_iter().enumerate() {
            let tree = self.trees[side].as_ref()?;
            let path = Path::new(path);
            let recording = &self.comparison.recordings(side)[0].recording;
            let read = tree.locate(path).and_then(|at| Ok((tree.read(path)?, at)));
            let Some((text, at)) = read.ok() else {
                continue;
            };
            let knows_sites = recording.lines.as_ref().is_some_and(|it| it.knows().sites);
            if !knows_sites {
                sites[side] = text.calls(&at, tree.root(), progress).unwrap_or_default();
            }
            is_newer |= recorded_at(&recording.path).is_some_and(|it| text.is_newer_than(it));
            of[side] = Some(text);
        }
        of[1].as_ref()?;
        let aligned = match (&of, self.has_two_trees) {
            ([Some(a), Some(b)], true) => Some(Aligned::new([a, b])),
            _ => None,
        };
        if !self.has_two_trees {
            of[0] = None;
        }
        Some(Texts {
            of,
            sites,
            aligned,
            is_newer,
        })
    }
}

impl Texts {
    /// Line in B that corresponds to a line of A. A changed line is shown next to its replacement, with its own text.
    fn in_b(&self, line: u32) -> Option<u32> {
        match &self.aligned {
            Some(aligned) => {
                let row = aligned.rows.get(aligned.row_of(0, line)?)?;
                row.lines[1].filter(|_| row.is_same)
            }
            // One tree for both.
            None if self.of[0].is_none() => Some(line),
            None => None,
        }
    }

    /// Displayed text of a line.
    fn line(&self, side: usize, number: u32) -> String {
        let text = self.of[side].as_ref();
        let line = text.and_then(|it| it.line(number)).unwrap_or_default();
        let mut shown: String = line.chars().take(LETTERS).collect();
        if shown.len() < line.len() {
            shown.push('…');
        }
        shown.replace('\t', "    ")
    }
}

/// Nearest line of B before a line of A that both versions contain.
fn near_in_b(aligned: &Aligned, line: u32) -> Option<u32> {
    let row = aligned.row_of(0, line)?;
    let before = aligned.rows.get(..row)?.iter().rev();
    let mut same = before.filter(|it| it.is_same);
    same.find_map(|it| it.lines[1])
}

/// By how much a line costs more in B, with the calls made in it.
fn change(of: &LineDifference<'_>) -> i64 {
    of.cost_change()
        .saturating_add(of.self_change().unwrap_or(0))
}

/// `most` in the order of B's text, with the lines around them. Lines only in A stay in their old position.
fn shown(
    texts: &Texts,
    lines: &[FileLines; 2],
    differences: &[LineDifference<'_>],
    most: &[&LineDifference<'_>],
) -> Vec<ShownLine> {
    let unit = &lines[1].unit;
    let cost = |line: Option<&Line>| {
        let cost = line.map(|it| it.cost + it.self_cost.unwrap_or_default());
        cost.map_or_else(String::new, |it| unit.show(it))
    };
    let last = texts.of[1].as_ref().map_or(0, SourceText::lines);
    // By line of B, and behind it those of A alone.
    let mut found: BTreeMap<(u32, u32), Option<&LineDifference<'_>>> = BTreeMap::new();
    let mut places = Vec::new();
    for of in differences {
        let line = of.in_a.unwrap_or_default();
        let aligned = texts.aligned.as_ref();
        let behind = || aligned.and_then(|it| near_in_b(it, line));
        let place = match of.in_b {
            Some(line) => (line, 0),
            None => (behind().unwrap_or_default(), line),
        };
        let before = place.0;
        places.push((place, of));
        if most.iter().any(|it| std::ptr::eq(*it, of)) {
            let first = before.saturating_sub(AROUND).max(1);
            let around = first..=before.saturating_add(AROUND).min(last);
            found.extend(around.map(|line| ((line, 0), None)));
            found.insert(place, None);
        }
    }
    for (place, of) in places {
        if let Some(shown) = found.get_mut(&place) {
            *shown = Some(of);
        }
    }
    let mut before = None;
    let row = |((line, of_a), of): ((u32, u32), Option<&LineDifference<'_>>)| {
        let is_behind_gap = before.is_some_and(|before| line > before + 1);
        before = Some(line);
        let (side, number) = match of_a {
            0 => (1, line),
            of_a => (0, of_a),
        };
        ShownLine {
            number,
            is_of_a: side == 0,
            text: texts.line(side, number),
            costs: of.map(|of| ([cost(of.a), cost(of.b)], change(of))),
            is_behind_gap,
        }
    };
    found.into_iter().map(row).collect()
}

/// Writes the hunks, if any.
pub(super) fn write(page: &mut String, hunks: &[Hunk], has_two_trees: bool) -> std::fmt::Result {
    if hunks.is_empty() {
        return Ok(());
    }
    page.push_str(
        "<h2>Lines</h2>\n<p class=\"weak\">Places of the first differences in the code: cost of each line with its \
         calls, in A and in B.",
    );
    if !has_two_trees {
        page.push_str(" There is only one source tree, so lines of A and B are matched by number.");
    }
    page.push_str("</p>\n");
    for hunk in hunks {
        write!(
            page,
            "<p><b>{}</b> <span class=\"weak\">{}",
            escaped(&hunk.function),
            escaped(&hunk.path)
        )?;
        if hunk.is_inferred {
            page.push_str(" ~ lines are inferred from the names of callees in the text");
        }
        if hunk.is_newer {
            page.push_str(", the file is newer than a recording");
        }
        page.push_str("</span></p>\n<div class=\"wide\"><table class=\"code\">\n");
        for line in &hunk.lines {
            if line.is_behind_gap {
                page.push_str("<tr><td>⋮</td><td></td><td></td><td></td></tr>\n");
            }
            let number = match line.is_of_a {
                true => format!("{} (A)", line.number),
                false => line.number.to_string(),
            };
            let (class, [a, b]) = match &line.costs {
                Some((costs, change)) if *change > 0 => (" class=\"more\"", costs.clone()),
                Some((costs, change)) if *change < 0 => (" class=\"less\"", costs.clone()),
                Some((costs, _)) => ("", costs.clone()),
                None => ("", [String::new(), String::new()]),
            };
            writeln!(
                page,
                "<tr{class}><td>{number}</td><td>{}</td><td>{}</td><td><code>{}</code></td></tr>",
                escaped(&a),
                escaped(&b),
                escaped(&line.text)
            )?;
        }
        page.push_str("</table></div>\n");
    }
    Ok(())
}
