// The city from above: the height of its surface, and how it glows. Blocks come in preorder, so what
// stands on a block is drawn after it and no depth test is needed.

struct Square {
    // South-west corner of the square that the map shows, and one over its side.
    origin: vec2f,
    scale: f32,
    pad: f32,
}

@group(1) @binding(0) var<storage, read> shown: array<Shown>;
@group(1) @binding(1) var<uniform> square: Square;

struct Top {
    @builtin(position) position: vec4f,
    @location(0) @interpolate(flat) height_glow: vec2f,
}

@vertex
fn top(@builtin(vertex_index) index: u32, @builtin(instance_index) batch: u32) -> Top {
    let block = shown[batch * 64u + (index >> 2u)];
    if block.id == 0u {
        return Top(vec4f(2.0, 2.0, 2.0, 1.0), vec2f(0.0));
    }
    let corner = vec2f(f32(index & 1u), f32((index >> 1u) & 1u));
    let world = mix(block.low.xy, block.high.xy, corner);
    // Texels are numbered from the south-west corner.
    let map = (world - square.origin) * square.scale;
    return Top(vec4f(map.x * 2.0 - 1.0, 1.0 - map.y * 2.0, 0.0, 1.0), vec2f(block.high.z, block.glow));
}

@fragment
fn height(in: Top) -> @location(0) vec4f {
    return vec4f(in.height_glow, 0.0, 1.0);
}
