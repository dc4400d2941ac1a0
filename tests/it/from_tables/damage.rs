//! Folders of tables that are not as Callscape writes them: whatever is in them, there is a recording with its repairs, or
//! one error that names the file, what was expected and what was found.

use std::path::Path;

use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, ParquetMetaDataWriter};

use super::written::{Column, write, write_packed};
use super::*;
use crate::common::Random;

/// The error that opening gives.
fn error(dir: &Path) -> String {
    match read(dir) {
        Ok(recording) => panic!("{dir:?} is {:?}", recording.warnings),
        Err(error) => error,
    }
}

/// How often something of a kind was repaired.
fn counted(recording: &Recording, kind: &str) -> u64 {
    let found = recording.warnings.iter().find(|it| it.kind == kind);
    found.map_or(0, |it| it.count)
}

/// A folder with the tables of a small trace.
fn exported(test: &str) -> (Scratch, Recording) {
    let recording = read(&common::data("import/orders.viztracer.json")).expect("a recording");
    let scratch = Scratch::new(test);
    export(&recording, &scratch.0, "one", &Table::ALL);
    (scratch, recording)
}

/// A folder with tables of sums that another engine has written.
fn foreign(test: &str) -> Scratch {
    let scratch = Scratch::new(test);
    write(
        &scratch.0.join("functions/recording=x/data.parquet"),
        &[
            ("function", Column::Long(vec![Some(10), Some(20), Some(5)])),
            ("name", Column::text(&["a", "b\u{1b}[31m\n", "c"])),
            ("self", Column::Long(vec![Some(1), Some(-2), None])),
            ("total", Column::Long(vec![Some(4), Some(3), Some(2)])),
        ],
    );
    scratch
}

/// A context, its parent, function and self cost.
type ContextRow = (i64, Option<i64>, i64, i64);

fn contexts_of(scratch: &Scratch, rows: &[ContextRow]) {
    let column = |of: fn(&ContextRow) -> Option<i64>| Column::Long(rows.iter().map(of).collect());
    write(
        &scratch.0.join("contexts/recording=x/data.parquet"),
        &[
            ("context", column(|row| Some(row.0))),
            ("parent", column(|row| row.1)),
            ("function", column(|row| Some(row.2))),
            ("self", column(|row| Some(row.3))),
        ],
    );
}

#[test]
fn no_damage_to_a_table_is_a_panic() {
    let (scratch, _) = exported("damage");
    let mut random = Random(7);
    let (mut opened, mut refused) = (0, 0);
    for table in Table::ALL {
        let path = file_of(&scratch.0, table, "one");
        let Ok(whole) = std::fs::read(&path) else {
            continue;
        };
        for round in 0..80 {
            let mut bytes = whole.clone();
            // The end, which says where everything lies, is met as often as all the rest.
            let from = match round % 2 {
                0 => 0,
                _ => bytes.len().saturating_sub(400),
            };
            let middle = bytes.len() / 2;
            for _ in 0..=random.below(4) {
                let at = from + random.below((bytes.len() - from) as u64) as usize;
                match random.below(4) {
                    0 => bytes[at] ^= 1 << random.below(8),
                    1 => bytes[at] = random.below(256) as u8,
                    2 => bytes[at] = 0xff,
                    _ => bytes.swap(at, middle),
                }
            }
            if round % 20 == 0 {
                bytes.truncate(random.below(whole.len() as u64) as usize);
            }
            std::fs::write(&path, &bytes).expect("a file");
            match read(&scratch.0) {
                Ok(recording) => {
                    assert!(recording.damage().is_none());
                    recording.function_metrics(None);
                    opened += 1;
                }
                Err(error) => {
                    assert!(error.contains("part-0.parquet"), "{error}");
                    refused += 1;
                }
            }
        }
        std::fs::write(&path, &whole).expect("a file");
    }
    assert!(opened > 20 && refused > 100, "{opened} {refused}");
}

