//! `callscape record`: Records a program with the best recorder there is, and opens what was recorded

use std::env;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::error::ErrorKind;

use super::output::{self, Align, Table};
use super::trace_arg::TraceArg;
use super::usage::refuse;
use super::{frequency, info, messages};
use callscape_analysis::session::Inputs;
use callscape_app::Opening;
use callscape_base::escape;
use callscape_base::units::{Cost, Time, TimeSpec, Unit};
use callscape_record::recorder::{Recorder, State};
use callscape_record::{self as record, Ended, RecordError, Recorded, Seen, Switch, Wish};
use callscape_views::text::counted;

#[derive(Debug, clap::Args)]
#[command(about = "Record a program with the best recorder there is, and open the recording", after_help = EXAMPLES)]
pub struct RecordArgs {
    /// The program and its arguments, behind --
    #[arg(last = true, value_name = "CMD")]
    command: Vec<OsString>,
    /// The recorder to take: uftrace, perf, viztracer, py-spy, node or jfr
    #[arg(long, value_name = "NAME")]
    with: Option<Recorder>,
    /// Say which recorders are installed, what each records, and the command that installs or permits it
    #[arg(long, exclusive = true)]
    list: bool,
    /// Where the recording goes [default: named after program and time, in the current folder]
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Only record
    #[arg(long)]
    no_open: bool,
    /// The source tree to show the recording over [default: found from what the recording says of its files]
    #[arg(long, value_name = "SOURCE_DIR")]
    source: Option<PathBuf>,
    /// Record allocations and releases too (uftrace)
    #[arg(long)]
    memory: bool,
    /// Leave out functions that a short trial run calls more often than this, such as 80/100ms (uftrace)
    #[arg(long, value_name = "CALLS/TIME")]
    max_frequency: Option<callscape_facts::frequency::Frequency>,
    /// How long the trial run for --max-frequency may take before the program is asked to end
    #[arg(long, value_name = "TIME", default_value = "3s", value_parser = duration)]
    probe: Duration,
    /// Where the program crashes because it is patched, run it again to find the functions that break it, and record it
    /// without these: a few runs more, without its standard streams (uftrace)
    #[arg(long)]
    retry: bool,
    /// Record nothing until --on says so (uftrace, perf)
    #[arg(long)]
    paused: bool,
    /// Let --on and --off switch recording while the program runs, as with --paused (uftrace, perf)
    #[arg(long)]
    switchable: bool,
    /// Start recording process PID, a program run by `record --paused` or `--switchable`
    #[arg(long, value_name = "PID", exclusive = true)]
    on: Option<u32>,
    /// Stop recording process PID until --on
    #[arg(long, value_name = "PID", exclusive = true)]
    off: Option<u32>,
    /// Record only while this function runs, in the thread that runs it (uftrace)
    #[arg(long = "while", value_name = "FUNCTION", conflicts_with_all = ["max_frequency", "retry"])]
    only_while: Option<String>,
    /// Keep only the end of the run, such as the last 10s (perf)
    #[arg(long, value_name = "TIME", value_parser = duration, conflicts_with_all = ["paused", "switchable"])]
    last: Option<Duration>,
    /// Keep what was sampled last of process PID, a program run by `record --last`, until now; the program goes on
    #[arg(long, value_name = "PID", exclusive = true)]
    keep: Option<u32>,
    /// Record a process that runs already, until it ends or Ctrl + C: Python with py-spy, all else with perf (with --last always
    /// perf)
    #[arg(long, value_name = "PID", conflicts_with_all = ["command", "memory", "max_frequency", "retry", "paused", "switchable", "only_while"])]
    pid: Option<u32>,
    /// Do not show progress
    #[arg(long)]
    quiet: bool,
}

const EXAMPLES: &str = "Examples:
  callscape record -- ./app input.txt
  callscape record -o run.uftrace --no-open -- ./app input.txt
  callscape record --max-frequency 80/100ms -- ./app input.txt
  callscape record -- python3 app.py
  callscape record -- node server.js
  callscape record --with perf -- ./app
  callscape record --list

The program keeps its standard streams, its exit code and the signals that are sent to it; a signal that ends it is told as
128 and its number, as shells do. Nothing goes through a shell. Without a display, `callscape info` of the recording is
written to standard error in place of a window. See docs/recording.md.";

