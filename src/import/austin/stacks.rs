//! The stacks of a recording, with what they weigh in the mode in which austin sampled.

use super::super::input::Input;
use super::super::samplers;
use callscape_base::units::{FunctionId, Unit};
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::contexts::{ContextsBuilder, NodeId};
use callscape_facts::functions::{Function, Functions};
use callscape_facts::profile::{Profile, Value, Weights};
use callscape_facts::recording::Recording;

/// The identifier in `info`.
pub(crate) const FORMAT: &str = "austin";

const NS_A_MICROSECOND: i64 = 1_000;

/// The values by their number: both times, memory taken and given back, and samples.
const WALL: usize = 0;
const PROCESSOR: usize = 1;
const TAKEN: usize = 2;
const GIVEN_BACK: usize = 3;
const SAMPLES: usize = 4;

/// A stack of a thread, and what it weighs.
#[derive(Clone, Copy, Default)]
pub(super) struct Weight {
    /// Microseconds.
    pub time: i64,
    pub is_idle: bool,
    /// Bytes.
    pub memory: i64,
}

/// Adds up stacks while a recording is read.
pub(super) struct Stacks<'r> {
    pub reporter: &'r Reporter,
    builder: ContextsBuilder<'r>,
    pub functions: Functions,
    mode: String,
    /// The values of the mode, from the first stack on.
    kept: &'static [usize],
    pub samples: u64,
}

impl<'r> Stacks<'r> {
    pub(crate) fn new(reporter: &'r Reporter) -> Stacks<'r> {
        Stacks {
            reporter,
            builder: ContextsBuilder::new(0, reporter),
            functions: Functions::default(),
            mode: String::new(),
            kept: &[],
            samples: 0,
        }
    }

    /// The mode in which austin sampled, as its metadata has it.
    pub(crate) fn note(&mut self, key: &str, value: &str) {
        if key == "mode" {
            value.clone_into(&mut self.mode);
        }
    }

    /// A function without a file: of a process, a thread, or what austin says of a stack.
    pub(crate) fn bare(&mut self, name: &str) -> FunctionId {
        self.functions.intern(Function {
            name,
            ..Function::default()
        })
    }

    pub(crate) fn add(
        &mut self,
        frames: impl IntoIterator<Item = FunctionId>,
        weight: Weight,
        place: impl Fn() -> Place,
    ) {
        if self.samples == 0 {
            self.kept = match self.mode.as_str() {
                "full" => &[WALL, PROCESSOR, TAKEN, GIVEN_BACK, SAMPLES],
                "memory" => &[TAKEN, GIVEN_BACK, SAMPLES],
                "cpu" => &[PROCESSOR, SAMPLES],
                _ => &[WALL, SAMPLES],
            };
            self.kept.iter().for_each(|_| self.builder.add_value());
        }
        let mut node = NodeId::ROOT;
        for function in frames {
            node = self.builder.child(node, function, &place);
        }
        let time = weight.time.checked_mul(NS_A_MICROSECOND);
        let time = time.unwrap_or_else(|| {
            self.reporter.warn("weight-out-of-range", &place);
            0
        });
        let weights = [
            time,
            if weight.is_idle { 0 } else { time },
            weight.memory.max(0),
            weight.memory.min(0).saturating_neg(),
            1,
        ];
        for (number, &value) in self.kept.iter().enumerate() {
            self.builder.add(node, number, weights[value], &place);
        }
        self.samples += 1;
    }

    pub(crate) fn finish(self, input: &Input) -> Recording {
        let [wall, processor] =
            ["wall", "cpu"].map(|mode| samplers::in_format(FORMAT, mode).time());
        let memory = |name: &str| Value {
            name: name.to_owned(),
            unit: Unit::Bytes,
        };
        let all = [
            wall,
            processor,
            memory("memory"),
            memory("memory given back"),
            samplers::samples(),
        ];
        let values = self.kept.iter().map(|&value| all[value].clone()).collect();
        let weights = Weights::Contexts(self.builder.finish());
        let profile = Profile::new(values, 0, weights, self.functions.len());
        let (profile, warnings) = ((self.functions, profile), self.reporter.warnings());
        Recording::of_profile(input, FORMAT, self.samples, profile, warnings)
    }
}
