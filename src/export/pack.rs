//! Packs: files put together in one, to be opened on another machine.
//!
//! A pack is a tar compressed with Zstandard, so that other tools can look into it. Its first member is the manifest,
//! in JSON: what the pack is of, and the name and size of each file, in the order in which they follow. Nothing in it
//! is trusted: names lead out of nowhere, no more is unpacked than was announced, and what is announced has to
//! stand in proportion to the pack.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::manifest::{
    FORMAT, Listed, MANIFEST, MOST_FILES, Manifest, VERSION, checked, malformed,
};
pub use super::manifest::{PackError, Parts};
use callscape_base::files::{self, Folder, Temporary, disk};
use callscape_base::progress::Progress;
use callscape_facts::index::cache_dir;

/// How the names of packs end.
pub const ENDING: &str = ".callscape-pack";

const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// Begins a frame that decompressors pass over.
const SKIPPED: [u8; 4] = [0x50, 0x2a, 0x4d, 0x18];

const LARGEST_MANIFEST: u64 = 128 << 20;
/// A pack unpacks to no more than so many bytes, and so many times its own.
const ALWAYS: u64 = 64 << 20;
const MOST_TIMES: u64 = 256;
/// What decompressing keeps in memory, as a power of two.
const WINDOW_LOG: u32 = 25;
const LEVEL: i32 = 6;
/// What is unpacked of all packs: the oldest go first.
const MOST_KEPT: u64 = 16 << 30;
/// Bytes read between two looks whether one wants to stop; unpacked they may be a hundred times as many.
const STEP: usize = 1 << 16;
/// What may stand behind the last file: the end of a tar, filled up.
const TAIL: u64 = 1 << 20;

/// A file to be packed: the name that it gets, and where it lies.
#[derive(Clone, Debug)]
pub struct Packed {
    pub name: String,
    pub path: PathBuf,
}

/// A pack on disk as files.
#[derive(Clone, Debug, PartialEq)]
pub struct Unpacked {
    pub folder: PathBuf,
    pub parts: Parts,
}

impl Unpacked {
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

fn at(path: &Path) -> impl Fn(io::Error) -> PackError + '_ {
    move |error| PackError::Io {
        path: path.to_owned(),
        error,
    }
}

/// Whether a file is a pack, by its content; also one that only calls itself so, as what was cut off after its first
/// bytes does: opening it says what is wrong.
pub fn is_pack(path: &Path) -> bool {
    let Ok(file) = disk::open_regular(path) else {
        return false;
    };
    if !file.metadata().is_ok_and(|metadata| metadata.is_file()) {
        return false;
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if name.ends_with(ENDING) {
        return true;
    }
    let mut head = [0; 4];
    let mut file = BufReader::new(file);
    if file.read_exact(&mut head).is_err() || head != ZSTD || file.rewind().is_err() {
        return false;
    }
    let mut name = [0; MANIFEST.len() + 1];
    let Ok(mut tar) = decoder(file) else {
        return false;
    };
    tar.read_exact(&mut name).is_ok() && name.strip_suffix(b"\0") == Some(MANIFEST.as_bytes())
}

fn decoder<R: Read>(file: R) -> io::Result<zstd::Decoder<'static, BufReader<R>>> {
    let mut decoder = zstd::Decoder::new(file)?;
    decoder.window_log_max(WINDOW_LOG)?;
    Ok(decoder)
}

