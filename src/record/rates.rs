//! How often functions are called while Frida records: counted in the records that a program has written since the last look,
//! so that the program itself does nothing for it.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::others;
use super::taken_out::{self, RECORD};

/// The time between two looks, at least.
const PAUSE: Duration = Duration::from_secs(1);

/// Bytes of new records that one look reads; of more, only the last are read.
const MOST: u64 = 32 << 20;

/// So many functions are listed.
const LISTED: usize = 12;

/// A function, and about how often it is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rate {
    pub name: String,
    /// Calls in a second; 0 for one that was excluded.
    pub calls: u64,
    /// It was called too often, and is not recorded any more.
    pub is_excluded: bool,
}

/// What was counted so far of one recording.
#[derive(Debug)]
pub(crate) struct Rates {
    last: Instant,
    /// By file of records: the bytes that were read, or left out.
    read: HashMap<PathBuf, u64>,
    /// By program: its functions by address.
    names: HashMap<PathBuf, HashMap<u64, String>>,
}

impl Default for Rates {
    fn default() -> Rates {
        Rates {
            last: Instant::now(),
            read: HashMap::new(),
            names: HashMap::new(),
        }
    }
}

impl Rates {
    /// The functions that are called most often, and those that were excluded last; none before it is time to look again.
    pub(crate) fn look(&mut self, recording: &Path) -> Option<Vec<Rate>> {
        let elapsed = self.last.elapsed();
        if elapsed < PAUSE {
            return None;
        }
        self.last = Instant::now();
        let (mut called, mut excluded) = (BTreeMap::new(), Vec::new());
        let mut room = MOST;
        for folder in others::folders(recording) {
            let mut counts = HashMap::new();
            for path in taken_out::records(&folder) {
                let from = self.read.entry(path.clone()).or_default();
                // It may just have ended.
                let _ = count(&path, from, &mut room, &mut counts);
            }
            let names = self.names.entry(folder.clone()).or_default();
            if names.is_empty() {
                *names = taken_out::names(&folder);
            }
            let name = |address: &u64| names.get(address).cloned();
            for address in taken_out::found(&folder) {
                counts.remove(&address);
                excluded.extend(name(&address));
            }
            for (address, calls) in counts {
                if let Some(name) = name(&address) {
                    *called.entry(name).or_insert(0.0) += calls;
                }
            }
        }
        let rate = |(name, calls): (String, f64)| Rate {
            name,
            calls: (calls / elapsed.as_secs_f64()).round() as u64,
            is_excluded: false,
        };
        let mut all: Vec<Rate> = called.into_iter().map(rate).collect();
        all.sort_by_key(|it| std::cmp::Reverse(it.calls));
        all.truncate(LISTED);
        all.extend(excluded.into_iter().rev().take(LISTED).map(|name| Rate {
            name,
            calls: 0,
            is_excluded: true,
        }));
        Some(all)
    }
}

/// Counts the calls that begin in new records of a thread, from a byte on. Behind the last record zeros follow, and between
/// those of two threads of one number.
fn count(
    path: &Path,
    from: &mut u64,
    room: &mut u64,
    counts: &mut HashMap<u64, f64>,
) -> io::Result<()> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len() / RECORD as u64 * RECORD as u64;
    let begin = length.saturating_sub(*room).max(*from);
    let mut bytes = vec![0; length.saturating_sub(begin) as usize];
    *room -= bytes.len() as u64;
    file.seek(SeekFrom::Start(begin))?;
    file.read_exact(&mut bytes)?;
    let words = bytes.as_chunks::<RECORD>().0.iter().map(|it| {
        let [.., a, b, c, d, e, f, g, h] = *it;
        u64::from_le_bytes([a, b, c, d, e, f, g, h])
    });
    let Some(last) = words.clone().rposition(|word| word != 0) else {
        return Ok(());
    };
    let end = begin + (last as u64 + 1) * RECORD as u64;
    // What is not read is like the rest.
    let share = (end - *from) as f64 / (end - begin) as f64;
    for word in words.filter(|word| *word != 0 && word & 3 == 0) {
        *counts.entry(word >> 16).or_insert(0.0) += share;
    }
    *from = end;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(entries: &[u64]) -> Vec<u8> {
        let record = |address: &u64| {
            let entry = [7, address << 16 | 5 << 3].map(u64::to_le_bytes);
            let exit = [8, address << 16 | 5 << 3 | 1].map(u64::to_le_bytes);
            [entry.concat(), exit.concat()].concat()
        };
        entries.iter().flat_map(record).collect()
    }

    #[test]
    fn calls_are_counted_once_and_beyond_zeros() {
        let folder = std::env::temp_dir().join(format!("callscape-rates-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("1.dat");
        let (mut from, mut text) = (0, records(&[1, 2, 1]));
        let mut look = |text: &[u8], room: u64| {
            std::fs::write(&path, text).expect("it can be written");
            let (mut room, mut counts) = (room, HashMap::new());
            count(&path, &mut from, &mut room, &mut counts).expect("it is read");
            [1, 2].map(|it| counts.get(&it).copied().unwrap_or(0.0))
        };
        text.extend([0; 64]);
        assert_eq!(look(&text, MOST), [2.0, 1.0]);
        assert_eq!(look(&text, MOST), [0.0, 0.0]);
        text.extend(records(&[2, 2]));
        assert_eq!(look(&text, MOST), [0.0, 2.0]);
        // Of eight calls, the last two stand for all.
        text.extend(records(&[1, 1, 1, 1, 1, 1, 2, 2]));
        assert_eq!(look(&text, 64), [0.0, 8.0]);
        assert_eq!(look(&text, MOST), [0.0, 0.0]);
        std::fs::remove_dir_all(folder).expect("it can be removed");
    }
}
