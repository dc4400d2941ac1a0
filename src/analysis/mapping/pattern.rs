//! What a line of a mapping file says: patterns, and what they are held against.

use regex::Regex;

/// What part of a function a pattern is held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Matcher {
    /// The qualified name of the module that the function is in; of the function where it is in none.
    Class,
    /// The function's own name, with or without its qualification.
    Method,
    /// The path of its file, whole or the last part of it.
    File,
    /// The package, namespace, directory or library that it is in.
    Package,
}

impl Matcher {
    /// The one that is called so in a mapping file.
    pub(super) fn from_word(word: &str) -> Option<Matcher> {
        match word {
            "class" => Some(Matcher::Class),
            "method" => Some(Matcher::Method),
            "file" => Some(Matcher::File),
            "package" => Some(Matcher::Package),
            _ => None,
        }
    }
}

#[derive(Clone, Debug)]
pub(super) enum Pattern {
    /// Separators normalized.
    Wildcard(String),
    Regex(Regex),
}

/// A line that says which functions belong to an entity.
#[derive(Clone, Debug)]
pub struct Entry {
    /// An index into [`Mapping::entities`](super::Mapping::entities).
    pub entity: usize,
    /// From 1.
    pub line: u64,
    pub text: String,
    /// All must match.
    pub(super) conditions: Vec<(Matcher, Pattern)>,
}

/// `a::b` and `a.b` are the same qualified name.
pub(super) fn normalized(name: &str) -> String {
    name.replace("::", ".")
}

/// Whether `name` is what `pattern` says, `*` standing for any run of characters. Linear for each star.
pub fn wildcard(pattern: &str, name: &str) -> bool {
    let Some((head, mut rest)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let Some(mut name) = name.strip_prefix(head) else {
        return false;
    };
    // The first place at which a middle part fits leaves the most for those behind it.
    while let Some((part, behind)) = rest.split_once('*') {
        let Some(at) = name.find(part) else {
            return false;
        };
        name = &name[at + part.len()..];
        rest = behind;
    }
    name.len() >= rest.len() && name.ends_with(rest)
}
