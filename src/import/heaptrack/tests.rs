//! Tests of the parts of the format.

use super::*;
use crate::formats::format_of;
use callscape_facts::memory::Events;

fn read(text: &str) -> (Vec<&'static str>, Recording) {
    assert_eq!(format_of(text.as_bytes()).map(|it| it.0.id), Some(FORMAT));
    let reporter = Reporter::new();
    let mut reader = Reader::new(&reporter);
    let lines = text.lines();
    let wrong = lines
        .filter_map(|line| reader.read(line.as_bytes()))
        .collect();
    let end = Time::from_ns(reader.now);
    let memory = reader.builder.finish(Detail::Events, end);
    let path = std::path::Path::new("made");
    let functions = reader.functions;
    let recording = Recording::of_memory(path, FORMAT, functions, memory, Vec::new());
    (wrong, recording)
}

fn events(recording: &Recording) -> &Events {
    recording
        .memory
        .as_ref()
        .and_then(|it| it.events())
        .expect("events")
}

const TREE: &str = "X app\ns 4 main\ns 3 run\ns 3 app\ni 10 3 1\ni 20 3 2\nt 1 0\nt 2 1\n";

#[test]
fn numbers_of_lines_read_at_once_are_those_read_digit_by_digit() {
    let random = &mut callscape_facts::memory::random::Random(11);
    let mut found = 0;
    for _ in 0..200_000 {
        let signs = b"0123456789abcdefabcdef\n\n \r/:`gAF\x80\xff";
        let text: [u8; 12] = std::array::from_fn(|_| match random.below(4) {
            0 => signs[random.below(signs.len() as u64) as usize],
            _ => b"0123456789abcdef"[random.below(16) as usize],
        });
        let end = text.iter().position(|&it| it == b'\n').unwrap_or(12);
        let mut numbers = Numbers(&text[..end]);
        let expected = numbers.next().filter(|_| numbers.0.is_empty());
        let is_short = (1..8).contains(&end) && !text[..end].contains(&b' ');
        let expected = expected.filter(|_| is_short);
        let read = number_in_line(&text);
        assert_eq!(read.map(|it| u64::from(it.0)), expected, "{text:?}");
        assert!(read.is_none_or(|it| it.1 == end));
        found += usize::from(read.is_some());
    }
    assert!(found > 10_000, "{found}");
}

#[test]
fn totals_are_those_of_heaptrack_print() {
    let path = std::path::Path::new(concat!(
        concat!(env!("CARGO_MANIFEST_DIR"), "/../.."),
        "/tests/data/import/heaptrack/python-start.heaptrack.zst"
    ));
    let input = Input::on_disk(path.to_owned());
    let recording = import(&input, &Progress::new()).expect("a recording");
    assert!(recording.warnings.is_empty(), "{:?}", recording.warnings);
    let events = events(&recording);
    let totals = events.totals(events.end());
    let found = [
        totals.allocations,
        totals.temporary,
        totals.allocated,
        totals.live_bytes(),
        events.peak().0,
        events.peak().1.ns(),
    ];
    assert_eq!(
        found,
        [9008, 2390, 1_010_207, 635_928, 637_354, 359_000_000]
    );
}

#[test]
fn ages_and_stacks_of_a_small_recording() {
    let text = format!("v 10400 3\n{TREE}a 10 2\na 20 1\n+ 0\nc 5\n+ 1\n+ 0\n- 0\nc 9\n- 1\nR 3\n");
    let (wrong, recording) = read(&text);
    assert!(wrong.is_empty(), "{wrong:?}");
    let memory = recording.memory.as_ref().expect("memory");
    let events = events(&recording);
    let object = events.object(0).expect("the first");
    assert_eq!(
        (object.size, object.released, object.creation.ns()),
        (16, None, 0)
    );
    let names = memory.stacks.functions(object.stack);
    let names: Vec<&str> = names.map(|it| recording.functions.get(it).name).collect();
    assert_eq!(names, ["run", "main"]);
    let other = events.object(1).expect("the second");
    assert_eq!(other.release.map(Time::ns), Some(9_000_000));
    assert_eq!(events.totals(events.end()).temporary, 1);
    assert_eq!(memory.counters[0].values, [(9_000_000, 3 * 4096)]);
}

#[test]
fn addresses_of_version_0_tell_objects_apart() {
    let text = "v 10000\ns main\ni 10 0 1\nt 1 0\n+ 8 1 a0\n+ 8 1 b0\n- a0\n- c0\n+ 8 1 b0\n";
    let (wrong, recording) = read(text);
    assert_eq!(wrong, ["free-without-allocation", "address-reused"]);
    assert_eq!(events(&recording).object(0).expect("one").released, Some(2));
}

#[test]
fn what_is_damaged_is_counted_and_left_out() {
    let size = "8000000000000000";
    let text = format!(
        "v 10400 3\n{TREE}a {size} 2\na zz 1\na 8 99\n+ 0\n+ 0\n+ 1\n+ 7\n- 0\n- 0\n- \n?\nt 77 1\ni\nc 5\nc 3\n"
    );
    let (wrong, recording) = read(&text);
    let expected = [
        "malformed-line",
        "malformed-line",
        "bytes-out-of-range",
        "unknown-allocation",
        "unknown-allocation",
        "free-without-allocation",
        "malformed-line",
        "unknown-line",
        "malformed-line",
        "malformed-line",
        "time-goes-back",
    ];
    assert_eq!(wrong, expected);
    assert_eq!(events(&recording).end(), 2);
}
