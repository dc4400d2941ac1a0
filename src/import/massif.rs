//! valgrind's massif. Specification: what reads it, `ms_print`, and
//! <https://valgrind.org/docs/manual/ms-manual.html#ms-manual.not-visible-in-output>.
//!
//! Read are the snapshots: the bytes that lived (`mem_heap_B`), and of those with a tree who had allocated them. Blocks'
//! administrative bytes (`mem_heap_extra_B`) and stacks (`mem_stacks_B`) are counters of their own. Times are
//! instructions, milliseconds or bytes allocated, as `time_unit` says. The peak is that of the snapshot that massif calls
//! so, which is the true one to within a percent, and what is below massif's threshold belongs to the stack that it
//! stands in. Not read: `desc` and `cmd`.

use super::decimal;
use super::error::ImportError;
use super::frame_text;
use super::input::Input;
use super::lines::Lines;
use super::text;
use callscape_base::progress::Progress;
use callscape_base::units::{FunctionId, Time, Unit};
use callscape_base::warnings::Reporter;
use callscape_facts::functions::Functions;
use callscape_facts::memory::{
    Cells, Counter, Detail, FewCells, Instant, Memory, StackId, SumRow, Sums,
};
use callscape_facts::recording::Recording;

/// The identifier in `info`.
pub(crate) const FORMAT: &str = "massif";

const OVERHEAD: &str = "heap overhead";
const STACKS: &str = "stacks";

/// Whether it begins as massif's files do.
pub(crate) fn sniff(head: &[u8]) -> bool {
    let mut lines = head.split(|&byte| byte == b'\n');
    lines.next().is_some_and(|line| line.starts_with(b"desc:"))
        && lines.next().is_some_and(|line| line.starts_with(b"cmd:"))
        && lines
            .next()
            .is_some_and(|line| line.starts_with(b"time_unit:"))
}

/// A node of a tree that is open, and what is left of its bytes for itself.
struct Open {
    function: Option<FunctionId>,
    depth: usize,
    rest: u64,
}

#[derive(Default)]
struct Reader {
    functions: Functions,
    cells: Cells,
    instants: Vec<Instant>,
    /// By instant, what its tree tells.
    trees: Vec<FewCells>,
    counters: [Values; 2],
    unit: Unit,
    scale: u64,
    peak: Option<(u64, Time)>,
    /// Innermost function first: the tree goes from who allocates outwards.
    open: Vec<Open>,
    has_snapshot: bool,
}

type Values = Vec<(u64, u64)>;

/// Reads the snapshots. O(size).
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let mut lines = Lines::open(input, progress, &reporter)?;
    let mut reader = Reader {
        scale: 1,
        ..Reader::default()
    };
    while let Some(line) = lines.next_whole()? {
        let (text, is_other) = text::decode(line);
        match reader.read(&text) {
            Some(NEGATIVE) => {
                let found = text.trim().to_owned();
                let expected = "a number of bytes that is not negative";
                return Err(ImportError::malformed(lines.place(), expected, found));
            }
            Some(kind) => lines.warn(kind),
            None if is_other => lines.warn("invalid-text"),
            None => {}
        }
    }
    reader.close(0);
    if !reader.has_snapshot {
        return Err(ImportError::malformed(lines.place(), "a snapshot", "none"));
    }
    let (functions, memory) = reader.finish(|kind| lines.warn(kind));
    Ok(Recording::of_memory(
        input,
        FORMAT,
        functions,
        memory,
        reporter.warnings(),
    ))
}

/// What is wrong with a number of bytes below none: they are no longer sums at an instant.
const NEGATIVE: &str = "negative-count";

/// A number, whatever stands between its thousands.
fn whole(text: &str) -> Result<u64, &'static str> {
    let number = decimal::plain(text, true);
    match number.as_deref().unwrap_or(text).parse() {
        Ok(number) => Ok(number),
        Err(_) if text.starts_with('-') => Err(NEGATIVE),
        Err(_) => Err("malformed-line"),
    }
}

/// So many bytes that live.
fn live(bytes: u64) -> SumRow {
    SumRow {
        live_bytes: Some(bytes),
        ..SumRow::default()
    }
}

