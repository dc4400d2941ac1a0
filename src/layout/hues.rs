//! A hue for each district, so that modules are recognised by colour in every view.
//!
//! Hues and lightness are those of OKLCH (Ottosson, *A perceptual color space for image processing*, 2020),
//! where equal numbers look equally light. Neighbouring hues of the list differ in lightness as well, so that
//! people who confuse the hues tell them apart by that.

use std::cmp::Reverse;

use super::geometry::Color;
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::{Hierarchy, ModuleKind};

/// Hue in degrees, chroma relative to the theme's, and how much lighter than the theme's lightness.
/// After the hues of Okabe and Ito (2008).
const HUES: [(f32, f32, f32); 8] = [
    (248.0, 1.00, -0.015),
    (75.0, 1.05, 0.035),
    (168.0, 0.90, -0.020),
    (345.0, 0.85, 0.045),
    (42.0, 1.15, -0.045),
    (215.0, 0.70, 0.045),
    (115.0, 0.95, 0.015),
    (295.0, 0.95, -0.035),
];

/// What has no source is drawn nearly without hue.
const EXTERNAL: (f32, f32, f32) = (260.0, 0.14, 0.0);

/// At most so many districts are looked for by taking the largest apart.
const MANY: usize = 6;
/// A district with a larger share of all functions is taken apart.
const LARGE: f32 = 0.45;

/// What has no source is grey up to this share of all functions.
const GREY: f32 = 0.7;

/// Depths inside of a district over which lightness changes.
const DEPTHS: f32 = 6.0;

/// How colours are made for a ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tones {
    /// Of a district itself, in OKLCH, 0 to 1.
    pub lightness: f32,
    /// How much lighter the deepest modules are.
    pub deepest: f32,
    pub chroma: f32,
}

impl Tones {
    /// Surfaces that dark letters are read on.
    pub const LIGHT: Tones = Tones {
        lightness: 0.785,
        deepest: 0.045,
        chroma: 0.085,
    };
    /// Surfaces that light letters are read on; chroma is to lightness as it is in the light theme, or they shout.
    pub const DARK: Tones = Tones {
        lightness: 0.405,
        deepest: 0.030,
        chroma: 0.050,
    };
}

/// A part of the hierarchy with one hue.
#[derive(Clone, Copy, Debug, PartialEq)]
struct District {
    module: ModuleId,
    /// One past its last module.
    end: u32,
    depth: u16,
    hue: f32,
    chroma: f32,
    lightness: f32,
    /// How far the hues of its functions lie apart, in degrees.
    spread: f32,
}

/// Which hue each district of a hierarchy has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hues {
    /// In preorder; none inside of another.
    districts: Vec<District>,
}

/// The number of leaf modules before each module.
fn leaves_before(hierarchy: &Hierarchy) -> Vec<u32> {
    let mut sum = 0;
    let mut before = vec![0];
    before.extend(hierarchy.modules().map(|id| {
        sum += u32::from(hierarchy.is_leaf(id));
        sum
    }));
    before
}

