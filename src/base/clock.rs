//! The clock, for all that measures how long something takes. That of the standard library panics in a browser.

pub use web_time::Instant;
