//! What a table of differences shows, and in which order.

/// What the rows are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Of {
    #[default]
    Functions,
    Modules,
    Relations,
    /// Functions by the calls around them; counted on another thread.
    Contexts,
    /// Why the whole of B is more or less, in sentences; found on another thread.
    Causes,
    /// Which function of one side is which of the other: a list of its own.
    Pairs,
}

impl Of {
    pub const ALL: [Of; 6] = [
        Of::Functions,
        Of::Modules,
        Of::Relations,
        Of::Contexts,
        Of::Causes,
        Of::Pairs,
    ];

    pub fn title(self) -> &'static str {
        match self {
            Of::Functions => "functions",
            Of::Modules => "modules",
            Of::Relations => "call relations",
            Of::Contexts => "calling contexts",
            Of::Causes => "causes",
            Of::Pairs => "pairs",
        }
    }
}

/// What the rows are sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum By {
    #[default]
    Delta,
    Ratio,
    A,
    B,
    Name,
}

impl By {
    pub const ALL: [By; 5] = [By::Delta, By::Ratio, By::A, By::B, By::Name];

    pub fn title(self) -> &'static str {
        match self {
            By::Delta => "Δ",
            By::Ratio => "ratio",
            By::A => "A",
            By::B => "B",
            By::Name => "Name",
        }
    }

    pub fn about(self) -> &'static str {
        match self {
            By::Delta => "Difference of B from A; sorted by magnitude",
            By::Ratio => "Ratio of B to A",
            By::A => "Value in A, the mean of its runs",
            By::B => "Value in B, the mean of its runs",
            By::Name => "",
        }
    }
}

/// How the table is made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    pub of: Of,
    pub by: By,
    /// From the smallest on, or the last name.
    pub is_reversed: bool,
    pub query: String,
}
