//! Recordings of memory that are cut, damaged or made to be wrong: an error that names the file, or counted repairs; never a
//! panic, and sums that fit each other whatever was read.

use std::io::Read;
use std::path::Path;

use callscape::facts::memory::{Events, Instant, Known, Memory};
use callscape::facts::recording::Recording;

use super::{Scratch, open, read, warnings};
use crate::common::{Random, data};

/// The content of a file, without its compression.
fn content(name: &str) -> Vec<u8> {
    let bytes = std::fs::read(data(&format!("import/{name}"))).expect("a sample");
    match name.rsplit_once('.').map(|it| it.1) {
        Some("zst") => zstd::decode_all(bytes.as_slice()).expect("sound"),
        Some("gz") => {
            let mut content = Vec::new();
            let mut reader = flate2::read::GzDecoder::new(bytes.as_slice());
            reader.read_to_end(&mut content).expect("sound");
            content
        }
        _ => bytes,
    }
}

/// Fails where what is known of memory does not fit together.
fn is_sound(recording: &Recording) {
    let Some(memory) = &recording.memory else {
        return;
    };
    let cells = memory.cells().len();
    let fits =
        |instant: &Instant| assert!(instant.cells.is_empty() || instant.cells.len() == cells);
    match &memory.known {
        Known::Events(_) => {}
        Known::Allocations(of) => of.survivors.iter().for_each(fits),
        Known::Sums(sums) => {
            sums.instants.iter().for_each(fits);
            assert!(sums.instants.is_sorted_by_key(|it| it.time));
        }
    }
    for counter in &memory.counters {
        assert!(
            counter.values.is_sorted_by_key(|it| it.0),
            "{}",
            counter.name
        );
    }
    for cell in memory.cells() {
        assert!((cell.kind as usize) < memory.types.len());
        let mut functions = memory.stacks.functions(cell.stack);
        assert!(functions.all(|it| it.index() < recording.functions.len()));
    }
    if let Some(events) = memory.timed() {
        let end = events.end();
        let (state, totals) = (events.state(end), events.totals(end));
        let sum = |of: &dyn Fn(usize) -> u64| (0..cells).map(of).sum::<u64>();
        let cell = |it: usize| &state.cells()[it];
        assert_eq!(sum(&|it| cell(it).allocations.into()), totals.allocations);
        assert_eq!(sum(&|it| cell(it).releases.into()), totals.releases);
        assert_eq!(sum(&|it| cell(it).allocated), totals.allocated);
        assert_eq!(sum(&|it| cell(it).released), totals.released);
        assert!(totals.releases <= totals.allocations && totals.released <= totals.allocated);
        assert!((1..end).all(|event| events.time(event - 1) <= events.time(event)));
        assert!(events.peak().0 >= totals.live_bytes());
    }
}

#[test]
fn damaged_recordings_of_memory_do_no_harm() {
    let scratch = Scratch::new("memory-damage");
    for name in [
        "heaptrack/python-start.heaptrack.zst",
        "dhat/xz.dhat.json.gz",
        "massif/xz.massif.out",
        "heapprofile/parse.heapprofile.gz",
        "orders.viztracer.json",
        "jfr/hoard.jfr.gz",
    ] {
        let whole = content(name);
        is_sound(&read(&scratch.write("whole", &whole)));
        let mut opened = 0;
        for seed in 0..120 {
            let random = &mut Random(seed);
            let mut damaged = whole[..whole.len().min(150_000)].to_vec();
            if seed % 4 == 0 {
                damaged.truncate(random.below(damaged.len() as u64) as usize);
            }
            for _ in 0..random.below(7).min(damaged.len() as u64) {
                let at = random.below(damaged.len() as u64) as usize;
                match random.below(3) {
                    0 => damaged[at] ^= 1 << random.below(8),
                    1 => damaged[at] = b"0123456789abcdef-+ \n"[random.below(20) as usize],
                    // Many digits.
                    _ => {
                        let end = damaged.len().min(at + 1 + random.below(24) as usize);
                        damaged[at..end].fill(b'9');
                    }
                }
            }
            match open(&scratch.write("damaged", &damaged)) {
                Ok(recording) => {
                    is_sound(&recording);
                    opened += 1;
                }
                Err(error) => assert!(error.to_string().contains("damaged"), "{error}"),
            }
        }
        assert!(opened > 10, "{name}: {opened}");
    }
}

