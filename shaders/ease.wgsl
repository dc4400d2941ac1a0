// Blocks on their way from one layout to the next.

struct Way {
    // 0 at the old layout, 1 at the new one.
    share: f32,
    count: u32,
    pad0: u32,
    pad1: u32,
}

@group(1) @binding(0) var<storage, read> start: array<Block>;
@group(1) @binding(1) var<storage, read> goal: array<Block>;
@group(1) @binding(2) var<storage, read_write> now: array<Block>;
@group(1) @binding(3) var<uniform> way: Way;

@compute @workgroup_size(64)
fn ease(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var at = id.x; at < way.count; at += groups.x * 64u) {
        var block = goal[at];
        if way.share < 1.0 {
            block.low = mix(start[at].low, block.low, way.share);
            block.high = mix(start[at].high, block.high, way.share);
        }
        now[at] = block;
    }
}
