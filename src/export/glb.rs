//! A landscape as a glTF 2.0 file in one binary (`.glb`), for programs that show models.
//! <https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html>
//!
//! Core glTF, without extensions: a mesh of boxes with normals and colours for each of the larger modules, nodes in
//! the hierarchy of the modules and with their names. What is smaller is in the mesh of the module around it, twenty
//! vertices a box, in the order in which the node's `extras.modules` names it: programs take thousands of nodes, not
//! a million. A box takes 560 bytes.
//!
//! A landscape is 1000 units wide, the model a metre: one lays it on a table. Up is y, as glTF has it, north is -z.

use std::io::{self, Write};
use std::path::Path;

use serde_json::{Value, json};

use super::part::ExportError;
use callscape_base::escape;
use callscape_base::files::Temporary;
use callscape_base::progress::Progress;
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::Hierarchy;

/// A box of the landscape; z is up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solid {
    pub module: ModuleId,
    pub low: [f32; 3],
    pub high: [f32; 3],
    /// Linear.
    pub color: [f32; 3],
    /// One past the last of its subtree, as an index into the solids.
    pub end: u32,
}

/// No more modules than this have nodes of their own.
const MOST_NODES: usize = 2_000;
/// Metres in a unit of the landscape.
const SCALE: f32 = 0.001;
const CORNERS: usize = 20;
const INDICES: usize = 30;
/// Bytes of a vertex: position, normal, colour.
const VERTEX: [u64; 3] = [12, 12, 4];
/// Indices of two bytes reach so many boxes.
const SHORT: usize = u16::MAX as usize / CORNERS;

const MAGIC: u32 = 0x4654_6C67;
const JSON_CHUNK: u32 = 0x4E4F_534A;
const BINARY_CHUNK: u32 = 0x004E_4942;
const F32: u32 = 5126;
const U32: u32 = 5125;
const U16: u32 = 5123;
const U8: u32 = 5121;

/// The faces of a box but the one that it stands on: the normal, and the corners against the clock as seen from
/// outside. Bits of a corner: 1 east, 2 north, 4 above.
const FACES: [([f32; 3], [u8; 4]); 5] = [
    ([0.0, 0.0, 1.0], [4, 5, 7, 6]),
    ([1.0, 0.0, 0.0], [1, 3, 7, 5]),
    ([-1.0, 0.0, 0.0], [2, 0, 4, 6]),
    ([0.0, 1.0, 0.0], [3, 2, 6, 7]),
    ([0.0, -1.0, 0.0], [0, 1, 5, 4]),
];

/// Writes the solids, in preorder of their modules, to a file that appears under its name when it is whole. `about`
/// goes along with the scene. Linear in the solids; memory holds their names and 8 bytes for each.
pub fn to_file(
    hierarchy: &Hierarchy,
    solids: &[Solid],
    about: Value,
    path: &Path,
    progress: &Progress,
) -> Result<(), ExportError> {
    let mut beside = Temporary::beside(path)?;
    let mut file = io::BufWriter::with_capacity(1 << 20, &mut beside.file);
    write(hierarchy, solids, about, &mut file, progress)?;
    file.flush()?;
    drop(file);
    Ok(beside.keep_as(path)?)
}

/// The same to any writer.
pub fn write(
    hierarchy: &Hierarchy,
    solids: &[Solid],
    about: Value,
    out: &mut dyn Write,
    progress: &Progress,
) -> Result<(), ExportError> {
    let meshes = Meshes::of(solids);
    let (document, binary) = meshes.document(hierarchy, solids, about);
    let text = serde_json::to_string(&document).map_err(io::Error::other)?;
    let mut text = escape::json(&text).into_owned().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let all = 12 + 8 + text.len() as u64 + 8 + binary;
    let too_large = |_| {
        ExportError::Unfit(format!(
            "a model of {} boxes takes {all} bytes, and glTF ends at 4 GiB; collapse some with --level",
            solids.len()
        ))
    };
    let all = u32::try_from(all).map_err(too_large)?;
    for word in [MAGIC, 2, all, text.len() as u32, JSON_CHUNK] {
        out.write_all(&word.to_le_bytes())?;
    }
    out.write_all(&text)?;
    for word in [binary as u32, BINARY_CHUNK] {
        out.write_all(&word.to_le_bytes())?;
    }
    meshes.write(solids, out, progress)
}

