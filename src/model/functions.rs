//! What a table of functions is sorted by.

/// A column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Column {
    Name,
    Calls,
    Total,
    SelfCost,
    Average,
    Min,
    Max,
}

impl Column {
    pub const ALL: [Column; 7] = [
        Column::Name,
        Column::Calls,
        Column::Total,
        Column::SelfCost,
        Column::Average,
        Column::Min,
        Column::Max,
    ];

    pub fn title(self) -> &'static str {
        match self {
            Column::Name => "Function",
            Column::Calls => "Calls",
            Column::Total => "Total",
            Column::SelfCost => "Self",
            Column::Average => "Average",
            Column::Min => "Min",
            Column::Max => "Max",
        }
    }

    pub fn about(self) -> &'static str {
        match self {
            Column::Name => "Name",
            Column::Calls => "How often it was called",
            Column::Total => "The time during which it was open, recursion counted once",
            Column::SelfCost => "The time spent in its own code",
            Column::Average => "The mean cost of a call",
            Column::Min => "The cost of its cheapest call",
            Column::Max => "The cost of its dearest call",
        }
    }
}
