// Call relations and hyperarcs: ribbons along clamped uniform cubic B-splines that face the eye and
// are shaded like cords.

const SEGMENTS: u32 = 24u;
// Nothing is narrower than this in pixels of the frame's scale: it fades instead, and does not shimmer.
const LEAST: f32 = 1.3;
// What is broader than this in pixels grows more slowly.
const STOUT: f32 = 7.0;

struct Arc {
    from_colour: vec4f,
    to_colour: vec4f,
    first_point: u32,
    points: u32,
    width: f32,
    pulse: f32,
}

struct Piece {
    arc: u32,
    // Which part of the arc, 0 to 1.
    start: f32,
    end: f32,
    outlined: u32,
}

@group(1) @binding(0) var<storage, read> arcs: array<Arc>;
@group(1) @binding(1) var<storage, read> points: array<vec4f>;
@group(1) @binding(2) var<storage, read> pieces: array<Piece>;
@group(1) @binding(3) var depth: texture_depth_2d;

struct Ribbon {
    @builtin(position) position: vec4f,
    @location(0) colour: vec4f,
    // Pixels from the middle line, and half the width in pixels.
    @location(1) across: vec2f,
    // Where along the arc, 0 to 1, and the phase of the light on it.
    @location(2) along: vec2f,
    @location(3) @interpolate(flat) outlined: u32,
}

struct OnSpline {
    at: vec3f,
    tangent: vec3f,
}

// De Boor's algorithm; the first and last points are met. https://en.wikipedia.org/wiki/De_Boor%27s_algorithm
fn spline(first: u32, count: u32, t: f32) -> OnSpline {
    let spans = i32(count) - 3;
    let u = clamp(t, 0.0, 1.0) * f32(spans);
    let k = min(i32(floor(u)), spans - 1);
    var d = array<vec3f, 4>(
        points[first + u32(k)].xyz,
        points[first + u32(k) + 1u].xyz,
        points[first + u32(k) + 2u].xyz,
        points[first + u32(k) + 3u].xyz,
    );
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

@vertex
fn ribbon(@builtin(vertex_index) index: u32, @builtin(instance_index) instance: u32) -> Ribbon {
    let piece = pieces[instance];
    let arc = arcs[piece.arc];
    let t = mix(piece.start, piece.end, f32(index >> 1u) / f32(SEGMENTS));
    let on = spline(arc.first_point, arc.points, t);
    let to_eye = frame.eye - on.at;
    let distance = max(length(to_eye), 1e-3);
    let pixel = frame.pixel * distance;
    let sideways = cross(on.tangent, to_eye);
    let side = sideways * inverseSqrt(max(dot(sideways, sideways), 1e-12));
    // Broad at the caller, narrow at the callee.
    let taper = select(mix(1.3, 0.55, t), 1.0, piece.outlined != 0u);
    // From near by a cord does not grow into a pipe that hides the city.
    let plain = arc.width * taper / pixel;
    let stout = STOUT * frame.scale;
    let least = LEAST * frame.scale;
    let wanted = select(plain, stout + (plain - stout) * 0.12, plain > stout);
    let width = max(wanted, least);
    let half = 0.5 * width + select(0.0, frame.scale + 0.12 * width, piece.outlined != 0u);
    let reach = (half + 1.0) * select(-1.0, 1.0, (index & 1u) != 0u);
    var colour = mix(arc.from_colour, arc.to_colour, smoothstep(0.08, 0.92, t));
    colour.a *= max(min(wanted / least, 1.0), 0.22);
    let world = on.at + side * reach * pixel;
    return Ribbon(
        frame.clip_from_world * vec4f(world, 1.0),
        colour,
        vec2f(reach, half),
        vec2f(t, arc.pulse),
        piece.outlined,
    );
}

@fragment
fn cord(in: Ribbon) -> @location(0) vec4f {
    let behind = in.position.z < textureLoad(depth, vec2i(in.position.xy), 0);
    let is_outlined = in.outlined != 0u;
    let from_edge = in.across.y - abs(in.across.x);
    let cover = clamp(from_edge + 0.5, 0.0, 1.0);
    let round = in.across.x / max(in.across.y, 1.0);
    // Lit from the upper side, darker toward both edges; a thread too narrow to show it stays even.
    let body = 0.58 + 0.52 * sqrt(max(1.0 - round * round, 0.0));
    let shade = mix(1.0, body, clamp(in.across.y * 0.8 - 0.6, 0.0, 1.0));
    var rgb = in.colour.rgb * shade;
    let border = 0.5 + 0.24 * in.across.y * 0.5;
    let is_border = select(0.0, 1.0 - clamp(from_edge - border, 0.0, 1.0), is_outlined);
    rgb = mix(rgb, frame.ground, is_border);
    // The light that runs along it.
    let ahead = (in.along.x - in.along.y) * 16.0;
    let near = max(1.0 - ahead * ahead, 0.0);
    let pulse = select(0.0, near * near, in.along.y >= 0.0) * (1.0 - is_border);
    rgb = mix(rgb, vec3f(1.0, 0.93, 0.75), 0.8 * pulse);
    let hidden = select(1.0, select(0.10, 0.55, is_outlined), behind);
    return vec4f(rgb, in.colour.a * cover * hidden);
}
