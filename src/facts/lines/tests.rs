//! Sums of stacks against a direct evaluation, and what an index gives back.

use std::collections::BTreeMap;

use super::*;
use crate::trace::storage::Bytes;

/// Numbers from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) % limit
    }
}

/// A place as the direct evaluation names it: function, file and line.
type Spot = (u32, u32, u32);

/// A stack, outermost first, with what weighs on it by value, samples and calls of its top.
struct Weighed {
    stack: Vec<Spot>,
    weights: [u64; 2],
    samples: u64,
    calls: u64,
}

const ALL: Knows = Knows {
    sites: true,
    calls: true,
    totals: true,
    samples: true,
};

fn random_stacks(random: &mut Random) -> Vec<Weighed> {
    let mut spots: Vec<Spot> = Vec::new();
    for _ in 0..8 {
        let function = random.below(4) as u32;
        spots.push((function, random.below(2) as u32, random.below(4) as u32));
    }
    let count = 1 + random.below(30);
    (0..count)
        .map(|_| {
            let depth = 1 + random.below(7);
            let stack = (0..depth).map(|_| spots[random.below(8) as usize]);
            Weighed {
                stack: stack.collect(),
                weights: [random.below(100), random.below(3)],
                samples: random.below(5),
                calls: random.below(3),
            }
        })
        .collect()
}

fn built(stacks: &[Weighed], knows: Knows) -> Option<Lines> {
    let mut lines = LinesBuilder::new(1, knows);
    lines.add_value();
    let mut tree = LineStacks::new(2);
    for weighed in stacks {
        let mut id = LineStackId::EMPTY;
        for &(function, file, line) in &weighed.stack {
            let file = match file {
                0 => FileId::OWN,
                _ => lines.file("other.h"),
            };
            id = tree.push(id, lines.place(FunctionId(function), file, line));
        }
        for (value, &weight) in weighed.weights.iter().enumerate() {
            tree.add(id, value, weight);
        }
        tree.add_samples(id, weighed.samples);
        tree.add_calls(id, weighed.calls);
    }
    tree.finish(&mut lines);
    lines.finish()
}

/// What is known of each place, and of each place and callee, as the definitions have it.
#[derive(Debug, Default, PartialEq)]
struct Direct {
    own: BTreeMap<(Spot, usize), u64>,
    totals: BTreeMap<(Spot, usize), u64>,
    samples: BTreeMap<Spot, u64>,
    calls: BTreeMap<(Spot, u32), u64>,
    costs: BTreeMap<(Spot, u32, usize), u64>,
}

impl Direct {
    fn of(stacks: &[Weighed]) -> Direct {
        let mut direct = Direct::default();
        for weighed in stacks {
            for &spot in &weighed.stack {
                for value in 0..2 {
                    direct.own.entry((spot, value)).or_default();
                    direct.totals.entry((spot, value)).or_default();
                }
                direct.samples.entry(spot).or_default();
            }
            for pair in weighed.stack.windows(2) {
                let callee = pair[1].0;
                direct.calls.entry((pair[0], callee)).or_default();
                for (value, &weight) in weighed.weights.iter().enumerate() {
                    *direct.costs.entry((pair[0], callee, value)).or_default() += weight;
                }
            }
            let Some(&top) = weighed.stack.last() else {
                continue;
            };
            for (value, &weight) in weighed.weights.iter().enumerate() {
                *direct.own.entry((top, value)).or_default() += weight;
                let mut seen = weighed.stack.clone();
                seen.sort_unstable();
                seen.dedup();
                for spot in seen {
                    *direct.totals.entry((spot, value)).or_default() += weight;
                }
            }
            *direct.samples.entry(top).or_default() += weighed.samples;
            if let [.., below, _] = weighed.stack.as_slice() {
                *direct.calls.entry((*below, top.0)).or_default() += weighed.calls;
            }
        }
        direct
    }

