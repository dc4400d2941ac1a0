//! Stacks in a table, each once.

use std::collections::HashMap;

use callscape_base::units::FunctionId;
use callscape_facts::hashing::BuildFast;

/// A stack in a [`Stacks`] table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct StackId(u32);

impl StackId {
    /// The stack without frames.
    pub(crate) const EMPTY: StackId = StackId(0);

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }

    /// The stack with this index, of which there are never more than 32 bits can number.
    pub(super) fn numbered(index: usize) -> StackId {
        StackId(index as u32)
    }
}

/// A stack: a function on top of another stack.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub function: FunctionId,
    pub below: StackId,
    /// How many frames it has.
    pub depth: u32,
}

/// A stack of functions with the line that runs in each.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lined {
    /// With lines.
    pub below: StackId,
    /// The same without.
    plain: StackId,
    /// 0 where it is not known.
    pub line: u32,
}

/// Stacks with lines. As long as no line is known there are none, and ids are those of stacks without.
#[derive(Debug, Default)]
struct WithLines {
    rows: Vec<Lined>,
    ids: HashMap<(StackId, StackId, u32), StackId, BuildFast>,
}

/// Stacks as a tree: equal stacks of functions have the same id, however the file tells them apart. Stacks that are pushed
/// with lines are told apart by these too; [`plain`](Self::plain) gives the functions alone.
#[derive(Debug)]
pub(crate) struct Stacks {
    /// Below before above; the first, that of the empty stack, is its own below.
    rows: Vec<Row>,
    ids: HashMap<(StackId, FunctionId), StackId, BuildFast>,
    with_lines: Option<WithLines>,
}

impl Default for Stacks {
    fn default() -> Stacks {
        Stacks {
            rows: vec![Row {
                function: FunctionId(0),
                below: StackId::EMPTY,
                depth: 0,
            }],
            ids: HashMap::default(),
            with_lines: None,
        }
    }
}

impl Stacks {
    /// The stack that has `function` on top of `below`.
    pub(crate) fn push(&mut self, below: StackId, function: FunctionId) -> StackId {
        let depth = self.rows[below.0 as usize].depth + 1;
        let rows = &mut self.rows;
        *self.ids.entry((below, function)).or_insert_with(|| {
            rows.push(Row {
                function,
                below,
                depth,
            });
            StackId(rows.len() as u32 - 1)
        })
    }

    /// The stack that has `function` on top of `below`, which was made by this too, and runs in `line`; 0 where that is not
    /// known.
    pub(crate) fn push_at(&mut self, below: StackId, function: FunctionId, line: u32) -> StackId {
        if line == 0 && self.with_lines.is_none() {
            return self.push(below, function);
        }
        let plain = self.push(self.plain(below), function);
        let rows = &self.rows;
        let with_lines = self.with_lines.get_or_insert_with(|| {
            // Those so far are without lines, the one that was just pushed left out where it is new.
            let before = rows.len() - usize::from(plain.index() + 1 == rows.len());
            let mut with_lines = WithLines::default();
            for (plain, row) in (0..).map(StackId).zip(&rows[..before]) {
                with_lines.rows.push(Lined {
                    below: row.below,
                    plain,
                    line: 0,
                });
                if plain != StackId::EMPTY {
                    with_lines.ids.insert((row.below, plain, 0), plain);
                }
            }
            with_lines
        });
        let rows = &mut with_lines.rows;
        *with_lines
            .ids
            .entry((below, plain, line))
            .or_insert_with(|| {
                rows.push(Lined { below, plain, line });
                StackId(rows.len() as u32 - 1)
            })
    }

    /// The same stack, but for the line that runs in its top.
    pub(crate) fn with_line(&mut self, stack: StackId, line: u32) -> StackId {
        let (row, lined) = self.lined(stack);
        match stack {
            StackId::EMPTY => stack,
            _ => self.push_at(lined.below, row.function, line),
        }
    }

    /// The stack without its lines.
    pub(crate) fn plain(&self, stack: StackId) -> StackId {
        match &self.with_lines {
            None => stack,
            Some(with_lines) => with_lines.rows[stack.index()].plain,
        }
    }

    /// Whether any line is known.
    pub(crate) fn knows_lines(&self) -> bool {
        self.with_lines.is_some()
    }

    /// How many stacks there are where lines tell them apart, the empty one included.
    pub(super) fn lined_len(&self) -> usize {
        let with_lines = self.with_lines.as_ref();
        with_lines.map_or(self.rows.len(), |it| it.rows.len())
    }

    /// A stack as it was pushed: function on top and depth, what lies below with lines, and its line.
    pub(super) fn lined(&self, stack: StackId) -> (Row, Lined) {
        let row = self.row(self.plain(stack));
        let lined = match &self.with_lines {
            Some(with_lines) => with_lines.rows[stack.index()],
            None => Lined {
                below: row.below,
                plain: stack,
                line: 0,
            },
        };
        (row, lined)
    }

    /// All stacks but the empty one, in order of their index, which begins at 1: what lies below, and the function
    /// on top.
    pub(crate) fn all(&self) -> impl ExactSizeIterator<Item = (StackId, FunctionId)> + '_ {
        self.rows[1..].iter().map(|row| (row.below, row.function))
    }

    pub(super) fn row(&self, stack: StackId) -> Row {
        self.rows[stack.0 as usize]
    }

    /// How many frames two stacks share, from the outermost one. O(frames that they do not share).
    pub(super) fn shared(&self, a: StackId, b: StackId) -> u32 {
        let (mut a, mut b) = (a, b);
        while a != b {
            if self.row(a).depth >= self.row(b).depth {
                a = self.row(a).below;
            } else {
                b = self.row(b).below;
            }
        }
        self.row(a).depth
    }

    /// The functions of `stack` above the outermost `below` frames, outermost first.
    pub(super) fn above(&self, stack: StackId, below: u32, functions: &mut Vec<FunctionId>) {
        functions.clear();
        let mut at = stack;
        while self.row(at).depth > below {
            functions.push(self.row(at).function);
            at = self.row(at).below;
        }
        functions.reverse();
    }
}
