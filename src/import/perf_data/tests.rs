//! Tests with recordings of perf and what `perf script` prints of them, and with records written after the manual.

use std::collections::BTreeMap;
use std::path::Path;

use super::*;
use crate::made;
use crate::perf_script;

/// The folder of the samples.
const FOLDER: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tests/data/import/perf-data"
);

/// A sample where its program is, which has its symbols.
fn opened(name: &str) -> Recording {
    let input = Input::on_disk(Path::new(FOLDER).join(name));
    import(&input, &Progress::new()).expect("a recording")
}

/// By thread and function, how many calls there are and how many nanoseconds they take.
fn totals(recording: &Recording) -> BTreeMap<(String, String), (u64, u64)> {
    let mut totals = BTreeMap::new();
    for line in made::calls(recording) {
        let (thread, calls) = line.split_once(':').expect("a thread");
        // The text does not tell the process.
        let thread = thread.split_once('/').expect("a process").1;
        for call in calls.rsplit_terminator('^').skip(1) {
            let (call, cost) = call.rsplit_once('+').expect("a cost");
            let name = call.rsplit_once('@').expect("a start").0;
            let name = name.trim_start_matches(|c: char| c.is_ascii_digit());
            let total = totals.entry((thread.to_owned(), name.trim().to_owned()));
            let total: &mut (u64, u64) = total.or_default();
            total.0 += 1;
            total.1 += cost.parse::<u64>().expect("a number");
        }
    }
    totals
}

#[test]
fn frames_are_those_that_perf_script_prints() {
    for name in ["chains", "packed", "pipe", "events", "group"] {
        let recording = opened(&format!("{name}.perf.data"));
        let text = made::sample(&format!("perf-data/{name}.perf.txt"));
        let text = made::read(perf_script::import, &text).expect("a recording");
        assert_eq!(recording.samples, text.samples, "{name}");
        let mut totals_found = totals(&recording);
        // Perf 6.1 prints no inlined functions of these chains.
        totals_found.retain(|(_, function), _| !["leaf", "middle", "call"].contains(&&**function));
        assert_eq!(totals_found, totals(&text), "{name}");
        assert_eq!(recording.trace.duration(), text.trace.duration(), "{name}");
    }
}

