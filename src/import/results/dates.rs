//! Columns of one number at several dates, as `debt 2026-01-31` and `debt 2026-02-28`, or with the dates alone.

use super::set::{Column, MOST_COLUMNS, Numbers};

/// What numbers are called whose columns have dates alone.
const NAMELESS: &str = "number";

/// The date in a name, as the year, the month or the day that it is, and what else the name says.
fn dated(name: &str) -> Option<(String, String)> {
    let is_part = |it: char| it.is_ascii_digit() || matches!(it, '-' | '/' | '.');
    let mut words = name.split([' ', '_', '@']).filter(|it| !it.is_empty());
    let date = words.clone().find(|word| {
        let parts: Vec<&str> = word.split(['-', '/', '.']).collect();
        let lengths: Vec<usize> = parts.iter().map(|it| it.len()).collect();
        let in_range = |at: usize, most: u32| {
            let number = parts.get(at).and_then(|it| it.parse().ok());
            number.is_none_or(|it: u32| (1..=most).contains(&it))
        };
        word.chars().all(is_part)
            && matches!(lengths[..], [4] | [4, 2] | [4, 2, 2])
            && matches!(word.as_bytes(), [b'1', b'9', ..] | [b'2', b'0', ..])
            && in_range(1, 12)
            && in_range(2, 31)
    })?;
    let rest: Vec<&str> = words.by_ref().filter(|it| *it != date).collect();
    Some((date.replace(['/', '.'], "-"), rest.join(" ")))
}

/// Makes one column of those that differ by their date only, and keeps the first [`MOST_COLUMNS`]. Values of the others
/// are counted. O(rows × columns).
pub(super) fn join(numbers: &mut Numbers, left_out: &mut u64) {
    let said: Vec<_> = numbers.columns.iter().map(|it| dated(&it.name)).collect();
    let same = |a: usize, b: usize| match (&said[a], &said[b]) {
        (Some(a_says), Some(b_says)) => {
            a_says.1 == b_says.1 && numbers.columns[a].unit == numbers.columns[b].unit
        }
        _ => a == b,
    };
    // Each as the columns of the table that it is made of.
    let mut joined: Vec<Vec<usize>> = Vec::new();
    for at in 0..numbers.columns.len() {
        match joined.iter_mut().find(|it| same(it[0], at)) {
            Some(of) => of.push(at),
            None => joined.push(vec![at]),
        }
    }
    let dates = |of: &[usize]| -> Vec<String> {
        let dates = of.iter().filter_map(|&at| said[at].as_ref());
        dates.map(|(date, _)| date.clone()).collect()
    };
    for of in &mut joined {
        of.sort_by(|a, b| said[*a].cmp(&said[*b]));
    }
    let kept = &joined[..joined.len().min(MOST_COLUMNS)];
    let columns: Vec<Column> = kept
        .iter()
        .map(|of| {
            let first = &numbers.columns[of[0]];
            match &said[of[0]] {
                Some((_, name)) if of.len() > 1 => Column {
                    name: match name.as_str() {
                        "" => NAMELESS.to_owned(),
                        name => name.to_owned(),
                    },
                    dates: dates(of),
                    ..first.clone()
                },
                _ => first.clone(),
            }
        })
        .collect();
    let order: Vec<usize> = kept.concat();
    for row in &mut numbers.rows {
        let value = |at: usize| row.values.get(at).copied().unwrap_or(f64::NAN);
        let values: Vec<f64> = order.iter().map(|&at| value(at)).collect();
        let known = |of: &[f64]| of.iter().filter(|it| !it.is_nan()).count();
        *left_out += (known(&row.values) - known(&values)) as u64;
        row.values = values;
    }
    numbers.columns = columns;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_told_from_other_numbers() {
        for (name, expected) in [
            ("debt 2026-01-31", Some(("2026-01-31", "debt"))),
            ("2026/01", Some(("2026-01", ""))),
            ("size_2026.01.02", Some(("2026-01-02", "size"))),
            ("2025", Some(("2025", ""))),
            ("lines @ 2025", Some(("2025", "lines"))),
            ("rule 4711", None),
            ("2026-13", None),
            ("2026-01-32", None),
            ("debt", None),
            ("", None),
        ] {
            let expected = expected.map(|(date, name)| (date.to_owned(), name.to_owned()));
            assert_eq!(dated(name), expected, "{name}");
        }
    }
}
