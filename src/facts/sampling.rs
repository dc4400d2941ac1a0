//! What was kept of a larger recording where a recording was made from one by sampling.
//!
//! The ways of sampling are those of "Visualizing and animating sampled dynamic information" (AVID), section 2.2, by its
//! names: C-1 to C-3 for calls, M-1 to M-3 for memory.

use std::fmt;

use serde::{Deserialize, Serialize};

use callscape_base::units::{Cost, Time, counted};

/// What is kept of enters and exits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Flow {
    All,
    Off,
    /// C-1: every so-manieth enter or exit.
    Events(u64),
    /// C-2: the stacks at every so-manieth enter or exit.
    Stacks(u64),
    /// C-3: the stacks each time that so long has passed.
    StacksEvery(Cost),
}

/// What is kept of allocations and releases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Objects {
    All,
    Off,
    /// M-1: every so-manieth event.
    Events(u64),
    /// M-2: the first event at or after each time that so long has passed.
    Every(Cost),
}

/// What is kept in a stretch of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    pub flow: Flow,
    pub objects: Objects,
    /// M-3: with each event of memory the stack before it; else only the function that allocated.
    pub with_stack: bool,
}

impl Rule {
    /// Everything: a trace.
    pub const ALL: Rule = Rule {
        flow: Flow::All,
        objects: Objects::All,
        with_stack: true,
    };

    /// Whether anything may be missing.
    pub fn is_sampled(&self) -> bool {
        self.flow != Flow::All || self.objects != Objects::All
    }

    /// Whether stacks tell of calls: those of C-2 and C-3, and where no others are kept those of M-3.
    pub fn has_stacks(&self) -> bool {
        match self.flow {
            Flow::Stacks(_) | Flow::StacksEvery(_) => true,
            Flow::Off => {
                self.with_stack && matches!(self.objects, Objects::Events(_) | Objects::Every(_))
            }
            Flow::All | Flow::Events(_) => false,
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.flow {
            Flow::All => write!(f, "all calls")?,
            Flow::Off => write!(f, "no calls")?,
            Flow::Events(n) => write!(f, "one of {n} function entries and exits")?,
            Flow::Stacks(n) => write!(f, "the stacks every {n} function entries and exits")?,
            Flow::StacksEvery(cost) => write!(f, "the stacks every {cost}")?,
        }
        match self.objects {
            Objects::All => return Ok(()),
            Objects::Off => return write!(f, ", no memory events"),
            Objects::Events(n) => write!(f, ", one of {n} memory events")?,
            Objects::Every(cost) => write!(f, ", a memory event every {cost}")?,
        }
        if self.with_stack {
            write!(f, " with its stack")?;
        }
        Ok(())
    }
}

/// A stretch of time, from its start to before its end, and what is kept in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stretch {
    pub start: Time,
    pub end: Time,
    pub rule: Rule,
}

/// Calls that are kept whatever else is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlwaysKept {
    /// As it was asked for: `A -> B`, `f > 5ms`.
    pub rule: String,
    /// How many calls it is true of.
    pub calls: u64,
}

/// What is kept where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// In order, none overlapping another.
    pub ranges: Vec<Stretch>,
    /// Everywhere else.
    pub default: Rule,
}

impl Plan {
    /// The same everywhere.
    pub fn of(rule: Rule) -> Plan {
        Plan {
            ranges: Vec::new(),
            default: rule,
        }
    }

    /// The stretches of all of time, in order, without gaps, from 0 to [`Time::MAX`].
    pub fn stretches(&self) -> Vec<Stretch> {
        let mut stretches = Vec::new();
        let mut at = Time::ZERO;
        let gap = |at: Time, end: Time, stretches: &mut Vec<Stretch>| {
            if at < end {
                stretches.push(Stretch {
                    start: at,
                    end,
                    rule: self.default,
                });
            }
        };
        for range in &self.ranges {
            gap(at, range.start, &mut stretches);
            stretches.push(*range);
            at = range.end;
        }
        gap(at, Time::MAX, &mut stretches);
        stretches
    }

