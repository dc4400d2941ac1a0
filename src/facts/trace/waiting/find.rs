//! Finds the calls that have waited: goes from wait to wait, not from call to call.

use super::super::entries::Facts;
use super::super::pyramid;
use super::super::storage::Table;
use super::super::store::{Calls, Cursor, place};
use super::{Piece, ThreadWaiting, WaitRow, Waiter};
use callscape_base::units::CallId;

/// What happens to a call on top of the stack.
#[derive(Clone, Copy)]
struct OnTop {
    call: u32,
    start: u64,
    end: u64,
}

/// The tables of a thread with these waits, but for those in which no call is open. O(w × (log n + depth) + w log w) for w waits and calls that start or end
/// in them.
pub(super) fn of_thread(calls: Calls<'_>, waits: Vec<WaitRow>, pairs: usize) -> ThreadWaiting {
    let mut waiting = ThreadWaiting {
        waits: Table::Rows(waits.into()),
        ..ThreadWaiting::default()
    };
    let mut on_top: Vec<OnTop> = Vec::new();
    let mut waiters: Vec<Waiter> = Vec::new();
    let mut cursor = Cursor::new(calls);
    // The waiters on the stack of the piece before, outermost first: whoever is on it again has been found.
    let (mut known, mut path): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
    let mut is_inside = vec![false; waiting.waits.len()];
    for (wait, is_inside) in waiting.waits.iter().zip(&mut is_inside) {
        let mut t = wait.start;
        while t < wait.end {
            let position = cursor.started(t);
            path.clear();
            let mut top: Option<(u32, Facts)> = None;
            let mut shared = 0;
            cursor.visit_stack(position, |CallId(call), facts| {
                if facts.end <= t {
                    return true;
                }
                top = top.or(Some((call, facts)));
                if let Ok(at) = known.binary_search(&call) {
                    shared = at + 1;
                    return false;
                }
                path.push(call);
                waiters.push(Waiter {
                    total: waiting.between(facts.start, facts.end),
                    call,
                    ..Waiter::default()
                });
                true
            });
            known.truncate(shared);
            known.extend(path.iter().rev());
            let mut end = wait.end;
            if position < calls.len() {
                end = end.min(cursor.facts(position).start);
            }
            if let Some((call, facts)) = top {
                end = end.min(facts.end);
                *is_inside = true;
                on_top.push(OnTop {
                    call,
                    start: t,
                    end,
                });
            }
            // Whatever starts behind the position starts after `t`, and what is open ends after it.
            t = end.max(t + 1);
        }
    }
    for waiter in &mut waiters {
        waiter.pair = cursor.pair(waiter.call);
        let (block, local) = place(waiter.call);
        waiter.nested = match calls.open_call(waiter.call) {
            Some(open) => open.nested,
            None => u32::from(cursor.block(block).nested(local)),
        };
    }
    waiters.sort_unstable_by_key(|waiter| waiter.call);
    let pieces = pieces(&waiting, &mut waiters, on_top);
    let leaves: Vec<_> = waiters.iter().map(Waiter::sums).collect();
    let (sums, ends) = pyramid::build(&leaves, pairs);
    waiting.waits = Table::Rows(inside(&waiting.waits, &is_inside).into());
    waiting.waiters = Table::Rows(waiters.into());
    waiting.pieces = Table::Rows(pieces.into());
    waiting.sums = Table::Rows(sums.into());
    waiting.sum_ends = Table::Rows(ends.into());
    waiting
}

/// The waits in which a call is open. What lies outside of all calls concerns none, so that what calls have waited stays.
fn inside(waits: &[WaitRow], is_inside: &[bool]) -> Vec<WaitRow> {
    let mut before = 0u64;
    let inside = waits
        .iter()
        .zip(is_inside)
        .filter(|(_, is_inside)| **is_inside);
    let inside = inside.map(|(wait, _)| {
        let row = WaitRow { before, ..*wait };
        before = before.saturating_add(wait.waited());
        row
    });
    inside.collect()
}

/// The pieces by waiter, and of each waiter where they end and what it has waited in itself.
fn pieces(waiting: &ThreadWaiting, waiters: &mut [Waiter], mut on_top: Vec<OnTop>) -> Vec<Piece> {
    on_top.sort_by_key(|piece| piece.call);
    let mut pieces: Vec<Piece> = Vec::with_capacity(on_top.len());
    let mut next = on_top.iter().peekable();
    for waiter in waiters {
        let first = pieces.len();
        while let Some(piece) = next.next_if(|piece| piece.call <= waiter.call) {
            let waited = waiting.between(piece.start, piece.end);
            match pieces[first..].last_mut() {
                Some(last) if last.end == piece.start => last.end = piece.end,
                _ => pieces.push(Piece {
                    start: piece.start,
                    end: piece.end,
                    before: waiter.own,
                }),
            }
            waiter.own = waiter.own.saturating_add(waited);
        }
        waiter.pieces_end = pieces.len() as u32;
    }
    pieces
}
