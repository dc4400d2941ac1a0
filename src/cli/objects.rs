//! `callscape objects`: What lives in memory

use std::borrow::Cow;
use std::collections::HashMap;

use anyhow::bail;
use serde::Serialize;

use super::output::{self, Align, Table};
use super::progress::with_progress;
use crate::analysis::session::{Resolved, Session};
use crate::facts::memory::{Cell, Events, Known, Memory, SumRow, Sums};
use crate::facts::recording::Recording;
use crate::units::{Cost, FunctionId, Time, TimeSpec, Unit};

#[derive(Debug, clap::Args)]
#[command(about = "What lives in memory: objects and bytes by who allocated them", after_help = HELP)]
pub struct ObjectsArgs {
    #[command(flatten)]
    input: super::trace_arg::TraceArg,
    /// The instant, the end by default: 12.5ms, 3s, 250us, 40% of the recording, or plain nanoseconds
    #[arg(long, value_name = "TIME")]
    at: Option<TimeSpec>,
    /// Only what was allocated from this time on
    #[arg(long, value_name = "TIME")]
    from: Option<TimeSpec>,
    /// Only what was allocated up to this time
    #[arg(long, value_name = "TIME")]
    to: Option<TimeSpec>,
    /// What an entry is
    #[arg(long, value_enum, default_value_t = By::Function)]
    by: By,
    /// In the table, only the first N
    #[arg(long, value_name = "N", default_value_t = 30, conflicts_with = "json")]
    top: usize,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

const HELP: &str = "Examples:
  callscape objects app.heaptrack.zst --by context
  callscape objects app.heaptrack.zst --from 10% --to 50% --json
  callscape objects dhat.out.json --by module

With --from and --to only what was allocated between them counts, and lives where it does at --at, the end by default: what
is left is what leaks. An object belongs to the innermost function of the stack that allocated it, or to the module around
that function. What a recording does not tell is a dash, in the JSON document null; an instant at which it tells
nothing is refused.";

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum By {
    /// The module around the function that allocated
    Module,
    /// The function that allocated
    Function,
    /// The stack of calls that allocated
    Context,
    /// The type or the allocator, where the recording names it
    Type,
}

#[derive(Serialize)]
struct Document {
    at_ns: Time,
    /// What times count where that is not nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    time_unit: Option<String>,
    allocations: Option<u64>,
    bytes_allocated: Option<u64>,
    temporary: Option<u64>,
    peak_bytes: Option<u64>,
    peak_ns: Option<Time>,
    live: Option<u64>,
    live_bytes: Option<u64>,
    /// Whether the recording tells at this instant who allocated what lives; else there are no entries.
    entries_known: bool,
    entries: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    name: String,
    module: String,
    /// Of a context, its functions, outermost first.
    #[serde(skip_serializing_if = "Option::is_none")]
    stack: Option<Vec<String>>,
    allocations: Option<u64>,
    bytes_allocated: Option<u64>,
    live: Option<u64>,
    live_bytes: Option<u64>,
}

/// What is known of an instant.
struct Answer<'a> {
    at: Time,
    rows: Cow<'a, [SumRow]>,
    whole: SumRow,
    temporary: Option<u64>,
    peak: Option<(u64, Time)>,
}

pub fn run(args: ObjectsArgs) -> anyhow::Result<()> {
    let session = output::open(&args.input)?;
    let resolved = output::recording(&session)?;
    let recording = &resolved.recording;
    let Some(memory) = &recording.memory else {
        bail!(
            "{}: it holds no allocations; heaptrack, DHAT, massif, V8's heap profiles and uftrace with arguments do",
            recording.name()
        );
    };
    let answer = match &memory.known {
        Known::Events(events) => of_events(&args, recording, memory, events)?,
        Known::Sums(sums) => of_sums(&args, recording, memory, sums)?,
    };
    let has_types = memory.types.iter().any(|name| !name.is_empty());
    if args.by == By::Type && !has_types {
        bail!("{}: it names no types of objects", recording.name());
    }
    let groups = Groups::of(args.by, memory, &session, resolved);
    let document = groups.document(memory, answer);
    if args.json {
        return output::print_json(&document);
    }
    output::print(|out| {
        let instant = match &memory.clock {
            Unit::Nanoseconds => document.at_ns.to_string(),
            unit => unit.show(document.at_ns.since(Time::ZERO)),
        };
        writeln!(out, "at         {instant}")?;
        writeln!(
            out,
            "live       {} in {} objects",
            bytes(document.live_bytes),
            count(document.live)
        )?;
        writeln!(
            out,
            "allocated  {} by {} allocations, {} of them temporary",
            bytes(document.bytes_allocated),
            count(document.allocations),
            count(document.temporary)
        )?;
        writeln!(out, "peak       {}\n", bytes(document.peak_bytes))?;
        if let (false, Known::Sums(sums)) = (document.entries_known, &memory.known) {
            let known = sums.instants.iter().filter(|it| !it.cells.is_empty());
            let known: Vec<String> = known.map(|it| it.time.to_string()).collect();
            return writeln!(
                out,
                "Who allocated it is not in the recording for this instant; it is for --at {}",
                known.join(", ")
            );
        }
        table(&document, args.top).write(out)
    })
}

