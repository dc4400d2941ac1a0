//! Hands a landscape to a renderer: the one place where a renderer gets what it draws.

use callscape_analysis::session::Session;
use callscape_base::units::ModuleId;
use callscape_filter::selection::Selection;
use callscape_look::camera::Camera;
use callscape_render::gpu::Gpu;
use callscape_render::renderer::Renderer;
use callscape_state::city::{City, Lettering};

/// A renderer, and the landscape that it is to draw.
pub(crate) struct Feed<'a> {
    pub gpu: &'a Gpu,
    pub renderer: &'a mut Renderer,
    pub city: &'a mut City,
}

impl Feed<'_> {
    /// The blocks, from where they start where they are on their way, and their colours.
    pub(crate) fn blocks(&mut self) {
        self.renderer.set_blocks(self.gpu, self.city.blocks());
        self.looks();
        if let Some((starts, _)) = self.city.way() {
            self.renderer.start_from(self.gpu, starts);
        }
    }

    /// All colours.
    pub(crate) fn looks(&mut self) {
        self.renderer.set_looks(0, self.city.looks());
    }

    /// The colours that the moment shown last has changed.
    pub(crate) fn changed_looks(&mut self) {
        let (looks, changed) = (self.city.looks(), self.city.changed_looks());
        self.renderer.set_changed_looks(looks, changed);
    }

    /// All colours as they are while they go over into others.
    pub(crate) fn fading_looks(&mut self) {
        self.renderer.set_looks(0, self.city.looks_now());
    }

    /// The arcs, with those of the selection standing out.
    pub(crate) fn arcs(&mut self, selection: &Selection) {
        let arcs = self.city.marked_arcs(selection);
        self.renderer.set_arcs(self.gpu, arcs);
    }

    /// Which arcs are in focus; whether they are others than before.
    pub(crate) fn focus(&mut self) -> bool {
        self.renderer.focus_arcs(self.city.arc_focus())
    }

    /// Names, chosen for a camera; the modules `named` have theirs whatever is shown.
    pub(crate) fn names(
        &mut self,
        session: &Session,
        selection: &Selection,
        named: &[ModuleId],
        camera: &Camera,
        lettering: &Lettering,
    ) {
        let city = &mut *self.city;
        city.label(session, selection, named, camera, lettering);
        let (flat, screen) = (city.flat_labels(), city.screen_labels());
        self.renderer.set_labels(self.gpu, flat, screen);
    }

    /// No names.
    pub(crate) fn no_names(&mut self) {
        self.renderer.set_labels(self.gpu, &[], &[]);
    }
}
