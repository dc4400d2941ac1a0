//! What the types of a scene cannot say: numbers that are out of range, fields that exclude each other.

use std::collections::BTreeSet;

use super::place::{Step, of_shot};
use super::scene::{Bookmark, Camera, Caption, Go, Scene, Shot};

/// A shot takes no longer than an hour.
pub const MAX_SECONDS: f64 = 3600.0;
/// Degrees that a camera may turn in one shot.
const MAX_TURN: f32 = 3600.0;
/// Pixels that a side of a film may have.
const MAX_SIDE: u32 = 8192;

type Problem = (Vec<Step>, String);

/// The first field that says what cannot be, and why. O(size of the scene).
pub fn first_problem(scene: &Scene) -> Option<Problem> {
    let key = |key: &str| vec![Step::Key(key.to_owned())];
    let inner = |outer: &str, field: String| vec![Step::Key(outer.to_owned()), Step::Key(field)];
    if let Some((field, problem)) = scene.look.problem() {
        return Some((inner("look", field.to_owned()), problem));
    }
    if let Some(size) = &scene.film.size
        && let Err(problem) = film_size(size)
    {
        return Some((inner("film", "size".to_owned()), problem));
    }
    if let Some(fps) = scene.film.fps.filter(|fps| !(1..=120).contains(fps)) {
        let problem = format!("expected 1 to 120 frames per second, found {fps}");
        return Some((inner("film", "fps".to_owned()), problem));
    }
    let mut names = BTreeSet::new();
    for (number, bookmark) in scene.bookmarks.iter().enumerate() {
        let found = bookmark_problem(bookmark, &mut names);
        if let Some((field, problem)) = found {
            let mut path = key("bookmark");
            path.push(Step::Number(number));
            path.extend(field.into_iter().map(Step::Key));
            return Some((path, problem));
        }
    }
    scene.shots.iter().enumerate().find_map(|(number, shot)| {
        let (field, problem) = shot_problem(shot)?;
        let field: Vec<&str> = field.iter().map(String::as_str).collect();
        Some((of_shot(number, &field), problem))
    })
}

/// Width and height of `WIDTHxHEIGHT`; a film's sides are even.
pub fn film_size(text: &str) -> Result<[u32; 2], String> {
    let wrong = || format!("expected a size such as 1920x1080, found '{text}'");
    let (width, height) = text.split_once(['x', '×']).ok_or_else(wrong)?;
    let side = |text: &str| text.trim().parse::<u32>().map_err(|_| wrong());
    let size = [side(width)?, side(height)?];
    if size.iter().any(|side| !(16..=MAX_SIDE).contains(side)) {
        return Err(format!(
            "expected sides of 16 to {MAX_SIDE} pixels, found '{text}'"
        ));
    }
    if size.iter().any(|side| side % 2 == 1) {
        return Err(format!(
            "expected even sides, as films need them, found '{text}'"
        ));
    }
    Ok(size)
}

fn bookmark_problem<'a>(
    bookmark: &'a Bookmark,
    names: &mut BTreeSet<&'a str>,
) -> Option<(Vec<String>, String)> {
    let at = |field: &str| vec![field.to_owned()];
    if bookmark.name.trim().is_empty() {
        return Some((at("name"), "expected a name".to_owned()));
    }
    if !names.insert(&bookmark.name) {
        let problem = format!("there is another bookmark named '{}'", bookmark.name);
        return Some((at("name"), problem));
    }
    if let Some(problem) = bookmark.camera.as_ref().and_then(camera) {
        return Some((at("camera"), problem));
    }
    if let Some(range) = &bookmark.range
        && range.len() != 2
        && !range.is_empty()
    {
        let problem = format!("expected two times, or none, found {}", range.len());
        return Some((at("range"), problem));
    }
    let (field, problem) = bookmark.look.as_ref()?.problem()?;
    Some((vec!["look".to_owned(), field.to_owned()], problem))
}

