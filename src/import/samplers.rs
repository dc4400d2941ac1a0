//! Which threads a sampler sees, and what a sample of it stands for.

use callscape_base::units::Unit;
use callscape_facts::profile::Value;

/// Which threads are sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sees {
    /// Only those that have a processor.
    Running,
    /// Waiting ones too.
    Waiting,
}

/// Which time a sample stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Covers {
    /// Its weight before its time stamp, at most up to the sample before: the sampler fires at the end of a period.
    Before,
    /// All up to the next sample: the file tells these distances as weights. With an amount, or an interval that the file
    /// tells, that time after its time stamp, at most up to the next sample.
    UntilNext,
}

/// What the amount of a sample counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counts {
    Nanoseconds,
    Events,
}

/// One kind of sampler.
#[derive(Debug, PartialEq, Eq)]
pub struct Sampler {
    /// The identifier of the format.
    pub format: &'static str,
    /// How the format names its events; empty for all others of the format.
    pub event: &'static str,
    pub sees: Sees,
    pub covers: Covers,
    pub counts: Counts,
    /// Where that is written.
    pub source: &'static str,
}

/// The values of clocks.
const PROCESSOR_TIME: &str = "processor time";
pub const WALL_TIME: &str = "wall time";

const PERF: &str = "https://man7.org/linux/man-pages/man2/perf_event_open.2.html";
const JFR: &str =
    "https://github.com/openjdk/jdk/blob/master/src/hotspot/share/jfr/periodic/sampling";
const ASYNC: &str =
    "https://github.com/async-profiler/async-profiler/blob/master/docs/ProfilingModes.md";
const FIREFOX: &str = "https://github.com/firefox-devtools/profiler/blob/main/docs-developer/processed-profile-format.md";
const V8: &str = "https://v8.dev/docs/profile";

const fn row(
    format: &'static str,
    event: &'static str,
    sees: Sees,
    covers: Covers,
    counts: Counts,
    source: &'static str,
) -> Sampler {
    Sampler {
        format,
        event,
        sees,
        covers,
        counts,
        source,
    }
}

/// By format, those of all other events last.
#[rustfmt::skip]
pub static SAMPLERS: [Sampler; 35] = {
    use Counts::{Events, Nanoseconds};
    use Covers::{Before, UntilNext};
    use Sees::{Running, Waiting};
    [
        row("perf-script", "cpu-clock", Running, Before, Nanoseconds, PERF),
        row("perf-script", "task-clock", Running, Before, Nanoseconds, PERF),
        // Cycles, instructions, misses, tracepoints: of the thread that runs.
        row("perf-script", "", Running, Before, Events, PERF),
        row("perf-data", "cpu-clock", Running, Before, Nanoseconds, PERF),
        row("perf-data", "task-clock", Running, Before, Nanoseconds, PERF),
        row("perf-data", "", Running, Before, Events, PERF),
        // async-profiler writes those of cpu and itimer under this name too.
        row("jfr", "ExecutionSample", Running, Before, Nanoseconds, JFR),
        row("jfr", "CPUTimeSample", Running, Before, Nanoseconds, "https://openjdk.org/jeps/509"),
        // A thread in native code may wait in it.
        row("jfr", "NativeMethodSample", Waiting, Before, Events, JFR),
        row("jfr", "WallClockSample", Waiting, Before, Nanoseconds, ASYNC),
        // Threads that are told to sleep, park or want a monitor, beside samples of those that run.
        row("jfr", "waiting", Waiting, Before, Nanoseconds, ASYNC),
        row("cpuprofile", "", Waiting, UntilNext, Nanoseconds, V8),
        row("chrome-json", "", Waiting, UntilNext, Nanoseconds, V8),
        // How long a thread ran, which the file tells of each sample.
        row("firefox", "threadCPUDelta", Running, UntilNext, Nanoseconds, "https://firefox-source-docs.mozilla.org/tools/profiler/"),
        // What the weights of its samples count.
        row("firefox", "bytes", Running, UntilNext, Events, FIREFOX),
        row("firefox", "tracing-ms", Running, UntilNext, Events, FIREFOX),
        row("firefox", "weight", Running, UntilNext, Events, FIREFOX),
        row("firefox", "", Waiting, UntilNext, Nanoseconds, FIREFOX),
        // py-spy, rbspy and others whose files hold the time of each stack.
        row("speedscope", "", Waiting, UntilNext, Nanoseconds, "https://github.com/jlfwong/speedscope/wiki/Importing-from-custom-sources"),
        row("sentry", "", Waiting, UntilNext, Nanoseconds, "https://develop.sentry.dev/sdk/telemetry/profiles/"),
        // All threads with managed code, wherever they are.
        row("nettrace", "", Waiting, UntilNext, Nanoseconds, "https://github.com/dotnet/runtime/blob/main/src/native/eventpipe/ep-sample-profiler.c"),
        // The VM interrupts the threads that run Dart.
        row("dart", "", Running, Before, Nanoseconds, "https://github.com/dart-lang/sdk/blob/main/runtime/vm/service/service.md"),
        row("pprof", "wall", Waiting, UntilNext, Nanoseconds, "https://github.com/felixge/fgprof"),
        row("pprof", "", Running, Before, Nanoseconds, "https://pkg.go.dev/runtime/pprof#StartCPUProfile"),
        row("hprof", "", Running, Before, Events, "https://docs.oracle.com/javase/7/docs/technotes/samples/hprof.html"),
        row("go-trace", "", Running, Before, Nanoseconds, "https://pkg.go.dev/runtime/pprof#StartCPUProfile"),
        row("xctrace", "", Running, Before, Nanoseconds, "https://keith.github.io/xcode-man-pages/xctrace.1.html"),
        row("folded", "wall", Waiting, UntilNext, Nanoseconds, "https://github.com/P403n1x87/austin#usage"),
        row("folded", "cpu", Running, UntilNext, Nanoseconds, "https://github.com/P403n1x87/austin#usage"),
        row("austin", "wall", Waiting, UntilNext, Nanoseconds, "https://github.com/P403n1x87/austin#usage"),
        row("austin", "cpu", Running, UntilNext, Nanoseconds, "https://github.com/P403n1x87/austin#usage"),
        row("gprof", "", Running, Before, Nanoseconds, "https://sourceware.org/binutils/docs/gprof/Sampling-Error.html"),
        // The time since the sample before is that of the stack that is found.
        row("pyinstrument", "", Waiting, Before, Nanoseconds, "https://pyinstrument.readthedocs.io/en/latest/how-it-works.html"),
        row("stackprof", "cpu", Running, Before, Nanoseconds, "https://github.com/tmm1/stackprof#sampling"),
        row("stackprof", "wall", Waiting, Before, Nanoseconds, "https://github.com/tmm1/stackprof#sampling"),
    ]
};

