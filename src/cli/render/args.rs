//! What can be asked of `callscape render`.

use std::path::PathBuf;
use std::sync::LazyLock;

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::apart::{not_of_films, not_of_revisions, not_of_scenes};
use crate::revisions::Between;
use callscape_base::units::When;
use callscape_facts::kinds::Purpose;
use callscape_model::arcs::{ARCS_AT_MOST, ArcMode, BUNDLING, MOST_ARCS};
use callscape_model::highlight::Highlight;
use callscape_model::metric::Metric;
use callscape_model::surface::Surface;
use callscape_model::theme::Theme;
use callscape_model::tiling::Tiling;
use callscape_presentation::look::highlight;
use callscape_state::panes::{Needs, ViewId};
use callscape_views as views;

#[derive(Debug, clap::Args)]
#[command(about = "Render a picture, or a sequence of pictures, without a window", after_help = EXAMPLES)]
#[command(group = clap::ArgGroup::new("motion").args(["scene", "film"]))]
pub(crate) struct RenderArgs {
    /// A source tree, recordings of it, or both; the first recording is shown [default: the built-in demo]
    #[arg(value_name = "SOURCE_DIR | TRACE")]
    pub inputs: Vec<PathBuf>,
    /// Render this scene, which defines what to open and show, as a film. An interrupted render resumes where it
    /// stopped. See `callscape scene --help`
    #[arg(long, value_name = "FILE.toml", conflicts_with_all = not_of_scenes())]
    pub scene: Option<PathBuf>,
    /// Render a film that plays the whole recording in SECONDS and skips idle stretches
    #[arg(long, value_name = "SECONDS", conflicts_with_all = not_of_films(), value_parser = seconds)]
    pub film: Option<f64>,
    /// Show the history of the source tree, from its git repository, such as with --at or --film
    #[arg(long, requires = "inputs")]
    pub history: bool,
    /// Frames per second of the film, 1 to 120 [default: value in the scene, otherwise 30]
    #[arg(long, value_name = "N", requires = "motion", value_parser = clap::value_parser!(u32).range(1..=120))]
    pub fps: Option<u32>,
    /// Render one picture of the scene, SECONDS after its start, as OUT.png
    #[arg(long, value_name = "SECONDS", requires = "scene", conflicts_with = "fps", value_parser = seconds)]
    pub second: Option<f64>,
    /// Encode an .mp4 with an installed ffmpeg (with libx264) for smaller files [default: built-in encoder]
    #[arg(long, requires = "motion", conflicts_with = "second")]
    pub ffmpeg: bool,
    /// Picture to write: a PNG; vector graphics (.svg) of any view but the landscape; or a model of the landscape for
    /// other programs, a glTF binary (.glb). A sequence is numbered: OUT-0001.png, OUT-0002.png, … For a scene: a film,
    /// OUT.mp4, OUT.webm or OUT.gif, or its frames as pictures, OUT_%05d.png
    #[arg(short, long, alias = "out", value_name = "OUT")]
    pub output: PathBuf,
    /// Two revisions of the source tree in one landscape, coloured by differences in lines, or in complexity with --value
    /// complexity; as `callscape compare --rev`
    #[arg(long, value_name = "A..B", conflicts_with_all = not_of_revisions())]
    pub rev: Option<Between>,
    #[command(flatten)]
    pub left_out: crate::frequency::FrequencyArg,
    #[command(flatten)]
    pub elsewhere: crate::elsewhere::ElsewhereArgs,
    /// View to render. --from and --to set the visible range in timeline views, and the range that tables count
    #[arg(long, value_enum, default_value_t = ViewArg(views::main()))]
    pub view: ViewArg,
    /// Width and height in pixels, each up to 16384; large pictures are drawn and written in tiles [default: 1280x720;
    /// for a scene its own size, otherwise 1920x1080]
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = size)]
    pub size: Option<[u32; 2]>,
    /// Light or dark [default: light; for a scene its own theme]
    #[arg(long, value_enum)]
    pub theme: Option<ThemeArg>,
    /// Time to show: 12.5ms, 3s, 40%, nanoseconds, or a day of a history such as 2019-05-01 [default: of a few hundred times in the second half of the
    /// recording, the one with the deepest stacks]
    #[arg(long, value_name = "TIME")]
    pub at: Option<When>,
    /// Quality of light and edges: low suits slow machines, high takes several times as long
    #[arg(long, value_enum, default_value = "medium")]
    pub quality: QualityArg,
    /// Shadow cast by the lamp
    #[arg(long, value_enum, default_value = "soft")]
    pub shadow: ShadowArg,
    /// Print the time of each pass on the graphics device to standard error
    #[arg(long)]
    pub timings: bool,
    /// With --timings: as one JSON document on standard output
    #[arg(long, requires = "timings")]
    pub json: bool,
    /// Camera position: the whole city from the south, straight from above, or from a corner
    #[arg(long, value_enum, default_value = "home")]
    pub camera: CameraArg,
    /// Module to show with its surroundings, by its path, such as src/lapi.c/lua_call
    #[arg(long, value_name = "MODULE")]
    pub focus: Option<String>,
    /// Heading of the camera in degrees: 0 looks to the east, 90 to the north
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true, value_parser = degrees)]
    pub yaw: Option<f32>,
    /// Downward angle of the camera, in degrees from 1 to 90
    #[arg(long, value_name = "DEGREES", value_parser = degrees)]
    pub pitch: Option<f32>,
    /// Distance from the camera to the point it looks at; the city is 1000 wide
    #[arg(long, value_name = "LENGTH", value_parser = distance)]
    pub distance: Option<f32>,
    /// Call relations as arcs
    #[arg(long, value_enum, default_value = "all")]
    pub arcs: ArcsArg,
    /// Value shown by the width of arcs
    #[arg(long, value_enum, value_name = "AMOUNT", default_value = "calls")]
    pub arc_width: ArcWidthArg,
    /// Strength with which arcs follow the hierarchy, from 0 (straight) to 1
    #[arg(long, value_name = "STRENGTH", default_value_t = BUNDLING, value_parser = strength)]
    pub bundling: f32,
    /// Maximum number of arcs to draw: the most important ones, those of the last step first
    #[arg(long, value_name = "N", default_value_t = MOST_ARCS, value_parser = arcs_at_most)]
    pub most_arcs: usize,
    /// Value shown by the colour [default: kind, or complexity for a source tree without a recording]
    #[arg(long, value_name = "METRIC", value_parser = colors())]
    pub color: Option<ColorArg>,
    /// Mapping of metric values to colours
    #[arg(long, value_enum, default_value = "log")]
    pub scale: ScaleArg,
    /// Metric shown by height [default: even, or live memory for a memory-only recording]
    #[arg(long, value_name = "METRIC", value_parser = heights())]
    pub height: Option<HeightArg>,
    /// Mapping of metric values to heights
    #[arg(long, value_enum, default_value = "root")]
    pub height_scale: HeightScaleArg,
    /// Highlight modules with these values of a metric, such as complexity:10..50, and show the rest in neutral
    /// colours; either bound may be omitted
    #[arg(long, value_name = "METRIC:LOW..HIGH", value_parser = highlight)]
    pub highlight: Option<Highlight>,
    /// Metric shown by the footprint [default: loc, or live memory for a memory-only recording without sources]
    #[arg(long, value_name = "METRIC", value_parser = areas())]
    pub area: Option<Metric>,
    /// Give generated, vendored, minified and data-like files their full footprint; by default they share at most a
    /// tenth of the map, unless they are more than half of the tree
    #[arg(long)]
    pub full_size: bool,
    /// Hide files with this purpose; may be repeated
    #[arg(long, value_name = "PURPOSE", value_parser = purposes())]
    pub without: Vec<Purpose>,
    /// Explain area, height, colour and arcs under the picture [default: if area, height or colour is not the default]
    #[arg(long, conflicts_with = "no_legend")]
    pub legend: bool,
    /// Never draw a legend
    #[arg(long)]
    pub no_legend: bool,
    /// Label districts and the blocks that run or are counted (on by default)
    #[arg(long, overrides_with = "no_labels")]
    pub labels: bool,
    /// Draw no names in the picture
    #[arg(long)]
    pub no_labels: bool,
    /// Make the ground transparent except for the shadows on it, to place the picture on another one
    #[arg(long)]
    pub transparent: bool,
    /// Layout of the modules in a district
    #[arg(long, value_name = "LAYOUT", default_value = "squarified", value_parser = layouts())]
    pub layout: Tiling,
    /// Show the entities of this mapping file as districts; functions that match no entry are excluded
    #[arg(long, value_name = "FILE")]
    pub map: Option<PathBuf>,
    /// Collapse everything below this depth into one block per module, or one row of the overview; the root has depth 0
    #[arg(long, value_name = "DEPTH")]
    pub level: Option<u16>,
    /// Collapse this module, named by its path, into one block; may be repeated
    #[arg(long, value_name = "MODULE")]
    pub collapse: Vec<String>,
    /// Expand this module by one level, whatever --level says; may be repeated
    #[arg(long, value_name = "MODULE")]
    pub expand: Vec<String>,
    /// Change a setting of the view, named and valued as its session file has it, such as merge=recursion; may be
    /// repeated. A wrong name lists the settings
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    pub set: Vec<(String, String)>,
    /// Sizing of the ring chart: alike, by angle or by area
    #[arg(long, value_name = "SIZING")]
    pub sizing: Option<String>,
    /// Rings to show in the ring chart, 1 to 200
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=200))]
    pub rings: Option<u32>,
    /// Write a sequence of N pictures from --from to --to
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000), conflicts_with = "at")]
    pub frames: Option<u32>,
    /// Value to show, of a profile or sampled recording: alloc_space, samples, cycles, 'wall time'; `info` lists them
    #[arg(long, value_name = "NAME")]
    pub value: Option<String>,
    /// Start of the sequence, or of the displayed range [default: the start of the recording]
    #[arg(long, value_name = "TIME")]
    pub from: Option<When>,
    /// End of the sequence, or of the displayed range [default: the end of the recording]
    #[arg(long, value_name = "TIME")]
    pub to: Option<When>,
    /// Summarise the whole recording or range: every call relation, and active functions by self cost
    #[arg(long, conflicts_with_all = ["at", "frames"])]
    pub summary: bool,
    /// Draw two landscapes: the cel at this time, and the sum of everything up to it
    #[arg(long, conflicts_with_all = ["summary", "frames", "timings"])]
    pub with_sum: bool,
}