impl Reader {
    /// Reads a line. What is wrong with it, where something is.
    fn read(&mut self, line: &str) -> Option<&'static str> {
        let text = line.trim_start_matches(' ');
        if text.starts_with('n') && text[1..].starts_with(|it: char| it.is_ascii_digit()) {
            return self.node(text, line.len() - text.len());
        }
        if let Some(unit) = line.strip_prefix("time_unit: ") {
            (self.unit, self.scale) = match unit.trim() {
                "ms" => (Unit::Nanoseconds, 1_000_000),
                "i" => (Unit::Things("instructions".into()), 1),
                "B" => (Unit::Bytes, 1),
                _ => return Some("unknown-unit"),
            };
            return None;
        }
        if line.starts_with("desc:") || line.starts_with("cmd:") {
            return None;
        }
        let Some((key, value)) = line.split_once('=') else {
            let is_rule = line.is_empty() || line.starts_with('#');
            return (!is_rule).then_some("malformed-line");
        };
        if key == "snapshot" {
            self.close(0);
            let last = self.instants.last().map_or(0, |it| it.time);
            self.instants.push(Instant::new(last, Vec::new()));
            self.trees.push(FewCells {
                nothing: live(0),
                rows: Vec::new(),
            });
            self.has_snapshot = true;
            return None;
        }
        let Some(instant) = self.instants.last_mut() else {
            return Some("outside-of-snapshots");
        };
        if key == "heap_tree" {
            if value == "peak" {
                self.peak = instant.whole.live_bytes.map(|it| (it, instant.time()));
            }
            return None;
        }
        let number = match whole(value) {
            Ok(number) => number,
            Err(wrong) => return Some(wrong),
        };
        match key {
            "time" => {
                let time = number.saturating_mul(self.scale);
                let goes_back = time < instant.time;
                instant.time = instant.time.max(time);
                return goes_back.then_some("time-goes-back");
            }
            "mem_heap_B" => instant.whole.live_bytes = Some(number),
            "mem_heap_extra_B" => self.counters[0].push((instant.time, number)),
            "mem_stacks_B" => self.counters[1].push((instant.time, number)),
            _ => return Some("unknown-line"),
        }
        None
    }

    /// A node of a tree: `n2: 1024 0x109180: main (a.c:10)`.
    fn node(&mut self, text: &str, depth: usize) -> Option<&'static str> {
        let Some((_, rest)) = text.split_once(": ") else {
            return Some("malformed-line");
        };
        let (bytes, frame) = rest.split_once(' ').unwrap_or((rest, ""));
        let bytes = match whole(bytes) {
            Ok(bytes) => bytes,
            Err(wrong) => return Some(wrong),
        };
        if self.instants.is_empty() {
            return Some("outside-of-snapshots");
        }
        self.close(depth);
        if depth != self.open.last().map_or(0, |it| it.depth + 1) {
            return Some("malformed-line");
        }
        let mut wrong = None;
        if let Some(around) = self.open.last_mut() {
            if around.rest < bytes {
                wrong = Some("more-than-around-it");
            }
            around.rest = around.rest.saturating_sub(bytes);
        }
        let functions = &mut self.functions;
        // The outermost stands for the functions that allocate, and what is below the threshold for no function.
        let function = frame
            .starts_with("0x")
            .then(|| frame_text::function(frame, |it| functions.intern(it)));
        self.open.push(Open {
            function,
            depth,
            rest: bytes,
        });
        wrong
    }

    /// Ends the open nodes from a depth on.
    fn close(&mut self, depth: usize) {
        while self.open.last().is_some_and(|it| it.depth >= depth) {
            let outwards = self.open.iter().rev().filter_map(|it| it.function);
            let mut stack = StackId::EMPTY;
            for function in outwards {
                stack = self.cells.stack(stack, function);
            }
            let rest = self.open.pop().map_or(0, |it| it.rest);
            if let Some(tree) = self.trees.last_mut().filter(|_| rest > 0) {
                let cell = self.cells.cell(stack, 0);
                tree.rows.push((cell, live(rest)));
            }
        }
    }

    /// All of it; `warn` counts what is left out.
    fn finish(mut self, warn: impl Fn(&'static str)) -> (Functions, Memory) {
        let (stacks, cells) = self.cells.finish();
        let rows = FewCells::of_all(&self.trees, cells.len());
        for ((instant, tree), rows) in self.instants.iter_mut().zip(&self.trees).zip(rows) {
            if rows.is_empty() && !tree.rows.is_empty() {
                warn("too-many-rows");
            }
            instant.cells = rows;
        }
        let whole = self.instants.iter();
        let whole = whole.filter_map(|it| Some((it.whole.live_bytes?, it.time())));
        let most = whole.reduce(|most, it| if it.0 > most.0 { it } else { most });
        let names = [OVERHEAD, STACKS].into_iter().zip(self.counters);
        let counters = names.map(|(name, values)| Counter {
            name: name.to_owned(),
            values,
        });
        let sums = Sums {
            cells,
            instants: self.instants,
            peak: self.peak.or(most),
        };
        let memory = Memory {
            counters: counters.collect(),
            ..Memory::of_sums(Detail::Sums, self.unit, stacks, sums)
        };
        (self.functions, memory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_facts::memory::Known;

    #[test]
    fn what_lives_at_the_end_of_a_real_recording() {
        let path = concat!(
            concat!(env!("CARGO_MANIFEST_DIR"), "/../.."),
            "/tests/data/import/massif/xz.massif.out"
        );
        let input = Input::on_disk(path.into());
        let recording = import(&input, &Progress::new()).expect("a recording");
        assert!(recording.warnings.is_empty(), "{:?}", recording.warnings);
        let memory = recording.memory.expect("memory");
        let Known::Sums(sums) = &memory.known else {
            panic!("sums");
        };
        let end = sums.instants.last().expect("the end");
        assert_eq!(
            (end.whole.live_bytes.unwrap_or(0), end.time),
            (8_995_887, 25_887_640)
        );
        for instant in sums.instants.iter().filter(|it| !it.cells.is_empty()) {
            let cells: u64 = instant.cells.iter().filter_map(|it| it.live_bytes).sum();
            assert_eq!(Some(cells), instant.whole.live_bytes);
        }
    }
}