#[test]
fn what_is_half_written_is_left_out_and_counted() {
    let (scratch, recording) = exported("half");
    export(&recording, &scratch.0, "two", &Table::ALL);
    std::fs::remove_file(file_of(&scratch.0, Table::Recordings, "two")).expect("a file");
    let functions = scratch.0.join("functions/recording=one");
    std::fs::write(functions.join(".12-3.callscape-tmp"), b"PAR1").expect("a file");
    std::fs::write(functions.join(".x.parquet"), b"PAR1").expect("a file");
    let again = read(&scratch.0).expect("the whole one");
    assert_eq!(counted(&again, "half-written-recording"), 1);
    assert_eq!(again.calls(), recording.calls());
    let alone = scratch.0.join("functions/recording=two");
    let text = error(&alone);
    assert!(text.contains("half written ones: two"), "{text}");
}

#[test]
fn files_that_are_missing_cut_or_of_another_version_are_named() {
    let (scratch, _) = exported("missing");
    let functions = file_of(&scratch.0, Table::Functions, "one");
    let whole = std::fs::read(&functions).expect("a file");
    let try_with = |bytes: &[u8], expected: &str, found: &str| {
        std::fs::write(&functions, bytes).expect("a file");
        let text = error(&scratch.0);
        let is_named = text.contains("functions/recording=one/part-0.parquet");
        let is_told = text.contains(expected) && text.contains(found);
        assert!(is_named && is_told, "{text}");
    };
    try_with(
        &whole[..whole.len() - 9],
        "a Parquet file",
        "without its end",
    );
    try_with(b"", "a Parquet file", "an empty file");
    try_with(b"hello, world", "a Parquet file", "another file");
    let mut encrypted = whole.clone();
    let end = encrypted.len();
    encrypted[end - 4..].copy_from_slice(b"PARE");
    try_with(&encrypted, "a Parquet file", "encrypted");
    let key = b"callscape.version";
    let at = whole.windows(key.len()).position(|it| it == key);
    let mut later = whole.clone();
    // A field of text, one letter long, with that letter.
    let value = at.expect("a version") + key.len() + 2;
    assert_eq!(later[value], b'1');
    later[value] = b'7';
    try_with(&later, "tables of version 1", "version 7");
    std::fs::remove_file(&functions).expect("a file");
    let text = error(&scratch.0);
    assert!(text.contains("the table 'functions'"), "{text}");
}

#[test]
fn columns_that_are_missing_or_of_another_type_are_named() {
    let scratch = foreign("columns");
    write(
        &scratch.0.join("calls/recording=x/data.parquet"),
        &[("thread", Column::Long(vec![Some(0)]))],
    );
    let text = error(&scratch.0);
    assert!(
        text.contains(
            "calls/recording=x/data.parquet: expected a column 'function' of whole numbers"
        ) && text.contains("found columns thread"),
        "{text}"
    );
    write(
        &scratch.0.join("calls/recording=x/data.parquet"),
        &[
            ("function", Column::text(&["a"])),
            ("start_ns", Column::Long(vec![Some(0)])),
            ("end_ns", Column::Long(vec![Some(0)])),
        ],
    );
    let text = error(&scratch.0);
    assert!(text.contains("found one of BYTE_ARRAY"), "{text}");
}

#[test]
fn numbers_of_other_engines_are_taken_in_any_order() {
    let scratch = foreign("foreign");
    let sums = read(&scratch.0).expect("a profile");
    let metrics = sums.function_metrics(None);
    let own: Vec<u64> = metrics.iter().map(|it| it.self_cost.ns()).collect();
    assert_eq!(own, [1, 0, 0]);
    assert_eq!(counted(&sums, "negative-number"), 1);
    assert_eq!(
        sums.functions.get(callscape::units::FunctionId(1)).name,
        "b\u{1b}[31m\n"
    );
    // Parents behind their children, and a function that is in no table.
    contexts_of(
        &scratch,
        &[(7, Some(3), 20, 5), (3, None, 10, 1), (9, Some(7), 99, 2)],
    );
    let recording = read(&scratch.0).expect("a profile");
    assert_eq!(counted(&recording, "function-unknown"), 1);
    let profile = recording.profile.as_ref().expect("a profile");
    let tree = rows(profile.contexts().expect("contexts"));
    assert_eq!(tree.len(), 3);
    assert_eq!(profile.weight().ns(), 8);
    let names: Vec<&str> = profile
        .contexts()
        .into_iter()
        .flat_map(|it| {
            it.ids()
                .map(|id| recording.functions.get(it.function(id)).name)
        })
        .collect();
    assert_eq!(names, ["a", "b\u{1b}[31m\n", "[unknown]"]);
}

