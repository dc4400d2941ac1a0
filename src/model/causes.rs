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
        self.unit.show(Cost::from_ns(cost.max(0.0).round() as u64))
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
            Kind::MoreWork | Kind::LessWork => Some(it.total),
            Kind::OwnTime => Some(it.self_cost - it.self_waiting),
            Kind::Waiting => Some(it.self_waiting),
            _ => None,
        });
        let (Some(of_a), Some(of_b)) = (of_a, of_b) else {
            return String::new();
        };
        let is_scaled =
            self.is_scaled(&cause.change) && !matches!(cause.kind, Kind::MoreWork | Kind::LessWork);
        let told = match is_scaled {
            true => of_b - of_a * b.calls / a.calls,
            false => of_b - of_a,
        };
        let most = told.abs().max(cause.amount.abs());
        let is_told = match is_scaled {
            true => told * cause.amount >= 0.0,
            false => (told - cause.amount).abs() <= NEAR * most,
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
        let per_call = |cost: f64, calls: f64| self.cost(cost / calls.max(1.0));
        let both = |x: f64, y: f64| match self.is_scaled(change) {
            true => match [per_call(y, b.calls), per_call(x, a.calls)] {
                [of_b, of_a] if of_b == of_a => format!("{of_b} per call as in A"),
                [of_b, of_a] => format!("{of_b} per call instead of {of_a}"),
            },
            false => self.instead(y, x),
        };
        match kind {
            Kind::CalledMore | Kind::CalledLess => {
                let (more, less) = (self.times(b.calls), self.calls(a.calls));
                format!("is called {more} instead of {less}")
            }
            Kind::MoreWork | Kind::LessWork => {
                let cost = self.instead(b.total, a.total);
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
    fn instead(&self, b: f64, a: f64) -> String {
        let [of_b, of_a] = [b, a].map(|it| self.cost(it));
        let apart = self.cost((b - a).abs());
        match () {
            () if of_b != of_a => format!("{of_b} instead of {of_a}"),
            () if apart == self.cost(0.0) => format!("{of_b} as in A"),
            () if b > a => format!("{of_b}, {apart} more than in A"),
            () => format!("{of_b}, {apart} less than in A"),
        }
    }

    /// How much of the difference it is: `33 % of −118 ms`. Where it is more than all of it, for others make up for it, its
    /// amount: `−250 us where all differ by +118 us`.
    pub fn share(&self, cause: &Cause, causes: &Causes) -> String {
        if cause.explains.abs() > 1.0 {
            let own = self.difference(cause.explains * causes.difference);
            return format!(
                "{own} where all differ by {}",
                self.difference(causes.difference)
            );
        }
        let share = cause.explains * 100.0;
        // Told by a figure more where it is little.
        let digits = usize::from(share.abs() < 9.95);
        let share = format!("{share:.digits$}").replace('-', "−");
        format!("{share} % of {}", self.difference(causes.difference))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_analysis::comparison::amounts::Amounts;

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
}