    fn answered(lines: &Lines) -> Direct {
        let mut direct = Direct::default();
        for at in 0..lines.len() {
            let place = lines.place(at);
            let file = u32::from(lines.other_file(place) == Some("other.h"));
            let spot = (place.function().0, file, place.line());
            assert!(lines.of_function(place.function()).contains(&at));
            for value in 0..2 {
                direct.own.insert((spot, value), lines.own(value, at).ns());
                let total = lines.total(value, at).expect("totals are known");
                direct.totals.insert((spot, value), total.ns());
                for site in lines.sites(value, at) {
                    let callee = site.callee.0;
                    let calls = site.calls.expect("calls are known");
                    direct.calls.insert((spot, callee), calls);
                    direct.costs.insert((spot, callee, value), site.cost.ns());
                }
            }
            let samples = lines.samples(at).expect("samples are known");
            direct.samples.insert(spot, samples);
        }
        direct
    }
}

#[test]
fn sums_of_stacks_are_those_of_their_definitions() {
    for seed in 0..300 {
        let stacks = random_stacks(&mut Random(seed));
        let Some(lines) = built(&stacks, ALL) else {
            assert!(stacks.iter().flat_map(|it| &it.stack).all(|it| it.2 == 0));
            continue;
        };
        assert_eq!(Direct::answered(&lines), Direct::of(&stacks), "seed {seed}");
    }
}

/// By path of functions and sites, what contexts by call site weigh by value, and their calls: of each function its own number
/// and the place that it is called from.
type BySite = BTreeMap<Vec<(u32, Option<Spot>)>, ([u64; 2], u64)>;

fn by_site_directly(stacks: &[Weighed]) -> BySite {
    let mut direct = BySite::new();
    for weighed in stacks {
        if weighed.calls == 0 && weighed.weights == [0, 0] {
            continue;
        }
        let callers = std::iter::once(None).chain(weighed.stack.iter().copied().map(Some));
        let functions = weighed.stack.iter().map(|it| it.0);
        let path: Vec<_> = functions.zip(callers).collect();
        for length in 1..=path.len() {
            direct.entry(path[..length].to_vec()).or_default();
        }
        let (weights, calls) = direct.entry(path).or_default();
        for (sum, weight) in weights.iter_mut().zip(weighed.weights) {
            *sum += weight;
        }
        *calls += weighed.calls;
    }
    direct
}

fn by_site_answered(lines: &Lines) -> BySite {
    let Some(call_sites) = lines.call_sites() else {
        return BySite::new();
    };
    let contexts = call_sites.contexts().expect("a tree");
    let spot = |at: usize| {
        let place = lines.place(at);
        let file = u32::from(lines.other_file(place) == Some("other.h"));
        (place.function().0, file, place.line())
    };
    let mut paths: Vec<Vec<(u32, Option<Spot>)>> = Vec::new();
    let mut answered = BySite::new();
    for id in contexts.ids() {
        let around = contexts.parent(id);
        let mut path = around.map_or_else(Vec::new, |it| paths[it.index()].clone());
        path.push((contexts.function(id).0, call_sites.site(id).map(spot)));
        let weights = [0, 1].map(|value| contexts.self_weight(value, id).ns());
        let of = (weights, contexts.calls(id).expect("calls are known"));
        assert!(
            answered.insert(path.clone(), of).is_none(),
            "{path:?} twice"
        );
        paths.push(path);
    }
    answered
}

#[test]
fn contexts_by_call_site_are_those_of_their_definition() {
    for seed in 0..300 {
        let stacks = random_stacks(&mut Random(seed));
        let Some(lines) = built(&stacks, ALL) else {
            continue;
        };
        let expected = by_site_directly(&stacks);
        assert_eq!(by_site_answered(&lines), expected, "seed {seed}");
        let bytes = bytes_of(&lines);
        let back = Lines::from_bytes(&bytes, 0..bytes.len(), 4).expect("it was stored");
        assert_eq!(by_site_answered(&back), expected, "seed {seed}");
        let unknown = Knows {
            sites: false,
            ..ALL
        };
        let without = built(&stacks, unknown).expect("lines are known");
        assert!(without.call_sites().is_none());
    }
}

#[test]
fn what_is_not_known_is_not_answered() {
    let stacks = random_stacks(&mut Random(7));
    let lines = built(&stacks, Knows::default()).expect("lines are known");
    for at in 0..lines.len() {
        assert_eq!(lines.total(0, at), None);
        assert_eq!(lines.samples(at), None);
        assert_eq!(lines.sites(0, at).count(), 0);
    }
    let sites = Knows {
        sites: true,
        ..Knows::default()
    };
    let lines = built(&stacks, sites).expect("lines are known");
    let mut sites = (0..lines.len()).flat_map(|at| lines.sites(0, at));
    assert!(sites.all(|it| it.calls.is_none()));
}

