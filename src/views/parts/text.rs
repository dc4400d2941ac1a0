//! Numbers as people read them.

use callscape_base::units::{Cost, Time};

pub use callscape_base::units::{counted, grouped as count};

/// A share in percent, with one decimal place.
pub fn percent(share: f64) -> String {
    let text = format!("{:.1}", 100.0 * share);
    match text.strip_prefix('-') {
        Some("0.0") => "0.0".to_owned(),
        Some(size) => format!("−{size}"),
        None => text,
    }
}

pub fn bytes(n: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = n as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    let decimals = usize::from(unit > 0 && value < 100.0);
    format!("{value:.decimals$} {}", UNITS[unit])
}

/// Nanoseconds of trace a second.
pub fn wall_speed(speed: f64) -> String {
    format!("{}/s", Cost::from_ns(speed.round() as u64))
}

/// Events a second.
pub fn event_speed(speed: f64) -> String {
    if speed < 10.0 {
        format!("{speed:.1} events/s")
    } else {
        format!("{} events/s", count(speed.round() as u64))
    }
}

/// Cels a second.
pub fn cel_speed(speed: f64) -> String {
    if speed < 10.0 {
        format!("{speed:.1} steps/s")
    } else {
        format!("{} steps/s", count(speed.round() as u64))
    }
}

/// A time to the nanosecond, in the unit of a recording of this duration: calls that follow each other closely are
/// told apart.
pub fn exact(time: Time, duration: Cost) -> String {
    let (unit, digits, name) = match duration.ns() {
        0..10_000 => return time.to_string(),
        10_000..10_000_000 => (1_000, 3, "µs"),
        10_000_000..10_000_000_000 => (1_000_000, 6, "ms"),
        _ => (1_000_000_000, 9, "s"),
    };
    let (whole, part) = (time.ns() / unit, time.ns() % unit);
    format!("{}.{part:0digits$} {name}", count(whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_and_scaled() {
        assert_eq!(count(0), "0");
        assert_eq!(count(1234567).replace('\u{202f}', " "), "1 234 567");
        assert_eq!(counted(1, "call", "calls"), "1 call");
        assert_eq!(bytes(900), "900 B");
        assert_eq!(bytes(1536), "1.5 KiB");
        assert_eq!(bytes(300 * 1024 * 1024), "300 MiB");
        assert_eq!(wall_speed(12.5e6), "12.5 ms/s");
        assert_eq!(event_speed(0.5), "0.5 events/s");
        let at = |ns, duration| exact(Time::from_ns(ns), Cost::from_ns(duration));
        assert_eq!(at(76_345_678, 90_000_000), "76.345678 ms");
        assert_eq!(at(1_002_003_004, 20_000_000_000), "1.002003004 s");
        assert_eq!(at(1_005, 2_000_000), "1.005 µs");
        assert_eq!(at(7, 900), "7 ns");
    }
}
