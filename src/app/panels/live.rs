//! What an audience sees of a presentation: the scene alone, and over it what the presenter points with.

use egui::{
    Align2, Color32, Context as Egui, CursorIcon, FontId, Id, LayerId, Order, Pos2, Rect, Ui, vec2,
};

use super::context::{Layout, Pictures};
use super::scene;
use crate::command::PointsWith;
use crate::desk::DeskRef;
use crate::dock::Dock;
use crate::open_views::Views;
use crate::presenting::talk::Live;
use callscape_base::escape;
use callscape_views::style;

/// The radius of the laser's dot, as a part of the picture's shorter side.
const DOT: f32 = 0.008;
/// A bright red that stands out on both themes, and its halo.
const LASER: Color32 = Color32::from_rgb(255, 38, 38);

/// Shows the scene that is presented on all of `ui`, and says where the landscape is to be drawn.
pub(super) fn show(
    ui: &mut Ui,
    desk: DeskRef<'_>,
    live: &Live,
    (views, dock): (&mut Views, &mut Dock),
    pictures: &Pictures,
) -> Layout {
    let picture = ui.max_rect();
    let mut layout = scene::show(ui, desk, (views, dock), pictures);
    let ctx = ui.ctx().clone();
    layout.pointer = ctx.pointer_hover_pos();
    layout.under_pointer = layout.pointer.and_then(|at| dock.view_at(at));
    over(&ctx, desk, live, picture, layout.pointer);
    layout
}

fn over(ctx: &Egui, desk: DeskRef<'_>, live: &Live, picture: Rect, pointer: Option<Pos2>) {
    let layer = LayerId::new(Order::Tooltip, Id::unique("over the scene"));
    let painter = ctx.layer_painter(layer);
    let side = picture.size().min_elem();
    if live.is_black {
        painter.rect_filled(picture, 0, Color32::BLACK);
        ctx.set_cursor_icon(CursorIcon::None);
        return;
    }
    match (live.points_with, pointer) {
        (PointsWith::Laser, Some(at)) => {
            let radius = (side * DOT).max(4.0);
            for (halo, strength) in [(3.2, 0.10), (2.2, 0.18), (1.5, 0.35)] {
                let color = LASER.gamma_multiply(strength);
                painter.circle_filled(at, radius * halo, color);
            }
            painter.circle_filled(at, radius, LASER);
            painter.circle_filled(at, radius * 0.4, Color32::from_rgb(255, 190, 190));
            ctx.set_cursor_icon(CursorIcon::None);
        }
        (PointsWith::Arrow, _) if !live.is_away => {}
        _ => {}
    }
    let colors = style::colors(desk.state.settings.theme);
    let mut said = Vec::new();
    if !live.number.is_empty() {
        let shots = desk.show.as_ref().map_or(0, |show| show.shots().len());
        said.push(format!("Shot {} of {shots}: Enter", live.number));
    }
    if live.is_away {
        said.push("Looking around. Backspace: back to the script".to_owned());
    }
    said.extend(desk.state.notice().map(|(line, _)| line.to_owned()));
    if desk.is_working() {
        let slow = desk.slow().next();
        said.extend(slow.map(|progress| progress.state().0));
    }
    let mut top = picture.top() + side * 0.03;
    for line in said {
        let font = FontId::proportional((side * 0.02).max(13.0));
        let line = escape::lines(&line).into_owned();
        let galley = painter.layout(line, font, colors.text, picture.width() * 0.8);
        let pad = vec2(12.0, 7.0);
        let size = galley.size() + pad * 2.0;
        let center = Pos2::new(picture.center().x, top + size.y / 2.0);
        let frame = Align2::CENTER_CENTER.anchor_size(center, size);
        painter.rect_filled(frame, 6, colors.panel.gamma_multiply(0.92));
        painter.galley(frame.min + pad, galley, colors.text);
        top += size.y + 6.0;
    }
}

/// What the presenter alone sees: the notes of the shot that is shown, and the next one.
pub(super) fn notes(ui: &mut Ui, desk: DeskRef<'_>) {
    let Some(show) = desk.show else {
        ui.label(style::weak("The scene begins."));
        return;
    };
    let name = |index: usize| {
        let shot = show.shots().get(index)?;
        let words = shot.title.as_ref().or(shot.caption.as_ref());
        let name = match (&*shot.name, words) {
            ("", Some(words)) => words.text.clone(),
            ("", None) => "without a name".to_owned(),
            (name, _) => name.to_owned(),
        };
        Some((name, shot.notes.clone()))
    };
    let (shot, count) = (show.shot(), show.shots().len());
    let clock = |seconds: f64| format!("{}:{:02}", seconds as u64 / 60, seconds as u64 % 60);
    let total = show.timeline.total();
    ui.horizontal(|ui| {
        ui.label(style::title(format!("Shot {} of {count}", shot + 1)).size(18.0));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let at = format!("{} of {}", clock(show.at()), clock(total));
            ui.label(style::weak(at).size(18.0));
        });
    });
    let timed = show.timeline.shots.get(shot);
    let share = timed.map_or(1.0, |of| of.share(show.at() - of.start));
    ui.add(egui::ProgressBar::new(share as f32).desired_height(6.0));
    ui.add_space(8.0);
    egui::ScrollArea::vertical().show(ui, |ui| {
        if let Some((name, notes)) = name(shot) {
            ui.add(egui::Label::new(style::title(name).size(22.0)).wrap());
            ui.add(egui::Label::new(egui::RichText::new(escape::lines(&notes)).size(20.0)).wrap());
        }
        ui.add_space(14.0);
        match name(shot + 1) {
            Some((name, notes)) => {
                ui.label(style::weak("Next").size(15.0));
                ui.add(egui::Label::new(style::title(name).size(17.0)).wrap());
                ui.add(egui::Label::new(style::weak(notes).size(15.0)).wrap());
            }
            None => {
                ui.label(style::weak("This is the last shot.").size(15.0));
            }
        }
        if !show.problems.is_empty() {
            ui.add_space(14.0);
            ui.label(style::title("No longer available; the rest plays"));
            for problem in show.problems.iter().take(20) {
                ui.add(egui::Label::new(style::weak(problem.to_string())).wrap());
            }
        }
    });
}
