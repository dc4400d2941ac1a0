//! Reads the syntax of one file: parses it, and walks the tree once for all that is asked of it.

use callscape_base::clock::Instant;
use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::{ControlFlow, Range};
use std::time::Duration;

use tree_sitter::{Node, ParseOptions, Parser, Tree, TreeCursor};

use super::code_lines::CodeLines;
use super::conditionals::{self, Conditional};
use super::definitions::{self, Definition, Found, Seen};
use super::hints::Places;
use super::languages::{Compiled, Language, Preprocessor};
use super::patterns::{Capture, Captured};
use super::relations::FileRelations;
use super::relations::sites::{self, CallSite};
use super::{amalgamation, edits, misread, nesting, values};
use callscape_base::progress::Progress;
use callscape_facts::hierarchy::ModuleKind;

/// How long the syntax of one file may take, and how much longer for each of its bytes: a second for 250 kB.
const PATIENCE: Duration = Duration::from_secs(5);
const PATIENCE_A_BYTE: Duration = Duration::from_micros(4);

/// Why a file's definitions are unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unparsed {
    Cancelled,
    TookTooLong,
    /// Its tree would take too much memory.
    TooLarge,
    /// A grammar and its query do not fit together.
    NoGrammar,
}

/// Reads syntax; one for each thread, reused from file to file.
pub(crate) struct Reader {
    parser: Parser,
    places: Places,
    /// Whether it is also read what files say of one another.
    pub reads_relations: bool,
    /// Whether trees are walked whole, as if no language had hints.
    #[cfg(test)]
    walks_all: bool,
}

impl Default for Reader {
    fn default() -> Reader {
        Reader {
            parser: Parser::new(),
            places: Places::default(),
            reads_relations: false,
            #[cfg(test)]
            walks_all: false,
        }
    }
}

/// A syntax tree and the language that it is of.
struct Parsed<'text> {
    language: &'static Language,
    compiled: &'static Compiled,
    tree: Tree,
    /// What the tree is of: the source as the parser was given it.
    prepared: Cow<'text, [u8]>,
    errors: usize,
}

impl Reader {
    /// How long a file of this size is read at most.
    pub(crate) fn patience(bytes: u64) -> Duration {
        PATIENCE + PATIENCE_A_BYTE * u32::try_from(bytes).unwrap_or(u32::MAX)
    }

    /// Whether the reading of a file of this size that begins now is to end.
    fn give_up(bytes: u64, progress: &Progress) -> impl Fn() -> bool {
        let (started, patience) = (Instant::now(), Reader::patience(bytes));
        move || progress.check().is_err() || started.elapsed() > patience
    }

