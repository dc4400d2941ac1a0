// Shared by the passes that read blocks, appended after their own text.

struct Block {
    low: vec3f,
    // Steps from the root in the lower half; what it stands for (0 terrace, 1 leaf, 2 collapsed) above.
    level_kind: u32,
    high: vec3f,
    // The place of the block that it stands on; its own for the root.
    parent: u32,
}

struct Look {
    // A linear colour with straight alpha as four half floats; to the alpha twice the number of a pattern is added.
    data: vec2u,
    glow: f32,
    rise: f32,
}

// A block and all that stands on it as one even surface.
struct Merged {
    // Its mean height.
    top: f32,
    // The shorter side of what stands directly on it, on average, as a half float; above it, as parts of 255,
    // how much of the deepest level's lightness it has beyond the root's, and how much it glows.
    side_level_glow: u32,
    // Its mean colour by data as four half floats, multiplied by the alpha.
    data: vec2u,
}

// A block as it is drawn.
struct Shown {
    low: vec3f,
    // Its place plus one; 0 for none.
    id: u32,
    high: vec3f,
    glow: f32,
}

// A block whose shorter side is less than the first, in pixels, is merged into what it stands on; from the
// second on it is itself. In between it sinks and takes on the mean colour: nothing pops, and what is
// smaller than a pixel does not shimmer.
const MERGED: f32 = 0.7;
const APART: f32 = 1.7;
// What runs is never narrower than this in pixels, so that it is found among a million.
const LEAST_ACTIVE: f32 = 1.3;

// How wide a pixel is at a place, in world units: on a level surface seen at a low angle it is wider. From
// above (eye.w is 0) all pixels are as wide.
fn pixel_at(eye: vec4f, pixel: f32, at: vec3f) -> f32 {
    let toward = eye.xyz - at;
    let distance = max(length(toward), 1e-6);
    let wide = pixel * distance * inverseSqrt(clamp(toward.z / distance, 0.15, 1.0));
    return select(pixel, wide, eye.w > 0.0);
}

// 0 where something so wide is merged, 1 where it stands apart.
fn apart(side: f32, pixel: f32) -> f32 {
    return smoothstep(MERGED, APART, side / pixel);
}

struct Shape {
    low: vec3f,
    high: vec3f,
    // 0 where it is merged into what it stands on, 1 where it is itself.
    share: f32,
}

// `merged` is what stands on it, `below` that of the block on which it stands.
fn shape(block: Block, rise: f32, merged: Merged, below: Merged, eye: vec4f, pixel: f32) -> Shape {
    let extent = block.high.xy - block.low.xy;
    let at = vec3f(0.5 * (block.low.xy + block.high.xy), block.high.z);
    let here = pixel_at(eye, pixel, at);
    // What stands on it has sunk into it where even the nearest has.
    let nearest = pixel_at(eye, pixel, vec3f(clamp(eye.xy, block.low.xy, block.high.xy), block.high.z));
    let is_root = (block.level_kind & 0xffffu) == 0u;
    let share = select(apart(min(extent.x, extent.y), here), 1.0, is_root || rise != 0.0);
    let own = mix(merged.top, block.high.z, apart(unpack2x16float(merged.side_level_glow).x, min(nearest, here)));
    let floor = mix(max(below.top, block.low.z), block.low.z, apart(unpack2x16float(below.side_level_glow).x, here));
    let wider = select(vec2f(0.0), max(0.5 * (LEAST_ACTIVE * here - extent), vec2f(0.0)), rise > 0.0);
    let top = mix(floor, own, share) + rise;
    // What is not there lies on ground that is lower than at rest.
    return Shape(
        vec3f(block.low.xy - wider, min(block.low.z, top)),
        vec3f(block.high.xy + wider, top),
        share,
    );
}
