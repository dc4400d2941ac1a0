//! What a query has answered, as one table of functions, modules and numbers: a profile of one value for each column of
//! numbers. In Parquet, or as CSV (RFC 4180).

use std::collections::HashSet;

use super::columns::{Units, amount, is_cost, may_be_cost, place_of};
use super::csv;
use super::file::{Ask, Kind, Parquet};
use super::means::{self, Means, Tells};
use super::related::RelationAnswer;
use super::rows::Rows;
use super::values::Cell;
use super::vendors;
use crate::error::ImportError;
use crate::input::Input;
use crate::tables::functions::FunctionTable;
use callscape_base::progress::Progress;
use callscape_base::units::Cost;
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::functions::Function;
use callscape_facts::profile::{OfValue, Profile, Sums, Value, Weights};
use callscape_facts::recording::Recording;
use callscape_facts::trace::FunctionMetrics;

/// More columns of numbers than any query answers; each costs memory for every function.
const MOST_VALUES: usize = 32;

/// Columns of numbers that say which function a row is of, and nothing that is to be summed.
const NOT_VALUES: [&str; 10] = [
    "line",
    "line_column",
    "function",
    "context",
    "parent",
    "path",
    "depth",
    "thread",
    "call",
    "place",
];

/// What columns are called by others that hold what ours of the other name do.
const ALIASES: [(&str, &str); 8] = [
    ("src_file", "file"),
    ("filename", "file"),
    ("src_line", "line"),
    ("lineno", "line"),
    ("line_number", "line"),
    ("counts", "calls"),
    ("ncalls", "calls"),
    ("call_count", "calls"),
];

/// The name under which a column is known here.
fn known_as(name: &str) -> &str {
    let alias = ALIASES.iter().find(|(theirs, _)| *theirs == name);
    alias.map_or(name, |(_, ours)| ours)
}

/// Columns of text, which hold no numbers even where they look like some.
const TEXTS: [&str; 10] = [
    "function",
    "name",
    "module",
    "levels",
    "file",
    "library",
    "unit",
    "says",
    "recording",
    "first_recording",
];

/// The self cost, and the total that belongs to it; in nanoseconds where the name says so.
const OWN: [&str; 2] = ["self", "self_ns"];
const TOTAL: [&str; 2] = ["total", "total_ns"];

/// The same and the calls where the answer tells of runs: their means.
const MEAN_OWN: [&str; 1] = ["mean_self"];
const MEAN_TOTAL: [&str; 1] = ["mean_total"];
const MEAN_CALLS: &str = "mean_calls";

/// An answer in Parquet may have this many values whatever its size, and this many more for each byte: each is looked at.
const FREE_VALUES: u64 = 1 << 22;
const VALUES_A_BYTE: u64 = 64;

/// What a column is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Name,
    Module,
    File,
    Line,
    Column,
    Library,
    Unit,
    Calls,
    /// The self cost, and the total of the same value.
    Own,
    Total,
    /// A value of its own.
    Value(usize),
    Nothing,
}

/// A value while it is read: sums in thousandths, whether any has a fraction, whether any was there.
#[derive(Default)]
struct Column {
    name: String,
    /// By function.
    own: Vec<i128>,
    total: Vec<i128>,
    has_fractions: bool,
    is_there: bool,
}

/// What a table answers, as it is read.
struct Answer<'r> {
    roles: Vec<Role>,
    /// By column, what it tells of runs.
    tells: Vec<Option<Tells>>,
    means: Option<Means>,
    values: Vec<Column>,
    table: FunctionTable,
    /// By function, in thousandths.
    calls: Vec<i128>,
    counts_calls: bool,
    units: Units,
    reporter: &'r Reporter,
}

