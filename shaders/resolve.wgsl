// Light and colour of each pixel from the id of its block: the ray through the pixel is met with the
// block, so position and face are exact. Occlusion and the lamp's shadow come from cones through the
// height map: each step reads the mean height over the cone's width there, so there is no noise.
//
// Every pixel takes the same path, the ground as a level surface like a roof: on a software device
// both sides of a branch are paid for.

override CONES: u32 = 4u;
override STEPS: u32 = 4u;
override SHADOW_STEPS: u32 = 4u;

// Toward the lamp: to the front, to the left, half way up.
const SUN: vec3f = vec3f(-0.424, -0.530, 0.735);
const TAU: f32 = 6.2831853;

struct Maps {
    // South-west corner, one over the side, side of a texel; the whole city, then the part near the eye.
    city: vec4f,
    near: vec4f,
    // Of both maps: steps start at `first` texels and grow by `ratio` to the last.
    city_first: f32,
    city_ratio: f32,
    near_first: f32,
    near_ratio: f32,
}

@group(1) @binding(0) var<storage, read> blocks: array<Block>;
@group(1) @binding(1) var<storage, read> looks: array<Look>;
@group(1) @binding(2) var<uniform> maps: Maps;
@group(1) @binding(3) var ids: texture_2d<u32>;
@group(1) @binding(4) var heights: texture_2d_array<f32>;
@group(1) @binding(5) var smooth_sampler: sampler;

fn activity(glow: f32) -> vec3f {
    return mix(frame.warm, frame.hot, smoothstep(0.3, 1.0, glow));
}

@fragment
fn resolve(in: FullScreen) -> @location(0) vec4f {
    let id = textureLoad(ids, vec2i(in.position.xy), 0).x;
    let is_block = id != 0u;
    let index = max(id, 1u) - 1u;
    let block = blocks[index];
    let look = looks[index];
    let eye = frame.eye;
    let ray = frame.ray + in.position.x * frame.ray_right + in.position.y * frame.ray_down;

    // Where the ray enters the block; on the ground, where it meets level 0.
    let high = vec3f(block.high.xy, block.high.z + look.rise);
    let enter = (select(high, block.low, ray > vec3f(0.0)) - eye) / ray;
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
    let weight = smoothstep(0.0, 0.22, look.glow) * select(1.0, 0.28, is_terrace);
    let hue = activity(look.glow);
    var albedo = mix(mix(neutral, data.rgb, data.a), hue, weight);
    albedo = select(frame.ground, albedo, is_block);

    // The map with the finest texels that shows this place.
    let near_uv = (world.xy - maps.near.xy) * maps.near.z;
    let is_near = all(abs(near_uv - 0.5) < vec2f(0.47));
    let map = select(maps.city, maps.near, is_near);
    let layer = select(0, 1, is_near);
    let first = map.w * select(maps.city_first, maps.near_first, is_near);
    let ratio = select(maps.city_ratio, maps.near_ratio, is_near);

    // Occlusion: around a roof in all directions, before a wall in the half plane that it faces.
    let base = world.xy + outward * map.w;
    let facing = select(vec2f(1.0, 0.0), outward, is_wall);
    let turn = frame.turn;
    var open = 0.0;
    var full = 0.0;
    var glow = vec3f(0.0);
    for (var cone = 0u; cone < CONES; cone++) {
        let share = (f32(cone) + turn) / f32(CONES) - 0.5;
        let angle = share * select(TAU, 0.5 * TAU, is_wall);
        let c = cos(angle);
        let s = sin(angle);
        let direction = vec2f(c * facing.x - s * facing.y, s * facing.x + c * facing.y);
        var slope = 0.0;
        var distance = first * mix(1.0, ratio, frame.shift * 0.7);
        for (var step = 0u; step < STEPS; step++) {
            let at = base + direction * distance;
            let lod = log2(max(0.45 * distance / map.w, 1.0));
            let seen = textureSampleLevel(heights, smooth_sampler, uv(map, at), layer, lod).xy;
            let steeper = (seen.x - world.z) / distance;
            glow += activity(seen.y) * seen.y * clamp(steeper - slope, 0.0, 1.0);
            slope = max(slope, steeper);
            distance *= ratio;
        }
        let sine = slope * inverseSqrt(1.0 + slope * slope);
        let weigh = select(1.0, c, is_wall);
        // Light of an even sky above the horizon, on a level and on an upright surface.
        open += weigh * select(1.0 - sine * sine, 1.0 - sine, is_wall);
        full += weigh;
    }
    open /= full;
    glow /= f32(CONES);

    // The lamp is as wide as seven degrees to each side.
    let lamp = normalize(SUN.xy);
    let climb = SUN.z / length(SUN.xy);
    var lit = 1.0;
    var distance = first * mix(0.8, 0.8 * ratio, frame.shift * 0.7);
    for (var step = 0u; step < SHADOW_STEPS; step++) {
        let at = base + lamp * distance;
        let lod = log2(max(0.3 * distance / map.w, 1.0));
        let seen = textureSampleLevel(heights, smooth_sampler, uv(map, at), layer, lod).x;
        lit = min(lit, 0.5 + (world.z + climb * distance - seen) / (0.5 * distance));
        distance *= ratio;
    }
    let lamp_light = max(dot(normal, SUN), 0.0) / SUN.z * clamp(lit, 0.0, 1.0);

    // A wall sees half the sky, and the light that the ground before it throws back.
    let sky = open * select(1.0, 0.5 + 0.32 * frame.deepest.g, is_wall);
    var light = frame.sky * sky + frame.sun * lamp_light;
    var colour = albedo * (light + glow * 0.9) + hue * weight * frame.emission * select(0.0, 1.0, is_block);
    // The table fades into what is behind it.
    let far = select(0.0, smoothstep(1500.0, 5000.0, length(world.xy - eye.xy)), !is_block);
    colour = mix(colour, frame.ground * (frame.sky + frame.sun), select(far, 1.0, !is_block && ray.z > -1e-5));
    return vec4f(colour, 1.0);
}

fn uv(map: vec4f, world: vec2f) -> vec2f {
    return (world - map.xy) * map.z;
}
