//! Decimal numbers as integers of a smaller unit, so that no time passes through a float.

/// Why a text is no time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoTime {
    NotANumber,
    OutOfRange,
}

impl NoTime {
    /// The kind of its warning.
    pub(crate) fn kind(self) -> &'static str {
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
pub(crate) enum Unit {
    Nanoseconds = 0,
    Microseconds = 3,
    Milliseconds = 6,
    Seconds = 9,
}

/// A decimal number of `unit` as nanoseconds: exact where it has no more decimals than nanoseconds, else
/// rounded to the nearest, half away from zero.
#[inline]
pub(crate) fn nanoseconds(number: &[u8], unit: Unit) -> Result<i64, NoTime> {
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

/// The number of `unit` that begins at `at`, in nanoseconds, and where it ends: read and taken apart at once,
/// eight digits at a time. None where it is anything but digits, with no more decimals than nanoseconds have, or
/// where the bytes at hand end soon behind it.
#[inline]
pub(crate) fn scan(bytes: &[u8], at: usize, unit: Unit) -> Option<(i64, usize)> {
    const POWERS: [u64; 10] = [
        1,
        10,
        100,
        1_000,
        10_000,
        100_000,
        1_000_000,
        10_000_000,
        100_000_000,
        1_000_000_000,
    ];
    let places = unit as usize;
    let (mut value, count) = digits(bytes, at)?;
    if count == 0 {
        return None;
    }
    let mut at = at + count;
    if count == 8 {
        let (more, count) = digits(bytes, at)?;
        value = value * POWERS[count] + more;
        at += count;
        if count == 8 {
            // Sixteen digits are microseconds since 1970, nineteen nanoseconds.
            let (more, count) = digits(bytes, at)?;
            if count > 3 {
                return None;
            }
            value = value * POWERS[count] + more;
            at += count;
        }
    }
    let mut decimals = 0;
    if places > 0 && bytes.get(at) == Some(&b'.') {
        let (digits, count) = digits(bytes, at + 1)?;
        decimals = digits * POWERS[places.checked_sub(count)?];
        at += 1 + count;
    }
    let value = value.checked_mul(POWERS[places])?.checked_add(decimals)?;
    let value = i64::try_from(value).ok();
    Some((value.filter(|&value| value as u128 <= LARGEST)?, at))
}

/// The decimal digits that begin at `at`, up to eight, as a number, and how many they are. None
/// where the bytes at hand end soon.
#[inline]
pub(crate) fn digits(bytes: &[u8], at: usize) -> Option<(u64, usize)> {
    let word = u64::from_le_bytes(*bytes.get(at..)?.first_chunk::<8>()?);
    let word = word ^ 0x3030_3030_3030_3030;
    // The high bit of the first byte that is no digit, and of any behind it.
    let others = (word.wrapping_add(0x7676_7676_7676_7676) | word) & 0x8080_8080_8080_8080;
    let count = others.trailing_zeros() as usize / 8;
    if count == 0 {
        return Some((0, 0));
    }
    // The digits at the end of the eight, zeros before them; then pairs, fours and all are joined.
    let word = word << (64 - 8 * count);
    let word = word.wrapping_mul(10).wrapping_add(word >> 8);
    let low = (word & 0x0000_00ff_0000_00ff).wrapping_mul(0x000f_4240_0000_0064);
    let high = (word >> 16 & 0x0000_00ff_0000_00ff).wrapping_mul(0x0000_2710_0000_0001);
    Some((low.wrapping_add(high) >> 32, count))
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

/// A number as people of other countries write it, with a decimal point and without what stands between its thousands:
/// `1234.5` for `1.234,5`, `1'234.5` or `1 234,5`. One sign before three digits, which may be either, stands between
/// thousands where the number `is_whole` by all that is known. None of what is no number.
pub(crate) fn plain(text: &str, is_whole: bool) -> Option<String> {
    let (sign, number) = match text.strip_prefix(['-', '\u{2212}']) {
        Some(number) => ("-", number),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let is_between = |c: char| ".,'_ \u{2019}\u{a0}\u{202f}\u{66b}\u{66c}".contains(c);
    let parts: Vec<&str> = number.split(is_between).collect();
    let signs: Vec<char> = number.chars().filter(|&c| is_between(c)).collect();
    let is_digits = |part: &&str| !part.is_empty() && part.bytes().all(|it| it.is_ascii_digit());
    if !parts.iter().all(is_digits) {
        return None;
    }
    let (last, before) = parts.split_last()?;
    let has_point = signs.split_last().is_some_and(|(&point, others)| {
        let may_be_either = is_whole && others.is_empty() && last.len() == 3;
        ".,\u{66b}".contains(point) && !others.contains(&point) && !may_be_either
    });
    let thousands = if has_point { before } else { &parts[..] };
    // Two digits at a time in India, but for the last.
    let (first, rest) = thousands.split_first()?;
    let is_grouped = rest.iter().all(|part| matches!(part.len(), 2 | 3))
        && rest
            .last()
            .is_none_or(|part| part.len() == 3 && first.len() <= 3);
    let same = signs
        .iter()
        .take(rest.len())
        .all(|sign| Some(sign) == signs.first());
    if !is_grouped || !same {
        return None;
    }
    let point = if has_point { "." } else { "" };
    let decimals = if has_point { *last } else { "" };
    Some(format!("{sign}{}{point}{decimals}", thousands.concat()))
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
    fn numbers_of_all_countries_are_read() {
        for (text, whole, other) in [
            ("12", "12", "12"),
            ("-12.5", "-12.5", "-12.5"),
            ("23,26", "23.26", "23.26"),
            ("1,234", "1234", "1.234"),
            ("1.234", "1234", "1.234"),
            ("1.234,5", "1234.5", "1234.5"),
            ("1,234.5", "1234.5", "1234.5"),
            ("1,234,567", "1234567", "1234567"),
            ("1.234.567", "1234567", "1234567"),
            ("1'234'567.25", "1234567.25", "1234567.25"),
            ("1\u{202f}234,5", "1234.5", "1234.5"),
            ("12,34,567", "1234567", "1234567"),
            ("0,5", "0.5", "0.5"),
        ] {
            assert_eq!(plain(text, true).as_deref(), Some(whole), "{text}");
            assert_eq!(plain(text, false).as_deref(), Some(other), "{text}");
        }
        for text in [
            "", ",", "a", "1,", ",5", "1,,2", "1,23,4", "1.2.3", "1e3", "1 2",
        ] {
            assert_eq!(plain(text, true), None, "{text}");
        }
    }

    #[test]
    fn numbers_are_scanned_as_they_are_read() {
        let mut state = 1_u64;
        let mut random = |limit: u64| {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 33) % limit
        };
        let (mut scanned, mut left) = (0, 0);
        for _ in 0..200_000 {
            let mut number = String::new();
            for _ in 0..random(21) {
                number.push(char::from(b'0' + random(10) as u8));
            }
            if random(3) > 0 {
                number.push('.');
                for _ in 0..random(5) {
                    number.push(char::from(b'0' + random(10) as u8));
                }
            }
            if random(20) == 0 {
                number.insert(
                    random(number.len() as u64 + 1) as usize,
                    ['-', 'e', '/', ':'][random(4) as usize],
                );
            }
            let text = format!("x{number},        ");
            let units = [
                Unit::Nanoseconds,
                Unit::Microseconds,
                Unit::Milliseconds,
                Unit::Seconds,
            ];
            let unit = units[random(4) as usize];
            let expected = nanoseconds(number.as_bytes(), unit);
            match scan(text.as_bytes(), 1, unit) {
                // What stands behind it is looked at by whoever scans.
                Some((value, end)) if text.as_bytes()[end] == b',' => {
                    assert_eq!((Ok(value), end), (expected, number.len() + 1), "{number}");
                    scanned += 1;
                }
                _ => left += 1,
            }
        }
        assert!(2 * scanned > left, "{scanned}, {left}");
    }

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
