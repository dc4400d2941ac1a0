//! The history of a tree at a moment, by block: files that do not exist are empty lots; heights and colours follow the clock.
//!
//! A frame costs what has changed since the one before; a jump costs a search in the changes of each block.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::blocks::NO_BLOCK;
use super::memory::{Level, color_of};
use super::series::{Entry, NOBODY, Running};
use super::surface::person_color;
use super::{ColorScale, activity};
use callscape_analysis::session::{Resolved, Session};
use callscape_facts::history::{Played, Timeline};
use callscape_layout::geometry::{BlockKind, Color};
use callscape_model::landscape::LandscapeSettings;
use callscape_model::metric::Metric;
use callscape_model::metrics::ModuleMetrics;
use callscape_model::moment::Moment;
use callscape_model::surface::Surface;
use callscape_source::history::RECENT;

/// How high the block stands that ever had the most, in world units; heights go with the square root.
pub(super) const HIGHEST: f32 = 60.0;

/// The part of its height at rest that an empty lot keeps, of a high block that of a plain one.
const LOT: f32 = 0.08;
const PLAIN: f32 = 4.0;

const DAY: i64 = 86_400;

/// A block that the history says something of.
#[derive(Clone, Copy, Debug)]
struct Group {
    block: u32,
    /// The group of the block that it stands on; its own for the first.
    parent: u32,
    /// One past the last group that stands on it.
    end: u32,
    series: u32,
    /// Of the block at rest, above what it stands on.
    height: f32,
    /// Others stand on it.
    is_ground: bool,
    /// How far its ground is below where it is at rest.
    drop: f32,
    /// What height and colour say after the last commit, if the history does not say it at each time.
    at_end: [f64; 2],
}

/// What entries were made for.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Purpose {
    recording: usize,
    height: Option<Metric>,
    color: Option<Metric>,
    people: bool,
    /// From which days are counted.
    first_day: i64,
}

/// What is there of the blocks of a city.
#[derive(Debug, Default)]
pub(super) struct Past {
    of: Option<Purpose>,
    /// In order.
    blocks: Vec<u32>,
    groups: Vec<Group>,
    entries: Vec<Entry>,
    /// By series, its entries.
    series: Vec<Range<u32>>,
    /// By file its groups: the one of its own block, and those that stand on it.
    of_files: Vec<Range<u32>>,
    /// The most that a block ever had of what heights say.
    most: f64,
    /// How many commits are shown, and how many of them are older than what counts as recent.
    shown: Option<(u32, u32)>,
    levels: Vec<Level>,
    is_partial: bool,
    /// Scratch: what changes in a frame.
    changing: Vec<u32>,
}

/// A moment of a history.
#[derive(Clone, Copy)]
struct Now<'a> {
    played: &'a Played,
    commits: u32,
    /// Since 1970.
    seconds: i64,
    first_day: i64,
    people: &'a [(u32, String)],
    settings: &'a LandscapeSettings,
    scale: &'a ColorScale,
}

impl Now<'_> {
    /// The last second that is not recent any more.
    fn year_before(&self) -> i64 {
        self.seconds.saturating_sub(RECENT)
    }
}

/// How high blocks stand at most where heights follow the history.
pub(super) fn live_height(settings: &LandscapeSettings, metrics: &ModuleMetrics) -> Option<f32> {
    // Files that exist have the value of the last commit for a metric that has no history.
    let is_live = settings.height.is_some() && metrics.played().is_some();
    is_live.then_some(HIGHEST)
}

impl Past {
    /// The blocks have changed.
    pub(super) fn outdate(&mut self) {
        self.of = None;
        self.forget();
    }

    /// What blocks look like has been reset.
    pub(super) fn forget(&mut self) {
        self.shown = None;
        self.levels.clear();
        self.is_partial = false;
    }

    /// The blocks that the history says something of, in order.
    pub(super) fn blocks(&self) -> &[u32] {
        match self.of {
            Some(_) => &self.blocks,
            None => &[],
        }
    }

