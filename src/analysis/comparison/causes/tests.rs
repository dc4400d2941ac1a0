//! The parts of a difference: that they are all of it, and that they say what was changed.

use super::super::contexts::ContextChange;
use super::renamed::alike;
use super::*;

fn random(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move |limit| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % limit
    }
}

const NAMES: [&str; 12] = [
    "main",
    "parse",
    "deflate_slow",
    "deflate_fast",
    "read",
    "write",
    "sort",
    "hash_old",
    "hash_new",
    "compare",
    "print",
    "copy",
];

fn name(row: u32) -> &'static str {
    NAMES[row as usize]
}

/// A context as a test writes it: row, parent, and of A and of B calls, self cost and self waiting.
type Written = (u32, Option<u32>, [u64; 3], [u64; 3]);

fn tree(written: &[Written]) -> ContextTree {
    let side = |[calls, own, waiting]: [u64; 3]| Amounts {
        calls: calls as f64,
        self_cost: own as f64,
        total: own as f64,
        waiting: waiting as f64,
        self_waiting: waiting as f64,
    };
    let of = written.iter().map(|&(row, parent, a, b)| ContextChange {
        row,
        parent,
        change: Change::new(side(a), side(b)),
    });
    let mut tree = ContextTree {
        contexts: of.collect(),
        without: 0,
    };
    for number in (0..tree.contexts.len()).rev() {
        let ContextChange { parent, change, .. } = tree.contexts[number];
        if let Some(parent) = parent {
            let around = &mut tree.contexts[parent as usize].change;
            for (around, of) in [(&mut around.a, change.a), (&mut around.b, change.b)] {
                around.total += of.total;
                around.waiting += of.waiting;
            }
        }
    }
    tree
}

fn random_tree(seed: u64) -> ContextTree {
    let mut random = random(seed);
    let mut written: Vec<Written> = Vec::new();
    for number in 0..1 + random(40) as u32 {
        let parent = (number > 0 && random(8) > 0).then(|| random(number.into()) as u32);
        // A row once below each caller, as a merged tree has it.
        let siblings = written.iter().filter(|it| it.1 == parent);
        let taken: Vec<u32> = siblings.map(|it| it.0).collect();
        let free = (0..NAMES.len() as u32).filter(|it| !taken.contains(it));
        let free: Vec<u32> = free.collect();
        if free.is_empty() {
            continue;
        }
        let row = free[random(free.len() as u64) as usize];
        let mut side = || match random(4) {
            0 => [0; 3],
            _ => {
                let own = random(1000);
                [1 + random(20), own, random(own + 1)]
            }
        };
        written.push((row, parent, side(), side()));
    }
    // What calls something is there.
    for number in (0..written.len()).rev() {
        let (_, parent, a, b) = written[number];
        if let Some(parent) = parent {
            let around = &mut written[parent as usize];
            around.2[0] = around.2[0].max(a[0].min(1));
            around.3[0] = around.3[0].max(b[0].min(1));
        }
    }
    tree(&written)
}

