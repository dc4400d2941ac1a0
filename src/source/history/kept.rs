//! What is known of the commits of a repository, kept in the user's cache directory: what a commit changed never changes.
//!
//! One file for each directory of each repository. It carries a version and a checksum, is written beside and renamed, and
//! is made anew when anything does not fit.

use std::fs;
use std::path::{Path, PathBuf};

use gix::ObjectId;

use super::log::{Entry, EntryKind, Log, Logged};
use super::repository::Found;
use crate::cache::prune;
use crate::cache_bytes::{Input, Output};
use crate::count;
use callscape_base::files;
use callscape_facts::index::cache_dir;

const EXTENSION: &str = "history";
const MAGIC: &[u8; 8] = b"CSHIST\x00\x03";
/// Magic and the checksum of what follows.
const HEADER: usize = 8 + 4;
/// What is kept of one repository is no larger, in bytes.
const LARGEST: u64 = 1 << 30;
/// What is kept of all: the oldest go first.
const MOST_KEPT: u64 = 2 << 30;

/// Where the log of a directory is kept.
pub(super) fn place(found: &Found) -> Option<PathBuf> {
    let mut key = fs::canonicalize(found.repository.common_dir())
        .ok()?
        .into_os_string()
        .into_encoded_bytes();
    key.push(0);
    key.extend(found.prefix.join(&b'/'));
    let name = format!("{:016x}.{EXTENSION}", count::hash(&key));
    Some(cache_dir()?.join("history").join(name))
}

/// The log that is kept there; an empty one where nothing fits.
pub(super) fn read(path: &Path) -> Log {
    let read = |path: &Path| {
        let is_fit = fs::metadata(path).ok()?.len() <= LARGEST;
        let bytes = is_fit.then(|| fs::read(path).ok())??;
        let (header, body) = bytes.split_at_checked(HEADER)?;
        let sum = u32::from_le_bytes(header[8..].try_into().ok()?);
        let is_sound = header.starts_with(MAGIC) && sum == crc32fast::hash(body);
        is_sound.then(|| log(&mut Input { data: body, at: 0 }))?
    };
    read(path).unwrap_or_default()
}

/// Keeps a log. What goes wrong is no error: it is read again the next time.
pub(super) fn write(path: &Path, log: &Log) {
    let mut out = Output(vec![0; HEADER]);
    put(&mut out, log);
    let mut bytes = out.0;
    let sum = crc32fast::hash(&bytes[HEADER..]);
    bytes[..8].copy_from_slice(MAGIC);
    bytes[8..HEADER].copy_from_slice(&sum.to_le_bytes());
    let Some(folder) = path.parent() else { return };
    if fs::create_dir_all(folder).is_ok() && files::write(path, &bytes).is_ok() {
        prune(folder, path, EXTENSION, MOST_KEPT);
    }
}

fn put(out: &mut Output, log: &Log) {
    out.number(log.paths.len() as u64);
    for path in &log.paths {
        out.bytes(path.as_bytes());
    }
    out.number(log.signatures.len() as u64);
    for (name, address) in &log.signatures {
        out.bytes(name.as_bytes());
        out.bytes(address.as_bytes());
    }
    out.number(log.commits.len() as u64);
    for (at, commit) in (0..).zip(&log.commits) {
        out.bytes(commit.id.as_slice());
        out.number(commit.parents.len() as u64);
        for parent in &commit.parents {
            out.bytes(parent.as_slice());
        }
        out.number(commit.time.cast_unsigned());
        out.number(u64::from(commit.signature));
        out.bytes(commit.summary.as_bytes());
        out.number(u64::from(commit.is_boundary));
        let entries = log.entries_of(at);
        put_entries(out, entries);
    }
    out.number(log.merged.len() as u64);
    for (commit, entries) in &log.merged {
        out.number(u64::from(*commit));
        put_entries(out, entries);
    }
}

fn put_entries(out: &mut Output, entries: &[Entry]) {
    out.number(entries.len() as u64);
    for entry in entries {
        out.number(u64::from(entry.path));
        out.number(entry.was.map_or(0, |was| u64::from(was) + 1));
        out.number((entry.kind as u64) << 1 | u64::from(entry.is_unread));
        for number in [entry.added, entry.removed, entry.lines, entry.version] {
            out.number(u64::from(number));
        }
    }
}

fn log(from: &mut Input) -> Option<Log> {
    let mut log = Log::default();
    let text = |from: &mut Input| String::from_utf8(from.bytes()?.to_vec()).ok();
    for _ in 0..from.count()? {
        let path = text(from)?;
        log.path(&path);
    }
    for _ in 0..from.count()? {
        let signature = (text(from)?, text(from)?);
        log.signature(signature);
    }
    let (paths, signatures) = (log.paths.len() as u64, log.signatures.len() as u32);
    for _ in 0..from.count()? {
        let id = ObjectId::try_from(from.bytes()?).ok()?;
        let mut parents = Vec::new();
        for _ in 0..from.count()? {
            parents.push(ObjectId::try_from(from.bytes()?).ok()?);
        }
        let commit = Logged {
            id,
            parents,
            time: from.number()?.cast_signed(),
            signature: from.small().filter(|it| *it < signatures)?,
            summary: text(from)?,
            is_boundary: from.number()? == 1,
            entries: 0..0,
        };
        let entries = entries(from, paths)?;
        log.push(commit, entries);
    }
    for _ in 0..from.count()? {
        let commit = from.small()?;
        let merged = entries(from, paths)?;
        if commit as usize >= log.commits.len() {
            return None;
        }
        log.merged.insert(commit, merged);
    }
    Some(log)
}

fn entries(from: &mut Input, paths: u64) -> Option<Vec<Entry>> {
    let mut entries = Vec::new();
    for _ in 0..from.count()? {
        let path = from.number().filter(|it| *it < paths)?;
        let was = from.number().filter(|it| *it <= paths)?.checked_sub(1);
        let kind = from.count()?;
        entries.push(Entry {
            path: path as u32,
            was: was.map(|it| it as u32),
            kind: *KINDS.get(kind >> 1)?,
            is_unread: kind & 1 == 1,
            added: from.small()?,
            removed: from.small()?,
            lines: from.small()?,
            version: from.small()?,
        });
    }
    Some(entries)
}

/// In the order of their numbers.
const KINDS: [EntryKind; 5] = [
    EntryKind::Added,
    EntryKind::Modified,
    EntryKind::Removed,
    EntryKind::Taken,
    EntryKind::Dropped,
];
