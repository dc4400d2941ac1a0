//! The files that are mapped, and the frames at addresses in them.

use std::collections::HashMap;
use std::ops::Range;

use super::super::error::ImportError;
use super::super::input::Input;
use super::super::perf_samples::{PerfSamples, StackFrame};
use super::addresses::Address;
use super::features::Features;
use super::mapped::{FileId, Found, Kind, Mapped};
use super::symbols::Lookup;
use callscape_base::progress::Progress;
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::hashing::BuildFast;
use callscape_facts::names::NameId;

/// A frame without a symbol, and a library that is not known, as perf calls them.
const UNKNOWN: &[u8] = b"[unknown]";

/// What a frame is told of, for the cache: a file, an address in it, and whether it is returned to.
type Key = (FileId, u64, bool);

/// The files that are mapped, and what their addresses are.
pub(super) struct Chains<'a> {
    reporter: &'a Reporter,
    name: String,
    files: Vec<Mapped>,
    by_name: HashMap<Mapped, FileId, BuildFast>,
    /// By the name of a file.
    build_ids: HashMap<Box<[u8]>, Box<[u8]>, BuildFast>,
    lookup: Lookup<'a>,
    /// By address, which of the frames it is, innermost first.
    known: HashMap<Key, Range<usize>, BuildFast>,
    frames: Vec<StackFrame>,
}

impl<'a> Chains<'a> {
    pub(super) fn new(
        input: &'a Input,
        progress: &'a Progress,
        reporter: &'a Reporter,
    ) -> Chains<'a> {
        Chains {
            reporter,
            name: input.display().to_string(),
            files: Vec::new(),
            by_name: HashMap::default(),
            build_ids: HashMap::default(),
            lookup: Lookup::new(input.file().and_then(|file| file.parent()), progress),
            known: HashMap::default(),
            frames: Vec::new(),
        }
    }

    /// Takes what the recording says of files.
    pub(super) fn learn(&mut self, features: &mut Features) {
        for it in features.build_ids.drain(..) {
            self.build_ids.insert(it.file, it.id);
        }
        self.lookup.learn(std::mem::take(&mut features.symbols));
    }

    /// The file of this name that a process has mapped.
    pub(super) fn file(&mut self, name: &[u8], id: Option<&[u8]>, process: i32) -> FileId {
        const ANONYMOUS: [&[u8]; 3] = [b"//anon", b"/dev/zero", b"/anon_hugepage"];
        let is_anonymous = ANONYMOUS.iter().any(|begin| name.starts_with(begin));
        if is_anonymous && !self.lookup.has_symbols_of(name) {
            let name = format!("/tmp/perf-{process}.map").into_bytes();
            return self.number(&name, None, Kind::Compiled);
        }
        let id = id.or_else(|| self.build_ids.get(name).map(|id| &**id));
        let id = id.map(Box::from);
        self.number(name, id, Kind::File)
    }

    /// The same of the kernel or one of its modules; `start` is where it was mapped, and what perf found at that address.
    pub(super) fn kernel_file(
        &mut self,
        name: &[u8],
        id: Option<&[u8]>,
        (_, text): (u64, u64),
    ) -> FileId {
        // What stands behind is the symbol at its start.
        let is_kernel = name.starts_with(b"[kernel") || name.starts_with(b"[guest.kernel");
        let end = memchr::memchr(b']', name).map_or(name.len(), |at| at + 1);
        let name: Box<[u8]> = match (is_kernel, name) {
            (true, _) => name[..end].into(),
            (false, [b'[', ..]) => name.into(),
            (false, path) => module(path).into(),
        };
        let id = id.or_else(|| self.build_ids.get(&name).map(|id| &**id));
        let id = id.map(Box::from);
        let kind = match is_kernel {
            true => Kind::Kernel { text },
            false => Kind::Module,
        };
        self.number(&name, id, kind)
    }

    /// A symbol that the kernel made.
    pub(super) fn symbol(&mut self, name: &[u8]) -> FileId {
        self.number(name, None, Kind::Symbol)
    }

    fn number(&mut self, name: &[u8], build_id: Option<Box<[u8]>>, kind: Kind) -> FileId {
        let file = Mapped {
            name: name.into(),
            build_id,
            kind,
        };
        let next = FileId(self.files.len() as u32);
        let number = *self.by_name.entry(file.clone()).or_insert(next);
        if number == next {
            self.files.push(file);
        }
        number
    }

    /// Adds the frames at an address, innermost first, to the sample at hand.
    pub(super) fn frame(
        &mut self,
        found: Option<Found>,
        address: Address,
        samples: &mut PerfSamples<'_>,
        at: u64,
    ) -> Result<(), ImportError> {
        let Some(found) = found else {
            let library = samples.symbols.name(UNKNOWN, |_| {});
            samples.frames.push(StackFrame {
                symbol: library,
                library,
                inlined: false,
                file: NameId::EMPTY,
                line: 0,
            });
            return Ok(());
        };
        let file = &self.files[found.file.0 as usize];
        let place = match file.kind {
            Kind::File => found.offset,
            _ => address.at,
        };
        let key = (found.file, place, address.returns);
        if let Some(known) = self.known.get(&key) {
            let frames = &self.frames[known.clone()];
            samples.frames.extend_from_slice(frames);
            return Ok(());
        }
        let warn = |kind| {
            let place = || Place::offset(&self.name, at);
            self.reporter.warn(kind, place);
        };
        let start = self.frames.len();
        let mut names = |bytes: &[u8]| samples.symbols.name(bytes, warn);
        let library = names(&file.name);
        let told = self.lookup.frames(found, file, address, &warn)?;
        self.frames.extend(told.iter().map(|it| StackFrame {
            symbol: names(it.symbol.as_bytes()),
            library: if it.inlined { NameId::EMPTY } else { library },
            inlined: it.inlined,
            file: names(it.file.as_bytes()),
            line: it.line,
        }));
        if told.is_empty() {
            self.frames.push(StackFrame {
                symbol: names(UNKNOWN),
                library,
                inlined: false,
                file: NameId::EMPTY,
                line: 0,
            });
        }
        let range = start..self.frames.len();
        samples
            .frames
            .extend_from_slice(&self.frames[range.clone()]);
        self.known.insert(key, range);
        Ok(())
    }
}

/// A module as perf calls it: `[ext4]` for `/lib/modules/6.1/kernel/fs/ext4/ext4.ko.xz`.
fn module(path: &[u8]) -> Vec<u8> {
    let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or(path);
    let Some(end) = memchr::memmem::find(name, b".ko") else {
        return path.into();
    };
    let name = name[..end].iter();
    let name = name.map(|&byte| if byte == b'-' { b'_' } else { byte });
    let mut module = vec![b'['];
    module.extend(name);
    module.push(b']');
    module
}
