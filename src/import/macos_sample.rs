//! The call graph that macOS's `sample` prints, and the trees of the same shape of `spindump`. Specification: sample(1) and
//! spindump(8), <https://keith.github.io/xcode-man-pages/sample.1.html>.
//!
//! Read are the counts of the call graph, as samples of a context: those of a line less those of the lines below it. A
//! thread is the outermost frame, around it the process where a file has several. A line lies in the one above it that is
//! indented less. A line that counts less than those below it is counted (`count-too-small`). Not read are the lists
//! that are made of the call graph, the images, addresses, and lines of sources, of which the file is kept.

use super::error::ImportError;
use super::input::Input;
use super::lines::Lines;
use super::{samplers, text};
use callscape_base::progress::Progress;
use callscape_base::warnings::Reporter;
use callscape_facts::contexts::{ContextsBuilder, NodeId};
use callscape_facts::functions::{Function, Functions};
use callscape_facts::profile::{Profile, Weights};
use callscape_facts::recording::Recording;

/// The identifier in `info`.
pub(crate) const FORMAT: &str = "macos-sample";

/// How many lines tell whether a file is one.
const LINES_SNIFFED: usize = 1000;

/// Whether a file that begins with `head` is such a text.
pub(crate) fn sniff(head: &[u8]) -> bool {
    if head.starts_with(b"Analysis of sampling ") {
        return true;
    }
    let lines = head.split(|&byte| byte == b'\n').take(LINES_SNIFFED);
    let mut is_begun = false;
    for line in lines {
        let line = std::str::from_utf8(line).unwrap_or_default().trim_end();
        if is_begun && Node::parse(line).is_some_and(|it| it.text.contains(['(', '_'])) {
            return true;
        }
        is_begun = line == "Call graph:" || thread(line).is_some();
    }
    false
}

/// What spindump says of a thread before its tree.
fn thread(line: &str) -> Option<&str> {
    let text = line.trim_start();
    let is_one = text.starts_with("Thread 0x") && text.contains(" samples (");
    // Two blanks or more stand between its name and what it did.
    is_one.then(|| text.split("    ").next().unwrap_or(text).trim())
}

/// A line of a tree.
#[derive(Debug, PartialEq, Eq)]
struct Node<'a> {
    /// Where its count begins.
    column: usize,
    count: i64,
    text: &'a str,
}

impl<'a> Node<'a> {
    fn parse(line: &'a str) -> Option<Node<'a>> {
        // Lines are drawn before a count, and frames of the kernel have a star.
        let rest = line.trim_start_matches([' ', '+', '!', ':', '|', '*']);
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let text = rest[digits..].strip_prefix(' ')?.trim();
        let column = line.len() - rest.len();
        (column > 0 && !text.is_empty()).then_some(Node {
            column,
            count: rest[..digits].parse().ok()?,
            text,
        })
    }
}

/// What a frame says: `name  (in library) + 12  [0x1]  file.c:3`, or `name + 12 (library + 34) [0x1] 1-3`.
fn frame(text: &str) -> Function<'_> {
    let (mut name, mut library, mut file) = (text, "", "");
    if let Some((symbol, rest)) = text.split_once("  (in ") {
        let (inside, behind) = rest.split_once(')').unwrap_or((rest, ""));
        (name, library) = (symbol, inside);
        let place = behind.rsplit_once("]  ").map_or("", |(_, place)| place);
        file = place.rsplit_once(':').map_or("", |(file, _)| file);
    } else if let Some((before, _)) = text.rsplit_once(" [0x") {
        name = before;
        if let Some((symbol, inside)) = before.strip_suffix(')').and_then(|it| it.rsplit_once(" ("))
        {
            (name, library) = (symbol, without_offset(inside));
        }
        name = without_offset(name);
    }
    Function {
        name: match name.trim() {
            "" | "???" => "[unknown]",
            name => name,
        },
        file,
        line: 0,
        library,
    }
}

fn without_offset(text: &str) -> &str {
    let parts = text.rsplit_once(" + ");
    let parts = parts.filter(|(_, offset)| offset.bytes().all(|byte| byte.is_ascii_digit()));
    parts.map_or(text, |(name, _)| name)
}

