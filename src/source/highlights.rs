//! The queries that colour texts: what each grammar calls things, in a few classes.

use tree_sitter::Query;

/// What a stretch of a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Names of variables, operators, brackets.
    Plain,
    Comment,
    Keyword,
    /// Strings, characters, regular expressions.
    Text,
    /// Numbers and names of constants.
    Constant,
    /// The name of a function where it is defined or called.
    Function,
    Type,
    /// Attributes, annotations, labels.
    Attribute,
}

impl Class {
    /// What a query calls it, up to any dot.
    fn of(capture: &str) -> Class {
        let (first, rest) = capture.split_once('.').unwrap_or((capture, ""));
        match first {
            "comment" => Class::Comment,
            "keyword" | "conditional" | "repeat" | "include" | "exception" | "preproc" => {
                Class::Keyword
            }
            "string" | "character" | "escape" => Class::Text,
            "number" | "boolean" | "constant" | "float" => Class::Constant,
            "function" | "method" => Class::Function,
            "type" | "constructor" | "tag" => Class::Type,
            "attribute" | "label" => Class::Attribute,
            // `self` and `this`.
            "variable" if rest == "builtin" => Class::Keyword,
            _ => Class::Plain,
        }
    }
}

/// What colours the texts of one language.
pub(crate) struct Colors {
    pub(super) query: Query,
    /// By capture of the query.
    pub(super) classes: Vec<Class>,
}

impl Colors {
    /// From the parts of a query, of which the latter go on where the former end; none where they do not fit the grammar.
    pub(crate) fn new(grammar: &tree_sitter::Language, parts: &[&str]) -> Option<Colors> {
        let query = Query::new(grammar, &parts.join("\n")).ok()?;
        let names = query.capture_names().iter();
        let classes = names.map(|name| Class::of(name)).collect();
        Some(Colors { query, classes })
    }
}
