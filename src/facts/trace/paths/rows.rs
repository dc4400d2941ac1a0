//! The rows that calling contexts consist of.

/// A calling context: a function, and the context that it is called in, which has a lower number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    /// `NONE` of an outermost context.
    pub parent: u32,
    pub function: u32,
}

/// What the calls of a context that start in one piece add up to. Calls that are open at the end of their block count
/// without their cost, which the table of these has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub context: u32,
    pub calls: u32,
    pub cost: u64,
}

/// The contexts of one thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ThreadPaths {
    /// In order of the first call.
    pub nodes: Vec<Node>,
    /// Blocks in a piece, all but the last.
    pub blocks: u32,
    /// By piece, where its rows end.
    pub ends: Vec<u32>,
    /// By piece, in order of the first call in it.
    pub rows: Vec<Row>,
    /// By call that is open at the end of its block its context.
    pub opened: Vec<u32>,
    /// By call that has waited its context.
    pub waiters: Vec<u32>,
}

/// The contexts of all threads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Paths {
    pub threads: Vec<ThreadPaths>,
}

/// A recording has at least so many calls a context, unless it has fewer contexts than [`FEW`].
const CALLS: u64 = 16;
const FEW: u64 = 4096;

impl Paths {
    /// The contexts of all threads; none where there are too many for so many calls.
    pub(crate) fn of(threads: Option<Vec<ThreadPaths>>, calls: u64) -> Option<Paths> {
        let threads = threads?;
        let contexts: u64 = threads.iter().map(|it| it.nodes.len() as u64).sum();
        (contexts <= FEW.max(calls / CALLS)).then_some(Paths { threads })
    }
}
