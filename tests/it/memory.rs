//! Counts the memory that a test takes from the heap, by thread.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    /// Bytes that this thread holds, and the most that it held. What others free counts as held by them.
    static HELD: Cell<(isize, isize)> = const { Cell::new((0, 0)) };
}

thread_local! {
    /// How often this thread has asked for memory.
    static ASKED: Cell<usize> = const { Cell::new(0) };
}

fn count(change: isize) {
    if change > 0 {
        let _ = ASKED.try_with(|asked| asked.set(asked.get() + 1));
    }
    // Threads that end have none any more.
    let _ = HELD.try_with(|held| {
        let (now, most) = held.get();
        held.set((now + change, most.max(now + change)));
    });
}

// SAFETY: every call goes to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // While it is copied, both are held.
        count(size as isize);
        count(-(layout.size() as isize));
        // SAFETY: as the caller promises.
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What `work` gives, and how often this thread asked for memory meanwhile.
pub fn allocations<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = ASKED.with(Cell::get);
    let result = work();
    (result, ASKED.with(Cell::get) - before)
}

/// What `work` gives, and how many bytes of the heap this thread held more at most while it ran.
pub fn most_held<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = HELD.with(|held| {
        let (now, _) = held.get();
        held.set((now, now));
        now
    });
    let result = work();
    let most = HELD.with(|held| held.get().1);
    (result, (most - before).max(0) as usize)
}
