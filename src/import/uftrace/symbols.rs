//! From addresses to functions: the sessions' maps, and the symbol and line files of what they map.

use std::collections::HashMap;

use super::tasks::{Tasks, base_name};
use crate::demangle::demangle;
use crate::error::ImportError;
use crate::input::Input;
use callscape_base::units::FunctionId;
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::builder::TraceBuilder;
use callscape_facts::functions::Function;
use callscape_facts::hashing::BuildFast;

/// A symbol of an executable or library; `size` is zero for one that another at its address hides.
#[derive(Clone, Debug)]
struct Symbol {
    address: u64,
    size: u64,
    kind: u8,
    name: String,
}

/// An executable or library.
#[derive(Debug, Default)]
struct Module {
    /// Its base name.
    name: String,
    /// In order of address.
    symbols: Vec<Symbol>,
    /// By a function's address: its first line and file.
    lines: HashMap<u64, (u32, String)>,
}

/// Where a module lies in the memory of a session.
#[derive(Clone, Copy, Debug)]
struct Mapping {
    start: u64,
    /// Not included.
    end: u64,
    module: usize,
    /// Only from this time on, for a library loaded late.
    since: u64,
}

#[derive(Debug, Default)]
struct Space {
    mappings: Vec<Mapping>,
    /// By address; a library loaded late may change what an address means, so late ones are kept apart.
    known: HashMap<u64, FunctionId, BuildFast>,
}

/// A function known of a session, by the hash of its address: found in one look, for calls of the same
/// few functions follow each other. Without session it stands for nothing.
#[derive(Clone, Copy, Debug)]
struct Recent {
    address: u64,
    session: Option<usize>,
    function: FunctionId,
}

impl Recent {
    const NONE: Recent = Recent {
        address: 0,
        session: None,
        function: FunctionId(0),
    };
}

const RECENT_BITS: u32 = 11;
const RECENT: usize = 1 << RECENT_BITS;

/// Where in the recent functions `address` stands: less than `RECENT`.
fn recent_place(address: u64) -> usize {
    // Fibonacci hashing, Knuth, The Art of Computer Programming 3, section 6.4.
    (address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - RECENT_BITS)) as usize
}

/// The symbols of a recording.
pub(super) struct Symbols<'a> {
    dir: Input,
    modules: Vec<Module>,
    /// By the name of its symbol file, without `.sym`.
    by_file: HashMap<String, usize>,
    /// By session.
    spaces: Vec<Space>,
    recent: Box<[Recent; RECENT]>,
    reporter: &'a Reporter,
}

