//! Holds every shader, without a GPU, against naga, and its structs against those that Rust fills.

use std::mem::offset_of;

use wgpu::naga;

use super::*;

/// A shader with the sizes, names and offsets of the structs that Rust writes for it.
struct Case {
    label: &'static str,
    text: &'static str,
    structs: Vec<Expected>,
}

struct Expected {
    name: &'static str,
    size: usize,
    members: Vec<(&'static str, usize)>,
}

/// The struct `$name` of a shader and the type that Rust fills it from, with all its members.
macro_rules! expected {
    ($name:literal, $of:ty, $($member:ident),+) => {
        Expected {
            name: $name,
            size: size_of::<$of>(),
            members: vec![$((stringify!($member), offset_of!($of, $member))),+],
        }
    };
}

fn frame_struct() -> Expected {
    expected!(
        "Frame",
        frame::gpu::Frame,
        clip_from_world,
        eye,
        levels,
        ray,
        pixel,
        ray_right,
        left,
        ray_down,
        top,
        ground,
        emission,
        root,
        width,
        deepest,
        height,
        warm,
        backdrop,
        hot,
        scale,
        text,
        dim,
        plate,
        lit_first,
        sky,
        lit_end,
        sun,
        falloff
    )
}

fn block_structs() -> Vec<Expected> {
    vec![
        expected!("Block", records::gpu::Block, low, level_kind, high, parent),
        expected!("Look", records::gpu::Look, data, glow, rise),
        expected!("Merged", records::gpu::Merged, top, side_level_glow, data),
        expected!("Shown", cull::gpu::Shown, low, id, high, glow),
    ]
}

fn cases() -> Vec<Case> {
    let case = |label, text, structs| Case {
        label,
        text,
        structs,
    };
    let mut heights_structs = block_structs();
    heights_structs.push(expected!(
        "Square",
        heights::gpu::Square,
        origin,
        scale,
        pad
    ));
    let mut resolve_structs = block_structs();
    resolve_structs.push(expected!("Map", resolve::gpu::Map, place, steps));
    resolve_structs.push(expected!(
        "Maps",
        resolve::gpu::Maps,
        layers,
        directions,
        footprint,
        grain
    ));
    let mut scatter_structs = block_structs();
    scatter_structs.push(expected!(
        "Change",
        records::gpu::Change,
        data,
        glow,
        rise,
        place,
        pad
    ));
    scatter_structs.push(expected!(
        "Changes",
        scatter::gpu::Changes,
        count,
        pad0,
        pad1,
        pad2
    ));
    let mut ease_structs = block_structs();
    ease_structs.push(expected!("Way", ease::gpu::Way, share, count, pad0, pad1));
    let mut cull_structs = block_structs();
    cull_structs.push(expected!(
        "View",
        cull::gpu::View,
        planes,
        eye,
        pixel,
        count,
        indices,
        pad
    ));
    let mut arcs_structs = block_structs();
    arcs_structs.extend([
        expected!(
            "Arc",
            arcs::gpu::Arc,
            ends,
            first_point,
            points_ink_flags,
            span,
            width,
            opacity,
            place
        ),
        expected!("Ink", arcs::gpu::Ink, caller, callee),
        expected!("Emphasis", arcs::gpu::Emphasis, first, end, opacity, pad),
        expected!(
            "Focus",
            arcs::gpu::Focus,
            hovered,
            before,
            chosen,
            squares,
            most,
            share,
            phase,
            pad
        ),
    ]);
    vec![
        case("scatter", scatter::SHADER, scatter_structs),
        case("ease", ease::SHADER, ease_structs),
        case("cull", cull::SHADER, cull_structs),
        case("heights", heights::HEIGHTS, heights_structs),
        case("halve", heights::HALVE, Vec::new()),
        case("blocks", blocks::SHADER, block_structs()),
        case("resolve", resolve::SHADER, resolve_structs),
        case(
            "outline",
            outline::SHADER,
            vec![expected!(
                "Outline",
                outline::gpu::Outline,
                colour,
                count,
                outer,
                pad,
                blocks
            )],
        ),
        case(
            "flat_labels",
            flat_labels::SHADER,
            vec![expected!(
                "Glyph",
                flat_labels::gpu::Glyph,
                corner,
                opacity,
                right,
                pad0,
                up,
                block,
                uv
            )],
        ),
        case("arcs", arcs::SHADER, arcs_structs),
        case("accumulate", accumulate::SHADER, Vec::new()),
        case(
            "steady",
            steady::SHADER,
            vec![expected!(
                "Steady",
                steady::gpu::Steady,
                clip_from_world,
                jitter,
                near,
                share,
                period,
                layer,
                same,
                others
            )],
        ),
        case("compose", compose::SHADER, Vec::new()),
        case(
            "screen_labels",
            screen_labels::SHADER,
            vec![expected!(
                "Plate",
                screen_labels::gpu::Plate,
                sides,
                radius,
                opacity,
                raised,
                ink
            )],
        ),
        case(
            "sheet",
            sheet::SHADER,
            vec![
                expected!("Fill", sheet::gpu::Fill, sides, colour),
                expected!("MeshCorner", sheet::gpu::MeshCorner, at, across, colour),
                expected!("Stretch", sheet::gpu::Stretch, sides, cells, pad),
            ],
        ),
    ]
}

#[test]
fn shaders_are_valid() {
    for case in cases() {
        let module = naga::front::wgsl::parse_str(case.text)
            .unwrap_or_else(|error| panic!("{}: {}", case.label, error.emit_to_string(case.text)));
        let mut validator = naga::valid::Validator::new(
            naga::valid::ValidationFlags::all(),
            // Half floats as storage: every back end that is opened has them.
            naga::valid::Capabilities::default()
                | naga::valid::Capabilities::SHADER_FLOAT16_IN_FLOAT32,
        );
        if let Err(error) = validator.validate(&module) {
            panic!("{}: {}", case.label, error.emit_to_string(case.text));
        }
    }
}

#[test]
fn structs_of_shaders_lie_as_rust_fills_them() {
    for Case {
        label,
        text,
        mut structs,
    } in cases()
    {
        structs.push(frame_struct());
        let module = naga::front::wgsl::parse_str(text).expect("valid, by the other test");
        for expected in structs {
            let found = module
                .types
                .iter()
                .find(|(_, ty)| ty.name.as_deref() == Some(expected.name));
            let Some((_, ty)) = found else {
                panic!("{label} has no struct {}", expected.name);
            };
            let naga::TypeInner::Struct { members, span } = &ty.inner else {
                panic!("{label}: {} is no struct", expected.name);
            };
            let members: Vec<_> = members
                .iter()
                .map(|member| {
                    let name = member.name.as_deref().unwrap_or_default();
                    (name, member.offset as usize)
                })
                .collect();
            assert_eq!(members, expected.members, "{label}: {}", expected.name);
            assert_eq!(*span as usize, expected.size, "{label}: {}", expected.name);
        }
    }
}

/// Every file in `shaders/` is one of the cases or shared by them.
#[test]
fn no_shader_is_left_out() {
    let folder =
        std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("shaders");
    let known: Vec<&str> = cases().iter().map(|case| case.label).collect();
    for entry in std::fs::read_dir(folder).expect("the folder of shaders") {
        let path = entry.expect("an entry").path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let shared = ["frame", "city"].contains(&stem.as_ref());
        assert!(
            shared || known.contains(&stem.as_ref()),
            "{stem} is not tested"
        );
    }
}
