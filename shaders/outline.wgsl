// The outlines of a module and of those around it: where blocks of their subtrees, intervals of ids each in the one
// before, meet others on the screen. As wide in pixels from near as from far, and the fainter the farther out.

const MOST: u32 = 8u;
// What of the colour an outline has beside the next one inside.
const FADE: f32 = 0.62;

struct Outline {
    colour: vec4f,
    // How many subtrees there are, outermost first.
    count: u32,
    // Share of the colour in the outer ring of pixels of the innermost; 0 makes the line narrow.
    outer: f32,
    pad: vec2u,
    // Blocks from the first to before the second.
    blocks: array<vec4u, MOST>,
}

@group(1) @binding(0) var<uniform> outline: Outline;
@group(1) @binding(1) var ids: texture_2d<u32>;

// How many of the subtrees what is there lies in.
fn level(at: vec2i) -> u32 {
    let last = vec2i(i32(frame.width), i32(frame.height)) - 1;
    // Ids are places plus one.
    let id = textureLoad(ids, clamp(at, vec2i(0), last), 0).x;
    var found = 0u;
    for (var i = 0u; i < outline.count; i++) {
        if id > outline.blocks[i].x && id <= outline.blocks[i].y {
            found = i + 1u;
        }
    }
    return found;
}

@fragment
fn line(in: FullScreen) -> @location(0) vec4f {
    let at = vec2i(in.position.xy);
    let own = level(at);
    var alpha = 0.0;
    for (var dy = -2; dy <= 2; dy++) {
        for (var dx = -2; dx <= 2; dx++) {
            let ring = max(abs(dx), abs(dy));
            let is_corner = abs(dx) + abs(dy) == 4;
            let by = vec2i(round(vec2f(f32(dx), f32(dy)) * frame.scale));
            let other = select(level(at + by), own, is_corner);
            if other != own {
                let away = outline.count - max(own, other);
                let outer = select(0.0, outline.outer, away == 0u);
                alpha = max(alpha, select(outer, pow(FADE, f32(away)), ring == 1));
            }
        }
    }
    return vec4f(outline.colour.rgb, outline.colour.a * alpha);
}
