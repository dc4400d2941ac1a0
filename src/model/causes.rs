//! Why two runs differ, in sentences.

use callscape_analysis::comparison::Comparison;
use callscape_analysis::comparison::amounts::Change;
use callscape_analysis::comparison::causes::{Cause, Causes, Kind};
use callscape_base::units::{Cost, Unit, grouped};

/// Of the functions around one so many are named.
const NAMED: usize = 2;

/// A part of a difference that is told by numbers is as large as these say, but for this share.
const NEAR: f64 = 0.05;

/// What sentences need to know of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct Words<'a> {
    pub unit: &'a Unit,
    /// Whether amounts are per call of a function.
    pub is_per_call: bool,
    pub counts_calls: bool,
}

impl<'a> Words<'a> {
    pub fn of(comparison: &'a Comparison, causes: &Causes) -> Words<'a> {
        Words {
            unit: comparison.unit(),
            is_per_call: comparison.per.is_some(),
            counts_calls: causes.counts_calls,
        }
    }

    fn cost(&self, cost: f64) -> String {
        self.unit.show(Cost::signed(cost.round() as i64))
    }

    /// Whether a difference is too small to be written.
    pub fn is_nothing(&self, difference: f64) -> bool {
        self.cost(difference.abs()) == self.cost(0.0)
    }

    /// A difference with its sign.
    pub fn difference(&self, difference: f64) -> String {
        let sign = if difference < 0.0 { "−" } else { "+" };
        format!("{sign}{}", self.cost(difference.abs()))
    }

    fn calls(&self, calls: f64) -> String {
        match self.is_per_call || calls.fract() != 0.0 {
            true => format!("{calls:.3}"),
            false => grouped(calls.round() as u64),
        }
    }

    fn times(&self, calls: f64) -> String {
        match calls {
            1.0 => "once".to_owned(),
            calls => format!("{} times", self.calls(calls)),
        }
    }

    /// What differs: `below main → parse: compare is called 180 times instead of 16 380`. `name` gives that of a row.
    pub fn what<'n>(&self, cause: &Cause, name: impl Fn(u32) -> &'n str) -> String {
        let (row, around) = (cause.row(), cause.path.len().saturating_sub(1));
        let callers = &cause.path[around.saturating_sub(NAMED)..around];
        let callers: Vec<&str> = callers.iter().map(|&row| name(row)).collect();
        let mut text = match callers.is_empty() {
            true => String::new(),
            false => format!("below {}: ", callers.join(" → ")),
        };
        text.push_str(name(row));
        if let Some(was) = cause.was {
            text.push_str(&format!(" (in A {})", name(was)));
        }
        text.push(' ');
        text.push_str(&self.said(cause.kind, &cause.change));
        if cause.contexts > 1 {
            text.push_str(&format!(", in {} contexts", grouped(cause.contexts.into())));
        }
        text.push_str(&self.beyond(cause));
        // An outermost function is one that a thread starts with.
        if callers.is_empty() && matches!(cause.kind, Kind::CalledMore | Kind::CalledLess) {
            text.push_str(", outermost in its threads");
        }
        text
    }

    /// Of costs that differ by something else than the cause explains, how much that is: what the callers explain is told
    /// of them.
    fn beyond(&self, cause: &Cause) -> String {
        let (a, b) = (&cause.change.a, &cause.change.b);
        let [of_a, of_b] = [a, b].map(|it| match cause.kind {
            Kind::CalledMore | Kind::CalledLess => Some(a.total * it.calls / a.calls),
            Kind::MoreWork | Kind::LessWork => Some(it.total),
            Kind::OwnTime => Some(it.self_cost - it.self_waiting),
            Kind::Waiting => Some(it.self_waiting),
            _ => None,
        });
        let (Some(of_a), Some(of_b)) = (of_a, of_b) else {
            return String::new();
        };
        let is_own = matches!(cause.kind, Kind::OwnTime | Kind::Waiting);
        let is_scaled = is_own && self.is_scaled(&cause.change);
        let told = match is_scaled {
            true => of_b - of_a * b.calls / a.calls,
            false => of_b - of_a,
        };
        let most = told.abs().max(cause.amount.abs());
        let is_alike = told * cause.amount > 0.0;
        let is_told = match cause.kind {
            Kind::CalledMore | Kind::CalledLess => is_alike,
            // What reads as in A tells nothing.
            _ if is_scaled => is_alike && !self.is_nothing(told / b.calls),
            _ => (told - cause.amount).abs() <= NEAR * most,
        };
        match is_told {
            true => String::new(),
            false => format!(
                ", {} beyond what its callers explain",
                self.difference(cause.amount)
            ),
        }
    }

