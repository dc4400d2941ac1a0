//! What is counted: time by several clocks, and how often memory is asked for.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::time::Duration;

/// Milliseconds.
pub fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Milliseconds that this process, all its threads, has had of the processor; none where there is no `/proc`. A
/// software device works here.
pub fn processor() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The fields after the name in brackets; user and system time in hundredths of a second.
    let fields = stat.rsplit(')').next()?.split_whitespace().skip(11).take(2);
    let ticks = fields.filter_map(|ticks| ticks.parse::<f64>().ok());
    Some(ticks.sum::<f64>() * 10.0)
}

/// Milliseconds that this thread has had of the processor, to the nanosecond: what `/proc` says is as old as the last
/// tick. None where it cannot be known.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
pub fn own() -> Option<f64> {
    unsafe extern "C" {
        fn clock_gettime(clock: i32, at: *mut [i64; 2]) -> i32;
    }
    const CLOCK_THREAD_CPUTIME_ID: i32 = 3;
    let mut at = [0; 2];
    // SAFETY: `timespec` is two signed words of 64 bits here, and `at` is one.
    let is_known = unsafe { clock_gettime(CLOCK_THREAD_CPUTIME_ID, &mut at) } == 0;
    is_known.then(|| at[0] as f64 * 1e3 + at[1] as f64 * 1e-6)
}

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
pub fn own() -> Option<f64> {
    None
}

/// Counts how often the thread that draws asks for memory.
struct Counting;

thread_local! {
    static ASKED: Cell<usize> = const { Cell::new(0) };
}

/// How often this thread has asked for memory so far.
pub fn asked() -> usize {
    ASKED.try_with(Cell::get).unwrap_or_default()
}

// SAFETY: every call goes to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = ASKED.try_with(|asked| asked.set(asked.get() + 1));
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;
