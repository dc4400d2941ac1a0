//! `callscape compare -o report.html`: one page that needs nothing beside it.

use std::fmt::Write;
use std::path::PathBuf;

use super::args::CompareArgs;
use super::contents;
use super::document::{paired, runs};
use super::lines::{self, Hunk};
use super::tables::Tables;
use super::text::{Show, counted_once, timed, was};
use crate::findings::page::list;
use crate::page::{self, escaped};
use crate::playable;
use callscape_analysis::comparison::amounts::{Change, Measure, Standing};
use callscape_analysis::comparison::tables::Given;
use callscape_analysis::comparison::{Comparison, Inputs};
use callscape_analysis::findings::{Finding, findings};
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::grouped;
use callscape_facts::recording::Recording;
use callscape_look::image::Image;
use callscape_model::causes::Words;
use callscape_views::text::counted;

/// Maximum rows per table.
const ROWS: usize = 50;

/// Number of functions named at the top.
const MOST: usize = 3;

/// Number of findings about each run.
const FINDINGS: usize = 3;

/// Findings about a run, and the run.
pub(super) type Found<'a> = (char, &'a Recording, Vec<Finding>);

/// The most important findings about A and about B alone: about runs that are compared as a whole, and are not means of
/// several.
pub(super) fn findings_of_each<'a>(
    comparison: &'a Comparison,
    progress: &Progress,
) -> Result<Vec<Found<'a>>, Cancelled> {
    let mut all = Vec::new();
    for (side, letter) in ['A', 'B'].into_iter().enumerate() {
        let mut runs = comparison.runs_of(side).zip(comparison.recordings(side));
        let (Some((place, of)), None) = (runs.next(), runs.next()) else {
            continue;
        };
        if comparison.range(place).is_some() || comparison.mean_runs(side).is_some() {
            continue;
        }
        let mut found = findings(&of.recording, progress)?;
        found.truncate(FINDINGS);
        all.push((letter, &*of.recording, found));
    }
    Ok(all)
}

/// The names of both runs.
pub(super) fn title(comparison: &Comparison) -> String {
    let name = |side: usize| {
        let first = runs(comparison, side).into_iter().next();
        first.map_or_else(|| "nothing".to_owned(), |run| run.name)
    };
    format!("{} against {}", name(0), name(1))
}

/// Pictures with what each is, lines of differences, and findings about each run.
pub(super) type Shown<'a> = (&'a [(Image, &'a str)], &'a [Hunk], &'a [Found<'a>]);

/// The page, with `pictures` and what each is, the `lines` of differences and the `findings` about each run, of the
/// `inputs` as they were asked for with `args`.
pub(super) fn page(
    inputs: &Inputs,
    comparison: &Comparison,
    tables: &Tables,
    shown: Shown<'_>,
    args: &CompareArgs,
) -> anyhow::Result<String> {
    let title = title(comparison);
    let mut page = String::new();
    page::head(&mut page, &title)?;
    body(&mut page, inputs, comparison, tables, shown, args)?;
    page.push_str("</body></html>\n");
    Ok(page)
}

