//! How modules share the ground.

/// How the children of one module share its footprint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tiling {
    /// As square as can be; the heaviest first.
    #[default]
    Squarified,
    /// In order, as text is read.
    Ordered,
    /// In order, and where it was before when the weights change.
    Stable,
    SliceAndDice,
}

impl Tiling {
    pub const ALL: [Tiling; 4] = [
        Tiling::Squarified,
        Tiling::Ordered,
        Tiling::Stable,
        Tiling::SliceAndDice,
    ];

    /// As the command line and the settings name it.
    pub fn name(self) -> &'static str {
        match self {
            Tiling::Squarified => "squarified",
            Tiling::Ordered => "ordered",
            Tiling::Stable => "stable",
            Tiling::SliceAndDice => "slice",
        }
    }
}