fn bytes(bytes: Option<u64>) -> String {
    bytes.map_or("-".into(), |it| Unit::Bytes.show(Cost::from_ns(it)))
}

fn count(count: Option<u64>) -> String {
    count.map_or("-".into(), |it| it.to_string())
}

fn table(document: &Document, top: usize) -> Table {
    let mut table = Table::new(&[
        ("live bytes", Align::Right),
        ("live", Align::Right),
        ("allocated", Align::Right),
        ("allocations", Align::Right),
        ("name", Align::Left),
        ("module", Align::Left),
    ]);
    for entry in document.entries.iter().take(top) {
        let name = entry.stack.as_ref().map(|stack| stack.join(";"));
        table.row([
            bytes(entry.live_bytes),
            count(entry.live),
            bytes(entry.bytes_allocated),
            count(entry.allocations),
            name.unwrap_or_else(|| entry.name.clone()),
            entry.module.clone(),
        ]);
    }
    table
}

/// The duration that shares of times are of.
fn duration(recording: &Recording, memory: &Memory) -> Cost {
    memory.duration().max(recording.trace.duration())
}

fn of_events<'a>(
    args: &ObjectsArgs,
    recording: &Recording,
    memory: &Memory,
    events: &'a Events,
) -> anyhow::Result<Answer<'a>> {
    let duration = duration(recording, memory);
    let resolve = |time: TimeSpec| time.resolve(duration);
    let at = args.at.map_or(Time::ZERO + duration, resolve);
    let position = events.position(at);
    let peak = Some(events.peak());
    if args.from.is_none() && args.to.is_none() {
        let state = events.state(position);
        let totals = events.totals(position);
        return Ok(Answer {
            at,
            rows: state.cells().iter().map(SumRow::of).collect(),
            whole: SumRow {
                allocations: Some(totals.allocations),
                allocated: Some(totals.allocated),
                live: Some(totals.live()),
                live_bytes: Some(totals.live_bytes()),
            },
            temporary: Some(totals.temporary),
            peak,
        });
    }
    let from = args.from.map_or(Time::ZERO, resolve);
    let to = args.to.map_or(at, resolve);
    if from > to || to > at {
        bail!("expected --from before --to, and that before --at; found {from}, {to} and {at}");
    }
    let first = from
        .ns()
        .checked_sub(1)
        .map_or(0, |before| events.position(Time::from_ns(before)));
    let range = (first, events.position(to));
    let mut rows = vec![SumRow::NOTHING; events.cells().len()];
    let mut temporary = 0;
    with_progress(|progress| {
        events.visit(range, progress, |object| {
            let released = object.released.filter(|&it| it < position);
            temporary += u64::from(released == Some(object.created + 1));
            let lives = u64::from(released.is_none());
            if let Some(row) = rows.get_mut(object.cell as usize) {
                *row = row.plus(SumRow {
                    allocations: Some(1),
                    allocated: Some(object.size),
                    live: Some(lives),
                    live_bytes: Some(object.size * lives),
                });
            }
        })
    })??;
    Ok(Answer {
        at,
        whole: rows.iter().fold(SumRow::NOTHING, |sum, &row| sum.plus(row)),
        rows: rows.into(),
        temporary: Some(temporary),
        peak,
    })
}

