//! Which arcs have a count beside them, and what it says.

use super::City;
use super::relations::Count;
use callscape_base::units::{Cost, ModuleId, grouped, push_grouped};
use callscape_filter::selection::{Pointed, Selection};
use callscape_layout::block_relation::BlockRelation;
use callscape_layout::labels::screen::Subject;
use callscape_model::arcs::ArcMeasure;

/// Counts at arcs shown at once: of the cel, and of the module chosen. More hide what they stand at.
const MOST_COUNTS_OF_CEL: usize = 7;
const MOST_COUNTS_OF_CHOSEN: usize = 9;

/// The blocks at the two ends of a relation.
type Ends = (u32, u32);

/// Decides which relations have a count, asked from the most important one down.
struct CountChoice {
    /// Counts of the cel are chosen anew: otherwise those that are held stay.
    is_due: bool,
    held: Vec<Subject>,
    held_ends: [Option<Ends>; MOST_COUNTS_OF_CEL],
    /// Of the relations pointed at and chosen.
    meant: [Option<Ends>; 2],
    chosen_block: Option<u32>,
    of_cel: usize,
    of_chosen: usize,
    /// How many counts of the cel are still to be found.
    to_find: usize,
}

impl CountChoice {
    /// Whether a relation has a count: `is_there` says that its arc has not stepped back, `stands_out` that it has a
    /// part in what is shown now.
    fn takes(
        &mut self,
        relation: &BlockRelation,
        is_there: bool,
        stands_out: bool,
        subject: impl FnOnce() -> Subject,
    ) -> bool {
        let ends = Some((relation.from, relation.to));
        if self.meant.contains(&ends) {
            return true;
        }
        if !is_there {
            return false;
        }
        let is_of_chosen = |block: u32| [relation.from, relation.to].contains(&block);
        if self.chosen_block.is_some_and(is_of_chosen) {
            self.of_chosen += 1;
            return self.of_chosen <= MOST_COUNTS_OF_CHOSEN;
        }
        if self.is_due && !stands_out {
            // Those of the cel come first.
            self.to_find = 0;
        }
        if self.is_due && stands_out {
            self.of_cel += 1;
            if let Some(place) = self.held_ends.get_mut(self.of_cel - 1) {
                *place = ends;
                self.held.push(subject());
            }
        }
        let is_held = self.held_ends.contains(&ends);
        self.to_find = self.to_find.saturating_sub(usize::from(is_held));
        is_held
    }
}

impl City {
    /// An amount of what the width of arcs says, with its unit where it has one.
    pub fn arc_amount(&self, amount: u64) -> String {
        match (&self.weighs, self.settings.arc_measure) {
            (Some(unit), _) => unit.show(Cost::from_ns(amount)),
            (None, ArcMeasure::Calls) => grouped(amount),
            (None, ArcMeasure::Cost) => Cost::from_ns(amount).to_string(),
        }
    }

    /// How many arcs are drawn.
    pub fn arcs_drawn(&self) -> usize {
        self.relations.counts().count()
    }

    /// The amount, of what the width of arcs says, that is drawn widest; zero where none are.
    pub fn most_of_arcs(&self) -> u64 {
        self.relations.most(self.settings.arc_measure)
    }

    /// The counts that stand at arcs: of the relation that is pointed at or chosen, of the relations of the
    /// module chosen, and of the most frequent ones of the cel, `123 +5` where the cel added 5 to make 123
    /// (AVID section 2.1). `is_due` says that those of the cel are chosen anew.
    ///
    /// They are worked out again only when the arcs or what is meant have changed: not because the camera moves.
    pub(super) fn find_counts(&mut self, selection: &Selection, is_due: bool) {
        let meant = [selection.pointed, selection.chosen];
        if self.counts.of.replace(meant) == Some(meant) {
            return;
        }
        let mut counts = std::mem::take(&mut self.counts);
        counts.clear();
        let held = std::mem::take(&mut self.held.counts);
        let mut choice = self.count_choice(held, meant, is_due);
        // Where nothing is meant the most important relations alone have counts: what comes after them is not looked at.
        let is_any_meant = meant != [Pointed::default(); 2];
        let is_summary = self.is_summary();
        let module = |block: u32| self.blocks[block as usize].module;
        for count in self.relations.counts() {
            if choice.to_find == 0 && !is_any_meant {
                break;
            }
            let relation = &count.relation;
            let subject = || Subject::Relation(module(relation.from), module(relation.to));
            // A count at an arc that has stepped back would stand in the air.
            let arc = self.relations.arcs().arcs.get(count.arc);
            let is_there = arc.is_some_and(|arc| !self.focus.steps_back(arc));
            let stands_out = relation.step_calls > 0 || !count.sign.is_empty() || is_summary;
            if choice.takes(relation, is_there, stands_out, subject) {
                let shown = counts.add(subject());
                self.write_count(&count, &mut shown.text);
                let ends = [relation.from, relation.to];
                let rises = ends.map(|end| self.looks.get(end as usize).map_or(0.0, |it| it.rise));
                shown.at = self.relations.middle(count.arc, rises);
            }
        }
        (self.counts, self.held.counts) = (counts, choice.held);
    }

    fn count_choice(
        &self,
        mut held: Vec<Subject>,
        meant: [Pointed; 2],
        is_due: bool,
    ) -> CountChoice {
        if is_due {
            held.clear();
        }
        // Thousands of relations are gone through in every frame that plays: they are told apart by their blocks, which
        // they hold themselves.
        let ends = |(from, to): (ModuleId, ModuleId)| {
            let block = |module: ModuleId| {
                let block = self.block_of.get(module.index()).copied()?;
                let shown = self.blocks.get(block as usize)?.module;
                (shown == module).then_some(block)
            };
            Some((block(from)?, block(to)?))
        };
        let mut held_ends = [None; MOST_COUNTS_OF_CEL];
        for (ends_of, of) in held_ends.iter_mut().zip(&held) {
            if let &Subject::Relation(from, to) = of {
                *ends_of = ends((from, to));
            }
        }
        let chosen = meant[1].module;
        CountChoice {
            is_due,
            to_find: match is_due {
                true => MOST_COUNTS_OF_CEL,
                false => held.len(),
            },
            held,
            held_ends,
            meant: meant.map(|of| of.relation.and_then(ends)),
            chosen_block: chosen.and_then(|it| self.block_of.get(it.index()).copied()),
            of_cel: 0,
            of_chosen: 0,
        }
    }

    /// Appends what the count of a relation says.
    fn write_count(&self, count: &Count, text: &mut String) {
        let Count { relation, sign, .. } = count;
        text.push_str(sign);
        // Imports and inferred calls have no time.
        let has_times = self.shown.is_some();
        let by_cost = self.settings.arc_measure == ArcMeasure::Cost && sign.is_empty() && has_times;
        match (*sign, &self.weighs, self.metrics.difference()) {
            ("", None, _) if !by_cost => push_grouped(text, relation.calls),
            ("", ..) => {
                text.push_str(&self.arc_amount(relation.amount(self.settings.arc_measure)));
            }
            (_, _, Some(difference)) => {
                text.push_str(&difference.relation_text(relation.calls));
            }
            (_, Some(unit), None) => {
                text.push_str(&unit.show(Cost::from_ns(relation.calls)));
            }
            (_, None, None) => push_grouped(text, relation.calls),
        }
        if !by_cost && relation.step_calls > 0 && relation.step_calls < relation.calls {
            text.push_str(" +");
            push_grouped(text, relation.step_calls);
        }
    }
}
