//! What can be asked of `callscape render`.

use std::path::PathBuf;
use std::sync::LazyLock;

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use callscape_base::units::TimeSpec;
use callscape_facts::kinds::Purpose;
use callscape_model::arcs::{ARCS_AT_MOST, BUNDLING, MOST_ARCS};
use callscape_model::highlight::Highlight;
use callscape_model::metric::Metric;
use callscape_model::surface::Surface;
use callscape_model::theme::Theme;
use callscape_model::tiling::Tiling;
use callscape_presentation::look::highlight;
use callscape_state::panes::{Needs, ViewId};
use callscape_views as views;

#[derive(Debug, clap::Args)]
#[command(about = "A picture, or a sequence of pictures, without a window", after_help = EXAMPLES)]
pub struct RenderArgs {
    /// A source tree, recordings of it, or both; the first recording is shown; the built-in demo for none
    #[arg(value_name = "SOURCE_DIR | TRACE")]
    pub inputs: Vec<PathBuf>,
    /// Make a film of this scene, which says what is opened and what is shown; what was interrupted goes on where it
    /// stood. See `callscape scene --help`
    #[arg(long, value_name = "FILE.toml", conflicts_with_all = NOT_OF_SCENES)]
    pub scene: Option<PathBuf>,
    /// Frames a second of the film, 1 to 120 [default: what the scene says, else 30]
    #[arg(long, value_name = "N", requires = "scene", value_parser = clap::value_parser!(u32).range(1..=120))]
    pub fps: Option<u32>,
    /// One picture of the scene, so many seconds after its start, as OUT.png
    #[arg(long, value_name = "SECONDS", requires = "scene", conflicts_with = "fps", value_parser = seconds)]
    pub second: Option<f64>,
    /// Have an installed ffmpeg (with libx264) encode an .mp4: smaller files; without it no other program is needed
    #[arg(long, requires = "scene", conflicts_with = "second")]
    pub ffmpeg: bool,
    /// The picture to write, a PNG, or a model of the landscape for other programs, a glTF binary (.glb); a sequence
    /// is numbered: OUT-0001.png, OUT-0002.png, … Of a scene: a film, OUT.mp4, OUT.webm or OUT.gif, or its frames as
    /// pictures, OUT_%05d.png
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
    #[command(flatten)]
    pub left_out: crate::frequency::FrequencyArg,
    #[command(flatten)]
    pub elsewhere: crate::elsewhere::ElsewhereArgs,
    /// Which view to show; in those along time --from and --to choose what is visible, tables count what lies between
    #[arg(long, value_enum, default_value_t = ViewArg(views::main()))]
    pub view: ViewArg,
    /// Width and height in pixels, each up to 16384; what is large is drawn in tiles and written as it is drawn
    /// [default: 1280x720; of a scene what it says, else 1920x1080]
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = size)]
    pub size: Option<[u32; 2]>,
    /// Light or dark [default: light; of a scene what it says]
    #[arg(long, value_enum)]
    pub theme: Option<ThemeArg>,
    /// The time to show: 12.5ms, 3s, 40% or nanoseconds [default: a lively moment in the later half of
    /// the recording, the one with the deepest stacks among some hundreds]
    #[arg(long, value_name = "TIME")]
    pub at: Option<TimeSpec>,
    /// How finely light and edges are drawn: low suits slow machines, high takes several times as long
    #[arg(long, value_enum, default_value = "medium")]
    pub quality: QualityArg,
    /// The shadow that the lamp throws
    #[arg(long, value_enum, default_value = "soft")]
    pub shadow: ShadowArg,
    /// Say on standard error how long each pass took on the graphics device
    #[arg(long)]
    pub timings: bool,
    /// With --timings: as one JSON document on standard output
    #[arg(long, requires = "timings")]
    pub json: bool,
    /// Where the camera stands: all of the city from the south, straight from above, or from a corner
    #[arg(long, value_enum, default_value = "home")]
    pub camera: CameraArg,
    /// The module to show with its surroundings, by its path such as src/lapi.c/lua_call
    #[arg(long, value_name = "MODULE")]
    pub focus: Option<String>,
    /// Heading of the camera in degrees: 0 looks to the east, 90 to the north
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true, value_parser = degrees)]
    pub yaw: Option<f32>,
    /// How far the camera looks down, in degrees from 1 to 90
    #[arg(long, value_name = "DEGREES", value_parser = degrees)]
    pub pitch: Option<f32>,
    /// From the camera to the middle of what it shows; the city is 1000 wide
    #[arg(long, value_name = "LENGTH", value_parser = distance)]
    pub distance: Option<f32>,
    /// Call relations as arcs
    #[arg(long, value_enum, default_value = "all")]
    pub arcs: ArcsArg,
    /// What the width of arcs says
    #[arg(long, value_enum, value_name = "AMOUNT", default_value = "calls")]
    pub arc_width: ArcWidthArg,
    /// How closely arcs follow the hierarchy, from 0 (straight) to 1
    #[arg(long, value_name = "STRENGTH", default_value_t = BUNDLING, value_parser = strength)]
    pub bundling: f32,
    /// How many arcs are drawn at most: the most important, those of the last step first
    #[arg(long, value_name = "N", default_value_t = MOST_ARCS, value_parser = arcs_at_most)]
    pub most_arcs: usize,
    /// What the colour says [default: kind; of a source tree without a recording complexity]
    #[arg(long, value_name = "METRIC", value_parser = colors())]
    pub color: Option<ColorArg>,
    /// How the values of a metric are spread over its colours
    #[arg(long, value_enum, default_value = "log")]
    pub scale: ScaleArg,
    /// What the height says [default: even; of a recording of memory alone what lives]
    #[arg(long, value_name = "METRIC", value_parser = heights())]
    pub height: Option<HeightArg>,
    /// How the values of a metric are spread over heights
    #[arg(long, value_enum, default_value = "root")]
    pub height_scale: HeightScaleArg,
    /// Have what has these values of a metric stand out, the rest in neutral colours, such as complexity:10..50; either
    /// end may be left out
    #[arg(long, value_name = "METRIC:LOW..HIGH", value_parser = highlight)]
    pub highlight: Option<Highlight>,
    /// What the footprint says [default: loc; of a recording of memory alone without sources what lives]
    #[arg(long, value_name = "METRIC", value_parser = areas())]
    pub area: Option<Metric>,
    /// Give generated, vendored, minified and data-like files their full footprint; else they have a tenth of the map at
    /// most
    #[arg(long)]
    pub full_size: bool,
    /// Do not show the files for this purpose; may be repeated
    #[arg(long, value_name = "PURPOSE", value_parser = purposes())]
    pub without: Vec<Purpose>,
    /// Say under the picture what area, height, colour and arcs mean [default: where area, height or colour say
    /// something of their own]
    #[arg(long, conflicts_with = "no_legend")]
    pub legend: bool,
    /// No legend, whatever the picture shows
    #[arg(long)]
    pub no_legend: bool,
    /// Names on districts, and at what runs and is counted: they stand in pictures unless told otherwise
    #[arg(long, overrides_with = "no_labels")]
    pub labels: bool,
    /// No names in the picture
    #[arg(long)]
    pub no_labels: bool,
    /// Leave the ground out, all but the shadows on it, so that the picture can lie on another
    #[arg(long)]
    pub transparent: bool,
    /// How the modules of a district share its ground
    #[arg(long, value_name = "LAYOUT", default_value = "squarified", value_parser = layouts())]
    pub layout: Tiling,
    /// Show the entities of this mapping file as districts, without what it leaves out
    #[arg(long, value_name = "FILE")]
    pub map: Option<PathBuf>,
    /// Collapse everything below this depth into one block a module, or one row of the overview; the root has depth 0
    #[arg(long, value_name = "DEPTH")]
    pub level: Option<u16>,
    /// Collapse this module, named by its path, into one block; may be repeated
    #[arg(long, value_name = "MODULE")]
    pub collapse: Vec<String>,
    /// Expand this module by one level, whatever --level says; may be repeated
    #[arg(long, value_name = "MODULE")]
    pub expand: Vec<String>,
    /// Write a sequence of so many pictures from --from to --to
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000), conflicts_with = "at")]
    pub frames: Option<u32>,
    /// What to show of a profile that holds several values; `callscape info` lists them
    #[arg(long, value_name = "NAME")]
    pub value: Option<String>,
    /// Where the sequence starts, or the range that is shown [default: the start of the recording]
    #[arg(long, value_name = "TIME")]
    pub from: Option<TimeSpec>,
    /// Where the sequence ends, or the range that is shown [default: the end of the recording]
    #[arg(long, value_name = "TIME")]
    pub to: Option<TimeSpec>,
    /// Sum the whole recording or range up: every call relation, and what ran by its self cost
    #[arg(long, conflicts_with_all = ["at", "frames"])]
    pub summary: bool,
}

