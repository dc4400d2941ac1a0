//! The call tree that Instruments copies as text: `Deep Copy`, with tabs between its columns. Specification: what
//! Instruments writes, and as other tools read it,
//! <https://github.com/jlfwong/speedscope/wiki/Importing-from-Instruments>.
//!
//! Read are the columns of the weight (`Weight`, `Running Time`, `Bytes Used`), of the weight of a function itself, and of
//! the symbol, which is indented by its depth. Without a column for it, a function itself weighs what is left by those
//! that it calls, and where these weigh more it is counted (`weight-too-small`). Weights are rounded as they were
//! displayed. They are times, bytes or cycles; lines of another kind are counted (`unknown-unit`).

use super::decimal;
use super::error::ImportError;
use super::input::Input;
use super::lines::Lines;
use super::text;
use callscape_base::progress::Progress;
use callscape_base::units::Unit;
use callscape_base::warnings::Reporter;
use callscape_facts::contexts::{ContextsBuilder, NodeId};
use callscape_facts::functions::{Function, Functions};
use callscape_facts::profile::{Profile, Value, Weights};
use callscape_facts::recording::Recording;

/// The identifier in `info`.
pub(crate) const FORMAT: &str = "instruments-copy";

/// How the columns of weights are called.
const WEIGHTS: [&str; 3] = ["Weight", "Running Time", "Bytes Used"];

/// Whether a file that begins with `head` is such a text.
pub(crate) fn sniff(head: &[u8]) -> bool {
    let line = head.split(|&byte| byte == b'\n').next().unwrap_or_default();
    Columns::parse(&String::from_utf8_lossy(line)).is_some()
}

/// Where the columns are.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Columns {
    weight: usize,
    /// With the unit of numbers that have none, as in `Self (ms)`.
    own: Option<(usize, String)>,
    symbol: usize,
}

impl Columns {
    fn parse(line: &str) -> Option<Columns> {
        let names: Vec<&str> = line.split('\t').map(str::trim).collect();
        let at = |is_it: &dyn Fn(&str) -> bool| names.iter().position(|name| is_it(name));
        let unit = |name: &str| match name {
            "Self Weight" => Some(String::new()),
            name => Some(name.strip_prefix("Self (")?.strip_suffix(')')?.to_owned()),
        };
        let mut own = names.iter().zip(0..);
        Some(Columns {
            weight: at(&|name| WEIGHTS.contains(&name))?,
            own: own.find_map(|(name, at)| Some((at, unit(name)?))),
            symbol: at(&|name| name.starts_with("Symbol Name"))?,
        })
    }
}

/// What weights are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Time,
    Bytes,
    Cycles,
}

/// A weight such as `1.50 ms  100.0%` or `1.5ms`, in nanoseconds, bytes or cycles; one without a unit is in `unit`. A plain
/// nothing is of any kind.
fn weight(text: &str, unit: &str) -> Option<(Option<Kind>, i64)> {
    /// Decimal numbers are read as seconds, in nanoseconds.
    const A_WHOLE: i128 = 1_000_000_000;
    let text = text.trim();
    let is_sign = |sign: char| sign.is_ascii_digit() || ".,-".contains(sign);
    let end = text.find(|sign| !is_sign(sign)).unwrap_or(text.len());
    let number = decimal::plain(&text[..end], true)?;
    let number = decimal::nanoseconds(number.as_bytes(), decimal::Unit::Seconds).ok()?;
    let written = text[end..].split_whitespace().next();
    let (kind, factor) = match written.unwrap_or(unit) {
        "" | "n/a" if number == 0 => return Some((None, 0)),
        "ns" => (Kind::Time, 1),
        "µs" | "μs" | "us" => (Kind::Time, 1_000),
        "ms" => (Kind::Time, 1_000_000),
        "s" => (Kind::Time, A_WHOLE),
        "min" => (Kind::Time, 60 * A_WHOLE),
        "hr" | "h" => (Kind::Time, 3600 * A_WHOLE),
        "Bytes" | "bytes" | "B" => (Kind::Bytes, 1),
        "KB" => (Kind::Bytes, 1_000),
        "MB" => (Kind::Bytes, 1_000_000),
        "GB" => (Kind::Bytes, A_WHOLE),
        "KiB" => (Kind::Bytes, 1 << 10),
        "MiB" => (Kind::Bytes, 1 << 20),
        "GiB" => (Kind::Bytes, 1 << 30),
        "cycles" | "c" => (Kind::Cycles, 1),
        "Kc" | "kcycles" => (Kind::Cycles, 1_000),
        "Mc" | "Mcycles" => (Kind::Cycles, 1_000_000),
        "Gc" | "Gcycles" => (Kind::Cycles, A_WHOLE),
        _ => return None,
    };
    let weight = i128::from(number) * factor / A_WHOLE;
    Some((Some(kind), i64::try_from(weight).ok()?))
}

