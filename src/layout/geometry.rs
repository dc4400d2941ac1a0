//! The geometry that layouts make and the renderer draws: blocks, arcs, labels.
//!
//! World space: x to the east, y to the north, z up, right-handed. The footprint of the root has its
//! south-west corner at the origin and its longer side is [`CITY_SIZE`] units long.

use std::sync::atomic::{AtomicU64, Ordering};

use glam::{Vec2, Vec3};

use callscape_base::units::ModuleId;
use callscape_model::mark::Mark;

/// The longer side of the root's footprint in world units.
pub const CITY_SIZE: f32 = 1000.0;

/// What a block stands for; decides its surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum BlockKind {
    /// A module whose children stand on it.
    Terrace,
    /// A leaf module: a function, or a file without functions.
    Leaf,
    /// A module collapsed into one block.
    Collapsed,
}

/// The axis-aligned box of a displayed module, in preorder of modules.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    pub module: ModuleId,
    pub kind: BlockKind,
    /// Steps from the root, which has level 0.
    pub level: u16,
    pub min: Vec3,
    /// `max.z` is the top at rest; activity lets the block rise above it.
    pub max: Vec3,
    /// One past the last block of its subtree, as an index into the blocks.
    pub subtree_end: u32,
}

/// A linear colour with straight alpha; components 0 to 1 (more where it glows).
pub type Color = [f32; 4];

/// How a block looks at one moment; `BlockLook::default()` is a block at rest in neutral colour.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BlockLook {
    /// Colour by data (language, metric, difference): alpha is how much of the neutral it replaces.
    pub data: Color,
    pub mark: Mark,
    /// Its edges are drawn: it is marked, or holds what is.
    pub is_outlined: bool,
    /// Recent activity, 0 none to 1 open now: colour runs along the theme's activity scale.
    pub glow: f32,
    /// How far it stands above its top at rest, in world units.
    pub rise: f32,
}

/// The part of a block's look that changes from moment to moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockActivity {
    /// The index of the block.
    pub block: u32,
    /// As in [`BlockLook`].
    pub data: Color,
    pub glow: f32,
    pub rise: f32,
}

/// Which looks are others than before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ChangedLooks<'a> {
    /// Those of any block, in any part.
    All,
    /// How active these blocks are, in order; all else is as it was.
    Activity(&'a [BlockActivity]),
}

/// A call relation, or the hyperarc of a thread, as a clamped uniform cubic B-spline.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Arc {
    /// Where its control points start among all control points.
    pub first_point: u32,
    /// How many control points it has; at least 2.
    pub points: u32,
    /// The blocks that it runs from and to. Its ends stand over its first and last control points by as much as these
    /// blocks have risen; between them it follows in proportion.
    pub ends: [u32; 2],
    /// How far its control points go over the ground, in world units.
    pub span: f32,
    /// Width in world units at its middle.
    pub width: f32,
    /// 0 to 1.
    pub opacity: f32,
    /// Its colours, among those of all arcs.
    pub ink: u32,
    /// One of the few that are looked at for themselves: drawn in more segments.
    pub is_cord: bool,
    /// Drawn with an outline and over the others: the hyperarc.
    pub outlined: bool,
    /// Drawn with gaps.
    pub dashed: bool,
    /// A light runs along it from caller to callee.
    pub is_lit: bool,
}

/// Linear colours of arcs at the caller and at the callee.
pub type Ink = [[f32; 3]; 2];

impl Arc {
    /// In how many parts an arc is drawn.
    pub fn segments(&self, fineness: &Fineness) -> u32 {
        let kind = usize::from(self.is_cord || self.outlined);
        let wanted = (self.span * fineness.squares[kind]).sqrt().ceil();
        (wanted as u32).clamp(FEWEST_SEGMENTS, fineness.most[kind])
    }
}

/// No arc is drawn in more parts.
pub const MOST_SEGMENTS: u32 = 96;
/// No arc is drawn in fewer.
pub const FEWEST_SEGMENTS: u32 = 8;

