//! The range of time that a command counts, and how calls count that reach out of it.

use anyhow::ensure;

use super::output;
use callscape_base::units::{Time, TimeRange, When};
use callscape_facts::recording::Recording;
use callscape_facts::trace::{Enclosing, Within};

#[derive(Debug, clap::Args)]
pub(crate) struct RangeArgs {
    /// Start of the range: 12.5ms, 3s, 250us, 40% of the recording, plain nanoseconds, or a day of a history such as 2019-05-01
    #[arg(long, value_name = "TIME")]
    pub from: Option<When>,
    /// End of the range, which is not part of it
    #[arg(long, value_name = "TIME")]
    pub to: Option<When>,
    /// How calls count that are open at an end of the range
    #[arg(long, value_name = "HOW", value_enum, default_value_t = Reaching::Parts)]
    pub enclosing: Reaching,
}

/// How calls count that are open at an end of the range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Reaching {
    /// With their part in the range
    Parts,
    /// With all their cost: the calls that start and end in the range, and the calls around these
    Whole,
    /// Not at all
    None,
}

impl From<Reaching> for Enclosing {
    fn from(reaching: Reaching) -> Enclosing {
        match reaching {
            Reaching::Parts => Enclosing::Parts,
            Reaching::Whole => Enclosing::Whole,
            Reaching::None => Enclosing::None,
        }
    }
}

impl RangeArgs {
    /// The range in a recording, which has no start and end if neither is given.
    ///
    /// # Errors
    /// If the recording has no times, or the range ends before it starts.
    pub(crate) fn within(&self, recording: &Recording) -> anyhow::Result<Within> {
        if self.from.is_some() || self.to.is_some() {
            output::ensure_times(recording, "no range can be selected")?;
        }
        self.of_weights(recording)
    }

    /// The same if samples may count with a value that has no times.
    ///
    /// # Errors
    /// If the recording has no times, the range ends before it starts, or only calls could be counted as asked.
    pub(crate) fn of_weights(&self, recording: &Recording) -> anyhow::Result<Within> {
        let enclosing = self.enclosing.into();
        if self.from.is_none() && self.to.is_none() {
            return Ok(Within::default());
        }
        ensure_ranges(recording, enclosing)?;
        let resolve = |when: Option<When>, is_start| {
            let time = when.map(|when| recording.when(when, is_start));
            time.transpose().map_err(anyhow::Error::msg)
        };
        let range = TimeRange {
            start: resolve(self.from, true)?.unwrap_or(Time::ZERO),
            end: resolve(self.to, false)?.unwrap_or(Time::MAX),
        };
        ensure!(
            range.start <= range.end,
            "expected --from before --to, found {} and {}",
            range.start,
            range.end
        );
        Ok(Within {
            range: Some(range),
            enclosing,
        })
    }
}

/// Fails for what has no times, and for samples that could not count as asked.
pub(crate) fn ensure_ranges(recording: &Recording, enclosing: Enclosing) -> anyhow::Result<()> {
    match (recording.has_ranges(), enclosing) {
        (false, _) => output::ensure_times(recording, "no range can be selected"),
        (true, Enclosing::Parts) => Ok(()),
        (true, _) => output::ensure_times(recording, "--enclosing can only be parts"),
    }
}
