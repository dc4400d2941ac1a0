//! What tests, benches and fuzz targets share: seeded random numbers, made-up programs and their recordings, the program
//! as a command, checks that hold for every recording, damaged inputs, and how figures are taken and recorded.
//!
//! A dev-dependency only: the program never depends on it. Unit tests of the floors that this crate stands on cannot use
//! its builders, since a floor's test build has other types than the build that this crate uses; for these tests
//! `callscape-facts` and `callscape-state` have a feature `testing`.

#[cfg(unix)]
pub mod browser;
pub mod built;
pub mod check;
pub mod common;
pub mod folder;
pub mod generate;
pub mod measured;
pub mod mutate;
pub mod random;
pub mod results;
#[cfg(feature = "scene")]
pub mod scene;
pub mod timing;
pub mod tools;
pub mod wire;
