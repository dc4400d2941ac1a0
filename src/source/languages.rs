//! The languages whose functions, classes and namespaces are known: one line and one query file each.

use std::borrow::Cow;
use std::sync::OnceLock;

use tokei::LanguageType;

use super::highlights::Colors;
use super::hints::Hints;
#[cfg(feature = "kotlin")]
use super::kotlin;
use super::macros;
use super::patterns::{Capture, Patterns};
use super::plan::Plan;
use super::relations::{Family, Visits};

/// A grammar, and what counts as a definition in it.
pub(crate) struct Language {
    /// The languages, as tokei tells them apart, that this grammar reads.
    pub counted_as: &'static [LanguageType],
    grammar: fn() -> tree_sitter::Language,
    query: &'static str,
    /// Stands between the name of a function and that of a definition nested in it.
    pub nested: &'static str,
    /// What the text needs before it is parsed, and where the grammar reads it wrongly.
    pub preprocessor: Option<Preprocessor>,
    /// What is coloured, as tree-sitter's own queries; of what matches one place the last counts.
    highlights: &'static [&'static str],
    compiled: OnceLock<Option<Compiled>>,
    visits: OnceLock<Option<Visits>>,
    colors: OnceLock<Option<Colors>>,
}

/// What stands in a text that no grammar follows: macros, conditional compilation, and what the grammar of Kotlin does
/// not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Preprocessor {
    C,
    Cpp,
    #[cfg(feature = "csharp")]
    CSharp,
    #[cfg(feature = "kotlin")]
    Kotlin,
}

impl Preprocessor {
    /// The text without what a grammar takes for something else, all places kept.
    pub(crate) fn prepared(self, source: &[u8]) -> Cow<'_, [u8]> {
        match self {
            Preprocessor::C | Preprocessor::Cpp => {
                let mut text = source.to_vec();
                macros::blank(&mut text, self == Preprocessor::Cpp);
                text.into()
            }
            #[cfg(feature = "csharp")]
            Preprocessor::CSharp => source.into(),
            #[cfg(feature = "kotlin")]
            Preprocessor::Kotlin => kotlin::prepared(source),
        }
    }

    /// Whether `#if` chooses what is compiled.
    pub(crate) fn has_conditionals(self) -> bool {
        match self {
            Preprocessor::C | Preprocessor::Cpp => true,
            #[cfg(feature = "csharp")]
            Preprocessor::CSharp => true,
            #[cfg(feature = "kotlin")]
            Preprocessor::Kotlin => false,
        }
    }
}

/// A language ready for use: grammar, patterns, the meaning of their captures, and where to try them.
pub(crate) struct Compiled {
    pub grammar: tree_sitter::Language,
    pub patterns: Patterns<'static>,
    pub captures: Captures,
    pub plan: Plan,
    /// Where the text of a subtree has none of these, it need not be walked; none where all of it has to be.
    pub hints: Option<Hints>,
}

/// What the captures in a query are; a query need not have all.
pub(crate) struct Captures {
    /// The name of a definition.
    pub name: Option<Capture>,
    /// What holds the name of a definition below nested declarators (C and C++).
    pub declarator: Option<Capture>,
    /// The class of a definition that does not stand around it (the receiver of a method in Go).
    pub scope: Option<Capture>,
    pub function: Option<Capture>,
    pub class: Option<Capture>,
    pub namespace: Option<Capture>,
    /// A namespace that reaches from here to the next such or the end of the file.
    pub rest: Option<Capture>,
    pub comment: Option<Capture>,
    /// Text in which blank lines are code: strings that may span lines.
    pub text: Option<Capture>,
    /// A decision point, of which the cyclomatic complexity is made.
    pub branch: Option<Capture>,
}

const fn language(
    counted_as: &'static [LanguageType],
    grammar: fn() -> tree_sitter::Language,
    query: &'static str,
    nested: &'static str,
    preprocessor: Option<Preprocessor>,
    highlights: &'static [&'static str],
) -> Language {
    Language {
        counted_as,
        grammar,
        query,
        nested,
        preprocessor,
        highlights,
        compiled: OnceLock::new(),
        visits: OnceLock::new(),
        colors: OnceLock::new(),
    }
}

