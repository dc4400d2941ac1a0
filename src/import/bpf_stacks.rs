//! Stacks that tools of BPF count in the kernel and print at their end. Specification: bpftrace's maps with stacks in
//! their keys, <https://github.com/bpftrace/bpftrace/blob/master/man/adoc/bpftrace.adoc>, and the indented form of bcc's
//! `profile`, `offcputime` and `stackcount`, <https://github.com/iovisor/bcc/blob/master/tools/profile_example.txt>.
//!
//! Read are maps whose keys have stacks, each map a value of its own: whole numbers, and the total of `stats()`. The
//! other parts of a key (`comm`, `pid`) are the outermost frame; below it come the stack of the program and that of the
//! kernel. The kernel's is the one that begins with one of its entries, else the first of two. Both ways to print a
//! frame are read, that of `perf` with its library too. `offcputime` counts microseconds; what others count the text does
//! not say: an unnamed map is called samples. Stacks that are printed again are added up.
//! Counted are histograms and maps without stacks (`map-not-shown`), other lines (`line-not-shown`) and stacks that the
//! tool has lost (`samples-lost`). Addresses without a symbol are one function, `[unknown]`, in their library.

use super::demangle::demangle;
use super::error::ImportError;
use super::input::Input;
use super::lines::Lines;
use super::{samplers, text};
use callscape_base::progress::Progress;
use callscape_base::units::{FunctionId, Unit};
use callscape_base::warnings::Reporter;
use callscape_facts::contexts::{ContextsBuilder, NodeId};
use callscape_facts::functions::{Function, Functions, NO_FRAMES};
use callscape_facts::profile::{Profile, Value, Weights};
use callscape_facts::recording::Recording;

/// The identifier in `info`.
pub(crate) const FORMAT: &str = "bpf-stacks";

/// How many lines tell whether a file is one.
const LINES_SNIFFED: usize = 1000;

/// Maps past these are left out.
const MOST_MAPS: usize = 32;

const KERNEL: &str = "[kernel]";

/// With what stacks of the kernel begin.
const ENTRIES: [&str; 9] = [
    "entry_",
    "asm_",
    "ret_from_fork",
    "secondary_startup",
    "common_startup",
    "start_secondary",
    "el0t_",
    "el1h_",
    "do_syscall_64",
];

/// What bcc's tools say first.
const TITLES: [&str; 3] = ["Sampling at ", "Tracing off-CPU time", "Tracing "];

/// Whether a file that begins with `head` has such stacks.
pub(crate) fn sniff(head: &[u8]) -> bool {
    let text = head.split(|&byte| byte == b'\n').take(LINES_SNIFFED);
    let lines = text.map(|line| std::str::from_utf8(line).unwrap_or_default().trim_end());
    let (mut is_key, mut frames, mut is_titled, mut has_process) = (false, 0, false, false);
    for line in lines {
        let is_indented = line.starts_with("  ") || line.starts_with('\t');
        if is_key_begin(line) {
            (is_key, frames) = (true, 0);
        } else if is_key {
            match line {
                _ if is_indented => frames += 1,
                _ if !line.starts_with([']', ',']) => is_key = false,
                _ if frames > 0 && value(line).is_some() => return true,
                _ => {}
            }
        } else if has_process && line.trim().parse::<u64>().is_ok() {
            return true;
        } else {
            is_titled |= line.ends_with("Hit Ctrl-C to end.") || line.ends_with("secs.");
            let is_process = process(line).is_some() || is_titled && task(line).is_some();
            has_process = is_indented && is_process;
        }
    }
    false
}

/// Whether the line begins a key that goes on in the next.
fn is_key_begin(line: &str) -> bool {
    let Some((name, inside)) = line.strip_prefix('@').and_then(|it| it.split_once('[')) else {
        return false;
    };
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    name.bytes().all(is_name) && (inside.is_empty() || inside.ends_with(','))
}

/// What stands behind the last `]: ` that a key may end with; empty for a histogram.
fn value(line: &str) -> Option<&str> {
    let at = line.rfind("]:")?;
    Some(line[at + 2..].trim())
}

/// The number that a value is.
fn number(value: &str) -> Option<i64> {
    let total = value.rsplit_once(", total ").map(|(_, total)| total);
    total.unwrap_or(value).parse().ok()
}

/// The process of `-                name (id)`.
fn process(line: &str) -> Option<&str> {
    let name = line.trim_start().strip_prefix("-          ")?;
    let (name, id) = name.strip_suffix(')')?.rsplit_once(" (")?;
    id.parse::<u32>().is_ok().then(|| name.trim())
}

/// The process of `    name [id]`.
fn task(line: &str) -> Option<&str> {
    let (name, id) = line
        .strip_prefix("    ")?
        .strip_suffix(']')?
        .rsplit_once(" [")?;
    id.parse::<u32>().is_ok().then_some(name)
}

