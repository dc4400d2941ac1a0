//! uftrace: every call of a native program. A program that was not built for it is patched as it starts (`-P .`).
//! <https://github.com/namhyung/uftrace/blob/master/doc/uftrace-record.md>

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use super::elf;
use super::ended::Ended;
use super::error::RecordError;
use super::excluded;
use super::program::Kind;
use super::recorder::Recorder;
use super::run::{Done, Plan, Run};
use super::running::{self, command, said};
use super::seen::Seen;
use super::signals::{SWITCH, Switch};
use super::symbols::{lists, of_symbols};
use callscape_base::units::counted;
use callscape_import::demangle::demangle;

/// Arguments and answers of what gives memory and takes it back, as `import` reads them.
const MEMORY: [(&str, &str); 12] = [
    ("-A", "^malloc$@arg1/u64"),
    ("-R", "^malloc$@retval/x64"),
    ("-A", "^free$@arg1/x64"),
    ("-A", "^calloc$@arg1/u64,arg2/u64"),
    ("-R", "^calloc$@retval/x64"),
    ("-A", "^realloc$@arg1/x64,arg2/u64"),
    ("-R", "^realloc$@retval/x64"),
    ("-A", "^memalign$@arg1/u64,arg2/u64"),
    ("-R", "^memalign$@retval/x64"),
    ("-A", "^aligned_alloc$@arg1/u64,arg2/u64"),
    ("-R", "^aligned_alloc$@retval/x64"),
    ("-A", "^posix_memalign$@arg1/x64,arg2/u64,arg3/u64"),
];

/// So many functions are named in one pattern.
const TOGETHER: usize = 40;

pub(crate) fn run(run: &Run<'_>, seen: &mut dyn FnMut(Seen)) -> Result<Done, RecordError> {
    let folder = run.place.folder.join("recording");
    let only = only(run)?;
    let patched = only.as_ref().map_or(Patched::All, |it| Patched::Only(it));
    run_until(run, (&patched, &folder), None, seen)
}

/// The symbols of the functions that are recorded; none for all.
fn only(run: &Run<'_>) -> Result<Option<Vec<String>>, RecordError> {
    let (wanted, program) = (&run.wish.only, &run.program.path);
    let is_instrumented = matches!(run.program.kind, Kind::Executable(elf) if elf.is_instrumented);
    let asked = [
        ("--only", !wanted.is_empty()),
        ("--min-size", run.wish.min_size.is_some()),
    ];
    if let Some((option, _)) = asked.into_iter().find(|it| it.1 && is_instrumented) {
        let reason = format!(
            "{option}: uftrace records all of a program that was built for it; frida can choose"
        );
        return Err(RecordError::program(program, reason));
    }
    if wanted.is_empty() {
        return Ok(None);
    }
    let symbols = excluded::symbols(program, "--only", wanted, run.wish)?;
    check_length(program, &symbols)?;
    Ok(Some(symbols))
}

/// Fails where uftrace takes no list as long.
pub(crate) fn check_length(program: &Path, symbols: &[String]) -> Result<(), RecordError> {
    let length: usize = symbols.iter().map(|it| pattern_length(it)).sum();
    if length <= LONGEST_LIST {
        return Ok(());
    }
    let functions = counted(symbols.len() as u64, "function", "functions");
    let reason = format!("{functions} are more than uftrace can choose or exclude; frida can");
    Err(RecordError::program(program, reason))
}

/// Which functions are patched in a program that was not built for it.
pub(crate) enum Patched<'a> {
    All,
    /// By their symbols.
    Only(&'a [String]),
}

