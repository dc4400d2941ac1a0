//! What of a recording lies over the landscape: call relations up to a moment, and the hyperarcs of the
//! threads.

mod differences;
mod together;

use std::collections::BTreeMap;
use std::ops::Range;

use glam::Vec3;

use super::blocks::{block_of_function, block_of_module};
use super::counting::{Calls, Counting};
use super::ends::EndsOf;
use callscape_analysis::session::{Resolved, Session};
use callscape_base::units::{CallId, ModuleId, ThreadId};
use callscape_facts::hierarchy::Hierarchy;
use callscape_facts::trace::StackRoom;
use callscape_layout::arcs::{add_hyperarc, add_relations, emphasize};
use callscape_layout::block_relation::{ArcStyle, BlockRelation};
use callscape_layout::bundles::{Bundler, Ground, Path};
use callscape_layout::emphasis::Emphasis;
use callscape_layout::geometry::{Arcs, Settled};
use callscape_layout::ranking::Drawn;
use callscape_layout::spline;
use callscape_look::theme::{Palette, linear};
use callscape_model::arcs::{ArcMeasure, ArcMode};
use callscape_model::imports::{Imports, is_part_of_file};
use callscape_model::landscape::LandscapeSettings;
use callscape_model::left::Left;
use callscape_model::metric::Metric;
use callscape_model::moment::Moment;
use callscape_model::surface::Surface;
use callscape_model::theme::Theme;

/// While blocks move, their arcs are made anew in every frame: at most this many.
const MOST_ON_THE_WAY: usize = 800;

/// Control points that are kept of arcs that are not drawn now: beyond that all are made again.
const MOST_POINTS: usize = 4_000_000;

/// A light runs along an arc in this many half-lives of the glow.
const PULSE_HALF_LIVES: u64 = 16;

/// How many threads have hyperarcs, and how many hops of each are drawn: enough to follow, and a bound.
const MOST_THREADS: usize = 8;
const MOST_HOPS: usize = 64;

/// How many of the innermost open functions of a thread are named.
const NAMED_OF_STACK: usize = 3;

/// One strong colour a thread, far from those of relations and activity; light ones on dark ground.
const LIGHT_THREADS: [u32; 8] = [
    0x5B2A86, 0x1F4E9E, 0x8C1D5B, 0x2E6B34, 0x3B3B3B, 0x7A4B12, 0x0E6E83, 0x9B2226,
];
const DARK_THREADS: [u32; 8] = [
    0xC48DFF, 0x8FB8FF, 0xF7A1CF, 0xA5E3A0, 0xE8E8E8, 0xF3CE8B, 0x8FE3F0, 0xFFA9A0,
];

/// Inheritance, at the class that inherits and at its base: far from the colours of relations.
const LIGHT_INHERITS: [u32; 2] = [0x5B2A86, 0xB08CD0];
const DARK_INHERITS: [u32; 2] = [0xC48DFF, 0xF0E2FF];

/// The linear colours of inheritance, at the class that inherits and at its base.
pub fn inherits_colors(theme: Theme) -> [[f32; 3]; 2] {
    match theme {
        Theme::Light => LIGHT_INHERITS.map(linear),
        Theme::Dark => DARK_INHERITS.map(linear),
    }
}

/// The linear colour of a thread's hyperarc.
pub fn thread_color(theme: Theme, thread: ThreadId) -> [f32; 3] {
    let colors = match theme {
        Theme::Light => LIGHT_THREADS,
        Theme::Dark => DARK_THREADS,
    };
    linear(colors[thread.index() % colors.len()])
}

/// What arcs between files that change together were drawn for.
#[derive(Clone, Debug, PartialEq)]
struct DrawnFor {
    commits: Option<Range<u32>>,
    chosen: Option<ModuleId>,
    theme: Theme,
    bundling: f32,
    most_arcs: usize,
}

/// A relation that is drawn as an arc.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Count {
    pub relation: BlockRelation,
    /// The index of its arc.
    pub arc: usize,
    /// Of a difference, before its size; else empty.
    pub sign: &'static str,
}

/// Call relations and hyperarcs of one moment.
#[derive(Debug, Default)]
pub(super) struct Relations {
    arcs: Arcs,
    /// Innermost blocks of the threads' stacks, by importance.
    innermost: Vec<u32>,
    counting: Counting,
    bundler: Bundler,
    drawn: Drawn,
    /// Control points from here on are of hyperarcs.
    paths_end: usize,
    stack: Vec<CallId>,
    /// What led to it by links.
    linked: Vec<(ThreadId, CallId)>,
    room: StackRoom,
    path: Vec<u32>,
    hops: Vec<[u32; 2]>,
    /// By arc, whether it is a difference to more or to less; empty where they are no differences.
    signs: Vec<&'static str>,
    /// Of the arcs behind those of the relations, their ends and threads.
    hop_ends: Vec<([u32; 2], ThreadId)>,
    /// Where they join what changes together, what they were drawn for.
    together: Option<DrawnFor>,
}

