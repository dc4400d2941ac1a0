//! The table of contents in a report: the phases of both runs, those below others inside, repetitions folded.

use std::collections::HashMap;
use std::fmt::{Result, Write};

use crate::page::escaped;
use callscape_analysis::comparison::phases::PhasePair;
use callscape_analysis::phases::folding::{Item, fold};
use callscape_base::units::{Cost, Unit, counted, grouped};

/// Maximum number of rows, and their maximum depth.
const ROWS: usize = 400;
const DEEPEST: usize = 60;
/// The first levels are open.
const OPEN: usize = 3;

/// Phases in the order of the runs.
struct Contents<'a> {
    page: &'a mut String,
    pairs: &'a [PhasePair],
    /// By pair those right below it.
    below: Vec<Vec<u32>>,
    unit: &'a Unit,
    /// Cost of all outermost phases in the run in which it is larger.
    whole: u64,
    left: usize,
}

/// Writes the phases of both; nothing where neither has one.
pub(super) fn write(page: &mut String, pairs: &[PhasePair], unit: &Unit) -> Result {
    if pairs.is_empty() {
        return Ok(());
    }
    let mut below = vec![Vec::new(); pairs.len()];
    let mut outermost = Vec::new();
    // The pairs around the next one.
    let mut around: Vec<u32> = Vec::new();
    for (index, pair) in pairs.iter().enumerate() {
        around.truncate((pair.depth as usize).saturating_sub(1));
        match around.last() {
            Some(&parent) => below[parent as usize].push(index as u32),
            None => outermost.push(index as u32),
        }
        around.push(index as u32);
    }
    let whole = |side: usize| -> u64 {
        let of = outermost
            .iter()
            .filter_map(|&it| pairs[it as usize].sides[side]);
        of.map(|of| of.cost.ns()).sum()
    };
    let whole = whole(0).max(whole(1));
    let count = [0, 1].map(|side| {
        let of = pairs.iter().filter(|it| it.sides[side].is_some());
        of.count() as u64
    });
    writeln!(
        page,
        "<h2>Phases</h2>\n<p class=\"weak\">What both runs do, from the top: {} in A, {} in B. Of a repetition one \
         instance is shown, with what all cost together.</p>\n<div class=\"phases\">",
        counted(count[0], "phase", "phases"),
        grouped(count[1])
    )?;
    let mut contents = Contents {
        page,
        pairs,
        below,
        unit,
        whole,
        left: ROWS,
    };
    contents.siblings(&outermost, 0)?;
    let is_cut = contents.left == 0;
    page.push_str("</div>\n");
    match is_cut {
        true => writeln!(
            page,
            "<p class=\"weak\">The first {ROWS} rows are shown; <code>callscape phases</code> has all.</p>"
        ),
        false => Ok(()),
    }
}

