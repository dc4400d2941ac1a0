//! `callscape compare`: what its tests share.

mod calling_contexts;
mod case_studies;
mod causes;
mod numbers;
mod pairs;
mod phases;
mod pictures;
mod real;
mod revisions;
mod time;
mod words;

use std::collections::BTreeMap;

use serde_json::{Value, json};

pub use super::common::text;
use super::common::{self, Random, Scratch};

/// How `callscape compare` ended, and what it printed.
pub struct Answer {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

pub fn run(arguments: &[&str]) -> Answer {
    let (code, out, err) = common::run(&[&["compare"], arguments].concat());
    Answer { code, out, err }
}

pub fn document(arguments: &[&str]) -> Value {
    common::json(&[&["compare"], arguments, &["--json"]].concat())
}

/// A call as the tests make them: function, start and end in nanoseconds, subcalls.
pub struct Made {
    pub function: usize,
    pub start: u64,
    pub end: u64,
    pub below: Vec<Made>,
}

/// A random call tree whose times are whole microseconds.
pub fn make(random: &mut Random, functions: u64, depth: u32, now: &mut u64) -> Made {
    let start = *now;
    *now += 1000 * random.below(4);
    let mut below = Vec::new();
    if depth > 0 {
        for _ in 0..random.below(4) {
            below.push(make(random, functions, depth - 1, now));
            *now += 1000 * random.below(3);
        }
    }
    *now += 1000 * (1 + random.below(5));
    Made {
        function: random.below(functions) as usize,
        start,
        end: *now,
        below,
    }
}

pub fn events(call: &Made, names: &[String], out: &mut Vec<Value>) {
    out.push(json!({"ph": "B", "name": names[call.function], "pid": 1, "tid": 1, "ts": call.start as f64 / 1000.0}));
    for below in &call.below {
        events(below, names, out);
    }
    out.push(json!({"ph": "E", "name": names[call.function], "pid": 1, "tid": 1, "ts": call.end as f64 / 1000.0}));
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sums {
    pub calls: u64,
    pub total: u64,
    pub own: u64,
}

pub type Functions = BTreeMap<String, Sums>;
pub type Relations = BTreeMap<(String, String), (u64, u64)>;

pub fn write_trace(
    scratch: &Scratch,
    name: &str,
    call: &Made,
    names: &[String],
) -> std::path::PathBuf {
    let mut list = Vec::new();
    events(call, names, &mut list);
    scratch.write(name, Value::Array(list).to_string().as_bytes())
}

pub fn side(value: &Value) -> Sums {
    let field = |name: &str| value[name].as_u64().expect("a whole number");
    Sums {
        calls: field("calls"),
        total: field("total_ns"),
        own: field("self_ns"),
    }
}

/// A trace in which `main` calls each function so many times in a row, each taking so many microseconds; functions
/// may have a file and line.
pub fn flat(scratch: &Scratch, name: &str, calls: &[(&str, &str, u32, u32)]) -> std::path::PathBuf {
    let mut now = 1;
    let mut list = Vec::new();
    for &(function, file, count, us) in calls {
        for _ in 0..count {
            let location = match file {
                "" => function.to_owned(),
                file => format!("{function} ({file})"),
            };
            list.push(
                json!({"ph": "X", "name": location, "pid": 1, "tid": 1, "ts": now, "dur": us}),
            );
            now += us;
        }
    }
    list.insert(0, json!({"ph": "X", "name": "main (/app/main.py:1)", "pid": 1, "tid": 1, "ts": 0, "dur": now + 1}));
    let document = json!({"traceEvents": list, "viztracer_metadata": {"version": "1.0"}});
    scratch.write(name, document.to_string().as_bytes())
}

pub fn row<'a>(document: &'a Value, name: &str) -> &'a Value {
    let rows = document["functions"].as_array().expect("a list");
    let found = rows.iter().find(|row| row["name"] == name);
    found.unwrap_or_else(|| panic!("{name} is in {document}"))
}
