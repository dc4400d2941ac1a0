//! What a document is opened from: its name, and what comes of files that are dropped on it.

use std::path::{Path, PathBuf};

use callscape_analysis::session::Inputs;
use callscape_base::units::date;
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

fn whole(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// The last part of a path; of `.` the directory that it is.
fn file_name(path: &Path) -> String {
    if path.as_os_str() == import::input::STANDARD_INPUT {
        return "standard input".into();
    }
    let path = &whole(path);
    let name = path.file_name().unwrap_or(path.as_os_str());
    // The history of a tree is called like the tree.
    if name == ".git"
        && let Some(tree) = path.parent().and_then(Path::file_name)
    {
        return format!("History of {}", tree.to_string_lossy());
    }
    let name = name.to_string_lossy();
    if let Some(commit) = source::history::written_commit(path) {
        return format!("{name} of {}", date(commit.time.div_euclid(86_400)));
    }
    let of_tree = name.strip_suffix(source::structure::ENDING);
    of_tree.unwrap_or(&name).to_owned()
}

/// Whether `path` is named like what other tools have found, and like no recording.
pub fn is_results(path: &Path) -> bool {
    let ending = path.extension().and_then(|it| it.to_str());
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if name.ends_with(".cc.json") || name.ends_with(".cc.json.gz") {
        return true;
    }
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
            // The history of another tree has nothing to do with this one.
            let tree = inputs.source_dir.as_deref().map(whole);
            let is_of_other = |git: &Path| git.ends_with(".git") && git.parent().map(whole) != tree;
            inputs.recordings.retain(|path| !is_of_other(path));
        }
    }
    inputs
}

/// What to open to compare the recordings of A and B over the source trees of `open`. If one side is empty, the other is
/// opened alone, over its own source tree.
pub fn with_sides(open: Option<&Inputs>, [a, b]: [Vec<PathBuf>; 2]) -> Inputs {
    let mut inputs = open.cloned().unwrap_or_default();
    if b.is_empty() {
        inputs.source_dir = inputs.sides.source_of_a.take().or(inputs.source_dir);
    }
    if a.is_empty() || b.is_empty() {
        inputs.sides.source_of_a = None;
    }
    // Several runs of one side alone would be taken for two sides otherwise.
    inputs.sides.runs_of_a = match (a.len(), b.len()) {
        (0, 0 | 1) | (1, 0) => 0,
        (0, runs) => runs,
        (runs, _) => runs,
    };
    inputs.recordings = [a, b].concat();
    inputs
}

/// No more files of a folder are looked through.
const MOST_BESIDE: usize = 5_000;

/// Files next to `recording` that are probably other runs of its program: with the same ending, the most alike names first.
pub fn runs_beside(recording: &Path) -> Vec<PathBuf> {
    let ending = |path: &Path| path.extension().map(|it| it.to_ascii_lowercase());
    let name = |path: &Path| -> Vec<char> {
        let name = path.file_name().unwrap_or_default();
        name.to_string_lossy().chars().collect()
    };
    let whole = std::path::absolute(recording).unwrap_or_else(|_| recording.to_owned());
    let (own, of) = (name(&whole), ending(&whole));
    let Some(folder) = whole.parent().and_then(|it| std::fs::read_dir(it).ok()) else {
        return Vec::new();
    };
    let files = folder
        .take(MOST_BESIDE)
        .filter_map(|it| Some(it.ok()?.path()));
    let alike = |path: &Path| {
        let other = name(path);
        let same = |pairs: &mut dyn Iterator<Item = (&char, &char)>| {
            pairs.take_while(|(x, y)| x == y).count()
        };
        same(&mut own.iter().zip(&other)) + same(&mut own.iter().rev().zip(other.iter().rev()))
    };
    let mut found: Vec<PathBuf> = files
        .filter(|path| *path != whole && ending(path) == of && path.is_file())
        .collect();
    // Of the words that a name shares, those that few files have say most: `orm-after` is nearer to `orm-before` than all
    // others named `before`.
    let has = |path: &Path, word: &str| words(path).any(|it| it == word);
    let own_words: Vec<(String, usize)> = words(&whole)
        .map(|word| {
            let count = found.iter().filter(|path| has(path, &word)).count();
            (word, MOST_BESIDE / count.max(1))
        })
        .collect();
    let shared = |path: &Path| -> usize {
        let of = own_words.iter().filter(|(word, _)| has(path, word));
        of.map(|it| it.1).sum()
    };
    found.sort_by_cached_key(|path| {
        let likeness = (shared(path), alike(path));
        (std::cmp::Reverse(likeness), path.clone())
    });
    found
}

