//! Decimal numbers as integers of a smaller unit, so that no time passes through a float.

/// Why a text is no time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoTime {
    NotANumber,
    OutOfRange,
}

impl NoTime {
    /// The kind of its warning.
    pub fn kind(self) -> &'static str {
        match self {
            NoTime::NotANumber => "time-not-a-number",
            NoTime::OutOfRange => "time-out-of-range",
        }
    }
}

/// Times beyond ±146 years of nanoseconds are taken for damage; so sums of two stay in range.
const LARGEST: u128 = 1 << 62;

/// What a decimal number counts: the power of ten that makes nanoseconds of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Nanoseconds = 0,
    Microseconds = 3,
    Milliseconds = 6,
    Seconds = 9,
}

/// A decimal number of `unit` as nanoseconds: exact where it has no more decimals than nanoseconds, else
/// rounded to the nearest, half away from zero.
#[inline]
pub fn nanoseconds(number: &[u8], unit: Unit) -> Result<i64, NoTime> {
    let (negative, digits) = match number.split_first() {
        Some((b'-', rest)) => (true, rest),
        _ => (false, number),
    };
    let places = unit as usize;
    let mut value: u64 = 0;
    let mut at = 0;
    while let Some(digit) = digits.get(at).map(|byte| byte.wrapping_sub(b'0'))
        && digit < 10
    {
        value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        at += 1;
    }
    let decimals = match digits.get(at) {
        None => &[],
        Some(b'.') => &digits[at + 1..],
        Some(_) => return any_decimal(negative, digits, unit as i64),
    };
    // Eighteen digits in all cannot overflow.
    if at == 0 || at + places > 18 || decimals.len() > places {
        return any_decimal(negative, digits, unit as i64);
    }
    for place in 0..places {
        let digit = match decimals.get(place) {
            None => 0,
            Some(byte @ b'0'..=b'9') => byte - b'0',
            Some(_) => return any_decimal(negative, digits, unit as i64),
        };
        value = value * 10 + u64::from(digit);
    }
    let value = value as i64;
    Ok(if negative { -value } else { value })
}

/// The general case: many digits, an exponent, no number at all.
#[cold]
fn any_decimal(negative: bool, number: &[u8], unit: i64) -> Result<i64, NoTime> {
    let mut mantissa: u128 = 0;
    // The power of ten that the mantissa is to be multiplied with.
    let mut power = unit;
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
        power = power.saturating_add(exponent_of(exponent).ok_or(NoTime::NotANumber)?);
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
    if value > LARGEST {
        return Err(NoTime::OutOfRange);
    }
    let value = value as i64;
    Ok(if negative { -value } else { value })
}

/// The number behind an `e`; as good as infinite where it has more digits than an `i64` holds.
fn exponent_of(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?;
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let size: i64 = digits.parse().unwrap_or(i64::MAX / 2);
    Some(if text.starts_with('-') { -size } else { size })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_become_exact_nanoseconds() {
        for (number, unit, expected) in [
            ("3190837634.754", Unit::Microseconds, Ok(3_190_837_634_754)),
            ("6.135", Unit::Seconds, Ok(6_135_000_000)),
            ("3374.416761", Unit::Seconds, Ok(3_374_416_761_000)),
            ("0.1", Unit::Milliseconds, Ok(100_000)),
            ("-17", Unit::Microseconds, Ok(-17_000)),
            ("999999999", Unit::Seconds, Ok(999_999_999_000_000_000)),
            (
                "1763713593899095.125",
                Unit::Microseconds,
                Ok(1_763_713_593_899_095_125),
            ),
            ("12.", Unit::Microseconds, Ok(12_000)),
            ("12", Unit::Nanoseconds, Ok(12)),
            ("12.0", Unit::Nanoseconds, Ok(12)),
            ("1e3", Unit::Microseconds, Ok(1_000_000)),
            ("-", Unit::Microseconds, Err(NoTime::NotANumber)),
            ("1.2.3", Unit::Microseconds, Err(NoTime::NotANumber)),
            ("1e+-3", Unit::Microseconds, Err(NoTime::NotANumber)),
            ("-1e17", Unit::Microseconds, Err(NoTime::OutOfRange)),
            (
                "99999999999999999999999999999999999999",
                Unit::Microseconds,
                Err(NoTime::OutOfRange),
            ),
            ("1.0004", Unit::Microseconds, Ok(1000)),
            ("-1.0005", Unit::Microseconds, Ok(-1001)),
            (
                "1.00049999999999999999999999999999999999999",
                Unit::Microseconds,
                Ok(1000),
            ),
            ("1.5E-3", Unit::Microseconds, Ok(2)),
            (".5", Unit::Nanoseconds, Ok(1)),
            ("1e-999999999999999999999999", Unit::Seconds, Ok(0)),
            ("0e999999999999999999999999", Unit::Seconds, Ok(0)),
            ("1.7e308", Unit::Nanoseconds, Err(NoTime::OutOfRange)),
            (
                "1e999999999999999999999999",
                Unit::Nanoseconds,
                Err(NoTime::OutOfRange),
            ),
            (
                "99999999999999999999999999",
                Unit::Nanoseconds,
                Err(NoTime::OutOfRange),
            ),
            ("NaN", Unit::Nanoseconds, Err(NoTime::NotANumber)),
            ("", Unit::Nanoseconds, Err(NoTime::NotANumber)),
            ("-", Unit::Nanoseconds, Err(NoTime::NotANumber)),
            ("--1", Unit::Nanoseconds, Err(NoTime::NotANumber)),
            ("1.2.3", Unit::Nanoseconds, Err(NoTime::NotANumber)),
            ("1e", Unit::Nanoseconds, Err(NoTime::NotANumber)),
            ("1e+-3", Unit::Nanoseconds, Err(NoTime::NotANumber)),
        ] {
            assert_eq!(nanoseconds(number.as_bytes(), unit), expected, "{number}");
        }
    }
}
