//! Which lines of two versions of a text are the same, so that they can stand beside each other.
//!
//! The difference is the histogram one of `imara-diff`: lines that are rare in both hold the rest in place, as git's does.

use imara_diff::{Algorithm, Diff, InternedInput};

use callscape_source::text::SourceText;

/// A row of two texts beside each other: a line of either or of both, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    pub lines: [Option<u32>; 2],
    /// Whether both have the same line.
    pub is_same: bool,
}

/// Two texts beside each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Aligned {
    /// Every line of either once, in order.
    pub rows: Vec<Row>,
    /// By text and line less 1, its row.
    row_of: [Vec<u32>; 2],
    /// How many lines are of one text alone, of each.
    pub alone: [u32; 2],
}

impl Aligned {
    /// Both texts, lines without their ends. O(n log n) where they are alike, and bounded where they are not: then more lines
    /// than have to are taken for others.
    pub fn new(texts: [&SourceText; 2]) -> Aligned {
        let mut input = InternedInput::default();
        let lines = |text: &'_ SourceText| 1..=text.lines();
        let [a, b] = texts;
        input.update_before(lines(a).map(|it| a.line(it).unwrap_or_default()));
        input.update_after(lines(b).map(|it| b.line(it).unwrap_or_default()));
        let mut diff = Diff::compute(Algorithm::Histogram, &input);
        diff.postprocess_lines(&input);
        let mut aligned = Aligned {
            alone: [diff.count_removals(), diff.count_additions()],
            ..Aligned::default()
        };
        let mut at = [0, 0];
        for hunk in diff.hunks() {
            aligned.add_same(&mut at, hunk.before.start);
            let (of_a, of_b) = (hunk.before.len() as u32, hunk.after.len() as u32);
            for k in 0..of_a.max(of_b) {
                let line = |from: u32, count: u32| (k < count).then_some(from + k + 1);
                let lines = [line(at[0], of_a), line(at[1], of_b)];
                aligned.add(lines, false);
            }
            at = [at[0] + of_a, at[1] + of_b];
        }
        aligned.add_same(&mut at, a.lines());
        aligned
    }

    /// Adds lines that are in both, up to line `end` of A, left out.
    fn add_same(&mut self, at: &mut [u32; 2], end: u32) {
        while at[0] < end {
            *at = at.map(|it| it + 1);
            self.add(at.map(Some), true);
        }
    }

    fn add(&mut self, lines: [Option<u32>; 2], is_same: bool) {
        for (row_of, line) in self.row_of.iter_mut().zip(lines) {
            row_of.extend(line.map(|_| self.rows.len() as u32));
        }
        self.rows.push(Row { lines, is_same });
    }

    /// The row of a line, from 1, of text 0 or 1.
    pub fn row_of(&self, text: usize, line: u32) -> Option<usize> {
        let rows = self.row_of.get(text)?;
        Some(*rows.get(line.checked_sub(1)? as usize)? as usize)
    }

    /// Whether the texts have the same lines.
    pub fn is_same(&self) -> bool {
        self.alone == [0, 0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> SourceText {
        SourceText::of(text.as_bytes().to_vec()).expect("text")
    }

    fn aligned(a: &str, b: &str) -> Aligned {
        Aligned::new([&text(a), &text(b)])
    }

    /// Numbers that are the same every time.
    struct Random(u64);

    impl Random {
        fn below(&mut self, n: u64) -> u64 {
            self.0 = self
                .0
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (self.0 >> 33) % n
        }
    }

    #[test]
    fn every_line_stands_once_and_in_order_and_same_lines_are_the_same() {
        for seed in 0..300 {
            let mut random = Random(seed);
            let kinds = 2 + random.below(12);
            let mut some = |most: u64| -> String {
                let lines = random.below(most);
                (0..lines)
                    .map(|_| format!("line {}\n", random.below(kinds)))
                    .collect()
            };
            let (a, b) = (some(40), some(40));
            let (of_a, of_b) = (text(&a), text(&b));
            let aligned = Aligned::new([&of_a, &of_b]);
            for (which, of) in [&of_a, &of_b].into_iter().enumerate() {
                let lines = aligned.rows.iter().filter_map(|row| row.lines[which]);
                let lines: Vec<u32> = lines.collect();
                let all: Vec<u32> = (1..=of.lines()).collect();
                assert_eq!(lines, all, "seed {seed}");
                for line in all {
                    let row = aligned.row_of(which, line).expect("it has a row");
                    assert_eq!(aligned.rows[row].lines[which], Some(line));
                }
                let alone = aligned.rows.iter().filter(|row| !row.is_same);
                let alone = alone.filter(|row| row.lines[which].is_some()).count();
                assert_eq!(alone as u32, aligned.alone[which], "seed {seed}");
            }
            for row in aligned.rows.iter().filter(|row| row.is_same) {
                let lines = [
                    row.lines[0].map(|it| of_a.line(it)),
                    row.lines[1].map(|it| of_b.line(it)),
                ];
                assert!(lines[0].is_some() && lines[0] == lines[1], "seed {seed}");
            }
            assert_eq!(aligned.is_same(), a == b, "seed {seed}");
        }
    }

    #[test]
    fn a_change_stands_beside_what_it_changed() {
        let found = aligned("a\nb\nc\nd\n", "a\nB\nc\nmore\nd\n");
        let rows: Vec<_> = found
            .rows
            .iter()
            .map(|row| (row.lines, row.is_same))
            .collect();
        let expected = [
            ([Some(1), Some(1)], true),
            ([Some(2), Some(2)], false),
            ([Some(3), Some(3)], true),
            ([None, Some(4)], false),
            ([Some(4), Some(5)], true),
        ];
        assert_eq!(rows, expected);
        assert_eq!(found.alone, [1, 2]);
        assert_eq!(found.row_of(0, 5), None);
        assert_eq!(found.row_of(1, 0), None);
    }

    #[test]
    fn ends_of_lines_are_no_difference() {
        assert!(aligned("a\r\nb\r\n", "a\nb").is_same());
        assert_eq!(aligned("", "").rows, []);
        assert_eq!(aligned("", "a\n").alone, [0, 1]);
    }

    #[test]
    fn texts_that_have_nothing_in_common_end_soon() {
        let many =
            |from: u32| -> String { (from..from + 20_000).map(|it| format!("{it}\n")).collect() };
        let found = aligned(&many(0), &many(1_000_000));
        assert_eq!(found.alone, [20_000; 2]);
        let same = "x\n".repeat(20_000);
        assert!(aligned(&same, &same).is_same());
        assert_eq!(aligned(&same, &"y\n".repeat(20_000)).alone, [20_000; 2]);
    }
}
