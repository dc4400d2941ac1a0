//! What a document is opened from: its name, and what comes of files that are dropped on it.

use std::path::{Path, PathBuf};

use callscape_analysis::session::Inputs;
use callscape_import as import;
use callscape_source as source;

/// How files that only other tools write end: logs in SARIF, and reports of lcov.
const RESULTS: [&str; 3] = ["sarif", "info", "lcov"];

/// The names of source tree and recordings, without their folders, of several runs of a side that of the first; what
/// they are without any.
pub fn name_of(inputs: &Inputs) -> String {
    if *inputs == Inputs::default() {
        return "Built-in demo".into();
    }
    let sources = inputs.sides.source_of_a.iter().chain(&inputs.source_dir);
    let mut names: Vec<String> = sources.map(|path| file_name(path)).collect();
    let sides = inputs.recordings_of_sides();
    match sides.filter(|_| inputs.sides.runs_of_a > 0) {
        None => names.extend(inputs.recordings.iter().map(|path| file_name(path))),
        Some(sides) => names.extend(sides.iter().filter_map(|runs| {
            let first = file_name(runs.first()?);
            Some(match runs.len() {
                1 => first,
                all => format!("{first} and {} more", all - 1),
            })
        })),
    }
    names.join(" · ")
}

/// The last part of a path; of `.` the directory that it is.
fn file_name(path: &Path) -> String {
    if path.as_os_str() == import::input::STANDARD_INPUT {
        return "standard input".into();
    }
    let whole = std::fs::canonicalize(path);
    let path = whole.as_deref().unwrap_or(path);
    let name = path.file_name().unwrap_or(path.as_os_str());
    let name = name.to_string_lossy();
    let of_tree = name.strip_suffix(source::structure::ENDING);
    of_tree.unwrap_or(&name).to_owned()
}

/// Whether `path` is named like what other tools have found, and like no recording.
pub fn is_results(path: &Path) -> bool {
    let ending = path.extension().and_then(|it| it.to_str());
    ending.is_some_and(|it| RESULTS.iter().any(|of| of.eq_ignore_ascii_case(it)))
}

/// What to open when `paths` are dropped on a window that shows `open`.
///
/// Recordings replace the recordings and keep the structure. A source tree keeps the recordings only
/// when there was no source tree: recordings belong to the tree they were opened with.
pub fn dropped(open: Option<&Inputs>, paths: &[PathBuf]) -> Inputs {
    let is_source = |path: &&PathBuf| source::is_source(path, import::is_recording);
    let source_dir = paths.iter().rfind(is_source).cloned();
    let recordings = paths.iter().filter(|path| !is_source(path));
    let mut inputs = Inputs {
        source_dir,
        recordings: recordings.cloned().collect(),
        ..Inputs::default()
    };
    if let Some(open) = open {
        if inputs.source_dir.is_none() {
            inputs.source_dir.clone_from(&open.source_dir);
        } else if open.source_dir.is_none() && inputs.recordings.is_empty() {
            inputs.recordings.clone_from(&open.recordings);
        }
    }
    inputs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_tools_are_known_by_their_names() {
        for (path, expected) in [
            ("a/clippy.sarif", true),
            ("coverage.INFO", true),
            ("all.lcov", true),
            ("trace.json", false),
            ("info", false),
            ("lcov/trace.json.gz", false),
        ] {
            assert_eq!(is_results(Path::new(path)), expected, "{path}");
        }
    }

    #[test]
    fn what_is_dropped_joins_or_replaces_what_is_open() {
        let tree = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        let other = tree.join("src");
        let trace = tree.join("Cargo.toml");
        let of = |source: Option<&PathBuf>, recordings: &[&PathBuf]| Inputs {
            source_dir: source.cloned(),
            recordings: recordings.iter().map(|&path| path.clone()).collect(),
            ..Inputs::default()
        };
        let old = PathBuf::from("old.json");
        let structure = of(Some(&tree), &[&old]);
        let recording = of(None, &[&old]);
        let drop =
            |open: Option<&Inputs>, path: &PathBuf| dropped(open, std::slice::from_ref(path));
        assert_eq!(drop(None, &tree), of(Some(&tree), &[]));
        assert_eq!(drop(Some(&structure), &trace), of(Some(&tree), &[&trace]));
        assert_eq!(drop(Some(&structure), &other), of(Some(&other), &[]));
        assert_eq!(drop(Some(&recording), &tree), of(Some(&tree), &[&old]));
        let both = dropped(Some(&structure), &[trace.clone(), other.clone()]);
        assert_eq!(both, of(Some(&other), &[&trace]));
    }

    #[test]
    fn of_several_runs_the_first_is_named() {
        let recordings = ["a1", "a2", "b1", "b2", "b3"];
        let mut inputs = Inputs {
            source_dir: Some("/no/such/new".into()),
            recordings: recordings.map(PathBuf::from).into(),
            ..Inputs::default()
        };
        assert_eq!(name_of(&inputs), "new · a1 · a2 · b1 · b2 · b3");
        inputs.sides.runs_of_a = 2;
        inputs.sides.source_of_a = Some("/no/such/old".into());
        assert_eq!(
            name_of(&inputs),
            "old · new · a1 and 1 more · b1 and 2 more"
        );
        let swapped = inputs.clone().swapped();
        assert_eq!(
            name_of(&swapped),
            "new · old · b1 and 2 more · a1 and 1 more"
        );
        assert_eq!(swapped.swapped(), inputs);
        inputs.sides.runs_of_a = 5;
        assert_eq!(inputs.recordings_of_sides(), None);
    }
}