/// Whether a file begins with the head of a table in CSV: comma-separated names, one of a function or two of a caller
/// and its callee, and others.
pub(crate) fn sniff_csv(head: &[u8]) -> bool {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let Some(end) = memchr::memchr(b'\n', head) else {
        return false;
    };
    let names = head[..end].trim_ascii_end();
    let Some(fields) = csv::fields_of_line(names) else {
        return false;
    };
    if vendors::Table::of(&fields).is_some() {
        return true;
    }
    let is_name = |field: &String| {
        !field.is_empty()
            && field
                .chars()
                .all(|it| it.is_alphanumeric() || "_ ()".contains(it))
    };
    let has = |name: &str| fields.iter().any(|it| it == name);
    let named = has("function") || has("name") || (has("caller") && has("callee"));
    fields.len() > 1 && named && fields.iter().all(is_name)
}

/// Whether a file is in Parquet.
pub(crate) fn sniff(head: &[u8]) -> bool {
    head.starts_with(b"PAR1") || head.starts_with(b"PARE")
}

/// Reads a table in Parquet.
pub(super) fn import(
    input: &Input,
    (format, progress): (&'static str, &Progress),
) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let file = Parquet::open(input, progress)?;
    let names: Vec<String> = file.columns().iter().map(|it| (*it).to_owned()).collect();
    let texts = file.texts();
    let place = Place::file(input.display().to_string());
    let mut asked = Asked::new(&names, Some(&texts), &place, &reporter)?;
    let used = asked.keep_used();
    let asks = used.into_iter().map(|at| Ask {
        name: names[at].clone(),
        kind: Kind::Any,
        is_needed: true,
    });
    let asks: Vec<Ask> = asks.collect();
    let columns = asks.len().max(1) as u64;
    file.check_rows(FREE_VALUES / columns, (VALUES_A_BYTE / columns).max(1))?;
    let mut rows = Rows::of_one(input, file, asks, progress, &reporter)?;
    while rows.next()? > 0 {
        for row in 0..rows.len() {
            match &mut asked {
                Asked::Functions(answer) => {
                    answer.row(|column, _| rows.cell(column, row), || rows.place());
                }
                Asked::Relations(answer) => {
                    answer.row(|column, _| rows.cell(column, row), || rows.place());
                }
            }
        }
    }
    Ok(asked.finish(input, format, &reporter))
}

/// Reads a table as CSV.
pub(super) fn import_csv(
    input: &Input,
    (format, progress): (&'static str, &Progress),
) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let mut asked: Option<Asked<'_>> = None;
    let mut table = None;
    csv::each_record(input, progress, &reporter, |fields, place| {
        if asked.is_none() {
            table = vendors::Table::of(fields);
        }
        let ours = match (&table, &asked) {
            (Some(table), None) => Some(table.names()),
            (Some(table), Some(_)) => Some(table.row(fields)),
            (None, _) => None,
        };
        let fields = ours.as_deref().unwrap_or(fields);
        match &mut asked {
            None => asked = Some(Asked::new(fields, None, &place(), &reporter)?),
            Some(asked) if fields.len() != asked.columns() => {
                reporter.warn("record-of-another-length", place);
            }
            Some(Asked::Functions(answer)) => {
                answer.row(|column, role| role.cell(&fields[column]), place);
            }
            Some(Asked::Relations(answer)) => {
                answer.row(|column, is_text| csv::cell(&fields[column], is_text), place);
            }
        }
        Ok(())
    })?;
    match asked {
        Some(asked) => Ok(asked.finish(input, format, &reporter)),
        None => Err(ImportError::malformed(
            Place::file(input.display().to_string()),
            "a line of names",
            "nothing",
        )),
    }
}

/// What a table is of.
enum Asked<'r> {
    Functions(Box<Answer<'r>>),
    Relations(Box<RelationAnswer<'r>>),
}

impl<'r> Asked<'r> {
    /// `texts` says which columns are of text, where types are known.
    fn new(
        names: &[String],
        texts: Option<&[bool]>,
        place: &Place,
        reporter: &'r Reporter,
    ) -> Result<Asked<'r>, ImportError> {
        match RelationAnswer::new(names, texts, place, reporter)? {
            Some(answer) => Ok(Asked::Relations(Box::new(answer))),
            None => {
                let answer = Answer::new(names, texts, place, reporter)?;
                Ok(Asked::Functions(Box::new(answer)))
            }
        }
    }

    fn columns(&self) -> usize {
        match self {
            Asked::Functions(answer) => answer.roles.len(),
            Asked::Relations(answer) => answer.columns(),
        }
    }

    /// Forgets the columns that nothing is taken from, and says which are left.
    fn keep_used(&mut self) -> Vec<usize> {
        match self {
            Asked::Functions(answer) => answer.keep_used(),
            Asked::Relations(answer) => answer.keep_used(),
        }
    }

    fn finish(self, input: &Input, format: &'static str, reporter: &Reporter) -> Recording {
        match self {
            Asked::Functions(answer) => answer.finish(input, format, reporter),
            Asked::Relations(answer) => answer.finish(input, format, reporter),
        }
    }
}

