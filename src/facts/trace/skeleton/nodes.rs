//! What a skeleton consists of.

use super::sets::{FunctionSets, SetId};
use callscape_base::units::{CallId, Cost, FunctionId, ThreadId};

/// What of the time from its start to its end a call costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CostOf {
    /// All but that in which other programs had the processor, where the recording knows it.
    #[default]
    Running,
    /// All of it: costs(c) of Bohnet's thesis, section 5.1.
    Elapsed,
}

/// From what on a call is in a skeleton: it triggers so many calls, or costs so much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Floor {
    pub triggered: u64,
    pub cost: Cost,
}

impl Floor {
    /// Whether a call is at or above it.
    #[inline]
    pub fn keeps(&self, triggered: u64, cost: Cost) -> bool {
        triggered >= self.triggered || cost >= self.cost
    }

    /// Whether all that `other` keeps is kept.
    pub fn is_below(&self, other: &Floor) -> bool {
        self.triggered <= other.triggered && self.cost <= other.cost
    }
}

/// A call at or above the floor; or the root, which stands for the whole thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// Not of the root, which is no call.
    pub call: CallId,
    /// The last call that it triggers; itself where it triggers none.
    pub last: CallId,
    pub function: FunctionId,
    /// The node of its caller; its own of the root.
    pub parent: u32,
    /// The nodes behind it up to this one are below it.
    pub end: u32,
    pub triggered: u32,
    /// The depth of the call, and the greatest among it and the calls that it or its lightweight subcalls trigger,
    /// without those below other nodes. Of the root 0 and the greatest of its own.
    pub depth: u32,
    pub deepest: u32,
    /// Functions of it and of its subcalls that are no nodes, with all that these trigger.
    pub functions: SetId,
    pub cost: Cost,
    pub(super) lights: (u32, u32),
}

/// What the subcalls of one node that are below the floor add up to, for one callee.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Light {
    pub function: FunctionId,
    pub of: u64,
    /// These and what they trigger.
    pub calls: u64,
    pub cost: Cost,
}

impl Light {
    pub fn add(&mut self, other: &Light) {
        self.of += other.of;
        self.calls += other.calls;
        self.cost += other.cost;
    }
}

/// The skeleton of one thread, or of a time range of it.
#[derive(Clone, Debug)]
pub struct Skeleton {
    pub thread: ThreadId,
    pub floor: Floor,
    /// In order of start, the root first.
    pub nodes: Vec<Node>,
    pub(super) lights: Vec<Light>,
    pub sets: FunctionSets,
    /// Outermost calls that links lead to, in order, with the function of the call that each comes from.
    pub linked: Vec<(CallId, FunctionId)>,
}

impl Skeleton {
    /// What the subcalls of a node below the floor add up to, in order of function.
    pub fn lights(&self, node: &Node) -> &[Light] {
        let (start, end) = node.lights;
        self.lights.get(start as usize..end as usize).unwrap_or(&[])
    }

    /// The function that called the call of a node, none of an outermost one that no link leads to.
    pub fn caller(&self, node: &Node) -> Option<FunctionId> {
        if node.parent > 0 {
            return self.nodes.get(node.parent as usize).map(|it| it.function);
        }
        let found = self.linked.binary_search_by_key(&node.call, |it| it.0);
        found.ok().map(|at| self.linked[at].1)
    }

    /// How many calls there are.
    pub fn calls(&self) -> u64 {
        self.nodes
            .first()
            .map_or(0, |root| u64::from(root.triggered))
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.nodes) + size_of_val(&*self.lights) + self.sets.bytes()
    }
}
