//! Callscape: a software landscape that plays recorded executions.
//!
//! The modules form the pipeline of the architecture: each uses only what stands before it in this list.

// `cli::messages` and `cli::output` write what commands say, and know what to do where that fails.
#![cfg_attr(
    not(test),
    deny(clippy::print_stderr, clippy::print_stdout, clippy::dbg_macro)
)]

pub mod escape;
pub mod progress;
pub mod units;
pub mod warnings;

pub mod files;

pub mod facts;

pub mod source;

pub mod import;

pub mod analysis;

pub mod export;

pub mod record;

pub mod filter;

pub mod model;

pub mod layout;

pub mod look;

pub mod render;

pub mod state;

pub mod views;

pub mod presentation;

pub mod app;

pub mod cli;
