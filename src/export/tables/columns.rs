//! The columns of the tables that a recording is written as, with what each means.

use callscape_facts::tables::Table;

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
    /// Whether it numbers rows, of this table or another one: nothing else may stand for such a number.
    pub is_id: bool,
    /// What it means, with its unit.
    pub about: &'static str,
}

const fn long(name: &'static str, about: &'static str) -> Column {
    Column {
        name,
        kind: Kind::Long,
        is_optional: false,
        is_id: false,
        about,
    }
}

const fn int(name: &'static str, about: &'static str) -> Column {
    Column {
        kind: Kind::Int,
        ..long(name, about)
    }
}

/// A number of a row, of this table or another one.
const fn id(name: &'static str, about: &'static str) -> Column {
    Column {
        is_id: true,
        ..int(name, about)
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
        "kind",
        "trace, with each call; sampled, with stacks at times; profile, without times",
    ),
    text(
        "unit",
        "unit of costs: nanoseconds, bytes, samples or others",
    ),
    text(
        "value",
        "value of a profile that is its cost; empty otherwise",
    ),
    or_null(long("duration_ns", "duration; null without times")),
    or_null(long("calls", "number of calls; null if not counted")),
    long("functions", "number of functions"),
    long("threads", "number of threads"),
    long("samples", "number of samples; 0 if every call was recorded"),
    long("warnings", "number of repairs and omissions while reading"),
    text(
        "clock",
        "unit of the times of objects, usually nanoseconds; empty without objects",
    ),
];

const THREADS: &[Column] = &[
    id("thread", "number of the thread in its recording, from 0"),
    text("id", "id in the recording"),
    text("process", "process in the recording"),
    text("name", "name; empty if it has none"),
    long("calls", "number of calls"),
    int("max_depth", "largest number of calls open at once"),
    long("start_ns", "first time, since the start of the recording"),
    long("end_ns", "last time, since the start of the recording"),
];

const FUNCTIONS: &[Column] = &[
    id(
        "function",
        "number of the function in its recording, from 0",
    ),
    text("name", "name"),
    text("module", "path of its module in the hierarchy"),
    text("file", "source file in the recording; empty if unknown"),
    int("line", "first line, from 1; 0 if unknown"),
    int(
        "line_column",
        "column where it starts, which distinguishes functions in one line; 0 if unknown",
    ),
    text("library", "program or library; empty if unknown"),
    or_null(long("calls", "number of calls; null if not counted")),
    long(
        "total",
        "total cost: recursion counts once; in the recording's unit",
    ),
    long("self", "self cost, in the recording's unit"),
    or_null(WAITING),
    or_null(SELF_WAITING),
    text(
        "levels",
        "parts of the path of its module, outermost first, separated by tabs",
    ),
];

const CALLS: &[Column] = &[
    id("thread", "number of the thread"),
    long(
        "call",
        "number of the call on its thread, in order of start, from 0",
    ),
    or_null(long(
        "parent",
        "number of the call that made it; null for an outermost call",
    )),
    id("function", "number of the function"),
    int("depth", "open calls around it; 0 for an outermost call"),
    long("start_ns", "start, since the start of the recording"),
    long("end_ns", "end, since the start of the recording"),
    long("self_ns", "time in the call itself, without its callees"),
    or_null(long(
        "waiting_ns",
        "waiting time in the call itself; null if unknown",
    )),
];

const LINKS: &[Column] = &[
    id(
        "thread",
        "number of the thread of the call that it leads to",
    ),
    long("call", "number of that call on its thread"),
    id(
        "from_thread",
        "number of the thread of the call that it comes from",
    ),
    long("from_call", "number of that call on its thread"),
    text(
        "kind",
        "span-parent, asynchronous-begin, follows-from, flow or wake-up",
    ),
];

const RELATIONS: &[Column] = &[
    id("caller", "number of the calling function"),
    id("callee", "number of the called function"),
    or_null(long("calls", "number of calls; null if not counted")),
    long(
        "total",
        "cost of these calls, each counted; in the recording's unit",
    ),
    long("self", "self cost of these calls, in the recording's unit"),
    or_null(WAITING),
    or_null(SELF_WAITING),
];

const CONTEXTS: &[Column] = &[
    id(
        "context",
        "number of the calling context, in preorder, from 0",
    ),
    or_null(id(
        "parent",
        "calling context of its caller; null for an outermost one",
    )),
    id("function", "number of the function"),
    int("depth", "contexts around it; 0 for an outermost one"),
    or_null(long("calls", "number of calls; null if not counted")),
    long("total", "cost with all below it, in the recording's unit"),
    long(
        "self",
        "cost of the context itself, in the recording's unit",
    ),
    or_null(WAITING),
    or_null(SELF_WAITING),
    long(
        "path",
        "hash of the names and modules of the functions on its path: the same in all recordings for the same path",
    ),
];

const SAMPLES: &[Column] = &[
    id("context", "number of the calling context"),
    text("value", "name of the weight in the recording"),
    text("unit", "unit of the weight"),
    long(
        "weight",
        "weight of the context itself; contexts of weight 0 are excluded",
    ),
];

const OBJECTS: &[Column] = &[
    long(
        "object",
        "number of the memory event that created it, from 0",
    ),
    id("thread", "number of the thread that created it"),
    id("stack", "number of the stack that created it"),
    or_null(id(
        "function",
        "number of the innermost function of that stack; null if it is empty",
    )),
    text("type", "its type; empty if unknown"),
    long("bytes", "its size; 1 if no sizes are recorded"),
    long("created", "time of creation, on the recording's clock"),
    or_null(long(
        "released",
        "time on the recording's clock; null if it is live at the end, or if releases are not recorded",
    )),
];

const STACKS: &[Column] = &[
    id("stack", "number of the stack, from 0, which is empty"),
    or_null(id(
        "parent",
        "the stack around its innermost function; null for the empty one",
    )),
    or_null(id(
        "function",
        "number of its innermost function; null for the empty one",
    )),
];

const MODULES: &[Column] = &[
    id("module", "number of the module, in preorder, from 0"),
    or_null(id(
        "parent",
        "number of the module that it is in; null for the outermost one",
    )),
    int("depth", "modules around it; 0 for the outermost one"),
    text(
        "kind",
        "directory, file, namespace, class, function or other kinds",
    ),
    text("name", "name"),
    text("path", "its path in the hierarchy"),
    int("line", "first line, from 1; 0 if it has none"),
    int("end_line", "last line; 0 if it has none"),
    int("code_lines", "lines of code"),
    or_null(id(
        "function",
        "number of this function in the recording; null if it did not run",
    )),
];

const WAITING: Column = long("waiting", "waiting time in the total; null if unknown");

const SELF_WAITING: Column = long(
    "self_waiting",
    "waiting time in the self cost; null if unknown",
);

/// The columns of a table, in their order.
pub fn columns_of(table: Table) -> &'static [Column] {
    match table {
        Table::Recordings => RECORDINGS,
        Table::Threads => THREADS,
        Table::Functions => FUNCTIONS,
        Table::Calls => CALLS,
        Table::Links => LINKS,
        Table::Relations => RELATIONS,
        Table::Contexts => CONTEXTS,
        Table::Samples => SAMPLES,
        Table::Objects => OBJECTS,
        Table::Stacks => STACKS,
        Table::Modules => MODULES,
    }
}
