//! Who wrote a trace shows in how it names functions and where it says that they stand.

use std::collections::HashMap;

use super::events::Location;
use super::spellings::{Name, Spellings};
use callscape_base::units::FunctionId;
use callscape_facts::builder::TraceBuilder;
use callscape_facts::functions::Function;
use callscape_facts::hashing::BuildFast;

/// The functions of a trace, found by what its events say without allocation or decoding for each event.
#[derive(Default)]
pub(super) struct Dialects {
    pub names: Spellings,
    /// By name, file, line, and what Callscape writes besides.
    located: HashMap<(Name, Name, u32, Option<Name>), FunctionId, BuildFast>,
}

impl Dialects {
    /// The function that an event with this name and location is a call of.
    #[inline]
    pub(super) fn function(
        &mut self,
        name: Name,
        location: &Location<'_>,
        builder: &mut TraceBuilder<'_>,
    ) -> FunctionId {
        if !location.is_empty() {
            return self.located(name, location, builder);
        }
        self.named(name, builder)
    }

    /// The function that an event with this name, and no location, is a call of.
    #[inline]
    pub(super) fn named(&mut self, name: Name, builder: &mut TraceBuilder<'_>) -> FunctionId {
        match self.names.function(name) {
            Some(function) => function,
            None => self.plain(name, builder),
        }
    }

    #[inline(never)]
    fn plain(&mut self, name: Name, builder: &mut TraceBuilder<'_>) -> FunctionId {
        let (name_alone, file, line) = split_name(self.names.text(name));
        let function = builder.function(Function {
            name: name_alone,
            file,
            line,
            library: "",
        });
        self.names.set_function(name, function);
        function
    }

    fn located(
        &mut self,
        name: Name,
        location: &Location<'_>,
        builder: &mut TraceBuilder<'_>,
    ) -> FunctionId {
        let file = location.joined.or(location.file).unwrap_or_default();
        let (file, _) = self.names.name(file);
        let line = location.line.unwrap_or(0);
        // Where the line is a running one, functions are told apart by name and file alone.
        let running = if location.line_runs { 0 } else { line };
        let own = location.own.map(|own| self.names.name(own).0);
        let key = (name, file, running, own);
        if let Some(&function) = self.located.get(&key) {
            return function;
        }
        let (name_alone, ..) = split_name(self.names.text(name));
        let (file, line) = match location.joined {
            Some(_) => split_location(self.names.text(file)),
            None => (self.names.text(file), line),
        };
        let own = own.and_then(|own| self.names.text(own).rsplit_once(':'));
        let (library, column) = own.unwrap_or_default();
        let function = Function {
            name: name_alone,
            file,
            line,
            library,
        };
        let function = builder.function_at(function, column.parse().unwrap_or(0));
        self.located.insert(key, function);
        function
    }
}

/// VizTracer's `function (file:line)` as name, file and line; any other name alone.
pub(crate) fn split_name(name: &str) -> (&str, &str, u32) {
    let alone = (name, "", 0);
    let Some(before_close) = name.strip_suffix(')') else {
        return alone;
    };
    // The parenthesis that the last one closes: function and file may both contain others.
    let mut depth = 1;
    let open = before_close.bytes().rposition(|byte| {
        match byte {
            b')' => depth += 1,
            b'(' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    let Some(function) = open.and_then(|open| before_close[..open].strip_suffix(' ')) else {
        return alone;
    };
    let (file, line) = split_location(&before_close[function.len() + 2..]);
    let looks_like_file = file.starts_with('<') || file.contains(['.', '/', '\\']);
    if function.is_empty() || line == 0 || !looks_like_file {
        return alone;
    }
    (function, file, line)
}

/// `file:line` as file and line; a file alone has line 0.
fn split_location(text: &str) -> (&str, u32) {
    match text.rsplit_once(':') {
        Some((file, line)) => match line.parse() {
            Ok(line) => (file, line),
            Err(_) => (text, 0),
        },
        None => (text, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_their_location_are_taken_apart() {
        for (name, expected) in [
            ("f (/a/b.py:12)", ("f", "/a/b.py", 12)),
            ("<module> (<string>:1)", ("<module>", "<string>", 1)),
            ("C.f (C:\\a.py:7)", ("C.f", "C:\\a.py", 7)),
            ("f (/my dir (1)/a.py:7)", ("f", "/my dir (1)/a.py", 7)),
            (
                "call<void (int)> (a.cpp:3)",
                ("call<void (int)>", "a.cpp", 3),
            ),
            ("operator() (a.cpp:3)", ("operator()", "a.cpp", 3)),
            ("builtins.exec", ("builtins.exec", "", 0)),
            ("range (3:4)", ("range (3:4)", "", 0)),
            ("f(int)", ("f(int)", "", 0)),
            (" (a.py:3)", (" (a.py:3)", "", 0)),
            ("f (a.py:0)", ("f (a.py:0)", "", 0)),
            ("f (a.py:99999999999)", ("f (a.py:99999999999)", "", 0)),
            ("(a)) (", ("(a)) (", "", 0)),
            (")", (")", "", 0)),
            ("é (é.py:3)", ("é", "é.py", 3)),
        ] {
            assert_eq!(split_name(name), expected, "{name}");
        }
    }
}
