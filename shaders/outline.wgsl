// The outline of a module: where blocks of its subtree, an interval of ids, meet others on the screen.
// As wide in pixels from near as from far.

struct Outline {
    colour: vec4f,
    // Blocks from `start` to before `end`.
    start: u32,
    end: u32,
    // Share of the colour in the outer ring of pixels; 0 makes the line narrow.
    outer: f32,
    pad: u32,
}

@group(1) @binding(0) var<uniform> outline: Outline;
@group(1) @binding(1) var ids: texture_2d<u32>;

fn is_inside(at: vec2i) -> bool {
    let last = vec2i(i32(frame.width), i32(frame.height)) - 1;
    // Ids are places plus one.
    let id = textureLoad(ids, clamp(at, vec2i(0), last), 0).x;
    return id > outline.start && id <= outline.end;
}

@fragment
fn line(in: FullScreen) -> @location(0) vec4f {
    let at = vec2i(in.position.xy);
    let inside = is_inside(at);
    var touches = 0.0;
    var near = 0.0;
    for (var dy = -2; dy <= 2; dy++) {
        for (var dx = -2; dx <= 2; dx++) {
            let ring = max(abs(dx), abs(dy));
            let is_corner = abs(dx) + abs(dy) == 4;
            let by = vec2i(round(vec2f(f32(dx), f32(dy)) * frame.scale));
            if !is_corner && is_inside(at + by) != inside {
                touches = max(touches, select(0.0, 1.0, ring == 1));
                near = 1.0;
            }
        }
    }
    return vec4f(outline.colour.rgb, outline.colour.a * max(touches, near * outline.outer));
}
