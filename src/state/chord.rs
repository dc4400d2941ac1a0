//! Keys pressed together, and how people write them.

use std::fmt;

/// What is on a key, without modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// The key of this name, as people write it.
    Key(&'static str),
    /// The key that types this, in lower case; the minus sign for a hyphen too, and `+` for `=`, which share a key with them.
    Letter(char),
    /// The key at the place where an American keyboard has this letter, whatever it types.
    Place(char),
}

impl Sign {
    /// What a key says that types `letter`.
    pub fn typed(letter: char) -> Sign {
        Sign::Letter(match letter {
            '-' => '−',
            '=' => '+',
            _ => letter,
        })
    }
}

/// Keys pressed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chord {
    pub ctrl: bool,
    pub alt: bool,
    /// Where no chord with Shift is known the one without means the same.
    pub shift: bool,
    pub sign: Sign,
}

impl Chord {
    /// The chord that is written like this: `Ctrl + Shift + S`, `Page up`, `←`; `at W` for the place of a letter.
    pub const fn of(written: &'static str) -> Chord {
        let mut chord = Chord {
            ctrl: false,
            alt: false,
            shift: false,
            sign: Sign::Key(written),
        };
        let mut rest = written;
        loop {
            let bytes = rest.as_bytes();
            let held = match bytes {
                [b'C', b't', b'r', b'l', b' ', b'+', b' ', _, ..] => &mut chord.ctrl,
                [b'A', b'l', b't', b' ', b'+', b' ', _, ..] => &mut chord.alt,
                [b'S', b'h', b'i', b'f', b't', b' ', b'+', b' ', _, ..] => &mut chord.shift,
                _ => break,
            };
            *held = true;
            let name = match bytes[0] {
                b'A' => "Alt + ",
                b'C' => "Ctrl + ",
                _ => "Shift + ",
            };
            rest = rest.split_at(name.len()).1;
        }
        chord.sign = match rest.as_bytes() {
            [letter] => Sign::Letter(letter.to_ascii_lowercase() as char),
            [b'a', b't', b' ', letter] => Sign::Place(letter.to_ascii_lowercase() as char),
            [0xe2, 0x88, 0x92] => Sign::Letter('−'),
            _ => Sign::Key(rest),
        };
        chord
    }

    /// What is held down with it, as people write it.
    fn held(self) -> String {
        let held = [
            (self.ctrl, "Ctrl + "),
            (self.alt, "Alt + "),
            (self.shift, "Shift + "),
        ];
        let held = held.into_iter().filter(|(is_held, _)| *is_held);
        held.map(|(_, name)| name).collect()
    }
}

impl fmt::Display for Sign {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sign::Key(name) => out.write_str(name),
            Sign::Letter(letter) | Sign::Place(letter) => letter.to_uppercase().fmt(out),
        }
    }
}

impl fmt::Display for Chord {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}{}", self.held(), self.sign)
    }
}

/// The chords of several actions as one text: what is held down is said once for all that are pressed with it.
pub fn written<'a>(actions: impl Iterator<Item = &'a [Chord]>) -> String {
    let mut groups: Vec<(String, String)> = Vec::new();
    for chords in actions {
        for (number, chord) in chords.iter().enumerate() {
            let (held, sign) = (chord.held(), chord.sign.to_string());
            let Some((_, signs)) = groups.iter_mut().find(|group| group.0 == held) else {
                groups.push((held, sign));
                continue;
            };
            // Keys that mean the same are told from those of one action after the other.
            signs.push_str(match (number, &*sign) {
                (0, "←" | "→" | "↑" | "↓") => " ",
                (0, _) => "  ",
                _ => ", ",
            });
            signs.push_str(&sign);
        }
    }
    let groups = groups.into_iter().map(|(held, signs)| held + &signs);
    groups.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chords_are_read_as_they_are_written() {
        let all = [
            "F",
            "Ctrl + F",
            "Ctrl + Shift + S",
            "Alt + ←",
            "Page up",
            "F11",
            "+",
            "Ctrl + +",
            "Ctrl + −",
            "?",
            "Space",
        ];
        for written in all {
            assert_eq!(Chord::of(written).to_string(), written);
        }
        let chord = Chord::of("Ctrl + Shift + S");
        assert!(chord.ctrl && chord.shift && !chord.alt);
        assert_eq!(chord.sign, Sign::Letter('s'));
        assert_eq!(Chord::of("at W").sign, Sign::Place('w'));
        assert_eq!(Chord::of("Ctrl + −").sign, Sign::typed('-'));
        assert_eq!(Chord::of("+").sign, Sign::typed('='));
        assert_eq!(Chord::of("↑").sign, Sign::Key("↑"));
    }

    #[test]
    fn what_is_held_is_said_once() {
        let text = |actions: &[&[&'static str]]| {
            let chords = |it: &&[&'static str]| it.iter().map(|it| Chord::of(it)).collect();
            let actions: Vec<Vec<Chord>> = actions.iter().map(chords).collect();
            written(actions.iter().map(Vec::as_slice))
        };
        assert_eq!(text(&[&["F1", "?"]]), "F1, ?");
        assert_eq!(text(&[&["Ctrl + ←"], &["Ctrl + →"]]), "Ctrl + ← →");
        assert_eq!(text(&[&["I"], &["Shift + I"], &["U"]]), "I  U, Shift + I");
        assert_eq!(text(&[&["/", "Ctrl + F"]]), "/, Ctrl + F");
        assert_eq!(text(&[&[]]), "");
    }
}
