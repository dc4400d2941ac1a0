// The finished picture on the target: edges smoothed while the picture moves, colours encoded where
// the target does not, and a fixed pattern of less than a step that keeps wide gradients from banding.
// Where the ground is left out, colours are multiplied by how much they cover.

override SMOOTH: bool = true;
override ENCODE: bool = false;

@group(1) @binding(0) var colour: texture_2d<f32>;
@group(1) @binding(1) var smooth_sampler: sampler;

fn luma(linear: vec3f) -> f32 {
    return sqrt(dot(min(linear, vec3f(1.5)), vec3f(0.2126, 0.7152, 0.0722)));
}

fn load(at: vec2i) -> vec3f {
    let last = vec2i(i32(frame.width), i32(frame.height)) - 1;
    return textureLoad(colour, clamp(at, vec2i(0), last), 0).rgb;
}

fn sample(at: vec2f) -> vec3f {
    return textureSampleLevel(colour, smooth_sampler, at / vec2f(frame.width, frame.height), 0.0).rgb;
}

// After "FXAA" by Timothy Lottes, NVIDIA 2009: blur along the edge that the four diagonal neighbours show.
fn smoothed(position: vec2f) -> vec3f {
    let at = vec2i(position);
    let middle = load(at);
    let m = luma(middle);
    let nw = luma(load(at + vec2i(-1, -1)));
    let ne = luma(load(at + vec2i(1, -1)));
    let sw = luma(load(at + vec2i(-1, 1)));
    let se = luma(load(at + vec2i(1, 1)));
    let low = min(m, min(min(nw, ne), min(sw, se)));
    let high = max(m, max(max(nw, ne), max(sw, se)));
    var along = vec2f(sw + se - nw - ne, nw + sw - ne - se);
    let damp = max((nw + ne + sw + se) * 0.03125, 0.0078125);
    along = clamp(along / (min(abs(along.x), abs(along.y)) + damp), vec2f(-6.0), vec2f(6.0));
    let inner = 0.5 * (sample(position - along / 6.0) + sample(position + along / 6.0));
    let outer = 0.5 * inner + 0.25 * (sample(position - 0.5 * along) + sample(position + 0.5 * along));
    let l = luma(outer);
    return select(outer, inner, l < low || l > high);
}

fn encode(linear: vec3f) -> vec3f {
    let high = 1.055 * pow(linear, vec3f(1.0 / 2.4)) - 0.055;
    return select(high, linear * 12.92, linear <= vec3f(0.0031308));
}

@fragment
fn compose(in: FullScreen) -> @location(0) vec4f {
    var linear: vec3f;
    if SMOOTH {
        linear = smoothed(in.position.xy);
    } else {
        linear = load(vec2i(in.position.xy));
    }
    linear = clamp(linear, vec3f(0.0), vec3f(1.0));
    let cover = max(frame.backdrop, clamp(textureLoad(colour, vec2i(in.position.xy), 0).a, 0.0, 1.0));
    let pixel = floor(in.position.xy) + vec2f(frame.left, frame.top);
    // Interleaved gradient noise (Jimenez 2014), centred, half a step of the encoded colour wide.
    let noise = cover * (fract(52.9829189 * fract(dot(pixel, vec2f(0.06711056, 0.00583715)))) - 0.5);
    if ENCODE {
        return vec4f(encode(linear) + noise / 255.0, cover);
    }
    // A step of the encoding is wider in light colours.
    return vec4f(linear + noise / 255.0 * 2.2 * pow(linear, vec3f(0.5454)), cover);
}
