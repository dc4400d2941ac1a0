//! What of two runs is compared: all of them or the parts that range and filters leave, as they were recorded or brought
//! on something else, and by calling context.

use std::sync::Arc;

use super::Runs;
use super::part::{ContextsOf, Part, Whole, amounts_of, mirrored, normal};
use callscape_analysis::comparison::Comparison;
use callscape_analysis::comparison::amounts::{Change, Timed};
use callscape_analysis::comparison::counted::{Counted, differences};
use callscape_analysis::comparison::tables::{Given, Norm, sums};
use callscape_analysis::session::Session;
use callscape_base::units::{ModuleId, TimeRange};
use callscape_facts::hierarchy::Hierarchy;

impl Runs {
    /// What differs by module of a structure.
    pub(super) fn changes_of_modules(
        &self,
        hierarchy: &Hierarchy,
        places: &[ModuleId],
    ) -> Vec<Change> {
        let have_noise = self.parts.is_none() && self.counted_runs().iter().all(|&count| count > 1);
        if !have_noise {
            return sums(hierarchy, places, &self.functions);
        }
        let base = normal(&self.base, self.norm);
        let mut changes = base.modules_over(hierarchy, places, Given::Compared);
        if self.is_swapped {
            changes.iter_mut().for_each(|it| *it = mirrored(*it));
        }
        changes
    }

    /// The same of the parts of both runs that range and filters leave, by where the runs stand in the session; of both
    /// as a whole for none. O(functions + relations + modules).
    pub fn limited(&self, session: &Session, parts: Option<[Arc<Part>; 2]>) -> Runs {
        let whole = self.whole.clone();
        let whole = whole.unwrap_or_else(|| (self.functions.clone(), self.relations.clone()));
        let parts = parts.map(|parts| self.places().map(|place| Arc::clone(&parts[place])));
        let (functions, relations) = match &parts {
            None => whole.clone(),
            Some(parts) => self.counted(parts),
        };
        let runs = Runs {
            functions,
            relations,
            whole: parts.as_ref().map(|_| whole),
            parts,
            ..self.clone()
        };
        let of = &self.difference;
        runs.over(session, of.measure, of.strength)
    }

    /// What parts of A and B have.
    fn counted(&self, parts: &[Arc<Part>; 2]) -> Whole {
        let counted = [0, 1].map(|side| Counted {
            metrics: &parts[side].metrics,
            relations: &parts[side].relations,
            row_of: &self.row_of[side],
        });
        let counted_in = (self.norm, self.base.timed);
        let (functions, relations) = differences(counted, self.functions.len(), counted_in);
        (functions.into(), relations.into())
    }

    /// The same with amounts brought on something else; as recorded they stay where they can be compared so.
    /// O(functions + relations + modules) after the recordings' own summaries.
    pub fn normalised(&self, session: &Session, norm: Norm) -> Runs {
        let base = normal(&self.base, norm);
        let (mut functions, mut relations) = (
            base.functions(Given::Compared),
            base.relations(Given::Compared),
        );
        if self.is_swapped {
            functions.iter_mut().for_each(|it| *it = mirrored(*it));
            for relation in &mut relations {
                relation.change = mirrored(relation.change);
            }
        }
        let whole: Whole = (functions.into(), relations.into());
        let runs = Runs {
            norm: base.norm(),
            amounts: amounts_of(&base),
            ..self.clone()
        };
        let (functions, relations) = match &self.parts {
            Some(parts) => runs.counted(parts),
            None => whole.clone(),
        };
        let runs = Runs {
            functions,
            relations,
            whole: self.parts.as_ref().map(|_| whole),
            ..runs
        };
        let of = &self.difference;
        runs.over(session, of.measure, of.strength)
    }

    /// The same with another time compared. O(functions + relations + modules) after the recordings' own summaries.
    pub fn in_time(&self, session: &Session, timed: Timed) -> Runs {
        let base = Comparison {
            timed,
            ..Comparison::clone(&self.base)
        };
        let runs = Runs {
            base: Arc::new(base),
            ..self.clone()
        };
        runs.normalised(session, self.norm)
    }

    /// Which time is compared.
    pub fn timed(&self) -> Timed {
        self.base.timed
    }

    /// Whether both sides know when their threads wait.
    pub fn knows_waiting(&self) -> bool {
        [0, 1].iter().all(|&side| self.base.knows_waiting(side))
    }

    /// What amounts are brought on.
    pub fn norm(&self) -> Norm {
        self.norm
    }

    /// Whether both sides count calls, and of one kind.
    pub fn counts_calls(&self) -> bool {
        self.base.are_calls_alike()
    }

    /// Whether costs can be compared as shares of their runs alone.
    pub fn needs_shares(&self) -> bool {
        self.base.is_by_shares
    }

    /// Whether parts of both runs are compared.
    pub fn is_limited(&self) -> bool {
        self.whole.is_some()
    }

    /// What the calling contexts of both are counted of: all of both, or the range of the two that are shown.
    pub fn contexts_of(&self, range: Option<TimeRange>) -> ContextsOf {
        let ranges = range.map(|range| {
            let mut ranges = [range, self.range_of_other(range)];
            // A as it was opened is first.
            if self.input() == 1 {
                ranges.reverse();
            }
            ranges
        });
        ContextsOf {
            base: Arc::clone(&self.base),
            norm: self.norm,
            ranges,
        }
    }
}
