//! Every view in a film of every kind of input: each frame comes to rest, and what the inputs have to show is seen.

use std::path::PathBuf;

use callscape::app::presenting::stage::{FrameIs, Stage};
use callscape::render::image::Image;
use callscape::state::panes::{Needs, ViewId};
use callscape::views::{all, main};

use super::{Scratch, sized_stage_of};
use crate::common::data;

/// In pixels: there is some room for a view beside the landscape.
const SIZE: [u32; 2] = [480, 300];

fn stage_of(folder: &Scratch, scene: &str, fps: u32) -> Stage {
    sized_stage_of(folder, scene, fps, SIZE)
}

/// A shot for each view, beside the landscape; after that the landscape alone, and then all views at once.
fn scene_of(inputs: &str, first: &str) -> String {
    let mut scene = format!("[inputs]\n{inputs}\n[[shot]]\nseconds = 1\n{first}\n");
    let mut before = String::new();
    let others = || all().into_iter().filter(|view| *view != main());
    for view in others() {
        let id = view.id();
        scene += &format!("[[shot]]\nseconds = 1\nshow = [\"{id}\"]\n{before}");
        before = format!("hide = [\"{id}\"]\n");
    }
    let ids: Vec<String> = others().map(|view| format!("\"{}\"", view.id())).collect();
    scene
        + &format!(
            "[[shot]]\nseconds = 1\n{before}[[shot]]\nseconds = 1\nshow = [{}]\n",
            ids.join(", ")
        )
}

/// A frame for each shot of such a scene.
fn frames(test: &str, inputs: &str, first: &str) -> Vec<Image> {
    let folder = Scratch::new(test);
    let mut stage = stage_of(&folder, &scene_of(inputs, first), 1);
    let frames = stage.frames();
    assert_eq!(frames, all().len() as u64 + 2);
    let draw = |number| {
        let drawn = stage.draw();
        drawn.unwrap_or_else(|error| panic!("frame {number} of {inputs}: {error}"));
        stage.image().clone()
    };
    (0..frames).map(draw).collect()
}

/// Draws a frame for each view; those that have something to show change the picture.
fn every_view_is_drawn(
    test: &str,
    inputs: &str,
    first: &str,
    has: fn(Needs) -> bool,
) -> Vec<Image> {
    let images = frames(test, inputs, first);
    let views: Vec<ViewId> = all().into_iter().filter(|view| *view != main()).collect();
    for (number, view) in views.iter().enumerate() {
        let is_other = images[number + 1] != images[number];
        assert!(
            is_other || !has(view.line().needs),
            "{} of {inputs}",
            view.id()
        );
    }
    images
}

fn named(of: &[PathBuf]) -> String {
    let names: Vec<String> = of.iter().map(|path| format!("{path:?}")).collect();
    names.join(", ")
}

fn meal() -> String {
    let [source, trace] = ["window/source", "window/meal.json"].map(data);
    format!("source = {source:?}\nrecordings = [{trace:?}]")
}

#[test]
fn every_view_is_in_films_of_a_recording_and_the_same_each_time() {
    let has = |needs| matches!(needs, Needs::Nothing | Needs::Recording | Needs::Times);
    let at = "at = \"40%\"\narcs = \"all\"";
    let images = every_view_is_drawn("film-views", &meal(), at, has);
    let again = frames("film-views", &meal(), at);
    for (number, (image, again)) in images.iter().zip(&again).enumerate() {
        assert!(image == again, "frame {number} differs");
    }
}

#[test]
fn every_view_is_in_films_of_a_source_tree_alone() {
    let inputs = format!("source = {:?}", data("window/source"));
    every_view_is_drawn("film-tree", &inputs, "", |needs| needs == Needs::Nothing);
}

#[test]
fn every_view_is_in_films_of_two_runs_and_of_the_other_one() {
    let runs = ["parsed", "stored"].map(|name| data(&format!("compare/paths/{name}.json.gz")));
    let inputs = format!("recordings = [{}]", named(&runs));
    let has = |needs| needs != Needs::Memory;
    for first in ["run = \"b\"", "compare = \"side-by-side\""] {
        every_view_is_drawn("film-runs", &inputs, first, has);
    }
    // With the views open already.
    let folder = Scratch::new("film-flip");
    let ids: Vec<String> = all()
        .iter()
        .map(|view| format!("\"{}\"", view.id()))
        .collect();
    let views = ids.join(", ");
    let scene = format!(
        "[inputs]\n{inputs}\n[[shot]]\nshow = [{views}]\nseconds = 1\n[[shot]]\nrun = \"b\"\nseconds = 1\n\
         [[shot]]\nrun = \"a\"\nseconds = 1\n"
    );
    let mut stage = stage_of(&folder, &scene, 1);
    let drawn: Vec<FrameIs> = (0..3).map(|_| stage.draw().expect("at rest")).collect();
    assert_eq!(drawn, [FrameIs::New; 3]);
}

#[test]
fn every_view_is_in_films_of_profiles() {
    let has = |needs| matches!(needs, Needs::Nothing | Needs::Recording);
    for profile in [
        "pprof/markdown-render.pb.gz",
        "heaptrack/python-start.heaptrack.zst",
    ] {
        let profile = data("import").join(profile);
        every_view_is_drawn(
            "film-profile",
            &format!("recordings = [{profile:?}]"),
            "",
            has,
        );
    }
}

#[test]
fn blocks_may_change_after_a_part_was_played() {
    let folder = Scratch::new("film-levels");
    let mut scene = String::new();
    for change in [
        "level = 1",
        "bookmark = \"folded\"",
        "collapse = [\"lvm.c\"]",
    ] {
        let play = "play = { from = \"10%\", to = \"20%\" }\nseconds = 1";
        scene += &format!("[[shot]]\n{play}\n[[shot]]\n{change}\nseconds = 1\n");
    }
    scene += "[[bookmark]]\nname = \"folded\"\ncollapsed = [\"lapi.c\", \"lgc.c\"]\n";
    let mut stage = stage_of(&folder, &scene, 2);
    for number in 0..stage.frames() {
        let drawn = stage.draw();
        drawn.unwrap_or_else(|error| panic!("frame {number}: {error}"));
    }
}
