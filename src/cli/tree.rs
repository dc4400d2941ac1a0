//! `callscape tree`: Show the module hierarchy of a source tree with its lines of code

mod numbers;
mod preset;
mod relations;

use std::io::{self, Write};

use anyhow::{Context, anyhow, ensure};

use super::history::asked::commit_at;
use super::output;
use super::progress::with_progress;
use callscape_analysis::relations::find;
use callscape_base::escape;
use callscape_base::progress::Progress;
use callscape_base::units::{ModuleId, is_like_day};
use callscape_base::warnings::Reporter;
use callscape_export::pack;
use callscape_facts::hierarchy::{Hierarchy, ModuleKind};
use callscape_facts::kinds::Purpose;
use callscape_model::measure::Measure;
use callscape_model::metric::Metric;
use callscape_model::metrics::ModuleMetrics;
use callscape_model::presets::Preset;
use callscape_source::history::{history, written_at};
use callscape_source::{Errors, Scan, SourceError};

#[derive(Debug, clap::Args)]
#[command(about = "Show the module hierarchy of a source tree with its lines of code", after_help = HELP)]
pub(crate) struct TreeArgs {
    /// The source tree
    source_dir: std::path::PathBuf,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// Add the git history of each module: changes, last change, authors
    #[arg(long, requires = "json")]
    history: bool,
    #[command(flatten)]
    fixes: crate::elsewhere::FixesArg,
    /// The tree at a revision, or at the end of a day such as 2019-05-01
    #[arg(long, value_name = "REV|DAY", conflicts_with_all = ["history", "preset"])]
    at: Option<String>,
    /// Add the number of global variables of each module
    #[arg(long, requires = "json")]
    globals: bool,
    /// Add numbers of files or functions from tables, as `callscape --metric` reads them, with those at earlier dates
    #[arg(long = "metric", value_name = "FILE", requires = "json")]
    metrics: Vec<std::path::PathBuf>,
    /// Print imports between files, calls by name, inheritance, and cycles instead
    #[arg(long, conflicts_with_all = ["preset", "history", "globals", "metrics", "depth", "skipped"])]
    relations: bool,
    /// Print the modules that stand out for a question instead
    #[arg(long, value_name = "NAME", value_parser = preset::parser(), conflicts_with_all = ["history", "globals", "metrics", "depth", "skipped"])]
    preset: Option<&'static Preset>,
    /// Recording that shows which code never runs
    #[arg(long, value_name = "TRACE", requires = "preset")]
    recording: Option<std::path::PathBuf>,
    /// Exclude modules more than N levels below the root
    #[arg(long, value_name = "N")]
    depth: Option<u16>,
    /// List files excluded wholly or in part, with reasons, instead; and where the syntax of files could not be read
    #[arg(long, conflicts_with = "json")]
    skipped: bool,
}

const HELP: &str = "Lines of code are counted as in tokei: for a file, they are what tokei reports as Code of the file's own language. \
For a function, they are the lines of code in its span, without nested functions, which are listed next to it under a \
qualified name. In the JSON document, `language` is null if a module has none or several, `line` and `end_line` are 0 \
for directories, `bytes` is the size of files and directories, `comment_lines` the lines with comments and no code, \
`functions` the number of functions in the module, and `complexity` the sum of their cyclomatic complexities, each 1 \
plus the number of decision points. With --history, `changes` is the number of commits summed over the files of the \
module, without merges, `last_change` is the day of the newest commit, and `authors` counts the distinct authors. \
With --globals, `globals` is the number of variables outside of functions and of static variables of classes, without \
constants where the language tells them apart; a name counts once in its file or class. \
With --metric, `numbers` has for each column of the tables its `name`, `unit` and `value`, and `trend` if the column has \
several dates: each `date` with its `value`. \
`made` is present if a file was not written by hand (generated, vendored, minified or data), and `purpose` if it is \
not part of the product (test, example, bench or documentation).

With --relations, an import leads to the file named by the longest part of its path: `from .a import b` to the file \
of b if b is a module, otherwise to the file of a; `use crate::a::B` to the file of a; `mod a;` imports the file of \
a. Re-exports are not followed. `outside` counts imports from outside the tree, `unresolved` imports into the tree \
whose file is missing, and `share_resolved` is the share of imports into the tree whose file was found. Calls are \
inferred: they are looked up only by name, among the imported files. So are the base classes in `inherits`: a name counts \
if one class alone has it, in the file, among its imports, or in its package. `ambiguous_bases` counts names that several \
classes have, and `outside_bases` those of classes outside the tree. A cycle is a set of files in which each reaches \
all others.