    /// Those that have changed; of others what was said before holds if [`is_partial`](Self::is_partial).
    pub(super) fn levels(&self) -> &[Level] {
        &self.levels
    }

    pub(super) fn is_partial(&self) -> bool {
        self.is_partial
    }

    /// The most that a block ever had of what heights say; none where they say something else.
    pub(super) fn most(&self) -> Option<f64> {
        let says_height = self.of.is_some_and(|it| it.height.is_some());
        (says_height && self.most > 0.0).then_some(self.most)
    }

    /// Brings levels to a moment; of a summary to its end.
    pub(super) fn show(
        &mut self,
        session: &Session,
        moment: Option<Moment>,
        (settings, metrics): (&LandscapeSettings, &ModuleMetrics),
        place: activity::Place<'_>,
        scale: &ColorScale,
    ) {
        self.levels.clear();
        self.is_partial = false;
        let resolved = moment.and_then(|it| Some((it, session.recordings.get(it.recording)?)));
        let played = resolved.and_then(|(_, of)| of.recording.played.as_ref());
        let (Some((moment, resolved)), Some(played)) = (resolved, played) else {
            return self.outdate();
        };
        let purpose = Purpose {
            recording: moment.recording,
            height: settings.height,
            color: settings.surface.metric(),
            people: settings.surface == Surface::Person
                || [settings.height, settings.surface.metric()].contains(&Some(Metric::Authors)),
            first_day: metrics.measure().first_day,
        };
        if self.of != Some(purpose) {
            self.find(resolved, played, purpose, place);
            let known = |metric: Option<Metric>| {
                let metric = metric.filter(|it| !it.is_of_history());
                metric.map_or(Vec::new(), |it| metrics.values(&session.hierarchy, it))
            };
            let of = [known(purpose.height), known(purpose.color)];
            for group in &mut self.groups {
                let module = place.blocks[group.block as usize].module.index();
                let value = |of: &Vec<f64>| of.get(module).map_or(0.0, |it| it.max(0.0));
                group.at_end = of.each_ref().map(value);
            }
            self.find_most(played, purpose);
        }
        let trace = &resolved.recording.trace;
        let time = match (moment.summary && !moment.so_far, moment.range) {
            (false, _) => moment.time,
            (true, Some(range)) => range.end,
            (true, None) => trace.range().end,
        };
        let now = Now {
            played,
            commits: played.commits_at(time),
            seconds: played.seconds_at(time),
            first_day: metrics.measure().first_day,
            people: metrics.people(),
            settings,
            scale,
        };
        let is_windowed = |it: &Metric| matches!(it, Metric::RecentChanges | Metric::ChangedLines);
        let slides = purpose.height.iter().chain(&purpose.color).any(is_windowed);
        let clock = &played.timeline.clock;
        let old = match slides {
            true => clock.partition_point(|&it| it <= now.year_before()) as u32,
            false => 0,
        };
        self.find_changing(&now, old);
        self.advance(&now);
        self.shown = Some((now.commits, old));
    }

    /// Finds the groups to update: those with new changes, and those with changes that are no longer recent.
    fn find_changing(&mut self, now: &Now<'_>, old: u32) {
        let timeline = &now.played.timeline;
        self.changing.clear();
        let since = self.shown.filter(|it| it.0 <= now.commits && it.1 <= old);
        let changes = since.map(|(shown, was_old)| {
            let come = timeline.changes_in(shown..now.commits);
            (come, timeline.changes_in(was_old..old))
        });
        match changes.filter(|(come, left)| come.len() + left.len() <= self.groups.len()) {
            Some((come, left)) => {
                self.is_partial = true;
                for change in come.iter().chain(left) {
                    let groups = self.of_files[change.file as usize].clone();
                    self.changing.extend(groups.clone());
                    // What it lies in may come to be there with it.
                    let mut at = groups.start;
                    while let Some(of) = self.groups.get(at as usize).filter(|of| of.parent != at) {
                        at = of.parent;
                        self.changing.push(at);
                    }
                }
                self.changing.sort_unstable();
                self.changing.dedup();
            }
            None => self.changing.extend(0..self.groups.len() as u32),
        }
    }

