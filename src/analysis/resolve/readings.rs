//! What a recorded name may mean in the source: every runtime and tool writes names in its own way.

use std::borrow::Cow;

/// A name as it may stand in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reading<'a> {
    /// With `::` or `.` between its parts, whatever the recording has.
    pub name: Cow<'a, str>,
    /// Whether the function itself has a name there: not so a block or a closure, which is part of what it is in.
    pub is_own: bool,
}

/// The names to look for, in this order. The first is the name as it is, in common notation; the others are
/// what a compiler or runtime has made of another: `Point.<init>` is `Point.Point`, `Size` was `get_Size`.
///
/// Written in common notation are: mangled symbols (C++, Rust), `Assembly!Name`, `Class#method` and `block in f` of
/// Ruby, `Ns\Class->method` of PHP, `module:function` of Python, `Outer$Inner.f` of Java, `A+B.f` and ``A`1.f`` of
/// .NET, `github.com/x/pkg.(*T).f` of Go, `f/<` of Firefox, `f [as g]` and `async f` of V8, `f+0x1c`. O(n).
pub(crate) fn of(name: &str) -> Vec<Reading<'_>> {
    let first = in_common_notation(name);
    let mut readings = vec![first.clone()];
    let mut add = |name: String, is_own: bool| {
        let name = Cow::Owned(name);
        readings.push(Reading { name, is_own });
    };
    let name = &*first.name;
    let (scope, own_name) = split_last(name);
    let class = split_last(scope.trim_end_matches('.')).1;
    match own_name {
        // The constructor of a class is known by the name of the class, or as `constructor`, `__construct`, `init`.
        "<init>" | "ctor" | "{ctor}" if !class.is_empty() => {
            let scope = scope.trim_end_matches('.');
            add(format!("{scope}.{class}"), true);
            for constructor in ["constructor", "__construct", "init"] {
                add(format!("{scope}.{constructor}"), true);
            }
        }
        _ => {}
    }
    if let Some(class) = name.strip_prefix("new ") {
        add(format!("{class}.constructor"), true);
        add(class.to_owned(), true);
    }
    // `initialize` of Ruby and `__init__` of Python have names of their own in the source.
    if let Some((outer, inner)) = made_by_compiler(own_name, scope) {
        if let Some(inner) = inner {
            add(inner, true);
        }
        add(outer, false);
    }
    for prefix in ["get_", "set_", "add_", "remove_"] {
        if let Some(property) = own_name.strip_prefix(prefix).filter(|_| !scope.is_empty()) {
            add(format!("{scope}{property}"), true);
        }
    }
    if let Some(outer) = without_go_closures(name) {
        add(outer.to_owned(), false);
    }
    readings
}

/// The name before its last separator, the separator included, and the last part.
fn split_last(name: &str) -> (&str, &str) {
    let at = name.rfind(['.', ':']).map_or(0, |at| at + 1);
    name.split_at(at)
}

fn in_common_notation(name: &str) -> Reading<'_> {
    let mut text = Cow::Borrowed(name.trim());
    let mut is_own = true;
    if let Some(demangled) = demangled(&text) {
        text = Cow::Owned(demangled);
    }
    if let Some(at) = text.find("+0x").filter(|&at| at > 0) {
        text = Cow::Owned(text[..at].to_owned());
    }
    if let Some(at) = text.find(" [as ").filter(|&at| at > 0) {
        text = Cow::Owned(text[..at].to_owned());
    }
    // `block in f`, `block (2 levels) in f`, `rescue in f`.
    let ruby = ["block ", "rescue in ", "ensure in "];
    if ruby.iter().any(|start| text.starts_with(start))
        && let Some(at) = text.rfind(" in ")
    {
        text = Cow::Owned(text[at + 4..].to_owned());
        is_own = false;
    }
    // `f/<` and `f/g<`: without name, in f.
    if text.ends_with('<')
        && let Some(at) = text.find('/').filter(|&at| at > 0)
    {
        text = Cow::Owned(text[..at].to_owned());
        is_own = false;
    }
    // `{closure}` of PHP, with or without its place, stands for what it is in.
    if let Some(at) = text
        .find("{closure")
        .filter(|&at| !text[at..].starts_with("{closure#"))
    {
        let in_rust = text[..at].ends_with('{');
        if !in_rust {
            let before = text[..at].trim_end_matches(['\\', ':', '>', '-']);
            text = Cow::Owned(before.to_owned());
            is_own = false;
        }
    }
    if let Some((assembly, rest)) = text.split_once('!')
        && !rest.is_empty()
        && !assembly.is_empty()
        && assembly
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
    {
        text = Cow::Owned(rest.to_owned());
    }
    if let Some(separated) = with_common_separators(&text) {
        text = Cow::Owned(separated);
    }
    Reading { name: text, is_own }
}

