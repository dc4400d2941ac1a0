//! Every view on ten recordings: how much of its picture is used, and what is wrong with its labels, within limits.

mod seen;

use std::path::PathBuf;

use egui::{RawInput, ViewportId, vec2};

use self::seen::{Counts, Seen};
use super::desk::Desk;
use super::driven::inputs;
use super::panels;
use super::rest::wait;
use callscape_base::progress::Progress;
use callscape_model::theme::Theme;
use callscape_state::ask::ViewAsk;
use callscape_state::document::Document;
use callscape_state::panes::ViewId;
use callscape_views::{Entry, Picture, REGISTRY, Surface, style};

const RECORDINGS: [&str; 10] = [
    "callgrind/lines.callgrind.out",
    "firefox/lua-queens11.samply.json",
    "folded/markdown-render.folded.gz",
    "heaptrack/python-start.heaptrack.zst",
    "jfr/spin.jfr.gz",
    "lists.uftrace",
    "orders.viztracer.json",
    "otlp/shop.jsonl",
    "pprof/markdown-render.pb.gz",
    "toml-threads.viztracer.json",
];

/// Pixels, and how many of them a point has.
const SIZES: [([u32; 2], f32); 3] = [([1280, 720], 1.0), ([1920, 1080], 1.0), ([3840, 2160], 2.0)];

/// By view: the least share used, and the largest of labels that are cut, small and pale. None sticks out. What a view says where
/// it has nothing to show uses next to nothing.
#[rustfmt::skip]
const LIMITS: &[(&str, [f32; 4])] = &[
    ("mural", [0.99, 0.06, 0.00, 0.00]),
    ("flame", [0.99, 0.30, 0.00, 0.01]),
    ("functions", [0.80, 0.02, 0.00, 0.00]),
    ("calls", [0.15, 0.01, 0.00, 0.01]),
    ("phases", [0.20, 0.01, 0.00, 0.03]),
    ("tree", [0.00, 0.01, 0.00, 0.02]),
    ("rings", [0.00, 0.01, 0.00, 0.00]),
    ("flame-graph", [0.00, 0.01, 0.00, 0.01]),
    ("fan", [0.00, 0.02, 0.00, 0.05]),
    ("code", [0.00, 0.01, 0.00, 0.00]),
    ("collaboration", [0.55, 0.03, 0.00, 0.03]),
    ("neighbours", [0.50, 0.04, 0.00, 0.01]),
    ("memory", [0.45, 0.01, 0.01, 0.03]),
    ("findings", [0.00, 0.00, 0.00, 0.00]),
    ("faults", [0.00, 0.00, 0.00, 0.00]),
    ("differences", [0.00, 0.00, 0.00, 0.00]),
    ("timelines", [0.00, 0.00, 0.00, 0.00]),
];

/// A desk on which a view alone is open.
fn show(desk: &mut Desk, view: ViewId, theme: Theme) {
    desk.state.settings.theme = theme;
    for &other in &desk.state.panes.all().to_vec() {
        if other != view {
            desk.state.panes.close(other);
        }
    }
    desk.state.panes.open(view);
    desk.views.update(&mut desk.state);
    desk.state.ask_views(Some(view), ViewAsk::ShowAll);
}

/// The counts of what a view shows on `size` pixels.
fn counts(desk: &mut Desk, view: ViewId, size: [u32; 2], scale: f32) -> Counts {
    let theme = desk.state.settings.theme;
    let surface = |is_new| Surface {
        size,
        scale,
        is_new,
    };
    let settle = |desk: &mut Desk| {
        let settled = wait(desk, &|_| (), |desk| {
            desk.poll_jobs();
            let Desk { state, views, .. } = desk;
            state.update_work();
            views.update(state);
            views.picture(view, state, surface(false));
        });
        settled.expect("a view comes to rest");
    };
    settle(desk);
    let pixels = vec2(size[0] as f32, size[1] as f32);
    let ground = style::colors(theme).panel;
    let Desk { state, views, .. } = desk;
    if let Picture::Sheet(sheet) = views.picture(view, state, surface(true)) {
        let mut seen = Seen::new(pixels, scale, ground);
        seen.sheet(sheet);
        return seen.counts();
    }
    let ctx = egui::Context::default();
    style::set_fonts(&ctx, None);
    style::set_theme(&ctx, theme);
    let points = pixels / scale;
    let mut shapes = Vec::new();
    for frame in 0..4 {
        desk.state.opening.documents += 1;
        settle(desk);
        let mut input = RawInput {
            screen_rect: Some(egui::Rect::from_min_size(egui::Pos2::ZERO, points)),
            time: Some(f64::from(frame)),
            ..RawInput::default()
        };
        if let Some(viewport) = input.viewports.get_mut(&ViewportId::ROOT) {
            viewport.native_pixels_per_point = Some(scale);
        }
        let mut output = ctx.run_ui(input, |ui| panels::show_alone(ui, desk, view));
        output.textures_delta.clear();
        shapes = output.shapes;
    }
    let mut seen = Seen::new(points, scale, ground);
    seen.shapes(&shapes);
    seen.counts()
}

