//! The city of the landscape: the module hierarchy as terraces and plinths, what runs on it, and the call relations, as
//! plain geometry. Camera, pointer, presentations and the view that draws it ask it where things stand.
//!
//! A city holds no facts: it is laid out for a session, and brought to a moment of a recording with
//! [`City::show`]; both do work only for what changed.

mod activity;
mod arc_counts;
mod blocks;
mod counting;
mod ends;
mod extent;
mod fading;
mod highlight;
mod lettering;
mod memory;
mod motion;
mod names;
mod naming;
mod other_run;
mod overhead;
mod past;
mod placing;
mod pointing;
mod relating;
mod relations;
mod series;
mod surface;
#[cfg(test)]
mod tests;

use std::sync::{Arc, OnceLock};

use glam::{Vec2, Vec3};

use callscape_analysis::session::Session;
use callscape_base::units::{ModuleId, Unit, date};
use callscape_facts::kinds::Purpose;
use callscape_filter::cut::Cut;
use callscape_filter::marked::Marked;
use callscape_layout::emphasis::Focus;
use callscape_layout::geometry::{
    self, Arcs, Block, BlockLook, ChangedLooks, FlatLabel, ScreenLabel,
};
use callscape_layout::labels::Eye;
use callscape_layout::labels::flat::FlatLabels;
use callscape_layout::labels::screen::ScreenLabels;
use callscape_layout::pick::Picker;
use callscape_look::camera::Camera;
use callscape_model::difference::CauseAt;
use callscape_model::landscape::LandscapeSettings;
use callscape_model::left::Left;
use callscape_model::metric::Metric;
use callscape_model::metrics::{ModuleFacts, ModuleMetrics};
use callscape_model::moment::Moment;

use relations::Count;

pub use lettering::Lettering;
pub use motion::Boxes;

pub use memory::{AGES, ObjectBox};
pub use placing::Amounts;
pub use pointing::PickedArc;
pub use relations::{inherits_colors, thread_color};
pub(crate) use surface::color_at;
pub use surface::{BARS, ColorScale, languages, people_colors, purposes};

/// A call relation between displayed modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModuleRelation {
    pub from: ModuleId,
    pub to: ModuleId,
    pub calls: u64,
    /// Those of the calls that happened in the cel.
    pub step_calls: u64,
}

/// More blocks than this do not ease to their new places: a frame of them takes too long to make.
const MOST_MOVING: usize = 300_000;

/// How long other arcs take to step back, in seconds.
const FOCUSING: f32 = 0.16;

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

/// The landscape of a session.
#[derive(Debug)]
pub struct City {
    settings: LandscapeSettings,
    metrics: Arc<ModuleMetrics>,
    cut: Cut,
    /// The footprints that a stable layout keeps to.
    references: Arc<[f64]>,
    blocks: Vec<Block>,
    /// How many modules have no block of their own because there would be too many.
    left_out: usize,
    parents: Vec<u32>,
    looks: Vec<BlockLook>,
    color_scale: ColorScale,
    /// How many files were generated, vendored, minified or hold data.
    not_by_hand: usize,
    /// Their footprints are smaller than those of others.
    keeps_small: bool,
    /// How many files are for each purpose.
    of_purposes: [usize; Purpose::ALL.len()],
    /// The blocks that have most of what colours say, the most first, and what is written at each.
    standing_out: Vec<(u32, String)>,
    /// Of footprints and of heights, worked out when asked for.
    ground_scales: [OnceLock<ColorScale>; 2],
    plain: highlight::Plain,
    /// Modules that stand out, in order; none where all are alike.
    lit: Option<Arc<[ModuleId]>>,
    /// Why two runs differ, where that is known, the largest cause first.
    causes: Arc<[CauseAt]>,
    /// Functions whose blocks have their edges drawn.
    outlined: Option<Arc<Marked>>,
    amounts: Amounts,
    levels: f32,
    /// On the way from an earlier layout.
    motion: Option<motion::Motion>,
    /// Colours on their way from what they said before.
    fading: Option<fading::Fading>,
    /// Blocks have moved since arcs were last drawn between them.
    has_moved: bool,
    /// They had when arcs were last drawn between them.
    were_moving: bool,
    /// By module, the block that stands for it; [`NO_BLOCK`](blocks::NO_BLOCK) for what is hidden.
    block_of: Vec<u32>,
    ends: ends::Ends,
    picker: Picker,
    /// None once the blocks have changed.
    filling: Option<pointing::Filling>,
    activity: activity::Activity,
    memory: memory::LiveMemory,
    past: past::Past,
    relations: relations::Relations,
    flat_labels: FlatLabels,
    screen_labels: ScreenLabels,
    counts: names::Counts,
    named: names::Named,
    spreads_names: bool,
    shown: Option<Moment>,
    left: Left,
    /// What relations weigh where the recording does not count calls.
    weighs: Option<Unit>,
    /// The arcs that stand out one by one, as they are otherwise.
    marked: Vec<(usize, geometry::Arc)>,
    /// Whose arcs stand out: the module pointed at, and the one chosen, both as they are displayed.
    focused: [Option<ModuleId>; 2],
    focus: Focus,
    held: names::Held,
}

