//! What is shown, as values: the numbers that several views show, and what can be chosen of how they show them. No
//! layout, no drawing, no window.

// `callscape_cli::messages` and `callscape_cli::output` write what commands say, and know what to do where that fails.
#![cfg_attr(
    not(test),
    deny(clippy::print_stderr, clippy::print_stdout, clippy::dbg_macro)
)]

pub mod arcs;
pub mod arguments;
pub mod band;
pub mod called_often;
pub mod calls;
pub mod causes;
mod coverage_columns;
pub mod difference;
pub mod differences;
pub mod functions;
pub mod highlight;
pub mod history_columns;
pub mod imports;
pub mod landscape;
pub mod left;
pub mod linked;
pub mod mark;
pub mod measure;
pub mod memory;
mod memory_columns;
pub mod metric;
pub mod metrics;
pub mod moment;
pub mod navigate;
mod number_columns;
mod of_history;
mod of_numbers;
pub mod pairs;
pub mod presets;
pub mod rows;
pub mod search;
pub mod small;
pub mod surface;
pub mod theme;
pub mod threads;
pub mod tiling;
