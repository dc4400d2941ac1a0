//! The names of symbols as people know them.

/// A symbol's name demangled. C++ names lose their parameters, template arguments and return types, which
/// is how uftrace's own report writes them; names of C stay.
pub fn demangle(symbol: &str) -> String {
    // Versions of symbols: `memcpy@@GLIBC_2.14`.
    let symbol = symbol.split_once('@').map_or(symbol, |(name, _)| name);
    if let Ok(rust) = rustc_demangle::try_demangle(symbol) {
        return format!("{rust:#}");
    }
    if !symbol.starts_with("_Z") {
        return symbol.to_owned();
    }
    let demangled = demangle_cpp(symbol);
    demangled.map_or_else(|| symbol.to_owned(), |name| without_arguments(&name))
}

/// Behind the parameters of a method.
const CONSTANT: &str = " const";

/// The same with template arguments, as perf writes names of C++.
pub(crate) fn demangle_with_arguments(symbol: &str) -> String {
    // What LLVM adds to parts of functions (`.warm`) is no part of their name.
    let symbol = match symbol.strip_prefix("_R") {
        Some(rest) => &symbol[..2 + rest.find('.').unwrap_or(rest.len())],
        None => symbol,
    };
    if let Ok(rust) = rustc_demangle::try_demangle(symbol) {
        return format!("{rust:#}");
    }
    let demangled = symbol.starts_with("_Z").then(|| demangle_cpp(symbol));
    let mut name = demangled.flatten().unwrap_or_else(|| symbol.to_owned());
    // It is told of the parameters, which are left out.
    if name.ends_with(CONSTANT) && symbol.starts_with("_Z") {
        name.truncate(name.len() - CONSTANT.len());
    }
    name
}

/// A name of C++. The demangler takes ASCII alone: letters of other alphabets are stood in for by as many bytes, which
/// are found nowhere else in the name.
fn demangle_cpp(symbol: &str) -> Option<String> {
    let mut ascii = symbol.to_owned();
    let mut stand_ins: Vec<(String, &str)> = Vec::new();
    let mut seeds =
        (b'a'..=b'z').flat_map(|letter| (b'0'..=b'9').map(move |digit| [letter, digit]));
    let mut runs: Vec<&str> = symbol
        .split(|c: char| c.is_ascii())
        .filter(|run| !run.is_empty())
        .collect();
    // One may hold another.
    runs.sort_by_key(|run| (std::cmp::Reverse(run.len()), *run));
    runs.dedup();
    for others in runs {
        let stand_in = seeds.find_map(|[letter, digit]| {
            let mut text = String::from(char::from(letter));
            text.extend(std::iter::repeat_n(char::from(digit), others.len() - 1));
            (!symbol.contains(&text[..2])).then_some(text)
        })?;
        ascii = ascii.replace(others, &stand_in);
        stand_ins.push((stand_in, others));
    }
    let options = cpp_demangle::DemangleOptions::new()
        .no_params()
        .no_return_type();
    let parsed = cpp_demangle::Symbol::new(&ascii).ok()?;
    let mut name = parsed.demangle_with_options(&options).ok()?;
    for (stand_in, others) in stand_ins.into_iter().rev() {
        name = name.replace(&stand_in, others);
    }
    Some(name)
}

/// The name without its template arguments: `std::vector<int>::push_back` as `std::vector::push_back`.
fn without_arguments(name: &str) -> String {
    let mut short = String::with_capacity(name.len());
    let mut depth = 0_u32;
    let mut rest = name;
    while let Some(next) = rest.chars().next() {
        if depth == 0 && is_operator(&short, rest) {
            // An operator's own angle brackets and arrows are part of its name.
            let length = operator_length(rest);
            short.push_str(&rest[..length]);
            rest = &rest[length..];
            continue;
        }
        match next {
            '<' => depth += 1,
            '>' if depth > 0 => depth -= 1,
            _ if depth == 0 => short.push(next),
            _ => {}
        }
        rest = &rest[next.len_utf8()..];
    }
    short
}

fn is_operator(before: &str, rest: &str) -> bool {
    let word_ends = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let follows = rest.strip_prefix("operator");
    word_ends && follows.is_some_and(|next| next.starts_with(['<', '>', '-']))
}

/// The length of an operator's name at the start of `text`.
fn operator_length(text: &str) -> usize {
    let symbols = text["operator".len()..]
        .bytes()
        .take_while(|byte| b"<>=-*".contains(byte))
        .count();
    let operator = &text[..text.len().min("operator".len() + symbols)];
    for known in [
        "operator<=>",
        "operator<<=",
        "operator>>=",
        "operator->*",
        "operator<<",
        "operator>>",
        "operator<=",
        "operator>=",
        "operator->",
        "operator-=",
        "operator--",
    ] {
        if operator.starts_with(known) {
            return known.len();
        }
    }
    "operator".len() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_as_people_know_them() {
        for (symbol, expected) in [
            ("main", "main"),
            ("memcpy@@GLIBC_2.14", "memcpy"),
            (
                "_ZN6shapes3fibEiRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
                "shapes::fib",
            ),
            (
                "_ZNSt6vectorISt6threadSaIS0_EE12emplace_backIJRFviERiEEERS0_DpOT_",
                "std::vector::emplace_back",
            ),
            ("_ZlsRSoRK1A", "operator<<"),
            ("_ZNK3FooltERKS_", "Foo::operator<"),
            (
                "_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE",
                "core::fmt::Formatter::write_str",
            ),
            ("_Znot_a_name", "_Znot_a_name"),
            ("_ZN5wörk3BoxIdE3getEi", "wörk::Box::get"),
            ("_ZN9größeä2ä2фEi", "größeä::ä::ф"),
            ("_ZN7größeä", "_ZN7größeä"),
        ] {
            assert_eq!(demangle(symbol), expected, "{symbol}");
        }
        let full = demangle_with_arguments("_ZNK6shapes3BoxIdE3getEi");
        assert_eq!(full, "shapes::Box<double>::get");
        assert_eq!(without_arguments("a<b<c>>::operator<<<d>"), "a::operator<<");
        assert_eq!(without_arguments("a<b>::operator->"), "a::operator->");
        assert_eq!(without_arguments("a>b"), "a>b");
    }
}
