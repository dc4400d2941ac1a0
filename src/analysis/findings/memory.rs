//! Memory: objects that are released at once, objects that are never released, and whose the peak is.
//!
//! The three are about different objects: released by the next event, never released, and released after the peak. So
//! their shares of what is allocated add up to at most all of it.

use std::collections::HashMap;

use super::candidate::Candidate;
use super::finding::Whole;
use super::kind::Kind;
use super::limits::{GROWTH, LEAST_SHARE, LEFT, OBJECTS, PEAK, TEMPORARY};
use super::run::Run;
use callscape_base::progress::Cancelled;
use callscape_base::units::{Cost, FunctionId, Unit, grouped};
use callscape_facts::memory::{Detail, Events, Memory};

/// Live memory is compared at so many instants.
const TENTHS: u32 = 10;

/// Objects of one sort.
#[derive(Default)]
struct Sum {
    objects: u64,
    bytes: u64,
    /// By cell.
    by_cell: HashMap<u32, (u64, u64)>,
}

impl Sum {
    fn add(&mut self, cell: u32, bytes: u64) {
        self.objects += 1;
        self.bytes = self.bytes.saturating_add(bytes);
        let of = self.by_cell.entry(cell).or_default();
        *of = (of.0 + 1, of.1.saturating_add(bytes));
    }
}

fn bytes(bytes: u64) -> String {
    Unit::Bytes.show(Cost::from_ns(bytes))
}

pub(super) fn propose(run: &Run<'_>, found: &mut Vec<Candidate>) -> Result<(), Cancelled> {
    let memory = run.recording.memory.as_ref();
    let Some(memory) = memory.filter(|it| it.detail == Detail::Events && it.sizes_known) else {
        return Ok(());
    };
    let Some(events) = memory.events() else {
        return Ok(());
    };
    let [mut all, mut temporary, mut left, mut peak] = [(); 4].map(|()| Sum::default());
    let at_peak = events.peak_position();
    events.visit((0, events.end()), run.progress, |object| {
        all.add(object.cell, object.size);
        match object.released {
            Some(release) if events.is_temporary(release) => {
                temporary.add(object.cell, object.size)
            }
            None => left.add(object.cell, object.size),
            Some(release) if object.created < at_peak && release >= at_peak => {
                peak.add(object.cell, object.size)
            }
            Some(_) => {}
        }
    })?;
    if (all.objects as f64) < OBJECTS.value {
        return Ok(());
    }
    let of = Of {
        run,
        memory,
        all: &all,
    };
    let share = temporary.objects as f64 / all.objects as f64;
    if share >= TEMPORARY.value {
        let said = format!(
            "{} of {} objects are released by the next event of memory after their allocation",
            grouped(temporary.objects),
            grouped(all.objects)
        );
        found.extend(of.candidate(
            &temporary,
            |it| it.0,
            share * temporary_bytes(&temporary, &all, share),
            said,
        ));
    }
    let share = left.bytes as f64 / all.bytes.max(1) as f64;
    if share >= LEFT.value && left.objects as f64 >= OBJECTS.value {
        let grows = growth(events, memory);
        let said = format!(
            "{} in {} objects is never released, of {} allocated{grows}",
            bytes(left.bytes),
            grouped(left.objects),
            bytes(all.bytes)
        );
        found.extend(of.candidate(&left, |it| it.1, share, said));
    }
    let (most, when) = events.peak();
    let share = peak.bytes as f64 / all.bytes.max(1) as f64;
    let is_much = peak.bytes as f64 >= PEAK.value * most as f64 && share >= LEAST_SHARE.value;
    let ends = events.totals(events.end()).live_bytes();
    if is_much && ends < most / 2 {
        let said = format!(
            "{} is in use at the peak, at {when}, of which {} is released later",
            bytes(most),
            bytes(peak.bytes)
        );
        found.extend(of.candidate(&peak, |it| it.1, share, said));
    }
    Ok(())
}

/// So that shares of objects and of bytes add up to no more than all, the smaller of both counts.
fn temporary_bytes(temporary: &Sum, all: &Sum, share: f64) -> f64 {
    let of_bytes = temporary.bytes as f64 / all.bytes.max(1) as f64;
    (of_bytes / share).min(1.0)
}

/// Whether live memory grows all along.
fn growth(events: &Events, memory: &Memory) -> &'static str {
    let end = memory.end_of_events().ns();
    let live = (0..=TENTHS).map(|tenth| {
        let at = callscape_base::units::Time::from_ns(
            (u128::from(end) * u128::from(tenth) / u128::from(TENTHS)) as u64,
        );
        events.totals(events.position(at)).live_bytes()
    });
    let live: Vec<u64> = live.collect();
    let rising = live.windows(2).filter(|it| it[1] > it[0]).count();
    match rising as f64 >= GROWTH.value {
        true => ", and grows all the time",
        false => "",
    }
}

/// What sentences about objects need.
struct Of<'a> {
    run: &'a Run<'a>,
    memory: &'a Memory,
    all: &'a Sum,
}

impl Of<'_> {
    /// A candidate about the function with most of these objects.
    fn candidate(
        &self,
        sum: &Sum,
        of: fn(&(u64, u64)) -> u64,
        share: f64,
        said: String,
    ) -> Option<Candidate> {
        let (run, memory) = (self.run, self.memory);
        let mut creators: HashMap<FunctionId, (u64, u64)> = HashMap::new();
        for (&cell, &(objects, bytes)) in &sum.by_cell {
            let creator = memory
                .cells()
                .get(cell as usize)
                .and_then(|&it| memory.creator(it));
            if let Some(creator) = creator {
                let of = creators.entry(creator).or_default();
                *of = (of.0 + objects, of.1.saturating_add(bytes));
            }
        }
        let most = creators
            .into_iter()
            .max_by_key(|it| (of(&it.1), std::cmp::Reverse(it.0)));
        let mut candidate = Candidate::apart(Kind::Memory, share, Whole::Memory, said);
        if let Some((creator, (objects, of_creator))) = most {
            candidate.said.push_str(&format!(
                "; most by {}: {} in {}",
                run.name_of(creator),
                bytes(of_creator),
                callscape_base::units::counted(objects, "object", "objects")
            ));
            candidate.functions = vec![creator];
            let of = |it: &callscape_base::units::ContextId| run.function(*it) == creator;
            candidate.context = run
                .tree
                .ids()
                .filter(of)
                .max_by_key(|&it| (run.total(it), std::cmp::Reverse(it)));
        }
        (self.all.objects > 0).then_some(candidate)
    }
}
