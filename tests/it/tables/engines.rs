//! The questions, asked of DuckDB and DataFusion: their answers are the program's own.
//!
//! Needs Python's modules `duckdb`, `datafusion` and `pyarrow`; without them the tests say what they leave out.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use callscape::facts::recording::Recording;
use callscape::import;
use callscape::progress::Progress;
use callscape::units::Time;
use serde_json::{Value, json};

use super::super::common::{self, Scratch};
use super::super::random::Random;
use super::{Opened, contexts_of, functions_of, relations_of};
use callscape_testing::tools;

const TABLES: &str =
    "recordings threads functions calls links relations contexts samples objects stacks modules";

/// Answers each line, a folder with a question, by what both engines say.
const SCRIPT: &str = r#"
import sys
try:
    import duckdb, datafusion, pyarrow
except ImportError as error:
    print(json_error := str(error)); sys.exit(0)
import json, os
print("ready", flush=True)
opened, engines = None, None
def open_all(folder, tables):
    connection, context = duckdb.connect(), datafusion.SessionContext()
    for table in tables:
        path = os.path.join(folder, table)
        if os.path.isdir(path):
            connection.execute(f"CREATE VIEW {table} AS SELECT * FROM read_parquet('{path}/*/*.parquet', "
                               "hive_partitioning = true, hive_types = {'recording': VARCHAR})")
            context.register_parquet(table, path + "/", table_partition_cols=[("recording", pyarrow.string())])
    return connection, context
for line in sys.stdin:
    asked = json.loads(line)
    if opened != asked["folder"]:
        opened, engines = asked["folder"], open_all(asked["folder"], asked["tables"])
    found = engines[0].execute(asked["sql"])
    names = [it[0] for it in found.description]
    duck = [list(row) for row in found.fetchall()]
    table = engines[1].sql(asked["sql"]).to_arrow_table()
    fusion = [list(row.values()) for row in table.to_pylist()]
    print(json.dumps([[names, duck], [table.column_names, fusion]], default=str), flush=True)
"#;

