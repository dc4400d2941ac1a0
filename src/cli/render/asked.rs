//! What the arguments ask for, of a session.

use std::sync::Arc;

use anyhow::{Context, bail, ensure};

use super::args::{
    ArcWidthArg, ArcsArg, CameraArg, ColorArg, HeightScaleArg, QualityArg, RenderArgs, ScaleArg,
    ShadowArg, ThemeArg,
};
use crate::progress::with_progress;
use callscape_analysis::mapping::regroup::Regrouped;
use callscape_analysis::relations;
use callscape_analysis::session::{Inputs, Session};
use callscape_app::headless::{PictureSettings, Viewpoint, moment_at};
use callscape_base::units::{Cost, ModuleId, Time, TimeRange, When};
use callscape_filter::cut::Cut;
use callscape_look::pose::LONG_LENS;
use callscape_look::quality::Quality;
use callscape_model::arcs::ArcMeasure;
use callscape_model::imports::Imports;
use callscape_model::landscape::LandscapeSettings;
use callscape_model::memory::tells;
use callscape_model::metric::{Metric, Origin};
use callscape_model::metrics::ModuleMetrics;
use callscape_model::moment::{Moment, lively};
use callscape_model::search::search;
use callscape_model::surface::{Scale, Surface};
use callscape_model::theme::Theme;
use callscape_source::history::{history, repository_around};
use callscape_state::camera::ISOMETRIC_PITCH;

pub(super) fn settings(
    args: &RenderArgs,
    session: &Session,
    duration: Option<Cost>,
) -> anyhow::Result<PictureSettings> {
    ensure_shown(args, session, duration)?;
    let landscape = landscape(args, session, duration);
    let focus = args
        .focus
        .as_deref()
        .map(|path| find(session, path))
        .transpose()?;
    let direction = match args.camera {
        CameraArg::Home => None,
        CameraArg::Top => Some([90.0, 90.0]),
        CameraArg::Iso => Some([45.0, ISOMETRIC_PITCH.to_degrees()]),
    };
    let yaw = args.yaw.or(direction.map(|[yaw, _]| yaw));
    let pitch = args.pitch.or(direction.map(|[_, pitch]| pitch));
    Ok(PictureSettings {
        size: args.size.unwrap_or([1280, 720]),
        landscape,
        level: args.level,
        viewpoint: Viewpoint {
            focus,
            yaw: yaw.map(f32::to_radians),
            // Straight down the heading would have no direction.
            pitch: pitch.map(|pitch| pitch.clamp(1.0, 89.0).to_radians()),
            distance: args.distance,
            fov_y: matches!(args.camera, CameraArg::Iso).then_some(LONG_LENS),
        },
        quality: quality(args),
        legend: !args.no_legend && (args.legend || landscape.says_more()),
    })
}

/// Refuses options for which the session has no data.
fn ensure_shown(
    args: &RenderArgs,
    session: &Session,
    duration: Option<Cost>,
) -> anyhow::Result<()> {
    let needs_recording = |metric: &Metric| match metric.origin() {
        Origin::Recording => true,
        Origin::Relations => session.source_dir.is_none(),
        _ => false,
    };
    if let Some(metric) = asked_for(args).find(|it| it.origin() == Origin::Memory) {
        let shown = session.recordings.first();
        let memory = shown.and_then(|it| it.recording.memory.as_ref());
        ensure!(
            memory.is_some_and(|memory| tells(memory, metric)),
            "{} needs a recording with that data",
            metric.title()
        );
    }
    if let Some(metric) = asked_for(args).find(needs_recording) {
        ensure!(
            duration.is_some(),
            "{} needs a recording; name one in addition to the source tree",
            metric.title()
        );
    }
    if let Some(metric) = asked_for(args).find(|it| it.origin() == Origin::Coverage) {
        ensure!(
            !args.elsewhere.results.is_empty(),
            "{} needs a report of lcov or Cobertura; name one with --results",
            metric.title()
        );
    }
    if let Some(metric) = asked_for(args).find(|it| it.origin() == Origin::Numbers) {
        ensure!(
            !args.elsewhere.metrics.is_empty(),
            "{} needs a table of numbers; name one with --metric",
            metric.name()
        );
    }
    let wants_calls = asked_for(args).any(|metric| metric == Metric::Calls);
    let shown = session.recordings.first();
    ensure!(
        !matches!(args.arcs, ArcsArg::Selection) || args.focus.is_some(),
        "--arcs selection shows the arcs of the --focus module"
    );
    ensure!(
        !wants_calls || shown.is_none_or(|resolved| resolved.recording.counts_calls()),
        "this profile does not count calls; use self to show its weights"
    );
    Ok(())
}

