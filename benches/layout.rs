//! Laying out a city of 10 thousand, 100 thousand and a million leaves, beside the crate `streemap`, which does
//! the same sums, sorts and squarified rectangles on a flat array that lies ready, and beside the floor: reading the
//! areas and writing blocks without any thought. A million leaves as functions in files in directories, and all on
//! one terrace. Then the other tilings, a part laid out again after one module has changed, picking and search. Times are
//! the thread's own on a processor.
//!
//! `cargo bench --bench layout`

use std::hint::black_box;
use std::time::{Duration, Instant};

use callscape::analysis::session::Session;
use callscape::facts::hierarchy::{Hierarchy, HierarchyBuilder, Module, ModuleKind, NodeId};
use callscape::filter::cut::Cut;
use callscape::filter::selection::Selection;
use callscape::layout::geometry::{Block, BlockKind};
use callscape::layout::pick::Picker;
use callscape::layout::treemap::{Heights, Plan, Treemap};
use callscape::look::camera::Camera;
use callscape::model::landscape::LandscapeSettings;
use callscape::model::search::search;
use callscape::model::tiling::Tiling;
use callscape::state::city::{City, Lettering};
use callscape::units::ModuleId;
use glam::{Vec2, Vec3};

use callscape_testing::measured::{Measured, amount};
use callscape_testing::random::Random;
use callscape_testing::timing::ms;

/// Directories of files of functions with so many functions in all, and each module's area.
fn city(leaves: usize) -> (Hierarchy, Vec<f64>) {
    let mut random = Random(7);
    let mut builder = HierarchyBuilder::new("root");
    let mut directories = vec![NodeId::ROOT];
    let mut made = 0;
    while made < leaves {
        let among = directories.len() as u64;
        let parent = directories[(random.next() % among) as usize];
        let directory = builder.add(parent, Module::named(ModuleKind::Directory, "src"));
        directories.push(directory);
        for _ in 0..12 {
            let file = builder.add(directory, Module::named(ModuleKind::File, "file.c"));
            for _ in 0..random.next() % 30 {
                if made < leaves {
                    let name = format!("function_{}", random.next() % 50_000);
                    builder.add(file, Module::named(ModuleKind::Function, &name));
                    made += 1;
                }
            }
        }
    }
    let (hierarchy, _) = builder.build();
    let areas = areas(&hierarchy, &mut random);
    (hierarchy, areas)
}

/// So many functions on one terrace.
fn one_terrace(leaves: usize) -> (Hierarchy, Vec<f64>) {
    let mut random = Random(7);
    let mut builder = HierarchyBuilder::new("root");
    for _ in 0..leaves {
        builder.add(NodeId::ROOT, Module::named(ModuleKind::Function, "f"));
    }
    let (hierarchy, _) = builder.build();
    let areas = areas(&hierarchy, &mut random);
    (hierarchy, areas)
}

/// Lengths of functions are far from even: most are short, some are very long.
fn areas(hierarchy: &Hierarchy, random: &mut Random) -> Vec<f64> {
    let areas = hierarchy.modules().map(|id| {
        let even = (random.next() % 1_000_000 + 1) as f64 / 1e6;
        if hierarchy.is_leaf(id) {
            (3.0 / even).min(3000.0)
        } else {
            0.0
        }
    });
    areas.collect()
}

/// A module as the peer's flat array has it: children stand together, behind their parents.
#[derive(Clone, Copy, Default)]
struct Flat {
    first: u32,
    count: u32,
    size: f64,
    rect: [f64; 4],
}

fn flat(hierarchy: &Hierarchy, areas: &[f64]) -> Vec<Flat> {
    let mut order = vec![ModuleId::ROOT];
    let mut flat = Vec::with_capacity(hierarchy.len());
    while let Some(&module) = order.get(flat.len()) {
        let first = order.len();
        order.extend(hierarchy.children(module));
        flat.push(Flat {
            first: first as u32,
            count: (order.len() - first) as u32,
            size: areas[module.index()],
            rect: [0.0; 4],
        });
    }
    flat
}

/// Sums, sorts and squarified rectangles by the peer, in place.
fn peer(flat: &mut [Flat]) {
    for at in (0..flat.len()).rev() {
        let Flat { first, count, .. } = flat[at];
        if count > 0 {
            let children = &mut flat[first as usize..(first + count) as usize];
            children.sort_unstable_by(|a, b| b.size.total_cmp(&a.size));
            flat[at].size = flat[first as usize..(first + count) as usize]
                .iter()
                .map(|child| child.size)
                .sum();
        }
    }
    flat[0].rect = [0.0, 0.0, 1400.0, 1000.0];
    for at in 0..flat.len() {
        let Flat {
            first, count, rect, ..
        } = flat[at];
        if count == 0 {
            continue;
        }
        let [x, y, w, h] = rect;
        streemap::squarify(
            streemap::Rect { x, y, w, h },
            &mut flat[first as usize..(first + count) as usize],
            |child| child.size,
            |child, rect| child.rect = [rect.x, rect.y, rect.w, rect.h],
        );
    }
}

