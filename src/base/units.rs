//! Time, bytes and ids as types. A bare `u64` of nanoseconds never crosses a signature.

use std::borrow::Cow;
use std::fmt;
use std::ops::{Add, AddAssign, Sub};

use serde::{Deserialize, Serialize};

/// A point in time: nanoseconds since the first event of the trace it belongs to.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Time(u64);

impl Time {
    pub const ZERO: Time = Time(0);
    pub const MAX: Time = Time(u64::MAX);

    pub const fn from_ns(ns: u64) -> Time {
        Time(ns)
    }

    pub const fn ns(self) -> u64 {
        self.0
    }

    /// The cost from `earlier` to here; zero when `earlier` is later.
    pub const fn since(self, earlier: Time) -> Cost {
        Cost::from_ns(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Cost> for Time {
    type Output = Time;
    fn add(self, cost: Cost) -> Time {
        Time(self.0.saturating_add(cost.ns()))
    }
}

impl Sub<Cost> for Time {
    type Output = Time;
    fn sub(self, cost: Cost) -> Time {
        Time(self.0.saturating_sub(cost.ns()))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        show_time(self.0, f)
    }
}

/// A length of time in nanoseconds: the cost of a call is its end minus its start. Of a profile that weighs
/// something else than time, a weight in the recording's [`Unit`], which then is to show it. Only weights can be negative:
/// those of a difference between two profiles.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Cost(i64);

impl Cost {
    pub const ZERO: Cost = Cost(0);

    /// At most 2⁶³ − 1 nanoseconds, which are 292 years.
    pub const fn from_ns(ns: u64) -> Cost {
        Cost(if ns > i64::MAX as u64 {
            i64::MAX
        } else {
            ns as i64
        })
    }

    pub const fn signed(weight: i64) -> Cost {
        Cost(weight)
    }

    /// As a length, an area or a brightness shows it: nothing of a negative one.
    pub const fn ns(self) -> u64 {
        if self.0 < 0 { 0 } else { self.0 as u64 }
    }

    /// With its sign, as sums and tables have it.
    pub const fn weight(self) -> i64 {
        self.0
    }

    /// Its distance from nothing.
    pub const fn size(self) -> u64 {
        self.0.unsigned_abs()
    }

    pub fn seconds(self) -> f64 {
        self.0 as f64 * 1e-9
    }

    /// Zero when `other` is later or larger.
    pub const fn saturating_sub(self, other: Cost) -> Cost {
        Cost::from_ns(Cost(self.0.saturating_sub(other.0)).ns())
    }

    /// For files, one whose unit is thousandths as decimals: `-0.250`.
    pub fn in_thousandths(self) -> String {
        let sign = if self.0 < 0 { "-" } else { "" };
        format!("{sign}{}.{:03}", self.size() / 1000, self.size() % 1000)
    }

    /// The minus sign of a negative one, for people.
    pub const fn sign(self) -> &'static str {
        if self.0 < 0 { "−" } else { "" }
    }
}

impl Add for Cost {
    type Output = Cost;
    fn add(self, other: Cost) -> Cost {
        Cost(self.0.saturating_add(other.0))
    }
}

/// For sums that do not fit.
impl From<Cost> for i128 {
    fn from(cost: Cost) -> i128 {
        cost.0.into()
    }
}

impl Sub for Cost {
    type Output = Cost;
    fn sub(self, other: Cost) -> Cost {
        Cost(self.0.saturating_sub(other.0))
    }
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Cost) {
        *self = *self + other;
    }
}

impl std::iter::Sum for Cost {
    fn sum<I: Iterator<Item = Cost>>(iter: I) -> Cost {
        iter.fold(Cost::ZERO, Add::add)
    }
}

/// Three significant digits and the unit that suits them: `950 ns`, `12.5 ms`, `3.20 s`, `4 min 10 s`.
impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.sign())?;
        show_time(self.size(), f)
    }
}

