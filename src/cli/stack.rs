//! `callscape stack`: Show the call stacks at a point in time

use serde::Serialize;

use super::calls::Arguments;
use super::output::{self, Align, Table};
use callscape_base::escape;
use callscape_base::units::{CallId, Cost, ThreadId, Time, TimeSpec};

#[derive(Debug, clap::Args)]
#[command(about = "Show the call stacks at a point in time", after_help = EXAMPLES)]
pub(crate) struct StackArgs {
    #[command(flatten)]
    input: super::trace_arg::TraceArg,
    /// The time: 12.5ms, 3s, 250us, 40% of the recording, or plain nanoseconds
    #[arg(long, value_name = "TIME")]
    at: TimeSpec,
    /// Only the thread with this id or name
    #[arg(long, value_name = "T")]
    thread: Option<String>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Example:\n  callscape stack trace.json --at 12.5ms";

#[derive(Serialize)]
struct Stack<'a> {
    thread: &'a str,
    process: &'a str,
    thread_name: &'a str,
    /// The gap in the recording that contains the time.
    #[serde(skip_serializing_if = "Option::is_none")]
    gap: Option<Gap>,
    frames: Vec<Frame<'a>>,
    /// What its outermost call was called by, by links to other threads, outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    called_from: Vec<Caller<'a>>,
}

#[derive(Serialize)]
struct Caller<'a> {
    thread: &'a str,
    process: &'a str,
    #[serde(flatten)]
    frame: Frame<'a>,
}

#[derive(Serialize)]
struct Frame<'a> {
    name: &'a str,
    start_ns: Time,
    end_ns: Time,
    /// Also what it returned, as `return`.
    #[serde(skip_serializing_if = "Arguments::is_empty")]
    arguments: Arguments,
}

/// From `from_ns` to before `to_ns`.
#[derive(Clone, Copy, Serialize)]
struct Gap {
    from_ns: Time,
    to_ns: Time,
}

pub(crate) fn run(args: StackArgs) -> anyhow::Result<()> {
    let session = output::open(&args.input)?;
    let recording = &output::recording(&session)?.recording;
    output::ensure_times(recording, "no stack is open at a time")?;
    let trace = &recording.trace;
    let at = args.at.resolve(trace.duration());
    let gap = recording.gaps.at(at).map(|gap| Gap {
        from_ns: gap.start,
        to_ns: gap.end,
    });
    let (mut open, mut path) = (Vec::new(), Vec::new());
    let frame = |thread: ThreadId, id: CallId| {
        let call = trace.call(thread, id);
        Frame {
            name: recording.functions.get(call.function).name,
            start_ns: call.start,
            end_ns: call.end,
            arguments: Arguments(trace.arguments(thread, id)),
        }
    };
    let stacks: Vec<Stack<'_>> = super::threads::find(trace, args.thread.as_deref())?
        .into_iter()
        .map(|thread| {
            trace.stack_at(thread, at, &mut open);
            let frames = open.iter().map(|&id| frame(thread, id));
            let frames = frames.collect();
            trace.stack_with_links(thread, at, &mut path);
            let linked = &path[..path.len() - open.len()];
            let called_from = linked.iter().map(|&(thread, id)| {
                let of = &trace.threads()[thread.index()];
                Caller {
                    thread: &of.id,
                    process: &of.process,
                    frame: frame(thread, id),
                }
            });
            let called_from = called_from.collect();
            let thread = &trace.threads()[thread.index()];
            Stack {
                thread: &thread.id,
                process: &thread.process,
                thread_name: &thread.name,
                gap,
                frames,
                called_from,
            }
        })
        .collect();
    output::ensure_whole(recording)?;
    if args.json {
        return output::print_json(&stacks);
    }
    output::print(|out| {
        if let Some(Gap { from_ns, to_ns }) = gap {
            writeln!(
                out,
                "nothing was recorded then: recording was off from {from_ns} to {to_ns}"
            )?;
        }
        for stack in &stacks {
            writeln!(
                out,
                "thread {} {}",
                escape::name(stack.thread),
                escape::name(stack.thread_name)
            )?;
            if stack.frames.is_empty() {
                writeln!(out, "  no call is open")?;
            }
            for caller in &stack.called_from {
                let name = escape::name(caller.frame.name);
                writeln!(
                    out,
                    "  called by {name} of thread {}",
                    escape::name(caller.thread)
                )?;
            }
            let mut table = Table::new(&[
                ("  since", Align::Right),
                ("cost", Align::Right),
                ("function", Align::Left),
            ]);
            for (depth, frame) in stack.frames.iter().enumerate() {
                let cost: Cost = frame.end_ns.since(frame.start_ns);
                let since = at.since(frame.start_ns);
                // Deep stacks stay readable: past some depth the number tells more than the indent.
                let indent = " ".repeat(depth.min(40));
                table.row([
                    since.to_string(),
                    cost.to_string(),
                    format!("{indent}{}{}", frame.name, frame.arguments.in_parentheses()),
                ]);
            }
            if !stack.frames.is_empty() {
                table.write(out)?;
            }
        }
        Ok(())
    })
}
