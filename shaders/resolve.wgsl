// Light and colour of each pixel from the id of its block: the ray through the pixel is met with the
// block, so position and face are exact. Occlusion and the lamp's shadow come from cones through the
// height map: each step reads the mean height over the cone's width there, so there is no noise.
//
// Every pixel takes the same path, the ground as a level surface like a roof: a software device pays for
// both sides of a branch. It does leave a loop when no pixel of a group needs it, so what is far from
// the city asks for no turns.

override CONES: u32 = 4u;
override STEPS: u32 = 3u;
override SHADOW_STEPS: u32 = 3u;

// Toward the lamp: to the front, to the left, half way up.
const SUN: vec3f = vec3f(-0.424, -0.530, 0.735);

struct Maps {
    // South-west corner, one over the side, side of a texel; the whole city, then the part near the eye.
    city: vec4f,
    near: vec4f,
    // Directions of the cones: on a roof, and before a wall that faces east.
    directions: array<vec4f, 4>,
    // Distance and level of each step in the map of the city, then in the near one.
    steps: array<vec4f, 4>,
    // The same toward the lamp.
    lamp_steps: array<vec4f, 4>,
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
    // Occlusion: around a roof in all directions, before a wall in the half plane that it faces.
    let base = world.xy + outward * map.w;
    let from_middle = abs((world.xy - maps.city.xy) * maps.city.z - 0.5);
    let is_far = !is_block && (max(from_middle.x, from_middle.y) > 0.5);
    let cones = select(CONES, 0u, is_far);
    var open = 0.0;
    var full = 0.0;
    var glow = 0.0;
    for (var cone = 0u; cone < cones; cone++) {
        let both = maps.directions[cone];
        let turned = vec2f(both.z * outward.x - both.w * outward.y, both.w * outward.x + both.z * outward.y);
        let direction = select(both.xy, turned, is_wall);
        var slope = 0.0;
        for (var step = 0u; step < STEPS; step++) {
            let both_maps = maps.steps[step];
            let reach = select(both_maps.xy, both_maps.zw, is_near);
            let at = base + direction * reach.x;
            let seen = textureSampleLevel(heights, smooth_sampler, uv(map, at), layer, reach.y).xy;
            let steeper = (seen.x - world.z) / reach.x;
            glow += seen.y * clamp(steeper - slope, 0.0, 1.0);
            slope = max(slope, steeper);
        }
        // Light of an even sky above the horizon, on a level and on an upright surface.
        let cosine = inverseSqrt(1.0 + slope * slope);
        let weigh = select(1.0, both.z, is_wall);
        open += weigh * select(cosine * cosine, 1.0 - slope * cosine, is_wall);
        full += weigh;
    }
    open = select(1.0, open / full, cones > 0u);
    glow /= f32(max(CONES, 1u));

    // The lamp is as wide as seven degrees to each side.
    let lamp = normalize(SUN.xy);
    let climb = SUN.z / length(SUN.xy);
    let toward_lamp = dot(normal, SUN);
    let lamp_steps = select(SHADOW_STEPS, 0u, is_far || toward_lamp <= 0.0);
    var lit = 1.0;
    for (var step = 0u; step < lamp_steps; step++) {
        let both_maps = maps.lamp_steps[step];
        let reach = select(both_maps.xy, both_maps.zw, is_near);
        let at = base + lamp * reach.x;
        let seen = textureSampleLevel(heights, smooth_sampler, uv(map, at), layer, reach.y).x;
        lit = min(lit, 0.5 + (world.z + climb * reach.x - seen) / (0.5 * reach.x));
    }
    let lamp_light = max(toward_lamp, 0.0) / SUN.z * clamp(lit, 0.0, 1.0);

    // A wall sees half the sky, and the light that the ground before it throws back.
    let sky = open * select(1.0, 0.5 + 0.32 * frame.deepest.g, is_wall);
    var light = frame.sky * sky + frame.sun * lamp_light;
    var colour = albedo * (light + activity(glow) * glow * (0.9 + 4.0 * frame.emission)) + hue * weight * frame.emission * select(0.0, 1.0, is_block);
    // The table fades into what is behind it.
    let far = select(0.0, smoothstep(1500.0, 5000.0, length(world.xy - eye.xy)), !is_block);
    colour = mix(colour, frame.ground * (frame.sky + frame.sun), select(far, 1.0, !is_block && ray.z > -1e-5));
    return vec4f(colour, 1.0);
}

fn uv(map: vec4f, world: vec2f) -> vec2f {
    return (world - map.xy) * map.z;
}
