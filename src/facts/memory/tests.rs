use super::events::Checkpoint;
use super::oracle::{self, RawEvent};
use super::random::{Random, made};
use super::*;
use crate::functions::Function;
use crate::trace::storage::{Bytes, Table};
use callscape_base::progress::Progress;
use callscape_base::units::ThreadId;

fn refuse(kind: &'static str) {
    panic!("{kind}");
}

fn stored(memory: &Memory) -> Memory {
    let bytes = memory.to_bytes().expect("plain data");
    let words = bytes
        .chunks(8)
        .map(|word| u64::from_le_bytes(word.try_into().expect("eight")));
    let words = Bytes::Words(std::sync::Arc::new(words.collect()));
    Memory::from_bytes(&words, 0..bytes.len()).expect("what was stored")
}

#[test]
fn what_lives_at_any_instant_is_what_a_replay_says() {
    for (seed, count) in [(1, 10), (2, 300), (3, 3000), (4, 80_000), (5, 140_000)] {
        let (raw, memory) = made(seed, count, false);
        for memory in [&memory, &stored(&memory)] {
            let events = memory.events().expect("events");
            let mut random = Random(seed + 99);
            let mut moving = events.state(0);
            for turn in 0..12 {
                let position = match turn {
                    0 => count as u32,
                    1 => 0,
                    _ => random.below(count as u64 + 1) as u32,
                };
                let expected = oracle::sums(&raw, position as usize);
                events.advance(&mut moving, position);
                let state = events.state(position);
                assert_eq!(state, moving, "seed {seed} at {position}");
                let (mut live, mut allocations) = (0, 0);
                for (cell, totals) in events.cells().iter().zip(state.cells()) {
                    let of = expected.get(cell).copied().unwrap_or_default();
                    assert_eq!(*totals, of, "seed {seed} at {position}");
                    live += of.live_bytes();
                    allocations += u64::from(of.allocations);
                }
                let totals = events.totals(position);
                assert_eq!(totals.live_bytes(), live);
                assert_eq!(totals.allocations, allocations);
            }
            let (bytes, position) = oracle::peak(&raw);
            assert_eq!(events.peak().0, bytes);
            assert_eq!(events.peak().1.ns(), raw[position - 1].time);
            assert_eq!(events.most_between(0, events.end()), bytes);
            // The event, whatever else has its time.
            let shown = events.totals(events.instant(events.peak().1));
            assert_eq!(shown.live_bytes(), bytes, "seed {seed}");
        }
    }
}

#[test]
fn positions_are_counts_of_events_up_to_a_time() {
    let (raw, memory) = made(7, 5000, false);
    let events = memory.events().expect("events");
    let mut random = Random(3);
    for _ in 0..200 {
        let near = raw[random.below(5000) as usize].time;
        let t = (near + random.below(3)).saturating_sub(1);
        let expected = raw.iter().filter(|event| event.time <= t).count();
        assert_eq!(events.position(Time::from_ns(t)), expected as u32);
    }
    assert!(memory.bytes() as f64 / 5000.0 < 12.0, "{}", memory.bytes());
}

#[test]
fn ages_are_counted_in_cels_living_and_released_apart() {
    for seed in 1..30 {
        let (raw, memory) = made(seed, 400, seed % 2 == 0);
        let events = memory.events().expect("events");
        let mut random = Random(seed);
        let mut edges: Vec<u32> = (0..1 + random.below(6))
            .map(|_| random.below(401) as u32)
            .collect();
        edges.sort_unstable_by(|a, b| b.cmp(a));
        let of: Vec<u32> = (0..events.cells().len() as u32).collect();
        let mut out = vec![AgeBin::default(); of.len() * edges.len()];
        events.ages(&edges, &of, &events.state(13), &mut out);
        for (cell, bins) in events.cells().iter().zip(out.chunks(edges.len())) {
            let found: Vec<(u32, u32)> =
                bins.iter().map(|bin| (bin.living, bin.released)).collect();
            assert_eq!(
                found,
                oracle::ages(&raw, &edges, *cell),
                "seed {seed}, {edges:?}"
            );
        }
    }
}