--preset lists the ten hand-written files that stand out most, in descending order.

Example:
  callscape tree src --json
  callscape tree src --preset hotspots
  callscape tree src --relations --json";

pub(crate) fn run(args: TreeArgs) -> anyhow::Result<()> {
    args.fixes.apply();
    let reporter = Reporter::new();
    let mut source_dir = args.source_dir.clone();
    if pack::is_pack(&source_dir) {
        let found = super::input::unpacked(&source_dir)?.source_dir;
        let none = || {
            format!(
                "{}: expected a pack with a source tree, found none in it",
                source_dir.display()
            )
        };
        source_dir = found.with_context(none)?;
    }
    if let Some(at) = &args.at {
        let dir = &source_dir;
        ensure!(
            dir.is_dir(),
            "{}: expected the directory of a source tree, found {}",
            dir.display(),
            if dir.exists() { "a file" } else { "nothing" }
        );
        let written = |progress: &Progress| {
            let commit = commit_at(dir, at, progress)?;
            written_at(dir, &commit, progress).map_err(|error| match is_like_day(at) {
                true => anyhow!("{error}, or a day such as 2019-05-01"),
                false => error.into(),
            })
        };
        source_dir = with_progress(written)??;
    }
    if let Some(preset) = args.preset {
        return preset::run(preset, source_dir, args.recording, args.json);
    }
    let scan = |progress: &Progress| {
        let mut scan = Scan::start(&source_dir, progress)?;
        if args.relations || args.globals {
            scan.read_relations();
        }
        scan.finish(progress)?;
        Ok::<Scan, SourceError>(scan)
    };
    let scan = with_progress(scan)??;
    if args.skipped {
        let misread = move |progress: &Progress| scan.misread(progress).map(|it| (it, scan));
        let (misread, scan) = with_progress(misread)??;
        return output::print(|out| write_skipped(&scan, &misread, out));
    }
    scan.report(&reporter);
    if args.relations {
        return relations::run(&scan, &reporter, args.json);
    }
    let hierarchy = scan.hierarchy();
    for warning in reporter.warnings() {
        say!("callscape: {warning}");
    }
    let depth = args.depth.unwrap_or(u16::MAX);
    if !args.json {
        return output::print(|out| write_table(&hierarchy, depth, out));
    }
    let mut metrics = ModuleMetrics::default();
    if args.history {
        let dir = &source_dir;
        let history = with_progress(|progress| history(dir, progress))??;
        for limit in history.limits() {
            say!("callscape: {limit}");
        }
        metrics.set_history(&hierarchy, &history, |id| hierarchy.path(id));
    }
    let mut added = Added {
        history: (args.history).then(|| HistoryFields::new(&hierarchy, &metrics)),
        globals: None,
        numbers: numbers::read(&args.metrics, &hierarchy)?,
    };
    if args.globals {
        ensure!(
            !scan.files().is_empty(),
            "expected a source tree, found a saved structure, which contains no variables"
        );
        let (dir, files) = (scan.dir(), scan.files());
        let relations = with_progress(|progress| find(dir, files, progress))??;
        let globals = relations.globals_of_modules(&hierarchy, |id| hierarchy.path(id));
        added.globals = Some(globals);
    }
    output::print_data(|out| write_json(&hierarchy, depth, &added, out))
}

fn write_skipped(scan: &Scan, misread: &[Errors], out: &mut dyn Write) -> io::Result<()> {
    for problem in scan.problems() {
        writeln!(
            out,
            "{}: {}",
            problem.kind.replace('-', " "),
            escape::name(&problem.what)
        )?;
    }
    for errors in misread {
        let path = errors.path.display().to_string();
        let of = |count, one| match count {
            1 => format!("1 {one}"),
            _ => format!("{count} {one}s"),
        };
        writeln!(
            out,
            "syntax error: {}, line {}: {}, hiding {}",
            escape::name(&path),
            errors.line,
            of(errors.places, "place"),
            of(errors.lines, "line")
        )?;
    }
    Ok(())
}

/// Fields that modules have only if they are asked for.
struct Added {
    history: Option<HistoryFields>,
    /// By module, its global variables.
    globals: Option<Vec<u32>>,
    numbers: Option<ModuleMetrics>,
}