impl Role {
    /// What a field of CSV holds, for a column of this role: a text stays as it is, whatever it looks like.
    fn cell(self, field: &str) -> Cell<'_> {
        match self {
            Role::Name | Role::Module | Role::File | Role::Library | Role::Unit => {
                csv::cell(field, true)
            }
            _ => csv::cell(field, false),
        }
    }
}

impl<'r> Answer<'r> {
    /// What each column is for, and the values of their own, as far as the names say.
    fn roles(
        names: &[String],
        is_text: impl Fn(usize) -> bool,
        (name, calls, own, totals): (usize, &str, Option<&str>, &[&str]),
        is_typed: bool,
        tells: &mut [Option<Tells>],
        warn: impl Fn(),
    ) -> (Vec<Role>, Vec<Column>) {
        let has_text = |wanted: &str| (0..names.len()).any(|at| names[at] == wanted && is_text(at));
        // Answers to queries have types or modules, and numbers of any name; of others a unit says that they are costs.
        let says_costs =
            is_typed || has_text("module") || has_text("unit") || tells.iter().any(Option::is_some);
        let (mut roles, mut values, mut before) = (Vec::new(), Vec::new(), HashSet::new());
        for (at, column) in names.iter().enumerate() {
            let is_new = before.insert(column);
            // Where there is one of our own name, theirs is another.
            let known = known_as(column);
            let known = match known != column && names.iter().any(|it| it == known) {
                true => column,
                false => known,
            };
            roles.push(match known {
                _ if at == name => Role::Name,
                // Which of them is meant, nobody knows: the first.
                _ if !is_new => {
                    warn();
                    tells[at] = None;
                    Role::Nothing
                }
                _ if tells[at].is_some_and(Tells::is_about_runs) => Role::Nothing,
                "module" if is_text(at) => Role::Module,
                "file" if is_text(at) => Role::File,
                "library" if is_text(at) => Role::Library,
                "unit" if is_text(at) => Role::Unit,
                _ if is_text(at) => Role::Nothing,
                "line" => Role::Line,
                "line_column" => Role::Column,
                column if column == calls => Role::Calls,
                column if Some(column) == own => Role::Own,
                column if totals.contains(&column) && own.is_some() => Role::Total,
                other if NOT_VALUES.contains(&other) => Role::Nothing,
                other
                    if values.len() < MOST_VALUES
                        && (is_cost(other) || says_costs && may_be_cost(other)) =>
                {
                    values.push(Column {
                        name: column.clone(),
                        ..Column::default()
                    });
                    Role::Value(values.len() - 1)
                }
                _ => {
                    warn();
                    Role::Nothing
                }
            });
        }
        (roles, values)
    }