/// Makes the bytes of one attribute of a box, whose node has this origin.
type Make<'a> = &'a dyn Fn(&Solid, [f32; 3], &mut Vec<u8>);

/// Which solids are in which mesh.
struct Meshes {
    /// The solids that have a node of their own, in preorder.
    nodes: Vec<u32>,
    /// The solids mesh by mesh, each mesh in preorder, its own solid first.
    order: Vec<u32>,
    /// By node, where its solids begin in `order`; one more at the end.
    starts: Vec<usize>,
    /// By node, the node around it.
    around: Vec<Option<usize>>,
}

impl Meshes {
    fn of(solids: &[Solid]) -> Meshes {
        let area = |solid: &Solid| {
            let [x, y] = [0, 1].map(|axis| solid.high[axis] - solid.low[axis]);
            let area = x * y;
            if area.is_finite() { area } else { 0.0 }
        };
        let mut areas: Vec<f32> = solids.iter().map(area).collect();
        areas.sort_unstable_by(|a, b| b.total_cmp(a));
        // Without ties there are just as many; with them fewer.
        let least = areas.get(MOST_NODES).copied();
        let is_large = |solid: &Solid| least.is_none_or(|least| area(solid) > least);
        let mut nodes: Vec<u32> = Vec::new();
        let mut around = Vec::new();
        let mut owner = vec![0u32; solids.len()];
        // The nodes whose subtrees are not over, innermost last.
        let mut open: Vec<(usize, u32)> = Vec::new();
        // The end of a subtree without nodes.
        let mut merged = 0;
        for (index, solid) in (0u32..).zip(solids) {
            while open.pop_if(|(_, end)| *end <= index).is_some() {}
            // What is in something without a node has none.
            let has_node = index >= merged && (open.is_empty() || is_large(solid));
            if has_node {
                around.push(open.last().map(|&(node, _)| node));
                open.push((nodes.len(), solid.end));
                nodes.push(index);
            } else {
                merged = merged.max(solid.end);
            }
            owner[index as usize] = open.last().map_or(0, |&(node, _)| node as u32);
        }
        let mut starts = vec![0usize; nodes.len() + 1];
        for &owner in &owner {
            starts[owner as usize + 1] += 1;
        }
        for node in 1..starts.len() {
            starts[node] += starts[node - 1];
        }
        let mut next = starts.clone();
        let mut order = vec![0u32; solids.len()];
        for (index, &owner) in (0u32..).zip(&owner) {
            let place = &mut next[owner as usize];
            order[*place] = index;
            *place += 1;
        }
        Meshes {
            nodes,
            order,
            starts,
            around,
        }
    }

    fn solids_of(&self, node: usize) -> &[u32] {
        &self.order[self.starts[node]..self.starts[node + 1]]
    }

    /// Where a node stands: the middle of the foot of its own solid, in the landscape.
    fn origin(&self, node: usize, solids: &[Solid]) -> [f32; 3] {
        let Solid { low, high, .. } = solids[self.nodes[node] as usize];
        finite([low[0].midpoint(high[0]), low[1].midpoint(high[1]), low[2]])
    }

    /// How many boxes the index buffers of two and of four bytes reach.
    fn longest(&self) -> [usize; 2] {
        let counts = (0..self.nodes.len()).map(|node| self.solids_of(node).len());
        let [mut short, mut long] = [0, 0];
        for count in counts {
            match count <= SHORT {
                true => short = short.max(count),
                false => long = long.max(count),
            }
        }
        [short, long]
    }

