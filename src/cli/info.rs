//! `callscape info`: Show what a recording contains: threads, calls, functions, repairs

mod depths;
mod memory;
mod mixed;
mod sampled;

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use super::output::{self, Align, Table};
use super::progress::with_progress;
use callscape_analysis::resolve::Rule;
use callscape_analysis::session::{Resolved, Session};
use callscape_base::escape;
use callscape_base::units::{Cost, Time, Unit, counted};
use callscape_base::warnings::Warning;
use callscape_facts::frequency::LeftOut;
use callscape_facts::gaps::Gaps;
use callscape_facts::lines::Lines;
use callscape_facts::recording::RecordingKind;
use callscape_facts::sampling::Sampling;
use callscape_facts::trace::WaitingKnown;
use callscape_import as import;
use memory::MemoryKnown;
use sampled::SampledBy;

#[derive(Debug, clap::Args)]
#[command(about = "Show what a recording contains: threads, calls, functions, repairs", after_help = EXAMPLES)]
pub(crate) struct InfoArgs {
    #[command(flatten)]
    input: super::trace_arg::TraceArg,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "For a folder with other files than one recording, it lists what each file is, and which are one recording together.

Examples:
  callscape info trace.json --json
  callscape info recordings/";

/// Maximum number of excluded functions named in text.
const NAMED: usize = 12;

/// Maximum number of gaps listed in text and in JSON.
const GAPS_WRITTEN: usize = 8;
const GAPS_LISTED: usize = 1000;

pub(crate) fn run(args: InfoArgs) -> anyhow::Result<()> {
    let path = &args.input.trace;
    if path.is_dir() && !import::is_recording(path) && mixed::run(path, args.json)? {
        return Ok(());
    }
    let session = output::open_counting(&args.input)?;
    let resolved = output::recording(&session)?;
    let info = Info::new(&session, resolved)?;
    output::ensure_whole(&resolved.recording)?;
    if args.json {
        output::print_json(&info)
    } else {
        output::print(|out| info.write(out))
    }
}

/// What the command prints, as text.
pub(crate) fn text(input: &super::trace_arg::TraceArg) -> anyhow::Result<String> {
    let session = output::open_counting(input)?;
    let resolved = output::recording(&session)?;
    let info = Info::new(&session, resolved)?;
    output::ensure_whole(&resolved.recording)?;
    let mut text = Vec::new();
    info.write(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

#[derive(Serialize)]
struct Info<'a> {
    format: &'static str,
    kind: RecordingKind,
    /// What its costs count.
    unit: &'a Unit,
    threads: Vec<Thread<'a>>,
    /// How many of the threads are further lanes of others, for calls that overlap.
    lanes: u64,
    /// By kind, how many causes cross threads, lanes or services.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    links: BTreeMap<&'static str, u64>,
    calls: u64,
    functions: u64,
    max_depth: u32,
    /// Number of calls at each depth of the stack, from 1; `None` if there are no call paths, or no calls are counted.
    calls_by_depth: Option<Vec<u64>>,
    duration_ns: Cost,
    /// Number of samples, if known; 0 for a trace.
    samples: u64,
    /// Whether it counts calls; if not, they are 0.
    calls_known: bool,
    /// Number of calling contexts of a profile; `None` if its format has no contexts.
    contexts: Option<u64>,
    /// What a profile holds or samples weigh, and which of it is shown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    values: Vec<Value<'a>>,
    /// Which threads the samples cover, and how often they were taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    sampler: Option<SampledBy>,
    /// Memory data, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<MemoryKnown<'a>>,
    /// Line data, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<LinesKnown>,
    /// Sampling applied by `callscape sample` to the larger recording it was made from.
    #[serde(skip_serializing_if = "Option::is_none")]
    sampling: Option<&'a Sampling>,
    /// Functions excluded because they are called too often.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<&'a LeftOut>,
    /// When recording was switched off.
    #[serde(skip_serializing_if = "Option::is_none")]
    gaps: Option<NotRecorded>,
    /// Whether it knows when its threads were off-CPU.
    waiting_known: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    waiting: Option<Waiting>,
    resolution: Counts,
    warnings: &'a [Warning],
    /// Warnings about the source tree.
    source_warnings: &'a [Warning],
}

#[derive(Serialize)]
struct Thread<'a> {
    id: &'a str,
    process: &'a str,
    name: &'a str,
    /// Which further lane it is of the thread before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    lane: Option<u32>,
    calls: u64,
    max_depth: u32,
    start_ns: Time,
    end_ns: Time,
    /// The time that samples cover; the rest was not sampled.
    #[serde(skip_serializing_if = "Option::is_none")]
    sampled_ns: Option<Cost>,
}

/// How often and how long all threads together have waited.
#[derive(Serialize)]
struct Waiting {
    waits: u64,
    total_ns: Cost,
    /// They could have gone on.
    preempted_ns: Cost,
    /// Time waiting for something; the reason for the rest of the total is unknown.
    voluntary_ns: Cost,
}

/// Number of known lines of functions, and whether lines of calls are known.
#[derive(Serialize)]
struct LinesKnown {
    places: usize,
    call_sites: bool,
}

impl From<&Lines> for LinesKnown {
    fn from(lines: &Lines) -> LinesKnown {
        LinesKnown {
            places: lines.len(),
            call_sites: lines.knows().sites,
        }
    }
}

impl LinesKnown {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let sites = match self.call_sites {
            true => "also of calls",
            false => "not of calls",
        };
        writeln!(out, "lines      {} known, {sites}", self.places)
    }
}

