//! `callscape resolve`: Show which functions of a recording are found in a source tree, by which rule, and why others
//! are not

use std::cmp::Reverse;
use std::path::PathBuf;

use serde::Serialize;

use super::output::{self, Align, Table};
use super::progress::with_progress;
use callscape_analysis::resolve::{Reason, Rule, explain, resolve};
use callscape_base::progress::Progress;
use callscape_base::warnings::Reporter;
use callscape_facts::functions::Function;
use callscape_facts::hierarchy::Hierarchy;
use callscape_import as import;
use callscape_source as source;

#[derive(Debug, clap::Args)]
#[command(
    about = "Show which functions of a recording are found in a source tree, by which rule, and why others are not",
    after_help = HELP
)]
pub(crate) struct ResolveArgs {
    /// The source tree
    source_dir: PathBuf,
    /// The recording: a file or a directory in any supported format
    trace: PathBuf,
    /// Only the first N functions that are not found
    #[arg(long, value_name = "N", default_value_t = 30)]
    top: usize,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

const HELP: &str = "The rules, in the order in which they are tried:
  file_and_name   the recorded file is in the source tree, by the end of its path, and defines a function of that
                  name; if several match, by scopes, then around the line, then nearest to it
  file_and_line   the file is, and the function, which has no name, is found by its line
  in_file         the file is, but does not define the function (`<module>`, code of a macro)
  qualified_name  no file is recorded, and the name with its scopes matches one function
  unique_name     no file is recorded, and the name matches only one function
  external        no rule matches

Names are read in the notation of each runtime: mangled C++ and Rust, `Class#method`, `Ns\\Class->method`, \
`module:function`, `Outer$Inner.f`, `pkg.(*T).f.func1`, `Assembly!A+B.get_Size`, `block in f`, `f [as g]`, `f+0x1c`. \
Functions of shared libraries are looked up by name if a third of the library's functions are in the source. The \
remaining functions are in the district external, for one of these reasons: address_only, shared_library, \
installed_package, runtime, file_not_found, not_defined, ambiguous (with candidates).

Example:
  callscape resolve src trace.json --top 10";

#[derive(Serialize)]
struct Document<'a> {
    functions: u64,
    calls: u64,
    cost_ns: u64,
    rules: Vec<Counted>,
    reasons: Vec<Counted>,
    unresolved: Vec<Unresolved<'a>>,
}

/// How many functions, and how much of the recording.
#[derive(Serialize)]
struct Counted {
    name: &'static str,
    functions: u64,
    calls: u64,
    cost_ns: u64,
}

#[derive(Serialize)]
struct Unresolved<'a> {
    name: &'a str,
    file: &'a str,
    line: u32,
    library: &'a str,
    calls: u64,
    self_ns: u64,
    reason: &'static str,
    candidates: Vec<String>,
}

impl Counted {
    fn new(name: &'static str) -> Counted {
        Counted {
            name,
            functions: 0,
            calls: 0,
            cost_ns: 0,
        }
    }

    fn add(&mut self, calls: u64, cost_ns: u64) {
        self.functions += 1;
        self.calls = self.calls.saturating_add(calls);
        self.cost_ns = self.cost_ns.saturating_add(cost_ns);
    }
}

