//! Tables 1 and 2 of "Visualizing and animating sampled dynamic information" (AVID) on recordings of our own: how large what
//! each way of sampling keeps is, and what of a known problem can still be seen in it. Also how fast sampling is beside
//! the import of the same recording, in the same run.
//!
//! Run with `./x bench sampling`; the folder of recordings is that of `CALLSCAPE_TEST_DATA`. The tables replace those in
//! `docs/sampling.md`, which says what a feature is and when it counts as seen.

use std::collections::HashMap;
use std::hint::black_box;
use std::path::{Path, PathBuf};

use callscape::analysis::sampling::{Keep, KeepRule, sample};
use callscape::facts::memory::StackId;
use callscape::facts::recording::Recording;
use callscape::facts::sampling::{Flow, Objects, Plan, Rule, Stretch};
use callscape::import;
use callscape::progress::Progress;
use callscape::units::{Cost, FunctionId, Time};

use callscape_testing::measured::Measured;
use callscape_testing::timing::least;

/// A problem: the recording that has it, and one from which it is gone.
const PAIRS: [(&str, &str, &str); 4] = [
    (
        "SQLite: a join without an index",
        "uftrace/sqlite-join-unoptimized",
        "uftrace/sqlite-join-optimized",
    ),
    (
        "Lua: a string that grows by `..`",
        "uftrace/lua-report-unoptimized.tar.gz",
        "uftrace/lua-report-optimized.tar.gz",
    ),
    (
        "packaging 25.0 and 26.3",
        "chrome/packaging-25.0.viztracer.json.gz",
        "chrome/packaging-26.3.viztracer.json.gz",
    ),
    (
        "SQLAlchemy: one query for each customer",
        "causes/orm-before.viztracer.json.gz",
        "causes/orm-after.viztracer.json.gz",
    ),
];
const HEAP: &str = "memory/python-trees.heaptrack.zst";

/// A call from one function to another.
type Pair = (String, String);

/// The calls between functions with their starts, in order of start, thread by thread.
fn calls(recording: &Recording) -> HashMap<Pair, Vec<Time>> {
    let mut found: HashMap<(FunctionId, FunctionId), Vec<Time>> = HashMap::new();
    let trace = &recording.trace;
    for thread in trace.thread_ids() {
        let count = trace.threads()[thread.index()].calls as u32;
        let mut stack: Vec<FunctionId> = Vec::new();
        for call in trace.calls_numbered(thread, 0..count) {
            stack.truncate(call.depth as usize);
            if let Some(&caller) = stack.last() {
                let starts = found.entry((caller, call.function)).or_default();
                starts.push(call.start);
            }
            stack.push(call.function);
        }
    }
    let name = |id: FunctionId| recording.functions.get(id).name.to_owned();
    let mut named: HashMap<Pair, Vec<Time>> = HashMap::new();
    for ((caller, callee), starts) in found {
        let of = named.entry((name(caller), name(callee))).or_default();
        of.extend(starts);
        of.sort();
    }
    named
}

/// What can be seen of a problem: calls of one pair before and after a moment, which is a call of another.
struct Features {
    pair: Pair,
    moment: Pair,
    at: Time,
    before: usize,
    after: usize,
}

impl Features {
    /// The pair whose calls differ most between the two runs; and of the pairs called once the call nearest to the middle
    /// of its calls.
    fn find(slow: &HashMap<Pair, Vec<Time>>, fast: &HashMap<Pair, Vec<Time>>) -> Features {
        let count = |pair: &Pair| fast.get(pair).map_or(0, Vec::len);
        let most = slow
            .iter()
            .max_by_key(|(pair, starts)| (starts.len().saturating_sub(count(pair)), *pair));
        let (pair, starts) = most.expect("a recording with calls");
        let middle = starts[starts.len() / 2];
        let once = slow.iter().filter(|(_, starts)| starts.len() == 1);
        let nearest =
            once.min_by_key(|(pair, starts)| (starts[0].ns().abs_diff(middle.ns()), *pair));
        let (moment, at) = nearest.expect("a call that happens once");
        let before = starts.partition_point(|&it| it < at[0]);
        Features {
            pair: pair.clone(),
            moment: moment.clone(),
            at: at[0],
            before,
            after: starts.len() - before,
        }
    }

