//! Archives: the members of a tar (POSIX ustar and pax, GNU), compressed or not, and of a zip are read where
//! they lie; nothing is unpacked to disk.
//!
//! A member of a compressed tar cannot be reached without what stands before it. Its members are kept in memory
//! in compressed form as long as they are small together. Of the others that look like recordings the first bytes are
//! kept; to read more of one, the archive is passed over again.

use std::cell::Cell;
use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::{Component, Path};
use std::sync::Arc;

use super::error::ImportError;
use super::formats::{is_recording_directory, is_recording_head};
use super::input::{Container, Held, Input};
use super::stream;
use super::stream::Window;
use callscape_base::progress::Progress;
use callscape_base::warnings::{Place, Reporter, Warning};

mod kept;
mod place;
mod zip;

use kept::{Headed, Packer};
use place::{Looks, Where};

/// An archive of more members is no recording.
const MOST_MEMBERS: usize = 100_000;
const DEEPEST: usize = 100;
/// What a tar may say of a member before its bytes: its name and that of what it links to.
const LONGEST_HEADER: u64 = 1 << 20;

/// The files in an archive, by name: with `/` between directories, which are not listed themselves.
pub(crate) struct Archive {
    outer: Input,
    members: BTreeMap<String, Member>,
    /// Takes what is wrong with the archive's compression.
    reporter: Reporter,
    /// Takes the progress of passes over the archive that serve one of its members.
    silent: Progress,
}

impl fmt::Debug for Archive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Archive({})", self.outer.display())
    }
}

struct Member {
    size: u64,
    place: Where,
}

/// Whether a file that begins with `head`, after decompression, is an archive.
pub(crate) fn sniff(head: &[u8]) -> bool {
    is_zip(head) || is_tar(head)
}

fn is_zip(head: &[u8]) -> bool {
    head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06")
}

fn is_tar(head: &[u8]) -> bool {
    head.get(257..262) == Some(b"ustar")
}

impl Archive {
    /// Lists the members of the archive that `outer` is.
    pub(crate) fn open(
        outer: &Input,
        head: &[u8],
        progress: &Progress,
    ) -> Result<Archive, ImportError> {
        let mut archive = Archive {
            outer: outer.clone(),
            members: BTreeMap::new(),
            reporter: Reporter::new(),
            silent: Progress::new(),
        };
        let listed = if is_zip(head) {
            archive.list_zip(progress)
        } else {
            archive.list_tar(progress)
        };
        progress.check()?;
        listed.map_err(|error| {
            let place = Place::file(outer.display().to_string());
            ImportError::malformed(place, "a sound archive", error.to_string())
        })?;
        Ok(archive)
    }

    fn add(&mut self, name: &Path, member: Member) -> io::Result<()> {
        if self.members.len() >= MOST_MEMBERS {
            let text = format!("more than {MOST_MEMBERS} members");
            return Err(io::Error::other(text));
        }
        let mut parts = Vec::new();
        let length = name.as_os_str().len();
        if length > zip::LONGEST_NAME || name.components().nth(DEEPEST).is_some() {
            let place = || Place::file(self.outer.display().to_string());
            self.reporter.warn("member-name-too-long", place);
            return Ok(());
        }
        for part in name.components() {
            match part {
                Component::Normal(part) => parts.push(part.to_string_lossy()),
                Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
                // No member lies outside of its archive.
                Component::ParentDir => return Ok(()),
            }
        }
        if !parts.is_empty() {
            // Of members with one name the last counts, as where it is unpacked.
            self.members.insert(parts.join("/"), member);
        }
        Ok(())
    }

