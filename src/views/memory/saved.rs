//! What a session file keeps of the view: what its rows are, which objects they count, and how.

use serde::{Deserialize, Serialize};

use super::choice::{BINS, By, Choice, Column, Mode, Tenths};
use crate::SavedViews;
use crate::parts::kept::{self, Named};
use callscape_model::memory::BelongsTo;

#[derive(Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    memory_rows: Named<By>,
    memory_objects: Named<Mode>,
    memory_by_creator: bool,
    memory_ages: usize,
    memory_tenths_of_time: bool,
    memory_sort: Named<Column>,
    memory_from_largest: bool,
}

impl Default for Kept {
    fn default() -> Kept {
        Kept::of(&Choice::default())
    }
}

impl Kept {
    fn of(choice: &Choice) -> Kept {
        Kept {
            memory_rows: Named(choice.by),
            memory_objects: Named(choice.mode),
            memory_by_creator: choice.belongs_to == BelongsTo::Creator,
            memory_ages: choice.bins,
            memory_tenths_of_time: choice.tenths == Tenths::Time,
            memory_sort: Named(choice.sort.0),
            memory_from_largest: choice.sort.1,
        }
    }
}

pub(super) fn save(choice: &Choice, out: &mut SavedViews) {
    kept::put(&Kept::of(choice), &mut out.shown);
}

/// What a session file says; how many of its names mean nothing.
pub(super) fn restore(from: &SavedViews) -> (Choice, usize) {
    let (kept, lost) = kept::read::<Kept>(&from.shown);
    let usual = Choice::default();
    let has_ages = BINS.contains(&kept.memory_ages);
    let choice = Choice {
        by: kept.memory_rows.0,
        mode: kept.memory_objects.0,
        belongs_to: match kept.memory_by_creator {
            true => BelongsTo::Creator,
            false => usual.belongs_to,
        },
        bins: if has_ages {
            kept.memory_ages
        } else {
            usual.bins
        },
        tenths: match kept.memory_tenths_of_time {
            true => Tenths::Time,
            false => usual.tenths,
        },
        sort: (kept.memory_sort.0, kept.memory_from_largest),
    };
    (choice, lost + usize::from(!has_ages))
}