    /// `texts` says which columns are of text, where types are known.
    fn new(
        names: &[String],
        texts: Option<&[bool]>,
        place: &Place,
        reporter: &'r Reporter,
    ) -> Result<Answer<'r>, ImportError> {
        let is_text = |at: usize| match texts {
            Some(texts) => texts.get(at).copied().unwrap_or(false),
            None => TEXTS.contains(&known_as(&names[at])),
        };
        let text = |wanted: &str| (0..names.len()).find(|&at| names[at] == wanted && is_text(at));
        let Some(name) = text("name").or_else(|| text("function")) else {
            let expected =
                "a column 'function' or 'name' of text, or a table of Callscape in its folder";
            let found = format!("columns {}", super::folder::listed(names));
            return Err(ImportError::malformed(place.clone(), expected, found));
        };
        let is_number =
            |wanted: &str| (0..names.len()).any(|at| names[at] == wanted && !is_text(at));
        let is_mean = means::are_told(is_number);
        if !is_mean && names.iter().any(|it| means::is_spread(it)) {
            reporter.warn("spread-without-runs-and-mean", || place.clone());
        }
        let (owns, totals): (&[&str], &[&str]) = match is_mean {
            true => (&MEAN_OWN, &MEAN_TOTAL),
            false => (&OWN, &TOTAL),
        };
        let calls = match is_mean && is_number(MEAN_CALLS) {
            true => MEAN_CALLS,
            false => "calls",
        };
        let mut own = owns.iter().copied();
        let own = own.find(|own| names.iter().any(|it| it == own));
        let told = |at: usize| Tells::named(&names[at]).filter(|_| is_mean && !is_text(at));
        let mut tells: Vec<Option<Tells>> = (0..names.len()).map(told).collect();
        let warn = || reporter.warn("column-left-out", || place.clone());
        let known = (name, calls, own, totals);
        let (mut roles, mut values) =
            Answer::roles(names, is_text, known, texts.is_some(), &mut tells, warn);
        let is_typed = texts.is_some();
        if !is_typed && own.is_none() && values.is_empty() && !roles.contains(&Role::Calls) {
            let expected = "a column whose name or unit says that it is a cost, such as self_ns, samples, bytes or calls";
            let found = format!("columns {}", super::folder::listed(names));
            return Err(ImportError::malformed(place.clone(), expected, found));
        }
        // The cost is shown first; calls alone are a value too.
        if own.is_some() || values.is_empty() {
            values.push(Column {
                name: own.unwrap_or("calls").to_owned(),
                // Whether a mean happens to be whole must not decide its unit.
                has_fractions: is_mean,
                ..Column::default()
            });
            values.rotate_right(1);
            for role in &mut roles {
                if let Role::Value(value) = role {
                    *value += 1;
                }
            }
        }
        Ok(Answer {
            roles,
            tells,
            means: is_mean.then(Means::default),
            values,
            table: FunctionTable::default(),
            calls: Vec::new(),
            counts_calls: false,
            units: Units::default(),
            reporter,
        })
    }

    /// Forgets the columns that nothing is taken from, and says which are left.
    fn keep_used(&mut self) -> Vec<usize> {
        let is_used = |at: &usize| self.roles[*at] != Role::Nothing || self.tells[*at].is_some();
        let used: Vec<usize> = (0..self.roles.len()).filter(is_used).collect();
        self.roles = used.iter().map(|&at| self.roles[at]).collect();
        self.tells = used.iter().map(|&at| self.tells[at]).collect();
        used
    }

    /// Adds a row, of which `cell` gives what stands in a column of a role.
    fn row<'c>(&mut self, cell: impl Fn(usize, Role) -> Cell<'c>, place: impl Fn() -> Place) {
        let text = |role: Role| {
            let at = self.roles.iter().position(|it| *it == role);
            match at.map(|at| cell(at, role)) {
                Some(Cell::Text(bytes)) => crate::text::decode(bytes).0.into_owned(),
                _ => String::new(),
            }
        };
        let number = |role: Role| {
            let at = self.roles.iter().position(|it| *it == role);
            match at.map(|at| cell(at, role)) {
                Some(Cell::Whole(number)) => u32::try_from(number).unwrap_or_default(),
                _ => 0,
            }
        };
        let name = text(Role::Name);
        let (mut file, mut library) = (text(Role::File), text(Role::Library));
        let module = text(Role::Module);
        if file.is_empty() && library.is_empty() && !module.is_empty() {
            (file, library) = place_of(&name, &module);
        }
        let function = Function {
            name: &name,
            file: &file,
            line: number(Role::Line),
            library: &library,
        };
        if self.roles.contains(&Role::Unit) {
            let said = text(Role::Unit);
            self.units.add(&said, self.reporter, &place);
        }
        let column = number(Role::Column);
        let function = self.table.functions.intern_at(function, column);
        let id = function.index();
        let has_calls_alone = self.values.len() == 1 && self.values[0].name == "calls";
        if self.calls.len() <= id {
            self.calls.resize(id + 1, 0);
        }
        for at in 0..self.roles.len() {
            let (value, is_total) = match self.roles[at] {
                Role::Calls | Role::Own => (0, false),
                Role::Total => (0, true),
                Role::Value(value) => (value, false),
                _ => continue,
            };
            let Some((amount, has_fraction)) =
                amount(cell(at, self.roles[at]), self.reporter, &place)
            else {
                continue;
            };
            if self.roles[at] == Role::Calls {
                self.counts_calls = true;
                self.calls[id] = self.calls[id].saturating_add(amount.max(0));
                if !has_calls_alone {
                    continue;
                }
            }
            let of = &mut self.values[value];
            of.is_there = true;
            of.has_fractions |= has_fraction;
            let sums = match is_total {
                true => &mut of.total,
                false => &mut of.own,
            };
            if sums.len() <= id {
                sums.resize(id + 1, 0);
            }
            sums[id] = sums[id].saturating_add(amount);
        }
        if let Some(means) = &mut self.means {
            for (at, tells) in self.tells.iter().enumerate() {
                if let Some(tells) = *tells {
                    means.cell(tells, cell(at, self.roles[at]), self.reporter, &place);
                }
            }
            means.end_row(function, self.reporter, &place);
        }
    }

    fn finish(mut self, input: &Input, format: &'static str, reporter: &Reporter) -> Recording {
        let functions = self.table.functions.len();
        let place = || Place::file(input.display().to_string());
        if self.values.iter().any(|it| it.is_there) {
            self.values.retain(|it| it.is_there);
        }
        let (mut values, mut of_values) = (Vec::new(), Vec::new());
        let units = self.units;
        let unit_of = |of: &Column| units.of(&of.name, of.has_fractions);
        let of_first = self.values.first().map(unit_of);
        let per_unit = of_first.map_or(1.0, |(_, factor)| 1000.0 / factor as f64);
        let first = self.values.first().map(|it| it.name.as_str());
        let is_mean = first.is_some_and(|it| MEAN_OWN.contains(&it));
        let means = self.means.filter(|_| is_mean);
        let means = means.and_then(|it| it.finish(per_unit));
        for column in self.values {
            let (unit, factor) = unit_of(&column);
            let mut metrics = vec![FunctionMetrics::default(); functions];
            let get = |sums: &[i128], id: usize| {
                let sum = sums.get(id).copied().unwrap_or_default();
                let sum = super::columns::rounded(sum, factor);
                Cost::signed(i64::try_from(sum).unwrap_or_else(|_| {
                    reporter.warn("weight-out-of-range", place);
                    i64::MAX
                }))
            };
            for (id, of) in metrics.iter_mut().enumerate() {
                let calls = self.calls.get(id).copied().unwrap_or_default();
                let calls = u64::try_from(calls.saturating_add(500) / 1000);
                let own = get(&column.own, id);
                *of = FunctionMetrics {
                    calls: calls.unwrap_or_else(|_| {
                        reporter.warn("calls-out-of-range", place);
                        u64::MAX
                    }),
                    self_cost: own,
                    // 0 where it is not told.
                    total: match get(&column.total, id) {
                        Cost::ZERO => own,
                        total => total,
                    },
                    ..FunctionMetrics::default()
                };
            }
            values.push(Value {
                name: column.name,
                unit,
            });
            of_values.push(OfValue {
                functions: metrics,
                relations: Vec::new(),
            });
        }
        let sums = Weights::Sums(Sums::new(of_values, self.counts_calls, reporter, place));
        let (runs, samples) = means.unzip();
        let profile = Profile::new(values, 0, sums, functions).with_runs(runs);
        let profile = (self.table.functions, profile);
        let samples = samples.unwrap_or_default();
        Recording::of_profile(input, format, samples, profile, reporter.warnings())
    }
}