/// Writes a pack of `files` to `path`: beside, and renamed when it is whole. How many bytes it has.
pub fn write(
    path: &Path,
    parts: &Parts,
    files: &[Packed],
    progress: &Progress,
) -> Result<u64, PackError> {
    let mut listed = Vec::with_capacity(files.len());
    for file in files {
        let bytes = fs::metadata(&file.path).map_err(at(&file.path))?.len();
        let name = file.name.clone();
        listed.push(Listed { name, bytes });
    }
    let total: u64 = listed.iter().map(|file| file.bytes).sum();
    let manifest = Manifest {
        format: FORMAT.to_owned(),
        version: VERSION,
        parts: parts.clone(),
        files: listed,
    };
    let text = serde_json::to_vec(&manifest).map_err(|error| at(path)(error.into()))?;
    progress.start("packing", total);
    let beside = Temporary::beside(path).map_err(at(path))?;
    let out = &beside.file;
    let written = (|| {
        let mut packer = zstd::Encoder::new(BufWriter::new(out), LEVEL)?;
        packer.include_checksum(true)?;
        let mut tar = tar::Builder::new(packer);
        add(&mut tar, MANIFEST, text.len() as u64, &text[..])?;
        for (number, (file, listed)) in files.iter().zip(&manifest.files).enumerate() {
            let open = File::open(&file.path)?;
            let mut seen = Seen {
                of: open.take(listed.bytes),
                progress,
                count: 0,
            };
            let short = format!("{}", number + 1);
            // What is too long for the header of a tar has its name in the manifest.
            let name = match listed.name.len() {
                ..100 => &listed.name,
                _ => &short,
            };
            add(&mut tar, name, listed.bytes, &mut seen)?;
            if seen.count != listed.bytes {
                let text = format!("{} has changed meanwhile", file.path.display());
                return Err(io::Error::other(text));
            }
        }
        let mut out = tar.into_inner()?.finish()?;
        out.flush()?;
        let file = out.get_mut();
        let size = file.stream_position()?;
        // What compresses as well as a bomb is given the size that lets it be unpacked.
        let least = total.saturating_sub(ALWAYS).div_ceil(MOST_TIMES);
        let mut size_filled = size;
        while size_filled < least {
            let fill = (least - size_filled).clamp(8, 1 << 30) - 8;
            file.write_all(&SKIPPED)?;
            file.write_all(&(fill as u32).to_le_bytes())?;
            io::copy(&mut io::repeat(0).take(fill), file)?;
            size_filled += fill + 8;
        }
        Ok(size_filled)
    })();
    progress.check()?;
    let size = written.map_err(at(path))?;
    beside.keep_as(path).map_err(at(path))?;
    Ok(size)
}

fn add(
    tar: &mut tar::Builder<impl Write>,
    name: &str,
    bytes: u64,
    content: impl Read,
) -> io::Result<()> {
    let mut header = tar::Header::new_ustar();
    header.set_path(name)?;
    header.set_size(bytes);
    header.set_mode(0o644);
    // The same files give the same pack.
    header.set_mtime(0);
    header.set_cksum();
    tar.append(&header, content)
}

/// What is read, told to the progress; an error when one wants to stop.
struct Seen<'a, R> {
    of: R,
    progress: &'a Progress,
    count: u64,
}

impl<R: Read> Read for Seen<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = buffer.len().min(STEP);
        let read = self.of.read(&mut buffer[..most])?;
        self.count += read as u64;
        self.progress.add(read as u64).map_err(io::Error::other)?;
        Ok(read)
    }
}

/// Unpacks the pack at `path` into the user's cache, in a browser into memory, unless it is there already.
pub fn open(path: &Path, progress: &Progress) -> Result<Unpacked, PackError> {
    unpack(path, &kept()?, progress)
}

#[cfg(target_arch = "wasm32")]
fn kept() -> Result<PathBuf, PackError> {
    Ok(PathBuf::from("/packs"))
}

#[cfg(not(target_arch = "wasm32"))]
fn kept() -> Result<PathBuf, PackError> {
    let kept = match cache_dir() {
        Some(cache) => cache,
        None => files::private_folder().map_err(at(&std::env::temp_dir()))?,
    };
    Ok(kept.join("packs"))
}

/// The same into a folder of its own in `kept`.
pub fn unpack(path: &Path, kept: &Path, progress: &Progress) -> Result<Unpacked, PackError> {
    let name = format!("{:016x}", fingerprint(path).map_err(at(path))?);
    let folder = kept.join(name);
    if let Some(found) = unpacked(&folder) {
        return Ok(found);
    }
    unpack_anew(path, kept, &folder, progress)?;
    unpacked(&folder).ok_or_else(|| {
        let place = folder.display().to_string();
        malformed(place, "an unpacked folder", "something else")
    })
}

/// Unpacks into memory.
#[cfg(target_arch = "wasm32")]
fn unpack_anew(path: &Path, _: &Path, folder: &Path, progress: &Progress) -> Result<(), PackError> {
    // What is left of a pack that could not be unpacked.
    files::held::forget(folder);
    extract(path, folder, progress)
}

/// Unpacks beside `folder`, which appears when it is whole.
#[cfg(not(target_arch = "wasm32"))]
fn unpack_anew(
    path: &Path,
    kept: &Path,
    folder: &Path,
    progress: &Progress,
) -> Result<(), PackError> {
    fs::create_dir_all(kept).map_err(at(kept))?;
    let beside = Folder::beside(folder).map_err(at(folder))?;
    extract(path, beside.path(), progress)?;
    match beside.keep_as(folder) {
        Ok(()) => {}
        // Another window was faster, or what is there is not whole.
        Err(_) if unpacked(folder).is_some() => {}
        Err(_) => {
            let _ = fs::remove_dir_all(folder);
            beside.keep_as(folder).map_err(at(folder))?;
        }
    }
    prune(kept, folder);
    Ok(())
}

