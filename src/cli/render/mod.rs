//! `callscape render`: A picture, or a sequence of pictures, without a window

mod apart;
mod args;
mod asked;
mod timings;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail, ensure};

use super::mapping;
use super::progress::with_progress;
use callscape_analysis::coverage::{Coverage, Lines};
use callscape_analysis::numbers::Numbers;
use callscape_analysis::session::Inputs;
use callscape_analysis::session::Session;
use callscape_app::compare::write_with_sum;
use callscape_app::glb;
use callscape_app::headless::{PictureSettings, Studio};
use callscape_app::view_picture::ViewStudio;
use callscape_base::escape;
use callscape_base::files::{self, Temporary};
use callscape_base::progress::Progress;
use callscape_base::units::counted;
use callscape_filter::cut::Cut;
use callscape_look::image::{Image, PngWriter};
use callscape_model::metric::{Metric, Origin};
use callscape_model::metrics::ModuleMetrics;
use callscape_model::moment::Moment;
use callscape_state::city::{City, ColorScale};
use callscape_state::document::Document;
use callscape_state::findings::Findings;
use callscape_state::panes::{Kind, Needs, ViewId};
use callscape_views as views;

pub(super) use args::size;
pub(crate) use args::{QualityArg, RenderArgs};
pub(crate) use asked::inputs;
use asked::{cut, metrics, moments, settings};
use timings::{Amounts, PictureTimings, say_timings};

pub(crate) fn run(args: RenderArgs) -> anyhow::Result<()> {
    args.elsewhere.fixes.apply();
    if let Some(scene) = &args.scene {
        return super::film::run(scene, &args);
    }
    if let Some(seconds) = args.film {
        return super::film::of_recordings(seconds, &args);
    }
    match &args.rev {
        Some(between) => super::compare::render(between, &args),
        None => pictures(&args),
    }
}

/// Renders pictures of a view of the inputs.
fn pictures(args: &RenderArgs) -> anyhow::Result<()> {
    let outputs = Outputs::new(&args.output, args.frames)?;
    let mut inputs = asked::inputs(args)?;
    args.elsewhere.add_to(&mut inputs)?;
    let mut session = super::output::open_inputs(&inputs)?;
    super::output::show_value(&mut session, args.value.as_deref())?;
    args.left_out.apply(&mut session)?;
    let session = Arc::new(session);
    say_warnings(&session);
    let findings = findings(args, &session)?;
    let duration = session
        .recordings
        .first()
        .map(|it| it.recording.trace.duration());
    ensure!(
        args.map.is_none() || findings.is_none(),
        "marks are on functions: expected no --map together with --good or --results"
    );
    let mapped = args.map.as_deref().map(|map| mapping::apply(&session, map));
    let mapped = mapped.transpose()?;
    let shown = mapped.as_ref().map_or(&*session, |mapped| &mapped.session);
    let settings = settings(args, shown, duration)?;
    let moments = moments(args, shown, duration)?;
    let view = view(args, shown);
    ensure!(
        outputs.kind != Kinds::Model || view == views::main(),
        "only the landscape is written as a model"
    );
    ensure!(
        outputs.kind != Kinds::Vector || view != views::main(),
        "the landscape is three-dimensional and has no .svg: expected a .png, a .glb for a model, or a chart as \
         vector graphics, such as --view mural or --view rings"
    );
    let cut = cut(
        args,
        shown,
        mapped.as_ref().and_then(|mapped| mapped.left_out),
    )?;
    if view != views::main() {
        ensure!(!args.legend, "only the landscape has a legend");
        ensure!(
            !args.with_sum,
            "--with-sum: only the landscape is drawn twice"
        );
        ensure!(
            !args.transparent && !args.no_labels,
            "only the landscape has a ground or labels to hide"
        );
        ensure!(!args.timings, "only the landscape is drawn in passes");
        let is_cut = args.level.is_some() || !args.collapse.is_empty() || !args.expand.is_empty();
        let shown = match mapped {
            Some(mapped) => Arc::new(mapped.session),
            None => session,
        };
        let shown = Shown {
            session: shown,
            cut: is_cut.then_some(cut),
            findings,
        };
        return view_pictures(view, args, shown, &settings, &moments, &outputs);
    }
    ensure!(
        asked::view_settings(args).is_empty(),
        "--set, --sizing and --rings are settings of charts; name one with --view"
    );
    let mut metrics = metrics(args, &session, shown, mapped.as_ref())?;
    if let Some(coverage) = findings.as_ref().and_then(|it| it.coverage(&session)) {
        metrics.set_coverage(&shown.hierarchy, Some(coverage), |id| id);
    }
    if let Some(numbers) = findings.as_ref().and_then(|it| it.numbers(&session)) {
        metrics.set_numbers(&shown.hierarchy, Some(numbers), |id| id);
    }
    let marked = findings
        .as_ref()
        .and_then(|it| Some((Arc::clone(it.marked(&session)?), it.dropped())));
    let session = shown;
    if args.with_sum {
        return with_sum(args, session, &settings, &cut, metrics, &moments, &outputs);
    }
    if outputs.kind == Kinds::Model {
        return model(session, &settings, &cut, metrics, &moments, &outputs);
    }
    let mut studio = Studio::marking(session, &settings, &cut, Arc::new(metrics), marked)?;
    studio.set_labels(!args.no_labels);
    studio.set_single(args.frames.is_none());
    studio.set_transparent(args.transparent);
    say_scale(studio.color_scale());
    if settings.legend && !studio.has_legend() {
        say!("callscape: the picture is too small for its legend");
    }
    draw(args, &mut studio, session, moments, &outputs)
}

