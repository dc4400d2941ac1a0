// Call relations and hyperarcs: ribbons along clamped uniform cubic B-splines that face the eye and
// are shaded like cords.

// No ribbon has fewer segments, as `src/layout/geometry.rs` has it.
const FEWEST_SEGMENTS: f32 = 8.0;
// Nothing is narrower than this in pixels of the frame's scale: it fades instead, and does not shimmer.
const LEAST: f32 = 1.3;
// What is broader than this in pixels grows more slowly.
const STOUT: f32 = 7.0;
// What is left of an arc that steps back, and the faintest that is found under the pointer: as
// `src/layout/emphasis.rs` has them.
const GHOST: f32 = 0.05;
const FAINTEST_PICKED: f32 = 0.28;
// So much nearer an arc counts as it is, as `src/layout/pick_arc.rs` has it.
const NEARER: f32 = 1.001;
// Flags.
const OUTLINED: u32 = 0x01000000u;
const DASHED: u32 = 0x02000000u;
const CORD: u32 = 0x04000000u;
const LIT: u32 = 0x08000000u;
const POINTS: u32 = 0x0000ffffu;
const INK: u32 = 0x000000ffu;

struct Arc {
    // The blocks that it runs from and to: its ends stand over its points by as much as these have risen.
    ends: vec2u,
    first_point: u32,
    points_ink_flags: u32,
    span: f32,
    width: f32,
    opacity: f32,
    place: u32,
}

struct Ink {
    caller: vec4f,
    callee: vec4f,
}

// The arcs of a range of blocks, and how opaque they are at least.
struct Emphasis {
    first: u32,
    end: u32,
    opacity: f32,
    pad: u32,
}

struct Focus {
    hovered: Emphasis,
    before: Emphasis,
    chosen: Emphasis,
    // Of threads and of cords, the square of the segments for a unit of their span, and the most that they have.
    squares: vec2f,
    most: vec2f,
    // How far it is from before to hovered.
    share: f32,
    // How far lights have run, 0 to 1.
    phase: f32,
    pad: vec2f,
}

@group(1) @binding(0) var<storage, read> arcs: array<Arc>;
@group(1) @binding(1) var<storage, read> points: array<vec4f>;
@group(1) @binding(2) var<storage, read> inks: array<Ink>;
@group(1) @binding(3) var<storage, read> looks: array<Look>;
@group(1) @binding(4) var<uniform> focus: Focus;
@group(1) @binding(5) var depth: texture_depth_2d;

struct Ribbon {
    @builtin(position) position: vec4f,
    @location(0) colour: vec4f,
    // Pixels from the middle line, half the width in pixels, where along the arc, 0 to 1, and the phase of the light
    // on it. Together, since a software device takes as long for one number as for four.
    @location(1) across_along: vec4f,
    // Flags, place plus one or 0 for one that is too faint to be found, and how many dashes there are.
    @location(2) @interpolate(flat) flags_id_dashes: vec3u,
}

struct OnSpline {
    at: vec3f,
    tangent: vec3f,
}

// De Boor's algorithm; the first and last points are met. https://en.wikipedia.org/wiki/De_Boor%27s_algorithm
fn spline(first: u32, count: u32, t: f32) -> OnSpline {
    // Fewer points than a cubic has are raised, which is exact.
    let spans = max(i32(count) - 3, 1);
    let u = clamp(t, 0.0, 1.0) * f32(spans);
    let k = min(i32(floor(u)), spans - 1);
    let at = first + u32(k);
    let a = points[at].xyz;
    let b = points[at + 1u].xyz;
    var d = array<vec3f, 4>(a, mix(a, b, 1.0 / 3.0), mix(a, b, 2.0 / 3.0), b);
    if count == 3u {
        let c = points[at + 2u].xyz;
        d = array<vec3f, 4>(a, mix(a, b, 2.0 / 3.0), mix(c, b, 2.0 / 3.0), c);
    } else if count > 3u {
        d = array<vec3f, 4>(a, b, points[at + 2u].xyz, points[at + 3u].xyz);
    }
    var tangent = vec3f(0.0);
    for (var r = 1; r <= 3; r++) {
        tangent = d[3] - d[2];
        for (var j = 3; j >= r; j--) {
            let left = f32(clamp(k + j - 3, 0, spans));
            let right = f32(clamp(k + j + 1 - r, 0, spans));
            d[j] = mix(d[j - 1], d[j], (u - left) / (right - left));
        }
    }
    return OnSpline(d[3], tangent);
}

fn touches(by: Emphasis, ends: vec2u) -> bool {
    return any((ends >= vec2u(by.first)) & (ends < vec2u(by.end)));
}

fn alone(by: Emphasis, ends: vec2u, opacity: f32) -> f32 {
    let shown = select(opacity * GHOST, max(opacity, by.opacity), touches(by, ends));
    return select(shown, opacity, by.first >= by.end);
}

// How opaque an arc is that has this much of its own.
fn emphasized(ends: vec2u, opacity: f32) -> f32 {
    let before = alone(focus.before, ends, opacity);
    let now = alone(focus.hovered, ends, opacity);
    let shown = mix(before, now, focus.share);
    return select(shown, max(shown, focus.chosen.opacity), touches(focus.chosen, ends));
}

