//! An installed DuckDB: the program, or the module of Python. It is started itself, without a shell, in the folder of the
//! tables, so that no name of a folder becomes part of what it is told.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhow::{Context, bail, ensure};

use super::answer::Answer;
use callscape_base::files::program;
use callscape_export::tables::{Kind, Table, columns_of};
use callscape_facts::tables::replacing;

/// Error if DuckDB is missing.
const MISSING: &str = "DuckDB is not installed: get its program from https://duckdb.org/install, or its Python module \
                       with `pip install duckdb`. `--sql` prints the query for another engine";

/// Reads the folder and the query, runs it and writes the rows. Modules are imported before the folder is entered, and
/// never from the current directory.
const SCRIPT: &str = r#"
import sys
sys.path = [it for it in sys.path if it]
try:
    import duckdb
except ImportError:
    sys.exit(70)
import json, os
asked = json.load(sys.stdin.buffer)
os.chdir(asked["folder"])
try:
    connection = duckdb.connect()
    connection.execute(asked["views"])
    found = connection.execute(asked["question"])
    names = [it[0] for it in found.description]
    rows = [dict(zip(names, row)) for row in found.fetchall()]
except duckdb.Error as error:
    sys.exit(str(error))
json.dump(rows, sys.stdout, default=str)
"#;

/// Exit code of the script if Python has no such module.
const NO_MODULE: i32 = 70;

/// Queries the tables in `folder`.
pub(super) fn ask(folder: &Path, question: &str) -> anyhow::Result<Answer> {
    let mixed = replacing::recover(folder);
    ensure!(
        mixed.is_empty(),
        "{}: expected whole recordings, found {} half replaced by a killed export, which cannot be completed here",
        folder.display(),
        mixed.join(", ")
    );
    let views = views(folder)?;
    if let Some(duckdb) = program(OsStr::new("duckdb")) {
        let mut command = Command::new(duckdb);
        let nothing = if cfg!(windows) { "NUL" } else { "/dev/null" };
        // Its settings, among them what it says on standard output, may be anything.
        command.args(["-init", nothing, "-batch", "-bail", "-json", ":memory:"]);
        command.arg("-c").arg(format!("{views}\n{question};"));
        let output = command.current_dir(folder).stdin(Stdio::null()).output();
        return answer(&output.context("cannot run duckdb")?);
    }
    for name in ["python3", "python"] {
        let Some(python) = program(OsStr::new(name)) else {
            continue;
        };
        let output = with_python(&python, folder, (&views, question));
        let output = output.with_context(|| format!("cannot run {name}"))?;
        if output.status.code() != Some(NO_MODULE) {
            return answer(&output);
        }
    }
    bail!(MISSING)
}

fn with_python(
    program: &Path,
    folder: &Path,
    (views, question): (&str, &str),
) -> anyhow::Result<Output> {
    let folder = folder.canonicalize()?;
    let folder = folder
        .to_str()
        .context("the folder name is not valid Unicode")?;
    let asked = serde_json::json!({ "folder": folder, "views": views, "question": question });
    let mut child = Command::new(program)
        .args(["-c", SCRIPT])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // Where it has gone already, what it says tells why.
        let _ = stdin.write_all(asked.to_string().as_bytes());
    }
    Ok(child.wait_with_output()?)
}

fn answer(output: &Output) -> anyhow::Result<Answer> {
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("DuckDB: {}", said.trim());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    Answer::parse(text.trim()).context("DuckDB returned invalid JSON")
}

/// SQL views of the tables, by paths relative to their folder. A missing table is an empty view with the same columns.
/// If the table of recordings exists, which is written last, the other views contain only its recordings: partly
/// written data is excluded.
fn views(folder: &Path) -> anyhow::Result<String> {
    let is_there = |table: &Table| folder.join(table.name()).is_dir();
    ensure!(
        Table::ALL.iter().any(is_there),
        "{}: expected a folder of tables written by `callscape export --format parquet`, found no {}",
        folder.display(),
        Table::ALL.map(Table::name).join(", ")
    );
    let has_recordings = has_files(&folder.join(Table::Recordings.name()));
    let view = |table: Table| {
        let name = table.name();
        if has_files(&folder.join(name)) {
            let whole = match has_recordings && table != Table::Recordings {
                true => " WHERE recording IN (SELECT recording FROM recordings)",
                false => "",
            };
            return format!(
                "CREATE VIEW {name} AS SELECT * FROM read_parquet('{name}/*/*.parquet', hive_partitioning = true, \
                 hive_types = {{'recording': VARCHAR}}){whole};\n"
            );
        }
        let columns = columns_of(table).iter().map(|column| {
            let kind = match column.kind {
                Kind::Long => "BIGINT",
                Kind::Int => "INTEGER",
                Kind::Text => "VARCHAR",
            };
            format!("CAST(NULL AS {kind}) AS {}", column.name)
        });
        let columns: Vec<String> = columns.collect();
        format!(
            "CREATE VIEW {name} AS SELECT {}, CAST(NULL AS VARCHAR) AS recording WHERE 1 = 0;\n",
            columns.join(", ")
        )
    };
    Ok(Table::ALL.map(view).concat())
}

/// Whether a partition holds a file: the first that does is enough.
fn has_files(table: &Path) -> bool {
    let entries = |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_table = |path: PathBuf| path.extension() == Some(OsStr::new("parquet"));
    entries(table).any(|partition| entries(&partition.path()).any(|it| is_table(it.path())))
}
