//! Which patterns of a query are asked for at which node of a syntax tree.
//!
//! Most nodes are such that no pattern begins with them. So the tree is walked once: what the patterns made of a single
//! node say is looked up by the node's kind, and only where one of the other patterns may begin is it tried, on that
//! node alone.

use tree_sitter::Language;

use super::patterns::Patterns;

/// What to do at a node of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Action {
    pub is_comment: bool,
    /// A string that may span lines.
    pub is_text: bool,
    pub is_branch: bool,
    /// A token that is a decision point inside of some kinds of node only: see [`Plan::is_branch_inside`].
    pub may_be_branch: bool,
    /// A token without a name of its own, which has no children.
    pub is_token: bool,
    /// Some pattern begins with this node: those of [`Plan::patterns`] are to be tried on it.
    pub begins_pattern: bool,
}

/// Actions by kind of node.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    actions: Vec<Action>,
    /// Tokens that are decision points, and the kind of node in which they are.
    branches_inside: Vec<(u16, u16)>,
    /// Other patterns that begin with each kind of node, as places among all.
    patterns: Vec<Vec<usize>>,
    /// Patterns whose first node could not be told, which a test rules out.
    unknown: Vec<String>,
}

impl Plan {
    pub(crate) fn new(grammar: &Language, patterns: &Patterns<'_>) -> Plan {
        let kinds = grammar.node_kind_count();
        let mut plan = Plan {
            actions: vec![Action::default(); kinds],
            patterns: vec![Vec::new(); kinds],
            ..Plan::default()
        };
        for (kind, action) in (0..).zip(&mut plan.actions) {
            action.is_token =
                !grammar.node_kind_is_named(kind) && grammar.node_kind_is_visible(kind);
        }
        for (at, pattern) in patterns.patterns.iter().enumerate() {
            let text = without_comments(pattern.text);
            let is_known = match plan.add_simple(grammar, text.trim()) {
                Some(()) => Some(()),
                None => pattern.first_kinds().and_then(|kinds| plan.add(&kinds, at)),
            };
            if is_known.is_none() {
                plan.unknown.push(text);
            }
        }
        plan
    }

    /// The patterns to be tried at a node of this kind, as places among all.
    pub(crate) fn patterns(&self, kind: u16) -> &[usize] {
        self.patterns
            .get(usize::from(kind))
            .map_or(&[], Vec::as_slice)
    }

    /// What to do at a node of this kind; nothing at errors, which have none.
    pub(crate) fn action(&self, kind: u16) -> Action {
        let action = self.actions.get(usize::from(kind));
        action.copied().unwrap_or_default()
    }

    /// Whether a token is a decision point in a node of the kind `parent`.
    pub(crate) fn is_branch_inside(&self, token: u16, parent: u16) -> bool {
        self.branches_inside.contains(&(token, parent))
    }

    fn add(&mut self, kinds: &[u16], pattern: usize) -> Option<()> {
        for &kind in kinds {
            self.actions.get_mut(usize::from(kind))?.begins_pattern = true;
            self.patterns.get_mut(usize::from(kind))?.push(pattern);
        }
        Some(())
    }

    /// Adds a pattern that an action says whole.
    fn add_simple(&mut self, grammar: &Language, pattern: &str) -> Option<()> {
        let (first, rest) = first_node(pattern)?;
        let capture = rest.trim().strip_prefix('@').map(str::trim);
        let is_capture = |capture: &&str| !capture.contains([' ', '\n', '(']);
        if let Some(capture) = capture.filter(is_capture) {
            let kind = single(grammar, first)?;
            let action = self.actions.get_mut(usize::from(kind))?;
            match capture {
                "comment" => action.is_comment = true,
                "text" => action.is_text = true,
                "branch" => action.is_branch = true,
                _ => return None,
            }
            return Some(());
        }
        let (parent, tokens) = tokens_inside(first)?;
        rest.trim().is_empty().then_some(())?;
        let parent = id(grammar, parent, true)?;
        for token in tokens {
            let token = id(grammar, token, false)?;
            self.actions.get_mut(usize::from(token))?.may_be_branch = true;
            self.branches_inside.push((token, parent));
        }
        Some(())
    }

    /// Panics where a pattern begins with what this file does not understand.
    #[cfg(test)]
    pub(crate) fn check(&self) {
        assert!(self.unknown.is_empty(), "{:?}", self.unknown);
    }
}

fn id(grammar: &Language, name: &str, is_named: bool) -> Option<u16> {
    let id = grammar.id_for_node_kind(name, is_named);
    (id != 0).then_some(id)
}

fn without_comments(pattern: &str) -> String {
    let lines = pattern.lines();
    let lines = lines.filter(|line| !line.trim_start().starts_with(';'));
    lines.collect::<Vec<_>>().join("\n")
}

/// The node or token that a pattern consists of, and the captures behind it.
fn first_node(pattern: &str) -> Option<(&str, &str)> {
    let bytes = pattern.as_bytes();
    let end = match *bytes.first()? {
        b'"' => 2 + pattern[1..].find('"')?,
        b'(' => {
            let mut depth = 0usize;
            let mut is_string = false;
            let end = bytes.iter().position(|byte| {
                match byte {
                    b'"' => is_string = !is_string,
                    b'(' if !is_string => depth += 1,
                    b')' if !is_string => depth -= 1,
                    _ => {}
                }
                depth == 0
            });
            end? + 1
        }
        _ => return None,
    };
    Some(pattern.split_at(end))
}

/// The kind of `(kind)` or `"token"`.
fn single(grammar: &Language, node: &str) -> Option<u16> {
    if let Some(token) = node.strip_prefix('"') {
        return id(grammar, token.strip_suffix('"')?, false);
    }
    let name = node.strip_prefix('(')?.strip_suffix(')')?;
    id(grammar, name.trim(), true)
}

fn node_name(node: &str) -> Option<&str> {
    let name = node.strip_prefix('(')?.trim_start();
    name.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .next()
        .filter(|name| !name.is_empty() && *name != "_")
}

/// `(parent field: ["a" "b"] @branch)`: the parent and the tokens.
fn tokens_inside(node: &str) -> Option<(&str, Vec<&str>)> {
    let parent = node_name(node)?;
    let rest = node.strip_prefix('(')?.trim_start();
    let rest = rest.strip_prefix(parent)?.strip_suffix(')')?.trim();
    let rest = rest.strip_suffix("@branch")?.trim();
    let tokens = rest.find('"').map(|quote| rest.split_at(quote))?;
    let field = tokens.0.trim().trim_end_matches('[').trim();
    let is_field = |field: &str| field.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    if !(field.is_empty() || field.strip_suffix(':').is_some_and(is_field)) {
        return None;
    }
    let tokens = tokens.1.trim_end_matches(']').split_whitespace();
    let tokens: Option<Vec<&str>> = tokens
        .map(|token| token.strip_prefix('"')?.strip_suffix('"'))
        .collect();
    Some((parent, tokens?))
}
