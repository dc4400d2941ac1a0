//! A process that reads some inputs, and says of each what came of it.

use std::io::Write;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use callscape_testing::mutate::damaged;
use callscape_testing::random::Random;
use callscape_testing::timing::cpu_time;

use super::format::Format;
use super::report::Kind;

/// Time of processors for one input, and time for one that uses none.
const MOST_TIME: f64 = 5.0;
const MOST_WAITING: Duration = Duration::from_secs(60);

/// The input with this number.
pub fn input(seeds: &[Vec<u8>], number: u32) -> Vec<u8> {
    let mut random = Random(u64::from(number));
    let seed = &seeds[random.index(seeds.len())];
    let other = &seeds[random.index(seeds.len())];
    damaged(seed, other, &mut random)
}

/// Reads inputs, and prints `at` with the number before each, and what it has done behind that.
pub fn run(format: &Format, numbers: Range<u32>) {
    /// Where it failed, and why.
    static FAILED: Mutex<(String, String)> = Mutex::new((String::new(), String::new()));
    static AT: AtomicU32 = AtomicU32::new(u32::MAX);
    std::panic::set_hook(Box::new(|info| {
        let place = info
            .location()
            .map_or(String::new(), |it| format!("{}:{}", it.file(), it.line()));
        let why = info.payload_as_str().unwrap_or_default().replace('\n', " ");
        if let Ok(mut failed) = FAILED.lock() {
            *failed = (place, why);
        }
    }));
    std::thread::spawn(|| watch(&AT));
    let seeds = format.seeds();
    let mut opened = 0;
    for number in numbers {
        say(&format!("at {number}"));
        AT.store(number, Ordering::Relaxed);
        let input = input(&seeds, number);
        let read = catch_unwind(AssertUnwindSafe(|| format.read(&input, number)));
        opened += u32::from(matches!(read, Ok(true)));
        if read.is_err() {
            let (place, why) = FAILED.lock().map(|it| it.clone()).unwrap_or_default();
            let kind = match place.contains("check.rs") {
                true => Kind::FalseAnswer,
                false => Kind::Crash,
            };
            say(&format!("{} {place}: {why}", kind.name()));
        }
    }
    say(&format!("opened {opened}"));
    say("end");
    let _ = std::fs::remove_file(callscape_fuzz::place());
    let _ = std::fs::remove_dir_all(callscape_fuzz::place());
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")
        .and_then(|()| out.flush())
        .expect("the one who started it listens");
}

/// Ends the process once an input takes too long.
fn watch(at: &AtomicU32) {
    let mut last = (u32::MAX, Instant::now(), 0.0);
    loop {
        std::thread::sleep(Duration::from_millis(100));
        let (now, used) = (at.load(Ordering::Relaxed), cpu_time().as_secs_f64());
        if last.0 != now {
            last = (now, Instant::now(), used);
        } else if used - last.2 > MOST_TIME || last.1.elapsed() > MOST_WAITING {
            say(&format!("{} {:.1} s", Kind::Hang.name(), used - last.2));
            std::process::exit(0);
        }
    }
}
