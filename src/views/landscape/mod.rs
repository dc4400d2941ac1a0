//! The landscape: the module hierarchy as terraces and plinths, what runs on it, and the call relations.
//!
//! A view holds no facts: it is laid out for a session, and brought to a moment of a recording with
//! [`LandscapeView::show`]; both do work only for what changed.

mod activity;
mod highlight;
mod left;
mod motion;
mod relations;
mod surface;
mod twin;

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use glam::{Vec2, Vec3};

use super::metrics::{Metric, ModuleFacts, ModuleMetrics};
use crate::analysis::session::Session;
use crate::facts::hierarchy::{Hierarchy, ModuleKind};
use crate::filter::cut::Cut;
use crate::filter::selection::Selection;
use crate::layout::arcs::ArcMeasure;
use crate::layout::bundles::Ground;
use crate::layout::emphasis::Focus;
use crate::layout::geometry::{self, Arcs, Block, BlockKind, BlockLook, FlatLabel, ScreenLabel};
use crate::layout::labels::Eye;
use crate::layout::labels::flat::{Around, FlatLabels};
use crate::layout::labels::screen::{Reason, Request, ScreenLabels, Subject};
use crate::layout::labels::text::width;
use crate::layout::pick::{Hit, Picker};
use crate::layout::pick_arc;
use crate::layout::treemap::{Heights, Plan, Tiling, Treemap};
use crate::render::camera::Camera;
use crate::render::renderer::lightness_levels;
use crate::render::theme::Theme;
use crate::units::{Cost, ModuleId, ThreadId, Time, TimeRange, Unit, grouped};

pub use highlight::Highlight;
pub use left::Left;
use relations::Count;

pub use crate::views::difference::RelationDifference;
pub use motion::Boxes;
pub use relations::thread_color;
pub use surface::{BARS, ColorScale, Scale, Surface, color_at, languages};

/// Which call relations lie over the landscape as arcs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ArcMode {
    /// All up to now, those of the last step standing out.
    #[default]
    All,
    /// Those of the module chosen.
    Selection,
    /// Those of the last step.
    Step,
    /// What differs between two runs: added, gone, more and less; all where nothing is compared.
    Difference,
    None,
}

impl ArcMode {
    pub const ALL: [ArcMode; 5] = [
        ArcMode::All,
        ArcMode::Selection,
        ArcMode::Step,
        ArcMode::Difference,
        ArcMode::None,
    ];

    /// As the command line and session files call it.
    pub fn name(self) -> &'static str {
        match self {
            ArcMode::All => "all",
            ArcMode::Selection => "selection",
            ArcMode::Step => "step",
            ArcMode::Difference => "difference",
            ArcMode::None => "none",
        }
    }
}

/// As Holten recommends.
pub const BUNDLING: f32 = 0.85;

/// How many arcs are drawn unless asked for otherwise, and at most.
pub const MOST_ARCS: usize = 10_000;
pub const ARCS_AT_MOST: usize = 200_000;

/// What the landscape maps to what.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LandscapeSettings {
    pub area: Metric,
    /// None: leaves of even height.
    pub height: Option<Metric>,
    pub surface: Surface,
    /// How the values of a metric are spread over its colours.
    pub scale: Scale,
    pub arcs: ArcMode,
    /// What the width of arcs says.
    pub arc_measure: ArcMeasure,
    /// How closely arcs follow the hierarchy, 0 (straight) to 1: Holten's β.
    pub bundling: f32,
    /// So many arcs are drawn at most, the most important.
    pub most_arcs: usize,
    pub theme: Theme,
    pub tiling: Tiling,
    /// The time in the recording after which the glow of what ran has halved.
    pub half_life: Cost,
    /// What stands out by its value.
    pub highlight: Option<Highlight>,
    /// How the values of a metric are spread over heights; none: by their square root.
    pub height_scale: Option<Scale>,
}

impl LandscapeSettings {
    /// Whether area, height or colour say something of their own, which a legend has to explain.
    pub fn says_more(&self) -> bool {
        let plain = LandscapeSettings::default();
        (self.area, self.height, self.surface) != (plain.area, plain.height, plain.surface)
            || self.highlight.is_some()
    }
}

impl Default for LandscapeSettings {
    fn default() -> LandscapeSettings {
        LandscapeSettings {
            area: Metric::LinesOfCode,
            height: None,
            surface: Surface::Neutral,
            scale: Scale::Log,
            arcs: ArcMode::All,
            arc_measure: ArcMeasure::Calls,
            bundling: BUNDLING,
            most_arcs: MOST_ARCS,
            theme: Theme::Light,
            tiling: Tiling::Squarified,
            half_life: Cost::from_ns(50_000_000),
            highlight: None,
            height_scale: None,
        }
    }
}

/// A point in time of a recording, and where the last step to it began: the cel is what happened after
/// `previous`, up to `time`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    pub recording: usize,
    pub time: Time,
    pub previous: Time,
    /// Only what happened in it is shown, and counted.
    pub range: Option<TimeRange>,
    /// In place of the cel the final state over the whole range (AVID section 2.2): every call relation,
    /// and what ran by its self cost.
    pub summary: bool,
    /// The self cost that glows most in a summary, so that two can be held against each other; zero: the largest
    /// in this one.
    pub most: Cost,
}

