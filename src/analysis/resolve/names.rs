//! Function names taken apart, whatever language and demangler they come from.

/// Nested `<<T as A>::B as C>` are followed this deep, and dropped below.
const DEEPEST: usize = 6;

/// The parts of a function's name that compare: scopes first, the function's own name last.
///
/// Left out are template arguments, parameter lists, return types, hashes and the suffixes of clones
/// (`f.constprop.0`, `f [clone .cold]`), and all that has no name of its own: `<locals>`, `<lambda>`,
/// `{{closure}}`, `(anonymous namespace)`. So a closure has the parts of the function around it, and
/// `<module>` has none. `<T as Trait>::f` is `T`, `f`. O(n).
pub(crate) fn parts(name: &str) -> Vec<&str> {
    take_apart(name).0
}

/// Whether the function itself has a name; not so a closure, a generator, the code of a file.
pub(crate) fn has_own_name(name: &str) -> bool {
    take_apart(name).1
}

fn take_apart(name: &str) -> (Vec<&str>, bool) {
    let mut name = strip_clone_suffixes(name.trim());
    if let Some((before, last)) = name.rsplit_once("::")
        && is_hash(last)
    {
        name = before;
    }
    let mut parts = Vec::new();
    let mut has_own_name = collect(name, 0, &mut parts);
    // The call operator of a lambda is as nameless as the lambda.
    if name.contains("{lambda") && parts.last() == Some(&"operator()") {
        parts.pop();
        has_own_name = false;
    }
    (parts, has_own_name)
}

/// Whether `name` has no signs that [`parts`] would have to look at: it is its own only part.
pub(crate) fn is_plain(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'~');
    !name.is_empty() && name.bytes().all(plain)
}

/// Adds the parts of a name; the answer is whether its last part is among them.
fn collect<'a>(name: &'a str, depth: usize, parts: &mut Vec<&'a str>) -> bool {
    if depth > DEEPEST {
        return false;
    }
    let separator = if name.contains("::") { "::" } else { "." };
    let has_words = separator == "::" || name.contains('(');
    let bytes = name.as_bytes();
    let mut start = 0;
    let mut at = 0;
    // Whether the part under way has begun with a name: then brackets hold its arguments.
    let mut has_name = false;
    while at < name.len() {
        let rest = &bytes[at..];
        if at == start && starts_operator(rest) {
            parts.push(operator(&name[at..]));
            return true;
        }
        if rest.starts_with(separator.as_bytes()) {
            push(&name[start..at], parts);
            at += separator.len();
            start = at;
            has_name = false;
            continue;
        }
        match bytes[at] {
            open @ (b'<' | b'(' | b'[' | b'{') => {
                has_name = has_name || start < at;
                push(&name[start..at], parts);
                let inside_start = at + 1;
                let inside_end = closing(bytes, at);
                // Brackets are ASCII, so both are character boundaries.
                let inside = &name[inside_start..inside_end];
                if !has_name && open == b'<' {
                    collect_type(inside, depth, parts);
                } else if !has_name && inside.starts_with('*') {
                    // A method of Go: `(*T).f`.
                    push(&inside[1..], parts);
                }
                at = (inside_end + 1).min(name.len());
                start = at;
                let goes_on = bytes[at..].starts_with(separator.as_bytes());
                if open == b'(' && has_name && !goes_on {
                    // The parameters of the function: what follows is `const` and the like.
                    return true;
                }
            }
            b' ' if has_words => {
                // What stood before is the return type, or `non-virtual thunk to`.
                parts.clear();
                at += 1;
                start = at;
                has_name = false;
            }
            _ => at += 1,
        }
    }
    push(&name[start..], parts);
    has_name || start < name.len()
}

fn push<'a>(part: &'a str, parts: &mut Vec<&'a str>) {
    let part = part.trim();
    let part = part.strip_prefix("r#").unwrap_or(part);
    // Accessors of JavaScript: `get size`.
    let part = ["get ", "set ", "async ", "static "]
        .iter()
        .find_map(|prefix| part.strip_prefix(prefix))
        .unwrap_or(part);
    // Namespaces of PHP.
    for part in part.split('\\').filter(|part| !part.is_empty()) {
        parts.push(part);
    }
}

/// `T as Trait`, `impl Trait for T`, `impl T`: the type, if `inside` names one at all.
fn collect_type<'a>(inside: &'a str, depth: usize, parts: &mut Vec<&'a str>) {
    let kind = inside
        .strip_prefix("impl ")
        .map(|rest| rest.rsplit_once(" for ").map_or(rest, |(_, kind)| kind))
        .or_else(|| split_outside(inside, " as ").map(|(kind, _)| kind))
        // An inherent method of Rust: `<a::Type>::f`.
        .or_else(|| inside.contains("::").then_some(inside));
    if let Some(kind) = kind {
        let kind = kind.trim_start_matches(['&', '*']);
        let mut names = Vec::new();
        collect(kind.trim_start_matches("mut "), depth + 1, &mut names);
        // In `a::<impl Trait for b::T>::f` the type's own path counts.
        parts.clear();
        parts.append(&mut names);
    }
}

/// Splits at the last `separator` that stands outside of angle brackets.
fn split_outside<'a>(text: &'a str, separator: &str) -> Option<(&'a str, &'a str)> {
    let mut depth = 0usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'<' => depth += 1,
            b'>' => depth = depth.saturating_sub(1),
            b' ' if depth == 0 && text[at..].starts_with(separator) => {
                return Some((&text[..at], &text[at + separator.len()..]));
            }
            _ => {}
        }
    }
    None
}