impl Contents<'_> {
    /// Folds siblings that have the same name and exist in the same runs.
    fn siblings(&mut self, siblings: &[u32], depth: usize) -> Result {
        let mut classes: HashMap<(&str, [bool; 2]), u32> = HashMap::new();
        let class = |&index: &u32| {
            let pair = &self.pairs[index as usize];
            let key = (&*pair.name, pair.sides.map(|of| of.is_some()));
            let next = classes.len() as u32;
            *classes.entry(key).or_insert(next)
        };
        let sequence: Vec<u32> = siblings.iter().map(class).collect();
        self.items(&fold(&sequence), siblings, depth)
    }

    fn items(&mut self, items: &[Item], siblings: &[u32], depth: usize) -> Result {
        let mut rest = siblings;
        for item in items {
            let (of, others) = rest.split_at((item.length() as usize).min(rest.len()));
            rest = others;
            if self.left == 0 {
                return Ok(());
            }
            match item {
                Item::One(_) => self.row(of, of, None, depth)?,
                Item::Repeated(repeated) => {
                    let first = &of[..(repeated.length as usize).min(of.len())];
                    if let ([Item::One(_)], [_]) = (&*repeated.pattern, first) {
                        self.row(of, first, Some(repeated.instances), depth)?;
                        continue;
                    }
                    let name = format!("{} phases", repeated.pattern.len());
                    self.begin(of, &name, Some(repeated.instances), depth)?;
                    if depth < DEEPEST {
                        self.items(&repeated.pattern, first, depth + 1)?;
                    }
                    self.page.push_str("</details>\n");
                }
            }
        }
        Ok(())
    }

    /// Writes a row for alike phases, and the rows below the first of them.
    fn row(&mut self, of: &[u32], first: &[u32], times: Option<u32>, depth: usize) -> Result {
        let Some(&first) = first.first() else {
            return Ok(());
        };
        let name = &self.pairs[first as usize].name;
        self.begin(of, name, times, depth)?;
        if depth < DEEPEST {
            let below = std::mem::take(&mut self.below[first as usize]);
            self.siblings(&below, depth + 1)?;
        }
        self.page.push_str("</details>\n");
        Ok(())
    }

    /// Opens a row with a bar for each run, both costs and the name.
    fn begin(&mut self, of: &[u32], name: &str, times: Option<u32>, depth: usize) -> Result {
        self.left = self.left.saturating_sub(1);
        let sum = |side: usize| {
            let sides = of
                .iter()
                .filter_map(|&it| self.pairs[it as usize].sides[side]);
            let costs: Vec<u64> = sides.map(|it| it.cost.ns()).collect();
            let is_there = !costs.is_empty();
            is_there.then(|| Cost::from_ns(costs.iter().sum()))
        };
        let sums = [sum(0), sum(1)];
        let shown = sums.map(|cost| cost.map_or("–".to_owned(), |cost| self.unit.show(cost)));
        let width = |cost: Option<Cost>| {
            cost.map_or(0.0, |cost| {
                cost.ns() as f64 * 100.0 / self.whole.max(1) as f64
            })
        };
        let [a, b] = sums.map(|cost| cost.map_or(0, Cost::ns));
        let (class, sign, delta) = match b.checked_sub(a) {
            Some(0) => ("weak", "", 0),
            Some(more) => ("more", "+", more),
            None => ("less", "−", a - b),
        };
        let delta = format!("{sign}{}", self.unit.show(Cost::from_ns(delta)));
        let tag = match sums {
            [None, Some(_)] => " <span class=\"tag\">new</span>",
            [Some(_), None] => " <span class=\"tag\">gone</span>",
            _ => "",
        };
        let times = times.map_or_else(String::new, |it| format!(" × {}", grouped(u64::from(it))));
        writeln!(
            self.page,
            "<details{}><summary><span class=\"bars\"><i style=\"width:{:.1}%\"></i><i style=\"width:{:.1}%\"></i></span> \
             <b class=\"{class}\">{}</b> {}{times}{tag} <span class=\"weak\">A {}, B {}</span></summary>",
            if depth < OPEN { " open" } else { "" },
            width(sums[0]),
            width(sums[1]),
            escaped(&delta),
            escaped(name),
            escaped(&shown[0]),
            escaped(&shown[1]),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_analysis::comparison::phases::PhaseAmounts;

    fn pair(name: &str, depth: u32, costs: [u64; 2]) -> PhasePair {
        let side = |ns: u64| {
            let of = PhaseAmounts {
                calls: 1,
                cost: Cost::from_ns(ns),
            };
            (ns > 0).then_some(of)
        };
        PhasePair {
            name: name.to_owned(),
            depth,
            sides: costs.map(side),
        }
    }

    #[test]
    fn repetitions_are_one_row_and_names_stay_text() {
        let mut pairs = vec![pair("main", 1, [1000, 1400])];
        for _ in 0..3 {
            pairs.push(pair("read", 2, [100, 100]));
            pairs.push(pair("<b>", 3, [10, 10]));
            pairs.push(pair("parse", 2, [200, 250]));
        }
        pairs.push(pair("write", 2, [0, 350]));
        let mut page = String::new();
        write(&mut page, &pairs, &Unit::Nanoseconds).expect("a string takes all");
        assert_eq!(
            page.matches("<details").count(),
            page.matches("</details>").count()
        );
        // main, two phases × 3, read, what is below it, parse, write.
        assert_eq!(page.matches("<summary>").count(), 6, "{page}");
        assert!(
            page.contains("2 phases × 3") && page.contains("&lt;b&gt;"),
            "{page}"
        );
        assert!(!page.contains("<b>") && page.contains(">new<"), "{page}");
        let mut nothing = String::new();
        write(&mut nothing, &[], &Unit::Nanoseconds).expect("a string takes all");
        assert!(nothing.is_empty());
    }

    #[test]
    fn a_long_and_deep_run_is_cut() {
        let deep: Vec<PhasePair> = (1..5000).map(|depth| pair("f", depth, [9, 9])).collect();
        let wide = (0..5000)
            .map(|it| pair(&it.to_string(), 1, [1, 1]))
            .collect();
        for pairs in [deep, wide] {
            let mut page = String::new();
            write(&mut page, &pairs, &Unit::Nanoseconds).expect("a string takes all");
            assert!(page.matches("<summary>").count() <= ROWS);
            assert_eq!(
                page.matches("<details").count(),
                page.matches("</details>").count()
            );
        }
    }
}