/// Reads the stacks. O(size); memory for contexts and names alone.
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let mut lines = Lines::open(input, progress, &reporter)?;
    let mut reader = Reader {
        reporter: &reporter,
        builder: ContextsBuilder::new(0, &reporter),
        functions: Functions::default(),
        maps: Vec::new(),
        map: None,
        stacks: vec![Vec::new()],
        labels: Vec::new(),
        is_of_tasks: false,
        is_time: false,
        count: 0,
    };
    while let Some(line) = lines.next()? {
        let (line, is_other) = text::decode(line);
        let line = line.into_owned();
        if is_other {
            lines.warn("invalid-text");
        }
        reader.line(line.trim_end(), &lines);
    }
    if reader.is_open() {
        lines.warn("missing-count");
    }
    if reader.count == 0 {
        let expected = "stacks and their counts";
        return Err(ImportError::malformed(lines.place(), expected, "none"));
    }
    Ok(reader.finish(input))
}

struct Reader<'r> {
    reporter: &'r Reporter,
    builder: ContextsBuilder<'r>,
    functions: Functions,
    /// The names of the maps, each a value.
    maps: Vec<String>,
    /// The map whose key is open.
    map: Option<String>,
    /// The stacks at hand, each with its innermost frame first.
    stacks: Vec<Vec<String>>,
    /// What the key has beside them.
    labels: Vec<String>,
    /// Processes are named as `stackcount` does.
    is_of_tasks: bool,
    /// Counts are microseconds.
    is_time: bool,
    /// How many stacks were taken.
    count: u64,
}

impl Reader<'_> {
    fn is_open(&self) -> bool {
        self.map.is_some() || !self.labels.is_empty() || self.stacks.iter().any(|it| !it.is_empty())
    }

    fn clear(&mut self) {
        self.map = None;
        self.labels.clear();
        self.stacks.clear();
        self.stacks.push(Vec::new());
    }

    fn frame(&mut self, text: &str) {
        if let Some(stack) = self.stacks.last_mut() {
            stack.push(text.to_owned());
        }
    }

    fn line(&mut self, line: &str, lines: &Lines<'_>) {
        let text = line.trim_start();
        let is_indented = text.len() < line.len();
        if is_key_begin(line) {
            if self.is_open() {
                lines.warn("missing-count");
            }
            self.clear();
            let (name, inside) = line[1..].split_once('[').unwrap_or_default();
            self.map = Some(name.to_owned());
            self.label(inside);
        } else if self.map.is_some() {
            self.of_key(line, is_indented, lines);
        } else if line.starts_with('@') {
            lines.warn("map-not-shown");
        } else if is_indented {
            self.of_tool(line, lines);
        } else if text.is_empty() {
            if self.is_open() {
                lines.warn("missing-count");
                self.clear();
            }
        } else {
            self.other(line, lines);
        }
    }

    /// What a key has between its stacks.
    fn label(&mut self, text: &str) {
        let parts = text.split(", ").map(|part| part.trim().trim_matches(','));
        let parts = parts.filter(|part| !part.is_empty());
        self.labels.extend(parts.map(str::to_owned));
    }

    /// A line inside a key of bpftrace's, or its end.
    fn of_key(&mut self, line: &str, is_indented: bool, lines: &Lines<'_>) {
        if is_indented {
            return self.frame(line.trim());
        }
        let Some(value) = value(line).filter(|_| line.starts_with([',', ']'])) else {
            if line.starts_with(',') {
                self.label(line);
                self.stacks.push(Vec::new());
            } else if !line.is_empty() {
                lines.warn("malformed-line");
                self.clear();
            }
            return;
        };
        let end = line.rfind("]:").unwrap_or(0);
        self.label(&line[..end]);
        let name = self.map.take().unwrap_or_default();
        match number(value) {
            Some(weight) => self.take(&name, weight, lines),
            None => lines.warn("map-not-shown"),
        }
        self.clear();
    }

    /// An indented line of bcc's tools.
    fn of_tool(&mut self, line: &str, lines: &Lines<'_>) {
        let text = line.trim();
        let task = task(line).filter(|_| self.is_of_tasks);
        if let Some(process) = process(line).or(task) {
            self.labels.push(process.to_owned());
        } else if text == "--" {
            self.stacks.push(Vec::new());
        } else if let Ok(weight) = text.parse::<i64>()
            && (self.is_of_tasks || !self.labels.is_empty())
        {
            self.take("", weight, lines);
            self.clear();
        } else {
            self.frame(text);
        }
    }

    fn other(&mut self, line: &str, lines: &Lines<'_>) {
        let is_bucket = line.starts_with(['[', '(']) && line.contains('|');
        let number = line.split(' ').find_map(|word| word.parse().ok());
        if line.starts_with("WARNING: ") || line.starts_with("Lost ") {
            let lost = number.unwrap_or(1);
            self.reporter
                .warn_many("samples-lost", lost, || lines.place());
        } else if TITLES.iter().any(|title| line.starts_with(title)) {
            self.is_time |= line.starts_with("Tracing off-CPU time (us)");
            self.is_of_tasks |= line.starts_with("Tracing ") && line.contains(" functions for ");
        } else if !is_bucket && !line.starts_with("Attaching ") && line != "Detaching..." {
            lines.warn("line-not-shown");
        }
    }

    /// Adds the weight of the current stacks in a map.
    fn take(&mut self, map: &str, weight: i64, lines: &Lines<'_>) {
        let value = match self.maps.iter().position(|known| known == map) {
            Some(known) => known,
            None if self.maps.len() == MOST_MAPS => return lines.warn("map-not-shown"),
            None => {
                self.maps.push(map.to_owned());
                self.builder.add_value();
                self.maps.len() - 1
            }
        };
        self.count += 1;
        let stacks = std::mem::take(&mut self.stacks);
        let mut stacks: Vec<(bool, Vec<String>)> = stacks
            .into_iter()
            .filter(|stack| !stack.is_empty())
            .map(|stack| (is_kernel(&stack), stack))
            .collect();
        if let [(false, _), (false, _)] = stacks[..] {
            stacks[0].0 = true;
        }
        // The program calls the kernel.
        stacks.sort_by_key(|(is_kernel, _)| *is_kernel);
        let mut context = NodeId::ROOT;
        let label = self.labels.join(", ");
        if !label.is_empty() {
            let function = Function {
                name: &label,
                ..Function::default()
            };
            let function = self.functions.intern(function);
            context = self.builder.child(context, function, || lines.place());
        }
        if stacks.is_empty() {
            lines.warn("empty-stack");
            let function = self.functions.intern(NO_FRAMES);
            context = self.builder.child(context, function, || lines.place());
        }
        for (is_kernel, stack) in &stacks {
            for frame in stack.iter().rev() {
                let function = intern(&mut self.functions, frame, *is_kernel);
                context = self.builder.child(context, function, || lines.place());
            }
        }
        self.builder.add(context, value, weight, || lines.place());
    }

    fn finish(mut self, input: &Input) -> Recording {
        const NS_A_MICROSECOND: u64 = 1000;
        let samples = match self.is_time {
            true => self.count,
            false => self.builder.size(0),
        };
        let is_time = self.is_time && self.builder.scale(0, NS_A_MICROSECOND);
        let named = |map: &String| match map.as_str() {
            "" if is_time => Value {
                name: "off-CPU time".to_owned(),
                unit: Unit::Nanoseconds,
            },
            "" => samplers::samples(),
            map => Value {
                name: map.to_owned(),
                unit: Unit::Things(map.to_owned()),
            },
        };
        let values = self.maps.iter().map(named).collect();
        let weights = Weights::Contexts(self.builder.finish());
        let profile = Profile::new(values, 0, weights, self.functions.len());
        let profile = (self.functions, profile);
        Recording::of_profile(input, FORMAT, samples, profile, self.reporter.warnings())
    }
}

