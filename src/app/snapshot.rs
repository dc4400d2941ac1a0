//! The picture of a view as it is in the window, unfolded and scrolled: what it painted in a frame, as a PNG, as vector
//! graphics or for the clipboard. The landscape has its own ways: [`super::picture`] and `window/copy.rs`.

use std::path::Path;

use egui::emath::TSTransform;
use egui::epaint::ClippedShape;
use egui::layers::ShapeIdx;
use egui::{Context as Egui, Id, Rect, TextureId, Ui};

use super::canvas::{Canvas, Panels};
use super::desk::Desk;
use super::picture::{copy, ends, say};
use super::picture_card::Snapshot;
use super::svg::{Svg, Textures};
use callscape_base::files;
use callscape_look::image::Image;
use callscape_state::panes::ViewId;
use callscape_views::{self as views, Picture, Surface, style};

/// What a view painted in a frame, in points from its corner.
#[derive(Clone)]
struct Seen {
    view: ViewId,
    place: Rect,
    shapes: Vec<ClippedShape>,
}

fn id() -> Id {
    Id::unique("snapshot")
}

/// Keeps what a view has painted since `first`.
pub(crate) fn keep(ui: &Ui, view: ViewId, first: ShapeIdx) {
    let place = ui.max_rect().intersect(ui.clip_rect());
    let painted = ui.ctx().graphics(|layers| {
        let list = layers.get(ui.layer_id())?;
        Some(list.all_entries().skip(first.0 + 1).cloned().collect())
    });
    let mut shapes: Vec<ClippedShape> = painted.unwrap_or_default();
    for shape in &mut shapes {
        shape.clip_rect = shape.clip_rect.intersect(place);
        shape.transform(TSTransform::from_translation(-place.min.to_vec2()));
    }
    let seen = Seen {
        view,
        place,
        shapes,
    };
    ui.ctx().data_mut(|data| data.insert_temp(id(), Some(seen)));
}

/// What pictures are drawn with.
pub(crate) struct Drawing<'a> {
    pub ctx: &'a Egui,
    /// None without a device.
    pub canvas: Option<&'a mut Canvas>,
    /// The texture on which the view's own picture is drawn.
    pub texture: Option<TextureId>,
}

impl Seen {
    fn size(&self, scale: f32) -> [u32; 2] {
        let size = self.place.size() * scale;
        [size.x, size.y].map(|side| (side.round() as u32).max(1))
    }

    fn image(&self, drawing: &mut Drawing<'_>, ground: egui::Color32) -> anyhow::Result<Image> {
        let pixels_per_point = drawing.ctx.pixels_per_point();
        let Some(canvas) = &mut drawing.canvas else {
            anyhow::bail!("there is no device that draws it");
        };
        let shapes = self.shapes.clone();
        let panels = Panels {
            primitives: drawing.ctx.tessellate(shapes, pixels_per_point),
            textures: egui::TexturesDelta::default(),
            pixels_per_point,
        };
        Ok(canvas.image(&panels, self.size(pixels_per_point), ground)?)
    }
}

impl Desk {
    /// The view that a picture would be of: the one under the pointer, or that has the keys.
    pub(crate) fn pictured(&self) -> ViewId {
        let panes = &self.state.panes;
        let over = panes.under_pointer.map(|it| it.0);
        let seen = |it: &ViewId| panes.is_visible(*it);
        let view = over.filter(seen).or(panes.with_keys.filter(seen));
        view.unwrap_or_else(views::main)
    }

    /// Takes the snapshot that is wanted of what the panels just painted, and says what became of it.
    pub(crate) fn take_snapshot(&mut self, mut drawing: Drawing<'_>) {
        let is_other = |it: &mut Snapshot| it.view != views::main();
        let Some(wanted) = self.wants_picture.take_if(is_other) else {
            return;
        };
        let seen = drawing
            .ctx
            .data_mut(|data| data.remove_temp::<Option<Seen>>(id()).flatten());
        let taken = match seen.filter(|it| it.view == wanted.view) {
            None => Err(anyhow::anyhow!(
                "{}: the view is not visible",
                wanted.view.title()
            )),
            Some(seen) => self.write_snapshot(&seen, wanted.file.as_deref(), &mut drawing),
        };
        let of_clipboard = wanted.file.is_none();
        self.state.told.messages.push(say(taken, of_clipboard));
    }

