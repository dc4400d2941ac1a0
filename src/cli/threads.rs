//! The threads that an argument names.

use anyhow::bail;

use callscape_base::units::ThreadId;
use callscape_facts::trace::Trace;

/// Threads with this ID, otherwise with this name, and their lanes; all for `None`.
pub(crate) fn find(trace: &Trace, wanted: Option<&str>) -> anyhow::Result<Vec<ThreadId>> {
    let Some(wanted) = wanted else {
        return Ok(trace.thread_ids().collect());
    };
    let all = || trace.thread_ids().zip(trace.threads());
    let by_id = all().filter(|(_, thread)| thread.id == wanted);
    let mut found: Vec<ThreadId> = by_id.map(|(id, _)| id).collect();
    if found.is_empty() {
        let by_name = all().filter(|(_, thread)| thread.name == wanted);
        found = by_name.map(|(id, _)| id).collect();
    }
    // The lanes of a thread follow it.
    let of_found = |id: &ThreadId| {
        let is_lane = trace.threads()[id.index()].lane > 0;
        let lanes = all().skip(id.index() + 1).filter(move |_| !is_lane);
        lanes.take_while(|(_, of)| of.lane > 0).map(|(id, _)| id)
    };
    let mut lanes: Vec<ThreadId> = found.iter().flat_map(of_found).collect();
    found.append(&mut lanes);
    found.sort_unstable();
    found.dedup();
    if found.is_empty() {
        /// An error message names this many; `info` lists all.
        const LISTED: usize = 20;
        let mut known: Vec<String> = trace
            .threads()
            .iter()
            .take(LISTED)
            .map(|thread| match thread.name.as_str() {
                "" => thread.id.clone(),
                name => format!("{} ({name})", thread.id),
            })
            .collect();
        if trace.threads().len() > LISTED {
            known.push(format!("and {} more", trace.threads().len() - LISTED));
        }
        bail!(
            "no thread has the id or name '{wanted}'; there are: {}",
            known.join(", ")
        );
    }
    Ok(found)
}