    /// Brings the groups to be looked at to the moment, and what stands on ground that moves.
    fn advance(&mut self, now: &Now<'_>) {
        let changing = std::mem::take(&mut self.changing);
        let mut with_ground = 0;
        let mut next = 0;
        let mut asked = changing.iter().copied().peekable();
        loop {
            let group = match asked.peek().copied() {
                Some(group) if next >= with_ground || group <= next => {
                    asked.next();
                    group.max(next)
                }
                _ if next < with_ground => next,
                Some(_) | None => break,
            };
            if self.bring(group, now) {
                with_ground = with_ground.max(self.groups[group as usize].end);
            }
            next = group + 1;
            while asked.next_if(|&it| it < next).is_some() {}
        }
        self.changing = changing;
    }

    /// Brings a group to the moment; whether it is ground that has moved.
    fn bring(&mut self, at: u32, now: &Now<'_>) -> bool {
        let of = self.groups[at as usize];
        let below = match of.parent == at {
            true => 0.0,
            false => self.groups[of.parent as usize].drop,
        };
        let range = self.series[of.series as usize].clone();
        let entries = &self.entries[range.start as usize..range.end as usize];
        let until = entries.partition_point(|it| it.commit < now.commits);
        let entry = until.checked_sub(1).map(|last| entries[last]);
        let is_there = entry.is_some_and(|it| it.is_there);
        let value = |metric: Metric, at_end: f64| match metric.is_of_history() {
            true => amount(metric, entries, until, now),
            false if is_there => at_end,
            false => 0.0,
        };
        let mut stands = 0.0;
        if let Some(metric) = self.of.and_then(|it| it.height).filter(|_| !of.is_ground) {
            let share = value(metric, of.at_end[0]) / self.most.max(1.0);
            stands = share.clamp(0.0, 1.0).sqrt() as f32;
        }
        let gone = if is_there { 0.0 } else { of.height };
        let (own, rise) = match of.is_ground {
            true => (gone, 0.0),
            false => (gone - LOT * gone.min(PLAIN), stands * HIGHEST),
        };
        let drop = below + own;
        let has_moved = of.is_ground && drop != of.drop;
        self.groups[at as usize].drop = drop;
        let color = match (now.settings.surface, self.of.and_then(|it| it.color)) {
            _ if of.is_ground => None,
            (Surface::Person, _) => {
                let main = entry.filter(|it| it.is_there).map(|it| it.main);
                let place = now.people.iter().position(|it| Some(it.0) == main);
                Some(person_color(place))
            }
            (_, None) => None,
            (_, Some(_)) if !is_there => Some(Color::default()),
            (_, Some(metric)) => {
                let value = value(metric, of.at_end[1]);
                Some(color_of(now.settings, now.scale, value))
            }
        };
        self.levels.push(Level {
            group: at,
            block: of.block,
            rise: rise - drop,
            color,
            is_news: false,
        });
        has_moved
    }