    /// Which of them are seen, by the rule in `docs/sampling.md`.
    fn seen(&self, slow: &Recording, fast: &Recording) -> String {
        let (slow, fast) = (calls(slow), calls(fast));
        let starts = slow.get(&self.pair).map_or(&[][..], Vec::as_slice);
        let other = fast.get(&self.pair).map_or(0, Vec::len);
        let stands_out = |count: usize| count >= 3 && starts.len() > 2 * other;
        let moment = slow.get(&self.moment).and_then(|it| it.first());
        let Some(&at) = moment else {
            return match stands_out(starts.len()) {
                true => format!("in part: {} calls, but not the moment", starts.len()),
                false => format!("none; {} calls", starts.len()),
            };
        };
        let before = starts.partition_point(|&it| it < at);
        let sides = [("F-1", before), ("F-2", starts.len() - before)];
        let seen = sides.iter().filter(|it| stands_out(it.1));
        let mut seen: Vec<String> = seen
            .map(|(name, count)| format!("{name} with {count} calls"))
            .collect();
        seen.push("F-3".to_owned());
        seen.join(", ")
    }
}

fn open(path: &Path) -> Recording {
    let found = import::open(path, &Progress::new());
    found.unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Bytes of the index of a recording.
fn bytes(recording: &Recording, folder: &Path) -> u64 {
    let place = folder.join("sampled.callscape");
    import::index::save(recording, &place).expect("it can be written");
    place.metadata().map_or(0, |it| it.len())
}

fn run(recording: &Recording, plan: &Plan, keep: &Keep) -> Recording {
    sample(recording, plan, keep, &Progress::new()).expect("it can be sampled")
}

fn keep_moment(recording: &Recording, moment: &Pair) -> Keep {
    let rule: KeepRule = format!("{} -> {}", moment.0, moment.1)
        .parse()
        .expect("a rule");
    let functions = &recording.functions;
    let found = Keep::among(&[rule], functions.len(), |name, id| {
        functions.get(id).name == name
    });
    // The other run may do without these functions.
    found.unwrap_or_default()
}

fn size(bytes: u64, whole: u64) -> String {
    let share = bytes as f64 / whole as f64 * 100.0;
    format!("{:.1} kB | {share:.1} %", bytes as f64 / 1000.0)
}

fn table_of_calls(data: &Path, folder: &Path, out: &mut String) {
    for (title, slow, fast) in PAIRS {
        let (slow, fast) = (open(&data.join(slow)), open(&data.join(fast)));
        let features = Features::find(&calls(&slow), &calls(&fast));
        let whole = bytes(&slow, folder);
        let name = |pair: &Pair| format!("`{}` → `{}`", pair.0, pair.1);
        *out += &format!(
            "\n**{title}.** F-1: {} calls {} before a call {}. F-2: {} such calls after it. F-3: that call.\n\n\
             | sampling | size | of the original | seen |\n|---|---:|---:|---|\n",
            features.before,
            name(&features.pair),
            name(&features.moment),
            features.after
        );
        let flow = |flow| Plan::of(Rule { flow, ..Rule::ALL });
        let part = |of: &Recording, parts: u64| {
            Flow::StacksEvery(Cost::from_ns((of.trace.duration().ns() / parts).max(1)))
        };
        let around = |of: &Recording| {
            let mut plan = flow(part(of, 1000));
            let margin = Cost::from_ns(of.trace.duration().ns() / 100);
            plan.ranges.push(Stretch {
                start: features.at - margin,
                end: features.at + margin,
                rule: Rule::ALL,
            });
            plan
        };
        type Way<'a> = (&'a str, Box<dyn Fn(&Recording) -> Plan + 'a>, bool);
        let ways: [Way<'_>; 10] = [
            ("everything", Box::new(|_| flow(Flow::All)), false),
            (
                "C-1, x = 1000",
                Box::new(|_| flow(Flow::Events(1000))),
                false,
            ),
            ("C-1, x = 100", Box::new(|_| flow(Flow::Events(100))), false),
            ("C-1, x = 10", Box::new(|_| flow(Flow::Events(10))), false),
            (
                "C-2, x = 1000",
                Box::new(|_| flow(Flow::Stacks(1000))),
                false,
            ),
            ("C-2, x = 100", Box::new(|_| flow(Flow::Stacks(100))), false),
            (
                "C-3, 0.1 % of the run",
                Box::new(|it| flow(part(it, 1000))),
                false,
            ),
            (
                "C-3, 0.01 % of the run",
                Box::new(|it| flow(part(it, 10_000))),
                false,
            ),
            (
                "C-3, 0.1 %, and a trace 1 % around F-3",
                Box::new(around),
                false,
            ),
            (
                "C-3, 0.1 %, F-3 always kept",
                Box::new(|it| flow(part(it, 1000))),
                true,
            ),
        ];
        for (name, plan, keeps) in &ways {
            let sampled = |of: &Recording| {
                let keep = match keeps {
                    true => keep_moment(of, &features.moment),
                    false => Keep::default(),
                };
                run(of, &plan(of), &keep)
            };
            let (slow, fast) = (sampled(&slow), sampled(&fast));
            let size = size(bytes(&slow, folder), whole);
            let seen = features.seen(&slow, &fast);
            *out += &format!("| {name} | {size} | {seen} |\n");
        }
    }
}

/// The function and the stack with most allocations, by name, and how many the function has.
fn most(recording: &Recording) -> ((String, u32), Vec<String>) {
    let memory = recording.memory.as_ref().expect("a recording of memory");
    let events = memory.events().expect("one with events");
    let name = |id: FunctionId| recording.functions.get(id).name.to_owned();
    let mut functions: HashMap<String, u32> = HashMap::new();
    let mut stacks: HashMap<StackId, u32> = HashMap::new();
    let state = events.state(events.end());
    for (cell, totals) in events.cells().iter().zip(state.cells()) {
        let function = memory.creator(*cell).map_or_else(String::new, name);
        *functions.entry(function).or_default() += totals.allocations;
        *stacks.entry(cell.stack).or_default() += totals.allocations;
    }
    let function = functions.into_iter().max_by_key(|it| (it.1, it.0.clone()));
    let stack = stacks.into_iter().max_by_key(|it| (it.1, it.0));
    let stack = stack.map_or(StackId::EMPTY, |it| it.0);
    (
        function.unwrap_or_default(),
        memory.stacks.functions(stack).map(name).collect(),
    )
}

fn table_of_memory(data: &Path, folder: &Path, out: &mut String) {
    let recording = open(&data.join(HEAP));
    let whole = bytes(&recording, folder);
    let (function, stack) = most(&recording);
    *out += &format!(
        "\n**Python: trees of objects.** F-1: most objects are allocated by `{}`, {} of them. F-2: the stack that allocates \
         most.\n\n| sampling | size | of the original | seen |\n|---|---:|---:|---|\n",
        function.0, function.1
    );
    let end = recording.memory.as_ref().map_or(1, |it| it.end.ns());
    let every = Objects::Every(Cost::from_ns((end / 1000).max(1)));
    for (name, objects, with_stack) in [
        ("everything", Objects::All, true),
        ("M-1, x = 100", Objects::Events(100), false),
        ("M-1, x = 1000", Objects::Events(1000), false),
        ("M-2, 0.1 % of the run", every, false),
        ("M-3 with M-1, x = 100", Objects::Events(100), true),
        ("M-3 with M-1, x = 1000", Objects::Events(1000), true),
        ("M-3 with M-2, 0.1 % of the run", every, true),
    ] {
        let plan = Plan::of(Rule {
            flow: Flow::All,
            objects,
            with_stack,
        });
        let sampled = run(&recording, &plan, &Keep::default());
        let (found, found_stack) = most(&sampled);
        let mut seen = Vec::new();
        if found.0 == function.0 {
            seen.push(format!("F-1 with {} objects", found.1));
        }
        if found_stack == stack {
            seen.push("F-2".to_owned());
        }
        if seen.is_empty() {
            seen.push("none".to_owned());
        }
        let size = size(bytes(&sampled, folder), whole);
        *out += &format!("| {name} | {size} | {} |\n", seen.join(", "));
    }
}

/// A recording of calls and of memory that has a problem, and one from which it is gone.
const BOTH: [&str; 2] = ["clustering-any-order.uftrace", "clustering-sorted.uftrace"];

/// By function, how often it is called, and how many objects it allocates.
fn by_function(recording: &Recording) -> [HashMap<String, u32>; 2] {
    let name = |id: FunctionId| recording.functions.get(id).name.to_owned();
    let [mut calls, mut objects] = [HashMap::new(), HashMap::new()];
    let trace = &recording.trace;
    for thread in trace.thread_ids() {
        let count = trace.threads()[thread.index()].calls as u32;
        for call in trace.calls_numbered(thread, 0..count) {
            *calls.entry(name(call.function)).or_default() += 1;
        }
    }
    let memory = recording.memory.as_ref().expect("a recording of memory");
    let events = memory.events().expect("one with events");
    let state = events.state(events.end());
    for (cell, totals) in events.cells().iter().zip(state.cells()) {
        if let Some(function) = memory.creator(*cell) {
            *objects.entry(name(function)).or_default() += totals.allocations;
        }
    }
    [calls, objects]
}

/// The functions whose calls and whose objects differ most, among those that have at least twice as many with the problem.
struct CallsAndObjects([String; 2]);

impl CallsAndObjects {
    fn find(slow: &Recording, fast: &Recording) -> CallsAndObjects {
        let [slow, fast] = [slow, fast].map(by_function);
        let found = [0, 1].map(|of| {
            let other = |name: &String| fast[of].get(name).copied().unwrap_or(0);
            let all = slow[of].iter();
            let twice = all.filter(|(name, count)| **count >= 2 * other(name));
            let most = twice.max_by_key(|&(name, &count)| (count - other(name), name));
            most.expect("one that the problem is about").0.clone()
        });
        CallsAndObjects(found)
    }

    fn counts(&self, recording: &Recording) -> [u32; 2] {
        let found = by_function(recording);
        [0, 1].map(|of| found[of].get(&self.0[of]).copied().unwrap_or(0))
    }

    /// Which of them are seen, by the rule in `docs/sampling.md`.
    fn seen(&self, slow: &Recording, fast: &Recording) -> String {
        let (slow, fast) = (self.counts(slow), self.counts(fast));
        let names = [("F-1", "calls"), ("F-2", "objects")];
        let seen = (0..2).map(|at| {
            let ((name, what), count, other) = (names[at], slow[at], fast[at]);
            let is_seen = count >= 3 && 2 * count > 3 * other;
            let not = if is_seen { "" } else { "not " };
            format!("{not}{name}, {count} {what} ({other})")
        });
        seen.collect::<Vec<_>>().join("; ")
    }
}

fn table_of_both(folder: &Path, out: &mut String) {
    let papers = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/papers");
    let [slow, fast] = BOTH.map(|it| open(&papers.join(it)));
    let features = CallsAndObjects::find(&slow, &fast);
    let whole = bytes(&slow, folder);
    *out += &format!(
        "\n**Clustering: a cache that misses.** F-1: calls of `{}`. F-2: objects that `{}` allocates. In \
         parentheses: in the recording without the problem.\n\n| sampling | size | of the original | seen |\n|---|---:|---:|---|\n",
        features.0[0], features.0[1]
    );
    let end = slow.memory.as_ref().map_or(1, |it| it.end.ns());
    let every = Objects::Every(Cost::from_ns((end / 1000).max(1)));
    for (name, flow, objects, with_stack) in [
        ("everything", Flow::All, Objects::All, true),
        (
            "C-1, x = 100, with M-1, x = 100",
            Flow::Events(100),
            Objects::Events(100),
            false,
        ),
        (
            "C-1, x = 10, with M-1, x = 10",
            Flow::Events(10),
            Objects::Events(10),
            false,
        ),
        (
            "C-1, x = 2, with M-1, x = 2",
            Flow::Events(2),
            Objects::Events(2),
            false,
        ),
        (
            "M-3 with M-1, x = 100",
            Flow::Off,
            Objects::Events(100),
            true,
        ),
        ("M-3 with M-1, x = 10", Flow::Off, Objects::Events(10), true),
        ("M-3 with M-2, 0.1 % of the run", Flow::Off, every, true),
    ] {
        let plan = Plan::of(Rule {
            flow,
            objects,
            with_stack,
        });
        let sampled = |of: &Recording| run(of, &plan, &Keep::default());
        let (slow, fast) = (sampled(&slow), sampled(&fast));
        let size = size(bytes(&slow, folder), whole);
        *out += &format!("| {name} | {size} | {} |\n", features.seen(&slow, &fast));
    }
}

fn speed(data: &Path) {
    let path = data.join(PAIRS[0].1);
    let import = || import::read_as("uftrace", &path, &Progress::new());
    let import_time = least(5, || drop(black_box(import()))).0.as_secs_f64();
    let recording = open(&path);
    let events = recording.trace.events() as f64 / 1e6;
    for (name, flow) in [
        ("C-1, x = 100", Flow::Events(100)),
        ("C-2, x = 100", Flow::Stacks(100)),
    ] {
        let plan = Plan::of(Rule { flow, ..Rule::ALL });
        let time = least(5, || {
            drop(black_box(run(&recording, &plan, &Keep::default())))
        })
        .0
        .as_secs_f64();
        Measured {
            target: &format!("sampling: {name}, {:.1} million events", events),
            value: time / events * 1e3,
            unit: "ns an event",
            peer: Some(("import of the same recording", import_time / events * 1e3)),
            aim: "≤ 0.5 ×",
            ..Measured::default()
        }
        .print();
    }
}

/// What stands before and behind the tables.
const MARKS: [&str; 2] = [
    "<!-- tables: ./x bench sampling -->\n",
    "<!-- end of tables -->",
];

fn main() -> std::io::Result<()> {
    let Some(data) = std::env::var_os("CALLSCAPE_TEST_DATA").map(PathBuf::from) else {
        println!("left out: needs the recordings of CALLSCAPE_TEST_DATA");
        return Ok(());
    };
    let folder = std::env::temp_dir().join(format!("callscape-sampling-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let mut tables = String::new();
    table_of_calls(&data, &folder, &mut tables);
    table_of_memory(&data, &folder, &mut tables);
    table_of_both(&folder, &mut tables);
    println!("{tables}");
    speed(&data);
    std::fs::remove_dir_all(&folder)?;
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/sampling.md");
    let text = std::fs::read_to_string(&document)?;
    let parts = text
        .split_once(MARKS[0])
        .and_then(|(before, rest)| Some((before, rest.split_once(MARKS[1])?.1)));
    if let Some((before, behind)) = parts {
        let text = format!("{before}{}{tables}\n{}{behind}", MARKS[0], MARKS[1]);
        std::fs::write(&document, text)?;
    }
    Ok(())
}