/// The same, patching only some functions, recording into `folder`, and asking the program to end after `limit`.
pub(crate) fn run_until(
    run: &Run<'_>,
    (patched, folder): (&Patched<'_>, &Path),
    limit: Option<Duration>,
    seen: &mut dyn FnMut(Seen),
) -> Result<Done, RecordError> {
    let wanted = run.wish.only_while.as_deref();
    let wanted = wanted.map(|name| symbols_named(run, name)).transpose()?;
    let mut plan = plan(run, patched, wanted.as_deref(), folder)?;
    if limit.is_some() {
        let streams = plan.command.stdin(Stdio::null()).stdout(Stdio::null());
        streams.stderr(Stdio::null());
    }
    let ran = running::run(&mut plan, limit, seen)?;
    let known = exit_status(folder);
    let ended = match (ran.program, known) {
        // uftrace waited for the program and noted how it ended.
        (Ended::Unknown, Some(known)) => known,
        (ended, _) => ended,
    };
    let has_records = records(folder) > 0;
    let only_while = run.wish.only_while.as_ref();
    if let Some(function) = only_while.filter(|_| !has_records) {
        // Nothing is in it.
        let _ = fs::remove_dir_all(folder);
        return Err(RecordError::Failed {
            recorder: "uftrace",
            said: format!("nothing was recorded: no function {function} was called"),
            ended,
        });
    }
    if !has_records && ended == Ended::Unknown {
        let failed = RecordError::Failed {
            recorder: "uftrace",
            said: said(&log(folder)),
            ended,
        };
        // Nothing is in it.
        let _ = fs::remove_dir_all(folder);
        return Err(failed);
    }
    let mut notes = Vec::new();
    if ran.ran_short {
        notes.push(
            "the disk is nearly full: uftrace was stopped and ended the program; the recording up to that point is kept"
                .to_owned(),
        );
    }
    if let (Some(function), Some(wanted)) = (only_while, wanted)
        && !has_symbol(folder, &wanted)
    {
        // uftrace takes no notice of a function that it does not know.
        notes.push(format!(
            "uftrace found no function {function}: the whole program was recorded"
        ));
    }
    Ok(Done {
        notes,
        paths: vec![folder.to_path_buf()],
        by: Recorder::Uftrace,
        ended,
        elapsed: ran.elapsed,
        left_out: None,
    })
}

/// The file beside a recording for what uftrace has to say: it takes no folder in which something is already.
fn log(folder: &Path) -> PathBuf {
    folder.with_extension("log")
}

fn plan(
    run: &Run<'_>,
    patched: &Patched<'_>,
    only_while: Option<&[String]>,
    folder: &Path,
) -> Result<Plan, RecordError> {
    let mut command = command("uftrace");
    command.args(["record", "--no-pager"]);
    command.arg("--logfile").arg(log(folder));
    command.arg("-d").arg(folder);
    let Kind::Executable(elf) = run.program.kind else {
        return Err(RecordError::program(
            &run.program.path,
            "expected an executable",
        ));
    };
    if elf.has_lines {
        command.arg("--srcline");
    }
    let options = options(run, patched, only_while, !elf.is_instrumented);
    let file = folder.with_extension("options");
    if !is_handed_on(&options) {
        let reason = "uftrace does not accept such a long list";
        return Err(RecordError::Recorder(reason.to_owned()));
    }
    fs::write(&file, options).map_err(|error| RecordError::io(&file, error))?;
    command.arg("--opt-file").arg(&file);
    if run.wish.memory {
        for (option, what) in MEMORY {
            command.args([option, what]);
        }
    }
    if let Some(size) = run.wish.min_size {
        command.arg(format!("--size-filter={size}"));
    }
    if let Some(depth) = run.wish.max_depth {
        command.arg(format!("--depth={depth}"));
    }
    if run.wish.is_paused {
        command.arg("--disable");
    }
    if run.wish.is_paused || run.wish.is_switchable {
        for to in [Switch::On, Switch::Off] {
            let (signal, action) = (to.signal() - LOWEST, to.trigger());
            command.arg(format!("--signal=SIGRTMIN+{signal}@{action}"));
        }
        // The log of switches lies beside the records, wherever the program goes.
        command.env(SWITCH, folder);
    }
    command.arg("--").args(&run.program.words);
    let mut plan = Plan {
        wraps: true,
        leaves_off: true,
        calls: Some(calls),
        // Its first task is written down when all is patched.
        has_begun: Some(|folder| folder.join("task.txt").exists()),
        ..Plan::new(command, folder)
    };
    plan.run_as(run.program, run.wish);
    Ok(plan)
}

/// What is patched and what is hidden, as a file of options: they may be more than a command line holds.
fn options(
    run: &Run<'_>,
    patched: &Patched<'_>,
    only_while: Option<&[String]>,
    is_patched: bool,
) -> String {
    // Patterns are of symbols as the program has them.
    let mut options = String::from("--demangle=no\n");
    let mut add = |option: &str, pattern: &str| options += &format!("{option} {pattern}\n");
    match patched {
        Patched::All if is_patched => add("-P", "."),
        // Without a pattern uftrace takes no program that was not built for it.
        Patched::Only([]) if is_patched => add("-P", "^callscape_patches_nothing$"),
        Patched::Only(symbols) if is_patched => {
            for pattern in patterns(symbols) {
                add("-P", &pattern);
            }
        }
        _ => {}
    }
    for pattern in patterns(&run.without) {
        // What stays below a function that is not patched, or hidden, moves up.
        add(if is_patched { "-U" } else { "-H" }, &pattern);
    }
    // Of libraries nothing is hidden, but all below a function can be left out with it.
    for pattern in patterns(&run.untraced) {
        add("-N", &pattern);
    }
    for pattern in patterns(only_while.unwrap_or_default()) {
        add("-F", &pattern);
    }
    options
}

/// Whether uftrace can hand on what it is told: it does so in variables of the environment, and waits for ever for a program
/// that the system does not start with them.
fn is_handed_on(options: &str) -> bool {
    let of = |kinds: &[&str]| {
        let lines = options.lines();
        let lines = lines.filter(|line| kinds.iter().any(|kind| line.starts_with(kind)));
        lines.map(str::len).sum::<usize>() < LONGEST_VARIABLE
    };
    of(&["-P", "-U"]) && of(&["-H", "-N", "-F"])
}

/// The most bytes of patterns that one variable of the environment takes: 128 KiB on Linux, `execve(2)`, with room for what
/// uftrace puts between them.
const LONGEST_VARIABLE: usize = 125_000;

/// The most bytes of patterns of one list of functions, of which two go into a variable.
pub(crate) const LONGEST_LIST: usize = LONGEST_VARIABLE / 2 - 1000;

/// The lowest realtime signal that is free with glibc.
const LOWEST: i32 = 34;

/// Patterns that match symbols and nothing else: POSIX extended regular expressions.
fn patterns(symbols: &[String]) -> Vec<String> {
    // In a file of options a space ends a word, and no symbol of a compiler has one.
    let symbols: Vec<&String> = symbols
        .iter()
        .filter(|it| !it.contains(char::is_whitespace))
        .collect();
    let together = symbols.chunks(TOGETHER).map(|symbols| {
        let names: Vec<String> = symbols.iter().map(|it| pattern(it)).collect();
        names.join("|")
    });
    together.collect()
}

/// The pattern of one symbol. Those of Rust's older scheme end with a hash that no other has, as in `17h0123456789abcdefE`.
/// <https://doc.rust-lang.org/rustc/symbol-mangling/index.html>
fn pattern(symbol: &str) -> String {
    let hash = symbol.len().checked_sub(20).and_then(|at| symbol.get(at..));
    let hash = hash.and_then(|it| it.strip_prefix("17h")?.strip_suffix('E'));
    match hash.filter(|it| symbol.starts_with("_ZN") && it.bytes().all(|it| it.is_ascii_hexdigit()))
    {
        Some(hash) => format!("17h{hash}E$"),
        None => format!("^{}$", literal(symbol)),
    }
}

/// The length of a symbol's pattern in a list, in bytes.
pub(crate) fn pattern_length(symbol: &str) -> usize {
    pattern(symbol).len() + 1
}

/// A name in which no sign means anything else.
fn literal(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for sign in name.chars() {
        if "\\^$.|?*+()[]{}".contains(sign) {
            text.push('\\');
        }
        text.push(sign);
    }
    text
}

/// How the program ended, as uftrace keeps it in the file `info`.
fn exit_status(folder: &Path) -> Option<Ended> {
    let info = fs::read(folder.join("info")).ok()?;
    let text = String::from_utf8_lossy(&info);
    let line = text
        .lines()
        .find_map(|line| line.rsplit_once("exit_status:"));
    let status: i32 = line?.1.trim().parse().ok()?;
    (status >= 0).then(|| Ended::of_status(status))
}

/// Bytes of records that the tasks have left.
pub(crate) fn records(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.filter(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let stem = name.strip_suffix(".dat").unwrap_or_default();
        !stem.is_empty() && stem.bytes().all(|it| it.is_ascii_digit())
    });
    files
        .filter_map(|it| it.metadata().ok())
        .map(|it| it.len())
        .sum()
}

