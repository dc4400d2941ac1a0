//! Small widgets that the panels share: cards, buttons with drawn icons, rows of facts.

use egui::{
    Align2, Color32, Context, Id, LayerId, Order, Pos2, Rect, Response, Role, Sense, Shape, Stroke,
    Ui, Vec2, WidgetInfo,
};

use super::kept::HasName;
use super::style;
use callscape_layout::labels::Covered;

/// The distance of cards from the edges of the free area, in points.
pub const MARGIN: f32 = 10.0;

/// A choice among a few, as a list that opens, so many points wide.
pub(crate) fn choice<T: HasName + PartialEq>(
    ui: &mut Ui,
    (label, about): (&str, &str),
    width: f32,
    now: &mut T,
    all: impl IntoIterator<Item = T>,
) {
    ui.label(style::weak(label).small());
    egui::ComboBox::from_id_salt(("choice", label))
        .selected_text(now.name())
        .width(width)
        .show_ui(ui, |ui| {
            for value in all {
                ui.selectable_value(now, value, value.name());
            }
        })
        .response
        .on_hover_text(about);
}

/// A small triangle: to the right of what is closed, down for what is open.
pub(crate) fn triangle(
    painter: &egui::Painter,
    center: egui::Pos2,
    is_open: bool,
    color: egui::Color32,
) {
    let r = 3.5;
    let points = match is_open {
        true => [(-r, -r * 0.6), (r, -r * 0.6), (0.0, r * 0.9)],
        false => [(-r * 0.6, -r), (-r * 0.6, r), (r * 0.9, 0.0)],
    };
    let points = points.map(|(x, y)| center + egui::vec2(x, y));
    let triangle = egui::Shape::convex_polygon(points.to_vec(), color, egui::Stroke::NONE);
    painter.add(triangle);
}

/// A field for what is looked for, with a magnifier in it.
pub(crate) fn search(
    ui: &mut Ui,
    id: &'static str,
    hint: &str,
    width: f32,
    text: &mut String,
) -> Response {
    let edit = egui::TextEdit::singleline(text)
        .id(Id::unique(id))
        .hint_text(hint)
        .margin(egui::Margin {
            left: 26,
            right: 8,
            top: 4,
            bottom: 4,
        })
        .desired_width(width);
    let response = ui.add(edit);
    let square = Vec2::splat(response.rect.height());
    let icon = Rect::from_min_size(response.rect.left_top(), square);
    let color = ui.visuals().weak_text_color();
    paint(ui, Icon::Magnifier, icon.shrink(4.0), color);
    response
}

/// A floating card in a corner of `within`.
pub fn card<R>(
    ctx: &Context,
    name: &str,
    corner: Align2,
    within: Rect,
    contents: impl FnOnce(&mut Ui) -> R,
) -> R {
    card_in(ctx, (name, Order::Middle), corner, within, contents)
}

/// A card that one opens and leaves: it lies over the help and the search too, since it is left before them.
pub fn opened_card<R>(
    ctx: &Context,
    name: &str,
    corner: Align2,
    within: Rect,
    contents: impl FnOnce(&mut Ui) -> R,
) -> R {
    let below = ctx.memory(|memory| memory.top_modal_layer());
    let order = match below {
        Some(below) => {
            let layer = LayerId::new(below.order, Id::unique(name));
            ctx.set_sublayer(below, layer);
            below.order
        }
        None => Order::Middle,
    };
    card_in(ctx, (name, order), corner, within, contents)
}

fn card_in<R>(
    ctx: &Context,
    (name, order): (&str, Order),
    corner: Align2,
    within: Rect,
    contents: impl FnOnce(&mut Ui) -> R,
) -> R {
    // In a window that leaves less room than the margins there is none, not less than none.
    let margins = egui::vec2(within.width(), within.height()).max(Vec2::ZERO) * 0.5;
    let within = within.shrink2(margins.min(Vec2::splat(MARGIN)));
    let shown = egui::Area::new(Id::unique(name))
        .order(order)
        .fixed_pos(corner.pos_in_rect(&within))
        .pivot(corner)
        .constrain(false)
        .show(ctx, |ui| {
            // Otherwise what scrolls would get no more room than it had before.
            ui.set_max_height(within.height().max(0.0));
            egui::Frame::popup(ui.style())
                .inner_margin(10)
                .show(ui, contents)
                .inner
        });
    add_card(ctx, shown.response.rect);
    shown.inner
}