/// How finely arcs are drawn: first those that are many, then cords, which are looked at for themselves.
///
/// A part of a curve that turns by so much differs from a straight line by an eighth of its length times that, so that
/// for the same difference the number of parts grows with the root of the length. An arch that turns half way around
/// differs by a third of a pixel where it is a cord, and by up to a whole one among many that are seen from afar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fineness {
    /// The square of the number of parts that arcs are drawn in which go one unit over the ground.
    pub squares: [f32; 2],
    pub most: [u32; 2],
}

impl Fineness {
    /// Where a unit of the ground under the eye, seen from so high, is so many `pixels` wide.
    pub fn new(pixels: f32) -> Fineness {
        let most = match pixels {
            _ if pixels > 12.0 => [MOST_SEGMENTS; 2],
            _ if pixels > 8.0 => [48, MOST_SEGMENTS],
            _ if pixels > 3.5 => [32, 48],
            _ => [16, 48],
        };
        let of_pixel = [(0.4 * pixels).clamp(0.6, 2.4), 2.4];
        Fineness {
            squares: of_pixel.map(|of_pixel| of_pixel * pixels),
            most,
        }
    }
}

/// Arcs and their control points. Several arcs may share control points, and there may be some that none uses.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arcs {
    /// In the order in which they are drawn.
    pub arcs: Vec<Arc>,
    pub points: Vec<Vec3>,
    pub inks: Vec<Ink>,
    /// How far the lights on arcs have run, 0 to 1; that of each arc is ahead of this by an amount of its own.
    pub phase: f32,
    pub settled: Settled,
}

/// Control points that stay as they are: all `Arcs` of one number begin with the same, as many as the fewer of both say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settled {
    /// 0 where nothing is promised.
    pub of: u64,
    pub points: usize,
}

impl Settled {
    /// None yet, under a number of its own.
    pub fn anew() -> Settled {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Settled {
            of: LAST.fetch_add(1, Ordering::Relaxed) + 1,
            points: 0,
        }
    }

    /// How many points both begin with.
    pub fn shared(self, other: Settled) -> usize {
        match self.of == other.of && self.of != 0 {
            true => self.points.min(other.points),
            false => 0,
        }
    }
}

/// A name that lies flat on a terrace like the lettering of a map.
#[derive(Debug, PartialEq)]
pub struct FlatLabel {
    pub text: String,
    pub module: ModuleId,
    /// The block that it lies on, by its index: it goes up and down with it.
    pub block: u32,
    /// Left end of the baseline, with nothing risen.
    pub origin: Vec3,
    /// Unit vector along the baseline, and unit vector from the baseline to the top of the letters.
    pub right: Vec3,
    pub up: Vec3,
    /// Height of the em square in world units.
    pub em: f32,
    /// 0 to 1: labels ease in and out as they grow and shrink on screen.
    pub opacity: f32,
    /// It is the name of what stands on a terrace.
    pub is_on_roof: bool,
}

/// A name at a place on the screen: what is hovered, selected, found or running.
#[derive(Debug, PartialEq)]
pub struct ScreenLabel {
    pub text: String,
    /// Where the middle of the label's lower edge stands, in physical pixels from the top left.
    pub at: Vec2,
    /// Height of the em square in physical pixels.
    pub em: f32,
    pub emphasized: bool,
    /// It is lettering of the map, with a faint plate that does not stand over it.
    pub is_quiet: bool,
    /// What it stands over, where a line leads there.
    pub stem: Option<Vec2>,
}

// By hand, since what is derived gives every copy new memory: labels are copied in every frame.
impl Clone for FlatLabel {
    fn clone(&self) -> FlatLabel {
        FlatLabel {
            text: self.text.clone(),
            ..*self
        }
    }

    fn clone_from(&mut self, of: &FlatLabel) {
        let mut text = std::mem::take(&mut self.text);
        text.clone_from(&of.text);
        *self = FlatLabel { text, ..*of };
    }
}

impl Clone for ScreenLabel {
    fn clone(&self) -> ScreenLabel {
        ScreenLabel {
            text: self.text.clone(),
            ..*self
        }
    }

    fn clone_from(&mut self, of: &ScreenLabel) {
        let mut text = std::mem::take(&mut self.text);
        text.clone_from(&of.text);
        *self = ScreenLabel { text, ..*of };
    }
}
