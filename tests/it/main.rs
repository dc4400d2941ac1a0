//! The integration tests, one binary: each links all of the renderer, so one link instead of many.

mod architecture;
mod common;
mod compare;
mod export;
mod facts;
mod flame;
mod formats;
mod generate;
mod import;
mod jfr;
mod landscape;
mod mapping;
mod memory;
mod mural;
mod otlp;
mod pipes;
mod profiles;
mod random;
mod render;
mod resolve;
mod scene;
mod several;
mod sheet;
mod source;
mod views;
mod window;
