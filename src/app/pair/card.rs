//! The card in which one chooses the recordings of A and of B.

use std::path::{Path, PathBuf};

use super::super::command::{Chosen, PairAsk};
use super::super::desk::Desk;
use super::super::welcome::typed_path;
use callscape_state::document::{Part, runs_beside, with_sides};
use callscape_state::job::{Job, take};

/// More files next to a recording would not be read.
const MOST_BESIDE: usize = 8;

/// The card, and what is chosen in it.
#[derive(Debug, Default)]
pub struct PairCard {
    pub is_open: bool,
    /// Of A and of B.
    pub sides: [Vec<PathBuf>; 2],
    /// The path that is typed.
    pub path: String,
    /// Files that are probably other runs of the same program.
    beside: Vec<PathBuf>,
    looking: Option<Job<Vec<PathBuf>>>,
}

impl PairCard {
    /// The side to which a recording is added that is not said to be of either: B once there is an A.
    pub fn side_to_fill(&self) -> usize {
        usize::from(!self.sides[0].is_empty())
    }

    /// Whether both sides have something.
    pub fn can_compare(&self) -> bool {
        self.sides.iter().all(|it| !it.is_empty())
    }

    /// Files next to those chosen that are not chosen, the most alike first.
    pub fn beside(&self) -> impl Iterator<Item = &PathBuf> {
        let taken = |path: &&PathBuf| !self.sides.iter().flatten().any(|it| is_same(it, path));
        self.beside.iter().filter(taken).take(MOST_BESIDE)
    }

    pub fn is_looking(&self) -> bool {
        self.looking.is_some()
    }

    fn add(&mut self, side: usize, paths: Vec<PathBuf>) {
        for path in paths {
            if !self.sides.iter().flatten().any(|it| is_same(it, &path)) {
                self.sides[side.min(1)].push(path);
            }
        }
    }
}

fn is_same(a: &Path, b: &Path) -> bool {
    std::path::absolute(a).ok() == std::path::absolute(b).ok()
}

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
}
