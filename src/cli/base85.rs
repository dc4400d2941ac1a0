//! Bytes as text of a page, where base64 would take 7 % more: four bytes are a number of five digits of base 85, the most
//! significant first, as in Ascii85. The digits are the letters from `(` to `~` but for `<` and `>`, which mean something in
//! HTML. The last one to three bytes take one digit more than there are bytes.

const FIRST: u8 = b'(';
const BASE: u32 = 85;

/// The letter of a digit.
fn letter(digit: u8) -> u8 {
    let letter = FIRST + digit;
    // Behind the first of both that are left out, the second comes one digit earlier.
    letter + u8::from(letter >= b'<') + u8::from(letter >= b'=')
}

/// The digit of a letter; `None` for another letter.
fn digit(letter: u8) -> Option<u32> {
    let is_digit = (FIRST..=b'~').contains(&letter) && letter != b'<' && letter != b'>';
    let before = u8::from(letter > b'<') + u8::from(letter > b'>');
    is_digit.then(|| u32::from(letter - FIRST - before))
}

pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(4) * 5);
    for group in bytes.chunks(4) {
        let byte = |place: usize| group.get(place).copied().unwrap_or(0);
        let number = u32::from_be_bytes(std::array::from_fn(byte));
        for place in 0..=group.len() as u32 {
            let digit = number / BASE.pow(4 - place) % BASE;
            text.push(letter(digit as u8).into());
        }
    }
    text
}

/// `None` for other text.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let text = text.trim().as_bytes();
    let mut bytes = Vec::with_capacity(text.len() / 5 * 4 + 4);
    for group in text.chunks(5) {
        let mut number = 0u32;
        for place in 0..5 {
            let digit = group.get(place).map_or(Some(BASE - 1), |&it| digit(it))?;
            number = number.checked_mul(BASE)?.checked_add(digit)?;
        }
        bytes.extend_from_slice(&number.to_be_bytes()[..group.len() - 1]);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back() {
        for length in 0..300 {
            let bytes: Vec<u8> = (0..length as u32).map(|it| (it * 89 % 256) as u8).collect();
            let text = encode(&bytes);
            assert_eq!(decode(&text).as_ref(), Some(&bytes), "{text}");
        }
        for bytes in [[0; 7], [255; 7]] {
            assert_eq!(decode(&encode(&bytes)).as_deref(), Some(&bytes[..]));
        }
        assert_eq!(encode(&[0; 4]), "(((((");
        assert_eq!(decode("<"), None);
        assert_eq!(decode("~~~~~"), None, "more than four bytes hold");
    }

    #[test]
    fn each_digit_has_a_letter_that_means_nothing_in_html() {
        let letters: Vec<u8> = (0..BASE as u8).map(letter).collect();
        assert!(letters.is_sorted() && letters.last() == Some(&b'~'));
        assert!(!letters.contains(&b'<') && !letters.contains(&b'>'));
        assert!(letters.iter().map(|&it| digit(it)).eq((0..BASE).map(Some)));
    }
}