@vertex
fn ribbon(@builtin(vertex_index) index: u32, @builtin(instance_index) instance: u32) -> Ribbon {
    let arc = arcs[instance];
    let count = arc.points_ink_flags & POINTS;
    let is_outlined = (arc.points_ink_flags & OUTLINED) != 0u;
    let opacity = select(emphasized(arc.ends, arc.opacity), arc.opacity, is_outlined);
    let kind = select(0u, 1u, (arc.points_ink_flags & CORD) != 0u);
    let segments = clamp(ceil(sqrt(arc.span * focus.squares[kind])), FEWEST_SEGMENTS, focus.most[kind]);
    // Those beyond have no area.
    let t = min(f32(index >> 1u) / segments, 1.0);
    var on = spline(arc.first_point, count, t);
    let rises = vec2f(looks[arc.ends.x].rise, looks[arc.ends.y].rise);
    on.at.z += mix(rises.x, rises.y, t);
    on.tangent.z += (rises.y - rises.x) / f32(max(count, 4u) - 3u) / 3.0;
    let to_eye = frame.eye - on.at;
    let distance = max(length(to_eye), 1e-3);
    let pixel = frame.pixel * distance;
    let sideways = cross(on.tangent, to_eye);
    let side = sideways * inverseSqrt(max(dot(sideways, sideways), 1e-12));
    // Broad at the caller, narrow at the callee.
    let taper = select(mix(1.4, 0.45, t), 1.0, is_outlined);
    // From near by a cord does not grow into a pipe that hides the city.
    let plain = arc.width * taper / pixel;
    let stout = STOUT * frame.scale;
    let least = LEAST * frame.scale;
    let wanted = select(plain, stout + (plain - stout) * 0.12, plain > stout);
    let width = max(wanted, least);
    let half = 0.5 * width + select(0.0, frame.scale + 0.12 * width, is_outlined);
    let reach = (half + 1.0) * select(-1.0, 1.0, (index & 1u) != 0u);
    let ink = inks[min((arc.points_ink_flags >> 16u) & INK, arrayLength(&inks) - 1u)];
    let rgb = mix(ink.caller.rgb, ink.callee.rgb, smoothstep(0.08, 0.92, t));
    let colour = vec4f(rgb, opacity * max(min(wanted / least, 1.0), 0.3));
    let world = on.at + side * reach * pixel;
    let ends = points[arc.first_point].xyz - points[arc.first_point + count - 1u].xyz;
    // What nobody sees costs nothing.
    let clip = select(
        vec4f(0.0, 0.0, -1.0, 1.0),
        frame.clip_from_world * vec4f(world, 1.0),
        opacity > 0.002,
    );
    // By its ends, so that a light does not jump when the ranking changes.
    let apart = (arc.ends.x ^ ((arc.ends.y << 7u) | (arc.ends.y >> 25u))) * 2654435769u;
    let pulse = fract(focus.phase + f32(apart >> 8u) / 16777216.0);
    return Ribbon(
        clip,
        colour,
        vec4f(reach, half, t, select(-1.0, pulse, (arc.points_ink_flags & LIT) != 0u)),
        vec3u(
            arc.points_ink_flags,
            select(0u, arc.place + 1u, opacity >= FAINTEST_PICKED),
            u32(clamp(length(ends) / 14.0, 3.0, 40.0)),
        ),
    );
}

// Whether a block stands before it; one that it lies on does not.
fn is_behind(position: vec4f) -> bool {
    return position.z * NEARER < textureLoad(depth, vec2i(position.xy), 0);
}

@fragment
fn cord(in: Ribbon) -> @location(0) vec4f {
    let behind = is_behind(in.position);
    let flags = in.flags_id_dashes.x;
    let across = in.across_along.xy;
    let along = in.across_along.zw;
    let is_outlined = (flags & OUTLINED) != 0u;
    let from_edge = across.y - abs(across.x);
    let cover = clamp(from_edge + 0.5, 0.0, 1.0);
    let round = across.x / max(across.y, 1.0);
    // Lit from the upper side, darker toward both edges; a thread too narrow to show it stays even.
    let body = 0.58 + 0.52 * sqrt(max(1.0 - round * round, 0.0));
    let shade = mix(1.0, body, clamp(across.y * 0.8 - 0.6, 0.0, 1.0));
    var rgb = in.colour.rgb * shade;
    let border = 0.5 * frame.scale + 0.12 * across.y;
    let is_border = select(0.0, 1.0 - clamp(from_edge - border, 0.0, 1.0), is_outlined);
    rgb = mix(rgb, frame.ground, is_border);
    // The light that runs along it.
    let ahead = (along.x - along.y) * 16.0;
    let near = max(1.0 - ahead * ahead, 0.0);
    let pulse = select(0.0, near * near, along.y >= 0.0) * (1.0 - is_border);
    // On a light ground a pale one would be taken for a gap.
    let light = mix(vec3f(1.0, 0.93, 0.75), frame.warm, smoothstep(0.1, 0.5, frame.ground.g));
    rgb = mix(rgb, light, 0.85 * pulse);
    let hidden = select(1.0, select(0.10, 0.55, is_outlined), behind);
    let is_gap = (flags & DASHED) != 0u && fract(along.x * f32(in.flags_id_dashes.z)) > 0.6;
    let opacity = min(in.colour.a * (1.0 + pulse), 1.0);
    return vec4f(rgb, opacity * cover * hidden * select(1.0, 0.12, is_gap));
}

@fragment
fn which(in: Ribbon) -> @location(0) u32 {
    let id = in.flags_id_dashes.y;
    if id == 0u || abs(in.across_along.x) > in.across_along.y || is_behind(in.position) {
        discard;
    }
    return id;
}