impl Hues {
    /// The districts are the modules below the root; where one of them holds nearly everything, those below
    /// it. The largest have hues of their own. O(n).
    pub fn new(hierarchy: &Hierarchy) -> Hues {
        let before = leaves_before(hierarchy);
        let size = |id: ModuleId| {
            let subtree = hierarchy.subtree(id);
            before[subtree.end as usize] - before[subtree.start as usize]
        };
        // What has no source is grey beside what has, and has hues where there is little else.
        let outside: u32 = hierarchy
            .children(ModuleId::ROOT)
            .filter(|&id| hierarchy.kind(id) == ModuleKind::External)
            .map(&size)
            .sum();
        let is_rare = outside as f32 <= GREY * size(ModuleId::ROOT) as f32;
        let is_external = |id: ModuleId| is_rare && hierarchy.kind(id) == ModuleKind::External;
        let mut modules: Vec<ModuleId> = hierarchy.children(ModuleId::ROOT).collect();
        let own = |modules: &[ModuleId]| -> u32 {
            let own = modules.iter().filter(|&&id| !is_external(id));
            own.map(|&id| size(id)).sum()
        };
        let all = own(&modules).max(1) as f32;
        loop {
            let largest = (0..modules.len())
                .filter(|&at| !is_external(modules[at]))
                .max_by_key(|&at| (size(modules[at]), Reverse(at)));
            let Some(at) = largest else { break };
            let module = modules[at];
            let holds_modules = hierarchy.children(module).any(|id| !hierarchy.is_leaf(id));
            let is_large = size(module) as f32 > LARGE * all;
            if !is_large || !holds_modules || modules.len() > MANY {
                break;
            }
            let inside: Vec<ModuleId> = hierarchy.children(module).collect();
            modules.splice(at..=at, inside);
        }
        let mut ranked: Vec<ModuleId> = modules
            .iter()
            .copied()
            .filter(|&id| !is_external(id))
            .collect();
        ranked.sort_by_key(|&id| (Reverse(size(id)), id));
        let mut rank = vec![usize::MAX; modules.len()];
        for (place, id) in ranked.iter().enumerate() {
            if let Ok(at) = modules.binary_search(id) {
                rank[at] = place;
            }
        }
        let districts = modules.iter().zip(rank).map(|(&module, rank)| {
            let (hue, chroma, lightness) = match rank {
                usize::MAX => EXTERNAL,
                _ => HUES[rank % HUES.len()],
            };
            // Hues that come again are lighter or darker.
            let again = [0.0, 0.03, -0.03][rank / HUES.len() % 3];
            let share = size(module) as f32 / all;
            District {
                module,
                end: hierarchy.subtree(module).end,
                depth: hierarchy.depth(module),
                hue,
                chroma,
                lightness: lightness + if rank == usize::MAX { 0.0 } else { again },
                spread: 14.0 + 150.0 * (share - 0.4).clamp(0.0, 0.6),
            }
        });
        Hues {
            districts: districts.collect(),
        }
    }

    fn district(&self, module: ModuleId) -> Option<&District> {
        let after = self
            .districts
            .partition_point(|district| district.module <= module);
        let district = self.districts.get(after.checked_sub(1)?)?;
        (module.0 < district.end).then_some(district)
    }

    /// The district that `module` lies in; none for the root and what lies between it and the districts.
    pub fn district_of(&self, module: ModuleId) -> Option<ModuleId> {
        self.district(module).map(|district| district.module)
    }

    /// The linear colour of `module`, opaque; a grey for what lies in no district. O(log districts).
    pub fn color(&self, hierarchy: &Hierarchy, module: ModuleId, tones: &Tones) -> Color {
        let Some(district) = self.district(module) else {
            return oklch(tones.lightness, tones.chroma * EXTERNAL.1, EXTERNAL.0);
        };
        let inside = hierarchy.depth(module) - district.depth;
        let depth = (f32::from(inside) / DEPTHS).min(1.0);
        let mut lightness = tones.lightness + district.lightness + tones.deepest * depth;
        let mut hue = district.hue;
        if hierarchy.is_leaf(module) && inside > 0 {
            // Neighbouring functions of a district are told apart.
            let (a, b) = scattered(module);
            hue += (a - 0.5) * district.spread;
            lightness += (b - 0.5) * 0.036;
        }
        oklch(lightness, tones.chroma * district.chroma, hue)
    }
}

/// Two numbers from 0 to 1 that differ between neighbouring modules and are always the same for one.
fn scattered(module: ModuleId) -> (f32, f32) {
    let hash = (module.0 ^ 0x5bd1_e995).wrapping_mul(0x9e37_79b1);
    let hash = (hash ^ hash >> 15).wrapping_mul(0x85eb_ca6b);
    let part = |bits: u32| (bits & 0xffff) as f32 / 65535.0;
    (part(hash), part(hash >> 16))
}

