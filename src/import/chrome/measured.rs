//! Which counters of a Chrome trace count memory, and their values in bytes. The format has counters of anything and says of
//! none what it counts, so names decide: `mem.rss`, `jsHeapSizeUsed`, `used` of `Memory`, but neither `memory_percent` nor
//! `orders` of `memory`.

use crate::decimal::{NoTime, Unit, nanoseconds};

/// Words of a name of which one says that bytes of memory are counted.
const MEMORY: [&str; 13] = [
    "memory",
    "mem",
    "heap",
    "rss",
    "pss",
    "uss",
    "vms",
    "vss",
    "resident",
    "malloc",
    "jemalloc",
    "tcmalloc",
    "footprint",
];

/// Words that say that it is something else: a share, a number of things or of events, a time, a bound.
const OTHERS: [&str; 30] = [
    "percent",
    "percentage",
    "pct",
    "ratio",
    "load",
    "utilization",
    "pressure",
    "rate",
    "bandwidth",
    "frequency",
    "freq",
    "hz",
    "count",
    "counts",
    "number",
    "num",
    "objects",
    "allocations",
    "events",
    "faults",
    "accesses",
    "reads",
    "writes",
    "misses",
    "gcs",
    "time",
    "duration",
    "latency",
    "limit",
    "threshold",
];

/// Words of a series that counts memory because its counter does.
const PARTS: [&str; 33] = [
    "b",
    "value",
    "used",
    "usage",
    "free",
    "total",
    "size",
    "bytes",
    "committed",
    "allocated",
    "reserved",
    "cache",
    "cached",
    "buffers",
    "current",
    "peak",
    "max",
    "available",
    "private",
    "shared",
    "swap",
    "active",
    "inactive",
    "anon",
    "file",
    "code",
    "data",
    "stack",
    "slab",
    "native",
    "java",
    "graphics",
    "system",
];

/// Words that say in what a value is, and how many bytes one of these has; `MiB` is two words.
const UNITS: [(&str, u64); 6] = [
    ("kb", 1 << 10),
    ("ki", 1 << 10),
    ("mb", 1 << 20),
    ("mi", 1 << 20),
    ("gb", 1 << 30),
    ("gi", 1 << 30),
];

/// How many bytes one of a counter's values stands for, by the names of counter and series; none of what does not count
/// memory.
pub(super) fn scale([name, series]: [&str; 2]) -> Option<u64> {
    let (of_name, of_series) = (words(name), words(series));
    let has = |words: &[String], known: &[&str]| words.iter().any(|word| known.contains(&&**word));
    let unit = |word: &String| UNITS.iter().find(|(unit, _)| unit == word);
    let is_part = |word: &String| PARTS.contains(&&**word) || unit(word).is_some();
    let counts = has(&of_series, &MEMORY)
        || (has(&of_name, &MEMORY) && (name == series || of_series.iter().all(is_part)));
    if !counts || has(&of_name, &OTHERS) || has(&of_series, &OTHERS) {
        return None;
    }
    let mut words = of_series.iter().chain(&of_name);
    Some(words.find_map(unit).map_or(1, |(_, bytes)| *bytes))
}

/// The words of a name in lower case: `js`, `heap`, `size`, `used` of `jsHeapSizeUsed`, `mem`, `rss` of `mem.rss`.
fn words(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut words = vec![String::new()];
    for (at, &letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| letters.get(at));
        let after = letters.get(at + 1);
        // `HeapSize` and `GPUMemory` are two words each.
        let begins = letter.is_uppercase()
            && (before.is_some_and(|it| it.is_lowercase() || it.is_ascii_digit())
                || after.is_some_and(|it| it.is_lowercase()));
        if begins || !letter.is_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            word.extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// A decimal number of things of `scale` bytes in bytes, or what is wrong with it.
pub(super) fn amount(number: &[u8], scale: u64) -> Result<u64, &'static str> {
    let wrong = |why| match why {
        NoTime::NotANumber => "counter-not-a-number",
        NoTime::OutOfRange => "counter-out-of-range",
    };
    // Thousandths, where these fit.
    let thousandths = nanoseconds(number, Unit::Microseconds).map(i128::from);
    let thousandths = match thousandths {
        Err(NoTime::OutOfRange) => {
            nanoseconds(number, Unit::Nanoseconds).map(|whole| i128::from(whole) * 1000)
        }
        known => known,
    };
    let bytes = thousandths.map_err(wrong)? * i128::from(scale) / 1000;
    if bytes < 0 {
        return Err("negative-counter");
    }
    u64::try_from(bytes).map_err(|_| "counter-out-of-range")
}

/// The bytes that a hexadecimal number counts, as dumps of memory have it.
pub(super) fn hexadecimal(number: &[u8]) -> Result<u64, &'static str> {
    let text = std::str::from_utf8(number).unwrap_or_default();
    if text.starts_with('-') {
        return Err("negative-counter");
    }
    let digits = text.strip_prefix("0x").unwrap_or(text);
    u64::from_str_radix(digits, 16).map_err(|error| match error.kind() {
        std::num::IntErrorKind::PosOverflow => "counter-out-of-range",
        _ => "counter-not-a-number",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_counts_bytes_of_memory() {
        for (name, series, expected) in [
            ("UpdateCounters", "jsHeapSizeUsed", Some(1)),
            ("UpdateCounters", "nodes", None),
            ("UpdateCounters", "gpuMemoryLimitKB", None),
            ("Memory", "used", Some(1)),
            ("mem.rss.anon", "value", Some(1)),
            ("RSS", "", Some(1)),
            ("V8.GPUMemory", "used", Some(1)),
            ("Heap size (KB)", "value", Some(1024)),
            ("memory_MiB", "", Some(1 << 20)),
            ("memory_percent", "value", None),
            ("memory", "page faults", None),
            ("memory", "orders", None),
            ("orders", "resident", Some(1)),
            ("heapsort", "steps", None),
            ("cpu", "frequency", None),
            ("", "", None),
        ] {
            assert_eq!(scale([name, series]), expected, "{name}, {series}");
        }
    }

    #[test]
    fn values_are_whole_bytes_or_say_what_is_wrong() {
        for (number, scale, expected) in [
            ("0", 1, Ok(0)),
            ("17", 1, Ok(17)),
            ("17.9", 1, Ok(17)),
            ("1.5", 1024, Ok(1536)),
            ("2e3", 1, Ok(2000)),
            ("4611686018427387000", 1, Ok(4_611_686_018_427_387_000)),
            ("4611686018427387000", 1 << 20, Err("counter-out-of-range")),
            ("9223372036854775808", 1, Err("counter-out-of-range")),
            ("1e40", 1, Err("counter-out-of-range")),
            ("-1", 1, Err("negative-counter")),
            ("-0.0", 1, Ok(0)),
            ("much", 1, Err("counter-not-a-number")),
            ("", 1, Err("counter-not-a-number")),
            ("NaN", 1, Err("counter-not-a-number")),
        ] {
            assert_eq!(amount(number.as_bytes(), scale), expected, "{number}");
        }
        for (number, expected) in [
            ("1f0", Ok(0x1f0)),
            ("0x10", Ok(16)),
            ("ffffffffffffffff", Ok(u64::MAX)),
            ("10000000000000000", Err("counter-out-of-range")),
            ("-1", Err("negative-counter")),
            ("xyz", Err("counter-not-a-number")),
        ] {
            assert_eq!(hexadecimal(number.as_bytes()), expected, "{number}");
        }
    }
}
