// Adds a picture to the mean of the pictures before; the blend factor is its share.

@group(1) @binding(0) var colour: texture_2d<f32>;

@fragment
fn accumulate(in: FullScreen) -> @location(0) vec4f {
    return textureLoad(colour, vec2i(in.position.xy), 0);
}
