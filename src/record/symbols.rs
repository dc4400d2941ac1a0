//! The files of symbols in a recording of uftrace.

use std::fs;
use std::path::{Path, PathBuf};

/// The files of symbols of a recording.
pub(crate) fn lists(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|it| it.path());
    paths.filter(|it| it.extension().is_some_and(|it| it == "sym"))
}

/// The addresses and names of these kinds in a file of symbols, of all for none: lines of address, kind and name.
pub(crate) fn of_symbols<'a>(
    text: &'a str,
    kinds: &'a [&str],
) -> impl Iterator<Item = (u64, &'a str)> {
    text.lines().filter_map(move |line| {
        let mut words = line.splitn(3, ' ');
        let (address, kind, name) = (words.next()?, words.next()?, words.next()?);
        let address = u64::from_str_radix(address, 16).ok()?;
        let is_wanted = kinds.is_empty() || kinds.contains(&kind) && !name.starts_with("__sym_end");
        is_wanted.then_some((address, name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_read_from_what_uftrace_lists() {
        let text = "# symbols: 3\n# path name: /a b\n0000000000001149 T main\n0000 P puts\n\
                    0000000000001200 t a name\n0000000000001300 ? __sym_end\n";
        let found: Vec<(u64, &str)> = of_symbols(text, &["T", "t"]).collect();
        assert_eq!(found, [(0x1149, "main"), (0x1200, "a name")]);
    }
}
