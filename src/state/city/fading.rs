//! Colours on their way from what they said before to what they say now.

use super::{City, MOST_MOVING};
use callscape_base::units::ModuleId;
use callscape_layout::geometry::{BlockLook, Color};
use callscape_look::lightness::levels;
use callscape_look::theme::Palette;

/// Seconds from one meaning of colours to the next.
const DURATION: f32 = 0.45;
/// Components of colours that differ by less are the same.
const SAME: f32 = 1e-3;

/// Which colours blocks had, and how long ago that was.
#[derive(Clone, Debug)]
pub(super) struct Fading {
    /// By block.
    from: Vec<Color>,
    /// The looks as they are to be drawn now.
    now: Vec<BlockLook>,
    /// Seconds since it began.
    elapsed: f32,
}

impl Fading {
    pub(super) fn advance(&mut self, seconds: f32) -> bool {
        self.elapsed += seconds;
        self.elapsed < DURATION
    }
}

impl City {
    /// The colours as they are seen now, by block.
    pub(super) fn colors_now(&self) -> Vec<Color> {
        let looks = self.looks.iter().enumerate();
        let color = |(at, look): (usize, &BlockLook)| match &self.fading {
            Some(fading) => between(fading.from[at], look.data, share(fading.elapsed)),
            None => look.data,
        };
        looks.map(color).collect()
    }

    /// Eases the colours from these, by block, where they have changed. Nothing eases that is of other blocks, nor
    /// too large a landscape.
    pub(super) fn fade_from(&mut self, from: Vec<Color>) {
        let is_same = |(from, look): (&Color, &BlockLook)| *from == look.data;
        let has_news = !from.iter().zip(&self.looks).all(is_same);
        let fits = from.len() == self.looks.len() && from.len() <= MOST_MOVING;
        self.fading = (fits && has_news).then(|| Fading {
            from,
            now: Vec::with_capacity(self.looks.len()),
            elapsed: 0.0,
        });
    }

    /// The colours as one sees them now, by block: those of data over the neutral ones of levels.
    pub(super) fn colors_seen(&self) -> Vec<[f32; 3]> {
        let neutral = self.neutral();
        let colors = self.colors_now();
        let blocks = self.blocks.iter().zip(&colors);
        blocks
            .map(|(block, data)| over(neutral(block.level), data))
            .collect()
    }

    /// The colour of a level where nothing else is said, as the shader has it.
    fn neutral(&self) -> impl Fn(u16) -> [f32; 3] + use<> {
        let palette = Palette::of(self.settings.theme);
        let levels = levels(&self.blocks);
        move |level| {
            let share = (f32::from(level) / levels).min(1.0);
            std::array::from_fn(|i| {
                palette.root[i] + (palette.deepest[i] - palette.root[i]) * share
            })
        }
    }

    /// Eases the colours from how modules were seen before; what was not there has been a part of what it is in.
    pub(super) fn fade_from_seen(&mut self, before: impl Fn(ModuleId) -> Option<[f32; 3]>) {
        if self.blocks.len() != self.looks.len() || self.blocks.len() > MOST_MOVING {
            return;
        }
        let neutral = self.neutral();
        let mut has_news = false;
        let mut around: Vec<(u32, [f32; 3])> = Vec::new();
        let mut from = Vec::with_capacity(self.looks.len());
        for (block, look) in self.blocks.iter().zip(&self.looks) {
            while around.pop_if(|(end, _)| *end <= block.module.0).is_some() {}
            let to = over(neutral(block.level), &look.data);
            let outer = around.last().map(|(_, color)| *color);
            let [r, g, b] = before(block.module).or(outer).unwrap_or(to);
            around.push((block.subtree_end, [r, g, b]));
            let is_same = to.iter().zip([r, g, b]).all(|(a, b)| (a - b).abs() < SAME);
            has_news |= !is_same;
            // What stays keeps its pattern too.
            from.push(match is_same {
                true => look.data,
                false => [r, g, b, 1.0],
            });
        }
        self.fading = has_news.then(|| Fading {
            from,
            now: Vec::with_capacity(self.looks.len()),
            elapsed: 0.0,
        });
    }

    /// Eases the colours from those of another layout of the same blocks in the same theme.
    pub(crate) fn fade_from_that_of(&mut self, before: &City) {
        let module = |view: &City, at: usize| view.blocks.get(at).map(|it| it.module);
        let is_same = before.settings.theme == self.settings.theme
            && before.blocks.len() == self.blocks.len()
            && (0..self.blocks.len()).all(|at| module(before, at) == module(self, at));
        if is_same {
            self.fade_from(before.colors_now());
        }
    }

    /// Whether colours are on their way.
    pub fn is_fading(&self) -> bool {
        self.fading.is_some()
    }

    /// The looks as they are to be drawn now, by block. Linear in blocks while colours are on their way.
    pub fn looks_now(&mut self) -> &[BlockLook] {
        let Some(fading) = &mut self.fading else {
            return &self.looks;
        };
        let share = share(fading.elapsed);
        let looks = self.looks.iter().zip(&fading.from);
        let faded = looks.map(|(look, from)| BlockLook {
            data: between(*from, look.data, share),
            ..*look
        });
        fading.now.clear();
        fading.now.extend(faded);
        &fading.now
    }
}

/// How much of the way has been gone after this many seconds: it begins and ends at rest.
fn share(elapsed: f32) -> f32 {
    let share = (elapsed / DURATION).min(1.0);
    share * share * (3.0 - 2.0 * share)
}

/// A colour over another; what alpha has beyond 1 says a pattern.
fn over(below: [f32; 3], color: &Color) -> [f32; 3] {
    let alpha = color[3] - 2.0 * (color[3] * 0.5).floor();
    std::array::from_fn(|i| below[i] + (color[i] - below[i]) * alpha)
}

/// A colour between two, of which alpha says how much each replaces of what is below.
fn between(from: Color, to: Color, share: f32) -> Color {
    let weights = [from[3] * (1.0 - share), to[3] * share];
    let alpha = weights[0] + weights[1];
    if alpha <= 0.0 {
        return [to[0], to[1], to[2], 0.0];
    }
    let [r, g, b] = std::array::from_fn(|i| (from[i] * weights[0] + to[i] * weights[1]) / alpha);
    [r, g, b, alpha]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_go_all_the_way_and_a_missing_one_lends_no_hue() {
        let (red, blue, none) = ([1.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.5], [0.0; 4]);
        assert_eq!(between(red, blue, 0.0), red);
        assert_eq!(between(red, blue, 1.0), blue);
        assert_eq!(between(none, blue, 0.5), [0.0, 0.0, 1.0, 0.25]);
        assert_eq!(between(red, none, 0.5), [1.0, 0.0, 0.0, 0.5]);
        assert_eq!(between(none, none, 0.5), none);
        assert_eq!(share(0.0), 0.0);
        assert_eq!(share(DURATION * 2.0), 1.0);
    }
}