/// A length of time for people.
fn show_time(time: u64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let ns = time as f64;
    let (value, unit) = match time {
        0..1_000 => return write!(f, "{time} ns"),
        1_000..1_000_000 => (ns * 1e-3, "µs"),
        1_000_000..1_000_000_000 => (ns * 1e-6, "ms"),
        1_000_000_000..60_000_000_000 => (ns * 1e-9, "s"),
        _ => {
            let seconds = time / 1_000_000_000;
            const DAY: u64 = 86_400;
            const YEAR: u64 = 365 * DAY;
            return match seconds {
                0..3600 => write!(f, "{} min {} s", seconds / 60, seconds % 60),
                3600..172_800 => write!(f, "{} h {} min", seconds / 3600, seconds / 60 % 60),
                172_800..YEAR => write!(f, "{} days {} h", seconds / DAY, seconds % DAY / 3600),
                _ => write!(f, "{} years {} days", seconds / YEAR, seconds % YEAR / DAY),
            };
        }
    };
    let decimals = if value < 10.0 {
        2
    } else if value < 100.0 {
        1
    } else {
        0
    };
    write!(f, "{value:.decimals$} {unit}")
}

/// What the costs of a recording count: nanoseconds, but for a profile that weighs something else.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Unit {
    #[default]
    Nanoseconds,
    Bytes,
    /// Things by their name in the plural: `samples`, `instructions`.
    Things(String),
    /// Thousandths of such things, where a recording counts fractions of them.
    Thousandths(String),
}

impl Unit {
    pub fn is_time(&self) -> bool {
        *self == Unit::Nanoseconds
    }

    /// As JSON names it: what one of a cost is.
    pub fn name(&self) -> Cow<'_, str> {
        match self {
            Unit::Nanoseconds => "nanoseconds".into(),
            Unit::Bytes => "bytes".into(),
            Unit::Things(name) => name.as_str().into(),
            Unit::Thousandths(name) => format!("1/1000 {name}").into(),
        }
    }

    /// A cost for people: `12.5 ms`, `1.20 MB`, `507 samples`.
    pub fn show(&self, cost: Cost) -> String {
        let (sign, size) = (cost.sign(), cost.size());
        match self {
            Unit::Nanoseconds => cost.to_string(),
            Unit::Bytes => format!("{sign}{}", show_bytes(size)),
            Unit::Things(name) if size == 1 => {
                format!("{sign}1 {}", name.strip_suffix('s').unwrap_or(name))
            }
            Unit::Things(name) => format!("{sign}{} {name}", grouped(size)),
            Unit::Thousandths(name) => {
                format!("{sign}{}.{:03} {name}", size / 1000, size % 1000)
            }
        }
    }
}

impl Serialize for Unit {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.name())
    }
}

/// Three significant digits, in powers of 1000.
fn show_bytes(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["kB", "MB", "GB", "TB", "PB", "EB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1e3;
    let mut unit = 0;
    // What would be rounded up to 1000 is 1 of the next.
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1e3;
        unit += 1;
    }
    let decimals = usize::from(value < 99.95) + usize::from(value < 9.995);
    format!("{value:.decimals$} {}", UNITS[unit])
}

/// A range of time, both ends included; `start <= end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TimeRange {
    pub start: Time,
    pub end: Time,
}

impl TimeRange {
    /// The range between two times given in either order.
    pub fn new(a: Time, b: Time) -> TimeRange {
        TimeRange {
            start: a.min(b),
            end: a.max(b),
        }
    }

    pub fn length(self) -> Cost {
        self.end.since(self.start)
    }

    pub fn contains(self, t: Time) -> bool {
        self.start <= t && t <= self.end
    }
}

/// A day, counted from 1970, in the Gregorian calendar: `2024-05-17`.
/// Howard Hinnant, <https://howardhinnant.github.io/date_algorithms.html#civil_from_days>.
pub fn date(day: i64) -> String {
    let day = day.clamp(-700_000, 100_000_000) + 719_468;
    let era = day.div_euclid(146_097);
    let of_era = day.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{of_month:02}")
}

