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
use callscape_import as import;
use callscape_record::recorder::{Recorder, State};
use callscape_record::{self as record, Ended, RecordError, Recorded, Seen, Switch, Wish};
use callscape_views::text::counted;

#[derive(Debug, clap::Args)]
#[command(about = "Record a program with the best available recorder and open the recording", after_help = EXAMPLES)]
pub(crate) struct RecordArgs {
    /// Program and arguments, after `--`
    #[arg(last = true, value_name = "CMD")]
    command: Vec<OsString>,
    /// Recorder to use: uftrace, frida, perf, viztracer, py-spy, node or jfr
    #[arg(long, value_name = "NAME")]
    with: Option<Recorder>,
    /// List the installed recorders, what each records, and the command that installs or permits it
    #[arg(long, exclusive = true)]
    list: bool,
    /// Recording to write [default: named after program and time, in the current folder]
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Record without opening the recording
    #[arg(long)]
    no_open: bool,
    /// Source tree to show the recording on [default: found from the file names in the recording]; --only and --without find
    /// paths in it
    #[arg(long, value_name = "SOURCE_DIR")]
    source: Option<PathBuf>,
    /// Also record allocations and releases (uftrace)
    #[arg(long)]
    memory: bool,
    /// Exclude functions that are called more often than this, such as 80/100ms: found while recording (frida), or in a
    /// short trial run before (uftrace)
    #[arg(long, value_name = "CALLS/TIME")]
    max_frequency: Option<callscape_facts::frequency::Frequency>,
    /// Keep the calls of these functions until they are found, marked in the recording (frida)
    #[arg(long, requires = "max_frequency")]
    keep_massive: bool,
    /// Do not record functions of this name, in which * matches any text, in this file or folder, if it has a slash, in
    /// this library, such as libz.so*, or in @FILE, a mapping file or the output of `findings --json`, or only in its entity
    /// or kind @FILE:NAME; their callees are attributed to their callers; may be repeated (uftrace, frida; viztracer for
    /// files; frida for libraries)
    #[arg(long, value_name = "NAME | PATH")]
    without: Vec<String>,
    /// Record only functions of this name, in which * matches any text, in this file or folder, if it has a slash, in this
    /// library, such as libz.so*, or in @FILE, a mapping file or the output of `findings --json`, or only in its entity or
    /// kind @FILE:NAME; may be repeated (uftrace, frida; viztracer for files; frida for libraries)
    #[arg(long, value_name = "NAME | PATH")]
    only: Vec<String>,
    /// Do not record functions with less than this many bytes of code (uftrace, frida)
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u32).range(1..))]
    min_size: Option<u32>,
    /// Record only calls up to this depth of the stack, of recorded functions (uftrace, frida, viztracer)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    max_depth: Option<u32>,
    /// Time after which the program is asked to end in the trial run for --max-frequency (uftrace)
    #[arg(long, value_name = "TIME", default_value = "3s", value_parser = duration)]
    probe: Duration,
    /// If patching crashes the program, rerun it a few times, without its standard streams, to find the functions
    /// responsible, then record it without patching those (uftrace)
    #[arg(long)]
    retry: bool,
    /// Record nothing until switched on with --on (frida, uftrace, perf)
    #[arg(long)]
    paused: bool,
    /// Let --on and --off switch recording while the program runs, as with --paused (frida, uftrace, perf)
    #[arg(long)]
    switchable: bool,
    /// Start recording process PID, a program run by `record --paused` or `--switchable`, or by frida
    #[arg(long, value_name = "PID", exclusive = true)]
    on: Option<u32>,
    /// Stop recording process PID until --on
    #[arg(long, value_name = "PID", exclusive = true)]
    off: Option<u32>,
    /// Record only while this function runs, in the thread that runs it (uftrace, frida)
    #[arg(long = "while", value_name = "FUNCTION", conflicts_with_all = ["retry"])]
    only_while: Option<String>,
    /// Keep only the end of the run, such as the last 10s (perf)
    #[arg(long, value_name = "TIME", value_parser = duration, conflicts_with_all = ["paused", "switchable"])]
    last: Option<Duration>,
    /// Save the most recent samples of process PID, started with `record --last`; the program keeps running
    #[arg(long, value_name = "PID", exclusive = true)]
    keep: Option<u32>,
    /// Record a process that is already running, until it exits or you press Ctrl + C: samples of Python with py-spy, of
    /// Node.js and Java with their own profilers, of anything else with perf (always perf with --last); every call with
    /// --calls
    #[arg(long, value_name = "PID", conflicts_with_all = ["command", "memory", "retry", "switchable"])]
    pid: Option<u32>,
    /// Record every call of the process: of Python with viztracer, of native code with frida
    #[arg(long, requires = "pid")]
    calls: bool,
    /// Do not show progress
    #[arg(long)]
    quiet: bool,
}

