//! Parquet as other engines write it, and what there is to several recordings in one folder.

use std::sync::Arc;

use parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use super::*;

/// The values of a column.
pub enum Column {
    Long(Vec<Option<i64>>),
    Double(Vec<Option<f64>>),
    Text(Vec<String>),
}

impl Column {
    pub fn text(values: &[&str]) -> Column {
        Column::Text(values.iter().map(|it| (*it).to_owned()).collect())
    }
}

/// Writes a table.
pub fn write(path: &Path, columns: &[(&str, Column)]) {
    write_as(path, columns, WriterProperties::builder().build());
}

/// Writes a table with numbers as differences, compressed: what goes up by one takes hardly any room.
pub fn write_packed(path: &Path, columns: &[(&str, Column)]) {
    let properties = WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_encoding(Encoding::DELTA_BINARY_PACKED)
        .set_compression(Compression::ZSTD(ZstdLevel::default()));
    write_as(path, columns, properties.build());
}

fn write_as(path: &Path, columns: &[(&str, Column)], properties: WriterProperties) {
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    let field = |(name, column): &(&str, Column)| {
        let (physical, logical) = match column {
            Column::Long(_) => (Physical::INT64, None),
            Column::Double(_) => (Physical::DOUBLE, None),
            Column::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let builder = Type::primitive_type_builder(name, physical);
        let builder = builder.with_repetition(Repetition::OPTIONAL);
        Arc::new(builder.with_logical_type(logical).build().expect("a type"))
    };
    let fields = columns.iter().map(field).collect();
    let schema = Type::group_type_builder("schema").with_fields(fields);
    let schema = Arc::new(schema.build().expect("a schema"));
    let file = std::fs::File::create(path).expect("a file");
    let mut writer =
        SerializedFileWriter::new(file, schema, Arc::new(properties)).expect("a writer");
    let mut group = writer.next_row_group().expect("a group");
    fn levels<T>(values: &[Option<T>]) -> Vec<i16> {
        values.iter().map(|it| i16::from(it.is_some())).collect()
    }
    for (_, column) in columns {
        let mut to = group.next_column().expect("a column").expect("a column");
        match column {
            Column::Long(values) => {
                let there: Vec<i64> = values.iter().flatten().copied().collect();
                let of = to.typed::<Int64Type>();
                of.write_batch(&there, Some(&levels(values)), None)
            }
            Column::Double(values) => {
                let there: Vec<f64> = values.iter().flatten().copied().collect();
                let of = to.typed::<DoubleType>();
                of.write_batch(&there, Some(&levels(values)), None)
            }
            Column::Text(values) => {
                let texts = values.iter().map(|it| ByteArray::from(it.as_str()));
                let texts: Vec<ByteArray> = texts.collect();
                let levels = vec![1; texts.len()];
                let of = to.typed::<ByteArrayType>();
                of.write_batch(&texts, Some(&levels), None)
            }
        }
        .expect("values");
        to.close().expect("a column");
    }
    group.close().expect("a group");
    writer.close().expect("a file");
}

#[test]
fn several_recordings_are_one_set_of_runs_or_each_alone() {
    let recording = read(&common::data("import/orders.viztracer.json")).expect("a recording");
    let scratch = Scratch::new("runs");
    for id in ["a", "b", "c"] {
        export(&recording, &scratch.0, id, &Table::ALL);
    }
    let alone = read(&scratch.0.join("recordings/recording=b")).expect("one");
    assert_eq!(alone.trace.calls(), recording.trace.calls());
    assert_eq!(
        alone.function_metrics(None),
        recording.function_metrics(None)
    );
    for path in [scratch.0.clone(), scratch.0.join("functions")] {
        let all = read(&path).expect("all");
        assert!(!all.has_times());
        assert_eq!(all.calls(), 3 * recording.calls());
        let sum = |it: &Recording| {
            let metrics = it.function_metrics(None).into_iter();
            metrics
                .map(|it| (it.calls, it.self_cost.ns()))
                .fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1))
        };
        let (calls, own) = sum(&recording);
        assert_eq!(sum(&all), (3 * calls, 3 * own));
        let contexts = all.profile.as_ref().and_then(|it| it.contexts());
        assert!(contexts.is_some_and(|it| !it.is_empty()));
    }
    // Without contexts of one of them, functions and relations of all.
    std::fs::remove_dir_all(scratch.0.join("contexts/recording=c")).expect("a folder");
    let all = read(&scratch.0).expect("all");
    assert_eq!(all.calls(), 3 * recording.calls());
    assert_eq!(all.relations(None).len(), recording.relations(None).len());
}

