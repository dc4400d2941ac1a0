//! The events of a Chrome trace: the members of one that matter, taken from its JSON object in place.

use crate::import::json::{Cursor, Stop, Value, packed};

/// An event as it is written; what it lacks is none. Texts are the content of JSON strings, escapes not
/// resolved; numbers and texts are told apart nowhere, since writers mix them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Event<'a> {
    pub phase: Option<&'a [u8]>,
    pub name: Option<&'a [u8]>,
    pub pid: Option<&'a [u8]>,
    pub tid: Option<&'a [u8]>,
    /// Microseconds.
    pub ts: Option<&'a [u8]>,
    /// Microseconds.
    pub dur: Option<&'a [u8]>,
    pub location: Location<'a>,
    /// `args.name`, which names the process or thread in a metadata event.
    pub args_name: Option<&'a [u8]>,
}

/// Where an event says that its function stands, in the dialect of its writer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Location<'a> {
    pub file: Option<&'a [u8]>,
    pub line: Option<u32>,
    /// `file:line` in one.
    pub joined: Option<&'a [u8]>,
    /// The line is the one that was running, not the one where the function begins (py-spy).
    pub line_runs: bool,
}

/// Reads the event whose `{` is the byte at the cursor.
#[inline]
pub fn event<'a>(cursor: &mut Cursor<'a>) -> Result<Event<'a>, Stop> {
    const PH: u64 = packed(b"ph");
    const NAME: u64 = packed(b"name");
    const PID: u64 = packed(b"pid");
    const TID: u64 = packed(b"tid");
    const TS: u64 = packed(b"ts");
    const DUR: u64 = packed(b"dur");
    const ARGS: u64 = packed(b"args");
    const CAT: u64 = packed(b"cat");
    let mut event = Event::default();
    cursor.expect(b'{')?;
    while cursor.next(b'}')? {
        let (word, key) = cursor.key()?;
        match word {
            PH => event.phase = cursor.value()?.bytes(),
            NAME => event.name = cursor.value()?.bytes(),
            PID => event.pid = cursor.value()?.bytes(),
            TID => event.tid = cursor.value()?.bytes(),
            TS => event.ts = cursor.value()?.bytes(),
            DUR => event.dur = cursor.value()?.bytes(),
            ARGS if cursor.peek()? == b'{' => args(cursor, &mut event)?,
            CAT => drop(cursor.value()?),
            _ => {
                let value = cursor.value()?;
                location(&mut event.location, key, value);
            }
        }
    }
    Ok(event)
}

fn args<'a>(cursor: &mut Cursor<'a>, event: &mut Event<'a>) -> Result<(), Stop> {
    cursor.expect(b'{')?;
    while cursor.next(b'}')? {
        let key = cursor.text()?;
        cursor.expect(b':')?;
        let value = cursor.value()?;
        match key {
            b"name" => event.args_name = value.bytes(),
            _ => location(&mut event.location, key, value),
        }
    }
    Ok(())
}

/// Takes a member that says where a function stands, in whatever dialect.
#[inline]
fn location<'a>(location: &mut Location<'a>, key: &[u8], value: Value<'a>) {
    match key {
        // tracing-chrome; Chrome's own `base::Location`; py-spy.
        b".file" | b"file" | b"src_file" => location.file = value.bytes(),
        b".line" | b"line" | b"lineno" | b"src_line" => location.line = value.unsigned(),
        b"filename" => {
            location.file = value.bytes();
            location.line_runs = true;
        }
        // llvm and others; uftrace.
        b"loc" | b"srcline" => location.joined = value.bytes(),
        _ => {}
    }
}

/// Why a decimal number of microseconds is no time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoTime {
    NotANumber,
    OutOfRange,
}

/// Times beyond ±146 years are taken for damage; so sums of two stay in range.
const LARGEST_NS: u128 = 1 << 62;

