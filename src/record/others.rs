//! Programs that a recorded program starts or becomes: Frida records each into a folder of its own, which becomes a part of the
//! one recording, as uftrace has several programs in one.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use callscape_base::escape;
use callscape_base::units::counted;

/// In a recording, while it is made: the folders of other programs, by number.
const PROGRAMS: &str = "programs";
/// In the private folder: the programs that are not recorded, with the reasons.
const UNRECORDED: &str = "others";
/// Bytes of a record; its depth is told modulo the second.
const RECORD: usize = 16;
const DEPTHS: usize = 1 << 10;
/// So many of them are named.
const NAMED: usize = 5;

/// The folders that programs are recorded to: the recording itself, and those of others in the order in which they began.
pub(crate) fn folders(recording: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(recording.join(PROGRAMS));
    let entries = entries.into_iter().flatten().flatten();
    let numbers = entries.filter_map(|it| it.file_name().to_str()?.parse().ok());
    let numbers: BTreeSet<u64> = numbers.collect();
    let others = numbers
        .iter()
        .map(|it| recording.join(PROGRAMS).join(it.to_string()));
    std::iter::once(recording.to_owned())
        .chain(others)
        .collect()
}

/// Makes the recordings of all programs one, in the first one's folder.
pub(crate) fn merge(recording: &Path) -> io::Result<()> {
    let folders = folders(recording);
    let Some((_, others)) = folders.split_first().filter(|it| !it.1.is_empty()) else {
        return Ok(());
    };
    let tasks = recording.join("task.txt");
    let mut lines: Vec<String> = Vec::new();
    // By task: its process.
    let mut processes: BTreeMap<String, String> = BTreeMap::new();
    for folder in &folders {
        let text = fs::read_to_string(folder.join("task.txt")).unwrap_or_default();
        lines.extend(text.lines().map(str::to_owned));
        for line in text.lines() {
            let process = field(line, "pid=");
            match line.split(' ').next() {
                Some("TASK") => processes.insert(field(line, "tid="), process),
                Some("FORK") => processes.insert(process.clone(), process),
                _ => None,
            };
        }
    }
    fs::write(&tasks, in_order(lines))?;
    for folder in others {
        let text = fs::read_to_string(folder.join("task.txt")).unwrap_or_default();
        for line in text.lines().filter(|it| it.starts_with("SESS ")) {
            let process = field(line, "pid=");
            let tasks = processes.iter().filter(|it| *it.1 == process);
            for (task, _) in tasks {
                end_calls(&recording.join(format!("{task}.dat")))?;
            }
        }
        for entry in fs::read_dir(folder)? {
            let from = entry?.path();
            let to = recording.join(from.file_name().unwrap_or_default());
            match from.extension().and_then(|it| it.to_str()) {
                Some("dat") | Some("txt") if from.file_name() != tasks.file_name() => {
                    // What a process recorded before is older.
                    let mut end = OpenOptions::new().create(true).append(true).open(&to)?;
                    io::copy(&mut File::open(&from)?, &mut end)?;
                }
                Some("map") => fs::rename(&from, &to)?,
                Some("sym") => keep_symbols(&from, &to)?,
                _ => {}
            }
        }
    }
    fs::remove_dir_all(recording.join(PROGRAMS))
}

/// Whether a recording that is whole has any records.
pub(crate) fn has_records(recording: &Path) -> bool {
    let entries = fs::read_dir(recording).into_iter().flatten().flatten();
    let mut paths = entries.map(|it| it.path());
    paths.any(|it| it.extension().is_some_and(|it| it == "dat"))
}

/// Ends the calls that are open at the end of a file of records, if there is one: the process became another program.
fn end_calls(path: &Path) -> io::Result<()> {
    let Ok(file) = File::open(path) else {
        return Ok(());
    };
    let mut file = BufReader::with_capacity(1 << 20, file);
    let (mut record, mut last) = ([0; RECORD], 0u64);
    // By depth: the words of their beginnings.
    let mut open: Vec<u64> = Vec::new();
    while file.read_exact(&mut record).is_ok() {
        let [time, word] =
            [0, 8].map(|at| u64::from_le_bytes(std::array::from_fn(|i| record[at + i])));
        let is_end = word & 3 == 1;
        let depth = (word >> 6) as usize % DEPTHS;
        // Calls that a switch left open are gone.
        while open.len() % DEPTHS != (depth + usize::from(is_end)) % DEPTHS && open.pop().is_some()
        {
        }
        match is_end {
            true => drop(open.pop()),
            false => open.push(word),
        }
        last = time;
    }
    let mut end = OpenOptions::new().append(true).open(path)?;
    let ends = open.iter().rev();
    let ends = ends.flat_map(|word| [last.to_le_bytes(), (word & !3 | 1).to_le_bytes()]);
    end.write_all(&ends.flatten().collect::<Vec<u8>>())
}

/// The value of `name=` in a line of `task.txt`.
fn field(line: &str, name: &str) -> String {
    let mut words = line.split(' ');
    let value = words.find_map(|it| it.strip_prefix(name));
    value.unwrap_or_default().to_owned()
}

/// The lines of `task.txt` by time. The start of a process is listed once: at its first line.
fn in_order(mut lines: Vec<String>) -> String {
    let time = |line: &str| {
        let text = field(line, "timestamp=");
        let (seconds, rest) = text.split_once('.').unwrap_or((&text, ""));
        let [seconds, rest] = [seconds, rest].map(|it| it.parse::<u64>().unwrap_or(0));
        (seconds, rest)
    };
    lines.sort_by_cached_key(|it| time(it));
    let mut known = BTreeSet::new();
    lines.retain(|line| match line.split(' ').next() {
        Some("FORK") => known.insert(field(line, "pid=")),
        Some("SESS") => {
            known.insert(field(line, "pid="));
            true
        }
        Some("TASK") => {
            known.insert(field(line, "tid="));
            true
        }
        _ => true,
    });
    lines.iter().flat_map(|it| [it.as_str(), "\n"]).collect()
}

