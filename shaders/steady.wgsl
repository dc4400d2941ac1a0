// Pictures that follow each other, made steady. What a moving camera sees is mixed into the mean of the pictures before, each
// place of which is sought where it stood on the screen then: after "High Quality Temporal Supersampling" by Brian Karis,
// SIGGRAPH 2014; nothing but the camera is taken to move, and what does not fit to that is clamped away.

struct Steady {
    // Of the frame before, without the shift of its picture.
    clip_from_world: mat4x4f,
    // Shift of the picture just drawn, in pixels.
    jitter: vec2f,
    // Distance of the near plane, where depth is 1.
    near: f32,
    // Of the picture just drawn in the mean.
    share: f32,
    // Of the pictures that take turns: how many there are, and which of them has the shift of the one just drawn.
    period: u32,
    layer: u32,
    // By how much, and by what share, what is the same may differ from that one; 0 where there is none, and less where
    // nothing has changed.
    same: f32,
    // 0 where others of them are missing, 1 where they show what is seen now but for what has changed since, and 2 where
    // nothing has.
    others: u32,
}

@group(1) @binding(0) var<uniform> steady: Steady;
@group(1) @binding(1) var colour: texture_2d<f32>;
@group(1) @binding(2) var before: texture_2d<f32>;
@group(1) @binding(3) var smooth_sampler: sampler;
@group(1) @binding(4) var depth: texture_depth_2d;
@group(1) @binding(5) var turns: texture_2d_array<f32>;

// By how much the mean may lie beyond what the neighbours show: as much as the edges of what is thinner than a pixel,
// which a single picture meets or misses, and less than what data colours.
const SLACK: f32 = 0.12;

// The least share of a new picture where something has just changed.
const LIVELY: f32 = 0.4;

// Colours of the picture just drawn: at a pixel, and beside, above and below it. Corners make no difference to be seen, and
// cost a software device as much again.
struct Cross {
    middle: vec3f,
    west: vec3f,
    east: vec3f,
    north: vec3f,
    south: vec3f,
}

// Where the arms of the cross are: west, east, north, south.
fn arms(at: vec2i) -> vec4i {
    let last = vec2i(i32(frame.width), i32(frame.height)) - 1;
    return vec4i(max(at.x - 1, 0), min(at.x + 1, last.x), max(at.y - 1, 0), min(at.y + 1, last.y));
}

fn cross_at(at: vec2i) -> Cross {
    let arm = arms(at);
    return Cross(
        textureLoad(colour, at, 0).rgb,
        textureLoad(colour, vec2i(arm.x, at.y), 0).rgb,
        textureLoad(colour, vec2i(arm.y, at.y), 0).rgb,
        textureLoad(colour, vec2i(at.x, arm.z), 0).rgb,
        textureLoad(colour, vec2i(at.x, arm.w), 0).rgb,
    );
}

// Lightness, orange against blue, green against violet, and back: what is clamped in these leaves no tint on grey edges.
const YCOCG = mat3x3f(0.25, 0.5, -0.25, 0.5, 0.0, 0.5, 0.25, -0.5, -0.25);
const RGB = mat3x3f(1.0, 1.0, 1.0, 1.0, 0.0, -1.0, -1.0, 1.0, -1.0);

// The mean as far as it fits to what is seen now: within `slack` of its lightness.
fn fitting(was: vec3f, now: Cross, slack: f32) -> vec3f {
    let middle = YCOCG * now.middle;
    let west = YCOCG * now.west;
    let east = YCOCG * now.east;
    let north = YCOCG * now.north;
    let south = YCOCG * now.south;
    let low = min(middle, min(min(west, east), min(north, south)));
    let high = max(middle, max(max(west, east), max(north, south)));
    let beyond = vec3f(slack * high.x + 0.004, 0.004, 0.004);
    return RGB * clamp(YCOCG * was, low - beyond, high + beyond);
}

@fragment
fn steady_mean(in: FullScreen) -> @location(0) vec4f {
    let at = vec2i(in.position.xy);
    let size = vec2f(frame.width, frame.height);
    let now = cross_at(at);
    // The place in the world that the pixel shows, and where it was seen in the frame before.
    let through = frame.ray + in.position.x * frame.ray_right + in.position.y * frame.ray_down;
    let met = textureLoad(depth, at, 0);
    let away = select(frame.eye.z / max(-through.z, 1e-6), steady.near / max(met, 1e-9), met > 0.0);
    let clip = steady.clip_from_world * vec4f(frame.eye + away * through, 1.0);
    let there = clip.xy / max(clip.w, 1e-6) * vec2f(0.5, -0.5) + 0.5 + steady.jitter / size;
    let is_in = clip.w > 0.0 && all(there >= vec2f(0.0)) && all(there <= vec2f(1.0));
    let was = textureSampleLevel(before, smooth_sampler, there, 0.0);
    let share = select(1.0, steady.share, is_in);
    return vec4f(mix(fitting(was.rgb, now, SLACK), now.middle, share), 1.0);
}

// Whether what was drawn at a place with the same shift before is another.
fn is_other(seen: vec3f, x: i32, y: i32) -> bool {
    let drawn = textureLoad(turns, vec2i(x, y), steady.layer, 0).rgb;
    return any(abs(seen - drawn) > steady.same * (1.0 + seen));
}

// The same for a camera that rests: where nothing changes each pixel is the exact mean of as many pictures as take turns.
// Alpha says for how many of them, as a share, nothing has changed.
@fragment
fn steady_rest(in: FullScreen) -> @location(0) vec4f {
    let at = vec2i(in.position.xy);
    let now = cross_at(at);
    let was = textureSampleLevel(before, smooth_sampler, in.position.xy / vec2f(frame.width, frame.height), 0.0);
    let turn = 1.0 / f32(steady.period);
    var since = select(was.a, 0.0, steady.same == 0.0);
    if steady.same > 0.0 {
        let arm = arms(at);
        let changes = is_other(now.middle, at.x, at.y)
            || is_other(now.west, arm.x, at.y) || is_other(now.east, arm.y, at.y)
            || is_other(now.north, at.x, arm.z) || is_other(now.south, at.x, arm.w);
        since = select(min(since + turn, 1.0), 0.0, changes);
    }
    since = select(since, 1.0, steady.others == 2);
    if since < 1.0 {
        // What is known to have changed leaves nothing behind, and is seen at once.
        let slack = select(SLACK, 0.0, steady.same > 0.0);
        let share = select(max(steady.share, LIVELY), 1.0, steady.same > 0.0 && was.a >= 1.0);
        return vec4f(mix(fitting(was.rgb, now, slack), now.middle, share), since);
    }
    if steady.others == 0 {
        return vec4f(mix(was.rgb, now.middle, steady.share), since);
    }
    var sum = now.middle;
    for (var layer = 0u; layer < steady.period; layer++) {
        if layer != steady.layer {
            sum += textureLoad(turns, at, layer, 0).rgb;
        }
    }
    return vec4f(sum * turn, since);
}
