//! `callscape history`: Show what changed when in a source tree, by whom, and what changes together

mod args;
pub(crate) mod asked;
mod document;
mod question;

use anyhow::ensure;

use super::output::{self, Align, Table};
use super::progress::with_progress;
pub(crate) use args::HistoryArgs;
use asked::{Asked, DAY, asked, limits};
use callscape_analysis::history::{
    Couplings, Limits, OfFile, Question, Span, brought, by_file, coupled,
};
use callscape_base::escape;
use callscape_base::units::{counted, date};
use callscape_facts::history::Timeline;
use document::Document;

pub(crate) fn run(mut args: HistoryArgs) -> anyhow::Result<()> {
    // The history of a tree is opened by its `.git` elsewhere.
    if args.source_dir.ends_with(".git")
        && let Some(tree) = args.source_dir.parent()
    {
        let is_here = tree.as_os_str().is_empty();
        args.source_dir = if is_here { ".".into() } else { tree.to_owned() };
    }
    let dir = &args.source_dir;
    ensure!(
        dir.is_dir(),
        "{}: expected the directory of a source tree, found {}",
        dir.display(),
        if dir.exists() { "a file" } else { "nothing" }
    );
    ensure!(
        args.recording.is_none() || args.preset == Some(Question::Untouched),
        "--recording is only for --preset untouched"
    );
    let asked = with_progress(|progress| asked(&args, progress))??;
    for limit in limits(&asked.timeline) {
        say!("callscape: {limit}");
    }
    if let Some(question) = args.preset {
        return question::run(question, &args, &asked);
    }
    let Asked { timeline, span } = &asked;
    let mut files = by_file(timeline, span);
    if args.at.is_some() {
        files.retain(|of| of.lines.is_some());
        files.extend(brought(timeline, span));
    }
    let limits = Limits {
        most_files: args.most_files,
        ..Limits::default()
    };
    let mut couplings = coupled(timeline, span, &limits);
    let top = args.top.unwrap_or(usize::MAX);
    files.truncate(top);
    couplings.pairs.truncate(top);
    match args.json {
        true => output::print_json(&Document::new(timeline, span, &files, &couplings)),
        false => print(timeline, span, &files, &couplings),
    }
}

fn print(
    timeline: &Timeline,
    span: &Span,
    files: &[OfFile],
    couplings: &Couplings,
) -> anyhow::Result<()> {
    let end = span.end();
    let path = |file: u32| escape::name(timeline.path(file, end)).into_owned();
    let mut table = Table::new(&[
        ("changes", Align::Right),
        ("added", Align::Right),
        ("removed", Align::Right),
        ("lines", Align::Right),
        ("people", Align::Right),
        ("most by", Align::Left),
        ("last", Align::Left),
        ("file", Align::Left),
    ]);
    for of in files {
        let author = of
            .main_author
            .map(|it| escape::name(&timeline.authors[it as usize].name).into_owned());
        table.row([
            of.changes.to_string(),
            of.added.to_string(),
            of.removed.to_string(),
            of.lines.map_or("gone".to_owned(), |it| it.to_string()),
            of.authors.to_string(),
            author.unwrap_or_default(),
            date(of.last.div_euclid(DAY)),
            path(of.file),
        ]);
    }
    let mut pairs = Table::new(&[
        ("together", Align::Right),
        ("confidence", Align::Right),
        ("lift", Align::Right),
        ("file", Align::Left),
        ("changes with", Align::Left),
    ]);
    for pair in &couplings.pairs {
        pairs.row([
            pair.together.to_string(),
            format!("{:.2}", pair.confidence),
            format!("{:.1}", pair.lift),
            path(pair.a),
            path(pair.b),
        ]);
    }
    output::print(|out| {
        let commits = span.commits().count() as u64;
        let mut ends = span.commits();
        let (first, last) = (ends.next().unwrap_or(0), ends.next_back());
        let day = |commit: u32| date(timeline.clock[commit as usize].div_euclid(DAY));
        let last = day(last.unwrap_or(first));
        let commits = counted(commits, "commit", "commits");
        let files = counted(files.len() as u64, "file", "files");
        writeln!(out, "{commits} from {} to {last}, {files}", day(first))?;
        table.write(out)?;
        if !couplings.pairs.is_empty() {
            writeln!(out, "\nFiles that change together")?;
            pairs.write(out)?;
        }
        Ok(())
    })
}