    /// Finds what each block goes through. Linear in blocks and changes.
    fn find(
        &mut self,
        resolved: &Resolved,
        played: &Played,
        purpose: Purpose,
        place: activity::Place<'_>,
    ) {
        self.outdate();
        let file_blocks: Vec<u32> = (played.files.iter())
            .map(|function| {
                let module = resolved.resolution.modules.get(function.index());
                let block = module.and_then(|it| place.block_of.get(it.index()));
                block.copied().unwrap_or(NO_BLOCK)
            })
            .collect();
        let series_of = self.find_groups(&file_blocks, place);
        // By series those of what it stands on.
        let mut around: Vec<Vec<u32>> = vec![Vec::new(); series_of.len()];
        for (&block, &series) in &series_of {
            let mut at = block;
            while place.parents[at as usize] != at {
                at = place.parents[at as usize];
                around[series as usize].extend(series_of.get(&at));
            }
        }
        let of_files = file_blocks.iter().map(|&block| {
            let found = self.groups.binary_search_by_key(&block, |it| it.block);
            found.map_or(0..0, |at| match self.groups[at].is_ground {
                true => at as u32..self.groups[at].end,
                false => at as u32..at as u32 + 1,
            })
        });
        self.of_files = of_files.collect();
        let by_file: Vec<Option<u32>> = file_blocks
            .iter()
            .map(|block| series_of.get(block).copied())
            .collect();
        self.find_entries(&played.timeline, purpose.people, &by_file, &around);
        self.of = Some(purpose);
    }

    /// Finds the most that a block ever had of what heights say. Linear in the entries.
    fn find_most(&mut self, played: &Played, purpose: Purpose) {
        let settings = LandscapeSettings::default();
        let scale = ColorScale::default();
        let now = Now {
            played,
            commits: u32::MAX,
            seconds: 0,
            first_day: purpose.first_day,
            people: &[],
            settings: &settings,
            scale: &scale,
        };
        self.most = 0.0;
        let Some(metric) = purpose.height else {
            return;
        };
        for of in self.groups.iter().filter(|it| !it.is_ground) {
            if !metric.is_of_history() {
                self.most = self.most.max(of.at_end[0]);
                continue;
            }
            let range = self.series[of.series as usize].clone();
            let entries = &self.entries[range.start as usize..range.end as usize];
            for until in 1..=entries.len() {
                let seconds = played.timeline.clock[entries[until - 1].commit as usize];
                let value = amount(metric, entries, until, &Now { seconds, ..now });
                self.most = self.most.max(value);
            }
        }
    }

    /// Finds what each series comes to after each of its changes. Linear in the changes, times how deep files lie.
    fn find_entries(
        &mut self,
        timeline: &Timeline,
        people: bool,
        series_of: &[Option<u32>],
        around: &[Vec<u32>],
    ) {
        let count = around.len();
        let mut made: Vec<(u32, Entry)> = Vec::new();
        let mut states: Vec<Running> = Vec::new();
        states.resize_with(count, Running::default);
        let mut file_lines: Vec<Option<u32>> = vec![None; timeline.files.len()];
        let mut told: (u32, bool) = (NOBODY, false);
        for change in &timeline.changes {
            let Some(series) = series_of[change.file as usize] else {
                continue;
            };
            let commit = &timeline.commits[change.commit as usize];
            if told.0 != change.commit {
                told = (change.commit, commit.is_fix());
            }
            let lines = change.lines;
            let was = std::mem::replace(&mut file_lines[change.file as usize], lines);
            let of = &mut states[series as usize];
            if change.is_counted() {
                let entry = &mut of.entry;
                entry.changes += 1;
                entry.fixes += u32::from(told.1);
                let touched = u32::try_from(change.touched()).unwrap_or(u32::MAX);
                entry.touched = entry.touched.saturating_add(touched);
                if people {
                    of.main.add(commit.author, change.touched());
                    entry.main = of.main.author().unwrap_or(NOBODY);
                    entry.authors = of.main.authors();
                }
            }
            let held = u64::from(was.unwrap_or(0));
            of.lines = (of.lines + u64::from(lines.unwrap_or(0))).saturating_sub(held);
            of.entry.lines = u32::try_from(of.lines).unwrap_or(u32::MAX);
            of.turn(was.is_some(), lines.is_some());
            of.tell(series, change.commit, &mut made);
            for &ground in &around[series as usize] {
                let of = &mut states[ground as usize];
                if of.turn(was.is_some(), lines.is_some()) {
                    of.tell(ground, change.commit, &mut made);
                }
            }
        }
        let mut starts = vec![0_u32; count + 1];
        for &(series, _) in &made {
            starts[series as usize + 1] += 1;
        }
        for series in 0..count {
            starts[series + 1] += starts[series];
        }
        self.series.clear();
        self.series.extend(starts.windows(2).map(|it| it[0]..it[1]));
        self.entries.clear();
        self.entries.resize(made.len(), Entry::default());
        for (series, entry) in made {
            let next = &mut starts[series as usize];
            self.entries[*next as usize] = entry;
            *next += 1;
        }
    }