/// What is unpacked in `folder`, if it is whole.
fn unpacked(folder: &Path) -> Option<Unpacked> {
    let text = files::read(&folder.join(MANIFEST), u64::MAX).ok()?;
    let manifest: Manifest = serde_json::from_slice(&text).ok()?;
    let is_there = |file: &Listed| {
        let metadata = disk::metadata(&folder.join(&file.name));
        // Sessions may have been saved meanwhile.
        metadata.is_ok_and(|it| it.len() == file.bytes || is_text(&file.name))
    };
    manifest.files.iter().all(is_there).then(|| Unpacked {
        folder: folder.to_owned(),
        parts: manifest.parts,
    })
}

fn is_text(name: &str) -> bool {
    name.ends_with(".json") || name.ends_with(".toml")
}

/// Bytes that are read through it, at most so many.
struct Limited<R> {
    of: R,
    left: u64,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX);
        if most == 0 && !buffer.is_empty() {
            return match self.of.read(&mut [0])? {
                0 => Ok(0),
                _ => Err(io::Error::other(
                    "the decompressed size is out of proportion",
                )),
            };
        }
        let length = buffer.len().min(most);
        let read = self.of.read(&mut buffer[..length])?;
        self.left -= read as u64;
        Ok(read)
    }
}

/// The names and sizes of the files in the pack at `path`, without unpacking them.
pub fn list(path: &Path, progress: &Progress) -> Result<Vec<(String, u64)>, PackError> {
    let shown = path.display().to_string();
    let file = disk::open(path).map_err(at(path))?;
    let size = file.metadata().map_err(at(path))?.len();
    let limit = ALWAYS.saturating_add(size.saturating_mul(MOST_TIMES));
    let read = |error| broken(&shown, error, progress);
    let mut tar = tar::Archive::new(decoder(file).map_err(read)?);
    let mut entries = tar.entries().map_err(read)?.raw(true);
    let text = manifest_in(&mut entries, &shown, progress)?;
    let files = checked(&shown, &text, limit)?.files.into_iter();
    Ok(files.map(|file| (file.name, file.bytes)).collect())
}

/// The text of the manifest, which is the first of the entries of a pack.
fn manifest_in<R: Read>(
    entries: &mut tar::Entries<'_, R>,
    shown: &str,
    progress: &Progress,
) -> Result<Vec<u8>, PackError> {
    let read = |error| broken(shown, error, progress);
    let Some(first) = entries.next() else {
        return Err(malformed(shown, "a pack of Callscape", "an empty archive"));
    };
    let mut first = first.map_err(read)?;
    if &*first.path_bytes() != MANIFEST.as_bytes() || first.size() > LARGEST_MANIFEST {
        return Err(malformed(shown, "a pack of Callscape", "another archive"));
    }
    let mut text = Vec::new();
    first.read_to_end(&mut text).map_err(read)?;
    Ok(text)
}

/// Writes the files of the pack at `path` into `folder`.
fn extract(path: &Path, folder: &Path, progress: &Progress) -> Result<(), PackError> {
    let shown = path.display().to_string();
    let file = disk::open(path).map_err(at(path))?;
    let size = file.metadata().map_err(at(path))?.len();
    let limit = ALWAYS.saturating_add(size.saturating_mul(MOST_TIMES));
    progress.start(format!("unpacking {shown}"), size);
    let packed = Seen {
        of: file,
        progress,
        count: 0,
    };
    let decoder = decoder(packed).map_err(|error| broken(&shown, error, progress))?;
    // Headers of the tar count too.
    let of = Limited {
        of: decoder,
        left: limit.saturating_add(TAIL + 1024 * MOST_FILES as u64),
    };
    let mut tar = tar::Archive::new(of);
    let read = |error| broken(&shown, error, progress);
    let mut entries = tar.entries().map_err(read)?.raw(true);
    let text = manifest_in(&mut entries, &shown, progress)?;
    let manifest = checked(&shown, &text, limit)?;
    for listed in &manifest.files {
        let place = || format!("{shown}, {}", listed.name);
        let read = |error| broken(&place(), error, progress);
        let entry = entries.next().transpose().map_err(read)?;
        let Some(mut entry) = entry else {
            return Err(malformed(place(), "the file that is listed", "the end"));
        };
        let kind = entry.header().entry_type();
        if kind != tar::EntryType::Regular {
            let found = format!("a member of the kind {kind:?}");
            return Err(malformed(place(), "a file", found));
        }
        if entry.size() != listed.bytes {
            let expected = format!("{} bytes", listed.bytes);
            return Err(malformed(place(), expected, entry.size().to_string()));
        }
        let target = folder.join(&listed.name);
        let mut out = disk::create_new(&target).map_err(at(&target))?;
        let copied = copy(&mut entry, &mut out).map_err(|error| match error {
            Copying::Read(error) => read(error),
            Copying::Write(error) => at(&target)(error),
        })?;
        if copied != listed.bytes {
            let expected = format!("{} bytes", listed.bytes);
            return Err(malformed(
                place(),
                expected,
                format!("the end after {copied}"),
            ));
        }
    }
    if entries.next().is_some() {
        return Err(malformed(shown, "no more files than are listed", "another"));
    }
    // The checksum stands at the end.
    let mut rest = tar.into_inner();
    rest.left = rest.left.min(TAIL);
    io::copy(&mut rest, &mut io::sink()).map_err(read)?;
    progress.check()?;
    let mut out = disk::create_new(&folder.join(MANIFEST)).map_err(at(folder))?;
    out.write_all(&text).map_err(at(folder))
}

