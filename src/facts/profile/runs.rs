//! Several runs as another tool has summed them up: of each function the mean of the runs, and how far they spread.

/// Mean and deviation over runs. Neither is negative nor anything but finite.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    pub mean: f64,
    /// The standard deviation of a run, as of a sample of all runs: squares are divided by one less than the runs.
    pub deviation: f64,
    /// The same of logarithms; none where they are not told.
    pub logs: Option<Logs>,
}

/// What is told of natural logarithms of costs, of the runs in which there is any; with half a sample more where samples were
/// taken.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Logs {
    pub mean: f64,
    pub deviation: f64,
    /// The least where the function ran, no logarithm.
    pub least: f64,
}

/// What is told of one function; of what is not known, none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OfFunction {
    /// In how many of the runs it ran.
    pub there: u64,
    /// In the unit of the value.
    pub self_cost: Option<Spread>,
    pub total: Option<Spread>,
    pub calls: Option<Spread>,
}

/// What is told of runs of which the first value of a profile is the mean.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeanRuns {
    /// At least one.
    pub runs: u64,
    /// By function; none of one of which nothing can be said.
    pub functions: Vec<Option<OfFunction>>,
    /// Whether a function that is missing has run in none of them.
    pub is_whole: bool,
}