/// About how many calls those are: of each there is a record where it begins and one where it ends, of 16 bytes.
pub(crate) fn calls(folder: &Path) -> u64 {
    records(folder) / 32
}

/// The symbols of functions of the program itself, as the recording lists them.
pub(crate) fn symbols(folder: &Path, program: &Path) -> Vec<String> {
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    let text = fs::read_to_string(folder.join(format!("{name}.sym"))).unwrap_or_default();
    of_symbols(&text, &["T", "t", "W", "w"])
        .map(|(_, name)| name.to_owned())
        .collect()
}

/// The symbols of the functions of a program that are called `name`, of C++ without arguments: there may be several. Where
/// the program does not tell its symbols, the name is taken for one.
fn symbols_named(run: &Run<'_>, name: &str) -> Result<Vec<String>, RecordError> {
    let file = fs::File::open(&run.program.path).ok();
    let all = file.and_then(|mut file| elf::functions(&mut file));
    let is_known = all.is_some();
    let mut found: Vec<String> = all.unwrap_or_default();
    found.retain(|symbol| {
        // Copies of a function that the compiler made for one way of calling it belong to it.
        let plain = demangle(symbol);
        symbol == name || plain.split(" [clone ").next() == Some(name)
    });
    found.sort_unstable();
    found.dedup();
    // A library that was built for it is recorded with a program that was: what it has is not known yet.
    let may_be_of_library =
        matches!(run.program.kind, Kind::Executable(elf) if elf.is_instrumented);
    match found.is_empty() {
        false => Ok(found),
        true if is_known && !may_be_of_library || name.contains(char::is_whitespace) => {
            let reason = format!(
                "--while {name}: the program has no such function, and calls none in a library. For C++, give the name \
                 without arguments, as in `callscape functions`"
            );
            Err(RecordError::program(&run.program.path, reason))
        }
        true => Ok(vec![name.to_owned()]),
    }
}

