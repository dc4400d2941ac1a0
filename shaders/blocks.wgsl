// Which block is seen at each pixel: the visibility buffer. A block's three visible faces have seven
// corners, fetched by index; 64 blocks make one instance.

@group(1) @binding(0) var<storage, read> blocks: array<Block>;
@group(1) @binding(1) var<storage, read> looks: array<Look>;
@group(1) @binding(2) var<uniform> count: vec4u;

struct Corner {
    @builtin(position) position: vec4f,
    @location(0) @interpolate(flat) id: u32,
}

// Bits of the index: 0 far in x, 1 far in y, 2 at the top; the rest is the block in its batch.
@vertex
fn corner(@builtin(vertex_index) index: u32, @builtin(instance_index) batch: u32) -> Corner {
    let block_index = batch * 64u + (index >> 3u);
    if block_index >= count.x {
        return Corner(vec4f(2.0, 2.0, 2.0, 1.0), 0u);
    }
    let block = blocks[block_index];
    let low = block.low;
    let high = vec3f(block.high.xy, block.high.z + looks[block_index].rise);
    let near_is_high = frame.eye.xy > 0.5 * (low.xy + high.xy);
    let is_far = vec2<bool>((index & 1u) != 0u, (index & 2u) != 0u);
    let at = select(low.xy, high.xy, near_is_high != is_far);
    let world = vec3f(at, select(low.z, high.z, (index & 4u) != 0u));
    return Corner(frame.clip_from_world * vec4f(world, 1.0), block_index + 1u);
}

@fragment
fn id(in: Corner) -> @location(0) u32 {
    return in.id;
}
