//! The embedded typeface, and the shaping of single lines in it. Letters that it lacks are taken
//! from the machine's fonts, and only those: pictures of Latin, Greek and Cyrillic names are the same everywhere.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use glyphon::{Attrs, Buffer, Family, FontSystem, Metrics, Shaping, SwashCache, Weight, fontdb};

use callscape_base::escape;

/// Longer names are cut: nobody reads further, and shaping takes time by length.
const LONGEST: usize = 200;

/// What stands for a letter that no font has; the embedded typeface has it.
const UNKNOWN: char = '□';

/// Shapes lines of text and draws their glyphs. What the embedded typeface has is taken from it alone, so that pictures
/// of Latin, Greek and Cyrillic names are the same everywhere.
pub struct Fonts {
    pub system: FontSystem,
    pub rasters: SwashCache,
    /// The machine's fonts are there too: some letter was not in the embedded typeface.
    has_machines: bool,
    /// Letters that no font has: to seek them takes long.
    unknown: BTreeSet<char>,
}

/// Names a font among the embedded ones and those of the machine.
pub type FontId = fontdb::ID;

/// The embedded typeface.
fn embedded() -> fontdb::Database {
    let mut database = fontdb::Database::new();
    for font in [MEDIUM, SEMI_BOLD] {
        database.load_font_source(fontdb::Source::Binary(Arc::new(font)));
    }
    database
}

/// The same, and after it the machine's fonts, looked for once.
fn with_machines() -> &'static fontdb::Database {
    static ALL: OnceLock<fontdb::Database> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut machines = fontdb::Database::new();
        machines.load_system_fonts();
        let mut database = embedded();
        for face in machines.faces() {
            database.push_face_info(fontdb::FaceInfo {
                weight: nearest(face.weight),
                ..face.clone()
            });
        }
        database
    })
}

/// What is plain or bold counts as what the embedded typeface has that is nearest: those of just its weights are
/// preferred, by script, and hardly any machine has them.
fn nearest(weight: Weight) -> Weight {
    match weight.0 {
        400..=500 => Weight::MEDIUM,
        600..=700 => Weight::SEMIBOLD,
        _ => weight,
    }
}

impl Default for Fonts {
    fn default() -> Fonts {
        Fonts {
            system: FontSystem::new_with_locale_and_db("en".to_owned(), embedded()),
            rasters: SwashCache::new(),
            has_machines: false,
            unknown: BTreeSet::new(),
        }
    }
}

impl Fonts {
    /// `text` as people may see it on one line, shaped with an em square of `em` pixels; `em` is more than 0.
    pub fn line(&mut self, text: &str, em: f32, emphasized: bool) -> Buffer {
        let weight = if emphasized {
            Weight::SEMIBOLD
        } else {
            Weight::MEDIUM
        };
        let attributes = Attrs::new().family(Family::Name("Inter")).weight(weight);
        let line = &*escape::name(text);
        let end = line
            .char_indices()
            .nth(LONGEST)
            .map_or(line.len(), |(end, _)| end);
        let line = &line[..end];
        if line.is_ascii() {
            return self.shape(line, em, &attributes);
        }
        let known = self.replace_unknown(line);
        let buffer = self.shape(&known, em, &attributes);
        if lacking(&buffer, &known).is_empty() {
            return buffer;
        }
        if !self.has_machines {
            self.has_machines = true;
            // The embedded typeface was loaded first there too, so that its fonts keep their numbers.
            *self.system.db_mut() = with_machines().clone();
        }
        let buffer = self.shape(&known, em, &attributes);
        let lacking = lacking(&buffer, &known);
        if lacking.is_empty() {
            return buffer;
        }
        self.unknown.extend(lacking);
        let known = self.replace_unknown(&known);
        self.shape(&known, em, &attributes)
    }

    fn shape(&mut self, line: &str, em: f32, attributes: &Attrs<'_>) -> Buffer {
        let mut buffer = Buffer::new(&mut self.system, Metrics::new(em, em * 1.25));
        buffer.set_wrap(glyphon::Wrap::None);
        buffer.set_text(line, attributes, Shaping::Advanced, None);
        buffer.shape_until_scroll(&mut self.system, false);
        buffer
    }

