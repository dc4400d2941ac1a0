//! `callscape contexts`: The calling context tree of a recording

use std::borrow::Cow;
use std::cmp::Reverse;

use anyhow::{anyhow, bail};
use serde::Serialize;
use serde::ser::Serializer;

use super::output::{self, Align, Table};
use super::progress::with_progress;
use super::range::RangeArgs;
use super::threads;
use callscape_analysis::call_sites::NoCallSites;
use callscape_analysis::session::{Resolved, Session};
use callscape_analysis::{call_sites, contexts, sampled};
use callscape_base::escape;
use callscape_base::units::{ContextId, Cost, FunctionId, ThreadId, Unit};
use callscape_facts::contexts::{Contexts, Merge};
use callscape_facts::functions::Functions;
use callscape_facts::trace::Within;
use callscape_views::text::percent;

#[derive(Debug, clap::Args)]
#[command(about = "List the calling contexts of a recording: its calls merged by call path", after_help = HELP)]
pub(crate) struct ContextsArgs {
    #[command(flatten)]
    input: super::trace_arg::TraceArg,
    /// Only the thread with this id or name
    #[arg(long, value_name = "T")]
    thread: Option<String>,
    #[command(flatten)]
    range: RangeArgs,
    /// Count a recursive call in the context of the call that is already open
    #[arg(long, conflicts_with = "by_function")]
    merge_recursion: bool,
    /// One context per function, without a parent, with the self cost of all its calls
    #[arg(long)]
    by_function: bool,
    /// Only this context and those below it: "FUNCTION", or "CALLER -> FUNCTION" and so on with more callers. Of several,
    /// the most expensive one
    #[arg(long, value_name = "FUNCTIONS")]
    root: Option<String>,
    /// Calls of a function from different lines are different contexts, of recordings that have the lines of calls
    #[arg(long, conflicts_with_all = ["merge_recursion", "by_function"])]
    call_sites: bool,
    /// In the table, only contexts with at least this share of the whole, in percent [default: 1]
    #[arg(long, value_name = "PERCENT", conflicts_with = "json")]
    least: Option<f64>,
    /// In the table, only contexts up to a depth of N calls
    #[arg(long, value_name = "N", conflicts_with = "json")]
    depth: Option<usize>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

const HELP: &str = "Examples:
  callscape contexts trace.json
  callscape contexts trace.json --merge-recursion --from 10% --to 20% --json
  callscape contexts heap.pb.gz --value alloc_space --by-function
  callscape contexts trace.json --root 'main -> sort' --by-function
  callscape contexts cpu.pb.gz --call-sites

The JSON document lists the contexts in preorder, all threads merged: a context comes after its caller, whose index \
is in the field \"parent\"; outermost contexts have none. The field \"self\" is the self cost of a context's calls, \
and \"total\" also includes all contexts below it; both are in \"unit\", ns for times. With --from and --to, calls \
that extend beyond the range count only with their cost inside it. Calls are 0 if a profile does not count them. \
--merge-recursion eliminates recursion as in calling context ring charts. --call-sites needs pprof, perf with source lines, \
Firefox, Java Flight Recorder, HPROF text, or speedscope of py-spy, rbspy and austin, and the whole recording; \
\"call_file\" and \"call_line\" are the line that makes the calls, 0 if it is not known. --root selects a context of the tree that \
the other options make, but --by-function adds up the functions below it. The root comes first, and percentages are \
those of its total.";

/// A table for people shows contexts with this share of the whole, in percent.
const LEAST: f64 = 1.0;

/// Beyond this depth, tables show the depth as a number instead of an indent.
const DEEPEST_INDENT: usize = 40;

pub(crate) fn run(args: ContextsArgs) -> anyhow::Result<()> {
    let session = output::open(&args.input)?;
    let resolved = output::recording(&session)?;
    let recording = &resolved.recording;
    let chosen = Chosen::of(&args, resolved)?;
    if args.call_sites && chosen.is_some() {
        bail!("--call-sites: {}", NoCallSites::Part);
    }
    let merge = match (args.merge_recursion, args.by_function) {
        (true, _) => Merge::Recursion,
        (_, true) => Merge::Functions,
        _ => Merge::Paths,
    };
    let found = with_progress(|progress| {
        let (within, threads) = chosen.as_ref().map_or_else(Default::default, |it| {
            (it.within, Some(it.threads.as_slice()))
        });
        let found = match args.call_sites {
            false => sampled::contexts_in(recording, within, threads, progress)?,
            true => {
                let found = call_sites::contexts(recording);
                let found = found.map_err(|it| anyhow!("--call-sites: {it}"))?;
                Some((Cow::Owned(found), recording.value()))
            }
        };
        let Some((mut of, value)) = found else {
            return Ok(None);
        };
        let mut first = ContextId(0);
        let mut root = |of: &Contexts| match &args.root {
            Some(root) => {
                first = root_of(of, value, root, &recording.functions)?;
                Ok::<_, anyhow::Error>(Some(of.below(first)))
            }
            None => Ok(None),
        };
        // A root of functions alone would be one function.
        if merge == Merge::Functions
            && let Some(below) = root(&of)?
        {
            of = Cow::Owned(below);
        }
        if merge != Merge::Paths {
            of = Cow::Owned(of.merged(merge, |function| function, progress)?);
        }
        if merge != Merge::Functions
            && let Some(below) = root(&of)?
        {
            of = Cow::Owned(below);
        }
        Ok::<_, anyhow::Error>(Some((of, value, first)))
    })??;
    let Some((found, value, first)) = found else {
        bail!(
            "{}: its format contains functions and call relations, but no call paths; see `callscape functions` and \
             `callscape graph`",
            recording.name()
        );
    };
    output::ensure_whole(recording)?;
    let shown = Shown {
        contexts: &found,
        value,
        by_site: args.call_sites.then_some(first.0),
        session: &session,
        resolved,
    };
    if args.json {
        return output::print_json(&shown.document());
    }
    let table = shown.table(
        args.least.unwrap_or(LEAST),
        args.depth.unwrap_or(usize::MAX),
    );
    output::print(|out| table.write(out))
}

/// The context that weighs most of those whose way ends with these functions.
fn root_of(
    of: &Contexts,
    value: usize,
    root: &str,
    functions: &Functions,
) -> anyhow::Result<ContextId> {
    // Some names have arrows of their own.
    let is_one = functions.ids().any(|it| functions.get(it).name == root);
    let names: Vec<&str> = match is_one {
        true => vec![root],
        false => root.split(" -> ").map(str::trim).collect(),
    };
    let is_root = |context: &ContextId| {
        let way = std::iter::successors(Some(*context), |it| of.parent(*it));
        let mut way = way.map(|it| functions.get(of.function(it)).name);
        names.iter().rev().all(|name| way.next() == Some(*name))
    };
    let found = of.ids().filter(is_root);
    let Some(found) = found.max_by_key(|it| (of.total(value, *it).size(), Reverse(*it))) else {
        bail!(
            "--root '{}': no calling context ends with these functions; `callscape contexts` lists their names",
            escape::name(root)
        );
    };
    Ok(found)
}

/// The part of a recording that is asked for.
struct Chosen {
    within: Within,
    threads: Vec<ThreadId>,
}

impl Chosen {
    /// None for all of it.
    fn of(args: &ContextsArgs, resolved: &Resolved) -> anyhow::Result<Option<Chosen>> {
        let recording = &resolved.recording;
        let within = args.range.of_weights(recording)?;
        if args.thread.is_none() && within.range.is_none() {
            return Ok(None);
        }
        if args.thread.is_some() && recording.weighed.is_none() {
            output::ensure_times(recording, "no thread can be selected")?;
        }
        let trace = recording.timed();
        Ok(Some(Chosen {
            within,
            threads: threads::find(trace, args.thread.as_deref())?,
        }))
    }
}

/// The contexts with what names them.
struct Shown<'a> {
    contexts: &'a Contexts,
    /// The number of the value shown.
    value: usize,
    /// The number of the first context among those by call site, if these are shown.
    by_site: Option<u32>,
    session: &'a Session,
    resolved: &'a Resolved,
}

