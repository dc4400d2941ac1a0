//! The languages whose functions, classes and namespaces are known: one line and one query file each.

use std::sync::OnceLock;

use tokei::LanguageType;
use tree_sitter::Query;

use super::macros;

/// A grammar, and what counts as a definition in it.
pub struct Language {
    /// The languages, as tokei tells them apart, that this grammar reads.
    pub counted_as: &'static [LanguageType],
    grammar: fn() -> tree_sitter::Language,
    query: &'static str,
    /// Stands between the name of a function and that of a definition nested in it.
    pub nested: &'static str,
    /// Changes the text before it is parsed, keeping all places, where the grammar needs help.
    pub prepare: Option<fn(&mut [u8])>,
    compiled: OnceLock<Option<Compiled>>,
}

/// A language ready for use: grammar, query and the meaning of the query's captures.
pub struct Compiled {
    pub grammar: tree_sitter::Language,
    pub query: Query,
    pub captures: Captures,
}

/// Indices of the captures in a query; a query need not have all.
pub struct Captures {
    /// The name of a definition.
    pub name: Option<u32>,
    /// What holds the name of a definition below nested declarators (C and C++).
    pub declarator: Option<u32>,
    pub function: Option<u32>,
    pub class: Option<u32>,
    pub namespace: Option<u32>,
    pub comment: Option<u32>,
    /// Text in which blank lines are code: strings that may span lines.
    pub text: Option<u32>,
}

const fn language(
    counted_as: &'static [LanguageType],
    grammar: fn() -> tree_sitter::Language,
    query: &'static str,
    nested: &'static str,
    prepare: Option<fn(&mut [u8])>,
) -> Language {
    Language {
        counted_as,
        grammar,
        query,
        nested,
        prepare,
        compiled: OnceLock::new(),
    }
}

macro_rules! query {
    ($name:literal) => {
        include_str!(concat!("../../assets/languages/", $name, ".scm"))
    };
}

/// To add a language: its query file in `assets/languages` and its line here.
#[rustfmt::skip]
pub static LANGUAGES: [Language; 7] = {
    use LanguageType::{C, CHeader, Cpp, CppHeader, CppModule, JavaScript, Jsx, Python, Rust, Tsx, TypeScript};
    [
        language(&[C, CHeader], || tree_sitter_c::LANGUAGE.into(), query!("c"), "::", Some(|text| macros::blank(text, false))),
        language(&[Cpp, CppHeader, CppModule], || tree_sitter_cpp::LANGUAGE.into(), query!("cpp"), "::", Some(|text| macros::blank(text, true))),
        language(&[Rust], || tree_sitter_rust::LANGUAGE.into(), query!("rust"), "::", None),
        language(&[Python], || tree_sitter_python::LANGUAGE.into(), query!("python"), ".<locals>.", None),
        language(&[JavaScript, Jsx], || tree_sitter_javascript::LANGUAGE.into(), query!("javascript"), ".", None),
        language(&[TypeScript], || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(), query!("typescript"), ".", None),
        language(&[Tsx], || tree_sitter_typescript::LANGUAGE_TSX.into(), query!("typescript"), ".", None),
    ]
};

/// The language that reads what tokei counts as `counted_as`; none where no grammar does.
pub fn of(counted_as: LanguageType) -> Option<&'static Language> {
    LANGUAGES
        .iter()
        .find(|language| language.counted_as.contains(&counted_as))
}

impl Language {
    /// The compiled query, made on first use. None when grammar and query do not fit, which a test rules out.
    pub fn compiled(&self) -> Option<&Compiled> {
        let compile = || {
            let grammar = (self.grammar)();
            let query = Query::new(&grammar, self.query).ok()?;
            let index = |name| query.capture_index_for_name(name);
            let captures = Captures {
                name: index("name"),
                declarator: index("declarator"),
                function: index("function"),
                class: index("class"),
                namespace: index("namespace"),
                comment: index("comment"),
                text: index("text"),
            };
            Some(Compiled {
                grammar,
                query,
                captures,
            })
        };
        self.compiled.get_or_init(compile).as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_query_fits_its_grammar() {
        for language in &LANGUAGES {
            if let Err(error) = Query::new(&(language.grammar)(), language.query) {
                panic!("{:?}: {error}", language.counted_as);
            }
        }
    }
}
