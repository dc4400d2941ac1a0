//! A source tree as it was in a revision of its repository, as a recording: a profile of the lines of its functions.

/// The format of such recordings in `info`.
pub const FORMAT: &str = "callscape-revision";

/// Stands for the lines of a file outside of functions.
pub const OUTSIDE: &str = "<module>";

/// Which revision it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Revision {
    /// As somebody has named it: `v1.0`.
    pub name: String,
    /// Its commit, in hexadecimal.
    pub commit: String,
    /// When that was committed, in seconds since 1970.
    pub time: i64,
    /// Files that git takes for renamed since the revision that it is compared with, as their paths there and here.
    pub renamed: Vec<[String; 2]>,
}