#[test]
fn what_relations_waited_is_added_up_over_recordings() {
    let scratch = Scratch::new("waiting");
    for id in ["a", "b"] {
        let table = |name: &str| scratch.0.join(format!("{name}/recording={id}/x.parquet"));
        let number = |value: i64| Column::Long(vec![Some(value)]);
        write(
            &table("functions"),
            &[("function", number(0)), ("name", Column::text(&["f"]))],
        );
        write(
            &table("relations"),
            &[
                ("caller", number(0)),
                ("callee", number(0)),
                ("total", number(9)),
                ("waiting", number(5)),
                ("self_waiting", number(2)),
            ],
        );
    }
    let relations = read(&scratch.0).expect("a set of runs").relations(None);
    let waited = (relations[0].waiting.ns(), relations[0].self_waiting.ns());
    assert_eq!((relations.len(), waited), (1, (10, 4)));
}

#[test]
fn costs_of_different_things_are_not_added_up() {
    let scratch = Scratch::new("units");
    let trace = read(&common::data("import/orders.viztracer.json")).expect("a recording");
    let profile = scratch.write("stacks.folded", b"main;f 3\nmain 4\n");
    let profile = read(&profile).expect("a profile");
    let dir = scratch.0.join("tables");
    export(&trace, &dir, "a", &Table::ALL);
    export(&profile, &dir, "b", &Table::ALL);
    let error = read(&dir).expect_err("two units");
    assert!(error.contains("recordings/recording=a"), "{error}");
    assert!(
        error.contains("nanoseconds of a") && error.contains("of b"),
        "{error}"
    );
}

#[test]
fn sums_without_calls_are_the_profile_of_the_trace() {
    let recording = read(&common::data("import/orders.viztracer.json")).expect("a recording");
    let scratch = Scratch::new("sums");
    for tables in [
        &[Table::Functions, Table::Relations, Table::Contexts][..],
        &[Table::Functions, Table::Relations],
    ] {
        export(&recording, &scratch.0, "one", tables);
        let sums = read(&scratch.0).expect("a profile");
        assert!(!sums.has_times());
        assert_eq!(sums.relations(None), recording.relations(None));
        assert_eq!(
            sums.function_metrics(None),
            recording.function_metrics(None)
        );
        let has_contexts = sums.profile.as_ref().and_then(|it| it.contexts()).is_some();
        assert_eq!(has_contexts, tables.contains(&Table::Contexts));
    }
}

/// What the program prints of a recording.
fn printed(command: &[&str], path: &Path) -> String {
    let output = common::callscape()
        .args(command)
        .arg(path)
        .arg("--json")
        .output()
        .expect("the program");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{command:?} {path:?}: {error}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn the_program_says_the_same_of_a_recording_and_of_its_tables() {
    for name in [
        "import/orders.viztracer.json",
        "import/threads.uftrace",
        "import/folded/markdown-render.folded.gz",
        "import/callgrind/fib.callgrind.out",
    ] {
        let path = common::data(name);
        let scratch = Scratch::new("said");
        export(
            &read(&path).expect("a recording"),
            &scratch.0,
            "one",
            &Table::ALL,
        );
        for command in ["functions", "graph"] {
            let (said, again) = (printed(&[command], &path), printed(&[command], &scratch.0));
            assert!(said == again, "{name}: {command}");
        }
        if !name.contains("callgrind") {
            let command = ["contexts"];
            assert!(
                printed(&command, &path) == printed(&command, &scratch.0),
                "{name}"
            );
        }
        let info = |path: &Path| {
            let text = printed(&["info"], path);
            let mut info: serde_json::Value = serde_json::from_str(&text).expect("JSON");
            let fields = info.as_object_mut().expect("an object");
            // The format is another one, repairs were counted before, and lines, counters, other values of a call graph
            // and why threads waited are not in the tables.
            for field in ["format", "warnings", "lines", "memory", "values", "waiting"] {
                fields.remove(field);
            }
            info
        };
        assert_eq!(info(&path), info(&scratch.0), "{name}");
    }
}
