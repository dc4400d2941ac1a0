//! `callscape render`: A picture, or a sequence of pictures, without a window

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail, ensure};
use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::mapping;
use crate::analysis::session::Session;
use crate::app::camera::ISOMETRIC_PITCH;
use crate::app::camera::pose::LONG_LENS;
use crate::app::headless::{
    Adapter, PictureSettings, SheetStudio, Studio, Viewpoint, liveliest, moment_at,
};
use crate::app::model;
use crate::app::table_picture::TableStudio;
use crate::filter::cut::Cut;
use crate::filter::regroup::Regrouped;
use crate::layout::arcs::ArcMeasure;
use crate::layout::treemap::Tiling;
use crate::render::image::{Image, PngWriter};
use crate::render::renderer::Quality;
use crate::render::theme::Theme;
use crate::source::history::{MOST_COMMITS, history};
use crate::units::{Cost, ModuleId, Time, TimeRange, TimeSpec};
use crate::views::landscape::{
    ARCS_AT_MOST, ArcMode, BUNDLING, ColorScale, Highlight, LandscapeSettings, LandscapeView,
    MOST_ARCS, Moment, Scale, Surface,
};
use crate::views::metrics::{Metric, ModuleMetrics, Origin};
use crate::views::mural::MuralRows;
use crate::views::search::search;
use crate::views::table::ViewId;

#[derive(Debug, clap::Args)]
#[command(about = "A picture, or a sequence of pictures, without a window", after_help = EXAMPLES)]
pub struct Args {
    /// A source tree, recordings of it, or both; the first recording is shown; the built-in demo for none
    #[arg(value_name = "SOURCE_DIR | TRACE")]
    inputs: Vec<PathBuf>,
    /// The picture to write, a PNG, or a model of the landscape for other programs, a glTF binary (.glb); a sequence
    /// is numbered: OUT-0001.png, OUT-0002.png, …
    #[arg(short, long, value_name = "OUT.png | OUT.glb")]
    output: PathBuf,
    /// Which view to show
    #[arg(long, value_enum, default_value = "landscape")]
    view: ViewArg,
    /// Width and height in pixels, each up to 16384; what is large is drawn in tiles and written as it is drawn
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "1280x720", value_parser = size)]
    size: [u32; 2],
    #[arg(long, value_enum, default_value = "light")]
    theme: ThemeArg,
    /// The time to show: 12.5ms, 3s, 40% or nanoseconds [default: a lively moment in the later half of
    /// the recording, the one with the deepest stacks among some hundreds]
    #[arg(long, value_name = "TIME")]
    at: Option<TimeSpec>,
    /// How finely light and edges are drawn: low suits slow machines, high takes several times as long
    #[arg(long, value_enum, default_value = "medium")]
    quality: QualityArg,
    /// The shadow that the lamp throws
    #[arg(long, value_enum, default_value = "soft")]
    shadow: ShadowArg,
    /// Say on standard error how long each pass took on the graphics device
    #[arg(long)]
    timings: bool,
    /// With --timings: as one JSON document on standard output
    #[arg(long, requires = "timings")]
    json: bool,
    /// Where the camera stands: all of the city from the south, straight from above, or from a corner
    #[arg(long, value_enum, default_value = "home")]
    camera: CameraArg,
    /// The module to show with its surroundings, by its path such as src/lapi.c/lua_call
    #[arg(long, value_name = "MODULE")]
    focus: Option<String>,
    /// Heading of the camera in degrees: 0 looks to the east, 90 to the north
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true, value_parser = degrees)]
    yaw: Option<f32>,
    /// How far the camera looks down, in degrees from 1 to 90
    #[arg(long, value_name = "DEGREES", value_parser = degrees)]
    pitch: Option<f32>,
    /// From the camera to the middle of what it shows; the city is 1000 wide
    #[arg(long, value_name = "LENGTH", value_parser = distance)]
    distance: Option<f32>,
    /// Call relations as arcs
    #[arg(long, value_enum, default_value = "all")]
    arcs: ArcsArg,
    /// What the width of arcs says
    #[arg(long, value_enum, value_name = "AMOUNT", default_value = "calls")]
    arc_width: ArcWidthArg,
    /// How closely arcs follow the hierarchy, from 0 (straight) to 1
    #[arg(long, value_name = "STRENGTH", default_value_t = BUNDLING, value_parser = strength)]
    bundling: f32,
    /// How many arcs are drawn at most: the most important, those of the last step first
    #[arg(long, value_name = "N", default_value_t = MOST_ARCS, value_parser = arcs_at_most)]
    most_arcs: usize,
    /// What the colour says
    #[arg(long, value_name = "METRIC", default_value = "kind", value_parser = colors())]
    color: ColorArg,
    /// How the values of a metric are spread over its colours
    #[arg(long, value_enum, default_value = "log")]
    scale: ScaleArg,
    /// What the height says
    #[arg(long, value_name = "METRIC", default_value = "even", value_parser = heights())]
    height: HeightArg,
    /// How the values of a metric are spread over heights
    #[arg(long, value_enum, default_value = "root")]
    height_scale: HeightScaleArg,
    /// Have what has these values of a metric stand out, the rest in neutral colours, such as complexity:10..50; either
    /// end may be left out
    #[arg(long, value_name = "METRIC:LOW..HIGH", value_parser = highlight)]
    highlight: Option<Highlight>,
    /// What the footprint says
    #[arg(long, value_name = "METRIC", default_value = "loc", value_parser = areas())]
    area: Metric,
    /// Say under the picture what area, height, colour and arcs mean [default: where area, height or colour say
    /// something of their own]
    #[arg(long, conflicts_with = "no_legend")]
    legend: bool,
    /// No legend, whatever the picture shows
    #[arg(long)]
    no_legend: bool,
    /// Names on districts, and at what runs and is counted: they stand in pictures unless told otherwise
    #[arg(long, overrides_with = "no_labels")]
    labels: bool,
    /// No names in the picture
    #[arg(long)]
    no_labels: bool,
    /// Leave the ground out, all but the shadows on it, so that the picture can lie on another
    #[arg(long)]
    transparent: bool,
    /// How the modules of a district share its ground
    #[arg(long, value_name = "LAYOUT", default_value = "squarified", value_parser = layouts())]
    layout: Tiling,
    /// Show the entities of this mapping file as districts, without what it leaves out
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,
    /// Collapse everything below this depth into one block a module, or one row of the overview; the root has depth 0
    #[arg(long, value_name = "DEPTH")]
    level: Option<u16>,
    /// Collapse this module, named by its path, into one block; may be repeated
    #[arg(long, value_name = "MODULE")]
    collapse: Vec<String>,
    /// Expand this module by one level, whatever --level says; may be repeated
    #[arg(long, value_name = "MODULE")]
    expand: Vec<String>,
    /// Write a sequence of so many pictures from --from to --to
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000), conflicts_with = "at")]
    frames: Option<u32>,
    /// What to show of a profile that holds several values; `callscape info` lists them
    #[arg(long, value_name = "NAME")]
    value: Option<String>,
    /// Where the sequence starts, or the range that is shown [default: the start of the recording]
    #[arg(long, value_name = "TIME")]
    from: Option<TimeSpec>,
    /// Where the sequence ends, or the range that is shown [default: the end of the recording]
    #[arg(long, value_name = "TIME")]
    to: Option<TimeSpec>,
    /// Sum the whole recording or range up: every call relation, and what ran by its self cost
    #[arg(long, conflicts_with_all = ["at", "frames"])]
    summary: bool,
}

