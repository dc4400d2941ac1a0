//! Scene files: inputs, look, bookmarks, and a list of shots, in TOML.
//!
//! What a file says wrongly is refused with file, line, column and field. What only the inputs can tell, such as
//! whether a module exists, is for whoever plays the scene: it can ask where a field stands ([`SceneFile::problem`]).

use std::fmt;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::place::{self, Places, Step};
use crate::units::TimeSpec;

/// How the names of scene files end.
pub const ENDING: &str = ".toml";

/// More bytes than any scene that people write or record.
const MAX_BYTES: u64 = 256 << 20;

/// A presentation: what to open, how it looks, and what happens.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Scene {
    /// Where editors find the schema of this file.
    #[serde(rename = "$schema", skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    #[serde(default, skip_serializing_if = "is_default")]
    pub inputs: SceneInputs,
    #[serde(default, skip_serializing_if = "is_default")]
    pub look: Look,
    #[serde(default, skip_serializing_if = "is_default")]
    pub film: FilmSettings,
    /// Named states to go to.
    #[serde(default, rename = "bookmark", skip_serializing_if = "Vec::is_empty")]
    pub bookmarks: Vec<Bookmark>,
    /// What happens, one after the other.
    #[serde(default, rename = "shot", skip_serializing_if = "Vec::is_empty")]
    pub shots: Vec<Shot>,
}

/// What a scene opens. Paths are relative to the scene's folder. Without any of them, the built-in demo.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SceneInputs {
    /// The source tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<PathBuf>,
    /// The recordings; two are compared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recordings: Vec<PathBuf>,
    /// So many of them, the first ones, are runs of A, the others of B. Without it, one of each.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub runs_of_a: usize,
    /// The source tree of A, where `source` is that of B alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_of_a: Option<PathBuf>,
    /// A mapping file through which the structure is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mapping: Option<PathBuf>,
    /// A session file: what it opens, its look and its bookmarks. The other inputs come from it then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<PathBuf>,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// How the landscape looks; what is left out stays as it is. The names are those of the command line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Look {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theme: Option<Theme>,
    /// What the area of a block says: `loc`, `bytes`, `calls`, …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub area: Option<String>,
    /// What its height says: `even`, or as for the area.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<String>,
    /// How heights grow with what they say: `root`, or as for `scale`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height_scale: Option<String>,
    /// What its colour says: `kind`, `district`, `language`, `difference`, or as for the area.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    /// How the values of a metric are spread over its colours: `linear`, `log` or `quantile`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<String>,
    /// `squarified`, `ordered`, `slice-and-dice` or `stable`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layout: Option<String>,
    /// Which call relations are drawn as arcs: `all`, `step`, `selection`, `difference` or `none`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arcs: Option<String>,
    /// What their width says: `calls` or `cost`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arc_width: Option<String>,
    /// How closely they follow the districts that they run through: 0, straight, to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bundling: Option<f32>,
    /// How many are drawn at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most_arcs: Option<usize>,
    /// Says what area, height and colour mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub legend: Option<bool>,
    /// What stands out, the rest in neutral colours: a metric and its values, such as `complexity:10..50`; either end
    /// may be left out. Empty for nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub highlight: Option<String>,
    /// Times as large as usual: letters and lines for a projector. 0.5 to 4.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text_scale: Option<f32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Theme {
    Light,
    Dark,
}

/// How films of the scene are made; the command line has the last word.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FilmSettings {
    /// Width and height in pixels, such as `1920x1080`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<String>,
    /// Frames a second, 1 to 120.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fps: Option<u32>,
}

/// A named state of what is shown. A section that is left out stays as it is when one goes there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Bookmark {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub camera: Option<Camera>,
    /// The paths of the modules that are collapsed: the cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collapsed: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub look: Option<Look>,
    /// A mapping file; empty for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mapping: Option<PathBuf>,
    /// What is left out, in the order in which it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<Vec<LeftOut>>,
    /// The path of the module that is selected; empty for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub module: Option<String>,
    /// A time of the recording.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<TimeText>,
    /// The range of time that limits all views; an empty list for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Vec<TimeText>>,
    /// The views that are open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub views: Option<Vec<View>>,
}

/// A part of a bookmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Section {
    Camera,
    Cut,
    Look,
    Mapping,
    Filters,
    Selection,
    Time,
    Range,
    Views,
}

