//! Where a text calls something: every call in it with its line and the name that is called.
//!
//! Read from the syntax tree by the same visits as what files say of one another, and by some more for objects that are
//! created, which calls their constructors.

use std::sync::Arc;

use tokei::LanguageType;
use tree_sitter::{Language, Node, Tree};

use super::file::{Family, METHOD, PLAIN};
use super::found::{Before, Found, Visit};
use super::visits::Visits;
use crate::taken::Taken;

/// What stands before the name of what is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Behind {
    /// Nothing: `f()`.
    Nothing,
    /// A value that the text does not name: `g().f()`.
    Value,
    /// A name, which may be that of a value, a class or a module: `a::b` of `a::b::f()`.
    Named(Box<str>),
}

/// A call as the text has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallSite {
    /// Where the call begins, from 1: it is in the innermost function around this line.
    pub begins: u32,
    /// Where its name stands, from 1: of `a⏎.f()` the second line.
    pub line: u32,
    /// Without what stands before it; empty where it is none, as in `table[i]()`.
    pub name: Box<str>,
    pub behind: Behind,
    /// Of a call without a name, the names that it may be of: those that the tree uses as values. Any for none.
    pub taken: Option<Arc<Taken>>,
}

impl Family {
    /// The kinds of nodes that create an object.
    fn creations(self) -> &'static [(&'static str, Visit)] {
        match self {
            Family::JavaScript => &[("new_expression", constructor)],
            Family::C => &[("new_expression", of_type)],
            Family::Jvm | Family::CSharp => &[("object_creation_expression", of_type)],
            Family::Php => &[("object_creation_expression", first)],
            _ => &[],
        }
    }
}

fn constructor(node: Node<'_>, found: &mut Found<'_>) {
    created(node, found.field(node, "constructor"), found);
}

fn of_type(node: Node<'_>, found: &mut Found<'_>) {
    created(node, found.field(node, "type"), found);
}

fn first(node: Node<'_>, found: &mut Found<'_>) {
    let name = node.named_child(0).map_or("", |it| found.text(it));
    created(node, name, found);
}

/// An object of the class `name` is created.
fn created(node: Node<'_>, name: &str, found: &mut Found<'_>) {
    let name = name.split('<').next().unwrap_or_default().trim();
    match name.rfind(['.', ':', '\\']) {
        Some(at) => {
            let (before, name) = name.split_at(at + 1);
            let before = before.trim_end_matches(['.', ':', '\\']);
            found.call(node, Before::Named(before), name, true);
        }
        None => found.call(node, Before::Nothing, name, true),
    }
}

/// The calls in `tree`, of `source`, in order of line; none for a language that they are not known of, or where `give_up`
/// says so meanwhile. Linear in the nodes.
pub fn read(
    language: LanguageType,
    grammar: &Language,
    tree: &Tree,
    source: &[u8],
    give_up: &impl Fn() -> bool,
) -> Option<Vec<CallSite>> {
    let family = Family::of(language)?;
    let kinds = family.visits().iter().chain(family.creations());
    let visits = Visits::with(grammar, kinds.copied());
    let mut found = Found::new(source);
    let take = |node: Node<'_>, visit: Visit, found: &mut Found<'_>| {
        let before = (found.calls.len(), found.imports.len());
        visit(node, found);
        let is_call = ["call", "invocation"]
            .iter()
            .any(|kind| node.kind().contains(kind));
        if is_call && before == (found.calls.len(), found.imports.len()) {
            found.nameless(node);
        }
    };
    visits.walk(tree, &mut found, take, give_up)?;
    let mut names: Vec<(&str, u32)> = Vec::with_capacity(found.names.len());
    names.extend(found.names.iter().map(|(name, &id)| (&**name, id)));
    names.sort_unstable_by_key(|&(_, id)| id);
    let name = |id: u32| names.get(id as usize).map_or("", |&(name, _)| name);
    let line = |row: usize| u32::try_from(row).unwrap_or(u32::MAX - 1) + 1;
    let calls = found.calls.iter().filter(|call| call.is_call);
    let mut sites: Vec<CallSite> = calls
        .map(|call| CallSite {
            begins: line(call.row),
            line: line(call.arguments),
            name: name(call.name).into(),
            behind: match call.qualifier {
                PLAIN => Behind::Nothing,
                METHOD => Behind::Value,
                named => Behind::Named(name(named).into()),
            },
            taken: None,
        })
        .collect();
    sites.sort_by_key(|site| site.line);
    Some(sites)
}