    fn list_tar(&mut self, progress: &Progress) -> io::Result<()> {
        let outer = self.outer.clone();
        let reporter = Reporter::new();
        let window = Window::open(&outer, progress, &reporter).map_err(io::Error::other)?;
        let is_plain = !window.is_compressed();
        let mut packer = Packer::new()?;
        let left = Cell::new(LONGEST_HEADER);
        let mut archive = tar::Archive::new(WindowReader {
            window,
            left: Some(&left),
        });
        for entry in archive.entries()? {
            let mut entry = match entry {
                Ok(entry) => entry,
                // What stands before the cut is whole.
                Err(_) if !self.members.is_empty() => {
                    self.reporter.warn("truncated-archive", || {
                        Place::file(outer.display().to_string())
                    });
                    break;
                }
                Err(error) => return Err(error),
            };
            left.set(u64::MAX);
            let kind = entry.header().entry_type();
            let (size, offset) = (entry.size(), entry.raw_file_position());
            if kind.is_file() {
                let name = entry.path()?.into_owned();
                let place = match is_plain {
                    true => Where::Plain(offset),
                    false => packer.take(&mut entry, offset, is_recording)?,
                };
                self.add(&name, Member { size, place })?;
            } else if kind.is_gnu_sparse() || kind.is_contiguous() {
                let place = || Place::file(outer.display().to_string());
                self.reporter.warn("member-not-plain", place);
            }
            // What is left of its bytes is passed over as it lies there: of a sparse one the holes are not made.
            let there = match kind.is_gnu_sparse() {
                true => entry.header().entry_size()?,
                false => size,
            };
            left.set(there.saturating_add(LONGEST_HEADER));
        }
        Ok(())
    }

    fn list_zip(&mut self, progress: &Progress) -> io::Result<()> {
        let outer = self.outer.clone();
        let mut file = BufReader::new(outer.seekable(progress)?);
        let entries = match zip::entries(&mut file, MOST_MEMBERS) {
            Ok(entries) => entries,
            Err(error) => {
                let found = zip::entries_found(&mut file, MOST_MEMBERS)?;
                if found.is_empty() {
                    return Err(error);
                }
                self.reporter.warn("truncated-archive", || {
                    Place::file(outer.display().to_string())
                });
                found
            }
        };
        for entry in entries {
            progress.check().map_err(io::Error::other)?;
            let place = Where::Zip(entry.clone());
            let size = entry.size;
            self.add(Path::new(&entry.name), Member { size, place })?;
        }
        Ok(())
    }

    /// The decompressed archive from this offset on, which everything before it is passed over for.
    fn pass_to<'a>(&'a self, offset: u64, progress: &Progress) -> io::Result<WindowReader<'a, 'a>> {
        let window = Window::open(&self.outer, &self.silent, &self.reporter);
        let mut reader = WindowReader {
            window: window.map_err(io::Error::other)?,
            left: None,
        };
        let mut left = offset;
        while left > 0 {
            progress.check().map_err(io::Error::other)?;
            let step = reader.pass(left)?;
            if step == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            left -= step;
        }
        Ok(reader)
    }

    /// What is wrong with the archive itself.
    pub(crate) fn warnings(&self) -> Vec<Warning> {
        self.reporter.warnings()
    }

    /// The names of the members in a directory, without it; in order.
    fn inside(&self, dir: &str) -> impl Iterator<Item = &str> {
        let prefix = match dir {
            "" => String::new(),
            dir => format!("{dir}/"),
        };
        let members = self.members.range(prefix.clone()..);
        members.map_while(move |(name, _)| name.strip_prefix(prefix.as_str()))
    }

    /// The recordings among the members, in order of name: directories that hold one, and files.
    pub(crate) fn recordings(self: &Arc<Archive>) -> Result<Vec<Input>, ImportError> {
        let input = |name: &str| Input::member(&self.outer, self, name);
        let mut found: Vec<(String, Input)> = Vec::new();
        let mut dirs: Vec<&str> = self.members.keys().flat_map(|name| around(name)).collect();
        dirs.push("");
        dirs.sort_unstable();
        dirs.dedup();
        let mut taken = HashSet::new();
        for dir in dirs {
            if is_recording_directory(&input(dir)) {
                taken.insert(dir);
                found.push((dir.to_owned(), input(dir)));
            }
        }
        let in_taken = |name: &str| taken.contains("") || around(name).any(|it| taken.contains(it));
        let mut unreadable = None;
        for (name, member) in &self.members {
            if matches!(member.place, Where::Tar(_, Looks::Other)) || in_taken(name) {
                continue;
            }
            let file = input(name);
            match stream::head(&file, &self.silent) {
                Ok(head) if is_recording_head(&head) => found.push((name.clone(), file)),
                Ok(_) => {}
                // The others may be whole.
                Err(error) => {
                    let place = || Place::file(file.display().to_string());
                    self.reporter.warn("unreadable-member", place);
                    unreadable.get_or_insert(error);
                }
            }
        }
        if let Some(error) = unreadable.filter(|_| found.is_empty()) {
            return Err(error);
        }
        found.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(found.into_iter().map(|(_, input)| input).collect())
    }
}

