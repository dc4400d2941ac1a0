//! Which lines of a text changed since the revision that changes are looked for from.

use super::reading::TextKey;
use callscape_source::history::change::Hunk;
use callscape_state::State;

/// What became of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Touch {
    /// Added or changed.
    Changed,
    /// Lines were deleted behind it.
    Deleted,
}

/// The changes of a text, and of which it was found.
#[derive(Clone, Debug, Default)]
pub(super) struct Touched {
    hunks: Vec<Hunk>,
    of: Option<(u64, TextKey)>,
}

impl Touched {
    /// Finds the changes of a text where it or what is known of changes is another. O(files that changed) then.
    pub(super) fn update(&mut self, state: &State, key: Option<&TextKey>) {
        let wanted = key.map(|it| (state.findings.stamp, it.clone()));
        if self.of == wanted {
            return;
        }
        self.hunks.clear();
        if let (Some(key), Some(Ok(changed))) = (key, &state.findings.changed)
            // Of another revision lines have other numbers.
            && changed.changes.bad.is_none()
        {
            let names: Vec<_> = key
                .file
                .path
                .iter()
                .map(|it| it.to_string_lossy())
                .collect();
            let path = names.join("/");
            let files = &changed.changes.files;
            let found = files.iter().find(|it| it.path == path && !it.is_removed);
            self.hunks = found.map(|it| it.hunks.clone()).unwrap_or_default();
        }
        self.of = wanted;
    }

    /// What became of a line. O(log n).
    pub(super) fn line(&self, line: u32) -> Option<Touch> {
        let before = self.hunks.partition_point(|it| it.after.start <= line);
        let next = self.hunks.get(before);
        let hunk = before.checked_sub(1).and_then(|it| self.hunks.get(it));
        if hunk.is_some_and(|it| it.after.contains(&line)) {
            return Some(Touch::Changed);
        }
        let is_before = |it: &Hunk| it.after.is_empty() && it.after.start == line + 1;
        next.filter(|it| is_before(it)).map(|_| Touch::Deleted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_changed_or_stand_before_a_deletion() {
        let hunk = |after| Hunk {
            before: 1..2,
            after,
        };
        let touched = Touched {
            hunks: vec![hunk(3..5), hunk(9..9), hunk(12..13)],
            of: None,
        };
        for line in 1..20 {
            let expected = match line {
                3 | 4 | 12 => Some(Touch::Changed),
                8 => Some(Touch::Deleted),
                _ => None,
            };
            assert_eq!(touched.line(line), expected, "{line}");
        }
    }
}