    /// The definitions in `source`, parents before children, none with more than `file_loc` lines of code and
    /// `file_comments` of comments.
    ///
    /// Where several languages are given, as for a header that may be C or C++, the one that reads it with
    /// the fewest errors counts. What the file says of other files where `reads_relations` asks for it.
    pub(crate) fn read(
        &mut self,
        languages: &[&'static Language],
        source: &[u8],
        file_loc: u32,
        file_comments: u32,
        progress: &Progress,
    ) -> Result<(Vec<Definition>, Option<FileRelations>), Unparsed> {
        let give_up = Reader::give_up(source.len() as u64, progress);
        let because = |error| match error {
            Unparsed::TookTooLong if progress.check().is_err() => Unparsed::Cancelled,
            error => error,
        };
        let parsed = self.best(languages, source, &give_up).map_err(because)?;
        let language = parsed.language;
        // Of branches of conditional compilation all are of interest: the whole tree, however torn.
        let whole = self.reads_relations.then(|| parsed.tree.clone());
        let seen = self.see(parsed, source, &give_up).map_err(because)?;
        let lines = CodeLines::new(source, &seen.comments, &seen.texts);
        let definitions = nesting::nest(seen, language.nested, &lines, file_loc, file_comments);
        let definitions = amalgamation::regroup(source, definitions, &lines);
        let relations = match whole.zip(language.visits()) {
            Some((tree, visits)) => {
                let read = visits.read(&tree, source, &definitions, &give_up);
                Some(read.ok_or_else(|| because(Unparsed::TookTooLong))?)
            }
            None => None,
        };
        // What was found while the tree stood lies scattered over its memory, and the next trees would be fitted in
        // between, for a third of their time: what is kept is moved together, now that the tree is gone.
        Ok((definitions.clone(), relations.clone()))
    }

    /// The syntax tree of a text, for its colours: of the language that reads it with the fewest errors.
    pub(crate) fn tree(
        &mut self,
        languages: &[&'static Language],
        source: &[u8],
        progress: &Progress,
    ) -> Result<(Tree, &'static Language), Unparsed> {
        let give_up = Reader::give_up(source.len() as u64, progress);
        let parsed = self.best(languages, source, &give_up)?;
        Ok((parsed.tree, parsed.language))
    }

    /// The definitions in `source` as [`Reader::read`] has them, and its syntax tree.
    pub(crate) fn definitions_and_tree(
        &mut self,
        languages: &[&'static Language],
        source: &[u8],
        progress: &Progress,
    ) -> Result<(Vec<Definition>, Tree), Unparsed> {
        let give_up = Reader::give_up(source.len() as u64, progress);
        let parsed = self.best(languages, source, &give_up)?;
        let (language, tree) = (parsed.language, parsed.tree.clone());
        let seen = self.see(parsed, source, &give_up)?;
        let lines = CodeLines::new(source, &seen.comments, &seen.texts);
        let definitions = nesting::nest(seen, language.nested, &lines, u32::MAX, u32::MAX);
        let definitions = amalgamation::regroup(source, definitions, &lines);
        Ok((definitions, tree))
    }

    /// The calls in `source`, in order of line; none where it cannot be read.
    pub(crate) fn calls(
        &mut self,
        languages: &[&'static Language],
        source: &[u8],
        progress: &Progress,
    ) -> Option<Vec<CallSite>> {
        let give_up = Reader::give_up(source.len() as u64, progress);
        let parsed = self.best(languages, source, &give_up).ok()?;
        let counted_as = *parsed.language.counted_as.first()?;
        let grammar = &parsed.compiled.grammar;
        sites::read(counted_as, grammar, &parsed.tree, source, &give_up)
    }

    /// The text as the language that reads it with the fewest errors has it.
    fn best<'text>(
        &mut self,
        languages: &[&'static Language],
        source: &'text [u8],
        give_up: &impl Fn() -> bool,
    ) -> Result<Parsed<'text>, Unparsed> {
        let mut best: Option<Parsed<'text>> = None;
        for language in languages {
            let parsed = self.parse(language, source, None, give_up)?;
            let is_clean = parsed.errors == 0;
            if best.as_ref().is_none_or(|best| parsed.errors < best.errors) {
                best = Some(parsed);
            }
            if is_clean {
                break;
            }
        }
        best.ok_or(Unparsed::NoGrammar)
    }

    /// Parses a text. What `similar`, of a text of the same length and lines, has in common with it is not read
    /// again.
    fn parse<'text>(
        &mut self,
        language: &'static Language,
        source: &'text [u8],
        similar: Option<&Parsed<'_>>,
        give_up: &impl Fn() -> bool,
    ) -> Result<Parsed<'text>, Unparsed> {
        let compiled = language.compiled().ok_or(Unparsed::NoGrammar)?;
        self.parser
            .set_language(&compiled.grammar)
            .map_err(|_| Unparsed::NoGrammar)?;
        // A parse that was given up before would be resumed without this.
        self.parser.reset();
        // The parser asks every hundred steps; to ask the clock that often shows in the time of a parse.
        let mut asked = 0u32;
        let mut watch = |_: &tree_sitter::ParseState| {
            asked = asked.wrapping_add(1);
            match asked.is_multiple_of(32) && give_up() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        };
        let options = ParseOptions::new().progress_callback(&mut watch);
        let prepared = match language.preprocessor {
            Some(preprocessor) => preprocessor.prepared(source),
            None => Cow::Borrowed(source),
        };
        let has_c_comments = language.preprocessor.is_some();
        let prepared = values::without_long_lists(prepared, has_c_comments);
        if values::has_too_many_tokens(&prepared) {
            return Err(Unparsed::TooLarge);
        }
        let similar = similar.map(|similar| {
            let mut tree = similar.tree.clone();
            edits::between(&similar.prepared, &prepared, |edit| tree.edit(edit));
            tree
        });
        let mut read = |at: usize, _| prepared.get(at..).unwrap_or_default();
        let tree = self
            .parser
            .parse_with_options(&mut read, similar.as_ref(), Some(options))
            .ok_or(Unparsed::TookTooLong)?;
        Ok(Parsed {
            language,
            compiled,
            errors: misread::count_errors(&tree),
            tree,
            prepared,
        })
    }

    /// What the tree shows; where conditional compilation has torn it, what the trees of its branches show.
    fn see(
        &mut self,
        parsed: Parsed<'_>,
        source: &[u8],
        give_up: &impl Fn() -> bool,
    ) -> Result<Seen, Unparsed> {
        let torn = misread::torn_conditionals(&parsed.tree, parsed.language.preprocessor, source);
        if torn.is_empty() {
            return self.walk(&parsed, source, None, give_up);
        }
        match self.see_branches(&parsed, source, &torn, give_up) {
            Some(seen) => Ok(seen),
            // Where a branch cannot be read, what the torn tree shows is better than nothing.
            None => self.walk(&parsed, source, None, give_up),
        }
    }

    /// What the trees show in which one branch of each of these conditionals stands alone; none where they are torn
    /// no less.
    fn see_branches(
        &mut self,
        whole: &Parsed<'_>,
        source: &[u8],
        torn: &[Conditional],
        give_up: &impl Fn() -> bool,
    ) -> Option<Seen> {
        // The text with the first branch of each conditional, and with the last.
        let (first_text, first_blanked) = conditionals::choose(source, torn, false);
        let (last_text, last_blanked) = conditionals::choose(source, torn, true);
        let language = whole.language;
        let first = self.parse(language, &first_text, Some(whole), give_up);
        let first = (first.ok()?, first_text.as_slice(), first_blanked);
        // What the first branches leave misread the last may read, where they have to do with it.
        let is_settled = first.0.errors < whole.errors && {
            let misread = misread::lines(&first.0.tree, &first_text);
            !torn.iter().any(|torn| torn.is_torn_in(&misread))
        };
        let first_seen = match is_settled {
            true => Some(self.walk(&first.0, &first_text, None, give_up).ok()?),
            false => None,
        };
        let is_known = |seen: &Seen| is_inside_functions(&first.2, &seen.found, source, language);
        let last = match first_text == last_text || first_seen.as_ref().is_some_and(is_known) {
            true => None,
            false => {
                let last = self.parse(language, &last_text, Some(&first.0), give_up);
                Some((last.ok()?, last_text.as_slice(), last_blanked))
            }
        };
        let ((best, text, blanked), other, best_seen) = match last {
            Some(last) if last.0.errors < first.0.errors => (last, Some(first), None),
            last => (first, last, first_seen),
        };
        if best.errors >= whole.errors {
            return None;
        }
        let mut seen = match best_seen {
            Some(seen) => seen,
            None => self.walk(&best, text, None, give_up).ok()?,
        };
        // Of the torn tree, what was blanked for the best.
        let away = with_directives(&blanked, torn);
        let of_whole = self.walk(whole, source, Some(&away), give_up).ok()?;
        let other = match other {
            Some((other, text, _)) => self.walk(&other, text, Some(&blanked), give_up).ok()?,
            None => Seen::default(),
        };
        add_blanked(&mut seen, other, of_whole, &blanked, &away);
        Some(seen)
    }

    /// What the tree shows; of what begins in `within`, in order, where that is given.
    fn walk(
        &mut self,
        parsed: &Parsed<'_>,
        source: &[u8],
        within: Option<&[Range<usize>]>,
        give_up: &impl Fn() -> bool,
    ) -> Result<Seen, Unparsed> {
        let plan = &parsed.compiled.plan;
        let mut seen = Seen::default();
        let mut places = std::mem::take(&mut self.places);
        let hints = parsed.compiled.hints.as_ref();
        #[cfg(test)]
        let hints = hints.filter(|_| !self.walks_all);
        let mut to_come = hints.map(|hints| {
            hints.find(source, within, &mut places);
            places.walk()
        });
        let mut cursor = parsed.tree.walk();
        let mut spare = parsed.tree.walk();
        let mut parents: Vec<u16> = Vec::new();
        let mut steps = 0u32;
        loop {
            let node = cursor.node();
            if within.is_some_and(|within| is_outside(node, within)) {
                if !advance(&mut cursor, &mut parents) {
                    break;
                }
                continue;
            }
            let kind = node.kind_id();
            let action = plan.action(kind);
            if action.begins_pattern {
                try_patterns(parsed.compiled, node, source, &mut spare, &mut seen);
            }
            if action.is_branch
                || action.may_be_branch
                    && parents
                        .last()
                        .is_some_and(|parent| plan.is_branch_inside(kind, *parent))
            {
                seen.branches.push(node.byte_range());
            }
            if action.is_text {
                text_of(node, &mut seen);
            }
            if action.is_comment {
                seen.comments.push(node.byte_range());
            } else if !action.is_token {
                let (start, end) = (node.start_byte(), node.end_byte());
                let is_worth_it = to_come
                    .as_mut()
                    .is_none_or(|places| places.has(source, start, end) || node.has_error());
                if is_worth_it && cursor.goto_first_child() {
                    parents.push(kind);
                    continue;
                }
            }
            steps = steps.wrapping_add(1);
            if steps.is_multiple_of(1 << 14) && give_up() {
                self.places = places;
                return Err(Unparsed::TookTooLong);
            }
            if !advance(&mut cursor, &mut parents) {
                break;
            }
        }
        self.places = places;
        let preprocessor = parsed.language.preprocessor;
        seen.branches
            .sort_by_key(|branch| (branch.start, branch.end));
        if preprocessor.is_some_and(Preprocessor::has_conditionals) {
            conditionals::leave_out_directives(source, &mut seen.branches);
        }
        seen.branches.dedup();
        Ok(seen)
    }
}

/// What was blanked and the directives around it, in order and joined where they touch.
fn with_directives(blanked: &[Range<usize>], torn: &[Conditional]) -> Vec<Range<usize>> {
    let mut away = blanked.to_vec();
    away.extend(torn.iter().flat_map(|torn| torn.directives().cloned()));
    away.sort_by_key(|range| range.start);
    away.dedup_by(|later, first| {
        let is_joined = later.start <= first.end;
        if is_joined {
            first.end = first.end.max(later.end);
        }
        is_joined
    });
    away
}

/// Adds what was blanked for the tree that `seen` is of: what the tree of the other branches and the torn one,
/// `of_whole`, show of it. `away` are the blanked texts with the directives.
fn add_blanked(
    seen: &mut Seen,
    other: Seen,
    of_whole: Seen,
    blanked: &[Range<usize>],
    away: &[Range<usize>],
) {
    // The blanked text around a place, if it was blanked.
    let around = |place: usize| {
        let after = blanked.partition_point(|blanked| blanked.start <= place);
        let before = after.checked_sub(1).map(|before| &blanked[before]);
        before.filter(|blanked| blanked.contains(&place))
    };
    let is_blanked = |place: usize| around(place).is_some();
    // What only the other branch defines; and of branches in between what the torn tree shows whole. Two heads
    // of one body are one function.
    let bodies: HashSet<usize> = seen.found.iter().map(|found| found.span.end).collect();
    seen.found.extend(other.found.into_iter().filter(|found| {
        is_blanked(found.span.start)
            && (is_blanked(found.span.end.saturating_sub(1)) || !bodies.contains(&found.span.end))
    }));
    seen.found
        .extend(of_whole.found.into_iter().filter(|found| {
            around(found.span.start).is_some_and(|blanked| found.span.end <= blanked.end)
        }));
    seen.found
        .sort_by_key(|found| (found.span.start, found.span.end, found.pattern));
    let is_same =
        |later: &mut Found, first: &mut Found| later.span == first.span && later.kind == first.kind;
    seen.found.dedup_by(is_same);
    let points = of_whole.branches.into_iter();
    seen.branches
        .extend(points.filter(|point| is_blanked(point.start)));
    seen.branches.sort_by_key(|point| point.start);
    // Comments are where they are, whatever stands around them.
    let is_away = |place: usize| {
        let after = away.partition_point(|away| away.end <= place);
        away.get(after).is_some_and(|away| away.start <= place)
    };
    let comments = of_whole.comments.into_iter();
    seen.comments
        .extend(comments.filter(|comment| is_away(comment.start)));
    seen.comments.sort_by_key(|comment| comment.start);
    seen.texts.extend(of_whole.texts);
}

/// Whether a node has nothing in these ranges, which are in order.
fn is_outside(node: Node<'_>, within: &[Range<usize>]) -> bool {
    let next = within.partition_point(|range| range.end <= node.start_byte());
    within
        .get(next)
        .is_none_or(|range| range.start >= node.end_byte())
}

/// Tries the patterns that begin with nodes of this kind on one. `cursor` is of the same tree.
fn try_patterns<'tree>(
    compiled: &Compiled,
    node: Node<'tree>,
    source: &[u8],
    cursor: &mut TreeCursor<'tree>,
    seen: &mut Seen,
) {
    let captures = &compiled.captures;
    for &at in compiled.plan.patterns(node.kind_id()) {
        let Some(pattern) = compiled.patterns.patterns.get(at) else {
            continue;
        };
        pattern.find(node, source, cursor, |captured| {
            let node = |capture| captured_as(captured, capture);
            if let Some(branch) = node(captures.branch) {
                seen.branches.push(branch.byte_range());
                return;
            }
            if let Some(text) = node(captures.text) {
                text_of(text, seen);
                return;
            }
            if let Some(comment) = node(captures.comment) {
                seen.comments.push(comment.byte_range());
                return;
            }
            let kinds = [
                (captures.function, ModuleKind::Function),
                (captures.class, ModuleKind::Class),
                (captures.namespace, ModuleKind::Namespace),
                (captures.rest, ModuleKind::Namespace),
            ];
            let defined = kinds
                .iter()
                .find_map(|&(capture, kind)| Some((node(capture)?, kind)));
            let name = match node(captures.declarator) {
                Some(declarator) => definitions::function_name(declarator, source),
                None => node(captures.name),
            };
            let scope = node(captures.scope);
            if let (Some((defined, kind)), Some(name)) = (defined, name)
                && let Some(found) = definitions::definition(kind, defined, name, scope, source)
            {
                seen.found.push(Found {
                    pattern: at,
                    is_rest: node(captures.rest).is_some(),
                    ..found
                });
            }
        });
    }
}

