// Shared by the passes that read blocks, appended after their own text.

struct Block {
    low: vec3f,
    // Steps from the root in the lower half; what it stands for (0 terrace, 1 leaf, 2 collapsed) above.
    level_kind: u32,
    high: vec3f,
    pad: u32,
}

struct Look {
    // A linear colour with straight alpha as four half floats; to the alpha twice the number of a pattern is added.
    data: vec2u,
    glow: f32,
    rise: f32,
}