pub fn run(args: RecordArgs) -> anyhow::Result<()> {
    if args.list {
        return list();
    }
    if let Some(pid) = args.on {
        return Ok(record::switch(pid, Switch::On, record::ANSWER)?);
    }
    if let Some(pid) = args.off {
        return Ok(record::switch(pid, Switch::Off, record::ANSWER)?);
    }
    if let Some(pid) = args.keep {
        return Ok(record::keep(pid)?);
    }
    if let Some(pid) = args.pid {
        return attach(&args, pid);
    }
    if args.command.is_empty() {
        let message = "expected a program behind --, as in `callscape record -- ./app`, found none";
        refuse(ErrorKind::MissingRequiredArgument, message);
    }
    let wish = Wish {
        command: args.command.clone(),
        with: args.with,
        output: args.output.clone(),
        memory: args.memory,
        retry: args.retry,
        max_frequency: args.max_frequency,
        probe: args.probe,
        is_paused: args.paused,
        is_switchable: args.switchable,
        only_while: args.only_while.clone(),
        last: args.last,
        ..Wish::default()
    };
    let shows = !args.quiet && io::stderr().is_terminal();
    let mut say = |line: &str| say!("callscape: {line}");
    let mut is_told = !(args.paused || args.switchable || args.last.is_some());
    let mut see = |seen: Seen| {
        if let Some(pid) = seen.program.filter(|_| !is_told) {
            is_told = true;
            tell_process(pid, &args);
        }
        show(seen, shows);
    };
    let recorded = record::record(&wish, &mut say, &mut see);
    forget(shows);
    let recorded = match recorded {
        Err(error @ RecordError::Language { .. }) => {
            return Err(anyhow::anyhow!(
                "{error}. --with perf records its interpreter"
            ));
        }
        Err(RecordError::Failed { ended, .. })
            if !matches!(ended, Ended::Unknown | Ended::Code(0)) =>
        {
            // The program ran, and what it ended with is waited for.
            if let Err(error) = recorded {
                messages::say_error(&error.into());
            }
            std::process::exit(ended.code())
        }
        recorded => recorded?,
    };
    let code = match recorded.ended {
        // It does not tell.
        Ended::Unknown if recorded.by == Recorder::PySpy => 0,
        ended => ended.code(),
    };
    if recorded.may_be_broken() && !args.retry {
        say!(
            "callscape: should it crash only while it is recorded, --retry runs it again without the functions that break \
             it, and --with perf records it unchanged"
        );
    }
    let opened = finish(&args, &recorded);
    if let Err(error) = &opened {
        messages::say_error(error);
    }
    let _ = io::stdout().flush();
    // What the program ended with is what whoever started this waits for.
    let failed = opened.is_err() && code == 0;
    std::process::exit(if failed { 1 } else { code })
}

/// Says what can be asked for while a program runs: nobody else knows its process.
fn tell_process(pid: u32, args: &RecordArgs) {
    if args.last.is_some() {
        say!("callscape: callscape record --keep {pid} keeps what was sampled last before it");
        return;
    }
    let (now, to) = match args.paused {
        true => ("off", "on"),
        false => ("on", "off"),
    };
    say!("callscape: recording is {now}; callscape record --{to} {pid} switches it {to}");
}

/// A length of time that is none of a trace: more than nothing, and no share.
fn duration(text: &str) -> Result<Duration, String> {
    match text.parse() {
        Ok(TimeSpec::At(time)) if time > Time::ZERO => {
            Ok(Duration::from_nanos(time.since(Time::ZERO).ns()))
        }
        _ => Err(format!(
            "expected a time above zero like 10s, 500ms, 250us or plain nanoseconds, found '{text}'"
        )),
    }
}

/// Records a process that runs.
fn attach(args: &RecordArgs, pid: u32) -> anyhow::Result<()> {
    let shows = !args.quiet && io::stderr().is_terminal();
    say!("callscape: recording process {pid} until it ends or Ctrl + C");
    let mut seen = |seen: Seen| show(seen, shows);
    let attached = {
        let output = args.output.as_deref();
        record::attach(pid, args.with, output, args.last, &mut seen)
    };
    forget(shows);
    let attached = attached?;
    say_recorded(
        &attached.paths,
        attached.by,
        attached.elapsed,
        attached.bytes,
        "",
    );
    open(args, &attached.paths, &attached.program)
}

