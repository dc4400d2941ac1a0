//! Formats that people have and that are not read: what they are called and what makes one of them that is, for the
//! message that says why a file cannot be opened.

use super::{document, text};
use callscape_base::escape;

const TO_PPROF: &str =
    "make a profile in protocol buffers of it with 'go tool pprof -proto FILE > FILE.pb.gz'";

const OTHER_RECORDER: &str = "open what 'uftrace record' or 'perf record' gives";

const ANDROID: &str = "record with Perfetto or simpleperf";

/// The first bytes of a file, what it is, and what to do with it.
const BEGINNINGS: &[(&[u8], &str, &str)] = &[
    (b"heap profile:", "pprof's old text of a heap", TO_PPROF),
    (b"--- heapz", "pprof's old text of a heap", TO_PPROF),
    (b"--- heap", "pprof's old text of a heap", TO_PPROF),
    (
        b"--- contention",
        "pprof's old text of contention",
        TO_PPROF,
    ),
    (b"--- mutex", "pprof's old text of contention", TO_PPROF),
    (b"--- threadz", "pprof's old text of threads", TO_PPROF),
    (
        b"goroutine profile:",
        "pprof's text for people",
        "record it without 'debug=1'",
    ),
    (
        b"threadcreate profile:",
        "pprof's text for people",
        "record it without 'debug=1'",
    ),
    (
        b"PeriodType:",
        "pprof's text for people",
        "open the profile itself",
    ),
    (
        b"JAVA PROFILE 1.",
        "a heap dump of Java",
        "record with 'format=a' for text with CPU samples",
    ),
    (
        b"gmon",
        "a profile of gprof",
        "open what 'gprof PROGRAM FILE' prints of it",
    ),
    (
        b"Nettrace",
        "a trace of .NET",
        "convert it with 'dotnet-trace convert FILE --format Speedscope'",
    ),
    (
        b"\x14\0\0\0!FastSerialization",
        "a trace of .NET",
        "open it with PerfView and save it in speedscope's format",
    ),
    (
        b"sample.interval=",
        "a profile of R",
        "convert it with writeCallgrindFile of the package proftools",
    ),
    (
        b"memray",
        "a recording of memray",
        "convert it with 'memray transform gprof2dot FILE'; or open what 'heaptrack python3 SCRIPT' records",
    ),
    (
        b"SIMPLEPERF",
        "a report of simpleperf",
        "open the recording itself, 'perf.data'",
    ),
    (b"*version", "a method trace of Android's runtime", ANDROID),
    (b"SLOW", "a method trace of Android's runtime", ANDROID),
    (
        b"tracy",
        "a trace of Tracy",
        "convert it with 'tracy-csvexport FILE > FILE.csv'",
    ),
    (
        b"tlZ\x04",
        "a trace of Tracy",
        "convert it with 'tracy-csvexport FILE > FILE.csv'",
    ),
    (
        b"tr\xfdP",
        "a trace of Tracy",
        "convert it with 'tracy-csvexport FILE > FILE.csv'",
    ),
    (
        b"\x04\x08{",
        "a profile of stackprof",
        "convert it with 'stackprof --json FILE > FILE.json'",
    ),
    (
        b"hdrb",
        "an event log of Haskell",
        "convert it with 'hs-speedscope FILE'",
    ),
    (
        b"v8-version,",
        "a log of V8's profiler",
        "record with 'node --cpu-prof'",
    ),
    (
        b"\x17\x08\x44tracing",
        "a recording of trace-cmd",
        "open what 'trace-cmd report' prints of it",
    ),
    (
        b"\xc1\x1f\xfc\xc1",
        "a trace in LTTng's format",
        OTHER_RECORDER,
    ),
    (
        b"TRACE START [",
        "a function trace of Xdebug",
        "record with 'xdebug.mode=profile'",
    ),
    (
        b"reading file \"",
        "a report of heaptrack_print",
        "open the recording that it was made of; of a difference, both, or what its '-F' writes",
    ),
    (
        b"<?xml version=\"1.0\"?>\n<trace-query-result>",
        "an export of Instruments without samples",
        "export the table 'time-profile'",
    ),
    (
        b"# To display the perf.data header info",
        "a report of perf",
        "open the recording itself, 'perf.data'",
    ),
    (
        b"\xfd7zXZ\0",
        "data compressed with xz",
        "unpack them first, as with 'xz -dc FILE | callscape -'",
    ),
    (
        b"BZh",
        "data compressed with bzip2",
        "unpack them first, as with 'bzip2 -dc FILE | callscape -'",
    ),
    (
        b"\x04\x22\x4d\x18",
        "data compressed with lz4",
        "unpack them first, as with 'lz4 -dc FILE | callscape -'",
    ),
    (
        b"7z\xbc\xaf\x27\x1c",
        "an archive of 7-Zip",
        "unpack it first, or pack it as zip or tar",
    ),
    (
        b"Rar!\x1a\x07",
        "an archive of RAR",
        "unpack it first, or pack it as zip or tar",
    ),
    (b"\x7fELF", "a program", "open a recording of it"),
    // Read where the feature is on.
    (
        b"PAR1",
        "a table in Parquet",
        "build Callscape with its feature 'parquet'",
    ),
    (
        b"SQLite format 3\0",
        "a database of SQLite",
        "open the recording that it was made of; of Nsight Systems, what nsys2json makes of it",
    ),
    (
        b"bplist00",
        "a property list",
        "export the recording as JSON or text",
    ),
];

