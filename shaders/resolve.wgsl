// Light and colour of each pixel from the id of its block: the ray through the pixel is met with the
// block, so position and face are exact. Occlusion and the lamp's shadow come from cones through the
// height map: each step reads the mean height over the cone's width there, so there is no noise.
//
// Every pixel takes the same path, the ground as a level surface like a roof: a software device pays for
// both sides of a branch, and more for loops whose turns differ between pixels than for the turns.

override CONES: u32 = 4u;
override STEPS: u32 = 3u;
override SHADOW_STEPS: u32 = 6u;

// Toward the lamp: to the front, to the left, half way up.
const SUN: vec3f = vec3f(-0.424, -0.530, 0.735);

// Terraces are low; they shade each other as if they were higher by this.
const RELIEF: f32 = 2.2;

// How many pixels of the frame's scale the stripes of a pattern are apart, and how much darker they are.
const HATCH: f32 = 5.5;
const INKED: f32 = 0.68;

// One layer of the height map.
struct Map {
    // South-west corner, one over the side, side of a texel.
    place: vec4f,
    // Distance and level of each step of a cone, then of the same step toward the lamp.
    steps: array<vec4f, 8>,
}

struct Maps {
    // The whole city, then ever smaller squares about what is near the eye.
    layers: array<Map, 3>,
    // Directions of the cones: on a roof, and before a wall that faces east.
    directions: array<vec4f, 8>,
    // South-west and north-east corner of what is built.
    footprint: vec4f,
    // Where one layer is left for another, 0 to 1: it differs between the pictures that are averaged.
    grain: vec4f,
}

@group(1) @binding(0) var<storage, read> blocks: array<Block>;
@group(1) @binding(1) var<storage, read> looks: array<Look>;
@group(1) @binding(2) var<storage, read> merged: array<Merged>;
@group(1) @binding(3) var<uniform> maps: Maps;
@group(1) @binding(4) var ids: texture_2d<u32>;
@group(1) @binding(5) var heights: texture_2d_array<f32>;
@group(1) @binding(6) var smooth_sampler: sampler;

fn activity(glow: f32) -> vec3f {
    return mix(frame.warm, frame.hot, smoothstep(0.3, 1.0, glow));
}

// The colour of what is merged, and how much it glows.
fn mean(even: Merged) -> vec4f {
    let data = vec4f(unpack2x16float(even.data.x), unpack2x16float(even.data.y));
    let parts = unpack4x8unorm(even.side_level_glow);
    let neutral = frame.root * (1.0 - data.a) + (frame.deepest - frame.root) * parts.z;
    return vec4f(neutral + data.rgb, parts.w);
}