#[test]
fn a_damaged_uftrace_directory_with_arguments_does_no_harm() {
    let sample = data("import/lists.uftrace");
    let scratch = Scratch::new("memory-uftrace");
    let files: Vec<(std::ffi::OsString, Vec<u8>)> = std::fs::read_dir(&sample)
        .expect("a sample")
        .map(|entry| entry.expect("an entry").path())
        .map(|path| {
            let name = path.file_name().expect("a name").to_owned();
            (name, std::fs::read(path).expect("a file"))
        })
        .collect();
    is_sound(&read(&sample));
    for seed in 0..60 {
        let random = &mut Random(seed);
        for (name, whole) in &files {
            let mut bytes = whole.clone();
            let is_records = Path::new(name).extension().is_some_and(|it| it == "dat");
            if is_records || random.below(4) == 0 {
                for _ in 0..random.below(9) {
                    let at = random.below(bytes.len() as u64) as usize;
                    bytes[at] = random.next() as u8;
                }
            }
            std::fs::write(scratch.0.join(name), bytes).expect("a temporary file");
        }
        if let Ok(recording) = open(&scratch.0) {
            is_sound(&recording);
        }
    }
}

/// The first events of a recording are those of the whole.
fn is_beginning(part: &Events, whole: &Events) {
    assert!(part.end() <= whole.end());
    for event in 0..part.end() {
        assert_eq!(part.time(event), whole.time(event));
        assert_eq!(part.is_release(event), whole.is_release(event));
        assert_eq!(
            part.kind_of(event).map(|it| it.1),
            whole.kind_of(event).map(|it| it.1)
        );
    }
}

#[test]
fn a_truncated_recording_of_heaptrack_keeps_what_was_whole() {
    let scratch = Scratch::new("memory-cut");
    // Several blocks, as heaptrack writes them while a program runs.
    let text = content("heaptrack/python-start.heaptrack.zst");
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 3).expect("an encoder");
    for piece in text.chunks(20_000) {
        std::io::Write::write_all(&mut encoder, piece).expect("memory");
        std::io::Write::flush(&mut encoder).expect("memory");
    }
    let packed = encoder.finish().expect("memory");
    let whole = read(&scratch.write("whole.zst", &packed));
    let whole = whole
        .memory
        .as_ref()
        .and_then(Memory::events)
        .expect("events");
    let mut most = 0;
    for percent in [3, 20, 50, 80, 99] {
        let cut = &packed[..packed.len() * percent / 100];
        let recording = match open(&scratch.write("cut.zst", cut)) {
            Ok(recording) => recording,
            // Not even the first block.
            Err(error) => {
                assert!(
                    percent < 20 && error.to_string().contains("cut.zst"),
                    "{error}"
                );
                continue;
            }
        };
        let counted = warnings(&recording);
        assert_eq!(counted["truncated-compression"], 1, "{percent} %");
        // Nearly all are cut in a line, which might have gone on.
        assert!(
            counted.len() == 1 || counted["truncated-file"] == 1,
            "{percent} %"
        );
        is_sound(&recording);
        let part = recording
            .memory
            .as_ref()
            .and_then(Memory::events)
            .expect("events");
        is_beginning(part, whole);
        assert!(part.end() >= most, "{percent} %");
        most = part.end();
    }
    assert!(most > whole.end() / 2);
}