/// The queries of what is coloured, as the grammars bring them; that of Kotlin brings none.
#[cfg(not(target_arch = "wasm32"))]
mod colored {
    pub(super) use tree_sitter_bash::HIGHLIGHT_QUERY as BASH;
    pub(super) use tree_sitter_c::HIGHLIGHT_QUERY as C;
    #[cfg(feature = "csharp")]
    pub(super) use tree_sitter_c_sharp::HIGHLIGHTS_QUERY as CSHARP;
    pub(super) use tree_sitter_cpp::HIGHLIGHT_QUERY as CPP;
    pub(super) use tree_sitter_go::HIGHLIGHTS_QUERY as GO;
    pub(super) use tree_sitter_java::HIGHLIGHTS_QUERY as JAVA;
    pub(super) use tree_sitter_javascript::{
        HIGHLIGHT_QUERY as JAVASCRIPT, JSX_HIGHLIGHT_QUERY as JSX,
    };
    pub(super) use tree_sitter_lua::HIGHLIGHTS_QUERY as LUA;
    pub(super) use tree_sitter_php::HIGHLIGHTS_QUERY as PHP;
    pub(super) use tree_sitter_python::HIGHLIGHTS_QUERY as PYTHON;
    pub(super) use tree_sitter_ruby::HIGHLIGHTS_QUERY as RUBY;
    pub(super) use tree_sitter_rust::HIGHLIGHTS_QUERY as RUST;
    #[cfg(feature = "swift")]
    pub(super) use tree_sitter_swift::HIGHLIGHTS_QUERY as SWIFT;
    pub(super) use tree_sitter_typescript::HIGHLIGHTS_QUERY as TYPESCRIPT;

    #[cfg(feature = "kotlin")]
    pub(super) const KOTLIN: &str = include_str!("../../assets/languages/highlights/kotlin.scm");
}

#[cfg(not(target_arch = "wasm32"))]
macro_rules! query {
    ($name:literal) => {
        include_str!(concat!("../../assets/languages/", $name, ".scm"))
    };
}

/// How many lines the table has.
#[cfg(not(target_arch = "wasm32"))]
const COUNT: usize = 13
    + cfg!(feature = "csharp") as usize
    + cfg!(feature = "kotlin") as usize
    + cfg!(feature = "swift") as usize;

// SAFETY: a page has one thread in a browser, and no language is in its table.
#[cfg(target_arch = "wasm32")]
unsafe impl Sync for Language {}
#[cfg(target_arch = "wasm32")]
unsafe impl Send for Compiled {}
#[cfg(target_arch = "wasm32")]
unsafe impl Sync for Compiled {}

/// No source tree is scanned in a browser.
#[cfg(target_arch = "wasm32")]
pub(crate) static LANGUAGES: [Language; 0] = [];

/// To add a language: its query file in `assets/languages` and its line here.
#[cfg(not(target_arch = "wasm32"))]
#[rustfmt::skip]
pub(crate) static LANGUAGES: [Language; COUNT] = {
    use LanguageType as L;
    use colored::*;
    [
        language(&[L::C, L::CHeader], || tree_sitter_c::LANGUAGE.into(), query!("c"), "::", Some(Preprocessor::C), &[C]),
        language(&[L::Cpp, L::CppHeader, L::CppModule], || tree_sitter_cpp::LANGUAGE.into(), query!("cpp"), "::", Some(Preprocessor::Cpp), &[C, CPP]),
        language(&[L::Rust], || tree_sitter_rust::LANGUAGE.into(), query!("rust"), "::", None, &[RUST]),
        language(&[L::Python], || tree_sitter_python::LANGUAGE.into(), query!("python"), ".<locals>.", None, &[PYTHON]),
        language(&[L::JavaScript, L::Jsx], || tree_sitter_javascript::LANGUAGE.into(), query!("javascript"), ".", None, &[JAVASCRIPT, JSX]),
        language(&[L::TypeScript], || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(), query!("typescript"), ".", None, &[JAVASCRIPT, TYPESCRIPT]),
        language(&[L::Tsx], || tree_sitter_typescript::LANGUAGE_TSX.into(), query!("typescript"), ".", None, &[JAVASCRIPT, JSX, TYPESCRIPT]),
        language(&[L::Java], || tree_sitter_java::LANGUAGE.into(), query!("java"), ".", None, &[JAVA]),
        #[cfg(feature = "kotlin")]
        language(&[L::Kotlin], || tree_sitter_kotlin_ng::LANGUAGE.into(), query!("kotlin"), ".", Some(Preprocessor::Kotlin), &[KOTLIN]),
        #[cfg(feature = "csharp")]
        language(&[L::CSharp], || tree_sitter_c_sharp::LANGUAGE.into(), query!("csharp"), ".", Some(Preprocessor::CSharp), &[CSHARP]),
        language(&[L::Go], || tree_sitter_go::LANGUAGE.into(), query!("go"), ".", None, &[GO]),
        language(&[L::Ruby, L::Rakefile], || tree_sitter_ruby::LANGUAGE.into(), query!("ruby"), ".", None, &[RUBY]),
        language(&[L::Php], || tree_sitter_php::LANGUAGE_PHP.into(), query!("php"), ".", None, &[PHP]),
        #[cfg(feature = "swift")]
        language(&[L::Swift], || tree_sitter_swift::LANGUAGE.into(), query!("swift"), ".", None, &[SWIFT]),
        language(&[L::Lua], || tree_sitter_lua::LANGUAGE.into(), query!("lua"), ".", None, &[LUA]),
        language(&[L::Sh, L::Bash, L::Ksh], || tree_sitter_bash::LANGUAGE.into(), query!("bash"), ".", None, &[BASH]),
    ]
};

