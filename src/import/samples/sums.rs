//! The weights of all samples, by stack.

use super::stacks::{StackId, Stacks};
use callscape_base::units::{Cost, ThreadId};
use callscape_facts::contexts::ContextColumns;
use callscape_facts::functions::Functions;
use callscape_facts::profile::Value;
use callscape_facts::trace::Trace;
use callscape_facts::weighed::{self, TakenSample, Weighed};

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

/// The track of what belongs to no thread with samples.
pub(super) const NO_TRACK: usize = usize::MAX;

/// What a sample weighs.
#[derive(Clone, Copy)]
pub(super) struct Taken {
    track: usize,
    stack: StackId,
    /// From one time to another.
    covers: (i64, i64),
    /// [`TakenSample`]'s.
    flags: u16,
    /// `None` for the time shown.
    event: Option<usize>,
    weight: i64,
}

impl Taken {
    pub(super) fn of(track: usize, stack: StackId, covers: (i64, i64)) -> Taken {
        Taken {
            track,
            stack,
            covers,
            flags: 0,
            event: None,
            weight: 0,
        }
    }

    /// It was taken at the end of the time that it covers.
    pub(super) fn at_end(mut self) -> Taken {
        self.flags |= TakenSample::ENDS;
        self
    }

    /// It is a sample, not a part of one.
    pub(super) fn counted(mut self) -> Taken {
        self.flags |= TakenSample::COUNTS;
        self
    }

    /// The end of the time that it covers, without the rest.
    pub(super) fn instant(mut self) -> Taken {
        self.covers.0 = self.covers.1;
        self
    }
}

/// By stack with lines, what samples found of it.
#[derive(Default)]
pub(super) struct StackWeights {
    /// One by one, as they came.
    taken: Vec<Taken>,
    /// The samples share the time that all of them cover.
    is_shared: bool,
    /// Some say by which amounts.
    has_shares: bool,
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
    /// A sample found the stack, and stands for so long.
    pub(super) fn add(&mut self, taken: Taken, ns: i64) {
        add(&mut at(&mut self.of, taken.stack.index()).ns, ns);
        let weight = ns.max(0);
        self.taken.push(Taken {
            weight,
            ..taken.counted()
        });
    }

    /// A sample found the stack, and stands for its part of the time that all cover.
    pub(super) fn add_share(&mut self, taken: Taken, amount: Option<u64>) {
        self.is_shared = true;
        self.has_shares |= amount.is_some();
        let weight = Cost::from_ns(amount.unwrap_or(0)).weight();
        self.taken.push(Taken {
            weight,
            ..taken.counted()
        });
    }

    /// A sample of another event, or what the sample counts beside its time.
    pub(super) fn add_other(&mut self, taken: Taken, event: usize, amount: i64) {
        let sum = at(at(&mut self.others, event), taken.stack.index());
        *sum = sum.saturating_add(amount);
        self.taken.push(Taken {
            event: Some(event),
            weight: amount,
            ..taken
        });
    }

    /// Gives each sample its part of the time that all cover. The parts add up to all of it.
    fn share(&mut self) {
        let has_shares = self.has_shares;
        let share = |it: &Taken| match has_shares {
            true => i128::from(it.weight),
            false => 1,
        };
        let timed = |it: &&Taken| it.event.is_none();
        let all: i128 = self.taken.iter().filter(timed).map(share).sum();
        let covered: i128 = self.covered.iter().map(|&it| i128::from(it)).sum();
        let (mut passed, mut shared) = (0_i128, 0_i128);
        for taken in self.taken.iter_mut().filter(|it| it.event.is_none()) {
            passed += share(taken);
            // Both are sums of 64 bits each.
            let until = passed.saturating_mul(covered).checked_div(all).unwrap_or(0);
            taken.weight = i64::try_from(until - shared).unwrap_or(0);
            shared = until;
            add(&mut at(&mut self.of, taken.stack.index()).ns, taken.weight);
        }
    }

    /// A sample that shows no calls along time.
    pub(super) fn add_sample(&mut self, stack: StackId) {
        at(&mut self.of, stack.index()).samples += 1;
    }

