//! gprof2dot's JSON, as `memray transform gprof2dot` writes it. Specification:
//! <https://github.com/jrfonseca/gprof2dot/blob/main/schema.json>, version 0.
//!
//! Read are events, each a chain of calls, innermost first, and its costs; functions with their modules; and the
//! descriptions and units of the costs. Each chain is a context. Costs in seconds are times; others keep three decimals.

use super::decimal::{self, Unit as Decimal};
use super::document::{self, Document};
use super::error::ImportError;
use super::input::Input;
use callscape_base::progress::Progress;
use callscape_base::units::{FunctionId, Unit};
use callscape_base::warnings::Reporter;
use callscape_facts::contexts::{ContextsBuilder, NodeId};
use callscape_facts::functions::{Function, Functions, NO_FRAMES};
use callscape_facts::profile::{Profile, Value, Weights};
use callscape_facts::recording::Recording;

/// The identifier in `info`.
pub(crate) const FORMAT: &str = "gprof2dot";

/// More costs than any profiler counts; each costs memory for every context.
const MOST_VALUES: usize = 32;

/// Whether it has costs, or events that are chains of calls.
pub(crate) fn sniff(head: &[u8]) -> bool {
    let paths = document::paths(head);
    let has = |wanted: &str| paths.iter().any(|path| path == wanted);
    has("costs.description") && has("costs.unit") && (has("events") || has("functions"))
        || has("events.callchain") && has("events.cost")
}

#[derive(Default)]
struct File {
    values: Vec<Value>,
    functions: Functions,
    /// By number.
    ids: Vec<FunctionId>,
    /// Of all events one behind the other: the number of functions in the chain, and these.
    chains: Vec<u32>,
    /// By event, by value, in nanoseconds or thousandths.
    costs: Vec<i64>,
    /// By value, whether a cost has a fraction.
    has_fractions: Vec<bool>,
}

/// Reads the events. O(size).
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let mut document = Document::open(input, progress, &reporter)?;
    let mut file = File::default();
    if document.object()? {
        while let Some(key) = document.member()? {
            match key {
                b"costs" => file.values(&mut document)?,
                b"functions" => file.functions(&mut document)?,
                b"events" => file.events(&mut document)?,
                _ => document.skip()?,
            }
        }
    }
    document.close()?;
    if file.values.is_empty() || file.chains.is_empty() {
        return Err(document.error("costs and events", "none"));
    }
    let (functions, profile) = file.finish(&document, &reporter);
    let profile = (functions, profile);
    Ok(Recording::of_profile(
        input,
        FORMAT,
        0,
        profile,
        reporter.warnings(),
    ))
}

impl File {
    fn values(&mut self, document: &mut Document<'_>) -> Result<(), ImportError> {
        if !document.array()? {
            return Ok(());
        }
        while document.element()? {
            let (mut name, mut unit) = (String::new(), String::new());
            if document.object()? {
                while let Some(key) = document.member()? {
                    match key {
                        b"description" => document.text_into(&mut name)?,
                        b"unit" => document.text_into(&mut unit)?,
                        _ => document.skip()?,
                    }
                }
            }
            if self.values.len() == MOST_VALUES {
                document.warn("too-many-values");
                continue;
            }
            let unit = match unit.as_str() {
                "s" | "seconds" => Unit::Nanoseconds,
                "bytes" => Unit::Bytes,
                "" => Unit::Things(name.clone()),
                unit => Unit::Things(unit.to_owned()),
            };
            self.values.push(Value { name, unit });
            self.has_fractions.push(false);
        }
        Ok(())
    }

    fn functions(&mut self, document: &mut Document<'_>) -> Result<(), ImportError> {
        if !document.array()? {
            return Ok(());
        }
        while document.element()? {
            let (mut name, mut module) = (String::new(), String::new());
            if document.object()? {
                while let Some(key) = document.member()? {
                    match key {
                        b"name" => document.text_into(&mut name)?,
                        b"module" => document.text_into(&mut module)?,
                        _ => document.skip()?,
                    }
                }
            }
            // The modules of scripts are their files.
            let is_file =
                module.contains('/') || module.ends_with(".py") || module.starts_with('<');
            let (file, library) = if is_file {
                (module.as_str(), "")
            } else {
                ("", module.as_str())
            };
            self.ids.push(self.functions.intern(Function {
                name: &name,
                file,
                line: 0,
                library,
            }));
        }
        Ok(())
    }

