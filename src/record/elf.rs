//! What the headers of an executable tell: <https://refspecs.linuxfoundation.org/elf/gabi4+/contents.html>. Nothing in a
//! file is trusted; what cannot be read is not there.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

pub(crate) const MAGIC: &[u8] = b"\x7fELF";

/// So much is read of a table at most.
const LARGEST: u64 = 64 << 20;
const MOST_SECTIONS: u16 = 4096;

const INTERPRETER: u32 = 3;
const X86_64: u16 = 62;
const AARCH64: u16 = 183;

/// Kinds of sections: all symbols, and those that the loader needs.
const SYMBOLS: u64 = 2;
const SYMBOLS_OF_LOADER: u64 = 11;
/// Bytes of a symbol in a 64-bit file.
const SYMBOL: usize = 24;
/// Kinds of symbols: a function, and one that is chosen among several when it is loaded.
const FUNCTION: u64 = 2;
const CHOSEN_FUNCTION: u64 = 10;

/// What matters of an executable to those who record it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Elf {
    pub is_64_bit: bool,
    /// Of a machine that uftrace patches: x86-64 or 64-bit ARM.
    pub can_be_patched: bool,
    /// It brings all it needs, and no loader runs before it.
    pub is_static: bool,
    /// It names its functions.
    pub has_symbols: bool,
    /// It says from which lines it was made.
    pub has_lines: bool,
    /// The compiler has put calls or room for them into its functions: `-pg`, `-mfentry`, `-finstrument-functions`.
    pub is_instrumented: bool,
    /// `-fpatchable-function-entry` or XRay: room that has to be patched.
    pub has_room: bool,
    pub is_go: bool,
}

/// Calls that a compiler puts into functions for tracers.
const ENTRIES: [&[u8]; 4] = [
    b"\0mcount\0",
    b"\0_mcount\0",
    b"\0__fentry__\0",
    b"\0__cyg_profile_func_enter\0",
];

struct Reader<'a> {
    file: &'a mut File,
    is_64_bit: bool,
    is_big: bool,
}

impl Reader<'_> {
    fn bytes(&mut self, offset: u64, length: u64) -> Option<Vec<u8>> {
        self.file.seek(SeekFrom::Start(offset)).ok()?;
        let mut bytes = Vec::new();
        let mut part = self.file.take(length.min(LARGEST));
        part.read_to_end(&mut bytes).ok()?;
        (bytes.len() as u64 == length).then_some(bytes)
    }

    /// The number of `width` bytes at `at`.
    fn number(&self, bytes: &[u8], at: usize, width: usize) -> Option<u64> {
        let bytes = bytes.get(at..at.checked_add(width)?)?;
        let add = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        Some(match self.is_big {
            true => bytes.iter().fold(0, add),
            false => bytes.iter().rev().fold(0, add),
        })
    }

    /// A word of the class at the one or the other place.
    fn word(&self, bytes: &[u8], [at_32, at_64]: [usize; 2]) -> Option<u64> {
        match self.is_64_bit {
            true => self.number(bytes, at_64, 8),
            false => self.number(bytes, at_32, 4),
        }
    }

    fn half(&self, bytes: &[u8], [at_32, at_64]: [usize; 2]) -> Option<u16> {
        let at = if self.is_64_bit { at_64 } else { at_32 };
        self.number(bytes, at, 2)?.try_into().ok()
    }
}

/// A section: the place of its name, its kind, the section that belongs to it, and where its bytes lie.
struct Section {
    name: usize,
    kind: u64,
    link: usize,
    offset: u64,
    size: u64,
}

/// Reads the headers of `file`; none where it is no executable of this kind.
pub(crate) fn read(file: &mut File) -> Option<Elf> {
    let (mut reader, header) = begin(file)?;
    let machine = reader.half(&header, [18, 18])?;
    let mut elf = Elf {
        is_64_bit: reader.is_64_bit,
        can_be_patched: reader.is_64_bit && [X86_64, AARCH64].contains(&machine),
        is_static: !has_interpreter(&mut reader, &header)?,
        ..Elf::default()
    };
    add_sections(&mut reader, &header, &mut elf);
    Some(elf)
}

/// The header of a file, and what reads further; none where it is no executable of this kind.
fn begin(file: &mut File) -> Option<(Reader<'_>, Vec<u8>)> {
    let mut ident = [0; 16];
    file.seek(SeekFrom::Start(0)).ok()?;
    file.read_exact(&mut ident).ok()?;
    if !ident.starts_with(MAGIC) {
        return None;
    }
    let mut reader = Reader {
        file,
        is_64_bit: ident[4] == 2,
        is_big: ident[5] == 2,
    };
    let header = reader.bytes(0, if reader.is_64_bit { 64 } else { 52 })?;
    Some((reader, header))
}

