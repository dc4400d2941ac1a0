//! Functions that are not recorded because that was asked for, by their names.

use std::fs;
use std::path::Path;

use super::elf;
use super::error::RecordError;
use callscape_analysis::mapping::wildcard;
use callscape_base::escape;
use callscape_base::units::counted;
use callscape_import::demangle::demangle;

/// So many of them are named.
const NAMED: usize = 8;

/// The symbols of the functions of a program that `names` mean: by their symbol, or demangled and of C++ without arguments
/// too; `*` stands for anything. An error where a name means none; `option` is what gave the names.
pub(crate) fn symbols(
    program: &Path,
    option: &str,
    names: &[String],
) -> Result<Vec<String>, RecordError> {
    let wrong = |reason: String| Err(RecordError::program(program, reason));
    let file = fs::File::open(program).ok();
    let Some(all) = file.and_then(|mut file| elf::functions(&mut file)) else {
        return wrong(format!(
            "{option}: the program has no list of its functions"
        ));
    };
    let mut found: Vec<String> = Vec::new();
    for name in names {
        let before = found.len();
        let is_meant = |symbol: &&String| {
            let plain = demangle(symbol);
            // Copies that the compiler made for one way of calling it belong to it.
            let plain = plain.split(" [clone ").next().unwrap_or_default();
            let bare = plain.split('(').next().unwrap_or_default();
            [symbol.as_str(), plain, bare]
                .iter()
                .any(|it| wildcard(name, it))
        };
        found.extend(all.iter().filter(is_meant).cloned());
        if found.len() == before {
            let reason = format!(
                "expected functions of the program after {option}, found none called '{name}'"
            );
            return wrong(reason);
        }
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// The first of some symbols, and how many more there are; none for none.
pub(crate) fn named<'a>(symbols: impl Iterator<Item = &'a str>, most: usize) -> Option<String> {
    let all: Vec<&str> = symbols.collect();
    let first = all.iter().take(most);
    let mut names: Vec<String> = first
        .map(|it| escape::name(&demangle(it)).into_owned())
        .collect();
    if all.len() > most {
        names.push(format!("and {} more", all.len() - most));
    }
    (!names.is_empty()).then(|| names.join(", "))
}

/// A line about them.
pub(crate) fn said(symbols: &[String]) -> String {
    let functions = counted(symbols.len() as u64, "function", "functions");
    let names = named(symbols.iter().map(String::as_str), NAMED).unwrap_or_default();
    format!("not recorded: {functions} excluded by --without: {names}")
}
