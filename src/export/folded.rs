//! Folded stacks. Specification: <https://github.com/brendangregg/FlameGraph#2-fold-stacks>.
//!
//! A line for each call path, its functions from the outermost on with `;` between, and the self cost of all its
//! calls in nanoseconds; call paths without any are left out. Threads are not told apart. A name that several
//! functions have is followed by the file and line, or the library, as py-spy does; `;` and what would steer a
//! terminal are written as `\u{3b}`, which is read as what it stands for. Of a profile the self weight of each context, in its own unit.

use std::collections::HashMap;
use std::io::Write;

use super::part::{ExportError, Part, contexts_of};
use super::walk::{self, Step};
use callscape_base::escape;
use callscape_base::progress::Progress;
use callscape_base::units::{Cost, FunctionId, Time, Unit};
use callscape_facts::functions::Function;
use callscape_facts::profile::Profile;

/// What the format is called on the command line.
pub(crate) const NAME: &str = "folded";

/// How many call paths are summed at once. Past it, what there is is written and summing starts anew: a path
/// may then have several lines, whose sum counts.
const MOST_PATHS: usize = 4 << 20;

pub(crate) fn write(
    part: &Part<'_>,
    out: &mut dyn Write,
    progress: &Progress,
) -> Result<(), ExportError> {
    let names = names(part);
    if let Some(profile) = &part.recording.profile {
        return write_profile(part, profile, &names, out);
    }
    if let Some(weighed) = part.recording.weighed.as_ref().filter(|_| part.is_whole()) {
        return write_profile(part, weighed.profile(), &names, out);
    }
    walk::start(part, 1, progress);
    let mut paths = Paths::default();
    for thread in part.threads() {
        let mut at = ROOT;
        let mut since = Time::ZERO;
        walk::walk(part, thread, progress, |step| {
            let (Step::Enter(_, time, _) | Step::Exit(_, time)) = step;
            paths.rows[at as usize].weight += time.since(since).ns();
            since = time;
            match step {
                Step::Enter(function, ..) => {
                    if paths.rows.len() >= MOST_PATHS {
                        at = paths.start_anew(at, &names, out)?;
                    }
                    at = paths.below(at, function);
                }
                Step::Exit(..) => at = paths.rows[at as usize].parent,
            }
            Ok(())
        })?;
        // What stands between the calls of a thread is no path.
        paths.rows[ROOT as usize].weight = 0;
    }
    paths.write(&names, out)
}

/// The contexts of a profile that weigh something themselves.
fn write_profile(
    part: &Part<'_>,
    profile: &Profile,
    names: &[String],
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    let contexts = contexts_of(part, profile)?;
    // The path at hand, and where each of its open contexts ends: in the tree and in the path.
    let mut path = String::new();
    let mut open: Vec<(u32, usize)> = Vec::new();
    for context in contexts.ids() {
        while open.last().is_some_and(|&(end, _)| end <= context.0) {
            open.pop();
        }
        path.truncate(open.last().map_or(0, |&(_, length)| length));
        if !path.is_empty() {
            path.push(';');
        }
        path.push_str(&names[contexts.function(context).index()]);
        open.push((contexts.subtree(context).end, path.len()));
        let weight = contexts.self_weight(profile.shown(), context);
        match profile.unit() {
            _ if weight == Cost::ZERO => {}
            Unit::Thousandths(_) => writeln!(out, "{path} {}", weight.in_thousandths())?,
            _ => writeln!(out, "{path} {}", weight.weight())?,
        }
    }
    Ok(())
}

/// Stands between functions.
const SEPARATOR: char = ';';

const ROOT: u32 = 0;

/// A call path: a function called from a path.
struct Row {
    parent: u32,
    function: FunctionId,
    weight: u64,
}

/// Call paths, parents before children.
struct Paths {
    rows: Vec<Row>,
    ids: HashMap<(u32, FunctionId), u32>,
}

impl Default for Paths {
    fn default() -> Paths {
        let root = Row {
            parent: ROOT,
            function: FunctionId(0),
            weight: 0,
        };
        Paths {
            rows: vec![root],
            ids: HashMap::new(),
        }
    }
}

impl Paths {
    fn below(&mut self, parent: u32, function: FunctionId) -> u32 {
        let rows = &mut self.rows;
        *self.ids.entry((parent, function)).or_insert_with(|| {
            rows.push(Row {
                parent,
                function,
                weight: 0,
            });
            rows.len() as u32 - 1
        })
    }

    /// The functions of a path, outermost first.
    fn functions(&self, path: u32) -> Vec<FunctionId> {
        let mut functions = Vec::new();
        let mut at = path;
        while at != ROOT {
            functions.push(self.rows[at as usize].function);
            at = self.rows[at as usize].parent;
        }
        functions.reverse();
        functions
    }

    /// Writes all paths, forgets them, and gives the place of `path` among the new ones.
    fn start_anew(
        &mut self,
        path: u32,
        names: &[String],
        out: &mut dyn Write,
    ) -> Result<u32, ExportError> {
        let functions = self.functions(path);
        self.rows[ROOT as usize].weight = 0;
        self.write(names, out)?;
        *self = Paths::default();
        let path = functions.into_iter();
        Ok(path.fold(ROOT, |at, function| self.below(at, function)))
    }

    fn write(&self, names: &[String], out: &mut dyn Write) -> Result<(), ExportError> {
        for (path, row) in self.rows.iter().enumerate() {
            if row.weight == 0 {
                continue;
            }
            for (place, function) in self.functions(path as u32).iter().enumerate() {
                let separator = if place == 0 { "" } else { ";" };
                write!(out, "{separator}{}", names[function.index()])?;
            }
            writeln!(out, " {}", row.weight)?;
        }
        Ok(())
    }
}

/// By function, what it is called in a stack.
fn names(part: &Part<'_>) -> Vec<String> {
    let functions = &part.recording.functions;
    let mut known: HashMap<&str, u32> = HashMap::new();
    for id in functions.ids() {
        *known.entry(functions.get(id).name).or_default() += 1;
    }
    let name = |function: Function<'_>| {
        let several = known.get(function.name).is_some_and(|&count| count > 1);
        let name = match function {
            Function {
                name, file, line, ..
            } if several && !file.is_empty() => {
                format!("{name} ({file}:{line})")
            }
            Function { name, library, .. } if several && !library.is_empty() => {
                format!("{name} ({library})")
            }
            Function { name, .. } => name.to_owned(),
        };
        escape::data(&name, |c| c == SEPARATOR).into_owned()
    };
    functions.ids().map(|id| name(functions.get(id))).collect()
}
