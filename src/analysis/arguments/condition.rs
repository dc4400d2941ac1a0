//! What an argument is to be: `size > 1000`, `name ~ left`.

use std::cmp::Ordering;
use std::str::FromStr;

use callscape_facts::trace::{Number, Value};

/// How a value is compared with the wanted one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Equal,
    Unequal,
    Less,
    AtMost,
    More,
    AtLeast,
    Contains,
}

/// Longer ones first: `<` is the start of `<=`.
const OPERATORS: [(&str, Operator); 8] = [
    ("!=", Operator::Unequal),
    ("<=", Operator::AtMost),
    (">=", Operator::AtLeast),
    ("==", Operator::Equal),
    ("=", Operator::Equal),
    ("<", Operator::Less),
    (">", Operator::More),
    ("~", Operator::Contains),
];

/// What an argument of a call is to be.
#[derive(Clone, Debug)]
pub struct Condition {
    /// Of the argument.
    pub name: String,
    operator: Operator,
    wanted: String,
    number: Option<Number>,
}

/// A text that is no condition.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoCondition {
    #[error("expected a condition such as 'size > 1000', with =, !=, <, <=, >, >= or ~ (contains)")]
    Operator,
    #[error("expected the name of an argument before {0}")]
    Name(&'static str),
    #[error("expected a number after {0}, found '{1}'")]
    Number(&'static str, String),
}

impl FromStr for Condition {
    type Err = NoCondition;

    fn from_str(text: &str) -> Result<Condition, NoCondition> {
        let at = text.find(['=', '!', '<', '>', '~']);
        let (name, rest) = text.split_at(at.ok_or(NoCondition::Operator)?);
        let found = OPERATORS.iter().find(|(sign, _)| rest.starts_with(sign));
        let &(sign, operator) = found.ok_or(NoCondition::Operator)?;
        let name = name.trim();
        if name.is_empty() {
            return Err(NoCondition::Name(sign));
        }
        let wanted = rest[sign.len()..].trim();
        let quoted = wanted.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
        let number = Number::parse(wanted);
        let needs_number = matches!(
            operator,
            Operator::Less | Operator::AtMost | Operator::More | Operator::AtLeast
        );
        if needs_number && number.is_none() {
            return Err(NoCondition::Number(sign, wanted.to_owned()));
        }
        Ok(Condition {
            name: name.to_owned(),
            operator,
            wanted: quoted.unwrap_or(wanted).to_owned(),
            number,
        })
    }
}

impl Condition {
    /// Whether a value of an argument of this name is as wanted. Numbers are compared as numbers, also those that are
    /// written as text.
    pub fn holds(&self, value: &Value<'_>) -> bool {
        let order = || value.number()?.order(self.number?);
        let is_equal = || match order() {
            Some(order) => order == Ordering::Equal,
            None => text_is(value, &self.wanted),
        };
        match self.operator {
            Operator::Equal => is_equal(),
            Operator::Unequal => !is_equal(),
            Operator::Less => order() == Some(Ordering::Less),
            Operator::AtMost => matches!(order(), Some(Ordering::Less | Ordering::Equal)),
            Operator::More => order() == Some(Ordering::Greater),
            Operator::AtLeast => matches!(order(), Some(Ordering::Greater | Ordering::Equal)),
            Operator::Contains => match value {
                Value::Text(text) => text.contains(&self.wanted),
                other => other.to_string().contains(&self.wanted),
            },
        }
    }
}

fn text_is(value: &Value<'_>, wanted: &str) -> bool {
    match value {
        Value::Text(text) => text == wanted,
        other => other.to_string() == wanted,
    }
}
