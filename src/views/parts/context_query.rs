//! What is searched for in charts of calling contexts: names of functions, modules and packages, and limits of what contexts cost.
//!
//! `parse self > 5 %` finds the contexts of functions with `parse` in their name or path that cost more than a twentieth
//! of the whole themselves.

use std::borrow::Cow;

use crate::parts::context_chart::amount::Amount;
use crate::parts::contexts::ShownContexts;
use callscape_base::units::{Cost, FunctionId, TimeSpec};
use callscape_state::document::Document;

/// How much.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Limit {
    Percent(f64),
    Amount(f64),
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Constraint {
    of: Amount,
    is_more: bool,
    limit: Limit,
}

/// A search: all words, and all limits.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Query {
    words: Vec<String>,
    constraints: Vec<Constraint>,
}

impl Query {
    /// Reads a query with limits of `known` amounts, by their names; what stands like a limit and is none counts as words.
    pub(crate) fn new(text: &str, known: &[(Cow<'_, str>, Amount)]) -> Query {
        let spaced = text
            .replace('>', " > ")
            .replace('<', " < ")
            .replace('%', " % ");
        let parts: Vec<&str> = spaced.split_whitespace().collect();
        let mut query = Query::default();
        let mut at = 0;
        while let Some(&part) = parts.get(at) {
            match constraint(&parts[at..], known) {
                Some((constraint, taken)) => {
                    query.constraints.push(constraint);
                    at += taken;
                }
                None => {
                    query.words.push(part.to_lowercase());
                    at += 1;
                }
            }
        }
        query
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty() && self.constraints.is_empty()
    }

    /// By context whether it is found. O(contexts).
    pub(crate) fn find(&self, document: &Document, shown: &ShownContexts) -> Vec<bool> {
        let functions = document.resolved().map(|it| &it.recording.functions);
        let count = functions.map_or(0, |it| it.len()) as u32;
        let is_named = |function: FunctionId| {
            let name = functions.map_or("", |it| it.get(function).name);
            let module = document.module_of(function);
            let path = module.map(|it| document.session.hierarchy.path(it));
            self.is_named(name, &path.unwrap_or_default())
        };
        let named: Vec<bool> = (0..count).map(|it| is_named(FunctionId(it))).collect();
        let ids = shown.contexts.ids();
        ids.map(|it| {
            let function = shown.contexts.function(it);
            let value = |of: Amount| (of.of(shown, it).size(), of.whole(shown));
            named.get(function.index()) == Some(&true) && self.holds(value)
        })
        .collect()
    }

    /// Whether all words are in the name of a function or the path of its module.
    pub(crate) fn is_named(&self, name: &str, path: &str) -> bool {
        let text = format!("{name} {path}").to_lowercase();
        self.words.iter().all(|word| text.contains(word))
    }

    /// Whether all limits hold of a context: `value` says what it has, and what the whole run has.
    pub(crate) fn holds(&self, value: impl Fn(Amount) -> (u64, u64)) -> bool {
        self.constraints.iter().all(|it| {
            let (value, whole) = value(it.of);
            let limit = match it.limit {
                Limit::Percent(percent) => percent / 100.0 * whole as f64,
                Limit::Amount(amount) => amount,
            };
            match it.is_more {
                true => value as f64 > limit,
                false => (value as f64) < limit,
            }
        })
    }
}

/// The limit that words begin with: the name of an amount, a sign, a number, and a percent sign or not; and how many words
/// it took.
fn constraint(words: &[&str], known: &[(Cow<'_, str>, Amount)]) -> Option<(Constraint, usize)> {
    let taken = |name: &str| {
        let name: Vec<&str> = name.split_whitespace().collect();
        let begins = words.get(..name.len())?;
        let is_it = begins
            .iter()
            .zip(&name)
            .all(|(a, b)| a.eq_ignore_ascii_case(b));
        is_it.then_some(name.len())
    };
    // Of `self` and `self alloc_space` the longer one.
    let found = known
        .iter()
        .filter_map(|(name, of)| Some((taken(name)?, *of)));
    let (taken, of) = found.max_by_key(|it| it.0)?;
    let [sign, limit, rest @ ..] = words.get(taken..)? else {
        return None;
    };
    let is_more = match *sign {
        ">" => true,
        "<" => false,
        _ => return None,
    };
    let is_percent = rest.first() == Some(&"%");
    let number = limit.parse::<f64>().ok();
    let limit = match (is_percent, number) {
        (true, number) => Limit::Percent(number?),
        (false, Some(number)) => Limit::Amount(number),
        (false, None) if of != Amount::Calls => {
            let time = || limit.parse::<TimeSpec>().ok();
            let ns = || Some(time()?.resolve(Cost::ZERO).ns() as f64);
            Limit::Amount(bytes(limit).or_else(ns)?)
        }
        (false, None) => return None,
    };
    let constraint = Constraint { of, is_more, limit };
    Some((constraint, taken + 2 + usize::from(is_percent)))
}

/// A number of bytes with its unit: `10MB`.
fn bytes(text: &str) -> Option<f64> {
    let (number, unit) = text.split_at(text.find(char::is_alphabetic)?);
    let units = ["b", "kb", "mb", "gb", "tb"];
    let power = units.iter().position(|it| unit.eq_ignore_ascii_case(it))?;
    Some(number.parse::<f64>().ok()? * 1000_f64.powi(power as i32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_words_and_limits() {
        let of = |of: Amount, is_more: bool, limit: Limit| Constraint { of, is_more, limit };
        let known = [
            ("total", Amount::Total(0)),
            ("self", Amount::Own(0)),
            ("calls", Amount::Calls),
            ("Alloc space", Amount::Total(1)),
            ("self Alloc space", Amount::Own(1)),
        ];
        let known = known.map(|it| (Cow::Borrowed(it.0), it.1));
        let read = |text: &str| {
            let query = Query::new(text, &known);
            (query.words, query.constraints)
        };
        let words = |words: &[&str]| words.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        assert_eq!(read(""), (words(&[]), vec![]));
        assert_eq!(read("Parse"), (words(&["parse"]), vec![]));
        let share = of(Amount::Own(0), true, Limit::Percent(5.0));
        assert_eq!(read("self > 5 %"), (words(&[]), vec![share]));
        assert_eq!(read("self>5%"), (words(&[]), vec![share]));
        let calls = of(Amount::Calls, true, Limit::Amount(1000.0));
        assert_eq!(read("calls > 1000 lua"), (words(&["lua"]), vec![calls]));
        let time = of(Amount::Total(0), false, Limit::Amount(10e6));
        assert_eq!(
            read("total < 10ms calls>1000"),
            (words(&[]), vec![time, calls])
        );
        let own = of(Amount::Own(1), true, Limit::Percent(5.0));
        let space = of(Amount::Total(1), false, Limit::Amount(1.5e6));
        let both = read("self alloc space > 5 % x alloc space<1.5MB");
        assert_eq!(both, (words(&["x"]), vec![own, space]));
        assert_eq!(read("alloc"), (words(&["alloc"]), vec![]));
        let none = words(&["calls", ">", "many"]);
        assert_eq!(read("calls > many"), (none, vec![]));
        assert_eq!(read("self >"), (words(&["self", ">"]), vec![]));
    }
}