@fragment
fn resolve(in: FullScreen) -> @location(0) vec4f {
    let id = textureLoad(ids, vec2i(in.position.xy), 0).x;
    let is_block = id != 0u;
    let index = max(id, 1u) - 1u;
    let block = blocks[index];
    let look = looks[index];
    let eye = frame.eye;
    let through = frame.ray + in.position.x * frame.ray_right + in.position.y * frame.ray_down;
    // Parallel to a face the division below would give an infinity of either sign.
    let ray = select(through, vec3f(1e-6), abs(through) < vec3f(1e-6));

    // Where the ray enters the block; on the ground, where it meets level 0.
    let on_it = merged[index];
    let below = merged[block.parent];
    let drawn = shape(block, look.rise, on_it, below, vec4f(eye, 1.0), frame.pixel);
    let enter = (select(drawn.high, drawn.low, ray > vec3f(0.0)) - eye) / ray;
    let t_block = max(max(enter.x, enter.y), enter.z);
    let down = min(ray.z, -1e-6);
    let t = select(-eye.z / down, t_block, is_block);
    let world = eye + t * ray;
    let wall_x = is_block && enter.x >= enter.y && enter.x >= enter.z;
    let wall_y = is_block && !wall_x && enter.y >= enter.z;
    let is_wall = wall_x || wall_y;
    let outward = select(vec2f(0.0), -sign(ray.xy), vec2<bool>(wall_x, wall_y));
    let normal = vec3f(outward, select(1.0, 0.0, is_wall));

    // The surface.
    let level = f32(block.level_kind & 0xffffu);
    let is_terrace = (block.level_kind >> 16u) == 0u;
    let neutral = mix(frame.root, frame.deepest, min(level / frame.levels, 1.0));
    let data = vec4f(unpack2x16float(look.data.x), unpack2x16float(look.data.y));
    // A terrace passes on that something on it runs, but lets that itself speak.
    let own_weight = smoothstep(0.0, 0.22, look.glow) * select(1.0, 0.18, is_terrace);
    // Patterns of marks: as wide on the screen near and far, and narrower on small blocks; so fine and faint that letters
    // are read over them.
    let coded = floor(data.a * 0.5);
    let is_outlined = coded >= 5.0;
    let mark = coded - select(0.0, 5.0, is_outlined);
    let middle = 0.5 * (block.low + block.high);
    // By how far the block lies before the camera, the same all over it: stripes do not change their width within one.
    let forward = cross(frame.ray_right, frame.ray_down);
    let pixel = abs(dot(middle - eye, forward) / dot(frame.ray, forward)) * length(frame.ray_down);
    let side = min(block.high.x - block.low.x, block.high.y - block.low.y);
    let period = min(exp2(round(log2(max(pixel * frame.scale * HATCH, 1e-6)))), max(0.45 * side, 1e-3));
    let upright = select(world.x, world.x + world.y, is_wall);
    let stripes = fract(vec4f(world.x - world.y - world.z, world.x + world.y + world.z, world.y + world.z, upright) / period) < vec4f(0.36);
    let is_inked = (mark == 1.0 && stripes.x) || (mark == 2.0 && (stripes.x || stripes.y)) || (mark == 3.0 && stripes.z) || (mark == 4.0 && stripes.w);
    // Edges of what is marked: as wide on the screen near and far, narrower on small blocks; dark on what is light, and the
    // other way round.
    let from_edges = min(world - block.low, block.high + vec3f(0.0, 0.0, look.rise) - world);
    let along = vec3f(from_edges.x, from_edges.y, select(1e6, from_edges.z, is_wall)) + vec3f(select(0.0, 1e6, wall_x), select(0.0, 1e6, wall_y), 0.0);
    let is_edge = is_outlined && min(along.x, min(along.y, along.z)) < min(3.0 * pixel, 0.16 * side);
    let edge_ink = select(vec3f(0.85), vec3f(0.01), dot(neutral, vec3f(0.2126, 0.7152, 0.0722)) > 0.2);
    let surface = mix(neutral, data.rgb, data.a - 2.0 * coded) * select(1.0, INKED, is_inked);
    let own = vec4f(select(surface, edge_ink, is_edge), select(own_weight, 0.0, is_edge));
    // What is too small to be told apart shows its mean.
    let stands = apart(unpack2x16float(on_it.side_level_glow).x, pixel_at(vec4f(eye, 1.0), frame.pixel, world));
    let held = mix(mean(on_it), own, stands);
    let colour = mix(mean(below), held, drawn.share);
    let weight = colour.a;
    // A terrace is tinted by what runs on it, not lightened: what it carries stays lighter than it is.
    let weights = vec3f(0.2126, 0.7152, 0.0722);
    let bright = activity(mix(weight, look.glow, stands * drawn.share));
    let tame = min(1.6 * dot(neutral, weights) / dot(bright, weights), 1.0);
    let hue = bright * select(1.0, mix(1.0, tame, stands * drawn.share), is_terrace);
    let albedo = mix(colour.rgb, hue, weight);

    // The map with the finest texels that shows this place. Where one ends differs from pixel to pixel, and between
    // the pictures that are averaged, so that no seam shows: interleaved gradient noise, as in `compose.wgsl`.
    let pixel_place = floor(in.position.xy) + vec2f(frame.left, frame.top);
    let grain = fract(52.9829189 * fract(dot(pixel_place, vec2f(0.06711056, 0.00583715))) + maps.grain.x);
    let within = vec2f(0.46 - 0.14 * grain);
    let is_in_1 = all(abs(uv(maps.layers[1].place, world.xy) - 0.5) < within);
    let is_in_2 = all(abs(uv(maps.layers[2].place, world.xy) - 0.5) < within);
    let layer = select(select(0u, 1u, is_in_1), 2u, is_in_2);
    let map = maps.layers[layer].place;

    // Occlusion: around a roof in all directions, before a wall in the half plane that it faces.
    let base = world.xy + outward * map.w;
    // The mean height and glow about the place. The map knows what is merged here: what has sunk is lit as if it
    // stood, and what lies between as high as all about it.
    let about = textureSampleLevel(heights, smooth_sampler, uv(map, base), layer, log2(10.0 / map.w)).xy;
    let even = mix(max(block.high.z + look.rise, about.x), block.high.z + look.rise, stands);
    let level_there = select(world.z, max(world.z, even), is_block && !is_wall);
    var open = 0.0;
    var full = 0.0;
    for (var cone = 0u; cone < CONES; cone++) {
        let both = maps.directions[cone];
        let turned = vec2f(both.z * outward.x - both.w * outward.y, both.w * outward.x + both.z * outward.y);
        let direction = select(both.xy, turned, is_wall);
        var slope = 0.0;
        for (var step = 0u; step < STEPS; step++) {
            let reach = maps.layers[layer].steps[step].xy;
            let at = base + direction * reach.x;
            let seen = textureSampleLevel(heights, smooth_sampler, uv(map, at), layer, reach.y).x;
            slope = max(slope, RELIEF * (seen - level_there) / reach.x);
        }
        // Light of an even sky above the horizon, on a level and on an upright surface.
        let cosine = inverseSqrt(1.0 + slope * slope);
        let weigh = select(1.0, both.z, is_wall);
        open += weigh * select(cosine * cosine, 1.0 - slope * cosine, is_wall);
        full += weigh;
    }
    open = select(1.0, open / full, CONES > 0u);
    // Level surfaces deeper than the sky alone would have it, so that steps of the hierarchy read from
    // afar; walls with the light that stands in narrow gaps.
    open = select(0.06 + 0.94 * open * (0.62 + 0.38 * open), 0.3 + 0.7 * open, is_wall);

    // The lamp is as wide as seven degrees to each side.
    let lamp = normalize(SUN.xy);
    let climb = SUN.z / length(SUN.xy);
    let toward_lamp = dot(normal, SUN);
    var lit = 1.0;
    for (var step = 0u; step < SHADOW_STEPS; step++) {
        let reach = maps.layers[layer].steps[step].zw;
        let at = base + lamp * reach.x;
        let seen = textureSampleLevel(heights, smooth_sampler, uv(map, at), layer, reach.y).x;
        lit = min(lit, 0.5 + (level_there + climb * reach.x - seen) / (0.32 * reach.x));
    }
    let lamp_light = max(toward_lamp, 0.0) / SUN.z * clamp(lit, 0.0, 1.0);

    // A wall sees half the sky, and the light that the ground before it throws back.
    let sky = open * select(1.0, 0.5 + 0.32 * frame.deepest.g, is_wall);
    // What runs lights its surroundings softly.
    let thrown = mix(frame.warm, frame.hot, 0.3) * (about.y * (1.0 - weight) * (0.5 + 12.0 * frame.emission));
    let light = frame.sky * sky + frame.sun * lamp_light + thrown;
    let shaded = albedo * light + hue * weight * frame.emission;

    // The table darkens softly toward the model, and away from it: the lamp lights the model.
    let beside = max(max(maps.footprint.xy - world.xy, world.xy - maps.footprint.zw), vec2f(0.0));
    let away = length(beside);
    let dim = 1.0 - 0.10 * exp(-away / 14.0) - 0.10 * exp(-away / 90.0) - frame.falloff * smoothstep(0.0, 1200.0, away);
    let table = frame.ground * (light * dim);
    let behind = frame.ground * (frame.sky + frame.sun) * (1.0 - frame.falloff);
    let is_table = ray.z < -1e-5;
    let far = select(1.0, smoothstep(2000.0, 6000.0, away), is_table);
    // Where the table is left out its shadows stay, as a veil of black.
    let veil = clamp(1.0 - dot(light, weights) / dot(frame.sky + frame.sun, weights), 0.0, 1.0) * (1.0 - far);
    let cover = select(mix(veil, 1.0, frame.backdrop), 1.0, is_block);
    // A flashlight leaves some blocks as they are.
    let is_lit = is_block && index >= frame.lit_first && index < frame.lit_end;
    let spot = select(1.0 - frame.dim, 1.0, is_lit);
    return vec4f(select(mix(table, behind, far) * frame.backdrop, shaded, is_block) * spot, cover);
}

fn uv(map: vec4f, world: vec2f) -> vec2f {
    return (world - map.xy) * map.z;
}