/// What arcs are drawn for, and where.
#[derive(Clone, Debug)]
pub(super) struct ArcScene<'a> {
    pub session: &'a Session,
    pub settings: &'a LandscapeSettings,
    pub ground: Ground<'a>,
    pub ends: EndsOf<'a>,
    pub left: &'a Left,
    /// The blocks of what is pointed at and of what is chosen; empty for nothing.
    pub wanted: &'a [Range<u32>; 2],
    /// Blocks are on their way.
    pub is_moving: bool,
}

impl Relations {
    pub(super) fn arcs(&self) -> &Arcs {
        &self.arcs
    }

    pub(crate) fn arcs_mut(&mut self) -> &mut Arcs {
        &mut self.arcs
    }

    /// Other calls are left than before: what is known of them is of no use.
    pub(super) fn forget(&mut self) {
        self.counting.forget();
    }

    /// Blocks are elsewhere than before.
    pub(crate) fn forget_paths(&mut self) {
        for pair in &mut self.counting.pairs {
            pair.path = Path::default();
        }
        self.arcs.points.clear();
        self.arcs.settled = Settled::anew();
        self.paths_end = 0;
    }

    /// The points made so far stay until paths are forgotten.
    fn settle_paths(&mut self) {
        self.paths_end = self.arcs.points.len();
        self.arcs.settled.points = self.paths_end;
    }

    /// How many call relations are too many to be drawn.
    pub(super) fn left_out(&self) -> usize {
        self.drawn.left_out
    }

    /// The amount that is drawn widest.
    pub(super) fn most(&self, measure: ArcMeasure) -> u64 {
        match measure {
            ArcMeasure::Calls => self.counting.most_calls,
            ArcMeasure::Cost => self.counting.most_cost,
        }
    }

    /// The arcs of some blocks, shown alone.
    pub(crate) fn emphasize(&self, ground: Ground<'_>, blocks: Range<u32>) -> Emphasis {
        if blocks.is_empty() {
            return Emphasis::default();
        }
        emphasize(ground, &self.counting.pairs, &self.drawn, blocks)
    }

    pub(super) fn innermost(&self) -> &[u32] {
        &self.innermost
    }

    /// The relations that are drawn, the most important first.
    pub(super) fn counts(&self) -> impl Iterator<Item = Count> {
        let drawn = self.drawn.relations.iter().enumerate().rev();
        drawn.map(|(arc, &index)| Count {
            relation: self.counting.pairs[index as usize],
            arc,
            sign: self.signs.get(arc).copied().unwrap_or_default(),
        })
    }

    /// The middle of an arc whose ends have risen so far.
    pub(super) fn middle(&self, arc: usize, rises: [f32; 2]) -> Vec3 {
        let arc = self.arcs.arcs.get(arc);
        arc.map_or(Vec3::ZERO, |arc| spline::point(&self.arcs, arc, rises, 0.5))
    }

    /// Arcs for what is known of a chosen module without a recording, in place of those of a moment: the imports of the
    /// files in it and those that import them, outlined where they are part of a cycle; where colours say what is in
    /// cycles, the whole of its own; of a part of a file the calls told by name. From what imports or calls to what is
    /// imported or called. Beside them, from classes to their bases, inheritance in a colour of its own.
    pub(crate) fn show_imports(
        &mut self,
        imports: &Imports,
        settings: &LandscapeSettings,
        ground: Ground<'_>,
        (hierarchy, chosen): (&Hierarchy, Option<ModuleId>),
        block_of: &[u32],
    ) {
        self.clear();
        self.forget();
        self.counting.pairs.clear();
        self.forget_paths();
        let Some(chosen) = chosen.filter(|_| settings.arcs != ArcMode::None) else {
            return;
        };
        let mut between = match is_part_of_file(hierarchy, chosen) {
            true => calls_between(imports, hierarchy, chosen, block_of),
            false => {
                let cycles = Surface::Metric(Metric::ImportCycle);
                let cycle = imports.cycle_of(chosen).unwrap_or_default();
                let cycle = if settings.surface == cycles {
                    cycle
                } else {
                    &[]
                };
                imports_between(imports, hierarchy, (chosen, cycle), block_of)
            }
        };
        add_inherits(&mut between, imports, (hierarchy, chosen), block_of);
        let pairs = &mut self.counting.pairs;
        pairs.extend(between.iter().map(|(&(from, to), of)| BlockRelation {
            from,
            to,
            calls: of.count,
            step_calls: of.count,
            ..BlockRelation::default()
        }));
        self.bundler.strength = settings.bundling;
        let palette = Palette::of(settings.theme);
        let style = ArcStyle {
            ink: [palette.caller, palette.callee],
            most: between.values().map(|it| it.count).max().unwrap_or(0),
            limit: settings.most_arcs,
            ..ArcStyle::default()
        };
        add_relations(
            &mut self.arcs,
            ground,
            &mut self.bundler,
            &mut self.counting.pairs,
            &mut self.drawn,
            (&style, None),
        );
        self.settle_paths();
        let of_inherits = self.arcs.inks.len() as u32;
        self.arcs.inks.push(inherits_colors(settings.theme));
        for (arc, &index) in self.arcs.arcs.iter_mut().zip(&self.drawn.relations) {
            let relation = &mut self.counting.pairs[index as usize];
            let of = &between[&(relation.from, relation.to)];
            arc.is_lit = false;
            arc.outlined = of.in_cycle;
            if of.inherits {
                arc.ink = of_inherits;
            }
            relation.step_calls = 0;
        }
    }

