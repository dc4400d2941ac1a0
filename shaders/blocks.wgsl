// Which block is seen at each pixel: the visibility buffer. A block's three visible faces have seven
// corners, fetched by index; 64 blocks make one instance.

@group(1) @binding(0) var<storage, read> shown: array<Shown>;

struct Corner {
    @builtin(position) position: vec4f,
    @location(0) @interpolate(flat) id: u32,
}

// Bits of the index: 0 far in x, 1 far in y, 2 at the top; the rest is the block in its batch.
@vertex
fn corner(@builtin(vertex_index) index: u32, @builtin(instance_index) batch: u32) -> Corner {
    let block = shown[batch * 64u + (index >> 3u)];
    if block.id == 0u {
        return Corner(vec4f(2.0, 2.0, 2.0, 1.0), 0u);
    }
    let near_is_high = frame.eye.xy > 0.5 * (block.low.xy + block.high.xy);
    let is_far = vec2<bool>((index & 1u) != 0u, (index & 2u) != 0u);
    let at = select(block.low.xy, block.high.xy, near_is_high != is_far);
    let world = vec3f(at, select(block.low.z, block.high.z, (index & 4u) != 0u));
    return Corner(frame.clip_from_world * vec4f(world, 1.0), block.id);
}

@fragment
fn id(in: Corner) -> @location(0) u32 {
    return in.id;
}