impl Moment {
    /// The time up to which something is shown, and that from which on; none outside of the range.
    fn window(&self) -> Option<(Time, Time)> {
        let Some(range) = self.range else {
            return Some((Time::ZERO, self.time));
        };
        (range.start <= self.time).then(|| (range.start, self.time.min(range.end)))
    }

    /// The final state of a recording without times, a profile.
    pub fn without_time(recording: usize) -> Moment {
        Moment {
            recording,
            time: Time::ZERO,
            previous: Time::ZERO,
            range: None,
            summary: true,
            most: Cost::ZERO,
        }
    }
}

/// A call relation between displayed modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModuleRelation {
    pub from: ModuleId,
    pub to: ModuleId,
    pub calls: u64,
    /// Those of the calls that happened in the cel.
    pub step_calls: u64,
}

/// Stands for the block of what is hidden.
const NO_BLOCK: u32 = u32::MAX;

/// More blocks than this do not ease to their new places: a frame of them takes too long to make.
const MOST_MOVING: usize = 300_000;

/// An arc under the pointer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PickedArc {
    /// Its place among all that are drawn.
    pub arc: usize,
    pub from: ModuleId,
    pub to: ModuleId,
    /// Of a hop of a hyperarc.
    pub thread: Option<ThreadId>,
    pub point: Vec3,
    /// Pixels from its edge; 0 on it.
    pub distance: f32,
}

/// The pointer is on an arc when it is no further away than so many pixels.
const ARC_REACH: f32 = 5.0;

/// How long other arcs take to step back, in seconds.
const FOCUSING: f32 = 0.16;

/// An arc that is pointed at or chosen is so much wider.
const MARKED_WIDTH: f32 = 1.7;

/// What glows more than this runs.
const RUNNING_GLOW: f32 = 0.5;

/// Districts named on the screen where their names cannot be read on them.
const MOST_DISTRICTS_UNSAID: usize = 24;

/// Names of running functions shown at once.
const MOST_RUNNING_NAMES: usize = 6;

/// Counts at arcs shown at once: of the cel, and of the module chosen. More hide what they stand at.
const MOST_COUNTS_OF_CEL: usize = 7;
const MOST_COUNTS_OF_CHOSEN: usize = 9;

fn eye(camera: &Camera, size: Vec2) -> Eye {
    let world_from_view = camera.view_from_world().inverse();
    Eye {
        position: camera.eye,
        right: world_from_view.x_axis.truncate(),
        clip_from_world: camera.clip_from_world(size.x / size.y),
        size,
        focal: size.y * 0.5 / (camera.fov_y * 0.5).tan(),
    }
}

/// Functions without source are drawn as if they had this share of the mean function's lines: large
/// enough to see what runs in them, small enough to leave the city to the source.
const UNKNOWN_SHARE: f64 = 0.3;

/// Gives functions of which no lines are known a size.
fn guess_unknown(hierarchy: &Hierarchy, lines: &mut [f64]) {
    let is_function =
        |&id: &ModuleId| hierarchy.kind(id) == ModuleKind::Function && hierarchy.is_leaf(id);
    let functions = || hierarchy.modules().filter(is_function);
    let (mut sum, mut known) = (0.0, 0.0f64);
    for function in functions().filter(|id| lines[id.index()] > 0.0) {
        sum += lines[function.index()];
        known += 1.0;
    }
    let guess = sum / known.max(1.0) * UNKNOWN_SHARE;
    for function in functions() {
        let lines = &mut lines[function.index()];
        if *lines <= 0.0 {
            *lines = guess;
        }
    }
}

/// What each module's footprint is to say. Lines of code are guessed where none are known.
fn areas(hierarchy: &Hierarchy, metrics: &ModuleMetrics, metric: Metric) -> Vec<f64> {
    let mut areas = metrics.areas(hierarchy, metric);
    if metric == Metric::LinesOfCode {
        guess_unknown(hierarchy, &mut areas);
    }
    areas
}

/// The footprints by lines of code.
fn areas_by_lines(hierarchy: &Hierarchy, metrics: &ModuleMetrics) -> Arc<[f64]> {
    areas(hierarchy, metrics, Metric::LinesOfCode).into()
}

/// What a legend says of footprints and heights.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Amounts {
    /// What all footprints together stand for; none where the metric does not add up.
    pub area: Option<f64>,
    /// What the tallest block stands for; none where heights are even or nothing is known.
    pub height: Option<f64>,
}