#[test]
fn extremes_are_counted_and_never_wrap() {
    let scratch = Scratch::new("memory-extremes");
    let read = |name: &str, text: &str| {
        let recording = read(&scratch.write(name, text.as_bytes()));
        is_sound(&recording);
        recording
    };
    let counted = |recording: &Recording| -> Vec<String> {
        let all = warnings(recording).into_iter();
        all.map(|(kind, count)| format!("{kind} {count}")).collect()
    };
    let last = |recording: &Recording| match &recording.memory.as_ref().expect("memory").known {
        Known::Sums(sums) => sums.instants.last().expect("an instant").whole,
        _ => panic!("sums"),
    };
    let massif = "desc: a\ncmd: b\ntime_unit: i\nsnapshot=0\ntime=9\nmem_heap_B=18446744073709551615\n\
                  mem_heap_extra_B=x\nmem_stacks_B=9223372036854775808\nheap_tree=peak\n\
                  n2: 18446744073709551615 all\n n0: 18446744073709551615 0x1: f (a.c:1)\n\
                  \x20n0: 9223372036854775808 0x2: g (a.c:2)\n n0: x 0x3: h (a.c:3)\n\
                  snapshot=1\ntime=3\nmem_heap_B=18446744073709551616\nmem_heap_B=y\n";
    let recording = read("a.massif", massif);
    let expected = [
        "malformed-line 4",
        "more-than-around-it 1",
        "time-goes-back 1",
    ];
    assert_eq!(counted(&recording), expected);
    let Known::Sums(sums) = &recording.memory.as_ref().expect("memory").known else {
        panic!("sums");
    };
    assert_eq!(sums.peak.map(|it| it.0), Some(u64::MAX));
    let dhat = r#"{"dhatFileVersion":2,"tu":"instrs","te":9,"tg":99,"pps":[
        {"tb":4611686018427387000,"tbk":1,"gb":1,"gbk":1,"eb":4611686018427387000,"ebk":3,"fs":[0,7]},
        {"tb":4611686018427387000,"tbk":1,"eb":9223372036854775808,"fs":[0]},
        {"tb":4611686018427387000,"fs":[0]},{"tb":4611686018427387000,"fs":[0]},
        {"tb":4611686018427387000,"fs":[0]},{"tb":"many","fs":[0]}],"ftbl":["0x1: f (a.c:1)"]}"#;
    let recording = read("a.dhat.json", dhat);
    let expected = ["not-a-number 1", "number-out-of-range 1", "unknown-frame 1"];
    assert_eq!(counted(&recording), expected);
    assert_eq!(last(&recording).allocated, Some(u64::MAX));
    assert_eq!(last(&recording).live_bytes, Some(4_611_686_018_427_387_000));
    let node = |bytes: &str, children: &str| {
        format!(
            r#"{{"callFrame":{{"functionName":"f"}},"selfSize":{bytes},"children":[{children}]}}"#
        )
    };
    let most = node("4611686018427387000", "");
    let mut children = vec![most; 5];
    children.push(node("1e40", ""));
    let recording = read(
        "a.heapprofile",
        &format!(r#"{{"head":{}}}"#, node("0", &children.join(","))),
    );
    assert_eq!(counted(&recording), ["number-out-of-range 1"]);
    assert_eq!(last(&recording).live_bytes, Some(u64::MAX));
    let heaptrack = "v 10400 1\ns f\ni 1 0 1\nt 1 0\nI ffffffffffffffff\na 8000000000000000 1\n\
                     c 7fffffffffffffff\n+ 0\nR -1\nR ffffffffffffffff\n+ 0\nc 10000000000000000\n- 0\n- 0\n+ 1\n";
    let recording = read("a.heaptrack", heaptrack);
    let expected = [
        "bytes-out-of-range 1",
        "free-without-allocation 1",
        "malformed-line 2",
        "unknown-allocation 1",
    ];
    assert_eq!(counted(&recording), expected);
    let memory = recording.memory.as_ref().expect("memory");
    assert_eq!(memory.counters[0].values, [(u64::MAX, u64::MAX)]);
    assert_eq!(memory.events().map(|it| it.peak().0), Some(1 << 63));
}
