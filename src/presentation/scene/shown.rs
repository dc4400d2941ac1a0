//! How a scene looks: the views, what they show, and from where.

use serde::{Deserialize, Serialize};

/// How the landscape looks; what is left out stays as it is. The names are those of the command line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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

/// A part of a bookmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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

pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Theme {
    Light,
    Dark,
}
