//! The phases of a run: its calls pruned to those at which someone who reads it from the top has to decide.
//!
//! Source: Johannes Bohnet, *Visualization of Execution Traces and its Application to Software Maintenance* (doctoral
//! thesis, 2010), chapter 5 and section 6.2.3. A call is *heavy* when it triggers or costs as much as the thresholds
//! say. With two heavy subcalls or more it is an *inner phase*, without any a *leaf phase*; one with one heavy subcall
//! *delegates*. Delegating and lightweight calls drop out, and phases below them move up.
//!
//! Two things are ours. *Gathered calls*: the lightweight calls met on the way down from a phase are put together by
//! callee, and what is heavy together is a row of the phase, or a loop of many small steps could not be seen. And costs
//! are elapsed less pre-empted time, or whoever loses the processor would become a phase; [`Elapsed`] calls cost what
//! they do in the thesis.

pub mod apart;
mod automatic;
mod calls;
pub mod folding;
#[cfg(test)]
mod known_tests;
pub mod names;
#[cfg(test)]
mod oracle;
mod phase;
mod prune;
mod pruning;
mod sequences;
pub mod sequitur;
pub mod similarity;
#[cfg(test)]
mod tests;

pub use calls::{Calls, Elapsed};
use callscape_base::progress::{Cancelled, Progress};
pub use phase::{
    Alike, Dropped, Gathered, Kind, Parameters, Parent, Phase, Phases, Root, SIMILARITY, Wish,
};
pub use pruning::Pruning;

impl Pruning {
    /// Goes through the calls that are wished for once, and through those without subcalls to see what a short call
    /// costs; more often where so few phases are found that the floor has to be lower. Threads are read side by side.
    ///
    /// # Errors
    /// When it is cancelled.
    pub fn new(calls: &impl Calls, wish: &Wish, progress: &Progress) -> Result<Pruning, Cancelled> {
        automatic::pruning(calls, wish, progress)
    }

    /// The thresholds for a wish.
    pub fn parameters(&self, wish: &Wish) -> Parameters {
        automatic::parameters(self, wish)
    }

    /// The phases for these thresholds, which it reaches, alike by their functions. O(nodes of the skeletons above
    /// them), and what it takes to compare functions.
    pub fn phases(&self, parameters: Parameters) -> Phases {
        let alike = Alike::Functions;
        let mut phases = prune::phases(
            &self.skeletons,
            Parameters {
                alike,
                ..parameters
            },
        );
        similarity::classify(&mut phases);
        phases
    }

    /// The phases that are wished for, whose thresholds it reaches. Sequences of calls are compared in O(calls).
    ///
    /// # Errors
    /// When it is cancelled.
    pub fn wished(
        &self,
        calls: &impl Calls,
        wish: &Wish,
        progress: &Progress,
    ) -> Result<Phases, Cancelled> {
        progress.start("comparing phases", 0);
        let parameters = self.parameters(wish);
        if parameters.alike == Alike::Functions {
            return Ok(self.phases(parameters));
        }
        let mut phases = prune::phases(&self.skeletons, parameters);
        let of_threads = phases.phases.chunk_by(|a, b| a.thread == b.thread);
        let found = of_threads.map(|it| sequences::of_phases(calls, it, wish.within, progress));
        let sequences = found.collect::<Result<Vec<_>, _>>()?.concat();
        similarity::classify_by_calls(&mut phases, &sequences);
        Ok(phases)
    }
}

/// The phases that are wished for.
///
/// # Errors
/// When it is cancelled.
pub fn phases(calls: &impl Calls, wish: &Wish, progress: &Progress) -> Result<Phases, Cancelled> {
    let pruning = Pruning::new(calls, wish, progress)?;
    pruning.wished(calls, wish, progress)
}
