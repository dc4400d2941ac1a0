//! `callscape render`: A picture, or a sequence of pictures, without a window

mod args;
mod asked;
mod timings;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail, ensure};

use super::mapping;
use crate::analysis::session::Session;
use crate::app::headless::{PictureSettings, SheetStudio, Studio};
use crate::app::model;
use crate::app::table_picture::TableStudio;
use crate::filter::cut::Cut;
use crate::model::metrics::ModuleMetrics;
use crate::model::moment::Moment;
use crate::model::rows::MuralRows;
use crate::render::image::{Image, PngWriter};
use crate::state::city::{City, ColorScale};
use crate::views::table::ViewId;

use args::ViewArg;
use asked::{cut, metrics, moments, settings};
use timings::{Amounts, PictureTimings, say_timings};

pub(super) use args::size;
pub use args::{Args, QualityArg};

pub fn run(args: Args) -> anyhow::Result<()> {
    if let Some(scene) = &args.scene {
        return super::film::run(scene, &args);
    }
    let outputs = Outputs::new(&args.output, args.frames)?;
    let inputs = super::input::sort(&args.inputs)?;
    let mut session = super::output::open_inputs(&inputs)?;
    super::output::show_value(&mut session, args.value.as_deref())?;
    let session = session;
    let repairs = session
        .recordings
        .iter()
        .flat_map(|it| &it.recording.warnings);
    for warning in session.source_warnings.iter().chain(repairs) {
        eprintln!("callscape: {warning}");
    }
    if let [shown, _, ..] = &session.recordings[..] {
        let name = shown.recording.name();
        eprintln!("callscape: only the first recording, {name}, is shown");
    }
    let duration = session
        .recordings
        .first()
        .map(|it| it.recording.trace.duration());
    let mapped = args.map.as_deref().map(|map| mapping::apply(&session, map));
    let mapped = mapped.transpose()?;
    let shown = mapped.as_ref().map_or(&session, |mapped| &mapped.session);
    let settings = settings(&args, shown, duration)?;
    let moments = moments(&args, shown, duration)?;
    ensure!(
        !outputs.is_model || args.view == ViewArg::Landscape,
        "only the landscape is written as a model"
    );
    if let ViewArg::Functions | ViewArg::Calls = args.view {
        let shown = match mapped {
            Some(mapped) => mapped.session,
            None => session,
        };
        return table(&args, shown, &settings, &moments, &outputs);
    }
    let cut = cut(
        &args,
        shown,
        mapped.as_ref().and_then(|mapped| mapped.left_out),
    )?;
    let metrics = metrics(&args, &session, shown, mapped.as_ref())?;
    let session = shown;
    if outputs.is_model {
        return model(session, &settings, &cut, metrics, &moments, &outputs);
    }
    let view = match args.view {
        ViewArg::Landscape => ViewId::Landscape,
        ViewArg::Mural => ViewId::Mural,
        ViewArg::Flame => ViewId::Flame,
        ViewArg::Functions => ViewId::Functions,
        ViewArg::Calls => ViewId::Calls,
    };
    if view != ViewId::Landscape {
        ensure!(!args.legend, "only the landscape has a legend");
        ensure!(
            !args.transparent && !args.no_labels,
            "only the landscape has a ground or labels to leave out"
        );
        ensure!(!args.timings, "only the landscape is drawn in passes");
        let is_cut = args.level.is_some() || !args.collapse.is_empty() || !args.expand.is_empty();
        let rows = is_cut.then_some(MuralRows::Modules(cut));
        return sheets(view, session, &settings, rows, &moments, &outputs);
    }
    let mut studio = Studio::with(session, &settings, &cut, Arc::new(metrics))?;
    studio.set_labels(!args.no_labels);
    studio.set_single(args.frames.is_none());
    studio.set_transparent(args.transparent);
    say_scale(studio.color_scale());
    if settings.legend && !studio.has_legend() {
        eprintln!("callscape: the picture is too small for its legend");
    }
    let mut timings = Vec::new();
    for (index, (moment, path)) in moments.into_iter().zip(&outputs.paths).enumerate() {
        super::output::with_progress(|progress| -> anyhow::Result<()> {
            let cannot = || format!("cannot write {}", path.display());
            let mut file = PngWriter::create(path, studio.size()).with_context(cannot)?;
            studio.strips(moment, progress, |strip| {
                file.rows(strip).with_context(cannot)
            })?;
            for resolved in &session.recordings {
                super::output::ensure_whole(&resolved.recording)?;
            }
            file.finish().with_context(cannot)
        })??;
        outputs.tell(index, path);
        if args.timings {
            let left_out = Amounts {
                modules: studio.blocks(),
                relations: (studio.arcs_drawn(), studio.arcs_left_out()),
            };
            timings.push(PictureTimings::new(path, studio.timings(), left_out));
        }
    }
    if args.timings {
        say_timings(&studio.adapter(), timings, args.json)?;
    }
    if let (drawn, left_out @ 1..) = studio.blocks() {
        eprintln!(
            "callscape: the graphics device holds {drawn} blocks: {left_out} of the smallest modules are shown as one with what they lie in"
        );
    }
    if studio.arcs_left_out() > 0 {
        let count = studio.arcs_left_out();
        let drawn = studio.arcs_drawn();
        eprintln!("callscape: {count} lesser call relations are not drawn beside {drawn} that are");
    }
    Ok(())
}