    /// Whether something is called more or less often too: then what it costs altogether says nothing.
    fn is_scaled(&self, Change { a, b, .. }: &Change) -> bool {
        self.counts_calls && a.calls != b.calls && a.calls > 0.0 && b.calls > 0.0
    }

    fn said(&self, kind: Kind, change: &Change) -> String {
        let (a, b) = (&change.a, &change.b);
        let both = |x: f64, y: f64| match self.is_scaled(change) {
            true => self.instead(y / b.calls, x / a.calls, " per call"),
            false => self.instead(y, x, ""),
        };
        match kind {
            Kind::CalledMore | Kind::CalledLess => {
                let (more, less) = (self.times(b.calls), self.calls(a.calls));
                match self.calls(b.calls) == less {
                    true => format!("is called {more} as in A"),
                    false => format!("is called {more} instead of {less}"),
                }
            }
            Kind::MoreWork | Kind::LessWork => {
                let cost = self.instead(b.total, a.total, "");
                format!("and all its callees cost {cost}")
            }
            Kind::OwnTime => {
                let running = [a, b].map(|it| it.self_cost - it.self_waiting);
                format!("itself takes {}", both(running[0], running[1]))
            }
            Kind::Waiting => format!("waits {}", both(a.self_waiting, b.self_waiting)),
            Kind::New => match self.counts_calls {
                true => format!("is called {}, never in A", self.times(b.calls)),
                false => "exists only in B".to_owned(),
            },
            Kind::Gone => match self.counts_calls {
                true => format!("is not called, but {} in A", self.times(a.calls)),
                false => "exists only in A".to_owned(),
            },
        }
    }

    /// What is in B, instead of what was in A; where both read alike, how far they are apart.
    fn instead(&self, b: f64, a: f64, per: &str) -> String {
        let [of_b, of_a] = [b, a].map(|it| self.cost(it));
        let apart = self.cost((b - a).abs());
        match () {
            () if of_b != of_a => format!("{of_b}{per} instead of {of_a}"),
            () if self.is_nothing(b - a) => format!("{of_b}{per} as in A"),
            () if b > a => format!("{of_b}{per}, {apart} more than in A"),
            () => format!("{of_b}{per}, {apart} less than in A"),
        }
    }

