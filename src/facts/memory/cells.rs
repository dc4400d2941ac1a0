//! Stacks and cells while they are collected, each once.

use std::collections::HashMap;

use super::{Cell, StackId, Stacks};
use callscape_base::units::FunctionId;

/// Finds a stack by the one around it and its function, and a cell by its stack and type.
#[derive(Clone, Debug, Default)]
pub struct Cells {
    stacks: Stacks,
    stack_ids: HashMap<(StackId, FunctionId), StackId>,
    cells: Vec<Cell>,
    cell_ids: HashMap<Cell, u32>,
}

impl Cells {
    /// The stack in which `function` is called from `parent`. O(1).
    pub fn stack(&mut self, parent: StackId, function: FunctionId) -> StackId {
        let stacks = &mut self.stacks;
        let new = || stacks.push(parent, function);
        *self.stack_ids.entry((parent, function)).or_insert_with(new)
    }

    /// The number of the cell of a stack and a type. O(1).
    pub fn cell(&mut self, stack: StackId, kind: u32) -> u32 {
        let cells = &mut self.cells;
        let cell = Cell { stack, kind };
        *self.cell_ids.entry(cell).or_insert_with(|| {
            cells.push(cell);
            cells.len() as u32 - 1
        })
    }

    /// How many cells there are.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// All of them, by their numbers.
    pub fn finish(self) -> (Stacks, Vec<Cell>) {
        (self.stacks, self.cells)
    }
}