/// A linear colour from lightness (0 to 1), chroma (0 to about 0.3) and hue in degrees; what a screen cannot
/// show is clipped.
pub fn oklch(lightness: f32, chroma: f32, hue: f32) -> Color {
    let (sin, cos) = hue.to_radians().sin_cos();
    let (a, b) = (chroma * cos, chroma * sin);
    let l = (lightness + 0.396_337_78 * a + 0.215_803_76 * b).powi(3);
    let m = (lightness - 0.105_561_346 * a - 0.063_854_17 * b).powi(3);
    let s = (lightness - 0.089_484_18 * a - 1.291_485_5 * b).powi(3);
    [
        4.076_741_7 * l - 3.307_711_6 * m + 0.230_969_94 * s,
        -1.268_438 * l + 2.609_757_4 * m - 0.341_319_4 * s,
        -0.004_196_086_3 * l - 0.703_418_6 * m + 1.707_614_7 * s,
        1.0,
    ]
    .map(|component: f32| component.clamp(0.0, 1.0))
}

/// The parts of a linear colour as the bytes of a picture: encoded as sRGB.
pub fn encoded([r, g, b, a]: Color) -> [u8; 4] {
    let encode = |linear: f32| {
        let linear = linear.clamp(0.0, 1.0);
        let encoded = if linear <= 0.003_130_8 {
            linear * 12.92
        } else {
            1.055 * linear.powf(1.0 / 2.4) - 0.055
        };
        (encoded * 255.0).round() as u8
    };
    [
        encode(r),
        encode(g),
        encode(b),
        (a.clamp(0.0, 1.0) * 255.0).round() as u8,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_facts::hierarchy::{HierarchyBuilder, Module, NodeId};

    fn add(builder: &mut HierarchyBuilder, parent: NodeId, name: &str, functions: usize) -> NodeId {
        let file = builder.add(parent, Module::named(ModuleKind::File, name));
        for function in 0..functions {
            let name = format!("{name}_{function}");
            builder.add(file, Module::named(ModuleKind::Function, &name));
        }
        file
    }

    /// A root with one directory of files, and an external district.
    fn hierarchy(files: &[usize]) -> Hierarchy {
        let mut builder = HierarchyBuilder::new("root");
        let src = builder.add(NodeId::ROOT, Module::named(ModuleKind::Directory, "src"));
        for (file, &functions) in files.iter().enumerate() {
            add(&mut builder, src, &format!("file{file}"), functions);
        }
        let external = Module::named(ModuleKind::External, "external");
        let external = builder.add(NodeId::ROOT, external);
        add(&mut builder, external, "libc", 50);
        builder.build().0
    }

    fn lightness([r, g, b, _]: Color) -> f32 {
        let l = 0.412_221_46 * r + 0.536_332_55 * g + 0.051_445_995 * b;
        let m = 0.211_903_5 * r + 0.680_699_5 * g + 0.107_396_96 * b;
        let s = 0.088_302_46 * r + 0.281_718_85 * g + 0.629_978_7 * b;
        0.210_454_26 * l.cbrt() + 0.793_617_8 * m.cbrt() - 0.004_072_047 * s.cbrt()
    }

    #[test]
    fn files_are_districts_where_one_directory_holds_all() {
        let hierarchy = hierarchy(&[40, 10, 30]);
        let hues = Hues::new(&hierarchy);
        for module in hierarchy.modules() {
            let path = hierarchy.path(module);
            let district = hues.district_of(module).map(|id| hierarchy.path(id));
            let expected = match path.split('/').collect::<Vec<_>>()[..] {
                ["src", file, ..] => Some(format!("src/{file}")),
                ["external", ..] => Some("external".to_owned()),
                _ => None,
            };
            assert_eq!(district, expected, "{path}");
        }
    }

    #[test]
    fn letters_are_read_on_every_colour() {
        let hierarchy = hierarchy(&[
            500, 400, 300, 200, 100, 90, 80, 70, 60, 50, 40, 30, 20, 10, 9, 8, 7,
        ]);
        let hues = Hues::new(&hierarchy);
        for (tones, text) in [
            (Tones::LIGHT, [0.011, 0.0137, 0.0194]),
            (Tones::DARK, [0.87, 0.888, 0.922]),
        ] {
            for module in hierarchy.modules() {
                let color = hues.color(&hierarchy, module, &tones);
                let luminance = |c: [f32; 3]| 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2] + 0.05;
                let (a, b) = (luminance([color[0], color[1], color[2]]), luminance(text));
                let contrast = a.max(b) / a.min(b);
                assert!(contrast > 4.5, "{contrast} on {}", hierarchy.path(module));
            }
        }
    }

    #[test]
    fn the_first_hues_differ_for_eyes_without_one_kind_of_cone() {
        // Viénot, Brettel and Mollon (1999), in linear RGB.
        const PROTANOPE: [[f32; 3]; 3] = [
            [0.112_38, 0.887_62, 0.0],
            [0.112_38, 0.887_62, 0.0],
            [0.004_01, -0.004_01, 1.0],
        ];
        const DEUTERANOPE: [[f32; 3]; 3] = [
            [0.292_75, 0.707_25, 0.0],
            [0.292_75, 0.707_25, 0.0],
            [-0.022_34, 0.022_34, 1.0],
        ];
        let hierarchy = hierarchy(&[400, 390, 380, 370, 360, 350, 340, 330]);
        let hues = Hues::new(&hierarchy);
        let files: Vec<ModuleId> = hierarchy
            .modules()
            .filter(|&id| {
                hierarchy.kind(id) == ModuleKind::File && hierarchy.path(id).starts_with("src")
            })
            .collect();
        let lab = |[r, g, b, _]: Color| {
            let l = (0.412_221_46 * r + 0.536_332_55 * g + 0.051_445_995 * b)
                .max(0.0)
                .cbrt();
            let m = (0.211_903_5 * r + 0.680_699_5 * g + 0.107_396_96 * b)
                .max(0.0)
                .cbrt();
            let s = (0.088_302_46 * r + 0.281_718_85 * g + 0.629_978_7 * b)
                .max(0.0)
                .cbrt();
            [
                0.210_454_26 * l + 0.793_617_8 * m - 0.004_072_047 * s,
                1.977_998_5 * l - 2.428_592_2 * m + 0.450_593_7 * s,
                0.025_904_037 * l + 0.782_771_77 * m - 0.808_675_77 * s,
            ]
        };
        for matrix in [PROTANOPE, DEUTERANOPE] {
            for tones in [Tones::LIGHT, Tones::DARK] {
                let seen: Vec<[f32; 3]> = files
                    .iter()
                    .map(|&file| {
                        let color = hues.color(&hierarchy, file, &tones);
                        let row = |row: [f32; 3]| {
                            row[0] * color[0] + row[1] * color[1] + row[2] * color[2]
                        };
                        let [r, g, b] = matrix.map(row).map(|part: f32| part.max(0.0));
                        lab([r, g, b, 1.0])
                    })
                    .collect();
                for i in 0..5 {
                    for j in 0..i {
                        let apart: f32 = (0..3).map(|k| (seen[i][k] - seen[j][k]).powi(2)).sum();
                        // Twice what is just noticed side by side.
                        assert!(apart.sqrt() > 0.04, "{i} and {j}: {}", apart.sqrt());
                    }
                }
            }
        }
    }

    #[test]
    fn colours_are_as_light_as_they_say() {
        for hue in (0..360).step_by(15) {
            let color = oklch(0.7, 0.08, hue as f32);
            assert!((lightness(color) - 0.7).abs() < 0.01, "{hue}");
        }
        assert_eq!(encoded([1.0, 0.0, 0.5, 1.0]), [255, 0, 188, 255]);
    }
}