/// Where the bracket at `open` is closed; the end of the text when it is not.
fn closing(bytes: &[u8], open: usize) -> usize {
    let mut depth = 0usize;
    for (at, byte) in bytes.iter().enumerate().skip(open) {
        match byte {
            b'<' | b'(' | b'[' | b'{' => depth += 1,
            // The arrow of a function type closes nothing.
            b'>' if at > 0 && bytes[at - 1] == b'-' => {}
            b'>' | b')' | b']' | b'}' => {
                depth -= 1;
                if depth == 0 {
                    return at;
                }
            }
            _ => {}
        }
    }
    bytes.len()
}

fn starts_operator(text: &[u8]) -> bool {
    text.strip_prefix(b"operator")
        .and_then(|rest| rest.first())
        .is_some_and(|next| !(next.is_ascii_alphanumeric() || *next == b'_'))
}

/// `operator()` or `operator<` without its parameters.
fn operator(text: &str) -> &str {
    let signs = "operator".len();
    let from = if text[signs..].trim_start().starts_with("()") {
        text[signs..].find("()").map_or(signs, |at| signs + at + 2)
    } else {
        signs
    };
    let end = text[from..].find('(').map_or(text.len(), |at| from + at);
    text[..end].trim_end()
}

/// `h` and 16 hexadecimal digits: what legacy mangling of Rust ends with.
fn is_hash(part: &str) -> bool {
    part.len() == 17
        && part.starts_with('h')
        && part[1..].bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn strip_clone_suffixes(name: &str) -> &str {
    let mut name = name;
    if let Some((before, _)) = name.split_once(" [clone ") {
        name = before;
    }
    // Symbol versions and procedure linkage: `memcpy@GLIBC_2.14`, `puts@plt`.
    if let Some((before, _)) = name.split_once('@')
        && is_plain(before)
    {
        name = before;
    }
    while let Some((before, suffix)) = name.rsplit_once('.') {
        let by_compiler = [
            "constprop",
            "isra",
            "part",
            "cold",
            "lto_priv",
            "llvm",
            "localalias",
            "clone",
            "unlikely",
            "warm",
        ];
        let is_number = !suffix.is_empty() && suffix.bytes().all(|byte| byte.is_ascii_digit());
        if before.is_empty() || !(is_number || by_compiler.contains(&suffix)) {
            break;
        }
        name = before;
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_many_languages_are_taken_apart() {
        for (name, expected) in [
            ("lua_newstate", &["lua_newstate"][..]),
            ("a::b::C::f", &["a", "b", "C", "f"]),
            (
                "json.decoder.JSONDecoder.decode",
                &["json", "decoder", "JSONDecoder", "decode"],
            ),
            ("C.f.<locals>.g", &["C", "f", "g"]),
            (
                "Version.__init__.<locals>.<genexpr>",
                &["Version", "__init__"],
            ),
            ("<module>", &[]),
            ("<lambda>", &[]),
            ("(anonymous)", &[]),
            (
                "void ns::Map<int, a::B>::get<char>(int, a::B) const",
                &["ns", "Map", "get"],
            ),
            ("(anonymous namespace)::f(int)", &["f"]),
            ("A::operator()(int) const", &["A", "operator()"]),
            ("A::operator<(A const&)", &["A", "operator<"]),
            (
                "A::f(int)::{lambda(int)#1}::operator()(int) const",
                &["A", "f"],
            ),
            (
                "std::vector<int, std::allocator<int> >::~vector()",
                &["std", "vector", "~vector"],
            ),
            (
                "<a::Type as core::fmt::Display>::fmt",
                &["a", "Type", "fmt"],
            ),
            (
                "a::b::<impl core::fmt::Debug for a::Type>::fmt",
                &["a", "Type", "fmt"],
            ),
            ("<<T as A>::B as C>::f", &["T", "B", "f"]),
            ("<a::Type>::f", &["a", "Type", "f"]),
            ("a::f::{{closure}}::h0123456789abcdef", &["a", "f"]),
            ("a::f::h0123456789abcdef", &["a", "f"]),
            ("f.constprop.0.isra.1", &["f"]),
            ("f.part.0.cold", &["f"]),
            ("f(int) [clone .cold]", &["f"]),
            ("memcpy@GLIBC_2.14", &["memcpy"]),
            ("main.(*Server).Serve", &["main", "Server", "Serve"]),
            ("get size", &["size"]),
            ("java.util.HashMap.put", &["java", "util", "HashMap", "put"]),
            ("non-virtual thunk to A::f()", &["A", "f"]),
            ("", &[]),
            ("operator new(unsigned long)", &["operator new"]),
        ] {
            assert_eq!(parts(name), expected, "{name}");
        }
    }

    #[test]
    fn closures_and_the_code_of_files_have_no_own_name() {
        for name in [
            "f",
            "a::f(int) const",
            "A::operator<(A)",
            "f<int>",
            "<T as A>::f",
            "a::f::h0123456789abcdef",
        ] {
            assert!(has_own_name(name), "{name}");
        }
        for name in [
            "",
            "<module>",
            "f.<locals>.<lambda>",
            "a::f::{{closure}}",
            "a::f::{{closure}}::h0123456789abcdef",
            "A::f()::{lambda(int)#1}::operator()(int) const",
            "(anonymous)",
        ] {
            assert!(!has_own_name(name), "{name}");
        }
    }

    #[test]
    fn no_name_is_too_odd() {
        for name in [
            "<<<<",
            "::::",
            "(((",
            ")))",
            "a<b",
            "é::ü(",
            "{}",
            ".",
            "..",
            "operator",
            "<a as >::",
            "->(>",
        ] {
            parts(name);
        }
        let deep = "<".repeat(10_000) + &" as x>".repeat(10_000);
        parts(&deep);
    }
}
