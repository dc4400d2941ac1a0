// Names that lie on their blocks: a quad a glyph, sharp from distances to the outline.

struct Glyph {
    // South-west corner of the quad, with nothing risen, and the vectors along its sides, in world space.
    corner: vec3f,
    opacity: f32,
    right: vec3f,
    // 1 where the letters have the colour of plates, 0 where they have that of text; 2 more on what may glow.
    inverted: f32,
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

struct Letter {
    @builtin(position) position: vec4f,
    @location(0) uv: vec2f,
    @location(1) opacity: f32,
    @location(2) colour: vec3f,
}

fn luminance(colour: vec3f) -> f32 {
    return dot(colour, vec3f(0.2126, 0.7152, 0.0722));
}

// The ink of letters on a roof that glows: black or white, of which one has a contrast of at least 4.5 on any colour
// (https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio). What glows as `resolve.wgsl` says.
fn ink_on(glow: f32, usual: vec3f) -> vec3f {
    let bright = mix(frame.warm, frame.hot, smoothstep(0.3, 1.0, glow));
    let weight = smoothstep(0.0, 0.22, glow);
    let ground = luminance(bright * (frame.sky + frame.sun + frame.emission));
    let ink = vec3f(select(0.0, 1.0, (ground + 0.05) * (ground + 0.05) < 0.0525));
    return select(usual, ink, weight > 0.5);
}

@vertex
fn letter(@builtin(vertex_index) index: u32, @builtin(instance_index) instance: u32) -> Letter {
    let glyph = glyphs[instance];
    // Two triangles: 0 1 2, 2 1 3.
    let corner = array<u32, 6>(0u, 1u, 2u, 2u, 1u, 3u)[index];
    let at = vec2f(f32(corner & 1u), f32(corner >> 1u));
    let rise = vec3f(0.0, 0.0, looks[glyph.block].rise);
    let world = glyph.corner + rise + glyph.right * at.x + glyph.up * at.y;
    // A little toward the eye, so that the terrace on which it lies does not swallow it.
    let lifted = mix(world, frame.eye, 0.0015);
    let uv = vec2f(mix(glyph.uv.x, glyph.uv.z, at.x), mix(glyph.uv.w, glyph.uv.y, at.y));
    let usual = mix(frame.text, frame.plate, glyph.inverted % 2.0);
    let colour = select(usual, ink_on(looks[glyph.block].glow, usual), glyph.inverted >= 2.0);
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
