//! Which function of B each function of A is, as far as that does not go without saying: what moved, was renamed or
//! paired by hand, and what one side alone has.

use std::collections::HashMap;

use callscape_analysis::comparison::Comparison;
use callscape_analysis::comparison::pairing::{self, Correction, How};
use callscape_base::units::ModuleId;

/// A function of A, of B, or of both.
#[derive(Clone, Debug, PartialEq)]
pub struct PairRow {
    /// In the comparison.
    pub row: u32,
    /// Why the two are one; none for a function of one side.
    pub how: Option<How>,
    pub names: [Option<String>; 2],
    /// Where each side has it.
    pub paths: [Option<String>; 2],
    /// As corrections name it: its path, or its name where several stand there and the module is not named after it, as
    /// for a lambda in a function.
    pub said: [Option<String>; 2],
}

impl PairRow {
    fn is_found(&self, query: &str) -> bool {
        let texts = self.names.iter().chain(&self.paths).flatten();
        let mut texts = texts.map(|text| text.to_lowercase());
        texts.any(|text| text.contains(query))
    }

    /// Who has it, or why the two are one.
    pub fn title(&self) -> &'static str {
        match (&self.how, &self.names[0]) {
            (Some(how), _) => how.name(),
            (None, Some(_)) => "only in A",
            (None, None) => "only in B",
        }
    }

    fn swapped(mut self) -> PairRow {
        self.names.reverse();
        self.paths.reverse();
        self.said.reverse();
        self
    }
}

/// What there is to say of all functions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pairs {
    /// What is paired before what is not, that of A before that of B; by path.
    pub rows: Vec<PairRow>,
    /// How many functions have one name in one place.
    pub same: usize,
    /// Files that moved or were renamed, as their paths in A and in B.
    pub moved_files: Vec<[String; 2]>,
    /// What the user has said, of the recordings as they were opened.
    pub corrections: Vec<Correction>,
    /// Corrections that speak of no function, or of several.
    pub unclear: Vec<String>,
}

impl Pairs {
    pub fn new(comparison: &Comparison, corrections: &[Correction]) -> Pairs {
        let hierarchy = &comparison.session.hierarchy;
        let mut rows: Vec<PairRow> = Vec::new();
        let mut at_places: HashMap<ModuleId, u32> = HashMap::new();
        for row in &comparison.rows {
            *at_places.entry(row.module).or_default() += 1;
        }
        for (number, row) in (0u32..).zip(&comparison.rows) {
            if row.how == Some(How::Same) {
                continue;
            }
            let here = || hierarchy.path(row.module);
            let has = [0, 1].map(|side| row.names[side].is_some());
            let name = |side: usize| comparison.function_of(number, side).name.to_owned();
            let before = row.was.clone().unwrap_or_else(here);
            let names = [0, 1].map(|side| has[side].then(|| name(side)));
            let paths = [has[0].then_some(before), has[1].then(here)];
            let is_alone = at_places.get(&row.module) == Some(&1);
            let said = [0, 1].map(|side| match (&names[side], &paths[side]) {
                (Some(name), Some(path)) if !is_alone && !pairing::is_last_of(path, name) => {
                    Some(name.clone())
                }
                (_, path) => path.clone(),
            });
            rows.push(PairRow {
                row: number,
                how: row.how,
                said,
                names,
                paths,
            });
        }
        let mut pairs = Pairs {
            same: comparison.rows.len() - rows.len(),
            rows,
            moved_files: comparison.moved_files.clone(),
            corrections: corrections.to_vec(),
            unclear: comparison.unclear.clone(),
        };
        pairs.sort();
        pairs
    }

    fn sort(&mut self) {
        self.rows.sort_by(|x, y| {
            let key = |row: &PairRow| (row.how.is_none(), row.names[0].is_none());
            let paths = |row: &PairRow| row.paths.clone();
            key(x)
                .cmp(&key(y))
                .then_with(|| paths(x).cmp(&paths(y)))
                .then(x.row.cmp(&y.row))
        });
    }

    /// The same with A and B exchanged.
    pub fn swapped(&self) -> Pairs {
        let mut pairs = self.clone();
        pairs.rows = pairs.rows.into_iter().map(PairRow::swapped).collect();
        pairs
            .moved_files
            .iter_mut()
            .for_each(|files| files.reverse());
        pairs.sort();
        pairs
    }

