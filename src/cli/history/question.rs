//! `callscape history --preset`: the files that stand out for a question.

use std::collections::HashMap;

use anyhow::Context;
use serde::Serialize;

use super::args::HistoryArgs;
use super::asked::Asked;
use crate::output::{self, Align, Table};
use crate::progress::with_progress;
use callscape_analysis::history::{Beside, Question, answers};
use callscape_analysis::relations;
use callscape_analysis::session::Inputs;
use callscape_base::escape;
use callscape_base::units::{Cost, ModuleId};
use callscape_facts::hierarchy::{Hierarchy, ModuleKind};

#[derive(Serialize)]
struct Document<'a> {
    preset: &'static str,
    title: &'static str,
    unit: &'static str,
    files: Vec<File<'a>>,
}

#[derive(Serialize)]
struct File<'a> {
    path: &'a str,
    /// The file that changes together with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    other: Option<&'a str>,
    value: u64,
    why: String,
}

pub(super) fn run(question: Question, args: &HistoryArgs, asked: &Asked) -> anyhow::Result<()> {
    let beside = beside(question, args)?;
    let timeline = &asked.timeline;
    let end = asked.span.end();
    let path = |file: u32| timeline.path(file, end);
    let answers = answers(timeline, &asked.span, question, &beside);
    let files = answers.into_iter().map(|answer| File {
        path: path(answer.files[0]),
        other: answer.files.get(1).map(|&it| path(it)),
        value: answer.value,
        why: answer.why,
    });
    let document = Document {
        preset: question.id(),
        title: question.title(),
        unit: question.unit(),
        files: files.collect(),
    };
    if args.json {
        return output::print_json(&document);
    }
    let mut table = Table::new(&[
        (question.unit(), Align::Right),
        ("file", Align::Left),
        ("why", Align::Left),
    ]);
    for file in &document.files {
        let paths = file.other.map_or(file.path.to_owned(), |other| {
            format!("{} and {other}", file.path)
        });
        table.row([
            file.value.to_string(),
            escape::name(&paths).into_owned(),
            escape::name(&file.why).into_owned(),
        ]);
    }
    output::print(|out| {
        writeln!(out, "{}", document.title)?;
        table.write(out)
    })
}

/// Facts that a question needs in addition to the history.
fn beside(question: Question, args: &HistoryArgs) -> anyhow::Result<Beside> {
    let mut beside = Beside::default();
    let dir = &args.source_dir;
    match question {
        Question::Recent | Question::OneAuthor => {}
        Question::Together => {
            let relations = with_progress(|progress| relations::of_tree(dir, progress))??;
            let path = |file: relations::FileId| relations.paths[file as usize].clone();
            for import in &relations.imports {
                let (from, to) = (path(import.from), path(import.to));
                beside
                    .imports
                    .insert(if from < to { (from, to) } else { (to, from) });
            }
        }
        Question::Hotspots | Question::Untouched => {
            let recording = args.recording.clone();
            if question == Question::Untouched {
                let needed = "--preset untouched needs a recording: --recording TRACE";
                recording.as_ref().context(needed)?;
            }
            let session = output::open_inputs(&Inputs {
                source_dir: Some(dir.clone()),
                recordings: recording.into_iter().collect(),
                ..Inputs::default()
            })?;
            let hierarchy = &session.hierarchy;
            // A file's complexity already is the sum over its functions.
            beside.complexity = of_files(hierarchy, |it| hierarchy.module(it).complexity.into());
            if let Some(resolved) = session.recordings.first() {
                let mut calls = vec![0; hierarchy.len()];
                let metrics = resolved.recording.function_metrics(None);
                for (module, metrics) in resolved.resolution.modules.iter().zip(metrics) {
                    // Samples do not say how often it was called, only that it ran.
                    let ran = u64::from(metrics.total > Cost::ZERO);
                    calls[module.index()] += metrics.calls.max(ran);
                }
                beside.calls = of_files(hierarchy, |file| {
                    let inside = hierarchy.subtree(file).map(ModuleId);
                    inside.map(|it| calls[it.index()]).sum()
                });
            }
        }
    }
    Ok(beside)
}

/// A number of each file, by its path.
fn of_files(hierarchy: &Hierarchy, of: impl Fn(ModuleId) -> u64) -> HashMap<String, u64> {
    let files = (0..hierarchy.len() as u32).map(ModuleId);
    let files = files.filter(|&it| hierarchy.kind(it) == ModuleKind::File);
    files.map(|it| (hierarchy.path(it), of(it))).collect()
}
