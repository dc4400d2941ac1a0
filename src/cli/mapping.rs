//! What the sub-commands with `--map` share: a session through a mapping file.

use std::path::Path;

use super::progress::with_progress;
use callscape_analysis::mapping::Mapping;
use callscape_analysis::mapping::regroup::{Regrouped, assign, regroup};
use callscape_analysis::session::Session;

/// How many functions that no entry matches are named.
const LISTED: usize = 10;

/// Reads the mapping file at `path` and shows `session` through it. Lists functions that match no entry, and entries
/// that match nothing, on standard error.
pub(crate) fn apply(session: &Session, path: &Path) -> anyhow::Result<Regrouped> {
    let mapping = Mapping::open(path)?;
    let file = path.display();
    let assignment = with_progress(|progress| {
        progress.start(format!("applying {file}"), 0);
        assign(session, &mapping, progress)
    })??;
    let unmatched = assignment.unmatched.iter().zip(&assignment.is_recorded);
    // Where there is a recording, what it does not speak of is only the rest.
    let recorded_only = !session.recordings.is_empty();
    let unmatched = unmatched.filter(|(_, is_recorded)| **is_recorded || !recorded_only);
    let unmatched: Vec<_> = unmatched.map(|(&module, _)| module).collect();
    if !unmatched.is_empty() {
        let listed = unmatched.iter().take(LISTED);
        let names: Vec<String> = listed.map(|&id| session.hierarchy.path(id)).collect();
        let more = match unmatched.len() - names.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        say!("{file}: no entry matches {}{more}", names.join(", "));
    }
    for (entry, taken) in mapping.entries().iter().zip(&assignment.taken) {
        if *taken == 0 {
            let (line, text) = (entry.line, &entry.text);
            say!("{file}, line {line}: matches no function: {text}");
        }
    }
    Ok(regroup(session, &mapping, assignment))
}
