//! Statistics of Python's cProfile and profile, as `Profile.dump_stats` writes them. Source:
//! <https://github.com/python/cpython/blob/3.13/Lib/cProfile.py>, `create_stats`, and
//! <https://github.com/python/cpython/blob/3.13/Lib/pstats.py>, which prints them.
//!
//! A dictionary in [marshal](marshal) of functions, each a file, line and name, with how often it was called, how often of
//! these not by recursion, its own time and its time with all that it calls, and the same by caller. The numbers are those
//! of pstats: what the profiler itself has summed up, so totals in recursion are its own. Primitive calls are a value.
//! The module profile counts calls by caller, but not their times (`call-without-cost`).

mod marshal;

use super::error::ImportError;
use super::input::Input;
use super::stream::Window;
use callscape_base::progress::Progress;
use callscape_base::units::{Cost, FunctionId, Unit};
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::functions::{Function, Functions};
use callscape_facts::profile::{OfValue, Profile, Sums, Value, Weights};
use callscape_facts::recording::Recording;
use callscape_facts::trace::{FunctionMetrics, Relation};
use marshal::{Marshal, Stop};

/// The identifier in `info`.
pub(crate) const FORMAT: &str = "pstats";

/// Whether it is a dictionary of tuples of three, the first of them a text.
pub(crate) fn sniff(head: &[u8]) -> bool {
    let kind = |at: usize| head.get(at).map(|byte| byte & 0x7f);
    let first = match (kind(0), kind(1)) {
        (Some(b'{'), Some(b')')) if head.get(2) == Some(&3) => 3,
        (Some(b'{'), Some(b'(')) if head.get(2..6) == Some(&[3, 0, 0, 0]) => 6,
        _ => return false,
    };
    kind(first).is_none_or(|kind| b"zZaAuts".contains(&kind))
}

/// What is told of a function, or of its calls by one caller.
#[derive(Clone, Copy, Default)]
struct Costs {
    calls: u64,
    primitive: u64,
    own: i64,
    total: i64,
}

/// Reads the statistics. O(size).
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let window = Window::open_binary(input, progress, &reporter)?;
    let mut reader = Reader {
        marshal: Marshal::new(window, &reporter),
        reporter: &reporter,
        functions: Functions::default(),
        of_functions: Vec::new(),
        relations: Vec::new(),
    };
    match reader.read() {
        Err(Stop::Error(error)) => return Err(error),
        Err(Stop::Cut) if reader.of_functions.is_empty() => {
            let place = reader.marshal.place();
            let found = "the end of the file";
            return Err(ImportError::malformed(
                place,
                "statistics of a function",
                found,
            ));
        }
        Err(Stop::Cut) => reader.warn("truncated-file"),
        Ok(()) => {}
    }
    Ok(reader.finish(input))
}

struct Reader<'a> {
    marshal: Marshal<'a>,
    reporter: &'a Reporter,
    functions: Functions,
    of_functions: Vec<(FunctionId, Costs)>,
    /// Caller, callee, and what the calls cost.
    relations: Vec<(FunctionId, FunctionId, Costs)>,
}

