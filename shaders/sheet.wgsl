// A sheet of a view: rectangles of one colour, drawn by how much of each pixel they cover, pictures stretched without
// smoothing, and triangles with edges that fade over a pixel. In pixels from the top left corner.

struct Fill {
    // Left, top, right, bottom.
    sides: vec4f,
    // Linear, straight alpha.
    colour: vec4f,
}

// Where a picture lies and how many columns and rows it has.
struct Stretch {
    sides: vec4f,
    cells: vec2f,
    pad: vec2f,
}

// A corner of triangles.
struct MeshCorner {
    at: vec2f,
    // How far from the middle of its line, and how far from there nothing is seen.
    across: vec2f,
    // Linear, straight alpha.
    colour: vec4f,
}

@group(1) @binding(0) var<storage, read> fills: array<Fill>;
@group(1) @binding(0) var<storage, read> mesh: array<MeshCorner>;
@group(1) @binding(0) var<uniform> stretch: Stretch;
@group(1) @binding(1) var picture: texture_2d<f32>;

struct Corner {
    @builtin(position) position: vec4f,
    @location(0) @interpolate(flat) instance: u32,
}

// A corner of the whole pixels that a rectangle touches.
fn corner(sides: vec4f, index: u32) -> vec4f {
    let corner = array<u32, 6>(0u, 1u, 2u, 2u, 1u, 3u)[index];
    let share = vec2f(f32(corner & 1u), f32(corner >> 1u));
    let size = vec2f(frame.width, frame.height);
    let low = clamp(floor(sides.xy), vec2f(0.0), size);
    let high = clamp(ceil(sides.zw), vec2f(0.0), size);
    let ndc = mix(low, high, share) / size * 2.0 - 1.0;
    return vec4f(ndc.x, -ndc.y, 0.0, 1.0);
}

@vertex
fn fill_corner(@builtin(vertex_index) index: u32, @builtin(instance_index) instance: u32) -> Corner {
    return Corner(corner(fills[instance].sides, index), instance);
}

@fragment
fn fill(in: Corner) -> @location(0) vec4f {
    let fill = fills[in.instance];
    let pixel = floor(in.position.xy);
    let inside = min(fill.sides.zw, pixel + 1.0) - max(fill.sides.xy, pixel);
    let cover = clamp(inside, vec2f(0.0), vec2f(1.0));
    return vec4f(fill.colour.rgb, fill.colour.a * cover.x * cover.y);
}

@vertex
fn picture_corner(@builtin(vertex_index) index: u32) -> Corner {
    return Corner(corner(stretch.sides, index), 0u);
}

// The cell in which the middle of the pixel lies.
@fragment
fn stretched(in: Corner) -> @location(0) vec4f {
    let share = (in.position.xy - stretch.sides.xy) / (stretch.sides.zw - stretch.sides.xy);
    if any(share < vec2f(0.0)) || any(share >= vec2f(1.0)) {
        discard;
    }
    return textureLoad(picture, vec2i(min(share * stretch.cells, stretch.cells - 1.0)), 0);
}

struct OnMesh {
    @builtin(position) position: vec4f,
    @location(0) across: vec2f,
    @location(1) colour: vec4f,
}

@vertex
fn mesh_corner(@builtin(vertex_index) index: u32) -> OnMesh {
    let corner = mesh[index];
    let ndc = corner.at / vec2f(frame.width, frame.height) * 2.0 - 1.0;
    return OnMesh(vec4f(ndc.x, -ndc.y, 0.0, 1.0), corner.across, corner.colour);
}

// What is thinner than a pixel is paler, not wider.
@fragment
fn on_mesh(in: OnMesh) -> @location(0) vec4f {
    let most = clamp(2.0 * in.across.y - 1.0, 0.0, 1.0);
    let cover = min(clamp(in.across.y - abs(in.across.x), 0.0, 1.0), most);
    return vec4f(in.colour.rgb, in.colour.a * cover);
}
