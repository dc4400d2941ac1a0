//! Arguments of calls as people read them.

use std::fmt::Write;

use callscape_facts::trace::{Argument, Value};

/// `(size=3, name="left") = 7`: with what was returned at the end; empty where there are none.
pub fn in_parentheses(arguments: &[Argument<'_>]) -> String {
    if arguments.is_empty() {
        return String::new();
    }
    let text = |value: &Value<'_>| match value {
        Value::Text(text) => format!("\"{text}\""),
        other => other.to_string(),
    };
    let (returned, others): (Vec<_>, Vec<_>) = arguments.iter().partition(|it| it.name == "return");
    let others = others.iter();
    let others = others.map(|it| format!("{}={}", it.name, text(&it.value)));
    let mut shown = format!("({})", others.collect::<Vec<_>>().join(", "));
    for it in returned {
        // Writing to a string does not fail.
        let _ = write!(shown, " = {}", text(&it.value));
    }
    shown
}

/// The same up to so many characters, with an ellipsis where it is longer.
pub fn shortened(arguments: &[Argument<'_>], most: usize) -> String {
    let whole = in_parentheses(arguments);
    match whole.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &whole[..end]),
        None => whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_returned_is_behind_the_arguments() {
        let argument = |name: &'static str, value| Argument {
            name: name.into(),
            value,
        };
        let list = [
            argument("return", Value::Integer(7)),
            argument("size", Value::Address(255)),
            argument("name", Value::Text("left".into())),
        ];
        assert_eq!(in_parentheses(&list), "(size=0xff, name=\"left\") = 7");
        assert_eq!(shortened(&list, 9), "(size=0xf…");
        assert_eq!(in_parentheses(&[]), "");
    }
}
