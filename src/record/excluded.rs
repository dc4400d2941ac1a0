//! Functions that are recorded or not because that was asked for, by their names.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::error::RecordError;
use super::run::Wish;
use super::{chosen_files, chosen_sets, elf};
use callscape_analysis::mapping::wildcard;
use callscape_base::escape;
use callscape_base::units::counted;
use callscape_import::demangle::demangle;

/// So many of them are named.
const NAMED: usize = 8;

/// The symbols of the functions of a program that `names` mean: by their symbol, or demangled and of C++ without arguments
/// too; `*` stands for anything, a name with a slash for what is in a file or folder, and one behind `@` for a set. An error where a name means none;
/// `option` is what gave the names.
pub(crate) fn symbols(
    program: &Path,
    option: &str,
    names: &[String],
    wish: &Wish,
) -> Result<Vec<String>, RecordError> {
    let wrong = |reason: String| RecordError::program(program, reason);
    let Some(all) = functions(program) else {
        let reason = format!("{option}: the program has no list of its functions");
        return Err(wrong(reason));
    };
    let mut found: Vec<String> = Vec::new();
    // Which libraries are loaded is known when the program begins.
    for name in names.iter().filter(|it| !chosen_files::is_library(it)) {
        let named = of_name(&all, name, wish).map_err(wrong)?;
        let is_none = named.is_empty();
        found.extend(named);
        if is_none {
            let is_named = !chosen_files::is_path(name) && chosen_files::set(name).is_none();
            let which = if is_named { "called" } else { "in" };
            return Err(wrong(format!(
                "expected functions of the program after {option}, found none {which} '{name}'"
            )));
        }
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// Those of another program than the one that was looked at: it may have none of these.
pub(crate) fn found(program: &Path, names: &[String], wish: &Wish) -> Vec<String> {
    let all = functions(program).unwrap_or_default();
    let found = names
        .iter()
        .flat_map(|it| of_name(&all, it, wish).unwrap_or_default());
    let found: BTreeSet<String> = found.collect();
    found.into_iter().collect()
}

fn functions(program: &Path) -> Option<Vec<String>> {
    elf::functions(&mut fs::File::open(program).ok()?)
}

/// The symbols that one name means.
fn of_name(all: &[String], name: &str, wish: &Wish) -> Result<Vec<String>, String> {
    if chosen_files::is_library(name) {
        return Ok(Vec::new());
    }
    if chosen_files::set(name).is_none() && !chosen_files::is_path(name) {
        return Ok(all
            .iter()
            .filter(|it| is_called(it, name))
            .cloned()
            .collect());
    }
    let inside = match chosen_files::set(name) {
        Some(set) => chosen_sets::of_set(all, set, wish)?,
        None => chosen_files::of_path(all, name, wish)?,
    };
    let inside = all.iter().zip(inside).filter(|(_, is_inside)| *is_inside);
    Ok(inside.map(|(symbol, _)| symbol.clone()).collect())
}

/// Whether a function is called so: by its symbol, or demangled and of C++ without arguments too.
fn is_called(symbol: &str, name: &str) -> bool {
    let plain = demangle(symbol);
    // Copies that the compiler made for one way of calling it belong to it.
    let plain = plain.split(" [clone ").next().unwrap_or_default();
    let bare = plain.split('(').next().unwrap_or_default();
    [symbol, plain, bare].iter().any(|it| wildcard(name, it))
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
