//! Where the files with symbols are.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::super::mapped::Mapped;
use super::super::table::Table;
use super::elf::Elf;
use super::kernel::{self, Kernel};
use callscape_base::files::disk;

/// How large a file may be, and those with debug information together.
const LARGEST: u64 = 512 << 20;
const MOST: u64 = 1 << 30;

/// Which files were read.
#[derive(Default)]
pub(super) struct Files {
    /// How many bytes of them stay in memory.
    kept: u64,
    /// The symbols of the kernel, if it runs where it did.
    kernel: Option<Kernel>,
}

impl Files {
    /// The symbols of a file.
    pub(super) fn elf(
        &mut self,
        file: &Mapped,
        beside: Option<&Path>,
        warn: &impl Fn(&'static str),
    ) -> Option<Box<Elf>> {
        // `[vdso]` is only in the cache, and `[heap]` nowhere.
        let is_path = file.name.starts_with(b"/");
        let cached = file
            .build_id
            .as_deref()
            .map(|id| cached(id, &["elf", "vdso"]));
        let own = path_of(&file.name).filter(|_| is_path);
        let name = own.as_deref().and_then(Path::file_name);
        let beside = name.and_then(|name| Some(beside?.join(name)));
        let mut why = "symbols-missing";
        let mut places: Vec<(PathBuf, bool)> =
            cached.into_iter().flatten().map(|it| (it, false)).collect();
        places.extend(own.iter().cloned().map(|it| (it, false)));
        places.extend(beside.into_iter().map(|it| (it, true)));
        for (path, needs_id) in places {
            let bytes = match read(&path) {
                Ok(Some(bytes)) => bytes,
                Ok(None) => continue,
                Err(TooLarge) => {
                    why = "symbols-not-read";
                    continue;
                }
            };
            let Some(elf) = Elf::parse(&bytes) else {
                why = "symbols-not-read";
                continue;
            };
            match file.is_of(elf.build_id()) {
                Some(true) => {}
                None if !needs_id => {}
                _ => {
                    why = "symbols-of-another-build";
                    continue;
                }
            }
            return Some(self.complete(elf, (&path, bytes), warn));
        }
        if is_path {
            warn(why);
        }
        None
    }

    /// Adds debug information and symbols that are in another file, or in the file itself.
    fn complete(
        &mut self,
        mut elf: Elf,
        (path, bytes): (&Path, Arc<[u8]>),
        warn: &impl Fn(&'static str),
    ) -> Box<Elf> {
        let places = match elf.has_debug_information() {
            false => debug_files(&elf, path),
            true => Vec::new(),
        };
        let mut found = places.iter().filter_map(|path| read(path).ok().flatten());
        let found = found.find_map(|debug| {
            let other = Elf::parse(&debug)?;
            belongs(&elf, &other, &debug).then_some((other, debug))
        });
        let bytes = match found {
            Some((other, debug)) => {
                elf.take_from(other);
                debug
            }
            None => bytes,
        };
        if elf.has_debug_information() {
            let size = bytes.len() as u64;
            match self.kept + size <= MOST {
                true if elf.read_lines(&bytes, MOST - self.kept).is_some() => self.kept += size,
                _ => warn("lines-not-read"),
            }
        }
        Box::new(elf)
    }

    /// The symbols in the map of a just-in-time compiler.
    pub(super) fn compiled(&self, file: &Mapped) -> Option<Table> {
        let bytes = read(&path_of(&file.name)?).ok()??;
        Some(kernel::compiled(&bytes))
    }

    /// The symbols of the kernel that was recorded, and how far behind them it was; `text` is where it began.
    pub(super) fn kernel(&mut self, file: &Mapped, text: u64) -> Option<(Table, u64)> {
        let id = file.build_id.as_deref()?;
        let mut places = cached(id, &["kallsyms"]);
        let runs = std::fs::read("/sys/kernel/notes").ok();
        if file.is_of(runs.as_deref().and_then(noted_id)) == Some(true) {
            places.push("/proc/kallsyms".into());
        }
        let found = places.iter().filter_map(|path| read(path).ok().flatten());
        let mut kernel = { found }.find_map(|bytes| Kernel::parse(&bytes))?;
        let table = kernel.tables.remove(&b""[..])?;
        let begins = table
            .address_of(b"_text")
            .or_else(|| table.address_of(b"_stext"));
        let shift = begins.map_or(0, |begins| text.wrapping_sub(begins));
        if shift == 0 {
            self.kernel = Some(kernel);
        }
        Some((table, shift))
    }

    /// The symbols of a module of the kernel.
    pub(super) fn module(&mut self, file: &Mapped) -> Option<Table> {
        self.kernel.as_mut()?.tables.remove(&file.name)
    }
}

/// A name as a path, on any system.
fn path_of(name: &[u8]) -> Option<PathBuf> {
    std::str::from_utf8(name).ok().map(PathBuf::from)
}

/// It has more bytes than are read.
struct TooLarge;

/// The bytes of a regular file; `None` if there is none that can be read.
fn read(path: &Path) -> Result<Option<Arc<[u8]>>, TooLarge> {
    let Ok(file) = disk::open_regular(path) else {
        return Ok(None);
    };
    if !file.metadata().is_ok_and(|it| it.is_file()) {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    match file.take(LARGEST + 1).read_to_end(&mut bytes) {
        Err(_) => Ok(None),
        Ok(size) if size as u64 > LARGEST => Err(TooLarge),
        Ok(_) => Ok(Some(bytes.into())),
    }
}

/// A build id as the folder and the name of files by it.
fn by_id(id: &[u8]) -> Option<(String, String)> {
    let (first, rest) = id.split_first()?;
    let digits = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Some((digits(&[*first]), digits(rest)))
}

/// What perf's cache has of this build.
fn cached(id: &[u8], names: &[&str]) -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let Some((home, (folder, rest))) = home.zip(by_id(id)) else {
        return Vec::new();
    };
    let folder = home.join(".debug/.build-id").join(folder).join(rest);
    names.iter().map(|name| folder.join(name)).collect()
}

/// Whether the file in these bytes has what was taken out of another one: it is of the same build, or the one that this
/// names.
fn belongs(elf: &Elf, other: &Elf, bytes: &[u8]) -> bool {
    match (elf.build_id(), other.build_id()) {
        (None, None) => elf
            .debug_link()
            .is_some_and(|it| it.1 == crc32fast::hash(bytes)),
        (id, other) => id == other,
    }
}

/// Where perf and the system keep the debug information of the file at a path, by its build id and by the name that it gives
/// (<https://sourceware.org/gdb/current/onlinedocs/gdb.html/Separate-Debug-Files.html>).
fn debug_files(elf: &Elf, path: &Path) -> Vec<PathBuf> {
    const SYSTEM: &str = "/usr/lib/debug";
    let mut files = Vec::new();
    if let Some(id) = elf.build_id() {
        files = cached(id, &["debug"]);
        if let Some((folder, rest)) = by_id(id) {
            let folder = Path::new(SYSTEM).join(".build-id").join(folder);
            files.push(folder.join(format!("{rest}.debug")));
        }
    }
    let name = elf.debug_link().and_then(|(name, _)| path_of(name));
    // A name that leads to another folder is none.
    let name = name.as_deref().and_then(Path::file_name);
    if let Some((name, folder)) = name.zip(path.parent()) {
        let of_system = folder.strip_prefix("/").ok();
        let of_system = of_system.map(|it| Path::new(SYSTEM).join(it).join(name));
        files.extend([folder.join(name), folder.join(".debug").join(name)]);
        files.extend(of_system);
    }
    files.retain(|it| it != path);
    files
}

/// The build id among the notes of the kernel that runs.
fn noted_id(notes: &[u8]) -> Option<&[u8]> {
    const BUILD_ID: u32 = 3;
    let mut rest = notes;
    loop {
        let word = |at: usize| {
            let bytes = rest.get(at..at + 4)?.try_into().ok()?;
            Some(u32::from_ne_bytes(bytes))
        };
        let (name, size, kind) = (word(0)? as usize, word(4)? as usize, word(8)?);
        let start = 12 + name.checked_next_multiple_of(4)?;
        let id = rest.get(start..start.checked_add(size)?)?;
        if kind == BUILD_ID && rest.get(12..12 + name)? == b"GNU\0" {
            return Some(id);
        }
        rest = rest.get(start + size.checked_next_multiple_of(4)?..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::mapped::Kind;
    use super::*;
    use std::process::Command;

    #[test]
    fn debug_information_is_found_by_the_name_that_a_file_gives() {
        let has = |program: &str| Command::new(program).arg("--version").output().is_ok();
        if !has("gcc") || !has("objcopy") {
            return;
        }
        let folder = std::env::temp_dir().join(format!("callscape-link-{}", std::process::id()));
        std::fs::create_dir_all(folder.join(".debug")).expect("a folder");
        let run = |program: &str, arguments: &str| {
            let mut command = Command::new(program);
            let ran = command
                .args(arguments.split(' '))
                .current_dir(&folder)
                .status();
            assert!(ran.expect(program).success(), "{program} {arguments}");
        };
        let source = "int deep(int x) { return x + 1; }\nint main(void) { return deep(2); }\n";
        std::fs::write(folder.join("a.c"), source).expect("a file");
        // Without a build id only the checksum tells whether it is the right one.
        run("gcc", "-g -O0 -Wl,--build-id=none a.c -o a");
        run("objcopy", "--only-keep-debug a a.debug");
        run("objcopy", "--strip-all --add-gnu-debuglink=a.debug a");
        std::fs::rename(folder.join("a.debug"), folder.join(".debug/a.debug")).expect("a file");
        let name = folder.join("a").into_os_string().into_encoded_bytes();
        let mapped = Mapped {
            name: name.into(),
            build_id: None,
            kind: Kind::File,
        };
        let has_lines = || {
            let elf = Files::default().elf(&mapped, None, &|kind| panic!("{kind}"));
            elf.expect("a program").has_debug_information()
        };
        assert!(has_lines());
        let other = folder.join(".debug/a.debug");
        let mut bytes = std::fs::read(&other).expect("a file");
        bytes.push(0);
        std::fs::write(&other, bytes).expect("a file");
        assert!(!has_lines());
        std::fs::remove_dir_all(&folder).expect("a folder");
    }
}