enum Copying {
    Read(io::Error),
    Write(io::Error),
}

fn copy(from: &mut impl Read, to: &mut impl Write) -> Result<u64, Copying> {
    let mut buffer = vec![0; 1 << 16];
    let mut copied = 0;
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(copied),
            Ok(read) => {
                to.write_all(&buffer[..read]).map_err(Copying::Write)?;
                copied += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Copying::Read(error)),
        }
    }
}

/// What reading `place` has met with.
fn broken(place: &str, error: io::Error, progress: &Progress) -> PackError {
    if let Err(cancelled) = progress.check() {
        return cancelled.into();
    }
    let (_, offset, _) = progress.state();
    let found = match error.kind() {
        io::ErrorKind::UnexpectedEof => "its end".to_owned(),
        _ => error.to_string(),
    };
    let place = format!("{place}, before offset {offset}");
    malformed(place, "sound data of a pack", found)
}

/// Removes what is unpacked of other packs, the oldest first, until it is no more than it may be.
fn prune(kept: &Path, newest: &Path) {
    let Ok(entries) = fs::read_dir(kept) else {
        return;
    };
    let mut folders = Vec::new();
    for entry in entries.flatten() {
        let (path, Ok(metadata)) = (entry.path(), entry.metadata()) else {
            continue;
        };
        if path != newest {
            folders.push((metadata.modified().unwrap_or(UNIX_EPOCH), size(&path), path));
        }
    }
    folders.sort();
    let mut all: u64 = size(newest) + folders.iter().map(|(_, size, _)| size).sum::<u64>();
    for (_, size, path) in folders {
        if all <= MOST_KEPT {
            return;
        }
        all -= size;
        // What another window has open there stays readable, or stays.
        let _ = fs::remove_dir_all(path);
    }
}

/// What the manifest of an unpacked pack says that it takes.
fn size(folder: &Path) -> u64 {
    let manifest = fs::read(folder.join(MANIFEST)).ok();
    let manifest = manifest.and_then(|text| serde_json::from_slice::<Manifest>(&text).ok());
    manifest.map_or(0, |manifest| {
        let sizes = manifest.files.iter().map(|file| file.bytes);
        sizes.fold(0, u64::saturating_add)
    })
}

/// What tells a pack from another: size, time of change, first and last bytes.
fn fingerprint(path: &Path) -> io::Result<u64> {
    const SAMPLE: u64 = 64 << 10;
    let mut file = disk::open(path)?;
    let metadata = file.metadata()?;
    let changed = metadata.modified().ok();
    let changed = changed.and_then(|it| it.duration_since(UNIX_EPOCH).ok());
    let mut all = crc32fast::Hasher::new();
    all.update(&metadata.len().to_le_bytes());
    all.update(
        &changed
            .map_or(0, |time| time.as_nanos() as u64)
            .to_le_bytes(),
    );
    let mut ends = crc32fast::Hasher::new();
    for start in [0, metadata.len().saturating_sub(SAMPLE)] {
        let mut sample = Vec::new();
        file.seek(SeekFrom::Start(start))?;
        Read::by_ref(&mut file)
            .take(SAMPLE)
            .read_to_end(&mut sample)?;
        ends.update(&sample);
    }
    Ok(u64::from(all.finalize()) << 32 | u64::from(ends.finalize()))
}
