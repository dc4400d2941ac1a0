//! The results of the benches as a table: `results.csv` keeps every figure ever recorded, `RESULTS.md` shows the latest of
//! each target.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::measured::MARK;

/// A figure, and where and when it was measured; empty where that is not known.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Row {
    pub target: String,
    pub value: String,
    pub unit: String,
    pub peer: String,
    pub peer_value: String,
    /// Value by that of the peer.
    pub ratio: String,
    pub aim: String,
    pub machine: String,
    pub adapter: String,
    pub date: String,
    pub commit: String,
}

/// Where and when a run was.
pub struct Run<'a> {
    pub machine: &'a str,
    pub date: &'a str,
    pub commit: &'a str,
}

/// The rows of `results.csv`.
pub fn rows(csv: &str) -> Result<Vec<Row>, csv::Error> {
    csv::Reader::from_reader(csv.as_bytes())
        .deserialize()
        .collect()
}

/// The text of `results.csv`.
pub fn to_csv(rows: &[Row]) -> Result<String, csv::Error> {
    let mut out = csv::Writer::from_writer(Vec::new());
    for row in rows {
        out.serialize(row)?;
    }
    let out = out.into_inner().expect("memory is flushed");
    Ok(String::from_utf8(out).expect("rows are text"))
}

/// The figures in what benches have printed.
pub fn printed(log: &str, run: &Run<'_>) -> Result<Vec<Row>, csv::Error> {
    let mut rows = Vec::new();
    for line in log.lines().filter_map(|line| line.strip_prefix(MARK)) {
        let mut reader = csv::ReaderBuilder::new();
        let mut reader = reader.has_headers(false).from_reader(line.as_bytes());
        for record in reader.deserialize() {
            let (target, value, unit, peer, peer_value, ratio, aim, adapter) = record?;
            rows.push(Row {
                target,
                value,
                unit,
                peer,
                peer_value,
                ratio,
                aim,
                adapter,
                machine: run.machine.to_owned(),
                date: run.date.to_owned(),
                commit: run.commit.to_owned(),
            });
        }
    }
    Ok(rows)
}

/// Whether a row reaches what must be reached; none where nothing must, or the figure is missing.
fn is_reached(row: &Row) -> Option<bool> {
    let (is_most, limit) = match row.aim.strip_prefix('≤') {
        Some(rest) => (true, rest),
        None => (false, row.aim.strip_prefix('≥')?),
    };
    let words = limit.split([' ', '(', ')']);
    let limit: f64 = words.filter_map(|word| word.parse().ok()).next()?;
    let figure = match row.aim.ends_with('×') {
        true => &row.ratio,
        false => &row.value,
    };
    let figure: f64 = figure.parse().ok()?;
    Some(if is_most {
        figure <= limit
    } else {
        figure >= limit
    })
}

/// The last row of each target, where the target stood first.
fn latest(rows: &[Row]) -> Vec<&Row> {
    let mut latest: Vec<&Row> = Vec::new();
    for row in rows {
        match latest.iter_mut().find(|known| known.target == row.target) {
            Some(known) => *known = row,
            None => latest.push(row),
        }
    }
    latest
}

/// Words with what separates them, without those that are missing.
fn joined<'a>(words: impl IntoIterator<Item = &'a str>, by: &str) -> String {
    let words: Vec<&str> = words.into_iter().filter(|it| !it.is_empty()).collect();
    words.join(by)
}

/// A figure with its unit, empty where there is none.
fn with_unit(figure: &str, unit: &str) -> String {
    match figure {
        "" => String::new(),
        _ => format!("{figure} {unit}"),
    }
}

/// The cells of a row: target, figure, peer, ratio, aim, where and when.
fn cells(row: &Row) -> [String; 6] {
    let reached = match is_reached(row) {
        Some(true) => ", reached",
        Some(false) => ", **missed**",
        None => "",
    };
    // Behind a comma a unit says which of several figures it is, and that of the peer is the same.
    let unit = row.unit.split(',').next().unwrap_or_default();
    let beside = with_unit(&row.peer_value, unit);
    [
        row.target.clone(),
        with_unit(&row.value, &row.unit),
        joined([&*row.peer, &*beside], ": "),
        with_unit(&row.ratio, "×"),
        format!("{}{reached}", row.aim),
        joined(
            [&*row.date, &*row.commit, &*row.machine, &*row.adapter],
            ", ",
        ),
    ]
}

