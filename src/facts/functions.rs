//! The functions of a recording, as its file names them.

use std::hash::BuildHasher;

use super::hashing::BuildFast;
use super::lookup::Lookup;
use super::names::{NameId, Names};
use callscape_base::units::FunctionId;

/// A function as a recording names it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Function<'a> {
    /// As people know it, demangled, without file and line: `Parser::parse`, `json.loads`.
    pub name: &'a str,
    /// The source file as the recording gives it; empty where unknown.
    pub file: &'a str,
    /// First line of the function in its file, from 1; 0 where unknown.
    pub line: u32,
    /// The library, executable, package or process that it belongs to; empty where unknown.
    pub library: &'a str,
}

/// Where the weight of a stack without frames goes in a profile.
pub const NO_FRAMES: Function<'static> = Function {
    name: "[no frames]",
    file: "",
    line: 0,
    library: "",
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Row {
    name: NameId,
    file: NameId,
    line: u32,
    /// Where in the line it begins, as the recording counts; 0 where unknown. It tells functions apart that stand
    /// in one line, as nearly all of a minified script do.
    column: u32,
    library: NameId,
}

/// Functions in order of first appearance; two are the same when all four fields are, and where in the line they
/// begin.
#[derive(Clone, Debug, Default)]
pub struct Functions {
    names: Names,
    rows: Vec<Row>,
    ids: Lookup,
    hash: BuildFast,
}

impl Functions {
    pub fn intern(&mut self, function: Function<'_>) -> FunctionId {
        self.intern_at(function, 0)
    }

    /// The function that begins at `column` of its line; 0 for one that is not known to.
    pub fn intern_at(&mut self, function: Function<'_>, column: u32) -> FunctionId {
        let row = Row {
            name: self.names.intern(function.name),
            file: self.names.intern(function.file),
            line: function.line,
            column,
            library: self.names.intern(function.library),
        };
        let hash = self.hash.hash_one(row) as u32;
        let is_it = |id: u32| self.rows[id as usize] == row;
        if let Some(id) = self.ids.find(hash, is_it) {
            return FunctionId(id);
        }
        let id = self.rows.len() as u32;
        self.rows.push(row);
        self.ids.insert(hash, id);
        FunctionId(id)
    }

    pub fn get(&self, id: FunctionId) -> Function<'_> {
        let row = &self.rows[id.index()];
        Function {
            name: self.names.get(row.name),
            file: self.names.get(row.file),
            line: row.line,
            library: self.names.get(row.library),
        }
    }

    /// Where in its line a function begins; 0 where unknown.
    pub fn column(&self, id: FunctionId) -> u32 {
        self.rows[id.index()].column
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub fn ids(&self) -> impl ExactSizeIterator<Item = FunctionId> + use<> {
        (0..self.rows.len() as u32).map(FunctionId)
    }
}
