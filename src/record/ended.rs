//! How a program ended.

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    Code(i32),
    Signal(i32),
    Unknown,
}

/// Signals that a program which was patched wrongly ends by: illegal instruction, trap, abort, bus error, and
/// segmentation fault, by their numbers on Linux.
const CRASHES: [i32; 5] = [4, 5, 6, 7, 11];

impl Ended {
    /// Of what the system says of a process that ended, as `waitpid` has it.
    pub fn of_status(status: i32) -> Ended {
        match status & 0x7f {
            0 => Ended::Code(status >> 8 & 0xff),
            signal => Ended::Signal(signal),
        }
    }

    /// What this process ends with in its place: as shells do, 128 and the signal.
    pub fn code(self) -> i32 {
        match self {
            Ended::Code(code) => code,
            Ended::Signal(signal) => 128 + signal,
            Ended::Unknown => 1,
        }
    }

    pub fn is_crash(self) -> bool {
        matches!(self, Ended::Signal(signal) if CRASHES.contains(&signal))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_tells_code_or_signal() {
        assert_eq!(Ended::of_status(3 << 8), Ended::Code(3));
        assert_eq!(Ended::of_status(0), Ended::Code(0));
        assert_eq!(Ended::of_status(11), Ended::Signal(11));
        // With a core dump.
        assert_eq!(Ended::of_status(11 | 0x80), Ended::Signal(11));
        assert_eq!(Ended::Signal(11).code(), 139);
        assert!(Ended::Signal(11).is_crash() && !Ended::Signal(15).is_crash());
        assert!(!Ended::Code(139).is_crash());
    }
}