/// A line of the tree that is open, and what is left of its count for itself.
struct Open {
    column: usize,
    context: NodeId,
    rest: i64,
}

struct Reader<'r> {
    reporter: &'r Reporter,
    builder: ContextsBuilder<'r>,
    functions: Functions,
    open: Vec<Open>,
    /// What the lines of the tree at hand lie in.
    around: NodeId,
    process: Option<NodeId>,
    is_inside: bool,
    has_any: bool,
}

/// Reads the trees. O(size); memory for contexts and names alone.
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let mut lines = Lines::open(input, progress, &reporter)?;
    let mut reader = Reader {
        reporter: &reporter,
        builder: ContextsBuilder::new(1, &reporter),
        functions: Functions::default(),
        open: Vec::new(),
        around: NodeId::ROOT,
        process: None,
        is_inside: false,
        has_any: false,
    };
    let mut is_spindump = true;
    while let Some(line) = lines.next()? {
        let (line, is_other) = text::decode(line);
        let line = line.into_owned();
        if is_other {
            lines.warn("invalid-text");
        }
        let line = line.trim_end();
        is_spindump &= !line.starts_with("Analysis of sampling ");
        if line == "Call graph:" {
            reader.begin(NodeId::ROOT, &lines);
        } else if let Some(name) = line.strip_prefix("Process:").filter(|_| is_spindump) {
            let process = reader.label(NodeId::ROOT, name.trim(), &lines);
            reader.process = Some(process);
        } else if let Some(name) = thread(line) {
            let process = reader.process.unwrap_or(NodeId::ROOT);
            let thread = reader.label(process, name, &lines);
            reader.begin(thread, &lines);
        } else if reader.is_inside {
            reader.line(line, &lines);
        }
    }
    reader.close(0, &lines);
    if !reader.has_any {
        return Err(ImportError::malformed(
            lines.place(),
            "a call graph",
            "none",
        ));
    }
    let samples = reader.builder.size(0);
    let weights = Weights::Contexts(reader.builder.finish());
    let functions = reader.functions;
    let profile = Profile::new(vec![samplers::samples()], 0, weights, functions.len());
    let warnings = reporter.warnings();
    Ok(Recording::of_profile(
        input,
        FORMAT,
        samples,
        (functions, profile),
        warnings,
    ))
}

impl Reader<'_> {
    /// A tree begins in this context.
    fn begin(&mut self, around: NodeId, lines: &Lines<'_>) {
        self.close(0, lines);
        (self.around, self.is_inside) = (around, true);
    }

    /// The context of a process or a thread.
    fn label(&mut self, around: NodeId, text: &str, lines: &Lines<'_>) -> NodeId {
        let words: Vec<&str> = text.split_whitespace().collect();
        let function = self.functions.intern(Function {
            name: match words.join(" ").as_str() {
                "" => "(unnamed)",
                name => name,
            },
            ..Function::default()
        });
        self.builder.child(around, function, || lines.place())
    }

    fn line(&mut self, line: &str, lines: &Lines<'_>) {
        // An empty line ends a tree, but may stand before its first line.
        if line.is_empty() {
            self.is_inside = self.open.is_empty();
            return self.close(0, lines);
        }
        let Some(node) = Node::parse(line) else {
            return lines.warn("malformed-line");
        };
        self.close(node.column, lines);
        let around = match self.open.last_mut() {
            Some(open) => {
                open.rest = open.rest.saturating_sub(node.count);
                open.context
            }
            None => self.around,
        };
        let context = if node.text.starts_with("Thread_") {
            self.label(around, node.text, lines)
        } else {
            let function = self.functions.intern(frame(node.text));
            self.builder.child(around, function, || lines.place())
        };
        self.has_any = true;
        self.open.push(Open {
            column: node.column,
            context,
            rest: node.count,
        });
    }

    /// Ends the lines that are indented so far or further.
    fn close(&mut self, column: usize, lines: &Lines<'_>) {
        while let Some(open) = self.open.pop_if(|open| open.column >= column) {
            if open.rest < 0 {
                self.reporter.warn("count-too-small", || lines.place());
            }
            let rest = open.rest.max(0);
            self.builder.add(open.context, 0, rest, || lines.place());
        }
    }
}

#[cfg(test)]
mod tests;
