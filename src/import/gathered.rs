//! Samples of several threads that are held until their file has ended, for formats in which what samples refer to may
//! come later, or whose samples are not in order of time.

use std::collections::HashMap;

use super::input::Input;
use super::samplers;
use super::samples::{Sample, Samples, StackId, Stacks, sort_by_time};
use callscape_base::units::ThreadId;
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::builder::TraceBuilder;
use callscape_facts::recording::Recording;

/// The samples of a recording, by thread.
#[derive(Default)]
pub(crate) struct Gathered {
    threads: Vec<(ThreadId, Vec<(i64, StackId)>)>,
    by_thread: HashMap<ThreadId, usize>,
}

/// What a file says of its samples.
pub(crate) struct About {
    pub format: &'static str,
    /// The interval between samples in nanoseconds, if the file tells it.
    pub every: Option<i64>,
    /// The size of the file.
    pub bytes: u64,
}

impl Gathered {
    pub(crate) fn push(&mut self, thread: ThreadId, time: i64, stack: StackId) {
        let threads = &mut self.threads;
        let number = *self.by_thread.entry(thread).or_insert_with(|| {
            threads.push((thread, Vec::new()));
            threads.len() - 1
        });
        threads[number].1.push((time, stack));
    }

    /// The recording of these samples, which are put in order of time.
    pub(crate) fn recording(
        self,
        input: &Input,
        about: &About,
        stacks: &Stacks,
        mut builder: TraceBuilder<'_>,
        reporter: &Reporter,
    ) -> Recording {
        let mut samples = Samples::of(reporter, samplers::only(about.format));
        samples.allow(about.bytes);
        if let Some(every) = about.every {
            let event = samples.event("", samplers::only(about.format));
            samples.every(event, every);
        }
        let place = || Place::offset(input.display().to_string(), about.bytes);
        for (thread, mut taken) in self.threads {
            let backwards = sort_by_time(&mut taken);
            reporter.warn_many("out-of-order", backwards, place);
            let track = samples.track(thread);
            for (time, stack) in taken {
                let sample = Sample::at(time, stack);
                samples.stack(track, sample, stacks, &mut builder, place);
            }
        }
        let sampled = samples.finish(stacks, &mut builder, place);
        let lines = sampled.lines(stacks);
        let calls = builder.finish(place);
        let weighed = sampled.weighed(stacks, (&calls.0, &calls.1));
        let samples = Some(sampled.samples);
        let warnings = reporter.warnings();
        let recording = Recording::of_calls(input, about.format, samples, calls, warnings);
        recording.with_lines(lines).with_weights(weighed)
    }
}
