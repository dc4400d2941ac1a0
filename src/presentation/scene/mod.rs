//! Scene files: inputs, look, bookmarks, and a list of shots, in TOML.
//!
//! What a file says wrongly is refused with file, line, column and field. What only the inputs can tell, such as
//! whether a module exists, is for whoever plays the scene: it can ask where a field stands ([`SceneFile::problem`]).

mod file;
mod shot;
mod shown;
mod time;
mod view;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use callscape_facts::frequency::Frequency;
pub use file::{SceneError, SceneFile};
pub use shot::{
    Arcs, Caption, CaptionStyle, Clock, Compare, Easing, Go, Overview, Play, Position, Run, Shot,
    Way,
};
use shown::is_default;
pub use shown::{Camera, Look, Section, Theme};
pub use time::TimeText;
pub use view::ViewName;

/// How the names of scene files end.
pub const ENDING: &str = ".toml";

/// A presentation: what to open, how it looks, and what happens.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
    /// The revision in which all was well: what changed since then and ran is marked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub good: Option<String>,
    /// The revision that was recorded; without it the working tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bad: Option<String>,
    /// A recording of the run in which all was well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub good_recording: Option<PathBuf>,
    /// What other tools have found: the functions are marked in which that ran.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<PathBuf>,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// How films of the scene are made; the command line has the last word.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
    /// Which functions are marked in every view for what is known of them from elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marked: Option<MarkedFor>,
    /// Whether they stand out in the landscape, the rest in neutral colours.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color_marked: Option<bool>,
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
    pub views: Option<Vec<ViewName>>,
}

/// Why functions are marked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum MarkedFor {
    /// None are.
    Nothing,
    /// They changed since the revision that the inputs name.
    Changed,
    /// Another tool has found something in them: one of the files of results that the inputs name.
    Results(PathBuf),
}

impl MarkedFor {
    /// The file that it names.
    pub fn file_mut(&mut self) -> Option<&mut PathBuf> {
        match self {
            MarkedFor::Results(path) => Some(path),
            MarkedFor::Nothing | MarkedFor::Changed => None,
        }
    }
}

/// Something that is not shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
    /// Functions that are called more often in any window of time, such as `80/100ms`.
    Frequent(#[cfg_attr(test, schemars(with = "String"))] Frequency),
    /// Functions that are not marked, as changed or for what other tools have found.
    NotMarked,
}