/// The words of a file's name.
fn words(path: &Path) -> impl Iterator<Item = String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let words = name.split(|letter: char| !letter.is_alphanumeric());
    let words: Vec<String> = words
        .filter(|it| !it.is_empty())
        .map(str::to_lowercase)
        .collect();
    words.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_analysis::session::Sides;

    #[test]
    fn a_second_run_keeps_the_source_tree_and_closing_a_side_leaves_the_other_with_its_own() {
        let of = |names: &[&str]| -> Vec<PathBuf> { names.iter().map(PathBuf::from).collect() };
        let mut open = Inputs {
            source_dir: Some("/new".into()),
            recordings: of(&["a"]),
            ..Inputs::default()
        };
        let both = with_sides(Some(&open), [of(&["a"]), of(&["b"])]);
        assert_eq!(both.source_dir, open.source_dir);
        let sides = both.recordings_of_sides().map(|it| it.map(<[_]>::to_vec));
        assert_eq!(sides, Some([of(&["a"]), of(&["b"])]));
        let sets = with_sides(Some(&both), [of(&["a", "c"]), of(&["b"])]);
        assert_eq!(sets.sides.runs_of_a, 2);
        open.sides.source_of_a = Some("/old".into());
        open.recordings = of(&["a", "b"]);
        let a = with_sides(Some(&open), [of(&["a"]), Vec::new()]);
        assert_eq!(a.source_dir, Some("/old".into()));
        assert_eq!((&a.recordings, a.sides), (&of(&["a"]), Sides::default()));
        let b = with_sides(Some(&open), [Vec::new(), of(&["b", "d"])]);
        assert_eq!(b.source_dir, Some("/new".into()));
        assert_eq!(
            b.recordings_of_sides(),
            None,
            "several runs of one side are no two sides"
        );
        assert_eq!(
            with_sides(None, [of(&["a"]), of(&["b"])]).recordings,
            of(&["a", "b"])
        );
    }

    #[test]
    fn runs_beside_a_recording_are_those_with_its_ending_the_most_alike_first() {
        let dir = std::env::temp_dir().join(format!("callscape-beside-{}", std::process::id()));
        std::fs::create_dir_all(dir.join("folder.json")).expect("there is room");
        for name in [
            "run-1.json",
            "other.json",
            "run-22.json",
            "run-2.json",
            "run-2.csv",
        ] {
            std::fs::write(dir.join(name), "").expect("there is room");
        }
        let found = runs_beside(&dir.join("run-1.json"));
        let names: Vec<_> = found.iter().filter_map(|it| it.file_name()).collect();
        assert_eq!(names, ["run-2.json", "run-22.json", "other.json"]);
        assert_eq!(
            runs_beside(Path::new("/no/such/folder/a.json")),
            Vec::<PathBuf>::new()
        );
        for name in ["orm-before", "orm-after", "outline-before", "lock-before"] {
            std::fs::write(dir.join(format!("{name}.gz")), "").expect("there is room");
        }
        let found = runs_beside(&dir.join("orm-before.gz"));
        assert_eq!(found[0], dir.join("orm-after.gz"));
        let _ = std::fs::remove_dir_all(&dir);
    }

    #[test]
    fn results_of_tools_are_known_by_their_names() {
        for (path, expected) in [
            ("a/clippy.sarif", true),
            ("coverage.INFO", true),
            ("all.lcov", true),
            ("code.cc.json", true),
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
