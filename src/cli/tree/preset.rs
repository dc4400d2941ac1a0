//! `callscape tree --preset`: the modules that stand out for a question.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::ensure;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::Serialize;

use crate::output::{self, Align, Table};
use crate::progress::with_progress;
use callscape_analysis::relations;
use callscape_analysis::session::Inputs;
use callscape_facts::kinds::Purposes;
use callscape_model::imports::Imports;
use callscape_model::metric::Origin;
use callscape_model::metrics::ModuleMetrics;
use callscape_model::presets::{self, PRESETS, Preset};
use callscape_source::history::history;

#[derive(Serialize)]
struct Document {
    preset: &'static str,
    /// The question and its explanation.
    title: &'static str,
    sentence: &'static str,
    metric: &'static str,
    unit: &'static str,
    modules: Vec<Standing>,
}

#[derive(Serialize)]
struct Standing {
    path: String,
    value: u64,
}

/// Reads the id of a preset.
pub(super) fn parser() -> impl TypedValueParser<Value = &'static Preset> {
    let values = PRESETS
        .iter()
        .map(|preset| clap::builder::PossibleValue::new(preset.id).help(preset.title));
    // What the first parser lets through is the id of one.
    PossibleValuesParser::new(values).map(|id| presets::find(&id).unwrap_or(&PRESETS[0]))
}

pub(super) fn run(
    preset: &'static Preset,
    source_dir: PathBuf,
    recording: Option<PathBuf>,
    json: bool,
) -> anyhow::Result<()> {
    let needs_recording = preset.metrics().any(|it| it.origin() == Origin::Recording);
    ensure!(
        recording.is_some() || !needs_recording,
        "--preset {} needs a recording: --recording TRACE",
        preset.id
    );
    ensure!(
        recording.is_none() || !preset.needs_imports(),
        "--preset {} needs imports, which are read only without --recording",
        preset.id
    );
    let dir = source_dir.clone();
    let session = output::open_inputs(&Inputs {
        source_dir: Some(source_dir),
        recordings: recording.into_iter().collect(),
        ..Inputs::default()
    })?;
    let hierarchy = &session.hierarchy;
    let mut metrics = ModuleMetrics::new(&session, 0);
    if preset.metrics().any(|it| it.origin() == Origin::History) {
        let history = with_progress(|progress| history(&dir, progress))??;
        metrics.set_history(hierarchy, &history, |id| hierarchy.path(id));
    }
    if preset.metric.origin() == Origin::Relations {
        let relations = with_progress(|progress| relations::of_tree(&dir, progress))??;
        let pairs = relations.pairs(hierarchy, |id| hierarchy.path(id));
        let imports = Imports::new(hierarchy, pairs);
        metrics.set_imports(hierarchy, Arc::new(imports));
    }
    let modules = preset.stand_out(hierarchy, &metrics, Purposes::NONE);
    let modules = modules.into_iter().map(|one| Standing {
        path: hierarchy.path(one.module),
        // Amounts are whole.
        value: one.value as u64,
    });
    let document = Document {
        preset: preset.id,
        title: preset.title,
        sentence: preset.sentence,
        metric: preset.metric.name(),
        unit: preset.unit,
        modules: modules.collect(),
    };
    if json {
        return output::print_json(&document);
    }
    let mut table = Table::new(&[(preset.unit, Align::Right), ("file", Align::Left)]);
    for module in document.modules {
        table.row([module.value.to_string(), module.path]);
    }
    output::print(|out| {
        writeln!(out, "{} {}", preset.title, preset.sentence)?;
        table.write(out)
    })
}