#[test]
fn objects_know_when_and_by_whom_they_were_created_and_released() {
    for youngest in [false, true] {
        let (raw, memory) = made(11, 3000, youngest);
        let events = memory.events().expect("events");
        assert_eq!(memory.ages_inferred, youngest);
        let progress = Progress::new();
        let all = (0, events.end());
        let (found, count) = events
            .objects(all, |_| true, Sequence::Creation, usize::MAX, &progress)
            .expect("not cancelled");
        let created: Vec<&RawEvent> = raw.iter().filter(|it| !it.is_release).collect();
        assert_eq!(count, created.len() as u64);
        for (object, raw_event) in found.iter().zip(created) {
            let is_end = |it: &&RawEvent| it.is_release && it.object == raw_event.object;
            let release = raw.iter().find(is_end).map(|it| Time::from_ns(it.time));
            assert_eq!(object.release, release);
            assert_eq!(object.creation.ns(), raw_event.time);
            assert_eq!(object.size, raw_event.size);
            assert_eq!(
                (object.stack, object.kind),
                (raw_event.cell.stack, raw_event.cell.kind)
            );
        }
        let (largest, _) = events
            .objects(
                all,
                |it| it.released.is_none(),
                Sequence::Size,
                5,
                &progress,
            )
            .expect("not cancelled");
        assert!(largest.windows(2).all(|pair| pair[0].size >= pair[1].size));
    }
}

#[test]
fn patterns_count_every_object_once() {
    let (raw, memory) = made(21, 2000, false);
    let events = memory.events().expect("events");
    let progress = Progress::new();
    let of = vec![0; events.cells().len()];
    let even = std::array::from_fn(|i| (i * raw.len() / INTERVALS) as u32);
    for edges in [even, events.tenths_of_time(memory.duration())] {
        let mut out = [Pattern::default()];
        events
            .allocation_pattern(&edges, &of, &mut out, &progress)
            .expect("not cancelled");
        for (interval, pair) in edges.windows(2).enumerate() {
            let within = &raw[pair[0] as usize..pair[1] as usize];
            let created = within.iter().filter(|it| !it.is_release).count();
            assert_eq!(out[0][interval], created as u32);
        }
    }
    let mut out = [Pattern::default()];
    let oldest = events
        .release_ages(&of, &mut out, &progress)
        .expect("not cancelled");
    let (mut expected, mut most) = ([0; 10], 0);
    let age = |object: u32| {
        let of = |is_release| {
            raw.iter()
                .find(|it| it.object == object && it.is_release == is_release)
        };
        Some(of(true)?.time - of(false)?.time)
    };
    let objects = raw
        .iter()
        .filter(|it| !it.is_release)
        .map(|it| age(it.object));
    let ages: Vec<Option<u64>> = objects.collect();
    ages.iter().flatten().for_each(|&age| most = most.max(age));
    for age in &ages {
        let bin = age.map_or(9, |age| {
            (u128::from(age) * 9 / (u128::from(most) + 1)) as usize
        });
        expected[bin] += 1;
    }
    assert_eq!((oldest.ns(), out[0]), (most, expected));
}

#[test]
fn what_cannot_be_is_counted_and_left_out() {
    let mut found = Vec::new();
    let mut builder = MemoryBuilder::new();
    let (at, thread) = (Time::from_ns(5), ThreadId(0));
    let site = builder.site(1 << 63, StackId::EMPTY, 0);
    let live = builder
        .allocate(at, thread, site, |kind| found.push(kind))
        .expect("the first fits");
    assert_eq!(
        builder.allocate(at, thread, site, |kind| found.push(kind)),
        None
    );
    builder.release(Time::ZERO, thread, live, |kind| found.push(kind));
    builder.release(at, thread, live, |kind| found.push(kind));
    builder.release_youngest(at, thread, 17, |kind| found.push(kind));
    let memory = builder.finish(Detail::Events, Time::ZERO);
    let events = memory.events().expect("events");
    assert_eq!((events.end(), events.peak().0), (2, 1 << 63));
    assert_eq!(events.time(1).ns(), 5);
    let refused = [
        "bytes-out-of-range",
        "time-goes-back",
        "free-without-allocation",
        "free-without-allocation",
    ];
    assert_eq!(found, refused);
}

/// The same events without their releases, and what lives at the end as if that had been looked for.
fn without_releases(seed: u64, count: usize) -> (Vec<RawEvent>, Memory) {
    let (raw, made) = made(seed, count, false);
    let end = made.events().expect("events");
    let lived = end.state(end.end());
    let mut builder = MemoryBuilder::new();
    for name in &made.types {
        builder.kind(name);
    }
    for function in 0..made.stacks.len() as u32 - 1 {
        builder.stack(
            StackId(made.stacks.frames[function as usize + 1].parent),
            FunctionId(function),
        );
    }
    let raw: Vec<RawEvent> = raw.into_iter().filter(|it| !it.is_release).collect();
    for event in &raw {
        let site = builder.site(event.size, event.cell.stack, event.cell.kind);
        let time = Time::from_ns(event.time);
        builder
            .allocate(time, ThreadId(0), site, refuse)
            .expect("room");
    }
    let of_cell = |cell: &Cell| {
        let place = made.cells().iter().position(|it| it == cell);
        let totals = place.map(|place| lived.cells()[place]).unwrap_or_default();
        SumRow {
            live: Some(u64::from(totals.live())),
            ..SumRow::default()
        }
    };
    let memory = builder.finish(Detail::Samples, made.end);
    let rows = memory.cells().iter().map(of_cell).collect();
    let instant = Instant::new(made.end.ns(), rows);
    (raw, memory.without_releases(vec![instant]))
}

