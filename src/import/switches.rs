//! When recording was switched on and off while a program ran, as `callscape record` notes it beside the files of uftrace:
//! these do not tell.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use super::input::Input;
use callscape_base::warnings::{Place, Reporter};

/// The name of the file in the folder of a recording.
pub const FILE: &str = "callscape-switches.txt";

/// So long the file is at most: a few hundred thousand switches.
const LONGEST: u64 = 16 << 20;

/// One line: recording of a process goes on or stops, at a time of the recording's own clock in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switched {
    pub is_on: bool,
    pub process: u32,
    /// Of going on, no later than the first record after it.
    pub time: u64,
}

impl fmt::Display for Switched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let to = if self.is_on { "on" } else { "off" };
        write!(f, "{to} {} {}", self.process, self.time)
    }
}

impl FromStr for Switched {
    type Err = ();

    fn from_str(text: &str) -> Result<Switched, ()> {
        let mut words = text.split(' ');
        let is_on = match words.next() {
            Some("on") => true,
            Some("off") => false,
            _ => return Err(()),
        };
        let process = words.next().and_then(|it| it.parse().ok());
        let time = words.next().and_then(|it| it.parse().ok());
        match (process, time, words.next()) {
            (Some(process), Some(time), None) => Ok(Switched {
                is_on,
                process,
                time,
            }),
            _ => Err(()),
        }
    }
}

/// When recording of one process was off, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Off {
    /// From when until when.
    gaps: Vec<(u64, u64)>,
    /// When it went on: the ends of those.
    resumed: Vec<u64>,
    /// Since when, where it was off at last.
    since: Option<u64>,
}

/// The times of a recording at which processes were switched, by process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Switches(BTreeMap<u32, Off>);

impl Switches {
    /// Those in a folder; lines that are none are counted and left.
    pub fn read(folder: &Input, reporter: &Reporter) -> Switches {
        let input = folder.join(FILE);
        if !input.is_file() {
            return Switches::default();
        }
        let place = || Place::file(input.display().to_string());
        let is_short = input.size().is_ok_and(|size| size <= LONGEST);
        let Some(bytes) = is_short.then(|| input.read().ok()).flatten() else {
            reporter.warn("malformed-switch", place);
            return Switches::default();
        };
        let mut all = Vec::new();
        for (number, line) in String::from_utf8_lossy(&bytes).lines().enumerate() {
            match line.parse() {
                Ok(switched) => all.push(switched),
                Err(()) => reporter.warn("malformed-switch", || {
                    Place::line(input.display().to_string(), number as u64 + 1)
                }),
            }
        }
        Switches::of_all(all)
    }

    /// Those, in whatever order. O(n log n).
    pub fn of_all(mut all: Vec<Switched>) -> Switches {
        all.sort_by_key(|it| it.time);
        let mut processes: BTreeMap<u32, Off> = BTreeMap::new();
        for switched in all {
            let of = processes.entry(switched.process).or_default();
            match of.since {
                Some(off) if switched.is_on => {
                    of.gaps.push((off, switched.time));
                    of.resumed.push(switched.time);
                    of.since = None;
                }
                None if !switched.is_on => of.since = Some(switched.time),
                _ => {}
            }
        }
        Switches(processes)
    }

    /// When recording of a process went on after it had stopped, in order; and whether it was off at last.
    pub fn of(&self, process: u32) -> (&[u64], bool) {
        let of = self.0.get(&process);
        of.map_or((&[], false), |it| (&it.resumed, it.since.is_some()))
    }

    /// From when until when recording of a process was off, in order; and since when, where it was off at last.
    pub fn off(&self, process: u32) -> (&[(u64, u64)], Option<u64>) {
        let of = self.0.get(&process);
        of.map_or((&[], None), |it| (&it.gaps, it.since))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_switch_back_ends_a_gap() {
        let of = |is_on, process, time| Switched {
            is_on,
            process,
            time,
        };
        let all = [
            // What is paused begins so.
            of(true, 1, 5),
            of(false, 1, 10),
            of(false, 1, 11),
            of(false, 2, 12),
            of(true, 1, 20),
            of(true, 1, 21),
            of(false, 1, 30),
        ];
        for switched in all {
            assert_eq!(switched.to_string().parse(), Ok(switched));
        }
        let switches = Switches::of_all(all.to_vec());
        assert_eq!(switches.of(1), (&[20][..], true));
        assert_eq!(switches.off(1), (&[(10, 20)][..], Some(30)));
        assert_eq!(switches.of(2), (&[][..], true));
        assert_eq!(switches.of(3), (&[][..], false));
        for wrong in ["", "on", "on 1", "up 1 2", "on x 2", "on 1 2 3", "on 1 -2"] {
            assert!(wrong.parse::<Switched>().is_err(), "{wrong}");
        }
    }
}
