//! Mapping files in AVID's form: which functions make up which entity of the architecture one has in mind.
//!
//! One entry a line, `category NAME MATCHER PATTERN [MATCHER PATTERN]`; the first entry that matches a
//! function takes it, and a function that no entry matches is left out. A pattern is held against the whole
//! name, `*` standing for any run of characters; behind `~` or `regex:` it is a regular expression, which may
//! match anywhere in the name unless `^` and `$` hold it. Source: Murphy et al., *Visualizing and animating
//! sampled dynamic information*, section 2.1 and figures 1, 4 and 6; Walker et al., *Visualizing Dynamic
//! Software System Information through High-Level Models*, section 3.3.

pub mod matching;
pub mod objects;
mod pattern;
pub mod regroup;
pub mod starting;

use std::borrow::Cow;
use std::io::Read;
use std::path::{Path, PathBuf};

use regex::RegexBuilder;

use callscape_base::units::{FunctionId, ModuleId};
use callscape_facts::functions::Functions;
use callscape_facts::hierarchy::Hierarchy;
use matching::Matching;
pub use pattern::wildcard;
use pattern::{Entry, Matcher, Pattern, normalized};

/// A mapping file, read.
#[derive(Clone, Debug, Default)]
pub struct Mapping {
    /// Names of the entities in order of their first entry.
    entities: Vec<String>,
    entries: Vec<Entry>,
}

/// A place in a mapping file that does not make an entry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}, line {line}, column {column}: expected {expected}, found {found}")]
pub struct MappingError {
    pub file: String,
    /// From 1, as the column, which counts characters.
    pub line: u64,
    pub column: u64,
    pub expected: Cow<'static, str>,
    /// In quotes where it is text of the file.
    pub found: String,
}

/// Why a mapping file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum OpenMappingError {
    #[error("{path}: {source}")]
    Io {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("{path}: expected a mapping file of at most {} KiB, found a larger file", LARGEST >> 10)]
    TooLarge { path: PathBuf },
    #[error("{path}, byte {offset}: expected text in UTF-8, found other bytes")]
    NotText { path: PathBuf, offset: usize },
    #[error(transparent)]
    Entry(#[from] MappingError),
}

/// A mapping applied to the functions of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapped {
    /// By function: its entity as an index into [`Mapping::entities`]; none where no entry matches.
    pub entities: Vec<Option<usize>>,
    /// The functions that no entry matches.
    pub unmatched: Vec<FunctionId>,
    /// Line and text of each entry that took no function.
    pub unused: Vec<(u64, String)>,
}

/// Larger files are no mapping that a person wrote; in bytes.
const LARGEST: usize = 1 << 20;

/// A regular expression may take so much memory, in bytes, and a file hold so many.
const LARGEST_REGEX: usize = 1 << 18;
const MOST_REGEXES: usize = 1000;

impl Mapping {
    /// Reads the mapping file at `path`.
    pub fn open(path: &Path) -> Result<Mapping, OpenMappingError> {
        let text = Mapping::text(path)?;
        Ok(Mapping::read(&text, &path.display().to_string())?)
    }

    /// The text of the mapping file at `path`.
    pub fn text(path: &Path) -> Result<String, OpenMappingError> {
        let io = |source| OpenMappingError::Io {
            path: path.to_owned(),
            source,
        };
        let mut bytes = Vec::new();
        let file = std::fs::File::open(path).map_err(io)?;
        let most = LARGEST as u64 + 1;
        file.take(most).read_to_end(&mut bytes).map_err(io)?;
        if bytes.len() > LARGEST {
            let path = path.to_owned();
            return Err(OpenMappingError::TooLarge { path });
        }
        String::from_utf8(bytes).map_err(|error| OpenMappingError::NotText {
            path: path.to_owned(),
            offset: error.utf8_error().valid_up_to(),
        })
    }

    /// Reads the text of a mapping file; `file` names it in errors. Empty lines and lines that start
    /// with `#` are skipped, and the word `category` may be left out, as in the papers' figures. What holds
    /// spaces stands in double quotes.
    pub fn read(text: &str, file: &str) -> Result<Mapping, MappingError> {
        let (mapping, errors) = Mapping::parse(text, file);
        errors.into_iter().next().map_or(Ok(mapping), Err)
    }

