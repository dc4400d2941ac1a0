//! Which thread of one run is which of another.

use std::collections::BTreeMap;

use callscape_base::units::ThreadId;
use callscape_facts::trace::Trace;

/// By thread of `a`, the one of `b` that it is. Each once and among what is left: those of one name in their order;
/// those whose names differ in numbers alone, as of a pool or a process; and where one is left on each side, these.
/// O(n log n) in the threads.
pub fn paired(a: &Trace, b: &Trace) -> Vec<Option<ThreadId>> {
    let names = [a, b].map(|trace| trace.threads().iter().map(|it| it.name.as_str()).collect());
    let pairs = by_names(&names);
    pairs
        .into_iter()
        .map(|it| it.map(|place| ThreadId(place as u32)))
        .collect()
}

/// The same by the names of both.
fn by_names(names: &[Vec<&str>; 2]) -> Vec<Option<usize>> {
    let mut partner = vec![None; names[0].len()];
    let mut is_taken = vec![false; names[1].len()];
    let keys: [fn(&str) -> String; 3] = [str::to_owned, without_numbers, |_| String::new()];
    for (round, key) in keys.into_iter().enumerate() {
        let mut groups: BTreeMap<String, [Vec<usize>; 2]> = BTreeMap::new();
        let free = (0..partner.len()).filter(|&place| partner[place].is_none());
        for place in free {
            groups.entry(key(names[0][place])).or_default()[0].push(place);
        }
        for place in (0..is_taken.len()).filter(|&place| !is_taken[place]) {
            groups.entry(key(names[1][place])).or_default()[1].push(place);
        }
        for [a, b] in groups.into_values() {
            // What has nothing in common is paired only where there is no choice.
            if round == 2 && (a.len(), b.len()) != (1, 1) {
                continue;
            }
            for (a, b) in a.into_iter().zip(b) {
                partner[a] = Some(b);
                is_taken[b] = true;
            }
        }
    }
    partner
}

/// A name with every number in it as `#`.
fn without_numbers(name: &str) -> String {
    let mut out = String::new();
    for letter in name.chars() {
        match (letter.is_ascii_digit(), out.ends_with('#')) {
            (true, true) => {}
            (true, false) => out.push('#'),
            (false, _) => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_found_again_by_name_by_name_without_numbers_and_as_the_only_ones_left() {
        let names = |of: &[&'static str]| of.to_vec();
        let pairs = |a: &[&'static str], b: &[&'static str]| by_names(&[names(a), names(b)]);
        assert_eq!(
            pairs(&["main", "worker"], &["worker", "main"]),
            [Some(1), Some(0)]
        );
        assert_eq!(
            pairs(&["w", "w", "w"], &["w", "w"]),
            [Some(0), Some(1), None]
        );
        let (a, b) = (["pool-1-thread-2", "1234"], ["777", "pool-9-thread-12"]);
        assert_eq!(pairs(&a, &b), [Some(1), Some(0)]);
        assert_eq!(pairs(&["main"], &["start"]), [Some(0)]);
        assert_eq!(pairs(&["x", "y"], &["z"]), [None, None]);
        assert_eq!(pairs(&[], &["z"]), []);
    }
}