/// The landscape of a session.
#[derive(Debug)]
pub struct LandscapeView {
    settings: LandscapeSettings,
    metrics: Arc<ModuleMetrics>,
    cut: Cut,
    /// The footprints that a stable layout keeps to.
    references: Arc<[f64]>,
    blocks: Vec<Block>,
    parents: Vec<u32>,
    looks: Vec<BlockLook>,
    /// The looks that the last update changed, apart and in order.
    changed: Vec<Range<u32>>,
    color_scale: ColorScale,
    /// Of footprints and of heights, worked out when asked for.
    ground_scales: [OnceLock<ColorScale>; 2],
    plain: highlight::Plain,
    amounts: Amounts,
    levels: f32,
    /// On the way from an earlier layout.
    motion: Option<motion::Motion>,
    /// Blocks have moved since arcs were last drawn between them.
    has_moved: bool,
    /// They had when arcs were last drawn between them.
    were_moving: bool,
    /// By module, the block that stands for it; [`NO_BLOCK`] for what is hidden.
    block_of: Vec<u32>,
    picker: Picker,
    activity: activity::Activity,
    relations: relations::Relations,
    flat_labels: FlatLabels,
    screen_labels: ScreenLabels,
    shown: Option<Moment>,
    left: Left,
    /// What relations weigh where the recording does not count calls.
    weighs: Option<Unit>,
    /// The arcs that stand out one by one, as they are otherwise.
    marked: Vec<(usize, geometry::Arc)>,
    /// Whose arcs stand out: the module pointed at, and the one chosen, both as they are displayed.
    focused: [Option<ModuleId>; 2],
    focus: Focus,
}

impl LandscapeView {
    /// Lays the session out, nothing of a recording shown yet. Linear in modules and, once, in calls.
    pub fn new(session: &Session, settings: &LandscapeSettings, cut: &Cut) -> LandscapeView {
        let metrics = Arc::new(ModuleMetrics::new(session, 0));
        LandscapeView::with(session, metrics, Arc::default(), settings, cut)
    }

    /// The same with metrics that are known already, and the footprints that a stable layout keeps to; without
    /// any it keeps to those by lines of code.
    pub fn with(
        session: &Session,
        metrics: Arc<ModuleMetrics>,
        references: Arc<[f64]>,
        settings: &LandscapeSettings,
        cut: &Cut,
    ) -> LandscapeView {
        let mut view = LandscapeView {
            settings: *settings,
            metrics,
            cut: Cut::all(),
            references,
            blocks: Vec::new(),
            parents: Vec::new(),
            looks: Vec::new(),
            changed: Vec::new(),
            color_scale: ColorScale::default(),
            ground_scales: [OnceLock::new(), OnceLock::new()],
            plain: highlight::Plain::default(),
            amounts: Amounts::default(),
            levels: 1.0,
            motion: None,
            has_moved: false,
            were_moving: false,
            block_of: Vec::new(),
            picker: Picker::default(),
            activity: activity::Activity::default(),
            relations: relations::Relations::default(),
            flat_labels: FlatLabels::default(),
            screen_labels: ScreenLabels::default(),
            shown: None,
            left: Left::default(),
            weighs: None,
            marked: Vec::new(),
            focused: [None; 2],
            focus: Focus {
                share: 1.0,
                ..Focus::default()
            },
        };
        view.lay_out(session, settings, cut);
        view
    }

    /// Takes other settings or another cut for the same session; lays out anew only where these differ in
    /// what decides the layout, and says whether it did. What was shown of a recording has to be shown again.
    pub fn lay_out(&mut self, session: &Session, settings: &LandscapeSettings, cut: &Cut) -> bool {
        let ground = |of: &LandscapeSettings| (of.area, of.height, of.height_scale, of.tiling);
        let is_same = ground(&self.settings) == ground(settings) && self.cut == *cut;
        self.settings = *settings;
        let is_placed = !is_same || self.blocks.is_empty();
        if is_placed {
            self.cut.clone_from(cut);
            self.place(&session.hierarchy);
        }
        self.paint(session);
        if is_placed {
            self.relations = relations::Relations::default();
        }
        is_placed
    }

    /// Gives the blocks the colours of the settings; nothing is shown of a recording.
    fn paint(&mut self, session: &Session) {
        let settings = &self.settings;
        self.looks.clear();
        self.looks.resize(self.blocks.len(), BlockLook::default());
        let (colors, scale) =
            surface::colors(settings, &session.hierarchy, &self.metrics, &self.blocks);
        self.color_scale = scale;
        for (look, color) in self.looks.iter_mut().zip(colors) {
            look.data = color;
        }
        if settings.surface == Surface::Difference
            && let Some(difference) = self.metrics.difference()
        {
            for (look, block) in self.looks.iter_mut().zip(&self.blocks) {
                if block.kind != BlockKind::Terrace {
                    look.mark = difference.mark(block.module);
                }
            }
        }
        self.highlight_anew(&session.hierarchy);
        self.activity.forget();
        self.picker
            .set_risen(&self.blocks, &self.parents, &self.looks, []);
        self.shown = None;
        self.changed.clear();
        self.changed.push(0..self.blocks.len() as u32);
    }

