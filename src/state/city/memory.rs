//! What lives in memory at a moment, by block: heights and colours that follow the clock.
//!
//! The sums of all stacks go from moment to moment by the events between, or from a checkpoint, so a frame costs what has
//! happened since the one before and what is shown, however long the recording is.

use super::blocks::NO_BLOCK;
use super::{ColorScale, color_at};
use callscape_analysis::session::{Resolved, Session};
use callscape_base::units::{Cost, ModuleId, Time};
use callscape_facts::memory::{AgeBin, CellTotals, Events, State};
use callscape_layout::geometry::{Block, BlockKind, Color};
use callscape_model::landscape::LandscapeSettings;
use callscape_model::memory::{BelongsTo, is_sampled, owners};
use callscape_model::metric::Metric;
use callscape_model::metrics::ModuleMetrics;
use callscape_model::moment::Moment;

/// How high the block stands in which the most lives, in world units; heights go with the square root.
pub(super) const HIGHEST: f32 = 110.0;

/// How much a block glows in which something was created or released in the cel.
pub(super) const NEWS: f32 = 0.5;

/// What a block has at the moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Level {
    /// Its place among the blocks that levels are told of.
    pub group: u32,
    pub block: u32,
    /// How far it stands above its top, in world units.
    pub rise: f32,
    /// None where colours say something else.
    pub color: Option<Color>,
    /// Something was created or released in the cel.
    pub(crate) is_news: bool,
}

/// How many ages a histogram tells apart, in cels; what is older stands in the last bin.
pub const AGES: usize = 10;

/// How many blocks have their objects shown beside them at most, where there is room to read them.
const BOXES: usize = 400;

/// The objects of a block at a moment (AVID, section 2.1).
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectBox {
    pub block: u32,
    /// To date.
    pub created: u32,
    pub released: u32,
    /// Of these, in the cel.
    pub news: [u32; 2],
    /// By age in cels, the youngest first: those of the cel.
    pub ages: [AgeBin; AGES],
    /// Of the released, by age, those of the cel.
    pub just_released: [u32; AGES],
}

/// What lives in the blocks of a city.
#[derive(Debug, Default)]
pub(super) struct LiveMemory {
    /// The recording that the groups are of.
    of: Option<usize>,
    /// By cell its place among `blocks`; past their end for what has none.
    group_of: Vec<u32>,
    /// In order, those to which objects belong.
    blocks: Vec<u32>,
    now: State,
    before: State,
    sums: Vec<CellTotals>,
    sums_before: Vec<CellTotals>,
    /// The most that one block has of bytes and of objects when the most bytes live.
    most: [u64; 2],
    levels: Vec<Level>,
    /// The blocks in which the most objects are created in the whole run, the most first: by place among `blocks`, and how
    /// many in the first.
    busiest: Vec<u32>,
    most_created: u32,
    boxes: Vec<ObjectBox>,
    bins: Vec<AgeBin>,
    just_released: Vec<u32>,
    /// By cell its place among `busiest`.
    box_of: Vec<u32>,
}

/// The amount of a metric in some sums.
fn amount(metric: Metric, totals: &CellTotals) -> u64 {
    match metric {
        Metric::LiveObjects => u64::from(totals.live()),
        _ => totals.live_bytes(),
    }
}

impl LiveMemory {
    /// The blocks have changed.
    pub(crate) fn outdate(&mut self) {
        self.of = None;
        self.levels.clear();
        self.boxes.clear();
    }

    pub(super) fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// The blocks to which objects of a recording belong, in order.
    pub(super) fn blocks(&self) -> &[u32] {
        &self.blocks
    }

    /// The objects of the blocks in which the most are created in the whole run, and how many these are in the first.
    pub(super) fn boxes(&self) -> (&[ObjectBox], u32) {
        (&self.boxes, self.most_created)
    }

    /// What the highest block stands for when the most bytes live.
    fn most(&self, metric: Metric) -> u64 {
        self.most[usize::from(metric == Metric::LiveObjects)]
    }