impl<'a> Symbols<'a> {
    /// Reads the maps of the sessions, and the symbol and line files that they name.
    pub(super) fn open(
        dir: &Input,
        tasks: &Tasks,
        reporter: &'a Reporter,
    ) -> Result<Symbols<'a>, ImportError> {
        let mut symbols = Symbols {
            dir: dir.clone(),
            modules: Vec::new(),
            by_file: HashMap::new(),
            spaces: Vec::new(),
            recent: Box::new([Recent::NONE; RECENT]),
            reporter,
        };
        for session in &tasks.sessions {
            let mut mappings = symbols.read_map(&session.id)?;
            for loaded in &session.loaded {
                if let Some(module) = symbols.module(&loaded.path, "")? {
                    let last = symbols.modules[module].symbols.last();
                    let length = last.map_or(0, |last| last.address.saturating_add(last.size));
                    mappings.push(Mapping {
                        start: loaded.base,
                        end: loaded.base.saturating_add(length),
                        module,
                        since: loaded.time,
                    });
                }
            }
            symbols.spaces.push(Space {
                mappings,
                known: HashMap::default(),
            });
        }
        Ok(symbols)
    }

    /// A session's map: lines like those of `/proc/PID/maps`, a build id behind the path.
    fn read_map(&mut self, session: &str) -> Result<Vec<Mapping>, ImportError> {
        // The id comes from a file: it must not lead out of the directory.
        let plain = session.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let path = self.dir.join(&format!("sid-{session}.map"));
        let bytes = match path.read() {
            Ok(bytes) if plain => bytes,
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(ImportError::io(&path, error));
            }
            _ => {
                self.reporter
                    .warn("missing-map", || Place::file(path.display().to_string()));
                return Ok(Vec::new());
            }
        };
        let mut mappings: Vec<Mapping> = Vec::new();
        let mut last_path = String::new();
        for line in String::from_utf8_lossy(&bytes).lines() {
            let mut fields = line.split_ascii_whitespace();
            let range = fields.next().and_then(|range| range.split_once('-'));
            let Some((start, end)) = range else { continue };
            let parse = |text| u64::from_str_radix(text, 16).ok();
            let (Some(start), Some(end)) = (parse(start), parse(end)) else {
                continue;
            };
            // Behind permissions, offset, device and inode: the path, which may hold spaces.
            let mut rest = line;
            for _ in 0..5 {
                let skipped = rest.trim_start().split_once(' ');
                rest = skipped.map_or("", |(_, behind)| behind);
            }
            let rest = rest.trim();
            let (path, build_id) = rest.split_once(" build-id:").unwrap_or((rest, ""));
            if path.is_empty() || path.starts_with('[') {
                continue;
            }
            if path == last_path {
                // A further segment of the module before it.
                if let Some(last) = mappings.last_mut() {
                    last.end = end;
                }
                continue;
            }
            path.clone_into(&mut last_path);
            if let Some(module) = self.module(path, build_id.trim())? {
                mappings.push(Mapping {
                    start,
                    end,
                    module,
                    since: 0,
                });
            }
        }
        Ok(mappings)
    }

    /// The module of an executable or library, read when it is new. Modules of one base name are told
    /// apart by a part of the build id in the names of their files.
    fn module(&mut self, path: &str, build_id: &str) -> Result<Option<usize>, ImportError> {
        let name = base_name(path);
        if name.is_empty() {
            return Ok(None);
        }
        let special = build_id.get(..4).map(|id| format!("{name}-{id}"));
        let stem = special
            .filter(|stem| self.dir.join(&format!("{stem}.sym")).is_file())
            .unwrap_or_else(|| name.to_owned());
        if let Some(&known) = self.by_file.get(&stem) {
            return Ok(Some(known));
        }
        let read = |end: &str| {
            let file = self.dir.join(&format!("{stem}.{end}"));
            match file.read() {
                Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
                Err(error) => Err(ImportError::io(&file, error)),
            }
        };
        let module = Module {
            name: name.to_owned(),
            symbols: parse_symbols(&read("sym")?),
            lines: parse_lines(&read("dbg")?),
        };
        let index = self.modules.len();
        self.modules.push(module);
        self.by_file.insert(stem, index);
        Ok(Some(index))
    }

    /// The function at `address` in a session at a time. `place` says where the address was found.
    #[inline]
    pub(super) fn function(
        &mut self,
        session: Option<usize>,
        address: u64,
        time: u64,
        builder: &mut TraceBuilder<'_>,
        place: impl FnOnce() -> Place,
    ) -> FunctionId {
        if let Some(function) = self.recent(session, address) {
            return function;
        }
        self.search(session, address, time, builder, place)
    }

    /// The function at `address` in a session where that has been found lately.
    #[inline]
    pub(super) fn recent(&self, session: Option<usize>, address: u64) -> Option<FunctionId> {
        let recent = &self.recent[recent_place(address)];
        let is_it = recent.address == address && recent.session == session && session.is_some();
        is_it.then_some(recent.function)
    }

    fn search(
        &mut self,
        session: Option<usize>,
        address: u64,
        time: u64,
        builder: &mut TraceBuilder<'_>,
        place: impl FnOnce() -> Place,
    ) -> FunctionId {
        let space = session.and_then(|session| self.spaces.get(session));
        if let Some(&function) = space.and_then(|space| space.known.get(&address)) {
            self.remember(session, address, function);
            return function;
        }
        let mappings = space.map_or(&[][..], |space| &space.mappings);
        // The library loaded last lies where another may have lain before.
        let mapping = mappings.iter().rev().find(|mapping| {
            mapping.since <= time && mapping.start <= address && address < mapping.end
        });
        let lasting = mapping.is_none_or(|mapping| mapping.since == 0)
            && !mappings.iter().any(|mapping| {
                mapping.since > 0 && mapping.start <= address && address < mapping.end
            });
        let function = self.describe(mapping.copied(), address, builder, place);
        if let Some(space) = session
            .filter(|_| lasting)
            .and_then(|session| self.spaces.get_mut(session))
        {
            space.known.insert(address, function);
            self.remember(session, address, function);
        }
        function
    }

    fn remember(&mut self, session: Option<usize>, address: u64, function: FunctionId) {
        self.recent[recent_place(address)] = Recent {
            address,
            session,
            function,
        };
    }

    fn describe(
        &self,
        mapping: Option<Mapping>,
        address: u64,
        builder: &mut TraceBuilder<'_>,
        place: impl FnOnce() -> Place,
    ) -> FunctionId {
        let module = mapping.and_then(|mapping| self.modules.get(mapping.module));
        let offset = address - mapping.map_or(0, |mapping| mapping.start.min(address));
        let symbol = module.and_then(|module| module.at(offset));
        let Some((module, symbol)) = module.zip(symbol) else {
            self.reporter.warn("missing-symbol", place);
            return builder.function(Function {
                name: &format!("<{address:x}>"),
                library: module.map_or("", |module| &module.name),
                ..Function::default()
            });
        };
        let (line, file) = module
            .lines
            .get(&symbol.address)
            .map_or((0, ""), |(line, file)| (*line, file.as_str()));
        // A jump through the procedure linkage table is a call of the library's function.
        let library = match symbol.kind {
            b'P' => self.defined_in(&symbol.name),
            _ => &module.name,
        };
        builder.function(Function {
            name: &demangle(&symbol.name),
            file,
            line,
            library,
        })
    }

    /// The base name of the first library that defines a symbol of this name. Symbol files hold one name
    /// for an address and no indirect functions: what is in none of them is an alias in the C library
    /// (`free`, `strchr`) far more often than anything else.
    fn defined_in(&self, name: &str) -> &str {
        let defines = |module: &&Module| {
            let mut symbols = module.symbols.iter();
            symbols.any(|symbol| matches!(symbol.kind, b'T' | b'w' | b'u') && symbol.name == name)
        };
        let is_libc = |module: &&Module| {
            let name = &module.name;
            name.starts_with("libc.") || name.starts_with("libc-") || name.starts_with("ld-musl")
        };
        let mut modules = self.modules.iter();
        let found = modules.find(defines);
        let module = found.or_else(|| self.modules.iter().find(is_libc));
        module.map_or("", |module| &module.name)
    }
}

