//! Symbols in lines of text: `/proc/kallsyms`, and the maps that just-in-time compilers write. Specification:
//! `tools/perf/Documentation/jit-interface.txt` of Linux.
#![cfg_attr(
    target_arch = "wasm32",
    allow(dead_code, reason = "only files need it")
)]

use std::collections::HashMap;

use super::super::table::Table;
use callscape_facts::hashing::BuildFast;

/// The symbols of a kernel.
#[derive(Debug, Default)]
pub(super) struct Kernel {
    /// By module in brackets; the kernel's own has no name.
    pub tables: HashMap<Box<[u8]>, Table, BuildFast>,
}

impl Kernel {
    /// Lines of `address type name [module]`. None where addresses are hidden, which are all zero then.
    pub(super) fn parse(text: &[u8]) -> Option<Kernel> {
        let mut kernel = Kernel::default();
        for line in text.split(|&byte| byte == b'\n') {
            let mut words = line
                .split(u8::is_ascii_whitespace)
                .filter(|it| !it.is_empty());
            let (Some(address), Some([kind]), Some(name)) =
                (words.next(), words.next(), words.next())
            else {
                continue;
            };
            let module = words.next().unwrap_or_default();
            let Some(address) = hexadecimal(address).filter(|&address| address > 0) else {
                continue;
            };
            if matches!(kind, b't' | b'T' | b'w' | b'W') {
                let rank = u8::from(kind.is_ascii_lowercase());
                let table = match kernel.tables.get_mut(module) {
                    Some(table) => table,
                    None => kernel.tables.entry(module.into()).or_default(),
                };
                // Without lengths, perf shows the last one at an address.
                table.forget_at(address);
                table.add(address, 0, name, rank);
            }
        }
        for table in kernel.tables.values_mut() {
            table.sort();
        }
        (!kernel.tables.is_empty()).then_some(kernel)
    }
}

/// Lines of `start length name` in hexadecimal numbers.
pub(super) fn compiled(text: &[u8]) -> Table {
    let mut table = Table::default();
    for line in text.split(|&byte| byte == b'\n') {
        let mut parts = line.trim_ascii().splitn(3, |&byte| byte == b' ');
        let start = parts.next().and_then(hexadecimal);
        let length = parts.next().and_then(hexadecimal);
        if let (Some(start), Some(length), Some(name)) = (start, length, parts.next()) {
            table.add(start, length, name, 0);
        }
    }
    table.sort();
    table
}

fn hexadecimal(word: &[u8]) -> Option<u64> {
    let word = word.strip_prefix(b"0x").unwrap_or(word);
    u64::from_str_radix(std::str::from_utf8(word).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_symbols() {
        let name = |table: &Table, at| table.find(at).map(|it| it.name.to_vec());
        let table = compiled(b"7f00 10 LazyCompile:*f a b.js:3\nbad\n0x8000 4 g\n");
        assert_eq!(
            name(&table, 0x7f0f),
            Some(b"LazyCompile:*f a b.js:3".to_vec())
        );
        assert_eq!(name(&table, 0x8003), Some(b"g".to_vec()));
        assert_eq!(name(&table, 0x8004), None);
        let text = b"ffff0000 T _text\nffff0010 T longer_name\nffff0010 t local\nffff0020 D data\nffffa000 t f\t[ext4]\n";
        let kernel = Kernel::parse(text).expect("a kernel");
        assert_eq!(
            name(&kernel.tables[&b""[..]], 0xffff_0015),
            Some(b"local".to_vec())
        );
        assert_eq!(
            name(&kernel.tables[&b"[ext4]"[..]], 0xffff_a001),
            Some(b"f".to_vec())
        );
        assert!(Kernel::parse(b"0000000000000000 T _text\n").is_none());
    }
}
