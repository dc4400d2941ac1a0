//! Shots: what happens in a scene, and the words beside it.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::TimeText;
use super::shown::{Camera, Look, Section, is_default};
use super::view::ViewName;

/// Something that happens. All parts of a shot begin together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
    pub show: Vec<ViewName>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hide: Vec<ViewName>,
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

impl Shot {
    /// Whether its start changes what does not ease by itself. A camera that is cut is meant to be seen so.
    pub(crate) fn changes_at_once(&self) -> bool {
        if self
            .camera
            .as_ref()
            .is_some_and(|go| go.easing == Easing::Cut)
        {
            return false;
        }
        let sections = self.sections.as_deref().unwrap_or(&Section::ALL);
        let is_more = sections.iter().any(|it| *it != Section::Camera);
        let goes = self.bookmark.is_some() && is_more;
        let folds = self.level.is_some() || !self.expand.is_empty() || !self.collapse.is_empty();
        let times = self.at.is_some() || self.summary.is_some() || self.range.is_some();
        let leaps = self.play.as_ref().is_some_and(|play| play.from.is_some());
        let runs = self.run.is_some() || self.compare.is_some();
        let looks = self.look.is_some() || self.arcs.is_some() || self.select.is_some();
        goes || folds || times || leaps || runs || looks
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Arcs {
    /// All up to now.
    All,
    /// Those of the last step.
    Step,
    /// All of the recording, those of the last step standing out.
    Whole,
    /// Those of what is selected.
    Selection,
    /// Of two recordings: what differs.
    Difference,
    /// Files that change together, by the history of the tree.
    Together,
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Run {
    A,
    B,
}

/// How two recordings are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// Rises over what lies between.
    #[default]
    Over,
    /// At even height.
    Straight,
}

/// A part of the recording, played from one time to another: backward when `to` lies before `from`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Clock {
    #[default]
    Time,
    Events,
}

/// Words to show: in short form the text alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CaptionStyle {
    /// On a panel.
    #[default]
    Panel,
    /// Words alone.
    Plain,
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
