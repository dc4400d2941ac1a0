//! Tells the kinds of files by the rules that people know: git's attributes, what a generator writes at the top, the names
//! of files and folders, and the length of lines.
//!
//! Of the attributes that GitHub's linguist defined, the last line that fits a path counts, those of a deeper folder before
//! those further up, and all of them before every other rule.
//! <https://github.com/github-linguist/linguist/blob/main/docs/overrides.md>

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use tokei::LanguageType;

use super::made::is_prose;
use callscape_facts::kinds::{FileKind, Made, Purpose};

/// More of a file of attributes is not read.
const MOST_ATTRIBUTES: u64 = 1 << 20;
/// The kinds of the files of one tree.
#[derive(Default)]
pub(crate) struct Kinds {
    /// By folder, relative to the tree's root.
    attributes: HashMap<PathBuf, Attributes>,
}

/// What one file of attributes says; what it denies is white-listed.
struct Attributes {
    generated: Gitignore,
    vendored: Gitignore,
    documentation: Gitignore,
}

impl Kinds {
    /// Reads the attributes in all folders that hold one of `files`, which are relative to `dir`, and in those around
    /// them up to `dir`.
    pub(crate) fn read<'a>(dir: &Path, files: impl Iterator<Item = &'a Path>) -> Kinds {
        let mut folders: BTreeSet<&Path> = BTreeSet::new();
        for file in files {
            for folder in file.ancestors().skip(1) {
                if !folders.insert(folder) {
                    break;
                }
            }
        }
        let attributes = folders.into_iter().filter_map(|folder| {
            let path = dir.join(folder).join(".gitattributes");
            // A link may lead anywhere.
            let is_file = std::fs::symlink_metadata(&path).is_ok_and(|it| it.is_file());
            let mut text = Vec::new();
            let file = is_file.then(|| File::open(&path).ok())??;
            file.take(MOST_ATTRIBUTES).read_to_end(&mut text).ok()?;
            let attributes = Attributes::of(&String::from_utf8_lossy(&text))?;
            Some((folder.to_path_buf(), attributes))
        });
        Kinds {
            attributes: attributes.collect(),
        }
    }

    /// The kind of the file at `path`, relative to the tree's root, whose text says that it was `made` so.
    pub(crate) fn of(&self, path: &Path, language: LanguageType, made: Made) -> FileKind {
        let said = |which: fn(&Attributes) -> &Gitignore| self.says(path, which);
        let made = match (said(|it| &it.generated), said(|it| &it.vendored)) {
            (Some(true), _) => Made::Generated,
            (_, Some(true)) => Made::Vendored,
            (generated, vendored) => {
                let by_name = by_name(path).filter(|made| {
                    let denied = match made {
                        Made::Vendored => vendored,
                        _ => generated,
                    };
                    denied.is_none()
                });
                let by_text = match generated {
                    Some(_) => Made::Hand,
                    None => made,
                };
                by_name.unwrap_or(by_text)
            }
        };
        let purpose = match said(|it| &it.documentation) {
            Some(true) => Purpose::Documentation,
            denied => match purpose(path, language) {
                Purpose::Documentation if denied.is_some() => Purpose::Product,
                purpose => purpose,
            },
        };
        FileKind { made, purpose }
    }

    /// What the innermost attributes say that say anything of this path.
    fn says(&self, path: &Path, which: fn(&Attributes) -> &Gitignore) -> Option<bool> {
        if self.attributes.is_empty() {
            return None;
        }
        path.ancestors().skip(1).find_map(|folder| {
            let of = self.attributes.get(folder)?;
            let inside = path.strip_prefix(folder).ok()?;
            match which(of).matched(inside, false) {
                ignore::Match::Ignore(_) => Some(true),
                ignore::Match::Whitelist(_) => Some(false),
                ignore::Match::None => None,
            }
        })
    }
}

