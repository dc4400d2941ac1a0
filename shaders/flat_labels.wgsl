// Names that lie on their blocks: a quad a glyph, sharp from distances to the outline.

struct Glyph {
    // South-west corner of the quad, with nothing risen, and the vectors along its sides, in world space.
    corner: vec3f,
    opacity: f32,
    right: vec3f,
    pad0: f32,
    up: vec3f,
    // What it lies on, and rises with.
    block: u32,
    // Left, top, right, bottom in the texture.
    uv: vec4f,
}

@group(1) @binding(0) var<storage, read> glyphs: array<Glyph>;
@group(1) @binding(1) var distances: texture_2d<f32>;
@group(1) @binding(2) var smooth_sampler: sampler;
@group(1) @binding(3) var<storage, read> looks: array<Look>;
@group(1) @binding(4) var<storage, read> blocks: array<Block>;

struct Letter {
    @builtin(position) position: vec4f,
    @location(0) uv: vec2f,
    @location(1) opacity: f32,
    @location(2) colour: vec3f,
}

fn luminance(colour: vec3f) -> f32 {
    return dot(colour, vec3f(0.2126, 0.7152, 0.0722));
}

// How much darker a roof is at the foot of what stands beside it than in the open.
const SHADED: f32 = 0.85;

// The least contrast of an ink on a ground in the open and in the shade
// (https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio).
fn contrast(ink: vec3f, ground: f32) -> f32 {
    let a = luminance(ink) + 0.05;
    let grounds = vec2f(ground, ground * SHADED) + 0.05;
    let ratios = max(vec2f(a), grounds) / min(vec2f(a), grounds);
    return min(ratios.x, ratios.y);
}

// How bright a block is at a place that nothing shades, as `resolve.wgsl` has it; between the stripes of its pattern.
fn ground_of(block: Block, look: Look) -> f32 {
    let level = f32(block.level_kind & 0xffffu);
    let is_terrace = (block.level_kind >> 16u) == 0u;
    let neutral = mix(frame.root, frame.deepest, min(level / frame.levels, 1.0));
    let data = vec4f(unpack2x16float(look.data.x), unpack2x16float(look.data.y));
    let coded = floor(data.a * 0.5);
    let surface = mix(neutral, data.rgb, data.a - 2.0 * coded);
    let bright = mix(frame.warm, frame.hot, smoothstep(0.3, 1.0, look.glow));
    let tame = select(1.0, min(1.6 * luminance(neutral) / luminance(bright), 1.0), is_terrace);
    let weight = smoothstep(0.0, 0.22, look.glow) * select(1.0, 0.18, is_terrace);
    let albedo = mix(surface, bright * tame, weight);
    return luminance(albedo * (frame.sky + frame.sun) + bright * tame * weight * frame.emission);
}

// The ink that is read on a ground: that of text where it has a contrast of 4.5, else that of plates, else black or
// white, of which one has it on nearly any colour.
fn ink_on(ground: f32) -> vec3f {
    if contrast(frame.text, ground) >= 4.5 {
        return frame.text;
    }
    if contrast(frame.plate, ground) >= 4.5 {
        return frame.plate;
    }
    let black = contrast(vec3f(0.0), ground);
    return vec3f(select(0.0, 1.0, contrast(vec3f(1.0), ground) > black));
}

@vertex
fn letter(@builtin(vertex_index) index: u32, @builtin(instance_index) instance: u32) -> Letter {
    let glyph = glyphs[instance];
    // Two triangles: 0 1 2, 2 1 3.
    let corner = array<u32, 6>(0u, 1u, 2u, 2u, 1u, 3u)[index];
    let at = vec2f(f32(corner & 1u), f32(corner >> 1u));
    let look = looks[glyph.block];
    let rise = vec3f(0.0, 0.0, look.rise);
    let world = glyph.corner + rise + glyph.right * at.x + glyph.up * at.y;
    // A little toward the eye, so that the terrace on which it lies does not swallow it.
    let lifted = mix(world, frame.eye, 0.0015);
    let uv = vec2f(mix(glyph.uv.x, glyph.uv.z, at.x), mix(glyph.uv.w, glyph.uv.y, at.y));
    let colour = ink_on(ground_of(blocks[glyph.block], look));
    return Letter(frame.clip_from_world * vec4f(lifted, 1.0), uv, glyph.opacity, colour);
}

fn to_outline(uv: vec2f) -> f32 {
    return textureSampleLevel(distances, smooth_sampler, uv, 0.0).x - 0.502;
}

@fragment
fn ink(in: Letter) -> @location(0) vec4f {
    let distance = to_outline(in.uv);
    // About the pixel's own middle: the device's difference of neighbours depends on where pairs of pixels begin.
    let right = 0.5 * dpdx(in.uv);
    let down = 0.5 * dpdy(in.uv);
    let across = abs(to_outline(in.uv + right) - to_outline(in.uv - right));
    let along = abs(to_outline(in.uv + down) - to_outline(in.uv - down));
    let across_a_pixel = max(across + along, 1e-4);
    let cover = clamp(distance / across_a_pixel + 0.5, 0.0, 1.0);
    return vec4f(in.colour, cover * in.opacity);
}
