//! The calling contexts of a recording by call site: calls of one function from different lines are different contexts.

use std::fmt;

use callscape_base::units::ContextId;
use callscape_facts::contexts::Contexts;
use callscape_facts::recording::Recording;

/// Why a recording has no contexts by call site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoCallSites {
    /// Its format, which has no lines of calls.
    NoLines(&'static str),
    /// Its format, which only has the lines that ran.
    LinesThatRan(&'static str),
    /// Its format, which has callers and callees, but no call paths.
    NoPaths(&'static str),
    /// The recording was joined from several ones.
    Joined,
    /// A range or a thread is selected.
    Part,
    /// The value shown is not that of samples.
    Value,
}

impl fmt::Display for NoCallSites {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoCallSites::NoLines(format) => write!(
                f,
                "this {format} recording has no lines of calls; `callscape lines` infers them by name if there is a source \
                 tree, but by function, not by call path"
            ),
            NoCallSites::LinesThatRan(format) => write!(
                f,
                "this {format} recording has the lines that ran, but not those of calls"
            ),
            NoCallSites::NoPaths(format) => write!(
                f,
                "{format} contains callers and callees, but no call paths; `callscape lines` lists the callees of each line"
            ),
            NoCallSites::Joined => f.write_str(
                "call sites are kept by call path only in recordings of one file; open one of the files that were joined",
            ),
            NoCallSites::Part => f.write_str(
                "call sites are kept for the whole recording, so no range or thread can be selected",
            ),
            NoCallSites::Value => f.write_str("the lines of calls have no costs in the selected value"),
        }
    }
}

impl std::error::Error for NoCallSites {}

/// The contexts by call site, with the values of the recording. Merged by path of functions they are its contexts, but for
/// those that weigh nothing and were never called. O(contexts × values).
///
/// # Errors
/// If the recording does not have them.
pub fn contexts(recording: &Recording) -> Result<Contexts, NoCallSites> {
    let format = recording.format;
    let lines = recording.lines.as_ref();
    let lines = lines.ok_or(NoCallSites::NoLines(format))?;
    let has_paths = |it: &callscape_facts::profile::Profile| it.contexts().is_some();
    let Some(call_sites) = lines.call_sites() else {
        return Err(match lines.knows().sites {
            false => NoCallSites::LinesThatRan(format),
            true if recording.profile.as_ref().is_none_or(has_paths) => NoCallSites::Joined,
            true => NoCallSites::NoPaths(format),
        });
    };
    let contexts = call_sites.contexts().ok_or(NoCallSites::Joined)?;
    match recording.value() < contexts.values() {
        true => Ok(contexts),
        false => Err(NoCallSites::Value),
    }
}

/// The line that calls a context, and its file; `None` for an outermost context, or if the line is not known.
pub fn site(recording: &Recording, context: ContextId) -> Option<(&str, u32)> {
    let lines = recording.lines.as_ref()?;
    let place = lines.place(lines.call_sites()?.site(context)?);
    let own = || recording.functions.get(place.function()).file;
    let file = lines.other_file(place).unwrap_or_else(own);
    (place.line() > 0).then_some((file, place.line()))
}