/// Whether a recording lists one of these symbols.
fn has_symbol(folder: &Path, wanted: &[String]) -> bool {
    let mut lists = lists(folder);
    lists.any(|list| {
        let text = fs::read_to_string(list).unwrap_or_default();
        let is_wanted = |symbol: &str| wanted.iter().any(|it| it == symbol);
        of_symbols(&text, &["T", "t", "W", "w", "i", "P"]).any(|(_, symbol)| is_wanted(symbol))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_names_alone() {
        let hashed = "_ZN3foo3bar17h0123456789abcdefE";
        let names = ["_ZN3foo17h0$LT$u8$GT$E", "a.b", "plain", hashed].map(str::to_owned);
        let [pattern] = &patterns(&names)[..] else {
            panic!("one pattern");
        };
        let pattern = regex::Regex::new(pattern).expect("a regular expression");
        assert!(names.iter().all(|it| pattern.is_match(it)));
        for other in [
            "aXb",
            "plainer",
            "a",
            "_ZN3foo17h0",
            "17h0123456789abcdee0E",
        ] {
            assert!(!pattern.is_match(other), "{other}");
        }
        let many: Vec<String> = (0..100).map(|it| format!("f{it}")).collect();
        assert_eq!(patterns(&many).len(), 3);
    }

    #[test]
    fn lists_that_no_variable_takes_are_not_handed_on() {
        let line = format!("-U {}\n", "x".repeat(1000));
        assert!(is_handed_on(&line.repeat(100)));
        assert!(!is_handed_on(&line.repeat(130)));
        let both = line.repeat(100) + &line.replace("-U", "-N").repeat(100);
        assert!(is_handed_on(&both), "they go into two variables");
    }
}
