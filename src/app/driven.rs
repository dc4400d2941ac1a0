//! The window without a window, for tests: a desk, egui and a pointer, in the steps of
//! [`window/frame.rs`](super::window). Pictures are made and not drawn, so that no device is needed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use egui::accesskit::{Node, TreeUpdate};
use egui::{Event, Modifiers, Pos2, RawInput, Rect, TextureId, ViewportId};
use glam::Vec2;

use super::canvas::viewport;
use super::command::{
    BookmarkAsk, Command, FileAsk, LiveAsk, OwnDoes, PairAsk, PictureAsk, ScriptAsk, TalkAsk,
};
use super::desk::Desk;
use super::pace::Detail;
use super::panels::context::{Cues, Layout, Pictures, Timings};
use super::panels::{self};
use super::snapshot::Drawing;
use callscape_analysis::session::Inputs;
use callscape_base::progress::Progress;
use callscape_filter::selection::Pointed;
use callscape_look::quality::Quality;
use callscape_model::theme::Theme;
use callscape_state::ask::{Ask, Asks, MappingAsk};
use callscape_state::city::Lettering;
use callscape_state::document::Document;
use callscape_state::made::Made;
use callscape_state::panes::ViewId;
use callscape_state::pointer::Button;
use callscape_views::{self as views, Picture, Surface, style};

/// How much time goes on with a frame.
const FRAME: Duration = Duration::from_millis(120);

pub(crate) struct Driven {
    pub desk: Desk,
    ctx: egui::Context,
    asks: Asks<Command>,
    pointed: Option<Made<Pointed>>,
    /// In points.
    pub size: egui::Vec2,
    pub pointer: Pos2,
    pub modifiers: Modifiers,
    pictures: Pictures,
    timings: Timings,
    drawn: BTreeMap<ViewId, [u32; 2]>,
    landscape: Rect,
    /// What a screen reader would be told, once something was looked for in it.
    said: Option<TreeUpdate>,
}

impl Driven {
    pub(crate) fn new(inputs: &Inputs) -> Driven {
        let mut desk = Desk::unattended();
        desk.state.tell_time(Duration::ZERO);
        let ctx = egui::Context::default();
        style::set_fonts(&ctx, None);
        style::set_theme(&ctx, Theme::Light);
        let all = views::all().into_iter();
        let mut driven = Driven {
            desk,
            ctx,
            asks: Asks::default(),
            pointed: None,
            size: egui::vec2(900.0, 560.0),
            pointer: Pos2::ZERO,
            modifiers: Modifiers::NONE,
            pictures: Pictures {
                views: all
                    .zip(1..)
                    .map(|(view, id)| (view, TextureId::User(id)))
                    .collect(),
                second: TextureId::default(),
                before: [None; 2],
                before_strength: 0.0,
            },
            timings: Timings {
                frames: 0,
                interval_ms: 0.0,
                cpu_ms: 0.0,
                drawn: Detail::default(),
                passes: Vec::new(),
                adapter: String::new(),
                quality: Quality::MEDIUM,
            },
            drawn: BTreeMap::new(),
            landscape: Rect::NOTHING,
            said: None,
        };
        driven.show(inputs);
        driven
    }

    /// Shows other inputs at once.
    pub(crate) fn show(&mut self, inputs: &Inputs) {
        let settings = self.desk.state.settings;
        let document = Document::open(inputs, None, &settings, &Progress::new());
        self.desk.show(document.expect("inputs that can be read"));
    }

    /// Carries out what does not reach out of the program.
    pub(crate) fn execute(&mut self, ask: impl Into<Command>) {
        let ask = ask.into();
        if stays_inside(&ask) {
            self.desk.execute(ask);
        }
    }

    /// A frame in which egui hears of `events`; what the pointer is on in it.
    pub(crate) fn frame(&mut self, events: Vec<Event>) -> Pointed {
        let now = self.desk.state.now() + FRAME;
        self.desk.state.tell_time(now);
        for ask in self.asks.take() {
            self.execute(ask);
        }
        self.desk.collect();
        self.point();
        self.desk.update();
        let layout = self.ui(events);
        self.draw(&layout);
        let wanted = self.desk.wants_picture.as_ref();
        let texture = wanted.and_then(|it| self.pictures.of(it.view));
        self.desk.take_snapshot(Drawing {
            ctx: &self.ctx,
            canvas: None,
            texture,
        });
        layout.pointed
    }