fn cards() -> Id {
    Id::unique("what lies over landscapes")
}

/// Notes that names of the landscape cannot be read at `rect`, in points.
pub fn add_card(ctx: &Context, rect: Rect) {
    let [min, max] = [rect.min, rect.max].map(|at| glam::Vec2::new(at.x, at.y));
    ctx.data_mut(|data| {
        let all: &mut Covered = data.get_temp_mut_or_default(cards());
        all.add(min, max);
    });
}

/// What was noted, which is forgotten.
pub fn take_cards(ctx: &Context) -> Covered {
    ctx.data_mut(|data| data.remove_temp(cards()).unwrap_or_default())
}

/// Whether what is shown under this name was not shown in the frame before; to be asked once a frame while it is.
pub fn is_new(ctx: &Context, name: &str) -> bool {
    let (id, pass) = (Id::unique(("shown last", name)), ctx.cumulative_pass_nr());
    let before: Option<u64> = ctx.data_mut(|data| {
        let before = data.get_temp(id);
        data.insert_temp(id, pass);
        before
    });
    before.is_none_or(|before| before + 1 < pass)
}

fn front() -> Id {
    Id::unique("first in the card in front")
}

/// Notes that what gives buttons the keyboard begins here: in the card in front of all others.
pub fn begin_keys_here(response: &Response) {
    let noted = (response.id, response.ctx.cumulative_pass_nr());
    response
        .ctx
        .data_mut(|data| data.insert_temp(front(), noted));
}

/// Where that was noted in this frame or the last.
pub fn first_in_front(ctx: &Context) -> Option<Id> {
    let (id, pass) = ctx.data(|data| data.get_temp::<(Id, u64)>(front()))?;
    (ctx.cumulative_pass_nr() <= pass + 1).then_some(id)
}

/// What a button's drawing shows. The embedded font has letters, not pictograms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Icon {
    Play,
    Pause,
    StepForward,
    StepBack,
    ToStart,
    ToEnd,
    Loop,
    Close,
    Back,
    Forward,
    Undo,
    Redo,
    Home,
    Magnifier,
}

/// Tells a screen reader what is painted here, and its name: of what is drawn by hand it would know neither.
pub fn tell(response: &Response, role: Role, name: impl ToString) {
    response.widget_info(|| WidgetInfo::labeled(role, response.enabled(), name.to_string()));
}

/// A square button with a drawing; `tooltip` says what it does and its key.
pub fn icon_button(ui: &mut Ui, icon: Icon, is_on: bool, tooltip: &str) -> Response {
    let size = Vec2::splat(ui.spacing().interact_size.y);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    tell(&response, Role::Button, tooltip);
    let visuals = *ui.style().interact(&response);
    let mut fill = visuals.weak_bg_fill;
    if is_on {
        fill = ui.visuals().selection.bg_fill;
    }
    ui.painter().rect_filled(rect, visuals.corner_radius, fill);
    if response.has_focus() {
        let (corners, inside) = (visuals.corner_radius, egui::StrokeKind::Inside);
        ui.painter()
            .rect_stroke(rect, corners, visuals.bg_stroke, inside);
    }
    paint(ui, icon, rect, visuals.text_color());
    response.on_hover_text(tooltip)
}