/// The definition, one context after the other, for the pairs of one path alone: names of no two rows are alike.
fn direct(tree: &ContextTree, counts_calls: bool) -> HashMap<Key, f64> {
    fn go(tree: &ContextTree, of: u32, s: f64, counts_calls: bool, parts: &mut HashMap<Key, f64>) {
        let at = |number: u32| &tree.contexts[number as usize];
        let (a, b) = (at(of).change.a, at(of).change.b);
        let caller = at(of).parent.map(|it| at(it).row);
        let mut part = |kind: Kind, amount: f64| {
            let key = Key {
                caller,
                row: at(of).row,
                kind,
            };
            if amount != 0.0 {
                *parts.entry(key).or_default() += amount;
            }
        };
        if !b.is_there() {
            return part(Kind::Gone, -s * a.total);
        }
        if !a.is_there() {
            return part(Kind::New, b.total);
        }
        let numbers = 0..tree.contexts.len() as u32;
        let children: Vec<u32> = numbers.filter(|&it| at(it).parent == Some(of)).collect();
        let unexplained = |s: f64| {
            let below = children.iter().map(|&it| at(it).change);
            let below = below
                .map(|it| (it.b.total - s * it.a.total).abs())
                .sum::<f64>();
            below + (b.self_cost - s * a.self_cost).abs()
        };
        let mut next = s;
        if counts_calls {
            if a.calls > 0.0 && unexplained(b.calls / a.calls) <= 0.9 * unexplained(s) {
                next = b.calls / a.calls;
            }
        } else if children
            .iter()
            .all(|&it| at(it).change.a.total < 0.8 * a.total)
        {
            let mut all: Vec<(f64, f64)> = children
                .iter()
                .map(|&it| (at(it).change.a.total, at(it).change.b.total))
                .chain([(a.self_cost, b.self_cost)])
                .filter(|it| it.0 > 0.0)
                .collect();
            all.sort_by(|x, y| (x.1 / x.0).total_cmp(&(y.1 / y.0)));
            let half = all.iter().map(|it| it.0).sum::<f64>() / 2.0;
            let at_least = |it: &usize| all[..=*it].iter().map(|it| it.0).sum::<f64>() >= half;
            let median = (0..all.len())
                .find(at_least)
                .map(|it| all[it].1 / all[it].0);
            if let Some(median) = median
                && unexplained(median) <= 0.5 * unexplained(s)
            {
                next = median;
            }
        }
        let kind = match (counts_calls, next > s) {
            (true, true) => Kind::CalledMore,
            (true, false) => Kind::CalledLess,
            (false, true) => Kind::MoreWork,
            (false, false) => Kind::LessWork,
        };
        part(kind, (next - s) * a.total);
        part(
            Kind::OwnTime,
            (b.self_cost - b.self_waiting) - next * (a.self_cost - a.self_waiting),
        );
        part(Kind::Waiting, b.self_waiting - next * a.self_waiting);
        for child in children {
            go(tree, child, next, counts_calls, parts);
        }
    }
    let mut parts = HashMap::new();
    let outermost = (0u32..)
        .zip(&tree.contexts)
        .filter(|(_, it)| it.parent.is_none());
    for (number, _) in outermost {
        go(tree, number, 1.0, counts_calls, &mut parts);
    }
    parts
}

fn parts(
    tree: &ContextTree,
    name: fn(u32) -> &'static str,
    counts_calls: bool,
) -> HashMap<Key, Part> {
    let mut taking = Taking {
        tree,
        children: Children::of(tree),
        names: Names::new(&name),
        counts_calls,
        knows_waiting: true,
        parts: HashMap::new(),
    };
    taking.all();
    taking.parts
}

fn difference(tree: &ContextTree) -> f64 {
    let outermost = tree.contexts.iter().filter(|it| it.parent.is_none());
    outermost.map(|it| it.change.delta(Measure::Total)).sum()
}

#[test]
fn the_parts_are_all_of_the_difference() {
    let (mut renamed, mut scaled) = (0, 0);
    for seed in 0..2000 {
        let tree = random_tree(seed);
        for counts_calls in [true, false] {
            let parts = parts(&tree, name, counts_calls);
            let sum: f64 = parts.values().map(|it| it.amount).sum();
            let difference = difference(&tree);
            assert!(
                (sum - difference).abs() < 1e-6 * (1.0 + difference.abs()),
                "seed {seed}"
            );
            renamed += parts.values().filter(|it| it.was.is_some()).count();
            let of_scale = |it: &&Key| {
                !matches!(
                    it.kind,
                    Kind::OwnTime | Kind::Waiting | Kind::New | Kind::Gone
                )
            };
            scaled += parts.keys().filter(of_scale).count();
            let causes = explain(&tree, name, counts_calls, true);
            let shares: f64 = causes.causes.iter().map(|it| it.explains).sum();
            assert!((shares + causes.rest - 1.0).abs() < 1e-6, "seed {seed}");
            let sizes: Vec<f64> = causes.causes.iter().map(|it| it.amount.abs()).collect();
            assert!(sizes.is_sorted_by(|x, y| x >= y), "seed {seed}");
        }
    }
    assert!(
        renamed > 100 && scaled > 1000,
        "{renamed} renamed, {scaled} with a scale"
    );
}