/// The view to draw: of a recording without times its merged stacks instead of stacks along time.
fn view(args: &RenderArgs, session: &Session) -> ViewId {
    let wanted = args.view.0;
    let Some(first) = session.recordings.first() else {
        return wanted;
    };
    let view = views::that_shows(wanted, &first.recording);
    if view != wanted {
        let name = first.recording.name();
        say!(
            "callscape: {name} has no times; drawing --view {} instead",
            view.id()
        );
    }
    view
}

/// Reports repairs, and that only one recording is shown.
fn say_warnings(session: &Session) {
    let repairs = session
        .recordings
        .iter()
        .flat_map(|it| &it.recording.warnings);
    for warning in session.source_warnings.iter().chain(repairs) {
        say!("callscape: {warning}");
    }
    if let [shown, _, ..] = &session.recordings[..] {
        let name = shown.recording.name();
        say!("callscape: only the first recording, {name}, is shown");
    }
}

/// Draws the landscape at each of the moments.
fn draw(
    args: &RenderArgs,
    studio: &mut Studio,
    session: &Session,
    moments: Vec<Option<Moment>>,
    outputs: &Outputs,
) -> anyhow::Result<()> {
    let mut timings = Vec::new();
    for (index, (moment, path)) in moments.into_iter().zip(&outputs.paths).enumerate() {
        with_progress(|progress| -> anyhow::Result<()> {
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
    say_left_out(studio);
    Ok(())
}

/// Says on standard error what a picture leaves out.
fn say_left_out(studio: &Studio<'_>) {
    if let (drawn, left_out @ 1..) = studio.blocks() {
        say!(
            "callscape: the graphics device can show {drawn} blocks: {left_out} of the smallest modules are merged \
             into their enclosing modules"
        );
    }
    if studio.arcs_left_out() > 0 {
        let count = studio.arcs_left_out();
        let drawn = studio.arcs_drawn();
        say!("callscape: {drawn} call relations are drawn, {count} less important ones are not");
    }
}

/// Draws two landscapes: the cel at the first of the moments, and the sum of all that happened up to it.
fn with_sum(
    args: &RenderArgs,
    session: &Session,
    settings: &PictureSettings,
    cut: &Cut,
    metrics: ModuleMetrics,
    moments: &[Option<Moment>],
    outputs: &Outputs,
) -> anyhow::Result<()> {
    ensure!(
        outputs.kind == Kinds::Picture,
        "--with-sum: expected a picture in .png"
    );
    let (Some(Some(moment)), Some(resolved), Some(path)) = (
        moments.first(),
        session.recordings.first(),
        outputs.paths.first(),
    ) else {
        bail!("--with-sum: expected a recording, found none");
    };
    if !resolved.recording.has_times() {
        super::output::ensure_times(&resolved.recording, "it has no cels")?;
    }
    let landscape = &settings.landscape;
    let view = City::with(session, Arc::new(metrics), Arc::default(), landscape, cut);
    say_scale(view.color_scale());
    let how = (&**path, !args.no_labels, args.transparent);
    with_progress(|progress| write_with_sum(session, settings, view, *moment, how, progress))?
        .with_context(|| format!("cannot write {}", path.display()))?;
    super::output::ensure_whole(&resolved.recording)
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
        with_progress(|progress| glb::write(session, &view, path, progress))?
            .with_context(|| format!("cannot write {}", path.display()))?;
        outputs.tell(index, path);
    }
    Ok(())
}

/// Changes and results of other tools, if requested; an error if they are not available.
fn findings(args: &RenderArgs, session: &Arc<Session>) -> anyhow::Result<Option<Findings>> {
    if !args.elsewhere.is_any() {
        return Ok(None);
    }
    let wanted = args.elsewhere.elsewhere();
    let findings = with_progress(|progress| Findings::now(session, &wanted, progress))?;
    if let Some(Err(reason)) = &findings.changed {
        bail!("{reason}");
    }
    for hits in &findings.hits {
        if let Some(reason) = &hits.failure {
            bail!("{reason}");
        }
        if session.recordings.is_empty() {
            continue;
        }
        let name = &hits.named.name;
        let functions = counted(hits.named.functions.len() as u64, "function", "functions");
        match hits.dropped().as_str() {
            "" => say!("callscape: {name}: {functions}"),
            dropped => say!("callscape: {name}: {functions}; dropped: {dropped}"),
        }
    }
    say_coverage(findings.coverage(session).map(Arc::as_ref));
    if let Some(numbers) = findings.numbers(session) {
        say_numbers(numbers);
    }
    Ok(Some(findings))
}

/// Prints a summary of the coverage reports to standard error.
fn say_coverage(coverage: Option<&Coverage>) {
    let Some(coverage) = coverage else {
        return;
    };
    let Lines { counted: all, ran } = coverage.all;
    let unknown = coverage.unknown;
    let lines = counted(u64::from(all), "line", "lines");
    match (all, unknown) {
        (0, _) => {
            let lines = counted(unknown, "counted line", "counted lines");
            say!("callscape: coverage: none of {lines} is in the source");
        }
        (_, 0) => say!("callscape: coverage: {ran} of {lines} ran"),
        _ => {
            let dropped = counted(unknown, "line", "lines");
            say!(
                "callscape: coverage: {ran} of {lines} ran; dropped: {dropped} of files that are not in the source"
            );
        }
    }
}

/// Prints which metrics the columns of tables became.
fn say_numbers(numbers: &Numbers) {
    for ((column, own), index) in numbers.columns.iter().zip(&numbers.own).zip(0..) {
        let metric = Metric::Own(index).name();
        let modules = counted(own.len() as u64, "file or function", "files or functions");
        say!(
            "callscape: {metric}: {} of {modules}",
            escape::name(&column.name)
        );
    }
    if numbers.unknown > 0 {
        let rows = counted(numbers.unknown, "row is", "rows are");
        say!("callscape: {rows} of files or functions that are not in the source");
    }
}

/// What a view shows.
struct Shown {
    session: Arc<Session>,
    cut: Option<Cut>,
    findings: Option<Findings>,
}

/// Writes the pictures of a view other than the landscape, in which modules are collapsed as the cut has it.
fn view_pictures(
    view: ViewId,
    args: &RenderArgs,
    Shown {
        session,
        cut,
        findings,
    }: Shown,
    settings: &PictureSettings,
    moments: &[Option<Moment>],
    outputs: &Outputs,
) -> anyhow::Result<()> {
    let line = view.line();
    ensure!(
        line.plays() || args.frames.is_none(),
        "a table is a single picture: --frames needs a view that plays"
    );
    if line.needs != Needs::Nothing {
        let Some(resolved) = session.recordings.first() else {
            bail!("this view shows a recording; name one in addition to the source tree");
        };
        if line.needs == Needs::Times && line.kind == Kind::Table {
            super::output::ensure_times(&resolved.recording, "it has no individual calls")?;
        }
    }
    let range = moments.first().copied().flatten().and_then(|it| it.range);
    let (focus, landscape, size) = (settings.viewpoint.focus, settings.landscape, settings.size);
    let document = with_progress(|progress| {
        let inputs = inputs_of(&args.inputs, &session);
        let session = Arc::clone(&session);
        Document::of(&inputs, session, None, None, None, &landscape, progress)
    })??;
    let mut studio = ViewStudio::new(document, view, &landscape, size, range, focus)?;
    studio
        .set(&asked::view_settings(args))
        .map_err(anyhow::Error::msg)?;
    if let Some(cut) = cut {
        studio.show_cut(cut);
    }
    if let Some(findings) = findings {
        studio.take_findings(findings, args.elsewhere.elsewhere());
    }
    for (index, (moment, path)) in moments.iter().zip(&outputs.paths).enumerate() {
        let bar = super::progress::Bar::new()?;
        let tell = |progress: &Progress| bar.show(progress);
        let drawn = match outputs.kind {
            Kinds::Vector => Drawn::Vector(studio.vector(*moment, &tell)?),
            _ => Drawn::Pixels(studio.picture(*moment, &tell)?),
        };
        for resolved in &session.recordings {
            super::output::ensure_whole(&resolved.recording)?;
        }
        outputs.write(&drawn, index, path)?;
    }
    Ok(())
}

/// What a session was opened from, for views that say where it is from; nothing for the demo.
fn inputs_of(given: &[PathBuf], session: &Session) -> Inputs {
    if given.is_empty() {
        return Inputs::default();
    }
    let recordings = session.recordings.iter();
    Inputs {
        source_dir: session.source_dir.clone(),
        recordings: recordings.map(|it| it.recording.path.clone()).collect(),
        ..Inputs::default()
    }
}

/// What files are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kinds {
    Picture,
    Vector,
    /// For other programs.
    Model,
}

impl Kinds {
    const ALL: [(Kinds, &str); 3] = [
        (Kinds::Picture, "png"),
        (Kinds::Vector, "svg"),
        (Kinds::Model, "glb"),
    ];
}

/// The picture of a view.
enum Drawn {
    Pixels(Image),
    Vector(String),
}

/// The files to write, known to be writable.
struct Outputs {
    paths: Vec<PathBuf>,
    kind: Kinds,
}

impl Outputs {
    /// Writes a picture, and says which of a sequence it is.
    fn write(&self, drawn: &Drawn, index: usize, path: &Path) -> anyhow::Result<()> {
        let written = match drawn {
            Drawn::Pixels(image) => image.write_png(path),
            Drawn::Vector(text) => files::write(path, text.as_bytes()),
        };
        written.with_context(|| format!("cannot write {}", path.display()))?;
        self.tell(index, path);
        Ok(())
    }

    /// Says which of a sequence was written.
    fn tell(&self, index: usize, path: &Path) {
        if self.paths.len() > 1 {
            let (number, all) = (index + 1, self.paths.len());
            say!("{number} of {all}: {}", path.display());
        }
    }

    /// Names the files and tries the first, before any long work.
    fn new(output: &Path, frames: Option<u32>) -> anyhow::Result<Outputs> {
        let shown = output.display();
        ensure!(
            !output.is_dir(),
            "{shown} is a directory; give the name of a picture in it, such as {}",
            output.join("city.png").display()
        );
        let extension = output.extension().unwrap_or_default();
        let mut kinds = Kinds::ALL.into_iter();
        let kind = kinds.find(|(_, end)| extension.eq_ignore_ascii_case(end));
        let Some((kind, end)) = kind else {
            bail!(
                "{shown}: expected a name that ends in .png, in .svg for vector graphics, or in .glb for a model"
            );
        };
        let paths: Vec<PathBuf> = match frames {
            None => vec![output.to_owned()],
            Some(frames) => {
                let stem = output.file_stem().unwrap_or_default().to_string_lossy();
                let digits = frames.to_string().len().max(4);
                let name = |frame| output.with_file_name(format!("{stem}-{frame:0digits$}.{end}"));
                (1..=frames).map(name).collect()
            }
        };
        if let Some(first) = paths.first() {
            Temporary::beside(first)
                .with_context(|| format!("cannot write {}", first.display()))?;
        }
        Ok(Outputs { paths, kind })
    }
}

/// Says on standard error what the colours of a metric mean.
fn say_scale(scale: &ColorScale) {
    let Some(metric) = scale.metric else {
        return;
    };
    let title = match metric.origin() {
        // What those are is known of the table alone.
        Origin::Numbers => escape::name(&scale.title()).into_owned(),
        _ => metric.title().to_owned(),
    };
    if scale.is_empty() {
        say!("callscape: colour: {title}, which has no data");
        return;
    }
    let at = |share| scale.text(scale.value_at(share));
    let neutral = match metric.is_known(0.0) {
        true => "not known",
        false => "none",
    };
    say!(
        "callscape: colour: {title}, {}, {} to {} in the middle to {}; neutral: {neutral}",
        scale.scale.name(),
        at(0.0),
        at(0.5),
        at(1.0)
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_demo_is_shown_as_the_demo() {
        let session = Session::open(&Inputs::default(), &Progress::new()).expect("the demo");
        assert_eq!(inputs_of(&[], &session), Inputs::default());
        let given = [PathBuf::from("trace.json")];
        assert_ne!(inputs_of(&given, &session), Inputs::default());
    }
}
