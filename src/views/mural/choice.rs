//! What the rows of the overview are: the user's choice, which goes with the landscape and the range.

use serde::{Deserialize, Serialize};

use callscape_filter::cut::Cut;
use callscape_model::rows::OverviewRows;
use callscape_state::document::Document;

/// What a row stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RowsOf {
    #[default]
    Functions,
    /// The modules that the landscape displays.
    Landscape,
    /// The modules of this depth; the root has depth 0.
    Level(u16),
}

/// The deepest level that is offered.
pub const DEEPEST: u16 = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RowsChoice {
    pub of: RowsOf,
    /// Modules stand in order of their first call, as functions always do, else in order of the hierarchy.
    pub by_first_call: bool,
    /// Only code that runs in the range.
    pub in_range: bool,
}

impl Default for RowsChoice {
    fn default() -> RowsChoice {
        RowsChoice {
            of: RowsOf::Functions,
            by_first_call: true,
            in_range: true,
        }
    }
}

impl RowsChoice {
    /// Functions, then modules of one level more each time.
    pub fn next(self) -> RowsChoice {
        let of = match self.of {
            RowsOf::Functions | RowsOf::Landscape => RowsOf::Level(1),
            RowsOf::Level(level) if level < DEEPEST => RowsOf::Level(level + 1),
            RowsOf::Level(_) => RowsOf::Functions,
        };
        RowsChoice { of, ..self }
    }

    pub fn title(self) -> String {
        match self.of {
            RowsOf::Functions => "Functions".to_owned(),
            RowsOf::Landscape => "Modules".to_owned(),
            RowsOf::Level(level) => format!("Level {level}"),
        }
    }

    /// The rows of `document` by this choice.
    pub fn rows(self, document: &Document) -> OverviewRows {
        let hierarchy = &document.session.hierarchy;
        let cut = match self.of {
            RowsOf::Functions => return OverviewRows::FirstCall,
            RowsOf::Landscape => document.cut.clone(),
            RowsOf::Level(level) => {
                let hidden = document.cut.hidden();
                hidden.fold(Cut::at_level(hierarchy, level), |cut, module| {
                    cut.hiding(Some(module))
                })
            }
        };
        match self.by_first_call {
            true => OverviewRows::ModulesByFirstCall(cut),
            false => OverviewRows::Modules(cut),
        }
    }
}
