//! Which phases are alike, by the functions that are active in them (thesis, section 5.3).

use std::collections::HashMap;

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
struct Class {
    /// The set of its first member.
    first: SetId,
    members: u32,
}

/// The classes of siblings with one caller and callee.
#[derive(Default)]
struct Alike {
    classes: Vec<u32>,
    /// By set the class that a phase with it joins.
    known: HashMap<SetId, u32>,
    members: u32,
}

type Ends = (Option<FunctionId>, FunctionId);

/// Gives each phase its class among its siblings: in order of start it joins the first whose first member has the same
/// caller and callee and is not further from it than the parameters say, else it founds one. O(phases) comparisons
/// where sets of functions repeat themselves.
pub fn classify(phases: &mut Phases) {
    for parent in phases.parents() {
        let siblings: Vec<u32> = phases.children(parent).collect();
        match siblings.len() {
            0 => {}
            1..=FEW => classify_few(phases, &siblings),
            _ => classify_siblings(phases, &siblings),
        }
    }
}

/// Of so few siblings it is fastest to look at all classes.
const FEW: usize = 24;

/// As [`classify_siblings`], with a look at all classes for each.
fn classify_few(phases: &mut Phases, siblings: &[u32]) {
    let most = phases.parameters.similarity;
    let mut classes: Vec<(Ends, Class)> = Vec::new();
    for &index in siblings {
        let phase = phases.phases[index as usize];
        let (ends, set) = ((phase.caller, phase.function), phase.functions);
        let is_near = |(of, class): &(Ends, Class)| {
            let functions = || [class.first, set].map(|it| phases.sets.get(it));
            let is_alike = || {
                let [first, own] = functions();
                distance(first, own) <= most
            };
            *of == ends && (class.first == set || is_alike())
        };
        let class = classes.iter().position(is_near).unwrap_or_else(|| {
            let members = 0;
            classes.push((
                ends,
                Class {
                    first: set,
                    members,
                },
            ));
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

fn classify_siblings(phases: &mut Phases, siblings: &[u32]) {
    let most = phases.parameters.similarity;
    let mut classes: Vec<Class> = Vec::new();
    let mut alike: HashMap<Ends, Alike> = HashMap::new();
    for &index in siblings {
        let phase = phases.phases[index as usize];
        let of_ends = alike.entry((phase.caller, phase.function)).or_default();
        of_ends.members += 1;
        let set = phase.functions;
        let class = of_ends.known.get(&set).copied().unwrap_or_else(|| {
            let functions = phases.sets.get(set);
            let is_near = |class: &&u32| {
                let first = phases.sets.get(classes[**class as usize].first);
                distance(first, functions) <= most
            };
            let found = of_ends.classes.iter().find(is_near).copied();
            let class = found.unwrap_or_else(|| {
                classes.push(Class {
                    first: set,
                    members: 0,
                });
                let new = classes.len() as u32 - 1;
                of_ends.classes.push(new);
                new
            });
            of_ends.known.insert(set, class);
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