#[test]
fn lines_of_several_recordings_add_up() {
    for seed in 0..50 {
        let mut random = Random(seed);
        let (first, mut second) = (random_stacks(&mut random), random_stacks(&mut random));
        let mut sum = LinesBuilder::new(2, ALL);
        // The functions of the second have other numbers there.
        for (stacks, by) in [(&first, 0), (&second, 10)] {
            if let Some(lines) = built(stacks, ALL) {
                sum.add_lines(&lines, |it| FunctionId(it.0 + by));
            }
        }
        for spot in second.iter_mut().flat_map(|it| &mut it.stack) {
            spot.0 += 10;
        }
        let all: Vec<Weighed> = first.into_iter().chain(second).collect();
        if let Some(lines) = sum.finish() {
            assert_eq!(Direct::answered(&lines), Direct::of(&all), "seed {seed}");
        }
    }
}

#[test]
fn a_stack_of_a_hundred_thousand_frames_is_added_up() {
    let mut lines = LinesBuilder::new(1, ALL);
    let mut tree = LineStacks::new(1);
    let mut id = LineStackId::EMPTY;
    let place = lines.place(FunctionId(0), FileId::OWN, 3);
    for _ in 0..100_000 {
        id = tree.push(id, place);
    }
    tree.add(id, 0, 5);
    tree.finish(&mut lines);
    let lines = lines.finish().expect("a line is known");
    assert_eq!(lines.own(0, 0).ns(), 5);
    assert_eq!(lines.total(0, 0).expect("it is known").ns(), 5);
    let sites: Vec<Site> = lines.sites(0, 0).collect();
    assert_eq!(sites[0].cost.ns(), 5 * 99_999);
}

fn bytes_of(lines: &Lines) -> Bytes {
    let bytes = lines.to_bytes().expect("it is plain data");
    assert!(bytes.len().is_multiple_of(8));
    // Where numbers may begin.
    let words = bytes.chunks_exact(8);
    let words = words.map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes")));
    Bytes::Words(std::sync::Arc::new(words.collect()))
}

#[test]
fn what_was_stored_comes_back_and_what_does_not_fit_does_not() {
    for seed in 0..50 {
        let stacks = random_stacks(&mut Random(seed));
        for knows in [ALL, Knows::default()] {
            let Some(lines) = built(&stacks, knows) else {
                continue;
            };
            let bytes = bytes_of(&lines);
            let whole = 0..bytes.len();
            let back = Lines::from_bytes(&bytes, whole.clone(), 4).expect("it was stored");
            assert_eq!(back.knows(), lines.knows());
            assert_eq!(back.to_bytes().expect("plain data"), bytes.to_vec());
            let functions = (0..lines.len()).map(|at| lines.place(at).function().0);
            let most = functions.max().unwrap_or(0) as usize;
            assert!(Lines::from_bytes(&bytes, whole, most).is_none());
            for length in (0..bytes.len()).step_by(8) {
                assert!(Lines::from_bytes(&bytes, 0..length, 4).is_none());
            }
            // Nothing that is not whole makes a panic.
            let mut random = Random(seed);
            for _ in 0..200 {
                let mut damaged = bytes.to_vec();
                let at = random.below(damaged.len() as u64) as usize;
                damaged[at] ^= 1 << random.below(8);
                let words = damaged.chunks_exact(8);
                let words =
                    words.map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes")));
                let damaged = Bytes::Words(std::sync::Arc::new(words.collect()));
                if let Some(lines) = Lines::from_bytes(&damaged, 0..damaged.len(), 4) {
                    for at in 0..lines.len() {
                        let _ = (lines.own(0, at), lines.total(1, at), lines.samples(at));
                        let _ = lines.sites(1, at).count();
                        let _ = lines.other_file(lines.place(at));
                    }
                    if let Some(call_sites) = lines.call_sites()
                        && let Some(contexts) = call_sites.contexts()
                    {
                        let sites = contexts.ids().filter_map(|it| call_sites.site(it));
                        assert!(sites.max() < Some(lines.len()));
                    }
                }
            }
        }
    }
}
