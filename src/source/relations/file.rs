//! What the text of a file says of other files, as it is kept.

use tokei::LanguageType;

/// What the text of one file says of other files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileRelations {
    /// In order of the text.
    pub imports: Vec<Import>,
    /// In order of caller, qualifier and name.
    pub calls: Vec<CallByName>,
    /// What qualifiers and names in `calls` stand for.
    pub names: Vec<Box<str>>,
    /// What it says that it belongs to, with points: `a.b`; empty where it says nothing.
    pub package: Box<str>,
    /// Of the file, and of its classes and namespaces, as far as they have some; in order.
    pub globals: Vec<Globals>,
    /// In order of the text.
    pub bases: Vec<Base>,
}

/// How many global variables there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Globals {
    /// Index of the innermost class or namespace among the file's definitions; [`OUTSIDE`] for those in none.
    pub owner: u32,
    pub count: u32,
}

/// A class that another inherits from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base {
    /// Index of the class that inherits among the file's definitions.
    pub class: u32,
    /// Of its name, from 1.
    pub line: u32,
    /// As the text has it, without arguments: `a::B`.
    pub name: Box<str>,
}

/// One path that one statement imports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Import {
    /// Of the statement's beginning, from 1.
    pub line: u32,
    pub kind: ImportKind,
    /// As the language writes it, without quotes, white space and aliases.
    pub path: Box<str>,
    /// What is imported of it, where that is told apart: `b` of `from a import b`, `*` for all.
    pub name: Box<str>,
    /// What it is called in the file, where that is neither `name` nor the end of `path`.
    pub alias: Box<str>,
    /// The modules of the same file around it, outermost first: `a::b`. Rust alone has them.
    pub scope: Box<str>,
}

/// How a path is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum ImportKind {
    /// A name: `a.b`, `a::b`, `a/b` of a package.
    #[default]
    Name,
    /// A file, from the directory of the file itself.
    Path,
    /// A file or a library, from directories that the text does not know.
    Search,
    /// `from path import name`.
    From,
    /// `mod a;` of Rust; its `name` is the path that an attribute gives.
    Module,
}

impl ImportKind {
    pub const ALL: [ImportKind; 5] = [
        ImportKind::Name,
        ImportKind::Path,
        ImportKind::Search,
        ImportKind::From,
        ImportKind::Module,
    ];
}

/// Calls of one name in one function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallByName {
    /// Index of the function among the file's definitions; [`OUTSIDE`] for code in none.
    pub caller: u32,
    /// What stands before the name, as an index: `a::b` of `a::b::f()`. [`PLAIN`] and [`METHOD`] are no indices.
    pub qualifier: u32,
    pub name: u32,
    /// 0 where a name is only used.
    pub count: u32,
}

/// Code that stands in no function.
pub const OUTSIDE: u32 = u32::MAX;

/// A name without a qualifier.
pub const PLAIN: u32 = u32::MAX;

/// The name of a method of some value that the text does not name.
pub const METHOD: u32 = u32::MAX - 1;

/// Languages that import in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Family {
    C,
    Rust,
    Python,
    JavaScript,
    Jvm,
    CSharp,
    Go,
    Ruby,
    Php,
    Swift,
    Lua,
    Shell,
}

impl Family {
    /// None for languages without a grammar.
    pub fn of(language: LanguageType) -> Option<Family> {
        use LanguageType as L;
        Some(match language {
            L::C | L::CHeader | L::Cpp | L::CppHeader | L::CppModule => Family::C,
            L::Rust => Family::Rust,
            L::Python => Family::Python,
            L::JavaScript | L::Jsx | L::TypeScript | L::Tsx => Family::JavaScript,
            L::Java | L::Kotlin => Family::Jvm,
            L::CSharp => Family::CSharp,
            L::Go => Family::Go,
            L::Ruby | L::Rakefile => Family::Ruby,
            L::Php => Family::Php,
            L::Swift => Family::Swift,
            L::Lua => Family::Lua,
            L::Sh | L::Bash | L::Ksh => Family::Shell,
            _ => return None,
        })
    }
}
