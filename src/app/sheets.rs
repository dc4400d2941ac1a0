//! The views that draw on sheets, and what the pointer and the keys do to them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use glam::Vec2;

use super::versus::Versus;
use crate::analysis::session::Session;
use crate::filter::filters::Filters;
use crate::filter::selection::{CallOf, Pointed, Selection};
use crate::layout::sheet::{Rect, Sheet};
use crate::model::linked::{Along, LinkedRuns};
use crate::model::rows::MuralRows;
use crate::model::theme::Theme;
use crate::units::{ThreadId, Time, TimeRange};
use crate::views::Scope;
use crate::views::flame::FlameView;
use crate::views::mural::MuralView;
use crate::views::table::ViewId;
use crate::views::timelines::TimelinesView;
use crate::views::tip::Tip;

/// What is done to a sheet. Places are in physical pixels from its top left corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SheetAction {
    /// Shows so many times as much detail about a place.
    Zoom {
        at: Vec2,
        factor: Vec2,
    },
    Pan(Vec2),
    /// Shows all of the recording, or of the range that limits what is shown.
    ShowAll,
    /// Collapses a thread, or expands it.
    ToggleThread(ThreadId),
    /// Shows all of a call.
    Fit(CallOf),
    /// Moves as far as needed to see a call.
    Reveal(CallOf),
}

/// The sheets of one recording.
#[derive(Debug)]
pub struct Sheets {
    mural: MuralView,
    flame: FlameView,
    /// Of two runs, both along one time axis.
    both: Option<(Arc<Versus>, TimelinesView)>,
    /// By what was done to each: other numbers are other sheets.
    revisions: [u64; 3],
}

impl Sheets {
    pub fn new(session: &Session, recording: usize) -> Sheets {
        /// Those of one recording are told from those of another by where their numbers start.
        static MADE: AtomicU64 = AtomicU64::new(0);
        let first = MADE.fetch_add(1, Ordering::Relaxed) << 32;
        Sheets {
            mural: MuralView::new(session, recording),
            flame: FlameView::new(session, recording),
            both: None,
            revisions: [first; 3],
        }
    }

    /// Shows what `old` shows of the same recording: the visible times, unless those were all of `before`, and
    /// which threads are collapsed. `whole` is the recording's range now.
    pub fn take_over(
        &mut self,
        old: &Sheets,
        session: &Session,
        before: TimeRange,
        whole: TimeRange,
    ) {
        for view in [ViewId::Mural, ViewId::Flame] {
            if let Some(visible) = old.visible(view)
                && visible != before
                && visible.start < whole.end
            {
                self.act(session, view, SheetAction::ShowAll, visible);
            }
        }
        self.flame.take_over(&old.flame);
    }

    /// The threads of the call stacks that are collapsed.
    pub fn collapsed_threads(&self) -> Vec<ThreadId> {
        self.flame.collapsed().collect()
    }

    /// Collapses these threads and no others.
    pub fn collapse_threads(&mut self, threads: &[ThreadId]) {
        self.revisions[1] += 1;
        self.flame.collapse(|thread| threads.contains(&thread));
    }

    /// The sheet of a view; none of a view without.
    pub fn show(&mut self, view: ViewId, scope: &Scope<'_>) -> Option<&Sheet> {
        match view {
            ViewId::Mural => Some(self.mural.show(scope)),
            ViewId::Flame => Some(self.flame.show(scope)),
            ViewId::Timelines => {
                let (versus, view) = self.both.as_mut()?;
                Some(view.show(scope, &versus.pair()?))
            }
            ViewId::Landscape | ViewId::Functions | ViewId::Calls | ViewId::Differences => None,
        }
    }

    /// Takes two runs, or others than before: what is visible of them stays.
    pub fn compare(&mut self, session: &Session, versus: Option<&Arc<Versus>>) {
        self.revisions[2] += 1;
        let before = self.both.take();
        self.both = versus.and_then(|versus| {
            let pair = versus.pair()?;
            let view = match before {
                Some((_, view)) => view,
                None => TimelinesView::new(session, &pair, Along::default()),
            };
            Some((Arc::clone(versus), view))
        });
    }

    /// What is drawn of two runs along time.
    pub fn along(&self) -> Along {
        self.both
            .as_ref()
            .map_or(Along::default(), |it| it.1.along())
    }

    pub fn draw_along(&mut self, along: Along) {
        self.revisions[2] += 1;
        if let Some((_, view)) = &mut self.both {
            view.set_along(along);
        }
    }

    pub fn pointed(&self, view: ViewId, session: &Session, at: Vec2) -> Pointed {
        match view {
            ViewId::Mural => self.mural.pointed(at),
            ViewId::Flame => self.flame.pointed(at),
            ViewId::Timelines => self.in_both(Pointed::default(), |view, versus, pair| {
                view.pointed(session, pair, versus.side(), at)
            }),
            ViewId::Landscape | ViewId::Functions | ViewId::Calls | ViewId::Differences => {
                Pointed::default()
            }
        }
    }

    pub fn tip(&self, view: ViewId, session: &Session, at: Vec2) -> Option<Tip> {
        match view {
            ViewId::Mural => self.mural.tip(session, at),
            ViewId::Flame => self.flame.tip(session, at),
            ViewId::Timelines => self.in_both(None, |view, _, pair| view.tip(session, pair, at)),
            ViewId::Landscape | ViewId::Functions | ViewId::Calls | ViewId::Differences => None,
        }
    }