#[test]
fn parents_in_a_circle_are_refused() {
    let scratch = foreign("circle");
    contexts_of(&scratch, &[(0, Some(1), 10, 1), (1, Some(0), 20, 1)]);
    let text = error(&scratch.0);
    assert!(
        text.contains("a cycle") && text.contains("contexts/recording=x"),
        "{text}"
    );
    contexts_of(&scratch, &[(0, None, 10, 1), (1, Some(8), 20, 1)]);
    let text = error(&scratch.0);
    assert!(text.contains("parent 8 in row 1"), "{text}");
}

#[test]
fn a_table_in_thousands_of_parts_is_read_whole() {
    const PARTS: usize = 2000;
    let scratch = foreign("parts");
    let first = scratch.0.join("relations/recording=x/0.parquet");
    write(
        &first,
        &[
            ("caller", Column::Long(vec![Some(10)])),
            ("callee", Column::Long(vec![Some(20)])),
            ("calls", Column::Long(vec![Some(1)])),
        ],
    );
    for part in 1..PARTS {
        let path = first.with_file_name(format!("{part}.parquet"));
        std::fs::hard_link(&first, path).expect("a link");
    }
    let recording = read(&scratch.0).expect("a profile");
    let relations = recording.relations(None);
    assert_eq!(relations.len(), 1);
    assert_eq!(relations[0].calls, PARTS as u64);
}

/// The decoder panics on it, which is told as damage and nothing else.
#[test]
fn damage_that_the_decoder_does_not_expect_is_one_error() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz/seeds/parquet/bytes-past-their-page.parquet");
    let ran = crate::common::callscape().arg("info").arg(&path).output();
    let ran = ran.expect("it runs");
    let said = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(1), "{said}");
    assert!(said.contains("its decoder does not expect"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}

/// Each thread takes memory, and numbers of threads that go up by one take no room.
#[test]
fn more_threads_than_the_files_have_bytes_are_refused() {
    let scratch = foreign("threads");
    let calls = |count: i64| {
        let column = |of: fn(i64) -> i64| Column::Long((0..count).map(|it| Some(of(it))).collect());
        write_packed(
            &scratch.0.join("calls/recording=x/data.parquet"),
            &[
                ("thread", column(|it| it)),
                ("function", column(|_| 10)),
                ("start_ns", column(|it| it)),
                ("end_ns", column(|it| it + 1)),
            ],
        );
    };
    calls(1000);
    assert_eq!(read(&scratch.0).expect("a recording").threads().len(), 1000);
    calls(150_000);
    let text = error(&scratch.0);
    assert!(text.contains("calls/recording=x"), "{text}");
    assert!(text.contains("threads in"), "{text}");
}

/// A small file would be unpacked again and again.
#[test]
fn groups_of_rows_that_share_their_bytes_are_refused() {
    let scratch = foreign("shared");
    let path = scratch.0.join("functions/recording=x/data.parquet");
    let numbers = || Column::Long((0..5000).map(Some).collect());
    let names = Column::Text((0..5000).map(|it| format!("f{it}")).collect());
    write(&path, &[("function", numbers()), ("name", names)]);
    let whole = std::fs::read(&path).expect("a file");
    let file = std::fs::File::open(&path).expect("a file");
    let metadata = ParquetMetaDataReader::new().parse_and_finish(&file);
    let metadata = metadata.expect("metadata");
    let with_groups = |count: usize| {
        let groups = vec![metadata.row_group(0).clone(); count];
        let metadata = ParquetMetaData::new(metadata.file_metadata().clone(), groups);
        let mut bytes = whole.clone();
        let writer = ParquetMetaDataWriter::new(&mut bytes, &metadata);
        writer.finish().expect("metadata");
        std::fs::write(&path, &bytes).expect("a file");
    };
    with_groups(1);
    assert_eq!(read(&scratch.0).expect("a profile").functions.len(), 5000);
    with_groups(50);
    let text = error(&scratch.0);
    assert!(text.contains("adjacent columns"), "{text}");
}
