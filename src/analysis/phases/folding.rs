//! Repetitions among siblings, folded: of a run of equal patterns one instance is shown.

use std::collections::HashMap;

use rayon::prelude::*;

use super::sequitur::{Symbol, grammar};
use super::{Parent, Phases};

/// What stands for some neighbouring siblings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// One phase, of this class.
    One(u32),
    Repeated(Repeated),
}

/// A pattern that repeats itself without a break.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeated {
    pub pattern: Vec<Item>,
    pub instances: u32,
    /// How many siblings an instance stands for.
    pub length: u32,
}

impl Item {
    /// How many siblings it stands for.
    pub fn length(&self) -> u32 {
        match self {
            Item::One(_) => 1,
            Item::Repeated(repeated) => repeated.length * repeated.instances,
        }
    }
}

fn length(items: &[Item]) -> u32 {
    items.iter().map(Item::length).sum()
}

/// Adds an item, which makes one more instance of the pattern that its neighbours are of, if it is.
fn push(items: &mut Vec<Item>, item: Item) {
    match item {
        Item::One(class) if items.last() == Some(&Item::One(class)) => {
            items.pop();
            items.push(repeated(vec![Item::One(class)], 2));
        }
        Item::Repeated(mut next) => {
            if let Some(Item::Repeated(last)) = items.last_mut()
                && last.pattern == next.pattern
            {
                last.instances += next.instances;
                return;
            }
            // A whole instance stands before it.
            if items.ends_with(&next.pattern) {
                items.truncate(items.len() - next.pattern.len());
                next.instances += 1;
                return push(items, Item::Repeated(next));
            }
            items.push(Item::Repeated(next));
        }
        item => items.push(item),
    }
    absorb(items);
}

/// Makes a whole pattern at the end one more instance of the repetition before it.
fn absorb(items: &mut Vec<Item>) {
    // Patterns are short; a long one is found by the grammar.
    const LONGEST: usize = 8;
    for behind in 1..=LONGEST.min(items.len().saturating_sub(1)) {
        let at = items.len() - 1 - behind;
        let (before, end) = items.split_at_mut(at + 1);
        if let Some(Item::Repeated(repeated)) = before.last_mut()
            && repeated.pattern == end
        {
            repeated.instances += 1;
            items.truncate(at + 1);
            return;
        }
    }
}

fn repeated(pattern: Vec<Item>, instances: u32) -> Item {
    if let [Item::Repeated(inner)] = &*pattern {
        let mut inner = inner.clone();
        inner.instances *= instances;
        return Item::Repeated(inner);
    }
    Item::Repeated(Repeated {
        length: length(&pattern),
        pattern,
        instances,
    })
}

/// A sequence of classes with its repetitions folded, found by Sequitur. O(n) for patterns of bounded length.
pub fn fold(sequence: &[u32]) -> Vec<Item> {
    if has_no_pair_twice(sequence) {
        // The sequence is its own grammar.
        let symbols: Vec<Symbol> = sequence.iter().map(|it| Symbol::Terminal(*it)).collect();
        return items_of(&symbols, &[]);
    }
    let grammar = grammar(sequence.iter().copied());
    let mut folded: Vec<Option<Vec<Item>>> = vec![None; grammar.rules.len()];
    // Rules below others first, without recursion: a grammar may be deep.
    let mut stack = vec![0usize];
    while let Some(&rule) = stack.last() {
        let symbols = &grammar.rules[rule];
        let missing = symbols.iter().find_map(|symbol| match symbol {
            Symbol::Rule(used) => folded[*used as usize].is_none().then_some(*used as usize),
            Symbol::Terminal(_) => None,
        });
        if let Some(missing) = missing {
            stack.push(missing);
            continue;
        }
        stack.pop();
        folded[rule] = Some(items_of(symbols, &folded));
    }
    folded.swap_remove(0).unwrap_or_default()
}

