//! Which call relations are shown as arcs, and what their width says.

/// Which call relations lie over the landscape as arcs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ArcMode {
    /// All up to now, those of the last step standing out.
    #[default]
    All,
    /// Those of the module chosen.
    Selection,
    /// Those of the last step.
    Step,
    /// All of the recording, those of the last step standing out (AVID, section 5.3).
    Whole,
    /// What differs between two runs: added, gone, more and less; all where nothing is compared.
    Difference,
    /// Files that change together by the history of the tree, over the selected range; all calls where none is known.
    Together,
    None,
}

impl ArcMode {
    pub const ALL: [ArcMode; 7] = [
        ArcMode::All,
        ArcMode::Selection,
        ArcMode::Step,
        ArcMode::Whole,
        ArcMode::Difference,
        ArcMode::Together,
        ArcMode::None,
    ];

    /// As the command line and session files call it.
    pub fn name(self) -> &'static str {
        match self {
            ArcMode::All => "all",
            ArcMode::Selection => "selection",
            ArcMode::Step => "step",
            ArcMode::Whole => "whole",
            ArcMode::Difference => "difference",
            ArcMode::Together => "together",
            ArcMode::None => "none",
        }
    }
}

/// As Holten recommends.
pub const BUNDLING: f32 = 0.85;

/// How many arcs are drawn unless asked for otherwise, and at most.
pub const MOST_ARCS: usize = 10_000;

pub const ARCS_AT_MOST: usize = 200_000;

/// What the width of an arc says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ArcMeasure {
    #[default]
    Calls,
    Cost,
}

impl ArcMeasure {
    pub const ALL: [ArcMeasure; 2] = [ArcMeasure::Calls, ArcMeasure::Cost];

    /// As the command line and session files call it.
    pub fn name(self) -> &'static str {
        match self {
            ArcMeasure::Calls => "calls",
            ArcMeasure::Cost => "cost",
        }
    }
}
