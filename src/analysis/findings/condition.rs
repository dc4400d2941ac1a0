//! A condition on findings, for scripts: `finding(repeated) > 10%`.

use std::fmt;
use std::str::FromStr;

use super::finding::{Finding, Whole};
use super::kind::Kind;
use super::table::KINDS;
use crate::comparison::condition::Operator;

/// A condition as it was written: the shares of the findings of one kind, or of all kinds for `*`, against a limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    kind: Option<Kind>,
    operator: Operator,
    /// A share.
    limit: f64,
    text: String,
}

impl FromStr for Condition {
    type Err = String;

    fn from_str(text: &str) -> Result<Condition, String> {
        let text = text.trim();
        let kinds = || KINDS.map(|it| it.name).join(", ");
        let rest = text
            .strip_prefix("finding(")
            .and_then(|it| it.split_once(')'));
        let Some((kind, rest)) = rest else {
            return Err(format!(
                "expected finding(KIND), an operator and a share, such as finding(repeated) > 10%, found '{text}'"
            ));
        };
        let kind = match kind.trim() {
            "*" => None,
            name => Some(Kind::named(name).ok_or_else(|| {
                format!("expected * or one of the kinds {}, found '{name}'", kinds())
            })?),
        };
        let rest = rest.trim();
        let Some((limit, operator)) = Operator::parse(rest) else {
            return Err(format!("expected > >= < or <=, found '{rest}'"));
        };
        let number = limit.trim().strip_suffix('%').map(str::trim_end);
        let number = number.and_then(|it| it.parse::<f64>().ok());
        let Some(percent) = number.filter(|it| (0.0..=100.0).contains(it)) else {
            return Err(format!(
                "expected a share such as 10%, found '{}'",
                limit.trim()
            ));
        };
        Ok(Condition {
            kind,
            operator,
            limit: percent / 100.0,
            text: text.to_owned(),
        })
    }
}

impl Condition {
    /// Whether it holds, and the findings that it is about. What is a part of another finding counts only once.
    pub fn check<'f>(&self, findings: &'f [Finding]) -> (bool, Vec<&'f Finding>) {
        let is_meant =
            |it: &&Finding| self.kind.is_none_or(|kind| it.kind == kind) && it.of != Whole::Nothing;
        let meant: Vec<&Finding> = findings.iter().filter(is_meant).collect();
        let is_counted = |it: &&&Finding| match it.part_of {
            None => true,
            Some(around) => self.kind.is_some_and(|kind| findings[around].kind != kind),
        };
        let share = meant.iter().filter(is_counted).map(|it| it.share).sum();
        (self.operator.holds(share, self.limit), meant)
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