const EXAMPLES: &str = "Examples:
  callscape render src trace.json -o city.png
  callscape render src trace.json -o city.png --at 40% --theme dark --size 1920x1080
  callscape render src trace.json -o calls.png --view flame --from 1s --to 1.2s
  callscape render src trace.json -o table.png --view functions --focus lapi.c/lua_callk
  callscape render src trace.json -o both.png --with-sum --at 40% --size 1920x800
  callscape render src trace.json -o rings.svg --view rings
  callscape render src trace.json -o frames/city.png --frames 100 --from 1s --to 2s
  callscape render src --history --at 2019-05-01 -o then.png
  callscape render src --history --film 60 -o history.mp4
  callscape render src -o poster.png --size 16384x16384 --camera iso --transparent --no-labels
  callscape render src -o city.glb --color complexity
  callscape render src -o parser.png --focus parser --color language
  callscape render src -o city.png --area functions --height complexity --color changes --scale quantile
  callscape render src trace.json -o city.png --map architecture.map --level 2 --expand JDT-CORE
  callscape render . trace.json -o faults.png --view faults --good v2.3
  callscape render src --rev v1.0..v2.0 -o difference.png
  callscape render --scene talk.toml -o talk.mp4 --size 1920x1080 --fps 30";

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ThemeArg {
    Light,
    Dark,
}