/// The ends of names, for what has no beginning of its own or is a directory.
const NAMES: &[(&str, &str, &str)] = &[
    (
        ".nsys-rep",
        "a report of Nsight Systems",
        "export it with 'nsys export --type sqlite FILE', and convert that with nsys2json",
    ),
    (
        ".qdrep",
        "a report of Nsight Systems",
        "export it with 'nsys export --type sqlite FILE', and convert that with nsys2json",
    ),
    (".ncu-rep", "a report of Nsight Compute", OTHER_RECORDER),
    (
        ".etl",
        "a trace of Windows",
        "open it with PerfView and save it in speedscope's format",
    ),
    (
        ".diagsession",
        "a session of Visual Studio",
        "record with 'dotnet-trace collect --format Speedscope'",
    ),
    (
        ".vtune",
        "a result of VTune",
        "open what 'vtune -report hotspots -format csv -csv-delimiter comma' prints of it",
    ),
    (
        ".trace",
        "a trace of Instruments",
        "open what 'samply record' records",
    ),
];

/// The members that a document in JSON has, what it is, and what to do with it.
const DOCUMENTS: &[(&str, &str, &str)] = &[
    (
        "resourceProfiles",
        "profiles of OpenTelemetry",
        "export them as pprof",
    ),
    (
        "trace_id",
        "spans of another tracing system",
        "export them as OTLP, Jaeger's or Zipkin's JSON",
    ),
];

/// What a file or directory of this name is, and what to do with it.
pub(crate) fn by_name(name: &str) -> Option<(&'static str, &'static str)> {
    let found = NAMES.iter().find(|(end, ..)| name.ends_with(end));
    found.map(|&(_, what, remedy)| (what, remedy))
}

/// What a file that begins with `head` is, and what to do with it; none where it is not known.
pub(crate) fn recognise(head: &[u8]) -> Option<(&'static str, &'static str)> {
    let found = BEGINNINGS
        .iter()
        .find(|(begin, ..)| head.starts_with(begin));
    if let Some(&(_, what, remedy)) = found {
        return Some((what, remedy));
    }
    if is_go_trace(head) {
        let remedy = "convert it with 'go tool trace -pprof=sched FILE > FILE.pb'";
        return Some(("a trace of Go 1.21 or older", remedy));
    }
    if head.starts_with(b"Version: ") && memchr::memmem::find(head, b"\nFile format: ").is_some() {
        let remedy = "record with 'xdebug.mode=profile'";
        return Some(("a function trace of Xdebug", remedy));
    }
    let paths = document::paths(head);
    let mut documents = DOCUMENTS.iter();
    if let Some(&(_, what, remedy)) = documents.find(|(path, ..)| paths.iter().any(|it| it == path))
    {
        return Some((what, remedy));
    }
    is_old_cpu(head).then_some(("pprof's old format of CPU samples", TO_PPROF))
}