    fn point(&mut self) {
        let scale = self.ctx.pixels_per_point();
        let state = &mut self.desk.state;
        let shown = state.document.as_ref().map(Document::generation);
        let pointed = self.pointed.zip(shown);
        let pointed = pointed.and_then(|(pointed, shown)| pointed.into(shown));
        let (origin, landscape) = (state.moving.viewport.origin, self.landscape);
        let covers = |at: Vec2| {
            let at = (at + origin) / scale;
            !landscape.contains(egui::pos2(at.x, at.y))
        };
        state.update_hover(pointed.unwrap_or_default(), covers);
    }

    fn ui(&mut self, events: Vec<Event>) -> Layout {
        let mut input = RawInput {
            screen_rect: Some(Rect::from_min_size(Pos2::ZERO, self.size)),
            time: Some(self.desk.state.now().as_secs_f64()),
            events,
            ..RawInput::default()
        };
        if let Some(viewport) = input.viewports.get_mut(&ViewportId::ROOT) {
            viewport.native_pixels_per_point = Some(1.0);
        }
        let cues = Cues::take(&mut self.desk);
        let (desk, asks) = (&mut self.desk, &mut self.asks);
        let (pictures, timings) = (&self.pictures, &self.timings);
        let mut layout = Layout::default();
        let mut output = self.ctx.run_ui(input, |ui| {
            asks.clear();
            layout = panels::show(ui, desk, cues, (pictures, timings), asks);
        });
        output.textures_delta.clear();
        self.said = output.platform_output.accesskit_update.take();
        self.landscape = layout.covered.unwrap_or(Rect::NOTHING);
        let points = output.pixels_per_point;
        match layout.placed {
            Some(placed) => {
                let viewport = viewport(placed.place, points);
                self.desk.state.set_viewport(viewport);
            }
            None => self.desk.state.hide_viewport(),
        }
        self.desk.follow_layout();
        self.desk.is_held = self.ctx.input(|input| input.pointer.any_down());
        let (under, at) = (layout.under_pointer, layout.pointer);
        self.desk.note_pointer(under, at, points, false);
        let document = self.desk.state.document.as_ref();
        self.pointed = document.map(|it| Made::new(it.generation(), layout.pointed));
        layout
    }

    /// Makes the pictures of all views that are seen.
    fn draw(&mut self, layout: &Layout) {
        let Desk { state, views, .. } = &mut self.desk;
        for pane in state.panes.open_panes() {
            let Some([min, max]) = pane.place.filter(|_| state.panes.is_visible(pane.view)) else {
                continue;
            };
            let size = (max - min)
                .round()
                .as_uvec2()
                .to_array()
                .map(|it| it.max(1));
            let is_new = self.drawn.insert(pane.view, size) != Some(size);
            let surface = Surface {
                size,
                scale: 1.0,
                is_new,
            };
            let _ = matches!(views.picture(pane.view, state, surface), Picture::Sheet(_));
        }
        let camera = state.moving.camera.camera();
        let size = state.moving.viewport.size;
        let (Some(document), true) = (&mut state.document, layout.placed.is_some()) else {
            return;
        };
        for of in [document.selection.pointed, document.selection.chosen] {
            let modules = document.meant(&of).modules();
            let _ = modules.map(|module| document.city.displayed(module?));
        }
        let moments = [document.moment(), document.moment_of_other()];
        let (session, selection) = (Arc::clone(&document.session), document.selection.clone());
        let cities = [Some(&mut document.city), document.other_city.as_mut()];
        for (city, moment) in cities.into_iter().zip(moments) {
            let Some(city) = city else { continue };
            city.outline(&session.hierarchy, selection.marked.as_ref());
            city.point(&selection);
            city.show(&session, moment);
            city.looks_now();
            city.marked_arcs(&selection);
            city.label(
                &session,
                &selection,
                &document.found,
                &camera,
                &Lettering::whole(size, 12.0),
            );
        }
    }

