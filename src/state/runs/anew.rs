//! Two runs opened anew, and shown as they were.

use super::Runs;
use callscape_analysis::alignment::Link;
use callscape_analysis::comparison::Settings;
use callscape_analysis::comparison::pairing::Correction;
use callscape_analysis::comparison::tables::Norm;
use callscape_analysis::session::{Inputs, OpenError, Session};
use callscape_base::progress::Progress;
use callscape_filter::correspond;

impl Runs {
    /// Opens the inputs anew, compared by the value of this name. One that neither has is an error.
    pub(crate) fn by_value(
        &self,
        inputs: &Inputs,
        value: &str,
        progress: &Progress,
    ) -> Result<Option<(Session, Runs)>, OpenError> {
        let wanted = Runs {
            value: Some(value.to_owned()),
            ..self.clone()
        };
        wanted.again(inputs, self.pairs.corrections.clone(), progress)
    }

    /// Opens the inputs anew, of which something may have changed: as they are shown now, and only where their
    /// structure differs from that of `now`.
    pub(crate) fn reopen(
        &self,
        inputs: &Inputs,
        now: &Session,
        progress: &Progress,
    ) -> Result<Option<(Session, Runs)>, OpenError> {
        let again = self.again(inputs, self.pairs.corrections.clone(), progress)?;
        Ok(again.filter(|(session, _)| !correspond::are_equal(&session.hierarchy, &now.hierarchy)))
    }

    /// Opens the inputs anew with functions paired as the user says, as they are shown now.
    pub fn again(
        &self,
        inputs: &Inputs,
        corrections: Vec<Correction>,
        progress: &Progress,
    ) -> Result<Option<(Session, Runs)>, OpenError> {
        let settings = Settings {
            corrections,
            value: self.value.clone(),
            ..Settings::default()
        };
        let opened = Runs::paired(inputs, settings, progress)?;
        let Some((session, mut runs)) = opened else {
            return Ok(None);
        };
        if self.is_swapped {
            runs = runs.swapped();
        }
        if runs.shown != self.shown {
            runs = runs.flipped();
        }
        // Rows have other numbers now.
        let norm = match self.norm {
            Norm::PerCallOf(_) => Norm::Recorded,
            other => other,
        };
        let link = match self.link {
            Link::CallsOf(_) => Link::Calls,
            other => other,
        };
        let mut runs = runs.linked(&session, link);
        if runs.timed() != self.timed() && runs.knows_waiting() {
            runs = runs.in_time(&session, self.timed());
        }
        if runs.norm != norm {
            runs = runs.normalised(&session, norm);
        }
        let of = &self.difference;
        let runs = runs.over(&session, of.measure, of.strength);
        Ok(Some((session, runs)))
    }
}
