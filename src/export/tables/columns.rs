//! The tables that a recording is written as: their columns, with what each means.

use std::fmt;

/// A table, as `--tables` and the folders name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Table {
    Recordings,
    Threads,
    Functions,
    Calls,
    Relations,
    Contexts,
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// 64 bits, with a sign.
    Long,
    /// 32 bits, with a sign.
    Int,
    Text,
}

/// A column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    pub name: &'static str,
    pub kind: Kind,
    /// Whether it may be null.
    pub is_optional: bool,
    /// What it means, with its unit.
    pub about: &'static str,
}

const fn long(name: &'static str, about: &'static str) -> Column {
    Column {
        name,
        kind: Kind::Long,
        is_optional: false,
        about,
    }
}

const fn int(name: &'static str, about: &'static str) -> Column {
    Column {
        kind: Kind::Int,
        ..long(name, about)
    }
}

const fn text(name: &'static str, about: &'static str) -> Column {
    Column {
        kind: Kind::Text,
        ..long(name, about)
    }
}

const fn or_null(column: Column) -> Column {
    Column {
        is_optional: true,
        ..column
    }
}

const RECORDINGS: &[Column] = &[
    text("name", "name of the recording's file"),
    text("format", "format that it was read from"),
    text(
        "unit",
        "what one of a cost is: nanoseconds, bytes, samples or other things",
    ),
    or_null(long("duration_ns", "how long it lasts; null without times")),
    or_null(long(
        "calls",
        "number of calls; null where they are not counted",
    )),
    long("functions", "number of functions"),
    long("threads", "number of threads"),
    long(
        "samples",
        "number of samples; 0 where every call was recorded",
    ),
    long(
        "warnings",
        "how often something was repaired or left out while reading",
    ),
];

const THREADS: &[Column] = &[
    int("thread", "number of the thread in its recording, from 0"),
    text("id", "as the recording names it"),
    text("process", "process, as the recording names it"),
    text("name", "name; empty where it has none"),
    long("calls", "number of calls"),
    int("max_depth", "largest number of calls open at once"),
    long("start_ns", "first time, since the start of the recording"),
    long("end_ns", "last time, since the start of the recording"),
];

const FUNCTIONS: &[Column] = &[
    int(
        "function",
        "number of the function in its recording, from 0",
    ),
    text("name", "name"),
    text("module", "path of its module in the hierarchy"),
    text(
        "file",
        "source file as the recording names it; empty where unknown",
    ),
    int("line", "first line, from 1; 0 where unknown"),
    text("library", "program or library; empty where unknown"),
    or_null(long(
        "calls",
        "number of calls; null where they are not counted",
    )),
    long(
        "total",
        "total cost: recursion counts once; in the recording's unit",
    ),
    long("self", "self cost, in the recording's unit"),
];

const CALLS: &[Column] = &[
    int("thread", "number of the thread"),
    int(
        "call",
        "number of the call on its thread, in order of start, from 0",
    ),
    or_null(int(
        "parent",
        "number of the call that made it; null for an outermost call",
    )),
    int("function", "number of the function"),
    int("depth", "open calls around it; 0 for an outermost call"),
    long("start_ns", "start, since the start of the recording"),
    long("end_ns", "end, since the start of the recording"),
    long("self_ns", "time in the call itself, without what it calls"),
    or_null(long(
        "waiting_ns",
        "of the time in the call itself what its thread waited; null where unknown",
    )),
];

const RELATIONS: &[Column] = &[
    int("caller", "number of the calling function"),
    int("callee", "number of the called function"),
    or_null(long(
        "calls",
        "number of calls; null where they are not counted",
    )),
    long(
        "total",
        "cost of these calls, each counted; in the recording's unit",
    ),
];

const CONTEXTS: &[Column] = &[
    int(
        "context",
        "number of the calling context, in preorder, from 0",
    ),
    or_null(int(
        "parent",
        "context that it is called in; null for an outermost one",
    )),
    int("function", "number of the function"),
    int("depth", "contexts around it; 0 for an outermost one"),
    or_null(long(
        "calls",
        "number of calls; null where they are not counted",
    )),
    long("total", "cost with all below it, in the recording's unit"),
    long(
        "self",
        "cost of the context itself, in the recording's unit",
    ),
];

impl Table {
    pub const ALL: [Table; 6] = [
        Table::Recordings,
        Table::Threads,
        Table::Functions,
        Table::Calls,
        Table::Relations,
        Table::Contexts,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Table::Recordings => "recordings",
            Table::Threads => "threads",
            Table::Functions => "functions",
            Table::Calls => "calls",
            Table::Relations => "relations",
            Table::Contexts => "contexts",
        }
    }

    /// The table of this name.
    pub fn named(name: &str) -> Option<Table> {
        Table::ALL.into_iter().find(|it| it.name() == name)
    }

    pub fn columns(self) -> &'static [Column] {
        match self {
            Table::Recordings => RECORDINGS,
            Table::Threads => THREADS,
            Table::Functions => FUNCTIONS,
            Table::Calls => CALLS,
            Table::Relations => RELATIONS,
            Table::Contexts => CONTEXTS,
        }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
