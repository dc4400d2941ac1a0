//! The blocks as the device holds them: records of `shaders/city.wgsl`, and how they are made.

use callscape_layout::geometry::{Block, BlockLook, Color};

pub(crate) mod gpu {
    use bytemuck::{Pod, Zeroable};

    /// `Block` of `shaders/city.wgsl`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, Pod, Zeroable)]
    pub(crate) struct Block {
        pub low: [f32; 3],
        pub level_kind: u32,
        pub high: [f32; 3],
        pub parent: u32,
    }

    /// `Look` of `shaders/city.wgsl`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
    pub(crate) struct Look {
        pub data: [u32; 2],
        pub glow: f32,
        pub rise: f32,
    }

    /// `Merged` of `shaders/city.wgsl`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
    pub(crate) struct Merged {
        pub top: f32,
        pub side_level_glow: u32,
        pub data: [u32; 2],
    }

    /// `Change` of `shaders/scatter.wgsl`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, Pod, Zeroable)]
    pub(crate) struct Change {
        pub data: [u32; 2],
        pub glow: f32,
        pub rise: f32,
        pub place: u32,
        pub pad: u32,
    }
}

pub(super) fn record(block: &Block) -> gpu::Block {
    gpu::Block {
        low: block.min.to_array(),
        level_kind: u32::from(block.level) | (block.kind as u32) << 16,
        high: block.max.to_array(),
        parent: 0,
    }
}

/// Added to the number of the pattern where edges are drawn: more than the number of any pattern.
const OUTLINED: u8 = 5;

pub(super) fn look_record(look: &BlockLook) -> gpu::Look {
    let coded = look.mark as u8 + if look.is_outlined { OUTLINED } else { 0 };
    gpu::Look {
        data: color_record(look.data, f32::from(coded)),
        glow: glow(look.glow),
        rise: rise(look.rise),
    }
}

/// Pattern and outline travel with the alpha, which is no more than 1: the shader takes them apart again.
fn color_record([r, g, b, a]: Color, coded: f32) -> [u32; 2] {
    let a = finite(a).clamp(0.0, 1.0) + 2.0 * coded;
    [halves([r, g]), halves([b, a])]
}

/// The same colour's record with the pattern and outline of another.
pub(super) fn recolored(of: [u32; 2], color: Color) -> [u32; 2] {
    let coded = (half_value(of[1] >> 16) * 0.5).floor();
    color_record(color, coded)
}

fn finite(value: f32) -> f32 {
    if value.is_finite() { value } else { 0.0 }
}

pub(super) fn glow(value: f32) -> f32 {
    finite(value).clamp(0.0, 1.0)
}

pub(super) fn rise(value: f32) -> f32 {
    finite(value).max(0.0)
}

/// Two half floats in one word, as `unpack2x16float` takes them apart.
pub(super) fn halves([a, b]: [f32; 2]) -> u32 {
    u32::from(half_bits(a)) | u32::from(half_bits(b)) << 16
}

/// The number that half a word stands for; nothing below zero is written.
pub(super) fn half_value(bits: u32) -> f32 {
    let bits = bits & 0x7FFF;
    if bits < 0x400 {
        return 0.0;
    }
    f32::from_bits((bits << 13) + (112 << 23))
}

/// The bits of the half float next below `value` in size; colours need no better rounding.
fn half_bits(value: f32) -> u16 {
    // Without a branch, so that several are made at once.
    let clamped = value.clamp(0.0, 65504.0);
    let half = (clamped.to_bits() >> 13).wrapping_sub(112 << 10) as u16;
    // Smallest normal half float; what is smaller is black, and so is what is no number.
    let is_seen = clamped >= 6.2e-5;
    if is_seen { half } else { 0 }
}
