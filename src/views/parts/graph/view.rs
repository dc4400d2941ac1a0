//! What a view that shows a graph is made of: the chart, the work on another graph, and what was asked for here.

use std::sync::Arc;
use std::time::Duration;

use glam::Vec2;

use super::chart::{Chart, Spot};
use super::laid::Laid;
use super::marks::marked;
use super::model::{By, Graph, Of};
use super::moved::{Moved, Put};
use super::panel::Pointing;
use super::tips::{self, Tip};
use super::walk;
use crate::Pane;
use crate::parts::kept;
use crate::parts::noted::Noted;
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::FunctionId;
use callscape_filter::selection::Pointed;
use callscape_layout::layered::Memory;
use callscape_state::State;
use callscape_state::ask::{Asks, GraphKey};
use callscape_state::document::Document;
use callscape_state::job::{self, Job};
use callscape_state::panes::ViewId;

/// Boxes that are shown unless the user asks for more, how many more each time, and at most.
pub(crate) const MOST: u32 = 50;
const STEP: u32 = 25;
pub(crate) const MOST_OF_ALL: u32 = 500;

/// So far a key moves a box, in points.
const NUDGE: f32 = 12.0;

/// How it is made, by what was laid out before.
type Make<W, M> = fn(&W, (Memory, Vec<Arc<Laid>>), &Progress) -> Result<M, Cancelled>;

/// A graph of what is `W`anted, which is `M`ade on another thread.
pub(crate) struct GraphView<W, M> {
    pub chart: Chart,
    job: Option<Job<M>>,
    pub wanted: Option<W>,
    /// Counts what was asked for here.
    pub revision: u64,
    pub by: By,
    /// How many boxes are shown at most.
    pub most: u32,
    /// The box that keys act on, where several stand for what is chosen.
    pub focus: Option<u64>,
    /// What filters leave is counted first.
    pub is_counting: bool,
    /// When it was last brought up to date.
    now: Duration,
    /// Where boxes were put, for the list of changes.
    noted: Noted,
    /// What a session file says of that, until a graph is shown.
    restored: Option<Moved>,
    /// What was last shown, as stamps: of what is open, and of what was asked for here.
    seen: Option<([u64; 4], u64, bool)>,
}

/// What the pointer does in a graph.
pub(crate) enum Act {
    Nothing,
    /// A click on a sign, or a double-click on something.
    Open(Spot),
    Choose(Pointed),
}

impl<W, M> Default for GraphView<W, M> {
    fn default() -> GraphView<W, M> {
        GraphView {
            chart: Chart::default(),
            job: None,
            wanted: None,
            revision: 0,
            by: By::Cost,
            most: MOST,
            focus: None,
            is_counting: false,
            now: Duration::ZERO,
            noted: Noted::default(),
            restored: None,
            seen: None,
        }
    }
}

impl<W: Clone + PartialEq + Send + 'static, M: Send + 'static> GraphView<W, M> {
    /// Puts boxes where the list of changes or a session file has them.
    pub(crate) fn bring_boxes(&mut self, view: ViewId, state: &State) {
        self.now = state.now();
        let own = self.noted.brought(view, state);
        let brought = own.map(|it| Moved::of_numbers(it.kept()));
        let moved = brought.or_else(|| self.restored.take());
        if let (Some(moved), Some(document)) = (moved, &state.document) {
            let hierarchy = &document.session.hierarchy;
            self.chart.put(moved, state.now(), hierarchy);
        }
    }

    /// Puts boxes where a session file has them; how many of its places mean nothing.
    pub(crate) fn restore_boxes(&mut self, moved: Moved) -> usize {
        let (moved, lost) = moved.sound();
        self.restored = Some(moved);
        lost
    }

    /// Where boxes were put, for session files: what was restored and is not shown yet is kept.
    pub(crate) fn boxes(&self) -> Moved {
        let restored = self.restored.clone();
        restored.unwrap_or_else(|| self.chart.moved().clone())
    }

    /// Notes that boxes were put elsewhere.
    fn note(&mut self, put: Option<Put>, name: &str, asks: &mut Asks) {
        if let Some(Put { words, both }) = put {
            let both = both.map(|it| it.numbers());
            self.noted
                .note(format!("{words} in the {name}"), both, asks);
        }
    }

