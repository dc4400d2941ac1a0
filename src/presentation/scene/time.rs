//! Times in scene files.

use std::fmt;

use serde::{Deserialize, Serialize};

use callscape_base::units::TimeSpec;

/// A time as the command line takes it: `12.5ms`, `3s`, `40%` of the recording, or plain nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeText(pub TimeSpec);

impl<'de> Deserialize<'de> for TimeText {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<TimeText, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = TimeText;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a time such as \"12.5ms\", \"40%\" or nanoseconds")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<TimeText, E> {
                text.parse().map(TimeText).map_err(E::custom)
            }

            fn visit_i64<E: serde::de::Error>(self, ns: i64) -> Result<TimeText, E> {
                let ns = u64::try_from(ns).map_err(|_| {
                    E::custom(format!(
                        "expected a time from the start of the recording on, found {ns}"
                    ))
                })?;
                self.visit_u64(ns)
            }

            fn visit_u64<E>(self, ns: u64) -> Result<TimeText, E> {
                Ok(TimeText(TimeSpec::At(
                    callscape_base::units::Time::from_ns(ns),
                )))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

impl Serialize for TimeText {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            TimeSpec::At(time) => match i64::try_from(time.ns()) {
                // TOML's numbers end there.
                Ok(ns) => serializer.serialize_i64(ns),
                Err(_) => serializer.serialize_str(&time.ns().to_string()),
            },
            TimeSpec::Share(share) => serializer.serialize_str(&format!("{}%", share * 100.0)),
        }
    }
}
