//! Amounts of lines in words.

use super::model::{By, Graph};
use crate::analysis::comparison::amounts::Measure;
use crate::state::document::Document;
use crate::units::{Cost, grouped};

/// What amounts of two runs are compared by.
pub fn measure(by: By) -> Measure {
    match by {
        By::Cost => Measure::Total,
        By::Calls => Measure::Calls,
    }
}

/// An amount of a line, with its unit.
pub fn amount(document: &Document, graph: &Graph, by: By, value: f64) -> String {
    match (&graph.amount, by) {
        (Some(amount), by) => amount.by(measure(by)).text(value),
        (None, By::Cost) => document.show_cost(Cost::from_ns(value.max(0.0).round() as u64)),
        (None, By::Calls) => grouped(value.max(0.0).round() as u64),
    }
}