impl City {
    /// Lays the session out, nothing of a recording shown yet. Linear in modules and, once, in calls.
    pub fn new(session: &Session, settings: &LandscapeSettings, cut: &Cut) -> City {
        let metrics = Arc::new(ModuleMetrics::new(session, 0));
        City::with(session, metrics, Arc::default(), settings, cut)
    }

    /// The same with metrics that are known already, and the footprints that a stable layout keeps to; without
    /// any it keeps to those by lines of code.
    pub fn with(
        session: &Session,
        metrics: Arc<ModuleMetrics>,
        references: Arc<[f64]>,
        settings: &LandscapeSettings,
        cut: &Cut,
    ) -> City {
        let mut view = City {
            settings: *settings,
            metrics,
            cut: Cut::all(),
            references,
            blocks: Vec::new(),
            left_out: 0,
            parents: Vec::new(),
            looks: Vec::new(),
            color_scale: ColorScale::default(),
            not_by_hand: 0,
            keeps_small: false,
            of_purposes: Default::default(),
            standing_out: Vec::new(),
            ground_scales: [OnceLock::new(), OnceLock::new()],
            plain: highlight::Plain::default(),
            lit: None,
            causes: Arc::default(),
            outlined: None,
            amounts: Amounts::default(),
            levels: 1.0,
            motion: None,
            fading: None,
            has_moved: false,
            were_moving: false,
            block_of: Vec::new(),
            ends: ends::Ends::default(),
            picker: Picker::default(),
            filling: None,
            activity: activity::Activity::default(),
            memory: memory::LiveMemory::default(),
            past: past::Past::default(),
            relations: relations::Relations::default(),
            flat_labels: FlatLabels::default(),
            screen_labels: ScreenLabels::default(),
            counts: names::Counts::default(),
            named: names::Named::default(),
            spreads_names: false,
            shown: None,
            left: Left::default(),
            weighs: None,
            marked: Vec::new(),
            focused: [None; 2],
            held: names::Held::default(),
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
        // Room for more than there are makes no difference.
        let all = self.blocks.len() + self.left_out;
        let room = |of: &LandscapeSettings| of.most_blocks.min(all);
        let heights = |of: &LandscapeSettings| (of.height, of.height_scale);
        let files = |of: &LandscapeSettings| (of.full_size, of.without);
        let ground =
            |of: &LandscapeSettings| (of.area, heights(of), of.tiling, room(of), files(of));
        let is_same = ground(&self.settings) == ground(settings) && self.cut == *cut;
        let is_placed = !is_same || self.blocks.is_empty();
        // A theme changes all there is at once.
        let fades = !is_placed && self.settings.theme == settings.theme;
        let before = fades.then(|| self.colors_now());
        self.settings = *settings;
        self.fading = None;
        if is_placed {
            self.cut.clone_from(cut);
            self.place(&session.hierarchy);
        }
        self.paint(session);
        if let Some(before) = before {
            self.fade_from(before);
        }
        if is_placed {
            self.relations = relations::Relations::default();
        }
        is_placed
    }

    /// Where blocks are now and how they look, by the module that `name` says each stands for: what a later layout
    /// eases from.
    pub fn boxes(&self, name: impl Fn(ModuleId) -> Option<ModuleId>) -> Boxes {
        let blocks = self.blocks_now().iter().zip(self.colors_seen());
        let was = |block: &Block, color| motion::Was {
            min: block.min,
            max: block.max,
            color,
        };
        Boxes {
            theme: self.settings.theme,
            of: blocks
                .filter_map(|(block, color)| Some((name(block.module)?, was(block, color))))
                .collect(),
        }
    }

    /// Eases into this layout from where modules were in another, `name` saying by which name. Too large a
    /// landscape is there at once.
    pub fn ease_from(&mut self, before: &Boxes, name: impl Fn(ModuleId) -> Option<ModuleId>) {
        if self.blocks.len() > MOST_MOVING {
            return;
        }
        let was = |module: ModuleId| before.of.get(&name(module)?).copied();
        let place = |module| was(module).map(|was| (was.min, was.max));
        self.motion = Some(motion::Motion::new(&self.blocks, place));
        self.has_moved = true;
        self.named.is_old = true;
        if before.theme == self.settings.theme {
            self.fade_from_seen(|module| was(module).map(|was| was.color));
        }
    }

    /// Moves the blocks on to their places, and their colours to what they say; whether blocks were moving.
    pub fn advance(&mut self, seconds: f32) -> bool {
        self.focus.share = (self.focus.share + seconds / FOCUSING).min(1.0);
        self.held.pass(seconds);
        self.fading.take_if(|fading| !fading.advance(seconds));
        let Some(motion) = &mut self.motion else {
            return false;
        };
        if !motion.advance(&self.blocks, seconds) {
            self.motion = None;
        }
        self.has_moved = true;
        self.named.is_old = true;
        true
    }

    /// Where blocks on their way started, lowest and highest corner of each, and how much of it they have gone:
    /// 0 to 1. None when all have arrived.
    pub fn way(&self) -> Option<(&[(Vec3, Vec3)], f32)> {
        let motion = self.motion.as_ref()?;
        Some((motion.starts(), motion.share()))
    }

    /// Whether blocks or colours are on their way, or arcs step back.
    pub fn is_moving(&self) -> bool {
        self.motion.is_some() || self.is_fading() || self.focus.share < 1.0
    }

    /// The blocks as they are to be drawn now, in preorder of modules.
    pub fn blocks_now(&self) -> &[Block] {
        self.motion
            .as_ref()
            .map_or(&self.blocks, motion::Motion::blocks)
    }

    /// Shows a moment of a recording, or the structure alone.
    pub fn show(&mut self, session: &Session, moment: Option<Moment>) {
        self.activity.stay();
        if self.shown == moment {
            if self.has_moved {
                self.relate(session, moment);
            }
            return;
        }
        self.shown = moment;
        self.named.is_old = true;
        let of = moment.and_then(|moment| session.recordings.get(moment.recording));
        self.weighs = of
            .filter(|of| !of.recording.counts_calls())
            .map(|of| of.recording.unit().clone());
        self.memory.show(
            session,
            moment,
            &self.settings,
            (&self.blocks, &self.block_of),
            &self.color_scale,
        );
        let place = activity::Place {
            blocks: &self.blocks,
            parents: &self.parents,
            block_of: &self.block_of,
        };
        let look = (&self.settings, &*self.metrics);
        self.past
            .show(session, moment, look, place, &self.color_scale);
        let height = self.settings.height;
        let standing = match self.past.blocks() {
            [] => activity::Standing {
                blocks: self.memory.blocks(),
                levels: self.memory.levels(),
                is_partial: false,
                says_height: height.is_some_and(Metric::is_live)
                    && !self.memory.levels().is_empty(),
            },
            blocks => activity::Standing {
                blocks,
                levels: self.past.levels(),
                is_partial: self.past.is_partial(),
                says_height: height.is_some(),
            },
        };
        if let Some(most) = self.past.most() {
            self.amounts.height = Some(most);
        }
        self.activity.show(
            session,
            moment,
            &self.settings,
            place,
            &mut self.looks,
            (&self.left, standing),
        );
        let risen = self.activity.risen().iter().copied();
        self.picker.set_risen(risen);
        self.relate(session, moment);
    }

    /// Whether a moment has to be shown again though it is the same: blocks have moved, or other arcs are wanted.
    pub fn is_outdated(&self) -> bool {
        self.has_moved
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

    /// The day of the commits shown, where the recording is the history of a tree.
    pub fn date(&self) -> Option<String> {
        let (played, shown) = self.metrics.played().zip(self.shown)?;
        let end = shown.range.filter(|_| shown.summary && !shown.so_far);
        let seconds = played.seconds_at(end.map_or(shown.time, |range| range.end));
        Some(date(seconds.div_euclid(86_400)))
    }

    /// What it is laid out with.
    pub fn settings(&self) -> &LandscapeSettings {
        &self.settings
    }

    /// How many files were generated, vendored, minified or hold data.
    pub fn not_by_hand(&self) -> usize {
        self.not_by_hand
    }

    /// Whether these have smaller footprints than others.
    pub fn keeps_small(&self) -> bool {
        self.keeps_small
    }

    /// The objects of the blocks in which the most are created in the whole run, and how many these are in the first; none
    /// where nothing shows what lives in memory.
    pub fn object_boxes(&self) -> (&[ObjectBox], u32) {
        self.memory.boxes()
    }

    /// The module that is chosen.
    pub fn chosen(&self) -> Option<ModuleId> {
        self.focused[1]
    }

    /// How many files are for a purpose, shown or not.
    pub fn of_purpose(&self, purpose: Purpose) -> usize {
        self.of_purposes[purpose as usize]
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

    /// How many modules are shown only as a part of what they lie in, since more blocks would be too many.
    pub fn blocks_left_out(&self) -> usize {
        self.left_out
    }

    /// By block, with the colours that they have or are on the way to.
    pub fn looks(&self) -> &[BlockLook] {
        &self.looks
    }

    /// Which looks the last [`show`](Self::show) or [`lay_out`](Self::lay_out) changed.
    pub fn changed_looks(&self) -> ChangedLooks<'_> {
        self.activity.changed()
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

    /// What a details panel says about `module`.
    pub fn module_facts<'a>(&self, session: &'a Session, module: ModuleId) -> ModuleFacts<'a> {
        self.metrics.facts(&session.hierarchy, module)
    }
}
