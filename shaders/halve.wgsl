// Halves a height map: each texel becomes the mean of four.

@group(1) @binding(0) var finer: texture_2d<f32>;

@fragment
fn halve(in: FullScreen) -> @location(0) vec4f {
    let at = vec2i(in.position.xy) * 2;
    return 0.25 * (textureLoad(finer, at, 0) + textureLoad(finer, at + vec2i(1, 0), 0)
        + textureLoad(finer, at + vec2i(0, 1), 0) + textureLoad(finer, at + vec2i(1, 1), 0));
}
