//! `callscape compare`: What differs between two recordings

use std::ffi::OsString;
use std::path::Path;

use anyhow::{Context, bail, ensure};
use clap::error::ErrorKind;
use clap::{Args, FromArgMatches, ValueEnum};

use super::frequency::say_left_out;
use super::output;
use super::progress::with_progress;
use super::render::RenderArgs;
use super::revisions::Between;
use super::usage::refuse;
use args::{CompareArgs, TimedBy};
use callscape_analysis::comparison::amounts::Timed;
use callscape_analysis::comparison::{Comparison, Inputs, Settings, pairing};
use callscape_base::files;
use callscape_export::pack;
use callscape_import as import;
use callscape_source as source;

pub(crate) mod args;
mod clocks;
mod contents;
mod document;
mod lines;
mod moments;
mod picture;
mod picture_args;
mod report;
mod tables;
mod text;

use tables::Tables;

/// A file of pairs has no more bytes.
const MOST_PAIRS: u64 = 64 << 20;

/// Writes the picture of two revisions that `callscape render` is asked for.
pub(crate) fn render(between: &Between, render: &RenderArgs) -> anyhow::Result<()> {
    let [width, height] = render.size.unwrap_or([1920, 1080]);
    let mut words: Vec<OsString> = ["compare", "--rev"].map(Into::into).into();
    words.extend([between.to_string().into(), "-o".into()]);
    words.push(render.output.clone().into());
    words.extend(["--size".into(), format!("{width}x{height}").into()]);
    let theme = render.theme.and_then(|it| it.to_possible_value());
    for (option, value) in [
        ("--theme", theme.map(|it| it.get_name().to_owned())),
        ("--level", render.level.map(|it| it.to_string())),
        ("--value", render.value.clone()),
    ] {
        words.extend(value.into_iter().flat_map(|it| [option.into(), it.into()]));
    }
    words.push("--".into());
    words.extend(render.inputs.iter().map(Into::into));
    let command = CompareArgs::augment_args(clap::Command::new("compare"));
    let matches = command.try_get_matches_from(words)?;
    run(CompareArgs::from_arg_matches(&matches)?)
}

pub(crate) fn run(args: CompareArgs) -> anyhow::Result<()> {
    let inputs = sort_inputs(&args)?;
    let output = args.picture.output()?;
    let mut corrections = args.pair.clone();
    if let Some(path) = &args.pairs {
        let shown = || path.display().to_string();
        let text = files::read_text(path, MOST_PAIRS).with_context(shown)?;
        let listed = pairing::corrections(&text);
        corrections.extend(listed.map_err(anyhow::Error::msg).with_context(shown)?);
    }
    let settings = Settings {
        corrections,
        is_exact: args.exact,
        value: args.value.clone(),
        max_frequency: args.left_out.max_frequency,
    };
    let mut comparison = with_progress(|progress| Comparison::open(&inputs, &settings, progress))??;
    if let Some(per) = &args.per {
        let rows = comparison.rows_named(per);
        let [row] = rows[..] else {
            bail!(
                "--per {per}: expected the name or path of one function, found {}",
                rows.len()
            );
        };
        comparison.per = Some(row);
    }
    comparison.is_by_shares |= args.shares;
    match args.time {
        None => {}
        Some(TimedBy::Elapsed) => comparison.timed = Timed::Elapsed,
        Some(TimedBy::Running) => {
            let all = &comparison.session.recordings;
            let ignorant = all.iter().find(|it| !it.recording.trace.knows_waiting());
            if let Some(ignorant) = ignorant {
                bail!(
                    "--time running: {} does not record when its threads wait",
                    ignorant.recording.name()
                );
            }
        }
    }
    for warning in &comparison.session.source_warnings {
        say!("callscape: {warning}");
    }
    for resolved in &comparison.session.recordings {
        say_left_out(&resolved.recording);
    }
    for doubt in &comparison.doubts {
        say!("callscape: {doubt}");
    }
    for unclear in &comparison.unclear {
        say!("callscape: {unclear}");
    }
    let is_report = output.as_ref().is_some_and(picture::Output::is_report);
    let mapped = args.map.as_deref();
    let mapped = mapped.map(|map| super::mapping::apply(&comparison.session, map));
    let mapped = mapped.transpose()?;
    let limits = [args.from.as_ref(), args.to.as_ref()];
    comparison.enclosing = args.enclosing.into();
    moments::limit(limits, &mut comparison, mapped.as_ref())?;
    let tables = Tables::new(&args, &comparison, mapped, is_report)?;
    for resolved in &comparison.session.recordings {
        output::ensure_whole(&resolved.recording)?;
    }
    let clocks = match args.align {
        Some(align) => Some(align.alignment(args.align_by.as_deref(), &comparison)?),
        None => None,
    };
    let mut findings = Vec::new();
    for condition in &args.fail_if {
        let finding = condition.check(&comparison, &tables.functions);
        findings.push((condition, finding.map_err(anyhow::Error::msg)?));
    }
    if let Some(output) = &output {
        output.write(&args, &inputs, &comparison, &tables)?;
    }
    if args.json {
        output::print_json(&tables.document(&comparison, &args, clocks.as_ref()))?;
    } else if output.is_none() {
        output::print(|out| tables.write(out, &comparison, &args))?;
    }
    let held = findings.iter().filter(|(_, finding)| finding.holds);
    let mut held = held
        .map(|(condition, finding)| format!("{condition} holds: {}", finding.of.join("; ")))
        .collect::<Vec<_>>();
    if let Some(last) = held.pop() {
        for line in held {
            say!("callscape: {line}");
        }
        bail!(last);
    }
    Ok(())
}