    /// Finds the blocks of a recording's objects where they are not known. O(stacks + blocks); whether there are any
    /// events of memory.
    fn find(
        &mut self,
        session: &Session,
        resolved: &Resolved,
        recording: usize,
        (blocks, block_of): (&[Block], &[u32]),
    ) -> bool {
        let memory = resolved.recording.memory.as_ref();
        let Some((memory, events)) = memory.and_then(|it| Some((it, it.events()?))) else {
            self.outdate();
            return false;
        };
        if self.of == Some(recording) {
            return true;
        }
        self.of = Some(recording);
        let owners = owners(session, resolved, memory, BelongsTo::default());
        let block = |module: ModuleId| block_of.get(module.index()).copied();
        let of_cells = owners.iter().map(|owner| owner.and_then(block));
        let of_cells: Vec<u32> = of_cells.map(|block| block.unwrap_or(NO_BLOCK)).collect();
        let solid = |&block: &u32| {
            let of = blocks.get(block as usize);
            of.is_some_and(|of| of.kind != BlockKind::Terrace)
        };
        let mut known: Vec<u32> = of_cells.iter().copied().filter(solid).collect();
        known.sort_unstable();
        known.dedup();
        let group = |block: &u32| known.binary_search(block).map_or(u32::MAX, |it| it as u32);
        self.group_of = of_cells.iter().map(group).collect();
        self.blocks = known;
        for sums in [&mut self.sums, &mut self.sums_before] {
            sums.clear();
            sums.resize(self.blocks.len(), CellTotals::default());
        }
        (self.now, self.before) = (State::default(), State::default());
        self.find_busiest(events);
        self.go_to_peak(events);
        let most = |metric| self.sums.iter().map(|it| amount(metric, it)).max();
        self.most = [Metric::LiveBytes, Metric::LiveObjects].map(|it| most(it).unwrap_or(0));
        true
    }

    fn find_busiest(&mut self, events: &Events) {
        events.advance(&mut self.now, events.end());
        events.add_up(&self.now, &self.group_of, &mut self.sums);
        let mut groups: Vec<u32> = (0..self.sums.len() as u32).collect();
        let created = |&group: &u32| self.sums[group as usize].allocations;
        groups.retain(|group| created(group) > 0);
        groups.sort_by_key(|group| (std::cmp::Reverse(created(group)), *group));
        groups.truncate(BOXES);
        self.most_created = groups.first().map_or(0, created);
        let mut place = vec![u32::MAX; self.sums.len()];
        for (&group, number) in groups.iter().zip(0..) {
            place[group as usize] = number;
        }
        let places = self.group_of.iter();
        let places = places.map(|&group| place.get(group as usize).copied());
        self.box_of = places.map(|it| it.unwrap_or(u32::MAX)).collect();
        self.busiest = groups;
    }

    /// The objects of the busiest blocks. O(events of ten cels + stacks).
    fn fill_boxes(&mut self, events: &Events, moment: Moment) {
        let cel = moment.time.since(moment.previous);
        // What was created before the last edge is older than all others; before the start there is nothing.
        let edges: [u32; AGES] = std::array::from_fn(|cels| {
            let ago = cel.ns().checked_mul(cels as u64);
            let time = ago.and_then(|ago| moment.time.ns().checked_sub(ago));
            match time.filter(|_| cels == 0 || cel > Cost::ZERO) {
                Some(_) if cels == 0 => events.instant(moment.time),
                Some(time) => events.position(Time::from_ns(time)),
                None => 0,
            }
        });
        self.bins.clear();
        self.bins
            .resize(self.busiest.len() * AGES, AgeBin::default());
        events.ages(&edges, &self.box_of, &self.now, &mut self.bins);
        self.just_released.clear();
        self.just_released.resize(self.bins.len(), 0);
        events.just_released(&edges, &self.box_of, &mut self.just_released);
        self.boxes.clear();
        let figures = self.bins.chunks(AGES).zip(self.just_released.chunks(AGES));
        for (&group, (bins, released)) in self.busiest.iter().zip(figures) {
            let group = group as usize;
            let (now, before) = (self.sums[group], self.sums_before[group]);
            let news = now.since(&before);
            let mut ages = [AgeBin::default(); AGES];
            ages.copy_from_slice(bins);
            let mut just_released = [0; AGES];
            just_released.copy_from_slice(released);
            self.boxes.push(ObjectBox {
                block: self.blocks[group],
                created: now.allocations,
                released: now.releases,
                news: [news.allocations, news.releases],
                ages,
                just_released,
            });
        }
    }

