//! Derived facts: which module a function is, call graphs between modules.

// `callscape_cli::messages` and `callscape_cli::output` write what commands say, and know what to do where that fails.
#![cfg_attr(
    not(test),
    deny(clippy::print_stderr, clippy::print_stdout, clippy::dbg_macro)
)]

pub mod alignment;
pub mod arguments;
pub mod call_graph;
pub mod call_sites;
pub mod compaction;
pub mod comparison;
pub mod contexts;
pub mod coverage;
pub mod demo;
pub mod faults;
pub mod findings;
pub mod frequency;
pub mod history;
pub mod line_changes;
pub mod lines;
pub mod mapping;
mod meant_by;
pub mod moments;
pub mod namer;
pub mod names;
pub mod numbers;
pub mod phases;
pub mod refinement;
pub mod relations;
pub mod releases;
pub mod resolve;
pub mod result_sets;
pub mod sampled;
pub mod sampling;
pub mod session;
pub mod without;
