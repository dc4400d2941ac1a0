//! Values of arguments as formats of text write them.

use callscape_facts::trace::Value;

/// A number, `true` or `false`; any other word is text. Integers of up to 128 bits are exact.
pub(crate) fn word(word: &str) -> Value<'_> {
    match word {
        "true" => return Value::Flag(true),
        "false" => return Value::Flag(false),
        _ => {}
    }
    if let Ok(number) = word.parse() {
        return Value::Integer(number);
    }
    let number = word.parse().ok().filter(|number: &f64| number.is_finite());
    number.map_or(Value::Text(word.into()), Value::Real)
}
