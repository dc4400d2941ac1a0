//! `callscape calls`: Find calls by their arguments

use anyhow::{bail, ensure};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::output::{self, Align, Table};
use super::progress::with_progress;
use super::threads;
use callscape_analysis::arguments::{Condition, Series, Wanted, search, series};
use callscape_base::escape;
use callscape_base::units::{CallId, FunctionId, ThreadId, Time, grouped};
use callscape_facts::recording::Recording;
use callscape_facts::trace::{Argument, Trace};
use callscape_model::arguments::in_parentheses;

#[derive(Debug, clap::Args)]
#[command(about = "Find calls by their arguments", after_help = HELP)]
pub(crate) struct CallsArgs {
    #[command(flatten)]
    input: super::trace_arg::TraceArg,
    /// Only calls with an argument like this: "size > 1000". Operators are =, !=, <, <=, >, >= and ~ (contains). Of several
    /// conditions, all must hold
    #[arg(long = "where", value_name = "CONDITION")]
    conditions: Vec<Condition>,
    /// Only calls of this function
    #[arg(long, value_name = "NAME")]
    function: Option<String>,
    /// Only the thread with this id or name
    #[arg(long, value_name = "T")]
    thread: Option<String>,
    /// List up to N calls, the first in order of time
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: usize,
    /// Also list the numeric arguments of the function over time, in N columns
    #[arg(long, value_name = "N", requires = "function", value_parser = clap::value_parser!(u16).range(1..=10_000))]
    over_time: Option<u16>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

const HELP: &str = "Examples:
  callscape calls trace.json --where 'size > 1000'
  callscape calls app.uftrace --function parse --where 'arg1 ~ .json' --where 'return < 0' --json
  callscape calls app.uftrace --function resize --over-time 20

Only calls whose arguments are in the recording are searched. The argument `return` is the return value. Values are \
compared as numbers if both are numbers, also numbers written as text; hexadecimal numbers start with 0x. --over-time \
ignores the conditions: it describes all calls of the function.";

/// Arguments of a call, as an object of JSON and in parentheses.
pub(crate) struct Arguments(pub Vec<Argument<'static>>);

impl Serialize for Arguments {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (at, it) in self.0.iter().enumerate() {
            // An object has no name twice: the last one counts, as in JSON.
            if !self.0[at + 1..].iter().any(|other| other.name == it.name) {
                map.serialize_entry(&it.name, &it.value)?;
            }
        }
        map.end()
    }
}

impl Arguments {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// As [`in_parentheses`].
    pub(crate) fn in_parentheses(&self) -> String {
        in_parentheses(&self.0)
    }
}

#[derive(Serialize)]
struct Document<'a> {
    /// Calls with arguments in the recording, and how many of them match.
    calls_with_arguments: u64,
    matches: u64,
    calls: Vec<Call<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    over_time: Option<Vec<OverTime>>,
}

#[derive(Serialize)]
struct Call<'a> {
    thread: &'a str,
    process: &'a str,
    name: &'a str,
    start_ns: Time,
    end_ns: Time,
    arguments: Arguments,
}

#[derive(Serialize)]
struct OverTime {
    name: String,
    /// Calls in which it is a number, and in which it is not.
    calls: u64,
    not_numbers: u64,
    columns: Vec<Column>,
}

/// Calls that start from `from_ns` to before `to_ns`.
#[derive(Serialize)]
struct Column {
    from_ns: Time,
    to_ns: Time,
    calls: u64,
    #[serde(flatten)]
    values: Option<Values>,
}

#[derive(Serialize)]
struct Values {
    min: f64,
    mean: f64,
    max: f64,
}

pub(crate) fn run(args: CallsArgs) -> anyhow::Result<()> {
    let session = output::open(&args.input)?;
    let recording = &output::recording(&session)?.recording;
    output::ensure_times(recording, "single calls are unknown")?;
    let trace = &recording.trace;
    let threads = threads::find(trace, args.thread.as_deref())?;
    let functions = args.function.as_deref();
    let functions = functions.map(|name| named(recording, name)).transpose()?;
    ensure_known(recording, &args.conditions)?;
    let wanted = Wanted {
        conditions: &args.conditions,
        functions: functions.as_deref(),
        threads: &threads,
        limit: args.limit,
    };
    let found = with_progress(|progress| search(trace, wanted, progress))??;
    let over_time = match (args.over_time, &functions) {
        (Some(columns), Some(functions)) => {
            let columns = usize::from(columns);
            let found = with_progress(|progress| {
                series(trace, functions, trace.range(), columns, progress)
            })??;
            let of = |it| over_time(trace, it);
            Some(found.into_iter().map(of).collect())
        }
        _ => None,
    };
    let call = |&(thread, id): &(ThreadId, CallId)| {
        let of = &trace.threads()[thread.index()];
        let call = trace.call(thread, id);
        Call {
            thread: &of.id,
            process: &of.process,
            name: recording.functions.get(call.function).name,
            start_ns: call.start,
            end_ns: call.end,
            arguments: Arguments(trace.arguments(thread, id)),
        }
    };
    let document = Document {
        calls_with_arguments: trace.calls_with_arguments(),
        matches: found.count,
        calls: found.calls.iter().map(call).collect(),
        over_time,
    };
    output::ensure_whole(recording)?;
    match args.json {
        true => output::print_json(&document),
        false => print(&document),
    }
}

