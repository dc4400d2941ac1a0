//! The integration tests, one binary: each links all of the renderer, so one link instead of many.

mod architecture;
mod command_line;
mod compare;
mod contexts;
mod coverage;
mod damage;
mod dialects;
mod export;
mod facts;
mod faults;
mod film;
mod findings;
mod flame;
mod flame_graph;
mod formats;
#[cfg(feature = "parquet")]
mod from_tables;
mod hostile;
mod import;
mod jfr;
mod kept_answers;
mod landscape;
mod layered;
mod lines;
mod links;
mod listen;
mod mapping;
mod memory;
mod metrics;
mod mural;
mod objects;
mod opened_once;
mod otlp;
mod outputs;
mod packages;
mod perceive;
mod phases;
mod pipes;
mod profiles;
mod ranges;
mod record;
mod render;
mod resolve;
mod results;
mod sample;
mod several;
mod sharing;
mod sheet;
mod source;
#[cfg(feature = "parquet")]
mod tables;
mod tools;
mod values;
mod views;
mod weights;

use callscape_testing::{common, folder, generate, random, scene};
