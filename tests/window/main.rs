//! The window on a virtual display, in a binary of its own: what is drawn beside it by other tests would take its time.
//! [`display::Display`] lets one test at a time have a display.

mod display;
mod driven;
mod faults;
mod opened;
mod phases;
mod screenshot;
mod talk;

// What these tests share with those of `tests/it`, who use more of it.
#[allow(dead_code, unused_imports)]
#[path = "../it/common.rs"]
mod common;
#[allow(dead_code, unused_imports)]
#[path = "../it/folder.rs"]
mod folder;
#[allow(dead_code, unused_imports)]
#[path = "../it/generate.rs"]
mod generate;
#[allow(dead_code, unused_imports)]
#[path = "../it/random.rs"]
mod random;
