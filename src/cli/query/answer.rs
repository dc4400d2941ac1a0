//! Rows that an engine has answered: read, and written as a table, CSV or JSON.

use std::fmt;
use std::io;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::output::{self, Align, Table};
use callscape_base::escape;

/// Rows with their columns in order.
pub(super) struct Answer(Vec<Row>);

struct Row(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Row {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Row, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Row;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a row")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Row, A::Error> {
                let mut cells = Vec::new();
                while let Some(cell) = map.next_entry()? {
                    cells.push(cell);
                }
                Ok(Row(cells))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

impl Serialize for Row {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// A value for people and for CSV; empty for null.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

/// A value in a table for people; fractions are rounded to three decimal places.
fn rounded(value: &Value) -> String {
    match value {
        Value::Number(number) if number.is_f64() => match number.as_f64() {
            Some(n) if n != 0.0 && n.abs() < 0.001 => format!("{n:.1e}"),
            Some(n) => format!("{n:.3}"),
            None => number.to_string(),
        },
        value => shown(value),
    }
}

impl Answer {
    /// Parses a JSON document of rows, each an object. An empty document has no rows.
    pub(super) fn parse(text: &str) -> serde_json::Result<Answer> {
        match text {
            // What some versions of the program write of no rows.
            "" | "[{]" => Ok(Answer(Vec::new())),
            text => Ok(Answer(serde_json::from_str(text)?)),
        }
    }

    /// One JSON document on standard output.
    pub(super) fn print_json(&self) -> anyhow::Result<()> {
        output::print_json(&self.0)
    }

    /// Prints CSV to standard output, with the header `columns` if there are no rows. Names are escaped so that no
    /// spreadsheet treats one as a formula.
    pub(super) fn print_csv(&self, columns: &[&'static str]) -> anyhow::Result<()> {
        output::print_data(|out| {
            let mut table = csv::Writer::from_writer(out);
            table.write_record(columns).map_err(io::Error::from)?;
            for Row(cells) in &self.0 {
                let cells = cells.iter().map(|(_, value)| shown(value));
                let cells: Vec<String> = cells.map(|it| escape::cell(&it).into_owned()).collect();
                table.write_record(cells).map_err(io::Error::from)?;
            }
            table.flush()
        })
    }

    /// A table for people on standard output.
    pub(super) fn print_table(&self, columns: &[&'static str]) -> anyhow::Result<()> {
        let is_number = |column: usize| {
            let mut values = self.0.iter().filter_map(|row| row.0.get(column));
            !values.any(|(_, value)| value.is_string())
        };
        let headings = columns.iter().enumerate().map(|(place, name)| {
            let align = match is_number(place) {
                true => Align::Right,
                false => Align::Left,
            };
            (*name, align)
        });
        let headings: Vec<_> = headings.collect();
        let mut table = Table::new(&headings);
        for Row(cells) in &self.0 {
            table.row(cells.iter().map(|(_, value)| rounded(value)));
        }
        output::print(|out| table.write(out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_keep_the_order_of_their_columns() {
        let text = r#"[{"z":1,"a":"x","m":null},{"z":9007199254740993,"a":"y","m":0.5}]"#;
        let answer = Answer::parse(text).expect("these are rows");
        let again = serde_json::to_string(&answer.0).expect("memory takes all");
        assert_eq!(again, text);
        for none in ["", "[]", "[{]"] {
            assert!(Answer::parse(none).expect("no rows").0.is_empty());
        }
        assert!(Answer::parse("[1]").is_err());
        assert!(Answer::parse("[{").is_err());
    }
}
