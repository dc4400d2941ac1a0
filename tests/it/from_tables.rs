//! Through the public interface: recordings as tables, and back.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use callscape::analysis::contexts::contexts;
use callscape::analysis::resolve::resolve;
use callscape::export::Part;
use callscape::export::tables::{self, IfThere, Table};
use callscape::facts::contexts::Contexts;
use callscape::facts::hierarchy::HierarchyBuilder;
use callscape::facts::recording::Recording;
use callscape::facts::trace::Thread;
use callscape::import;
use callscape::import::input::Input;
use callscape::progress::Progress;
use callscape::units::ContextId;

use super::common::{self, Scratch};

mod answers;
mod damage;
mod foreign;
mod written;

/// Reads a recording itself, without an index.
fn read(path: &Path) -> Result<Recording, String> {
    let input = Input::on_disk(path.to_owned());
    import::read(&input, &Progress::new()).map_err(|error| error.to_string())
}

/// Writes tables of a recording into a folder.
fn export(recording: &Recording, dir: &Path, id: &str, tables: &[Table]) {
    let source = HierarchyBuilder::new("").build().0;
    let (hierarchy, resolutions) = resolve(&source, &[&recording.functions]);
    let part = Part {
        recording,
        resolution: &resolutions[0],
        hierarchy: &hierarchy,
        range: None,
        threads: None,
    };
    tables::write(&part, dir, (id, IfThere::Replace), tables, &Progress::new())
        .unwrap_or_else(|error| panic!("{error}"));
}

/// The bytes of the files of a recording, by table.
fn files(dir: &Path, id: &str) -> BTreeMap<&'static str, Vec<u8>> {
    let file = |table: Table| {
        let path = file_of(dir, table, id);
        Some((table.name(), std::fs::read(path).ok()?))
    };
    Table::ALL.into_iter().filter_map(file).collect()
}

fn file_of(dir: &Path, table: Table, id: &str) -> PathBuf {
    dir.join(table.name())
        .join(format!("recording={id}"))
        .join("part-0.parquet")
}

/// All that is asked of contexts.
fn rows(contexts: &Contexts) -> Vec<String> {
    let row = |id: ContextId| {
        let costs = (0..contexts.values()).map(|it| contexts.self_weight(it, id));
        format!(
            "{:?} {:?} {:?} {:?}",
            contexts.function(id),
            contexts.parent(id),
            contexts.calls(id),
            costs.collect::<Vec<_>>()
        )
    };
    contexts.ids().map(row).collect()
}

/// The recordings of the test data that are read in a moment.
fn recordings() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![common::data("import")];
    if let Some(large) = common::large_data("") {
        open.push(large);
    }
    while let Some(path) = open.pop() {
        /// Larger ones take too long in a build without optimization.
        const MOST: u64 = 2 << 20;
        let is_small = path.metadata().is_ok_and(|it| it.len() <= MOST);
        if path.is_dir() {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name == "fuzz" || name.starts_with('.') {
                continue;
            }
            if import::is_recording(&path) && path.join("info").is_file() {
                found.push(path);
                continue;
            }
            let entries = path.read_dir().into_iter().flatten().flatten();
            open.extend(entries.map(|entry| entry.path()));
        } else if is_small && path.is_file() {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn every_recording_comes_back_from_its_tables() {
    let mut came_back = 0;
    for path in recordings() {
        let Ok(recording) = read(&path) else {
            continue;
        };
        const MOST_CALLS: u64 = 50_000;
        if recording.trace.calls() > MOST_CALLS || recording.functions.is_empty() {
            continue;
        }
        let scratch = Scratch::new("tables");
        export(&recording, &scratch.0, "one", &Table::ALL);
        let before = files(&scratch.0, "one");
        let again = read(&scratch.0).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        let progress = Progress::new();
        assert_eq!(again.kind, recording.kind, "{path:?}");
        // Nor do tables say which lane of a thread one is.
        let threads = |it: &Recording| -> Vec<Thread> {
            let threads = it.threads().iter().cloned();
            threads.map(|it| Thread { lane: 0, ..it }).collect()
        };
        assert_eq!(threads(&again), threads(&recording), "{path:?}");
        assert_eq!(again.unit(), recording.unit(), "{path:?}");
        // Tables have the calls of a sampled recording, and not what its samples weigh.
        let is_weighed = recording.weighed.is_some();
        let calls_alone = Recording {
            weighed: None,
            ..recording.clone()
        };
        assert_eq!(
            again.function_metrics(None),
            calls_alone.function_metrics(None),
            "{path:?}"
        );
        assert_eq!(
            again.relations(None),
            calls_alone.relations(None),
            "{path:?}"
        );
        let of = |it: &Recording| {
            let found = contexts(it, &progress).expect("not cancelled");
            found.map(|it| rows(&it))
        };
        assert_eq!(of(&again), of(&calls_alone), "{path:?}");
        let other = Scratch::new("tables-again");
        export(&again, &other.0, "one", &Table::ALL);
        let after = files(&other.0, "one");
        for (table, bytes) in &before {
            // This one names the file and its format; sums are of weights before, and of calls afterwards.
            let is_sum = ["functions", "relations", "contexts", "samples"].contains(table);
            if *table == "recordings" || is_weighed && is_sum {
                continue;
            }
            assert!(after.get(table) == Some(bytes), "{path:?}: {table}");
        }
        assert_eq!(
            before.keys().collect::<Vec<_>>(),
            after.keys().collect::<Vec<_>>(),
            "{path:?}"
        );
        came_back += 1;
    }
    assert!(came_back > 20, "{came_back}");
}
