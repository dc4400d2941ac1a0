//! Functions that were found to be called massively while a program was recorded: their calls until then are left out of the
//! recording, and what stays below them moves up. Bohnet's thesis, section 4.3.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use super::error::RecordError;
use super::symbols;
use callscape_base::units::Cost;
use callscape_facts::frequency::{Found, Frequency, LeftOut, NAMED};
use callscape_import::demangle::demangle;

/// In a recording, while it is made: how many calls found no room, how many functions were found, whether another program
/// began, and those functions.
pub(crate) const FOUND: &str = "massive";

/// Bytes of a record; its depth is told modulo the second.
pub(crate) const RECORD: usize = 16;
const DEPTHS: usize = 1 << 10;

/// How many records found no room, and whether another program began that was not followed, in any of these folders.
pub(crate) fn lost(folders: &[PathBuf]) -> (u64, bool) {
    let of = |folder: &PathBuf| {
        let mut head = [0; 16];
        let read = File::open(folder.join(FOUND)).and_then(|mut it| it.read_exact(&mut head));
        let [lost, after] =
            [0, 8].map(|at| u64::from_le_bytes(std::array::from_fn(|i| head[at + i])));
        read.map_or((0, false), |()| (lost, after >> 32 != 0))
    };
    folders
        .iter()
        .map(of)
        .fold((0, false), |a, b| (a.0 + b.0, a.1 || b.1))
}

/// Leaves out the calls of functions that were found in the recordings of programs, or keeps those until then; gives the
/// functions, `None` if there are none.
pub(crate) fn take(
    folders: &[PathBuf],
    limit: Frequency,
    is_kept: bool,
) -> Result<Option<LeftOut>, RecordError> {
    let begin = folders.iter().filter_map(|it| begin(it)).min().unwrap_or(0);
    let mut all = Vec::new();
    for folder in folders {
        all.extend(take_of(folder, begin, is_kept)?);
    }
    if all.is_empty() {
        return Ok(None);
    }
    all.sort_by(|a, b| a.at.cmp(&b.at).then_with(|| a.name.cmp(&b.name)));
    let functions = all.len() as u64;
    all.truncate(NAMED);
    Ok(Some(LeftOut {
        max_frequency: limit,
        functions,
        calls: None,
        of: None,
        of_run_before: true,
        names: all.iter().map(|it| it.name.clone()).collect(),
        before: None,
        found: all,
        has_first_calls: is_kept,
    }))
}

/// The same for one program, by the addresses of its functions.
fn take_of(recording: &Path, begin: u64, is_kept: bool) -> Result<Vec<Found>, RecordError> {
    let mut found: BTreeMap<u64, (u64, u64)> = found_at(recording)
        .map(|(address, time)| (address, (time, 0)))
        .collect();
    let _ = fs::remove_file(recording.join(FOUND));
    if found.is_empty() {
        return Ok(Vec::new());
    }
    for path in records(recording) {
        let done = match is_kept {
            true => count(&path, &mut found),
            false => leave_out(&path, &mut found),
        };
        done.map_err(|error| RecordError::io(&path, error))?;
    }
    let names = names(recording);
    let all = found
        .into_iter()
        .map(|(address, (time, calls))| Found {
            name: names
                .get(&address)
                .cloned()
                .unwrap_or_else(|| format!("<{address:x}>")),
            at: Cost::from_ns(time.saturating_sub(begin)),
            calls,
        })
        .collect();
    Ok(all)
}

/// The addresses of the functions that were found, and when, in this order. A program may not have come as far.
fn found_at(recording: &Path) -> impl Iterator<Item = (u64, u64)> {
    let bytes = fs::read(recording.join(FOUND)).unwrap_or_default();
    let words = bytes.as_chunks().0.iter();
    let words: Vec<u64> = words.map(|it| u64::from_le_bytes(*it)).collect();
    let pairs = words.get(2..).unwrap_or_default().as_chunks().0.to_vec();
    let pairs = pairs.into_iter().map(|[address, time]| (address, time));
    pairs.filter(|it| it.0 != 0)
}

/// The addresses of the functions that were found so far in a recording that is being made.
pub(crate) fn found(recording: &Path) -> Vec<u64> {
    found_at(recording).map(|it| it.0).collect()
}

/// The files of records of a recording.
pub(crate) fn records(recording: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(recording).into_iter().flatten().flatten();
    let paths = entries.map(|it| it.path());
    paths
        .filter(|it| it.extension().is_some_and(|it| it == "dat"))
        .collect()
}

/// The time of the first record, in nanoseconds.
fn begin(recording: &Path) -> Option<u64> {
    let first = |path: &PathBuf| {
        let mut time = [0; 8];
        File::open(path)
            .and_then(|mut it| it.read_exact(&mut time))
            .ok()?;
        Some(u64::from_le_bytes(time))
    };
    records(recording).iter().filter_map(first).min()
}

