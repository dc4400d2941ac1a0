//! Films: frames in, one file out.
//!
//! Frames are encoded in parts of a second, each of which can be decoded by itself, several at a time (`workers`).
//! Parts are kept beside the film until that is whole ([`parts`]): what was interrupted goes on where it stood. The
//! parts are then put into a container. Pictures in sequence (`sequence`) are parts by themselves.
//!
//! Whoever draws the frames tells the time and never measures it, and a frame waits for what other threads work out for
//! it, so that the frames do not depend on the machine. Frames before the place where an interrupted film goes on are gone
//! through all the same, but not drawn.

#[cfg(feature = "webm")]
mod av1;
mod check;
mod container;
mod encode;
mod ffmpeg;
mod gif;
#[cfg(not(target_arch = "wasm32"))]
mod h264;
mod mp4;
pub mod parts;
mod sequence;
mod settings;
#[cfg(feature = "webm")]
mod webm;
mod workers;
mod yuv;

pub use parts::{Film, Plan};
pub use settings::{FilmError, FilmSettings, Format};
