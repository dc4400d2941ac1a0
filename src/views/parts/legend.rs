//! Legends: entries in at most two rows, the rest behind *More*.

use egui::{AsIdSalt, Id, Rect, Role, Sense, Ui, UiBuilder, vec2};

use super::widgets::tell;

/// Between rows, and the room of the button at the end of the second one, in points.
const GAP: f32 = 3.0;
const MORE: f32 = 58.0;

/// What is known of a legend from the frame before.
#[derive(Clone, Copy, Default)]
struct Kept {
    /// What it is of, and how wide.
    of: Option<Id>,
    /// How high all of it is, and how high it has been at most.
    needed: f32,
    least: f32,
    is_open: bool,
}

/// Shows what `add` adds in rows so high, two of them until *More* is clicked unless it is shown `whole`. As long as it is `of` the same it never
/// becomes lower: what is beside it stays where it is.
pub fn rows<R>(
    ui: &mut Ui,
    (of, row): (impl AsIdSalt, f32),
    whole: bool,
    add: impl FnOnce(&mut Ui) -> R,
) -> R {
    let id = ui.scope_id().with("rows of the legend");
    let width = ui.available_width();
    let of = Some(id.with(of).with(width.to_bits()));
    let mut kept: Kept = ui.data(|data| data.get_temp(id)).unwrap_or_default();
    if kept.of != of {
        let is_open = kept.is_open;
        kept = Kept {
            of,
            is_open,
            ..Kept::default()
        };
    }
    let most = 2.0 * row + GAP;
    let overflows = !whole && kept.needed > most + 0.5;
    let high = match overflows && !kept.is_open {
        true => most,
        false => kept.needed.max(kept.least).max(row),
    };
    let place = ui.available_rect_before_wrap().min;
    let rect = Rect::from_min_size(place, vec2(width, high));
    let mut inner = rect;
    if overflows {
        inner.max.x -= MORE;
    }
    let mut child = ui.new_child(UiBuilder::new().max_rect(inner));
    child.set_clip_rect(inner.expand2(vec2(2.0, 0.0)).intersect(ui.clip_rect()));
    let result = add(&mut child);
    let needed = child.min_rect().height();
    let changed = (needed - kept.needed).abs() > 0.5;
    kept.needed = needed;
    kept.least = kept
        .least
        .max(if whole { needed } else { needed.min(most) });
    ui.allocate_rect(rect, Sense::hover());
    if overflows {
        let at = Rect::from_min_max(inner.right_bottom() - vec2(0.0, row), rect.max);
        let (text, tip) = match kept.is_open {
            true => ("Less", "Show the first two rows of the legend"),
            false => ("More", "Show the rest of the legend"),
        };
        let button = ui.put(at.shrink(1.0), egui::Button::new(text).small());
        tell(&button, Role::Button, format_args!("{text} of the legend"));
        if button.on_hover_text(tip).clicked() {
            kept.is_open = !kept.is_open;
        }
    }
    ui.data_mut(|data| data.insert_temp(id, kept));
    if changed {
        ui.ctx().request_discard("the legend is higher or lower");
    }
    result
}
