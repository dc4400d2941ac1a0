//! Sorting of small numbers that carry a place: digit by digit, which needs no comparison that a processor could guess
//! wrongly.

/// Below so many, and above so many bits, comparing is quicker.
const FEW: usize = 24;
const BITS: u32 = 24;
/// The most bits of a digit.
const DIGIT: u32 = 11;

/// Sorts `values` by their upper halves; of equal ones the lower halves must stand in order. `room` is room. O(n) for
/// upper halves of up to 24 bits.
pub(super) fn sort(values: &mut Vec<u64>, room: &mut Vec<u64>) {
    let all = values.iter().fold(0, |all, value| all | value) >> u32::BITS;
    let bits = u64::BITS - all.leading_zeros();
    if values.len() < FEW || bits > BITS {
        values.sort_unstable();
        return;
    }
    // As many places to count in as there are values, about.
    let digit = (values.len().ilog2() + 1).min(DIGIT);
    let passes = bits.div_ceil(digit).max(1);
    let digit = bits.div_ceil(passes);
    room.clear();
    room.resize(values.len(), 0);
    let mask = (1 << digit) - 1;
    for pass in 0..passes {
        let shift = u32::BITS + pass * digit;
        let digit_of = |value: u64| (value >> shift) as usize & mask;
        let mut starts = [0u32; 1 << DIGIT];
        for &value in &*values {
            starts[digit_of(value)] += 1;
        }
        let mut sum = 0;
        for start in &mut starts[..=mask] {
            sum += std::mem::replace(start, sum);
        }
        for &value in &*values {
            let start = &mut starts[digit_of(value)];
            if let Some(place) = room.get_mut(*start as usize) {
                *place = value;
            }
            *start += 1;
        }
        std::mem::swap(values, room);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_sorted_by_their_upper_halves() {
        let mut state = 1_u64;
        let mut room = Vec::new();
        for count in 0..400 {
            for bits in [0, 1, 5, 13, 17, 24, 25, 32] {
                let mut values: Vec<u64> = (0..count)
                    .map(|place| {
                        state = state
                            .wrapping_mul(6364136223846793005)
                            .wrapping_add(1442695040888963407);
                        let upper = state.checked_shr(64 - bits).unwrap_or(0);
                        upper << 32 | place
                    })
                    .collect();
                let mut expected = values.clone();
                expected.sort();
                sort(&mut values, &mut room);
                assert_eq!(values, expected, "{count}, {bits}");
            }
        }
    }
}
