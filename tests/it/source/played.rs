//! The history of a tree as it plays over its map, against what the files were at each time.
#![cfg(all(feature = "git", unix))]

use std::collections::BTreeMap;

use callscape::analysis::session::{Inputs, Session};
use callscape::facts::hierarchy::Hierarchy;
use callscape::facts::history::Timeline;
use callscape::filter::cut::Cut;
use callscape::layout::geometry::{BlockKind, ChangedLooks};
use callscape::model::landscape::LandscapeSettings;
use callscape::model::metric::Metric;
use callscape::model::moment::Moment;
use callscape::model::surface::Surface;
use callscape::progress::Progress;
use callscape::state::city::City;
use callscape::units::{ModuleId, Time, When};

use super::timeline::{read, repository};
use crate::random::Random;

/// How high the highest block is, in world units.
const HIGHEST: f32 = 60.0;

fn at(time: Time) -> Option<Moment> {
    Some(Moment {
        recording: 0,
        time,
        previous: time,
        ..Moment::default()
    })
}

/// Lines by path after some commits, of what is there.
fn lines(timeline: &Timeline, commits: u32) -> BTreeMap<&str, u32> {
    let mut lines = BTreeMap::new();
    for (file, state) in timeline.files.iter().zip(timeline.states(commits)) {
        if let Some(count) = state.lines {
            *lines.entry(file.path.as_str()).or_insert(0) += count;
        }
    }
    lines
}

/// Each block stands as its files say: empty lots are flat and on ground that is as low as nothing is there.
fn check(city: &City, hierarchy: &Hierarchy, there: &BTreeMap<&str, u32>, most: u32) {
    let of_files = |module: ModuleId| {
        let path = hierarchy.path(module);
        let inside = format!("{path}/");
        let is_in = move |file: &str| {
            *file == *path || file.starts_with(&inside) || module == ModuleId::ROOT
        };
        there.keys().any(|file| is_in(file))
    };
    let mut lowered: Vec<(u32, f32)> = Vec::new();
    for (block, look) in city.blocks().iter().zip(city.looks()) {
        lowered.retain(|&(end, _)| end > block.module.0);
        let below: f32 = lowered.iter().map(|it| it.1).sum();
        let path = hierarchy.path(block.module);
        if path.starts_with("external") || path.contains("people") {
            continue;
        }
        let height = block.max.z - block.min.z;
        match (block.kind, there.get(path.as_str())) {
            (BlockKind::Terrace, _) if of_files(block.module) => {
                assert_eq!(look.rise, 0.0, "{path}")
            }
            (BlockKind::Terrace, _) => {
                assert!(
                    (look.rise + below + height).abs() < 1e-3,
                    "{path}: {}",
                    look.rise
                );
                lowered.push((hierarchy.subtree(block.module).end, height));
            }
            (_, Some(&lines)) => {
                let expected = (f64::from(lines) / f64::from(most)).sqrt() as f32 * HIGHEST;
                assert!(
                    (look.rise - expected).abs() < 1e-2,
                    "{path}: {} {expected}",
                    look.rise
                );
            }
            (_, None) => {
                let left = look.rise + below + height;
                assert!(
                    left > 0.0 && left < 0.2 * height,
                    "{path}: {left} of {height}"
                );
            }
        }
    }
}

#[test]
fn blocks_stand_as_high_as_their_files_were_long() {
    for seed in 0..4 {
        let Some(scratch) = repository("played-heights", seed) else {
            eprintln!("left out: needs git");
            return;
        };
        let timeline = read(&scratch.0);
        let inputs = Inputs {
            recordings: vec![scratch.0.join(".git")],
            ..Inputs::default()
        };
        let session = Session::open(&inputs, &Progress::new()).expect("a session");
        let recording = &session.recordings[0].recording;
        let played = recording.played.as_ref().expect("a history");
        let settings = LandscapeSettings::default().once_open(Some(recording), false);
        assert_eq!(settings.height, Some(Metric::LinesOfCode));
        let settings = LandscapeSettings {
            surface: [
                Surface::Neutral,
                Surface::Person,
                Surface::Metric(Metric::Authors),
                Surface::Metric(Metric::ChangedLines),
            ][seed as usize],
            ..settings
        };
        let most = (0..=timeline.commits.len() as u32)
            .flat_map(|commits| lines(&timeline, commits).into_values().max());
        let most = most.max().unwrap_or(1);
        let mut city = City::new(&session, &settings, &Cut::all());
        let mut random = Random(seed);
        let mut handed = city.looks().to_vec();
        let end = recording.trace.range().end.ns();
        let mut times: Vec<u64> = (0..40).map(|_| random.below(end + 1)).collect();
        times[..30].sort_unstable();
        times[29] = end;
        for time in times.into_iter().map(Time::from_ns) {
            city.show(&session, at(time));
            match city.changed_looks() {
                ChangedLooks::All => handed.copy_from_slice(city.looks()),
                ChangedLooks::Activity(changed) => {
                    for of in changed {
                        let look = &mut handed[of.block as usize];
                        (look.data, look.glow, look.rise) = (of.data, of.glow, of.rise);
                    }
                }
            }
            assert_eq!(handed, city.looks(), "seed {seed}, {time}");
            let mut anew = City::new(&session, &settings, &Cut::all());
            anew.show(&session, at(time));
            assert_eq!(city.looks(), anew.looks(), "seed {seed}, {time}");
            let commits = played.commits_at(time);
            check(&city, &session.hierarchy, &lines(&timeline, commits), most);
        }
    }
}

#[test]
fn a_history_has_days_and_other_recordings_have_none() {
    let Some(scratch) = repository("played-days", 1) else {
        eprintln!("left out: needs git");
        return;
    };
    let open = |path: &std::path::Path| {
        callscape::import::open(path, &Progress::new()).expect("a recording")
    };
    let recording = open(&scratch.0.join(".git"));
    let played = recording.played.as_ref().expect("a history");
    let day = played.began.div_euclid(86_400);
    let last = played
        .seconds_at(recording.trace.range().end)
        .div_euclid(86_400);
    assert_eq!(recording.when(When::Day(day), true), Ok(Time::ZERO));
    assert_eq!(
        recording.when(When::Day(last), false),
        Ok(recording.trace.range().end)
    );
    for wrong in [day - 1, last + 1] {
        let error = recording
            .when(When::Day(wrong), false)
            .expect_err("no such day");
        assert!(error.contains("expected a day of the history"), "{error}");
    }
}
