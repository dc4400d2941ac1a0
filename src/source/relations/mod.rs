//! What the text of a file says of other files: what it imports, and what it calls by which name.
//!
//! Read from the syntax tree that is there anyhow, one walk over all of its nodes. `Family` says how a language writes
//! imports; one file here reads those of each family. Where an import leads is for `analysis::relations` to find out.

mod bases;
mod c;
mod file;
mod found;
mod globals;
mod go;
mod javascript;
mod jvm;
pub mod manifests;
mod other;
mod php;
mod python;
mod ruby;
mod rust;
mod rust_macros;
mod rust_paths;
pub mod sites;
mod visits;

pub use file::{
    Base, CallByName, Family, FileRelations, Globals, Import, ImportKind, METHOD, OUTSIDE, PLAIN,
};
pub use visits::Visits;

#[cfg(test)]
mod tests;
