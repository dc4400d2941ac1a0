//! Which symbols a recording of uftrace has calls of: functions of one name may have thousands of them, most never called.
//! <https://uftrace.github.io/slide/> (the format of the data), and `doc/uftrace-data.md` of its sources.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs::{self, File};
use std::io::{BufReader, Read};
use std::ops::Range;
use std::path::Path;

/// Addresses that calls have, and where the files of the program lie in memory.
#[derive(Debug, Default)]
pub(crate) struct Called {
    addresses: BTreeSet<u64>,
    /// By path: where each process has it.
    bases: HashMap<String, Vec<u64>>,
}

impl Called {
    /// Reads all records. O(records).
    pub(crate) fn read(folder: &Path) -> Called {
        let mut called = Called::default();
        let mut addresses = HashSet::new();
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        for path in entries.map(|it| it.path()) {
            match path.extension().and_then(|it| it.to_str()) {
                Some("dat") => add_records(&mut addresses, &path),
                Some("map") => called.add_map(&fs::read_to_string(&path).unwrap_or_default()),
                _ => {}
            }
        }
        called.addresses = addresses.into_iter().collect();
        called
    }

    fn add_map(&mut self, text: &str) {
        let mut last = "";
        for line in text.lines() {
            let start = line.split('-').next();
            let start = start.and_then(|it| u64::from_str_radix(it, 16).ok());
            let path = line.find('/').map(|at| &line[at..]);
            let path = path.map(|it| it.split(" build-id:").next().unwrap_or(it).trim_end());
            let path = path.unwrap_or_default();
            // A further segment of the file before it lies at no base of its own.
            let is_further = path == last;
            last = path;
            if let Some(start) = start.filter(|_| !is_further && !path.is_empty()) {
                self.bases.entry(path.to_owned()).or_default().push(start);
            }
        }
    }

    /// Whether what lies in these addresses of the file at `path` is called: a call may have the address behind the code that
    /// was patched in. Of files that came later, all is.
    pub(crate) fn has(&self, path: &str, addresses: Range<u64>) -> bool {
        let Some(bases) = self.bases.get(path) else {
            return true;
        };
        bases.iter().any(|base| {
            let (start, end) = (
                base.saturating_add(addresses.start),
                base.saturating_add(addresses.end),
            );
            start < end && self.addresses.range(start..end).next().is_some()
        })
    }
}

/// Adds the addresses of all records of a task.
fn add_records(addresses: &mut HashSet<u64>, path: &Path) {
    let Ok(file) = File::open(path) else {
        return;
    };
    let mut file = BufReader::with_capacity(1 << 20, file);
    let mut record = [0; 16];
    let mut last = 0;
    while file.read_exact(&mut record).is_ok() {
        let [.., a, b, c, d, e, f, g, h] = record;
        // Time, then 16 bits of kind and depth below 48 of an address.
        let address = u64::from_le_bytes([a, b, c, d, e, f, g, h]) >> 16;
        // Calls of the same few functions follow each other.
        if address != last {
            addresses.insert(address);
            last = address;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_called_at_the_addresses_that_a_process_has_them_at() {
        let folder = tempfile_folder();
        let record = |address: u64| [7u64.to_le_bytes(), (address << 16 | 5 << 3).to_le_bytes()];
        let records: Vec<u8> = [0x5000_1010, 0x5000_1010, 0x7000_0020]
            .iter()
            .flat_map(|&it| record(it).concat())
            .collect();
        fs::write(folder.join("1.dat"), records).unwrap();
        let map = "50000000-50001000 r--p 00000000 00:00 0    /a b/program build-id:12\n\
                   50001000-50009000 r-xp 00001000 00:00 0    /a b/program build-id:12\n\
                   70000000-70009000 r-xp 00000000 00:00 0    /lib/libc.so.6\n";
        fs::write(folder.join("sid-1.map"), map).unwrap();
        let called = Called::read(&folder);
        fs::remove_dir_all(&folder).unwrap();
        assert!(called.has("/a b/program", 0x1000..0x1020));
        assert!(called.has("/a b/program", 0x1010..0x1011));
        assert!(!called.has("/a b/program", 0x1011..0x1020));
        assert!(!called.has("/a b/program", 0x1010..0x1010));
        let of_segment = 0x10..0x20;
        assert!(!called.has("/a b/program", of_segment), "it is no base");
        assert!(called.has("/lib/libc.so.6", 0x20..0x30));
        assert!(!called.has("/lib/libc.so.6", 0x1000..0x1020));
        assert!(
            called.has("/lib/later.so", 0x1010..0x1020),
            "it is not known where it was"
        );
    }

    fn tempfile_folder() -> std::path::PathBuf {
        let folder = std::env::temp_dir().join(format!("callscape-called-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }
}
