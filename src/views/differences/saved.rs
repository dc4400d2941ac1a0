//! What a session file keeps of the table of differences: what it lists, and how it is sorted and searched.

use serde::{Deserialize, Serialize};

use crate::parts::kept::{Named, named};
use callscape_model::differences::{By, Choice, Of};

named! { Of: Of::ALL, Of::title; By: By::ALL, By::title; }

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Kept {
    list: Named<Of>,
    sorted_by: Named<By>,
    is_reversed: bool,
    query: String,
}

impl Kept {
    pub(super) fn of(choice: &Choice) -> Kept {
        Kept {
            list: Named(choice.of),
            sorted_by: Named(choice.by),
            is_reversed: choice.is_reversed,
            query: choice.query.clone(),
        }
    }

    pub(super) fn choice(self) -> Choice {
        Choice {
            of: self.list.0,
            by: self.sorted_by.0,
            is_reversed: self.is_reversed,
            query: self.query,
        }
    }
}
