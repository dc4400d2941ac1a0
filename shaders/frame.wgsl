// Shared by every pass and appended after its own text: the frame, bind group 0.
// Spaces: world (z up), clip, pixel (from the top left).

struct Frame {
    clip_from_world: mat4x4f,
    eye: vec3f,
    // Steps of the hierarchy from the root's lightness to the deepest.
    levels: f32,
    // The ray through the top left corner of the picture, and its change a pixel to the right and down.
    ray: vec3f,
    // Width of a pixel in world units at distance 1.
    pixel: f32,
    ray_right: vec3f,
    // Left and top of the target in the whole picture, in pixels.
    left: f32,
    ray_down: vec3f,
    top: f32,
    ground: vec3f,
    emission: f32,
    root: vec3f,
    // Of the target, in pixels.
    width: f32,
    deepest: vec3f,
    height: f32,
    warm: vec3f,
    // 1 where the ground is drawn, 0 where it is left transparent but for its shadows.
    backdrop: f32,
    hot: vec3f,
    // Pixels that lines are drawn as wide as one: more on displays and pictures with finer pixels.
    scale: f32,
    text: vec3f,
    // By how much all but some blocks are dimmed: those from the first on before the end stay as they are.
    dim: f32,
    plate: vec3f,
    lit_first: u32,
    sky: vec3f,
    lit_end: u32,
    sun: vec3f,
    // How much darker the table is far from the model.
    falloff: f32,
}

@group(0) @binding(0) var<uniform> frame: Frame;

struct FullScreen {
    @builtin(position) position: vec4f,
}

// One triangle that covers the picture.
@vertex
fn full_screen(@builtin(vertex_index) index: u32) -> FullScreen {
    let corner = vec2f(f32((index << 1u) & 2u), f32(index & 2u));
    return FullScreen(vec4f(corner * 2.0 - 1.0, 0.0, 1.0));
}
