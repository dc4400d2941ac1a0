//! The embedded typeface and the shaping of single lines in it.

use std::sync::Arc;

use glyphon::{Attrs, Buffer, Family, FontSystem, Metrics, Shaping, SwashCache, Weight, fontdb};

/// Longer names are cut: nobody reads further, and shaping takes time by length.
const LONGEST: usize = 200;

/// Shapes lines of text and draws their glyphs; nothing of the machine's own fonts is used, so that
/// pictures are the same everywhere.
pub struct Fonts {
    pub system: FontSystem,
    pub rasters: SwashCache,
}

impl Fonts {
    pub fn new() -> Fonts {
        let mut database = fontdb::Database::new();
        for font in [MEDIUM, SEMI_BOLD] {
            database.load_font_source(fontdb::Source::Binary(Arc::new(font)));
        }
        Fonts {
            system: FontSystem::new_with_locale_and_db("en".to_owned(), database),
            rasters: SwashCache::new(),
        }
    }

    /// The first line of `text`, shaped with an em square of `em` pixels; `em` is more than 0.
    pub fn line(&mut self, text: &str, em: f32, emphasized: bool) -> Buffer {
        let weight = if emphasized {
            Weight::SEMIBOLD
        } else {
            Weight::MEDIUM
        };
        let attributes = Attrs::new().family(Family::Name("Inter")).weight(weight);
        let line = text.lines().next().unwrap_or_default();
        let end = line
            .char_indices()
            .nth(LONGEST)
            .map_or(line.len(), |(end, _)| end);
        let mut buffer = Buffer::new(&mut self.system, Metrics::new(em, em * 1.25));
        buffer.set_wrap(glyphon::Wrap::None);
        buffer.set_text(&line[..end], &attributes, Shaping::Advanced, None);
        buffer.shape_until_scroll(&mut self.system, false);
        buffer
    }
}

/// Inter by Rasmus Andersson, under the SIL Open Font License: `assets/fonts/LICENSE-Inter.txt`.
const MEDIUM: &[u8] = include_bytes!("../../assets/fonts/Inter-Medium.otf");
const SEMI_BOLD: &[u8] = include_bytes!("../../assets/fonts/Inter-SemiBold.otf");
