//! What has come of the inputs of a format, and the table of all.

use std::fmt::Write;

/// What an input may do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Crash,
    Hang,
    OverMemory,
    FalseAnswer,
}

const KINDS: [(Kind, &str, &str); 4] = [
    (Kind::Crash, "crash", "crashes"),
    (Kind::Hang, "hang", "hangs"),
    (Kind::OverMemory, "over-memory", "over memory"),
    (Kind::FalseAnswer, "false-answer", "false answers"),
];

impl Kind {
    pub fn name(self) -> &'static str {
        KINDS[self as usize].1
    }

    pub fn of(name: &str) -> Option<Kind> {
        let found = KINDS.iter().find(|(_, known, _)| *known == name);
        found.map(|(kind, ..)| *kind)
    }
}

pub struct Report {
    pub name: &'static str,
    pub tried: u32,
    /// Those of which a recording came in spite of the damage, as far as their processes have lived.
    pub opened: u32,
    counts: [u32; KINDS.len()],
}

impl Report {
    pub fn new(name: &'static str) -> Report {
        Report {
            name,
            tried: 0,
            opened: 0,
            counts: [0; KINDS.len()],
        }
    }

    pub fn add(&mut self, kind: Kind) {
        self.counts[kind as usize] += 1;
    }

    pub fn found(&self) -> u32 {
        self.counts.iter().sum()
    }

    pub fn has_found(&self) -> bool {
        self.found() > 0
    }

    pub fn summary(&self) -> String {
        let counts = KINDS.iter().zip(self.counts);
        let counts = counts.map(|((.., name), count)| format!("{count} {name}"));
        counts.collect::<Vec<_>>().join(", ")
    }
}

/// The reports in Markdown.
pub fn table(reports: &[Report]) -> String {
    let mut text =
        "| format | tried | opened | crashes | hangs | over memory | false answers |\n".to_owned();
    text += "|---|---:|---:|---:|---:|---:|---:|\n";
    for report in reports {
        let counts = report.counts.map(|it| it.to_string()).join(" | ");
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "| {} | {} | {} | {counts} |",
            report.name, report.tried, report.opened
        );
    }
    text
}

/// Puts the table in the place of the one in the manual.
pub fn write(table: &str) {
    let path = "docs/damage.md";
    let page = std::fs::read_to_string(path).expect("the page is there");
    let start = page.find("| format |").expect("the page has a table");
    let rest = page[start..].lines().skip_while(|it| it.starts_with('|'));
    let rest: String = rest.map(|line| format!("{line}\n")).collect();
    std::fs::write(path, format!("{}{table}{rest}", &page[..start]))
        .expect("the page can be written");
}