/// All of the page but its title.
pub(super) fn body(
    page: &mut String,
    inputs: &Inputs,
    comparison: &Comparison,
    tables: &Tables,
    (pictures, lines, findings): Shown<'_>,
    args: &CompareArgs,
) -> anyhow::Result<()> {
    headline(page, comparison, tables)?;
    causes(page, comparison, tables)?;
    for (letter, recording, found) in findings {
        writeln!(page, "<h2>Findings in {letter} alone</h2>")?;
        list(page, recording, found)?;
    }
    heads(page, comparison)?;
    for line in comparison.revised_in_words(false) {
        writeln!(page, "<p>{}</p>", escaped(&line))?;
    }
    for doubt in comparison.doubts.iter().map(ToString::to_string) {
        writeln!(page, "<p class=\"doubt\">{}</p>", escaped(&doubt))?;
    }
    for (image, alternative) in pictures {
        playable::picture(page, image, alternative)?;
    }
    let show = Show::new(comparison, tables.measure);
    let hierarchy = &comparison.session.hierarchy;
    let functions = tables.order.iter().map(|&row| {
        let path = hierarchy.path(comparison.rows[row as usize].module);
        let name = escaped(comparison.function(row).name);
        let was = was(comparison, row).map(|was| format!(" <i>{}</i>", escaped(&was)));
        let path = escaped(&path);
        let cell = format!(
            "<span id=\"f{row}\">{name}</span>{} <span class=\"weak\">{path}</span>",
            was.unwrap_or_default()
        );
        (tables.functions[row as usize], cell)
    });
    section(page, &show, "Functions", functions)?;
    let modules = tables.modules.iter();
    let modules = modules.map(|it| (it.change, escaped(&it.path)));
    section(page, &show, "Modules", modules)?;
    let relations = tables.relations.iter().map(|relation| {
        let names = format!("{} → {}", escaped(&relation.from), escaped(&relation.to));
        (relation.change, names)
    });
    section(page, &show, "Call relations", relations)?;
    lines::write(page, lines, inputs.source_dirs.len() > 1)?;
    if let Some(phases) = &tables.contents {
        contents::write(page, phases, comparison.unit())?;
    }
    contexts(page, &show, comparison, tables)?;
    let command: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|argument| quoted(&argument.to_string_lossy()))
        .collect();
    write!(
        page,
        "<h2>Next steps</h2>\n<p>Both in one landscape (V toggles between the runs):</p>\n<pre>{}</pre>\n\
         <p>To create this page again:</p>\n<pre>callscape {}</pre>\n",
        escaped(&opening(inputs, args)),
        escaped(&command.join(" "))
    )?;
    Ok(())
}

/// Whether B costs more than A as a whole, and where most of that comes from.
fn headline(page: &mut String, comparison: &Comparison, tables: &Tables) -> std::fmt::Result {
    let whole = comparison.modules(Given::Compared);
    let whole = whole.first().copied().unwrap_or_default();
    let costs = Show::new(comparison, Measure::SelfCost);
    if let Some(timed) = timed(comparison) {
        writeln!(page, "<p>{}</p>", escaped(&timed))?;
    }
    let is_there = whole.a.is_there() && whole.b.is_there();
    // By shares both have all of it.
    if is_there && !(comparison.is_by_shares && comparison.per.is_none()) {
        for (show, what) in [
            (costs, "All functions"),
            (Show::new(comparison, Measure::Calls), "Calls"),
        ] {
            if show.measure == Measure::Calls && !comparison.counts_calls() {
                continue;
            }
            let cells = show.cells(&whole);
            let class = match whole.delta(show.measure) {
                delta if delta > 0.0 => "more",
                delta if delta < 0.0 => "less",
                _ => "weak",
            };
            writeln!(
                page,
                "<p class=\"head\">{what}: {} in A, {} in B, <b class=\"{class}\">{} ({})</b></p>",
                escaped(&cells[2]),
                escaped(&cells[3]),
                escaped(&cells[1]),
                escaped(&cells[0])
            )?;
        }
    }
    let show = Show::new(comparison, tables.measure);
    let order = tables.order.iter();
    let most = order.filter(|&&row| tables.functions[row as usize].differs(tables.measure));
    let most: Vec<String> = most
        .take(MOST)
        .map(|&row| {
            let delta = show.delta(&tables.functions[row as usize]);
            let name = comparison.function(row).name;
            format!("{} {}", escaped(name), escaped(&delta))
        })
        .collect();
    match most.is_empty() {
        true => Ok(()),
        false => {
            let measure = tables.measure.title();
            writeln!(page, "<p>Most by {measure}: {}</p>", most.join(", "))
        }
    }
}

/// Maximum number of causes.
const CAUSES: usize = 8;

