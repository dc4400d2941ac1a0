//! A view in its place.

use egui::{Color32, Pos2, Rect, Ui};

use super::{
    Context, Pictures, Place, Split, beside, calls, differences, functions, sheet, versus,
};
use crate::views::table::ViewId;

/// Shows a view on all of `ui`, of a window of which the panels leave `room`; `split` gets where two landscapes are.
pub fn show(
    ui: &mut Ui,
    view: ViewId,
    (window, room): (Rect, Rect),
    pictures: &Pictures,
    split: &mut Option<Split>,
    context: &mut Context<'_>,
) {
    let picture = pictures.views.iter().find(|(of, _)| *of == view);
    let picture = picture.map(|&(_, id)| id);
    match view {
        ViewId::Landscape => {
            let seen = ui.max_rect();
            let drawn = as_far_as(window, room, seen);
            *split = versus::split(context.bench, seen, drawn);
            match (&split, picture) {
                (Some(split), Some(own)) => {
                    versus::draw(ui, split, [own, pictures.second], context);
                }
                (None, Some(id)) => {
                    let uv = Rect::from_min_max(Pos2::ZERO, egui::pos2(1.0, 1.0));
                    ui.painter().image(id, drawn, uv, Color32::WHITE);
                    beside::show(ui, Place { seen, drawn }, context);
                }
                (_, None) => {}
            }
        }
        ViewId::Differences => differences::show(ui, context),
        ViewId::Mural | ViewId::Flame | ViewId::Timelines => {
            sheet::show(ui, view, picture, context)
        }
        ViewId::Functions => functions::show(ui, context),
        ViewId::Calls => calls::show(ui, context),
    }
}

/// Where a landscape that takes `seen` is drawn; of two that of A.
pub fn landscape(
    seen: Option<Rect>,
    (window, room): (Rect, Rect),
    split: Option<&Split>,
) -> Option<Place> {
    seen.map(|seen| match split {
        Some(split) => Place {
            seen: split.seen[0],
            drawn: split.places[0],
        },
        None => Place {
            seen,
            drawn: as_far_as(window, room, seen),
        },
    })
}

/// `seen`, and where it reaches the edge of `room` as far as `window` goes.
fn as_far_as(window: Rect, room: Rect, seen: Rect) -> Rect {
    let to = |seen: f32, room: f32, window: f32| {
        if (seen - room).abs() < 0.6 {
            window
        } else {
            seen
        }
    };
    Rect::from_min_max(
        egui::pos2(
            to(seen.left(), room.left(), window.left()),
            to(seen.top(), room.top(), window.top()),
        ),
        egui::pos2(
            to(seen.right(), room.right(), window.right()),
            to(seen.bottom(), room.bottom(), window.bottom()),
        ),
    )
}
