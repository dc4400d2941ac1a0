//! What explains a recording, asked of its index: contexts, phases, causes and charts as whole processes, by size.
//!
//! Run with `SIZES=1000000,10000000 cargo bench --bench answers`, a million calls by default. Recordings are made straight
//! into an index in `PLACE` (the folder for temporary files by default; beside it a file as large comes and goes in
//! `TMPDIR`), one after the other, and removed. With `RECORDING`, a recording of a real program, called what `OF` says, is
//! asked in their place, by an index beside it. With a program in `BEFORE`, an earlier version of this one, each figure is held against
//! what that takes with an index of its own, made of records of uftrace. Least times of three, after each question
//! was asked once. With `PROFILE`, what the import of each size is spent on is printed too.

mod made;
mod profile;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, ensure};
use callscape::import;
use callscape::progress::Progress;
use callscape_testing::common::callscape;
use callscape_testing::generate::{Plan, Program, write_uftrace};
use callscape_testing::measured::{Measured, amount};
use callscape_testing::timing::{least, ms, setting};

const TIMES: usize = 3;

/// A question, the arguments that ask it (`RUN` is the recording), and its target at 100 million calls, if there is one.
const ASKED: [(&str, &str, &str); 14] = [
    ("info", "info RUN --json", "≤ 100 ms"),
    ("functions", "functions RUN --json", "≤ 100 ms"),
    ("graph", "graph RUN --json", "≤ 100 ms"),
    ("stack", "stack RUN --at 40%", "≤ 100 ms"),
    ("contexts", "contexts RUN", "≤ 100 (20) ms"),
    (
        "contexts of a fifth",
        "contexts RUN --from 40% --to 60%",
        "≤ 300 (50) ms",
    ),
    ("phases", "phases RUN", "≤ 150 (30) ms"),
    (
        "phases of a fifth",
        "phases RUN --from 40% --to 60%",
        "≤ 150 ms",
    ),
    ("comparison with causes", "compare RUN RUN", "≤ 100 ms"),
    ("lines", "lines RUN --file made.c", "≤ 100 ms"),
    ("objects at half time", "objects RUN --at 50%", "≤ 100 ms"),
    (
        "rings",
        "render RUN --view rings -o OUT --size 800x600",
        "≤ 500 (300) ms",
    ),
    (
        "tree",
        "render RUN --view tree -o OUT --size 800x600",
        "≤ 500 (300) ms",
    ),
    (
        "fan",
        "render RUN --view fan -o OUT --size 800x600",
        "≤ 500 (300) ms",
    ),
];

/// Those that only recordings made here can answer.
const OF_MADE: [&str; 2] = ["lines", "objects at half time"];

/// A recording, and where pictures of it go.
struct Asked {
    run: PathBuf,
    folder: PathBuf,
    calls: u64,
    /// Of which program, where it is not a made one.
    of: String,
}

impl Asked {
    /// How long a program takes to answer.
    fn time(
        &self,
        program: &dyn Fn() -> Command,
        arguments: &str,
        times: usize,
    ) -> anyhow::Result<Duration> {
        let arguments = arguments.split(' ').map(|it| match it {
            "RUN" => self.run.clone(),
            "OUT" => self.folder.join("picture.png"),
            other => PathBuf::from(other),
        });
        let arguments: Vec<PathBuf> = arguments.collect();
        let (time, result) = least(times, || {
            let mut command = program();
            command
                .args(&arguments)
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            command.status()
        });
        ensure!(result?.success(), "{arguments:?} failed");
        Ok(time)
    }

    /// Asks everything twice: what an index lacks is added to it by then.
    fn answers(&self, program: &dyn Fn() -> Command) -> anyhow::Result<Vec<Option<Duration>>> {
        let is_made = self.run.is_file();
        let mut times = Vec::new();
        for (what, arguments, _) in ASKED {
            if !is_made && OF_MADE.contains(&what) {
                times.push(None);
                continue;
            }
            self.time(program, arguments, 1)?;
            times.push(Some(self.time(program, arguments, TIMES)?));
        }
        Ok(times)
    }