/// A decimal number of microseconds as nanoseconds: exact where it has up to three decimals, else rounded
/// to the nearest.
#[inline]
pub fn nanoseconds(number: &[u8]) -> Result<i64, NoTime> {
    let (negative, digits) = match number.split_first() {
        Some((b'-', rest)) => (true, rest),
        _ => (false, number),
    };
    let mut value: u64 = 0;
    let mut at = 0;
    while let Some(digit) = digits.get(at).map(|byte| byte.wrapping_sub(b'0'))
        && digit < 10
    {
        value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        at += 1;
    }
    // 15 digits and 3 decimals cannot overflow.
    if at == 0 || at > 15 {
        return any_decimal(negative, digits);
    }
    let decimals = match digits.get(at) {
        None => &[],
        Some(b'.') => &digits[at + 1..],
        Some(_) => return any_decimal(negative, digits),
    };
    if decimals.len() > 3 {
        return any_decimal(negative, digits);
    }
    for place in 0..3 {
        let digit = match decimals.get(place) {
            None => 0,
            Some(byte @ b'0'..=b'9') => byte - b'0',
            Some(_) => return any_decimal(negative, digits),
        };
        value = value * 10 + u64::from(digit);
    }
    let value = value as i64;
    Ok(if negative { -value } else { value })
}

/// The general case: many digits, an exponent, no number at all.
#[cold]
fn any_decimal(negative: bool, number: &[u8]) -> Result<i64, NoTime> {
    let mut mantissa: u128 = 0;
    // The power of ten that the mantissa is to be multiplied with; nanoseconds are a thousandth.
    let mut power: i64 = 3;
    let mut digits = 0;
    let mut point = false;
    let mut at = 0;
    while let Some(&byte) = number.get(at) {
        match byte {
            b'0'..=b'9' => {
                digits += 1;
                // Enough digits for exactness; what follows only counts as a power of ten.
                if mantissa < 10u128.pow(30) {
                    mantissa = mantissa * 10 + u128::from(byte - b'0');
                    power -= i64::from(point);
                } else {
                    power += i64::from(!point);
                }
            }
            b'.' if !point => point = true,
            b'e' | b'E' if digits > 0 => break,
            _ => return Err(NoTime::NotANumber),
        }
        at += 1;
    }
    if digits == 0 {
        return Err(NoTime::NotANumber);
    }
    if let Some(exponent) = number.get(at + 1..) {
        let exponent = std::str::from_utf8(exponent).map_err(|_| NoTime::NotANumber)?;
        let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(NoTime::NotANumber);
        }
        // More digits than an i64 holds: as good as infinite, in either direction.
        let infinite = if exponent.starts_with('-') {
            i64::MIN / 2
        } else {
            i64::MAX / 2
        };
        power = power.saturating_add(exponent.parse().unwrap_or(infinite));
    }
    let value = if mantissa == 0 || power < -60 {
        0
    } else if power < 0 {
        let divisor = 10u128.checked_pow(power.unsigned_abs() as u32);
        divisor.map_or(0, |divisor| (mantissa + divisor / 2) / divisor)
    } else {
        let factor = u32::try_from(power)
            .ok()
            .and_then(|p| 10u128.checked_pow(p));
        let value = factor.and_then(|factor| mantissa.checked_mul(factor));
        value.ok_or(NoTime::OutOfRange)?
    };
    if value > LARGEST_NS {
        return Err(NoTime::OutOfRange);
    }
    let value = value as i64;
    Ok(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn microseconds_become_exact_nanoseconds() {
        for (number, expected) in [
            ("3190837634.754", Ok(3_190_837_634_754)),
            ("0", Ok(0)),
            ("-5.0", Ok(-5000)),
            ("1763713593899095.125", Ok(1_763_713_593_899_095_125)),
            ("1.0004", Ok(1000)),
            ("1.0005", Ok(1001)),
            ("1.00049999999999999999999999999999999999999", Ok(1000)),
            ("1e3", Ok(1_000_000)),
            ("1.5E-3", Ok(2)),
            ("12.", Ok(12_000)),
            (".5", Ok(500)),
            ("1e-999999999999999999999999", Ok(0)),
            ("0e999999999999999999999999", Ok(0)),
            ("1.7e308", Err(NoTime::OutOfRange)),
            ("1e999999999999999999999999", Err(NoTime::OutOfRange)),
            (
                "99999999999999999999999999999999999999",
                Err(NoTime::OutOfRange),
            ),
            ("-1e17", Err(NoTime::OutOfRange)),
            ("NaN", Err(NoTime::NotANumber)),
            ("-Infinity", Err(NoTime::NotANumber)),
            ("", Err(NoTime::NotANumber)),
            ("-", Err(NoTime::NotANumber)),
            ("1.2.3", Err(NoTime::NotANumber)),
            ("1e", Err(NoTime::NotANumber)),
            ("1e+-3", Err(NoTime::NotANumber)),
        ] {
            assert_eq!(nanoseconds(number.as_bytes()), expected, "{number}");
        }
    }
}