impl Section {
    pub const ALL: [Section; 9] = [
        Section::Camera,
        Section::Cut,
        Section::Look,
        Section::Mapping,
        Section::Filters,
        Section::Selection,
        Section::Time,
        Section::Range,
        Section::Views,
    ];

    /// As files and people call it.
    pub fn name(self) -> &'static str {
        match self {
            Section::Camera => "camera",
            Section::Cut => "cut",
            Section::Look => "look",
            Section::Mapping => "mapping",
            Section::Filters => "filters",
            Section::Selection => "selection",
            Section::Time => "time",
            Section::Range => "range",
            Section::Views => "views",
        }
    }
}

/// Where a camera stands: as far from a point as given, in world units (the city is 1000 wide), angles in degrees.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Camera {
    pub target: [f32; 3],
    pub distance: f32,
    /// Heading from east to north.
    pub yaw: f32,
    /// How far it looks down.
    pub pitch: f32,
    /// The vertical field of view; as people see a model on a table without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lens: Option<f32>,
}

/// Something that is not shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LeftOut {
    /// A thread by its number from 0.
    Thread(u32),
    /// A module by its path.
    Module(String),
    /// What a module triggers.
    Below(String),
    /// What a call triggers: its thread and number.
    BelowCall([u32; 2]),
}

/// A view by its name on the command line.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum View {
    Landscape,
    Mural,
    Flame,
    Functions,
    Calls,
    /// Of two recordings: what differs, as a table.
    Differences,
    /// Of two recordings: both along one time axis.
    Timelines,
}

/// Something that happens. All parts of a shot begin together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Shot {
    /// What lists of shots call it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// For the presenter alone.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub notes: String,
    /// How long it takes. Without it as long as its camera, what it plays and what it says need.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Where the camera goes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub camera: Option<Go>,
    /// A part of the recording that plays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub play: Option<Play>,
    /// The time that is shown, at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<TimeText>,
    /// Shows the final state over the recording or range, or no longer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<bool>,
    /// Limits all views to a range of time; an empty list limits them no longer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Vec<TimeText>>,
    /// Goes to a bookmark, in all sections or those listed; the camera flies there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bookmark: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sections: Option<Vec<Section>>,
    /// Collapses all that lies deeper than so many levels; what is expanded and collapsed here comes after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<u16>,
    /// Paths of modules.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expand: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub collapse: Vec<String>,
    /// Selects a module, by its path, which outlines it everywhere; empty selects none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub select: Option<String>,
    /// Which call relations are drawn as arcs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arcs: Option<Arcs>,
    /// Views that open, and that close.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub show: Vec<View>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hide: Vec<View>,
    /// Changes the look.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub look: Option<Look>,
    /// Of two recordings, the one that is shown. Times stay those of A.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<Run>,
    /// How two recordings stand beside each other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compare: Option<Compare>,
    /// Where the divider of a wipe stands, from 0 (left) to 1: one place, or two between which it moves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub divider: Vec<f32>,
    /// Words at the edge of the picture, while the shot lasts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caption: Option<Caption>,
    /// Large words over the picture, while the shot lasts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<Caption>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Arcs {
    /// All up to now.
    All,
    /// Those of the last step.
    Step,
    /// Those of what is selected.
    Selection,
    /// Of two recordings: what differs.
    Difference,
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Run {
    A,
    B,
}

/// How two recordings are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Compare {
    /// In one landscape, coloured by what differs.
    Difference,
    /// A at the left, B at the right.
    SideBySide,
    /// In one place: A up to a divider, B behind it.
    Wipe,
}

/// Where the camera goes, and how. At most one of `to`, `module` and `at`; none turns where it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Go {
    /// A view of the whole city.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Overview>,
    /// A module, by its path, with its surroundings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub module: Option<String>,
    /// A place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Camera>,
    /// Modules that the way leads past, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub through: Vec<String>,
    /// Heading and inclination at the end, in degrees; as the view has them, or as before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub yaw: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pitch: Option<f32>,
    /// How much closer than where all of it is just seen: 2 is twice as near. 0.1 to 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zoom: Option<f32>,
    /// Degrees to turn about what the middle shows, on the way; more than 360 is possible.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<f32>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub easing: Easing,
    #[serde(default, skip_serializing_if = "is_default")]
    pub way: Way,
}