    /// Makes the blocks, and what is found by them.
    fn place(&mut self, hierarchy: &Hierarchy) {
        let settings = &self.settings;
        let areas = areas(hierarchy, &self.metrics, settings.area);
        if settings.tiling == Tiling::Stable && self.references.len() != hierarchy.len() {
            self.references = match settings.area {
                Metric::LinesOfCode => areas.as_slice().into(),
                _ => areas_by_lines(hierarchy, &self.metrics),
            };
        }
        let heights = match settings.height {
            None => Heights::Even,
            Some(metric) => Heights::Metric(self.metrics.values(hierarchy, metric)),
        };
        let spread = match (&heights, settings.height_scale) {
            (Heights::Metric(values), Some(scale)) => {
                Some(Heights::Metric(self.spread(hierarchy, values, scale)))
            }
            _ => None,
        };
        let (blocks, parents) = (&mut self.blocks, &mut self.parents);
        let mut treemap = Treemap::in_place_of(std::mem::take(blocks), std::mem::take(parents));
        treemap.lay_out(&Plan {
            hierarchy,
            cut: &self.cut,
            areas: &areas,
            references: &self.references,
            heights: spread.as_ref().unwrap_or(&heights),
            tiling: settings.tiling,
        });
        (self.blocks, self.parents) = treemap.into_blocks();
        let tallest = |values: &[f64]| {
            let solid = |block: &&Block| block.kind != BlockKind::Terrace;
            let of = self.blocks.iter().filter(solid);
            let of = of.filter_map(|block| values.get(block.module.index()));
            of.copied()
                .filter(|value| value.is_finite())
                .fold(0.0, f64::max)
        };
        self.amounts = Amounts {
            area: self.metrics.sum_of_all(hierarchy, settings.area),
            height: match &heights {
                Heights::Even => None,
                Heights::Metric(values) => Some(tallest(values)).filter(|&most| most > 0.0),
            },
        };
        self.levels = lightness_levels(&self.blocks);
        self.ground_scales = [OnceLock::new(), OnceLock::new()];
        self.motion = None;
        self.picker = Picker::new(&self.blocks, &self.parents);
        self.block_of = vec![NO_BLOCK; hierarchy.len()];
        for (index, block) in self.blocks.iter().enumerate() {
            let mut of = block.module.0..block.module.0 + 1;
            if block.kind == BlockKind::Collapsed {
                of = hierarchy.subtree(block.module);
            }
            self.block_of[of.start as usize..of.end as usize].fill(index as u32);
        }
        self.flat_labels = FlatLabels::new(hierarchy, &self.blocks);
    }

    /// What heights, which grow with the square root, have to be given for values to be spread by `scale`.
    fn spread(&self, hierarchy: &Hierarchy, values: &[f64], scale: Scale) -> Vec<f64> {
        // Of what the cut leaves: before there are blocks, all that stands on the ground by itself.
        let is_solid = |&id: &ModuleId| hierarchy.is_leaf(id) || self.cut.is_collapsed(id);
        let solid = hierarchy.modules().filter(is_solid);
        let solid = solid.map(|id| values.get(id.index()).copied().unwrap_or(0.0));
        let measure = self.metrics.measure();
        let metric = self.settings.height.unwrap_or(Metric::LinesOfCode);
        let scale = ColorScale::new(metric, scale, measure, solid);
        let share = |&value: &f64| match value > 0.0 && value.is_finite() {
            // What is least is still seen to be something.
            true => f64::from(scale.share(value)).max(0.02).powi(2),
            false => 0.0,
        };
        values.iter().map(share).collect()
    }

    /// The values that footprints show, and how many blocks have which.
    pub fn area_scale(&self, hierarchy: &Hierarchy) -> &ColorScale {
        self.ground_scales[0]
            .get_or_init(|| self.scale_of(hierarchy, self.settings.area, Scale::Log))
    }

    /// The same of heights; none where they are even.
    pub fn height_scale(&self, hierarchy: &Hierarchy) -> Option<&ColorScale> {
        let metric = self.settings.height?;
        let scale = self.settings.height_scale.unwrap_or(Scale::Log);
        Some(self.ground_scales[1].get_or_init(|| self.scale_of(hierarchy, metric, scale)))
    }

    fn scale_of(&self, hierarchy: &Hierarchy, metric: Metric, scale: Scale) -> ColorScale {
        let values = self.metrics.values(hierarchy, metric);
        let measure = self.metrics.measure();
        ColorScale::new(
            metric,
            scale,
            measure,
            surface::solid(&values, &self.blocks),
        )
    }

    /// Where blocks are now, by the module that `name` says each stands for: what a later layout eases from.
    pub fn boxes(&self, name: impl Fn(ModuleId) -> Option<ModuleId>) -> Boxes {
        let blocks = self.blocks_now().iter();
        blocks
            .filter_map(|block| Some((name(block.module)?, (block.min, block.max))))
            .collect()
    }

    /// Eases into this layout from where modules were in another, `name` saying by which name. Too large a
    /// landscape is there at once.
    pub fn ease_from(&mut self, before: &Boxes, name: impl Fn(ModuleId) -> Option<ModuleId>) {
        if self.blocks.len() > MOST_MOVING {
            return;
        }
        let before = |module: ModuleId| before.get(&name(module)?).copied();
        self.motion = Some(motion::Motion::new(&self.blocks, before));
        self.has_moved = true;
    }

