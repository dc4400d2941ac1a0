//! Recordings as tables: what is in the files is what the recordings hold.

mod bad;
mod engines;
mod means;
mod query;
mod recording;
mod sets;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use callscape::analysis::contexts;
use callscape::analysis::resolve::{Resolution, resolve};
use callscape::export::Part;
use callscape::export::tables::{self, IfThere, Table, columns_of};
use callscape::facts::hierarchy::{Hierarchy, HierarchyBuilder};
use callscape::facts::recording::Recording;
use callscape::import;
use callscape::progress::Progress;
use callscape::units::{CallId, ContextId, FunctionId};
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::statistics::Statistics;
use parquet::record::Field;

use super::common::{self, Scratch};
use super::generate::{Plan, Program, write_uftrace};

/// A recording with the modules of its functions.
struct Opened {
    recording: Recording,
    hierarchy: Hierarchy,
    resolution: Resolution,
}

impl Opened {
    fn new(recording: Recording) -> Opened {
        let source = HierarchyBuilder::new("").build().0;
        let (hierarchy, mut resolutions) = resolve(&source, &[&recording.functions]);
        Opened {
            resolution: resolutions.remove(0),
            recording,
            hierarchy,
        }
    }

    fn read(path: &Path) -> Opened {
        let recording = import::open(path, &Progress::new());
        Opened::new(recording.unwrap_or_else(|error| panic!("{error}")))
    }

    fn part(&self) -> Part<'_> {
        Part {
            recording: &self.recording,
            resolution: &self.resolution,
            hierarchy: &self.hierarchy,
            range: None,
            threads: None,
        }
    }

    fn write(&self, dir: &Path, id: &str) {
        let how = (id, IfThere::Refuse);
        tables::write(&self.part(), dir, how, &Table::ALL, &Progress::new())
            .expect("there is room");
    }

    fn module(&self, function: FunctionId) -> String {
        self.hierarchy
            .path(self.resolution.modules[function.index()])
    }
}

fn file(dir: &Path, table: Table, id: &str) -> PathBuf {
    dir.join(format!("{table}/recording={id}/part-0.parquet"))
}

/// A cell as text; nothing for null.
fn cell(field: &Field) -> String {
    match field {
        Field::Null => String::new(),
        Field::Int(number) => number.to_string(),
        Field::Long(number) => number.to_string(),
        Field::Str(text) => text.clone(),
        field => panic!("no table has {field}"),
    }
}

/// Rows of a table; none where it is not there.
fn rows(dir: &Path, table: Table, id: &str) -> Option<Vec<Vec<String>>> {
    let file = std::fs::File::open(file(dir, table, id)).ok()?;
    let reader = SerializedFileReader::new(file).expect("Parquet");
    let rows = reader.get_row_iter(None).expect("rows");
    let cells = |row: parquet::record::Row| row.get_column_iter().map(|it| cell(it.1)).collect();
    Some(rows.map(|row| cells(row.expect("a row"))).collect())
}

/// A row as text, from numbers and texts.
macro_rules! row {
    ($($cell:expr),* $(,)?) => { vec![$(($cell).to_string()),*] };
}

fn or_null(number: Option<u64>) -> String {
    number.map_or_else(String::new, |it| it.to_string())
}

fn calls_of(recording: &Recording) -> Vec<Vec<String>> {
    let trace = &recording.trace;
    let mut rows = Vec::new();
    for thread in trace.thread_ids() {
        let count = trace.threads()[thread.index()].calls as u32;
        let mut path = Vec::new();
        for (call, number) in trace.calls_numbered(thread, 0..count).iter().zip(0..) {
            path.truncate(call.depth as usize);
            let waited = trace.waited(thread, CallId(number)).own.ns();
            rows.push(row![
                thread.0,
                number,
                or_null(path.last().map(|&it: &u32| it.into())),
                call.function.0,
                call.depth,
                call.start.ns(),
                call.end.ns(),
                trace.self_cost(thread, CallId(number)).ns(),
                or_null(trace.knows_waiting().then_some(waited)),
            ]);
            path.push(number);
        }
    }
    rows
}

fn functions_of(opened: &Opened) -> Vec<Vec<String>> {
    let recording = &opened.recording;
    let knows = recording.trace.knows_waiting();
    let metrics = recording.function_metrics(None);
    let rows = recording.functions.ids().zip(metrics).map(|(id, it)| {
        let function = recording.functions.get(id);
        row![
            id.0,
            function.name,
            opened.module(id),
            function.file,
            function.line,
            recording.functions.column(id),
            function.library,
            or_null(recording.counts_calls().then_some(it.calls)),
            it.total.ns(),
            it.self_cost.ns(),
            or_null(knows.then_some(it.waiting.ns())),
            or_null(knows.then_some(it.self_waiting.ns())),
            opened.module(id),
        ]
    });
    rows.collect()
}