#[test]
fn allocations_without_releases_never_say_what_lives_between_instants() {
    for (seed, count) in [(1, 10), (2, 700), (3, 60_000)] {
        let (raw, memory) = without_releases(seed, count);
        for memory in [&memory, &stored(&memory)] {
            assert!(memory.events().is_none());
            let Known::Allocations(of) = &memory.known else {
                panic!("allocations");
            };
            assert_eq!(memory.timed().map(Events::end), Some(raw.len() as u32));
            let lived = &of.survivors[0];
            for position in [0, raw.len() / 3, raw.len()] {
                let expected = oracle::sums(&raw, position);
                for (instant, is_known) in [(None, false), (Some(lived), true)] {
                    let rows = of.rows(position as u32, instant);
                    for ((place, cell), row) in memory.cells().iter().enumerate().zip(rows) {
                        let of = expected.get(cell).copied().unwrap_or_default();
                        assert_eq!(row.allocations, Some(u64::from(of.allocations)));
                        assert_eq!(row.allocated, Some(of.allocated));
                        let live = lived.cells[place].live.filter(|_| is_known);
                        assert_eq!((row.live, row.live_bytes), (live, None));
                    }
                }
            }
            let whole: u64 = of.last().iter().filter_map(|it| it.live).sum();
            assert_eq!(lived.whole.live, Some(whole));
        }
    }
}

#[test]
fn a_profile_of_a_range_is_what_its_events_add_up_to() {
    let mut functions = Functions::default();
    for line in 0..20 {
        functions.intern(Function {
            line,
            ..Function::default()
        });
    }
    let without = functions.intern(NO_FRAMES);
    for seed in 0..40 {
        let (events, memory) = made(seed, 300, false);
        let last = events.last().map_or(0, |it| it.time);
        let mut random = Random(seed + 1);
        for _ in 0..8 {
            let start = events[random.below(300) as usize].time + random.below(2);
            let end = (start + random.below(last + 2 - start.min(last))).max(start);
            let range = TimeRange::new(Time::from_ns(start), Time::from_ns(end));
            let profile = memory.profile_within(range, &functions).expect("times");
            // By function what its stacks allocated in the range, and what lives of them at its end.
            let mut direct = vec![[0_u64; 4]; functions.len()];
            for event in events.iter().filter(|it| it.time < end || end >= last) {
                let function = memory.creator(event.cell).unwrap_or(without);
                let of = &mut direct[function.index()];
                let (size, sign) = match event.is_release {
                    true => (event.size.wrapping_neg(), u64::MAX),
                    false => (event.size, 1),
                };
                if event.time >= start && !event.is_release {
                    of[0] += size;
                    of[1] += 1;
                }
                of[2] = of[2].wrapping_add(size);
                of[3] = of[3].wrapping_add(sign);
            }
            for value in 0..4 {
                let metrics = profile.showing(value);
                let own = metrics.function_metrics().iter();
                let own: Vec<u64> = own.map(|it| it.self_cost.weight() as u64).collect();
                let wanted: Vec<u64> = direct.iter().map(|it| it[value]).collect();
                assert_eq!(own, wanted, "seed {seed}, value {value}, {range:?}");
            }
        }
    }
}

#[test]
fn objects_without_sizes_weigh_no_bytes() {
    let mut builder = MemoryBuilder::new();
    let kind = builder.kind("Node");
    let stack = builder.stack(StackId::EMPTY, FunctionId(0));
    let site = builder.site(1, stack, kind);
    let thread = ThreadId(0);
    for time in 0..3 {
        let object = builder.allocate(Time::from_ns(time), thread, site, refuse);
        if time == 1 {
            let object = object.expect("room");
            builder.release(Time::from_ns(time), thread, object, refuse);
        }
    }
    let mut memory = builder.finish(Detail::Events, Time::ZERO);
    memory.sizes_known = false;
    let memory = stored(&memory);
    assert!(!memory.sizes_known && memory.types_are_classes);
    assert_eq!(memory.unit(), Unit::Things("objects".into()));
    let mut functions = Functions::default();
    functions.intern_at(Default::default(), 0);
    let profile = memory.profile(&mut functions);
    let values: Vec<(&str, u64)> = (0..profile.values().len())
        .map(|value| {
            (
                profile.values()[value].name.as_str(),
                profile.weight_of(value).ns(),
            )
        })
        .collect();
    assert_eq!(values, [("allocations", 3), ("objects", 2)]);
}