fn camera(camera: &Camera) -> Option<String> {
    let numbers = camera.target.iter().copied();
    let mut numbers = numbers.chain([camera.distance, camera.yaw, camera.pitch]);
    if !numbers.all(|number| number.is_finite() && number.abs() < 1e7) {
        return Some("expected finite numbers for a place".to_owned());
    }
    if let Some(lens) = camera.lens.filter(|lens| !(1.0..=85.0).contains(lens)) {
        return Some(format!("expected a lens of 1 to 85 degrees, found {lens}"));
    }
    (camera.distance <= 0.0)
        .then(|| format!("expected a distance above 0, found {}", camera.distance))
}

fn go(go: &Go) -> Option<(&'static str, String)> {
    let goals = [go.to.is_some(), go.module.is_some(), go.at.is_some()];
    if goals.iter().filter(|&&is| is).count() > 1 {
        let problem = "expected one of `to`, `module` and `at`, found several".to_owned();
        return Some(("", problem));
    }
    if let Some(problem) = go.at.as_ref().and_then(camera) {
        return Some(("at", problem));
    }
    let checks = [
        ("yaw", go.yaw, -3600.0, 3600.0),
        ("pitch", go.pitch, 1.0, 90.0),
        ("zoom", go.zoom, 0.1, 100.0),
        ("turn", go.turn, -MAX_TURN, MAX_TURN),
    ];
    checks.into_iter().find_map(|(field, value, least, most)| {
        // Also for what is no number.
        let value = value.filter(|value| !(least..=most).contains(value))?;
        Some((field, format!("expected {least} to {most}, found {value}")))
    })
}

fn caption(caption: &Caption) -> Option<(&'static str, String)> {
    if caption.text.trim().is_empty() && caption.below.trim().is_empty() {
        return Some(("text", "expected words".to_owned()));
    }
    let size = caption.size.filter(|size| !(0.25..=4.0).contains(size))?;
    Some(("size", format!("expected 0.25 to 4, found {size}")))
}

fn shot_problem(shot: &Shot) -> Option<(Vec<String>, String)> {
    let at = |fields: &[&str]| -> Vec<String> {
        let fields = fields.iter().filter(|field| !field.is_empty());
        fields.map(|&field| field.to_owned()).collect()
    };
    if let Some(seconds) = shot.seconds
        && !(0.0..=MAX_SECONDS).contains(&seconds)
    {
        let problem = format!("expected 0 to {MAX_SECONDS} seconds, found {seconds}");
        return Some((at(&["seconds"]), problem));
    }
    if let Some((field, problem)) = shot.camera.as_ref().and_then(go) {
        return Some((at(&["camera", field]), problem));
    }
    for (name, words) in [("caption", &shot.caption), ("title", &shot.title)] {
        if let Some((field, problem)) = words.as_ref().and_then(caption) {
            return Some((at(&[name, field]), problem));
        }
    }
    if let Some((field, problem)) = shot.look.as_ref().and_then(|look| look.problem()) {
        return Some((at(&["look", field]), problem));
    }
    if shot.divider.len() > 2 || !shot.divider.iter().all(|at| (0.0..=1.0).contains(at)) {
        let problem = "expected one or two places from 0 to 1".to_owned();
        return Some((at(&["divider"]), problem));
    }
    if let Some(play) = &shot.play {
        if play.speed.is_some()
            && shot.seconds.is_some()
            && play.from.is_some()
            && play.to.is_some()
        {
            let problem = "expected either `seconds` of the shot or `speed`, found both".to_owned();
            return Some((at(&["play", "speed"]), problem));
        }
        let zero = callscape_base::units::Cost::from_ns(1);
        if play.speed.is_some_and(|speed| match speed.0 {
            callscape_base::units::TimeSpec::At(time) => {
                time.since(callscape_base::units::Time::ZERO) < zero
            }
            callscape_base::units::TimeSpec::Share(share) => share <= 0.0,
        }) {
            return Some((
                at(&["play", "speed"]),
                "expected a speed above 0".to_owned(),
            ));
        }
    }
    if shot.sections.is_some() && shot.bookmark.is_none() {
        let problem = "expected a bookmark for these sections".to_owned();
        return Some((at(&["sections"]), problem));
    }
    if let Some(range) = &shot.range
        && range.len() != 2
        && !range.is_empty()
    {
        let problem = format!("expected two times, or none, found {}", range.len());
        return Some((at(&["range"]), problem));
    }
    None
}