    /// For each displayed module that holds others, in preorder, how large its leaves are on a picture of `size`
    /// pixels, on average and as the sides of squares. What is not on the picture is left out. O(blocks).
    pub fn leaf_sizes(
        &self,
        session: &Session,
        camera: &Camera,
        size: Vec2,
    ) -> Vec<(ModuleId, f32)> {
        let eye = eye(camera, size);
        let hierarchy = &session.hierarchy;
        let mut leaves = vec![0u32; hierarchy.len() + 1];
        for id in hierarchy.modules() {
            let is_leaf = u32::from(hierarchy.is_leaf(id));
            leaves[id.index() + 1] = leaves[id.index()] + is_leaf;
        }
        let holding = self
            .blocks
            .iter()
            .filter(|block| block.kind != BlockKind::Leaf);
        let sizes = holding.filter_map(|block| {
            let middle = ((block.min + block.max) * 0.5).with_z(block.max.z);
            let side = ((block.max.x - block.min.x) * (block.max.y - block.min.y)).sqrt();
            let near = (middle - eye.position).length() - side * 0.7;
            let at = eye.clip_from_world * middle.extend(1.0);
            let radius = side * 1.5;
            let is_seen = at.w > -radius
                && at.x.abs() <= at.w + radius * 2.0
                && at.y.abs() <= at.w + radius * 2.0;
            let subtree = hierarchy.subtree(block.module);
            let count = leaves[subtree.end as usize] - leaves[subtree.start as usize];
            let pixels = side / (count.max(1) as f32).sqrt() * eye.focal / near.max(1.0);
            is_seen.then_some((block.module, pixels))
        });
        sizes.collect()
    }

    /// Moves the blocks on to their places; whether they were moving.
    pub fn advance(&mut self, seconds: f32) -> bool {
        self.focus.share = (self.focus.share + seconds / FOCUSING).min(1.0);
        let Some(motion) = &mut self.motion else {
            return false;
        };
        if !motion.advance(&self.blocks, seconds) {
            self.motion = None;
        }
        self.has_moved = true;
        true
    }

    /// Where blocks on their way started, lowest and highest corner of each, and how much of it they have gone:
    /// 0 to 1. None when all have arrived.
    pub fn way(&self) -> Option<(&[(Vec3, Vec3)], f32)> {
        let motion = self.motion.as_ref()?;
        Some((motion.starts(), motion.share()))
    }

    /// Whether blocks are on their way, or arcs step back.
    pub fn is_moving(&self) -> bool {
        self.motion.is_some() || self.focus.share < 1.0
    }

    /// Takes what is pointed at and chosen: the arcs of the one are shown alone, those of the other stand out.
    /// Whether there are others than before, and the moment has to be shown again.
    pub fn point(&mut self, selection: &Selection) -> bool {
        let displayed = |of: Option<ModuleId>| of.and_then(|module| self.displayed(module));
        let focused = [selection.pointed.module, selection.chosen.module].map(displayed);
        let [hovered, chosen] = self.focused;
        if focused == self.focused {
            return false;
        }
        if focused[0] != hovered {
            if self.focus.share >= 0.5 {
                self.focus.before = std::mem::take(&mut self.focus.hovered);
            }
            self.focus.share = 0.0;
        }
        self.focused = focused;
        let is_of_chosen = self.settings.arcs == ArcMode::Selection && focused[1] != chosen;
        if is_of_chosen || self.relations.left_out() > 0 {
            self.has_moved = true;
            return true;
        }
        self.find_focus();
        false
    }

    /// The blocks of a displayed module.
    fn blocks_of(&self, module: Option<ModuleId>) -> Range<u32> {
        let block = module.and_then(|module| self.block_of.get(module.index()));
        let block = block.filter(|&&block| block != NO_BLOCK);
        block.map_or(0..0, |&block| {
            block..self.blocks[block as usize].subtree_end
        })
    }

    /// Finds out how clear the arcs are that stand out.
    fn find_focus(&mut self) {
        let ground = Ground {
            blocks: &self.blocks,
            parents: &self.parents,
            looks: &self.looks,
        };
        let [hovered, chosen] = self.focused.map(|module| self.blocks_of(module));
        self.focus.hovered = self.relations.emphasize(ground, hovered);
        self.focus.chosen = self.relations.emphasize(ground, chosen);
    }

    /// Which arcs stand out, and which step back.
    pub fn arc_focus(&self) -> &Focus {
        &self.focus
    }

    /// What is pointed at is so at once: pictures do not ease.
    pub fn settle(&mut self) {
        self.focus.share = 1.0;
    }

    /// The blocks as they are to be drawn now, in preorder of modules.
    pub fn blocks_now(&self) -> &[Block] {
        self.motion
            .as_ref()
            .map_or(&self.blocks, motion::Motion::blocks)
    }

    /// Shows a moment of a recording, or the structure alone.
    pub fn show(&mut self, session: &Session, moment: Option<Moment>) {
        self.changed.clear();
        if self.shown == moment {
            if self.has_moved {
                self.relate(session, moment);
            }
            return;
        }
        self.shown = moment;
        let of = moment.and_then(|moment| session.recordings.get(moment.recording));
        self.weighs = of
            .filter(|of| !of.recording.counts_calls())
            .map(|of| of.recording.unit().clone());
        self.activity.show(
            session,
            moment,
            &self.settings,
            &self.blocks,
            &self.parents,
            &self.block_of,
            &mut self.looks,
            &mut self.changed,
            &self.left,
        );
        let risen = self.activity.risen().iter().copied();
        self.picker
            .set_risen(&self.blocks, &self.parents, &self.looks, risen);
        self.relate(session, moment);
    }

