// Puts the looks that changed in their places: few among many, and far apart.

struct Change {
    data: vec2u,
    glow: f32,
    rise: f32,
    place: u32,
    pad: u32,
}

struct Changes {
    count: u32,
    pad0: u32,
    pad1: u32,
    pad2: u32,
}

@group(1) @binding(0) var<storage, read> changed: array<Change>;
@group(1) @binding(1) var<storage, read_write> looks: array<Look>;
@group(1) @binding(2) var<uniform> changes: Changes;

@compute @workgroup_size(64)
fn scatter(@builtin(global_invocation_id) id: vec3u) {
    if id.x < changes.count {
        let change = changed[id.x];
        looks[change.place] = Look(change.data, change.glow, change.rise);
    }
}