/// Causes of the cost difference between A and B. Each links to its function if the table contains it.
fn causes(page: &mut String, comparison: &Comparison, tables: &Tables) -> std::fmt::Result {
    let causes = &tables.causes;
    let words = Words::of(comparison, causes);
    if causes.causes.is_empty() || words.is_nothing(causes.difference) {
        return Ok(());
    }
    let class = if causes.difference > 0.0 {
        "more"
    } else {
        "less"
    };
    let difference = escaped(&words.difference(causes.difference));
    writeln!(
        page,
        "<h2>Why B differs by <span class=\"{class}\">{difference}</span></h2>\n<ol>"
    )?;
    let name = |row: u32| comparison.function(row).name;
    let mut rest = causes.rest;
    for (place, cause) in causes.causes.iter().enumerate() {
        if place >= CAUSES {
            rest += cause.explains;
            continue;
        }
        let what = escaped(&words.what(cause, name));
        let share = escaped(&words.share(cause, causes));
        let way: Vec<&str> = cause.path.iter().map(|&row| name(row)).collect();
        let row = cause.row();
        let way = escaped(&way.join(" → "));
        match listed(tables).any(|it| it == row) {
            true => writeln!(
                page,
                "<li><a href=\"#f{row}\" title=\"{way}\">{what}</a>: <b>{share}</b></li>"
            )?,
            false => writeln!(page, "<li title=\"{way}\">{what}: <b>{share}</b></li>")?,
        }
    }
    let rest = format!("{:.0}", rest * 100.0).replace('-', "−");
    writeln!(
        page,
        "</ol>\n<p class=\"weak\">All others together: {rest} %.</p>"
    )
}

/// Rows of the functions table, in order.
fn listed(tables: &Tables) -> impl Iterator<Item = u32> + '_ {
    let measure = tables.measure;
    let order = tables.order.iter().copied();
    let differ = order.filter(move |&row| tables.functions[row as usize].differs(measure));
    differ.take(ROWS)
}

/// The command that opens both in a window.
fn opening(inputs: &Inputs, args: &CompareArgs) -> String {
    let path = |path: &PathBuf| quoted(&path.to_string_lossy());
    let mut words = vec!["callscape".to_owned()];
    match (&args.rev, &args.inputs[..]) {
        (Some(between), inputs) => {
            words.extend(inputs.iter().map(path));
            words.push(format!("--rev {}", quoted(&between.to_string())));
        }
        (None, _) => words.extend(inputs.source_dirs.iter().map(path)),
    }
    match &inputs.recordings {
        _ if args.rev.is_some() && args.a.is_empty() => {}
        [a, b] if (a.len(), b.len()) == (1, 1) => words.extend(a.iter().chain(b).map(path)),
        [a, b] => {
            for (option, runs) in [("--a", a), ("--b", b)] {
                words.push(option.to_owned());
                words.extend(runs.iter().map(path));
            }
        }
    }
    let map = args.map.as_deref();
    words.extend(map.map(|map| format!("--map {}", quoted(&map.to_string_lossy()))));
    words.join(" ")
}

/// The compared recordings.
fn heads(page: &mut String, comparison: &Comparison) -> std::fmt::Result {
    page.push_str("<div class=\"wide\"><table><tr><th></th><th>calls</th><th>functions</th><th>total</th><th>recording</th></tr>\n");
    for (side, letter) in [(0, 'A'), (1, 'B')] {
        for run in runs(comparison, side) {
            writeln!(
                page,
                "<tr><td>{letter}</td><td>{}</td><td>{}</td><td>{}</td><td>{} <span class=\"weak\">{}{}</span></td></tr>",
                grouped(run.calls),
                grouped(run.functions as u64),
                escaped(&run.size),
                escaped(&run.name),
                run.format,
                run.part(comparison.enclosing)
            )?;
        }
    }
    let paired = paired(comparison);
    writeln!(
        page,
        "</table></div>\n<p>{} in both ({} moved, {} renamed, {} paired by hand), {} only in A, {} only in B{}.</p>",
        counted(paired.both as u64, "function", "functions"),
        paired.moved,
        paired.renamed,
        paired.given,
        paired.only_a,
        paired.only_b,
        counted_once(comparison, &paired)
    )?;
    for [old, new] in &paired.moved_files {
        writeln!(
            page,
            "<p class=\"weak\">{} is now {}</p>",
            escaped(old),
            escaped(new)
        )?;
    }
    Ok(())
}

