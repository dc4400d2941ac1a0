//! Numbers of files and functions, as other tools write them.
//!
//! - CSV with a header, separated by `,`, `;` or tabs: one column of paths (`file`, `path`, `filename`, `component`), optionally
//!   `function` or `line`, and each other column with a number is one of the numbers. A name may end in its unit and direction,
//!   as `debt (min, more is worse)`, and have a date: columns that differ only by it are one of the numbers over time.
//! - JSON: a list of such rows as objects; CodeCharta's `cc.json` (<https://codecharta.com/docs/overview/file-format>); the
//!   answer of SonarQube's `api/measures/component_tree`.

use std::io::{BufRead, Read};

use serde_json::{Map, Value};

use super::dates;
use super::set::{Failed, MOST, Numbers, ResultSet, Row, plain_path};
use callscape_base::progress::Progress;

/// Of a document in JSON, which is held whole.
const LARGEST: u64 = 512 << 20;
/// Folders lie in each other no deeper in a `cc.json`.
const DEEPEST: usize = 100;

const PATHS: &[&str] = &["file", "path", "filename", "component"];

/// The separator of a table that begins with this line and has a column of paths.
pub(super) fn separator(line: &[u8]) -> Option<u8> {
    let fits = |separator: &u8| {
        let mut names = line.split(|it| it == separator);
        line.contains(separator) && names.any(|it| is_path(&String::from_utf8_lossy(it)))
    };
    [b',', b';', b'\t'].into_iter().find(fits)
}

fn plain(name: &str) -> String {
    name.trim().trim_matches('"').trim().to_lowercase()
}

fn is_path(name: &str) -> bool {
    PATHS.contains(&plain(name).as_str())
}

/// Reads a table.
pub(super) fn read_table(
    from: impl Read,
    separator: u8,
    set: &mut ResultSet,
    progress: &Progress,
) -> Result<(), Failed> {
    set.format = "numbers";
    let mut reader = csv::ReaderBuilder::new();
    let mut reader = reader.delimiter(separator).flexible(true).from_reader(from);
    let wrong = |error: csv::Error| Failed::Form(error.to_string());
    let header = reader.headers().map_err(wrong)?.clone();
    let place = |names: &[&str]| {
        header
            .iter()
            .position(|it| names.contains(&plain(it).as_str()))
    };
    let path = place(PATHS);
    let (function, line) = (place(&["function"]), place(&["line"]));
    let mut numbers = Numbers::default();
    // By column of the table, which of the numbers it is, once it has had one.
    let mut columns: Vec<Option<usize>> = vec![None; header.len()];
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(wrong)? {
        progress.check()?;
        let text = |at: Option<usize>| at.and_then(|it| record.get(it)).unwrap_or_default();
        let mut row = Row {
            file: plain_path(text(path).trim()),
            function: text(function).trim().to_owned(),
            line: text(line).trim().parse().unwrap_or(0),
            values: Vec::new(),
        };
        for (at, field) in record.iter().enumerate() {
            let is_place = [path, function, line].contains(&Some(at));
            let Some(value) = number(field).filter(|_| !is_place) else {
                continue;
            };
            let Some(slot) = columns.get_mut(at) else {
                set.left_out += 1;
                continue;
            };
            *slot = slot.or_else(|| numbers.column(header.get(at)?.trim()));
            keep(&mut row, *slot, value, &mut set.left_out);
        }
        add(&mut numbers, row, &mut set.left_out);
    }
    finish(numbers, set)
}

/// A number, whose decimal sign may be a comma.
fn number(field: &str) -> Option<f64> {
    let field = field.trim().trim_end_matches('%').trim_end();
    let number = field
        .parse()
        .or_else(|_| field.replacen(',', ".", 1).parse());
    number.ok().filter(|it: &f64| it.is_finite())
}

fn keep(row: &mut Row, slot: Option<usize>, value: f64, left_out: &mut u64) {
    match slot.filter(|_| value >= 0.0) {
        Some(slot) => {
            if row.values.len() <= slot {
                row.values.resize(slot + 1, f64::NAN);
            }
            row.values[slot] = value;
        }
        // Nothing shows less than nothing, and a file has no more numbers.
        None => *left_out += 1,
    }
}

fn add(numbers: &mut Numbers, row: Row, left_out: &mut u64) {
    if row.values.is_empty() {
        return;
    }
    match row.file.is_empty() || numbers.rows.len() >= MOST {
        true => *left_out += 1,
        false => numbers.rows.push(row),
    }
}

fn finish(mut numbers: Numbers, set: &mut ResultSet) -> Result<(), Failed> {
    if numbers.rows.is_empty() && set.left_out == 0 {
        return Err(Failed::Form("no number of a file".to_owned()));
    }
    for column in &mut numbers.columns {
        let Some((name, said)) = column.name.rsplit_once('(') else {
            continue;
        };
        let Some(said) = said.strip_suffix(')') else {
            continue;
        };
        let mut unit = Vec::new();
        for part in said.split(',').map(str::trim) {
            match part {
                "more is worse" => column.more_is_worse = true,
                "more is better" => column.more_is_worse = false,
                part => unit.push(part),
            }
        }
        (column.unit, column.name) = (unit.join(", "), name.trim().to_owned());
    }
    dates::join(&mut numbers, &mut set.left_out);
    set.numbers = Some(numbers);
    Ok(())
}

