//! The reporter of repairs: what was wrong in an input is counted by kind, with the place of the first.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard};

use serde::{Deserialize, Serialize};

/// Where in an input something was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    pub file: String,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub at: Option<At>,
}

/// A position in a file: a line counted from 1, or a byte offset counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum At {
    Line(u64),
    Offset(u64),
}

impl Place {
    pub fn file(file: impl Into<String>) -> Place {
        Place {
            file: file.into(),
            at: None,
        }
    }

    pub fn line(file: impl Into<String>, line: u64) -> Place {
        Place {
            file: file.into(),
            at: Some(At::Line(line)),
        }
    }

    pub fn offset(file: impl Into<String>, offset: u64) -> Place {
        Place {
            file: file.into(),
            at: Some(At::Offset(offset)),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            Some(At::Line(line)) => write!(f, "{}, line {line}", self.file),
            Some(At::Offset(offset)) => write!(f, "{}, byte {offset}", self.file),
            None => f.write_str(&self.file),
        }
    }
}

/// One kind of repair or omission: how often, and where first.
///
/// `kind` is a short, stable name in kebab-case such as `end-without-begin`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    pub kind: Cow<'static, str>,
    pub count: u64,
    pub first: Place,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = self.kind.replace('-', " ");
        write!(f, "{kind}: {}, first at {}", self.count, self.first)
    }
}

/// Repairs of a kind that a reporter has counted: how often, and where first.
#[derive(Debug)]
pub struct Found {
    kind: &'static str,
    count: u64,
    first: Place,
}

/// Counts repairs by kind. Passed by reference to whatever reads an input; work goes on.
#[derive(Debug, Default)]
pub struct Reporter {
    // Ordered, so that what is reported does not depend on a hash.
    warnings: Mutex<BTreeMap<&'static str, (u64, Place)>>,
}

impl Reporter {
    pub fn new() -> Reporter {
        Reporter::default()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<&'static str, (u64, Place)>> {
        // A count survives a panic elsewhere: every update below leaves the map whole.
        self.warnings
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Counts one case of `kind`; `place` is only asked for the first.
    pub fn warn(&self, kind: &'static str, place: impl FnOnce() -> Place) {
        self.warn_many(kind, 1, place);
    }

    /// Counts `count` cases of `kind`, the first of them at `place`.
    pub fn warn_many(&self, kind: &'static str, count: u64, place: impl FnOnce() -> Place) {
        if count == 0 {
            return;
        }
        self.lock()
            .entry(kind)
            .and_modify(|entry| entry.0 += count)
            .or_insert_with(|| (count, place()));
    }

    /// Everything counted so far, by kind, and forgets it: for another reporter.
    pub fn take(&self) -> Vec<Found> {
        let counted = std::mem::take(&mut *self.lock());
        let found = counted.into_iter();
        found
            .map(|(kind, (count, first))| Found { kind, count, first })
            .collect()
    }

    /// Counts what another reporter has found.
    pub fn add(&self, found: Found) {
        self.warn_many(found.kind, found.count, || found.first);
    }

    /// Everything counted so far, by kind.
    pub fn warnings(&self) -> Vec<Warning> {
        self.lock()
            .iter()
            .map(|(&kind, (count, first))| Warning {
                kind: kind.into(),
                count: *count,
                first: first.clone(),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repairs_are_counted_by_kind_with_the_place_of_the_first() {
        let reporter = Reporter::new();
        reporter.warn("late", || Place::line("a.json", 3));
        reporter.warn("late", || Place::line("a.json", 9));
        reporter.warn_many("early", 0, || Place::file("never"));
        let warnings = reporter.warnings();
        assert_eq!(warnings.len(), 1);
        assert_eq!(warnings[0].to_string(), "late: 2, first at a.json, line 3");
        let json = serde_json::to_value(&warnings[0]).expect("a warning is plain data");
        assert_eq!(
            json,
            serde_json::json!({"kind": "late", "count": 2, "first": {"file": "a.json", "line": 3}})
        );
    }
}
