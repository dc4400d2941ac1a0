//! All limits of the receiver in one table.

use std::time::Duration;

use super::super::error::RecordError;
use callscape_import::otlp::kept::LONGEST;
use callscape_import::otlp::request::number_of_bytes;

/// Names the number of bytes that are kept at most, such as `64G`, in place of [`Limits::kept`].
pub const MOST_KEPT: &str = "CALLSCAPE_MAX_RECEIVED";

/// What the receiver grants. `docs/recording.md` has the table for users.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections at once.
    pub connections: usize,
    /// Bytes of requests under way, of all connections together, as they come and decompressed.
    pub under_way: u64,
    /// Bytes that each connection may hold in any case, so that small requests go on beside large ones.
    pub own: u64,
    /// Bytes of a head, and of a line or a trailer between chunks.
    pub head: usize,
    /// Bytes of a body, as it comes and decompressed; never more than the importer reads.
    pub body: u64,
    /// Bytes on disk. So that a file can be read that was compressed well, a request counts at least
    /// `LEAST_SHARE` of what it decompresses to.
    pub kept: u64,
    /// For a whole request, from its first byte to its last.
    pub request: Duration,
    /// For which a connection may stay without a request.
    pub idle: Duration,
    /// For which a connection need not make room for another, from the first byte of each request.
    pub undisturbed: Duration,
    /// For which a connection or a body waits until there is room.
    pub patience: Duration,
    /// For an answer to be taken, and for which the rest of a refused request is still read and dropped.
    pub farewell: Duration,
}

/// One in so many of the bytes that a request decompresses to.
pub(super) const LEAST_SHARE: u64 = 16;

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connections: 64,
            under_way: 128 << 20,
            own: 512 << 10,
            head: 16 << 10,
            body: LONGEST,
            kept: 1 << 30,
            request: Duration::from_secs(30),
            idle: Duration::from_secs(60),
            undisturbed: Duration::from_millis(200),
            patience: Duration::from_secs(1),
            farewell: Duration::from_secs(1),
        }
    }
}

impl Limits {
    /// The limits, with what the user has set.
    pub fn of_user() -> Result<Limits, RecordError> {
        let limits = Limits::default();
        let Ok(text) = std::env::var(MOST_KEPT) else {
            return Ok(limits);
        };
        let wrong = || {
            let found =
                format!("{MOST_KEPT}: expected a number of bytes such as 64G, found '{text}'");
            RecordError::Recorder(found)
        };
        let kept = number_of_bytes(&text).ok_or_else(wrong)?;
        Ok(Limits { kept, ..limits })
    }
}
