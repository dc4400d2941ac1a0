//! Rows of a list that are put in order by dragging.

use egui::{DragAndDrop, Rect, Role, Sense, Stroke, Ui, vec2};

use callscape_views::widgets::tell;

/// The width of what a row is dragged by, in points.
const GRIP: f32 = 14.0;

/// A row on its way: of which list, and its number.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Dragged(&'static str, usize);

/// Shows `count` rows of the list `name`, each by `row` after what it is dragged by. Where a row was dropped: its
/// number, and the one that it is to have.
pub(super) fn rows(
    ui: &mut Ui,
    name: &'static str,
    count: usize,
    mut row: impl FnMut(&mut Ui, usize),
) -> Option<(usize, usize)> {
    let dragged = DragAndDrop::payload::<Dragged>(ui.ctx()).filter(|it| it.0 == name);
    let pointer = ui.ctx().pointer_interact_pos();
    let mut gap = None;
    for index in 0..count {
        let shown = ui.horizontal(|ui| {
            grip(ui, name, index);
            row(ui, index);
        });
        let rect = shown
            .response
            .rect
            .expand2(vec2(0.0, ui.spacing().item_spacing.y * 0.5));
        if dragged.is_some()
            && let Some(at) = pointer
            && (rect.top()..rect.bottom()).contains(&at.y)
        {
            let is_below = at.y > rect.center().y;
            let y = if is_below { rect.bottom() } else { rect.top() };
            let stroke = Stroke::new(2.0, ui.visuals().hyperlink_color);
            ui.painter().hline(rect.x_range(), y, stroke);
            gap = Some(index + usize::from(is_below));
        }
    }
    let is_dropped = ui.input(|input| input.pointer.any_released());
    let (dragged, gap) = (dragged.filter(|_| is_dropped)?, gap?);
    DragAndDrop::clear_payload(ui.ctx());
    let to = if gap > dragged.1 { gap - 1 } else { gap };
    (to != dragged.1).then_some((dragged.1, to))
}

/// The number of a row, from 1.
pub(super) fn number(ui: &mut Ui, index: usize) {
    let size = vec2(20.0, ui.spacing().interact_size.y);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    let font = egui::TextStyle::Body.resolve(ui.style());
    let color = ui.visuals().weak_text_color();
    let align = egui::Align2::CENTER_CENTER;
    ui.painter()
        .text(rect.center(), align, index + 1, font, color);
}

fn grip(ui: &mut Ui, name: &'static str, index: usize) {
    let size = vec2(GRIP, ui.spacing().interact_size.y);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    let id = ui.make_persistent_id((name, "grip", index));
    let response = ui.interact(rect, id, Sense::drag());
    tell(
        &response,
        Role::Button,
        format_args!("Drag row {} to put in order", index + 1),
    );
    response.dnd_set_drag_payload(Dragged(name, index));
    let color = match response.hovered() || response.dragged() {
        true => ui.visuals().text_color(),
        false => ui.visuals().weak_text_color(),
    };
    dots(ui, rect, color);
    response
        .on_hover_cursor(egui::CursorIcon::Grab)
        .on_hover_text("Drag to put in order");
}

fn dots(ui: &Ui, rect: Rect, color: egui::Color32) {
    for row in [-1.0, 0.0, 1.0] {
        for column in [-1.0, 1.0] {
            let at = rect.center() + vec2(column * 2.2, row * 4.4);
            ui.painter().circle_filled(at, 1.1, color);
        }
    }
}
