//! Repetition in a sequence, as a grammar that has the sequence as its only sentence.
//!
//! Source: Craig G. Nevill-Manning and Ian H. Witten, *Identifying hierarchical structure in sequences: a linear-time
//! algorithm* (JAIR 7, 1997). Two invariants hold after every symbol: no two neighbouring symbols stand beside each
//! other twice in the grammar, but for those that overlap (*digram uniqueness*), and every rule but the first is used
//! twice (*rule utility*). O(n).

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A symbol of a grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Symbol {
    /// One of the sequence.
    Terminal(u32),
    /// A rule, by its number.
    Rule(u32),
}

/// Rules by number. The first is the whole sequence; none refers to one that refers to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grammar {
    pub rules: Vec<Vec<Symbol>>,
}

/// A symbol in a ring; each rule is a ring with one guard.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Value {
    Terminal(u32),
    Rule(u32),
    Guard(u32),
}

#[derive(Clone, Copy)]
struct Link {
    value: Value,
    before: u32,
    next: u32,
}

struct RuleState {
    guard: u32,
    uses: u32,
}

/// No link yet.
const NONE: u32 = u32::MAX;

/// A hash of few numbers that nobody chooses to collide: classes are numbered by the program.
#[derive(Default)]
struct Mixed(u64);

impl Hasher for Mixed {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(number.into());
    }

    fn write_isize(&mut self, number: isize) {
        self.write_u64(number as u64);
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
}

#[derive(Default)]
struct Sequitur {
    links: Vec<Link>,
    free: Vec<u32>,
    rules: Vec<RuleState>,
    digrams: HashMap<(Value, Value), u32, BuildHasherDefault<Mixed>>,
}

/// The grammar of a sequence.
pub fn grammar(sequence: impl IntoIterator<Item = u32>) -> Grammar {
    let mut work = Sequitur::default();
    let first = work.new_rule();
    for symbol in sequence {
        let last = work.link(work.guard(first)).before;
        let added = work.insert_after(last, Value::Terminal(symbol));
        let before = work.link(added).before;
        if !work.is_guard(before) {
            work.check(before);
        }
    }
    work.finish()
}

impl Sequitur {
    fn link(&self, at: u32) -> Link {
        self.links[at as usize]
    }

    fn value(&self, at: u32) -> Value {
        self.link(at).value
    }

    fn is_guard(&self, at: u32) -> bool {
        matches!(self.value(at), Value::Guard(_))
    }

    fn guard(&self, rule: u32) -> u32 {
        self.rules[rule as usize].guard
    }

    fn first(&self, rule: u32) -> u32 {
        self.link(self.guard(rule)).next
    }

    fn last(&self, rule: u32) -> u32 {
        self.link(self.guard(rule)).before
    }

    fn new_link(&mut self, value: Value) -> u32 {
        let link = Link {
            value,
            before: NONE,
            next: NONE,
        };
        match self.free.pop() {
            Some(at) => {
                self.links[at as usize] = link;
                at
            }
            None => {
                self.links.push(link);
                self.links.len() as u32 - 1
            }
        }
    }

    fn new_rule(&mut self) -> u32 {
        let rule = self.rules.len() as u32;
        let guard = self.new_link(Value::Guard(rule));
        self.links[guard as usize].before = guard;
        self.links[guard as usize].next = guard;
        self.rules.push(RuleState { guard, uses: 0 });
        rule
    }

    /// The pair that begins at a symbol; none at either end of a rule.
    fn digram(&self, at: u32) -> Option<(Value, Value)> {
        let next = self.link(at).next;
        let is_inside = next != NONE && !self.is_guard(at) && !self.is_guard(next);
        is_inside.then(|| (self.value(at), self.value(next)))
    }

    fn forget(&mut self, at: u32) {
        if let Some(digram) = self.digram(at)
            && self.digrams.get(&digram) == Some(&at)
        {
            self.digrams.remove(&digram);
        }
    }