fn landscape(args: &RenderArgs, session: &Session, duration: Option<Cost>) -> LandscapeSettings {
    let recording = session.recordings.first().map(|it| &*it.recording);
    let usual = LandscapeSettings::default();
    let usual = usual.once_open(recording, session.source_dir.is_some());
    LandscapeSettings {
        area: args.area.unwrap_or(usual.area),
        height: args.height.map_or(usual.height, |it| it.0),
        surface: match args.color {
            Some(color) => color.0,
            None => Surface::usual(false, !session.recordings.is_empty()),
        },
        scale: match args.scale {
            ScaleArg::Linear => Scale::Linear,
            ScaleArg::Log => Scale::Log,
            ScaleArg::Quantile => Scale::Quantile,
        },
        tiling: args.layout,
        arcs: args.arcs.mode(),
        arc_measure: match args.arc_width {
            ArcWidthArg::Calls => ArcMeasure::Calls,
            ArcWidthArg::Cost => ArcMeasure::Cost,
        },
        bundling: args.bundling,
        most_arcs: args.most_arcs,
        most_blocks: usize::MAX,
        theme: args.theme.map_or(Theme::Light, ThemeArg::theme),
        half_life: Cost::from_ns(duration.unwrap_or_default().ns() / 150),
        highlight: args.highlight,
        full_size: args.full_size,
        without: args.without.iter().copied().collect(),
        height_scale: match args.height_scale {
            HeightScaleArg::Root => None,
            HeightScaleArg::Linear => Some(Scale::Linear),
            HeightScaleArg::Log => Some(Scale::Log),
            HeightScaleArg::Quantile => Some(Scale::Quantile),
        },
    }
}

/// Settings of the view, as the window has them.
pub(super) fn view_settings(args: &RenderArgs) -> Vec<(String, String)> {
    let mut settings = Vec::new();
    if let Some(sizing) = &args.sizing {
        let is_short = matches!(sizing.as_str(), "angle" | "area");
        let by = if is_short { "by " } else { "" };
        settings.push(("sizing".to_owned(), format!("{by}{sizing}")));
    }
    if let Some(rings) = args.rings {
        settings.push(("depth".to_owned(), rings.to_string()));
    }
    settings.extend(args.set.iter().cloned());
    settings
}

fn quality(args: &RenderArgs) -> Quality {
    let quality = match args.quality {
        QualityArg::Low => Quality::LOW,
        QualityArg::Medium => Quality::MEDIUM,
        QualityArg::High => Quality::HIGH,
    };
    Quality {
        // Each picture of a sequence is seen for an instant.
        samples: match args.frames {
            Some(_) => quality.samples.div_ceil(3),
            None => quality.samples,
        },
        shadow: args.shadow == ShadowArg::Soft,
        ..quality
    }
}

/// The inputs to open.
pub(crate) fn inputs(args: &RenderArgs) -> anyhow::Result<Inputs> {
    let mut inputs = crate::input::sort(&args.inputs)?;
    if args.history {
        let dir = inputs.source_dir.take();
        let dir = dir.context("--history: expected a source tree, found only recordings")?;
        inputs.recordings.insert(0, repository_around(&dir)?);
    }
    Ok(inputs)
}

/// The metrics that the picture is to show.
fn asked_for(args: &RenderArgs) -> impl Iterator<Item = Metric> {
    let color = match args.color {
        Some(ColorArg(Surface::Metric(metric))) => Some(metric),
        Some(ColorArg(Surface::Person)) => Some(Metric::Authors),
        _ => None,
    };
    let arcs = matches!(args.arcs, ArcsArg::Together).then_some(Metric::Coupled);
    let highlight = args.highlight.map(|highlight| highlight.metric);
    let height = args.height.and_then(|it| it.0);
    let metrics = args.area.into_iter().chain(height);
    metrics.chain(color).chain(highlight).chain(arcs)
}

/// Metrics to show, including the history if requested.
pub(super) fn metrics(
    args: &RenderArgs,
    session: &Session,
    shown: &Session,
    mapped: Option<&Regrouped>,
) -> anyhow::Result<ModuleMetrics> {
    let mut metrics = ModuleMetrics::new(shown, 0);
    // A recording that is a history knows them.
    let mut asked = asked_for(args).filter(|it| !metrics.has(*it));
    if let Some(metric) = asked.find(|it| it.origin() == Origin::History) {
        let dir = session.source_dir.as_deref();
        let dir = dir.with_context(|| format!("{} needs a source tree", metric.title()))?;
        let history = with_progress(|progress| history(dir, progress))??;
        for limit in history.limits() {
            say!("callscape: {limit}");
        }
        metrics.set_history(&shown.hierarchy, &history, |id| match mapped {
            Some(mapped) => session.hierarchy.path(mapped.origins[id.index()]),
            None => session.hierarchy.path(id),
        });
    }
    let needs_relations = |metric: Metric| match metric {
        Metric::Globals => true,
        metric => metric.origin() == Origin::Relations && session.recordings.is_empty(),
    };
    if asked_for(args).any(needs_relations)
        && let Some(dir) = session.source_dir.as_deref()
    {
        let relations = with_progress(|progress| relations::of_tree(dir, progress))??;
        let path_of = |id: ModuleId| match mapped {
            Some(mapped) => session.hierarchy.path(mapped.origins[id.index()]),
            None => session.hierarchy.path(id),
        };
        let pairs = relations.pairs(&shown.hierarchy, path_of);
        let globals = relations.globals_of_modules(&shown.hierarchy, path_of);
        let bases = relations.bases_of_classes(&shown.hierarchy, path_of);
        let imports = Imports::new(&shown.hierarchy, pairs);
        let imports = imports.with_bases(bases).with_globals(globals);
        metrics.set_imports(&shown.hierarchy, Arc::new(imports));
    }
    Ok(metrics)
}