    fn replace_unknown(&self, line: &str) -> String {
        let letters = line.chars();
        letters
            .map(|letter| match self.unknown.contains(&letter) {
                true => UNKNOWN,
                false => letter,
            })
            .collect()
    }

    /// The machine's fonts that have those of the letters which the embedded typeface lacks.
    pub fn machines_for(&mut self, letters: &[char]) -> BTreeSet<FontId> {
        let mut used = BTreeSet::new();
        for letter in letters {
            let line = self.line(&letter.to_string(), 16.0, false);
            let glyphs = line.layout_runs().flat_map(|run| run.glyphs);
            used.extend(glyphs.map(|glyph| glyph.font_id));
        }
        let database = self.system.db();
        used.retain(|id| {
            let face = database.face(*id);
            face.is_some_and(|face| !matches!(face.source, fontdb::Source::Binary(_)))
        });
        used
    }

    /// The file of a font, and the place of the font in that; none where it cannot be read any more.
    pub fn file(&self, id: FontId) -> Option<(Vec<u8>, u32)> {
        let database = self.system.db();
        database.with_face_data(id, |data, index| (data.to_vec(), index))
    }
}

/// The letters of a shaped line that no font has.
fn lacking(shaped: &Buffer, line: &str) -> BTreeSet<char> {
    let glyphs = shaped.layout_runs().flat_map(|run| run.glyphs);
    let lacking = glyphs.filter(|glyph| glyph.glyph_id == 0);
    let letters = lacking.flat_map(|glyph| line.get(glyph.start..glyph.end).unwrap_or("").chars());
    letters.collect()
}

/// Inter by Rasmus Andersson, under the SIL Open Font License: `assets/fonts/LICENSE-Inter.txt`.
const MEDIUM: &[u8] = include_bytes!("../../assets/fonts/Inter-Medium.otf");
const SEMI_BOLD: &[u8] = include_bytes!("../../assets/fonts/Inter-SemiBold.otf");

#[cfg(test)]
mod tests {
    use super::*;

    fn glyphs(fonts: &mut Fonts, text: &str) -> Vec<(fontdb::ID, u16)> {
        let line = fonts.line(text, 20.0, false);
        let glyphs = line.layout_runs().flat_map(|run| run.glyphs);
        glyphs
            .map(|glyph| (glyph.font_id, glyph.glyph_id))
            .collect()
    }

    #[test]
    fn letters_come_from_the_embedded_typeface_and_else_from_the_machine() {
        let mut fonts = Fonts::default();
        let latin = glyphs(&mut fonts, &format!("größer_Ωж{UNKNOWN}"));
        assert!(!fonts.has_machines, "it has these");
        // Whatever the machine has: Hebrew is in many fonts, the last is in none, for it stands for no letter.
        let text = "שלום\u{10FFFE}";
        let found = glyphs(&mut fonts, text);
        assert!(fonts.has_machines);
        assert_eq!(found.len(), 5);
        assert!(found.iter().all(|(_, glyph)| *glyph != 0), "{found:?}");
        assert!(fonts.unknown.contains(&'\u{10FFFE}'));
        assert_eq!(glyphs(&mut fonts, text), found);
        // It is drawn by the same fonts as before.
        assert_eq!(glyphs(&mut fonts, "größer_Ωж\u{10FFFE}"), latin);
        assert!(
            glyphs(&mut fonts, "a b")
                .iter()
                .all(|(id, _)| *id == latin[0].0)
        );
        assert!(fonts.machines_for(&['a', 'ß', '\u{10FFFE}']).is_empty());
        let machines = fonts.machines_for(&['ש', 'ל']);
        assert!(machines.iter().all(|id| fonts.file(*id).is_some()));
        assert_eq!(machines.is_empty(), fonts.unknown.contains(&'ש'));
    }
}