impl Attributes {
    /// None where nothing is said of what interests here.
    fn of(text: &str) -> Option<Attributes> {
        let build = |name: &str| {
            let mut builder = GitignoreBuilder::new("");
            let mut says = false;
            for line in text.lines() {
                let mut words = line.split_whitespace();
                let pattern = words.next().filter(|it| !it.starts_with(['#', '[', '!']));
                let Some(pattern) = pattern.map(|it| it.trim_matches('"')) else {
                    continue;
                };
                let mut values = words.filter_map(|word| match word.split_once('=') {
                    Some((of, "true")) if of == name => Some(true),
                    Some((of, "false")) if of == name => Some(false),
                    None if word == name => Some(true),
                    None if word.strip_prefix('-') == Some(name) => Some(false),
                    _ => None,
                });
                if let Some(value) = values.next_back() {
                    let sign = if value { "" } else { "!" };
                    says |= builder.add_line(None, &format!("{sign}{pattern}")).is_ok();
                }
            }
            (builder.build().unwrap_or_else(|_| Gitignore::empty()), says)
        };
        let (generated, one) = build("linguist-generated");
        let (vendored, two) = build("linguist-vendored");
        let (documentation, three) = build("linguist-documentation");
        (one || two || three).then_some(Attributes {
            generated,
            vendored,
            documentation,
        })
    }
}

/// What the names of a file and of the folders around it say about how it was made.
fn by_name(path: &Path) -> Option<Made> {
    let text = |name: &OsStr| name.to_string_lossy().to_lowercase();
    let mut names: Vec<String> = path.iter().map(text).collect();
    let file = names.pop()?;
    let is_vendored = |name: &String| {
        matches!(
            name.as_str(),
            "third_party"
                | "third-party"
                | "thirdparty"
                | "3rdparty"
                | "3rd_party"
                | "3rd-party"
                | "node_modules"
                | "bower_components"
                | "jspm_packages"
                | "vendor"
                | "vendors"
                | "vendored"
                | "_vendor"
                | "godeps"
                | "pods"
                | "carthage"
                | "site-packages"
        )
    };
    if names.iter().any(is_vendored) {
        return Some(Made::Vendored);
    }
    if file.contains(".min.") || file.ends_with("-min.js") || file.ends_with("-min.css") {
        return Some(Made::Minified);
    }
    let is_lock = matches!(
        file.as_str(),
        "package-lock.json"
            | "npm-shrinkwrap.json"
            | "yarn.lock"
            | "pnpm-lock.yaml"
            | "cargo.lock"
            | "poetry.lock"
            | "pipfile.lock"
            | "uv.lock"
            | "composer.lock"
            | "gemfile.lock"
            | "go.sum"
    );
    let ends = [
        ".pb.go",
        ".pb.cc",
        ".pb.h",
        "_pb2.py",
        "_pb2.pyi",
        "_pb2_grpc.py",
        "_pb.js",
        "_pb.d.ts",
        ".g.dart",
        ".designer.cs",
        ".g.cs",
    ];
    let is_generated = is_lock || ends.iter().any(|end| file.ends_with(end));
    is_generated.then_some(Made::Generated)
}

/// What a file is for: by its own name first, then by the innermost folder that says it.
fn purpose(path: &Path, language: LanguageType) -> Purpose {
    if is_prose(language) {
        return Purpose::Documentation;
    }
    let Some(file) = path.file_name().map(OsStr::to_string_lossy) else {
        return Purpose::Product;
    };
    if let Some(purpose) = purpose_by_file(&file, language) {
        return purpose;
    }
    let folders = path.parent().into_iter().flat_map(Path::iter).rev();
    let said = folders.into_iter().find_map(|folder| {
        let folder = folder.to_string_lossy();
        Some(match folder.to_lowercase().as_str() {
            "test" | "tests" | "__tests__" | "spec" | "specs" | "testdata" | "test_data"
            | "fixtures" | "e2e" | "androidtest" | "unittests" => Purpose::Test,
            "example" | "examples" | "demo" | "demos" | "sample" | "samples" => Purpose::Example,
            "bench" | "benches" | "benchmark" | "benchmarks" => Purpose::Bench,
            "doc" | "docs" | "documentation" | "man" => Purpose::Documentation,
            _ => return None,
        })
    });
    said.unwrap_or_default()
}

