//! Archives: the members of a tar (POSIX ustar and pax, GNU), compressed or not, and of a zip are read where
//! they lie; nothing is unpacked to disk.
//!
//! A member of a compressed tar cannot be reached without what stands before it. Its members are kept in memory
//! in compressed form as long as they are small together; to read another one, the archive is passed over again.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufReader, Cursor, Read, Write};
use std::path::{Component, Path};
use std::sync::Arc;

use super::error::ImportError;
use super::formats::{is_recording_directory, is_recording_head};
use super::input::{Container, Input};
use super::stream;
use super::stream::Window;
use crate::progress::Progress;
use crate::warnings::{Place, Reporter, Warning};

mod zip;

/// What the members that are kept in memory may take together.
const MOST_KEPT: usize = 64 << 20;
/// An archive of more members is no recording.
const MOST_MEMBERS: usize = 100_000;

/// The files in an archive, by name: with `/` between directories, which are not listed themselves.
pub struct Archive {
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

/// Where the bytes of a member are.
enum Where {
    /// Here, compressed with Zstandard.
    Kept(Arc<[u8]>),
    /// At this offset of the decompressed archive.
    Tar(u64),
    Zip(zip::Entry),
}

/// Whether a file that begins with `head`, after decompression, is an archive.
pub fn sniff(head: &[u8]) -> bool {
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
    pub fn open(outer: &Input, head: &[u8], progress: &Progress) -> Result<Archive, ImportError> {
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
        let keep = window.is_compressed() || outer.file().is_none();
        let mut room = MOST_KEPT;
        let mut archive = tar::Archive::new(WindowReader(window));
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
            if !entry.header().entry_type().is_file() {
                continue;
            }
            let name = entry.path()?.into_owned();
            let (size, offset) = (entry.size(), entry.raw_file_position());
            let kept = if keep { pack(&mut entry, room)? } else { None };
            let place = match kept {
                Some(kept) => {
                    room -= kept.len();
                    Where::Kept(kept)
                }
                None => Where::Tar(offset),
            };
            self.add(&name, Member { size, place })?;
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

    /// What is wrong with the archive itself.
    pub fn warnings(&self) -> Vec<Warning> {
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
    pub fn recordings(self: &Arc<Archive>) -> Result<Vec<Input>, ImportError> {
        let input = |name: &str| Input::member(&self.outer, self, name);
        let mut found: Vec<(String, Input)> = Vec::new();
        let mut dirs = vec![""];
        for name in self.members.keys() {
            let parents = name.match_indices('/').map(|(at, _)| &name[..at]);
            dirs.extend(parents);
        }
        dirs.sort_unstable();
        dirs.dedup();
        for dir in dirs {
            if is_recording_directory(&input(dir)) {
                found.push((dir.to_owned(), input(dir)));
            }
        }
        let taken: Vec<String> = found.iter().map(|(dir, _)| dir.clone()).collect();
        let in_taken = |name: &str| {
            let inside = |dir: &String| {
                dir.is_empty()
                    || name
                        .strip_prefix(dir.as_str())
                        .is_some_and(|rest| rest.starts_with('/'))
            };
            taken.iter().any(inside)
        };
        let mut unreadable = None;
        for name in self.members.keys().filter(|name| !in_taken(name)) {
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
            Where::Tar(offset) => {
                let window = Window::open(&self.outer, &self.silent, &self.reporter);
                let mut reader = WindowReader(window.map_err(io::Error::other)?);
                // Where the archive lies uncompressed on disk, the member could be reached at once; it is passed
                // over at the disk's speed.
                let mut left = *offset;
                while left > 0 {
                    progress.check().map_err(io::Error::other)?;
                    let step = reader.pass(left)?;
                    if step == 0 {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                    left -= step;
                }
                Box::new(reader.take(member.size))
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
            Where::Kept(_) | Where::Tar(_) => None,
        }
    }

    fn is_dir(&self, name: &str) -> bool {
        self.inside(name).next().is_some()
    }

    fn entries(&self, name: &str) -> Vec<String> {
        let names = self.inside(name);
        let mut names: Vec<String> = names
            .filter_map(|name| name.split('/').next())
            .map(str::to_owned)
            .collect();
        names.dedup();
        names
    }
}

/// A member in compressed form; none where that takes more than `room`.
fn pack(member: &mut impl Read, room: usize) -> io::Result<Option<Arc<[u8]>>> {
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1)?;
    let mut chunk = vec![0; 128 << 10];
    loop {
        let count = match member.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            // The archive ends in it. What there is of it is read as any file that was cut.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => break,
            Err(error) => return Err(error),
        };
        encoder.write_all(&chunk[..count])?;
        if encoder.get_ref().len() > room {
            return Ok(None);
        }
    }
    let packed = encoder.finish()?;
    Ok((packed.len() <= room).then(|| packed.into()))
}

/// A window as a reader.
struct WindowReader<'a>(Window<'a>);

impl WindowReader<'_> {
    /// Passes at most `most` bytes; none at the end.
    fn pass(&mut self, most: u64) -> io::Result<u64> {
        if self.0.data().is_empty() && !self.0.more().map_err(io::Error::other)? {
            return Ok(0);
        }
        let count = self
            .0
            .data()
            .len()
            .min(usize::try_from(most).unwrap_or(usize::MAX));
        self.0.consume(count);
        Ok(count as u64)
    }
}

impl Read for WindowReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.0.data().is_empty() && !self.0.more().map_err(io::Error::other)? {
            return Ok(0);
        }
        let data = self.0.data();
        let count = data.len().min(buffer.len());
        buffer[..count].copy_from_slice(&data[..count]);
        self.0.consume(count);
        Ok(count)
    }
}