    /// Draws the arcs of a moment between the blocks where they are now.
    fn relate(&mut self, session: &Session, moment: Option<Moment>) {
        self.has_moved = false;
        self.marked.clear();
        let moving = self.motion.as_ref();
        let is_moving = moving.is_some();
        // Also once more when they have arrived.
        if is_moving || self.were_moving {
            self.relations.forget_paths();
        }
        self.were_moving = is_moving;
        let wanted = self.focused.map(|module| self.blocks_of(module));
        let moving = self.motion.as_ref();
        let ground = Ground {
            blocks: moving.map_or(&self.blocks, motion::Motion::blocks),
            parents: &self.parents,
            looks: &self.looks,
        };
        if let Some(difference) = self.metrics.difference()
            && self.settings.arcs == ArcMode::Difference
        {
            // They count calls or weigh costs whatever the moment.
            self.weighs = None;
            let relations = difference.relations();
            self.relations
                .show_differences(relations, &self.settings, ground, &self.block_of);
            return self.find_focus();
        }
        self.relations.show(
            moment,
            relations::Shown {
                session,
                settings: &self.settings,
                ground,
                block_of: &self.block_of,
                left: &self.left,
                wanted: &wanted,
                is_moving,
            },
        );
        self.find_focus();
    }

    /// Shows in place of a moment what differs between two runs: call relations between functions' modules, by
    /// how many calls B has more than A, or by how much cost where calls are not counted. O(r log r).
    pub fn show_differences(&mut self, session: &Session, relations: &[RelationDifference]) {
        self.show(session, None);
        self.shown = None;
        self.weighs = None;
        let ground = Ground {
            blocks: &self.blocks,
            parents: &self.parents,
            looks: &self.looks,
        };
        self.relations
            .show_differences(relations, &self.settings, ground, &self.block_of);
        self.marked.clear();
        self.find_focus();
    }

    /// Shows only what is left; what was shown has to be shown again.
    pub fn leave(&mut self, left: Left) {
        self.left = left;
        self.relations.forget();
        self.shown = None;
    }

    pub fn left(&self) -> &Left {
        &self.left
    }

    /// The arc that is seen at a pixel of a picture of `size` and `scale`, or else near it: the modules at its ends, the thread
    /// of a hop of a hyperarc, and the place on it. What `block` hides, the place of a block that was met there, is
    /// not found, nor what is too faint. O(arcs).
    pub fn pick_arc(
        &self,
        camera: &Camera,
        at: Vec2,
        (size, scale): (Vec2, f32),
        block: Option<Vec3>,
    ) -> Option<PickedArc> {
        let pick = pick_arc::Pick {
            eye: &eye(camera, size),
            at,
            reach: ARC_REACH * scale,
            scale,
            block,
            focus: &self.focus,
        };
        let hit = pick_arc::pick(self.relations.arcs(), &pick)?;
        let (ends, thread) = self.relations.ends(hit.arc)?;
        let [from, to] = ends.map(|block| self.blocks.get(block as usize).map(|it| it.module));
        Some(PickedArc {
            arc: hit.arc,
            from: from?,
            to: to?,
            thread,
            point: hit.point,
            distance: hit.distance,
        })
    }