const EXAMPLES: &str = "Examples:
  callscape render src trace.json -o city.png
  callscape render src trace.json -o city.png --at 40% --theme dark --size 1920x1080
  callscape render src trace.json -o calls.png --view flame --from 1s --to 1.2s
  callscape render src trace.json -o table.png --view functions --focus lapi.c/lua_callk
  callscape render src trace.json -o frames/city.png --frames 100 --from 1s --to 2s
  callscape render src -o poster.png --size 16384x16384 --camera iso --transparent --no-labels
  callscape render src -o city.glb --color complexity
  callscape render src -o parser.png --focus parser --color language
  callscape render src -o city.png --area functions --height complexity --color changes --scale quantile
  callscape render src trace.json -o city.png --map architecture.map --level 2 --expand JDT-CORE";

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ThemeArg {
    Light,
    Dark,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ViewArg {
    /// Modules, what runs in them, and who calls whom
    Landscape,
    /// Which functions are active when, with --level which modules; --from and --to choose what is visible
    Mural,
    /// Every call of every thread along time; --from and --to choose what is visible
    Flame,
    /// Calls and costs of every function between --from and --to, the callers and callees of --focus
    Functions,
    /// The calls of --focus between --from and --to
    Calls,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum QualityArg {
    Low,
    Medium,
    High,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ShadowArg {
    Soft,
    None,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum CameraArg {
    /// The whole city from the south
    Home,
    /// Straight from above, north at the top
    Top,
    /// From the south-west, isometric: what is parallel is shown as parallel
    #[value(alias = "isometric")]
    Iso,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ArcsArg {
    /// All up to now
    All,
    /// Those of --focus
    Selection,
    /// Those of the last step, the current cel
    #[value(alias = "cel")]
    Step,
    None,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ArcWidthArg {
    /// How many calls
    Calls,
    /// How long the calls took
    Cost,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ScaleArg {
    /// Twice the value, twice as far from zero
    Linear,
    /// Twice the value, one step further, from the smallest
    Log,
    /// As far as the share of the blocks that have less
    Quantile,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum HeightScaleArg {
    /// Four times the value, twice as high
    Root,
    /// Twice the value, twice as high
    Linear,
    /// Twice the value, one step higher, from the smallest
    Log,
    /// As high as the share of the blocks that have less
    Quantile,
}

/// None: low plinths of even height.
#[derive(Clone, Copy, Debug)]
struct HeightArg(Option<Metric>);

#[derive(Clone, Copy, Debug)]
struct ColorArg(Surface);

/// The choice of one of `values`, each with its name and what it means.
fn choice<T: Clone + Send + Sync + 'static>(
    values: Vec<(&'static str, &'static str, T)>,
) -> impl TypedValueParser<Value = T> {
    let possible = values
        .iter()
        .map(|(name, help, _)| PossibleValue::new(*name).help(*help));
    let parser = PossibleValuesParser::new(possible);
    parser.try_map(move |chosen| {
        let mut values = values.iter();
        let found = values.find(|(name, _, _)| *name == chosen);
        found
            .map(|(_, _, value)| value.clone())
            .ok_or("expected one of the names above")
    })
}

fn areas() -> impl TypedValueParser<Value = Metric> {
    let metrics = Metric::ALL.into_iter().filter(|metric| metric.is_amount());
    choice(metrics.map(|it| (it.name(), it.title(), it)).collect())
}

fn heights() -> impl TypedValueParser<Value = HeightArg> {
    let mut values = vec![("even", "low plinths of even height", HeightArg(None))];
    values.extend(Metric::ALL.map(|it| (it.name(), it.title(), HeightArg(Some(it)))));
    choice(values)
}

fn colors() -> impl TypedValueParser<Value = ColorArg> {
    let neutral = ColorArg(Surface::Neutral);
    let mut values = vec![
        ("kind", "the level of the hierarchy by lightness", neutral),
        (
            "district",
            "the district, in the hues of the views along time",
            ColorArg(Surface::District),
        ),
        ("language", "language", ColorArg(Surface::Language)),
    ];
    values.extend(Metric::ALL.map(|it| (it.name(), it.title(), ColorArg(Surface::Metric(it)))));
    choice(values)
}

fn layouts() -> impl TypedValueParser<Value = Tiling> {
    let help = |tiling| match tiling {
        Tiling::Squarified => "as square as can be, the largest first",
        Tiling::Ordered => "in order, in strips, as text is read",
        Tiling::Stable => "in order, and where they were when footprints change",
        Tiling::SliceAndDice => "in order, in slices",
    };
    choice(Tiling::ALL.map(|it| (it.name(), help(it), it)).into())
}

pub(super) fn size(text: &str) -> Result<[u32; 2], String> {
    let sides = text.split_once(['x', '×']);
    let side = |text: &str| text.parse::<u32>().ok().filter(|&side| side > 0);
    sides
        .and_then(|(width, height)| Some([side(width)?, side(height)?]))
        .ok_or_else(|| format!("expected a size in pixels like 1280x720, found '{text}'"))
}

fn highlight(text: &str) -> Result<Highlight, String> {
    let names = Metric::ALL.map(Metric::name).join(", ");
    let wrong = || {
        format!(
            "expected a range of a metric like complexity:10..50, found '{text}'; metrics are {names}"
        )
    };
    let (name, range) = text.split_once(':').ok_or_else(wrong)?;
    let metric = Metric::ALL.into_iter().find(|metric| metric.name() == name);
    let (low, high) = range.split_once("..").ok_or_else(wrong)?;
    let end = |text: &str, open: f64| match text {
        "" => Some(open),
        text => text.parse::<f64>().ok().filter(|end| end.is_finite()),
    };
    let (low, high) = (
        end(low, 0.0).ok_or_else(wrong)?,
        end(high, f64::MAX).ok_or_else(wrong)?,
    );
    if low > high {
        return Err(wrong());
    }
    Ok(Highlight {
        metric: metric.ok_or_else(wrong)?,
        low,
        high,
    })
}

fn degrees(text: &str) -> Result<f32, String> {
    let degrees = text
        .parse::<f32>()
        .ok()
        .filter(|degrees| degrees.abs() <= 360.0);
    degrees.ok_or_else(|| format!("expected degrees, found '{text}'"))
}

fn strength(text: &str) -> Result<f32, String> {
    let strength = text.parse::<f32>().ok();
    strength
        .filter(|strength| (0.0..=1.0).contains(strength))
        .ok_or_else(|| format!("expected a number from 0 to 1, found '{text}'"))
}

fn arcs_at_most(text: &str) -> Result<usize, String> {
    let most = text.parse::<usize>().ok();
    most.filter(|&most| most <= ARCS_AT_MOST)
        .ok_or_else(|| format!("expected a number from 0 to {ARCS_AT_MOST}, found '{text}'"))
}

fn distance(text: &str) -> Result<f32, String> {
    let distance = text.parse::<f32>().ok();
    distance
        .filter(|distance| (1.0..=100_000.0).contains(distance))
        .ok_or_else(|| format!("expected a length from 1 to 100000, found '{text}'"))
}

pub fn run(args: Args) -> anyhow::Result<()> {
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
            timings.push(PictureTimings::new(path, studio.timings()));
        }
    }
    if args.timings {
        say_timings(&studio.adapter(), timings, args.json)?;
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
    let mut view = LandscapeView::with(session, metrics, Arc::default(), landscape, cut);
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

fn settings(
    args: &Args,
    session: &Session,
    duration: Option<Cost>,
) -> anyhow::Result<PictureSettings> {
    if let Some(metric) = asked_for(args).find(|it| it.origin() == Origin::Recording) {
        ensure!(
            duration.is_some(),
            "{} needs a recording; name one beside the source tree",
            metric.title()
        );
    }
    let wants_calls = asked_for(args).any(|metric| metric == Metric::Calls);
    let shown = session.recordings.first();
    ensure!(
        !matches!(args.arcs, ArcsArg::Selection) || args.focus.is_some(),
        "--arcs selection shows the arcs of the module that --focus names"
    );
    ensure!(
        !wants_calls || shown.is_none_or(|resolved| resolved.recording.counts_calls()),
        "this profile does not count calls; its weights are shown by self"
    );
    let landscape = LandscapeSettings {
        area: args.area,
        height: args.height.0,
        surface: args.color.0,
        scale: match args.scale {
            ScaleArg::Linear => Scale::Linear,
            ScaleArg::Log => Scale::Log,
            ScaleArg::Quantile => Scale::Quantile,
        },
        tiling: args.layout,
        arcs: match args.arcs {
            ArcsArg::All => ArcMode::All,
            ArcsArg::Selection => ArcMode::Selection,
            ArcsArg::Step => ArcMode::Step,
            ArcsArg::None => ArcMode::None,
        },
        arc_measure: match args.arc_width {
            ArcWidthArg::Calls => ArcMeasure::Calls,
            ArcWidthArg::Cost => ArcMeasure::Cost,
        },
        bundling: args.bundling,
        most_arcs: args.most_arcs,
        theme: match args.theme {
            ThemeArg::Light => Theme::Light,
            ThemeArg::Dark => Theme::Dark,
        },
        half_life: Cost::from_ns(duration.unwrap_or_default().ns() / 150),
        highlight: args.highlight,
        height_scale: match args.height_scale {
            HeightScaleArg::Root => None,
            HeightScaleArg::Linear => Some(Scale::Linear),
            HeightScaleArg::Log => Some(Scale::Log),
            HeightScaleArg::Quantile => Some(Scale::Quantile),
        },
    };
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
        size: args.size,
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

fn quality(args: &Args) -> Quality {
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

/// How long the passes of a picture took.
#[derive(serde::Serialize)]
struct PictureTimings {
    file: String,
    /// None where the device cannot tell.
    passes: Option<Vec<PassTiming>>,
}

#[derive(serde::Serialize)]
struct PassTiming {
    name: &'static str,
    ms: f32,
}

impl PictureTimings {
    fn new(path: &Path, passes: &[(&'static str, f32)]) -> PictureTimings {
        let passes = passes.iter().map(|&(name, ms)| PassTiming { name, ms });
        PictureTimings {
            file: path.display().to_string(),
            passes: Some(passes.collect()).filter(|passes: &Vec<_>| !passes.is_empty()),
        }
    }
}

/// Says how long the passes took, summed over the pictures that were averaged.
fn say_timings(
    adapter: &Adapter,
    pictures: Vec<PictureTimings>,
    as_json: bool,
) -> anyhow::Result<()> {
    if as_json {
        #[derive(serde::Serialize)]
        struct Report<'a> {
            #[serde(flatten)]
            adapter: &'a Adapter,
            pictures: Vec<PictureTimings>,
        }
        return super::output::print_json(&Report { adapter, pictures });
    }
    eprintln!("callscape: drawn by {}", adapter.adapter);
    for picture in pictures {
        let Some(passes) = picture.passes else {
            eprintln!("callscape: it cannot tell how long the passes take");
            return Ok(());
        };
        let sum: f32 = passes.iter().map(|pass| pass.ms).sum();
        eprintln!("callscape: {}: {sum:.1} ms", picture.file);
        for pass in passes {
            eprintln!("  {:<14}{:>9.1} ms", pass.name, pass.ms);
        }
    }
    Ok(())
}

/// The metrics that the picture is to show.
fn asked_for(args: &Args) -> impl Iterator<Item = Metric> {
    let color = match args.color.0 {
        Surface::Metric(metric) => Some(metric),
        Surface::Neutral | Surface::District | Surface::Language | Surface::Difference => None,
    };
    let highlight = args.highlight.map(|highlight| highlight.metric);
    let metrics = std::iter::once(args.area).chain(args.height.0);
    metrics.chain(color).chain(highlight)
}

/// The metrics of what is shown, the history among them where it is asked for.
fn metrics(
    args: &Args,
    session: &Session,
    shown: &Session,
    mapped: Option<&Regrouped>,
) -> anyhow::Result<ModuleMetrics> {
    let mut metrics = ModuleMetrics::new(shown, 0);
    if let Some(metric) = asked_for(args).find(|it| it.origin() == Origin::History) {
        let dir = session.source_dir.as_deref();
        let dir = dir.with_context(|| format!("{} needs a source tree", metric.title()))?;
        let history = super::output::with_progress(|progress| history(dir, progress))??;
        if history.is_shallow {
            eprintln!("callscape: the clone is shallow: older changes are not known");
        }
        if history.is_cut_off {
            eprintln!("callscape: only the {MOST_COMMITS} newest commits are looked at");
        }
        metrics.set_history(&shown.hierarchy, &history, |id| match mapped {
            Some(mapped) => session.hierarchy.path(mapped.origins[id.index()]),
            None => session.hierarchy.path(id),
        });
    }
    Ok(metrics)
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

/// What is collapsed and expanded, and `hidden`.
fn cut(args: &Args, session: &Session, hidden: Option<ModuleId>) -> anyhow::Result<Cut> {
    let hierarchy = &session.hierarchy;
    let mut cut = match args.level {
        Some(level) => Cut::at_level(hierarchy, level),
        None => Cut::all(),
    };
    for path in &args.collapse {
        let module = find(session, path)?;
        ensure!(
            !hierarchy.is_leaf(module),
            "{path}: expected a module with others in it, found one without"
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
fn moments(
    args: &Args,
    session: &Session,
    duration: Option<Cost>,
) -> anyhow::Result<Vec<Option<Moment>>> {
    let times = [args.at, args.from, args.to];
    let asks_for_time = times.iter().any(Option::is_some) || args.frames.is_some() || args.summary;
    let Some(duration) = duration else {
        ensure!(
            !asks_for_time,
            "times need a recording; name one beside the source tree"
        );
        return Ok(vec![None]);
    };
    let at = |spec: TimeSpec| -> anyhow::Result<Time> {
        let time = spec.resolve(duration);
        ensure!(
            time.since(Time::ZERO) <= duration,
            "{time} lies past the end of the recording, which lasts {duration}"
        );
        Ok(time)
    };
    if let Some(resolved) = session.recordings.first()
        && resolved.recording.profile.is_some()
    {
        if times.iter().any(Option::is_some) || args.frames.is_some() {
            super::output::ensure_times(&resolved.recording, "no time of it can be shown")?;
        }
        return Ok(vec![Some(Moment::without_time(0))]);
    }
    let from = args.from.map(at).transpose()?.unwrap_or(Time::ZERO);
    let to = args
        .to
        .map(at)
        .transpose()?
        .unwrap_or(Time::ZERO + duration);
    ensure!(from <= to, "--from {from} lies after --to {to}");
    let Some(frames) = args.frames else {
        let is_limited = args.from.is_some() || args.to.is_some();
        let range = is_limited.then(|| TimeRange::new(from, to));
        let time = match args.at.map(at).transpose()? {
            Some(time) => time,
            None if is_limited || args.summary => to,
            None => liveliest(session, 0),
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