impl From<WaitingKnown> for Waiting {
    fn from(known: WaitingKnown) -> Waiting {
        Waiting {
            waits: known.waits,
            total_ns: known.total,
            preempted_ns: known.preempted,
            voluntary_ns: known.voluntary,
        }
    }
}

impl Waiting {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let unknown = self
            .total_ns
            .saturating_sub(self.preempted_ns)
            .saturating_sub(self.voluntary_ns);
        let parts = [
            (self.preempted_ns, "pre-empted"),
            (self.voluntary_ns, "voluntary"),
            (unknown, "for unknown reasons"),
        ];
        let parts = parts.into_iter().filter(|(cost, _)| *cost > Cost::ZERO);
        let parts: Vec<String> = parts.map(|(cost, why)| format!("{cost} {why}")).collect();
        let colon = if parts.is_empty() { "" } else { ": " };
        writeln!(
            out,
            "waiting    {} in {}{colon}{}",
            self.total_ns,
            counted(self.waits, "wait", "waits"),
            parts.join(", ")
        )
    }
}

/// When nothing was recorded.
#[derive(Serialize)]
struct NotRecorded {
    /// How many gaps there are.
    count: u64,
    total_ns: Cost,
    /// The first of them.
    listed: Vec<Gap>,
}

/// From `from_ns` to before `to_ns`.
#[derive(Serialize)]
struct Gap {
    from_ns: Time,
    to_ns: Time,
}

impl NotRecorded {
    /// None where recording was never switched off.
    fn of(all: &Gaps) -> Option<NotRecorded> {
        let listed = all.all().iter().take(GAPS_LISTED).map(|gap| Gap {
            from_ns: gap.start,
            to_ns: gap.end,
        });
        (!all.is_empty()).then(|| NotRecorded {
            count: all.all().len() as u64,
            total_ns: all.total(),
            listed: listed.collect(),
        })
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let gaps = if self.count == 1 { "gap" } else { "gaps" };
        writeln!(
            out,
            "off        {} in {} {gaps}:",
            self.total_ns, self.count
        )?;
        for gap in self.listed.iter().take(GAPS_WRITTEN) {
            writeln!(out, "           {} to {}", gap.from_ns, gap.to_ns)?;
        }
        match self.count.saturating_sub(GAPS_WRITTEN as u64) {
            0 => Ok(()),
            more => writeln!(out, "           and {more} more"),
        }
    }
}

#[derive(Serialize)]
struct Value<'a> {
    name: &'a str,
    unit: &'a Unit,
    shown: bool,
    /// Everything.
    total: Cost,
    /// How many weights are negative, as in a difference between two profiles; they are drawn as nothing.
    #[serde(skip_serializing_if = "is_zero")]
    negative: u64,
}

impl Value<'_> {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let name = escape::name(self.name);
        let total = self.unit.show(self.total);
        match self.shown {
            true => writeln!(out, "shown      {name}: {total}")?,
            false if name.contains(' ') => {
                writeln!(out, "value      {name}: {total}, by --value '{name}'")?;
            }
            false => writeln!(out, "value      {name}: {total}, by --value {name}")?,
        }
        if self.negative > 0 {
            let weights = counted(self.negative, "weight is", "weights are");
            writeln!(
                out,
                "           {weights} negative: summed up with the sign, drawn as nothing"
            )?;
        }
        Ok(())
    }
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// How many functions, and calls of them, each rule resolved.
#[derive(Serialize)]
struct Counts {
    functions: BTreeMap<&'static str, u64>,
    calls: BTreeMap<&'static str, u64>,
}

