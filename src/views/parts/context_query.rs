//! What is searched for in charts of calling contexts: names of functions, modules and packages, and limits of what contexts cost.
//!
//! `parse self > 5 %` finds the contexts of functions with `parse` in their name or path that cost more than a twentieth
//! of the whole themselves.

use crate::parts::contexts::ShownContexts;
use callscape_base::units::{FunctionId, TimeSpec};
use callscape_state::document::Document;

/// What a limit is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    Total,
    Own,
    Calls,
}

/// How much.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Limit {
    Percent(f64),
    Amount(f64),
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Constraint {
    of: Of,
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
    /// Reads a query; what stands like a limit and is none counts as words.
    pub(crate) fn new(text: &str) -> Query {
        let spaced = text
            .replace('>', " > ")
            .replace('<', " < ")
            .replace('%', " % ");
        let parts: Vec<&str> = spaced.split_whitespace().collect();
        let mut query = Query::default();
        let mut at = 0;
        while let Some(&part) = parts.get(at) {
            let rest = parts.get(at..at + 3);
            match rest.and_then(|rest| constraint(rest, parts.get(at + 3) == Some(&"%"))) {
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
            let value = |of: Of| match of {
                Of::Total => (shown.total(it).size(), shown.size),
                Of::Own => (shown.own(it).size(), shown.size),
                Of::Calls => {
                    let all = shown.calls_before().last().copied();
                    (shown.calls(it), all.unwrap_or_default())
                }
            };
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
    pub(crate) fn holds(&self, value: impl Fn(Of) -> (u64, u64)) -> bool {
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

/// A limit as three words, with a percent sign behind them or not; and how many words it took.
fn constraint(words: &[&str], is_percent: bool) -> Option<(Constraint, usize)> {
    let [of, sign, limit] = words else {
        return None;
    };
    let of = match of.to_lowercase().as_str() {
        "total" => Of::Total,
        "self" => Of::Own,
        "calls" => Of::Calls,
        _ => return None,
    };
    let is_more = match *sign {
        ">" => true,
        "<" => false,
        _ => return None,
    };
    let number = limit.parse::<f64>().ok();
    let limit = match (is_percent, number) {
        (true, number) => Limit::Percent(number?),
        (false, Some(number)) => Limit::Amount(number),
        (false, None) if of != Of::Calls => {
            let time = limit.parse::<TimeSpec>().ok()?;
            Limit::Amount(time.resolve(callscape_base::units::Cost::ZERO).ns() as f64)
        }
        (false, None) => return None,
    };
    let taken = if is_percent { 4 } else { 3 };
    let constraint = Constraint { of, is_more, limit };
    Some((constraint, taken))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_words_and_limits() {
        let of = |of: Of, is_more: bool, limit: Limit| Constraint { of, is_more, limit };
        let read = |text: &str| {
            let query = Query::new(text);
            (query.words, query.constraints)
        };
        let words = |words: &[&str]| words.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        assert_eq!(read(""), (words(&[]), vec![]));
        assert_eq!(read("Parse"), (words(&["parse"]), vec![]));
        let share = of(Of::Own, true, Limit::Percent(5.0));
        assert_eq!(read("self > 5 %"), (words(&[]), vec![share]));
        assert_eq!(read("self>5%"), (words(&[]), vec![share]));
        let calls = of(Of::Calls, true, Limit::Amount(1000.0));
        assert_eq!(read("calls > 1000 lua"), (words(&["lua"]), vec![calls]));
        let time = of(Of::Total, false, Limit::Amount(10e6));
        assert_eq!(
            read("total < 10ms calls>1000"),
            (words(&[]), vec![time, calls])
        );
        let none = words(&["calls", ">", "many"]);
        assert_eq!(read("calls > many"), (none, vec![]));
        assert_eq!(read("self >"), (words(&["self", ">"]), vec![]));
    }
}
