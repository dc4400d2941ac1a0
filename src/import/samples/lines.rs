//! For how long samples found which stacks of lines, and how often calls began on them.

use std::collections::HashMap;

use super::stacks::{StackId, Stacks};
use callscape_facts::hashing::BuildFast;
use callscape_facts::lines::{FileId, Knows, LineStackId, LineStacks, Lines, LinesBuilder};

/// What was found of a stack.
#[derive(Clone, Copy, Default)]
struct Weight {
    ns: u64,
    samples: u64,
    calls: u64,
}

/// By stack with lines, what samples found of it.
#[derive(Default)]
pub struct LineWeights(Vec<Weight>);

impl LineWeights {
    fn of(&mut self, stack: StackId) -> &mut Weight {
        let index = stack.index();
        if self.0.len() <= index {
            self.0.resize(index + 1, Weight::default());
        }
        &mut self.0[index]
    }

    /// The stack was there for so long.
    pub fn add(&mut self, stack: StackId, ns: i64) {
        if let Ok(ns @ 1..) = u64::try_from(ns) {
            let sum = &mut self.of(stack).ns;
            *sum = sum.saturating_add(ns);
        }
    }

    /// A sample found the stack, of which the frames above the outermost `shared` began with it.
    pub fn found(&mut self, stack: StackId, shared: u32, stacks: &Stacks) {
        self.of(stack).samples += 1;
        let mut at = stack;
        loop {
            let (row, lined) = stacks.lined(at);
            if row.depth <= shared {
                return;
            }
            self.of(at).calls += 1;
            at = lined.below;
        }
    }
}

/// How often the lines of a stack's top ran, where that is told apart from the samples: ticks by line.
pub type Ticks = HashMap<StackId, Vec<(u32, u64)>, BuildFast>;

/// The samples of a recording, once all are read.
pub struct Sampled {
    /// How many there were.
    pub samples: u64,
    pub(super) weights: LineWeights,
}

impl Sampled {
    /// What they say of lines, of stacks that were pushed with these; none where no line is known.
    pub fn lines(&self, stacks: &Stacks) -> Option<Lines> {
        if !stacks.knows_lines() {
            return None;
        }
        let knows = Knows {
            sites: true,
            calls: true,
            totals: true,
            samples: true,
        };
        let (mut places, mut line_stacks) = (LinesBuilder::new(1, knows), LineStacks::new(1));
        let mut ids = vec![LineStackId::EMPTY];
        for index in 1..stacks.lined_len() {
            let stack = StackId::numbered(index);
            let (row, lined) = stacks.lined(stack);
            let place = places.place(row.function, FileId::OWN, lined.line);
            let id = line_stacks.push(ids[lined.below.index()], place);
            ids.push(id);
            if let Some(weight) = self.weights.0.get(index) {
                line_stacks.add(id, 0, weight.ns);
                line_stacks.add_samples(id, weight.samples);
                line_stacks.add_calls(id, weight.calls);
            }
        }
        line_stacks.finish(&mut places);
        places.finish()
    }

    /// The same where only the line of the innermost frame is known: that of the stack, or the lines in `ticks`, which share
    /// the time of their stack by their counts.
    pub fn innermost_lines(&self, stacks: &Stacks, ticks: &Ticks) -> Option<Lines> {
        let knows = Knows {
            samples: true,
            ..Knows::default()
        };
        let mut places = LinesBuilder::new(1, knows);
        for index in 1..stacks.lined_len() {
            let stack = StackId::numbered(index);
            let (row, lined) = stacks.lined(stack);
            let weight = self.weights.0.get(index).copied().unwrap_or_default();
            let alone = [(lined.line, weight.samples)];
            let lines = match ticks.get(&stack) {
                Some(lines) if lined.line == 0 => lines.as_slice(),
                _ => &alone[..],
            };
            let all: u128 = lines.iter().map(|&(_, ticks)| u128::from(ticks)).sum();
            let mut before = 0_u128;
            for &(line, ticks) in lines {
                let place = places.place(row.function, FileId::OWN, line);
                places.add_samples(place, ticks);
                let until = |ticks: u128| u128::from(weight.ns) * ticks / all.max(1);
                let behind = before + u128::from(ticks);
                places.add(place, 0, (until(behind) - until(before)) as u64);
                before = behind;
            }
            if all == 0 && weight.ns > 0 {
                // Its last sample lasted, though none found it on top: time passed until the next.
                let place = places.place(row.function, FileId::OWN, 0);
                places.add(place, 0, weight.ns);
            }
        }
        places.finish()
    }
}