pub(crate) fn run(args: ResolveArgs) -> anyhow::Result<()> {
    let reporter = Reporter::new();
    let read = |progress: &Progress| -> anyhow::Result<_> {
        let source = source::scan(&args.source_dir, progress, &reporter)?;
        Ok((source, import::open(&args.trace, progress)?))
    };
    let (source, recording) = with_progress(read)??;
    for warning in reporter.warnings().iter().chain(&recording.warnings) {
        say!("callscape: {warning}");
    }
    let functions = &recording.functions;
    let (_, resolutions) = resolve(&source, &[functions]);
    let reasons = explain(&source, functions);
    let metrics = recording.function_metrics(None);
    let mut rules: Vec<Counted> = Rule::ALL
        .iter()
        .map(|rule| Counted::new(rule.name()))
        .collect();
    let mut by_reason: Vec<Counted> = Vec::new();
    let mut whole = Counted::new("all");
    let mut unresolved: Vec<Unresolved<'_>> = Vec::new();
    for (id, metrics) in functions.ids().zip(metrics) {
        let (calls, cost) = (metrics.calls, metrics.self_cost.ns());
        whole.add(calls, cost);
        let rule = resolutions
            .first()
            .and_then(|resolution| resolution.rules.get(id.index()));
        let rule = rule.copied().unwrap_or(Rule::External);
        for counted in rules
            .iter_mut()
            .filter(|counted| counted.name == rule.name())
        {
            counted.add(calls, cost);
        }
        let Some(Some(reason)) = reasons.get(id.index()) else {
            continue;
        };
        let place = by_reason
            .iter()
            .position(|counted| counted.name == reason.name());
        let place = place.unwrap_or_else(|| {
            by_reason.push(Counted::new(reason.name()));
            by_reason.len() - 1
        });
        by_reason[place].add(calls, cost);
        unresolved.push(row(&source, functions.get(id), reason, calls, cost));
    }
    output::ensure_whole(&recording)?;
    by_reason.sort_by_key(|counted| Reverse(counted.calls));
    unresolved.sort_by_key(|row| Reverse((row.calls, row.self_ns)));
    let document = Document {
        functions: whole.functions,
        calls: whole.calls,
        cost_ns: whole.cost_ns,
        rules,
        reasons: by_reason,
        unresolved,
    };
    if args.json {
        return output::print_json(&document);
    }
    print(&document, &whole, args.top)
}

fn row<'a>(
    source: &Hierarchy,
    function: Function<'a>,
    reason: &Reason,
    calls: u64,
    self_ns: u64,
) -> Unresolved<'a> {
    let candidates = match reason {
        Reason::Ambiguous(candidates) => candidates.as_slice(),
        _ => &[],
    };
    Unresolved {
        name: function.name,
        file: function.file,
        line: function.line,
        library: function.library,
        calls,
        self_ns,
        reason: reason.name(),
        candidates: candidates.iter().map(|id| source.path(*id)).collect(),
    }
}

/// A share of the whole in per cent.
fn share(part: u64, whole: u64) -> String {
    match whole {
        0 => "-".to_owned(),
        _ => format!("{:.1} %", part as f64 * 100.0 / whole as f64),
    }
}

fn print(document: &Document<'_>, whole: &Counted, top: usize) -> anyhow::Result<()> {
    let columns = [
        ("functions", Align::Right),
        ("calls", Align::Right),
        ("of calls", Align::Right),
        ("of cost", Align::Right),
        ("rule", Align::Left),
    ];
    let mut table = Table::new(&columns);
    let add = |table: &mut Table, counted: &Counted, indent: &str| {
        table.row([
            counted.functions.to_string(),
            counted.calls.to_string(),
            share(counted.calls, whole.calls),
            share(counted.cost_ns, whole.cost_ns),
            format!("{indent}{}", counted.name),
        ]);
    };
    for counted in &document.rules {
        add(&mut table, counted, "");
    }
    for counted in &document.reasons {
        add(&mut table, counted, "  ");
    }
    let mut rest = Table::new(&[
        ("calls", Align::Right),
        ("not found because", Align::Left),
        ("function", Align::Left),
        ("where", Align::Left),
    ]);
    for row in document.unresolved.iter().take(top) {
        let place = match (row.file, row.library) {
            ("", library) => library.to_owned(),
            (file, _) if row.line > 0 => format!("{file}:{}", row.line),
            (file, _) => file.to_owned(),
        };
        let place = match row.candidates.as_slice() {
            [] => place,
            candidates => candidates.join(", "),
        };
        let reason = row.reason.replace('_', " ");
        rest.row([row.calls.to_string(), reason, row.name.to_owned(), place]);
    }
    output::print(|out| {
        table.write(out)?;
        if !document.unresolved.is_empty() && top > 0 {
            writeln!(out)?;
            rest.write(out)?;
        }
        Ok(())
    })
}
