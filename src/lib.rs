//! Callscape: a software landscape that plays recorded executions.
//!
//! The floors of the pipeline under the names that tests and benches use. Each is a crate, and depends only on crates
//! before it in this list.

pub use callscape_base::{escape, files, progress, units, warnings};

pub use callscape_analysis as analysis;
pub use callscape_app as app;
pub use callscape_cli as cli;
pub use callscape_export as export;
pub use callscape_facts as facts;
pub use callscape_filter as filter;
pub use callscape_import as import;
pub use callscape_layout as layout;
pub use callscape_look as look;
pub use callscape_model as model;
pub use callscape_presentation as presentation;
pub use callscape_record as record;
pub use callscape_render as render;
pub use callscape_source as source;
pub use callscape_state as state;
pub use callscape_views as views;
