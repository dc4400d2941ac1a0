//! Which goroutine runs on which thread of the system.

use std::collections::HashMap;

use super::generation::{Event, Generation};
use super::wire;
use callscape_facts::hashing::BuildFast;

#[derive(Clone, Default)]
pub(super) struct Machines {
    running: HashMap<u64, u64, BuildFast>,
}

impl Machines {
    /// The goroutine that an event is of, where it is of one; of a switch, the one that stops.
    pub(super) fn step(&mut self, event: &Event) -> Option<u64> {
        let [first, second, third, _] = event.arguments;
        match event.kind {
            wire::GO_START | wire::GO_CREATE_SYSCALL => {
                self.running.insert(event.machine, first);
                Some(first)
            }
            wire::GO_STATUS | wire::GO_STATUS_STACK => {
                if matches!(third, wire::RUNNING | wire::IN_SYSCALL) {
                    self.running.insert(second, first);
                }
                Some(first)
            }
            wire::GO_SWITCH | wire::GO_SWITCH_DESTROY => self.running.insert(event.machine, first),
            wire::GO_DESTROY
            | wire::GO_DESTROY_SYSCALL
            | wire::GO_STOP
            | wire::GO_BLOCK
            | wire::SYSCALL_END_BLOCKED => self.running.remove(&event.machine),
            _ => self.running.get(&event.machine).copied(),
        }
    }
}

/// By goroutine, the stack with its first function, as far as this generation has one.
pub(super) fn first_stacks(
    generation: &Generation,
    mut machines: Machines,
) -> HashMap<u64, u64, BuildFast> {
    let mut found: HashMap<u64, u64, BuildFast> = HashMap::default();
    for event in generation.events() {
        let goroutine = machines.step(&event);
        let [first, second, third, fourth] = event.arguments;
        let (goroutine, stack) = match event.kind {
            wire::GO_CREATE | wire::GO_CREATE_BLOCKED => (Some(first), second),
            wire::GO_STATUS_STACK => (Some(first), fourth),
            wire::GO_STOP | wire::GO_BLOCK | wire::SYSCALL_BEGIN => (goroutine, second),
            wire::GO_UNBLOCK | wire::REGION_BEGIN | wire::REGION_END => (goroutine, third),
            wire::ASSIST_BEGIN => (goroutine, first),
            _ => continue,
        };
        if let Some(goroutine) = goroutine
            && !generation.stack(stack).is_empty()
        {
            found.entry(goroutine).or_insert(stack);
        }
    }
    for sample in &generation.samples {
        if sample.goroutine > 0 && !generation.stack(sample.stack).is_empty() {
            found.entry(sample.goroutine).or_insert(sample.stack);
        }
    }
    found
}
