//! Where the threads of a flame chart lie, one below the other.

use callscape_base::units::ThreadId;
use callscape_facts::trace::Trace;

/// More threads than this begin collapsed, but for the busiest.
const MANY: usize = 8;
const BUSIEST: usize = 4;

/// Heights in points: of a heading, of the band that stands for a collapsed thread, between threads.
pub(super) const HEADING: f32 = 18.0;
pub(super) const BAND: f32 = 9.0;
const GAP: f32 = 5.0;

/// How high a depth is, in points: letters fit into the lowest that is chosen at first.
pub(super) const LOWEST_ROW: f32 = 3.0;
pub(super) const HIGHEST_ROW: f32 = 28.0;
const FIRST_ROW: [f32; 2] = [14.0, 17.0];

/// A thread of the chart.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Lane {
    pub thread: ThreadId,
    pub is_collapsed: bool,
    /// Depths that it has.
    pub depths: u32,
}

/// Where a lane lies, in pixels from the top of all lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Placed {
    pub lane: usize,
    pub top: f32,
    /// Where its calls begin, and the height of each depth.
    pub rows: f32,
    pub row: f32,
    /// Depths that are drawn.
    pub depths: u32,
    pub bottom: f32,
}

/// The threads of a recording that have calls; where there are many, the busiest expanded.
pub(super) fn of_trace(trace: &Trace) -> Vec<Lane> {
    let threads = trace.threads();
    let mut busiest: Vec<usize> = (0..threads.len())
        .filter(|&at| threads[at].calls > 0)
        .collect();
    busiest.sort_by_key(|&at| (std::cmp::Reverse(threads[at].calls), at));
    let expanded = if busiest.len() > MANY {
        &busiest[..BUSIEST]
    } else {
        &busiest[..]
    };
    let lane = |(thread, info): (ThreadId, &callscape_facts::trace::Thread)| Lane {
        thread,
        is_collapsed: !expanded.contains(&thread.index()),
        depths: info.max_depth,
    };
    trace
        .thread_ids()
        .zip(threads)
        .filter(|(_, info)| info.calls > 0)
        .map(lane)
        .collect()
}

/// The height of a depth, in points, with which as much as possible is seen in `height` points and names
/// can be read.
pub(super) fn first_row(lanes: &[Lane], height: f32) -> f32 {
    let taken: f32 = lanes
        .iter()
        .map(|lane| HEADING + GAP + if lane.is_collapsed { BAND } else { 0.0 })
        .sum();
    let open = lanes.iter().filter(|lane| !lane.is_collapsed);
    let depths: u32 = open.map(|lane| lane.depths).sum();
    let fitting = (height - taken) / depths.max(1) as f32;
    fitting.clamp(FIRST_ROW[0], FIRST_ROW[1])
}

/// Lays the lanes that are not left out one below the other; gives the height of all. `row` is the height
/// of a depth in pixels.
pub(super) fn place(
    lanes: &[Lane],
    is_left_out: impl Fn(ThreadId) -> bool,
    row: f32,
    scale: f32,
    placed: &mut Vec<Placed>,
) -> f32 {
    placed.clear();
    let px = |points: f32| (points * scale).round();
    let mut top = 0.0;
    for (at, lane) in lanes.iter().enumerate() {
        if is_left_out(lane.thread) {
            continue;
        }
        let rows = top + px(HEADING);
        let (row, depths) = if lane.is_collapsed {
            (px(BAND), 1)
        } else {
            (row, lane.depths)
        };
        let bottom = rows + row * depths as f32 + px(GAP);
        placed.push(Placed {
            lane: at,
            top,
            rows,
            row,
            depths,
            bottom,
        });
        top = bottom;
    }
    top
}
