//! Scene files: inputs, look, bookmarks, and a list of shots, in TOML.
//!
//! What a file says wrongly is refused with file, line, column and field. What only the inputs can tell, such as
//! whether a module exists, is for whoever plays the scene: it can ask where a field stands ([`SceneFile::problem`]).

mod file;
mod shot;
mod time;

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use file::{SceneError, SceneFile, of_shot};
pub use shot::{
    Arcs, Caption, CaptionStyle, Clock, Compare, Easing, Go, Overview, Play, Position, Run, Shot,
    Way,
};
pub use time::TimeText;

/// How the names of scene files end.
pub const ENDING: &str = ".toml";

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

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