    /// The time of the run that plays at a place along x.
    pub fn time_at(&self, view: ViewId, session: &Session, x: f32) -> Option<Time> {
        match view {
            ViewId::Mural => Some(self.mural.time_at(x)),
            ViewId::Flame => Some(self.flame.time_at(x)),
            ViewId::Timelines => self.in_both(None, |view, versus, pair| {
                Some(view.time_at(session, pair, versus.side(), x))
            }),
            ViewId::Landscape | ViewId::Functions | ViewId::Calls | ViewId::Differences => None,
        }
    }

    /// The range of time that can be seen.
    pub fn visible(&self, view: ViewId) -> Option<TimeRange> {
        match view {
            ViewId::Mural => Some(self.mural.visible()),
            ViewId::Flame => Some(self.flame.visible()),
            ViewId::Timelines => self.both.as_ref().map(|it| it.1.visible()),
            ViewId::Landscape | ViewId::Functions | ViewId::Calls | ViewId::Differences => None,
        }
    }

    /// The corner of the overview in which nothing is drawn, in physical pixels.
    pub fn corner(&self, view: ViewId) -> Option<Rect> {
        (view == ViewId::Mural).then(|| self.mural.corner())
    }

    /// Takes other rows of the overview.
    pub fn set_rows(&mut self, session: &Session, rows: MuralRows, range: Option<TimeRange>) {
        self.revisions[0] += 1;
        self.mural.set_rows(session, rows, range);
    }

    /// The thread whose heading is at a place.
    pub fn heading_at(&self, view: ViewId, at: Vec2) -> Option<ThreadId> {
        match view {
            ViewId::Flame => self.flame.heading_at(at),
            _ => None,
        }
    }

    /// Does something to the sheet of a view; `all` is the range that there is to see.
    pub fn act(&mut self, session: &Session, view: ViewId, action: SheetAction, all: TimeRange) {
        match view {
            ViewId::Mural => {
                self.revisions[0] += 1;
                let mural = &mut self.mural;
                match action {
                    SheetAction::Zoom { at, factor } => mural.zoom(at, factor),
                    SheetAction::Pan(by) => mural.pan(by),
                    SheetAction::ShowAll => mural.set_visible(all),
                    SheetAction::ToggleThread(_) | SheetAction::Fit(_) | SheetAction::Reveal(_) => {
                    }
                }
            }
            ViewId::Flame => {
                self.revisions[1] += 1;
                let flame = &mut self.flame;
                match action {
                    SheetAction::Zoom { at, factor } => flame.zoom(at, factor),
                    SheetAction::Pan(by) => flame.pan(by),
                    SheetAction::ShowAll => flame.set_visible(all),
                    SheetAction::ToggleThread(thread) => flame.toggle_thread(thread),
                    SheetAction::Fit(call) => flame.fit(session, call),
                    SheetAction::Reveal(call) => flame.reveal(session, call),
                }
            }
            ViewId::Timelines => {
                self.revisions[2] += 1;
                let Some((versus, view)) = &mut self.both else {
                    return;
                };
                match action {
                    SheetAction::Zoom { at, factor } => view.zoom(at, factor),
                    SheetAction::Pan(by) => view.pan(by),
                    SheetAction::ShowAll => {
                        if let Some(pair) = versus.pair() {
                            view.show_range(session, &pair, versus.side(), all);
                        }
                    }
                    SheetAction::ToggleThread(_) | SheetAction::Fit(_) | SheetAction::Reveal(_) => {
                    }
                }
            }
            ViewId::Landscape | ViewId::Functions | ViewId::Calls | ViewId::Differences => {}
        }
    }

    /// Whether a sheet will show more without anything being done: it is still being worked out.
    pub fn is_waiting(&self, view: ViewId) -> bool {
        match view {
            ViewId::Mural => self.mural.is_waiting(),
            ViewId::Flame => self.flame.is_waiting(),
            _ => false,
        }
    }

    fn revision(&self, view: ViewId) -> u64 {
        match view {
            ViewId::Mural => self.revisions[0],
            ViewId::Flame => self.revisions[1],
            ViewId::Timelines => self.revisions[2],
            ViewId::Landscape | ViewId::Functions | ViewId::Calls | ViewId::Differences => 0,
        }
    }

    fn in_both<T>(
        &self,
        none: T,
        ask: impl FnOnce(&TimelinesView, &Versus, &LinkedRuns<'_>) -> T,
    ) -> T {
        match &self.both {
            Some((versus, view)) => match versus.pair() {
                Some(pair) => ask(view, versus, &pair),
                None => none,
            },
            None => none,
        }
    }
}

/// What a sheet was last drawn with: with the same there is nothing to draw.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnWith {
    selection: Selection,
    filters: Filters,
    theme: Theme,
    size: [u32; 2],
    scale: f32,
    revision: u64,
}

impl DrawnWith {
    pub fn new(sheets: &Sheets, view: ViewId, scope: &Scope<'_>) -> DrawnWith {
        DrawnWith {
            selection: scope.selection.clone(),
            filters: scope.filters.clone(),
            theme: scope.theme,
            size: scope.size.as_uvec2().to_array(),
            scale: scope.scale,
            revision: sheets.revision(view),
        }
    }
}