    /// How much of the difference it is: `33 % of −118 ms`. Where it is more than all of it, for others make up for it, its
    /// amount: `−250 us where all differ by +118 us`.
    pub fn share(&self, cause: &Cause, causes: &Causes) -> String {
        let all = self.difference(causes.difference);
        let own = self.difference(cause.explains * causes.difference);
        if cause.explains.abs() > 1.0 && own != all {
            return format!("{own} where all differ by {all}");
        }
        let share = cause.explains * 100.0;
        // Told by a figure more where it is little.
        let digits = usize::from(share.abs() < 9.95);
        let share = format!("{share:.digits$}").replace('-', "−");
        format!("{share} % of {all}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_analysis::comparison::amounts::Amounts;
    use callscape_analysis::comparison::causes::explain;
    use callscape_analysis::comparison::contexts::{ContextChange, ContextTree};

    #[test]
    fn causes_are_said_in_words() {
        let side = |calls: f64, own: f64, waiting: f64| Amounts {
            calls,
            total: own,
            self_cost: own,
            waiting,
            self_waiting: waiting,
        };
        let names = ["main", "step", "exec", "compare", "compare_fast"];
        let name = |row: u32| names[row as usize];
        let words = Words {
            unit: &Unit::Nanoseconds,
            is_per_call: false,
            counts_calls: true,
        };
        let causes = Causes {
            difference: -118e6,
            ..Causes::default()
        };
        let mut cause = Cause {
            kind: Kind::CalledLess,
            path: vec![0, 1, 2, 3],
            was: None,
            contexts: 1,
            change: Change::new(side(16380.0, 36e6, 2e6), side(180.0, 1e6, 0.0)),
            amount: -39e6,
            explains: 0.33,
        };
        let said = "below step → exec: compare is called 180 times instead of 16\u{202f}380";
        assert_eq!(words.what(&cause, name), said);
        assert_eq!(words.share(&cause, &causes), "33 % of −118 ms");
        (cause.kind, cause.amount) = (Kind::OwnTime, 6e5);
        cause.path = vec![4];
        cause.was = Some(3);
        let said = "compare_fast (in A compare) itself takes 5.56 us per call instead of 2.08 us";
        assert_eq!(words.what(&cause, name).replace('µ', "u"), said);
        (cause.kind, cause.amount) = (Kind::Waiting, -2e6);
        (cause.was, cause.contexts, cause.change.b.calls) = (None, 3, 16380.0);
        let said = "compare_fast waits 0 ns instead of 2 ms, in 3 contexts";
        assert_eq!(words.what(&cause, name).replace("2.00 ms", "2 ms"), said);
        cause.kind = Kind::New;
        (cause.contexts, cause.change.b.calls) = (1, 1.0);
        assert_eq!(
            words.what(&cause, name),
            "compare_fast is called once, never in A"
        );
        cause.explains = -0.021;
        assert_eq!(words.share(&cause, &causes), "−2.1 % of −118 ms");
        // What reads alike is told by how far it is apart.
        (cause.kind, cause.amount) = (Kind::OwnTime, -800.0);
        cause.change = Change::new(side(7.0, 122_000_900.0, 0.0), side(7.0, 122_000_100.0, 0.0));
        assert_eq!(
            words.what(&cause, name),
            "compare_fast itself takes 122 ms, 800 ns less than in A"
        );
        cause.explains = -2.12;
        assert_eq!(
            words.share(&cause, &causes),
            "+250 ms where all differ by −118 ms"
        );
        // What differs by less than the cause explains is told with what that is.
        cause.amount = 250e6;
        assert_eq!(
            words.what(&cause, name),
            "compare_fast itself takes 122 ms, 800 ns less than in A, +250 ms beyond what its callers explain"
        );
    }

    /// Contexts below `main`, in B nearly as in A, so that many numbers read alike.
    fn random_tree(random: &mut impl FnMut(u64) -> u64) -> ContextTree {
        let mut contexts = Vec::new();
        for row in 0..2 + random(6) as u32 {
            let parent = (row > 0).then(|| random(u64::from(row)) as u32);
            let mut near = |a: u64| match random(4) {
                0 => a,
                1 => a + random(1 + a / 10_000),
                2 => a.saturating_sub(random(1 + a / 10_000)),
                _ => a * (50 + random(100)) / 100,
            };
            let (calls, own) = (1 + near(3), near(122_000_000));
            let waiting = near(own / 3).min(own);
            let b = (1 + near(calls), near(own), near(waiting));
            let side = |(calls, own, waiting): (u64, u64, u64)| Amounts {
                calls: calls as f64,
                total: own as f64,
                self_cost: own as f64,
                waiting: waiting.min(own) as f64,
                self_waiting: waiting.min(own) as f64,
            };
            let change = Change::new(side((calls, own, waiting)), side(b));
            contexts.push(ContextChange {
                row,
                parent,
                change,
            });
        }
        for at in (1..contexts.len()).rev() {
            let ContextChange { parent, change, .. } = contexts[at];
            let around = &mut contexts[parent.unwrap_or(0) as usize].change;
            for (around, of) in [(&mut around.a, change.a), (&mut around.b, change.b)] {
                (around.total, around.waiting) =
                    (around.total + of.total, around.waiting + of.waiting);
            }
        }
        ContextTree {
            contexts,
            without: 0,
        }
    }

    /// The amount that a sentence writes: `−1.25 ms` is -1.25e6.
    fn read(written: &str) -> f64 {
        let (number, unit) = written.rsplit_once(' ').expect("a unit");
        let number = number.replace('−', "-").replace(['+', '\u{202f}'], "");
        let unit = match unit {
            "ns" => 1.0,
            "µs" => 1e3,
            "ms" => 1e6,
            _ => 1e9,
        };
        number.parse::<f64>().expect("a number") * unit
    }

    #[test]
    fn what_differs_is_written_so_and_shares_fit_the_numbers() {
        let names = [
            "main", "step", "exec", "compare", "sort", "read", "write", "print",
        ];
        let name = |row: u32| names[row as usize];
        let (mut alike, mut beyond, mut shares) = (0, 0, 0);
        for seed in 0..3000_u64 {
            let mut state = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
            let tree = random_tree(&mut |limit| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state >> 8) % limit
            });
            let counts_calls = seed % 2 == 0;
            let words = Words {
                unit: &Unit::Nanoseconds,
                is_per_call: false,
                counts_calls,
            };
            let causes = explain(&tree, name, counts_calls, seed % 3 == 0);
            for cause in &causes.causes {
                let said = words.what(cause, name);
                let sentence = format!("seed {seed}: {said}: {}", words.share(cause, &causes));
                let (of, more) = said.split_once(" beyond ").map_or((&*said, false), |_| {
                    (said.rsplit_once(", ").expect("two parts").0, true)
                });
                beyond += u32::from(more);
                let told = of.split(", ").next().expect("a part");
                let told = told
                    .rsplit_once(" takes ")
                    .or_else(|| told.rsplit_once(" cost "));
                let told = told.or_else(|| said.rsplit_once(" waits "));
                if let Some((b, a)) = of.split_once(" instead of ") {
                    let b = b.trim_end_matches(" times").trim_end_matches(" per call");
                    assert!(!b.ends_with(&format!(" {a}")), "{sentence}");
                }
                // Nothing is the same of what is told as a cause, but for what its callers make of it.
                assert!(!of.contains(" as in A") || more, "{sentence}");
                alike += u32::from(of.contains(" than in A"));
                let is_more = of.contains(" more than in A");
                let is_less = of.contains(" less than in A");
                if !more && (is_more || is_less) {
                    assert_eq!(is_more, cause.amount > 0.0, "{sentence}");
                }
                let share = words.share(cause, &causes);
                if let Some((percent, all)) = share.split_once(" % of ")
                    && let percent = percent.replace('−', "-").parse::<f64>().expect("a share")
                {
                    let written = percent / 100.0 * read(all);
                    let near = 0.006 * cause.amount.abs() + 0.006 * causes.difference.abs();
                    assert!((written - cause.amount).abs() <= near, "{sentence}");
                    if let Some((b, a)) = told.and_then(|it| it.1.split_once(" instead of "))
                        && !more
                        && !b.contains("per call")
                    {
                        shares += 1;
                        let written = read(b) - read(a);
                        let near = 0.11 * cause.amount.abs() + 0.006 * (read(a) + read(b));
                        assert!((written - cause.amount).abs() <= near, "{sentence}");
                    }
                } else {
                    let (own, all) = share.split_once(" where all differ by ").expect("both");
                    assert!(
                        own != all
                            && (read(own) - cause.amount).abs() <= 0.006 * cause.amount.abs(),
                        "{sentence}"
                    );
                }
            }
        }
        assert!(
            alike > 100 && beyond > 100 && shares > 100,
            "{alike} {beyond} {shares}"
        );
    }
}
