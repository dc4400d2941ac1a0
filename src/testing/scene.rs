//! An invented city for pictures and benches: as uneven as a real code base, and the same every time.

use callscape_facts::hierarchy::{HierarchyBuilder, Module, ModuleKind, NodeId};
use callscape_filter::cut::Cut;
use callscape_layout::geometry::{Arc, Arcs, Block, BlockKind, BlockLook, FlatLabel, ScreenLabel};
use callscape_layout::treemap::{self, Heights, Rect, label_strip};
use callscape_look::camera::Camera;
use callscape_look::theme::Palette;
use callscape_model::theme::Theme;
use callscape_model::tiling::Tiling;
use glam::{Vec2, Vec3};

use crate::random::Random;

/// Everything that a renderer takes.
pub struct Scene {
    pub blocks: Vec<Block>,
    pub looks: Vec<BlockLook>,
    pub arcs: Arcs,
    pub flat: Vec<FlatLabel>,
    pub screen: Vec<ScreenLabel>,
}

/// A number from 0 to 1.
fn unit(random: &mut Random) -> f32 {
    (random.next() >> 40) as f32 / (1u64 << 24) as f32
}

/// One of the items of a list that is not empty.
fn one_of(list: &[usize], random: &mut Random) -> usize {
    list[random.below(list.len() as u64) as usize]
}

/// A module of the invented code base, children after parents.
struct Node {
    children: Vec<Node>,
    weight: f32,
}

impl Scene {
    /// About `leaves` functions, `active` of each hundred files running, `arcs` relations between
    /// what runs.
    pub fn new(leaves: usize, active: f32, arcs: usize, theme: Theme) -> Scene {
        let mut random = Random(0x9E37_79B9_7F4A_7C15);
        let root = node(leaves as f32, 0, &mut random);
        let mut scene = Scene {
            blocks: Vec::new(),
            looks: Vec::new(),
            arcs: Arcs::default(),
            flat: Vec::new(),
            screen: Vec::new(),
        };
        let mut builder = HierarchyBuilder::new("city");
        let mut areas = vec![0.0];
        add(&root, NodeId::ROOT, 1, &mut builder, &mut areas);
        let (hierarchy, ids) = builder.build();
        let mut by_module = vec![0.0; hierarchy.len()];
        for (id, area) in ids.iter().zip(areas) {
            by_module[id.index()] = area;
        }
        scene.blocks = treemap::layout(
            &hierarchy,
            &Cut::all(),
            &by_module,
            &Heights::Even,
            Tiling::Squarified,
        );
        scene.name();
        scene.looks = vec![BlockLook::default(); scene.blocks.len()];
        let running = scene.run(active, &mut random);
        scene.relate(&running, arcs, theme, &mut random);
        scene
    }

    /// Labels above some of what runs, as they stand on a picture of `size` pixels.
    pub fn label_on_screen(&mut self, camera: &Camera, size: Vec2, count: usize) {
        let running = self.blocks.iter().zip(&self.looks);
        self.screen = running
            .filter(|(_, look)| look.glow > 0.8)
            .take(count)
            .enumerate()
            .filter_map(|(place, (block, look))| {
                let top = (0.5 * (block.min + block.max)).with_z(block.max.z + look.rise + 3.0);
                Some(ScreenLabel {
                    text: format!("run_{}_{}", NAMES[place % NAMES.len()], place),
                    at: camera.project(top, size)?,
                    em: 13.0,
                    emphasized: place == 0,
                    is_quiet: false,
                    stem: None,
                })
            })
            .collect();
    }

    /// The names of districts in the margins of their terraces.
    fn name(&mut self) {
        for (at, block) in self.blocks.iter().enumerate() {
            let size = (block.max - block.min).truncate();
            if block.kind != BlockKind::Terrace || size.min_element() < 60.0 || block.level > 2 {
                continue;
            }
            let rect = Rect {
                west: f64::from(block.min.x),
                south: f64::from(block.min.y),
                east: f64::from(block.max.x),
                north: f64::from(block.max.y),
            };
            let em = 0.7 * label_strip(rect, block.level) as f32;
            self.flat.push(FlatLabel {
                text: format!("{}{}", NAMES[at % NAMES.len()], at % 10),
                module: block.module,
                block: at as u32,
                origin: block.min.with_z(block.max.z) + Vec3::new(0.4 * em, 0.3 * em, 0.0),
                right: Vec3::X,
                up: Vec3::Y,
                em,
                opacity: 1.0,
                is_on_roof: false,
            });
        }
    }