impl Module {
    fn at(&self, offset: u64) -> Option<&Symbol> {
        let behind = self
            .symbols
            .partition_point(|symbol| symbol.address <= offset);
        let symbol = self.symbols.get(behind.checked_sub(1)?)?;
        (offset - symbol.address < symbol.size).then_some(symbol)
    }
}

/// A symbol file: address, size where the recording has it, kind as of nm(1), name. What has no size
/// reaches to the next; the name `__sym_end` of kind `?` ends the one before it.
fn parse_symbols(text: &str) -> Vec<Symbol> {
    let mut symbols: Vec<Symbol> = text.lines().filter_map(parse_symbol).collect();
    symbols.sort_by_key(|symbol| symbol.address);
    symbols.dedup_by(|later, first| later.address == first.address && later.kind == first.kind);
    let addresses: Vec<u64> = symbols.iter().map(|symbol| symbol.address).collect();
    for (symbol, next) in symbols.iter_mut().zip(addresses.iter().skip(1)) {
        if symbol.size == 0 {
            symbol.size = next - symbol.address;
        }
    }
    symbols.retain(|symbol| symbol.kind != b'?' && symbol.size > 0);
    symbols
}

fn parse_symbol(line: &str) -> Option<Symbol> {
    let (address, rest) = line.split_once(' ')?;
    let address = u64::from_str_radix(address, 16).ok()?;
    let (second, behind) = rest.split_once(' ')?;
    let (size, kind, name) = match second.as_bytes() {
        [kind] if !kind.is_ascii_digit() => (0, *kind, behind),
        _ => {
            let size = u64::from_str_radix(second, 16).ok()?;
            let (kind, name) = behind.split_once(' ')?;
            (size, *kind.as_bytes().first()?, name)
        }
    };
    // Kernel symbols have their module behind a tab.
    let name = name.split('\t').next().unwrap_or(name);
    b"?TtwPKDdvu".contains(&kind).then(|| Symbol {
        address,
        size,
        kind,
        name: name.to_owned(),
    })
}

/// A line file: `F: ADDRESS NAME` and behind it, where known, `L: LINE FILE`.
fn parse_lines(text: &str) -> HashMap<u64, (u32, String)> {
    let mut lines = HashMap::new();
    let mut function = None;
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("F: ") {
            let address = rest.split(' ').next().unwrap_or(rest);
            function = u64::from_str_radix(address, 16).ok();
        } else if let Some(rest) = line.strip_prefix("L: ")
            && let Some((number, file)) = rest.split_once(' ')
            && let Ok(number) = number.parse()
            && let Some(function) = function
        {
            lines
                .entry(function)
                .or_insert_with(|| (number, file.to_owned()));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_reach_to_the_next_or_as_far_as_they_say() {
        let module = Module {
            symbols: parse_symbols(
                "# symbols: 5\n10 T f\n10 T alias of f\n20 t g(int, char)\n30 ? __sym_end\n\
                 40 00000008 T h\n60 0000000c w k\n61 X unknown\nnonsense\n",
            ),
            ..Module::default()
        };
        let name = |offset| module.at(offset).map(|symbol| symbol.name.as_str());
        assert_eq!(name(0xf), None);
        assert_eq!(name(0x10), Some("f"));
        assert_eq!(name(0x1f), Some("f"));
        assert_eq!(name(0x2f), Some("g(int, char)"));
        assert_eq!(name(0x30), None);
        assert_eq!(name(0x47), Some("h"));
        assert_eq!(name(0x48), None);
        assert_eq!(name(0x6b), Some("k"));
        assert_eq!(name(u64::MAX), None);
    }

    #[test]
    fn lines_belong_to_the_function_before_them() {
        let lines = parse_lines("F: 2a f\nL: 7 a b.c\nF: 2b g\nF: zz h\nL: 9 c.c\n");
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[&0x2a], (7, "a b.c".to_owned()));
    }
}