    /// The document, and how many bytes the buffer has.
    fn document(&self, hierarchy: &Hierarchy, solids: &[Solid], about: Value) -> (Value, u64) {
        let boxes = solids.len() as u64;
        let longest = self.longest();
        let mut views = Vec::new();
        let mut end = 0u64;
        let mut view = |length: u64, target: u32, stride: Option<u64>| {
            let mut view =
                json!({"buffer": 0, "byteOffset": end, "byteLength": length, "target": target});
            if let Some(stride) = stride {
                view["byteStride"] = json!(stride);
            }
            views.push(view);
            end += length.next_multiple_of(4);
            views.len() - 1
        };
        let attributes =
            VERTEX.map(|bytes| view(boxes * CORNERS as u64 * bytes, 34962, Some(bytes)));
        let indices = [2, 4].map(|bytes| {
            let longest = longest[bytes / 2 - 1];
            (longest > 0).then(|| view((longest * INDICES * bytes) as u64, 34963, None))
        });

        let mut accessors = Vec::new();
        let mut meshes = Vec::new();
        let mut nodes: Vec<Value> = Vec::new();
        for node in 0..self.nodes.len() {
            let origin = self.origin(node, solids);
            let place = accessors.len();
            accessors.extend(self.accessors(node, solids, origin, (attributes, indices)));
            meshes.push(json!({"primitives": [{
                "attributes": {"POSITION": place, "NORMAL": place + 1, "COLOR_0": place + 2},
                "indices": place + 3,
                "material": 0,
            }]}));
            nodes.push(self.node(node, hierarchy, solids, origin));
        }
        let roots = self.link(&mut nodes);
        let mut scene = json!({"extras": about});
        if !roots.is_empty() {
            scene["nodes"] = json!(roots);
        }
        let mut document = json!({
            "asset": {"version": "2.0", "generator": concat!("Callscape ", env!("CARGO_PKG_VERSION"))},
            "scene": 0,
            "scenes": [scene],
        });
        // Empty lists are no valid glTF.
        if !nodes.is_empty() {
            document["nodes"] = Value::Array(nodes);
            document["meshes"] = Value::Array(meshes);
            document["accessors"] = Value::Array(accessors);
            document["bufferViews"] = Value::Array(views);
            document["buffers"] = json!([{"byteLength": end}]);
            document["materials"] = json!([{
                "name": "matt",
                "pbrMetallicRoughness": {"metallicFactor": 0.0, "roughnessFactor": 0.9},
            }]);
        }
        (document, end)
    }

    /// The accessors of the mesh of a node: position, normal, colour, indices. The buffer views are one for each
    /// attribute, and those of short and of long indices.
    fn accessors(
        &self,
        node: usize,
        solids: &[Solid],
        origin: [f32; 3],
        (attributes, indices): ([usize; 3], [Option<usize>; 2]),
    ) -> [Value; 4] {
        let own = self.solids_of(node);
        let first = (self.starts[node] * CORNERS) as u64;
        let attribute = |which: usize, component: u32, kind: &str| {
            json!({
                "bufferView": attributes[which],
                "byteOffset": first * VERTEX[which],
                "componentType": component,
                "count": own.len() * CORNERS,
                "type": kind,
            })
        };
        let [low, high] = extent(own, solids, origin);
        let mut position = attribute(0, F32, "VEC3");
        position["min"] = json!(low);
        position["max"] = json!(high);
        let normal = attribute(1, F32, "VEC3");
        let mut color = attribute(2, U8, "VEC4");
        color["normalized"] = json!(true);
        let is_short = own.len() <= SHORT;
        let indices = json!({
            "bufferView": indices[usize::from(!is_short)],
            "componentType": if is_short { U16 } else { U32 },
            "count": own.len() * INDICES,
            "type": "SCALAR",
        });
        [position, normal, color, indices]
    }

    /// Tells nodes their children, and gives those that are nobody's.
    fn link(&self, nodes: &mut [Value]) -> Vec<usize> {
        for (node, around) in self.around.iter().enumerate() {
            if let Some(children) = around.and_then(|around| nodes.get_mut(around)) {
                match children["children"].as_array_mut() {
                    Some(children) => children.push(json!(node)),
                    None => children["children"] = json!([node]),
                }
            }
        }
        let is_root = |&node: &usize| self.around[node].is_none();
        (0..nodes.len()).filter(is_root).collect()
    }