    fn events(&mut self, document: &mut Document<'_>) -> Result<(), ImportError> {
        if self.values.is_empty() {
            return Err(document.error("costs with their units before events", "events"));
        }
        if !document.array()? {
            return Ok(());
        }
        while document.element()? {
            if !document.object()? {
                continue;
            }
            let start = self.chains.len();
            self.chains.push(0);
            let mut costs = [0; MOST_VALUES];
            while let Some(key) = document.member()? {
                match key {
                    b"callchain" => {
                        if document.array()? {
                            while document.element()? {
                                self.chains.push(document.index()?.unwrap_or(u32::MAX));
                            }
                        }
                    }
                    b"cost" => self.costs(document, &mut costs)?,
                    _ => document.skip()?,
                }
            }
            self.chains[start] = (self.chains.len() - start - 1) as u32;
            self.costs.extend(costs.into_iter().take(self.values.len()));
        }
        Ok(())
    }

    fn costs(
        &mut self,
        document: &mut Document<'_>,
        costs: &mut [i64; MOST_VALUES],
    ) -> Result<(), ImportError> {
        let mut value = 0;
        if document.array()? {
            while document.element()? {
                let Some(number) = document.scalar()? else {
                    value += 1;
                    continue;
                };
                let is_time = self.values.get(value).is_some_and(|it| it.unit.is_time());
                let unit = if is_time {
                    Decimal::Seconds
                } else {
                    Decimal::Microseconds
                };
                let cost = decimal::nanoseconds(number, unit);
                match (cost, costs.get_mut(value)) {
                    (Ok(cost), Some(place)) if value < self.values.len() => {
                        *place = cost;
                        self.has_fractions[value] |= cost % 1000 != 0;
                    }
                    (Ok(_), _) => document.warn("more-costs-than-events"),
                    (Err(_), _) => document.warn("not-a-number"),
                }
                value += 1;
            }
        }
        Ok(())
    }

    fn finish(mut self, document: &Document<'_>, reporter: &Reporter) -> (Functions, Profile) {
        let mut builder = ContextsBuilder::new(self.values.len(), reporter);
        let place = || document.place();
        let mut rest = &self.chains[..];
        let mut costs = self.costs.chunks_exact(self.values.len());
        while let Some((&length, behind)) = rest.split_first() {
            let (chain, behind) = behind.split_at((length as usize).min(behind.len()));
            rest = behind;
            let mut node = NodeId::ROOT;
            for &number in chain.iter().rev() {
                match self.ids.get(number as usize) {
                    Some(&function) => node = builder.child(node, function, place),
                    None => document.warn("unknown-frame"),
                }
            }
            if node == NodeId::ROOT {
                document.warn("empty-stack");
                node = builder.child(node, self.functions.intern(NO_FRAMES), place);
            }
            for (value, &cost) in costs.next().unwrap_or_default().iter().enumerate() {
                let is_whole = !self.values[value].unit.is_time() && !self.has_fractions[value];
                builder.add(
                    node,
                    value,
                    if is_whole { cost / 1000 } else { cost },
                    place,
                );
            }
        }
        for (value, &has_fractions) in self.values.iter_mut().zip(&self.has_fractions) {
            value.unit = match std::mem::take(&mut value.unit) {
                Unit::Things(things) if has_fractions => Unit::Thousandths(things),
                Unit::Bytes if has_fractions => Unit::Thousandths("bytes".to_owned()),
                unit => unit,
            };
        }
        let weights = Weights::Contexts(builder.finish());
        let profile = Profile::new(self.values, 0, weights, self.functions.len());
        (self.functions, profile)
    }
}

#[cfg(test)]
mod tests;