impl Container for Archive {
    fn open_member<'a>(
        &'a self,
        name: &str,
        progress: &'a Progress,
    ) -> io::Result<Box<dyn Read + 'a>> {
        let member = self.members.get(name).ok_or(io::ErrorKind::NotFound)?;
        Ok(match &member.place {
            Where::Kept(packed) => Box::new(zstd::stream::read::Decoder::new(Cursor::new(packed))?),
            Where::Plain(offset) => {
                let mut file = self.outer.seekable(progress)?;
                file.seek(SeekFrom::Start(*offset))?;
                Box::new(file.take(member.size))
            }
            Where::Tar(offset, looks) => {
                let open = move |passed: u64| {
                    let reader = self.pass_to(offset.saturating_add(passed), progress)?;
                    Ok(reader.take(member.size.saturating_sub(passed)))
                };
                match looks {
                    Looks::Recording(head) => Box::new(Headed::new(head, open)?),
                    Looks::Other | Looks::Unknown => Box::new(open(0)?),
                }
            }
            Where::Zip(entry) => zip::open(self.outer.seekable(progress)?, entry)?,
        })
    }

    fn size(&self, name: &str) -> Option<u64> {
        self.members.get(name).map(|member| member.size)
    }

    fn packed(&self, name: &str) -> Option<u64> {
        match &self.members.get(name)?.place {
            Where::Zip(entry) => Some(entry.packed),
            Where::Kept(_) | Where::Plain(_) | Where::Tar(..) => None,
        }
    }

    fn is_dir(&self, name: &str) -> bool {
        self.inside(name).next().is_some()
    }

    fn entries(&self, name: &str) -> Vec<String> {
        let mut names = Vec::new();
        let mut from = match name {
            "" => String::new(),
            name => format!("{name}/"),
        };
        let start = from.len();
        // From one entry to the next, however much lies in the first.
        while let Some((member, _)) = self.members.range(from.clone()..).next()
            && member.get(..start) == from.get(..start)
        {
            let rest = &member[start..];
            let end = rest.find('/');
            let entry = &rest[..end.unwrap_or(rest.len())];
            if names.last().is_none_or(|last| last != entry) {
                names.push(entry.to_owned());
            }
            from.truncate(start);
            from.push_str(entry);
            // The first name behind all that begin with the entry and a slash, or with the entry alone.
            from.push(if end.is_some() { '0' } else { '\0' });
        }
        names
    }
}

/// The folders around a member.
fn around(name: &str) -> impl Iterator<Item = &str> {
    name.match_indices('/').map(|(at, _)| &name[..at])
}

/// Whether a member that begins with `head` is a recording.
fn is_recording(head: &[u8]) -> bool {
    let file = Input::member(Path::new(""), &Arc::new(Held(head.to_vec())), "");
    stream::head(&file, &Progress::new()).is_ok_and(|head| is_recording_head(&head))
}

/// A window as a reader.
struct WindowReader<'a, 'l> {
    window: Window<'a>,
    /// Bytes that may still be read; any number if none.
    left: Option<&'l Cell<u64>>,
}

impl WindowReader<'_, '_> {
    /// Passes at most `most` bytes; none at the end.
    fn pass(&mut self, most: u64) -> io::Result<u64> {
        if !self.is_more()? {
            return Ok(0);
        }
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let count = self.window.data().len().min(most);
        self.window.consume(count);
        Ok(count as u64)
    }

    fn is_more(&mut self) -> io::Result<bool> {
        Ok(!self.window.data().is_empty() || self.window.more().map_err(io::Error::other)?)
    }
}

impl Read for WindowReader<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !self.is_more()? {
            return Ok(0);
        }
        let data = self.window.data();
        let mut count = data.len().min(buffer.len());
        if let Some(left) = self.left {
            if left.get() == 0 {
                let text = format!("a member with a header of more than {LONGEST_HEADER} bytes");
                return Err(io::Error::other(text));
            }
            count = count.min(usize::try_from(left.get()).unwrap_or(usize::MAX));
            left.set(left.get() - count as u64);
        }
        buffer[..count].copy_from_slice(&data[..count]);
        self.window.consume(count);
        Ok(count)
    }
}
