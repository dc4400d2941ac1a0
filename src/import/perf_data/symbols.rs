//! The names of functions at addresses of mapped files, and their lines.
//!
//! In this order: what simpleperf wrote of a file into the recording; the file in perf's own cache
//! (`~/.debug/.build-id`); the file where it was mapped; a file of its name beside the recording. A file whose build id is not
//! the recorded one is left out and counted, and beside the recording one without. Debug information and symbols that
//! were taken out of a file are looked for in `/usr/lib/debug/.build-id`. Just-in-time compilers write
//! `/tmp/perf-PID.map`. Symbols of the kernel are those that perf's cache keeps, or those of the kernel that runs if it
//! is the same.
//!
//! Only regular files are read, each up to a limit and all up to another. In a browser there is only what the recording
//! holds.

#[cfg(not(target_arch = "wasm32"))]
mod elf;
#[cfg(not(target_arch = "wasm32"))]
mod files;
mod kernel;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::super::error::ImportError;
use super::addresses::Address;
use super::mapped::{Found, Kind, Mapped};
use super::simpleperf::Symbols;
use super::table::Table;
use super::told::Told;
use callscape_base::progress::Progress;
use callscape_facts::hashing::BuildFast;

#[cfg(not(target_arch = "wasm32"))]
use elf::Elf;
#[cfg(not(target_arch = "wasm32"))]
use files::Files;

/// The symbols of a file.
#[cfg_attr(target_arch = "wasm32", expect(dead_code, reason = "no files there"))]
enum Loaded {
    None,
    Table(Table),
    /// The kernel's, and what to take from an address as it runs elsewhere now.
    Kernel(Table, u64),
    #[cfg(not(target_arch = "wasm32"))]
    Elf(Box<Elf>),
}

/// Looks for the symbols of files, once for each.
pub(super) struct Lookup<'a> {
    progress: &'a Progress,
    /// The folder of the recording.
    #[cfg_attr(target_arch = "wasm32", expect(dead_code, reason = "no files there"))]
    beside: Option<PathBuf>,
    /// By path, what simpleperf wrote.
    recorded: HashMap<Box<[u8]>, Symbols, BuildFast>,
    /// By number of the file.
    loaded: HashMap<u32, Loaded, BuildFast>,
    #[cfg(not(target_arch = "wasm32"))]
    files: Files,
}

impl<'a> Lookup<'a> {
    /// `beside` is the folder of the recording.
    pub(super) fn new(beside: Option<&Path>, progress: &'a Progress) -> Lookup<'a> {
        Lookup {
            progress,
            beside: beside.map(Path::to_owned),
            recorded: HashMap::default(),
            loaded: HashMap::default(),
            #[cfg(not(target_arch = "wasm32"))]
            files: Files::default(),
        }
    }

    /// Takes symbols that simpleperf wrote.
    pub(super) fn learn(&mut self, symbols: Vec<Symbols>) {
        for of in symbols {
            self.recorded.insert(of.path.clone(), of);
        }
    }

    /// Whether simpleperf wrote symbols of this file.
    pub(super) fn has_symbols_of(&self, name: &[u8]) -> bool {
        self.recorded.contains_key(name)
    }

    /// The frames at a place in a file, or at an address where its [`Kind`] says so: innermost first, none without a symbol.
    pub(super) fn frames(
        &mut self,
        found: Found,
        file: &Mapped,
        at: Address,
        warn: &impl Fn(&'static str),
    ) -> Result<Vec<Told>, ImportError> {
        let (number, place) = (found.file.0, found.offset);
        let Address { at: address, .. } = at;
        if file.kind == Kind::Symbol {
            return Ok(vec![Told::of_symbol(&file.name)]);
        }
        if let Some(recorded) = self.recorded.get(&file.name) {
            let place = match recorded.is_absolute || file.kind != Kind::File {
                true => address,
                false => place.wrapping_add(recorded.shift),
            };
            let symbol = recorded.table.find(place);
            return Ok(symbol
                .map(|it| Told::of_symbol(it.name))
                .into_iter()
                .collect());
        }
        if !self.loaded.contains_key(&number) {
            self.progress.check()?;
            let loaded = self.load(file, warn);
            self.loaded.insert(number, loaded);
        }
        let of_symbol = |table: &Table, at| {
            let symbol = table.find(at);
            symbol
                .map(|it| Told::of_symbol(it.name))
                .into_iter()
                .collect()
        };
        Ok(match self.loaded.get(&number) {
            None | Some(Loaded::None) => Vec::new(),
            Some(Loaded::Table(table)) => of_symbol(table, address),
            Some(Loaded::Kernel(table, shift)) => of_symbol(table, address.wrapping_sub(*shift)),
            #[cfg(not(target_arch = "wasm32"))]
            Some(Loaded::Elf(elf)) => elf.frames(place, at.returns),
        })
    }

    #[cfg(target_arch = "wasm32")]
    fn load(&mut self, _: &Mapped, warn: &impl Fn(&'static str)) -> Loaded {
        warn("symbols-missing");
        Loaded::None
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn load(&mut self, file: &Mapped, warn: &impl Fn(&'static str)) -> Loaded {
        let beside = self.beside.as_deref();
        let found = match file.kind {
            Kind::File => self.files.elf(file, beside, warn).map(Loaded::Elf),
            Kind::Compiled => self.files.compiled(file).map(Loaded::Table),
            Kind::Kernel { text } => {
                let found = self.files.kernel(file, text);
                found.map(|(table, shift)| Loaded::Kernel(table, shift))
            }
            Kind::Module => self.files.module(file).map(Loaded::Table),
            Kind::Symbol => None,
        };
        found.unwrap_or(Loaded::None)
    }
}