/// Collapsed and expanded modules, and `hidden`.
pub(super) fn cut(
    args: &RenderArgs,
    session: &Session,
    hidden: Option<ModuleId>,
) -> anyhow::Result<Cut> {
    let hierarchy = &session.hierarchy;
    let mut cut = match args.level {
        Some(level) => Cut::at_level(hierarchy, level),
        None => Cut::all(),
    };
    for path in &args.collapse {
        let module = find(session, path)?;
        ensure!(
            !hierarchy.is_leaf(module),
            "{path}: expected a module that contains others, found a single one"
        );
        cut.collapse(hierarchy, module);
    }
    for path in &args.expand {
        let module = find(session, path)?;
        cut.expand(hierarchy, module);
        // Its children come into sight, not all that they hold.
        if args.level.is_some() {
            for child in hierarchy.children(module) {
                cut.collapse(hierarchy, child);
            }
        }
    }
    Ok(cut.hiding(hidden))
}

/// The module with this path.
fn find(session: &Session, path: &str) -> anyhow::Result<ModuleId> {
    let hierarchy = &session.hierarchy;
    let wanted = path.trim_matches('/');
    let mut modules = hierarchy.modules();
    if let Some(found) =
        modules.find(|&id| wanted.ends_with(hierarchy.name(id)) && hierarchy.path(id) == wanted)
    {
        return Ok(found);
    }
    match search(hierarchy, wanted, 1, |_| true).first() {
        Some(&near) => bail!(
            "no module has the path '{path}'; did you mean '{}'?",
            hierarchy.path(near)
        ),
        None => bail!("no module has the path '{path}'"),
    }
}

/// The moments to show, one a picture.
pub(super) fn moments(
    args: &RenderArgs,
    session: &Session,
    duration: Option<Cost>,
) -> anyhow::Result<Vec<Option<Moment>>> {
    let times = [args.at, args.from, args.to];
    let asks_for_time = times.iter().any(Option::is_some) || args.frames.is_some() || args.summary;
    let Some(duration) = duration else {
        ensure!(
            !asks_for_time,
            "times need a recording; name one in addition to the source tree"
        );
        return Ok(vec![None]);
    };
    let recording = session.recordings.first().map(|it| &it.recording);
    let at = |when: When, is_start: bool| -> anyhow::Result<Time> {
        let time = match (when, recording) {
            (When::Time(spec), _) => spec.resolve(duration),
            (When::Day(_), Some(of)) => of.when(when, is_start).map_err(anyhow::Error::msg)?,
            (When::Day(_), None) => bail!("times need a recording, found {when}"),
        };
        ensure!(
            time.since(Time::ZERO) <= duration,
            "{time} is past the end of the recording, which lasts {duration}"
        );
        Ok(time)
    };
    if let Some(resolved) = session.recordings.first()
        && !resolved.recording.has_times()
    {
        if times.iter().any(Option::is_some) || args.frames.is_some() {
            crate::output::ensure_times(&resolved.recording, "no time can be shown")?;
        }
        return Ok(vec![Some(Moment::without_time(0))]);
    }
    let from = args
        .from
        .map(|it| at(it, true))
        .transpose()?
        .unwrap_or(Time::ZERO);
    let to = args
        .to
        .map(|it| at(it, false))
        .transpose()?
        .unwrap_or(Time::ZERO + duration);
    ensure!(from <= to, "--from {from} is after --to {to}");
    let Some(frames) = args.frames else {
        let is_limited = args.from.is_some() || args.to.is_some();
        let range = is_limited.then(|| TimeRange::new(from, to));
        let time = match args.at.map(|it| at(it, false)).transpose()? {
            Some(time) => time,
            None if is_limited || args.summary => to,
            None => session
                .recordings
                .first()
                .map_or(Time::ZERO, |it| lively(&it.recording)),
        };
        let moment = moment_at(session, 0, time).map(|moment| Moment {
            range,
            summary: args.summary,
            ..moment
        });
        return Ok(vec![moment]);
    };
    let length = to.since(from).ns();
    let time = |frame: u32| {
        let share = f64::from(frame) / f64::from((frames - 1).max(1));
        from + Cost::from_ns((length as f64 * share) as u64)
    };
    let moment = |frame: u32| {
        Some(Moment {
            recording: 0,
            time: time(frame),
            previous: if frame == 0 { time(0) } else { time(frame - 1) },
            ..Moment::default()
        })
    };
    Ok((0..frames).map(moment).collect())
}