    /// Chooses the names for a camera and a picture of `size` physical pixels: districts by their size on
    /// the screen; what is pointed at, chosen, `found` or running by request. `em` is the height of
    /// letters on the screen in pixels.
    pub fn label(
        &mut self,
        session: &Session,
        selection: &Selection,
        found: &[ModuleId],
        camera: &Camera,
        size: Vec2,
        em: f32,
    ) {
        let hierarchy = &session.hierarchy;
        let eye = eye(camera, size);
        let (looks, picker) = (&self.looks, &self.picker);
        // Names go along with their blocks. What stands before what is known only of blocks at rest.
        let moving = self.motion.as_ref();
        let is_moving = moving.is_some();
        let blocks = moving.map_or(self.blocks.as_slice(), motion::Motion::blocks);
        let meant = [selection.pointed.module, selection.chosen.module];
        let block_of_module = |module: ModuleId| self.block_of.get(module.index()).copied();
        let glows = |module| {
            let look = block_of_module(module).and_then(|it| looks.get(it as usize));
            look.is_some_and(|look| look.glow > RUNNING_GLOW)
        };
        let around = Around {
            looks,
            is_seen: |_, point| is_moving || picker.shows(blocks, looks, point, eye.position),
            importance: |module| match module {
                _ if meant.contains(&Some(module)) => 3,
                _ if found.contains(&module) => 2,
                _ => u8::from(glows(module)),
            },
        };
        self.flat_labels.update(hierarchy, blocks, &eye, &around);
        let (looks, block_of, theme) = (&self.looks, &self.block_of, self.settings.theme);
        self.flat_labels.ink(|module| {
            let block = block_of.get(module.index());
            let look = block.and_then(|&block| looks.get(block as usize));
            look.is_some_and(|look| surface::hides_ink(theme, look.data))
        });

        let of = |module: ModuleId, reason: Reason| {
            let index = *self.block_of.get(module.index())?;
            let block = blocks.get(index as usize)?;
            let rise = self.looks.get(index as usize)?.rise;
            let middle = (block.min + block.max) * 0.5;
            Some(Request {
                of: Subject::Module(module),
                name: hierarchy.name(module),
                reason,
                top: middle.with_z(block.max.z + rise),
            })
        };
        let running = self.relations.innermost().iter().take(MOST_RUNNING_NAMES);
        let running = running.filter_map(|&index| Some(self.blocks.get(index as usize)?.module));
        let requests = selection
            .pointed
            .module
            .map(|module| (module, Reason::Hovered))
            .into_iter()
            .chain(
                selection
                    .chosen
                    .module
                    .map(|module| (module, Reason::Selected)),
            )
            .chain(found.iter().map(|&module| (module, Reason::Found)))
            .chain(running.map(|module| (module, Reason::Running)))
            // A district whose name can be read on its terrace needs no second one.
            .filter(|&(module, _)| !self.flat_labels.is_read(module))
            .filter_map(|(module, reason)| of(module, reason));
        let unsaid = self.flat_labels.unsaid(blocks, &eye);
        let unsaid = unsaid.filter_map(|(index, edge)| {
            let module = blocks.get(index as usize)?.module;
            let name = hierarchy.name(module);
            let [from, to] = edge.map(|end| eye.project(end));
            let fits = from?.distance(to?) > (width(name) + 1.0) * em;
            (fits && !self.flat_labels.is_read(module)).then_some(Request {
                of: Subject::Module(module),
                name,
                reason: Reason::District,
                top: edge[0].midpoint(edge[1]),
            })
        });
        let unsaid = unsaid.take(MOST_DISTRICTS_UNSAID);
        let requests = requests.chain(unsaid);
        let counts = self.counts(selection);
        let counts = counts.iter().map(|(of, text, at)| Request {
            of: *of,
            name: text,
            reason: Reason::Counted,
            top: *at,
        });
        let requests: Vec<Request<'_>> = requests.chain(counts).collect();
        self.screen_labels.update(&requests, &eye, em);
        self.flat_labels.give_way(self.screen_labels.plates());
    }

    /// The counts that stand at arcs: of the relation that is pointed at or chosen, of the relations of the
    /// module chosen, and of the most frequent ones of the cel, `123 +5` where the cel added 5 to make 123
    /// (AVID section 2.1).
    fn counts(&self, selection: &Selection) -> Vec<(Subject, String, Vec3)> {
        let module = |block: u32| self.blocks[block as usize].module;
        let [pointed, chosen] = [selection.pointed, selection.chosen];
        let chosen_block = chosen.module.and_then(|it| self.block_of.get(it.index()));
        let mut counts = Vec::new();
        let (mut of_cel, mut of_chosen) = (0, 0);
        for Count {
            relation,
            arc,
            sign,
        } in self.relations.counts()
        {
            let pair = Some((module(relation.from), module(relation.to)));
            let is_meant = pair == pointed.relation || pair == chosen.relation;
            let is_chosen =
                chosen_block.is_some_and(|block| [relation.from, relation.to].contains(block));
            let wanted = if is_meant {
                true
            } else if is_chosen {
                of_chosen += 1;
                of_chosen <= MOST_COUNTS_OF_CHOSEN
            } else {
                let stands_out = relation.step_calls > 0
                    || !sign.is_empty()
                    || self.shown.is_some_and(|it| it.summary);
                of_cel += usize::from(stands_out);
                stands_out && of_cel <= MOST_COUNTS_OF_CEL
            };
            if wanted {
                let mut text = sign.to_owned();
                let by_cost = self.settings.arc_measure == ArcMeasure::Cost && sign.is_empty();
                text.push_str(&match sign {
                    "" => self.arc_amount(relation.amount(self.settings.arc_measure)),
                    _ => match (self.metrics.difference(), &self.weighs) {
                        (Some(difference), _) => difference.relation_text(relation.calls),
                        (None, Some(unit)) => unit.show(Cost::from_ns(relation.calls)),
                        (None, None) => grouped(relation.calls),
                    },
                });
                if !by_cost && relation.step_calls > 0 && relation.step_calls < relation.calls {
                    text.push_str(" +");
                    text.push_str(&grouped(relation.step_calls));
                }
                let of = Subject::Relation(module(relation.from), module(relation.to));
                counts.push((of, text, self.relations.middle(arc)));
            }
        }
        counts
    }

    /// What it is laid out with.
    pub fn settings(&self) -> &LandscapeSettings {
        &self.settings
    }

    /// The metrics that it is laid out by.
    pub fn metrics(&self) -> &Arc<ModuleMetrics> {
        &self.metrics
    }

    /// The footprints that a stable layout keeps to; empty before there was one.
    pub fn references(&self) -> &Arc<[f64]> {
        &self.references
    }

    /// Whether the final state over a recording or range is shown, and no moment.
    pub fn is_summary(&self) -> bool {
        self.shown.is_some_and(|moment| moment.summary)
    }

