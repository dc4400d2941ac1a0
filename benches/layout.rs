//! Laying out a city of 10 thousand, 100 thousand and a million leaves, beside the floor: sorting the same
//! weights and summing them up, which no treemap can do without.
//!
//! `cargo bench --bench layout`

use std::hint::black_box;
use std::time::{Duration, Instant};

use callscape::facts::hierarchy::{Hierarchy, HierarchyBuilder, Module, ModuleKind, NodeId};
use callscape::filter::cut::Cut;
use callscape::layout::pick::Picker;
use callscape::layout::treemap::{Heights, Tiling, layout, parents};
use callscape::views::search::search;

/// splitmix64.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Directories of files of functions with so many functions in all, and each module's area.
fn city(leaves: usize) -> (Hierarchy, Vec<f64>) {
    let mut random = 7;
    let mut builder = HierarchyBuilder::new("root");
    let mut directories = vec![NodeId::ROOT];
    let mut made = 0;
    while made < leaves {
        let among = directories.len() as u64;
        let parent = directories[(next(&mut random) % among) as usize];
        let directory = builder.add(parent, Module::named(ModuleKind::Directory, "src"));
        directories.push(directory);
        for _ in 0..12 {
            let file = builder.add(directory, Module::named(ModuleKind::File, "file.c"));
            for _ in 0..next(&mut random) % 30 {
                if made < leaves {
                    let name = format!("function_{}", next(&mut random) % 50_000);
                    builder.add(file, Module::named(ModuleKind::Function, &name));
                    made += 1;
                }
            }
        }
    }
    let (hierarchy, _) = builder.build();
    // Lengths of functions are far from even: most are short, some are very long.
    let areas = hierarchy.modules().map(|id| {
        let even = (next(&mut random) % 1_000_000 + 1) as f64 / 1e6;
        if hierarchy.is_leaf(id) {
            (3.0 / even).min(3000.0)
        } else {
            0.0
        }
    });
    let areas = areas.collect();
    (hierarchy, areas)
}

/// The quickest of some runs: what else the machine does only adds.
fn quickest(mut work: impl FnMut()) -> Duration {
    let runs = (0..7).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed()
    });
    runs.min().unwrap_or_default()
}

fn main() {
    println!("leaves     layout      sort + sum  ratio   pick      search");
    for leaves in [10_000, 100_000, 1_000_000] {
        let (hierarchy, areas) = city(leaves);
        let cut = Cut::all();
        let heights = Heights::Even;
        let mut blocks = Vec::new();
        let squarified = quickest(|| {
            blocks = black_box(layout(
                &hierarchy,
                &cut,
                &areas,
                &heights,
                Tiling::Squarified,
            ));
        });
        let mut sums = vec![0.0f64; areas.len()];
        let floor = quickest(|| {
            let mut sorted = areas.clone();
            sorted.sort_unstable_by(f64::total_cmp);
            let mut sum = 0.0;
            for (slot, area) in sums.iter_mut().zip(&sorted) {
                sum += area;
                *slot = sum;
            }
            black_box(&sums);
        });

        let parents = parents(&blocks);
        let picker = Picker::new(&blocks, &parents);
        let mut random = 11;
        let mut at = |limit: f32| next(&mut random) as f32 / u64::MAX as f32 * limit;
        let rays: Vec<_> = (0..1000)
            .map(|_| {
                let eye = glam::Vec3::new(at(1000.0), -500.0, 100.0 + at(600.0));
                let target = glam::Vec3::new(at(1000.0), at(700.0), 0.0);
                (eye, (target - eye).normalize())
            })
            .collect();
        let picking = quickest(|| {
            for &(eye, direction) in &rays {
                black_box(picker.pick(&blocks, &[], eye, direction));
            }
        });
        let searching = quickest(|| {
            black_box(search(&hierarchy, "tion_4711", 50));
        });
        println!(
            "{leaves:<10} {:7.2} ms  {:7.2} ms  {:5.2}   {:5.2} µs  {:6.2} ms",
            squarified.as_secs_f64() * 1e3,
            floor.as_secs_f64() * 1e3,
            squarified.as_secs_f64() / floor.as_secs_f64(),
            picking.as_secs_f64() * 1e6 / rays.len() as f64,
            searching.as_secs_f64() * 1e3,
        );
    }
}