#[derive(Serialize)]
struct Document<'a> {
    unit: Cow<'a, str>,
    contexts: Rows<'a>,
}

/// The rows, made one by one as they are written: there may be millions.
struct Rows<'a> {
    shown: &'a Shown<'a>,
    /// By function, the path of its module.
    modules: Vec<String>,
}

#[derive(Serialize)]
struct Row<'a> {
    id: u32,
    parent: Option<u32>,
    name: &'a str,
    module: &'a str,
    calls: u64,
    /// The line that makes the calls, if contexts are separated by it; 0 if not known, and none of an outermost context.
    #[serde(skip_serializing_if = "Option::is_none")]
    call_file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    call_line: Option<u32>,
    #[serde(rename = "self")]
    self_cost: Cost,
    total: Cost,
    /// Waiting time in both costs, if recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    self_waiting: Option<Cost>,
    #[serde(skip_serializing_if = "Option::is_none")]
    waiting: Option<Cost>,
}

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ids = self.shown.contexts.ids();
        serializer.collect_seq(ids.map(|id| self.shown.row(id, &self.modules)))
    }
}

impl<'a> Shown<'a> {
    fn document(&'a self) -> Document<'a> {
        let unit = self.resolved.recording.unit();
        Document {
            unit: match unit {
                Unit::Nanoseconds => "ns".into(),
                unit => unit.name(),
            },
            contexts: Rows {
                shown: self,
                modules: self.modules(),
            },
        }
    }

    /// By function, the path of its module; only of those that have contexts.
    fn modules(&self) -> Vec<String> {
        let functions = &self.resolved.recording.functions;
        let mut is_there = vec![false; functions.len()];
        for context in self.contexts.ids() {
            is_there[self.contexts.function(context).index()] = true;
        }
        let path = |(id, is_there): (FunctionId, bool)| {
            let module = self.resolved.resolution.modules.get(id.index());
            let module = module.filter(|_| is_there);
            module.map_or_else(String::new, |&it| self.session.hierarchy.path(it))
        };
        functions.ids().zip(is_there).map(path).collect()
    }

    fn knows_waiting(&self) -> bool {
        self.by_site.is_none() && self.resolved.recording.trace.knows_waiting()
    }

    /// The line that makes the calls of a context, and its file.
    fn site(&self, id: ContextId) -> Option<(&str, u32)> {
        let id = ContextId(self.by_site?.saturating_add(id.0));
        call_sites::site(&self.resolved.recording, id)
    }

    fn row<'r>(&'r self, id: ContextId, modules: &'r [String]) -> Row<'r> {
        let contexts = self.contexts;
        let function = contexts.function(id);
        let knows = self.knows_waiting();
        let site = self.site(id);
        let has_site = self.by_site.is_some() && contexts.parent(id).is_some();
        Row {
            id: id.0,
            parent: contexts.parent(id).map(|it| it.0),
            name: self.resolved.recording.functions.get(function).name,
            module: modules.get(function.index()).map_or("", String::as_str),
            calls: contexts.calls(id).unwrap_or_default(),
            call_file: site.map(|it| it.0),
            call_line: site.map(|it| it.1).or(has_site.then_some(0)),
            self_cost: contexts.self_weight(self.value, id),
            total: contexts.total(self.value, id),
            self_waiting: knows.then(|| contexts.self_weight(contexts::WAITING, id)),
            waiting: knows.then(|| contexts.total(contexts::WAITING, id)),
        }
    }

    /// For people: the largest first below each caller, those with at least `least` percent of the whole.
    fn table(&self, least: f64, depth: usize) -> Table {
        let contexts = self.contexts;
        let unit = self.resolved.recording.unit();
        // Where weights have signs, what adds up to nothing may still be much.
        let sizes = contexts.sizes_before(self.value);
        let whole = sizes.last().copied().unwrap_or_default() as f64;
        let size = |id: ContextId| {
            let below = contexts.subtree(id);
            sizes[below.end as usize] - sizes[below.start as usize]
        };
        let counts_calls = self.resolved.recording.counts_calls();
        let mut table = Table::new(&[
            ("total", Align::Right),
            ("%", Align::Right),
            ("self", Align::Right),
            ("calls", Align::Right),
            ("calling context", Align::Left),
        ]);
        let total = |id: ContextId| contexts.total(self.value, id);
        let children = |of: Option<ContextId>| {
            let is_shown = |id: &ContextId| size(*id) as f64 * 100.0 >= least * whole;
            let mut children: Vec<ContextId> = contexts.children(of).filter(is_shown).collect();
            // The largest last, for it is taken first; of equal ones the first to appear.
            children.sort_by_key(|&id| (size(id), std::cmp::Reverse(id)));
            children
        };
        let mut open = vec![children(None)];
        while let Some(siblings) = open.last_mut() {
            let Some(id) = siblings.pop() else {
                open.pop();
                continue;
            };
            let level = open.len() - 1;
            let indent = " ".repeat(level.min(DEEPEST_INDENT) * 2);
            let deeper = match level > DEEPEST_INDENT {
                true => format!("[{level}] "),
                false => String::new(),
            };
            let name = self
                .resolved
                .recording
                .functions
                .get(contexts.function(id))
                .name;
            table.row([
                unit.show(total(id)),
                percent(total(id).weight() as f64 / whole.max(1.0)),
                unit.show(contexts.self_weight(self.value, id)),
                output::calls(contexts.calls(id).unwrap_or_default(), counts_calls),
                match self.site(id) {
                    Some((file, line)) => {
                        format!("{indent}{deeper}{name}, called at {file}:{line}")
                    }
                    None => format!("{indent}{deeper}{name}"),
                },
            ]);
            if open.len() < depth {
                open.push(children(Some(id)));
            }
        }
        table
    }
}