    /// Writes what is seen, or copies it; gives back the path or the size.
    fn write_snapshot(
        &mut self,
        seen: &Seen,
        file: Option<&Path>,
        drawing: &mut Drawing<'_>,
    ) -> anyhow::Result<String> {
        let theme = self.state.settings.theme;
        let ground = style::colors(theme).panel;
        let Some(path) = file else {
            let image = seen.image(drawing, ground)?;
            return Ok(copy(&image, drawing.ctx));
        };
        let cannot =
            |error: anyhow::Error| error.context(format!("cannot write {}", path.display()));
        if !ends(path, "svg") {
            let image = seen.image(drawing, ground).map_err(cannot)?;
            image.write_png(path).map_err(|it| cannot(it.into()))?;
            return Ok(path.display().to_string());
        }
        let scale = drawing.ctx.pixels_per_point();
        let place = self.dock.place(seen.view).unwrap_or(seen.place);
        let pixels = place.size() * scale;
        let surface = Surface {
            size: [pixels.x, pixels.y].map(|side| (side.round() as u32).max(1)),
            scale,
            is_new: true,
        };
        let texture = drawing.texture;
        let sheet = match self.views.picture(seen.view, &self.state, surface) {
            Picture::Sheet(sheet) => texture.map(|texture| (texture, sheet, scale)),
            _ => None,
        };
        let mut svg = Svg::new(seen.place.size().into(), ground.to_srgba_unmultiplied());
        let mut textures = Textures {
            sheet,
            theme,
            painted: &mut || seen.image(drawing, ground).ok(),
        };
        svg.shapes(&seen.shapes, &mut textures);
        let text = svg.finish(seen.size(scale));
        files::write(path, text.as_bytes()).map_err(|it| cannot(it.into()))?;
        Ok(path.display().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::{PictureAsk, PictureWish};
    use crate::driven::{Driven, Files};
    use crate::svg::tests::texts;
    use callscape_analysis::session::Inputs;
    use callscape_state::ask::PaneAsk;
    use callscape_state::panes::Arrangement;

    /// A window with the demo in which a view has all the room, and the pointer over it.
    fn with_view(id: &str) -> Driven {
        let mut driven = Driven::new(&Inputs::default());
        let alone = Arrangement::View(id.to_owned());
        driven.desk.execute(PaneAsk::Arrange(alone));
        driven.settle();
        driven.move_pointer(egui::pos2(450.0, 300.0));
        driven.frame(Vec::new());
        driven
    }

    fn saved(driven: &mut Driven, file: &Path) -> String {
        driven.desk.execute(PictureAsk::Toggle);
        driven.desk.execute(PictureAsk::Edit(PictureWish {
            file: file.display().to_string(),
            ..driven.desk.picture.wish.clone()
        }));
        driven.desk.execute(PictureAsk::Save);
        driven.frame(Vec::new());
        std::fs::read_to_string(file).unwrap_or_default()
    }

    #[test]
    fn the_view_under_the_pointer_is_saved_as_it_is_unfolded() {
        let files = Files::new("snapshot");
        let file = files.0.join("view.svg");
        for id in [
            "rings",
            "tree",
            "flame-graph",
            "mural",
            "flame",
            "collaboration",
        ] {
            let mut driven = with_view(id);
            let before = texts(&saved(&mut driven, &file));
            assert!(before.len() > 5, "{id}: {before:?}");
            let said = &driven
                .desk
                .state
                .told
                .messages
                .last()
                .expect("it is said")
                .title;
            assert_eq!(said, "The picture is saved", "{id}");
            assert_eq!(driven.desk.picture.view.id(), id);
        }
    }

    #[test]
    fn the_landscape_is_refused_as_vector_graphics_and_no_other_view_is_a_model() {
        let files = Files::new("snapshot-refused");
        for (id, file, expected) in [
            ("landscape", "city.svg", "three-dimensional"),
            (
                "rings",
                "rings.glb",
                "expected a name that ends in .png or .svg",
            ),
            ("rings", "no-such-folder/rings.svg", "cannot write"),
        ] {
            let mut driven = with_view(id);
            let path = files.0.join(file);
            saved(&mut driven, &path);
            let message = driven.desk.state.told.messages.last().expect("it is said");
            assert!(
                message.is_error && message.lines[0].contains(expected),
                "{message:?}"
            );
            assert!(!path.exists());
        }
    }
}