/// Whether a stack begins as those of the kernel do.
fn is_kernel(stack: &[String]) -> bool {
    let outermost = stack.last().map_or("", |frame| parts(frame).0);
    ENTRIES.iter().any(|entry| outermost.starts_with(entry))
}

/// The symbol of a frame without its offset, and its library where the frame has it: `symbol+12`, `symbol+0xc`,
/// `symbol_[k]`, or of `perf` `address symbol+12 (library)`.
fn parts(frame: &str) -> (&str, &str) {
    let is_address = |text: &str| text.len() > 4 && text.bytes().all(|it| it.is_ascii_hexdigit());
    let (frame, library) = match frame.split_once(' ') {
        Some((address, rest)) if is_address(address) => {
            let of_library = rest.strip_suffix(')').and_then(|it| it.rsplit_once(" ("));
            of_library.unwrap_or((rest, ""))
        }
        _ => (frame, ""),
    };
    let bytes = frame
        .strip_prefix("b'")
        .and_then(|it| it.strip_suffix('\''));
    let frame = bytes.unwrap_or(frame);
    let (frame, library) = match frame.strip_suffix("_[k]") {
        Some(frame) => (frame, KERNEL),
        None => (frame, library),
    };
    let is_offset = |text: &str| {
        let digits = text.strip_prefix("0x").unwrap_or(text);
        !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_hexdigit())
    };
    let symbol = frame
        .rsplit_once('+')
        .filter(|(name, offset)| is_offset(offset) && !name.is_empty());
    let symbol = symbol.map_or(frame, |(name, _)| name);
    let is_unknown = symbol.strip_prefix("0x").is_some_and(is_address) || symbol.is_empty();
    match (is_unknown, library) {
        (true, library) => ("[unknown]", library),
        (false, library) => (symbol, library),
    }
}

fn intern(functions: &mut Functions, frame: &str, is_kernel: bool) -> FunctionId {
    let (symbol, library) = parts(frame);
    let library = match library {
        "" if is_kernel => KERNEL,
        "[unknown]" => "",
        library => library,
    };
    functions.intern(Function {
        name: &demangle(symbol),
        library,
        ..Function::default()
    })
}

#[cfg(test)]
mod tests;
