use super::*;
use callscape_facts::hierarchy::{HierarchyBuilder, Module, ModuleKind, NodeId};

/// A root with `count` functions in a row.
fn row(count: u32) -> (Hierarchy, Vec<Solid>) {
    let mut builder = HierarchyBuilder::new("city");
    for index in 0..count {
        builder.add(
            NodeId::ROOT,
            Module::named(ModuleKind::Function, &format!("f{index:05}")),
        );
    }
    let (hierarchy, _) = builder.build();
    let solids = hierarchy.modules().map(|module| match module.0 {
        0 => Solid {
            module,
            low: [0.0, 0.0, 0.0],
            high: [1000.0, 500.0, 10.0],
            color: [0.2, 0.2, 0.2],
            end: count + 1,
        },
        index => Solid {
            module,
            low: [index as f32, 100.0, 10.0],
            high: [index as f32 + 0.9, 110.0, 20.0],
            color: [1.0, 0.0, 0.5],
            end: index + 1,
        },
    });
    let solids = solids.collect();
    (hierarchy, solids)
}

fn written(hierarchy: &Hierarchy, solids: &[Solid]) -> (Value, Vec<u8>) {
    let mut bytes = Vec::new();
    let about = json!({"color": "kind"});
    write(hierarchy, solids, about, &mut bytes, &Progress::new()).expect("it can be written");
    let word = |at: usize| {
        let word = bytes[at..at + 4].first_chunk().expect("four bytes");
        u32::from_le_bytes(*word)
    };
    assert_eq!((word(0), word(4)), (MAGIC, 2));
    assert_eq!(word(8) as usize, bytes.len());
    let text = word(12) as usize;
    assert_eq!(word(16), JSON_CHUNK);
    let document: Value = serde_json::from_slice(&bytes[20..20 + text]).expect("JSON");
    assert_eq!(word(20 + text) as usize, bytes.len() - 28 - text);
    assert_eq!(word(24 + text), BINARY_CHUNK);
    (document, bytes[28 + text..].to_vec())
}

fn number(of: &Value) -> usize {
    of.as_u64().expect("a number") as usize
}

/// The vectors of an accessor of floats.
fn vectors(document: &Value, binary: &[u8], accessor: &Value) -> Vec<[f32; 3]> {
    let accessor = &document["accessors"][number(accessor)];
    let view = &document["bufferViews"][number(&accessor["bufferView"])];
    let start = number(&view["byteOffset"]) + number(&accessor["byteOffset"]);
    let bytes = &binary[start..start + number(&accessor["count"]) * 12];
    let floats: Vec<f32> = bytes
        .chunks_exact(4)
        .map(|it| f32::from_le_bytes(*it.first_chunk().expect("four bytes")))
        .collect();
    floats
        .chunks_exact(3)
        .map(|it| [it[0], it[1], it[2]])
        .collect()
}

#[test]
fn faces_turn_outward_and_their_normals_agree() {
    let (hierarchy, solids) = row(3);
    let (document, binary) = written(&hierarchy, &solids);
    assert_eq!(document["nodes"].as_array().map(Vec::len), Some(4));
    assert_eq!(document["nodes"][1]["name"], "f00000");
    for mesh in document["meshes"].as_array().expect("meshes") {
        let attributes = &mesh["primitives"][0]["attributes"];
        let at = vectors(&document, &binary, &attributes["POSITION"]);
        let normals = vectors(&document, &binary, &attributes["NORMAL"]);
        let sum = |axis: usize| at.iter().map(|at| at[axis]).sum::<f32>() / at.len() as f32;
        let middle = [sum(0), sum(1), sum(2)];
        for face in 0..5 {
            let [a, b, c] = [0, 1, 2].map(|corner| at[face * 4 + corner]);
            let sub = |a: [f32; 3], b: [f32; 3]| -> [f32; 3] {
                std::array::from_fn(|axis| a[axis] - b[axis])
            };
            let dot = |a: [f32; 3], b: [f32; 3]| -> f32 { (0..3).map(|i| a[i] * b[i]).sum() };
            let (u, v) = (sub(b, a), sub(c, b));
            let cross = [
                u[1] * v[2] - u[2] * v[1],
                u[2] * v[0] - u[0] * v[2],
                u[0] * v[1] - u[1] * v[0],
            ];
            let normal = normals[face * 4];
            let length = dot(cross, cross).sqrt();
            assert!(
                dot(cross, normal) > 0.999 * length,
                "{face}: {cross:?} {normal:?}"
            );
            assert!(dot(sub(a, middle), normal) > 0.0, "{face} turns inward");
        }
    }
    // The root is a metre wide and lies on the ground.
    let root = &document["accessors"][0];
    assert_eq!(root["min"][1], 0.0);
    let span = |axis: usize| {
        let end = |of: &str| root[of][axis].as_f64().expect("a number");
        end("max") - end("min")
    };
    assert!((span(0) - 1.0).abs() < 1e-6 && (span(1) - 0.01).abs() < 1e-6);
}

#[test]
fn what_is_small_is_in_the_mesh_around_it_and_every_box_is_there_once() {
    for count in [0, 1, 1_999, 2_000, 3_500, 9_000] {
        let (hierarchy, solids) = row(count);
        let (document, _) = written(&hierarchy, &solids);
        let nodes = document["nodes"].as_array().expect("nodes");
        assert!(
            nodes.len() <= MOST_NODES + 1,
            "{count}: {} nodes",
            nodes.len()
        );
        let named = |node: &Value| node["extras"]["modules"].as_array().map_or(0, Vec::len);
        let boxes: usize = nodes.iter().map(|node| 1 + named(node)).sum();
        assert_eq!(boxes, solids.len());
        let counts = document["meshes"]
            .as_array()
            .expect("meshes")
            .iter()
            .map(|mesh| {
                let position = number(&mesh["primitives"][0]["attributes"]["POSITION"]);
                number(&document["accessors"][position]["count"])
            });
        assert_eq!(counts.sum::<usize>(), solids.len() * CORNERS);
    }
}

#[test]
fn nothing_and_numbers_that_are_none_make_a_valid_file() {
    let (hierarchy, mut solids) = row(2);
    let (document, binary) = written(&hierarchy, &[]);
    assert!(document.get("nodes").is_none() && binary.is_empty());
    solids[1].low = [f32::NAN; 3];
    solids[2].high = [f32::INFINITY; 3];
    let (document, _) = written(&hierarchy, &solids);
    // What is no number is written as null.
    assert!(!document.to_string().contains("null"));
}