/// Ends the program as wrong usage does.
fn usage(message: String) -> ! {
    refuse(ErrorKind::WrongNumberOfValues, &message)
}

/// The sides that a pack holds.
fn of_pack(path: &Path) -> anyhow::Result<Inputs> {
    let opened = super::input::unpacked(path)?;
    let found = opened.recordings.len();
    let of_a = opened.sides.runs_of_a.max(1);
    ensure!(
        found > of_a,
        "{}: expected a pack with the recordings A and B, found {found} in it",
        path.display()
    );
    let (a, b) = opened.recordings.split_at(of_a);
    let sources = opened.sides.source_of_a.into_iter();
    Ok(Inputs {
        recordings: [a.to_vec(), b.to_vec()],
        source_dirs: sources.chain(opened.source_dir).collect(),
    })
}

/// Which paths are recordings and which source trees.
fn sort_inputs(args: &CompareArgs) -> anyhow::Result<Inputs> {
    if let [path] = &args.inputs[..]
        && args.a.is_empty()
        && pack::is_pack(path)
    {
        return of_pack(path);
    }
    // What stands behind --a or --b is taken by it, source trees too.
    let (after, recordings) = super::input::apart([&args.a, &args.b]);
    let mut inputs = Inputs {
        recordings,
        source_dirs: Vec::new(),
    };
    let mut recordings = Vec::new();
    for path in &args.inputs {
        let is_pipe = path.as_os_str() == import::input::STANDARD_INPUT;
        if !is_pipe {
            std::fs::metadata(path).with_context(|| path.display().to_string())?;
        }
        let is_source = !is_pipe && source::is_source(path, import::is_recording);
        if is_source {
            inputs.source_dirs.push(path.clone());
        } else {
            recordings.push(path.clone());
        }
    }
    inputs.source_dirs.extend(after);
    if !args.a.is_empty() && inputs.recordings.iter().any(Vec::is_empty) {
        usage("expected recordings after both --a and --b, found only source trees".to_owned());
    }
    if inputs.source_dirs.len() > 2 {
        let count = inputs.source_dirs.len();
        usage(format!(
            "expected at most two source trees, one for A and one for B, found {count}"
        ));
    }
    if let Some(between) = &args.rev {
        let written = between.written(&inputs.source_dirs)?;
        if recordings.is_empty() && args.a.is_empty() {
            recordings = written.recordings.into();
        }
        inputs.source_dirs = written.source_dirs.into();
    }
    match (&recordings[..], args.a.is_empty()) {
        ([a, b], true) => inputs.recordings = [vec![a.clone()], vec![b.clone()]],
        ([], false) => {}
        (found, true) => usage(format!(
            "expected two recordings, A and B, found {}; use --a and --b for several recordings per side",
            found.len()
        )),
        ([first, ..], false) => usage(format!(
            "{}: expected a source tree in addition to --a and --b, found a recording",
            first.display()
        )),
    }
    Ok(inputs)
}