/// Keeps a list of symbols. uftrace tells programs of one name apart by the beginning of their build ids.
fn keep_symbols(from: &Path, to: &Path) -> io::Result<()> {
    let text = fs::read_to_string(from)?;
    match fs::read_to_string(to) {
        Ok(there) if there == text => return Ok(()),
        Ok(_) => {}
        Err(_) => return fs::rename(from, to),
    }
    let id = text
        .lines()
        .find_map(|it| it.strip_prefix("# build-id: "))
        .and_then(|it| it.get(..4))
        .unwrap_or("0000");
    let name = to.file_stem().unwrap_or_default().to_string_lossy();
    fs::rename(from, to.with_file_name(format!("{name}-{id}.sym")))
}

/// What is said of programs that are not recorded, as the private folder lists them; none for none.
pub(crate) fn unrecorded(folder: &Path) -> Option<String> {
    let text = fs::read(folder.join(UNRECORDED)).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let mut times: BTreeMap<&str, u64> = BTreeMap::new();
    let mut order = Vec::new();
    for line in text.lines() {
        let seen = times.entry(line).or_default();
        if *seen == 0 {
            order.push(line);
        }
        *seen += 1;
    }
    let all: u64 = times.values().sum();
    let mut names: Vec<String> = order
        .iter()
        .take(NAMED)
        .map(|line| {
            let (path, reason) = line.split_once('\t').unwrap_or((line, ""));
            let often = match times.get(line) {
                Some(&often @ 2..) => format!(", {often} times"),
                _ => String::new(),
            };
            format!("{}{often} ({reason})", escape::name(path))
        })
        .collect();
    if order.len() > NAMED {
        names.push(format!("and {} more", order.len() - NAMED));
    }
    (all > 0).then(|| {
        let programs = counted(all, "program", "programs");
        format!("{programs} run: {}", names.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recordings_of_programs_become_one() {
        let name = format!("callscape-others-{}", std::process::id());
        let recording = std::env::temp_dir().join(name);
        let write = |name: &str, text: &str| {
            let path = recording.join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("it can be written");
        };
        write(
            "task.txt",
            "SESS timestamp=1.000000000 pid=7 sid=0\nTASK timestamp=1.5 tid=7 pid=7\n\
             FORK timestamp=3.000000000 pid=9 ppid=7\n",
        );
        let record = |time: u64, word: u64| [time.to_le_bytes(), word.to_le_bytes()].concat();
        // Two calls begin, and the inner one ends.
        let old = [(1, 7 << 16 | 40), (2, 8 << 16 | 104), (3, 8 << 16 | 105)];
        let old = old.map(|(time, word)| record(time, word)).concat();
        fs::write(recording.join("7.dat"), &old).expect("it can be written");
        write("app.sym", "# build-id: abcdef\n");
        for (number, pid, id) in [(2, 7, "abcdef"), (10, 9, "123456")] {
            let tasks = format!(
                "FORK timestamp={number}.500000000 pid={pid} ppid=1\nSESS timestamp={number}.500000001 pid={pid} sid={number}\n"
            );
            write(&format!("programs/{number}/task.txt"), &tasks);
            write(
                &format!("programs/{number}/app.sym"),
                &format!("# build-id: {id}\n"),
            );
            write(&format!("programs/{number}/sid-{number}.map"), "");
            write(&format!("programs/{number}/{pid}.dat"), "new");
        }
        assert_eq!(folders(&recording).len(), 3);
        merge(&recording).expect("it can be read and written");
        let read = |name: &str| fs::read_to_string(recording.join(name)).expect("it is there");
        assert_eq!(
            read("task.txt")
                .lines()
                .map(|it| it.split(" sid").next().expect("text"))
                .collect::<Vec<_>>(),
            [
                "SESS timestamp=1.000000000 pid=7",
                "TASK timestamp=1.5 tid=7 pid=7",
                "SESS timestamp=2.500000001 pid=7",
                "FORK timestamp=3.000000000 pid=9 ppid=7",
                "SESS timestamp=10.500000001 pid=9",
            ]
        );
        let whole = [&old[..], &record(3, 7 << 16 | 41), b"new"].concat();
        assert_eq!(
            fs::read(recording.join("7.dat")).expect("it is there"),
            whole
        );
        assert_eq!(read("9.dat"), "new");
        assert_eq!(read("app-1234.sym"), "# build-id: 123456\n");
        assert!(has_records(&recording));
        assert!(recording.join("sid-10.map").exists() && !recording.join("programs").exists());
        for name in ["7.dat", "9.dat"] {
            fs::remove_file(recording.join(name)).expect("it is there");
        }
        assert!(!has_records(&recording));
        fs::remove_dir_all(recording).expect("it can be removed");
    }

    #[test]
    fn what_is_not_recorded_is_counted_and_named() {
        let folder = std::env::temp_dir().join(format!("callscape-named-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        assert_eq!(unrecorded(&folder), None);
        fs::write(
            folder.join(UNRECORDED),
            "/bin/sh\tno names\na\tstatic\n/bin/sh\tno names\n",
        )
        .expect("it can be written");
        assert_eq!(
            unrecorded(&folder).expect("some"),
            "3 programs run: /bin/sh, 2 times (no names), a (static)"
        );
        fs::remove_dir_all(folder).expect("it can be removed");
    }
}
