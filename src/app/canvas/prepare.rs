//! Brings the pictures of all views up to date.

use super::city::Wanted;
use super::{Canvas, PictureOf, Sharpness};
use crate::open_views::Views;
use callscape_base::units::ModuleId;
use callscape_render::renderer::Frame;
use callscape_state::State;
use callscape_state::panes::ViewId;
use callscape_views::{Picture, Surface, main};

/// What is to be drawn: a frame of the landscape and of that of a second run, and sheets, where they changed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Prepared {
    pub landscapes: [Option<Frame>; 2],
    pub sheets: Vec<ViewId>,
}

impl Prepared {
    /// What is newer takes the place of the same.
    pub(crate) fn add(&mut self, newer: Prepared) {
        for (old, new) in self.landscapes.iter_mut().zip(newer.landscapes) {
            *old = new.or(*old);
        }
        for view in newer.sheets {
            if !self.sheets.contains(&view) {
                self.sheets.push(view);
            }
        }
    }

    /// Nothing is new.
    pub(crate) fn is_empty(&self) -> bool {
        self.sheets.is_empty() && self.landscapes.iter().all(Option::is_none)
    }
}

impl Canvas {
    /// Brings all renderers up to date with the state, and says what there is to draw on the `targets` of the landscapes
    /// and on those of the other views, `scale` pixels a point. All but the module of a `spot` is dimmed.
    pub(crate) fn prepare(
        &mut self,
        (state, views): (&mut State, &mut Views),
        spot: Option<Option<ModuleId>>,
        targets: [Option<Surface>; 2],
        sharpness: Sharpness,
        scale: f32,
    ) -> Prepared {
        let mut landscapes = [None; 2];
        let Canvas {
            gpu,
            renderer,
            second,
            drawn,
            ..
        } = self;
        let renderers = [Some(renderer), second.as_mut()];
        for (which, (renderer, drawn)) in renderers.into_iter().zip(drawn).enumerate() {
            let (Some(renderer), Some(surface)) = (renderer, targets[which]) else {
                continue;
            };
            let wanted = Wanted {
                which,
                spot,
                surface,
                sharpness,
            };
            landscapes[which] = drawn.next_frame((gpu, renderer), state, &wanted);
        }
        // A view that opens is hardly open in a rough frame: the next one draws it.
        let sheets = match self.is_rough {
            true => Vec::new(),
            false => self.prepare_sheets(state, views, scale),
        };
        Prepared { landscapes, sheets }
    }

    /// What was prepared has been drawn.
    pub(crate) fn note_drawn(&mut self, new: &Prepared) {
        for (drawn, frame) in self.drawn.iter_mut().zip(new.landscapes) {
            drawn.note(frame);
        }
    }

    /// Brings the renderers of the sheets that can be seen up to date; those whose picture changes.
    fn prepare_sheets(&mut self, state: &State, views: &mut Views, scale: f32) -> Vec<ViewId> {
        let mut changed = Vec::new();
        for pane in state.panes.open_panes() {
            let is_visible = pane.view != main() && state.panes.is_visible(pane.view);
            let Some([min, max]) = pane.place.filter(|_| is_visible) else {
                continue;
            };
            let size = ((max - min) * scale).round().as_uvec2().to_array();
            let of = PictureOf::View(pane.view);
            let surface = self.surface(of, size, scale);
            if let Picture::Sheet(sheet) = views.picture(pane.view, state, surface) {
                self.target(of, size, scale);
                self.prepare_sheet(pane.view, sheet);
                changed.push(pane.view);
            }
        }
        changed
    }
}