    /// As [`read`](Self::read), but keeps the entries that are right beside those that are not.
    pub fn parse(text: &str, file: &str) -> (Mapping, Vec<MappingError>) {
        let mut mapping = Mapping::default();
        let mut errors = Vec::new();
        let mut regexes = 0;
        for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            let trimmed = line.trim();
            if trimmed.is_empty() || trimmed.starts_with('#') {
                continue;
            }
            let number = index as u64 + 1;
            match entry(line, &mut regexes) {
                Ok((name, conditions)) => {
                    let known = mapping.entities.iter().position(|entity| *entity == name);
                    let entity = known.unwrap_or(mapping.entities.len());
                    if known.is_none() {
                        mapping.entities.push(name);
                    }
                    mapping.entries.push(Entry {
                        entity,
                        line: number,
                        text: trimmed.to_owned(),
                        conditions,
                    });
                }
                Err(wrong) => errors.push(MappingError {
                    file: file.to_owned(),
                    line: number,
                    column: wrong.column,
                    expected: wrong.expected,
                    found: wrong.found,
                }),
            }
        }
        (mapping, errors)
    }

    /// Names of the entities in order of their first entry.
    pub fn entities(&self) -> &[String] {
        &self.entities
    }

    /// In order of lines.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entity of each function; `modules` are the functions' modules in `hierarchy`.
    /// O(functions × entries).
    pub fn apply(
        &self,
        functions: &Functions,
        hierarchy: &Hierarchy,
        modules: &[ModuleId],
    ) -> Mapped {
        let mut matching = Matching::new(&self.entries, hierarchy);
        let mut used = vec![false; self.entries.len()];
        let mut mapped = Mapped {
            entities: Vec::with_capacity(functions.len()),
            unmatched: Vec::new(),
            unused: Vec::new(),
        };
        for (id, &module) in functions.ids().zip(modules) {
            let entry = matching.of_function(functions.get(id), module);
            match entry {
                Some(entry) => used[entry] = true,
                None => mapped.unmatched.push(id),
            }
            let entity = entry.map(|entry| self.entries[entry].entity);
            mapped.entities.push(entity);
        }
        let unused = self.entries.iter().zip(used).filter(|(_, used)| !used);
        mapped.unused = unused
            .map(|(entry, _)| (entry.line, entry.text.clone()))
            .collect();
        mapped
    }
}

/// What is wrong with a line, and where.
struct Wrong {
    column: u64,
    expected: Cow<'static, str>,
    found: String,
}

impl Wrong {
    fn new(expected: &'static str, word: &Word<'_>) -> Wrong {
        Wrong {
            column: word.column,
            expected: Cow::Borrowed(expected),
            found: word.shown(),
        }
    }
}

/// A word of a line; past the last one the line's end.
#[derive(Clone, Copy)]
struct Word<'a> {
    /// Without quotes.
    text: &'a str,
    /// From 1.
    column: u64,
    /// Behind `~` or `regex:`.
    is_regex: bool,
    is_quoted: bool,
    is_end: bool,
}

impl Word<'_> {
    fn shown(&self) -> String {
        if self.is_end {
            "the end of the line".to_owned()
        } else {
            format!("'{}'", self.text)
        }
    }
}

/// The words of a line, one after the other.
struct Words<'a> {
    rest: &'a str,
    column: u64,
}

impl<'a> Words<'a> {
    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.column += taken.chars().count() as u64;
        self.rest = rest;
        taken
    }

    /// The next word.
    fn next(&mut self) -> Result<Word<'a>, Wrong> {
        let blanks = self.rest.len() - self.rest.trim_start().len();
        self.take(blanks);
        let column = self.column;
        let marks = ["~", "regex:"];
        let mark = marks.iter().find(|mark| self.rest.starts_with(**mark));
        self.take(mark.map_or(0, |mark| mark.len()));
        let is_quoted = self.rest.starts_with('"');
        let text = if is_quoted {
            self.take(1);
            let Some(end) = self.rest.find('"') else {
                let text = self.take(self.rest.len());
                return Err(Wrong {
                    column,
                    expected: Cow::Borrowed("a closing quote"),
                    found: format!("'\"{}'", text.trim_end()),
                });
            };
            let text = self.take(end);
            self.take(1);
            text
        } else {
            let end = self.rest.find(char::is_whitespace);
            self.take(end.unwrap_or(self.rest.len()))
        };
        Ok(Word {
            text,
            column,
            is_regex: mark.is_some(),
            is_quoted,
            is_end: text.is_empty() && !is_quoted && mark.is_none(),
        })
    }
}