fn text_of(node: Node<'_>, seen: &mut Seen) {
    let (first, last) = (node.start_position().row, node.end_position().row);
    if first != last {
        seen.texts.push(first..last + 1);
    }
}

/// Goes to the node after the subtree of the current one; false at the end.
fn advance(cursor: &mut TreeCursor<'_>, parents: &mut Vec<u16>) -> bool {
    while !cursor.goto_next_sibling() {
        if !cursor.goto_parent() {
            return false;
        }
        parents.pop();
    }
    true
}

fn captured_as<'tree>(captured: &Captured<'tree>, capture: Option<Capture>) -> Option<Node<'tree>> {
    let capture = capture?;
    let mut captured = captured.iter();
    captured
        .find(|(of, _)| *of == capture)
        .map(|&(_, node)| node)
}

/// Whether all of these branches, which are in order, stand inside functions, so that no other way to read them would show
/// another definition: functions of C hold none. In other languages only branches without a brace are known to hold none.
fn is_inside_functions(
    branches: &[Range<usize>],
    found: &[Found],
    source: &[u8],
    language: &Language,
) -> bool {
    let holds_none = |branch: &Range<usize>| match language.preprocessor {
        Some(Preprocessor::C) => true,
        Some(Preprocessor::Cpp) => memchr::memchr(b'{', &source[branch.clone()]).is_none(),
        _ => false,
    };
    let functions = found
        .iter()
        .filter(|found| found.kind == ModuleKind::Function);
    let mut functions = functions.map(|function| &function.span);
    let mut around: Option<&Range<usize>> = None;
    branches.iter().all(|branch| {
        while around.is_none_or(|around| around.end < branch.end) {
            match functions.next() {
                Some(next) => around = Some(next),
                None => return false,
            }
        }
        around.is_some_and(|around| around.start < branch.start) && holds_none(branch)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::languages;

    /// The samples of every language, each read as every language: what a grammar cannot read has to be walked too.
    #[test]
    fn what_is_not_walked_holds_nothing() {
        let samples = include_str!("../../tests/it/source/languages.rs");
        let mut samples: Vec<&str> = samples.split("r#\"").skip(1).collect();
        for sample in &mut samples {
            *sample = sample.split("\"#").next().unwrap_or_default();
        }
        assert!(samples.len() > 15);
        let here_document = "f() {\n  cat <<A $(if x; then\n\n b\n\nA\n y; fi)\n}\n";
        samples.push(here_document);
        let (mut reader, mut whole) = (Reader::default(), Reader::default());
        whole.walks_all = true;
        let never = || false;
        let mut nodes = 0;
        for language in &languages::LANGUAGES {
            assert!(language.compiled().expect("fits").hints.is_some());
            for sample in &samples {
                let source = sample.as_bytes();
                let parsed = reader.parse(language, source, None, &never);
                let parsed = parsed.expect("a tree");
                let seen = reader.walk(&parsed, source, None, &never).expect("a walk");
                let all = whole.walk(&parsed, source, None, &never).expect("a walk");
                nodes += all.found.len() + all.branches.len() + all.comments.len();
                assert_eq!(seen, all, "{:?}: {sample}", language.counted_as);
            }
        }
        assert!(nodes > 500, "{nodes}");
    }

    #[test]
    fn reading_what_differs_again_is_reading_all_again() {
        let function = "int NAME(int a) {\n#ifdef A\n  if (a) {\n#else\n  while (a > 1) {\n#endif\n    \
            return a;\n  }\n  return 0;\n}\nstatic int plain(void) { return 1; }\n";
        let text: String = (0..40)
            .map(|index| function.replace("NAME", &format!("torn_{index}")))
            .collect();
        let language = languages::of(tokei::LanguageType::C).expect("in the table");
        let conditionals = conditionals::find(text.as_bytes(), languages::Preprocessor::C);
        let (mut reader, never) = (Reader::default(), || false);
        let torn = reader
            .parse(language, text.as_bytes(), None, &never)
            .expect("a tree");
        assert!(torn.errors > 0);
        for is_last in [false, true] {
            let (text, _) = conditionals::choose(text.as_bytes(), &conditionals, is_last);
            let mut shape = |similar| {
                let parsed = reader
                    .parse(language, &text, similar, &never)
                    .expect("a tree");
                let root = parsed.tree.root_node();
                let mut cursor = root.walk();
                let functions = root.children(&mut cursor).map(|node| node.range());
                let functions: Vec<_> = functions.collect();
                (parsed.errors, root.to_sexp(), functions)
            };
            let again = shape(Some(&torn));
            assert_eq!(again, shape(None));
            assert_eq!((again.0, again.2.len()), (0, 80));
        }
    }
}