/// The time of this thread on a processor where the system tells it, so that what else the machine does adds little;
/// else the time that passes.
struct Clock(Duration, Instant);

impl Clock {
    #[cfg(target_os = "linux")]
    fn of_thread() -> Duration {
        let mut time = libc::timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        // SAFETY: the call writes to the one place that it is given.
        unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    }

    #[cfg(not(target_os = "linux"))]
    fn of_thread() -> Duration {
        Duration::ZERO
    }

    fn now() -> Clock {
        Clock(Clock::of_thread(), Instant::now())
    }

    fn elapsed(&self) -> Duration {
        match Clock::of_thread().checked_sub(self.0) {
            Some(time) if !time.is_zero() => time,
            _ => self.1.elapsed(),
        }
    }
}

/// The quickest of some runs: what else the machine does only adds.
fn quickest(mut work: impl FnMut()) -> Duration {
    quickest_of(&mut (), |()| {}, |()| work())
}

/// The same, each run prepared outside of what is measured.
fn quickest_of<T>(on: &mut T, prepare: impl Fn(&mut T), mut work: impl FnMut(&mut T)) -> Duration {
    let runs = (0..15).map(|_| {
        prepare(on);
        let start = Clock::now();
        work(on);
        start.elapsed()
    });
    runs.min().unwrap_or_default()
}

fn plan<'a>(hierarchy: &'a Hierarchy, cut: &'a Cut, areas: &'a [f64], tiling: Tiling) -> Plan<'a> {
    Plan {
        hierarchy,
        cut,
        areas,
        references: &[],
        heights: &Heights::Even,
        tiling,
    }
}

/// Lays out beside the peer, prints how that compares to the aim, and gives back the layout and how long it took.
fn beside_the_peer(
    hierarchy: &Hierarchy,
    areas: &[f64],
    what: &str,
    aim: &str,
) -> (Treemap, Duration) {
    let cut = Cut::all();
    let plan = plan(hierarchy, &cut, areas, Tiling::Squarified);
    let original = flat(hierarchy, areas);
    let mut copy = original.clone();
    // It sorts in place: each run begins with the order of the tree.
    let peer_time = quickest_of(
        &mut copy,
        |copy| copy.copy_from_slice(&original),
        |copy| peer(black_box(copy)),
    );
    // In new memory, as the first layout of ours: the flat array is made, too.
    let peer_first = quickest(|| {
        let mut flat = flat(hierarchy, areas);
        peer(&mut flat);
        black_box(&flat);
    });
    let mut treemap = Treemap::default();
    let again = quickest(|| treemap.lay_out(black_box(&plan)));
    let first = quickest(|| {
        let mut treemap = Treemap::default();
        treemap.lay_out(black_box(&plan));
        black_box(&treemap);
    });
    let mut blocks = treemap.blocks().to_vec();
    let floor = quickest(|| {
        let mut sum = 0.0;
        for (block, area) in blocks.iter_mut().zip(areas) {
            sum += area;
            *block = Block {
                max: glam::Vec3::splat(sum as f32),
                ..blocks_of_floor()
            };
        }
        black_box(&blocks);
    });
    println!(
        "  sum, sort, squarify: {:.3} ms, streemap {:.3} ms: {:.2} × as fast; in new memory {:.3} ms, {:.2} × as fast \
         as streemap on an array that lies ready, {:.2} × as fast as when it is made first ({:.3} ms); reading areas and \
         writing blocks alone {:.3} ms",
        ms(again),
        ms(peer_time),
        peer_time.as_secs_f64() / again.as_secs_f64(),
        ms(first),
        peer_time.as_secs_f64() / first.as_secs_f64(),
        peer_first.as_secs_f64() / first.as_secs_f64(),
        ms(peer_first),
        ms(floor),
    );
    for (what, took, peer, aim) in [
        (what.to_owned(), again, peer_time, aim),
        (format!("{what}, in new memory"), first, peer_first, ""),
    ] {
        Measured {
            target: &format!("layout: {what}"),
            value: ms(took),
            unit: "ms",
            peer: Some(("streemap", ms(peer))),
            aim,
            ..Measured::default()
        }
        .print();
    }
    (treemap, again)
}

/// A block of which only the place changes.
fn blocks_of_floor() -> Block {
    Block {
        module: ModuleId::ROOT,
        kind: BlockKind::Leaf,
        level: 1,
        min: glam::Vec3::ZERO,
        max: glam::Vec3::ZERO,
        subtree_end: 1,
    }
}

