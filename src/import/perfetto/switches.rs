//! The switches of threads in a Perfetto trace, on their way into order.

use bytemuck::{Pod, Zeroable};

use callscape_facts::sorting::Sorter;

/// A thread is taken from its processor or given one.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Switch {
    pub thread: u64,
    pub time: i64,
    /// [`IN`], or why it is taken: [`PREEMPTED`], [`VOLUNTARY`].
    pub kind: u64,
}

pub(super) const IN: u64 = 0;
pub(super) const PREEMPTED: u64 = 1;
pub(super) const VOLUNTARY: u64 = 2;

/// Those of all threads, in whatever order they come.
pub(super) type Switches = Sorter<Switch, (u64, i64)>;

pub(super) fn switches() -> Switches {
    Sorter::new(|it| (it.thread, it.time))
}
