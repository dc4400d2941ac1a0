//! `callscape scene`: what is in a scene, how long it takes, and what is wrong with it.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use serde::Serialize;

use super::progress::with_progress;
use callscape_app::presenting::check::{Checked, check};
use callscape_app::presenting::opening::Opens;
use callscape_base::escape;
use callscape_presentation::scene::{SceneFile, Shot};
use callscape_presentation::schema;

#[derive(Debug, clap::Args)]
#[command(about = "Check a scene: its shots, their durations, and any problems", after_help = MORE)]
pub(crate) struct SceneArgs {
    /// The scene
    #[arg(value_name = "FILE.toml", required_unless_present = "schema")]
    scene: Option<PathBuf>,
    /// Print the JSON schema of scenes, for editors
    #[arg(long, conflicts_with = "scene")]
    schema: bool,
    /// Print one JSON document on standard output
    #[arg(long, conflicts_with = "schema")]
    json: bool,
}

const MORE: &str = "A scene is a TOML file that defines what to open and, shot by shot, what to show. Anything its inputs lack, such as a \
deleted module, is reported here and skipped in playback. Mistakes in the file are errors.

A short one:
  [inputs]
  source = \"src\"
  recordings = [\"trace.json\"]

  [[shot]]
  title = \"How it starts\"

  [[shot]]
  camera = { module = \"src/main.c\" }
  play = { from = \"0s\", to = \"40%\" }
  caption = \"First it reads its options\"

Examples:
  callscape scene talk.toml
  callscape scene --schema > scene.schema.json
  callscape render --scene talk.toml -o talk.mp4";

#[derive(Serialize)]
struct Document<'a> {
    title: &'a str,
    seconds: f64,
    shots: Vec<ShotLine<'a>>,
    bookmarks: Vec<&'a str>,
    problems: Vec<Problem>,
}

#[derive(Serialize)]
struct ShotLine<'a> {
    name: &'a str,
    line: usize,
    start: f64,
    seconds: f64,
    does: Vec<&'static str>,
}

#[derive(Serialize)]
struct Problem {
    file: String,
    line: usize,
    column: usize,
    field: String,
    problem: String,
}

pub(crate) fn run(args: SceneArgs) -> anyhow::Result<()> {
    if args.schema {
        return super::output::print_data(|out| out.write_all(schema::TEXT.as_bytes()));
    }
    let path = args.scene.context("name a scene")?;
    let file = SceneFile::read(&path)?;
    let opens = Opens::of(&file)?;
    let opened = with_progress(|progress| opens.open(&file, progress))??;
    let Checked {
        timeline,
        problems,
        bookmarks,
    } = check(&file, opened);
    let shots = file.scene.shots.iter().zip(&timeline.shots);
    let lines = file.shot_lines();
    if args.json {
        let shots = shots.zip(lines).map(|((shot, timed), line)| ShotLine {
            name: name(shot),
            line,
            start: timed.start,
            seconds: timed.length,
            does: does(shot),
        });
        let document = Document {
            title: &file.scene.title,
            seconds: timeline.total(),
            shots: shots.collect(),
            bookmarks: bookmarks.iter().map(|it| &*it.name).collect(),
            problems: problems
                .iter()
                .map(|of| Problem {
                    file: of.file.display().to_string(),
                    line: of.line,
                    column: of.column,
                    field: of.field.clone(),
                    problem: of.problem.clone(),
                })
                .collect(),
        };
        return super::output::print_json(&document);
    }
    let mut text = String::new();
    if !file.scene.title.is_empty() {
        text += &format!("{}\n\n", escape::name(&file.scene.title));
    }
    text += "  shot    starts   seconds  \n";
    for (number, (shot, timed)) in shots.enumerate() {
        let what = match (name(shot), does(shot).join(", ")) {
            ("", does) => does,
            (name, does) => format!("{} ({does})", escape::name(name)),
        };
        let row = format!(
            "{:6}  {:>8}  {:8.1}  {what}",
            number + 1,
            clock(timed.start),
            timed.length
        );
        text += row.trim_end();
        text.push('\n');
    }
    let count = file.scene.shots.len();
    let shots = if count == 1 { "shot" } else { "shots" };
    text += &format!("\n{count} {shots}, {} in all\n", clock(timeline.total()));
    for problem in &problems {
        say!("callscape: {problem}");
    }
    super::output::print(|out| out.write_all(text.as_bytes()))
}

/// Name of a shot, or its words if it has none.
fn name(shot: &Shot) -> &str {
    let words = shot.title.iter().chain(&shot.caption);
    let mut names = [shot.name.as_str()].into_iter();
    let mut names = names.by_ref().chain(words.map(|words| words.text.as_str()));
    let first = names.find(|name| !name.is_empty()).unwrap_or_default();
    first.lines().next().unwrap_or_default()
}

/// Summary of a shot.
fn does(shot: &Shot) -> Vec<&'static str> {
    let all = [
        (shot.bookmark.is_some(), "bookmark"),
        (shot.camera.is_some(), "camera"),
        (shot.play.is_some(), "play"),
        (shot.at.is_some(), "time"),
        (shot.range.is_some(), "range"),
        (shot.summary.is_some(), "summary"),
        (shot.level.is_some() || !shot.expand.is_empty(), "expand"),
        (!shot.collapse.is_empty(), "collapse"),
        (shot.select.is_some(), "select"),
        (shot.arcs.is_some(), "arcs"),
        (!shot.show.is_empty() || !shot.hide.is_empty(), "views"),
        (shot.look.is_some(), "look"),
        (shot.run.is_some() || shot.compare.is_some(), "compare"),
        (!shot.divider.is_empty(), "divider"),
    ];
    let does: Vec<&str> = all
        .iter()
        .filter(|(is, _)| *is)
        .map(|(_, it)| *it)
        .collect();
    match does.is_empty() {
        true => vec!["wait"],
        false => does,
    }
}

/// Minutes and seconds.
fn clock(seconds: f64) -> String {
    let whole = Duration::from_secs_f64(seconds.clamp(0.0, 1e9)).as_millis();
    let (minutes, millis) = (whole / 60_000, whole % 60_000);
    format!("{minutes}:{:04.1}", millis as f64 / 1e3)
}
