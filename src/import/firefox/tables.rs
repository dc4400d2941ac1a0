//! The tables of a Firefox profile: columns of numbers by row, in both of the forms in which they are written.

use std::collections::HashMap;

use crate::decimal::{self, Unit};
use crate::document::{self, Document};
use crate::error::ImportError;
use crate::samples::{StackId, Stacks};
use callscape_base::units::FunctionId;
use callscape_facts::builder::TraceBuilder;
use callscape_facts::functions::Function;

/// What the cells of a column are.
#[derive(Clone, Copy)]
pub(super) enum Cell {
    /// An index into another table, or a line; none where `null` or -1.
    Index,
    /// A time, in nanoseconds.
    Time(Unit),
    /// One whose unit is not said: none.
    Left,
}

/// Columns of a table, those that were asked for and in that order. A column may be missing or short.
#[derive(Default)]
pub(super) struct Table {
    columns: Vec<Vec<Option<i64>>>,
    /// What the weights of samples count; empty if the table does not say.
    pub weight_type: String,
}

impl Table {
    /// Reads the table that stands next, either as an object of columns, or as rows with a `schema` that
    /// says which column stands where.
    pub(super) fn read(
        document: &mut Document<'_>,
        wanted: &[(&str, Cell)],
    ) -> Result<Table, ImportError> {
        let mut columns = vec![Vec::new(); wanted.len()];
        // By place in a row, which of `wanted` it is.
        let mut schema: Vec<Option<usize>> = Vec::new();
        // Rows that stand before the schema.
        let mut rows = Vec::new();
        let mut weight_type = String::new();
        let find = |key: &[u8]| {
            let mut keys = wanted.iter();
            keys.position(|(name, _)| name.as_bytes() == key)
        };
        if !document.object()? {
            return Ok(Table::default());
        }
        while let Some(key) = document.member()? {
            if let Some(column) = find(key) {
                let kind = wanted[column].1;
                let cells = &mut columns[column];
                if document.array()? {
                    loop {
                        if let Cell::Index = kind {
                            let index = |number| u32::try_from(number).ok().map(i64::from);
                            document.integers(|number| cells.push(index(number)))?;
                        }
                        if !document.element()? {
                            break;
                        }
                        cells.push(cell(document, kind)?);
                    }
                }
                continue;
            }
            match key {
                b"schema" => {
                    if document.object()? {
                        while let Some(key) = document.member()? {
                            let column = find(key);
                            let place = document.index()?.map(|place| place as usize);
                            if let Some(place) = place.filter(|&place| place < MOST_COLUMNS) {
                                schema.resize(schema.len().max(place + 1), None);
                                schema[place] = column;
                            }
                        }
                    }
                }
                b"data" => {
                    if document.array()? {
                        while document.element()? {
                            if schema.is_empty() {
                                rows.push(early_row(document)?);
                            } else {
                                row(document, wanted, &schema, &mut columns)?;
                            }
                        }
                    }
                }
                b"weightType" => weight_type = document.text()?,
                _ => document.skip()?,
            }
        }
        for row in rows {
            for (column, cells) in columns.iter_mut().enumerate() {
                let place = schema.iter().position(|found| *found == Some(column));
                let value: Option<Either> = place.and_then(|place| row.get(place).copied());
                cells.push(value.and_then(|value| value.of(wanted[column].1)));
            }
        }
        Ok(Table {
            columns,
            weight_type,
        })
    }

    pub(super) fn get(&self, column: usize, row: usize) -> Option<i64> {
        *self.columns.get(column)?.get(row)?
    }

    /// The cell as an index.
    pub(super) fn index(&self, column: usize, row: usize) -> Option<usize> {
        self.get(column, row)?.try_into().ok()
    }

    /// The cell as a line; 0 where there is none.
    pub(super) fn line(&self, column: usize, row: usize) -> u32 {
        let line = self.get(column, row).unwrap_or(0);
        line.try_into().unwrap_or(0)
    }

    pub(super) fn rows(&self) -> usize {
        self.columns.iter().map(Vec::len).max().unwrap_or(0)
    }
}

/// Passes over the table that stands next. Its rows, which are those of the array `column`, are counted as this kind.
pub(super) fn pass_over(
    document: &mut Document<'_>,
    column: &[u8],
    kind: &'static str,
) -> Result<(), ImportError> {
    if document.object()? {
        while let Some(key) = document.member()? {
            match key == column {
                true => document.pass_over(kind)?,
                false => document.skip()?,
            }
        }
    }
    Ok(())
}

