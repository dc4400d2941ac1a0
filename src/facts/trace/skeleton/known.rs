//! The skeleton of all calls of a thread, in which the nodes of a range are looked up.

use std::ops::Range;

use super::nodes::{Node, Skeleton};

/// The skeleton of all calls of the thread, above the same floor.
pub(super) struct Known<'a> {
    pub(super) whole: &'a Skeleton,
    /// The nodes from this one on have not been met.
    next: usize,
    /// The calls from this one on start too late.
    end: u32,
    /// The calls that start in the range and end too late, in order.
    late: Vec<u32>,
}

impl<'a> Known<'a> {
    /// The nodes of `whole` among `calls`, but for those that end too `late`.
    pub(super) fn among(whole: &'a Skeleton, calls: &Range<u32>, late: Vec<u32>) -> Known<'a> {
        let is_before = |node: &Node| node.call.0 < calls.start;
        Known {
            whole,
            next: 1 + whole.nodes[1..].partition_point(is_before),
            end: calls.end,
            late,
        }
    }

    /// The place of the node that this call is. Calls are asked for in order.
    #[inline]
    pub(super) fn place(&mut self, call: u32) -> Option<usize> {
        while let Some(node) = self.whole.nodes.get(self.next)
            && node.call.0 <= call
        {
            self.next += 1;
            // One that ends with the range may have triggered calls without length right then.
            let is_inside = || node.last.0 < self.end && self.late.binary_search(&call).is_err();
            if node.call.0 == call && is_inside() {
                return Some(self.next - 1);
            }
        }
        None
    }
}