/// Chooses the names of a still picture with 50,000 functions in sight, as a print of the map has it.
fn names() {
    const SIDE: f32 = 8192.0;
    let session = Session {
        source_dir: None,
        hierarchy: city(50_000).0,
        recordings: Vec::new(),
        source_warnings: Vec::new(),
        named: Default::default(),
    };
    let settings = LandscapeSettings::default();
    let mut view = City::new(&session, &settings, &Cut::all());
    let (min, max) = view.bounds(ModuleId::ROOT).unwrap_or_default();
    let target = (min + max) * 0.5;
    let camera = Camera {
        eye: target + Vec3::new(0.0, -1.0, 1400.0),
        target,
        fov_y: 0.7,
    };
    let lettering = Lettering {
        is_still: true,
        is_single: true,
        ..Lettering::whole(Vec2::splat(SIDE), 20.0)
    };
    // Other places of the camera have names chosen anew.
    let mut step = 0.0;
    let time = quickest(|| {
        step += 1e-3;
        let camera = Camera {
            eye: camera.eye + Vec3::new(step, 0.0, 0.0),
            ..camera
        };
        view.label(&session, &Selection::default(), &[], &camera, &lettering);
    });
    let (shown, blocks) = (view.flat_labels().len(), view.blocks().len());
    println!(
        "names of a still picture: {shown} lines among {blocks} blocks in {:.1} ms",
        ms(time)
    );
    Measured {
        target: "layout: names of a still picture, 50 thousand functions in sight",
        value: ms(time),
        unit: "ms",
        aim: "≤ 30 ms",
        ..Measured::default()
    }
    .print();
}

fn main() {
    names();
    println!("1000000 leaves on one terrace");
    let (hierarchy, areas) = one_terrace(1_000_000);
    let on_one = "1 million leaves on one terrace";
    beside_the_peer(&hierarchy, &areas, on_one, "≤ 0.67 (0.33) ×");
    for (leaves, aim) in [
        (10_000, "≤ 0.7 (0.25) ms"),
        (100_000, "≤ 8 (3) ms"),
        (1_000_000, "≤ 0.67 (0.33) ×"),
    ] {
        let (hierarchy, mut areas) = city(leaves);
        let cut = Cut::all();
        println!("{leaves} leaves, {} modules", hierarchy.len());
        let what = format!("{} leaves", amount(leaves as u64));
        let (mut treemap, again) = beside_the_peer(&hierarchy, &areas, &what, aim);
        for tiling in [Tiling::Ordered, Tiling::Stable, Tiling::SliceAndDice] {
            let time =
                quickest(|| treemap.lay_out(black_box(&plan(&hierarchy, &cut, &areas, tiling))));
            println!("  {}: {:.2} ms", tiling.name(), ms(time));
        }

        treemap.lay_out(&plan(&hierarchy, &cut, &areas, Tiling::Squarified));
        let mut random = Random(11);
        let mut times = Vec::new();
        let mut blocks = 0;
        for _ in 0..200 {
            let leaf = loop {
                let at = random.next() % hierarchy.len() as u64;
                if hierarchy.is_leaf(ModuleId(at as u32)) {
                    break ModuleId(at as u32);
                }
            };
            areas[leaf.index()] *= 0.5 + random.next() as f64 / u64::MAX as f64 * 1.5;
            let start = Clock::now();
            let changed = treemap.change(&plan(&hierarchy, &cut, &areas, Tiling::Squarified), leaf);
            times.push(start.elapsed());
            blocks += changed.len();
        }
        times.sort_unstable();
        println!(
            "  again after one module has changed: median {:.3} ms, 99th percentile {:.3} ms, {} blocks on average; \
             median {:.4} of the whole",
            ms(times[100]),
            ms(times[198]),
            blocks / 200,
            times[100].as_secs_f64() / again.as_secs_f64(),
        );
        Measured {
            target: &format!("layout: {what}, again after one module has changed"),
            value: ms(times[100]),
            unit: "ms",
            peer: Some(("laying out all", ms(again))),
            aim: "≤ 0.1 ×",
            ..Measured::default()
        }
        .print();

        let picker = Picker::new(treemap.blocks(), treemap.parents());
        let mut at = |limit: f32| random.next() as f32 / u64::MAX as f32 * limit;
        let rays: Vec<_> = (0..1000)
            .map(|_| {
                let eye = glam::Vec3::new(at(1000.0), -500.0, 100.0 + at(600.0));
                let target = glam::Vec3::new(at(1000.0), at(700.0), 0.0);
                (eye, (target - eye).normalize())
            })
            .collect();
        let picking = quickest(|| {
            for &(eye, direction) in &rays {
                black_box(picker.pick(treemap.blocks(), &[], eye, direction));
            }
        });
        let searching = quickest(|| {
            black_box(search(&hierarchy, "tion_4711", 50, |_| true));
        });
        println!(
            "  picking {:.2} µs, search {:.2} ms",
            picking.as_secs_f64() * 1e6 / rays.len() as f64,
            ms(searching),
        );
    }
}
