//! A condition on a comparison, for scripts: `total(parse) > 1.1x`.
//!
//! ```text
//! condition = what operator limit
//! what      = ("total" | "self" | "calls" | "average") "(" function ")" | "duration"
//! operator  = ">" | ">=" | "<" | "<="
//! limit     = number "x"              B against so many times A
//!           | ("+" | "-") number "%"  the same: +10% is 1.1x
//!           | ("+" | "-") amount      what B has more than A
//!           | amount                  B alone
//! amount    = a time such as 5ms or 2s, or a plain number: calls, or nanoseconds
//! ```
//!
//! A function is named by its name or its path; `*` in it stands for any run of characters, and the condition holds
//! when it does for one of the functions that this matches.

use std::str::FromStr;

use super::Comparison;
use super::amounts::{Change, Measure};
use callscape_base::units::{Cost, TimeSpec};

/// A condition as it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// None: the duration of the runs.
    what: Option<(Measure, String)>,
    operator: Operator,
    limit: Limit,
    text: String,
}

/// How the two sides of a condition are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    More,
    MoreOrEqual,
    Less,
    LessOrEqual,
}

impl Operator {
    /// The operator that a text starts with, and what follows it.
    pub(crate) fn parse(text: &str) -> Option<(&str, Operator)> {
        let operators = [
            (">=", Operator::MoreOrEqual),
            ("<=", Operator::LessOrEqual),
            (">", Operator::More),
            ("<", Operator::Less),
        ];
        operators
            .iter()
            .find_map(|(sign, operator)| Some((text.strip_prefix(sign)?, *operator)))
    }

