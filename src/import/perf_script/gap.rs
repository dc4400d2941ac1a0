//! When recording was switched off: perf notes nothing of it, so that `callscape record` writes a comment between samples.

use std::fmt;

use callscape_base::units::{Time, TimeRange};
use callscape_facts::gaps::Gaps;
use callscape_facts::trace::Trace;

const BEGIN: &str = "# callscape: recording was off from ";
const BETWEEN: &str = " to ";
const END: &str = " ns";

/// A time in which nothing was recorded, by the clock of the samples in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    pub start: i64,
    /// After `start`.
    pub end: i64,
}

impl fmt::Display for Gap {
    /// The comment, without an end of line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{BEGIN}{}{BETWEEN}{}{END}", self.start, self.end)
    }
}

impl Gap {
    /// The gap in such a comment; none in others.
    pub fn parse(line: &[u8]) -> Option<Gap> {
        let line = str::from_utf8(line).ok()?.trim_ascii_end();
        let times = line.strip_prefix(BEGIN)?.strip_suffix(END)?;
        let (start, end) = times.split_once(BETWEEN)?;
        let (start, end) = (start.parse().ok()?, end.parse().ok()?);
        (start < end).then_some(Gap { start, end })
    }
}

/// The gaps on the clock of a trace.
pub fn on_clock_of(trace: &Trace, gaps: &[Gap]) -> Gaps {
    let time =
        |ns: i64| Time::from_ns(u64::try_from(ns.saturating_sub(trace.origin())).unwrap_or(0));
    let ranges = gaps.iter().map(|gap| TimeRange {
        start: time(gap.start),
        end: time(gap.end),
    });
    Gaps::of(ranges.collect()).before(trace.range().end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Input;
    use callscape_base::progress::Progress;
    use callscape_base::units::{CallId, ThreadId};

    #[test]
    fn gaps_are_read_as_they_are_written_and_other_comments_are_none() {
        let gap = Gap { start: 12, end: 34 };
        assert_eq!(Gap::parse(gap.to_string().as_bytes()), Some(gap));
        for other in [
            "# callscape: recording was off from 12 to 12 ns",
            "# callscape: recording was off from 12 to x ns",
            "# callscape: recording was off from 12 ns",
            "# ========",
            "",
        ] {
            assert_eq!(Gap::parse(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn calls_end_where_recording_was_switched_off() {
        let sample = |time: &str| {
            format!("app 1 {time}: 1000000 cpu-clock:u:\n\t10 f (/app)\n\t20 main (/app)\n\n")
        };
        let gap = Gap {
            start: 1_001_500_000,
            end: 1_010_000_000,
        };
        let text = [
            sample("1.000000"),
            sample("1.001000"),
            format!("{gap}\n"),
            sample("1.010500"),
            sample("1.011500"),
        ];
        let path = std::env::temp_dir().join(format!("callscape-gap-{}", std::process::id()));
        std::fs::write(&path, text.concat()).expect("it can be written");
        let input = Input::on_disk(path.clone());
        let recording = super::super::import(&input, &Progress::new()).expect("it is whole");
        std::fs::remove_file(path).expect("it is there");
        let calls: Vec<(u64, u64)> = (0..4)
            .map(|call| recording.trace.call(ThreadId(0), CallId(call)))
            .map(|call| (call.start.ns(), call.end.ns()))
            .collect();
        // From one period before the first sample, and from when recording was on again.
        let [before, after] = [(0, 2_000_000), (11_000_000, 12_500_000)];
        assert_eq!(calls, [before, before, after, after]);
        let off = TimeRange {
            start: Time::from_ns(2_500_000),
            end: Time::from_ns(11_000_000),
        };
        assert_eq!(recording.gaps, Gaps::of(vec![off]));
    }
}