    /// What footprints and heights amount to.
    pub fn amounts(&self) -> Amounts {
        self.amounts
    }

    /// What the colours of a metric mean; empty where colour says something else.
    pub fn color_scale(&self) -> &ColorScale {
        &self.color_scale
    }

    /// Steps of the hierarchy from the lightness of the root to the deepest, at least one.
    pub fn levels(&self) -> f32 {
        self.levels
    }

    /// At rest, in preorder of modules.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// By block.
    pub fn looks(&self) -> &[BlockLook] {
        &self.looks
    }

    /// Which looks the last [`show`](Self::show) or [`lay_out`](Self::lay_out) changed.
    pub fn changed_looks(&self) -> &[Range<u32>] {
        &self.changed
    }

    /// Call relations and hyperarcs of the moment shown.
    pub fn arcs(&self) -> &Arcs {
        self.relations.arcs()
    }

    /// The call relations that arcs are drawn for, the most important first.
    pub fn relations(&self) -> impl Iterator<Item = ModuleRelation> {
        self.relations
            .counts()
            .map(|Count { relation, .. }| ModuleRelation {
                from: self.blocks[relation.from as usize].module,
                to: self.blocks[relation.to as usize].module,
                calls: relation.calls,
                step_calls: relation.step_calls,
            })
    }

    /// How many call relations of the moment are left out because more arcs would hide the city.
    pub fn arcs_left_out(&self) -> usize {
        self.relations.left_out()
    }

    /// An amount of what the width of arcs says, with its unit where it has one.
    pub fn arc_amount(&self, amount: u64) -> String {
        match (&self.weighs, self.settings.arc_measure) {
            (Some(unit), _) => unit.show(Cost::from_ns(amount)),
            (None, ArcMeasure::Calls) => grouped(amount),
            (None, ArcMeasure::Cost) => Cost::from_ns(amount).to_string(),
        }
    }

    /// How many are drawn.
    pub fn arcs_drawn(&self) -> usize {
        self.relations.counts().count()
    }

    /// The amount, of what the width of arcs says, that is drawn widest; zero where none are.
    pub fn most_of_arcs(&self) -> u64 {
        self.relations.most(self.settings.arc_measure)
    }

    /// The arcs with those of the call relations pointed at and chosen standing out. O(arcs), and no work where
    /// none is.
    pub fn marked_arcs(&mut self, selection: &Selection) -> &Arcs {
        let arcs = &mut self.relations.arcs_mut().arcs;
        for (index, arc) in self.marked.drain(..) {
            if let Some(place) = arcs.get_mut(index) {
                *place = arc;
            }
        }
        let meant = [&selection.pointed, &selection.chosen].map(|of| (of.relation, of.thread));
        if meant.iter().all(|(relation, _)| relation.is_none()) {
            return self.relations.arcs();
        }
        for index in 0..self.relations.arcs().arcs.len() {
            let Some((ends, thread)) = self.relations.ends(index) else {
                continue;
            };
            let [from, to] = ends.map(|block| self.blocks.get(block as usize).map(|it| it.module));
            let ends = from.zip(to);
            let is_meant = |(relation, of): &(Option<(ModuleId, ModuleId)>, Option<ThreadId>)| {
                relation.is_some() && *relation == ends && (thread.is_none() || *of == thread)
            };
            if meant.iter().any(is_meant) {
                let arc = &mut self.relations.arcs_mut().arcs[index];
                self.marked.push((index, *arc));
                arc.width *= MARKED_WIDTH;
                arc.outlined = true;
                (arc.from[3], arc.to[3]) = (1.0, 1.0);
            }
        }
        self.relations.arcs()
    }

    /// The displayed module that `module` is or lies in; none for what is hidden.
    pub fn displayed(&self, module: ModuleId) -> Option<ModuleId> {
        let block = self.block_of.get(module.index())?;
        self.blocks.get(*block as usize).map(|it| it.module)
    }

    /// The names of districts chosen by the last [`label`](Self::label).
    pub fn flat_labels(&self) -> &[FlatLabel] {
        self.flat_labels.labels()
    }

    /// The names over blocks chosen by the last [`label`](Self::label).
    pub fn screen_labels(&self) -> &[ScreenLabel] {
        self.screen_labels.labels()
    }

    /// The module that a ray meets first, and where.
    pub fn pick(&self, origin: Vec3, direction: Vec3) -> Option<(ModuleId, Vec3)> {
        let Hit { block, point } =
            self.picker
                .pick(&self.blocks, &self.looks, origin, direction)?;
        Some((self.blocks[block as usize].module, point))
    }

    /// The box of the block that stands for `module`: lowest and highest corner at rest.
    pub fn bounds(&self, module: ModuleId) -> Option<(Vec3, Vec3)> {
        let block = self.block_of.get(module.index())?;
        let block = self.blocks.get(*block as usize)?;
        Some((block.min, block.max))
    }

    /// What a details panel says about `module`.
    pub fn module_facts<'a>(&self, session: &'a Session, module: ModuleId) -> ModuleFacts<'a> {
        self.metrics.facts(&session.hierarchy, module)
    }
}