/// All of the city.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Overview {
    /// From the south.
    Home,
    /// Straight from above.
    Top,
    /// From a corner.
    Isometric,
}

/// How motion begins and ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Easing {
    /// Slowly both.
    #[default]
    Smooth,
    Linear,
    /// Slowly at first.
    In,
    /// Slowly at last.
    Out,
    /// At once, without a way: a cut.
    Cut,
}

/// Which way the camera takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// Rises over what lies between.
    #[default]
    Over,
    /// At even height.
    Straight,
}

/// A part of the recording, played from one time to another: backward when `to` lies before `from`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Play {
    /// From here; from the time that is shown without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<TimeText>,
    /// To here; to the end of the recording without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<TimeText>,
    /// Time of the recording that passes in a second, such as `2ms`; without it `seconds` says how fast.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed: Option<TimeText>,
    /// Whether time passes evenly, or events do.
    #[serde(default, skip_serializing_if = "is_default")]
    pub clock: Clock,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Clock {
    #[default]
    Time,
    Events,
}

/// Words to show: in short form the text alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Caption {
    pub text: String,
    /// A smaller line below.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub below: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
    /// Times as large as usual, 0.25 to 4.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<f32>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub style: CaptionStyle,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Position {
    TopLeft,
    Top,
    TopRight,
    Left,
    Center,
    Right,
    BottomLeft,
    Bottom,
    BottomRight,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CaptionStyle {
    /// On a panel.
    #[default]
    Panel,
    /// Words alone.
    Plain,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl<'de> Deserialize<'de> for Caption {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Caption, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields, rename_all = "kebab-case")]
        struct Whole {
            text: String,
            #[serde(default)]
            below: String,
            position: Option<Position>,
            size: Option<f32>,
            #[serde(default)]
            style: CaptionStyle,
        }
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Caption;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text, or a table with a text")
            }

            fn visit_str<E>(self, text: &str) -> Result<Caption, E> {
                Ok(Caption {
                    text: text.to_owned(),
                    ..Caption::default()
                })
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, map: A) -> Result<Caption, A::Error> {
                let of = serde::de::value::MapAccessDeserializer::new(map);
                let whole = Whole::deserialize(of)?;
                Ok(Caption {
                    text: whole.text,
                    below: whole.below,
                    position: whole.position,
                    size: whole.size,
                    style: whole.style,
                })
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

/// A time as the command line takes it: `12.5ms`, `3s`, `40%` of the recording, or plain nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeText(pub TimeSpec);

impl<'de> Deserialize<'de> for TimeText {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<TimeText, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = TimeText;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a time such as \"12.5ms\", \"40%\" or nanoseconds")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<TimeText, E> {
                text.parse().map(TimeText).map_err(E::custom)
            }

            fn visit_i64<E: serde::de::Error>(self, ns: i64) -> Result<TimeText, E> {
                let ns = u64::try_from(ns).map_err(|_| {
                    E::custom(format!(
                        "expected a time from the start of the recording on, found {ns}"
                    ))
                })?;
                self.visit_u64(ns)
            }

            fn visit_u64<E>(self, ns: u64) -> Result<TimeText, E> {
                Ok(TimeText(TimeSpec::At(crate::units::Time::from_ns(ns))))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

impl Serialize for TimeText {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            TimeSpec::At(time) => match i64::try_from(time.ns()) {
                // TOML's numbers end there.
                Ok(ns) => serializer.serialize_i64(ns),
                Err(_) => serializer.serialize_str(&time.ns().to_string()),
            },
            TimeSpec::Share(share) => serializer.serialize_str(&format!("{}%", share * 100.0)),
        }
    }
}

impl JsonSchema for TimeText {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Time".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A time of the recording: \"12.5ms\", \"3s\", \"40%\" of it, or nanoseconds.",
            "anyOf": [
                { "type": "string", "pattern": r"^\s*[0-9]*\.?[0-9]+\s*(ns|us|µs|ms|s|m|min|%)?\s*$" },
                { "type": "integer", "minimum": 0 },
            ],
        })
    }
}

/// What is wrong with a scene, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}:{line}:{column}: {}{problem}", file.display(), with_colon(field))]
pub struct SceneError {
    pub file: PathBuf,
    /// From 1.
    pub line: usize,
    pub column: usize,
    /// Such as `shot 3, play.from`; empty where it is no field.
    pub field: String,
    /// What was expected and what was found.
    pub problem: String,
}