/// Whether a short sequence has no two neighbours twice, but for those that overlap: its grammar is then itself.
fn has_no_pair_twice(sequence: &[u32]) -> bool {
    /// A longer one is not looked at.
    const SHORT: usize = 24;
    let pair = |at: usize| [sequence[at], sequence[at + 1]];
    let pairs = sequence.len().saturating_sub(1);
    // One of two that overlap is no repetition: `a a a` is one, `a a a a` has two.
    let is_alone = |at: usize| (at + 2..pairs).all(|other| pair(at) != pair(other));
    sequence.len() <= SHORT && (0..pairs).all(is_alone)
}

/// What stands for the symbols of a rule, those that it uses being folded.
fn items_of(symbols: &[Symbol], folded: &[Option<Vec<Item>>]) -> Vec<Item> {
    let mut items = Vec::new();
    let mut next = 0;
    while let Some(&symbol) = symbols.get(next) {
        let same = symbols[next..].iter().take_while(|it| **it == symbol);
        let instances = same.count();
        next += instances;
        match symbol {
            Symbol::Terminal(class) if instances == 1 => push(&mut items, Item::One(class)),
            Symbol::Terminal(class) => {
                let pattern = vec![Item::One(class)];
                push(&mut items, repeated(pattern, instances as u32));
            }
            Symbol::Rule(used) => {
                let pattern = folded.get(used as usize).cloned().flatten();
                let pattern = pattern.unwrap_or_default();
                if instances > 1 {
                    push(&mut items, repeated(pattern, instances as u32));
                } else {
                    pattern.into_iter().for_each(|item| push(&mut items, item));
                }
            }
        }
    }
    items
}

/// All siblings folded, by what they are below.
#[derive(Clone, Debug, Default)]
pub struct Folded(HashMap<Parent, Vec<Item>>);

impl Folded {
    /// O(phases), by all workers.
    pub fn new(phases: &Phases) -> Folded {
        let parents: Vec<Parent> = phases.parents().collect();
        let folded = parents.into_par_iter().filter_map(|parent| {
            phases.children(parent).next()?;
            Some((parent, fold_children(phases, parent)))
        });
        Folded(folded.collect())
    }

    /// What stands for the siblings below a phase or root.
    pub fn items(&self, parent: Parent) -> &[Item] {
        self.0.get(&parent).map_or(&[], Vec::as_slice)
    }
}

/// The siblings below a phase or root, folded by their classes. Where outliers are folded, they stand in place of the
/// class that most of their callee are of: one of them shall not break a repetition in two; it is marked where it stands.
pub fn fold_children(phases: &Phases, parent: Parent) -> Vec<Item> {
    let siblings: Vec<u32> = phases.children(parent).collect();
    fold(&classes_to_fold(phases, &siblings))
}

/// The classes of siblings, for an outlier that of most of its callee.
fn classes_to_fold(phases: &Phases, siblings: &[u32]) -> Vec<u32> {
    let of = |index: &u32| &phases.phases[*index as usize];
    let mut common: HashMap<_, u32> = HashMap::new();
    let is_folded = phases.parameters.folds_outliers();
    let has_outliers = is_folded && siblings.iter().any(|index| of(index).is_outlier);
    if has_outliers {
        let mut members: HashMap<u32, u32> = HashMap::new();
        for index in siblings {
            *members.entry(of(index).class).or_default() += 1;
        }
        for index in siblings {
            let phase = of(index);
            let largest = common
                .entry((phase.caller, phase.function))
                .or_insert(phase.class);
            if members[&phase.class] > members[largest] {
                *largest = phase.class;
            }
        }
    }
    let class = |index: &u32| {
        let phase = of(index);
        let common = common.get(&(phase.caller, phase.function));
        match has_outliers && phase.is_outlier {
            true => common.copied().unwrap_or(phase.class),
            false => phase.class,
        }
    };
    siblings.iter().map(class).collect()
}