/// The day, counted from 1970, that a text in the form of [`date`] names; none of another form.
/// Howard Hinnant, <https://howardhinnant.github.io/date_algorithms.html#days_from_civil>.
pub fn day(text: &str) -> Option<i64> {
    let mut parts = text.splitn(3, '-').map(|part| {
        let is_number =
            !part.is_empty() && part.len() <= 6 && part.bytes().all(|it| it.is_ascii_digit());
        part.parse::<i64>().ok().filter(|_| is_number)
    });
    let (year, month, of_month) = (parts.next()??, parts.next()??, parts.next()??);
    let (before, year) = (month <= 2, year - i64::from(month <= 2));
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let from_march = if before { month + 9 } else { month - 3 };
    let of_year = (153 * from_march + 2) / 5 + of_month - 1;
    let of_era = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
    let day = era * 146_097 + of_era - 719_468;
    // A day that the month lacks is one of the next month.
    (date(day) == text).then_some(day)
}

/// Digits in groups of three: `12 345`.
pub fn grouped(n: u64) -> String {
    let mut text = String::new();
    push_grouped(&mut text, n);
    text
}

/// `1 call`, `12 345 calls`.
pub fn counted(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(n), if n == 1 { one } else { many })
}

/// The same at the end of a text.
pub fn push_grouped(text: &mut String, n: u64) {
    push_grouped_by(text, n, '\u{202f}');
}

/// The same with another space between the groups, for fonts that lack the narrow one that does not break.
pub fn push_grouped_by(text: &mut String, n: u64, space: char) {
    let digits = n.checked_ilog10().unwrap_or(0);
    for place in (0..=digits).rev() {
        let digit = n / 10u64.pow(place) % 10;
        text.push(char::from(b'0' + digit as u8));
        if place > 0 && place.is_multiple_of(3) {
            text.push(space);
        }
    }
}

/// A time as people write it: `12.5ms`, `3s`, `250us`, `40%` of the trace, plain nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TimeSpec {
    At(Time),
    /// A share of the trace's duration, 0 to 1.
    Share(f64),
}

impl TimeSpec {
    /// The time meant in a trace that lasts `duration`.
    pub fn resolve(self, duration: Cost) -> Time {
        match self {
            TimeSpec::At(time) => time,
            TimeSpec::Share(share) => Time::from_ns((duration.ns() as f64 * share).round() as u64),
        }
    }
}

/// A time of a recording, or of the history that it was made of: a [`TimeSpec`], or a day as [`date`] writes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum When {
    Time(TimeSpec),
    /// Counted from 1970.
    Day(i64),
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            When::Time(spec) => write!(f, "{spec}"),
            When::Day(day) => f.write_str(&date(*day)),
        }
    }
}

/// Whether a text is written like a day, such as one that no month has.
pub fn is_like_day(text: &str) -> bool {
    let text = text.trim();
    let is_of_day = |it: u8| it.is_ascii_digit() || it == b'-';
    text.starts_with(|it: char| it.is_ascii_digit())
        && text.contains('-')
        && text.bytes().all(is_of_day)
}

impl std::str::FromStr for When {
    type Err = String;

    fn from_str(text: &str) -> Result<When, String> {
        match day(text.trim()) {
            Some(day) => Ok(When::Day(day)),
            None if is_like_day(text) => {
                Err(format!("expected a day such as 2019-05-01, found {text}"))
            }
            None => text.parse().map(When::Time),
        }
    }
}

impl fmt::Display for TimeSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TimeSpec::At(time) => write!(f, "{time}"),
            TimeSpec::Share(share) => write!(f, "{} %", share * 100.0),
        }
    }
}

impl std::str::FromStr for TimeSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<TimeSpec, String> {
        let wrong = || {
            format!(
                "expected a time like 12.5ms, 3s, 250us, 40% or plain nanoseconds, found '{text}'"
            )
        };
        let text_trimmed = text.trim();
        let digits = text_trimmed
            .find(|c: char| !(c.is_ascii_digit() || c == '.'))
            .unwrap_or(text_trimmed.len());
        let (number, unit) = text_trimmed.split_at(digits);
        let unit = unit.trim();
        if unit.is_empty()
            && let Ok(ns) = number.parse::<u64>()
        {
            return Ok(TimeSpec::At(Time::from_ns(ns)));
        }
        let value: f64 = number.parse().map_err(|_| wrong())?;
        let scale = match unit {
            "%" if value <= 100.0 => return Ok(TimeSpec::Share(value / 100.0)),
            "ns" | "" => 1.0,
            "us" | "µs" | "μs" => 1e3,
            "ms" => 1e6,
            "s" => 1e9,
            "min" | "m" => 60e9,
            _ => return Err(wrong()),
        };
        Ok(TimeSpec::At(Time::from_ns((value * scale).round() as u64)))
    }
}

