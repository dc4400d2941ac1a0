//! Values of metrics as people read them: with their units.

use super::difference::Amount;
use crate::metric::{Metric, Unit};
use callscape_analysis::numbers::Column;
use callscape_base::units::{self, Cost};

/// What the values of one structure's metrics count.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measure {
    /// Day 1 of metrics that count days, in days since 1970.
    pub first_day: i64,
    /// What a cost is: time, or what a profile counts.
    pub cost: units::Unit,
    /// What two runs are compared by, where there are two.
    pub compared: Option<Amount>,
    /// The columns of own numbers.
    pub own: Vec<Column>,
}

impl Measure {
    /// A value with its unit.
    pub fn text(&self, metric: Metric, value: f64) -> String {
        match metric.unit() {
            Unit::Cost => self.cost.show(Cost::from_ns(value as u64)),
            Unit::Bytes => bytes(value),
            Unit::Day => units::date(self.first_day + value.round() as i64 - 1),
            Unit::Count => count(value),
            Unit::Percent => percent(value),
            Unit::Own(column) => match self.own.get(usize::from(column)) {
                Some(of) if of.unit == "%" => percent(value),
                Some(of) if !of.unit.is_empty() => format!("{} {}", count(value), of.unit),
                _ => count(value),
            },
            Unit::Compared => match &self.compared {
                Some(amount) => amount.text(value),
                None => count(value),
            },
        }
    }

    /// A metric with what it counts, where its name does not say so.
    pub fn title(&self, metric: Metric) -> String {
        let name = metric.title();
        match metric.unit() {
            Unit::Compared => match &self.compared {
                Some(amount) => format!("{} {name}", amount.measure.title()),
                None => name.to_owned(),
            },
            Unit::Own(column) => match self.own.get(usize::from(column)) {
                Some(of) if of.more_is_worse => format!("{}, more is worse", of.name),
                Some(of) => of.name.clone(),
                None => name.to_owned(),
            },
            Unit::Bytes => format!("{name} in bytes"),
            Unit::Cost => match &self.cost {
                units::Unit::Nanoseconds => format!("{name} in time"),
                units::Unit::Bytes => format!("{name} in bytes"),
                units::Unit::Things(of) | units::Unit::Thousandths(of) => format!("{name} in {of}"),
            },
            Unit::Count | Unit::Day | Unit::Percent => name.to_owned(),
        }
    }
}

/// How many lines ran of those that reports of coverage count, and what share that is.
pub fn covered((counted, ran): (u64, u64)) -> String {
    let share = percent(100.0 * ran as f64 / counted.max(1) as f64);
    let [ran, of] = [ran, counted].map(units::grouped);
    let lines = if counted == 1 { "line" } else { "lines" };
    format!("{share}, {ran} of {of} {lines}")
}

/// A number with three digits or so, as `1.2 k`; small ones as they are.
fn count(value: f64) -> String {
    let steps = [(1e9, " G"), (1e6, " M"), (1e4, " k")];
    for (from, unit) in steps {
        if value >= from {
            let of = if unit == " k" { 1e3 } else { from };
            let value = value / of;
            return format!("{value:.*}{unit}", usize::from(value < 10.0));
        }
    }
    format!(
        "{:.*}",
        usize::from(value < 10.0 && value.fract() > 0.05),
        value
    )
}

/// Whole percents; what is not quite none or all is not said to be.
fn percent(value: f64) -> String {
    match value {
        _ if 0.0 < value && value < 1.0 => "< 1 %".to_owned(),
        _ if 99.0 < value && value < 100.0 => "> 99 %".to_owned(),
        _ => format!("{value:.0} %"),
    }
}

fn bytes(value: f64) -> String {
    let steps = [(1u64 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    for (from, unit) in steps {
        let value = value / from as f64;
        if value >= 1.0 {
            return format!("{value:.*} {unit}", usize::from(value < 10.0));
        }
    }
    format!("{value:.0} B")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_their_units() {
        assert_eq!(bytes(512.0), "512 B");
        assert_eq!(bytes(1536.0), "1.5 KiB");
        assert_eq!(bytes(40.0 * 1024.0 * 1024.0), "40 MiB");
        assert_eq!(count(9999.0), "9999");
        assert_eq!(count(12_345.0), "12 k");
        assert_eq!(count(1_234_567.0), "1.2 M");
        assert_eq!(count(3.5), "3.5");
        assert_eq!(count(3.0), "3");
    }

    #[test]
    fn a_share_that_is_not_whole_is_not_said_to_be() {
        let values = [0.0, 0.02, 1.4, 50.0, 98.9, 99.98, 100.0].map(percent);
        assert_eq!(
            values,
            ["0 %", "< 1 %", "1 %", "50 %", "99 %", "> 99 %", "100 %"]
        );
    }

    #[test]
    fn the_costs_of_a_profile_are_in_its_unit() {
        let measure = Measure {
            cost: units::Unit::Things("samples".to_owned()),
            ..Measure::default()
        };
        assert_eq!(measure.text(Metric::SelfCost, 507.0), "507 samples");
        assert_eq!(measure.title(Metric::SelfCost), "self cost in samples");
        assert_eq!(measure.text(Metric::Calls, 507.0), "507");
        assert_eq!(Measure::default().text(Metric::Total, 2e6), "2.00 ms");
    }
}
