//! What the build files of a tree say about the names of its parts: Cargo.toml, go.mod, package.json and tsconfig.json.
//!
//! Only files in the tree are opened, links are not followed, and what is malformed says nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde_json::Value;

/// More of such a file is not read.
const LARGEST: u64 = 4 << 20;

/// What the build files say, by directory relative to the tree's root, `""` for the root itself.
#[derive(Clone, Debug, Default)]
pub struct Manifests {
    pub cargo: BTreeMap<String, Cargo>,
    /// The path that packages of this directory are imported by.
    pub go: BTreeMap<String, String>,
    pub npm: BTreeMap<String, Npm>,
    pub typescript: BTreeMap<String, TypeScript>,
}

/// A package of Rust.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cargo {
    /// As code names its library.
    pub crate_name: String,
    pub version: String,
    /// Where its library begins, relative to its directory.
    pub library: String,
    /// Where its programs, tests and the like begin, as far as the file says it.
    pub targets: Vec<String>,
    /// Paths of `use` begin at the crate's root: the edition of 2015.
    pub is_2015: bool,
    /// By name in code: the crate and the version asked for.
    pub dependencies: BTreeMap<String, (String, String)>,
}

/// A package of JavaScript.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Npm {
    pub name: String,
    /// Where it may begin, the likeliest first, relative to its directory.
    pub entries: Vec<String>,
}

/// How names are looked up in TypeScript.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypeScript {
    /// The directory that names are relative to, relative to that of the file.
    pub base: Option<String>,
    /// Patterns with one `*` at most, and what they stand for.
    pub paths: Vec<(String, Vec<String>)>,
}

impl Manifests {
    /// Reads those in the directories of `files`, which are relative to `dir` with `/`, and around them.
    pub fn read<'a>(dir: &Path, files: impl Iterator<Item = &'a str>) -> Manifests {
        let mut folders: BTreeSet<&str> = BTreeSet::new();
        for file in files {
            let mut at = file;
            loop {
                at = at.rsplit_once('/').map_or("", |(folder, _)| folder);
                if !folders.insert(at) || at.is_empty() {
                    break;
                }
            }
        }
        let mut manifests = Manifests::default();
        for folder in folders {
            let text = |name: &str| read(&dir.join(folder).join(name));
            if let Some(cargo) = text("Cargo.toml").and_then(|text| cargo(&text)) {
                manifests.cargo.insert(folder.to_owned(), cargo);
            }
            if let Some(module) = text("go.mod").and_then(|text| go_module(&text)) {
                manifests.go.insert(folder.to_owned(), module);
            }
            if let Some(npm) = text("package.json").and_then(|text| npm(&text)) {
                manifests.npm.insert(folder.to_owned(), npm);
            }
            let settings = text("tsconfig.json").or_else(|| text("jsconfig.json"));
            if let Some(settings) = settings.and_then(|text| typescript(&text)) {
                manifests.typescript.insert(folder.to_owned(), settings);
            }
        }
        manifests
    }
}

/// The text of a regular file.
fn read(path: &Path) -> Option<String> {
    let is_file = std::fs::symlink_metadata(path).is_ok_and(|it| it.is_file());
    let mut text = Vec::new();
    let file = is_file.then(|| File::open(path).ok())??;
    file.take(LARGEST).read_to_end(&mut text).ok()?;
    String::from_utf8(text).ok()
}

fn cargo(text: &str) -> Option<Cargo> {
    let table: toml::Table = text.parse().ok()?;
    let package = table.get("package").or_else(|| table.get("project"))?;
    let string = |value: &toml::Value, key: &str| Some(value.get(key)?.as_str()?.to_owned());
    let name = string(package, "name")?;
    let library = table.get("lib");
    let of_library = |key: &str| library.and_then(|library| string(library, key));
    let mut targets = Vec::new();
    for kind in ["bin", "test", "bench", "example"] {
        let all = table.get(kind).and_then(toml::Value::as_array);
        targets.extend(
            all.into_iter()
                .flatten()
                .filter_map(|it| string(it, "path")),
        );
    }
    targets.extend(string(package, "build"));
    // An edition that the workspace says is none of the first.
    let edition = package.get("edition");
    let mut cargo = Cargo {
        crate_name: of_library("name").unwrap_or_else(|| in_code(&name)),
        version: string(package, "version").unwrap_or_default(),
        library: of_library("path").unwrap_or_else(|| "src/lib.rs".to_owned()),
        targets,
        is_2015: edition.is_none_or(|it| it.as_str() == Some("2015")),
        dependencies: BTreeMap::new(),
    };
    cargo.depend(&table);
    let targets = table.get("target").and_then(toml::Value::as_table);
    for (_, target) in targets.into_iter().flatten() {
        if let Some(target) = target.as_table() {
            cargo.depend(target);
        }
    }
    Some(cargo)
}

impl Cargo {
    /// Takes the dependencies of a table.
    fn depend(&mut self, table: &toml::Table) {
        for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
            let all = table.get(kind).and_then(toml::Value::as_table);
            for (name, of) in all.into_iter().flatten() {
                let string = |key: &str| of.get(key).and_then(toml::Value::as_str);
                let package = string("package").unwrap_or(name);
                let version = of.as_str().or_else(|| string("version")).unwrap_or("");
                let what = (in_code(package), version.to_owned());
                self.dependencies.insert(in_code(name), what);
            }
        }
    }
}

