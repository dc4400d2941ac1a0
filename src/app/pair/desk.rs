//! Two runs in the window: A and B are chosen, opened, changed and closed.

use std::path::{Path, PathBuf};

use crate::command::{Chosen, PairAsk};
use crate::desk::Desk;
use crate::welcome::typed_path;
use callscape_filter::selection::Pointed;
use callscape_state::ask::{Ask, CameraAsk};
use callscape_state::document::{Part, runs_beside, with_sides};
use callscape_state::job::{Job, take};
use callscape_views as views;

impl Desk {
    pub fn on_pair(&mut self, ask: PairAsk) {
        match ask {
            PairAsk::Toggle if self.pair.is_open => self.pair.is_open = false,
            PairAsk::Toggle => self.open_pair(),
            PairAsk::Choose(side) => self.choose_file(Chosen::Run(side)),
            PairAsk::Add(side, paths) => {
                self.pair.add(side, paths);
                self.look_beside();
            }
            PairAsk::With(paths) => {
                self.open_pair();
                let side = self.pair.side_to_fill();
                self.pair.add(side, paths);
                self.look_beside();
            }
            PairAsk::Remove(side, number) => {
                let of = &mut self.pair.sides[side.min(1)];
                if number < of.len() {
                    of.remove(number);
                }
            }
            PairAsk::Path(path) => self.pair.path = path,
            PairAsk::AddPath => {
                if let Some(path) = typed_path(&self.pair.path, &mut self.state) {
                    self.pair.path.clear();
                    let side = self.pair.side_to_fill();
                    self.pair.add(side, vec![path]);
                    self.look_beside();
                }
            }
            PairAsk::Swap => self.pair.sides.swap(0, 1),
            PairAsk::Compare if self.pair.can_compare() => {
                self.pair.is_open = false;
                self.open_sides(self.pair.sides.clone());
            }
            PairAsk::Compare => {}
            PairAsk::Revisions => self.toggle_revisions(),
            PairAsk::CompareRevisions => self.compare_revisions(),
            PairAsk::Name(..) | PairAsk::Take(_) | PairAsk::Fill(_) => {
                if let Some(card) = &mut self.pair.revisions {
                    card.on(ask);
                }
            }
            PairAsk::Close(side) => self.close_side(side),
            PairAsk::Cause(number) => self.show_cause(number),
            PairAsk::CloseCauses => self.causes.close(&self.state),
        }
    }

    /// Opens the card with what is open.
    fn open_pair(&mut self) {
        self.welcome.is_open = false;
        self.state.cards.help = false;
        self.pair.is_open = true;
        self.pair.sides = self.open_sides_now();
        self.pair.beside.clear();
        self.look_beside();
    }

    /// The recordings of A and B that are open.
    fn open_sides_now(&self) -> [Vec<PathBuf>; 2] {
        let document = self.state.document.as_ref();
        document.map_or_else(Default::default, |it| it.recordings_of_sides())
    }

    fn look_beside(&mut self) {
        let Some(first) = self.pair.sides.iter().flatten().next().cloned() else {
            return;
        };
        let work = move |_: &_| Ok(runs_beside(&first));
        self.pair.looking = Some(Job::named("runs beside", self.state.waker(), work));
    }

    /// Takes the runs that were found next to those chosen.
    pub(crate) fn poll_pair(&mut self) {
        if let Some(found) = take(&mut self.pair.looking) {
            self.pair.beside = found;
        }
        self.poll_revisions();
    }

    /// Adds recordings to B of what is open.
    pub(crate) fn open_as_second(&mut self, paths: Vec<PathBuf>) {
        let [a, mut b] = self.open_sides_now();
        b.extend(paths);
        self.open_sides([a, b]);
    }

    /// Opens one side without the other.
    fn close_side(&mut self, side: usize) {
        let mut sides = self.open_sides_now();
        if sides.iter().any(Vec::is_empty) {
            return;
        }
        self.keep_replaced();
        sides[side.min(1)].clear();
        self.open_sides(sides);
    }

    /// Opens these recordings of A and B over the source tree that is open. What is shown stays as it is, as far as it exists.
    fn open_sides(&mut self, sides: [Vec<PathBuf>; 2]) {
        let now = self.open_sides_now();
        let keeps_a = !now[0].is_empty() && now[0] == sides[0];
        let document = self.state.document.as_ref();
        let open = document.map(|it| it.inputs_of_sides());
        let open = open.filter(|it| !it.recordings.is_empty() || it.source_dir.is_some());
        let inputs = with_sides(open.as_ref(), sides);
        let shown = self.saved_session(Path::new(""));
        self.welcome.is_open = false;
        self.session_file = None;
        self.talk.scenes.clear();
        self.state.open(inputs, Part::default());
        self.to_restore = shown.filter(|_| keeps_a).map(|it| it.of_other_runs());
    }

    /// Selects the calling context of a cause, flies there, and opens the list of causes; with no number of a cause only the
    /// list.
    pub(crate) fn show_cause(&mut self, number: Option<usize>) {
        let line = number.and_then(|number| self.causes.first().get(number));
        if let Some(line) = line {
            let (module, path) = (line.module, line.path.clone());
            let at = Pointed::at_module(Some(module));
            self.state.execute(Ask::Context(at, path));
            self.state.execute(CameraAsk::FlyIfSeen(module));
        }
        self.causes.is_listed = true;
        self.state.execute(views::open_causes());
    }
}