    fn clear(&mut self) {
        self.together = None;
        self.hop_ends.clear();
        self.arcs.arcs.clear();
        self.arcs.inks.clear();
        self.arcs.points.truncate(self.paths_end);
        self.drawn.clear();
        self.innermost.clear();
        self.signs.clear();
    }

    /// Brings arcs and hyperarcs to `moment`. O(relations), and no more memory than the first time.
    pub(super) fn show(&mut self, moment: Option<Moment>, of: ArcScene<'_>) {
        self.clear();
        let resolved = moment.and_then(|moment| of.session.recordings.get(moment.recording));
        let (Some(moment), Some(resolved)) = (moment, resolved) else {
            return;
        };
        if of.settings.arcs != ArcMode::None {
            let calls = Calls {
                left: of.left,
                ends: of.ends.clone(),
                arcs: of.settings.arcs,
            };
            if self.counting.learn(resolved, moment, &calls) {
                self.forget_paths();
            }
            self.counting.count(resolved, moment, &calls);
            self.add_relations(moment, &of);
        }
        if !moment.summary {
            self.add_hyperarcs(resolved, moment, &of);
        }
    }

    /// The ends of the arc with this index, and the thread of a hop of a hyperarc.
    pub(super) fn ends(&self, arc: usize) -> Option<([u32; 2], Option<ThreadId>)> {
        match arc.checked_sub(self.drawn.relations.len()) {
            None => {
                let index = *self.drawn.relations.get(arc)?;
                let pair = self.counting.pairs.get(index as usize)?;
                Some(([pair.from, pair.to], None))
            }
            Some(hop) => self.hop_ends.get(hop).map(|&(ends, of)| (ends, Some(of))),
        }
    }

    fn add_relations(&mut self, moment: Moment, of: &ArcScene<'_>) {
        let settings = of.settings;
        if self.bundler.strength != settings.bundling
            || self.arcs.points.len() > MOST_POINTS
            || of.is_moving
        {
            self.forget_paths();
            self.bundler.strength = settings.bundling;
        }
        let palette = Palette::of(settings.theme);
        // Follows the recording's own time: lights run with the playback, backwards too, and rest with it.
        let period = settings
            .half_life
            .ns()
            .saturating_mul(PULSE_HALF_LIVES)
            .max(1);
        self.arcs.phase = ((moment.time.ns() % period) as f64 / period as f64) as f32;
        let limit = match of.is_moving {
            true => settings.most_arcs.min(MOST_ON_THE_WAY),
            false => settings.most_arcs,
        };
        let style = ArcStyle {
            ink: [palette.caller, palette.callee],
            measure: settings.arc_measure,
            most: self.most(settings.arc_measure),
            limit,
            wanted: of.wanted.clone(),
            only: (settings.arcs == ArcMode::Selection).then(|| of.wanted[1].clone()),
        };
        add_relations(
            &mut self.arcs,
            of.ground,
            &mut self.bundler,
            &mut self.counting.pairs,
            &mut self.drawn,
            (&style, self.counting.changed.as_deref()),
        );
        self.settle_paths();
    }

