//! Symbols in the frames of perf's samples as functions.

use std::collections::HashMap;

use crate::demangle::demangle;
use crate::text::decode;
use callscape_base::units::FunctionId;
use callscape_facts::builder::TraceBuilder;
use callscape_facts::functions::Function;
use callscape_facts::hashing::BuildFast;
use callscape_facts::names::{NameId, Names};

/// A frame of the sample at hand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct StackFrame {
    pub symbol: NameId,
    pub library: NameId,
    pub inlined: bool,
    pub file: NameId,
    pub line: u32,
}

/// Symbols, libraries and files by name, and the functions that they are.
#[derive(Default)]
pub(crate) struct Symbols {
    names: Names,
    /// By the bytes in the file.
    spellings: HashMap<Box<[u8]>, NameId, BuildFast>,
    /// By symbol, library and file.
    functions: HashMap<(NameId, NameId, NameId), FunctionId, BuildFast>,
    /// By what stands in a line of a stack, the frame that it is: most come again and again.
    pub frames: HashMap<Box<[u8]>, StackFrame, BuildFast>,
}

impl Symbols {
    /// The name written so; `warn` is told of text in another encoding.
    pub(crate) fn name(&mut self, bytes: &[u8], warn: impl FnOnce(&'static str)) -> NameId {
        if let Some(&name) = self.spellings.get(bytes) {
            return name;
        }
        let (text, is_other) = decode(bytes);
        if is_other {
            warn("invalid-text");
        }
        let name = self.names.intern(&text);
        self.spellings.insert(bytes.into(), name);
        name
    }

    /// The function of a frame in this library.
    pub(crate) fn function(
        &mut self,
        frame: &StackFrame,
        library: NameId,
        builder: &mut TraceBuilder<'_>,
    ) -> FunctionId {
        let key = (frame.symbol, library, frame.file);
        if let Some(&function) = self.functions.get(&key) {
            return function;
        }
        let library = self.names.get(library);
        let (name, file, line) = symbol_parts(self.names.get(frame.symbol));
        let function = builder.function(Function {
            name: &name,
            file: if file.is_empty() {
                self.names.get(frame.file)
            } else {
                file
            },
            line: if line == 0 { frame.line } else { line },
            library: match library.rsplit_once('/') {
                // A compiler's map is no library.
                Some((_, base)) if base.starts_with("perf-") && base.ends_with(".map") => "",
                Some((_, base)) if !base.is_empty() => base,
                _ => library,
            },
        });
        self.functions.insert(key, function);
        function
    }
}

/// The name, file and line in a symbol, which just-in-time compilers write in their own ways.
fn symbol_parts(symbol: &str) -> (String, &str, u32) {
    if let Some(rest) = symbol.strip_prefix("py::")
        && let Some((name, file)) = rest.split_once(':')
    {
        return (name.to_owned(), file, 0);
    }
    if let Some(class) = symbol.strip_prefix('L')
        && let Some((class, method)) = class.split_once(";::")
    {
        return (format!("{}::{method}", class.replace('/', ".")), "", 0);
    }
    for kind in ["JS:", "LazyCompile:", "Function:", "Script:", "Eval:"] {
        let Some(rest) = symbol.strip_prefix(kind) else {
            continue;
        };
        // Which compiler made it.
        let rest = rest.trim_start_matches(['*', '~', '^', '+']);
        let (name, place) = rest.split_once(' ').unwrap_or((rest, ""));
        let (file, line) = place_parts(place);
        let name = if name.is_empty() { "(anonymous)" } else { name };
        return (name.to_owned(), file, line);
    }
    match symbol.starts_with("_Z") || symbol.starts_with("_R") {
        true => (demangle(symbol), "", 0),
        // As perf shows it: `memcpy@plt` is not the library's.
        false => (symbol.to_owned(), "", 0),
    }
}

/// `file:line:column`, `file:line` or `file` as file and line.
fn place_parts(place: &str) -> (&str, u32) {
    let mut file = place;
    let mut line = 0;
    for _ in 0..2 {
        if let Some((before, number)) = file.rsplit_once(':')
            && let Ok(number) = number.parse()
        {
            (file, line) = (before, number);
        }
    }
    (file, line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_of_compilers_say_where_their_functions_stand() {
        for (symbol, name, file, line) in [
            ("JS:*f /a b/c.js:3:17", "f", "/a b/c.js", 3),
            ("LazyCompile:~ node.js:387", "(anonymous)", "node.js", 387),
            ("LazyCompile:*g", "g", "", 0),
            ("py::f:/a/b.py", "f", "/a/b.py", 0),
            ("Lorg/x/C;::m", "org.x.C::m", "", 0),
            ("_Z5gammav", "gamma", "", 0),
            ("Lua_main", "Lua_main", "", 0),
            ("memcpy@plt", "memcpy@plt", "", 0),
        ] {
            let parts = symbol_parts(symbol);
            assert_eq!(
                (parts.0.as_str(), parts.1, parts.2),
                (name, file, line),
                "{symbol}"
            );
        }
    }
}