#[test]
fn counts_near_the_limits_of_32_and_64_bits_stay_right() {
    const HUGE: u64 = 1 << 40;
    let mut builder = MemoryBuilder::new();
    let stack = builder.stack(StackId::EMPTY, FunctionId(0));
    let sites = [
        builder.site(HUGE, StackId::EMPTY, 0),
        builder.site(1, stack, 0),
    ];
    let mut objects = Vec::new();
    for time in 0..9 {
        let at = Time::from_ns(time);
        let thread = ThreadId(0);
        match time {
            6 | 7 => builder.release(at, thread, objects[time as usize - 4], refuse),
            _ => objects.extend(builder.allocate(at, thread, sites[time as usize % 2], refuse)),
        }
    }
    let memory = builder.finish(Detail::Events, Time::ZERO);
    let mut events = memory.events().expect("events").clone();
    let small = |position: u32| events.state(position).cells().to_vec();
    let small: Vec<Vec<CellTotals>> = (0..=9).map(small).collect();
    // Counts start so close to their limit that the last event reaches it.
    let before = [
        CellTotals {
            allocations: u32::MAX - 4,
            releases: 100_000_000,
            allocated: u64::MAX - 4 * HUGE,
            released: u64::MAX / 3,
        },
        CellTotals {
            allocations: 100_000_000,
            releases: 100_000_000,
            allocated: u64::MAX / 2,
            released: u64::MAX / 2,
        },
    ];
    events.checkpoints = Table::Rows(
        vec![Checkpoint {
            position: 2,
            reserved: 0,
            end: 2,
        }]
        .into(),
    );
    events.checkpoint_cells = Table::Rows(before.to_vec().into());
    let mut moving = events.state(2);
    for position in [2, 9, 3, 8, 2, 5, 9] {
        events.advance(&mut moving, position);
        assert_eq!(moving, events.state(position));
        for (cell, found) in moving.cells().iter().enumerate() {
            let [then, now] = [2, position].map(|it| small[it as usize][cell]);
            let plus = |before: u64, then: u64, now: u64| before + (now - then);
            let of = before[cell];
            let count =
                |before: u32, then: u32, now: u32| plus(before.into(), then.into(), now.into());
            let allocations = count(of.allocations, then.allocations, now.allocations);
            assert_eq!(u64::from(found.allocations), allocations);
            let releases = count(of.releases, then.releases, now.releases);
            assert_eq!(u64::from(found.releases), releases);
            assert_eq!(
                found.allocated,
                plus(of.allocated, then.allocated, now.allocated)
            );
            assert_eq!(
                found.released,
                plus(of.released, then.released, now.released)
            );
            assert_eq!(u64::from(found.live()), allocations - releases);
            assert_eq!(SumRow::of(found).live, Some(allocations - releases));
        }
        // Together they are more than can be counted: the most that can.
        let mut groups = [CellTotals::default()];
        events.add_up(&moving, &[0, 0], &mut groups);
        assert_eq!(
            (groups[0].allocations, groups[0].allocated),
            (u32::MAX, u64::MAX)
        );
        let living: u64 = moving.cells().iter().map(|it| u64::from(it.live())).sum();
        assert!(u64::from(groups[0].live()) <= living);
        let mut bins = [AgeBin::default(); 2];
        events.ages(&[position, 2], &[0, 0], &moving, &mut bins);
        let young = u64::from(bins[0].living);
        assert_eq!(u64::from(bins[1].living), living - young);
    }
    let row = SumRow::of(&before[0]).plus(SumRow::of(&before[1]));
    assert_eq!(row.allocated, Some(u64::MAX));
    assert_eq!(row.allocations, Some(u64::from(u32::MAX) - 4 + 100_000_000));
}

#[test]
fn events_past_those_that_can_be_numbered_are_left_out() {
    // As many as in tests can be.
    const MOST: u32 = 1 << 18;
    let mut left_out = Vec::new();
    let mut builder = MemoryBuilder::new();
    let site = builder.site(3, StackId::EMPTY, 0);
    let (at, thread) = (Time::from_ns(1), ThreadId(0));
    let mut last = None;
    for _ in 0..MOST + 2 {
        let new = builder.allocate(at, thread, site, |kind| left_out.push(kind));
        last = new.or(last);
    }
    let last = last.expect("many");
    builder.release(at, thread, last, |kind| left_out.push(kind));
    builder.release_youngest(at, thread, site, |kind| left_out.push(kind));
    builder.release_alone(at, thread, site, |kind| left_out.push(kind));
    assert_eq!(left_out, ["too-many-events"; 5]);
    let memory = builder.finish(Detail::Events, Time::ZERO);
    let events = memory.events().expect("events");
    let totals = events.totals(events.end());
    assert_eq!((events.end(), totals.live()), (MOST, u64::from(MOST)));
    assert_eq!(totals.live_bytes(), 3 * u64::from(MOST));
    assert_eq!(events.object(MOST - 1).map(|it| it.released), Some(None));
}