    /// The rows that have `query` in a name or path.
    pub fn found(&self, query: &str) -> Vec<PairRow> {
        let query = query.to_lowercase();
        let rows = self.rows.iter().filter(|row| row.is_found(&query));
        rows.cloned().collect()
    }

    fn row(&self, row: u32) -> Option<&PairRow> {
        self.rows.iter().find(|it| it.row == row)
    }

    /// The corrections that make one function of those of two rows, one of A and one of B; none where one of them is
    /// in a pair already. `is_swapped` says that A is the second of the recordings as they were opened.
    pub fn joined(&self, [a, b]: [u32; 2], is_swapped: bool) -> Option<Vec<Correction>> {
        let (a, b) = (self.row(a)?, self.row(b)?);
        if a.how.is_some() || b.how.is_some() {
            return None;
        }
        let mut paths = [a.said[0].clone()?, b.said[1].clone()?];
        if is_swapped {
            paths.reverse();
        }
        let [old, new] = paths;
        let mut corrections = self.corrections.clone();
        // What was taken apart before is one again.
        corrections.retain(|it| it.old != old && it.new != new);
        corrections.push(Correction { old, new });
        Some(corrections)
    }

    /// The corrections that make two functions of a row; none where it is not of two.
    pub fn apart(&self, row: u32, is_swapped: bool) -> Option<Vec<Correction>> {
        let row = self.row(row)?;
        row.how?;
        let old = row.said[usize::from(is_swapped)].clone()?;
        let mut corrections = self.corrections.clone();
        corrections.retain(|it| it.old != old);
        if row.how != Some(How::Given) {
            let new = String::new();
            corrections.push(Correction { old, new });
        }
        Some(corrections)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(row: u32, how: Option<How>, a: Option<&str>, b: Option<&str>) -> PairRow {
        let paths = [a, b].map(|path| path.map(str::to_owned));
        let names = paths.clone();
        PairRow {
            row,
            how,
            names,
            said: paths.clone(),
            paths,
        }
    }

    fn pairs() -> Pairs {
        let mut pairs = Pairs {
            rows: vec![
                row(3, None, None, Some("y.c/new")),
                row(0, Some(How::Moved), Some("x.c/f"), Some("y.c/f")),
                row(2, None, Some("x.c/old"), None),
            ],
            ..Pairs::default()
        };
        pairs.sort();
        pairs
    }

    fn said(corrections: Option<Vec<Correction>>) -> Vec<[String; 2]> {
        let all = corrections.unwrap_or_default().into_iter();
        all.map(|it| [it.old, it.new]).collect()
    }

    #[test]
    fn what_is_joined_and_taken_apart_is_said_of_the_recordings_as_they_were_opened() {
        let mut pairs = pairs();
        let order = |pairs: &Pairs| pairs.rows.iter().map(|row| row.row).collect::<Vec<_>>();
        assert_eq!(order(&pairs), [0, 2, 3]);
        assert_eq!(said(pairs.joined([2, 3], false)), [["x.c/old", "y.c/new"]]);
        assert_eq!(said(pairs.apart(0, false)), [["x.c/f", ""]]);
        assert_eq!(pairs.joined([0, 3], false), None);
        assert_eq!(pairs.joined([3, 2], false), None);
        assert_eq!(pairs.apart(2, false), None);
        let swapped = pairs.swapped();
        assert_eq!(order(&swapped), [0, 3, 2]);
        assert_eq!(said(swapped.joined([3, 2], true)), [["x.c/old", "y.c/new"]]);
        assert_eq!(said(swapped.apart(0, true)), [["x.c/f", ""]]);
        assert_eq!(swapped.swapped(), pairs);
        // Apart again: what was said is taken back.
        pairs.corrections = pairs.joined([2, 3], false).expect("two functions");
        pairs.rows = vec![row(1, Some(How::Given), Some("x.c/old"), Some("y.c/new"))];
        assert_eq!(pairs.apart(1, false), Some(Vec::new()));
    }

    #[test]
    fn pairs_are_found_by_names_and_paths() {
        let pairs = pairs();
        let found = |query: &str| pairs.found(query).len();
        assert_eq!(
            [found("Y.C"), found("old"), found(""), found("z")],
            [2, 1, 3, 0]
        );
        let titles: Vec<_> = pairs.rows.iter().map(PairRow::title).collect();
        assert_eq!(titles, ["moved", "only in A", "only in B"]);
    }
}
