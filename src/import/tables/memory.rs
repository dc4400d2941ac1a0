//! The tables of objects and of the stacks that created them, as events of memory.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::file::Ask;
use super::functions::{FunctionTable, Numbering};
use super::rows::Rows;
use crate::error::ImportError;
use crate::input::Input;
use callscape_base::progress::Progress;
use callscape_base::units::{FunctionId, ThreadId, Time, Unit};
use callscape_base::warnings::Reporter;
use callscape_facts::memory::{Detail, Live, Memory, MemoryBuilder, StackId};

/// At most this many threads have objects but no calls.
const MOST_THREADS: usize = 1 << 16;

/// A stack as a row has it.
struct Row {
    parent: Option<u64>,
    /// None of the empty stack.
    function: Option<FunctionId>,
    id: Option<StackId>,
}

/// Reads objects and stacks; none where there are no objects. Which thread released an object is not in the tables: the one
/// that created it stands for it.
pub(super) fn read(
    [objects, stacks]: [Vec<Input>; 2],
    (clock, threads): (Unit, usize),
    table: &mut FunctionTable,
    (progress, reporter): (&Progress, &Reporter),
) -> Result<Option<Memory>, ImportError> {
    if objects.is_empty() {
        return Ok(None);
    }
    let mut builder = MemoryBuilder::new();
    let stacks = read_stacks(stacks, &mut builder, table, progress, reporter)?;
    let asks = vec![
        Ask::number("object"),
        Ask::number("thread").or_none(),
        Ask::number("stack"),
        Ask::text("type").or_none(),
        Ask::number("bytes"),
        Ask::number("created"),
        Ask::number("released"),
    ];
    let mut rows = Rows::new(objects, "objects", asks, progress, reporter);
    // By time of release and number those that live.
    let mut living: BinaryHeap<Reverse<(u64, u64, u32, Live)>> = BinaryHeap::new();
    let (mut end, mut knows_sizes) = (0, false);
    while rows.next()? > 0 {
        for row in 0..rows.len() {
            let mut refuse = |kind: &'static str| reporter.warn(kind, || rows.place());
            let number = rows.number(0, row).unwrap_or_default();
            let created = rows.number(5, row).unwrap_or_default();
            let thread = rows.small(1, row).unwrap_or_default();
            // Threads that have allocated and made no calls are in no table.
            let thread = match (thread as usize) < threads.max(MOST_THREADS) {
                true => thread,
                false => {
                    refuse("thread-unknown");
                    0
                }
            };
            let stack = rows.number(2, row).and_then(|it| stacks.get(it));
            if stack.is_none() {
                refuse("stack-unknown");
            }
            let stack = StackId(stack.unwrap_or_default());
            // Of what happens at one time, the number says what stood before it.
            while let Some(&Reverse((time, _, by, object))) = living.peek()
                && (time < created || time == created && (builder.events() as u64) < number)
            {
                living.pop();
                builder.release(Time::from_ns(time), ThreadId(by), object, &mut refuse);
            }
            let kind = builder.kind(&rows.text(3, row));
            let bytes = rows.number(4, row).unwrap_or_default();
            knows_sizes |= bytes != 1;
            let site = builder.site(bytes, stack, kind);
            let time = Time::from_ns(created);
            let object = builder.allocate(time, ThreadId(thread), site, &mut refuse);
            end = end.max(created);
            if let Some(released) = rows.number(6, row)
                && let Some(object) = object
            {
                let released = released.max(created);
                end = end.max(released);
                living.push(Reverse((released, number, thread, object)));
            }
        }
    }
    while let Some(Reverse((time, _, thread, object))) = living.pop() {
        let refuse = |kind: &'static str| reporter.warn(kind, || rows.place());
        builder.release(Time::from_ns(time), ThreadId(thread), object, refuse);
    }
    let mut memory = builder.finish(Detail::Events, Time::from_ns(end));
    memory.clock = clock;
    memory.sizes_known = knows_sizes;
    Ok(Some(memory))
}

/// Reads stacks into the builder; what their numbers stand for there. O(rows).
fn read_stacks(
    files: Vec<Input>,
    builder: &mut MemoryBuilder,
    table: &mut FunctionTable,
    progress: &Progress,
    reporter: &Reporter,
) -> Result<Numbering, ImportError> {
    let asks = vec![
        Ask::number("stack"),
        Ask::number("parent"),
        Ask::number("function"),
    ];
    let mut rows = Rows::new(files, "stacks", asks, progress, reporter);
    let mut found: Vec<(u64, Row)> = Vec::new();
    let mut numbering = Numbering::default();
    while rows.next()? > 0 {
        for row in 0..rows.len() {
            let number = rows.number(0, row).unwrap_or_default();
            let at = u32::try_from(found.len()).unwrap_or(u32::MAX);
            if !numbering.insert(number, at) {
                let expected = "a column 'stack' with a number of its own in each row";
                let text = format!("{number} again in row {at}");
                return Err(ImportError::malformed(rows.place(), expected, text));
            }
            let function = rows.number(2, row);
            let function = function.map(|number| table.get(Some(number), &rows));
            let parent = rows.number(1, row);
            found.push((
                number,
                Row {
                    parent,
                    function,
                    id: function.is_none().then_some(StackId::EMPTY),
                },
            ));
        }
    }
    let mut known = Numbering::default();
    let mut path: Vec<usize> = Vec::new();
    for at in 0..found.len() {
        let mut next = at;
        // Up to one that is known, as the one before is where parents stand before their children.
        while found[next].1.id.is_none() {
            path.push(next);
            let parent = found[next].1.parent;
            let parent = parent.and_then(|number| numbering.get(number));
            if path.len() > found.len() {
                let expected = "stacks that form a tree";
                let text = format!("a cycle: the stack of row {at} is among its own parents");
                return Err(ImportError::malformed(rows.place(), expected, text));
            }
            match parent {
                Some(parent) => next = parent as usize,
                None => {
                    reporter.warn("stack-unknown", || rows.place());
                    break;
                }
            }
        }
        let mut around = found[next].1.id.unwrap_or(StackId::EMPTY);
        while let Some(row) = path.pop() {
            if let Some(function) = found[row].1.function {
                around = builder.stack(around, function);
            }
            found[row].1.id = Some(around);
        }
        let (number, row) = &found[at];
        known.insert(*number, row.id.unwrap_or(StackId::EMPTY).0);
    }
    Ok(known)
}
