//! Garbage collection, and compiling while the program runs.

use super::candidate::Candidate;
use super::kind::Kind;
use super::limits::COLLECTION;
use super::names::Does;
use super::run::Run;
use super::start_up::loads;
use callscape_base::progress::Cancelled;

pub(super) fn propose(run: &Run<'_>, found: &mut Vec<Candidate>) -> Result<(), Cancelled> {
    let of = (Kind::Collection, COLLECTION.value);
    found.extend(loads(run, Does::Collects, of, "Garbage collection"));
    found.extend(loads(
        run,
        Does::Compiles,
        of,
        "Compiling while the program runs",
    ));
    Ok(())
}