fn relations_of(recording: &Recording) -> Vec<Vec<String>> {
    let knows = recording.trace.knows_waiting();
    let relations = recording.relations(None).into_iter();
    let rows = relations.map(|it| {
        let knows = knows && (it.links == 0 || it.links < it.calls);
        row![
            it.caller.0,
            it.callee.0,
            or_null(recording.counts_calls().then_some(it.calls)),
            it.cost.ns(),
            it.self_cost.ns(),
            or_null(knows.then_some(it.waiting.ns())),
            or_null(knows.then_some(it.self_waiting.ns())),
        ]
    });
    rows.collect()
}

/// Without the numbers of paths.
fn contexts_of(recording: &Recording) -> Option<Vec<Vec<String>>> {
    let contexts = contexts::contexts(recording, &Progress::new()).expect("nobody cancels")?;
    let knows = recording.trace.knows_waiting();
    let value = recording.value();
    let around = |id: ContextId| std::iter::successors(Some(id), |&it| contexts.parent(it));
    let waiting = |id| contexts.total(contexts::WAITING, id).ns();
    let self_waiting = |id| contexts.self_weight(contexts::WAITING, id).ns();
    let rows = contexts.ids().map(|id| {
        row![
            id.0,
            or_null(contexts.parent(id).map(|it| it.0.into())),
            contexts.function(id).0,
            around(id).count() - 1,
            or_null(contexts.calls(id)),
            contexts.total(value, id).ns(),
            contexts.self_weight(value, id).ns(),
            or_null(knows.then(|| waiting(id))),
            or_null(knows.then(|| self_waiting(id))),
        ]
    });
    Some(rows.collect())
}

fn objects_of(recording: &Recording) -> Option<Vec<Vec<String>>> {
    let memory = recording.memory.as_ref()?;
    let events = memory.timed()?;
    let created = (0..events.end()).filter(|&event| !events.is_release(event));
    let rows = created.map(|event| {
        let object = events.object(event).expect("an event");
        row![
            event,
            object.thread.0,
            object.stack.0,
            or_null(memory.stacks.function(object.stack).map(|it| it.0.into())),
            memory.types[object.kind as usize],
            object.size,
            object.creation.ns(),
            or_null(object.release.map(|it| it.ns())),
        ]
    });
    Some(rows.collect())
}

/// Holds all tables of a recording against its facts.
fn hold(opened: &Opened, dir: &Path, id: &str) {
    let recording = &opened.recording;
    let found = |table| rows(dir, table, id);
    let calls = recording.profile.is_none().then(|| calls_of(recording));
    assert!(found(Table::Calls) == calls, "{id}: calls");
    let levels = |mut row: Vec<String>| {
        let last = row.pop().map(|it| it.replace('\t', "/"));
        row.extend(last);
        row
    };
    let functions = found(Table::Functions).expect("every recording has some");
    let functions: Vec<_> = functions.into_iter().map(levels).collect();
    assert_eq!(functions, functions_of(opened), "{id}");
    let relations = found(Table::Relations).expect("every recording has some");
    assert_eq!(relations, relations_of(recording), "{id}");
    let without_path = |mut row: Vec<String>| {
        row.pop();
        row
    };
    let contexts = found(Table::Contexts);
    let contexts = contexts.map(|it| it.into_iter().map(without_path).collect::<Vec<_>>());
    assert!(contexts == contexts_of(recording), "{id}: contexts");
    assert!(
        found(Table::Objects) == objects_of(recording),
        "{id}: objects"
    );
    let threads = found(Table::Threads).expect("every recording has the table");
    let named: Vec<_> = recording.threads().iter().map(|it| it.id.clone()).collect();
    let found_names: Vec<_> = threads.iter().map(|row| row[1].clone()).collect();
    assert_eq!(found_names, named, "{id}");
    let recordings = found(Table::Recordings).expect("one row");
    assert_eq!(recordings.len(), 1);
    assert_eq!(recordings[0][0], recording.name());
    assert_eq!(recordings[0][1], recording.format);
    samples(opened, dir, id);
}

/// Weights of samples add up to those of the values.
fn samples(opened: &Opened, dir: &Path, id: &str) {
    let mut sums: BTreeMap<String, u64> = BTreeMap::new();
    for row in rows(dir, Table::Samples, id).unwrap_or_default() {
        let weight: u64 = row[3].parse().expect("a number");
        assert!(weight > 0);
        *sums.entry(row[1].clone()).or_default() += weight;
    }
    let profile = opened.recording.profile.as_ref();
    for (number, value) in profile.iter().flat_map(|it| it.values().iter().enumerate()) {
        let contexts = profile.and_then(|it| it.contexts());
        let whole = contexts.map_or(0, |it| it.weight(number).ns());
        assert_eq!(sums.get(&value.name).copied().unwrap_or(0), whole, "{id}");
    }
}

