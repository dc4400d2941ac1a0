//! Runs of a made-up program as traces and recordings.

use std::path::{Path, PathBuf};

use super::generate::{Plan, Program, write_uftrace};
use callscape_base::progress::Progress;
use callscape_base::units::FunctionId;
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::builder::{Timestamp, TraceBuilder};
use callscape_facts::functions::{Function, Functions};
use callscape_facts::trace::Trace;

fn place() -> Place {
    Place::file("generated")
}

/// The functions and calls of all threads of a program, whose functions are all in `file`.
pub fn build(program: &Program, file: &str, reporter: &Reporter) -> (Functions, Trace) {
    let mut builder = TraceBuilder::new(reporter);
    let function = |function| {
        builder.function(Function {
            name: &program.name(function),
            file,
            ..Function::default()
        })
    };
    let ids: Vec<FunctionId> = (0..program.functions()).map(function).collect();
    for thread in 0..program.plan.threads {
        let id = builder.thread("1", &thread.to_string());
        for event in program.run(thread) {
            let time = Timestamp::from_ns(event.time as i64);
            let function = ids[event.function as usize];
            match event.enter {
                true => builder.enter(id, time, function, place),
                false => drop(builder.exit(id, time, Some(function), place)),
            }
        }
    }
    builder.finish(place)
}

/// Writes a recording of uftrace into `folder`, with its index next to it.
pub fn record(folder: &Path, name: &str, plan: Plan) -> PathBuf {
    let dir = folder.join(name);
    write_uftrace(&Program::new(plan), &dir).expect("a recording");
    callscape_import::open(&dir, &Progress::new()).expect("an index");
    dir
}
