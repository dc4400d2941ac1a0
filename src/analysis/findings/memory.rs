//! Memory: objects that are released at once, objects that are never released, and whose the peak is.
//!
//! The three are different objects: released by the next event of memory, never released, and in use at the peak but
//! released later. So their shares of the allocated bytes add up to at most all of them.

use std::collections::HashMap;

use super::candidate::Candidate;
use super::finding::Whole;
use super::kind::Kind;
use super::limits::{GROWING_CALLS, GROWTH, LEAST_SHARE, LEFT, MEMORY, OBJECTS, PEAK, TEMPORARY};
use super::run::{Run, largest};
use super::series::Series;
use callscape_base::progress::Cancelled;
use callscape_base::units::{ContextId, Cost, FunctionId, Unit, counted, grouped};
use callscape_facts::memory::{Detail, Events, Memory};

/// Number of parts of the run at whose ends live memory is compared.
const PARTS: u32 = 10;

/// Objects and their bytes, by cell.
type Objects = HashMap<u32, (u64, u64)>;

fn sum<K>(objects: &HashMap<K, (u64, u64)>) -> (u64, u64) {
    let all = objects.values();
    all.fold((0, 0), |sum, it| (sum.0 + it.0, sum.1.saturating_add(it.1)))
}

fn show(bytes: u64) -> String {
    Unit::Bytes.show(Cost::from_ns(bytes))
}

pub(super) fn propose(run: &Run<'_>, found: &mut Vec<Candidate>) -> Result<(), Cancelled> {
    let memory = run.recording.memory.as_ref();
    let memory = memory.filter(|it| it.detail == Detail::Events && it.sizes_known);
    let Some((memory, events)) = memory.and_then(|it| Some((it, it.events()?))) else {
        return Ok(());
    };
    let (at_peak, mut objects) = (events.peak_position(), [(); 4].map(|()| Objects::new()));
    events.visit((0, events.end()), run.progress, |object| {
        let sort = match object.released {
            Some(release) if events.is_temporary(release) => 0,
            None => 1,
            Some(release) if object.created < at_peak && release >= at_peak => 2,
            Some(_) => 3,
        };
        let of = objects[sort].entry(object.cell).or_default();
        *of = (of.0 + 1, of.1.saturating_add(object.size));
    })?;
    let [temporary, left, peak, _] = [0, 1, 2, 3].map(|it| sum(&objects[it]));
    let (all, bytes) = objects.iter().map(sum).fold((0, 0_u64), |sum, it| {
        (sum.0 + it.0, sum.1.saturating_add(it.1))
    });
    if (all as f64) < OBJECTS.value {
        return Ok(());
    }
    let share = |part: u64, whole: u64| part as f64 / whole.max(1) as f64;
    let mut add = |sort: usize, of: u64, said: String| {
        let candidate = Candidate::apart(Kind::Memory, share(of, bytes), Whole::Memory, said);
        found.push(by(run, memory, &objects[sort], candidate));
    };
    if share(temporary.0, all) >= TEMPORARY.value {
        let [of, all] = [temporary.0, all].map(grouped);
        let said = format!("{of} of {all} objects are released by the next event of memory");
        add(0, temporary.1, said);
    }
    if share(left.1, bytes) >= LEFT.value && left.0 as f64 >= OBJECTS.value {
        let (objects, grows) = (grouped(left.0), growth(run, events));
        let [of, bytes] = [left.1, bytes].map(show);
        let said =
            format!("{of} of {bytes} allocated is never released, in {objects} objects{grows}");
        add(1, left.1, said);
    }
    let (most, when) = events.peak();
    if share(peak.1, most) >= PEAK.value && share(peak.1, bytes) >= LEAST_SHARE.value {
        let [most, of] = [most, peak.1].map(show);
        let said = format!("{most} is in use at the peak, at {when}; {of} of it is released later");
        add(2, peak.1, said);
    }
    Ok(())
}

/// Maximum number of calls after which live memory is looked at.
const LOOKS: usize = 64;

/// `, and memory in use grows …` if it does with nearly each call of a function, or in nearly all parts of the run.
fn growth(run: &Run<'_>, events: &Events) -> String {
    let with_calls = run.series.iter().find_map(|it| grows_with(run, it, events));
    with_calls.unwrap_or_else(|| all_the_time(events).to_owned())
}

/// The outermost calls that are alike, of which nearly each leaves more in use than the one before.
fn grows_with(run: &Run<'_>, series: &Series, events: &Events) -> Option<String> {
    let count = series.calls.len();
    if (count as f64) < GROWING_CALLS.value {
        return None;
    }
    let looks = count.min(LOOKS);
    let after = |look: usize| {
        let call = &series.calls[look * (count - 1) / (looks - 1)].call;
        events.totals(events.position(call.end)).live_bytes()
    };
    let live: Vec<u64> = (0..looks).map(after).collect();
    let rising = live.windows(2).filter(|it| it[1] > it[0]).count();
    let (first, last) = (*live.first()?, *live.last()?);
    let is_much = last.saturating_sub(first) as f64 >= PEAK.value * events.peak().0 as f64;
    let is_steady = rising as f64 * f64::from(PARTS) >= GROWTH.value * (looks - 1) as f64;
    (is_much && is_steady).then(|| {
        format!(
            ", and memory in use grows with the calls of {}: {} after the first of {}, {} after the last",
            run.name(series.context),
            show(first),
            grouped(count as u64),
            show(last)
        )
    })
}

/// `, and memory in use grows all the time` if it does in nearly all parts of the run.
fn all_the_time(events: &Events) -> &'static str {
    let end = u64::from(events.end());
    let at = |part: u32| (end * u64::from(part) / u64::from(PARTS)) as u32;
    let live: Vec<u64> = (0..=PARTS)
        .map(|it| events.totals(at(it)).live_bytes())
        .collect();
    let rising = live.windows(2).filter(|it| it[1] > it[0]).count();
    match rising as f64 >= GROWTH.value {
        true => ", and memory in use grows all the time",
        false => "",
    }
}

/// A candidate with the function that allocates most of these objects.
fn by(run: &Run<'_>, memory: &Memory, objects: &Objects, mut candidate: Candidate) -> Candidate {
    let mut creators: HashMap<FunctionId, (u64, u64)> = HashMap::new();
    for (&cell, &(objects, bytes)) in objects {
        let cell = memory.cells().get(cell as usize);
        if let Some(creator) = cell.and_then(|&it| memory.creator(it)) {
            let of = creators.entry(creator).or_default();
            *of = (of.0 + objects, of.1.saturating_add(bytes));
        }
    }
    let most = creators
        .into_iter()
        .max_by_key(|&(creator, (_, bytes))| (bytes, std::cmp::Reverse(creator)));
    if let Some((creator, (objects, bytes))) = most {
        let objects = counted(objects, "object", "objects");
        let of = format!(
            "; most by {}: {} in {objects}",
            run.name_of(creator),
            show(bytes)
        );
        candidate.said.push_str(&of);
        candidate.functions = vec![creator];
        let is_of = |it: &ContextId| run.function(*it) == creator;
        let contexts: Vec<ContextId> = run.tree.ids().filter(is_of).collect();
        candidate.context = largest(&contexts, |it| run.total(it));
    }
    candidate.weight = MEMORY.value;
    candidate
}
