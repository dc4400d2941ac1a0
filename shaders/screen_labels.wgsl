// The plates behind labels on the screen: rounded, with a hairline and a soft shadow.

struct Plate {
    // Left, top, right, bottom in pixels of the whole picture.
    sides: vec4f,
    radius: f32,
    opacity: f32,
    // 1 where it stands over the picture with a hairline and a shadow, 0 where it lies in it.
    raised: f32,
    // 1 in the colour of letters, 0 in that of plates.
    ink: f32,
}

override ENCODE: bool = false;
// Pixels that the shadow reaches beyond the plate.
const SHADOW: f32 = 7.0;

@group(1) @binding(0) var<storage, read> plates: array<Plate>;

struct Corner {
    @builtin(position) position: vec4f,
    @location(0) at: vec2f,
    @location(1) @interpolate(flat) instance: u32,
}

@vertex
fn corner(@builtin(vertex_index) index: u32, @builtin(instance_index) instance: u32) -> Corner {
    let sides = plates[instance].sides;
    let corner = array<u32, 6>(0u, 1u, 2u, 2u, 1u, 3u)[index];
    let share = vec2f(f32(corner & 1u), f32(corner >> 1u));
    let at = mix(sides.xy - SHADOW, sides.zw + SHADOW, share);
    let ndc = (at - vec2f(frame.left, frame.top)) / vec2f(frame.width, frame.height) * 2.0 - 1.0;
    return Corner(vec4f(ndc.x, -ndc.y, 0.0, 1.0), at, instance);
}

// The signed distance to a rounded rectangle.
fn outside(at: vec2f, sides: vec4f, radius: f32) -> f32 {
    let from_middle = abs(at - 0.5 * (sides.xy + sides.zw)) - 0.5 * (sides.zw - sides.xy) + radius;
    return length(max(from_middle, vec2f(0.0))) + min(max(from_middle.x, from_middle.y), 0.0) - radius;
}

fn encode(linear: vec3f) -> vec3f {
    let high = 1.055 * pow(linear, vec3f(1.0 / 2.4)) - 0.055;
    return select(high, linear * 12.92, linear <= vec3f(0.0031308));
}

@fragment
fn plate(in: Corner) -> @location(0) vec4f {
    let plate = plates[in.instance];
    let away = outside(in.at, plate.sides, plate.radius);
    let cover = clamp(0.5 - away, 0.0, 1.0);
    let line = clamp(1.0 - abs(away + 0.5), 0.0, 1.0) * 0.14 * plate.raised;
    let below = outside(in.at - vec2f(0.0, 1.5), plate.sides, plate.radius);
    let fade = clamp(1.0 - below / (SHADOW - 2.0), 0.0, 1.0);
    let shadow = 0.22 * plate.raised * fade * fade * (1.0 - cover);
    var rgb = mix(vec3f(0.0), mix(frame.plate, frame.text, max(line, plate.ink)), cover);
    if ENCODE {
        rgb = encode(rgb);
    }
    return vec4f(rgb, max(cover * plate.opacity, shadow));
}