    /// Frames until nothing is under way any more.
    pub(crate) fn settle(&mut self) {
        let mut quiet = 0;
        for _ in 0..2_000 {
            self.frame(Vec::new());
            let waits = self.desk.is_waiting();
            quiet = if waits { 0 } else { quiet + 1 };
            if quiet == 2 {
                return;
            }
            std::thread::sleep(Duration::from_millis(u64::from(waits)));
        }
        let Desk { state, views, .. } = &mut self.desk;
        let waiting = views::all().into_iter();
        let waiting =
            waiting.filter(|&it| views.get_mut(it, state).is_some_and(|it| it.is_waiting()));
        let waiting: Vec<_> = waiting.map(ViewId::id).collect();
        panic!(
            "no end: loading {}, counting {}, jobs {}, findings {}, views {waiting:?}",
            state.opening.loading.is_some(),
            state.work.is_under_way(),
            state.work.jobs.is_any(),
            state.findings.is_under_way(),
        );
    }

    /// Some frames, in which workers may come to an end.
    pub(crate) fn wait(&mut self) {
        for _ in 0..5 {
            self.frame(Vec::new());
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    pub(crate) fn move_pointer(&mut self, to: Pos2) -> Pointed {
        self.pointer = to;
        let at = Vec2::new(to.x, to.y) * self.ctx.pixels_per_point();
        // Cards lie over the landscape.
        let layer = self.ctx.layer_id_at(to);
        let over_card = layer.is_some_and(|it| it.order != egui::Order::Background);
        let over_panel = over_card || !self.landscape.contains(to);
        let state = &mut self.desk.state;
        state.enter_half(at);
        state.pointer_moved(at - state.moving.viewport.origin, over_panel);
        self.frame(vec![Event::PointerMoved(to)])
    }

    /// Presses a button of the pointer, or lets it go.
    pub(crate) fn press(&mut self, button: egui::PointerButton, pressed: bool) {
        let of_landscape = match button {
            egui::PointerButton::Primary => Button::Left,
            egui::PointerButton::Secondary => Button::Right,
            _ => Button::Middle,
        };
        let shift = self.modifiers.shift;
        match pressed {
            true => self.desk.state.pointer_pressed(of_landscape, shift),
            // With Ctrl an editor would be started.
            false => self.desk.state.pointer_released(of_landscape, false),
        }
        self.frame(vec![Event::PointerButton {
            pos: self.pointer,
            button,
            pressed,
            modifiers: Modifiers::NONE,
        }]);
    }

    /// Where something is that has this name, or one that begins with it.
    pub(crate) fn find(&mut self, label: &str) -> Option<Rect> {
        self.ctx.enable_accesskit();
        for _ in 0..3 {
            self.frame(Vec::new());
        }
        let nodes = &self.said.as_ref()?.nodes;
        let with = |fits: &dyn Fn(&str) -> bool| {
            let name = |it: &Node| it.label().or(it.value()).is_some_and(fits);
            let mut named = nodes.iter().filter(|(_, it)| name(it));
            named.find_map(|(_, it)| it.bounds())
        };
        let bounds = with(&|it| it == label).or_else(|| with(&|it| it.starts_with(label)))?;
        let at = |x: f64, y: f64| egui::pos2(x as f32, y as f32);
        Some(Rect::from_min_max(
            at(bounds.x0, bounds.y0),
            at(bounds.x1, bounds.y1),
        ))
    }

    /// Whether something is shown that the tour points at by this name.
    pub(crate) fn ring(&self, name: &str) -> bool {
        panels::ring_place(&self.ctx, name).is_some()
    }

    /// Clicks on what has a name that begins with `label`.
    pub(crate) fn click_on(&mut self, label: &str, button: egui::PointerButton) {
        let found = self.find(label);
        let place = found.unwrap_or_else(|| panic!("there is no {label}"));
        self.move_pointer(place.center());
        self.frame(Vec::new());
        self.press(button, true);
        self.press(button, false);
        self.frame(Vec::new());
    }

    pub(crate) fn scroll(&mut self, by: egui::Vec2) {
        if self.desk.state.moving.pointer.at.is_some() {
            let by = Vec2::new(by.x, by.y);
            self.desk.state.scrolled(by, 40.0, self.modifiers.shift);
        }
        self.frame(vec![Event::MouseWheel {
            unit: egui::MouseWheelUnit::Line,
            delta: by,
            phase: egui::TouchPhase::Move,
            source: egui::MouseWheelSource::Unknown,
            modifiers: self.modifiers,
        }]);
    }

    pub(crate) fn document(&self) -> &Document {
        self.desk
            .state
            .document
            .as_ref()
            .expect("something is open")
    }
}

/// Whether what is asked for touches nothing but the desk: no file, no other program, no dialog, no second window.
fn stays_inside(ask: &Command) -> bool {
    match ask {
        Command::Record(_) | Command::Editor(_) => false,
        Command::Ask(Ask::Edit(_)) => false,
        Command::Ask(Ask::Mapping(ask)) => *ask != MappingAsk::Save,
        Command::File(ask) => matches!(ask, FileAsk::Demo | FileAsk::Welcome | FileAsk::Open(_)),
        Command::Pair(ask) => !matches!(ask, PairAsk::Choose(_) | PairAsk::CompareRevisions),
        Command::Picture(ask) => !matches!(
            ask,
            PictureAsk::Save | PictureAsk::Copy(_) | PictureAsk::Command
        ),
        Command::Own(ask) => matches!(ask.does, OwnDoes::Use(_)),
        Command::Talk(ask) => matches!(ask, TalkAsk::Toggle | TalkAsk::ShowScript(_)),
        Command::Script(ask) => {
            !matches!(ask, ScriptAsk::Read | ScriptAsk::Write | ScriptAsk::Record)
        }
        Command::Live(ask) => !matches!(ask, LiveAsk::Open(_) | LiveAsk::Notes),
        Command::Bookmarks(ask) => !matches!(ask, BookmarkAsk::Rename(..)),
        Command::Ask(_)
        | Command::Replace(_)
        | Command::Remark(_)
        | Command::Palette(_)
        | Command::Tour(_)
        | Command::Focus
        | Command::Escape => true,
    }
}

/// Files that tests replace, in a folder of their own.
pub(crate) struct Files(pub PathBuf);

impl Files {
    pub(crate) fn new(name: &str) -> Files {
        let folder = std::env::temp_dir().join(format!("callscape-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(folder.join("tree/a")).expect("a folder");
        Files(folder)
    }

    /// Writes a recording of calls by functions of these numbers, on two threads, each in a file of its own.
    pub(crate) fn recording(&self, name: &str, functions: std::ops::Range<u32>) -> PathBuf {
        let mut text = String::from("[");
        for (thread, by) in [(1, 10), (2, 7)] {
            let event = |at: u64, dur: u64, of: u32| {
                let file = ["a", "b", "c"][of as usize % 3];
                format!(
                    "{{\"ph\":\"X\",\"pid\":1,\"tid\":{thread},\"ts\":{at},\"dur\":{dur},\
                     \"name\":\"f{of} ({file}/m{}.py:{})\"}},",
                    of % 5,
                    1 + of
                )
            };
            let last = u64::from(functions.end) * by * 3;
            text += &event(0, last, functions.start);
            for of in functions.clone().skip(1) {
                let at = u64::from(of) * by;
                text += &event(at, by - 2, of);
                text += &event(
                    at + 1,
                    by - 5,
                    functions.start + (of * 7) % functions.len() as u32,
                );
                text += &event(last / 2 + at / 2, 2, of);
            }
        }
        let path = self.0.join(name);
        std::fs::write(&path, text.trim_end_matches(',').to_owned() + "]").expect("a file");
        path
    }

    /// Writes some of the files that functions are in.
    pub(crate) fn source(&self, files: std::ops::Range<u32>) -> PathBuf {
        let tree = self.0.join("tree");
        let _ = std::fs::remove_dir_all(&tree);
        std::fs::create_dir_all(tree.join("a")).expect("a folder");
        for file in files {
            let lines = (0..60).map(|line| match line % 5 == file {
                true => format!("def f{line}(): pass\n"),
                false => "\n".to_owned(),
            });
            let path = tree.join(format!("a/m{file}.py"));
            std::fs::write(path, lines.collect::<String>()).expect("a file");
        }
        tree
    }

    pub(crate) fn mapping(&self, text: &str) -> PathBuf {
        let path = self.0.join("a.map");
        std::fs::write(&path, text).expect("a file");
        path
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn inputs(source_dir: Option<&Path>, recordings: &[PathBuf]) -> Inputs {
    Inputs {
        source_dir: source_dir.map(Path::to_owned),
        recordings: recordings.to_vec(),
        ..Inputs::default()
    }
}
