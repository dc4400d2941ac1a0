//! What the colour of the blocks says.

use super::metric::Metric;

/// What the colour of the blocks says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Surface {
    /// Level of the hierarchy by lightness alone.
    #[default]
    Neutral,
    /// The hue of its district, as in the views along time.
    District,
    Language,
    /// What a file is for: product, tests and so on.
    Purpose,
    /// Who changed most of it, for those who changed most of all.
    Person,
    Metric(Metric),
    /// What differs between two runs; neutral where nothing is compared.
    Difference,
}

impl Surface {
    pub fn all() -> impl Iterator<Item = Surface> {
        let plain = [
            Surface::Neutral,
            Surface::District,
            Surface::Language,
            Surface::Purpose,
            Surface::Person,
        ];
        plain
            .into_iter()
            .chain(Metric::ALL.into_iter().map(Surface::Metric))
    }

    /// What colours say where nobody has chosen: of two runs how they differ; of a source tree alone where it is complex.
    pub fn usual(are_two_runs: bool, is_recorded: bool) -> Surface {
        match (are_two_runs, is_recorded) {
            (true, _) => Surface::Difference,
            (false, true) => Surface::Neutral,
            (false, false) => Surface::Metric(Metric::Complexity),
        }
    }

    /// What is shown in its place once something else is open, of which `usual` is usual: what is usual gives way to it.
    pub fn once_open(self, usual: Surface) -> Surface {
        let was_usual = [(true, false), (false, true), (false, false)]
            .map(|(two, recorded)| Surface::usual(two, recorded))
            .contains(&self);
        match was_usual || usual == Surface::Difference {
            true => usual,
            false => self,
        }
    }

    /// The metric that it shows.
    pub fn metric(self) -> Option<Metric> {
        match self {
            Surface::Metric(metric) => Some(metric),
            _ => None,
        }
    }

    /// As the command line and session files name it.
    pub fn name(self) -> &'static str {
        match self {
            Surface::Neutral => "kind",
            Surface::District => "district",
            Surface::Language => "language",
            Surface::Purpose => "purpose",
            Surface::Person => "person",
            Surface::Metric(metric) => metric.name(),
            Surface::Difference => "difference",
        }
    }
}

/// How a metric's values are spread over the colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Twice the value, twice as far from zero.
    Linear,
    /// Twice the value, one step further, from the smallest that is shown.
    #[default]
    Log,
    /// As far as the share of the blocks that have less.
    Quantile,
}

impl Scale {
    pub const ALL: [Scale; 3] = [Scale::Linear, Scale::Log, Scale::Quantile];

    /// As the command line and the settings name it.
    pub fn name(self) -> &'static str {
        match self {
            Scale::Linear => "linear",
            Scale::Log => "log",
            Scale::Quantile => "quantile",
        }
    }
}