/// The counts of a view by recording that it has something of.
fn of_view(
    desks: &mut [(&str, Desk)],
    entry: &'static Entry,
    sizes: &[([u32; 2], f32)],
) -> Vec<(String, Counts)> {
    let view = ViewId::of(&entry.line);
    let mut found = Vec::new();
    for (name, desk) in desks {
        let document = desk.state.document.as_ref();
        if !document.is_some_and(|it| it.has(entry.line.needs)) {
            continue;
        }
        let mut all: Option<Counts> = None;
        for theme in [Theme::Light, Theme::Dark] {
            show(desk, view, theme);
            for &(size, scale) in sizes {
                let counts = counts(desk, view, size, scale);
                all = Some(all.map_or(counts, |it| it.with(counts)));
            }
        }
        found.extend(all.map(|it| ((*name).to_owned(), it)));
    }
    found
}

fn desks() -> Vec<(&'static str, Desk)> {
    let data = PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/data/import"
    ));
    let open = |name: &'static str| {
        let mut desk = Desk::unattended();
        let of = inputs(None, &[data.join(name)]);
        let document = Document::open(&of, None, &desk.state.settings, &Progress::new());
        desk.state
            .show_as_is(document.expect("a recording that can be read"));
        (name, desk)
    };
    RECORDINGS.iter().copied().map(open).collect()
}

/// The views that are drawn flat: what the landscape has in its space is counted by its own tests.
fn flat() -> impl Iterator<Item = &'static Entry> {
    REGISTRY.iter().copied().skip(1)
}

/// A line for each view and recording, for the table of results: `./x sheet --views` prints it.
#[test]
#[ignore = "prints; its limits are those of the test below"]
fn counts_of_all_pictures() {
    let mut desks = desks();
    println!("view,recording,used,labels,cut,small,pale,outside");
    for entry in flat() {
        for (name, it) in of_view(&mut desks, entry, &SIZES) {
            println!(
                "{},{name},{:.2},{},{},{},{},{}",
                ViewId::of(&entry.line).id(),
                it.used,
                it.labels,
                it.cut,
                it.small,
                it.pale,
                it.outside
            );
        }
    }
}

#[test]
fn pictures_of_all_views_are_within_their_limits() {
    let mut desks = desks();
    let mut wrong = Vec::new();
    for entry in flat() {
        let id = ViewId::of(&entry.line).id();
        let found = of_view(&mut desks, entry, &SIZES[..1]);
        let limits = LIMITS.iter().find(|it| it.0 == id);
        let [used, cut, small, pale] = limits.unwrap_or_else(|| panic!("{id} has no limits")).1;
        let all = found.iter().map(|(_, it)| *it).reduce(Counts::with);
        let Some(all) = all else { continue };
        let share = |of: usize| of as f32 / all.labels.max(1) as f32;
        let shares = [
            ("cut", share(all.cut), cut),
            ("small", share(all.small), small),
            ("pale", share(all.pale), pale),
            ("outside", share(all.outside), 0.0),
            ("unused", 1.0 - all.used, 1.0 - used),
        ];
        for (what, share, most) in shares {
            if share > most + 1e-3 {
                wrong.push(format!("{id}: {what} {share:.3}, at most {most:.3}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
