//! The symbols of programs and libraries, and their lines and inlined functions.
//!
//! Symbols are those that `tools/perf/util/symbol-elf.c` takes: of functions, and labels; of the table for the linker
//! that runs (`.dynsym`) where the other was taken out. Calls through the linker's table are `name@plt`.

use std::borrow::Cow;
use std::io::Read;
use std::sync::Arc;

use addr2line::{Context, Frame};
use gimli::{EndianReader, RunTimeEndian};
use object::read::File;
use object::{
    CompressionFormat, Object, ObjectSection, ObjectSegment, ObjectSymbol, RelocationFlags,
    RelocationTarget, SymbolFlags, elf,
};

use super::super::table::Table;
use super::super::told::Told;
use crate::demangle::demangle_with_arguments;

/// Bytes of debug information.
type Reader = EndianReader<RunTimeEndian, Arc<[u8]>>;

/// How many functions may be inlined into each other.
const DEEPEST: usize = 256;

/// How long an entry of the linker's table is.
const PLT_ENTRY: u64 = 16;

/// A part of a file that is loaded.
struct Segment {
    offset: u64,
    size: u64,
    address: u64,
}

/// A program or library.
pub(super) struct Elf {
    segments: Vec<Segment>,
    table: Table,
    has_all_symbols: bool,
    has_debug_information: bool,
    build_id: Option<Vec<u8>>,
    debug_link: Option<(Vec<u8>, u32)>,
    lines: Option<Context<Reader>>,
}

impl Elf {
    /// The file in these bytes; `None` if it is none, or damaged.
    pub(super) fn parse(bytes: &Arc<[u8]>) -> Option<Elf> {
        let file = File::parse(&**bytes).ok()?;
        let segments = file.segments().map(|it| {
            let (offset, size) = it.file_range();
            let address = it.address();
            Segment {
                offset,
                size,
                address,
            }
        });
        let mut table = Table::default();
        let mut has_all_symbols = false;
        for symbol in file.symbols() {
            has_all_symbols |= add(&mut table, &symbol);
        }
        if !has_all_symbols {
            for symbol in file.dynamic_symbols() {
                add(&mut table, &symbol);
            }
        }
        add_calls_to_others(&mut table, &file);
        table.sort();
        Some(Elf {
            segments: segments.collect(),
            table,
            has_all_symbols,
            has_debug_information: file.section_by_name(".debug_info").is_some(),
            build_id: file.build_id().ok().flatten().map(<[u8]>::to_vec),
            debug_link: { file.gnu_debuglink().ok().flatten() }
                .map(|(name, sum)| (name.to_vec(), sum)),
            lines: None,
        })
    }

    pub(super) fn build_id(&self) -> Option<&[u8]> {
        self.build_id.as_deref()
    }

    /// The name of the file with what was taken out of this one, and its checksum.
    pub(super) fn debug_link(&self) -> Option<(&[u8], u32)> {
        let (name, sum) = self.debug_link.as_ref()?;
        Some((name, *sum))
    }

    pub(super) fn has_debug_information(&self) -> bool {
        self.has_debug_information
    }

    /// Takes what was taken out of this file into another one.
    pub(super) fn take_from(&mut self, other: Elf) {
        if !self.has_all_symbols && other.has_all_symbols && !other.table.is_empty() {
            self.table = other.table;
        }
        self.has_debug_information |= other.has_debug_information;
    }

    /// Reads lines from these bytes, of which no more than `most` may come of compressed ones.
    pub(super) fn read_lines(&mut self, bytes: &Arc<[u8]>, most: u64) -> Option<()> {
        let file = File::parse(&**bytes).ok()?;
        let order = match file.is_little_endian() {
            true => RunTimeEndian::Little,
            false => RunTimeEndian::Big,
        };
        let all = EndianReader::new(Arc::clone(bytes), order);
        let mut left = most;
        let load = |id: gimli::SectionId| -> Result<Reader, gimli::Error> {
            let none = || EndianReader::new(Arc::from(&b""[..]), order);
            let Some(section) = file.section_by_name(id.name()) else {
                return Ok(none());
            };
            let data = section.compressed_data().ok();
            let Some(data) = data else {
                return Ok(none());
            };
            let unpacked = match data.format {
                CompressionFormat::None => {
                    let range = section.file_range().unwrap_or_default();
                    let start = usize::try_from(range.0).unwrap_or(usize::MAX);
                    let end = start.saturating_add(data.data.len());
                    return Ok(match end <= bytes.len() {
                        true => all.range(start..end),
                        false => none(),
                    });
                }
                CompressionFormat::Zlib => {
                    unpacked(flate2::read::ZlibDecoder::new(data.data), &mut left)
                }
                CompressionFormat::Zstandard => {
                    let decoder = zstd::stream::read::Decoder::new(data.data).ok();
                    decoder.and_then(|it| unpacked(it, &mut left))
                }
                _ => None,
            };
            Ok(unpacked.map_or_else(none, |it| EndianReader::new(it.into(), order)))
        };
        let dwarf = gimli::Dwarf::load(load).ok()?;
        self.lines = Some(Context::from_dwarf(dwarf).ok()?);
        Some(())
    }