    fn node(
        &self,
        node: usize,
        hierarchy: &Hierarchy,
        solids: &[Solid],
        origin: [f32; 3],
    ) -> Value {
        let own = self.solids_of(node);
        let module = solids[self.nodes[node] as usize].module;
        let of = hierarchy.module(module);
        let from = match self.around[node] {
            Some(around) => self.origin(around, solids),
            None => [0.0; 3],
        };
        let by: [f32; 3] = std::array::from_fn(|axis| origin[axis] - from[axis]);
        let mut extras = json!({"kind": of.kind.name(), "lines": of.loc});
        if own.len() > 1 {
            let outer = hierarchy.path(module);
            let names = own[1..].iter().map(|&solid| {
                let path = hierarchy.path(solids[solid as usize].module);
                let inner = path
                    .strip_prefix(&outer)
                    .map(|it| it.trim_start_matches('/'));
                Value::from(inner.unwrap_or(&path))
            });
            extras["modules"] = names.collect();
        }
        json!({
            "name": of.name,
            "mesh": node,
            "translation": upright(by),
            "extras": extras,
        })
    }

    fn write(
        &self,
        solids: &[Solid],
        out: &mut dyn Write,
        progress: &Progress,
    ) -> Result<(), ExportError> {
        progress.start("writing the model", 3 * self.order.len() as u64);
        let mut bytes = Vec::new();
        let all = (0..self.nodes.len()).flat_map(|node| {
            let origin = self.origin(node, solids);
            let of = self.solids_of(node).iter();
            of.map(move |&solid| (&solids[solid as usize], origin))
        });
        let mut attribute = |make: Make<'_>| {
            for (solid, origin) in all.clone() {
                bytes.clear();
                make(solid, origin, &mut bytes);
                out.write_all(&bytes)?;
                progress.add(1)?;
            }
            Ok::<(), ExportError>(())
        };
        let floats = |of: [f32; 3], bytes: &mut Vec<u8>| {
            bytes.extend(of.into_iter().flat_map(f32::to_le_bytes));
        };
        attribute(&|solid, origin, bytes| {
            for corner in FACES.iter().flat_map(|(_, corners)| corners) {
                floats(local(solid, *corner, origin), bytes);
            }
        })?;
        attribute(&|_, _, bytes| {
            for (normal, corners) in FACES {
                corners.iter().for_each(|_| floats(turned(normal), bytes));
            }
        })?;
        attribute(&|solid, _, bytes| {
            let [r, g, b] = solid
                .color
                .map(|part| (part.clamp(0.0, 1.0) * 255.0).round() as u8);
            (0..CORNERS).for_each(|_| bytes.extend([r, g, b, 255]));
        })?;
        let [short, long] = self.longest();
        let corners = |boxes: usize| {
            let pattern = [0u32, 1, 2, 0, 2, 3];
            let faces = 0..(boxes * FACES.len()) as u32;
            faces.flat_map(move |face| pattern.map(|corner| face * 4 + corner))
        };
        for index in corners(short) {
            out.write_all(&(index as u16).to_le_bytes())?;
        }
        // Sixty bytes a box: the end lies on a multiple of four.
        for index in corners(long) {
            out.write_all(&index.to_le_bytes())?;
        }
        Ok(())
    }
}

fn finite(of: [f32; 3]) -> [f32; 3] {
    of.map(|part| if part.is_finite() { part } else { 0.0 })
}

/// A direction of the landscape as glTF has it.
fn turned([x, y, z]: [f32; 3]) -> [f32; 3] {
    // Adding zero makes no -0.0 of it.
    [x, z, 0.0 - y]
}

/// A place of the landscape as glTF has it, in metres.
fn upright(at: [f32; 3]) -> [f32; 3] {
    turned(at).map(|part| part * SCALE)
}

/// A corner of a box, as seen from the origin of its node.
fn local(solid: &Solid, corner: u8, origin: [f32; 3]) -> [f32; 3] {
    let (low, high) = (finite(solid.low), finite(solid.high));
    upright(std::array::from_fn(|axis| {
        let is_high = corner >> axis & 1 != 0;
        let at = if is_high { high[axis] } else { low[axis] };
        at - origin[axis]
    }))
}

/// The lowest and the highest corner of solids, from `origin`.
fn extent(own: &[u32], solids: &[Solid], origin: [f32; 3]) -> [[f32; 3]; 2] {
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for &solid in own {
        let solid = &solids[solid as usize];
        for corner in [0, 7] {
            let at = local(solid, corner, origin);
            for axis in 0..3 {
                low[axis] = low[axis].min(at[axis]);
                high[axis] = high[axis].max(at[axis]);
            }
        }
    }
    [low, high]
}

#[cfg(test)]
mod tests;