fn with_colon(field: &str) -> String {
    match field {
        "" => String::new(),
        field => format!("{field}: "),
    }
}

/// A scene with the text that it was read from.
#[derive(Clone, Debug)]
pub struct SceneFile {
    pub path: PathBuf,
    pub scene: Scene,
    text: String,
}

/// The path to a field of a shot.
pub fn of_shot(shot: usize, field: &[&str]) -> Vec<Step> {
    let mut path = vec![Step::Key("shot".to_owned()), Step::Number(shot)];
    path.extend(field.iter().map(|key| match key.parse() {
        Ok(number) => Step::Number(number),
        Err(_) => Step::Key((*key).to_owned()),
    }));
    path
}

impl SceneFile {
    /// Reads and checks a scene file.
    pub fn read(path: &Path) -> anyhow::Result<SceneFile> {
        use anyhow::Context;
        let shown = || path.display().to_string();
        let size = std::fs::metadata(path).with_context(shown)?.len();
        anyhow::ensure!(
            size <= MAX_BYTES,
            "{}: expected a scene of at most {MAX_BYTES} bytes, found {size}",
            path.display()
        );
        let bytes = std::fs::read(path).with_context(shown)?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            anyhow::anyhow!(
                "{}: expected a scene in UTF-8, found other bytes at offset {at}",
                path.display()
            )
        })?;
        Ok(SceneFile::parse(path, text)?)
    }

    /// The same of a text; `path` is what errors call it, and what its inputs are relative to.
    pub fn parse(path: &Path, text: String) -> Result<SceneFile, SceneError> {
        let scene: Scene = toml::from_str(&text).map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            let (line, column) = place::line_and_column(&text, span.start);
            let field = Places::of(&text).map(|places| place::name(&places.path_of(&span)));
            SceneError {
                file: path.to_owned(),
                line,
                column,
                field: field.unwrap_or_default(),
                problem: error.message().trim().to_owned(),
            }
        })?;
        let file = SceneFile {
            path: path.to_owned(),
            scene,
            text,
        };
        match super::check::first_problem(&file.scene) {
            Some((field, problem)) => Err(file.problem(&field, problem)),
            None => Ok(file),
        }
    }

    /// As it was read.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What is wrong with the field at `path`.
    pub fn problem(&self, path: &[Step], problem: String) -> SceneError {
        let offset = Places::of(&self.text).map_or(0, |places| places.offset(path));
        let (line, column) = place::line_and_column(&self.text, offset);
        self.error((line, column), path, problem)
    }

    /// The same of many fields, in the order of the file. O(size of the file + n log n).
    pub fn problems(&self, of: Vec<(Vec<Step>, String)>) -> Vec<SceneError> {
        if of.is_empty() {
            return Vec::new();
        }
        let places = Places::of(&self.text);
        let offset = |path: &[Step]| places.as_ref().map_or(0, |places| places.offset(path));
        let mut of: Vec<_> = of.into_iter().map(|it| (offset(&it.0), it)).collect();
        of.sort_by_key(|(offset, _)| *offset);
        let offsets: Vec<usize> = of.iter().map(|(offset, _)| *offset).collect();
        let found = place::lines_and_columns(&self.text, &offsets).into_iter();
        let all = found.zip(of);
        all.map(|(at, (_, (path, problem)))| self.error(at, &path, problem))
            .collect()
    }

    fn error(&self, (line, column): (usize, usize), path: &[Step], problem: String) -> SceneError {
        SceneError {
            file: self.path.clone(),
            line,
            column,
            field: place::name(path),
            problem,
        }
    }

    /// The lines at which shots begin, from 1. O(size of the file).
    pub fn shot_lines(&self) -> Vec<usize> {
        let shots = 0..self.scene.shots.len();
        let places = Places::of(&self.text);
        let offset = |shot| {
            places
                .as_ref()
                .map_or(0, |places| places.offset(&of_shot(shot, &[])))
        };
        let offsets: Vec<usize> = shots.map(offset).collect();
        let found = place::lines_and_columns(&self.text, &offsets);
        found.into_iter().map(|(line, _)| line).collect()
    }

    /// The folder that the scene's paths are relative to.
    pub fn folder(&self) -> &Path {
        match self.path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        }
    }
}