/// The innermost repetition that a phase is an instance of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instance {
    /// The number of the pattern, from 0, in order of first phase.
    pub pattern: u32,
    /// Which of its instances, from 0, and how many there are without a break.
    pub number: u32,
    pub of: u32,
}

/// By phase the innermost repetition that it is an instance of.
pub fn instances(phases: &Phases) -> Vec<Option<Instance>> {
    let mut found = vec![None; phases.phases.len()];
    let mut patterns = 0;
    for parent in phases.parents() {
        let siblings: Vec<u32> = phases.children(parent).collect();
        if siblings.is_empty() {
            continue;
        }
        let items = fold(&classes_to_fold(phases, &siblings));
        number(&items, &siblings, None, &mut patterns, &mut found);
    }
    // In order of first phase, whatever order they were found in.
    let mut order: Vec<Option<u32>> = vec![None; patterns as usize];
    let mut next = 0;
    for instance in found.iter_mut().flatten() {
        let number = order[instance.pattern as usize].get_or_insert_with(|| {
            next += 1;
            next - 1
        });
        instance.pattern = *number;
    }
    found
}

fn number(
    items: &[Item],
    mut siblings: &[u32],
    around: Option<Instance>,
    patterns: &mut u32,
    found: &mut [Option<Instance>],
) {
    for item in items {
        let (of_item, rest) = siblings.split_at(item.length() as usize);
        siblings = rest;
        let Item::Repeated(repeated) = item else {
            of_item
                .iter()
                .for_each(|&phase| found[phase as usize] = around);
            continue;
        };
        let pattern = *patterns;
        *patterns += 1;
        let instances = of_item.chunks(repeated.length as usize);
        for (instance, of_instance) in (0..).zip(instances) {
            let inner = Some(Instance {
                pattern,
                number: instance,
                of: repeated.instances,
            });
            number(&repeated.pattern, of_instance, inner, patterns, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_facts::trace::random::random_numbers;

    fn unfold(items: &[Item], out: &mut Vec<u32>) {
        for item in items {
            match item {
                Item::One(class) => out.push(*class),
                Item::Repeated(repeated) => {
                    assert_eq!(repeated.length, length(&repeated.pattern));
                    assert!(repeated.instances > 1);
                    for _ in 0..repeated.instances {
                        unfold(&repeated.pattern, out);
                    }
                }
            }
        }
    }

    fn shown(items: &[Item]) -> String {
        let of_item = |item: &Item| match item {
            Item::One(class) => char::from(b'a' + *class as u8).to_string(),
            Item::Repeated(it) => format!("({}){}", shown(&it.pattern), it.instances),
        };
        items.iter().map(of_item).collect()
    }

    fn folded(text: &str) -> String {
        let sequence: Vec<u32> = text.bytes().map(|it| u32::from(it - b'a')).collect();
        shown(&fold(&sequence))
    }

    #[test]
    fn folding_loses_nothing() {
        for seed in 0..3000 {
            let mut below = random_numbers(seed);
            let symbols = 1 + below(4);
            let length = below(80);
            let mut sequence: Vec<u32> = (0..length).map(|_| below(symbols) as u32).collect();
            for _ in 0..below(20) {
                let end = sequence.len().min(5);
                sequence.extend_from_within(..end);
            }
            let mut unfolded = Vec::new();
            unfold(&fold(&sequence), &mut unfolded);
            assert_eq!(unfolded, sequence, "seed {seed}");
        }
    }

    #[test]
    fn runs_are_folded() {
        assert_eq!(folded(""), "");
        assert_eq!(folded("a"), "a");
        for n in 2..40 {
            assert_eq!(folded(&"a".repeat(n)), format!("(a){n}"));
            assert_eq!(folded(&"ab".repeat(n)), format!("(ab){n}"), "{n}");
            assert_eq!(folded(&"abc".repeat(n)), format!("(abc){n}"), "{n}");
        }
        assert_eq!(folded("xaaaay"), "x(a)4y");
        assert_eq!(folded("aabaabaab"), "((a)2b)3");
    }
}
