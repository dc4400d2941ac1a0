//! Which phases are alike, by the functions that are active in them or the calls that they trigger (thesis,
//! section 5.3).

use std::collections::HashMap;
use std::hash::Hash;

use super::Phases;
use callscape_base::units::FunctionId;
use callscape_facts::trace::SetId;

/// The share of the functions of two sets, each in order, that only one of them has: from 0, equal, to 1, disjoint.
fn distance(a: &[u32], b: &[u32]) -> f64 {
    let (mut i, mut j, mut both) = (0, 0, 0usize);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        both += usize::from(x == y);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    let any = a.len() + b.len() - both;
    match any {
        0 => 0.0,
        _ => (any - both) as f64 / any as f64,
    }
}

/// A class of siblings.
struct Class<K> {
    /// What its first member is compared by.
    first: K,
    members: u32,
}

/// The classes of siblings with one caller and callee.
struct Alike<K> {
    classes: Vec<u32>,
    /// The class that a phase compared by this joins.
    known: HashMap<K, u32>,
    members: u32,
}

type Ends = (Option<FunctionId>, FunctionId);

/// Gives each phase its class among its siblings: in order of start it joins the first whose first member has the same
/// caller and callee and is not further from it than the parameters say, else it founds one. O(phases) comparisons
/// where sets of functions repeat themselves.
pub fn classify(phases: &mut Phases) {
    let is_near = |phases: &Phases, [first, own]: [SetId; 2]| {
        let [first, own] = [first, own].map(|it| phases.sets.get(it));
        distance(first, own) <= phases.parameters.similarity
    };
    classify_by(
        phases,
        &|phases, it| phases.phases[it as usize].functions,
        &is_near,
    );
}

/// The same where a phase joins a class if it triggers the same sequence of calls, by phase in `sequences`.
pub(super) fn classify_by_calls(phases: &mut Phases, sequences: &[u64]) {
    let key = |phases: &Phases, it: u32| (phases.phases[it as usize].calls, sequences[it as usize]);
    classify_by(phases, &key, &|_, _| false);
}

/// What phases are compared by, and whether two that differ are alike nevertheless.
fn classify_by<K: Copy + Eq + Hash>(
    phases: &mut Phases,
    key: &impl Fn(&Phases, u32) -> K,
    is_near: &impl Fn(&Phases, [K; 2]) -> bool,
) {
    for parent in phases.parents() {
        let siblings: Vec<u32> = phases.children(parent).collect();
        match siblings.len() {
            0 => {}
            1..=FEW => classify_few(phases, &siblings, key, is_near),
            _ => classify_siblings(phases, &siblings, key, is_near),
        }
    }
}

/// Of so few siblings it is fastest to look at all classes.
const FEW: usize = 24;

/// As [`classify_siblings`], with a look at all classes for each.
fn classify_few<K: Copy + Eq>(
    phases: &mut Phases,
    siblings: &[u32],
    key: &impl Fn(&Phases, u32) -> K,
    is_near: &impl Fn(&Phases, [K; 2]) -> bool,
) {
    let mut classes: Vec<(Ends, Class<K>)> = Vec::new();
    for &index in siblings {
        let own = key(phases, index);
        let phase = phases.phases[index as usize];
        let ends = (phase.caller, phase.function);
        let joins = |(of, class): &(Ends, Class<K>)| {
            *of == ends && (class.first == own || is_near(phases, [class.first, own]))
        };
        let class = classes.iter().position(joins).unwrap_or_else(|| {
            let (first, members) = (own, 0);
            classes.push((ends, Class { first, members }));
            classes.len() - 1
        });
        classes[class].1.members += 1;
        phases.phases[index as usize].class = class as u32;
    }
    for &index in siblings {
        let phase = &mut phases.phases[index as usize];
        let ends = (phase.caller, phase.function);
        let of_ends = classes.iter().filter(|(of, _)| *of == ends);
        let members = of_ends.map(|(_, class)| class.members);
        let (largest, all) = members.fold((0, 0), |(largest, all), it| (it.max(largest), all + it));
        phase.is_outlier = is_outlier(classes[phase.class as usize].1.members, largest, all);
    }
}

fn classify_siblings<K: Copy + Eq + Hash>(
    phases: &mut Phases,
    siblings: &[u32],
    key: &impl Fn(&Phases, u32) -> K,
    is_near: &impl Fn(&Phases, [K; 2]) -> bool,
) {
    let mut classes: Vec<Class<K>> = Vec::new();
    let mut alike: HashMap<Ends, Alike<K>> = HashMap::new();
    for &index in siblings {
        let own = key(phases, index);
        let phase = phases.phases[index as usize];
        let of_ends = alike.entry((phase.caller, phase.function));
        let of_ends = of_ends.or_insert_with(|| Alike {
            classes: Vec::new(),
            known: HashMap::new(),
            members: 0,
        });
        of_ends.members += 1;
        let class = of_ends.known.get(&own).copied().unwrap_or_else(|| {
            let joins = |class: &&u32| is_near(phases, [classes[**class as usize].first, own]);
            let found = of_ends.classes.iter().find(joins).copied();
            let class = found.unwrap_or_else(|| {
                classes.push(Class {
                    first: own,
                    members: 0,
                });
                let new = classes.len() as u32 - 1;
                of_ends.classes.push(new);
                new
            });
            of_ends.known.insert(own, class);
            class
        });
        classes[class as usize].members += 1;
        phases.phases[index as usize].class = class;
    }
    for &index in siblings {
        let phase = &mut phases.phases[index as usize];
        let of_ends = &alike[&(phase.caller, phase.function)];
        let members = |class: &u32| classes[*class as usize].members;
        let largest = of_ends.classes.iter().map(members).max().unwrap_or(0);
        phase.is_outlier = is_outlier(members(&phase.class), largest, of_ends.members);
    }
}

/// Siblings of one callee of which fewer are no crowd that one could stand out from.
const MANY: u32 = 5;

/// Whether a class of so many is unlike the largest, which holds most of all those of its callee.
fn is_outlier(members: u32, largest: u32, all: u32) -> bool {
    all >= MANY && largest * 2 > all && members * 4 <= largest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        assert_eq!(distance(&[], &[]), 0.0);
        assert_eq!(distance(&[1, 2], &[1, 2]), 0.0);
        assert_eq!(distance(&[1, 2], &[3]), 1.0);
        assert_eq!(distance(&[1, 2, 4], &[2, 4, 5]), 0.5);
        assert_eq!(distance(&[], &[5]), 1.0);
    }

    #[test]
    fn outliers_are_few_among_many() {
        assert!(is_outlier(1, 11, 12));
        assert!(is_outlier(2, 10, 12));
        assert!(!is_outlier(11, 11, 12));
        assert!(!is_outlier(1, 2, 3), "of three none stands out");
        assert!(!is_outlier(1, 1, 12), "all are different");
    }
}