    fn add_hyperarcs(&mut self, resolved: &Resolved, moment: Moment, of: &ArcScene<'_>) {
        let &ArcScene {
            settings,
            ground,
            ref ends,
            left,
            ..
        } = of;
        let block_of = ends.block_of;
        let trace = &resolved.recording.trace;
        let mut shown = 0;
        for thread in trace.thread_ids() {
            if shown == MOST_THREADS {
                break;
            }
            trace.stack_within(thread, moment.time, &mut self.stack, &mut self.room);
            let calls = left.stack(trace, thread, &self.stack);
            self.path.clear();
            let outermost = self.stack.first().filter(|_| trace.has_links());
            if let Some(&outermost) = outermost {
                trace.path_with_links(thread, outermost, &mut self.linked);
                self.linked.pop();
                for (thread, call) in &self.linked {
                    let calls = left.stack(trace, *thread, std::slice::from_ref(call));
                    self.path.extend(
                        calls.filter_map(|call| {
                            block_of_function(resolved, call.function, block_of)
                        }),
                    );
                }
            }
            self.path.extend(
                calls.filter_map(|call| block_of_function(resolved, call.function, block_of)),
            );
            self.path.dedup();
            let Some(&innermost) = self.path.last() else {
                continue;
            };
            shown += 1;
            self.innermost.push(innermost);
            let named = self.path.iter().rev().skip(1).take(NAMED_OF_STACK - 1);
            self.innermost.extend(named);
            if settings.arcs == ArcMode::None {
                continue;
            }
            let color = thread_color(settings.theme, thread);
            // Recursion goes the same ways again and again: each is drawn once. The innermost count.
            self.hops.clear();
            for hop in self.path.windows(2).rev().map(|hop| [hop[0], hop[1]]) {
                if self.hops.len() < MOST_HOPS && !self.hops.contains(&hop) {
                    self.hops.push(hop);
                }
            }
            self.hops.reverse();
            add_hyperarc(&mut self.arcs, ground, &self.hops, color);
            self.hop_ends
                .extend(self.hops.iter().map(|&hop| (hop, thread)));
        }
    }
}

/// What lies between two blocks.
#[derive(Clone, Copy, Debug, Default)]
struct Link {
    /// How many imports or calls, or classes that inherit.
    count: u64,
    /// A cycle leads through them.
    in_cycle: bool,
    /// Inheritance alone.
    inherits: bool,
}

/// By pair of blocks what lies between them.
type Between = BTreeMap<(u32, u32), Link>;

fn add(
    between: &mut Between,
    (from, to): (ModuleId, ModuleId),
    block_of: &[u32],
    (count, in_cycle): (u64, bool),
) {
    let blocks = [from, to].map(|of| block_of_module(of, block_of));
    if let [Some(from), Some(to)] = blocks
        && from != to
    {
        let sum = between.entry((from, to)).or_default();
        sum.count = sum.count.saturating_add(count);
        sum.in_cycle |= in_cycle;
    }
}

/// Inheritance of the classes in `chosen`, and from them. O(pairs).
fn add_inherits(
    between: &mut Between,
    imports: &Imports,
    (hierarchy, chosen): (&Hierarchy, ModuleId),
    block_of: &[u32],
) {
    let mut found = Between::new();
    for &(from, to) in imports.bases() {
        if [from, to].iter().any(|&it| hierarchy.contains(chosen, it)) {
            add(&mut found, (from, to), block_of, (1, false));
        }
    }
    for (pair, link) in found {
        // Where imports lie between the same blocks, as between collapsed files, these say it.
        between.entry(pair).or_insert(Link {
            inherits: true,
            ..link
        });
    }
}

/// The imports of the files in `chosen`, those of them by others, and those within a cycle. O(imports).
fn imports_between(
    imports: &Imports,
    hierarchy: &Hierarchy,
    (chosen, own): (ModuleId, &[ModuleId]),
    block_of: &[u32],
) -> Between {
    let mut between = Between::new();
    for &(from, to) in imports.pairs() {
        let is_inside = [from, to].map(|of| hierarchy.contains(chosen, of));
        let is_of_own = || own.binary_search(&from).is_ok() && own.binary_search(&to).is_ok();
        if is_inside[0] || is_inside[1] || is_of_own() {
            let cycle = imports.cycle_of(from);
            let in_cycle = cycle.is_some_and(|cycle| cycle.binary_search(&to).is_ok());
            add(&mut between, (from, to), block_of, (1, in_cycle));
        }
    }
    between
}

/// The calls told by name that leave a part of a file or enter it.
fn calls_between(
    imports: &Imports,
    hierarchy: &Hierarchy,
    chosen: ModuleId,
    block_of: &[u32],
) -> Between {
    let mut between = Between::new();
    for (from, to, count) in imports.calls_of(hierarchy, chosen) {
        add(&mut between, (from, to), block_of, (count, false));
    }
    between
}