impl Added {
    /// Fields of one module, each followed by a comma.
    fn write(&self, id: ModuleId, out: &mut dyn Write) -> io::Result<()> {
        if let Some(globals) = &self.globals {
            let count = globals.get(id.index()).copied().unwrap_or(0);
            write!(out, r#""globals":{count},"#)?;
        }
        if let Some(metrics) = &self.numbers {
            numbers::write(metrics, id, out)?;
        }
        match &self.history {
            Some(history) => history.write(id, out),
            None => Ok(()),
        }
    }
}

/// History of each module.
struct HistoryFields {
    measure: Measure,
    changes: Vec<f64>,
    last_change: Vec<f64>,
    authors: Vec<f64>,
}

impl HistoryFields {
    fn new(hierarchy: &Hierarchy, metrics: &ModuleMetrics) -> HistoryFields {
        HistoryFields {
            measure: metrics.measure(),
            changes: metrics.values(hierarchy, Metric::Changes),
            last_change: metrics.values(hierarchy, Metric::LastChange),
            authors: metrics.values(hierarchy, Metric::Authors),
        }
    }

    /// Fields of one module, each followed by a comma.
    fn write(&self, id: ModuleId, out: &mut dyn Write) -> io::Result<()> {
        let of = |values: &[f64]| values.get(id.index()).copied().unwrap_or(0.0);
        let day = of(&self.last_change);
        let day = match day > 0.0 {
            true => format!("\"{}\"", self.measure.text(Metric::LastChange, day)),
            false => "null".to_owned(),
        };
        let (changes, authors) = (of(&self.changes), of(&self.authors));
        write!(
            out,
            r#""changes":{changes},"last_change":{day},"authors":{authors},"#
        )
    }
}

/// Prints one module per line. Hand-written because modules nest as deep as directories do, which is deeper than a
/// serializer's recursion may go.
fn write_json(
    hierarchy: &Hierarchy,
    depth: u16,
    added: &Added,
    out: &mut dyn Write,
) -> io::Result<()> {
    let text = output::json_text;
    // Where the subtrees end whose lists of children are open.
    let mut open: Vec<u32> = Vec::new();
    let mut is_first = true;
    for id in shown(hierarchy, depth) {
        while open.pop_if(|end| *end <= id.0).is_some() {
            out.write_all(b"]}")?;
            is_first = false;
        }
        if !open.is_empty() {
            out.write_all(if is_first { b"\n" } else { b",\n" })?;
        }
        let module = hierarchy.module(id);
        let language = match module.language {
            "" => "null".to_owned(),
            language => text(language),
        };
        write!(
            out,
            r#"{{"name":{},"kind":"{}","language":{language},"loc":{},"line":{},"end_line":{},"bytes":{},"comment_lines":{},"functions":{},"complexity":{},"#,
            text(module.name),
            module.kind.name(),
            module.loc,
            module.line,
            module.end_line,
            module.bytes,
            module.comment_lines,
            module.functions,
            module.complexity,
        )?;
        let kind = module.file_kind;
        if !kind.is_by_hand() {
            write!(out, r#""made":"{}","#, kind.made.name())?;
        }
        if kind.purpose != Purpose::Product {
            write!(out, r#""purpose":"{}","#, kind.purpose.name())?;
        }
        added.write(id, out)?;
        out.write_all(br#""children":["#)?;
        open.push(hierarchy.subtree(id).end);
        is_first = true;
    }
    for _ in open {
        out.write_all(b"]}")?;
    }
    out.write_all(b"\n")
}

fn write_table(hierarchy: &Hierarchy, depth: u16, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{:>9}  {:<11}  module", "loc", "lines")?;
    for id in shown(hierarchy, depth) {
        let module = hierarchy.module(id);
        let lines = match module.kind {
            ModuleKind::Namespace | ModuleKind::Class | ModuleKind::Function => {
                format!("{}-{}", module.line, module.end_line)
            }
            _ => String::new(),
        };
        // Deeper levels stand below one another: nobody reads such a margin.
        let indent = 2 * usize::from(hierarchy.depth(id)).min(100);
        writeln!(
            out,
            "{:>9}  {lines:<11}  {:indent$}{}{}",
            module.loc,
            "",
            escape::name(module.name),
            match module.kind {
                ModuleKind::Directory | ModuleKind::Root => "/",
                ModuleKind::Function => "()",
                _ => "",
            },
        )?;
    }
    Ok(())
}

fn shown(hierarchy: &Hierarchy, depth: u16) -> impl Iterator<Item = ModuleId> + '_ {
    hierarchy
        .modules()
        .filter(move |&id| hierarchy.depth(id) <= depth)
}