/// What is measured on a recording, and the power of ten that is nearest to its calls; none of other rows.
fn of_size(row: &Row) -> Option<(String, u32)> {
    let (what, size) = row.target.rsplit_once(", ")?;
    let (amount, of) = size.split_once(" calls")?;
    let (number, unit) = match amount.strip_suffix(" million") {
        Some(number) => (number.to_owned(), 1e6),
        None => (amount.replace(',', ""), 1.0),
    };
    let calls = number.parse::<f64>().ok().filter(|&it| it >= 1.0)? * unit;
    Some((format!("{what}{of}"), calls.log10().round() as u32))
}

/// What is measured on recordings as one table: a row for each, a column for each size.
fn by_size(rows: &[&Row]) -> String {
    let all: Vec<_> = rows
        .iter()
        .filter_map(|row| Some((of_size(row)?, *row)))
        .collect();
    let mut sizes: Vec<u32> = all.iter().map(|((_, size), _)| *size).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let mut names: Vec<&str> = Vec::new();
    for ((name, _), _) in &all {
        if !names.contains(&&**name) {
            names.push(name);
        }
    }
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let head = sizes.iter().map(|size| format!("10^{size} calls"));
    let head = ["target".to_owned()].into_iter().chain(head);
    let head: Vec<String> = head.chain(["asked".into(), "measured".into()]).collect();
    let mut out = line(head.clone()) + &line(vec!["---".to_owned(); head.len()]);
    for name in names {
        let of: Vec<_> = all.iter().filter(|((other, _), _)| other == name).collect();
        let figure = |size: &u32| {
            let row = of.iter().rfind(|((_, other), _)| other == size);
            row.map_or(String::new(), |(_, row)| {
                let [_, figure, beside, ratio, aim, _] = cells(row);
                let ratio = if row.aim.ends_with('×') { &*ratio } else { "" };
                let beside = joined([&*beside, ratio], ", ");
                let missed = match aim.ends_with("**missed**") {
                    true => ", **missed**",
                    false => "",
                };
                match beside.is_empty() {
                    true => figure + missed,
                    false => format!("{figure} ({beside}){missed}"),
                }
            })
        };
        let mut asked = of.iter().map(|(_, row)| row.aim.clone());
        let asked = asked.rfind(|it| !it.is_empty());
        let last = of.iter().max_by_key(|(_, row)| &row.date);
        let measured = last.map(|(_, row)| cells(row)[5].clone());
        let figures = sizes.iter().map(figure);
        let row = [name.to_owned()].into_iter().chain(figures);
        let row = row.chain([asked, measured].map(Option::unwrap_or_default));
        out += &line(row.map(|cell| cell.replace('|', "\\|")).collect());
    }
    out
}

/// The text of `RESULTS.md`.
pub fn markdown(rows: &[Row]) -> String {
    let mut out = String::from(
        "# Results\n\n\
         The latest figure of each target, made from `benches/results.csv` by `./x bench --record`. Less is better, unless\n\
         *asked* says otherwise. The ratio is the figure divided by that of what it is held against, measured in the same run.\n\
         *Asked* is what must be reached, in brackets what is aimed at.\n\n\
         | target | figure | held against | ratio | asked | measured |\n|---|---|---|---|---|---|\n",
    );
    let (sized, others): (Vec<&Row>, Vec<&Row>) = latest(rows)
        .into_iter()
        .partition(|row| of_size(row).is_some());
    for row in others {
        let cells = cells(row).map(|cell| cell.replace('|', "\\|"));
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
    if !sized.is_empty() {
        out += "\n## By size of the recording\n\n\
            Answers are those of whole processes with an index at hand. All of them are asked of recordings of up to 10^8 calls.\n\n";
        out += &by_size(&sized);
    }
    out
}
