//! Functions against Universal Ctags, function by function, where it is installed.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use callscape::facts::hierarchy::ModuleKind;
use callscape::progress::Progress;
use callscape::source::Scan;

/// Kinds that are functions, by language as ctags names it, and that language as tokei names it.
const LANGUAGES: [(&str, &str, &str); 4] = [
    ("C", "f", "C"),
    ("JavaScript", "fmg", "JavaScript"),
    ("Python", "fm", "Python"),
    ("Rust", "fP", "Rust"),
];

/// Name and line of the functions that ctags finds in `file`.
fn of_ctags(file: &Path, language: &str, kinds: &str) -> Option<BTreeSet<(String, u32)>> {
    let output = Command::new("ctags")
        .args(["-f", "-", "--fields=+n", "--excmd=number"])
        .arg(format!("--language-force={language}"))
        .arg(format!("--kinds-{language}={kinds}"))
        .arg(file)
        .output();
    let text = String::from_utf8(output.ok()?.stdout).ok()?;
    let tags = text.lines().map(|line| {
        let mut fields = line.split('\t');
        let name = fields.next()?.to_owned();
        let line = fields.nth(1)?.trim_end_matches(";\"").parse().ok()?;
        Some((name, line))
    });
    let tags: Option<Vec<_>> = tags.collect();
    let named = tags?.into_iter();
    Some(
        named
            .filter(|(name, _)| !name.starts_with("AnonymousFunction"))
            .collect(),
    )
}

#[test]
fn functions_are_those_that_ctags_finds() {
    let version = Command::new("ctags").arg("--version").output();
    if !version.is_ok_and(|version| version.stdout.starts_with(b"Universal Ctags")) {
        eprintln!("left out: needs Universal Ctags");
        return;
    }
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut both = 0;
    let mut differences: Vec<String> = Vec::new();
    for tree in ["src", "tests/data"] {
        let dir = repository.join(tree);
        let progress = Progress::new();
        let mut scan = Scan::start_with_cache(&dir, None, &progress).expect("a tree");
        scan.finish(&progress).expect("a tree");
        let hierarchy = scan.hierarchy();
        for file in hierarchy.modules() {
            let module = hierarchy.module(file);
            let language = LANGUAGES
                .iter()
                .find(|(_, _, name)| *name == module.language);
            let (ModuleKind::File, Some((language, kinds, _))) = (module.kind, language) else {
                continue;
            };
            let path = dir.join(hierarchy.path(file));
            let mut tags = of_ctags(&path, language, kinds).expect("ctags lists functions");
            let text = std::fs::read_to_string(&path).expect("a text");
            let lines: Vec<&str> = text.lines().collect();
            for id in hierarchy.subtree(file).map(callscape::units::ModuleId) {
                let function = hierarchy.module(id);
                if function.kind != ModuleKind::Function {
                    continue;
                }
                let name = function.name.rsplit([':', '.']).next().unwrap_or_default();
                let span = function.line..=function.end_line;
                let tag = tags
                    .iter()
                    .find(|(tag, line)| tag == name && span.contains(line))
                    .cloned();
                match tag {
                    Some(tag) => {
                        tags.remove(&tag);
                        both += 1;
                    }
                    None => differences.push(format!("ours {} {}", path.display(), function.name)),
                }
            }
            // A declaration without a body is no function here.
            let has_body = |line: u32| {
                let rest = lines.iter().skip(line as usize - 1);
                let rest = rest.flat_map(|line| line.chars());
                rest.into_iter().find(|c| matches!(c, '{' | ';')) != Some(';')
            };
            let tags = tags.into_iter().filter(|(_, line)| has_body(*line));
            differences.extend(tags.map(|(name, _)| format!("ctags {} {name}", path.display())));
        }
    }
    assert!(both > 1_000, "{both}");
    assert!(differences.len() * 50 < both, "{differences:#?}");
}