/// What a scene says itself.
const NOT_OF_SCENES: [&str; 43] = [
    "inputs",
    "max_frequency",
    "good",
    "bad",
    "good_recording",
    "results",
    "view",
    "at",
    "shadow",
    "timings",
    "camera",
    "focus",
    "yaw",
    "pitch",
    "distance",
    "arcs",
    "arc_width",
    "bundling",
    "most_arcs",
    "color",
    "scale",
    "height",
    "height_scale",
    "highlight",
    "area",
    "full_size",
    "without",
    "legend",
    "no_legend",
    "labels",
    "no_labels",
    "transparent",
    "layout",
    "map",
    "level",
    "collapse",
    "expand",
    "frames",
    "value",
    "from",
    "to",
    "summary",
    "json",
];

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
  callscape render src trace.json -o city.png --map architecture.map --level 2 --expand JDT-CORE
  callscape render . trace.json -o faults.png --view faults --good v2.3
  callscape render --scene talk.toml -o talk.mp4 --size 1920x1080 --fps 30";

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ThemeArg {
    Light,
    Dark,
}

impl ThemeArg {
    pub fn theme(self) -> Theme {
        match self {
            ThemeArg::Light => Theme::Light,
            ThemeArg::Dark => Theme::Dark,
        }
    }
}

