//! What pictures and tables of memory ask for, against a direct evaluation of the definitions.

use super::oracle::RawEvent;
use super::random::{Random, made};
use super::*;
use callscape_base::progress::Progress;

/// Positions in order, the first and the last among them.
fn positions(random: &mut Random, count: usize, events: usize) -> Vec<u32> {
    let mut edges: Vec<u32> = (0..count)
        .map(|_| random.below(events as u64 + 1) as u32)
        .collect();
    edges.extend([0, events as u32]);
    edges.sort_unstable();
    edges
}

/// Whether an event releases what the event before it created.
fn is_temporary(raw: &[RawEvent], number: usize) -> bool {
    let event = &raw[number];
    let before = number.checked_sub(1).map(|it| &raw[it]);
    event.is_release && before.is_some_and(|it| !it.is_release && it.object == event.object)
}

#[test]
fn columns_along_time_are_what_a_replay_says() {
    for (seed, count, columns) in [(1, 900, 40), (2, 5000, 3), (3, 60_000, 7)] {
        let (raw, memory) = made(seed, count, false);
        let events = memory.events().expect("events");
        let mut random = Random(seed + 7);
        let edges = positions(&mut random, columns, count);
        let found = events
            .along(&edges, &Progress::new())
            .expect("nobody stops");
        assert_eq!(found.len(), edges.len() - 1);
        for (pair, found) in edges.windows(2).zip(found) {
            let mut live = oracle::sums(&raw, pair[0] as usize)
                .values()
                .map(CellTotals::live_bytes)
                .sum::<u64>();
            let mut expected = Stretch {
                most: live,
                ..Stretch::default()
            };
            for number in pair[0] as usize..pair[1] as usize {
                let event = &raw[number];
                match event.is_release {
                    true => live -= event.size,
                    false => live += event.size,
                }
                expected.most = expected.most.max(live);
                expected.allocations += u64::from(!event.is_release);
                expected.allocated += event.size * u64::from(!event.is_release);
                expected.temporary += u64::from(is_temporary(&raw, number));
            }
            expected.live = live;
            assert_eq!(found, expected, "seed {seed}, {pair:?}");
        }
    }
}

#[test]
fn temporary_objects_are_counted_up_to_any_position() {
    // More events than lie between checkpoints.
    for (seed, count) in [(4, 2000), (5, 150_000)] {
        let (raw, memory) = made(seed, count, seed % 2 == 0);
        let events = memory.events().expect("events");
        let temporary = events
            .find_temporary(&Progress::new())
            .expect("nobody stops");
        let mut random = Random(seed);
        for position in positions(&mut random, 5, count) {
            let found = events.temporary_at(&temporary, position);
            let mut expected = vec![0; events.cells().len()];
            for number in (0..position as usize).filter(|&it| is_temporary(&raw, it)) {
                let cell = raw[number].cell;
                let place = events.cells().iter().position(|it| *it == cell);
                expected[place.expect("a cell")] += 1;
            }
            assert_eq!(found, expected, "seed {seed} at {position}");
        }
    }
}

#[test]
fn what_outlives_a_range_is_what_was_created_in_it_and_not_released_in_it() {
    for seed in 1..20 {
        let (raw, memory) = made(seed, 500, false);
        let events = memory.events().expect("events");
        let mut random = Random(seed);
        let [_, from, to, _] = positions(&mut random, 2, 500)[..] else {
            panic!("four positions");
        };
        let found = events
            .outcomes((from, to), &Progress::new())
            .expect("nobody stops");
        let range = from as usize..to as usize;
        for (cell, found) in events.cells().iter().zip(found) {
            let mut expected = Outcome::default();
            let created = raw[range.clone()].iter();
            for event in created.filter(|it| !it.is_release && it.cell == *cell) {
                let of_it = |it: &RawEvent| it.is_release && it.object == event.object;
                let release = raw.iter().position(of_it);
                expected.within.allocations += 1;
                expected.within.allocated += event.size;
                match release {
                    Some(release) if release < to as usize => {
                        expected.within.releases += 1;
                        expected.within.released += event.size;
                    }
                    Some(_) => {}
                    None => {
                        expected.stay += 1;
                        expected.stay_bytes += event.size;
                    }
                }
            }
            assert_eq!(found, expected, "seed {seed}, {range:?}");
        }
    }
}

#[test]
fn what_was_just_released_is_counted_by_the_age_of_the_object() {
    for seed in 1..30 {
        let (raw, memory) = made(seed, 400, false);
        let events = memory.events().expect("events");
        let mut random = Random(seed);
        let mut edges = positions(&mut random, 4, 400);
        edges.reverse();
        // Not always from the last event to the first.
        let edges = &edges[random.below(2) as usize..5];
        let of: Vec<u32> = (0..events.cells().len() as u32).collect();
        let mut found = vec![0; of.len() * edges.len()];
        events.just_released(edges, &of, &mut found);
        let mut expected = vec![0; found.len()];
        for event in &raw[edges[1] as usize..edges[0] as usize] {
            if !event.is_release {
                continue;
            }
            let of_it = |it: &RawEvent| !it.is_release && it.object == event.object;
            let created = raw.iter().position(of_it).expect("it was created") as u32;
            let bin = edges[1..].iter().position(|&edge| created >= edge);
            let cell = events.cells().iter().position(|it| *it == event.cell);
            let place = cell.expect("a cell") * edges.len() + bin.unwrap_or(edges.len() - 1);
            expected[place] += 1;
        }
        assert_eq!(found, expected, "seed {seed}, {edges:?}");
        // No more than were released at all.
        let mut bins = vec![AgeBin::default(); found.len()];
        events.ages(edges, &of, &events.state(edges[0]), &mut bins);
        assert!(
            bins.iter()
                .zip(&found)
                .all(|(bin, &just)| just <= bin.released)
        );
    }
}