/// Whether it is compressed or an archive, in a way that is not read.
pub(crate) fn is_packed(head: &[u8]) -> bool {
    const PACKED: [&[u8]; 5] = [
        b"\xfd7zXZ\0",
        b"BZh",
        b"\x04\x22\x4d\x18",
        b"7z\xbc\xaf\x27\x1c",
        b"Rar!\x1a\x07",
    ];
    PACKED.iter().any(|begin| head.starts_with(begin))
}

/// `go 1.22 trace`, and zeros.
fn is_go_trace(head: &[u8]) -> bool {
    let start = &head[..head.len().min(16)];
    start.starts_with(b"go 1.") && memchr::memmem::find(start, b" trace\0").is_some()
}

/// The first line of a text that is not empty, or what an array in JSON is of; none of what is no text.
pub(crate) fn first_text(head: &[u8]) -> Option<String> {
    /// What is shown of it.
    const LONGEST: usize = 40;
    let sample = &head[..head.len().min(256)];
    let is_sign = |byte: &u8| *byte >= b' ' || byte.is_ascii_whitespace() || *byte == 0x1b;
    if !sample.iter().all(is_sign) {
        return None;
    }
    // Without the character that the sample cuts.
    let whole = sample.utf8_chunks().next().map_or(0, |it| it.valid().len());
    let (text, _) = text::decode(match whole + 4 > sample.len() {
        true => &sample[..whole],
        false => sample,
    });
    let mut lines = text.lines().map(str::trim);
    let line = lines.find(|line| !line.is_empty()).unwrap_or_default();
    let shown: String = line.chars().take(LONGEST).collect();
    Some(escape::name(&shown).into_owned())
}

/// Whether five words begin it as they do the profiles of gperftools: 0, 3, 0, the period and 0, in the words and the
/// order of bytes of the machine. <https://gperftools.github.io/gperftools/cpuprofile-fileformat.html>
fn is_old_cpu(head: &[u8]) -> bool {
    let words = |size: usize, low_first: bool| {
        let words = head.chunks_exact(size).take(5).map(move |word| {
            let add = |sum: u64, &byte: &u8| sum << 8 | u64::from(byte);
            if low_first {
                word.iter().rev().fold(0, add)
            } else {
                word.iter().fold(0, add)
            }
        });
        words.collect::<Vec<u64>>()
    };
    [(8, true), (8, false), (4, true), (4, false)]
        .into_iter()
        // Java's has 1 where others have 0.
        .any(|(size, low_first)| match words(size, low_first)[..] {
            [0, 3, version, period, 0] => version < 2 && period > 0 && period < 1 << 32,
            _ => false,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_profiles_are_told_from_others() {
        for size in [4, 8] {
            for low_first in [false, true] {
                let mut head = Vec::new();
                for word in [0_u64, 3, 0, 10_000, 0, 1] {
                    let bytes = word.to_be_bytes();
                    let mut bytes = bytes[8 - size..].to_vec();
                    if low_first {
                        bytes.reverse();
                    }
                    head.extend(bytes);
                }
                assert!(is_old_cpu(&head), "{size} {low_first}");
            }
        }
        for other in [&b""[..], &[0; 100], b"main;work 12\n"] {
            assert_eq!(recognise(other), None);
        }
    }

    #[test]
    fn formats_without_a_mark_are_known() {
        let (what, _) = recognise(b"go 1.21 trace\0\0\0").expect("known");
        assert!(what.contains("Go 1.21"), "{what}");
        assert!(by_name("a.nsys-rep").is_some() && by_name("a.json").is_none());
    }

    #[test]
    fn of_texts_the_first_line_is_shown_and_of_others_none() {
        let long = "ä".repeat(200);
        let cut = "ä".repeat(40);
        for (head, expected) in [
            (&b"\n\tthis\nis"[..], Some("this")),
            (b"caf\xe9 au lait", Some("café au lait")),
            (b"a\tb", Some("a\\tb")),
            (long.as_bytes(), Some(cut.as_str())),
            (b"\0abc", None),
        ] {
            assert_eq!(first_text(head).as_deref(), expected);
        }
    }
}
