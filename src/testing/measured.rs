//! What a bench has measured, as one line that `./x bench --record` collects.

/// A figure that stands for a target. Less is better, unless the aim says otherwise.
#[derive(Clone, Copy, Debug, Default)]
pub struct Measured<'a> {
    /// The bench, a colon, what is measured, and on how much: a smaller input is another target.
    pub target: &'a str,
    pub value: f64,
    pub unit: &'a str,
    /// What it is held against in the same run, and that one's figure in the same unit.
    pub peer: Option<(&'a str, f64)>,
    /// What must be reached, and in brackets what is aimed at, such as `≤ 250 (120) ms`. With `×` in place of a unit,
    /// the ratio to the peer is meant.
    pub aim: &'a str,
    /// The graphics adapter, where it matters.
    pub adapter: &'a str,
}

/// What such a line begins with.
pub const MARK: &str = "result: ";

impl Measured<'_> {
    pub fn print(&self) {
        println!("{}", self.line());
    }

    /// The mark and a record of CSV with the columns `target,value,unit,peer,peer_value,ratio,aim,adapter`.
    pub fn line(&self) -> String {
        let (peer, beside) = self.peer.map_or(("", None), |(name, it)| (name, Some(it)));
        let number = |it: Option<f64>| it.map(significant).unwrap_or_default();
        let ratio = beside.map(|beside| self.value / beside);
        let mut line = csv::Writer::from_writer(Vec::new());
        let written = line.write_record([
            self.target,
            &number(Some(self.value)),
            self.unit,
            peer,
            &number(beside),
            &number(ratio),
            self.aim,
            self.adapter,
        ]);
        written.expect("memory takes every record");
        let line = line.into_inner().expect("memory is flushed");
        format!("{MARK}{}", String::from_utf8_lossy(&line).trim_end())
    }
}

/// A number with three digits that say something.
pub fn significant(number: f64) -> String {
    if number == 0.0 || !number.is_finite() {
        return format!("{number}");
    }
    let digits = 2 - number.abs().log10().floor() as i32;
    let text = format!("{number:.*}", digits.max(0) as usize);
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// A number of things in words: `1.5 million`, `250,000`.
pub fn amount(number: u64) -> String {
    if number >= 1_000_000 && number.is_multiple_of(100_000) {
        return format!("{} million", number as f64 / 1e6);
    }
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
