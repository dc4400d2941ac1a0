//! V8's CPU profiles, `.cpuprofile`. Specification: the DevTools protocol, type `Profiler.Profile`,
//! <https://chromedevtools.github.io/devtools-protocol/v8/Profiler/#type-Profile>.
//!
//! Read are the nodes (a tree of call frames, linked by `children` or by `parent`), the samples, each a node,
//! and the time between them: `timeDeltas` from `startTime`, in microseconds, or `timestamps` as they were
//! written before 2016. In a profile without samples, the hit counts of nodes are: it has no times then, and is a
//! profile of weights. Not read are hit counts beside samples, from which they differ a little, and
//! reasons for deoptimisation. The nested `head` of before 2016 is read as nodes.
//!
//! `positionTicks` say how often each line of a node was found running: lines share the time of their node by these. In
//! the parts that Chrome writes, `lines` says it of each sample. From which line a call was made is not told.
//!
//! V8 takes samples in an order that is not always that of their times, so deltas are negative now and then:
//! samples are put in order of time, and counted. `(root)`, `(program)`, `(idle)` and `(garbage collector)`
//! are functions of V8's own and are kept as they stand in the tree. Lines are counted from 0 in the file,
//! from 1 here; a `file:` URL is a path here, and a `node:` URL belongs to the library node.

use super::document::{self, Document};
use super::error::ImportError;
use super::input::Input;
use super::samplers;
use super::samples::{Samples, Stacks, Ticks};
use callscape_base::progress::Progress;
use callscape_base::warnings::Reporter;
use callscape_facts::builder::TraceBuilder;
use callscape_facts::recording::Recording;
pub(crate) use profile::{FORMAT, Handing, Profile};

mod profile;
mod reading;

/// Whether a file that begins with `head` is a profile of V8: nodes with call frames.
pub(crate) fn sniff(head: &[u8]) -> bool {
    let paths = document::paths(head);
    ["", "profile.", "cpuProfile.", "result.profile."]
        .iter()
        .any(|around| {
            let inside = paths.iter().filter_map(|path| path.strip_prefix(around));
            let has = |path: &str| inside.clone().any(|found| found == path);
            has("nodes.callFrame")
                || has("timeDeltas")
                // Deeper members do not show.
                || (around.len() > 10 && has("nodes"))
                || (has("head.functionName") && has("head.children"))
        })
}

/// How many objects may lie around a profile: what DevTools answers, and what people store, wrap it.
const MOST_AROUND: u32 = 3;

/// Reads a profile. O(nodes + samples + calls), samples in order of time.
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let mut document = Document::open(input, progress, &reporter)?;
    let mut builder = TraceBuilder::new(&reporter);
    let mut profile = Profile::default();
    profile.members(&mut document, &mut builder, MOST_AROUND)?;
    document.close()?;
    let taken = profile.samples.take();
    let none = taken.as_ref().is_none_or(Vec::is_empty);
    if none && profile.hits.iter().any(|&hits| hits != 0) {
        return Ok(profile.weighed(input, builder, &document, &reporter));
    }
    let Some(taken) = taken else {
        let expected = "a member samples with an array, or nodes with hit counts";
        return Err(document.error(expected, "none"));
    };
    let thread = builder.thread("", "1");
    let mut samples = Samples::of(&reporter, samplers::only(FORMAT));
    samples.allow(document.offset());
    let place = || document.place();
    let (mut stacks, mut ticks) = (Stacks::default(), Ticks::default());
    let of = Handing {
        thread,
        stacks: &mut stacks,
        ticks: &mut ticks,
        samples: &mut samples,
    };
    profile.hand_on(&taken, of, &document, &mut builder);
    let sampled = samples.finish(&stacks, &mut builder, place);
    let lines = sampled.innermost_lines(&stacks, &ticks);
    let calls = builder.finish(place);
    let weighed = sampled.weighed(&stacks, (&calls.0, &calls.1));
    let warnings = reporter.warnings();
    let samples = Some(sampled.samples);
    let recording = Recording::of_calls(input, FORMAT, samples, calls, warnings);
    Ok(recording.with_lines(lines).with_weights(weighed))
}
