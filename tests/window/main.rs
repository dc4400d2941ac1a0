//! The window on a virtual display, in a binary of its own: what is drawn beside it by other tests would take its time.
//! [`display::Display`] lets one test at a time have a display.

mod display;
mod driven;
mod faults;
mod opened;
mod phases;
mod screenshot;
mod talk;

use callscape_testing::{common, folder};
