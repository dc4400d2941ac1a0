//! Symbols by address. Of several at one address one is chosen as perf does (`symbols__fixup_duplicate` and
//! `symbols__fixup_end` in `tools/perf/util/symbol.c`).

use std::cmp::Reverse;

use crate::demangle::demangle_with_arguments;

/// How many symbols of a file are kept.
const MOST: usize = 16 << 20;

/// How many bytes their names may have.
const MOST_TEXT: usize = 1 << 30;

/// Behind the last symbol, if its length is not known.
const LAST: u64 = 4096;

#[derive(Clone, Copy, Debug)]
struct Row {
    start: u64,
    end: u64,
    /// Its name is `names[at..at + length]`.
    at: u32,
    length: u32,
    /// The lower, the rather its name is the one to show.
    rank: u8,
    has_no_length: bool,
}

/// The symbols of a file.
#[derive(Debug, Default)]
pub(super) struct Table {
    rows: Vec<Row>,
    names: Vec<u8>,
}

/// A symbol that was found.
pub(super) struct Symbol<'t> {
    pub name: &'t [u8],
    #[cfg_attr(
        target_arch = "wasm32",
        expect(dead_code, reason = "only files need it")
    )]
    pub start: u64,
}

impl Table {
    /// Takes a symbol with its length, 0 up to the next one.
    pub(super) fn add(&mut self, start: u64, length: u64, name: &[u8], rank: u8) {
        if self.rows.len() >= MOST || self.names.len() + name.len() > MOST_TEXT || name.is_empty() {
            return;
        }
        let at = self.names.len() as u32;
        self.names.extend_from_slice(name);
        self.rows.push(Row {
            start,
            end: start.saturating_add(length),
            at,
            length: name.len() as u32,
            rank,
            has_no_length: false,
        });
    }

    /// Forgets the symbol that was taken last if it is at this address.
    pub(super) fn forget_at(&mut self, start: u64) {
        self.rows.pop_if(|row| row.start == start);
    }

    /// Whether there are none.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Puts them in order, which [`Table::find`] needs.
    pub(super) fn sort(&mut self) {
        // Those at one address stay in the order of the file.
        self.rows.sort_by_key(|row| row.start);
        // The start at hand, and the one behind it.
        let mut next: Option<(u64, Option<u64>)> = None;
        for row in self.rows.iter_mut().rev() {
            if next.is_none_or(|(start, _)| start > row.start) {
                next = Some((row.start, next.map(|(start, _)| start)));
            }
            if row.end == row.start {
                let end = next.and_then(|(_, behind)| behind);
                row.end = end.unwrap_or(row.start.saturating_add(LAST));
                row.has_no_length = true;
            }
        }
    }

    /// The symbol at this address.
    pub(super) fn find(&self, address: u64) -> Option<Symbol<'_>> {
        /// How many addresses with symbols before it may be inside the one around it.
        const NESTED: usize = 16;
        let mut behind = self.rows.partition_point(|row| row.start <= address);
        for _ in 0..NESTED {
            let start = self.rows[..behind].last()?.start;
            let first = self.rows[..behind].partition_point(|row| row.start < start);
            if let Some(row) = self.chosen(&self.rows[first..behind])
                && address < row.end
            {
                let name = self.name(row);
                return Some(Symbol { name, start });
            }
            behind = first;
        }
        None
    }

    fn name(&self, row: &Row) -> &[u8] {
        &self.names[row.at as usize..][..row.length as usize]
    }

    /// The symbol to show of those at one address. Perf compares the names that people read.
    fn chosen<'r>(&self, rows: &'r [Row]) -> Option<&'r Row> {
        if let [alone] = rows {
            return Some(alone);
        }
        rows.iter().min_by_key(|row| {
            let name = demangle_with_arguments(&String::from_utf8_lossy(self.name(row)));
            let underscores = name.bytes().take_while(|&byte| byte == b'_').count();
            (
                row.has_no_length,
                row.rank,
                underscores,
                Reverse(name.len()),
            )
        })
    }

    /// The first address of the symbol of this name. O(n).
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn address_of(&self, name: &[u8]) -> Option<u64> {
        let is_it =
            |row: &&Row| self.names[row.at as usize..].get(..row.length as usize) == Some(name);
        self.rows.iter().find(is_it).map(|row| row.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_chosen_as_perf_does() {
        let mut table = Table::default();
        for (start, length, name, rank) in [
            (10, 10, "__weak", 1),
            (10, 10, "global", 0),
            (30, 0, "open", 0),
            (40, 10, "_one", 0),
            (40, 10, "longer", 0),
            (40, 10, "short", 0),
            (100, 100, "outer", 0),
            (120, 10, "inner", 0),
            (300, 0, "last", 0),
        ] {
            table.add(start, length, name.as_bytes(), rank);
        }
        table.sort();
        let found = [9, 10, 19, 20, 39, 45, 125, 150, 199, 200, 301, 5000].map(|address| {
            let symbol = table.find(address);
            symbol.map_or("", |it| std::str::from_utf8(it.name).expect("text"))
        });
        let expected = [
            "", "global", "global", "", "open", "longer", "inner", "outer", "outer", "", "last", "",
        ];
        assert_eq!(found, expected);
    }
}
