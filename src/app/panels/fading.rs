//! The landscapes as they were, over those that take their place: what a shot changes at once goes over in a talk as it
//! does in a film.

use egui::{Color32, Pos2, Rect, TextureId, Ui};

use super::context::{Before, Layout, Painted, Pictures};

/// What is painted of landscapes in a frame; `side` is that of the run whose picture is `own`.
pub(crate) fn painted(layout: &Layout, [own, other]: [TextureId; 2], side: usize) -> Before {
    let Some(placed) = &layout.placed else {
        return [None; 2];
    };
    match &placed.split {
        Some(split) => [0, 1].map(|of| {
            let (place, part) = split.part(of);
            Some(Painted {
                picture: if of == side { own } else { other },
                place,
                part,
            })
        }),
        None => [
            Some(Painted {
                picture: own,
                place: placed.place.drawn,
                part: Rect::from_min_max(Pos2::ZERO, egui::pos2(1.0, 1.0)),
            }),
            None,
        ],
    }
}

/// Draws what goes over into the landscapes, where those are.
pub(super) fn show(ui: &mut Ui, covered: Option<Rect>, pictures: &Pictures) {
    let Some(covered) = covered.filter(|_| pictures.before_strength > 0.0) else {
        return;
    };
    let painter = ui.painter().with_clip_rect(covered);
    let tint = Color32::WHITE.gamma_multiply(pictures.before_strength);
    for of in pictures.before.iter().flatten() {
        painter.image(of.picture, of.place, of.part, tint);
    }
}
