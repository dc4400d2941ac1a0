//! The lines of a file for people: each with its text, and what is called in it below.

use std::io::{self, Write};

use super::document::{Callee, Document, Evidence};
use crate::output::{Align, Table};
use callscape_analysis::lines::FileLines;
use callscape_base::escape;
use callscape_base::units::{Cost, Unit, counted, grouped};

/// More of a line is not shown.
const WIDEST: usize = 100;
/// Tab width.
const TAB: usize = 4;

pub(super) fn write(document: &Document, lines: &FileLines, out: &mut dyn Write) -> io::Result<()> {
    let unit = &lines.unit;
    // The name of what is counted stands once, above.
    let (of, is_count) = match unit {
        Unit::Nanoseconds | Unit::Bytes => (String::new(), false),
        Unit::Things(name) => (format!(", costs in {name}"), true),
        Unit::Thousandths(_) => (String::new(), false),
    };
    writeln!(
        out,
        "{}{}\n",
        escape::name(&document.file),
        escape::name(&of)
    )?;
    let show = |cost: Cost| match is_count {
        true => format!("{}{}", cost.sign(), grouped(cost.size())),
        false => unit.show(cost),
    };
    let count = |calls: u64| match calls {
        0 => String::new(),
        calls => calls.to_string(),
    };
    let cost = |cost: Cost| match cost {
        Cost::ZERO => String::new(),
        cost => show(cost),
    };
    let mut table = Table::new(&[
        ("line", Align::Right),
        ("self", Align::Right),
        ("total", Align::Right),
        ("calls", Align::Right),
        ("sum of cost", Align::Right),
        ("share", Align::Right),
        ("", Align::Left),
    ]);
    for line in &document.lines {
        let share = line.share * 100.0;
        table.row([
            line.line.to_string(),
            line.self_cost.map_or_else(String::new, cost),
            line.total.map_or_else(String::new, cost),
            count(line.calls),
            cost(line.cost),
            match line.callees.is_empty() {
                true => String::new(),
                false => format!("{share:.1} %"),
            },
            shown(line.text.as_deref().unwrap_or_default()),
        ]);
        for callee in &line.callees {
            table.row([
                String::new(),
                String::new(),
                String::new(),
                count(callee.calls),
                cost(callee.cost),
                String::new(),
                format!("    {}", named(callee)),
            ]);
        }
    }
    if document.lines.is_empty() {
        writeln!(out, "no line data")?;
    } else {
        table.write(out)?;
    }
    write_unplaced(document, out, show)?;
    write_functions(document, out)
}

/// `=> name in its module`, with how sure that is.
fn named(callee: &Callee) -> String {
    let mark = if callee.inferred { "~>" } else { "=>" };
    let why = match callee.evidence {
        Evidence::Inlined => ", from functions inlined into the caller",
        Evidence::Nameless => ", as the only call without a name",
        _ => "",
    };
    let shared = match callee.shared_by {
        Some(places) if places > 1 => format!(", shared by {places} calls of that name"),
        _ => String::new(),
    };
    format!("{mark} {}{}{why}{shared}", callee.name, around(callee))
}

/// In which module a callee is.
fn around(callee: &Callee) -> String {
    match callee.module.rsplit_once('/') {
        Some((around, _)) => format!(" in {around}"),
        None => String::new(),
    }
}

/// Calls of which it is not known in which line they were made.
fn write_unplaced(
    document: &Document,
    out: &mut dyn Write,
    show: impl Fn(Cost) -> String,
) -> io::Result<()> {
    let mut table = Table::new(&[
        ("calls", Align::Right),
        ("sum of cost", Align::Right),
        ("in unknown lines of", Align::Left),
        ("callee", Align::Left),
    ]);
    let mut is_empty = true;
    for function in &document.functions {
        for callee in &function.unplaced {
            is_empty = false;
            table.row([
                callee.calls.to_string(),
                show(callee.cost),
                function.name.clone(),
                format!("{}{}", callee.name, around(callee)),
            ]);
        }
    }
    if is_empty {
        return Ok(());
    }
    writeln!(out)?;
    table.write(out)
}

fn write_functions(document: &Document, out: &mut dyn Write) -> io::Result<()> {
    let (ran, never): (Vec<_>, Vec<_>) = document.functions.iter().partition(|it| it.executed);
    let ran = counted(ran.len() as u64, "function", "functions");
    writeln!(out, "\n{ran} ran, {} never did", never.len())
}

/// A line of text with its tabs expanded, truncated if it is long.
fn shown(line: &str) -> String {
    let mut text = String::new();
    let mut columns = 0;
    for c in line.chars() {
        if columns >= WIDEST {
            text.push('…');
            break;
        }
        let width = if c == '\t' { TAB - columns % TAB } else { 1 };
        match c {
            '\t' => text.extend(std::iter::repeat_n(' ', width)),
            c => text.push(c),
        }
        columns += width;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabs_are_blanks_and_long_lines_are_cut() {
        assert_eq!(shown("\ta\tb"), "    a   b");
        assert_eq!(shown(""), "");
        let long = shown(&"x".repeat(1 << 20));
        assert_eq!(long.chars().count(), WIDEST + 1);
        assert!(long.ends_with('…'));
        assert_eq!(shown(&"y".repeat(WIDEST)), "y".repeat(WIDEST));
    }
}
