//! A ring around what the tour talks about.

use egui::{Context as Egui, Id, LayerId, Order, Rect, Response, Stroke, StrokeKind};

use super::context::Context;
use callscape_views::style;

fn id_of(name: &str) -> Id {
    Id::unique(("what the tour points at", name))
}

/// Notes where something is that the tour may point at.
pub(super) fn mark(response: &Response, name: &str) {
    let noted = (response.rect, response.ctx.cumulative_pass_nr());
    response
        .ctx
        .data_mut(|data| data.insert_temp(id_of(name), noted));
}

/// Where it is; none where it is not to be seen.
pub(crate) fn place(ctx: &Egui, name: &str) -> Option<Rect> {
    let (rect, pass) = ctx.data(|data| data.get_temp::<(Rect, u64)>(id_of(name)))?;
    (ctx.cumulative_pass_nr() <= pass + 1).then_some(rect)
}

/// Draws a ring around it. The ring is nothing that can be clicked.
pub(super) fn show(ctx: &Egui, name: &str, context: &Context<'_>) {
    let Some(rect) = place(ctx, name) else {
        return;
    };
    let color = style::colors(context.desk.state.settings.theme).accent;
    let painter = ctx.layer_painter(LayerId::new(Order::Foreground, id_of(name)));
    let around = rect.expand(5.0);
    painter.rect_stroke(around, 8.0, Stroke::new(3.0, color), StrokeKind::Outside);
}