impl ThemeArg {
    pub(crate) fn theme(self) -> Theme {
        match self {
            ThemeArg::Light => Theme::Light,
            ThemeArg::Dark => Theme::Dark,
        }
    }
}

/// A registered view that shows one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ViewArg(pub ViewId);

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
pub(crate) enum QualityArg {
    Low,
    Medium,
    High,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ShadowArg {
    Soft,
    None,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum CameraArg {
    /// The whole city from the south
    Home,
    /// Straight from above, north at the top
    Top,
    /// From the south-west, isometric: parallel lines stay parallel
    #[value(alias = "isometric")]
    Iso,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ArcsArg {
    /// All up to the time shown
    All,
    /// Arcs of the --focus module
    Selection,
    /// Arcs of the last step, the current cel
    #[value(alias = "cel")]
    Step,
    /// Arcs of the whole recording; those of the last step stand out
    Whole,
    /// Arcs between files that change together, by the history of the tree
    Together,
    None,
}

impl ArcsArg {
    pub(crate) fn mode(self) -> ArcMode {
        match self {
            ArcsArg::All => ArcMode::All,
            ArcsArg::Selection => ArcMode::Selection,
            ArcsArg::Step => ArcMode::Step,
            ArcsArg::Whole => ArcMode::Whole,
            ArcsArg::Together => ArcMode::Together,
            ArcsArg::None => ArcMode::None,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ArcWidthArg {
    /// Number of calls
    Calls,
    /// Duration of the calls
    Cost,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ScaleArg {
    /// Twice the value is twice as far from zero
    Linear,
    /// Twice the value is one step further, starting from the smallest
    Log,
    /// By rank: the share of blocks with a smaller value
    Quantile,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum HeightScaleArg {
    /// Four times the value is twice as high
    Root,
    /// Twice the value is twice as high
    Linear,
    /// Twice the value is one step higher, starting from the smallest
    Log,
    /// By rank: the share of blocks with a smaller value
    Quantile,
}

/// None: low plinths of even height.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeightArg(pub Option<Metric>);

#[derive(Clone, Copy, Debug)]
pub(crate) struct ColorArg(pub Surface);

/// Parser for one of `values`, each with its name and meaning.
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
            "the district, in the hues of the timeline views",
            ColorArg(Surface::District),
        ),
        ("language", "language", ColorArg(Surface::Language)),
        (
            "purpose",
            "purpose of files: product, tests, examples, benches, documentation",
            ColorArg(Surface::Purpose),
        ),
        (
            "person",
            "who made most changes to a file, for the eight people with most changes",
            ColorArg(Surface::Person),
        ),
    ];
    values.extend(Metric::ALL.map(|it| (it.name(), it.title(), ColorArg(Surface::Metric(it)))));
    choice(values)
}

fn layouts() -> impl TypedValueParser<Value = Tiling> {
    let help = |tiling| match tiling {
        Tiling::Squarified => "as square as possible, the largest first",
        Tiling::Ordered => "in order, in strips, like lines of text",
        Tiling::Stable => "in order, keeping positions when footprints change",
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

fn setting(text: &str) -> Result<(String, String), String> {
    let setting = text.split_once('=').filter(|it| !it.0.is_empty());
    setting
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .ok_or_else(|| format!("expected NAME=VALUE, found '{text}'"))
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