#[test]
fn inlined_functions_have_lines() {
    let recording = opened("chains.perf.data");
    assert_eq!(made::counted(&recording), Vec::<String>::new());
    let names = recording.functions.ids().map(|id| {
        let function = recording.functions.get(id);
        let file = function.file.rsplit('/').next().unwrap_or_default();
        format!("{} {file} {}", function.name, function.library)
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    let expected = [
        "[unknown]  [unknown]",
        "_start forks.c forks",
        "leaf forks.c forks",
        "middle forks.c forks",
        "work forks.c forks",
    ];
    assert_eq!(names, expected);
    assert!(recording.lines.is_some());
    let processes = recording.trace.threads().iter();
    let processes: Vec<(bool, &str)> = processes
        .map(|it| (it.process == it.id, it.name.as_str()))
        .collect();
    assert_eq!(processes, [(true, "forks"), (true, "a child")]);
}

#[test]
fn without_its_program_addresses_are_unknown() {
    // Another build than any that is here.
    let program = made::sample("perf-data/forks");
    let note = memchr::memmem::find(&program, b"GNU\0").expect("a build id");
    let id = &program[note + 4..][..20];
    let mut bytes = made::sample("perf-data/chains.perf.data");
    let at = memchr::memmem::find(&bytes, id).expect("its build id");
    bytes[at..at + 20].fill(0x11);
    let folder = std::env::temp_dir().join(format!("callscape-perf-data-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("perf.data");
    std::fs::write(&path, &bytes).expect("a file");
    let read = || import(&Input::on_disk(path.clone()), &Progress::new()).expect("a recording");
    let without = read();
    std::fs::write(folder.join("forks"), &program).expect("a file");
    let with_another = read();
    std::fs::remove_dir_all(&folder).expect("removed");
    for (recording, kind) in [
        (without, "symbols-missing 1"),
        (with_another, "symbols-of-another-build 1"),
    ] {
        assert_eq!(made::counted(&recording), [kind]);
        assert!(lacks_symbols(&recording));
        let mut names = recording.functions.ids();
        assert!(names.all(|id| recording.functions.get(id).name == "[unknown]"));
    }
}

#[test]
fn stacks_to_unwind_are_refused_with_the_command() {
    let error = made::read(import, &made::sample("perf-data/stacks.perf.data"));
    let error = error.expect_err("not read").to_string();
    assert!(error.contains("'perf script'"), "{error}");
}

/// A recording that is made here.
struct Made {
    order: Order,
    attributes: Vec<u8>,
    data: Vec<u8>,
    features: Vec<(u64, Vec<u8>)>,
}

impl Made {
    fn new(order: Order) -> Made {
        Made {
            order,
            attributes: Vec::new(),
            data: Vec::new(),
            features: Vec::new(),
        }
    }

    fn words(&self, words: &[u64]) -> Vec<u8> {
        let bytes = words.iter().flat_map(|word| match self.order {
            Order::LowFirst => word.to_le_bytes(),
            Order::HighFirst => word.to_be_bytes(),
        });
        bytes.collect()
    }

    /// Two halves of a word.
    fn pair(&self, first: u32, second: u32) -> u64 {
        let (first, second) = (u64::from(first), u64::from(second));
        match self.order {
            Order::LowFirst => second << 32 | first,
            Order::HighFirst => first << 32 | second,
        }
    }

    /// An event with this type and configuration, which asks for these fields; the id of its counter is 1.
    fn event(&mut self, (kind, config): (u32, u64), asks: u64, read: u64) {
        let bits = match self.order {
            Order::LowFirst => 1 << 18,
            Order::HighFirst => (1_u64 << 18).reverse_bits(),
        };
        let size = self.pair(kind, 64);
        let words = [size, config, 1000, asks, read, bits, 0, 0, 104 + 80, 8];
        let event = self.words(&words);
        self.attributes.extend(event);
    }

    /// A record of these words, a text and words behind it.
    fn record(&mut self, (kind, misc): (u32, u16), words: &[u64], text: &[u8], behind: &[u64]) {
        let size = (8 + 8 * (words.len() + behind.len()) + text.len()) as u16;
        let (low, high) = (u64::from(misc), u64::from(size));
        let header = match self.order {
            Order::LowFirst => high << 48 | low << 32 | u64::from(kind),
            Order::HighFirst => u64::from(kind) << 32 | low << 16 | high,
        };
        self.data.extend(self.words(&[header]));
        self.data.extend(self.words(words));
        self.data.extend(text);
        self.data.extend(self.words(behind));
    }

    fn bytes(&self) -> Vec<u8> {
        let front = 104 + self.attributes.len() as u64 + 8;
        let mut bits = [0_u64; 4];
        for (number, _) in &self.features {
            bits[(number / 64) as usize] |= 1 << (number % 64);
        }
        let magic = u64::from_le_bytes(*b"PERFILE2");
        let mut words = vec![magic, 104, 80, 104, self.attributes.len() as u64];
        words.extend([front, self.data.len() as u64, 0, 0]);
        words.extend(bits);
        let mut bytes = self.words(&words);
        bytes.extend(&self.attributes);
        bytes.extend(self.words(&[1]));
        bytes.extend(&self.data);
        let mut at = (bytes.len() + 16 * self.features.len()) as u64;
        for (_, feature) in &self.features {
            bytes.extend(self.words(&[at, feature.len() as u64]));
            at += feature.len() as u64;
        }
        self.features.iter().for_each(|it| bytes.extend(&it.1));
        bytes
    }
}

/// Two samples with chains in a process that was forked, and something lost.
fn made_in(order: Order) -> Vec<u8> {
    const ASKS: u64 = 1 | 1 << 1 | 1 << 2 | 1 << 4 | 1 << 5 | 1 << 8;
    const OF_USER: u64 = u64::MAX - 511;
    let mut made = Made::new(order);
    // Samples have the counters of a group, with ids.
    made.event((1, 0), ASKS, 1 << 3 | 1 << 2);
    let [parent, child] = [5, 6].map(|id| made.pair(id, id));
    let forked = made.pair(6, 5);
    made.record((3, 0), &[parent], b"parent\0\0", &[parent, 1]);
    let file = b"/none/app\0\0\0\0\0\0\0";
    made.record((1, 2), &[parent, 0x1000, 0x1000, 0], file, &[parent, 2]);
    made.record((7, 0), &[forked, forked, 90], b"", &[parent, 90]);
    // Address, thread, time, period, counters, chain.
    let sample = [0x1001, child, 3_000_000, 7];
    let counters = [2, 2_000_000, 1, 12, 2];
    let chain = [3, OF_USER, 0x1001, 0x1fff];
    let words = [&sample[..], &counters, &chain].concat();
    made.record((9, 2), &words, b"", &[]);
    made.record((2, 0), &[1, 40], b"", &[parent, 3_000_001]);
    // Before it in time.
    let sample = [0x1001, child, 1_000_000, 1_000_000, 0, 2, OF_USER, 0x9000];
    made.record((9, 2), &sample, b"", &[]);
    // Cut.
    made.record((9, 2), &[0x1001, child], b"", &[]);
    made.bytes()
}

#[test]
fn both_orders_of_bytes_are_read() {
    for order in [Order::LowFirst, Order::HighFirst] {
        let recording = made::found(FORMAT, made_in(order));
        let expected = ["malformed-record 1", "samples-lost 40", "symbols-missing 1"];
        assert_eq!(made::counted(&recording), expected, "{order:?}");
        let expected = [
            "6/6 parent: [unknown]@0+1000000^0 [unknown]@1000000+2000000^0 [unknown]@1000000+2000000^1",
        ];
        assert_eq!(made::calls(&recording), expected, "{order:?}");
    }
}

#[test]
fn symbols_of_simpleperf_are_read() {
    const ASKS: u64 = 1 | 1 << 1 | 1 << 2;
    let mut made = Made::new(Order::LowFirst);
    made.event((1, 1), ASKS, 0);
    let of = made.pair(5, 5);
    let name = b"/system/lib/a.so\0\0\0\0\0\0\0\0";
    made.record((1, 2), &[of, 0x7000, 0x1000, 0x2000], name, &[of, 1]);
    made.record((9, 2), &[0x7010, of, 1_000_000], b"", &[]);
    made.record((9, 2), &[0x7030, of, 2_000_000], b"", &[]);
    let mut file = b"\x0a\x10/system/lib/a.so\x10\x02\x18\x80\xa0\x01".to_vec();
    // A function from 0x5010 on, in a file whose address 0x5000 is at 0x2000.
    file.extend(b"\x22\x0d\x08\x90\xa0\x01\x10\x10\x1a\x05_Z1fv");
    file.extend(b"\x32\x03\x08\x80\x40");
    let mut files = (file.len() as u32).to_le_bytes().to_vec();
    files.extend(file);
    let about = b"simpleperf_version\x001\0event_type_info\0task-clock:u,1,1\0".to_vec();
    made.features = vec![(129, about), (132, files)];
    let recording = made::found(FORMAT, made.bytes());
    let calls = made::calls(&recording).concat();
    assert!(calls.starts_with("5/5 :5: f@0+1000"), "{calls}");
    assert!(calls.contains("[unknown]@"), "{calls}");
}

#[test]
fn wake_ups_are_links() {
    const ASKS: u64 = 1 | 1 << 1 | 1 << 2 | 1 << 10;
    let mut made = Made::new(Order::LowFirst);
    made.event((2, 300), ASKS, 0);
    let [by, woken] = [5, 6].map(|id| made.pair(id, id));
    // The length of the fields, and these: the thread stands behind 8 bytes.
    let fields = [made.pair(20, 1), made.pair(2, 6)];
    made.record((9, 1), &[1, by, 1_000_000], b"", &[fields[0], fields[1], 0]);
    made.record((9, 1), &[1, woken, 2_000_000], b"", &[made.pair(4, 0)]);
    let format = b"name: sched_waking\nID: 300\nformat:\n\tfield:pid_t pid;\toffset:8;\tsize:4;\n";
    let mut names = made.words(&[made.pair(1, 64)]);
    names.extend(&made.attributes[..64]);
    names.extend(made.words(&[made.pair(0, 24)]));
    names.extend(b"sched:sched_waking\0\0\0\0\0\0");
    made.features = vec![(1, format.to_vec()), (12, names)];
    let recording = made::found(FORMAT, made.bytes());
    let links = made::linked_calls(&recording);
    assert!(links[1].ends_with("<[unknown]"), "{links:?}");
    let profile = recording.weighed.expect("weights");
    assert!(format!("{profile:?}").contains("sched:sched_waking"));
}

#[test]
fn what_is_cut_or_damaged_is_repaired_or_refused() {
    let bytes = made_in(Order::LowFirst);
    made::survives(import, &bytes);
    let whole = made::sample("perf-data/chains.perf.data");
    for length in (0..whole.len()).step_by(37) {
        // Whether that is still a recording depends on the place.
        let _ = made::read(import, &whole[..length]);
    }
    let cut = made::read(import, &whole[..1900]).expect("the first samples");
    let kinds = made::kinds(&cut);
    assert!(kinds.contains(&"truncated-file"), "{kinds:?}");
    assert!(kinds.contains(&"features-missing"), "{kinds:?}");
    let error = made::read(import, &whole[..90]).expect_err("no header");
    assert!(error.to_string().contains("header of 104 bytes"), "{error}");
    for name in ["packed", "pipe"] {
        let bytes = made::sample(&format!("perf-data/{name}.perf.data"));
        for length in (0..bytes.len()).step_by(61) {
            let _ = made::read(import, &bytes[..length]);
        }
    }
}