/// No table of any version has more.
const MOST_COLUMNS: usize = 64;

fn cell(document: &mut Document<'_>, cell: Cell) -> Result<Option<i64>, ImportError> {
    match cell {
        Cell::Index => Ok(document.index()?.map(i64::from)),
        Cell::Time(unit) => document.time(unit),
        Cell::Left => document.skip().map(|()| None),
    }
}

/// A row, which may be shorter than the schema: what it leaves out is `null`.
fn row(
    document: &mut Document<'_>,
    wanted: &[(&str, Cell)],
    schema: &[Option<usize>],
    columns: &mut [Vec<Option<i64>>],
) -> Result<(), ImportError> {
    // Each row before made all columns this long.
    let rows = columns.first().map_or(0, Vec::len);
    if document.array()? {
        let mut place = 0;
        while document.element()? {
            match schema.get(place).copied().flatten() {
                Some(column) if columns[column].len() == rows => {
                    let value = cell(document, wanted[column].1)?;
                    columns[column].push(value);
                }
                _ => document.skip()?,
            }
            place += 1;
        }
    }
    for column in columns {
        column.resize(rows + 1, None);
    }
    Ok(())
}

/// A cell of which it is not known yet whether it is an index or a time.
#[derive(Clone, Copy)]
struct Either {
    index: Option<u32>,
    /// As a time of each of the [`UNITS`].
    times: [Option<i64>; UNITS.len()],
}

const UNITS: [Unit; 4] = [
    Unit::Nanoseconds,
    Unit::Microseconds,
    Unit::Milliseconds,
    Unit::Seconds,
];

impl Either {
    fn of(self, cell: Cell) -> Option<i64> {
        match cell {
            Cell::Index => self.index.map(i64::from),
            Cell::Time(unit) => {
                let place = UNITS.iter().position(|&of| of == unit)?;
                self.times[place]
            }
            Cell::Left => None,
        }
    }
}

/// A row of which it is not known yet what its cells are.
fn early_row(document: &mut Document<'_>) -> Result<Vec<Either>, ImportError> {
    let mut row = Vec::new();
    if !document.array()? {
        return Ok(row);
    }
    while document.element()? {
        let bytes = document.scalar()?.unwrap_or_default();
        let value = Either {
            index: document::index_of(bytes),
            times: UNITS.map(|unit| decimal::nanoseconds(bytes, unit).ok()),
        };
        if row.len() < MOST_COLUMNS {
            row.push(value);
        }
    }
    Ok(row)
}

/// The tables that say what the stacks of samples are: of one thread, or of a whole profile.
#[derive(Default)]
pub(super) struct Tables {
    pub strings: Vec<String>,
    stacks: Table,
    frames: Table,
    functions: Table,
    resources: Table,
    sources: Table,
    locations: Table,
    /// Only of profiles before version 41, which have them by thread.
    libs: Option<Vec<String>>,
}

impl Tables {
    /// Takes the table that stands next.
    pub(super) fn member(
        &mut self,
        table: TableName,
        document: &mut Document<'_>,
    ) -> Result<(), ImportError> {
        const INDEX: Cell = Cell::Index;
        match table {
            TableName::Strings => {
                if document.array()? {
                    while document.element()? {
                        self.strings.push(document.text()?);
                    }
                }
            }
            TableName::Stacks => {
                let wanted = [("prefix", INDEX), ("prefixOffset", INDEX), ("frame", INDEX)];
                self.stacks = Table::read(document, &wanted)?;
            }
            TableName::Frames => {
                let wanted = [
                    ("func", INDEX),
                    ("location", INDEX),
                    ("line", INDEX),
                    ("lib", INDEX),
                ];
                self.frames = Table::read(document, &wanted)?;
            }
            TableName::Functions => {
                let wanted = [
                    ("name", INDEX),
                    ("resource", INDEX),
                    ("fileName", INDEX),
                    ("source", INDEX),
                    ("lineNumber", INDEX),
                    ("originalLocation", INDEX),
                    ("columnNumber", INDEX),
                ];
                self.functions = Table::read(document, &wanted)?;
            }
            TableName::Resources => {
                let wanted = [("lib", INDEX), ("name", INDEX)];
                self.resources = Table::read(document, &wanted)?;
            }
            TableName::Sources => self.sources = Table::read(document, &[("filename", INDEX)])?,
            TableName::Locations => {
                self.locations = Table::read(document, &[("source", INDEX), ("line", INDEX)])?;
            }
            TableName::Libs => self.libs = Some(libs(document)?),
        }
        Ok(())
    }