    fn run(&mut self, active: f32, random: &mut Random) -> Vec<usize> {
        let mut running = Vec::new();
        for at in 0..self.blocks.len() {
            let end = self.blocks[at].subtree_end as usize;
            let is_file = self.blocks[at].kind == BlockKind::Terrace
                && end - at > 4
                && (at + 1..end).all(|child| self.blocks[child].kind == BlockKind::Leaf);
            if !is_file || unit(random) * 100.0 > active {
                continue;
            }
            for child in at + 1..end {
                if unit(random) < 0.6 {
                    let heat = unit(random) * unit(random);
                    self.looks[child].glow = 0.25 + 0.75 * heat;
                    self.looks[child].rise = 4.0 + 40.0 * heat;
                    running.push(child);
                }
            }
        }
        running
    }

    fn relate(&mut self, running: &[usize], count: usize, theme: Theme, random: &mut Random) {
        if running.is_empty() {
            return;
        }
        let palette = Palette::of(theme);
        let violet = callscape_look::theme::linear(match theme {
            Theme::Light => 0x5B2A86,
            Theme::Dark => 0xB48CF0,
        });
        self.arcs.inks = vec![[palette.caller, palette.callee], [violet; 2]];
        self.arcs.phase = 0.6;
        for _ in 0..count {
            let from = one_of(running, random);
            let to = one_of(running, random);
            let width = 0.9 + 2.5 * unit(random).powi(3);
            self.arc(&[from, to], width, false);
        }
        let stack: Vec<usize> = (0..7).map(|_| one_of(running, random)).collect();
        self.arc(&stack, 4.2, true);
    }

    fn arc(&mut self, stops: &[usize], width: f32, outlined: bool) {
        let first_point = self.arcs.points.len() as u32;
        let top = |block: usize, scene: &Scene| {
            let Block { min, max, .. } = scene.blocks[block];
            Vec3::new(
                0.5 * (min.x + max.x),
                0.5 * (min.y + max.y),
                max.z + scene.looks[block].rise,
            )
        };
        for pair in stops.windows(2) {
            let (a, b) = (top(pair[0], self), top(pair[1], self));
            let lift = Vec3::Z * (12.0 + a.distance(b) * 0.26);
            self.arcs.points.extend([
                a,
                a.lerp(b, 0.12) + lift * 0.8,
                a.lerp(b, 0.5) + lift * 1.2,
                a.lerp(b, 0.88) + lift * 0.8,
                b,
            ]);
        }
        let stops = self.arcs.points[first_point as usize..].windows(2);
        let span = stops.map(|pair| pair[0].truncate().distance(pair[1].truncate()));
        self.arcs.arcs.push(Arc {
            first_point,
            span: span.sum(),
            points: self.arcs.points.len() as u32 - first_point,
            width,
            opacity: 1.0,
            ink: u32::from(outlined),
            outlined,
            is_cord: true,
            is_lit: outlined,
            ..Arc::default()
        });
    }

    /// The city whole, as in the reference pictures.
    pub fn overview() -> Camera {
        Camera {
            eye: Vec3::new(325.0, -715.0, 775.0),
            target: Vec3::new(500.0, 322.0, 0.0),
            fov_y: 0.473,
        }
    }
}

const NAMES: [&str; 12] = [
    "asyncio",
    "distutils",
    "idlelib",
    "tkinter",
    "email",
    "xml",
    "multiprocessing",
    "unittest",
    "http",
    "importlib",
    "logging",
    "encodings",
];

fn node(leaves: f32, level: u32, random: &mut Random) -> Node {
    if leaves <= 1.0 || (level > 1 && leaves < 2.0) || level > 7 {
        let weight = 2.0 + 60.0 * unit(random) * unit(random) * unit(random);
        return Node {
            children: Vec::new(),
            weight,
        };
    }
    // Few directories, more files, many functions.
    let count = if leaves < 40.0 {
        leaves as usize
    } else {
        ((4.0 + 22.0 * unit(random)) as usize).min(leaves as usize)
    };
    let mut shares: Vec<f32> = (0..count)
        .map(|_| {
            if leaves < 40.0 {
                1.0
            } else {
                unit(random).powi(2) + 0.03
            }
        })
        .collect();
    let total: f32 = shares.iter().sum();
    shares.iter_mut().for_each(|share| *share /= total);
    let mut children: Vec<Node> = shares
        .iter()
        .map(|share| node((leaves * share).max(1.0), level + 1, random))
        .collect();
    children.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    let weight = children.iter().map(|child| child.weight).sum();
    Node { children, weight }
}

/// Adds what a module holds, in preorder, and how large each is.
fn add(node: &Node, id: NodeId, level: u32, builder: &mut HierarchyBuilder, areas: &mut Vec<f64>) {
    for child in &node.children {
        let kind = match (child.children.is_empty(), level) {
            (true, _) => ModuleKind::Function,
            (false, 0..=2) => ModuleKind::Directory,
            (false, _) => ModuleKind::File,
        };
        let at = builder.add(id, Module::named(kind, "module"));
        areas.push(if child.children.is_empty() {
            f64::from(child.weight)
        } else {
            0.0
        });
        add(child, at, level + 1, builder, areas);
    }
}