/// A function of one recording: an index into its function table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
#[repr(transparent)]
pub struct FunctionId(pub u32);

/// A module of the hierarchy: its place in preorder, so that a subtree is an interval of ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
#[repr(transparent)]
pub struct ModuleId(pub u32);

/// A thread of one recording: an index into its list of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
#[repr(transparent)]
pub struct ThreadId(pub u32);

/// A call of one thread: its place in order of start, which is preorder of the thread's call tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
#[repr(transparent)]
pub struct CallId(pub u32);

/// A context of a calling context tree: its place in preorder, so that what lies below is an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
#[repr(transparent)]
pub struct ContextId(pub u32);

impl ContextId {
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl FunctionId {
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl ModuleId {
    pub const ROOT: ModuleId = ModuleId(0);

    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl ThreadId {
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl CallId {
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_dates() {
        for (day, shown) in [
            (0, "1970-01-01"),
            (19_782, "2024-02-29"),
            (-1, "1969-12-31"),
        ] {
            assert_eq!(date(day), shown);
            for far in [-400_000, -1, 0, 11_016, 11_017, 19_860, 50_000, 1_000_000] {
                assert_eq!(super::day(&date(far)), Some(far));
            }
            for wrong in [
                "",
                "2024",
                "2024-05",
                "2024-13-01",
                "2023-02-29",
                "2024-00-01",
                "2024-5-1",
                "v2024-05-01",
                "-1-01-01",
            ] {
                assert_eq!(super::day(wrong), None, "{wrong}");
            }
        }
    }

    #[test]
    fn times_are_read_as_people_write_them() {
        let at = |ns| Ok(TimeSpec::At(Time::from_ns(ns)));
        assert_eq!("12.5ms".parse(), at(12_500_000));
        assert_eq!("3s".parse(), at(3_000_000_000));
        assert_eq!("250us".parse(), at(250_000));
        assert_eq!("1234".parse(), at(1234));
        assert_eq!("18446744073709551615".parse(), at(u64::MAX));
        assert_eq!("40%".parse(), Ok(TimeSpec::Share(0.4)));
        for wrong in ["", "ms", "12 parsecs", "-3s", "1.2.3s", "140%", "1e9"] {
            assert!(wrong.parse::<TimeSpec>().is_err(), "{wrong}");
        }
        let share = TimeSpec::Share(0.4).resolve(Cost::from_ns(1000));
        assert_eq!(share, Time::from_ns(400));
    }

    #[test]
    fn weights_are_shown_in_their_unit() {
        let samples = || "samples".to_owned();
        for (unit, weight, shown) in [
            (Unit::Nanoseconds, 12_500_000, "12.5 ms"),
            (Unit::Bytes, 999, "999 B"),
            (Unit::Bytes, 1000, "1.00 kB"),
            (Unit::Bytes, 999_600, "1.00 MB"),
            (Unit::Bytes, 123_456_789, "123 MB"),
            (Unit::Bytes, i64::MAX, "9.22 EB"),
            (Unit::Bytes, -1200, "−1.20 kB"),
            (Unit::Nanoseconds, -12_500_000, "−12.5 ms"),
            (Unit::Things(samples()), -1, "−1 sample"),
            (Unit::Thousandths(samples()), -250, "−0.250 samples"),
            (Unit::Things(samples()), 1, "1 sample"),
            (Unit::Things(samples()), 507, "507 samples"),
            (Unit::Thousandths(samples()), 1250, "1.250 samples"),
        ] {
            assert_eq!(unit.show(Cost::signed(weight)), shown);
        }
    }

    #[test]
    fn costs_are_shown_with_three_digits_and_a_unit() {
        let shown = |ns| Cost::from_ns(ns).to_string();
        assert_eq!(shown(950), "950 ns");
        assert_eq!(shown(12_500_000), "12.5 ms");
        assert_eq!(shown(3_200_000_000), "3.20 s");
        assert_eq!(shown(250_000_000_000), "4 min 10 s");
    }
}