    /// Whether `at` stands between two of its kind: of the two pairs, which overlap, one is known.
    fn is_triple(&self, at: u32) -> bool {
        let Link {
            value,
            before,
            next,
        } = self.link(at);
        let is = |other: u32| other != NONE && self.value(other) == value;
        !matches!(value, Value::Guard(_)) && is(before) && is(next)
    }

    /// Puts `right` behind `left`. Where that takes the known one of two overlapping pairs apart, the other is known
    /// from now on.
    fn join(&mut self, left: u32, right: u32) {
        if self.link(left).next != NONE {
            self.forget(left);
            if self.is_triple(right) {
                self.remember(right);
            }
            if self.is_triple(left) {
                self.remember(self.link(left).before);
            }
        }
        self.links[left as usize].next = right;
        self.links[right as usize].before = left;
    }

    fn remember(&mut self, at: u32) {
        if let Some(digram) = self.digram(at) {
            self.digrams.insert(digram, at);
        }
    }

    fn insert_after(&mut self, at: u32, value: Value) -> u32 {
        let added = self.new_link(value);
        self.join(added, self.link(at).next);
        self.join(at, added);
        if let Value::Rule(rule) = value {
            self.rules[rule as usize].uses += 1;
        }
        added
    }

    fn remove(&mut self, at: u32) {
        let Link {
            value,
            before,
            next,
        } = self.link(at);
        self.join(before, next);
        self.forget(at);
        if let Value::Rule(rule) = value {
            self.rules[rule as usize].uses -= 1;
        }
        self.free.push(at);
    }

    /// Makes sure that the pair at `at` stands nowhere else. Whether it did.
    fn check(&mut self, at: u32) -> bool {
        let Some(digram) = self.digram(at) else {
            return false;
        };
        match self.digrams.get(&digram) {
            None => {
                self.digrams.insert(digram, at);
                false
            }
            Some(&known) if known == at => false,
            // Overlapping.
            Some(&known) if self.link(known).next == at || self.link(at).next == known => false,
            Some(&known) => {
                self.replace(at, known);
                true
            }
        }
    }

    /// Two places have the same pair: both become a rule.
    fn replace(&mut self, new: u32, known: u32) {
        let before = self.link(known).before;
        let behind = self.link(self.link(known).next).next;
        let whole = match (self.value(before), self.value(behind)) {
            (Value::Guard(rule), Value::Guard(_)) if before == behind => Some(rule),
            _ => None,
        };
        let rule = match whole {
            Some(rule) => {
                self.substitute(new, rule);
                rule
            }
            None => {
                let rule = self.new_rule();
                let (a, b) = (self.value(new), self.value(self.link(new).next));
                let first = self.insert_after(self.guard(rule), a);
                self.insert_after(first, b);
                self.substitute(known, rule);
                self.substitute(new, rule);
                self.remember(first);
                rule
            }
        };
        for at in [self.first(rule), self.last(rule)] {
            if let Value::Rule(used) = self.value(at)
                && self.rules[used as usize].uses == 1
            {
                self.expand(at, used);
            }
        }
    }

    /// Puts a rule in the place of the pair at `at`.
    fn substitute(&mut self, at: u32, rule: u32) {
        let before = self.link(at).before;
        self.remove(at);
        self.remove(self.link(before).next);
        let added = self.insert_after(before, Value::Rule(rule));
        if !self.check(before) {
            self.check(added);
        }
    }

    /// Puts what a rule stands for in place of its only use.
    fn expand(&mut self, at: u32, rule: u32) {
        let Link { before, next, .. } = self.link(at);
        let (first, last) = (self.first(rule), self.last(rule));
        self.forget(at);
        self.join(before, first);
        self.join(last, next);
        self.free.push(at);
        self.rules[rule as usize].uses = 0;
        self.free.push(self.guard(rule));
        self.remember(before);
        self.remember(last);
    }