/// A view of the registry that shows one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ViewArg(pub ViewId);

impl ValueEnum for ViewArg {
    fn value_variants<'a>() -> &'a [ViewArg] {
        static ALL: LazyLock<Vec<ViewArg>> = LazyLock::new(|| {
            let of_one = |view: &ViewId| {
                !matches!(view.line().needs, Needs::TwoRuns | Needs::TwoRunsWithTimes)
            };
            let views = views::all().into_iter().filter(of_one);
            views.map(ViewArg).collect()
        });
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.id()).help(self.0.line().about))
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum QualityArg {
    Low,
    Medium,
    High,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ShadowArg {
    Soft,
    None,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum CameraArg {
    /// The whole city from the south
    Home,
    /// Straight from above, north at the top
    Top,
    /// From the south-west, isometric: what is parallel is shown as parallel
    #[value(alias = "isometric")]
    Iso,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ArcsArg {
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
pub enum ArcWidthArg {
    /// How many calls
    Calls,
    /// How long the calls took
    Cost,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ScaleArg {
    /// Twice the value, twice as far from zero
    Linear,
    /// Twice the value, one step further, from the smallest
    Log,
    /// As far as the share of the blocks that have less
    Quantile,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum HeightScaleArg {
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
pub struct HeightArg(pub Option<Metric>);

#[derive(Clone, Copy, Debug)]
pub struct ColorArg(pub Surface);

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

fn purposes() -> impl TypedValueParser<Value = Purpose> {
    choice(Purpose::ALL.map(|it| (it.name(), it.plural(), it)).into())
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
        (
            "purpose",
            "what files are for: product, tests, examples, benches, documentation",
            ColorArg(Surface::Purpose),
        ),
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

pub(crate) fn size(text: &str) -> Result<[u32; 2], String> {
    let sides = text.split_once(['x', '×']);
    let side = |text: &str| text.parse::<u32>().ok().filter(|&side| side > 0);
    sides
        .and_then(|(width, height)| Some([side(width)?, side(height)?]))
        .ok_or_else(|| format!("expected a size in pixels like 1280x720, found '{text}'"))
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse::<f64>().ok();
    seconds
        .filter(|seconds| (0.0..=1e6).contains(seconds))
        .ok_or_else(|| format!("expected seconds since the start of the scene, found '{text}'"))
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
