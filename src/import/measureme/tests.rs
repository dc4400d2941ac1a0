//! Profiles written after the description of the format in both of its versions, and a real one.

use super::*;
use crate::made;
use callscape_base::units::CallId;
use callscape_facts::trace::random::random_numbers;

/// A profile whose pages are of so many bytes at most.
fn file(
    version: u8,
    page: usize,
    events: &[(u64, u64, u32, u64, u64)],
    texts: &[&[u8]],
) -> Vec<u8> {
    let width = if version == 8 { 4 } else { 8 };
    let number = |number: u64| number.to_le_bytes()[..width].to_vec();
    let header = |letters: &[u8; 4]| {
        let mut header = letters.to_vec();
        header.extend([version, 0, 0, 0]);
        header
    };
    let mut streams = [header(b"MMES"), header(b"MMSD"), header(b"MMSI")];
    for &(kind, event, thread, start, end) in events {
        streams[0].extend(number(kind));
        streams[0].extend(number(event));
        let high = (start >> 32) << 16 | end >> 32;
        for part in [thread, start as u32, end as u32, high as u32] {
            streams[0].extend(part.to_le_bytes());
        }
    }
    // Texts have the ids 0, 1 and so on; the last is the metadata.
    for (id, text) in texts.iter().enumerate() {
        let place = streams[1].len() as u64;
        let id = if id + 1 == texts.len() {
            METADATA
        } else {
            id as u64
        };
        streams[1].extend(*text);
        streams[1].push(0xff);
        streams[2].extend(number(id));
        streams[2].extend(number(place));
    }
    let mut file = header(b"MMPD");
    let mut rest = streams.each_ref().map(|it| it.as_slice());
    while rest.iter().any(|it| !it.is_empty()) {
        for (tag, rest) in rest.iter_mut().enumerate() {
            let (now, later) = rest.split_at(page.min(rest.len()));
            *rest = later;
            if !now.is_empty() {
                file.push(tag as u8);
                file.extend((now.len() as u32).to_le_bytes());
                file.extend(now);
            }
        }
    }
    file
}

/// A text with a reference to that of this id.
fn reference(version: u8, before: &str, id: u8, behind: &str) -> Vec<u8> {
    let mut text = before.as_bytes().to_vec();
    text.extend([0xfe, id]);
    text.resize(text.len() + if version == 8 { 3 } else { 7 }, 0);
    text.extend(behind.as_bytes());
    text
}

fn sample(version: u8, page: usize) -> Vec<u8> {
    let nested = reference(version, "type_", 2, "\u{1e}main");
    let texts: [&[u8]; 5] = [b"Query", b"expand", b"of", &nested, b"{\"process_id\":7}"];
    let events = [
        // Written when they end.
        (0, 3, 2, 0x1_0000_0010, 0x1_0000_0020),
        (0, 3, 2, 0x1_0000_0020, 0x1_0000_0020),
        (0, 1, 2, 5, INSTANT),
        (0, 1, 2, 5, NUMBER),
        (0, 1, 2, 0x1_0000_0000, 0x1_0000_0020),
        (0, 1, 3, 0x1_0000_0000, 0x1_0000_0030),
        (0, 1, 3, 0x1_0000_0020, 0x1_0000_0040),
    ];
    file(version, page, &events, &texts)
}

#[test]
fn intervals_are_calls_in_both_versions_however_they_are_cut_in_pages() {
    for (version, page) in [(8, 1000), (8, 7), (9, 1000), (9, 13)] {
        let recording = made::found(FORMAT, sample(version, page));
        assert_eq!(
            made::linked_calls(&recording),
            [
                ": expand 0+32 ^0",
                ": type_of 16+16 ^1",
                ": type_of 32+0 ^0",
                ": expand 0+48 ^0",
                ": expand 32+32 ^0",
            ]
        );
        let threads: Vec<&str> = recording.threads().iter().map(|it| &*it.id).collect();
        assert_eq!(threads, ["2", "3", "3, lane 2"]);
        assert!(recording.threads().iter().all(|it| &*it.process == "7"));
        assert_eq!(made::kinds(&recording), ["event-not-shown"]);
    }
}

#[test]
fn random_intervals_that_nest_keep_their_times() {
    for seed in 0..20 {
        let mut below = random_numbers(seed);
        // Outermost first, each inside of the one before or behind it.
        let mut intervals: Vec<(u64, u64)> = Vec::new();
        let (mut open, mut now) = (Vec::<u64>::new(), 1);
        for _ in 0..200 {
            now += below(5);
            while open.last().is_some_and(|&end| end <= now) {
                open.pop();
            }
            let most = open.last().map_or(100, |&end| end - now);
            let end = now + below(most) + 1;
            intervals.push((now, end));
            open.push(end);
        }
        let mut written = intervals.clone();
        written.reverse();
        written.sort_by_key(|it| it.1);
        let events: Vec<_> = written.iter().map(|it| (0, 0, 1, it.0, it.1)).collect();
        let file = file(9, 100, &events, &[b"work", b"{}"]);
        let recording = made::found(FORMAT, &file);
        let first = intervals[0].0;
        let mut expected: Vec<String> = intervals
            .iter()
            .map(|(start, end)| format!("work {}+{}", start - first, end - start))
            .collect();
        let calls = made::linked_calls(&recording);
        let times = calls.iter().filter_map(|it| it[2..].split(" ^").next());
        let mut found: Vec<String> = times.map(str::to_owned).collect();
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "seed {seed}");
        assert_eq!(recording.threads().len(), 1, "seed {seed}");
    }
}

#[test]
fn texts_of_references_to_themselves_end() {
    let circle = reference(9, "a", 0, "b");
    let file = file(9, 1000, &[(1, 0, 1, 5, 6)], &[&circle, b"Query", b"{}"]);
    let recording = made::found(FORMAT, &file);
    assert_eq!(made::kinds(&recording), ["incomplete-text"]);
}

#[test]
fn other_versions_are_refused() {
    let error = made::read(import, b"MMPD\x07\0\0\0").expect_err("not read");
    assert!(error.to_string().contains("version 7"), "{error}");
}

#[test]
fn cut_and_damaged_profiles_are_borne() {
    for version in [8, 9] {
        made::survives(import, &sample(version, 40));
    }
}

#[test]
fn a_real_profile_has_the_sums_of_decodeme() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/data/import/measureme/core.mm_profdata.gz"
    );
    let input = Input::on_disk(path.into());
    let recording = import(&input, &Progress::new()).expect("a recording");
    assert_eq!(made::kinds(&recording), ["argument-text-cut"]);
    let trace = &recording.trace;
    let calls = trace.threads().iter().zip(trace.thread_ids());
    let calls = calls.flat_map(|(thread, id)| (0..thread.calls as u32).map(move |it| (id, it)));
    let costs = calls.map(|(id, call)| trace.call(id, CallId(call)).cost().ns());
    assert_eq!(
        (trace.calls(), costs.sum(), recording.functions.len()),
        (283, 61_555_464_u64, 165)
    );
}
