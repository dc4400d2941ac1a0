//! All panels, in windows of every size and scale: none asks for less room than there is none.

use std::path::PathBuf;

use egui::{Pos2, RawInput, Rect, TextureId, ViewportId, vec2};

use super::context::{Pictures, Timings};
use super::show;
use crate::analysis::session::Inputs;
use crate::app::command::{Command, PictureAsk, TalkAsk};
use crate::app::desk::Desk;
use crate::app::dock::Dock;
use crate::app::pace::Detail;
use crate::model::landscape::LandscapeSettings;
use crate::model::theme::Theme;
use crate::progress::Progress;
use crate::render::renderer::Quality;
use crate::state::ask::{Asks, CameraAsk, CardAsk, MappingAsk, PaneAsk, RunsAsk, SearchAsk};
use crate::state::document::Document;
use crate::state::runs::RunsLayout;
use crate::views::{self, style};

fn desk(files: &[&str]) -> Desk {
    let data = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/import");
    let inputs = Inputs {
        source_dir: None,
        recordings: files.iter().map(|file| data.join(file)).collect(),
        ..Inputs::default()
    };
    let settings = LandscapeSettings::default();
    let document = Document::open(&inputs, None, &settings, &Progress::new());
    let mut desk = Desk::unattended();
    desk.show(document.expect("recordings that can be read"));
    desk
}

/// Lays all panels out in windows of several sizes, in points, and scales, one after the other as when a window is
/// resized and brought to another monitor. How much of each the landscape has.
fn lay_out(desk: &mut Desk) -> Vec<Option<Rect>> {
    let ctx = egui::Context::default();
    style::set_fonts(&ctx, None);
    style::set_theme(&ctx, Theme::Light);
    desk.dock = Dock::default();
    desk.dock.tell(&mut desk.state.panes);
    let pictures = Pictures {
        views: views::all()
            .into_iter()
            .map(|view| (view, TextureId::default()))
            .collect(),
        second: TextureId::default(),
        before: [None; 2],
        before_strength: 0.0,
    };
    let timings = Timings {
        frames: 0,
        interval_ms: 0.0,
        cpu_ms: 0.0,
        drawn: Detail::default(),
        passes: Vec::new(),
        adapter: String::new(),
        quality: Quality::MEDIUM,
    };
    let mut seen = Vec::new();
    for (size, scale) in [
        (vec2(1280.0, 720.0), 1.0),
        (vec2(600.0, 330.0), 1.0),
        (vec2(600.0, 330.0), 2.5),
        (vec2(320.0, 200.0), 1.5),
        (vec2(120.0, 60.0), 1.0),
        (vec2(1.0, 1.0), 1.0),
        (vec2(3000.0, 40.0), 1.0),
        (vec2(40.0, 3000.0), 0.5),
        (vec2(1280.0, 720.0), 2.0),
    ] {
        let mut landscape = None;
        // A panel finds its size in the first frame.
        for _ in 0..3 {
            let mut input = RawInput {
                screen_rect: Some(Rect::from_min_size(Pos2::ZERO, size)),
                ..RawInput::default()
            };
            if let Some(viewport) = input.viewports.get_mut(&ViewportId::ROOT) {
                viewport.native_pixels_per_point = Some(scale);
            }
            let mut output = ctx.run_ui(input, |ui| {
                let layout = show(ui, desk, &pictures, &timings, &mut Asks::default());
                landscape = layout.placed.map(|placed| placed.place.seen);
            });
            output.textures_delta.clear();
        }
        seen.push(landscape);
    }
    seen
}

#[test]
fn panels_make_do_with_any_window() {
    let one = ["toml-threads.viztracer.json"];
    let two = [one[0], "syn-spans.tracing-chrome.json"];
    for files in [&one[..], &two] {
        let mut desk = desk(files);
        let seen = lay_out(&mut desk);
        let high = |at: usize| seen[at].map_or(0.0, |seen: Rect| seen.height());
        assert_eq!(seen[0], seen[8], "as before");
        assert!(high(1) > 120.0, "{seen:?}");
        assert_eq!(seen[1], seen[2], "whatever the scale");
        // With all that can be opened beside and over it.
        let asks: [Command; 9] = [
            CardAsk::ToggleSettings.into(),
            MappingAsk::Toggle.into(),
            PictureAsk::Toggle.into(),
            SearchAsk::Open.into(),
            CardAsk::ToggleTimings.into(),
            CameraAsk::OrbitOrFly.into(),
            RunsAsk::Together(Some(RunsLayout::SideBySide)).into(),
            TalkAsk::Toggle.into(),
            CardAsk::ToggleHelp.into(),
        ];
        for ask in asks {
            desk.execute(ask);
            lay_out(&mut desk);
        }
        for view in views::all() {
            desk.execute(PaneAsk::Toggle(view));
        }
        lay_out(&mut desk);
    }
}