    /// The rules in use, numbered anew in order of first use.
    fn finish(self) -> Grammar {
        let mut numbers: HashMap<u32, u32> = HashMap::from([(0, 0)]);
        let mut order = vec![0];
        let mut rules = Vec::new();
        let mut next = 0;
        while let Some(&rule) = order.get(next) {
            next += 1;
            let mut symbols = Vec::new();
            let mut at = self.first(rule);
            loop {
                match self.value(at) {
                    Value::Guard(_) => break,
                    Value::Terminal(symbol) => symbols.push(Symbol::Terminal(symbol)),
                    Value::Rule(used) => {
                        let number = *numbers.entry(used).or_insert_with(|| {
                            order.push(used);
                            order.len() as u32 - 1
                        });
                        symbols.push(Symbol::Rule(number));
                    }
                }
                at = self.link(at).next;
            }
            rules.push(symbols);
        }
        Grammar { rules }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_facts::trace::random::random_numbers;

    fn expand(grammar: &Grammar, rule: usize, out: &mut Vec<u32>) {
        for symbol in &grammar.rules[rule] {
            match *symbol {
                Symbol::Terminal(symbol) => out.push(symbol),
                Symbol::Rule(rule) => expand(grammar, rule as usize, out),
            }
        }
    }

    fn check(sequence: &[u32]) -> Grammar {
        let grammar = grammar(sequence.iter().copied());
        let mut expanded = Vec::new();
        expand(&grammar, 0, &mut expanded);
        assert_eq!(expanded, sequence, "expands to the sequence");
        let mut uses = vec![0; grammar.rules.len()];
        let mut digrams: HashMap<[Symbol; 2], (usize, usize)> = HashMap::new();
        for (number, rule) in grammar.rules.iter().enumerate() {
            for symbol in rule {
                if let Symbol::Rule(rule) = symbol {
                    uses[*rule as usize] += 1;
                }
            }
            let mut at = 0;
            while at + 1 < rule.len() {
                let known = digrams.insert([rule[at], rule[at + 1]], (number, at));
                let overlaps = known.is_some_and(|known| known.0 == number && known.1 + 1 == at);
                assert!(
                    known.is_none() || overlaps,
                    "digram uniqueness of {sequence:?}: {grammar:?}"
                );
                if overlaps {
                    digrams.insert([rule[at], rule[at + 1]], known.unwrap_or_default());
                }
                at += 1;
            }
        }
        for (rule, uses) in uses.iter().enumerate().skip(1) {
            assert!(
                *uses >= 2,
                "rule utility of {sequence:?}: rule {rule} of {grammar:?}"
            );
            assert!(grammar.rules[rule].len() >= 2);
        }
        grammar
    }

    #[test]
    fn invariants_hold_on_random_sequences() {
        for seed in 0..3000 {
            let mut below = random_numbers(seed);
            let symbols = 1 + below(5);
            let length = below(120);
            let sequence: Vec<u32> = (0..length).map(|_| below(symbols) as u32).collect();
            // All beginnings, for the invariants hold after every symbol.
            if seed < 100 {
                for end in 0..sequence.len() {
                    check(&sequence[..end]);
                }
            }
            check(&sequence);
        }
    }

    #[test]
    fn invariants_hold_on_loops() {
        for seed in 0..500 {
            let mut below = random_numbers(seed);
            let mut sequence = Vec::new();
            for _ in 0..1 + below(4) {
                let unit: Vec<u32> = (0..1 + below(6)).map(|_| below(4) as u32).collect();
                for _ in 0..below(30) {
                    sequence.extend_from_slice(&unit);
                }
            }
            check(&sequence);
        }
    }

    #[test]
    fn the_grammars_of_the_paper() {
        let of = |text: &str| check(&text.bytes().map(u32::from).collect::<Vec<_>>());
        // Figure 1: a repetition, and one within a repetition.
        assert_eq!(of("abcdbc").rules.len(), 2);
        assert_eq!(of("abcdbcabcdbc").rules.len(), 3);
        assert_eq!(of("").rules, [[]]);
        assert_eq!(of("aaa").rules.len(), 1);
        assert_eq!(of("aaaa").rules.len(), 2);
    }

    #[test]
    fn a_long_run_takes_few_rules() {
        let grammar = grammar(std::iter::repeat_n(7, 1 << 16));
        assert!(grammar.rules.len() < 20, "{}", grammar.rules.len());
    }
}
