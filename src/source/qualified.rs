//! Qualified names taken apart: `ns::Map<K, V>::get` is `ns`, `Map`, `get`.

/// The parts of a name between `::` outside of brackets, without template arguments.
///
/// Operators keep their signs: `A::operator<` has the parts `A` and `operator<`. O(n).
pub fn parts(name: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut part = String::new();
    let mut depth = 0usize;
    let mut rest = name;
    while let Some(next) = rest.chars().next() {
        if depth == 0 && part.is_empty() && is_operator(rest) {
            // An operator is the last part: nothing in it opens or separates.
            part.push_str(rest);
            break;
        }
        if depth == 0 && rest.starts_with("::") {
            push(&mut parts, &mut part);
            rest = &rest[2..];
            continue;
        }
        match next {
            '<' | '(' | '[' | '{' => depth += 1,
            '>' | ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ if depth == 0 => part.push(next),
            _ => {}
        }
        rest = &rest[next.len_utf8()..];
    }
    push(&mut parts, &mut part);
    parts
}

fn is_operator(text: &str) -> bool {
    text.strip_prefix("operator")
        .and_then(|rest| rest.chars().next())
        .is_some_and(|next| !(next.is_alphanumeric() || next == '_'))
}

fn push(parts: &mut Vec<String>, part: &mut String) {
    let trimmed = part.trim();
    if !trimmed.is_empty() {
        parts.push(trimmed.to_owned());
    }
    part.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart_outside_of_brackets() {
        assert_eq!(parts("f"), ["f"]);
        assert_eq!(parts("a::b::C::f"), ["a", "b", "C", "f"]);
        assert_eq!(parts("::a::Map<a::K, b::V>::get"), ["a", "Map", "get"]);
        assert_eq!(parts("A::operator<"), ["A", "operator<"]);
        assert_eq!(parts("A::operator()"), ["A", "operator()"]);
        assert_eq!(parts("A::~A"), ["A", "~A"]);
        assert_eq!(parts("operators"), ["operators"]);
        assert!(parts("").is_empty());
        assert!(parts("<<>").is_empty());
    }
}