/// The symbols of functions that a 64-bit executable has, and of those that it calls in libraries. None where it is stripped
/// of its own, or cannot be read.
pub(crate) fn functions(file: &mut File) -> Option<Vec<String>> {
    let (mut reader, header) = begin(file)?;
    let sections = sections(&mut reader, &header)?;
    let mut found = Vec::new();
    let mut has_own = false;
    let is_table = |it: &&Section| [SYMBOLS, SYMBOLS_OF_LOADER].contains(&it.kind);
    for section in sections.iter().filter(is_table) {
        has_own |= section.kind == SYMBOLS;
        let names = sections.get(section.link)?;
        let names = reader.bytes(names.offset, names.size)?;
        let table = reader.bytes(section.offset, section.size)?;
        for row in table.chunks_exact(SYMBOL) {
            let kind = reader.number(row, 4, 1)? & 0xf;
            if ![FUNCTION, CHOSEN_FUNCTION].contains(&kind) {
                continue;
            }
            let name = usize::try_from(reader.number(row, 0, 4)?).ok()?;
            let name = names.get(name..)?.split(|&byte| byte == 0).next()?;
            found.push(String::from_utf8_lossy(name).into_owned());
        }
    }
    (has_own && reader.is_64_bit).then_some(found)
}

fn has_interpreter(reader: &mut Reader<'_>, header: &[u8]) -> Option<bool> {
    let offset = reader.word(header, [28, 32])?;
    let size = u64::from(reader.half(header, [42, 54])?);
    let count = u64::from(reader.half(header, [44, 56])?);
    let table = reader.bytes(offset, size * count)?;
    let rows = table.chunks_exact(usize::try_from(size).ok()?.max(1));
    let kinds: Vec<Option<u64>> = rows.map(|row| reader.number(row, 0, 4)).collect();
    Some(kinds.contains(&Some(u64::from(INTERPRETER))))
}

fn sections(reader: &mut Reader<'_>, header: &[u8]) -> Option<Vec<Section>> {
    let offset = reader.word(header, [32, 40])?;
    let size = u64::from(reader.half(header, [46, 58])?);
    let count = reader.half(header, [48, 60])?.min(MOST_SECTIONS);
    let table = reader.bytes(offset, size * u64::from(count))?;
    let rows = table.chunks_exact(usize::try_from(size).ok()?.max(1));
    let section = |row: &[u8]| {
        Some(Section {
            name: usize::try_from(reader.number(row, 0, 4)?).ok()?,
            kind: reader.number(row, 4, 4)?,
            link: usize::try_from(reader.number(row, if reader.is_64_bit { 40 } else { 24 }, 4)?)
                .ok()?,
            offset: reader.word(row, [16, 24])?,
            size: reader.word(row, [20, 32])?,
        })
    };
    Some(rows.filter_map(section).collect())
}

/// What names of sections and symbols tell; without sections it is stripped.
fn add_sections(reader: &mut Reader<'_>, header: &[u8], elf: &mut Elf) -> Option<()> {
    let sections = sections(reader, header)?;
    let names = usize::from(reader.half(header, [50, 62])?);
    let names = sections.get(names)?;
    let names = reader.bytes(names.offset, names.size)?;
    for section in &sections {
        let name = names.get(section.name..).unwrap_or_default();
        let end = name.iter().position(|&byte| byte == 0).unwrap_or(0);
        match &name[..end] {
            b".symtab" => elf.has_symbols = true,
            b".debug_info" | b".zdebug_info" => elf.has_lines = true,
            b"__patchable_function_entries" | b"xray_instr_map" => elf.has_room = true,
            b".gopclntab" | b".note.go.buildid" => elf.is_go = true,
            b".dynstr" | b".strtab" => {
                let texts = reader
                    .bytes(section.offset, section.size)
                    .unwrap_or_default();
                let calls = |entry: &&[u8]| memchr::memmem::find(&texts, entry).is_some();
                elf.is_instrumented |= ENTRIES.iter().any(calls);
            }
            _ => {}
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_import::demangle::demangle;

    #[test]
    fn this_program_is_read() {
        let path = std::env::current_exe().expect("it runs");
        let mut file = File::open(path).expect("it is there");
        let elf = read(&mut file).expect("an executable");
        assert!(elf.is_64_bit && elf.has_symbols && !elf.is_static && !elf.is_go);
        assert!(!elf.is_instrumented && !elf.has_room);
        let functions = functions(&mut file).expect("it has symbols");
        let names: Vec<String> = functions.iter().map(|it| demangle(it)).collect();
        let own = "callscape_record::elf::tests::this_program_is_read";
        for name in [own, "main", "memcpy"] {
            assert!(names.iter().any(|it| it == name), "{name}");
        }
    }

    #[test]
    fn what_is_cut_or_damaged_is_not_there() {
        let path = std::env::current_exe().expect("it runs");
        let mut head = vec![0; 4096];
        File::open(path)
            .and_then(|mut it| it.read_exact(&mut head))
            .expect("it is there");
        let folder = std::env::temp_dir().join(format!("callscape-elf-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let name = folder.join("cut");
        let read_of = |bytes: &[u8]| {
            std::fs::write(&name, bytes).expect("it can be written");
            let mut file = File::open(&name).expect("it is there");
            assert_eq!(functions(&mut file), None, "its sections are cut off");
            read(&mut file)
        };
        for length in [0, 3, 4, 16, 40, 63] {
            assert_eq!(read_of(&head[..length]), None, "{length}");
        }
        // Sections lie at the end of the file.
        let cut = read_of(&head).expect("the headers are whole");
        assert!(!cut.has_symbols);
        for at in 4..64 {
            for value in [0, 0x7f, 0xff] {
                let mut damaged = head.clone();
                damaged[at] = value;
                read_of(&damaged);
            }
        }
        std::fs::remove_dir_all(folder).expect("it can be removed");
    }
}
