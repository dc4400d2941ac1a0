//! Which nodes of a syntax tree say something of other files, and the walk over them.

use tree_sitter::{Language, Node, Tree};

use super::file::{Family, FileRelations};
use super::found::{Found, Visit};
use super::{c, go, javascript, jvm, other, php, python, ruby, rust};
use crate::definitions::Definition;

impl Family {
    /// The kinds of nodes that say something of other files, and what to do at them.
    pub(super) fn visits(self) -> &'static [(&'static str, Visit)] {
        match self {
            Family::C => c::VISITS,
            Family::Rust => rust::VISITS,
            Family::Python => python::VISITS,
            Family::JavaScript => javascript::VISITS,
            Family::Jvm => jvm::VISITS,
            Family::CSharp => other::CSHARP,
            Family::Go => go::VISITS,
            Family::Ruby => ruby::VISITS,
            Family::Php => php::VISITS,
            Family::Swift => other::SWIFT,
            Family::Lua => other::LUA,
            Family::Shell => other::SHELL,
        }
    }
}

/// What to do at each kind of node of one grammar.
pub struct Visits(Vec<Option<Visit>>);

impl Visits {
    pub fn new(grammar: &Language, family: Family) -> Visits {
        let all = [family.visits(), family.globals(), family.bases()];
        Visits::with(grammar, all.into_iter().flatten().copied())
    }

    pub(super) fn with(
        grammar: &Language,
        kinds: impl Iterator<Item = (&'static str, Visit)>,
    ) -> Visits {
        let mut visits: Vec<Option<Visit>> = vec![None; grammar.node_kind_count()];
        for (kind, visit) in kinds {
            // Grammars have aliases: one name, several numbers.
            for id in 0..visits.len() as u16 {
                if grammar.node_kind_is_named(id) && grammar.node_kind_for_id(id) == Some(kind) {
                    visits[usize::from(id)] = Some(visit);
                }
            }
        }
        Visits(visits)
    }

    /// What `tree`, of `source`, says of other files; none where `give_up` says so meanwhile. Linear in the nodes.
    pub fn read(
        &self,
        tree: &Tree,
        source: &[u8],
        definitions: &[Definition],
        give_up: &impl Fn() -> bool,
    ) -> Option<FileRelations> {
        let mut found = Found::new(source);
        self.walk(
            tree,
            &mut found,
            |node, visit, found| visit(node, found),
            give_up,
        )?;
        Some(found.finish(definitions))
    }

    /// Hands each node that says something to `take`, with what to do at it; none where `give_up` says so meanwhile.
    pub(super) fn walk<'a>(
        &self,
        tree: &Tree,
        found: &mut Found<'a>,
        take: impl Fn(Node<'_>, Visit, &mut Found<'a>),
        give_up: &impl Fn() -> bool,
    ) -> Option<()> {
        let mut cursor = tree.walk();
        let mut steps = 0u32;
        loop {
            let node = cursor.node();
            if let Some(Some(visit)) = self.0.get(usize::from(node.kind_id())) {
                take(node, *visit, found);
            }
            steps = steps.wrapping_add(1);
            if steps.is_multiple_of(1 << 14) && give_up() {
                return None;
            }
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return Some(());
                }
            }
        }
    }
}