    pub(crate) fn holds(self, left: f64, right: f64) -> bool {
        match self {
            Operator::More => left > right,
            Operator::MoreOrEqual => left >= right,
            Operator::Less => left < right,
            Operator::LessOrEqual => left <= right,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Limit {
    Times(f64),
    Difference(f64),
    Amount(f64),
}

/// What a condition was found to be.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    pub holds: bool,
    /// What it was held against, one line for each function for which it holds, or for the only one.
    pub of: Vec<String>,
}

impl FromStr for Condition {
    type Err = String;

    fn from_str(text: &str) -> Result<Condition, String> {
        let trimmed = text.trim();
        // `rest` is what of the text is not understood.
        let wrong = |rest: &str, expected: &str| {
            let before = trimmed.len().saturating_sub(rest.len());
            let place = trimmed[..before].chars().count() + 1;
            let found = match rest {
                "" => "nothing".to_owned(),
                rest => format!("'{rest}'"),
            };
            Err(format!(
                "at character {place}: expected {expected}, found {found}"
            ))
        };
        let (what, rest) = match trimmed.strip_prefix("duration") {
            Some(rest) => (None, rest),
            None => {
                const WHAT: &str = "total(FUNCTION), self(FUNCTION), calls(FUNCTION), average(FUNCTION) or duration";
                let Some((measure, rest)) = trimmed.split_once('(') else {
                    return wrong(trimmed, WHAT);
                };
                let measure = measure.trim();
                let measure = Measure::ALL.into_iter().find(|it| it.name() == measure);
                let Some(measure) = measure else {
                    return wrong(trimmed, WHAT);
                };
                // Names may hold brackets and signs: the last bracket ends the name.
                let Some((function, after)) = rest.rsplit_once(')') else {
                    return wrong("", "a ) after the function's name");
                };
                let function = function.trim();
                if function.is_empty() {
                    return wrong(rest, "the name of a function");
                }
                if !is_balanced(function) {
                    let one = "the name of one function, with its brackets closed; use a separate --fail-if for each \
                               condition";
                    return wrong(rest, one);
                }
                (Some((measure, function.to_owned())), after)
            }
        };
        let rest = rest.trim();
        let Some((limit, operator)) = Operator::parse(rest) else {
            return wrong(rest, "> >= < or <=");
        };
        let limit = limit.trim();
        let counts = matches!(what, Some((Measure::Calls, _)));
        let limit = match (parse_limit(limit, !counts), counts) {
            (Some(limit), _) => limit,
            (None, true) => return wrong(limit, "a limit like 1.1x, +10%, +5 or 100"),
            (None, false) => return wrong(limit, "a limit like 1.1x, +10%, +5ms or 5ms"),
        };
        Ok(Condition {
            what,
            operator,
            limit,
            text: trimmed.to_owned(),
        })
    }
}

/// Whether every bracket of a name that opens closes: two conditions in one are no name.
fn is_balanced(name: &str) -> bool {
    let mut open = 0;
    name.chars().all(|letter| {
        open += match letter {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        open >= 0
    }) && open == 0
}

/// A limit; of what is counted no times.
fn parse_limit(text: &str, with_times: bool) -> Option<Limit> {
    let number = |text: &str| {
        let is_plain = text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        let number = text.parse::<f64>().ok().filter(|_| is_plain);
        number.filter(|number| number.is_finite())
    };
    let amount = |text: &str| {
        let time = || match text.parse::<TimeSpec>() {
            Ok(TimeSpec::At(time)) => Some(time.ns() as f64),
            _ => None,
        };
        number(text).or_else(|| time().filter(|_| with_times))
    };
    if let Some(times) = text.strip_suffix(['x', '×']) {
        return number(times.trim()).map(Limit::Times);
    }
    let signed = [("+", 1.0), ("-", -1.0)];
    for (sign, factor) in signed {
        let Some(rest) = text.strip_prefix(sign) else {
            continue;
        };
        let rest = rest.trim();
        return match rest.strip_suffix('%') {
            Some(percent) => {
                let percent = number(percent.trim())?;
                Some(Limit::Times(1.0 + factor * percent / 100.0))
            }
            None => amount(rest).map(|amount| Limit::Difference(factor * amount)),
        };
    }
    amount(text).map(Limit::Amount)
}

impl Condition {
    /// Whether it holds of a comparison, whose functions are in `functions`. An error where no function has the
    /// name, or where the limit makes no sense for what is compared: a check that cannot fail is none.
    pub fn check(&self, comparison: &Comparison, functions: &[Change]) -> Result<Finding, String> {
        let is_scaled = comparison.is_by_shares || comparison.per.is_some();
        let Some((measure, pattern)) = &self.what else {
            let [a, b] = [0, 1].map(|side| duration(comparison, side));
            let line = format!("duration: A {}, B {}", cost(a), cost(b));
            return Ok(Finding {
                holds: self.holds(a, b),
                of: vec![line],
            });
        };
        if is_scaled && !matches!(self.limit, Limit::Times(_)) {
            return Err(format!(
                "{}: only shares are compared: expected a limit like 1.1x or +10%",
                self.text
            ));
        }
        if *measure == Measure::Calls && !comparison.counts_calls() {
            return Err(format!(
                "{}: these recordings do not count calls",
                self.text
            ));
        }
        let rows = match pattern.contains('*') {
            false => comparison.rows_named(pattern),
            true => {
                let rows = 0..comparison.rows.len() as u32;
                rows.filter(|&row| {
                    let names = [0, 1].map(|side| comparison.function_of(row, side).name);
                    names
                        .iter()
                        .any(|name| !name.is_empty() && matches(pattern, name))
                })
                .collect()
            }
        };
        if rows.is_empty() {
            return Err(format!("{}: no function has this name", self.text));
        }
        let line = |row: u32| {
            let change = &functions[row as usize];
            let [a, b] = [&change.a, &change.b].map(|amounts| amounts.of(*measure));
            let show = |value: f64| match (measure.is_cost(), is_scaled) {
                (_, true) => format!("{value:.4}"),
                (true, _) => comparison.unit().show(Cost::from_ns(value.round() as u64)),
                (false, _) => format!("{value}"),
            };
            let name = comparison.function(row).name;
            let times = change.ratio(*measure);
            let times = times.map_or(String::new(), |ratio| format!(", {ratio:.2}x"));
            let text = format!("{name}: A {}, B {}{times}", show(a), show(b));
            (self.holds(a, b), text)
        };
        let lines: Vec<(bool, String)> = rows.into_iter().map(line).collect();
        let holds = lines.iter().any(|(holds, _)| *holds);
        let is_only = lines.len() == 1;
        let of = lines.into_iter().filter(|(it, _)| *it || is_only);
        Ok(Finding {
            holds,
            of: of.map(|(_, text)| text).collect(),
        })
    }

    fn holds(&self, a: f64, b: f64) -> bool {
        let (left, right) = match self.limit {
            // What is nowhere has not changed.
            Limit::Times(times) if a == 0.0 && b == 0.0 => (1.0, times),
            Limit::Times(times) => (b, a * times),
            Limit::Difference(difference) => (b - a, difference),
            Limit::Amount(amount) => (b, amount),
        };
        self.operator.holds(left, right)
    }
}

impl std::fmt::Display for Condition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

fn cost(ns: f64) -> String {
    Cost::from_ns(ns as u64).to_string()
}

/// The mean of the durations of a side's runs, in nanoseconds.
fn duration(comparison: &Comparison, side: usize) -> f64 {
    let of = comparison.recordings(side);
    let sum: f64 = of
        .iter()
        .map(|it| it.recording.timed().duration().ns() as f64)
        .sum();
    sum / of.len().max(1) as f64
}

/// Whether `text` is what a pattern says, `*` standing for any run of characters. Linear but for repeated parts.
pub fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    let mut last = None;
    for part in parts {
        if let Some(part) = last.replace(part) {
            match rest.find(part) {
                Some(at) => rest = &rest[at + str::len(part)..],
                None => return false,
            }
        }
    }
    last.map_or(rest.is_empty(), |last| rest.ends_with(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(condition: &str, a: f64, b: f64) -> bool {
        let condition: Condition = condition.parse().expect("a condition");
        condition.holds(a, b)
    }

    #[test]
    fn conditions_are_read_and_hold_as_they_say() {
        assert!(holds("total(parse) > 1.1x", 100.0, 111.0));
        assert!(!holds("total(parse) > 1.1x", 100.0, 110.0));
        assert!(holds("self(f(int, A<b>)) >= +10%", 100.0, 110.0 + 1e-9));
        assert!(holds("calls(f)<=-50%", 100.0, 50.0));
        assert!(holds("average(f) > +5ms", 1e6, 6_000_001.0));
        assert!(!holds("average(f) > +5ms", 1e6, 6e6));
        assert!(holds("total(f) < 5ms", 0.0, 4_999_999.0));
        assert!(holds("calls(f) > 100", 0.0, 101.0));
        assert!(holds("duration > 1x", 1.0, 2.0));
        // New ones are infinitely more, and what is nowhere is the same.
        assert!(holds("total(f) > 1.1x", 0.0, 1.0));
        assert!(!holds("total(f) > 1.1x", 0.0, 0.0));
        for wrong in [
            "",
            "total(f)",
            "total(f) > ",
            "total() > 1x",
            "total > 1x",
            "sum(f) > 1x",
            "total(f) = 1x",
            "total(f) > 1e999x",
            "total(f) > 10%",
            "total(f > 1x",
            "duration(f) > 1x",
            "total(f) > 1x && calls(f) > 1",
            "total(f) > NaNx",
        ] {
            assert!(wrong.parse::<Condition>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_said_with_its_place() {
        for (wrong, said) in [
            ("sum(f) > 1x", "at character 1: expected total(FUNCTION)"),
            ("total(f > 1x", "at character 13: expected a )"),
            ("total( ) > 1x", "at character 7: expected the name"),
            (
                "total(ä) = 1x",
                "at character 10: expected > >= < or <=, found '= 1x'",
            ),
            ("total(f) > 10%", "at character 12: expected a limit like"),
            ("self(f) >", "at character 10: expected a limit"),
            (
                "calls(f) > 5ms",
                "at character 12: expected a limit like 1.1x, +10%, +5 or 100",
            ),
            ("total(f)>1x and self(g)>1x", "use a separate --fail-if"),
        ] {
            let error = wrong.parse::<Condition>().expect_err(wrong);
            assert!(error.contains(said), "{wrong}: {error}");
        }
    }

    #[test]
    fn stars_stand_for_anything() {
        for (pattern, text, is_match) in [
            ("*", "anything", true),
            ("parse*", "parse_all", true),
            ("*parse", "fast_parse", true),
            ("a*b*c", "a1b2c", true),
            ("a*b*c", "a1c2b", false),
            ("ab*ba", "aba", false),
            ("a**b", "ab", true),
            ("f", "f", true),
        ] {
            assert_eq!(matches(pattern, text), is_match, "{pattern} {text}");
        }
    }
}
