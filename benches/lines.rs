//! The lines of one function over a trace of as many calls as `CALLS` gives (a million by default): inferred from the call
//! relations that the store's summaries give, of all of it and of a tenth, beside a scan of the calls for the same sums
//! and the relations alone. Then the lines of a whole file, and finding the calls in its text.

use std::fmt::Write;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use callscape::analysis::lines::{FileLines, LineFacts};
use callscape::analysis::resolve::resolve;
use callscape::analysis::session::Resolved;
use callscape::facts::hierarchy::{Hierarchy, ModuleKind};
use callscape::facts::recording::Recording;
use callscape::facts::trace::Trace;
use callscape::progress::Progress;
use callscape::source::relations::sites::CallSite;
use callscape::source::text::TextTree;
use callscape::units::{Cost, FunctionId, ModuleId, Time, TimeRange};
use callscape::warnings::Reporter;

use callscape_testing::built::build;
use callscape_testing::generate::{Plan, Program};
use callscape_testing::measured::{Measured, amount};
use callscape_testing::random::Random;
use callscape_testing::timing::{least, ms};

const THREADS: u32 = 4;
const FUNCTIONS: u32 = 5000;
/// Functions whose lines are asked for.
const ASKED: u64 = 20;

/// The text of a program in which every function calls what it is seen to call, some of it in two places.
fn text(program: &Program, trace: &Trace) -> String {
    let mut text = String::new();
    let relations = trace.relations(None);
    let mut relations = relations.iter().peekable();
    for function in 0..program.functions() {
        let name = program.name(function);
        // Writing to a string does not fail.
        let _ = writeln!(text, "int {name}(int x)\n{{");
        while let Some(relation) = relations.next_if(|it| it.caller.0 == function) {
            let callee = program.name(relation.callee.0);
            for _ in 0..1 + relation.callee.0 % 2 {
                let _ = writeln!(text, "    x += {callee}(x);");
            }
        }
        let _ = writeln!(text, "    return x;\n}}\n");
    }
    text
}

/// What the calls of one function cost by callee, from all calls.
fn scan(trace: &Trace, caller: FunctionId) -> Cost {
    const BATCH: u32 = 1 << 16;
    let mut sum = Cost::ZERO;
    for (thread, about) in trace.thread_ids().zip(trace.threads()) {
        let mut path: Vec<FunctionId> = Vec::new();
        let calls = about.calls as u32;
        for start in (0..calls).step_by(BATCH as usize) {
            let end = calls.min(start.saturating_add(BATCH));
            for call in trace.calls_numbered(thread, start..end) {
                path.truncate(call.depth as usize);
                if path.last() == Some(&caller) {
                    sum += call.cost();
                }
                path.push(call.function);
            }
        }
    }
    sum
}

/// Everything that lines are asked of.
struct Made {
    hierarchy: Hierarchy,
    resolved: Resolved,
    file: ModuleId,
    sites: Vec<CallSite>,
}

impl Made {
    fn new(program: &Program, dir: &Path, calls: u64) -> anyhow::Result<Made> {
        let reporter = Reporter::new();
        let (functions, trace) = build(program, "/build/made/made.cpp", &reporter);
        std::fs::write(dir.join("made.cpp"), text(program, &trace))?;
        let progress = Progress::new();
        let source = callscape::source::scan(dir, &progress, &reporter)?;
        let (hierarchy, mut resolutions) = resolve(&source, &[&functions]);
        let recording = Recording::of_calls(dir, "made", None, (functions, trace), Vec::new());
        let mut files = hierarchy.outermost_files();
        let file = files.next();
        let file = file.ok_or_else(|| anyhow::anyhow!("no file was found"))?;
        drop(files);
        let tree = TextTree::new(dir)?;
        let read = tree.read(Path::new("made.cpp"))?;
        let at = tree.locate(Path::new("made.cpp"))?;
        let time = least(3, || read.calls(&at, tree.root(), &progress)).0;
        Measured {
            target: &format!(
                "lines: the calls in a text of {} lines",
                amount(read.lines().into())
            ),
            value: ms(time),
            unit: "ms",
            aim: "≤ 500 (200) ms",
            ..Measured::default()
        }
        .print();
        eprintln!("{} calls", amount(calls));
        Ok(Made {
            sites: read.calls(&at, tree.root(), &progress).unwrap_or_default(),
            resolved: Resolved {
                recording: Arc::new(recording),
                resolution: resolutions.swap_remove(0),
            },
            hierarchy,
            file,
        })
    }

    fn trace(&self) -> &Trace {
        &self.resolved.recording.trace
    }

    fn facts(&self, range: Option<TimeRange>) -> LineFacts {
        LineFacts::new(&self.hierarchy, &self.resolved, range)
    }

    fn function(&self, function: ModuleId, range: Option<TimeRange>) -> FileLines {
        let functions = (self.file, &[function][..]);
        let sites = Some(self.sites.as_slice());
        self.facts(range)
            .functions(&self.hierarchy, &self.resolved, functions, sites)
    }
}

fn main() -> anyhow::Result<()> {
    let calls = std::env::var("CALLS").ok();
    let calls: u64 = calls.and_then(|it| it.parse().ok()).unwrap_or(1_000_000);
    let program = Program::new(Plan {
        calls,
        functions: FUNCTIONS,
        threads: THREADS,
        seed: 1,
    });
    let dir = std::env::temp_dir().join(format!("callscape-lines-{}", std::process::id()));
    let dir = dir.join("made");
    std::fs::create_dir_all(&dir)?;
    let made = Made::new(&program, &dir, calls)?;
    let range = made.trace().range();
    let random = &mut Random(7);
    let modules = made.hierarchy.subtree(made.file).map(ModuleId);
    let functions: Vec<ModuleId> = modules
        .filter(|&id| made.hierarchy.kind(id) == ModuleKind::Function)
        .collect();
    let scanned = {
        let begin = Instant::now();
        black_box(scan(made.trace(), FunctionId(0)));
        begin.elapsed()
    };
    for (what, tenth) in [("all of it", false), ("a tenth of its time", true)] {
        let mut times: Vec<Duration> = (0..ASKED)
            .map(|_| {
                let function = functions[random.below(functions.len() as u64) as usize];
                let start = range.length().ns() / 10 * random.below(9);
                let range = TimeRange::new(
                    Time::from_ns(start),
                    Time::from_ns(start + range.length().ns() / 10),
                );
                least(3, || made.function(function, tenth.then_some(range))).0
            })
            .collect();
        times.sort_unstable();
        Measured {
            target: &format!(
                "lines: those of one function, {what}, slowest of {ASKED}, {} calls",
                amount(calls)
            ),
            value: ms(times[times.len() - 1]),
            unit: "ms",
            peer: Some(("a scan of the calls", ms(scanned))),
            aim: "≤ 50 (10) ms",
            ..Measured::default()
        }
        .print();
    }
    let facts = made.facts(None);
    let of_file = least(3, || {
        facts.file(
            &made.hierarchy,
            &made.resolved,
            made.file,
            Some(&made.sites),
        )
    })
    .0;
    let relations = least(3, || made.trace().relations(None)).0;
    Measured {
        target: &format!(
            "lines: those of a file of {FUNCTIONS} functions, {} calls",
            amount(calls)
        ),
        value: ms(of_file),
        unit: "ms",
        peer: Some(("the call relations alone", ms(relations))),
        aim: "≤ 50 (10) ms",
        ..Measured::default()
    }
    .print();
    std::fs::remove_dir_all(dir.parent().unwrap_or(&dir))?;
    Ok(())
}
