//! Memory along time: what a column of pixels shows, worked out beside the frames, and where times lie.

use std::sync::Arc;

use glam::Vec2;

use crate::parts::along_time::AlongTime;
use crate::parts::found::Found;
use crate::parts::text;
use crate::parts::tip::Tip;
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{Cost, Time, TimeRange};
use callscape_facts::memory::{Detail, Events, Known, Memory, Stretch};
use callscape_facts::recording::Recording;
use callscape_filter::selection::Pointed;
use callscape_layout::axis::TimeAxis;
use callscape_layout::sheet::Rect;
use callscape_state::State;
use callscape_state::document::Document;
use callscape_state::job::Job;

/// What lies in the columns of an axis.
#[derive(Clone, Debug, Default)]
pub(super) struct Columns {
    /// The first moment of each column, and the last moment of all.
    pub times: Vec<Time>,
    pub stretches: Vec<Stretch>,
    /// Of each counter what was measured last at the end of each column.
    pub counters: Vec<Vec<Option<u64>>>,
}

impl Columns {
    /// Works them out. Grows with columns and not with events.
    pub(super) fn find(
        recording: &Recording,
        axis: &TimeAxis,
        progress: &Progress,
    ) -> Result<Columns, Cancelled> {
        let Some(memory) = &recording.memory else {
            return Ok(Columns::default());
        };
        let Some(events) = memory.timed() else {
            return Ok(Columns::default());
        };
        let (columns, _) = axis.columns();
        let starts = (0..columns.count()).map(|k| columns.start(k));
        let mut times: Vec<Time> = starts.collect();
        times.push(axis.range().end);
        let edges = edges(events, &times);
        let stretches = events.along(&edges, progress)?;
        let of_counter = |counter: &callscape_facts::memory::Counter| {
            let ends = times.iter().skip(1);
            ends.map(|&end| counter.at(end)).collect()
        };
        let counters = memory.counters.iter().map(of_counter).collect();
        Ok(Columns {
            times,
            stretches,
            counters,
        })
    }

    /// The column that holds a time.
    pub(super) fn at(&self, time: Time) -> Option<usize> {
        let after = self.times.partition_point(|&it| it <= time);
        let column = after.checked_sub(1)?;
        let last = self.stretches.len().checked_sub(1)?;
        Some(column.min(last))
    }

    /// The most that lives in any column.
    pub(super) fn most_live(&self) -> u64 {
        let live = self.stretches.iter().map(|it| it.most);
        live.max().unwrap_or_default()
    }

    /// The most bytes of any counter but the hidden ones; none where there is no value of any.
    pub(super) fn most_measured(&self, hidden: &[usize]) -> Option<u64> {
        let shown = self.counters.iter().enumerate();
        let shown = shown.filter(|(number, _)| !hidden.contains(number));
        let values = shown.flat_map(|(_, values)| values.iter().flatten().copied());
        values.max()
    }

    /// The most allocations, or bytes allocated, of any column.
    pub(super) fn most_allocated(&self, memory: &Memory) -> u64 {
        let allocated = self.stretches.iter().map(|it| allocated(memory, it));
        allocated.max().unwrap_or_default()
    }
}

/// How much was allocated in a column, as the chart shows it: the number of objects, or where they are samples without
/// releases, of which each stands for another amount, their bytes.
pub(super) fn allocated(memory: &Memory, of: &Stretch) -> u64 {
    match &memory.known {
        Known::Allocations(_) => of.allocated,
        _ => of.allocations,
    }
}

/// What sums of sizes are, for people: bytes, or objects where no sizes are recorded.
pub(super) fn amount(memory: &Memory, amount: u64) -> String {
    match memory.sizes_known {
        true => text::bytes(amount),
        false => text::counted(amount, "object", "objects"),
    }
}

/// The positions before all that happens from the first moment of each column on, and after the last.
fn edges(events: &Events, times: &[Time]) -> Vec<u32> {
    let Some((&last, starts)) = times.split_last() else {
        return Vec::new();
    };
    let before = |&start: &Time| match start {
        Time::ZERO => 0,
        start => events.position(start - Cost::from_ns(1)),
    };
    let mut edges: Vec<u32> = starts.iter().map(before).collect();
    edges.push(events.position(last));
    edges
}

