//! What keys do in the code view.

use regex::RegexBuilder;

use super::numbers::{Tint, cost_of};
use super::view::CodeView;
use crate::parts::rows::place;
use callscape_base::units::Cost;
use callscape_state::ask::TableKey;
use callscape_state::document::source::SourceLine;

impl CodeView {
    /// The line that the editor is to show: that of the caret.
    pub(super) fn to_edit(&self) -> Option<SourceLine> {
        let file = self.file?;
        let (_, line) = self.caret.unwrap_or((self.own, self.first_seen()));
        Some(SourceLine { file, line })
    }

    /// The text that keys move in.
    fn side(&self) -> usize {
        let is_shown = |&(side, _): &(usize, u32)| self.page(side).is_some();
        self.caret
            .filter(is_shown)
            .map_or(self.own, |(side, _)| side)
    }

    /// Goes to another row.
    pub(super) fn walk(&mut self, key: TableKey) {
        let side = self.side();
        let rows = self.rows() as usize;
        let page = (self.scroll.rows_seen() as usize).saturating_sub(1);
        let at = self.caret.and_then(|(side, line)| self.row_of(side, line));
        // The first key finds what is seen.
        let at = at.map_or(self.scroll.top().ceil() as usize, |row| row as usize);
        let Some(to) = place(key, Some(at), rows, page) else {
            return;
        };
        // A row that the text has no line in is left out.
        let forward = to >= at;
        let mut rows_on = 0..rows;
        let line = match forward {
            true => (to..rows).find_map(|row| self.line_in(row as u32, side)),
            false => rows_on
                .by_ref()
                .take(to + 1)
                .rev()
                .find_map(|row| self.line_in(row as u32, side)),
        };
        if let Some(line) = line {
            self.go_to(side, line);
        }
    }

    /// Has the caret at a line, which is brought into sight.
    pub(super) fn go_to(&mut self, side: usize, line: u32) {
        self.caret = Some((side, line));
        if let Some(row) = self.row_of(side, line) {
            self.scroll.keep_in_sight(row);
        }
    }

    /// The lines that have a colour, in order, of one text.
    fn colored(&self, side: usize) -> Vec<u32> {
        match (self.shown_difference(), self.numbers(side)) {
            (Some(compared), _) => compared.lines(side).map(|(line, _)| line).collect(),
            (None, Some(numbers)) => numbers.colored(self.tint()).map(|line| line.line).collect(),
            (None, None) => Vec::new(),
        }
    }

    pub(super) fn step(&mut self, forward: bool) {
        let side = self.side();
        let lines = self.colored(side);
        let at = self.caret.map_or(self.first_seen(), |(_, line)| line);
        let to = match (forward, self.caret) {
            (true, Some(_)) => lines.iter().find(|&&line| line > at),
            // Without a caret the first that is seen counts too.
            (true, None) => lines.iter().find(|&&line| line >= at),
            (false, _) => lines.iter().rev().find(|&&line| line < at),
        };
        if let Some(&line) = to {
            self.go_to(side, line);
        }
    }

    pub(super) fn go_to_hottest(&mut self) {
        let side = self.side();
        let at = self.caret.map(|(_, line)| line);
        let hottest = |(first, last): (u32, u32)| match self.shown_difference() {
            Some(compared) => {
                let lines = compared.lines(side);
                let inside = lines.filter(|(line, _)| (first..=last).contains(line));
                inside
                    .max_by_key(|(_, change)| change.unsigned_abs())
                    .map(|(line, _)| line)
            }
            None => self.numbers(side)?.hottest(self.tint(), (first, last)),
        };
        let function = at.and_then(|line| self.numbers(side)?.function_at(line));
        let in_function = function.and_then(|it| hottest(it.lines));
        let to = match in_function {
            Some(line) if at != Some(line) => Some(line),
            _ => hottest((1, u32::MAX)),
        };
        if let Some(line) = to {
            self.caret = Some((side, line));
            self.reveal(side, line);
        }
    }

    /// The next line behind the caret that holds what is looked for, from the top again behind the last; or the one before.
    /// Small letters are found in any case. O(the text).
    pub(super) fn find(&mut self, forward: bool) {
        let side = self.side();
        let Some(page) = self.page(side).filter(|_| !self.query.is_empty()) else {
            return;
        };
        let is_exact = self.query.chars().any(char::is_uppercase);
        let pattern = RegexBuilder::new(&regex::escape(&self.query))
            .case_insensitive(!is_exact)
            .build();
        let Ok(pattern) = pattern else { return };
        let text = page.text.text();
        let caret = self.caret.and_then(|(_, line)| page.text.range(line));
        let (start, end) = caret.map_or((0, 0), |range| (range.start, range.end));
        let found = match forward {
            true => pattern.find_at(text, end).or_else(|| pattern.find(text)),
            false => {
                let before = pattern.find_iter(&text[..start]).last();
                before.or_else(|| pattern.find_iter(text).last())
            }
        };
        let Some(found) = found else { return };
        let line = page.text.line_at(found.start());
        let start = page.text.range(line).map_or(0, |range| range.start);
        let column = page.column_of(line, found.start().saturating_sub(start));
        self.caret = Some((side, line));
        self.reveal(side, line);
        self.scroll.reveal_column(column);
    }

    /// What a line costs by what colours say, as people read it.
    pub(super) fn label(&self, side: usize, line: u32) -> Option<String> {
        if let Some(compared) = self.shown_difference() {
            let change = compared.change(side, line)?;
            let cost = Cost::from_ns(change.unsigned_abs());
            let sign = if change < 0 { "−" } else { "+" };
            return Some(format!("{sign}{}", self.numbers(side)?.cell(cost)));
        }
        let numbers = self.numbers(side)?;
        let of = numbers.lines.line(line)?;
        numbers.strength(of, self.tint())?;
        let inferred = match self.tint() {
            Tint::Run | Tint::Calls if of.is_inferred() => "~",
            _ => "",
        };
        let cost = numbers.cell(cost_of(of, self.tint()));
        Some(format!("{inferred}{cost}"))
    }
}
