//! Formats that people have and that are not read: what they are called and what makes one of them that is, for the
//! message that says why a file cannot be opened.

const TO_PPROF: &str =
    "make a profile in protocol buffers of it with 'go tool pprof -proto FILE > FILE.pb.gz'";

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
        b"PERFILE2",
        "a recording of perf",
        "open what 'perf script' prints of it",
    ),
    (
        b"JAVA PROFILE 1.",
        "a heap dump of Java",
        "record with 'format=a' for text with CPU samples",
    ),
    (
        b"gmon",
        "a profile of gprof",
        "open what 'valgrind --tool=callgrind' or 'uftrace record' records",
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
        "open the recording that it was made of",
    ),
    (
        b"bplist00",
        "a property list",
        "export the recording as JSON or text",
    ),
];

/// What a file that begins with `head` is, and what to do with it; none where it is not known.
pub fn recognise(head: &[u8]) -> Option<(&'static str, &'static str)> {
    let found = BEGINNINGS
        .iter()
        .find(|(begin, ..)| head.starts_with(begin));
    if let Some(&(_, what, remedy)) = found {
        return Some((what, remedy));
    }
    is_old_cpu(head).then_some(("pprof's old format of CPU samples", TO_PPROF))
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
}