/// A package's name as code writes it.
fn in_code(name: &str) -> String {
    name.replace('-', "_")
}

fn go_module(text: &str) -> Option<String> {
    let mut lines = text.lines();
    let module = lines.find_map(|line| line.trim().strip_prefix("module "))?;
    let module = module.split("//").next()?.trim().trim_matches('"');
    (!module.is_empty()).then(|| module.to_owned())
}

fn npm(text: &str) -> Option<Npm> {
    let value: Value = serde_json::from_str(text).ok()?;
    let exports = value.get("exports");
    let whole = exports.map(|exports| exports.get(".").unwrap_or(exports));
    let mut entries: Vec<String> = whole.and_then(condition).into_iter().collect();
    for key in ["main", "module", "source", "types"] {
        entries.extend(value.get(key).and_then(Value::as_str).map(str::to_owned));
    }
    Some(Npm {
        name: value.get("name")?.as_str()?.to_owned(),
        entries,
    })
}

/// What a condition of `exports` leads to, for code that is not told to be a module.
/// <https://nodejs.org/api/packages.html#conditional-exports>
fn condition(value: &Value) -> Option<String> {
    // Conditions nest a few levels at most.
    let mut at = value;
    for _ in 0..8 {
        if let Some(path) = at.as_str() {
            return Some(path.to_owned());
        }
        let mut names = ["node", "require", "default", "import"].iter();
        at = names.find_map(|name| at.get(name))?;
    }
    None
}

fn typescript(text: &str) -> Option<TypeScript> {
    let value: Value = serde_json::from_str(&without_comments(text)).ok()?;
    let options = value.get("compilerOptions")?;
    let base = options.get("baseUrl").and_then(Value::as_str);
    let mut paths = Vec::new();
    let patterns = options.get("paths").and_then(Value::as_object);
    for (pattern, all) in patterns.into_iter().flatten() {
        let all = all.as_array().into_iter().flatten();
        let all = all.filter_map(Value::as_str).map(str::to_owned);
        paths.push((pattern.clone(), all.collect()));
    }
    // The most exact pattern is tried first.
    paths.sort_by_key(|(pattern, _)| std::cmp::Reverse(pattern.len()));
    Some(TypeScript {
        base: base.map(str::to_owned),
        paths,
    })
}

/// JSON without the comments and the commas before closing brackets that such files may have.
fn without_comments(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut clean: Vec<u8> = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        if rest[0] == b'"' {
            let mut end = 1;
            while end < rest.len() && rest[end] != b'"' {
                end += 1 + usize::from(rest[end] == b'\\');
            }
            let end = (end + 1).min(rest.len());
            clean.extend(&rest[..end]);
            at += end;
        } else if rest.starts_with(b"//") {
            at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        } else if rest.starts_with(b"/*") {
            at += memchr::memmem::find(rest, b"*/").map_or(rest.len(), |end| end + 2);
        } else {
            if matches!(rest[0], b'}' | b']') {
                let kept = clean.trim_ascii_end().len();
                if kept > 0 && clean[kept - 1] == b',' {
                    clean.truncate(kept - 1);
                }
            }
            clean.push(rest[0]);
            at += 1;
        }
    }
    String::from_utf8(clean).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn build_files_name_the_parts_of_a_tree() {
        let text = "[package]\nname = \"a-b\"\nversion = \"1.2.3\"\nedition = \"2021\"\n[dependencies]\nx-y = \"0.4\"\n\
                    z = { package = \"w-v\", version = \"2\" }\n[target.'cfg(unix)'.dependencies]\nu = \"1\"\n[[bin]]\n\
                    name = \"p\"\npath = \"tools/p.rs\"\n";
        let found = cargo(text).expect("a package");
        assert_eq!(found.crate_name, "a_b");
        assert_eq!(found.library, "src/lib.rs");
        assert_eq!(found.targets, ["tools/p.rs"]);
        assert!(!found.is_2015);
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(found.dependencies["x_y"], pair("x_y", "0.4"));
        assert_eq!(found.dependencies["z"], pair("w_v", "2"));
        assert_eq!(found.dependencies["u"], pair("u", "1"));
        assert_eq!(cargo("[workspace]\nmembers = []\n"), None);
        assert_eq!(cargo("[package"), None);
        let package = "{\"name\": \"n\", \"main\": \"m.js\", \"exports\": { \".\": { \"import\": { \"default\": \"i.js\" }, \
                       \"require\": { \"types\": \"t.ts\", \"default\": \"r.js\" } } } }";
        assert_eq!(npm(package).expect("a package").entries, ["r.js", "m.js"]);
        let module = go_module("// a\nmodule example.com/a/b // c\n\ngo 1.22\n");
        assert_eq!(module.as_deref(), Some("example.com/a/b"));
        let settings = "{ // comment\n \"compilerOptions\": { \"baseUrl\": \"./src\", /* more */ \"paths\": \
                        { \"@/*\": [\"app/*\"], \"@/x/*\": [\"http://y/*\",], } }, }";
        let found = typescript(settings).expect("settings");
        assert_eq!(found.base.as_deref(), Some("./src"));
        assert_eq!(found.paths[0].0, "@/x/*");
        assert_eq!(found.paths[0].1, ["http://y/*"]);
    }
}