    /// Samples of a track cover this time, too.
    pub(super) fn cover(&mut self, track: usize, (from, to): (i64, i64)) {
        add(at(&mut self.covered, track), to.saturating_sub(from));
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
    /// By track.
    threads: Vec<ThreadId>,
    /// By thread, nanoseconds that samples cover.
    covered: Vec<Cost>,
    /// What they weigh.
    values: Vec<(Value, Amounts)>,
    weights: StackWeights,
}

impl Sampled {
    pub(super) fn new(
        (samples, interval): (u64, Option<i64>),
        threads: &[ThreadId],
        values: Vec<(Value, Amounts)>,
        mut weights: StackWeights,
    ) -> Sampled {
        if weights.is_shared {
            weights.share();
        }
        let mut covered = Vec::new();
        for (thread, &ns) in threads.iter().zip(&weights.covered) {
            *at(&mut covered, thread.index()) += Cost::from_ns(ns);
        }
        Sampled {
            samples,
            interval,
            threads: threads.to_vec(),
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

    /// The weights by calling context, of a recording with these functions and calls; `None` if there are no contexts.
    pub(crate) fn weighed(
        &self,
        stacks: &Stacks,
        (functions, trace): (&Functions, &Trace),
    ) -> Option<Weighed> {
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
        if let Some(order) = columns.places() {
            let known = places
                .iter_mut()
                .filter(|it| **it != ContextColumns::OUTERMOST);
            known.for_each(|place| *place = order[*place as usize]);
        }
        let (contexts, _) = columns.finish().ok().filter(|(it, _)| !it.is_empty())?;
        let values = self.values.iter().map(|(value, _)| value.clone()).collect();
        let interval = self.interval.and_then(|ns| u64::try_from(ns).ok());
        let interval = interval.filter(|&ns| ns > 0).map(Cost::from_ns);
        let about = (self.covered.clone(), interval);
        let taken = self.taken(trace.origin(), |stack| places[stacks.plain(stack).index()]);
        let functions = functions.len();
        Some(Weighed::new(values, contexts, functions, about, taken))
    }

    /// Each sample on a clock that begins at `origin`.
    fn taken(&self, origin: i64, context: impl Fn(StackId) -> u32) -> weighed::Taken {
        let threads = self.threads.iter().map(|it| it.index() + 1).max();
        let threads = threads.unwrap_or(0);
        // Those of no thread come last.
        let mut of = vec![Vec::new(); threads + 1];
        let values = || (0..).zip(&self.values);
        for taken in &self.weights.taken {
            let context = context(taken.stack);
            if context == ContextColumns::OUTERMOST {
                continue;
            }
            let since = |time: i64| u64::try_from(time.saturating_sub(origin)).unwrap_or(0);
            let (start, end) = (since(taken.covers.0), since(taken.covers.1));
            let mut sample = TakenSample {
                start,
                length: end.saturating_sub(start),
                weight: taken.weight,
                context,
                value: TakenSample::NO_VALUE,
                flags: taken.flags,
            };
            let thread = self.threads.get(taken.track);
            let samples = &mut of[thread.map_or(threads, |it| it.index())];
            let is_of = |amounts: &Amounts| match *amounts {
                Amounts::Time => taken.event.is_none(),
                Amounts::Samples => false,
                Amounts::Event(event) => taken.event == Some(event),
                Amounts::TimeAndEvent(event) => taken.event.is_none_or(|it| it == event),
            };
            for (number, (value, _)) in values().filter(|(_, it)| is_of(&it.1)) {
                sample.value = number;
                if value.unit.is_time() {
                    sample.flags |= TakenSample::IS_TIME;
                }
                samples.push(sample);
                // The sample counts once.
                sample.flags = taken.flags & !TakenSample::COUNTS;
            }
            if sample.value == TakenSample::NO_VALUE && sample.flags & TakenSample::COUNTS != 0 {
                samples.push(sample);
            }
        }
        weighed::Taken::new(of)
    }
}