/// Writes the landscape as a model for other programs.
fn model(
    session: &Session,
    settings: &PictureSettings,
    cut: &Cut,
    metrics: ModuleMetrics,
    moments: &[Option<Moment>],
    outputs: &Outputs,
) -> anyhow::Result<()> {
    let (metrics, landscape) = (Arc::new(metrics), &settings.landscape);
    let mut view = City::with(session, metrics, Arc::default(), landscape, cut);
    say_scale(view.color_scale());
    for (index, (moment, path)) in moments.iter().zip(&outputs.paths).enumerate() {
        view.show(session, *moment);
        for resolved in &session.recordings {
            super::output::ensure_whole(&resolved.recording)?;
        }
        super::output::with_progress(|progress| model::write(session, &view, path, progress))?
            .with_context(|| format!("cannot write {}", path.display()))?;
        outputs.tell(index, path);
    }
    Ok(())
}

/// Writes the pictures of a view that draws on a sheet; `rows` are those of the overview unless they are functions.
fn sheets(
    view: ViewId,
    session: &Session,
    settings: &PictureSettings,
    rows: Option<MuralRows>,
    moments: &[Option<Moment>],
    outputs: &Outputs,
) -> anyhow::Result<()> {
    let visible = moments.first().copied().flatten().and_then(|it| it.range);
    let theme = settings.landscape.theme;
    let mut studio = SheetStudio::new(session, view, settings.size, theme, visible)?;
    if let Some(rows) = rows {
        studio.set_rows(rows);
    }
    for (index, (moment, path)) in moments.iter().zip(&outputs.paths).enumerate() {
        let Some(moment) = moment else {
            bail!("this view shows a recording; name one beside the source tree");
        };
        let moment = Moment {
            range: None,
            ..*moment
        };
        let image = studio.picture(moment, settings.viewpoint.focus)?;
        for resolved in &session.recordings {
            super::output::ensure_whole(&resolved.recording)?;
        }
        outputs.write(&image, index, path)?;
    }
    Ok(())
}

/// Writes the picture of a table.
fn table(
    args: &Args,
    session: Session,
    settings: &PictureSettings,
    moments: &[Option<Moment>],
    outputs: &Outputs,
) -> anyhow::Result<()> {
    ensure!(
        args.frames.is_none(),
        "a table is one picture: --frames is for what plays"
    );
    let view = match args.view {
        ViewArg::Calls => ViewId::Calls,
        _ => ViewId::Functions,
    };
    let Some(resolved) = session.recordings.first() else {
        bail!("this view shows a recording; name one beside the source tree");
    };
    if view == ViewId::Calls {
        super::output::ensure_times(&resolved.recording, "its calls are not known one by one")?;
    }
    let range = moments.first().copied().flatten().and_then(|it| it.range);
    let (focus, landscape) = (settings.viewpoint.focus, settings.landscape);
    let session = Arc::new(session);
    let shown = Arc::clone(&session);
    let studio = super::output::with_progress(move |progress| {
        TableStudio::new(shown, view, &landscape, range, focus, progress)
    })??;
    let image = studio.picture(settings.size)?;
    for resolved in &session.recordings {
        super::output::ensure_whole(&resolved.recording)?;
    }
    let paths = outputs.paths.first();
    paths.map_or(Ok(()), |path| outputs.write(&image, 0, path))
}

/// The files to write, known to be writable.
struct Outputs {
    paths: Vec<PathBuf>,
    /// Models for other programs, not pictures.
    is_model: bool,
}

impl Outputs {
    /// Writes a picture, and says which of a sequence it is.
    fn write(&self, image: &Image, index: usize, path: &Path) -> anyhow::Result<()> {
        image
            .write_png(path)
            .with_context(|| format!("cannot write {}", path.display()))?;
        self.tell(index, path);
        Ok(())
    }

    /// Says which of a sequence was written.
    fn tell(&self, index: usize, path: &Path) {
        if self.paths.len() > 1 {
            let (number, all) = (index + 1, self.paths.len());
            eprintln!("{number} of {all}: {}", path.display());
        }
    }

    /// Names the files and tries the first, before any long work.
    fn new(output: &Path, frames: Option<u32>) -> anyhow::Result<Outputs> {
        let shown = output.display();
        ensure!(
            !output.is_dir(),
            "{shown} is a directory; name the picture in it, such as {}",
            output.join("city.png").display()
        );
        let extension = output.extension().unwrap_or_default();
        let is_model = extension.eq_ignore_ascii_case("glb");
        ensure!(
            is_model || extension.eq_ignore_ascii_case("png"),
            "{shown}: expected a name that ends in .png, or in .glb for a model"
        );
        let paths: Vec<PathBuf> = match frames {
            None => vec![output.to_owned()],
            Some(frames) => {
                let stem = output.file_stem().unwrap_or_default().to_string_lossy();
                let digits = frames.to_string().len().max(4);
                let end = if is_model { "glb" } else { "png" };
                let name = |frame| output.with_file_name(format!("{stem}-{frame:0digits$}.{end}"));
                (1..=frames).map(name).collect()
            }
        };
        if let Some(first) = paths.first() {
            let mut trial = first.as_os_str().to_owned();
            trial.push(".part");
            let cannot = || format!("cannot write {}", first.display());
            std::fs::File::create(&trial).with_context(cannot)?;
            std::fs::remove_file(&trial).with_context(cannot)?;
        }
        Ok(Outputs { paths, is_model })
    }
}

/// Says on standard error what the colours of a metric mean.
fn say_scale(scale: &ColorScale) {
    let Some(metric) = scale.metric else {
        return;
    };
    if scale.is_empty() {
        eprintln!(
            "callscape: colour: {}, of which nothing is known",
            metric.title()
        );
        return;
    }
    let at = |share| scale.text(scale.value_at(share));
    eprintln!(
        "callscape: colour: {}, {}, {} to {} in the middle to {}; neutral: none",
        metric.title(),
        scale.scale.name(),
        at(0.0),
        at(0.5),
        at(1.0)
    );
}
