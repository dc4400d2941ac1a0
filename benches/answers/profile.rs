//! What an import is spent on, in nanoseconds of the processor's time a call: reading and decoding records, the builder,
//! packing on a thread of its own, and writing the index.

use std::hint::black_box;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use callscape::import::{self, input::Input};
use callscape::progress::Progress;
use callscape::warnings::Reporter;

use callscape_testing::built::build;
use callscape_testing::generate::{Program, write_uftrace};

/// The processor's time of a thread in nanoseconds, of those in a folder of `/proc`.
fn time_of(thread: &Path) -> u64 {
    let text = std::fs::read_to_string(thread.join("schedstat")).unwrap_or_default();
    let first = text.split(' ').next();
    first.and_then(|it| it.parse().ok()).unwrap_or(0)
}

fn own_time() -> u64 {
    time_of(Path::new("/proc/thread-self"))
}

/// The processor's time that `work` takes on this thread, and meanwhile on threads named `packing`.
fn times(work: impl FnOnce()) -> [u64; 2] {
    let (is_done, packing) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten();
                for thread in threads.flatten().map(|it| it.path()) {
                    let name = std::fs::read_to_string(thread.join("comm"));
                    if name.is_ok_and(|it| it.trim() == "packing") {
                        packing.fetch_max(time_of(&thread), Ordering::Relaxed);
                    }
                }
                std::thread::sleep(Duration::from_millis(2));
            }
        });
        let before = own_time();
        work();
        let own = own_time() - before;
        is_done.store(true, Ordering::Relaxed);
        [own, packing.load(Ordering::Relaxed)]
    })
}

/// Prints the profile for a program, written as uftrace does to `folder`.
pub fn print(program: &Program, folder: &Path, calls: u64) -> anyhow::Result<()> {
    let run = folder.join("profiled");
    write_uftrace(program, &run)?;
    let each = |ns: u64| ns as f64 / calls as f64;
    let mut recording = None;
    let [own, packing] = times(|| {
        recording = import::read(&Input::on_disk(run.clone()), &Progress::new()).ok();
    });
    let index = folder.join("profiled.callscape");
    let [writing, _] = times(|| {
        let saved = recording.as_ref().map(|it| import::index::save(it, &index));
        assert!(saved.is_some_and(|it| it.is_ok()), "a sound recording");
    });
    drop(recording);
    std::fs::remove_dir_all(&run)?;
    std::fs::remove_file(&index)?;
    let [making, _] = times(|| {
        for thread in 0..program.threads() {
            program.run(thread).for_each(|event| {
                black_box(event);
            });
        }
    });
    let [building, _] = times(|| drop(black_box(build(program, "made.c", &Reporter::new()))));
    let building = building.saturating_sub(making).min(own);
    println!(
        "import, ns a call: decode {:.1}, builder {:.1}, pack {:.1} on a thread of its own, write {:.1}",
        each(own - building),
        each(building),
        each(packing),
        each(writing)
    );
    Ok(())
}
