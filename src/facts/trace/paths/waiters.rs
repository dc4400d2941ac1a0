//! The contexts of the calls that have waited.

use std::collections::HashMap;

use super::super::entries::NONE;
use super::super::store::{Calls, Cursor};
use super::super::waiting::ThreadWaiting;
use super::rows::ThreadPaths;
use crate::hashing::BuildFast;

impl ThreadPaths {
    /// Finds out the context of each call that has waited: the calls around one have waited too. False where that does
    /// not come out. O(contexts + waiters).
    pub(crate) fn learn_waiters(&mut self, calls: Calls<'_>, waiting: &ThreadWaiting) -> bool {
        if waiting.waiters.is_empty() {
            return true;
        }
        let nodes = self.nodes.iter().zip(0_u32..);
        let contexts: HashMap<(u32, u32), u32, BuildFast> = nodes
            .map(|(node, number)| ((node.parent, node.function), number))
            .collect();
        let mut cursor = Cursor::new(calls);
        // The last call that each triggers, and its context.
        let mut open: Vec<(u32, u32)> = Vec::new();
        for waiter in waiting.waiters.iter() {
            let call = waiter.call;
            while open.pop_if(|(last, _)| *last < call).is_some() {}
            let facts = cursor.facts(call);
            let parent = open.last().map_or(NONE, |(_, context)| *context);
            let function = calls.store.callee(cursor.pair(call)).0;
            let Some(&context) = contexts.get(&(parent, function)) else {
                return false;
            };
            if facts.depth as usize != open.len() {
                return false;
            }
            open.push((call.saturating_add(facts.triggered), context));
            self.waiters.push(context);
        }
        true
    }
}