/// The functions by their addresses in the process.
pub(crate) fn names(recording: &Path) -> HashMap<u64, String> {
    let mut names = HashMap::new();
    let entries = fs::read_dir(recording).into_iter().flatten().flatten();
    let mut maps = entries.map(|it| it.path());
    let map = maps.find(|it| it.extension().is_some_and(|it| it == "map"));
    let text = map
        .and_then(|it| fs::read_to_string(it).ok())
        .unwrap_or_default();
    // The program, and libraries.
    for line in text.lines() {
        let base = line.split('-').next();
        let base = base.and_then(|it| u64::from_str_radix(it, 16).ok());
        let path = line.split(" build-id:").next().unwrap_or(line);
        let (Some(base), Some((_, name))) = (base, path.rsplit_once('/')) else {
            continue;
        };
        let list = recording.join(format!("{name}.sym"));
        let text = fs::read_to_string(list).unwrap_or_default();
        for (offset, symbol) in symbols::of_symbols(&text, &[]) {
            names.insert(base.wrapping_add(offset), demangle(symbol));
        }
    }
    names
}

/// Counts the calls of these functions in the records of one thread.
fn count(path: &Path, found: &mut BTreeMap<u64, (u64, u64)>) -> std::io::Result<()> {
    let mut from = BufReader::with_capacity(1 << 20, File::open(path)?);
    let mut record = [0; RECORD];
    while from.read_exact(&mut record).is_ok() {
        let word = u64::from_le_bytes(record[8..].try_into().unwrap_or_default());
        if word & 3 == 0
            && let Some((_, calls)) = found.get_mut(&(word >> 16))
        {
            *calls += 1;
        }
    }
    Ok(())
}

/// Writes the records of one thread again without the calls of these functions, and counts those.
fn leave_out(path: &Path, found: &mut BTreeMap<u64, (u64, u64)>) -> std::io::Result<()> {
    let next = path.with_extension("next");
    let mut from = BufReader::with_capacity(1 << 20, File::open(path)?);
    let mut to = BufWriter::with_capacity(1 << 20, File::create(&next)?);
    // Of the open calls, whether each is left out.
    let mut open: Vec<bool> = Vec::new();
    let mut above = 0;
    let mut record = [0; RECORD];
    while from.read_exact(&mut record).is_ok() {
        let (time, word) = record.split_at(8);
        let word = u64::from_le_bytes(word.try_into().unwrap_or_default());
        let (is_exit, depth) = (word & 3 == 1, (word >> 6) as usize % DEPTHS);
        // Calls that began before recording was switched off are gone.
        while open.len() % DEPTHS != (depth + usize::from(is_exit)) % DEPTHS {
            match open.pop() {
                Some(is_out) => above -= usize::from(is_out),
                None => break,
            }
        }
        let mut cell = found.get_mut(&(word >> 16));
        if is_exit {
            above -= usize::from(open.pop() == Some(true));
        }
        if cell.is_none() {
            let depth = (depth + DEPTHS - above % DEPTHS) % DEPTHS;
            let word = word & !((DEPTHS as u64 - 1) << 6) | (depth as u64) << 6;
            to.write_all(time)?;
            to.write_all(&word.to_le_bytes())?;
        }
        if !is_exit {
            open.push(cell.is_some());
            if let Some((_, calls)) = cell.as_mut() {
                *calls += 1;
                above += 1;
            }
        }
    }
    to.flush()?;
    fs::rename(&next, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Records of calls, `(` with a function and `)`, at their depths.
    fn written(events: &[(char, u64)]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut depth = 0u64;
        for (time, (sign, address)) in (1u64..).zip(events) {
            let is_exit = u64::from(*sign == ')');
            depth -= is_exit;
            bytes.extend(time.to_le_bytes());
            bytes.extend((is_exit | 5 << 3 | (depth & 1023) << 6 | address << 16).to_le_bytes());
            depth += 1 - is_exit;
        }
        bytes
    }

    #[test]
    fn calls_of_what_was_found_go_and_those_below_move_up() {
        let folder = std::env::temp_dir().join(format!("callscape-taken-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("1.dat");
        let deep: Vec<(char, u64)> = std::iter::repeat_n(('(', 7), 1500)
            .chain(std::iter::repeat_n((')', 7), 1500))
            .collect();
        let with = [
            &[('(', 1), ('(', 2), ('(', 3), (')', 3), (')', 2)][..],
            &deep,
            &[('(', 2), (')', 2), (')', 1)],
        ];
        let without = [&[('(', 1), ('(', 3), (')', 3)][..], &deep, &[(')', 1)]];
        fs::write(&path, written(&with.concat())).expect("it can be written");
        let mut found = BTreeMap::from([(2, (0, 0))]);
        count(&path, &mut found).expect("it is read");
        assert_eq!(found.insert(2, (0, 0)), Some((0, 2)));
        leave_out(&path, &mut found).expect("it is rewritten");
        assert_eq!(found[&2].1, 2);
        let words = |bytes: &[u8]| -> Vec<[u8; 8]> {
            bytes
                .as_chunks::<16>()
                .0
                .iter()
                .map(|it| *it.last_chunk().expect("a word"))
                .collect()
        };
        let rewritten = fs::read(&path).expect("it is there");
        assert_eq!(words(&rewritten), words(&written(&without.concat())));
        fs::remove_dir_all(folder).expect("it can be removed");
    }
}
