//! Mapping: what is shown in, plain geometry out. No GPU, no UI.

// `callscape_cli::messages` and `callscape_cli::output` write what commands say, and know what to do where that fails.
#![cfg_attr(
    not(test),
    deny(clippy::print_stderr, clippy::print_stdout, clippy::dbg_macro)
)]

pub mod arcs;
pub mod axis;
pub mod block_relation;
pub mod bundles;
pub mod curves;
pub mod emphasis;
pub mod energy;
pub mod fan;
pub mod geometry;
pub mod hue_ranges;
pub mod hues;
pub mod labels;
pub mod layered;
pub mod pick;
pub mod pick_arc;
pub mod ranking;
pub mod rings;
pub mod sheet;
pub mod spline;
pub mod stacks;
pub mod treemap;
