//! Work that waits for its turn, where there are no threads: in a browser a page runs it between two frames.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::time::Duration;

use callscape_base::clock::Instant;

/// Work that has not begun.
type Work = Box<dyn FnOnce()>;

thread_local! {
    static WAITING: RefCell<VecDeque<Work>> = const { RefCell::new(VecDeque::new()) };
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