impl Counts {
    fn new(resolved: &Resolved) -> Counts {
        let zero: BTreeMap<&'static str, u64> =
            Rule::ALL.iter().map(|rule| (rule.name(), 0)).collect();
        let mut counts = Counts {
            functions: zero.clone(),
            calls: zero,
        };
        let calls = resolved.recording.calls_by_function();
        for (rule, calls) in resolved.resolution.rules.iter().zip(calls) {
            *counts.functions.entry(rule.name()).or_default() += 1;
            *counts.calls.entry(rule.name()).or_default() += calls;
        }
        counts
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut resolution = Table::new(&[
            ("resolved by", Align::Left),
            ("functions", Align::Right),
            ("calls", Align::Right),
        ]);
        for rule in Rule::ALL.map(Rule::name) {
            let of = |counts: &BTreeMap<&str, u64>| counts.get(rule).copied().unwrap_or(0);
            let (functions, calls) = (of(&self.functions), of(&self.calls));
            let rule = rule.replace('_', " ");
            resolution.row([rule, functions.to_string(), calls.to_string()]);
        }
        resolution.write(out)
    }
}

impl<'a> Info<'a> {
    fn new(session: &'a Session, resolved: &'a Resolved) -> anyhow::Result<Info<'a>> {
        let recording = &resolved.recording;
        let calls_by_depth = with_progress(|progress| depths::counts(recording, progress))??;
        let trace = &recording.trace;
        let profile = recording.profile.as_ref();
        // What a trial run left out was never in the recording; what a limit leaves out keeps its place among the functions.
        let left_out = recording.left_out.iter().filter(|it| !it.of_run_before);
        let emptied = left_out.map(|it| it.functions).sum();
        let weight = |value: usize| match (&recording.weighed, profile) {
            (Some(weighed), _) => weighed.weight_of(value),
            (None, Some(profile)) => profile.weight_of(value),
            (None, None) => Cost::ZERO,
        };
        let weights = recording
            .weighed
            .as_ref()
            .map(|it| it.profile())
            .or(profile);
        let values = recording.values().iter().enumerate();
        let values = values.map(|(index, value)| Value {
            name: &value.name,
            unit: &value.unit,
            shown: index == recording.value(),
            total: weight(index),
            negative: weights.map_or(0, |it| it.negative(index)),
        });
        let sampled = recording.weighed.as_ref().map(|it| it.sampled());
        let threads = recording.threads().iter().enumerate();
        let threads = threads.map(|(number, thread)| Thread {
            id: &thread.id,
            process: &thread.process,
            name: &thread.name,
            lane: (thread.lane > 0).then_some(thread.lane),
            calls: thread.calls,
            max_depth: thread.max_depth,
            start_ns: thread.start,
            end_ns: thread.end,
            sampled_ns: sampled.map(|it| it.get(number).copied().unwrap_or_default()),
        });
        let lanes = recording.threads().iter().filter(|it| it.lane > 0);
        let links = trace.links_by_kind().into_iter();
        Ok(Info {
            format: recording.format,
            kind: recording.kind,
            unit: recording.unit(),
            threads: threads.collect(),
            lanes: lanes.count() as u64,
            links: links.map(|(kind, count)| (kind.name(), count)).collect(),
            calls: recording.calls(),
            functions: (recording.functions.len() as u64).saturating_sub(emptied),
            max_depth: recording.max_depth(),
            calls_by_depth,
            duration_ns: trace.duration(),
            samples: recording.samples,
            calls_known: recording.counts_calls(),
            contexts: profile
                .and_then(|it| it.contexts())
                .map(|it| it.len() as u64),
            values: values.collect(),
            sampler: SampledBy::of(recording),
            memory: recording.memory.as_ref().map(MemoryKnown::from),
            lines: recording.lines.as_ref().map(LinesKnown::from),
            sampling: recording.sampling.as_ref(),
            left_out: recording.left_out.as_ref(),
            gaps: NotRecorded::of(&recording.gaps),
            waiting_known: trace.knows_waiting(),
            waiting: trace.waiting_known().map(Waiting::from),
            resolution: Counts::new(resolved),
            warnings: &recording.warnings,
            source_warnings: &session.source_warnings,
        })
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "format     {}", self.format)?;
        let is_profile = self.kind == RecordingKind::Profile;
        if is_profile {
            writeln!(out, "kind       profile: weights without times")?;
        }
        for value in &self.values {
            value.write(out)?;
        }
        if self.kind == RecordingKind::Sampled || self.samples > 0 {
            writeln!(out, "samples    {}", self.samples)?;
        }
        if let Some(sampler) = &self.sampler {
            sampler.write(out)?;
        }
        if let Some(memory) = &self.memory {
            memory.write(out)?;
        }
        if let Some(lines) = &self.lines {
            lines.write(out)?;
        }
        if let Some(sampling) = self.sampling {
            let sampling = sampling.to_string();
            writeln!(out, "sampling   {}", escape::name(&sampling))?;
        }
        self.write_left_out(out)?;
        match self.contexts {
            Some(contexts) => writeln!(out, "contexts   {contexts}")?,
            None if is_profile => writeln!(
                out,
                "contexts   none: the format contains only functions and call relations"
            )?,
            None => {}
        }
        if self.calls_known {
            writeln!(out, "calls      {}", self.calls)?;
        } else {
            writeln!(out, "calls      not counted")?;
        }
        writeln!(out, "functions  {}", self.functions)?;
        if !is_profile || self.contexts.is_some() {
            writeln!(out, "max depth  {}", self.max_depth)?;
        }
        if let Some(counts) = &self.calls_by_depth
            && let Some(chart) = depths::chart(counts)
        {
            writeln!(out, "by depth   {chart}")?;
        }
        if !is_profile {
            writeln!(out, "duration   {}", self.duration_ns)?;
            match &self.waiting {
                Some(waiting) => waiting.write(out)?,
                None => writeln!(
                    out,
                    "waiting    unknown: running and waiting are not separated"
                )?,
            }
            if let Some(gaps) = &self.gaps {
                gaps.write(out)?;
            }
            if self.lanes > 0 {
                writeln!(out, "lanes      {} more, of calls that overlap", self.lanes)?;
            }
            let links = self.links.iter();
            let links: Vec<String> = links.map(|(kind, n)| format!("{n} {kind}")).collect();
            if !links.is_empty() {
                writeln!(out, "links      {}", links.join(", "))?;
            }
        }
        writeln!(out)?;
        self.resolution.write(out)?;
        if is_profile {
            return self.write_warnings(out);
        }
        writeln!(out)?;
        self.write_threads(out)?;
        self.write_warnings(out)
    }

    fn write_threads(&self, out: &mut dyn Write) -> io::Result<()> {
        let knows_sampled = self.threads.iter().any(|it| it.sampled_ns.is_some());
        let mut headings = vec![
            ("thread", Align::Right),
            ("process", Align::Right),
            ("calls", Align::Right),
            ("max depth", Align::Right),
            ("start", Align::Right),
            ("end", Align::Right),
        ];
        headings.extend(knows_sampled.then_some(("sampled", Align::Right)));
        headings.push(("name", Align::Left));
        let mut threads = Table::new(&headings);
        for thread in &self.threads {
            let mut cells = vec![
                thread.id.to_owned(),
                thread.process.to_owned(),
                thread.calls.to_string(),
                thread.max_depth.to_string(),
                thread.start_ns.to_string(),
                thread.end_ns.to_string(),
            ];
            cells.extend(thread.sampled_ns.map(|it| it.to_string()));
            cells.push(thread.name.to_owned());
            threads.row(cells);
        }
        threads.write(out)
    }

    fn write_left_out(&self, out: &mut dyn Write) -> io::Result<()> {
        let Some(left_out) = self.left_out else {
            return Ok(());
        };
        writeln!(out, "frequency  {}: {left_out}", left_out.max_frequency)?;
        let names = left_out.names.iter().take(NAMED).map(|name| {
            let shown = escape::name(name);
            // Those that were found while the program was recorded.
            match left_out.found.iter().find(|it| it.name == *name) {
                Some(it) => format!(
                    "{shown} (after {}, {})",
                    it.at,
                    counted(it.calls, "call", "calls")
                ),
                None => shown.into_owned(),
            }
        });
        let names: Vec<String> = names.collect();
        let more = match left_out.functions.saturating_sub(names.len() as u64) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        if names.is_empty() {
            return Ok(());
        }
        writeln!(out, "           {}{more}", names.join(", "))
    }

    fn write_warnings(&self, out: &mut dyn Write) -> io::Result<()> {
        for (of, warnings) in [
            ("repaired or skipped", self.warnings),
            ("excluded from the source tree", self.source_warnings),
        ] {
            if !warnings.is_empty() {
                writeln!(out, "\n{of}:")?;
            }
            for warning in warnings {
                writeln!(out, "  {}", escape::name(&warning.to_string()))?;
            }
        }
        Ok(())
    }
}