    /// Moves the box that keys act on, or puts all back; false for other keys.
    pub(crate) fn press_to_move(
        &mut self,
        key: GraphKey,
        (document, name): (&Document, &str),
        asks: &mut Asks,
    ) -> bool {
        let (now, hierarchy) = (self.now, &document.session.hierarchy);
        let way = match key {
            GraphKey::MoveLeft => Vec2::NEG_X,
            GraphKey::MoveRight => Vec2::X,
            GraphKey::MoveUp => Vec2::NEG_Y,
            GraphKey::MoveDown => Vec2::Y,
            GraphKey::PutBack => {
                let put = self.chart.put_back(now, hierarchy);
                self.note(put, name, asks);
                return true;
            }
            _ => return false,
        };
        if let Some(place) = self.focused(document) {
            let put = self.chart.nudge(place, way * NUDGE, (now, hierarchy));
            self.note(put, name, asks);
        }
        true
    }

    /// The document, where something else is to be shown than with the same stamps before; none while what filters leave is
    /// still to be counted.
    pub(crate) fn anew<'a>(&mut self, stamps: [u64; 4], state: &'a State) -> Option<&'a Document> {
        let is_counting = state.work.is_under_way();
        let seen = (stamps, self.revision, is_counting);
        if self.seen.replace(seen) == Some(seen) {
            return None;
        }
        let Some(document) = &state.document else {
            self.chart.clear();
            return None;
        };
        self.is_counting = is_counting && document.is_limited();
        (!self.is_counting).then_some(document)
    }

    /// What stands in place of the graph or over it: `own` says it of a graph that is there, or of none.
    pub(crate) fn words(
        &self,
        state: &State,
        [closed, counting]: [&'static str; 2],
        own: impl FnOnce(&Document, Option<&Graph>) -> &'static str,
    ) -> &'static str {
        let Some(document) = &state.document else {
            return "";
        };
        if document.resolved().is_none() {
            return closed;
        }
        if state.work.counting_is_stopped && !document.filters.is_empty() {
            return "Excluded calls are not counted yet: this is the previous result.";
        }
        match self.chart.laid() {
            None if self.is_waiting() => counting,
            Some(_) if self.is_counting => "Counting the remaining calls …",
            laid => own(document, laid.map(|it| &it.graph)),
        }
    }

    /// Does what a key does in every graph; what is to be chosen then.
    pub(crate) fn press(&mut self, key: GraphKey, document: &Document) -> Option<Pointed> {
        match key {
            GraphKey::Width => self.change_width(),
            GraphKey::Rest => self.show_more(),
            GraphKey::Nearer => self.chart.zoom_in_the_middle(1.25),
            GraphKey::Farther => self.chart.zoom_in_the_middle(0.8),
            _ => return self.walk(key, document),
        }
        None
    }

    /// Says what is under the pointer, and does what it does in every graph; the rest is to be done.
    pub(crate) fn point(
        &mut self,
        document: &Document,
        mut pointing: Pointing,
        (name, pane): (&str, &mut Pane<'_>),
    ) -> Act {
        self.note(pointing.put.take(), name, pane.asks);
        let (pointed, tip) = self.meant(document, pointing.spot);
        pane.pointed = pointed;
        let [is_clicked, is_double] = [pointing.is_clicked(), pointing.is_double()];
        let spot = pointing.spot;
        pointing.tell(tip);
        match spot {
            _ if !is_clicked && !is_double => Act::Nothing,
            Some(Spot::Box(place) | Spot::BoxSign(place))
                if matches!(self.of_box(place), Some(Of::More(_))) =>
            {
                self.show_more();
                Act::Nothing
            }
            Some(spot @ (Spot::BoxSign(_) | Spot::FrameSign(_))) => Act::Open(spot),
            Some(spot @ (Spot::Box(_) | Spot::Frame(_))) if is_double => Act::Open(spot),
            Some(Spot::Box(place)) => {
                self.set_focus(place);
                Act::Choose(pointed)
            }
            _ => Act::Choose(pointed),
        }
    }

    /// What was made, once it is.
    pub(crate) fn take(&mut self) -> Option<M> {
        job::take(&mut self.job)
    }

    /// Begins to make another graph, unless it is the one that is wanted already.
    pub(crate) fn want(
        &mut self,
        wanted: W,
        (name, state): (&'static str, &State),
        make: Make<W, M>,
    ) {
        if self.wanted.as_ref() == Some(&wanted) {
            return;
        }
        self.wanted = Some(wanted.clone());
        let known = self.chart.known();
        self.job = Some(Job::named(name, state.waker(), move |progress| {
            make(&wanted, known, progress)
        }));
    }

    /// There is nothing to be shown.
    pub(crate) fn clear(&mut self) {
        self.chart.clear();
        self.wanted = None;
    }

    pub(crate) fn is_waiting(&self) -> bool {
        self.job.is_some() || self.is_counting
    }

    pub(crate) fn progress(&self) -> Option<&Progress> {
        self.job.as_ref().and_then(Job::slow)
    }

    pub(crate) fn cancel(&mut self) {
        self.job = None;
    }

    /// Shows so many more boxes.
    pub(crate) fn show_more(&mut self) {
        self.most = (self.most + STEP).min(MOST_OF_ALL);
        self.revision += 1;
    }

    /// Has keys act on this box.
    fn set_focus(&mut self, place: u32) {
        let laid = self.chart.laid();
        let of = laid.and_then(|it| it.graph.boxes.get(place as usize));
        self.focus = of.map(|it| it.key);
    }

    /// Says by width what it did not say before.
    fn change_width(&mut self) {
        self.by = kept::next(self.by);
        self.revision += 1;
    }

    pub(crate) fn of_box(&self, place: u32) -> Option<Of> {
        let laid = self.chart.laid()?;
        laid.graph.boxes.get(place as usize).map(|it| it.of)
    }

    pub(crate) fn function_at(&self, place: u32) -> Option<FunctionId> {
        self.of_box(place)?.function()
    }

    /// What is meant by a box.
    pub(crate) fn pointed_at_box(&self, document: &Document, place: u32) -> Pointed {
        let of = self.of_box(place);
        document.complete(Pointed {
            function: of.and_then(Of::function),
            ..Pointed::at_module(of.and_then(Of::module))
        })
    }

    /// What is meant by a line: the call relation in all other views.
    fn pointed_at_line(&self, document: &Document, place: u32) -> Pointed {
        let laid = self.chart.laid();
        let Some(line) = laid.and_then(|it| it.graph.lines.get(place as usize)) else {
            return Pointed::default();
        };
        let [from, to] = [line.from, line.to].map(|place| self.of_box(place));
        let module = |of: Option<Of>| of.and_then(Of::module);
        document.complete(Pointed {
            relation: module(from).zip(module(to)),
            function: to.and_then(Of::function),
            module: module(to),
            ..Pointed::default()
        })
    }

    /// What is meant by a spot, and what is said of it.
    fn meant(&self, document: &Document, spot: Option<Spot>) -> (Pointed, Option<Tip>) {
        let (Some(spot), Some(laid)) = (spot, self.chart.laid()) else {
            return (Pointed::default(), None);
        };
        let graph = &laid.graph;
        match spot {
            Spot::Box(place) | Spot::BoxSign(place) => (
                self.pointed_at_box(document, place),
                tips::of_box(document, graph, place),
            ),
            Spot::Frame(place) | Spot::FrameSign(place) => {
                let module = graph.frames.get(place as usize).map(|it| it.module);
                let pointed = document.complete(Pointed::at_module(module));
                (pointed, tips::of_frame(document, graph, place))
            }
            Spot::Line(place) => (
                self.pointed_at_line(document, place),
                tips::of_line(document, graph, place),
            ),
        }
    }

    /// The box that keys act on: the one walked to, else that of what is chosen.
    pub(crate) fn focused(&self, document: &Document) -> Option<u32> {
        let laid = self.chart.laid()?;
        let marked = marked(document, &laid.graph, &document.selection.chosen);
        let mut boxes = laid.graph.boxes.iter();
        let own = self
            .focus
            .and_then(|key| boxes.position(|it| it.key == key));
        let own = own.map(|it| it as u32);
        let own = own.filter(|it| marked.boxes.contains(it));
        own.or(marked.boxes.first().copied())
    }

    /// Goes on to another box; what it means is to be chosen.
    fn walk(&mut self, key: GraphKey, document: &Document) -> Option<Pointed> {
        let laid = Arc::clone(self.chart.laid()?);
        let to = walk::next(&laid, self.focused(document), key)?;
        self.set_focus(to);
        self.chart.reveal(to);
        let pointed = self.pointed_at_box(document, to);
        (pointed != Pointed::default()).then_some(pointed)
    }
}
