//! The history of a repository, beside `git log --numstat -M` in the same run.
//!
//! The repository is the one that `CALLSCAPE_BENCH_REPOSITORY` names; without it one is made by `git fast-import`, of as
//! many commits as `COMMITS` says (100,000), to three files in ten commits of which some are added, renamed and removed.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use callscape::analysis::history::{Limits, Span, coupled};
use callscape::analysis::session::{Inputs, Session};
use callscape::filter::cut::Cut;
use callscape::model::landscape::LandscapeSettings;
use callscape::model::metric::Metric;
use callscape::model::moment::Moment;
use callscape::model::surface::Surface;
use callscape::progress::Progress;
use callscape::source::history::timeline;
use callscape::state::city::City;
use callscape::units::Time;

use callscape_testing::measured::{Measured, amount};
use callscape_testing::random::Random;
use callscape_testing::timing::{least, ms};

fn main() {
    let folder =
        std::env::temp_dir().join(format!("callscape-bench-history-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("room for the bench");
    // What is kept of histories is kept here, so that the first reading is one.
    // SAFETY: no other thread runs yet.
    unsafe { std::env::set_var("XDG_CACHE_HOME", folder.join("cache")) };
    let given = std::env::var_os("CALLSCAPE_BENCH_REPOSITORY").map(PathBuf::from);
    let repository = given.unwrap_or_else(|| made(&folder.join("repository")));
    let progress = Progress::new();
    let read = || timeline(&repository, None, &progress).expect("a history");

    let begin = Instant::now();
    let history = read();
    let first = begin.elapsed();
    let begin = Instant::now();
    let log = Command::new("git")
        .current_dir(&repository)
        .args(["log", "--numstat", "-M", "--use-mailmap", "--format=%H %aN"])
        .stdout(Stdio::null())
        .status();
    let by_git = begin.elapsed();
    let commits = history.commits.len() as u64;
    let files = history.files.len() as u64;
    let of = format!("{} commits, {} files", amount(commits), amount(files));
    let is_whole = log.is_ok_and(|it| it.success());
    let print = |what: &str, value: f64, unit: &str, aim: &str, peer: Option<(&str, f64)>| {
        Measured {
            target: &format!("history: {what} of {of}"),
            value,
            unit,
            peer,
            aim,
            ..Measured::default()
        }
        .print();
    };
    let peer = ("git log --numstat -M", by_git.as_secs_f64());
    print(
        "first reading",
        first.as_secs_f64(),
        "s",
        "≤ 1.5 (0.7) ×",
        is_whole.then_some(peer),
    );
    let (again, _) = least(3, read);
    print("opening again", ms(again), "ms", "≤ 300 (100) ms", None);
    let (state, _) = least(5, || history.states(commits as u32 / 2));
    print("files at a time", ms(state), "ms", "≤ 5 (1) ms", None);
    let end = commits as u32;
    let span = Span::of(&history, end.saturating_sub(10_000)..end);
    let (pairs, _) = least(5, || coupled(&history, &span, &Limits::default()));
    print(
        "couplings of the last 10,000 commits",
        ms(pairs),
        "ms",
        "≤ 200 (50) ms",
        None,
    );
    for (surface, name) in [
        (Surface::Neutral, "heights of lines"),
        (
            Surface::Metric(Metric::RecentChanges),
            "and colours of the changes of a year",
        ),
    ] {
        let (frame, anew) = frames(&repository, surface);
        print(
            &format!("frame of 10,000 commits a second, {name},"),
            ms(frame),
            "ms, 99th percentile",
            "≤ 8 (3) ms",
            Some(("shown anew", ms(anew))),
        );
    }
    std::fs::remove_dir_all(&folder).ok();
}

/// How long the own part of a frame takes while 10,000 commits pass in a second of 60 frames, the 99th percentile of all
/// commits; and how long it takes to show one anew.
fn frames(repository: &Path, surface: Surface) -> (Duration, Duration) {
    const OF_FRAME: usize = 10_000 / 60;
    let inputs = Inputs {
        recordings: vec![repository.join(".git")],
        ..Inputs::default()
    };
    let session = Session::open(&inputs, &Progress::new()).expect("a history");
    let recording = &session.recordings[0].recording;
    let played = recording.played.as_ref().expect("a history");
    let settings = LandscapeSettings::default().once_open(Some(recording), false);
    let settings = LandscapeSettings {
        surface,
        ..settings
    };
    let at = |previous: Time, time: Time| Moment {
        recording: 0,
        time,
        previous,
        ..Moment::default()
    };
    let times: Vec<Time> = (played.timeline.clock.iter().step_by(OF_FRAME))
        .map(|&seconds| played.time_at(seconds))
        .collect();
    let mut city = City::new(&session, &settings, &Cut::all());
    let begin = Instant::now();
    city.show(&session, Some(at(times[0], times[0])));
    let anew = begin.elapsed();
    let mut took: Vec<Duration> = (times.windows(2))
        .map(|it| {
            let begin = Instant::now();
            city.show(&session, Some(at(it[0], it[1])));
            begin.elapsed()
        })
        .collect();
    took.sort_unstable();
    (took[(took.len() - 1) * 99 / 100], anew)
}

/// A repository of random commits.
fn made(dir: &Path) -> PathBuf {
    let commits = std::env::var("COMMITS").ok().and_then(|it| it.parse().ok());
    let commits: u64 = commits.unwrap_or(100_000);
    std::fs::create_dir_all(dir).expect("room for the bench");
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.current_dir(dir).args(arguments);
        command
    };
    let made = git(&["init", "-q", "-b", "main"]).status();
    assert!(made.is_ok_and(|it| it.success()), "the bench needs git");
    let import = git(&["fast-import", "--quiet"])
        .stdin(Stdio::piped())
        .spawn();
    let mut import = import.expect("git was found before");
    let mut out = BufWriter::new(import.stdin.take().expect("it is piped"));
    write(&mut out, commits).expect("git takes what it reads");
    drop(out);
    assert!(import.wait().is_ok_and(|it| it.success()), "git imports it");
    let checked_out = git(&["reset", "-q", "--hard"]).status();
    assert!(checked_out.is_ok_and(|it| it.success()), "it has commits");
    dir.to_path_buf()
}

/// The commits as `git fast-import` reads them: <https://git-scm.com/docs/git-fast-import>.
fn write(out: &mut impl Write, commits: u64) -> std::io::Result<()> {
    let mut random = Random(7);
    // By file its folder and name, and its lines.
    let mut files: Vec<(u64, u64, Vec<u64>)> = Vec::new();
    for commit in 0..commits {
        writeln!(out, "commit refs/heads/main")?;
        let author = random.below(200);
        writeln!(
            out,
            "committer P{author} <p{author}@example.org> {} +0000",
            1_000_000_000 + commit * 3000
        )?;
        writeln!(out, "data 7\nchange\n")?;
        for _ in 0..1 + random.below(5) {
            // Some files change all the time, and most hardly ever.
            let which =
                (random.below(1000) * random.below(1000)) as usize * files.len().max(1) / 1_000_000;
            match random.below(10) {
                0 | 1 if files.len() < 30_000 => {
                    let count = 20 + random.below(300);
                    let lines = (0..count).map(|_| random.below(5000)).collect();
                    let file = (random.below(900), files.len() as u64, lines);
                    put(out, &file)?;
                    files.push(file);
                }
                2 if random.below(10) == 0 && !files.is_empty() => {
                    let file = &mut files[which];
                    writeln!(out, "D d{}/f{}.c", file.0, file.1)?;
                    file.0 = random.below(900);
                    put(out, file)?;
                }
                _ if !files.is_empty() => {
                    let lines = &mut files[which].2;
                    for _ in 0..1 + random.below(12) {
                        let at = random.index(lines.len());
                        match random.below(3) {
                            0 => lines.insert(at, random.below(5000)),
                            1 if lines.len() > 1 => drop(lines.remove(at)),
                            _ => lines[at] = random.below(5000),
                        }
                    }
                    put(out, &files[which])?;
                }
                _ => {}
            }
        }
    }
    out.flush()
}

fn put(out: &mut impl Write, (folder, name, lines): &(u64, u64, Vec<u64>)) -> std::io::Result<()> {
    let text: String = lines
        .iter()
        .map(|line| format!("    value = call_{line}(value);\n"))
        .collect();
    writeln!(
        out,
        "M 100644 inline d{folder}/f{name}.c\ndata {}\n{text}",
        text.len()
    )
}