    fn go_to_peak(&mut self, events: &Events) {
        events.advance(&mut self.now, events.peak_position());
        events.add_up(&self.now, &self.group_of, &mut self.sums);
        self.sums_before.clone_from(&self.sums);
    }

    /// Brings levels and boxes to a moment: of a summary to when the most bytes live. Without them where neither height nor
    /// colour says what lives. O(events since the moment before, or to a checkpoint, + stacks).
    pub(super) fn show(
        &mut self,
        session: &Session,
        moment: Option<Moment>,
        settings: &LandscapeSettings,
        (blocks, block_of): (&[Block], &[u32]),
        scale: &ColorScale,
    ) {
        self.levels.clear();
        self.boxes.clear();
        let height = settings.height.filter(|metric| metric.is_live());
        let color = settings.surface.metric().filter(|metric| metric.is_live());
        let Some(moment) = moment.filter(|_| height.or(color).is_some()) else {
            return;
        };
        let Some(resolved) = session.recordings.get(moment.recording) else {
            return;
        };
        let place = (blocks, block_of);
        if !self.find(session, resolved, moment.recording, place) {
            return;
        }
        let memory = resolved.recording.memory.as_ref();
        let Some(events) = memory.and_then(|memory| memory.events()) else {
            return;
        };
        // The sum so far has what lives at its end, as its cel has.
        if moment.summary && !moment.so_far {
            self.go_to_peak(events);
        } else {
            for (state, sums, time) in [
                (&mut self.now, &mut self.sums, moment.time),
                (&mut self.before, &mut self.sums_before, moment.previous),
            ] {
                events.advance(state, events.instant(time));
                events.add_up(state, &self.group_of, sums);
            }
            if !is_sampled(&resolved.recording, &moment) {
                self.fill_boxes(events, moment);
            }
        }
        let most = height.map_or(1, |metric| self.most(metric)).max(1) as f64;
        let sums = self.sums.iter().zip(&self.sums_before);
        for ((group, &block), (now, before)) in (0..).zip(&self.blocks).zip(sums) {
            let share = height.map_or(0.0, |metric| (amount(metric, now) as f64 / most).sqrt());
            self.levels.push(Level {
                group,
                block,
                // One scale for all, so that heights can be held against each other. More can live in one block than in any
                // when the most lives in all: it is no higher, so that it stays in the picture.
                rise: share.min(1.0) as f32 * HIGHEST,
                color: color.map(|metric| color_of(settings, scale, amount(metric, now) as f64)),
                is_news: now != before,
            });
        }
    }
}

/// The colour of an amount, none where nothing lives.
pub(super) fn color_of(settings: &LandscapeSettings, scale: &ColorScale, amount: f64) -> Color {
    if amount <= 0.0 {
        return Color::default();
    }
    let [r, g, b] = color_at(settings.theme, scale.share(amount));
    [r, g, b, 1.0]
}

/// How high blocks stand at most where heights are those of the clock; they are even at rest then.
pub(super) fn live_height(settings: &LandscapeSettings, metrics: &ModuleMetrics) -> Option<f32> {
    let is_live = settings.height.is_some_and(Metric::is_live) && metrics.plays_memory();
    is_live.then_some(HIGHEST)
}