/// Draws `icon` in the middle of `rect`.
pub fn paint(ui: &Ui, icon: Icon, rect: Rect, color: Color32) {
    let center = rect.center();
    let unit = rect.height() / 26.0;
    let at = |x: f32, y: f32| center + Vec2::new(x, y) * unit;
    let painter = ui.painter();
    let stroke = Stroke::new(1.6 * unit, color);
    let triangle = |x: f32, size: f32| {
        let points: Vec<Pos2> = vec![at(x, -size), at(x + size * 1.5, 0.0), at(x, size)];
        painter.add(Shape::convex_polygon(points, color, Stroke::NONE));
    };
    let triangle_back = |x: f32, size: f32| {
        let points: Vec<Pos2> = vec![at(x, -size), at(x, size), at(x - size * 1.5, 0.0)];
        painter.add(Shape::convex_polygon(points, color, Stroke::NONE));
    };
    let bar = |x: f32, size: f32| {
        let rect = Rect::from_min_max(at(x - 1.1, -size), at(x + 1.1, size));
        painter.rect_filled(rect, 0, color);
    };
    match icon {
        Icon::Play => triangle(-4.0, 6.0),
        Icon::Pause => {
            bar(-3.2, 5.5);
            bar(3.2, 5.5);
        }
        Icon::StepForward => {
            bar(-4.5, 5.0);
            triangle(-1.5, 5.0);
        }
        Icon::StepBack => {
            bar(4.5, 5.0);
            triangle_back(1.5, 5.0);
        }
        Icon::ToStart => {
            bar(-6.0, 5.0);
            triangle_back(2.0, 4.0);
            triangle_back(7.0, 4.0);
        }
        Icon::ToEnd => {
            bar(6.0, 5.0);
            triangle(-2.0, 4.0);
            triangle(-7.0, 4.0);
        }
        Icon::Loop => {
            let arc = |from: f32, to: f32| {
                let points = (0..=16).map(|step| {
                    let angle = from + (to - from) * step as f32 / 16.0;
                    at(6.0 * angle.cos(), 6.0 * angle.sin())
                });
                painter.add(Shape::line(points.collect(), stroke));
            };
            arc(-2.6, 1.6);
            let head = vec![at(3.0, 5.8), at(-1.4, 3.0), at(-1.0, 8.6)];
            painter.add(Shape::convex_polygon(head, color, Stroke::NONE));
        }
        Icon::Close => {
            painter.line_segment([at(-4.0, -4.0), at(4.0, 4.0)], stroke);
            painter.line_segment([at(-4.0, 4.0), at(4.0, -4.0)], stroke);
        }
        Icon::Back | Icon::Forward => {
            let to = if icon == Icon::Back { -1.0 } else { 1.0 };
            let head = [at(to * 0.5, -5.0), at(to * 5.5, 0.0), at(to * 0.5, 5.0)];
            painter.add(Shape::line(head.to_vec(), stroke));
            painter.line_segment([at(-to * 5.5, 0.0), at(to * 5.5, 0.0)], stroke);
        }
        Icon::Undo | Icon::Redo => {
            let to = if icon == Icon::Undo { -1.0 } else { 1.0 };
            let bow = (0..=12).map(|step| {
                let angle = std::f32::consts::PI * (step as f32 / 12.0 - 0.5);
                at(-to * (0.5 + 4.5 * angle.cos()), 1.5 + 4.0 * angle.sin())
            });
            let bow = bow.chain([at(to * 0.5, 5.5)]);
            painter.add(Shape::line(bow.collect(), stroke));
            painter.line_segment([at(-to * 0.5, -2.5), at(to * 5.5, -2.5)], stroke);
            let head = [at(to * 2.0, -6.0), at(to * 5.5, -2.5), at(to * 2.0, 1.0)];
            painter.add(Shape::line(head.to_vec(), stroke));
        }
        Icon::Home => {
            let roof = vec![at(-7.0, 0.0), at(0.0, -6.5), at(7.0, 0.0)];
            painter.add(Shape::line(roof, stroke));
            let walls = vec![at(-4.8, -1.0), at(-4.8, 6.0), at(4.8, 6.0), at(4.8, -1.0)];
            painter.add(Shape::line(walls, stroke));
        }
        Icon::Magnifier => {
            painter.circle_stroke(at(-1.5, -1.5), 4.5 * unit, stroke);
            painter.line_segment([at(1.8, 1.8), at(6.0, 6.0)], stroke);
        }
    }
}

/// A name in the weak colour and its value to the right of it.
pub fn fact(ui: &mut Ui, name: &str, value: impl Into<String>) {
    ui.label(style::weak(name));
    ui.label(value.into());
    ui.end_row();
}

/// A slider whose handle is no larger than it has to be.
pub fn small_slider(ui: &mut Ui, slider: egui::Slider<'_>) -> Response {
    ui.scope(|ui| {
        ui.spacing_mut().interact_size.y = 15.0;
        ui.add(slider)
    })
    .inner
}
