//! Faults as a text for people.

use std::io::{self, Write};

use super::document;
use super::report::Report;
use crate::output::{self, Align, Table};
use callscape_analysis::faults::by_commit::groups;
use callscape_analysis::faults::{Fault, Reason};
use callscape_base::escape;
use callscape_base::units::{counted, date};
use callscape_facts::recording::Recording;

/// Writes counts of unlisted items to standard error.
pub(super) fn say_the_rest(report: &Report<'_>) {
    let (faults, changes) = (report.faults, report.changes);
    let counts = &faults.counts;
    let bad = match &changes.bad {
        Some(bad) => short(&bad.id).to_owned(),
        None => "the working tree".to_owned(),
    };
    say!(
        "callscape: between {} and {bad}: {}, {}; of {} that ran {} were touched",
        short(&changes.good.id),
        counted(u64::from(counts.files), "changed file", "changed files"),
        counted(faults.between, "commit", "commits"),
        counted(faults.executed, "function", "functions"),
        faults.faults.len()
    );
    for flagged in &faults.flagged {
        let lines: Vec<String> = flagged.lines.iter().take(8).map(u32::to_string).collect();
        let name = if flagged.name.is_empty() {
            String::new()
        } else {
            format!(" {}", flagged.name)
        };
        say!(
            "callscape: to review: {}{name} in {}, line {}",
            flagged.flag.name(),
            flagged.file,
            lines.join(", ")
        );
    }
    if !faults.not_run.is_empty() {
        let hint = if report.args.not_run {
            ""
        } else {
            "; --not-run lists them"
        };
        say!(
            "callscape: {} did not run{hint}",
            counted(
                faults.not_run.len() as u64,
                "changed function",
                "changed functions"
            )
        );
    }
    for (count, what) in counts.not_looked_into() {
        say!("callscape: not read: {count} {what}");
    }
    for (count, what) in changes.left_out.reasons() {
        let files = counted(u64::from(count), "changed file", "changed files");
        say!("callscape: left out: {files} ({what})");
    }
    if changes.is_shallow || faults.is_cut_off {
        say!("callscape: the history is incomplete, so commits may be missing from the list");
    }
}

/// Writes a table of the functions, with evidence for the first of them.
pub(super) fn functions(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let faults = &report.faults.faults;
    let top = report.args.top.unwrap_or(usize::MAX);
    let Some(recording) = report.recording() else {
        return Ok(());
    };
    if let Some(first) = &report.faults.first_difference {
        let of = |side: usize| match &first.calls[side] {
            Some(name) => format!("calls {}", escape::name(name)),
            None => "ends".to_owned(),
        };
        let inside = first
            .inside
            .as_deref()
            .map_or_else(String::new, |it| format!(" in {}", escape::name(it)));
        writeln!(
            out,
            "The runs diverge at {}{inside}: the good run {}, this one {}.\n",
            first.at,
            of(0),
            of(1)
        )?;
    }
    table(report, recording, faults.iter().take(top)).write(out)?;
    for fault in faults.iter().take(top.min(WHY)) {
        why(report, fault, out)?;
    }
    if report.args.not_run && !report.faults.not_run.is_empty() {
        writeln!(out, "\nChanged but not run:")?;
        let mut table = Table::new(&[
            ("function", Align::Left),
            ("file", Align::Left),
            ("lines", Align::Left),
        ]);
        for not_run in &report.faults.not_run {
            table.row([
                not_run.name.clone(),
                not_run.file.clone(),
                ranges(&not_run.lines),
            ]);
        }
        table.write(out)?;
    }
    Ok(())
}

/// Number of functions to write evidence for.
const WHY: usize = 3;

fn why(report: &Report<'_>, fault: &Fault, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n{}", escape::name(&document::name(report, fault)))?;
    for part in fault.why.iter().filter(|it| !it.text.is_empty()) {
        writeln!(
            out,
            "  {:.2}  {}: {}",
            part.score,
            part.of.name(),
            escape::name(&part.text)
        )?;
    }
    for used in &fault.uses {
        let gone = if used.is_gone {
            ", which was removed"
        } else {
            ""
        };
        writeln!(
            out,
            "        uses {}, {}:{}{gone}",
            escape::name(&used.name),
            escape::name(&used.file),
            used.line
        )?;
    }
    if fault.is_uncommitted {
        writeln!(out, "        not committed yet")?;
    }
    for &commit in &fault.commits {
        if let Some(commit) = report.faults.commits.get(commit as usize) {
            writeln!(
                out,
                "        {} {}, {}: {}",
                short(&commit.id),
                escape::name(&commit.author),
                date(commit.time.div_euclid(86_400)),
                escape::name(&commit.summary)
            )?;
        }
    }
    Ok(())
}

fn table<'f>(
    report: &Report<'_>,
    recording: &Recording,
    faults: impl Iterator<Item = &'f Fault>,
) -> Table {
    let mut table = Table::new(&[
        ("score", Align::Right),
        ("reason", Align::Left),
        ("first", Align::Right),
        ("calls", Align::Right),
        ("self", Align::Right),
        ("function", Align::Left),
        ("file", Align::Left),
        ("lines", Align::Left),
    ]);
    for fault in faults {
        let reason = match fault.reason {
            Reason::Declaration => "declaration ~",
            reason => reason.name(),
        };
        table.row([
            format!("{:.2}", fault.score),
            reason.to_owned(),
            fault
                .first
                .map_or_else(|| "–".to_owned(), |(time, _)| time.to_string()),
            output::calls(fault.calls, recording.counts_calls()),
            recording.unit().show(fault.self_cost),
            document::name(report, fault),
            fault.file.clone(),
            ranges(&fault.lines),
        ]);
    }
    table
}

/// The functions by commit, the most suspect first.
pub(super) fn by_commit(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Some(recording) = report.recording() else {
        return Ok(());
    };
    for group in groups(report.faults) {
        let commit = group
            .commit
            .and_then(|it| report.faults.commits.get(it as usize));
        match commit {
            Some(commit) => writeln!(
                out,
                "{} {}, {}: {}",
                short(&commit.id),
                escape::name(&commit.author),
                date(commit.time.div_euclid(86_400)),
                escape::name(&commit.summary)
            )?,
            None => writeln!(out, "not committed yet")?,
        }
        let faults = group.faults.iter().map(|&at| &report.faults.faults[at]);
        if !group.faults.is_empty() {
            table(
                report,
                recording,
                faults.take(report.args.top.unwrap_or(usize::MAX)),
            )
            .write(out)?;
        }
        if group.not_run > 0 {
            let changed = counted(
                u64::from(group.not_run),
                "changed function",
                "changed functions",
            );
            writeln!(out, "{changed} did not run")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Lines as ranges: `3-5, 9`.
fn ranges(lines: &[u32]) -> String {
    /// More are not written out.
    const MOST: usize = 6;
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &line in lines {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == line => *last = line,
            _ => ranges.push((line, line)),
        }
    }
    let more = ranges.len() > MOST;
    let ranges = ranges
        .into_iter()
        .take(MOST)
        .map(|(first, last)| match first == last {
            true => first.to_string(),
            false => format!("{first}-{last}"),
        });
    let mut text = ranges.collect::<Vec<_>>().join(", ");
    if more {
        text += ", …";
    }
    text
}

/// The beginning of an id.
fn short(id: &str) -> &str {
    id.get(..10).unwrap_or(id)
}