    fn string(&self, index: Option<usize>) -> &str {
        index
            .and_then(|index| self.strings.get(index))
            .map_or("", String::as_str)
    }

    /// The stack of each row of the stack table. `names` holds the strings where these tables have none, `libs`
    /// the libraries. What refers to nothing, or to a row behind it, is counted. O(rows).
    pub(super) fn resolve(
        &mut self,
        names: &[String],
        libs: &[String],
        stacks: &mut Stacks,
        builder: &mut TraceBuilder<'_>,
        document: &Document<'_>,
    ) -> Vec<StackId> {
        if self.strings.is_empty() {
            self.strings = names.to_vec();
        }
        let functions = self.function_of_frames(libs, builder);
        let mut of_row: Vec<StackId> = Vec::with_capacity(self.stacks.rows());
        for row in 0..self.stacks.rows() {
            let below = match (self.stacks.index(0, row), self.stacks.index(1, row)) {
                (Some(prefix), _) => Some(prefix),
                (None, None | Some(0)) => None,
                // Out of range where it is too large: counted below.
                (None, Some(offset)) => Some(row.checked_sub(offset).unwrap_or(usize::MAX)),
            };
            let below = below.map_or(StackId::EMPTY, |prefix| {
                of_row.get(prefix).copied().unwrap_or_else(|| {
                    document.warn("unknown-stack");
                    StackId::EMPTY
                })
            });
            let frame = self.stacks.index(2, row);
            let function = frame.and_then(|frame| functions.get(frame).copied());
            of_row.push(match function {
                Some(function) => {
                    let line = frame.map_or(0, |frame| self.frames.line(2, frame));
                    stacks.push_at(below, function, line)
                }
                None => {
                    document.warn("unknown-frame");
                    below
                }
            });
        }
        of_row
    }

    /// By frame, its function.
    fn function_of_frames(
        &self,
        libs: &[String],
        builder: &mut TraceBuilder<'_>,
    ) -> Vec<FunctionId> {
        // The lowest line that ran, by function: where a native function begins is not written.
        let mut lowest: HashMap<usize, u32> = HashMap::new();
        // By function, the library that frames of version 70 on have.
        let mut library: HashMap<usize, usize> = HashMap::new();
        for frame in 0..self.frames.rows() {
            let Some(function) = self.frames.index(0, frame) else {
                continue;
            };
            let line = self.frames.line(2, frame);
            let known = lowest.entry(function).or_insert(line);
            if *known == 0 || (line != 0 && line < *known) {
                *known = line;
            }
            if let Some(lib) = self.frames.index(3, frame) {
                library.entry(function).or_insert(lib);
            }
        }
        let mut known: HashMap<usize, FunctionId> = HashMap::new();
        let functions = (0..self.frames.rows()).map(|frame| {
            let Some(function) = self.frames.index(0, frame) else {
                let location = self.string(self.frames.index(1, frame));
                let (function, column) = gecko_function(location);
                return builder.function_at(function, column);
            };
            *known.entry(function).or_insert_with(|| {
                let lib = library.get(&function).copied();
                let line = lowest.get(&function).copied().unwrap_or(0);
                // Both count from 1 in the file.
                let column = self.functions.line(6, function);
                builder.function_at(self.function(function, lib, line, libs), column)
            })
        });
        functions.collect()
    }

    fn function<'a>(
        &'a self,
        function: usize,
        lib: Option<usize>,
        running_line: u32,
        libs: &'a [String],
    ) -> Function<'a> {
        let table = &self.functions;
        let location = table.index(5, function);
        let (source, line) = match location {
            Some(location) => (
                self.locations.index(0, location),
                self.locations.line(1, location),
            ),
            None => (table.index(3, function), table.line(4, function)),
        };
        let file = match source {
            Some(source) => self.string(self.sources.index(0, source)),
            None => self.string(table.index(2, function)),
        };
        let resource = table.index(1, function);
        let lib = lib.or_else(|| self.resources.index(0, resource?));
        let libs = self.libs.as_deref().unwrap_or(libs);
        let library = match lib.and_then(|lib| libs.get(lib)) {
            Some(library) => library,
            None => self.string(resource.and_then(|row| self.resources.index(1, row))),
        };
        let name = self.string(table.index(0, function));
        Function {
            name: if name.is_empty() { "(unnamed)" } else { name },
            file: plain_path(file),
            line: if line == 0 { running_line } else { line },
            library,
        }
    }
}