    fn print(&self, what: &str, now: Duration, before: Option<Duration>, aim: &str) {
        let calls = match self.calls {
            few @ ..1_000_000 => few,
            many => many / 100_000 * 100_000,
        };
        let size = format!("{} calls{}", amount(calls), self.of);
        Measured {
            target: &format!("answers: {what}, {size}"),
            value: ms(now),
            unit: "ms",
            peer: before.map(|it| ("before", ms(it))),
            // Of smaller ones no more is asked.
            aim: if self.calls > 100_000_000 { "" } else { aim },
            ..Measured::default()
        }
        .print();
    }
}

fn main() -> anyhow::Result<()> {
    let before = std::env::var_os("BEFORE").map(PathBuf::from);
    let place = std::env::var_os("PLACE").map_or_else(std::env::temp_dir, PathBuf::from);
    let folder = place.join(format!("callscape-answers-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let result = match std::env::var_os("RECORDING") {
        Some(recording) => of_recording(&PathBuf::from(recording), &folder, before.as_deref()),
        None => {
            let sizes = std::env::var("SIZES").unwrap_or_else(|_| "1000000".to_owned());
            let mut sizes = sizes.split(',');
            sizes.try_for_each(|size| {
                let calls = size.trim().parse().context("SIZES")?;
                of_size(calls, &folder, before.as_deref())
            })
        }
    };
    std::fs::remove_dir_all(&folder)?;
    result
}

/// A recording of a real program.
fn of_recording(run: &Path, folder: &Path, before: Option<&Path>) -> anyhow::Result<()> {
    let opened = import::open(run, &Progress::new())?;
    let calls = opened.trace.calls();
    let asked = Asked {
        run: run.to_owned(),
        folder: folder.to_owned(),
        calls,
        of: format!(
            " of {}",
            std::env::var("OF").unwrap_or_else(|_| opened.name())
        ),
    };
    drop(opened);
    measure(&asked, before)
}

/// A made recording.
fn of_size(calls: u64, folder: &Path, before: Option<&Path>) -> anyhow::Result<()> {
    let program = Program::new(Plan {
        calls,
        functions: setting("FUNCTIONS", 5000) as u32,
        threads: setting("THREADS", 2) as u32,
        seed: 1,
    });
    if std::env::var_os("PROFILE").is_some() {
        profile::print(&program, folder, calls)?;
    }
    let run = folder.join("run");
    let asked = Asked {
        run: run.clone(),
        folder: folder.to_owned(),
        calls,
        of: String::new(),
    };
    if before.is_some() {
        write_uftrace(&program, &run)?;
        measure(&asked, before)?;
        return Ok(std::fs::remove_dir_all(&run)?);
    }
    let (time, made) = least(1, || made::write(&program, &run));
    made?;
    let bytes = run.metadata()?.len() as f64 / calls as f64;
    println!(
        "{} calls: made in {time:.1?}, {bytes:.2} bytes a call",
        amount(calls)
    );
    measure(&asked, None)?;
    Ok(std::fs::remove_file(&run)?)
}

fn measure(asked: &Asked, before: Option<&Path>) -> anyhow::Result<()> {
    let of_before = |path: &Path| -> anyhow::Result<_> {
        let program = || Command::new(path);
        let import = asked.time(&program, "index RUN", 1)?;
        Ok((import, asked.answers(&program)?))
    };
    let before = before.map(of_before).transpose()?;
    if let Some((import, _)) = &before {
        let now = asked.time(&callscape, "index RUN", 1)?;
        asked.print("import", now, Some(*import), "≤ 1.1 ×");
    }
    for (place, now) in asked.answers(&callscape)?.into_iter().enumerate() {
        let (what, _, aim) = ASKED[place];
        let before = before.as_ref().and_then(|it| it.1[place]);
        if let Some(now) = now {
            asked.print(what, now, before, aim);
        }
    }
    Ok(())
}