/// Reads a document in JSON.
pub(super) fn read_json(
    from: impl BufRead,
    set: &mut ResultSet,
    progress: &Progress,
) -> Result<(), Failed> {
    set.format = "numbers";
    let value: Value = serde_json::from_reader(from.take(LARGEST)).map_err(|error| {
        set.is_cut = error.is_eof();
        Failed::Form(error.to_string())
    })?;
    progress.check()?;
    let mut numbers = Numbers::default();
    // Newer files of CodeCharta have a checksum around what older ones have.
    let inner = value.get("data").filter(|it| it.get("nodes").is_some());
    let value = inner.unwrap_or(&value);
    if let Some(nodes) = value.get("nodes").and_then(Value::as_array) {
        for node in nodes {
            of_node(node, "", 0, &mut numbers, &mut set.left_out);
        }
        describe(value.get("attributeDescriptors"), &mut numbers);
    } else if let Some(components) = value.get("components").and_then(Value::as_array) {
        for component in components {
            of_component(component, &mut numbers, &mut set.left_out);
        }
    } else if let Some(rows) = value.as_array() {
        for row in rows.iter().filter_map(Value::as_object) {
            of_object(row, &mut numbers, &mut set.left_out);
        }
    } else {
        return Err(Failed::Form("a document of another kind".to_owned()));
    }
    finish(numbers, set)
}

fn text(of: &Value, name: &str) -> String {
    of.get(name)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}

/// A node of a `cc.json`: the outermost folder is the tree itself.
fn of_node(node: &Value, above: &str, depth: usize, numbers: &mut Numbers, left_out: &mut u64) {
    let name = text(node, "name");
    let path = match depth {
        0 => String::new(),
        1 => name,
        _ => format!("{above}/{name}"),
    };
    let is_folder = text(node, "type") == "Folder";
    if let Some(attributes) = node.get("attributes").and_then(Value::as_object)
        && !is_folder
    {
        let mut row = Row {
            file: path.clone(),
            ..Row::default()
        };
        fill(&mut row, attributes, numbers, left_out);
        add(numbers, row, left_out);
    }
    let children = node.get("children").and_then(Value::as_array);
    match children.filter(|it| !it.is_empty()) {
        Some(_) if depth >= DEEPEST => *left_out += 1,
        Some(children) => {
            for child in children {
                of_node(child, &path, depth + 1, numbers, left_out);
            }
        }
        None => {}
    }
}

fn fill(row: &mut Row, values: &Map<String, Value>, numbers: &mut Numbers, left_out: &mut u64) {
    for (name, value) in values {
        if let Some(value) = value.as_f64() {
            let slot = numbers.column(name);
            keep(row, slot, value, left_out);
        }
    }
}

/// Names and directions of a `cc.json`: 1 says that more is better, -1 that less is.
fn describe(of: Option<&Value>, numbers: &mut Numbers) {
    for column in &mut numbers.columns {
        let said = of.and_then(|of| of.get(&column.name));
        let direction = said
            .and_then(|it| it.get("direction"))
            .and_then(Value::as_i64);
        column.more_is_worse = direction == Some(-1);
    }
}

/// A component of SonarQube's answer.
fn of_component(component: &Value, numbers: &mut Numbers, left_out: &mut u64) {
    let is_file = ["FIL", "UTS", ""].contains(&text(component, "qualifier").as_str());
    let measures = component.get("measures").and_then(Value::as_array);
    let mut row = Row {
        file: text(component, "path"),
        ..Row::default()
    };
    for measure in measures.into_iter().flatten().filter(|_| is_file) {
        let value = measure
            .get("value")
            .and_then(Value::as_str)
            .and_then(number);
        if let Some(value) = value {
            let slot = numbers.column(&text(measure, "metric"));
            keep(&mut row, slot, value, left_out);
        }
    }
    add(numbers, row, left_out);
}

/// An object with a path and numbers.
fn of_object(of: &Map<String, Value>, numbers: &mut Numbers, left_out: &mut u64) {
    let path = of.iter().find(|(name, it)| is_path(name) && it.is_string());
    let said = |name: &str| of.get(name).and_then(Value::as_str).unwrap_or_default();
    let line = of.get("line").and_then(Value::as_u64);
    let mut row = Row {
        file: path
            .and_then(|(_, it)| it.as_str())
            .map(plain_path)
            .unwrap_or_default(),
        function: said("function").to_owned(),
        line: line.and_then(|it| u32::try_from(it).ok()).unwrap_or(0),
        values: Vec::new(),
    };
    let values = of.iter().filter(|(name, _)| *name != "line");
    let values: Map<String, Value> = values
        .map(|(name, it)| (name.clone(), it.clone()))
        .collect();
    fill(&mut row, &values, numbers, left_out);
    add(numbers, row, left_out);
}