fn of_sums<'a>(
    args: &ObjectsArgs,
    recording: &Recording,
    memory: &Memory,
    sums: &'a Sums,
) -> anyhow::Result<Answer<'a>> {
    let name = recording.name();
    if args.from.is_some() || args.to.is_some() {
        bail!(
            "{name}: it holds sums and no events, so nothing is known of what was allocated in a range"
        );
    }
    let duration = duration(recording, memory);
    let known = sums.instants.iter().filter(|it| !it.cells.is_empty());
    let found = match args.at {
        None => sums.instants.last(),
        Some(at) => sums.at(at.resolve(duration)),
    };
    let Some(instant) = found else {
        let known: Vec<String> = known.map(|it| it.time.to_string()).collect();
        bail!(
            "{name}: it holds sums at a few instants and nothing between them; those with objects are {}",
            known.join(", ")
        );
    };
    Ok(Answer {
        at: instant.time(),
        rows: Cow::Borrowed(&instant.cells),
        whole: instant.whole,
        temporary: None,
        peak: sums.peak,
    })
}

/// Cells put together.
struct Groups {
    of: Vec<usize>,
    /// Name, module and stack.
    names: Vec<(String, String, Option<Vec<String>>)>,
}

impl Groups {
    fn of(by: By, memory: &Memory, session: &Session, resolved: &Resolved) -> Groups {
        let functions = &resolved.recording.functions;
        let name = |function: FunctionId| functions.get(function).name.to_owned();
        let module =
            |function: FunctionId| resolved.resolution.modules.get(function.index()).copied();
        let path = |cell: &Cell, around: bool| {
            let module = memory.creator(*cell).and_then(module);
            let module = match around {
                true => module.map(|it| session.hierarchy.parent(it).unwrap_or(it)),
                false => module,
            };
            module.map_or_else(String::new, |it| session.hierarchy.path(it))
        };
        let mut ids: HashMap<(String, u32), usize> = HashMap::new();
        let mut names = Vec::new();
        let of = memory.cells().iter().map(|cell| {
            let creator = memory.creator(*cell);
            let key = match by {
                By::Module => (path(cell, true), 0),
                By::Function => (String::new(), creator.map_or(u32::MAX, |it| it.0)),
                By::Context => (String::new(), cell.stack.0),
                By::Type => (String::new(), cell.kind),
            };
            *ids.entry(key).or_insert_with(|| {
                let function = creator.map_or_else(String::new, name);
                names.push(match by {
                    By::Module => (path(cell, true), path(cell, true), None),
                    By::Function => (function, path(cell, false), None),
                    By::Context => {
                        let mut stack: Vec<String> =
                            memory.stacks.functions(cell.stack).map(name).collect();
                        stack.reverse();
                        (function, path(cell, false), Some(stack))
                    }
                    By::Type => {
                        let kind = memory.types.get(cell.kind as usize).cloned();
                        (kind.unwrap_or_default(), String::new(), None)
                    }
                });
                names.len() - 1
            })
        });
        let of = of.collect();
        Groups { of, names }
    }

    fn document(self, memory: &Memory, answer: Answer<'_>) -> Document {
        let mut sums = vec![None; self.names.len()];
        for (&group, &row) in self.of.iter().zip(answer.rows.iter()) {
            let sum: &mut Option<SumRow> = &mut sums[group];
            *sum = Some(sum.map_or(row, |sum| sum.plus(row)));
        }
        let rows = self.names.into_iter().zip(sums);
        let known = rows.filter_map(|(names, sum)| Some((names, sum?)));
        let mut entries: Vec<Entry> = known
            .map(|((name, module, stack), sum)| Entry {
                name,
                module,
                stack,
                allocations: sum.allocations,
                bytes_allocated: sum.allocated,
                live: sum.live,
                live_bytes: sum.live_bytes,
            })
            .filter(|it| {
                let amounts = [it.allocations, it.bytes_allocated, it.live, it.live_bytes];
                amounts.iter().any(|it| it.is_some_and(|it| it > 0))
            })
            .collect();
        // Equals stay in the order of their first appearance.
        entries.sort_by_key(|it| std::cmp::Reverse((it.live_bytes, it.bytes_allocated)));
        Document {
            at_ns: answer.at,
            time_unit: match &memory.clock {
                Unit::Nanoseconds => None,
                unit => Some(unit.name().into_owned()),
            },
            allocations: answer.whole.allocations,
            bytes_allocated: answer.whole.allocated,
            temporary: answer.temporary,
            peak_bytes: answer.peak.map(|(bytes, _)| bytes),
            peak_ns: answer.peak.map(|(_, at)| at),
            live: answer.whole.live,
            live_bytes: answer.whole.live_bytes,
            entries_known: !answer.rows.is_empty() || memory.cells().is_empty(),
            entries,
        }
    }
}