#[test]
fn the_parts_are_those_of_the_definition() {
    /// Names that have nothing in common.
    fn unlike(row: u32) -> &'static str {
        ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"][row as usize]
    }
    for seed in 0..2000 {
        let tree = random_tree(seed);
        for counts_calls in [true, false] {
            let found = parts(&tree, unlike, counts_calls);
            let direct = direct(&tree, counts_calls);
            for (key, amount) in &direct {
                let found = found.get(key).map_or(0.0, |it| it.amount);
                assert!(
                    (found - amount).abs() < 1e-6,
                    "seed {seed}: {key:?} {found} {amount}"
                );
            }
            let more = found
                .iter()
                .find(|(key, it)| it.amount.abs() > 1e-6 && !direct.contains_key(key));
            assert!(more.is_none(), "seed {seed}: {:?}", more.map(|it| it.0));
        }
    }
}

/// The causes with the names of their paths.
fn told(tree: &ContextTree, counts_calls: bool) -> Vec<(&'static str, String, f64)> {
    let causes = explain(tree, name, counts_calls, true);
    let way = |path: &[u32]| {
        path.iter()
            .map(|&it| name(it))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let causes = causes.causes.iter();
    causes
        .map(|it| (it.kind.name(), way(&it.path), it.amount))
        .collect()
}

#[test]
fn what_is_called_less_often_is_one_cause_and_what_it_calls_none() {
    let tree = tree(&[
        (0, None, [1, 100, 0], [1, 100, 0]),
        (1, Some(0), [100, 1000, 0], [10, 100, 0]),
        (9, Some(1), [400, 4000, 0], [40, 400, 0]),
    ]);
    assert_eq!(
        told(&tree, true),
        [("called less", "main parse".to_owned(), -4500.0)]
    );
    // Without counts the same proportion in all of it is less work.
    let less = told(&tree, false);
    assert_eq!(less[0].0, "less work");
    assert_eq!(less.iter().map(|it| it.2).sum::<f64>(), -4500.0);
}

#[test]
fn what_costs_more_a_call_is_its_own_time_beside_more_calls() {
    let tree = tree(&[
        (0, None, [1, 0, 0], [1, 0, 0]),
        (1, Some(0), [10, 1000, 0], [20, 2400, 100]),
        (9, Some(1), [10, 1000, 0], [20, 2000, 0]),
    ]);
    let expected = [
        ("called more", "main parse".to_owned(), 2000.0),
        ("own time", "main parse".to_owned(), 300.0),
        ("waiting", "main parse".to_owned(), 100.0),
    ];
    assert_eq!(told(&tree, true), expected);
}

#[test]
fn what_is_renamed_is_compared_with_what_it_was() {
    let tree = tree(&[
        (0, None, [1, 0, 0], [1, 0, 0]),
        (2, Some(0), [10, 1000, 0], [0, 0, 0]),
        (4, Some(1), [5, 100, 0], [0, 0, 0]),
        (3, Some(0), [0, 0, 0], [10, 400, 0]),
        (4, Some(3), [0, 0, 0], [5, 100, 0]),
        (11, Some(0), [0, 0, 0], [3, 30, 0]),
    ]);
    let expected = [
        ("own time", "main deflate_fast".to_owned(), -600.0),
        ("new", "main copy".to_owned(), 30.0),
    ];
    assert_eq!(told(&tree, true), expected);
    let causes = explain(&tree, name, true, true);
    assert_eq!(causes.causes[0].was, Some(2));
    assert_eq!((causes.difference, causes.rest), (-570.0, 0.0));
}

#[test]
fn one_function_below_one_caller_is_one_cause_wherever_it_is() {
    let tree = tree(&[
        (0, None, [1, 0, 0], [1, 0, 0]),
        (1, Some(0), [1, 10, 0], [1, 10, 0]),
        (9, Some(1), [1, 10, 0], [1, 30, 0]),
        (6, Some(0), [1, 10, 0], [1, 10, 0]),
        (1, Some(3), [1, 10, 0], [1, 10, 0]),
        (9, Some(4), [1, 10, 0], [1, 90, 0]),
    ]);
    let causes = explain(&tree, name, true, true);
    let [cause] = &causes.causes[..] else {
        panic!("{causes:?}");
    };
    assert_eq!(
        (cause.contexts, cause.amount, cause.explains),
        (2, 100.0, 1.0)
    );
    assert_eq!(cause.path, [0, 6, 1, 9]);
    assert_eq!((cause.change.a.total, cause.change.b.total), (20.0, 120.0));
}

#[test]
fn nothing_explains_a_difference_of_nothing() {
    let tree = tree(&[
        (0, None, [1, 10, 0], [1, 10, 0]),
        (1, Some(0), [1, 20, 0], [1, 10, 0]),
        (9, Some(0), [1, 10, 0], [1, 20, 0]),
    ]);
    let causes = explain(&tree, name, true, true);
    assert_eq!((causes.causes.len(), causes.rest), (0, 1.0));
    let causes = explain(&ContextTree::default(), name, true, true);
    assert_eq!((causes.causes.len(), causes.rest), (0, 1.0));
}

/// Dynamic programming over all prefixes, as textbooks have it.
fn longest_common(a: &[char], b: &[char]) -> usize {
    match (a, b) {
        ([x, a @ ..], [y, b @ ..]) if x == y => 1 + longest_common(a, b),
        ([_, rest_a @ ..], [_, rest_b @ ..]) => {
            longest_common(rest_a, b).max(longest_common(a, rest_b))
        }
        _ => 0,
    }
}

#[test]
fn names_are_as_alike_as_their_longest_common_subsequence() {
    let mut random = random(7);
    for _ in 0..300 {
        let mut word = || -> String {
            (0..random(9))
                .map(|_| ['a', 'b', 'é'][random(3) as usize])
                .collect()
        };
        let (a, b) = (word(), word());
        let letters = |word: &str| word.chars().collect::<Vec<_>>();
        let (x, y) = (letters(&a), letters(&b));
        let all = x.len() + y.len();
        let expected = 2.0 * longest_common(&x, &y) as f64 / all.max(1) as f64;
        let found = alike(&a, &b);
        match expected >= 0.6 {
            true => assert_eq!(found, expected, "{a} {b}"),
            false => assert!(found < 0.6 || all == 0, "{a} {b}"),
        }
    }
    assert!(alike("dates_slow.js", "dates_fast.js") > 0.7);
    assert_eq!(alike("deflate_slow", "deflate_fast"), 0.75);
    assert!(alike("parse", "write") < 0.6);
}

/// A caller of a hundred thousand functions of which none is on both sides, and a path of a hundred thousand calls.
#[test]
fn many_callees_and_deep_calls_need_neither_time_nor_stack() {
    let wide = 100_000;
    let mut written: Vec<Written> = vec![(0, None, [1, 0, 0], [1, 0, 0])];
    for row in 1..=wide {
        let there = [1, u64::from(row), 0];
        let sides = if row % 2 == 0 {
            (there, [0; 3])
        } else {
            ([0; 3], there)
        };
        written.push((row % 12, Some(0), sides.0, sides.1));
    }
    for depth in 0..wide {
        let parent = (depth > 0).then_some(wide + depth);
        written.push((depth % 12, parent, [1, 1, 0], [1, 2, 0]));
    }
    let tree = tree(&written);
    let causes = explain(&tree, name, true, true);
    let shares: f64 = causes.causes.iter().map(|it| it.explains).sum();
    assert!((shares + causes.rest - 1.0).abs() < 1e-6);
}
