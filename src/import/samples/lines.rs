//! For how long samples found which source lines, and how often calls began on them.

use std::collections::HashMap;

use super::stacks::{StackId, Stacks};
use super::sums::Sampled;
use callscape_facts::hashing::BuildFast;
use callscape_facts::lines::{FileId, Knows, LineStackId, LineStacks, Lines, LinesBuilder};

/// How often the lines of a stack's top ran, where that is told apart from the samples: ticks by line.
pub(crate) type Ticks = HashMap<StackId, Vec<(u32, u64)>, BuildFast>;

impl Sampled {
    /// What they say of lines, of stacks that were pushed with these; none where no line is known.
    pub(crate) fn lines(&self, stacks: &Stacks) -> Option<Lines> {
        if !stacks.knows_lines() {
            return None;
        }
        let knows = Knows {
            sites: true,
            calls: true,
            totals: true,
            samples: true,
        };
        let values = self.values();
        let mut places = LinesBuilder::new(values, knows);
        let mut line_stacks = LineStacks::new(values);
        let mut ids = vec![LineStackId::EMPTY];
        for index in 1..stacks.lined_len() {
            let stack = StackId::numbered(index);
            let (row, lined) = stacks.lined(stack);
            let place = places.place(row.function, FileId::OWN, lined.line);
            let id = line_stacks.push(ids[lined.below.index()], place);
            ids.push(id);
            let of = self.of(stack);
            for value in 0..values {
                line_stacks.add(id, value, self.weight(value, stack));
            }
            line_stacks.add_samples(id, of.samples);
            line_stacks.add_calls(id, of.calls);
        }
        line_stacks.finish(&mut places);
        places.finish()
    }

    /// The same where only the line of the innermost frame is known: that of the stack, or the lines in `ticks`, which share
    /// the time of their stack by their counts.
    pub(crate) fn innermost_lines(&self, stacks: &Stacks, ticks: &Ticks) -> Option<Lines> {
        let knows = Knows {
            samples: true,
            ..Knows::default()
        };
        let values = self.values();
        let mut places = LinesBuilder::new(values, knows);
        for index in 1..stacks.lined_len() {
            let stack = StackId::numbered(index);
            let (row, lined) = stacks.lined(stack);
            let weight = self.of(stack);
            let alone = [(lined.line, weight.samples)];
            let lines = match ticks.get(&stack) {
                Some(lines) if lined.line == 0 => lines.as_slice(),
                _ => &alone[..],
            };
            let all: i128 = lines.iter().map(|&(_, ticks)| i128::from(ticks)).sum();
            let mut before = 0_i128;
            for &(line, ticks) in lines {
                let place = places.place(row.function, FileId::OWN, line);
                places.add_samples(place, ticks);
                let behind = before + i128::from(ticks);
                for value in 0..values {
                    let whole = i128::from(self.weight(value, stack));
                    let until = |ticks: i128| whole * ticks / all.max(1);
                    places.add(place, value, until(behind) - until(before));
                }
                before = behind;
            }
            if all == 0 && (0..values).any(|value| self.weight(value, stack) != 0) {
                // Its last sample lasted, though none found it on top: time passed until the next.
                let place = places.place(row.function, FileId::OWN, 0);
                for value in 0..values {
                    places.add(place, value, self.weight(value, stack));
                }
            }
        }
        places.finish()
    }
}
