//! A reason to read a comparison with care, in words.

use std::fmt;

use callscape_base::units::Unit;
use callscape_facts::recording::RecordingKind;

/// A reason to read a comparison with care.
#[derive(Clone, Debug, PartialEq)]
pub enum Doubt {
    /// The side has no calls and no weights.
    Empty { side: usize, name: String },
    /// Few functions are on both sides.
    FewInCommon { both: usize, only: [usize; 2] },
    /// A side is sampled and the other traced, or a profile: costs are compared as shares of their runs.
    Kinds([RecordingKind; 2]),
    /// Costs count different things: they are compared as shares of their runs.
    Units([Unit; 2]),
    /// Costs are of one unit but count different things; values that both have.
    Values {
        shown: [String; 2],
        both: Vec<String>,
    },
    /// The formats differ, and with them what is recorded and how it is named.
    Formats([&'static str; 2]),
    /// A recording was repaired while it was read, as one that is cut off is.
    Repaired { name: String, repairs: u64 },
    /// Threads that were found on one side alone, by name; so many are in both.
    Threads { both: usize, only: [Vec<String>; 2] },
    /// One side tells how far its runs spread, and the recording of this name on the other nothing of two runs or more.
    NoSpread { side: usize, name: String },
    /// Runs of one side differ in kind or unit among each other.
    Mixed { side: usize },
}

/// The letter of a side.
pub(super) fn letter(side: usize) -> char {
    if side == 0 { 'A' } else { 'B' }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Doubt::Empty { side, name } => {
                write!(
                    f,
                    "{} ({name}) contains no calls: everything is only on the other side",
                    letter(*side)
                )
            }
            Doubt::FewInCommon { both, only: [a, b] } => write!(
                f,
                "A and B have few functions in common: {both} are in both, {a} only in A, {b} only in B; are they runs \
                 of the same program?"
            ),
            Doubt::Kinds([a, b]) => write!(
                f,
                "A is {}, B is {}: costs are compared as shares of their runs, and calls are not compared",
                kind(*a),
                kind(*b)
            ),
            Doubt::Units([a, b]) => write!(
                f,
                "A counts {}, B counts {}: they are compared as shares of their runs",
                a.name(),
                b.name()
            ),
            Doubt::Values {
                shown: [a, b],
                both,
            } => {
                write!(f, "A counts {a}, B counts {b}")?;
                match both.is_empty() {
                    true => f.write_str(": no value is in both"),
                    false => write!(f, "; in both (--value): {}", both.join(", ")),
                }
            }
            Doubt::Formats([a, b]) => {
                write!(f, "A is {a}, B is {b}: their contents and names may differ")
            }
            Doubt::Repaired { name, repairs } => {
                let plural = if *repairs == 1 { "" } else { "s" };
                write!(
                    f,
                    "{name}: {repairs} repair{plural} during import; `callscape info` lists them"
                )
            }
            Doubt::Threads { both, only } => {
                write!(f, "{both} of the threads are in both")?;
                for (side, names) in only.iter().enumerate().filter(|(_, it)| !it.is_empty()) {
                    let listed = names.iter().take(MOST_NAMED).map(String::as_str);
                    let listed = listed.collect::<Vec<_>>().join(", ");
                    write!(f, "; {} only in {}: {listed}", names.len(), letter(side))?;
                    let more = names.len().saturating_sub(MOST_NAMED);
                    if more > 0 {
                        write!(f, " and {more} more")?;
                    }
                }
                Ok(())
            }
            Doubt::NoSpread { side, name } => write!(
                f,
                "{} ({name}) does not contain two or more runs and their spread, unlike {}: noise is unknown",
                letter(*side),
                letter(1 - side)
            ),
            Doubt::Mixed { side } => {
                write!(
                    f,
                    "the runs of {} differ in kind, format or unit",
                    letter(*side)
                )
            }
        }
    }
}

fn kind(kind: RecordingKind) -> &'static str {
    match kind {
        RecordingKind::Trace => "a trace",
        RecordingKind::Sampled => "sampled",
        RecordingKind::Profile => "a profile",
    }
}

/// So many threads are named.
const MOST_NAMED: usize = 12;
