//! Programs that break when they are patched: the functions that break them are found by halves, and left alone.

use std::time::Duration;

use super::ended::Ended;
use super::error::RecordError;
use super::perf;
use super::program::Kind;
use super::recorder::{Recorder, State};
use super::run::{Done, Run};
use super::seen::Seen;
use super::uftrace::{self, Patched};
use callscape_base::units::counted;

/// So often a program is run at most to find what breaks it.
const MOST_RUNS: u32 = 16;

/// What is done when a program has crashed while it was patched. It is run again only where the user wants that: a run may
/// change things. Else it is only said that it crashed.
pub(crate) fn after_crash(
    run: &Run<'_>,
    done: Done,
    say: &mut dyn FnMut(&str),
    seen: &mut dyn FnMut(Seen),
) -> Result<Done, RecordError> {
    let Kind::Executable(elf) = run.program.kind else {
        return Ok(done);
    };
    let signal = match done.ended {
        Ended::Signal(signal) => signal,
        _ => return Ok(done),
    };
    if elf.is_instrumented {
        return Ok(done);
    }
    if !run.wish.retry {
        say(&format!(
            "signal {signal} ended the patched program; its recording is kept"
        ));
        return Ok(done);
    }
    let recorded = done.paths.first().cloned().unwrap_or_default();
    let all = uftrace::symbols(&recorded, &run.program.path);
    let half: usize = all
        .iter()
        .map(|it| uftrace::pattern_length(it))
        .sum::<usize>()
        / 2;
    if half > uftrace::LONGEST_LIST {
        say("the program has too many functions for a binary search with uftrace");
        return by_perf(run, done, say, seen);
    }
    let mut trials = Trials {
        run,
        count: 0,
        limit: done.elapsed * 2 + Duration::from_secs(5),
    };
    if trials.crashes(&[])? {
        say("the program also crashes without patches; the recording up to that point is kept");
        return Ok(done);
    }
    let suspects = trials.narrow(&all)?;
    let count = trials.count;
    // The recording of the crash makes room for the whole one.
    std::fs::remove_dir_all(&recorded).map_err(|error| RecordError::io(&recorded, error))?;
    let mut without = run.without.clone();
    without.extend(suspects.iter().cloned());
    let again = Run {
        wish: run.wish,
        program: run.program,
        place: run.place,
        without,
        untraced: run.untraced.clone(),
    };
    let whole = uftrace::run(&again, seen)?;
    if !whole.ended.is_crash() {
        let names = suspects
            .iter()
            .take(8)
            .map(|it| callscape_import::demangle::demangle(it));
        let names: Vec<String> = names.collect();
        say(&format!(
            "found by {}: the program breaks when {} {} patched; recorded without",
            counted(u64::from(count), "run", "runs"),
            names.join(", "),
            if suspects.len() == 1 { "is" } else { "are" }
        ));
        return Ok(whole);
    }
    by_perf(run, whole, say, seen)
}

/// Records samples, where perf is there; else `done` is kept.
fn by_perf(
    run: &Run<'_>,
    done: Done,
    say: &mut dyn FnMut(&str),
    seen: &mut dyn FnMut(Seen),
) -> Result<Done, RecordError> {
    if !matches!(Recorder::Perf.state(), State::Ready(_)) {
        say("the functions responsible were not found; the recording up to that point is kept");
        return Ok(done);
    }
    say("the functions responsible were not found: recording samples with perf");
    let by_perf = Run {
        wish: run.wish,
        program: run.program,
        place: run.place,
        without: Vec::new(),
        untraced: Vec::new(),
    };
    perf::run(&by_perf, seen)
}

/// Runs that tell whether a program crashes with some of its functions patched.
struct Trials<'a> {
    run: &'a Run<'a>,
    count: u32,
    limit: Duration,
}

impl Trials<'_> {
    fn crashes(&mut self, symbols: &[String]) -> Result<bool, RecordError> {
        self.count += 1;
        let folder = self.run.place.folder.join(format!("trial-{}", self.count));
        let run = Run {
            wish: self.run.wish,
            program: self.run.program,
            place: self.run.place,
            without: Vec::new(),
            untraced: Vec::new(),
        };
        let patched = Patched::Only(symbols);
        let done = uftrace::run_until(&run, (&patched, &folder), Some(self.limit), &mut |_| ())?;
        // Nobody opens it.
        let _ = std::fs::remove_dir_all(&folder);
        Ok(done.ended.is_crash())
    }

    /// The functions among `symbols` that break the program: halved as long as one half alone does.
    fn narrow(&mut self, symbols: &[String]) -> Result<Vec<String>, RecordError> {
        let mut suspects = symbols;
        while suspects.len() > 1 && self.count < MOST_RUNS {
            let (first, second) = suspects.split_at(suspects.len() / 2);
            suspects = match (self.crashes(first)?, self.count < MOST_RUNS) {
                (true, _) => first,
                // It is the other half, or both together.
                (false, true) if self.crashes(second)? => second,
                (false, false) => second,
                (false, true) => break,
            };
        }
        Ok(suspects.to_vec())
    }
}
