//! Names as they are written on districts and roofs.

use glam::Vec2;

use super::candidates::ROOF_EM;
use crate::labels::text::{self, Lines, MOST_LINES};
use callscape_base::escape;
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::Hierarchy;

/// From one line of a name to the next, in em.
pub(super) const LINE: f32 = 1.1;

/// One line more is worth it where letters become so much larger.
const BETTER: f32 = 1.3;

/// A name as it was written last, kept for the next time.
#[derive(Clone, Debug, Default)]
pub(super) struct Written {
    /// The block that it is of plus one; 0 for none.
    pub of: u32,
    pub text: String,
    /// In em.
    pub width: f32,
    /// On a roof: its longest word, in em; how it is broken, once that is known; and the highest em square that it has
    /// room for, in world units.
    pub longest: f32,
    pub is_fit: bool,
    pub lines: Lines,
    pub em: f32,
}

impl Written {
    /// No em square of the name is higher on a roof with so much room.
    pub(super) fn highest(&self, room: Vec2) -> f32 {
        (room.y * ROOF_EM).min(room.x / self.longest.max(0.1))
    }

    /// Breaks the name so that it is as large as can be on a roof with so much room.
    pub(super) fn fit(&mut self, room: Vec2) {
        if std::mem::replace(&mut self.is_fit, true) {
            return;
        }
        self.em = 0.0;
        for count in 1..=MOST_LINES {
            let lines = text::wrap(&self.text, count);
            let high = match count {
                1 => room.y * ROOF_EM,
                _ => room.y / (count as f32 * LINE),
            };
            let em = high.min(room.x / lines.width.max(0.1));
            if em > self.em * BETTER {
                (self.em, self.lines) = (em, lines);
            }
            // No more lines make it larger where these leave no room above them.
            if self.em * BETTER >= room.y / ((count + 1) as f32 * LINE) {
                break;
            }
        }
    }
}

/// No more modules are named with one: the innermost say most.
const MOST_JOINED: u32 = 16;

/// A structure, and how its modules are called; none for their own names.
pub(super) type Names<'h, 'a> = (&'h Hierarchy, Option<&'a dyn Fn(ModuleId) -> &'a str>);

/// Writes the name of a module, and before it those of `joined` modules that it is all there is of: `src/main/java`.
/// A name that says nothing beyond the one before it is left out, such as that of the class in a file of its name.
pub(super) fn name_of(
    (hierarchy, called): Names<'_, '_>,
    module: ModuleId,
    joined: u32,
    name: &mut String,
) {
    name.clear();
    let own = match called {
        Some(called) => called(module),
        None => hierarchy.telling_name(module),
    };
    // The outermost is named first: recursion would be as deep as the tree.
    for above in (0..=joined.min(MOST_JOINED) as usize).rev() {
        let Some(of) = hierarchy.ancestors(module).nth(above) else {
            continue;
        };
        let part = match above {
            0 if own.contains('/') => hierarchy.name(of),
            0 => own,
            _ => hierarchy.name(of),
        };
        let before = name.rsplit('/').next().unwrap_or_default();
        let stem = before.rsplit_once('.').map_or(before, |(stem, _)| stem);
        if !name.is_empty() && stem == part {
            continue;
        }
        if !name.is_empty() {
            name.push('/');
        }
        name.push_str(&escape::name(part));
    }
    // What tells it apart may be farther out than what it is all there is of.
    if own.len() > name.len() {
        name.clear();
        name.push_str(&escape::name(own));
    }
}
