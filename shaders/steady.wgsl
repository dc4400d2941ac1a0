// What a moving camera sees, made steady: the picture just drawn is mixed into the mean of those before it, each place
// of which is sought where it stood on the screen then. After "High Quality Temporal Supersampling" by Brian Karis,
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
}

@group(1) @binding(0) var<uniform> steady: Steady;
@group(1) @binding(1) var colour: texture_2d<f32>;
@group(1) @binding(2) var before: texture_2d<f32>;
@group(1) @binding(3) var smooth_sampler: sampler;
@group(1) @binding(4) var depth: texture_depth_2d;

// By how much the mean may lie beyond what the neighbours show: as much as the edges of what is thinner than a pixel,
// which a single picture meets or misses, and less than what data colours.
const SLACK: f32 = 0.12;

@fragment
fn steady_mean(in: FullScreen) -> @location(0) vec4f {
    let at = vec2i(in.position.xy);
    let size = vec2f(frame.width, frame.height);
    let last = vec2i(size) - 1;
    let middle = textureLoad(colour, at, 0);
    // Beside, above and below it: corners make no difference to be seen, and cost a software device as much again.
    let west = textureLoad(colour, vec2i(max(at.x - 1, 0), at.y), 0);
    let east = textureLoad(colour, vec2i(min(at.x + 1, last.x), at.y), 0);
    let north = textureLoad(colour, vec2i(at.x, max(at.y - 1, 0)), 0);
    let south = textureLoad(colour, vec2i(at.x, min(at.y + 1, last.y)), 0);
    let low = min(middle, min(min(west, east), min(north, south)));
    let high = max(middle, max(max(west, east), max(north, south)));
    // The place in the world that the pixel shows, and where it was seen in the frame before.
    let through = frame.ray + in.position.x * frame.ray_right + in.position.y * frame.ray_down;
    let met = textureLoad(depth, at, 0);
    let away = select(frame.eye.z / max(-through.z, 1e-6), steady.near / max(met, 1e-9), met > 0.0);
    let clip = steady.clip_from_world * vec4f(frame.eye + away * through, 1.0);
    let there = clip.xy / max(clip.w, 1e-6) * vec2f(0.5, -0.5) + 0.5 + steady.jitter / size;
    let is_in = clip.w > 0.0 && all(there >= vec2f(0.0)) && all(there <= vec2f(1.0));
    let was = textureSampleLevel(before, smooth_sampler, there, 0.0);
    let slack = SLACK * high + 0.004;
    let fits = clamp(was, low - slack, high + slack);
    return mix(fits, middle, select(1.0, steady.share, is_in));
}
