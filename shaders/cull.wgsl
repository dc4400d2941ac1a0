// Which blocks are drawn: those in sight that are not merged into what they stand on, in the order in which
// they come. Three steps: a bit for each block, the place of each run of 32, and the list itself. The order is
// the same every time, as it would not be with a counter that all add to.

struct View {
    // In sight is what lies on the positive side of all four; normals are unit vectors.
    planes: array<vec4f, 4>,
    // The eye with w 1; from above w is 0.
    eye: vec4f,
    // How wide a pixel is at distance 1 from the eye, or from above.
    pixel: f32,
    count: u32,
    // How many indices draw 64 blocks.
    indices: u32,
    pad: u32,
}

struct List {
    // Of an indirect draw: indices, instances, 0, 0, 0; then how many blocks are drawn.
    arguments: array<u32, 8>,
    // For each run a bit a block, and the place of its first in the list.
    runs: array<vec2u>,
}

@group(1) @binding(0) var<storage, read> blocks: array<Block>;
@group(1) @binding(1) var<storage, read> looks: array<Look>;
@group(1) @binding(2) var<storage, read> merged: array<Merged>;
@group(1) @binding(3) var<uniform> view: View;
@group(1) @binding(4) var<storage, read_write> list: List;
@group(1) @binding(5) var<storage, read_write> shown: array<Shown>;

fn is_shown(at: u32) -> bool {
    let block = blocks[at];
    let rise = looks[at].rise;
    let extent = block.high.xy - block.low.xy;
    let high = vec3f(block.high.xy, max(block.high.z + rise, merged[at].top));
    let middle = 0.5 * (block.low + high);
    let here = pixel_at(view.eye, view.pixel, vec3f(middle.xy, block.high.z));
    // A pixel more for the shift of pictures that are averaged.
    let reach = 0.5 * length(high - block.low) + 2.0 * here;
    var is_in = true;
    for (var side = 0u; side < 4u; side++) {
        is_in = is_in && dot(view.planes[side].xyz, middle) + view.planes[side].w > -reach;
    }
    let is_apart = min(extent.x, extent.y) > MERGED * here;
    return is_in && (is_apart || rise != 0.0 || at == 0u);
}

@compute @workgroup_size(64)
fn mark(@builtin(global_invocation_id) id: vec3u) {
    let start = id.x * 32u;
    if start >= view.count {
        return;
    }
    var bits = 0u;
    for (var place = 0u; place < 32u; place++) {
        let at = min(start + place, view.count - 1u);
        bits |= select(0u, 1u << place, start + place < view.count && is_shown(at));
    }
    list.runs[id.x].x = bits;
}

var<workgroup> sums: array<u32, 256>;

@compute @workgroup_size(256)
fn place(@builtin(local_invocation_index) me: u32) {
    let runs = (view.count + 31u) / 32u;
    let each = (runs + 255u) / 256u;
    let start = min(me * each, runs);
    let end = min(start + each, runs);
    var sum = 0u;
    for (var run = start; run < end; run++) {
        sum += countOneBits(list.runs[run].x);
    }
    sums[me] = sum;
    workgroupBarrier();
    for (var reach = 1u; reach < 256u; reach <<= 1u) {
        var before = 0u;
        if me >= reach {
            before = sums[me - reach];
        }
        workgroupBarrier();
        sums[me] += before;
        workgroupBarrier();
    }
    var at = sums[me] - sum;
    for (var run = start; run < end; run++) {
        list.runs[run].y = at;
        at += countOneBits(list.runs[run].x);
    }
    if me == 255u {
        list.arguments = array<u32, 8>(view.indices, (at + 63u) / 64u, 0u, 0u, 0u, at, 0u, 0u);
    }
}

@compute @workgroup_size(64)
fn gather(@builtin(global_invocation_id) id: vec3u) {
    let runs = (view.count + 31u) / 32u;
    if id.x >= runs {
        return;
    }
    var bits = list.runs[id.x].x;
    var to = list.runs[id.x].y;
    while bits != 0u {
        let at = id.x * 32u + firstTrailingBit(bits);
        bits &= bits - 1u;
        let block = blocks[at];
        let look = looks[at];
        let as_drawn = shape(block, look.rise, merged[at], merged[block.parent], view.eye, view.pixel);
        // Terraces pass on that something on them runs, but do not throw light themselves.
        let glow = select(0.0, look.glow, (block.level_kind >> 16u) != 0u);
        shown[to] = Shown(as_drawn.low, at + 1u, as_drawn.high, glow);
        to++;
    }
    if id.x == runs - 1u {
        // The last 64 are filled up with none.
        while to % 64u != 0u {
            shown[to] = Shown(vec3f(0.0), 0u, vec3f(0.0), 0.0);
            to++;
        }
    }
}
