//! The weights of all samples, by stack.

use super::stacks::{StackId, Stacks};
use callscape_base::units::{Cost, ThreadId};
use callscape_facts::contexts::ContextColumns;
use callscape_facts::profile::Value;
use callscape_facts::weighed::Weighed;

/// What was found of a stack with lines.
#[derive(Clone, Copy, Default)]
pub(super) struct Weight {
    ns: u64,
    pub samples: u64,
    pub calls: u64,
}

/// What a value is made of.
#[derive(Clone, Copy)]
pub(super) enum Amounts {
    /// What samples along time stand for.
    Time,
    Samples,
    /// What the event with this number counts, beside the time or with it.
    Event(usize),
    TimeAndEvent(usize),
}

/// By stack with lines, what samples found of it.
#[derive(Default)]
pub(super) struct StackWeights {
    of: Vec<Weight>,
    /// By event, by stack: amounts of events that are not the time shown.
    others: Vec<Vec<i64>>,
    /// By track, nanoseconds that samples cover.
    covered: Vec<u64>,
}

/// The number with this index, which is there afterwards.
fn at<T: Clone + Default>(column: &mut Vec<T>, index: usize) -> &mut T {
    if column.len() <= index {
        column.resize(index + 1, T::default());
    }
    &mut column[index]
}

fn add(sum: &mut u64, ns: i64) {
    *sum = sum.saturating_add(u64::try_from(ns).unwrap_or(0));
}

impl StackWeights {
    /// The stack was there for so long.
    pub(super) fn add(&mut self, stack: StackId, ns: i64) {
        add(&mut at(&mut self.of, stack.index()).ns, ns);
    }

    /// A sample of another event, or what the sample counts beside its time.
    pub(super) fn add_other(&mut self, event: usize, stack: StackId, amount: i64) {
        let sum = at(at(&mut self.others, event), stack.index());
        *sum = sum.saturating_add(amount);
    }

    /// A sample that shows no calls along time.
    pub(super) fn add_sample(&mut self, stack: StackId) {
        at(&mut self.of, stack.index()).samples += 1;
    }

    /// Samples of a track cover so much more time.
    pub(super) fn cover(&mut self, track: usize, ns: i64) {
        add(at(&mut self.covered, track), ns);
    }

    /// A sample found the stack, of which the frames above the outermost `shared` began with it.
    pub(super) fn found(&mut self, stack: StackId, shared: u32, stacks: &Stacks) {
        self.add_sample(stack);
        let mut below = stack;
        loop {
            let (row, lined) = stacks.lined(below);
            if row.depth <= shared {
                return;
            }
            at(&mut self.of, below.index()).calls += 1;
            below = lined.below;
        }
    }
}

/// The samples of a recording, once all are read.
pub(crate) struct Sampled {
    /// How many there were.
    pub samples: u64,
    interval: Option<i64>,
    /// By thread, nanoseconds that samples cover.
    covered: Vec<Cost>,
    /// What they weigh.
    values: Vec<(Value, Amounts)>,
    weights: StackWeights,
}

impl Sampled {
    pub(super) fn new(
        samples: u64,
        interval: Option<i64>,
        threads: &[ThreadId],
        values: Vec<(Value, Amounts)>,
        weights: StackWeights,
    ) -> Sampled {
        let mut covered = Vec::new();
        for (thread, &ns) in threads.iter().zip(&weights.covered) {
            *at(&mut covered, thread.index()) += Cost::from_ns(ns);
        }
        Sampled {
            samples,
            interval,
            covered,
            values,
            weights,
        }
    }

    /// How many values they weigh.
    pub(super) fn values(&self) -> usize {
        self.values.len()
    }

    /// What samples found of a stack with lines.
    pub(super) fn of(&self, stack: StackId) -> Weight {
        self.weights
            .of
            .get(stack.index())
            .copied()
            .unwrap_or_default()
    }

    /// What a stack with lines weighs itself.
    pub(super) fn weight(&self, value: usize, stack: StackId) -> i64 {
        let of_event = |event: usize| {
            let column = self.weights.others.get(event);
            let of = column.and_then(|it| it.get(stack.index()));
            of.copied().unwrap_or(0)
        };
        let of = self.of(stack);
        let ns = Cost::from_ns(of.ns).weight();
        match self.values[value].1 {
            Amounts::Time => ns,
            Amounts::Samples => Cost::from_ns(of.samples).weight(),
            Amounts::Event(event) => of_event(event),
            Amounts::TimeAndEvent(event) => ns.saturating_add(of_event(event)),
        }
    }

    /// The weights by calling context, of a recording with `functions` functions; `None` if there are no contexts.
    pub(crate) fn weighed(&self, stacks: &Stacks, functions: usize) -> Option<Weighed> {
        let count = stacks.all().len() + 1;
        let mut calls = vec![0_u64; count];
        let mut weights = vec![vec![0_i64; count]; self.values()];
        for index in 1..stacks.lined_len() {
            let stack = StackId::numbered(index);
            let plain = stacks.plain(stack).index();
            calls[plain] += self.of(stack).calls;
            for (value, column) in weights.iter_mut().enumerate() {
                column[plain] = column[plain].saturating_add(self.weight(value, stack));
            }
        }
        let rows: Vec<_> = stacks.all().collect();
        // Tables of files have stacks that no sample found.
        let mut is_found = vec![false; count];
        for (index, (below, _)) in rows.iter().enumerate().rev() {
            let index = index + 1;
            is_found[index] |= calls[index] > 0 || weights.iter().any(|it| it[index] != 0);
            is_found[below.index()] |= is_found[index];
        }
        let mut places = vec![ContextColumns::OUTERMOST; count];
        let mut found = 0_u32..;
        let mut columns = ContextColumns {
            weights: vec![Vec::new(); self.values()],
            ..ContextColumns::default()
        };
        for (index, (below, function)) in (1..).zip(rows) {
            if !is_found[index] {
                continue;
            }
            places[index] = found.next()?;
            columns.functions.push(function);
            columns.parents.push(places[below.index()]);
            columns.calls.push(calls[index]);
            for (column, weights) in columns.weights.iter_mut().zip(&weights) {
                column.push(weights[index]);
            }
        }
        let (contexts, _) = columns.finish().ok().filter(|(it, _)| !it.is_empty())?;
        let values = self.values.iter().map(|(value, _)| value.clone()).collect();
        let interval = self.interval.and_then(|ns| u64::try_from(ns).ok());
        let interval = interval.filter(|&ns| ns > 0).map(Cost::from_ns);
        let sampled = self.covered.clone();
        Some(Weighed::new(values, contexts, functions, sampled, interval))
    }
}