/// The chart along time.
pub(super) struct Along {
    pub axis: TimeAxis,
    /// In pixels from the top left corner of the chart.
    pub plot: Rect,
    found: Found<TimeAxis, Columns>,
}

impl Default for Along {
    fn default() -> Along {
        Along {
            axis: TimeAxis::new(TimeRange::new(Time::ZERO, Time::ZERO)),
            plot: Rect::default(),
            found: Found::default(),
        }
    }
}

impl Along {
    /// Of another recording, all of which is seen.
    pub(super) fn open(&mut self, whole: TimeRange) {
        *self = Along {
            axis: TimeAxis::new(whole),
            ..Along::default()
        };
    }

    /// Lays it out in pixels.
    pub(super) fn place(&mut self, plot: Rect) {
        self.plot = plot;
        self.axis.place(plot.min.x, plot.size().x);
    }

    pub(super) fn set_visible(&mut self, range: TimeRange) {
        self.axis.set_range(range);
    }

    /// Takes what was worked out, and begins what is to be.
    pub(super) fn update(&mut self, recording: &Arc<Recording>, state: &State) {
        self.found.poll();
        // Before its first picture it has no width.
        if self.plot.size().x < 2.0 {
            return;
        }
        let axis = self.axis;
        let recording = Arc::clone(recording);
        self.found.want_next(axis, || {
            Job::named("memory along time", state.waker(), move |progress| {
                Columns::find(&recording, &axis, progress)
            })
        });
    }

    /// What was worked out last; while it is not yet for what is seen now, it still lies where its times do.
    pub(super) fn columns(&self) -> Option<&Columns> {
        self.found.last().map(|(_, columns)| columns)
    }

    pub(super) fn is_waiting(&self) -> bool {
        self.found.is_running() || (self.plot.size().x >= 2.0 && !self.found.is_wanted(&self.axis))
    }
}

impl AlongTime for Along {
    fn pointed(&self, _document: &Document, at: Vec2) -> Pointed {
        let is_in = self.plot.min.x <= at.x && at.x < self.plot.max.x;
        Pointed {
            time: is_in.then(|| self.axis.time_at(at.x)),
            ..Pointed::default()
        }
    }

    fn tip(&self, document: &Document, at: Vec2) -> Option<Tip> {
        let time = self.pointed(document, at).time?;
        let columns = self.columns()?;
        let column = columns.at(time)?;
        let of = columns.stretches.get(column)?;
        let memory = document.memory()?;
        let mut lines = Vec::new();
        let lives_known = memory.events().is_some() && memory.detail != Detail::Counters;
        if lives_known {
            lines.push(format!("at most {} live", amount(memory, of.most)));
        }
        match &memory.known {
            _ if memory.detail == Detail::Counters => {}
            Known::Allocations(_) => lines.push(format!(
                "{} allocated, by {}",
                text::bytes(of.allocated),
                text::counted(of.allocations, "sample", "samples")
            )),
            _ => lines.push(text::counted(of.allocations, "allocation", "allocations")),
        }
        if of.temporary > 0 {
            lines.push(format!("{} of them temporary", text::count(of.temporary)));
        }
        for (counter, values) in memory.counters.iter().zip(&columns.counters) {
            if let Some(Some(value)) = values.get(column) {
                lines.push(format!("{}: {}", counter.name, text::bytes(*value)));
            }
        }
        Some(Tip {
            title: time.to_string(),
            lines,
        })
    }

    fn time_at(&self, _document: &Document, x: f32) -> Option<Time> {
        Some(self.axis.time_at(x))
    }

    fn zoom(&mut self, at: Vec2, factor: Vec2) {
        if factor.x != 1.0 {
            self.axis.zoom(at.x, factor.x);
        }
    }

    fn pan(&mut self, by: Vec2) {
        self.axis.pan(by.x);
    }
}