    /// Finds the blocks that hold files, what these stand on, and what stands on them; by block of the first two its series.
    fn find_groups(
        &mut self,
        file_blocks: &[u32],
        place: activity::Place<'_>,
    ) -> HashMap<u32, u32> {
        let mut series: HashMap<u32, u32> = HashMap::new();
        for &block in file_blocks.iter().filter(|it| **it != NO_BLOCK) {
            let next = series.len() as u32;
            series.entry(block).or_insert(next);
        }
        let mut around: Vec<u32> = Vec::new();
        for &block in series.keys() {
            let mut at = block;
            while place.parents[at as usize] != at {
                at = place.parents[at as usize];
                around.push(at);
            }
        }
        around.sort_unstable();
        around.dedup();
        for block in around {
            let next = series.len() as u32;
            series.entry(block).or_insert(next);
        }
        let is_file: HashSet<u32> = file_blocks.iter().copied().collect();
        let mut group_of = vec![NO_BLOCK; place.blocks.len()];
        let mut is_in_file: Vec<bool> = Vec::new();
        self.groups.clear();
        for (index, block) in place.blocks.iter().enumerate() {
            let parent = group_of[place.parents[index] as usize];
            let own = series.get(&(index as u32)).copied();
            let below = is_in_file.get(parent as usize).copied().unwrap_or(false);
            let of_file = || Some(self.groups.get(parent as usize).filter(|_| below)?.series);
            let Some(series) = own.or_else(of_file) else {
                continue;
            };
            is_in_file.push(below || is_file.contains(&(index as u32)));
            let at = self.groups.len() as u32;
            group_of[index] = at;
            self.groups.push(Group {
                block: index as u32,
                parent: if parent == NO_BLOCK { at } else { parent },
                end: at + 1,
                series,
                height: block.max.z - block.min.z,
                is_ground: block.kind == BlockKind::Terrace,
                drop: 0.0,
                at_end: [0.0; 2],
            });
        }
        for at in (1..self.groups.len()).rev() {
            let (parent, end) = (self.groups[at].parent, self.groups[at].end);
            let around = &mut self.groups[parent as usize];
            around.end = around.end.max(end);
        }
        self.blocks = self.groups.iter().map(|it| it.block).collect();
        series
    }
}

/// What a metric is after the first `until` entries.
fn amount(metric: Metric, entries: &[Entry], until: usize, now: &Now<'_>) -> f64 {
    let Some(last) = until.checked_sub(1).map(|last| entries[last]) else {
        return 0.0;
    };
    if !last.is_there {
        return 0.0;
    }
    let clock = |entry: &Entry| now.played.timeline.clock[entry.commit as usize];
    let before_year = || {
        let year = now.year_before();
        let before = entries[..until].partition_point(|it| clock(it) <= year);
        before
            .checked_sub(1)
            .map_or(Entry::default(), |it| entries[it])
    };
    match metric {
        Metric::LinesOfCode => f64::from(last.lines),
        Metric::Changes => f64::from(last.changes),
        Metric::Fixes => f64::from(last.fixes),
        Metric::Authors => f64::from(last.authors),
        Metric::RecentChanges => f64::from(last.changes - before_year().changes),
        Metric::ChangedLines => f64::from(last.touched - before_year().touched),
        Metric::LastChange => (clock(&last).div_euclid(DAY) - now.first_day + 1).max(1) as f64,
        _ => 0.0,
    }
}