/// The value of how many samples there are.
pub(crate) fn samples() -> Value {
    Value {
        name: "samples".to_owned(),
        unit: Unit::Things("samples".to_owned()),
    }
}

/// The sampler of this event in this format: events may have modifiers (`cpu-clock:u`) and a package (`jdk.`).
pub fn of(format: &str, event: &str) -> Option<&'static Sampler> {
    let event = event.rsplit_once('.').map_or(event, |(_, name)| name);
    let event = event.split(':').next().unwrap_or_default();
    let of_format = || SAMPLERS.iter().filter(|it| it.format == format);
    let named = of_format().find(|it| it.event == event);
    named.or_else(|| of_format().find(|it| it.event.is_empty()))
}

/// The same of a format that has a row for all events.
pub fn in_format(format: &str, event: &str) -> &'static Sampler {
    of(format, event).expect("the format has a row for all events")
}

/// The sampler of a format with but one.
pub fn only(format: &str) -> &'static Sampler {
    in_format(format, "")
}

impl Sampler {
    /// The value of the time that samples stand for.
    pub fn time(&self) -> Value {
        let name = match self.sees {
            Sees::Running => PROCESSOR_TIME,
            Sees::Waiting => WALL_TIME,
        };
        Value {
            name: name.to_owned(),
            unit: Unit::Nanoseconds,
        }
    }

    /// The value of what an event of this name counts.
    pub fn counter(&self, event: &str) -> Value {
        Value {
            name: event.to_owned(),
            unit: match event {
                "bytes" => Unit::Bytes,
                "tracing-ms" => Unit::Nanoseconds,
                "weight" => Unit::Things("samples".to_owned()),
                event => Unit::Things(event.to_owned()),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::FORMATS;

    #[test]
    fn each_row_is_of_a_format_and_has_a_source() {
        for sampler in &SAMPLERS {
            assert!(FORMATS.iter().any(|it| it.id == sampler.format));
            assert!(sampler.source.starts_with("https://"));
            assert_eq!(of(sampler.format, sampler.event), Some(sampler));
        }
    }

    #[test]
    fn events_have_modifiers_and_packages() {
        let sees = |format, event| of(format, event).map(|it| (it.sees, it.counts));
        let clock = Some((Sees::Running, Counts::Nanoseconds));
        assert_eq!(sees("perf-script", "cpu-clock:u"), clock);
        assert_eq!(sees("jfr", "com.oracle.jdk.ExecutionSample"), clock);
        let counter = Some((Sees::Running, Counts::Events));
        assert_eq!(sees("perf-script", "cycles:ppp"), counter);
        assert_eq!(sees("perf-script", "sched:sched_switch"), counter);
        assert_eq!(sees("uftrace", ""), None);
    }
}
