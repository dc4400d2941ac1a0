//! Work that waits for its turn, where there are no threads: in a browser a page runs it between two frames, and where
//! the browser can set aside what WebAssembly has on its stack, frames come in between while one piece of work goes on.

#[cfg(target_arch = "wasm32")]
use std::cell::Cell;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::time::Duration;

use callscape_base::clock::Instant;
#[cfg(target_arch = "wasm32")]
use callscape_base::progress::{Pause, pause_by};

/// How long work goes on before others have their turn.
pub const SLICE: Duration = Duration::from_millis(12);

/// Work that has not begun.
type Work = Box<dyn FnOnce()>;

thread_local! {
    static WAITING: RefCell<VecDeque<Work>> = const { RefCell::new(VecDeque::new()) };
}

/// How work sets itself aside while others have their turn, and since when it has gone on.
#[cfg(target_arch = "wasm32")]
thread_local! {
    static REST: Cell<Option<Pause>> = const { Cell::new(None) };
    static SINCE: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Does all work, one after the other, and has each call `rest` whenever it went on for a [`SLICE`]. Nothing else may
/// call this before it returns.
#[cfg(target_arch = "wasm32")]
pub fn run_all(rest: Pause) {
    REST.set(Some(rest));
    while is_any() {
        run(SLICE);
        rest();
    }
    REST.set(None);
}

/// Does `work` so that it pauses. What it wakes when it has ended is no part of it: that may draw a frame.
#[cfg(target_arch = "wasm32")]
pub(crate) fn pausing<T>(work: impl FnOnce() -> T) -> T {
    let rests = REST.get().map(|_| pause as Pause);
    SINCE.set(Some(Instant::now()));
    let before = pause_by(rests);
    let done = work();
    pause_by(before);
    done
}

#[cfg(target_arch = "wasm32")]
fn pause() {
    let is_over = SINCE.get().is_some_and(|since| since.elapsed() >= SLICE);
    if let Some(rest) = REST.get().filter(|_| is_over) {
        // What comes in between is no work, and does not pause.
        let before = pause_by(None);
        rest();
        pause_by(before);
        SINCE.set(Some(Instant::now()));
    }
}

/// Has `work` wait behind all other.
pub(crate) fn push(work: Work) {
    WAITING.with_borrow_mut(|waiting| waiting.push_back(work));
}

/// Whether any work waits.
pub fn is_any() -> bool {
    WAITING.with_borrow(|waiting| !waiting.is_empty())
}

/// Does work in its order, at least the first; begins none any more once `budget` is over.
pub fn run(budget: Duration) {
    let begin = Instant::now();
    // Work may push other work.
    while let Some(work) = WAITING.with_borrow_mut(VecDeque::pop_front) {
        work();
        if begin.elapsed() >= budget {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;

    #[test]
    fn work_is_done_in_its_order_and_in_slices() {
        let done = Rc::new(RefCell::new(Vec::new()));
        for number in 0..3 {
            let seen = Rc::clone(&done);
            push(Box::new(move || {
                seen.borrow_mut().push(number);
                let seen = Rc::clone(&seen);
                push(Box::new(move || seen.borrow_mut().push(number + 10)));
            }));
        }
        run(Duration::ZERO);
        assert_eq!(*done.borrow(), [0]);
        assert!(is_any());
        run(Duration::MAX);
        assert_eq!(*done.borrow(), [0, 1, 2, 10, 11, 12]);
        assert!(!is_any());
    }
}