#[test]
fn tables_hold_what_recordings_hold() {
    let scratch = Scratch::new("tables");
    for (number, path) in [
        "import/lists.uftrace",
        "import/orders.viztracer.json",
        "import/toml-threads.viztracer.json",
        "import/syn-spans.tracing-chrome.json",
        "import/tasks.uftrace",
        "import/threads.uftrace",
        "import/lost.uftrace",
        "import/jfr/rest.jfr.gz",
        "import/folded/markdown-render.folded.gz",
        "import/callgrind/fib.callgrind.out",
        "import/heaptrack/python-start.heaptrack.zst",
        "import/dhat/xz.dhat.json.gz",
        "import/hprof/figure1.hprof.txt",
    ]
    .into_iter()
    .enumerate()
    {
        let path = common::data(path);
        let opened = Opened::read(&path);
        let id = format!("r{number}");
        opened.write(&scratch.0, &id);
        hold(&opened, &scratch.0, &id);
    }
}

/// Calls that are open where a group of rows ends have their self cost all the same.
#[test]
fn groups_of_rows_are_sorted_and_tell_their_range() {
    let scratch = Scratch::new("groups");
    let plan = Plan {
        calls: tables::GROUP as u64 + 120_000,
        functions: 300,
        threads: 2,
        seed: 7,
    };
    let path = scratch.0.join("run");
    write_uftrace(&Program::new(plan), &path).expect("there is room");
    let opened = Opened::read(&path);
    opened.write(&scratch.0, "run");
    let found = rows(&scratch.0, Table::Calls, "run").expect("calls");
    assert!(found == calls_of(&opened.recording));

    let file = std::fs::File::open(file(&scratch.0, Table::Calls, "run")).expect("calls");
    let reader = SerializedFileReader::new(file).expect("Parquet");
    let groups = reader.metadata().row_groups();
    assert_eq!(groups.len(), 2);
    let range = |group: &RowGroupMetaData, column: usize| {
        let statistics = group.column(column).statistics();
        match statistics.expect("each column has some") {
            Statistics::Int32(it) => (
                it.min_opt().copied().map(i64::from),
                it.max_opt().copied().map(i64::from),
            ),
            Statistics::Int64(it) => (it.min_opt().copied(), it.max_opt().copied()),
            it => panic!("{it}"),
        }
    };
    let mut from = 0;
    for group in groups {
        let count = group.num_rows() as usize;
        let of = &found[from..from + count];
        // Thread, number and start.
        for column in [0, 1, 5] {
            let numbers = of
                .iter()
                .map(|row| row[column].parse::<i64>().expect("a number"));
            let expected = (numbers.clone().min(), numbers.max());
            assert_eq!(
                range(group, column),
                expected,
                "from {from}, column {column}"
            );
        }
        from += count;
    }
    let sorted =
        found.is_sorted_by_key(|row| (row[0].clone(), row[1].parse::<u64>().expect("a number")));
    assert!(sorted, "by thread and number, which is by start");
}

#[test]
fn files_say_what_their_columns_mean() {
    let scratch = Scratch::new("meanings");
    let opened = Opened::read(&common::data("import/lists.uftrace"));
    opened.write(&scratch.0, "x");
    for table in [Table::Recordings, Table::Functions, Table::Calls] {
        let file = std::fs::File::open(file(&scratch.0, table, "x")).expect("it was written");
        let reader = SerializedFileReader::new(file).expect("Parquet");
        let metadata = reader.metadata().file_metadata();
        let said: BTreeMap<&str, &str> = metadata
            .key_value_metadata()
            .expect("something is said")
            .iter()
            .filter_map(|it| Some((&*it.key, it.value.as_deref()?)))
            .collect();
        assert_eq!(said["callscape.table"], table.name());
        assert_eq!(said["callscape.version"], tables::VERSION.to_string());
        assert_eq!(said["callscape.recording"], "x");
        let names: Vec<&str> = metadata
            .schema_descr()
            .columns()
            .iter()
            .map(|it| it.name())
            .collect();
        let columns: Vec<&str> = columns_of(table).iter().map(|it| it.name).collect();
        assert_eq!(names, columns);
        for column in columns_of(table) {
            assert_eq!(
                said[&*format!("callscape.column.{}", column.name)],
                column.about
            );
        }
    }
}

/// What docs/fleet.md tells of each table is what the files say of themselves.
#[test]
fn the_manual_tells_every_column() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/fleet.md");
    let manual = std::fs::read_to_string(path).expect("the manual");
    for table in Table::ALL {
        for column in columns_of(table) {
            let kind = match column.kind {
                tables::Kind::Int => "int",
                tables::Kind::Long => "long",
                tables::Kind::Text => "text",
            };
            let or_null = if column.is_optional { ", or null" } else { "" };
            let line = format!(
                "| {table} | `{}` | {kind}{or_null} | {} |",
                column.name, column.about
            );
            assert!(manual.contains(&line), "docs/fleet.md lacks\n{line}");
        }
    }
}