/// A table of what differs; `rows` give the change and the last cell, escaped.
fn section(
    page: &mut String,
    show: &Show<'_>,
    title: &str,
    rows: impl Iterator<Item = (Change, String)>,
) -> std::fmt::Result {
    writeln!(page, "<h2>{title}</h2>")?;
    let mut rows = rows
        .filter(|(change, _)| change.differs(show.measure))
        .peekable();
    if rows.peek().is_none() {
        return writeln!(page, "<p>Nothing differs.</p>");
    }
    page.push_str("<div class=\"wide\"><table><tr>");
    for heading in show.headings() {
        write!(page, "<th>{heading}</th>")?;
    }
    page.push_str("<th></th></tr>\n");
    for (change, name) in rows.by_ref().take(ROWS) {
        page.push_str("<tr>");
        for (column, cell) in show.cells(&change).into_iter().enumerate() {
            let class = match (column, change.delta(show.measure)) {
                (0 | 1, delta) if delta > 0.0 => " class=\"more\"",
                (0 | 1, delta) if delta < 0.0 => " class=\"less\"",
                _ => "",
            };
            let is_tag = column == 1 && change.standing() != Standing::Both;
            match is_tag {
                true => write!(page, "<td{class}><span class=\"tag\">{cell}</span></td>")?,
                false => write!(page, "<td{class}>{}</td>", escaped(&cell))?,
            }
        }
        writeln!(page, "<td>{name}</td></tr>")?;
    }
    page.push_str("</table></div>\n");
    match rows.count() {
        0 => Ok(()),
        more => writeln!(page, "<p class=\"weak\">and {more} more differences</p>"),
    }
}

/// Maximum number of contexts in the call tree, their maximum depth, and their minimum share of the whole cost.
const CONTEXTS: usize = 300;
const DEEPEST: usize = 60;
const LEAST: f64 = 0.002;

/// Call tree of both runs, merged by call path, to show the origin of a difference: largest first, callers around their
/// callees.
fn contexts(
    page: &mut String,
    show: &Show<'_>,
    comparison: &Comparison,
    tables: &Tables,
) -> std::fmt::Result {
    let Some(tree) = &tables.contexts else {
        return Ok(());
    };
    // Where a difference arrives along the paths; calls have no whole.
    let measure = match tables.measure {
        Measure::Calls => Measure::Calls,
        _ => Measure::Total,
    };
    let show = show.by(measure);
    let children = tree.children(measure);
    let Some(outermost) = children.last() else {
        return Ok(());
    };
    let of = |number: u32| &tree.contexts[number as usize];
    let size = |number: u32| {
        let change = of(number).change;
        change.a.of(measure).max(change.b.of(measure))
    };
    let whole: f64 = outermost.iter().map(|&number| size(number)).sum();
    let is_shown = |number: u32| {
        let change = of(number).change;
        change.is_significant(measure) && change.delta(measure).abs() > LEAST * whole
    };
    writeln!(page, "<h2>Call tree</h2>")?;
    let mut left = CONTEXTS;
    let mut open: Vec<std::slice::Iter<'_, u32>> = vec![outermost.iter()];
    while let Some(siblings) = open.last_mut() {
        let next = siblings.find(|&&number| is_shown(number));
        let Some(&number) = next.filter(|_| left > 0) else {
            open.pop();
            if !open.is_empty() {
                page.push_str("</details>\n");
            }
            continue;
        };
        left -= 1;
        let change = of(number).change;
        let class = if change.delta(measure) > 0.0 {
            "more"
        } else {
            "less"
        };
        let cells = show.cells(&change);
        let name = comparison.function(of(number).row).name;
        // The way to the largest difference is open.
        let is_open = open.len() <= 6;
        writeln!(
            page,
            "<details{}><summary><b class=\"{class}\">{} {}</b> {} <span class=\"weak\">A {}, B {}</span></summary>",
            if is_open { " open" } else { "" },
            escaped(&cells[0]),
            escaped(&cells[1]),
            escaped(name),
            escaped(&cells[2]),
            escaped(&cells[3]),
        )?;
        let below: &[u32] = match open.len() < DEEPEST {
            true => &children[number as usize],
            false => &[],
        };
        open.push(below.iter());
    }
    match left {
        CONTEXTS => writeln!(page, "<p>No calling context differs by much.</p>"),
        _ => Ok(()),
    }
}

/// An argument as a shell takes it.
fn quoted(argument: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
    match !argument.is_empty() && argument.chars().all(is_plain) {
        true => argument.to_owned(),
        false => format!("'{}'", argument.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_text() {
        assert_eq!(
            escaped("<script>\"&'\u{202e}\0"),
            "&lt;script&gt;&quot;&amp;&#39;\\u{202e}\\u{0}"
        );
        assert_eq!(quoted("it's a.json"), r"'it'\''s a.json'");
        assert_eq!(quoted("a-b/c.json"), "a-b/c.json");
    }
}