type NamedConditions = (String, Vec<(Matcher, Pattern)>);

/// The entity's name and the conditions of a line that is not empty.
fn entry(line: &str, regexes: &mut usize) -> Result<NamedConditions, Wrong> {
    let mut words = Words {
        rest: line,
        column: 1,
    };
    let mut name = words.next()?;
    if name.text == "category" && !name.is_quoted {
        name = words.next()?;
    }
    if name.is_end || name.text.is_empty() {
        return Err(Wrong::new("the name of an entity", &name));
    }
    let mut conditions = Vec::new();
    loop {
        let word = words.next()?;
        if word.is_end && !conditions.is_empty() {
            return Ok((name.text.to_owned(), conditions));
        }
        let Some(matcher) = Matcher::from_word(word.text) else {
            return Err(Wrong::new("class, method, file or package", &word));
        };
        let pattern = words.next()?;
        if pattern.is_end {
            return Err(Wrong::new("a pattern", &pattern));
        }
        if !pattern.is_regex {
            conditions.push((matcher, Pattern::Wildcard(normalized(pattern.text))));
            continue;
        }
        *regexes += 1;
        if *regexes > MOST_REGEXES {
            let expected = "no more than 1000 regular expressions in a file";
            return Err(Wrong::new(expected, &pattern));
        }
        let text = pattern.text.replace("::", r"\.");
        let regex = RegexBuilder::new(&text)
            .size_limit(LARGEST_REGEX)
            .dfa_size_limit(LARGEST_REGEX)
            .nest_limit(100)
            .build();
        let regex = regex.map_err(|error| Wrong {
            expected: Cow::Owned(format!("a regular expression ({})", reason(&error))),
            ..Wrong::new("", &pattern)
        })?;
        conditions.push((matcher, Pattern::Regex(regex)));
    }
}