/// The functions of a name.
fn named(recording: &Recording, name: &str) -> anyhow::Result<Vec<FunctionId>> {
    let functions = &recording.functions;
    let found = functions.ids().filter(|&id| functions.get(id).name == name);
    let found: Vec<FunctionId> = found.collect();
    ensure!(
        !found.is_empty(),
        "--function '{}': the recording has no function of this name; `callscape functions` lists the names",
        escape::name(name)
    );
    Ok(found)
}

/// Fails if a condition names an argument that no call has.
fn ensure_known(recording: &Recording, conditions: &[Condition]) -> anyhow::Result<()> {
    let trace = &recording.trace;
    if trace.calls_with_arguments() == 0 {
        ensure!(
            recording.left_out.is_none(),
            "--max-frequency: arguments of calls are not kept with this option"
        );
        bail!(
            "{}: contains no arguments of calls; docs/formats.md lists the formats that have them",
            recording.name()
        );
    }
    let names = trace.argument_names();
    for condition in conditions {
        /// An error message names this many.
        const LISTED: usize = 20;
        if !names.contains(&condition.name) {
            let mut listed: Vec<_> = names
                .iter()
                .take(LISTED)
                .map(|it| escape::name(it))
                .collect();
            if names.len() > LISTED {
                listed.push(format!("and {} more", names.len() - LISTED).into());
            }
            bail!(
                "no call has the argument '{}'; there are: {}",
                escape::name(&condition.name),
                listed.join(", ")
            );
        }
    }
    Ok(())
}

fn over_time(trace: &Trace, of: Series) -> OverTime {
    let range = trace.range();
    let length = u128::from(range.end.since(range.start).ns());
    let count = of.columns.len() as u128;
    let border = |column: usize| Time::from_ns((length * column as u128).div_ceil(count) as u64);
    let columns = of.columns.iter().enumerate().map(|(at, column)| Column {
        from_ns: border(at),
        to_ns: border(at + 1),
        calls: column.calls,
        values: (column.calls > 0).then(|| Values {
            min: column.least,
            mean: column.mean(),
            max: column.most,
        }),
    });
    OverTime {
        calls: of.whole.calls,
        not_numbers: of.others,
        columns: columns.collect(),
        name: of.name,
    }
}

fn print(document: &Document<'_>) -> anyhow::Result<()> {
    output::print(|out| {
        let listed = match document.calls.len() as u64 {
            all if all == document.matches => String::new(),
            some => format!(", the first {} are listed", grouped(some)),
        };
        let (matches, all) = (document.matches, document.calls_with_arguments);
        writeln!(
            out,
            "{} of {} calls with arguments match{listed}",
            grouped(matches),
            grouped(all)
        )?;
        let mut table = Table::new(&[
            ("start", Align::Right),
            ("cost", Align::Right),
            ("thread", Align::Left),
            ("call", Align::Left),
        ]);
        for call in &document.calls {
            table.row([
                call.start_ns.to_string(),
                call.end_ns.since(call.start_ns).to_string(),
                call.thread.to_owned(),
                format!("{}{}", call.name, call.arguments.in_parentheses()),
            ]);
        }
        if !document.calls.is_empty() {
            table.write(out)?;
        }
        for of in document.over_time.iter().flatten() {
            writeln!(out)?;
            writeln!(out, "{} over time", escape::name(&of.name))?;
            print_over_time(of, out)?;
        }
        Ok(())
    })
}

fn print_over_time(of: &OverTime, out: &mut dyn std::io::Write) -> std::io::Result<()> {
    if of.calls == 0 {
        return writeln!(out, "no numbers in {} calls", grouped(of.not_numbers));
    }
    let mut table = Table::new(&[
        ("from", Align::Right),
        ("calls", Align::Right),
        ("min", Align::Right),
        ("mean", Align::Right),
        ("max", Align::Right),
    ]);
    for column in &of.columns {
        let values = column.values.as_ref();
        let number = |of: fn(&Values) -> f64| values.map_or_else(String::new, |it| short(of(it)));
        table.row([
            column.from_ns.to_string(),
            column.calls.to_string(),
            number(|it| it.min),
            number(|it| it.mean),
            number(|it| it.max),
        ]);
    }
    table.write(out)
}

/// A number with at most three digits behind the point.
fn short(number: f64) -> String {
    match number.abs() < 1e12 {
        true => ((number * 1000.0).round() / 1000.0).to_string(),
        false => format!("{number:e}"),
    }
}
