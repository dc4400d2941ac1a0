//! Letters in panels that the embedded typeface lacks: taken from the machine's fonts as soon as one is to be seen.

use std::collections::BTreeSet;
use std::sync::Arc;

use egui::epaint::ClippedShape;
use egui::{Context, FontData, FontId, Shape};

use callscape_render::text::{self, Fonts};
use callscape_views::style;

/// What the panels of one context have shown.
#[derive(Default)]
pub(crate) struct Letters {
    /// All letters but those of ASCII.
    seen: BTreeSet<char>,
    /// Those that are new in a frame.
    new: Vec<char>,
    /// Made with the first that the context has in no font.
    fonts: Option<Fonts>,
    /// The fonts of the machine that the context has.
    added: Vec<text::FontId>,
}

impl Letters {
    /// Looks through what panels show. Whether there are letters for which the context has more fonts in its next frame.
    pub(crate) fn look(&mut self, ctx: &Context, shapes: &[ClippedShape]) -> bool {
        for shape in shapes {
            self.look_at(&shape.shape);
        }
        let font = FontId::default();
        ctx.fonts_mut(|fonts| self.new.retain(|&letter| !fonts.has_glyph(&font, letter)));
        if self.new.is_empty() {
            return false;
        }
        let fonts = self.fonts.get_or_insert_with(Fonts::default);
        let mut wanted = fonts.machines_for(&self.new);
        self.new.clear();
        wanted.retain(|id| !self.added.contains(id));
        if wanted.is_empty() {
            return false;
        }
        self.added.extend(wanted);
        let files = self.added.iter().filter_map(|&id| fonts.file(id));
        let others = files.map(|(file, index)| {
            Arc::new(FontData {
                index,
                ..FontData::from_owned(file)
            })
        });
        style::set_fonts(ctx, others);
        true
    }

    fn look_at(&mut self, shape: &Shape) {
        match shape {
            Shape::Vec(shapes) => shapes.iter().for_each(|shape| self.look_at(shape)),
            Shape::Text(text) if !text.galley.text().is_ascii() => {
                let letters = text.galley.text().chars();
                for letter in letters.filter(|letter| !letter.is_ascii()) {
                    if self.seen.insert(letter) {
                        self.new.push(letter);
                    }
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use egui::RawInput;

    use super::*;

    #[test]
    fn letters_that_the_typeface_lacks_are_there_in_the_next_frame() {
        let ctx = Context::default();
        style::set_fonts(&ctx, None);
        let mut letters = Letters::default();
        let mut look = |text: &str| {
            let mut output = ctx.run_ui(RawInput::default(), |ui| {
                ui.label(text);
            });
            // Nothing is drawn.
            output.textures_delta.clear();
            letters.look(&ctx, &output.shapes)
        };
        assert!(!look("größer Ωж › … ·"), "it has these");
        // Where the machine has any font for it.
        let is_there = look("größer שלום");
        assert!(!look("größer שלום"), "once is enough");
        let font = FontId::default();
        assert_eq!(
            ctx.fonts_mut(|fonts| fonts.has_glyphs(&font, "שלום")),
            is_there
        );
        assert!(ctx.fonts_mut(|fonts| fonts.has_glyphs(&font, "größer")));
    }
}