/// The last line of a regular expression's error says what is wrong; those before draw it.
fn reason(error: &regex::Error) -> String {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default();
    last.trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::pattern::wildcard;
    use callscape_facts::functions::Function;
    use callscape_facts::hierarchy::{HierarchyBuilder, Module, ModuleKind, NodeId};

    #[test]
    fn a_star_stands_for_any_run_of_characters() {
        for (pattern, name, expected) in [
            ("java.*", "java.util.List", true),
            ("java.*", "javax.swing", false),
            ("*.List", "java.util.List", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("ab*ba", "aba", false),
            ("*", "", true),
            ("", "", true),
            ("exact", "exactly", false),
        ] {
            assert_eq!(wildcard(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn the_first_entry_that_matches_takes_the_function() {
        let text = "category JAVA-PROJECT class org.eclipse.jdt.internal.core.JavaProject\n\
                    category JDT-CORE class org.eclipse.jdt.core.*\n\
                    # the rest of the platform\n\
                    category JDT-CORE class org.eclipse.jdt.internal.*\n\
                    JDK class java.* method get*\n\
                    category NEVER class com.*\n";
        let mapping = Mapping::read(text, "map").expect("a mapping");
        assert_eq!(
            mapping.entities(),
            ["JAVA-PROJECT", "JDT-CORE", "JDK", "NEVER"]
        );
        let mut functions = Functions::default();
        for name in [
            "org.eclipse.jdt.internal.core.JavaProject.open",
            "org.eclipse.jdt.internal.core.Other::close",
            "java.util.HashMap.get",
            "java.util.HashMap.put",
        ] {
            functions.intern(Function {
                name,
                ..Function::default()
            });
        }
        let (hierarchy, _) = HierarchyBuilder::new("root").build();
        let mapped = mapping.apply(&functions, &hierarchy, &[ModuleId::ROOT; 4]);
        assert_eq!(mapped.entities, [Some(0), Some(1), Some(2), None]);
        assert_eq!(mapped.unmatched, [FunctionId(3)]);
        let unused: Vec<u64> = mapped.unused.iter().map(|entry| entry.0).collect();
        assert_eq!(unused, [2, 6]);
    }

    #[test]
    fn the_place_in_the_hierarchy_matches_as_a_dotted_name() {
        let mut builder = HierarchyBuilder::new("root");
        let package = builder.add(
            NodeId::ROOT,
            Module::named(ModuleKind::Directory, "packaging"),
        );
        let file = builder.add(package, Module::named(ModuleKind::File, "version.py"));
        let class = builder.add(file, Module::named(ModuleKind::Class, "Version"));
        let method = builder.add(class, Module::named(ModuleKind::Function, "__init__"));
        let (hierarchy, modules) = builder.build();
        let mut functions = Functions::default();
        functions.intern(Function {
            name: "Version.__init__",
            file: "/src/py/packaging/version.py",
            line: 3,
            library: "",
        });
        for (entry, matches) in [
            ("class packaging.version.*", true),
            ("class Version", true),
            ("package packaging", true),
            ("file version.py", true),
            ("file packaging/*.py", true),
            ("method __init__", true),
            ("method Version.*", true),
            ("class packaging.other.*", false),
            ("package pack", false),
        ] {
            let mapping = Mapping::read(&format!("category X {entry}"), "map").expect("a mapping");
            let mapped = mapping.apply(&functions, &hierarchy, &[modules[method.index()]]);
            assert_eq!(mapped.entities == [Some(0)], matches, "{entry}");
        }
    }

    #[test]
    fn a_line_that_is_no_entry_is_refused_with_its_place() {
        for (text, message) in [
            (
                "category A class\n",
                "map, line 1, column 17: expected a pattern, found the end of the line",
            ),
            (
                "\ncategory A klass x",
                "map, line 2, column 12: expected class, method, file or package, found 'klass'",
            ),
            (
                "category A",
                "map, line 1, column 11: expected class, method, file or package, found the end of the line",
            ),
            (
                "category",
                "map, line 1, column 9: expected the name of an entity, found the end of the line",
            ),
            (
                "  Ä class \"x",
                "map, line 1, column 11: expected a closing quote, found '\"x'",
            ),
            (
                "A method ~(",
                "map, line 1, column 10: expected a regular expression (unclosed group), found '('",
            ),
        ] {
            let error = Mapping::read(text, "map").expect_err("no entry");
            assert_eq!(error.to_string(), message);
        }
        let huge = "A class ~((a{100}){100}){100}";
        let error = Mapping::read(huge, "map").expect_err("too large");
        assert!(error.expected.contains("size limit"), "{error}");
        let nested = format!("A class ~{}", "(".repeat(100_000));
        Mapping::read(&nested, "map").expect_err("too deep");
    }

    #[test]
    fn the_entries_that_are_right_are_kept_beside_those_that_are_not() {
        let text = "A class a.*\nB klass b\n\"C D\" class c.* method ~^get\n";
        let (mapping, errors) = Mapping::parse(text, "map");
        assert_eq!(mapping.entities(), ["A", "C D"]);
        let lines: Vec<u64> = mapping.entries().iter().map(|entry| entry.line).collect();
        assert_eq!(lines, [1, 3]);
        assert_eq!(errors.len(), 1);
        assert_eq!((errors[0].line, errors[0].column), (2, 3));
    }

    #[test]
    fn regular_expressions_match_anywhere_unless_anchored() {
        let mut functions = Functions::default();
        for name in ["ns::Parser::parse", "ns::Printer::parse_all"] {
            functions.intern(Function {
                name,
                ..Function::default()
            });
        }
        let (hierarchy, _) = HierarchyBuilder::new("root").build();
        for (pattern, expected) in [
            ("class ~^ns::Par", [true, false]),
            ("class regex:Pr.nter$", [false, true]),
            ("method ~parse", [true, true]),
            ("method ~^parse$", [true, false]),
            ("method \"~parse\"", [false, false]),
            ("class ns.* method ~_(all|any)$", [false, true]),
        ] {
            let mapping = Mapping::read(&format!("X {pattern}"), "map").expect("a mapping");
            let mapped = mapping.apply(&functions, &hierarchy, &[ModuleId::ROOT; 2]);
            let found: Vec<bool> = mapped.entities.iter().map(Option::is_some).collect();
            assert_eq!(found, expected, "{pattern}");
        }
    }
}