/// The language that reads what tokei counts as `counted_as`; none where no grammar does.
pub(crate) fn of(counted_as: LanguageType) -> Option<&'static Language> {
    LANGUAGES
        .iter()
        .find(|language| language.counted_as.contains(&counted_as))
}

/// A number that changes with whatever definitions depend on: the queries, the version of the program, and which
/// languages it was built with.
pub(crate) fn fingerprint() -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    env!("CARGO_PKG_VERSION").hash(&mut hasher);
    for language in &LANGUAGES {
        language.query.hash(&mut hasher);
        language.nested.hash(&mut hasher);
        for counted_as in language.counted_as {
            counted_as.name().hash(&mut hasher);
        }
    }
    hasher.finish()
}

impl Language {
    /// Grammar and patterns, made on first use. None when they do not fit, which a test rules out.
    pub(crate) fn compiled(&self) -> Option<&Compiled> {
        let compile = || {
            let grammar = (self.grammar)();
            let patterns = Patterns::parse(&grammar, self.query)?;
            let index = |name| {
                let index = patterns.captures.iter().position(|&known| known == name)?;
                Capture::try_from(index).ok()
            };
            let captures = Captures {
                name: index("name"),
                declarator: index("declarator"),
                scope: index("scope"),
                function: index("function"),
                class: index("class"),
                namespace: index("namespace"),
                rest: index("namespace.rest"),
                comment: index("comment"),
                text: index("text"),
                branch: index("branch"),
            };
            let plan = Plan::new(&grammar, &patterns);
            Some(Compiled {
                grammar,
                patterns,
                captures,
                plan,
                hints: Hints::of(self.query),
            })
        };
        self.compiled.get_or_init(compile).as_ref()
    }
}

impl Language {
    /// What says something of other files, made on first use.
    pub(crate) fn visits(&self) -> Option<&Visits> {
        let make = || {
            let family = Family::of(*self.counted_as.first()?)?;
            Some(Visits::new(&self.compiled()?.grammar, family))
        };
        self.visits.get_or_init(make).as_ref()
    }
}

impl Language {
    /// What colours a text, made on first use: it takes from some milliseconds to a second (Swift). None where grammar and
    /// query do not fit, which a test rules out.
    pub(crate) fn colors(&self) -> Option<&Colors> {
        let make = || Colors::new(&(self.grammar)(), self.highlights);
        self.colors.get_or_init(make).as_ref()
    }
}

#[cfg(test)]
impl Language {
    pub(crate) fn parts(&self) -> (tree_sitter::Language, &'static str) {
        ((self.grammar)(), self.query)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_query_fits_its_grammar() {
        for language in &LANGUAGES {
            let (grammar, query) = language.parts();
            let patterns = Patterns::parse(&grammar, query);
            let patterns = patterns.unwrap_or_else(|| panic!("{:?}", language.counted_as));
            Plan::new(&grammar, &patterns).check();
        }
    }
}