fn demangled(name: &str) -> Option<String> {
    let name = name
        .strip_prefix('_')
        .filter(|name| name.starts_with("_Z"))
        .unwrap_or(name);
    let is_mangled = ["_Z", "_R"].iter().any(|start| name.starts_with(start));
    is_mangled.then(|| callscape_import::demangle::demangle(name))
}

/// The name with `.` in place of the separators of Ruby, PHP, Python, Java, .NET and Go; none where it has none of
/// them, or where they mean something else: in C++ and Rust everything stands between `::`.
fn with_common_separators(name: &str) -> Option<String> {
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80;
    if name.bytes().all(|b| is_plain(b) || b == b'.') || name.contains("operator") {
        return None;
    }
    let bytes = name.as_bytes();
    let has_spaces = name.contains(' ');
    let is_php = name.contains('\\') || name.contains("->") && !has_spaces;
    let is_scoped = name.contains("::");
    // Of a path before a name, as Go has it, the last part is the package.
    let path_end = bytes
        .iter()
        .position(|&b| matches!(b, b'(' | b'[' | b'<' | b' ' | b':'));
    let path = &name[..path_end.unwrap_or(name.len())];
    let path_end = path
        .rfind('/')
        .filter(|_| !is_scoped && !path.starts_with('/'));
    let mut out = String::with_capacity(name.len());
    let mut depth = 0usize;
    let mut rest = name.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        let before = at.checked_sub(1).map_or(b' ', |before| bytes[before]);
        let after = bytes.get(at + c.len_utf8()).copied().unwrap_or(b' ');
        let is_between = is_plain(before) && (is_plain(after) || after == b'<');
        match c {
            '/' if path_end.is_some_and(|end| at <= end) => out.push('.'),
            '.' if path_end.is_some_and(|end| at < end) => out.push('_'),
            '\\' if is_php => {
                if !out.is_empty() {
                    out.push_str(if is_scoped { "::" } else { "." });
                }
            }
            '-' if is_php && after == b'>' => {
                rest.next();
                out.push_str(if is_scoped { "::" } else { "." });
            }
            '#' if depth == 0 && is_plain(before) && !has_spaces => {
                out.push_str(if is_scoped { "::" } else { "." });
            }
            ':' if depth == 0 && !is_scoped && is_between && !name.contains('/') => out.push('.'),
            // Classes inside others; what has no name has a number.
            '$' | '+' if depth == 0 && !is_scoped && is_between && name[at..].contains('.') => {
                out.push('.');
            }
            // How many type parameters a class of .NET has.
            '`' if after.is_ascii_digit() => {
                while rest.next_if(|(_, c)| c.is_ascii_digit()).is_some() {}
            }
            '(' | '<' | '[' | '{' => {
                depth += 1;
                out.push(c);
            }
            ')' | '>' | ']' | '}' => {
                depth = depth.saturating_sub(1);
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    (out != name).then_some(out)
}

/// What a compiler has named itself: the function that it is in, and its own name in the source if it has one.
fn made_by_compiler(own_name: &str, scope: &str) -> Option<(String, Option<String>)> {
    // Java: `lambda$main$0`.
    if let Some(rest) = own_name.strip_prefix("lambda$") {
        let outer = rest.rsplit_once('$').map_or(rest, |(outer, _)| outer);
        return Some((format!("{scope}{outer}"), None));
    }
    // .NET: `<Main>b__0_1` is a lambda, `<Main>g__Local|0_0` a local function, `<Run>d__5.MoveNext` a coroutine.
    let whole = format!("{scope}{own_name}");
    let open = whole.find('<')?;
    let close = open + whole[open..].find('>')?;
    let outer = &whole[open + 1..close];
    let kind = &whole.as_bytes()[close + 1..];
    if outer.is_empty() || kind.get(1..3) != Some(b"__") {
        return None;
    }
    // Classes that only the compiler knows: `Type.<>c`.
    let scope = whole[..open].replace("<>c.", "");
    let scope = scope.split("<>c__").next().unwrap_or_default();
    let local = match kind.first() {
        Some(b'g') => whole[close + 4..].split('|').next(),
        _ => None,
    };
    let local = local.map(|local| format!("{scope}{outer}.{local}"));
    Some((format!("{scope}{outer}"), local))
}

/// `main.f.func1.2` and `pkg.T.f-fm` of Go, without what stands for a closure.
fn without_go_closures(name: &str) -> Option<&str> {
    let mut outer = name.strip_suffix("-fm").unwrap_or(name);
    while let Some((before, last)) = outer.rsplit_once('.') {
        let digits = last
            .strip_prefix("func")
            .or(last.strip_prefix("gowrap"))
            .unwrap_or(last);
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            break;
        }
        outer = before;
    }
    (outer.len() < name.len() && !outer.is_empty()).then_some(outer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_every_runtime_are_read() {
        for (name, expected) in [
            ("f", &["f"][..]),
            ("a.b.C.f", &["a.b.C.f"]),
            ("_ZN3foo3barEv", &["foo::bar"]),
            ("_RNvC6_123foo3bar", &["123foo::bar"]),
            ("f+0x1c", &["f"]),
            ("Foo.bar [as baz]", &["Foo.bar"]),
            ("block in Foo::Bar#run", &["Foo::Bar::run"]),
            ("block (2 levels) in Foo#run", &["Foo.run"]),
            ("Foo#run", &["Foo.run"]),
            ("A\\B\\C::run", &["A::B::C::run"]),
            ("A\\B\\C->run", &["A.B.C.run"]),
            ("A\\B\\{closure}", &["A.B"]),
            ("json.decoder:decode", &["json.decoder.decode"]),
            ("a.Outer$Inner.run", &["a.Outer.Inner.run"]),
            ("$scope.run", &["$scope.run"]),
            ("My.Lib!A.B`1.Run", &["A.B.Run"]),
            ("A.B+C.Run(int)", &["A.B.C.Run(int)"]),
            ("f/<", &["f"]),
            ("a::f::{{closure}}", &["a::f::{{closure}}"]),
            ("operator<(A const&)", &["operator<(A const&)"]),
            ("linux:schedule", &["linux.schedule"]),
            (
                "a.Point.<init>",
                &[
                    "a.Point.<init>",
                    "a.Point.Point",
                    "a.Point.constructor",
                    "a.Point.__construct",
                    "a.Point.init",
                ],
            ),
            ("new Point", &["new Point", "Point.constructor", "Point"]),
            ("a.C.lambda$main$0", &["a.C.lambda$main$0", "a.C.main"]),
            ("A.C.<Main>b__0_1", &["A.C.<Main>b__0_1", "A.C.Main"]),
            (
                "A.C.<Main>g__Local|0_0",
                &["A.C.<Main>g__Local|0_0", "A.C.Main.Local", "A.C.Main"],
            ),
            (
                "A.C.<Run>d__5.MoveNext",
                &["A.C.<Run>d__5.MoveNext", "A.C.Run"],
            ),
            ("A.C.get_Size", &["A.C.get_Size", "A.C.Size"]),
            ("get_size", &["get_size"]),
            (
                "main.(*Server).Serve.func1.2",
                &["main.(*Server).Serve.func1.2", "main.(*Server).Serve"],
            ),
            ("github.com/x/y.v2/pkg.F", &["github_com.x.y_v2.pkg.F"]),
            ("pkg.T.run-fm", &["pkg.T.run-fm", "pkg.T.run"]),
        ] {
            let readings = of(name);
            let names: Vec<&str> = readings.iter().map(|reading| &*reading.name).collect();
            assert_eq!(names, expected, "{name}");
        }
    }

    #[test]
    fn no_name_is_too_odd() {
        for name in [
            "",
            "<",
            ">",
            "<>",
            "<a>",
            "<a>b",
            "<a>b__",
            "$",
            "+",
            "`",
            "`1",
            "#",
            "\\",
            "->",
            "{closure",
            "!",
            "a!",
            "_Z",
            "__Z",
            "_R",
            "é$é.é",
            "block in ",
            "/<",
            "new ",
            ".<init>",
            "lambda$",
            ".func1",
            "-fm",
            "+0x",
        ] {
            of(name);
        }
    }
}
