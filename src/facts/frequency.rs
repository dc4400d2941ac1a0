//! How often a function may be called before its calls are left out, and what has been left out of a recording for
//! that (Bohnet's thesis, section 4.3: massively called functions).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use callscape_base::units::{Cost, Time, TimeSpec, counted};

/// At most so many calls of a function in any window of time, written as `80/100ms`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Frequency {
    /// The thesis' threshold: a function that is called more often in a window is called massively.
    pub most: u64,
    /// How long a window is; not zero.
    pub window: Cost,
}

impl Frequency {
    /// What the thesis takes in its case studies (section 5.5).
    pub const USUAL: Frequency = Frequency {
        most: 80,
        window: Cost::from_ns(100_000_000),
    };
}

impl fmt::Display for Frequency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ns = self.window.ns();
        let units = [(1_000_000_000, "s"), (1_000_000, "ms"), (1000, "us")];
        let whole = units
            .into_iter()
            .find(|(scale, _)| ns.is_multiple_of(*scale));
        let (scale, unit) = whole.unwrap_or((1, "ns"));
        write!(f, "{}/{}{unit}", self.most, ns / scale)
    }
}

impl FromStr for Frequency {
    type Err = String;

    fn from_str(text: &str) -> Result<Frequency, String> {
        let wrong =
            || format!("expected calls in a length of time, such as 80/100ms, found '{text}'");
        let (most, window) = text.split_once('/').ok_or_else(wrong)?;
        let most = most.trim().parse().map_err(|_| wrong())?;
        // `80/s` reads as well as `80/1s`.
        let window = window.trim();
        let is_number = window.starts_with(|it: char| it.is_ascii_digit());
        let window = match is_number || window.is_empty() {
            true => window.to_owned(),
            false => format!("1{window}"),
        };
        let Ok(TimeSpec::At(window)) = window.parse() else {
            return Err(wrong());
        };
        let window = window.since(Time::ZERO);
        match window > Cost::ZERO {
            true => Ok(Frequency { most, window }),
            false => Err(wrong()),
        }
    }
}

impl Serialize for Frequency {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Frequency {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// Calls that a recording does not hold, because their functions are called too often.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    pub max_frequency: Frequency,
    /// How many functions have no calls any more.
    pub functions: u64,
    /// How many calls these had; none where they were never counted.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub calls: Option<u64>,
    /// How many calls there were of all functions.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub of: Option<u64>,
    /// The counts are those of a trial run: the recording itself never had these calls.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub of_run_before: bool,
    /// The functions' names, the most called first; the first hundred.
    pub names: Vec<String>,
    /// What a trial run had left out before of the same recording.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Box<LeftOut>>,
    /// Those that were found while a program was recorded, in order of time; the first hundred.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub found: Vec<Found>,
    /// The recording has the calls until a function was found.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_first_calls: bool,
}

/// A function that was found to be called too often while a program was recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    pub name: String,
    /// Since the first event of the recording.
    #[serde(rename = "at_ns")]
    pub at: Cost,
    /// Its calls until then.
    pub calls: u64,
}

/// Of so many functions the names are kept.
pub const NAMED: usize = 100;

impl LeftOut {
    /// The share of the calls, from 0 to 1, where it is known.
    pub fn share(&self) -> Option<f64> {
        let of = self.of.filter(|&of| of > 0)?;
        Some(self.calls? as f64 / of as f64)
    }
}

/// `12 functions excluded: 97.3 % of the calls`.
impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let functions = counted(self.functions, "function", "functions");
        match self.share() {
            Some(share) => {
                let of = if self.of_run_before {
                    " of a trial run"
                } else {
                    ""
                };
                write!(
                    f,
                    "{functions} excluded: {} of the calls{of}",
                    percent(share)
                )?;
            }
            None => {
                let excluded = match self.has_first_calls {
                    true => "recorded only until found to be",
                    false => "excluded,",
                };
                write!(
                    f,
                    "{functions} {excluded} called more than {}",
                    self.max_frequency
                )?;
            }
        }
        match &self.before {
            Some(before) => write!(f, "; before, {before}"),
            None => Ok(()),
        }
    }
}

/// A share as people read it: never 100 % of what is not all, and never 0 % of what is something.
pub fn percent(share: f64) -> String {
    let tenths = (share * 1000.0).round() / 10.0;
    match tenths {
        0.0 if share > 0.0 => "less than 0.1 %".to_owned(),
        100.0 if share < 1.0 => "more than 99.9 %".to_owned(),
        tenths => format!("{tenths:.1} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frequency_is_read_as_it_is_written() {
        let of = |most, ns| Frequency {
            most,
            window: Cost::from_ns(ns),
        };
        for (text, frequency, written) in [
            ("80/100ms", of(80, 100_000_000), "80/100ms"),
            ("80 / 0.1s", of(80, 100_000_000), "80/100ms"),
            ("0/s", of(0, 1_000_000_000), "0/1s"),
            ("5/1500", of(5, 1500), "5/1500ns"),
            ("7/12us", of(7, 12_000), "7/12us"),
        ] {
            assert_eq!(text.parse(), Ok(frequency), "{text}");
            assert_eq!(frequency.to_string(), written);
            assert_eq!(written.parse(), Ok(frequency), "{text}");
        }
        for text in [
            "", "80", "80/", "/1ms", "-1/1ms", "1/0ms", "1/40%", "1/2/3", "x/1ms",
        ] {
            let found = text.parse::<Frequency>();
            assert!(found.is_err_and(|it| it.contains(text)), "{text}");
        }
    }

    #[test]
    fn what_is_left_out_is_said_in_a_line() {
        let mut left_out = LeftOut {
            max_frequency: Frequency::USUAL,
            functions: 12,
            calls: Some(973),
            of: Some(1000),
            of_run_before: false,
            names: Vec::new(),
            before: None,
            found: Vec::new(),
            has_first_calls: false,
        };
        assert_eq!(
            left_out.to_string(),
            "12 functions excluded: 97.3 % of the calls"
        );
        left_out.calls = Some(999_999);
        left_out.of = Some(1_000_000);
        assert!(
            left_out
                .to_string()
                .ends_with("more than 99.9 % of the calls")
        );
        left_out.functions = 1;
        left_out.of = None;
        assert_eq!(
            left_out.to_string(),
            "1 function excluded, called more than 80/100ms"
        );
        left_out.has_first_calls = true;
        assert_eq!(
            left_out.to_string(),
            "1 function recorded only until found to be called more than 80/100ms"
        );
    }
}
