//! What the user can choose of the view, as a session file keeps it.

use crate::parts::kept::{choices, named};
use crate::parts::list::turned;
use callscape_model::memory::BelongsTo;

choices! {
    /// What the rows of the table are.
    #[derive(Default)]
    pub(super) enum By {
        /// The modules that the landscape displays.
        #[default]
        Module = "module";
        /// The innermost function of the stack that created an object.
        Function = "function";
        /// The whole of that stack.
        Context = "context";
        Type = "type";
    }
}

choices! {
    /// Which objects the table counts.
    #[derive(Default)]
    pub(super) enum Mode {
        /// All up to the time shown.
        #[default]
        Live = "Live here", "Objects live at the displayed time";
        /// What was created in the range and lives at its end.
        Range = "Left of the range", "Objects allocated in the selected range and still live at its end; Shift + drag on the chart selects a range";
        /// What the next event of memory released.
        Temporary = "Temporary", "Objects released by the memory event right after their allocation, up to the displayed time";
        /// What lives at the peak of this run, and at that of the other.
        Peaks = "Two peaks", "Objects live at the peak of the displayed run, and the difference from the other run";
    }
}

impl Mode {
    /// What the table is sorted by at first.
    pub(super) fn first_column(self) -> Column {
        match self {
            Mode::Live | Mode::Range => Column::LiveBytes,
            Mode::Temporary => Column::Temporary,
            Mode::Peaks => Column::Delta,
        }
    }

    /// The columns of numbers.
    pub(super) fn columns(self) -> &'static [Column] {
        match self {
            Mode::Peaks => &[Column::LiveBytes, Column::Other, Column::Delta],
            Mode::Range => &[
                Column::LiveBytes,
                Column::Live,
                Column::Allocated,
                Column::Allocations,
                Column::Releases,
                Column::Stay,
            ],
            Mode::Live | Mode::Temporary => &[
                Column::LiveBytes,
                Column::Live,
                Column::Allocated,
                Column::Allocations,
                Column::Releases,
                Column::Temporary,
            ],
        }
    }
}

choices! {
    /// A column of the table.
    pub(super) enum Column {
        Name = "name";
        LiveBytes = "live bytes";
        Live = "live";
        Allocated = "allocated";
        Allocations = "allocations";
        Releases = "released";
        Temporary = "temporary";
        /// Of the objects that outlive the range, those that are never released.
        Stay = "never freed";
        /// Live bytes at the peak of the other run, and how many more there are in the one shown.
        Other = "other run";
        Delta = "Δ";
    }
}

impl Column {
    pub(super) fn is_bytes(self) -> bool {
        matches!(
            self,
            Column::LiveBytes | Column::Allocated | Column::Other | Column::Delta
        )
    }

    pub(super) fn about(self, mode: Mode) -> &'static str {
        let is_range = mode == Mode::Range;
        match self {
            Column::Name => "",
            Column::LiveBytes if is_range => {
                "Bytes of the objects created in the range that live at its end"
            }
            Column::LiveBytes if mode == Mode::Peaks => {
                "Bytes of the objects that live at the peak of this run"
            }
            Column::LiveBytes => "Bytes of the objects live at the displayed time",
            Column::Live if is_range => "Objects created in the range that live at its end",
            Column::Live => "Objects live at the displayed time",
            Column::Allocated if is_range => "Bytes allocated in the range",
            Column::Allocated => "Bytes allocated to date",
            Column::Allocations if is_range => "Objects created in the range",
            Column::Allocations => "Objects created to date",
            Column::Releases if is_range => "Of these, the objects also released in it",
            Column::Releases => "Objects released to date",
            Column::Temporary => {
                "Objects released by the memory event right after their creation, to date"
            }
            Column::Other => "Bytes of the same at the peak of the other run",
            Column::Delta => "How many more bytes the run shown has at its peak; by its size",
            Column::Stay => "Of the objects live at the end of the range, those never released",
        }
    }
}

choices! {
    /// By what the run is cut into ten intervals.
    #[derive(Default)]
    pub(super) enum Tenths {
        /// Equally many events of memory each.
        #[default]
        Events = "equally many events";
        /// Equally long.
        Time = "equal time";
    }
}

/// In how many bins ages can be counted.
pub(super) const BINS: [usize; 4] = [5, 10, 15, 20];

fn belongs_to(of: BelongsTo) -> &'static str {
    match of {
        BelongsTo::Class => "its class, or its creator",
        BelongsTo::Creator => "its creator",
    }
}

named! { BelongsTo: BelongsTo::ALL, belongs_to; usize: BINS, |it: usize| it.to_string(); }

/// Everything that can be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    pub by: By,
    pub mode: Mode,
    pub belongs_to: BelongsTo,
    /// Everything of this age in cels and older is in the last bin.
    pub bins: usize,
    pub tenths: Tenths,
    /// The column sorted by, and whether from the largest.
    pub sort: (Column, bool),
}

impl Default for Choice {
    fn default() -> Choice {
        Choice {
            by: By::default(),
            mode: Mode::default(),
            belongs_to: BelongsTo::default(),
            bins: 10,
            tenths: Tenths::default(),
            sort: (Column::LiveBytes, true),
        }
    }
}

impl Choice {
    pub(super) fn set_mode(&mut self, mode: Mode) {
        if self.mode != mode {
            self.mode = mode;
            self.sort = (mode.first_column(), true);
        }
    }

    /// Sorts by a column; by the one that it is sorted by already the other way round.
    pub(super) fn sort_by(&mut self, column: Column) {
        self.sort = turned(self.sort, column, column != Column::Name);
    }
}