impl Reader<'_> {
    fn warn(&self, kind: &'static str) {
        self.reporter.warn(kind, || self.marshal.place());
    }

    fn read(&mut self) -> Result<(), Stop> {
        let kind = self.marshal.kind()?;
        if kind.kind != b'{' {
            return Err(self.marshal.error("a dictionary of functions", kind));
        }
        loop {
            let kind = self.marshal.kind()?;
            // The end of a dictionary.
            if kind.kind == b'0' {
                return Ok(());
            }
            let key = self.marshal.value_of(kind)?;
            let function = self.function(&key);
            let kind = self.marshal.kind()?;
            if self.marshal.elements(kind)? != Some(5) {
                return Err(self
                    .marshal
                    .error("a tuple of five, the costs of a function", kind));
            }
            let mut numbers = [const { marshal::Value::Other }; 4];
            for number in &mut numbers {
                *number = self.marshal.value()?;
            }
            let [primitive, calls, own, total] = numbers;
            let costs = self.costs(&[calls, primitive, own, total]);
            let start = self.relations.len();
            if let Err(stop) = self.callers(function) {
                self.relations.truncate(start);
                return Err(stop);
            }
            if let Some(function) = function {
                self.of_functions.push((function, costs));
            }
        }
    }

    /// The callers of a function with what the calls of it cost.
    fn callers(&mut self, callee: Option<FunctionId>) -> Result<(), Stop> {
        let kind = self.marshal.kind()?;
        if kind.kind == b'r' {
            self.marshal.value_of(kind)?;
            self.warn("unknown-reference");
            return Ok(());
        }
        if kind.kind != b'{' {
            return Err(self.marshal.error("a dictionary of callers", kind));
        }
        loop {
            let kind = self.marshal.kind()?;
            if kind.kind == b'0' {
                return Ok(());
            }
            let key = self.marshal.value_of(kind)?;
            let caller = self.function(&key);
            let costs = match self.marshal.value()? {
                marshal::Value::Tuple(costs) => self.costs(&costs),
                calls => {
                    self.warn("call-without-cost");
                    Costs {
                        calls: self.count(&calls),
                        ..Costs::default()
                    }
                }
            };
            if let (Some(caller), Some(callee)) = (caller, callee) {
                self.relations.push((caller, callee, costs));
            }
        }
    }

    /// Calls, primitive calls, own time and time in all.
    fn costs(&self, numbers: &[marshal::Value]) -> Costs {
        let [calls, primitive, own, total] = numbers else {
            self.warn("malformed-cost");
            return Costs::default();
        };
        let time = |value: &marshal::Value| {
            let time = value.nanoseconds();
            time.unwrap_or_else(|| {
                self.warn("time-not-a-number");
                0
            })
        };
        Costs {
            calls: self.count(calls),
            primitive: self.count(primitive),
            own: time(own),
            total: time(total),
        }
    }

    fn count(&self, value: &marshal::Value) -> u64 {
        value.count().unwrap_or_else(|| {
            self.warn("not-a-number");
            0
        })
    }

    /// The function of a file, line and name; none, which is counted, of anything else.
    fn function(&mut self, key: &marshal::Value) -> Option<FunctionId> {
        use marshal::Value::{Text, Tuple, Whole};
        let Tuple(key) = key else {
            self.warn("unknown-function");
            return None;
        };
        let [Text(file), Whole(line), Text(name)] = &key[..] else {
            self.warn("unknown-function");
            return None;
        };
        // What is no Python has no file, and is named as pstats does it.
        let is_built_in = &**file == "~" && *line == 0;
        let bare = name.strip_prefix('<').and_then(|it| it.strip_suffix('>'));
        let built_in = bare.filter(|_| is_built_in).map(|it| format!("{{{it}}}"));
        Some(self.functions.intern(Function {
            name: built_in.as_deref().unwrap_or(name),
            file: if is_built_in { "" } else { file },
            line: u32::try_from(*line).unwrap_or(0),
            library: "",
        }))
    }

    fn finish(self, input: &Input) -> Recording {
        let place = || Place::file(input.display().to_string());
        let functions = self.functions.len();
        let of_value = |costs: fn(&Costs) -> [i64; 2]| {
            let mut told = vec![FunctionMetrics::default(); functions];
            for (function, of) in &self.of_functions {
                let [own, total] = costs(of).map(Cost::signed);
                let told = &mut told[function.index()];
                told.calls = told.calls.saturating_add(of.calls);
                told.self_cost += own;
                told.total += total;
            }
            let relations = self.relations.iter().map(|&(caller, callee, of)| {
                let [self_cost, cost] = costs(&of).map(Cost::signed);
                Relation {
                    caller,
                    callee,
                    calls: of.calls,
                    cost,
                    self_cost,
                    ..Relation::NOTHING
                }
            });
            OfValue {
                functions: told,
                relations: relations.collect(),
            }
        };
        let primitive = |of: &Costs| [i64::try_from(of.primitive).unwrap_or(i64::MAX); 2];
        let of_values = vec![of_value(|of| [of.own, of.total]), of_value(primitive)];
        let values = [
            ("time", Unit::Nanoseconds),
            ("primitive calls", Unit::Things("calls".to_owned())),
        ];
        let values = values.map(|(name, unit)| Value {
            name: name.to_owned(),
            unit,
        });
        let sums = Weights::Sums(Sums::new(of_values, true, self.reporter, place));
        let profile = Profile::new(values.into(), 0, sums, functions);
        let profile = (self.functions, profile);
        Recording::of_profile(input, FORMAT, 0, profile, self.reporter.warnings())
    }
}

#[cfg(test)]
mod tests;