const EXAMPLES: &str = "Examples:
  callscape record -- ./app input.txt
  callscape record -o run.uftrace --no-open -- ./app input.txt
  callscape record --max-frequency 80/100ms -- ./app input.txt
  callscape record --without 'log_*' -- ./app input.txt
  callscape record --only lib/parser/ -- ./app input.txt
  callscape record -- python3 app.py
  callscape record -- node server.js
  callscape record --with perf -- ./app
  callscape record --pid 4711 --calls
  callscape record --list

The program keeps its standard streams, its exit code and the signals sent to it; if a signal ends it, the exit code \
is 128 plus the signal number, as in a shell. No shell is involved. Without a display, the output of `callscape info` \
is written to standard error instead of opening a window. See docs/recording.md.";

pub(crate) fn run(args: RecordArgs) -> anyhow::Result<()> {
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
        let message = "expected a program after --, as in `callscape record -- ./app`, found none";
        refuse(ErrorKind::MissingRequiredArgument, message);
    }
    let wish = wish(&args);
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
        let other = match recorded.by {
            Recorder::Uftrace => ", --with frida patches it differently,",
            _ => "",
        };
        say!(
            "callscape: if the program crashes only while being recorded, --retry reruns it without patching the \
             functions responsible{other} and --with perf records it unmodified"
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

/// What is asked for.
fn wish(args: &RecordArgs) -> Wish {
    Wish {
        command: args.command.clone(),
        with: args.with,
        output: args.output.clone(),
        memory: args.memory,
        retry: args.retry,
        max_frequency: args.max_frequency,
        keeps_massive: args.keep_massive,
        without: args.without.clone(),
        only: args.only.clone(),
        min_size: args.min_size,
        max_depth: args.max_depth,
        source: args.source.clone(),
        calls: args.calls,
        probe: args.probe,
        is_paused: args.paused,
        is_switchable: args.switchable,
        only_while: args.only_while.clone(),
        last: args.last,
        ..Wish::default()
    }
}

/// Prints the commands for the running program, as only this process has its PID.
fn tell_process(pid: u32, args: &RecordArgs) {
    if args.last.is_some() {
        say!("callscape: callscape record --keep {pid} saves the most recent samples");
        return;
    }
    let (now, to) = match args.paused {
        true => ("off", "on"),
        false => ("on", "off"),
    };
    say!("callscape: recording is {now}; callscape record --{to} {pid} switches it {to}");
}

/// A duration independent of a recording: greater than zero, and not a share.
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

/// Records a running process.
fn attach(args: &RecordArgs, pid: u32) -> anyhow::Result<()> {
    let shows = !args.quiet && io::stderr().is_terminal();
    say!("callscape: recording process {pid} until it exits or you press Ctrl + C");
    if args.paused {
        say!("callscape: recording is off; callscape record --on {pid} switches it on");
    }
    let mut seen = |seen: Seen| show(seen, shows);
    let attached = record::attach(pid, &wish(args), &mut seen);
    forget(shows);
    let attached = attached?;
    for note in &attached.notes {
        say!("callscape: {note}");
    }
    say_recorded(
        &attached.paths,
        attached.by,
        attached.elapsed,
        attached.bytes,
        "",
    );
    open(args, &attached.paths, &attached.program)
}

/// Removes the progress line.
fn forget(shows: bool) {
    if shows {
        messages::write("\r\x1b[K");
    }
}

/// Writes a line that overwrites the last one.
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

/// Reports the recording and opens it.
fn finish(args: &RecordArgs, recorded: &Recorded) -> anyhow::Result<()> {
    let ended = match recorded.ended {
        Ended::Code(0) => String::new(),
        Ended::Code(code) => format!("; the program ended with {code}"),
        Ended::Signal(signal) => format!("; signal {signal} ended the program"),
        Ended::Unknown => "; the exit status of the program is unknown".to_owned(),
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

/// Opens recordings in the window, or prints information on the first if there is no display.
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
        write_page: Some(super::playable::share_whole),
        ..Opening::default()
    };
    callscape_app::run(inputs, opening)
}

/// Source tree that contains the files of a recording.
fn source(recording: &Path, program: &Path) -> Option<PathBuf> {
    let opened =
        super::progress::with_progress(|progress| import::open_shared(recording, progress));
    let recording = opened.ok()?.ok()?;
    // The window opens it next.
    import::hold(&recording);
    record::find_source(&recording.functions, program)
}

/// Prints information on a recording to standard error, as standard output belongs to the program.
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