/// The members that [`Tables`] are read from.
#[derive(Clone, Copy)]
pub(super) enum TableName {
    Strings,
    Stacks,
    Frames,
    Functions,
    Resources,
    Sources,
    Locations,
    Libs,
}

impl TableName {
    pub(super) fn new(key: &[u8]) -> Option<TableName> {
        Some(match key {
            b"stringArray" | b"stringTable" => TableName::Strings,
            b"stackTable" => TableName::Stacks,
            b"frameTable" => TableName::Frames,
            b"funcTable" => TableName::Functions,
            b"resourceTable" => TableName::Resources,
            b"sources" => TableName::Sources,
            b"sourceLocationTable" => TableName::Locations,
            b"libs" => TableName::Libs,
            _ => return None,
        })
    }
}

/// The names of the libraries in the array that stands next.
pub(super) fn libs(document: &mut Document<'_>) -> Result<Vec<String>, ImportError> {
    let mut libs = Vec::new();
    if !document.array()? {
        return Ok(libs);
    }
    while document.element()? {
        let mut name = String::new();
        if document.object()? {
            while let Some(key) = document.member()? {
                match key {
                    b"name" => name = document.text()?,
                    _ => document.skip()?,
                }
            }
        }
        libs.push(name);
    }
    Ok(libs)
}

/// The function of a location in Gecko's own format: `name (file:line:column)[source]` for scripts, a name or an
/// address alone for others; and the column, 0 where there is none.
fn gecko_function(location: &str) -> (Function<'_>, u32) {
    let alone = Function {
        name: if location.is_empty() {
            "(unnamed)"
        } else {
            location
        },
        ..Function::default()
    };
    let alone = (alone, 0);
    let Some((name, rest)) = location.rsplit_once(" (") else {
        return alone;
    };
    let Some((place, _)) = rest.rsplit_once(')') else {
        return alone;
    };
    let mut file = place;
    let mut numbers = [0; 2];
    let mut count = 0;
    while count < 2
        && let Some((before, number)) = file.rsplit_once(':')
        && let Ok(number) = number.parse::<u32>()
    {
        numbers[count] = number;
        count += 1;
        file = before;
    }
    if name.is_empty() || count == 0 {
        return alone;
    }
    let function = Function {
        name,
        file: plain_path(file),
        // The last number is the column where there are two.
        line: numbers[count - 1],
        library: "",
    };
    (function, if count == 2 { numbers[0] } else { 0 })
}

/// The path in a file name: `hg:host/repository:path:revision`, also of `git:` and `s3:`, and
/// `cargo:registry:package-version:path`, as symbol servers write them; any other as it is.
fn plain_path(file: &str) -> &str {
    let mut parts = file.split(':');
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some("hg" | "git" | "s3"), Some(_), Some(path), Some(_)) => path,
        (Some("cargo"), Some(_), Some(_), Some(path)) => path,
        _ => file,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gecko_locations_are_taken_apart() {
        for (location, name, file, line) in [
            ("f (http://a.b/c.js:12:7)[3]", "f", "http://a.b/c.js", 12),
            ("f (chrome://blargh:34)", "f", "chrome://blargh", 34),
            ("a (b) (c.js:1)", "a (b)", "c.js", 1),
            ("0x7f0012", "0x7f0012", "", 0),
            ("XRE_Main", "XRE_Main", "", 0),
            ("f (c.js)", "f (c.js)", "", 0),
            ("", "(unnamed)", "", 0),
        ] {
            let (function, column) = gecko_function(location);
            assert_eq!(column, if location.contains(":7)") { 7 } else { 0 });
            assert_eq!(
                (function.name, function.file, function.line),
                (name, file, line)
            );
        }
    }

    #[test]
    fn file_names_of_symbol_servers_become_paths() {
        for (file, path) in [
            (
                "git:github.com/rust-lang/rust:library/std/src/rt.rs:53cb",
                "library/std/src/rt.rs",
            ),
            ("hg:hg.mozilla.org/mozilla-central:a/b.cpp:1234", "a/b.cpp"),
            (
                "cargo:github.com-1ecc:tokio-1.6.1:src/park.rs",
                "src/park.rs",
            ),
            ("/home/a:b.c", "/home/a:b.c"),
            ("git:a", "git:a"),
        ] {
            assert_eq!(plain_path(file), path);
        }
    }
}
