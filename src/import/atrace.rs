//! The marks that programs write into the trace of the kernel: Android's atrace, and whatever writes to `trace_marker` as it
//! does. Specification: `libs/tracing_perfetto` and `libcutils/include/cutils/trace.h` of Android,
//! <https://android.googlesource.com/platform/system/core/+/refs/heads/main/libcutils/include/cutils/trace.h>.

use std::collections::HashMap;

/// What a mark says. Processes are as they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark<'a> {
    /// A call begins on the thread that writes it.
    Begin { process: &'a str, name: &'a str },
    /// Its innermost call ends.
    End,
    /// A call begins or ends that belongs to no thread; name or track, and cookie say which.
    Async {
        begins: bool,
        process: &'a str,
        name: &'a str,
        key: (&'a str, &'a str),
    },
    /// Counters and instants.
    Other,
}

/// A mark; none of another text.
pub(crate) fn mark(text: &str) -> Option<Mark<'_>> {
    let text = text.trim_end();
    let (kind, rest) = text.split_once('|').unwrap_or((text, ""));
    let (process, rest) = rest.split_once('|').unwrap_or((rest, ""));
    match kind {
        "B" => Some(Mark::Begin {
            process,
            name: rest,
        }),
        "E" => Some(Mark::End),
        "S" | "F" => Some(Mark::Async {
            begins: kind == "S",
            process,
            name: rest.rsplit_once('|').map_or(rest, |(name, _)| name),
            key: rest.rsplit_once('|').unwrap_or((rest, "")),
        }),
        // On a track that they name; the end does not say which call.
        "G" | "H" => {
            let (track, call) = rest.split_once('|').unwrap_or((rest, ""));
            let (name, cookie) = call.rsplit_once('|').unwrap_or(("", call));
            Some(Mark::Async {
                begins: kind == "G",
                process,
                name,
                key: (track, cookie),
            })
        }
        "C" | "I" | "N" => Some(Mark::Other),
        _ => None,
    }
}

/// Which lane of its process each open call is on that belongs to no thread, from 1.
#[derive(Default)]
pub(crate) struct Lanes {
    open: HashMap<(String, String, String), u32>,
    /// By process, how many there are and which are free.
    of: HashMap<String, (u32, Vec<u32>)>,
}

impl Lanes {
    /// The lane on which a call begins or ends; none where it did not begin, or begins again.
    pub(crate) fn lane(&mut self, begins: bool, process: &str, key: (&str, &str)) -> Option<u32> {
        let call = (process.to_owned(), key.0.to_owned(), key.1.to_owned());
        let (count, free) = self.of.entry(process.to_owned()).or_default();
        if !begins {
            let lane = self.open.remove(&call)?;
            free.push(lane);
            return Some(lane);
        }
        if self.open.contains_key(&call) {
            return None;
        }
        let lane = free.pop().unwrap_or_else(|| {
            *count += 1;
            *count
        });
        self.open.insert(call, lane);
        Some(lane)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_taken_apart() {
        let process = "10";
        let named = |begins, name, key| Mark::Async {
            begins,
            process,
            name,
            key,
        };
        for (text, expected) in [
            (
                "B|10|a|b\n",
                Some(Mark::Begin {
                    process,
                    name: "a|b",
                }),
            ),
            ("E|10", Some(Mark::End)),
            ("E", Some(Mark::End)),
            (
                "S|10|load x|7",
                Some(named(true, "load x", ("load x", "7"))),
            ),
            (
                "F|10|load x|7",
                Some(named(false, "load x", ("load x", "7"))),
            ),
            ("G|10|net|get|7", Some(named(true, "get", ("net", "7")))),
            ("H|10|net|7", Some(named(false, "", ("net", "7")))),
            ("C|10|heap|3", Some(Mark::Other)),
            ("hello", None),
        ] {
            assert_eq!(mark(text), expected, "{text}");
        }
    }

    #[test]
    fn lanes_are_taken_again() {
        let mut lanes = Lanes::default();
        assert_eq!(lanes.lane(true, "1", ("a", "")), Some(1));
        assert_eq!(lanes.lane(true, "1", ("b", "")), Some(2));
        assert_eq!(lanes.lane(false, "1", ("a", "")), Some(1));
        assert_eq!(lanes.lane(true, "1", ("c", "")), Some(1));
        assert_eq!(lanes.lane(true, "2", ("c", "")), Some(1));
        assert_eq!(lanes.lane(false, "2", ("d", "")), None);
    }
}