/// Python with both engines, for as long as the test runs.
pub struct Engines {
    child: Child,
    asks: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Engines {
    /// None, with a line that says so, where they are not installed.
    pub fn start() -> Option<Engines> {
        let child = Command::new(tools::python())
            .args(["-c", SCRIPT])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let Ok(mut child) = child else {
            eprintln!("left out: python3 is not installed");
            return None;
        };
        let asks = child.stdin.take().expect("it is piped");
        let mut answers = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut said = String::new();
        answers.read_line(&mut said).expect("text");
        if said.trim() != "ready" {
            eprintln!(
                "left out: needs Python's duckdb, datafusion and pyarrow: {}",
                said.trim()
            );
            let _ = child.wait();
            return None;
        }
        Some(Engines {
            child,
            asks,
            answers,
        })
    }

    /// The rows of a question that comes with the program: those that both engines give, once they are found equal.
    pub fn ask(&mut self, dir: &Path, question: &str, parameters: &[&str]) -> Vec<Vec<Value>> {
        let mut command = common::callscape();
        command.args(["query", question, "--sql"]);
        for parameter in parameters {
            command.args(["--param", parameter]);
        }
        let output = command.output().expect("the program starts");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let sql = String::from_utf8(output.stdout).expect("text");
        let tables: Vec<&str> = TABLES.split(' ').collect();
        let asked = json!({ "folder": dir, "tables": tables, "sql": sql });
        writeln!(self.asks, "{asked}").expect("Python reads");
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("text");
        let answers: [(Vec<String>, Vec<Vec<Value>>); 2] = serde_json::from_str(&line)
            .unwrap_or_else(|error| panic!("{question}: {error}: {line}"));
        let [(names, duck), (other_names, fusion)] = answers;
        assert_eq!(names, other_names, "{question}");
        assert_eq!(
            names,
            columns(question),
            "{question}: what its comments say"
        );
        assert_eq!(duck.len(), fusion.len(), "{question}");
        for (row, other) in duck.iter().zip(&fusion) {
            let rounded = |row: &[Value]| row.iter().map(rounded).collect::<Vec<_>>();
            assert_eq!(rounded(row), rounded(other), "{question}");
        }
        duck
    }
}

impl Drop for Engines {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sums of fractions differ in their last digits with the order in which they are added.
fn rounded(value: &Value) -> String {
    match value.as_f64() {
        Some(number) if value.is_f64() => format!("{number:.6e}"),
        _ => text(value),
    }
}

/// What the comments of a question say of its columns.
fn columns(question: &str) -> Vec<String> {
    let path = format!("assets/queries/{question}.sql");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let text = std::fs::read_to_string(path).expect("the question");
    let lines = text
        .lines()
        .skip_while(|line| *line != "-- Columns:")
        .skip(1);
    let lines = lines.map_while(|line| line.strip_prefix("--   "));
    let name = |line: &str| line.split(' ').next().map(str::to_owned);
    lines.filter_map(name).collect()
}

pub fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

fn texts(rows: Vec<Vec<Value>>) -> Vec<Vec<String>> {
    let mut rows: Vec<Vec<String>> = rows
        .iter()
        .map(|row| row.iter().map(text).collect())
        .collect();
    rows.sort();
    rows
}

fn sorted(mut rows: Vec<Vec<String>>) -> Vec<Vec<String>> {
    rows.sort();
    rows
}

/// Takes these cells of each row.
fn pick(rows: &[Vec<String>], cells: &[usize]) -> Vec<Vec<String>> {
    let pick = |row: &Vec<String>| cells.iter().map(|&it| row[it].clone()).collect();
    sorted(rows.iter().map(pick).collect())
}

/// Names the first row that differs: there may be thousands.
fn same(found: &[Vec<String>], expected: &[Vec<String>]) {
    for (row, other) in found.iter().zip(expected) {
        assert_eq!(row, other);
    }
    assert_eq!(found.len(), expected.len());
}

const ALL: &str = "most=1000000000";

fn functions(engines: &mut Engines, opened: &Opened, dir: &Path) {
    let found = texts(engines.ask(dir, "functions", &[ALL]));
    // Name, module, file, line, library, then calls and costs: those of one recording.
    let expected = pick(&functions_of(opened), &[1, 2, 3, 4, 6, 7, 8, 9, 10, 11]);
    same(&pick(&found, &[0, 1, 2, 3, 4, 6, 7, 8, 9, 10]), &expected);
    assert!(found.iter().all(|row| row[5] == "1"));
}

fn graph(engines: &mut Engines, opened: &Opened, dir: &Path) {
    let found = texts(engines.ask(dir, "graph", &[ALL]));
    let functions = functions_of(opened);
    let named = |number: &str| {
        let row = &functions[number.parse::<usize>().expect("a number")];
        [row[1].clone(), row[2].clone()]
    };
    let expected = relations_of(&opened.recording).into_iter().map(|row| {
        let ends = named(&row[0]).into_iter().chain(named(&row[1]));
        ends.chain(row[2..].iter().cloned()).collect()
    });
    let expected = sorted(expected.collect());
    same(&pick(&found, &[0, 1, 2, 3, 5, 6, 7, 8, 9]), &expected);
}

fn stack(engines: &mut Engines, opened: &Opened, dir: &Path, random: &mut Random) {
    let trace = &opened.recording.trace;
    let duration = trace.duration().ns();
    for _ in 0..3 {
        let at = random.below(duration.max(1) + 1);
        let found = texts(engines.ask(dir, "stack", &[&format!("at={at}")]));
        let mut expected = Vec::new();
        for thread in trace.thread_ids() {
            let mut open = Vec::new();
            trace.stack_at(thread, Time::from_ns(at), &mut open);
            for id in open {
                let call = trace.call(thread, id);
                let function = opened.recording.functions.get(call.function);
                expected.push(vec![
                    "r".to_owned(),
                    thread.0.to_string(),
                    trace.threads()[thread.index()].id.clone(),
                    call.depth.to_string(),
                    function.name.to_owned(),
                    opened.module(call.function),
                    call.start.ns().to_string(),
                    call.end.ns().to_string(),
                ]);
            }
        }
        same(&found, &sorted(expected));
    }
}

/// By the names and modules of its path, what a context has: calls and costs, of equal paths together.
type Paths = BTreeMap<Vec<[String; 2]>, Vec<u64>>;

fn add(paths: &mut Paths, path: Vec<[String; 2]>, cells: &[String]) {
    let numbers = cells.iter().map(|it| it.parse::<u64>().unwrap_or(0));
    let sums = paths.entry(path).or_insert_with(|| vec![0; cells.len()]);
    for (sum, number) in sums.iter_mut().zip(numbers) {
        *sum += number;
    }
}

fn contexts(engines: &mut Engines, opened: &Opened, dir: &Path) {
    let found = engines.ask(dir, "contexts", &[]);
    // In order of depth: the path around one is known before it.
    let mut names: HashMap<String, Vec<[String; 2]>> = HashMap::new();
    let mut paths = Paths::new();
    let rows = found
        .iter()
        .map(|row| row.iter().map(text).collect::<Vec<_>>());
    for row in rows {
        let mut path = match row[1].is_empty() {
            true => Vec::new(),
            false => names[&row[1]].clone(),
        };
        path.push([row[3].clone(), row[4].clone()]);
        let before = names.insert(row[0].clone(), path.clone());
        assert!(before.is_none(), "one row a path");
        assert!(!paths.contains_key(&path), "one number a path: {path:?}");
        add(&mut paths, path, &row[6..]);
    }
    let mut expected = Paths::new();
    let functions = functions_of(opened);
    let mut around: Vec<[String; 2]> = Vec::new();
    for row in contexts_of(&opened.recording).expect("calls have contexts") {
        around.truncate(row[3].parse().expect("a depth"));
        let function = &functions[row[2].parse::<usize>().expect("a function")];
        around.push([function[1].clone(), function[2].clone()]);
        add(&mut expected, around.clone(), &row[4..]);
    }
    assert!(paths == expected, "contexts");
}

/// Recordings with calls below a folder, bounded in size.
fn recordings(dir: &Path, depth: u32, found: &mut Vec<(PathBuf, Recording)>) {
    /// The largest file that is tried, in bytes, and the most calls.
    const LARGEST: u64 = 4 << 20;
    const MOST: u64 = 400_000;
    let mut paths: Vec<PathBuf> = std::fs::read_dir(dir)
        .into_iter()
        .flatten()
        .flatten()
        .map(|it| it.path())
        .collect();
    paths.sort();
    for path in paths {
        let is_folder = path.is_dir();
        let size = std::fs::metadata(&path).map_or(0, |it| it.len());
        if !is_folder && size > LARGEST {
            continue;
        }
        match import::open(&path, &Progress::new()) {
            Ok(recording) => {
                let has_calls = recording.profile.is_none() && recording.calls() > 0;
                if has_calls && recording.calls() <= MOST {
                    found.push((path, recording));
                }
            }
            Err(_) if is_folder && depth > 0 => recordings(&path, depth - 1, found),
            _ => {}
        }
    }
}

fn hold(engines: &mut Engines, found: Vec<(PathBuf, Recording)>) {
    let scratch = Scratch::new("engines");
    let mut random = Random(35);
    for (number, (path, recording)) in found.into_iter().enumerate() {
        eprintln!("{}: {} calls", path.display(), recording.calls());
        let opened = Opened::new(recording);
        let dir = scratch.0.join(number.to_string());
        opened.write(&dir, "r");
        functions(engines, &opened, &dir);
        graph(engines, &opened, &dir);
        stack(engines, &opened, &dir, &mut random);
        contexts(engines, &opened, &dir);
        std::fs::remove_dir_all(&dir).expect("it is ours");
    }
}

#[test]
fn engines_answer_what_the_program_answers() {
    let Some(mut engines) = Engines::start() else {
        return;
    };
    let mut found = Vec::new();
    recordings(&common::data("import"), 1, &mut found);
    assert!(found.len() > 10, "{} recordings", found.len());
    hold(&mut engines, found);
}

#[test]
fn engines_answer_what_the_program_answers_of_many_recordings() {
    let Some(data) = common::large_data("") else {
        return;
    };
    let Some(mut engines) = Engines::start() else {
        return;
    };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(&data).expect("the data").flatten() {
        // What is broken is for the tests of importers; sources are no recordings.
        let name = entry.file_name();
        if entry.path().is_dir() && name != "corrupt" && name != "sources" {
            recordings(&entry.path(), 1, &mut found);
        }
    }
    assert!(found.len() > 20, "{} recordings", found.len());
    hold(&mut engines, found);
}

#[test]
fn every_question_is_answered_by_both_engines_over_several_recordings() {
    let Some(mut engines) = Engines::start() else {
        return;
    };
    let scratch = Scratch::new("questions");
    for (id, path) in [
        ("a-1", "orders.viztracer.json"),
        ("b-1", "toml-threads.viztracer.json"),
    ] {
        let output = common::callscape()
            .arg("export")
            .arg(common::data("import").join(path))
            .arg("--source")
            .arg(common::data("source"))
            .args(["--format", "parquet", "--id", id, "-o"])
            .arg(&scratch.0)
            .output()
            .expect("the program starts");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    for (question, parameters, least) in [
        ("functions", &[][..], 10),
        ("means", &[], 10),
        ("graph", &[], 10),
        ("modules", &["level=2"], 1),
        ("contexts", &["least=1"], 10),
        ("stack", &["at=1ms"], 1),
        ("slowest", &[], 2),
        ("differences", &["a=a-%", "b=b-%", "all=1"], 10),
        ("never-run", &[], 2),
        ("rare-calls", &["share=0.5"], 10),
        ("findings", &[], 3),
    ] {
        let rows = engines.ask(&scratch.0, question, parameters);
        assert!(rows.len() >= least, "{question}: {} rows", rows.len());
    }
}