/// A line that is open, and what is left of its weight for itself; nothing where its line says that.
struct Open {
    depth: usize,
    context: NodeId,
    rest: Option<i64>,
}

struct Reader<'r> {
    builder: ContextsBuilder<'r>,
    functions: Functions,
    columns: Columns,
    kind: Option<Kind>,
    open: Vec<Open>,
    count: u64,
}

/// Reads the tree. O(size); memory for contexts and names alone.
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let mut lines = Lines::open(input, progress, &reporter)?;
    let header = match lines.next()? {
        Some(line) => text::decode(line).0.into_owned(),
        None => String::new(),
    };
    let Some(columns) = Columns::parse(&header) else {
        let expected = "columns named Weight and Symbol Name";
        return Err(ImportError::malformed(lines.place(), expected, "others"));
    };
    let mut reader = Reader {
        builder: ContextsBuilder::new(1, &reporter),
        functions: Functions::default(),
        columns,
        kind: None,
        open: Vec::new(),
        count: 0,
    };
    while let Some(line) = lines.next()? {
        let (line, is_other) = text::decode(line);
        let line = line.into_owned();
        if is_other {
            lines.warn("invalid-text");
        }
        if line.trim().is_empty() {
            continue;
        }
        if let Err(kind) = reader.line(&line, &lines) {
            lines.warn(kind);
        }
    }
    reader.close(0, &lines);
    if reader.count == 0 {
        let found = "none";
        return Err(ImportError::malformed(
            lines.place(),
            "weights of symbols",
            found,
        ));
    }
    let (name, unit) = match reader.kind.unwrap_or(Kind::Time) {
        Kind::Time => ("time", Unit::Nanoseconds),
        Kind::Bytes => ("bytes", Unit::Bytes),
        Kind::Cycles => ("cycles", Unit::Things("cycles".to_owned())),
    };
    let value = Value {
        name: name.to_owned(),
        unit,
    };
    let weights = Weights::Contexts(reader.builder.finish());
    let functions = reader.functions;
    let profile = Profile::new(vec![value], 0, weights, functions.len());
    let warnings = reporter.warnings();
    Ok(Recording::of_profile(
        input,
        FORMAT,
        0,
        (functions, profile),
        warnings,
    ))
}

impl Reader<'_> {
    fn line(&mut self, line: &str, lines: &Lines<'_>) -> Result<(), &'static str> {
        const MALFORMED: &str = "malformed-line";
        let fields: Vec<&str> = line.split('\t').collect();
        let field = |at: usize| fields.get(at).copied().ok_or(MALFORMED);
        // A header may lack a column that rows have before the symbol.
        let symbol = fields
            .last()
            .copied()
            .filter(|_| fields.len() > self.columns.symbol);
        let symbol = symbol.ok_or(MALFORMED)?;
        let name = symbol.trim_start();
        if name.is_empty() {
            return Err(MALFORMED);
        }
        let depth = symbol.len() - name.len();
        let total = weight(field(self.columns.weight)?, "");
        let total = self.of_kind(total)?;
        let own = match &self.columns.own {
            Some((own, unit)) => Some(weight(field(*own)?, unit)),
            None => None,
        };
        let own = own.map(|own| self.of_kind(own)).transpose()?;
        self.close(depth, lines);
        let around = self.open.last_mut().map_or(NodeId::ROOT, |open| {
            open.rest = open.rest.map(|rest| rest.saturating_sub(total));
            open.context
        });
        let function = self.functions.intern(Function {
            name: name.trim_end(),
            ..Function::default()
        });
        let context = self.builder.child(around, function, || lines.place());
        if let Some(own) = own {
            self.builder.add(context, 0, own, || lines.place());
        }
        self.count += 1;
        self.open.push(Open {
            depth,
            context,
            rest: match own {
                Some(_) => None,
                None => Some(total),
            },
        });
        Ok(())
    }

    /// A weight of the kind that all have.
    fn of_kind(&mut self, weight: Option<(Option<Kind>, i64)>) -> Result<i64, &'static str> {
        let (kind, weight) = weight.ok_or("unknown-unit")?;
        self.kind = self.kind.or(kind);
        match kind.is_none() || kind == self.kind {
            true => Ok(weight),
            false => Err("unknown-unit"),
        }
    }

    /// Ends the lines that are indented so far or further.
    fn close(&mut self, depth: usize, lines: &Lines<'_>) {
        while let Some(open) = self.open.pop_if(|open| open.depth >= depth) {
            let Some(rest) = open.rest else { continue };
            if rest < 0 {
                lines.warn("weight-too-small");
            }
            self.builder
                .add(open.context, 0, rest.max(0), || lines.place());
        }
    }
}

#[cfg(test)]
mod tests;