    /// What is kept at `t`. O(log ranges).
    pub fn rule_at(&self, t: Time) -> Rule {
        let started = self.ranges.partition_point(|it| it.start <= t);
        let last = started.checked_sub(1).and_then(|it| self.ranges.get(it));
        last.filter(|it| t < it.end)
            .map_or(self.default, |it| it.rule)
    }

    /// Whether allocations or releases may be missing at any time from `from` to `to`, both included. O(log ranges +
    /// ranges between).
    pub fn samples_objects(&self, from: Time, to: Time) -> bool {
        let is_sampled = |rule: &Rule| rule.objects != Objects::All;
        let mut at = from;
        let first = self.ranges.partition_point(|it| it.end <= from);
        for range in self.ranges.iter().skip(first) {
            if range.start > to {
                break;
            }
            if at < range.start && is_sampled(&self.default) {
                return true;
            }
            if range.start < range.end && is_sampled(&range.rule) {
                return true;
            }
            at = range.end;
        }
        at <= to && is_sampled(&self.default)
    }
}

/// What was kept of the recording that another was made from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sampling {
    pub plan: Plan,
    pub always: Vec<AlwaysKept>,
    /// How many calls were kept whatever else was; a call that several rules are true of counts once.
    pub always_kept: u64,
    /// Enters and exits of the larger recording.
    pub events: u64,
    /// Its allocations and releases.
    pub memory_events: u64,
    /// The larger recording was itself made by sampling.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Box<Sampling>>,
}

impl Sampling {
    /// Whether something may be missing at `t`.
    pub fn is_sampled_at(&self, t: Time) -> bool {
        self.plan.rule_at(t).is_sampled()
            || self.before.as_ref().is_some_and(|it| it.is_sampled_at(t))
    }

    /// Whether allocations or releases may be missing at any time from `from` to `to`, both included.
    pub fn samples_objects(&self, from: Time, to: Time) -> bool {
        let before = self.before.as_ref();
        self.plan.samples_objects(from, to) || before.is_some_and(|it| it.samples_objects(from, to))
    }
}

impl fmt::Display for Sampling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// So many ranges are listed.
        const LISTED: usize = 8;
        for range in self.plan.ranges.iter().take(LISTED) {
            write!(f, "{} to {}: {}; ", range.start, range.end, range.rule)?;
        }
        if self.plan.ranges.len() > LISTED {
            let more = self.plan.ranges.len() - LISTED;
            write!(f, "and {} more; ", counted(more as u64, "range", "ranges"))?;
        }
        if !self.plan.ranges.is_empty() {
            write!(f, "elsewhere ")?;
        }
        write!(f, "{}", self.plan.default)?;
        if !self.always.is_empty() {
            let calls = counted(self.always_kept, "call", "calls");
            write!(f, "; {calls} always kept")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::random::Random;

    #[test]
    fn objects_are_sampled_between_two_times_as_at_one_of_them() {
        let rule = |objects: Objects| Rule {
            objects,
            ..Rule::ALL
        };
        let kinds = [Objects::All, Objects::Events(3), Objects::Off];
        for seed in 0..400 {
            let mut random = Random(seed);
            let mut ranges = Vec::new();
            let mut at = random.below(4);
            for _ in 0..random.below(4) {
                let end = at + random.below(5);
                ranges.push(Stretch {
                    start: Time::from_ns(at),
                    end: Time::from_ns(end),
                    rule: rule(kinds[random.below(3) as usize]),
                });
                at = end + random.below(3);
            }
            let plan = Plan {
                ranges,
                default: rule(kinds[random.below(2) as usize]),
            };
            for from in 0..24 {
                for to in from..24 {
                    let expected =
                        (from..=to).any(|t| plan.rule_at(Time::from_ns(t)).objects != Objects::All);
                    let found = plan.samples_objects(Time::from_ns(from), Time::from_ns(to));
                    assert_eq!(found, expected, "seed {seed}, {from} to {to}: {plan:?}");
                }
            }
        }
    }
}