/// Takes the line of progress away.
fn forget(shows: bool) {
    if shows {
        messages::write("\r\x1b[K");
    }
}

/// One line that is written over.
fn show(seen: Seen, shows: bool) {
    if !shows {
        return;
    }
    let bytes = Unit::Bytes.show(Cost::from_ns(seen.bytes));
    let seconds = seen.elapsed.as_secs_f64();
    // Of what is known by the size alone.
    let calls = seen
        .calls
        .filter(|&it| it > 0)
        .map(|it| format!(", ≈ {}", counted(it, "call", "calls")));
    let calls = calls.unwrap_or_default();
    messages::write(&format!(
        "\rrecording: {seconds:.1} s, {bytes}{calls}\x1b[K"
    ));
}

/// Says what was recorded and opens it.
fn finish(args: &RecordArgs, recorded: &Recorded) -> anyhow::Result<()> {
    let ended = match recorded.ended {
        Ended::Code(0) => String::new(),
        Ended::Code(code) => format!("; the program ended with {code}"),
        Ended::Signal(signal) => format!("; signal {signal} ended the program"),
        Ended::Unknown => "; how the program ended is not known".to_owned(),
    };
    say_recorded(
        &recorded.paths,
        recorded.by,
        recorded.elapsed,
        recorded.bytes,
        &ended,
    );
    open(args, &recorded.paths, &recorded.program.path)
}

fn say_recorded(paths: &[PathBuf], by: Recorder, elapsed: Duration, bytes: u64, ended: &str) {
    let names: Vec<String> = paths.iter().map(|it| it.display().to_string()).collect();
    let bytes = Unit::Bytes.show(Cost::from_ns(bytes));
    let (by, seconds) = (by.name(), elapsed.as_secs_f64());
    say!(
        "callscape: recorded by {by} in {seconds:.2} s, {bytes}: {}{ended}",
        names.join(", ")
    );
}

/// Opens recordings in the window; where there is no display, says what is in the first.
fn open(args: &RecordArgs, paths: &[PathBuf], program: &Path) -> anyhow::Result<()> {
    if args.no_open {
        return Ok(());
    }
    let Some(first) = paths.first() else {
        return Ok(());
    };
    let has_display = ["DISPLAY", "WAYLAND_DISPLAY"]
        .iter()
        .any(|it| env::var_os(it).is_some());
    if !has_display {
        return tell(args, first);
    }
    let source_dir = args.source.clone().or_else(|| source(first, program));
    let inputs = Inputs {
        source_dir,
        recordings: paths.to_vec(),
        ..Inputs::default()
    };
    let opening = Opening {
        max_frequency: args.max_frequency,
        ..Opening::default()
    };
    callscape_app::run(inputs, opening)
}

/// The source tree that the files in a recording lie in.
fn source(recording: &Path, program: &Path) -> Option<PathBuf> {
    let opened =
        super::progress::with_progress(|progress| callscape_import::open(recording, progress));
    let recording = opened.ok()?.ok()?;
    record::find_source(&recording.functions, program)
}

/// Says on standard error what is in a recording: standard output is the program's.
fn tell(args: &RecordArgs, recording: &Path) -> anyhow::Result<()> {
    let input = TraceArg {
        trace: recording.to_path_buf(),
        source: args.source.clone(),
        value: None,
        left_out: frequency::FrequencyArg::default(),
    };
    let text = info::text(&input)?;
    messages::write(&escape::lines(&text));
    Ok(())
}

/// The recorders as a table.
fn list() -> anyhow::Result<()> {
    let mut table = Table::new(&[
        ("recorder", Align::Left),
        ("records", Align::Left),
        ("here", Align::Left),
    ]);
    for recorder in Recorder::ALL {
        let state = match recorder.state() {
            State::Ready(version) => format!("yes: {}", escape::name(&version)),
            State::Missing(install) => format!("no: {install}"),
            State::Unfit(why) => format!("no: {}", escape::name(&why)),
        };
        table.row([
            recorder.name().to_owned(),
            recorder.about().to_owned(),
            state,
        ]);
    }
    output::print(|out| table.write(out))
}