fn purpose_by_file(file: &str, language: LanguageType) -> Option<Purpose> {
    use LanguageType as L;
    // Up to the first point: `a` of `a.test.ts`.
    let (stem, rest) = file.split_once('.').unwrap_or((file, ""));
    let small = stem.to_lowercase();
    let has_part = |part: &str| rest.split('.').any(|one| one == part);
    let is_any = |names: &[&str]| names.contains(&small.as_str());
    // In these languages types, and so files, have names of words that begin with capitals.
    let is_of_types = matches!(
        language,
        L::Java | L::Kotlin | L::CSharp | L::Swift | L::Php | L::Scala | L::Groovy
    );
    let ends_in_test = ["Test", "Tests", "TestCase", "Spec"]
        .iter()
        .any(|end| stem.len() > end.len() && stem.ends_with(end));
    let is_test = small.starts_with("test_")
        || small.ends_with("_test")
        || small.ends_with("_tests")
        || small.ends_with("_unittest")
        || small.ends_with("_spec")
        || is_any(&["test", "tests", "conftest"])
        || has_part("test")
        || has_part("spec")
        || is_of_types && ends_in_test;
    if is_test {
        return Some(Purpose::Test);
    }
    let is_bench = small.starts_with("bench_")
        || small.ends_with("_bench")
        || small.ends_with("_benchmark")
        || has_part("bench");
    is_bench.then_some(Purpose::Bench)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_a_file_is_for() {
        use LanguageType as L;
        let cases = [
            ("src/a.rs", L::Rust, Purpose::Product),
            ("src/attest.rs", L::Rust, Purpose::Product),
            ("src/latest/a.go", L::Go, Purpose::Product),
            ("tests/it/a.rs", L::Rust, Purpose::Test),
            ("src/a_test.go", L::Go, Purpose::Test),
            ("src/test_a.py", L::Python, Purpose::Test),
            ("src/a.spec.ts", L::TypeScript, Purpose::Test),
            ("src/ATest.java", L::Java, Purpose::Test),
            ("src/Test.java", L::Java, Purpose::Test),
            ("src/Contest.java", L::Java, Purpose::Product),
            ("examples/tests/a.rs", L::Rust, Purpose::Test),
            ("tests/examples/a.rs", L::Rust, Purpose::Example),
            ("benches/a.rs", L::Rust, Purpose::Bench),
            ("docs/conf.py", L::Python, Purpose::Documentation),
            ("README.md", L::Markdown, Purpose::Documentation),
        ];
        let kinds = Kinds::default();
        for (path, language, purpose) in cases {
            let kind = kinds.of(Path::new(path), language, Made::Hand);
            assert_eq!(kind.purpose, purpose, "{path}");
        }
        let made = [
            ("web/node_modules/a/b.js", Made::Vendored),
            ("Third_Party/a.c", Made::Vendored),
            ("a/jquery.min.js", Made::Minified),
            ("a/x.pb.go", Made::Generated),
            ("Cargo.lock", Made::Generated),
            ("vendoring/a.c", Made::Hand),
        ];
        for (path, made) in made {
            let kind = kinds.of(Path::new(path), L::C, Made::Hand);
            assert_eq!(kind.made, made, "{path}");
        }
    }

    #[test]
    fn attributes_have_the_last_word() {
        let folder = std::env::temp_dir().join(format!("callscape-kinds-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("a/b")).expect("writable");
        let write = |path: &str, text: &str| {
            std::fs::write(folder.join(path), text).expect("writable");
        };
        write(
            ".gitattributes",
            "# all\n*.c text linguist-generated\nvendor/** -linguist-vendored\n/a/*.h linguist-vendored=true\n\
             docs/*.c linguist-documentation=false\nreal.c linguist-generated=false\n",
        );
        write("a/b/.gitattributes", "x.c -linguist-generated\n");
        let paths = [
            "a/b/x.c",
            "a/b/y.c",
            "a/z.h",
            "vendor/v.rs",
            "real.c",
            "docs/d.c",
        ];
        let kinds = Kinds::read(&folder, paths.iter().map(Path::new));
        let of = |path: &str, made| kinds.of(Path::new(path), LanguageType::C, made);
        assert_eq!(of("a/b/x.c", Made::Generated).made, Made::Hand);
        assert_eq!(of("a/b/y.c", Made::Hand).made, Made::Generated);
        assert_eq!(of("a/z.h", Made::Hand).made, Made::Vendored);
        assert_eq!(of("a/b/z.h", Made::Hand).made, Made::Hand);
        assert_eq!(of("vendor/v.rs", Made::Hand).made, Made::Hand);
        assert_eq!(of("vendor/v.rs", Made::Generated).made, Made::Generated);
        assert_eq!(of("real.c", Made::Generated).made, Made::Hand);
        assert_eq!(of("docs/d.c", Made::Hand).purpose, Purpose::Product);
        std::fs::remove_dir_all(&folder).ok();
    }
}