    /// The frames at a place in the file, innermost first; none without a symbol. Where a call returns to, lines and inlined
    /// functions are those of the call before it, which may be others.
    pub(super) fn frames(&self, offset: u64, returns: bool) -> Vec<Told> {
        let is_in = |it: &&Segment| offset.checked_sub(it.offset).is_some_and(|at| at < it.size);
        let segment = self.segments.iter().find(is_in);
        let address = segment.map_or(offset, |it| offset - it.offset + it.address);
        let Some(symbol) = self.table.find(address) else {
            return Vec::new();
        };
        let mut frames = Vec::new();
        let ran = address.saturating_sub(u64::from(returns));
        if let Some(lines) = self.lines.as_ref().filter(|_| ran >= symbol.start) {
            frames = inlined(lines, ran);
        }
        // The function that the linker knows is the last one.
        let mut outermost = Told::of_symbol(symbol.name);
        if let (Some(last), Some(lines)) = (frames.pop(), &self.lines) {
            // Macros and the like are of other files than their function.
            let start = lines.find_location(symbol.start).ok().flatten();
            let file = start.and_then(|it| it.file).unwrap_or(&last.file);
            file.clone_into(&mut outermost.file);
            if last.file == outermost.file {
                outermost.line = last.line;
            }
        }
        frames.push(outermost);
        frames
    }
}

/// What a section holds decompressed, with its part of what is `left`.
fn unpacked(reader: impl Read, left: &mut u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let size = reader.take(*left + 1).read_to_end(&mut bytes).ok()? as u64;
    *left = left.checked_sub(size)?;
    Some(bytes)
}

/// The functions at an address, innermost first; all but the last were inlined into the next.
fn inlined(lines: &Context<Reader>, address: u64) -> Vec<Told> {
    let mut frames = Vec::new();
    let Ok(mut found) = lines.find_frames(address).skip_all_loads() else {
        return frames;
    };
    while frames.len() < DEEPEST
        && let Ok(Some(Frame {
            function, location, ..
        })) = found.next()
    {
        let name = function.as_ref().and_then(|it| it.raw_name().ok());
        let name = name.unwrap_or(Cow::Borrowed("[unknown]"));
        let file = location.as_ref().and_then(|it| it.file);
        frames.push(Told {
            symbol: demangle_with_arguments(&name),
            inlined: true,
            file: file.unwrap_or_default().to_owned(),
            line: location.and_then(|it| it.line).unwrap_or(0),
        });
    }
    frames
}

/// Adds a symbol if perf takes it.
fn add<'d>(table: &mut Table, symbol: &impl ObjectSymbol<'d>) -> bool {
    let SymbolFlags::Elf { st_info, st_other } = symbol.flags() else {
        return false;
    };
    let (kind, binding) = (st_info & 0xf, st_info >> 4);
    let is_seen = !matches!(st_other & 3, elf::STV_HIDDEN | elf::STV_INTERNAL);
    let Ok(name) = symbol.name_bytes() else {
        return false;
    };
    // Marks of ARM's and RISC-V's instructions and data.
    let is_label = kind == elf::STT_NOTYPE && is_seen && !name.starts_with(b"$");
    let is_function = matches!(kind, elf::STT_FUNC | elf::STT_GNU_IFUNC);
    if symbol.section_index().is_none() || !(is_function || is_label) {
        return false;
    }
    let rank = 4 * u8::from(!is_function)
        + 2 * u8::from(binding == elf::STB_WEAK)
        + u8::from(binding != elf::STB_GLOBAL);
    table.add(symbol.address(), symbol.size(), name, rank);
    true
}

/// Adds the entries of the linker's table, through which functions of other files are called.
fn add_calls_to_others(table: &mut Table, file: &File<'_>) {
    let (jump, header) = match file.architecture() {
        object::Architecture::X86_64 => (elf::R_X86_64_JUMP_SLOT, 16),
        object::Architecture::Aarch64 => (elf::R_AARCH64_JUMP_SLOT, 32),
        _ => return,
    };
    let start = match (
        file.section_by_name(".plt.sec"),
        file.section_by_name(".plt"),
    ) {
        (Some(section), _) => section.address(),
        (None, Some(section)) => section.address().saturating_add(header),
        (None, None) => return,
    };
    let Some(relocations) = file.dynamic_relocations() else {
        return;
    };
    let symbols = file.dynamic_symbol_table();
    let mut at = start;
    for (_, relocation) in relocations {
        if !matches!(relocation.flags(), RelocationFlags::Elf { r_type } if r_type == jump) {
            continue;
        }
        if let RelocationTarget::Symbol(index) = relocation.target()
            && let Some(symbols) = &symbols
            && let Ok(symbol) = object::ObjectSymbolTable::symbol_by_index(symbols, index)
            && let Ok(name) = symbol.name_bytes()
        {
            table.add(at, PLT_ENTRY, &[name, b"@plt"].concat(), 0);
        }
        at = at.saturating_add(PLT_ENTRY);
    }
}
