//! Functions that are not recorded because that was asked for, by their names.

use std::fs;
use std::path::Path;

use super::elf;
use super::error::RecordError;
use super::uftrace;
use callscape_analysis::mapping::wildcard;
use callscape_base::escape;
use callscape_base::units::counted;
use callscape_import::demangle::demangle;

/// So many of them are named.
const NAMED: usize = 8;

/// The symbols of the functions of a program that `names` mean: by their symbol, or demangled and of C++ without arguments
/// too; `*` stands for anything. An error where a name means none, and where uftrace takes no list as long.
pub(crate) fn symbols(program: &Path, names: &[String]) -> Result<Vec<String>, RecordError> {
    let wrong = |reason: String| Err(RecordError::program(program, reason));
    let file = fs::File::open(program).ok();
    let Some(all) = file.and_then(|mut file| elf::functions(&mut file)) else {
        return wrong("--without: the program has no list of its functions".to_owned());
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
                "expected functions of the program after --without, found none called '{name}'"
            );
            return wrong(reason);
        }
    }
    found.sort_unstable();
    found.dedup();
    let length: usize = found.iter().map(|it| uftrace::pattern_length(it)).sum();
    if length > uftrace::LONGEST_LIST {
        let functions = counted(found.len() as u64, "function", "functions");
        return wrong(format!(
            "--without: {functions} are more than uftrace can exclude"
        ));
    }
    Ok(found)
}

/// A line about them.
pub(crate) fn said(symbols: &[String]) -> String {
    let functions = counted(symbols.len() as u64, "function", "functions");
    let names = symbols.iter().take(NAMED).map(|it| demangle(it));
    let mut names: Vec<String> = names.map(|it| escape::name(&it).into_owned()).collect();
    if symbols.len() > NAMED {
        names.push(format!("and {} more", symbols.len() - NAMED));
    }
    format!(
        "not recorded: {functions} excluded by --without: {}",
        names.join(", ")
    )
}
