//! What a comparison has found: both sides over one structure, and a row for each function.

use std::sync::Arc;

use super::amounts::Timed;
use super::doubt::Doubt;
use super::pairing::{self, How};
use crate::session::{Resolved, Session};
use callscape_base::units::{FunctionId, ModuleId, Time, Unit};
use callscape_facts::functions::Function;
use callscape_facts::hierarchy::Hierarchy;
use callscape_facts::trace::Enclosing;

/// A function of the comparison: one of A, one of B, or one of each.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// In the structure of both sides; where the function moved, its place in B.
    pub module: ModuleId,
    /// As the recordings of a side name it; none where they do not.
    pub names: [Option<(usize, FunctionId)>; 2],
    /// Why the two are one; none for a function of one side.
    pub how: Option<How>,
    /// The path of what A has, where it is not that of the module.
    pub was: Option<String>,
}

/// Both sides over one structure.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The structure of both, and the recordings: those of A, then those of B.
    pub session: Session,
    /// How many recordings A and B have.
    pub runs: [usize; 2],
    pub rows: Vec<Row>,
    /// By recording and function, its row.
    pub row_of: Vec<Vec<u32>>,
    /// The same modules at the lines that they have in the source tree of A, where that has one of its own: 0 for what stands
    /// in B alone.
    pub structure_of_a: Option<Arc<Hierarchy>>,
    /// By module, whether A and B have it in their source or ran it.
    pub known: Vec<[bool; 2]>,
    /// Files that moved or were renamed, as their paths in A and B.
    pub moved_files: Vec<[String; 2]>,
    /// Whether costs are compared as shares of their runs: as is asked, or for those of one side are no measure of the
    /// other's.
    pub is_by_shares: bool,
    /// Which time costs are compared in: running where all recordings know when their threads wait.
    pub timed: Timed,
    /// The row that amounts are given per call of.
    pub per: Option<u32>,
    /// By recording, the times before and after which nothing of it counts; empty where all of all does.
    pub limits: Vec<[Option<Time>; 2]>,
    /// How calls count that reach out of these.
    pub enclosing: Enclosing,
    /// What speaks against comparing the two, or has to be known to read the answer.
    pub doubts: Vec<Doubt>,
    /// Corrections that speak of no function, or of several.
    pub unclear: Vec<String>,
}

impl Comparison {
    /// The recordings of a side.
    pub fn recordings(&self, side: usize) -> &[Resolved] {
        &self.session.recordings[self.runs_of(side)]
    }

    /// The function of a row as its recording gives it: that of B, or of A where B has none.
    pub fn function(&self, row: u32) -> Function<'_> {
        let [a, b] = self.rows[row as usize].names;
        self.get(b.or(a))
    }

    /// The function of a row on one side; without name where that has none.
    pub fn function_of(&self, row: u32, side: usize) -> Function<'_> {
        self.get(self.rows[row as usize].names[side])
    }

    fn get(&self, place: Option<(usize, FunctionId)>) -> Function<'_> {
        place.map_or(Function::default(), |(recording, id)| {
            self.session.recordings[recording]
                .recording
                .functions
                .get(id)
        })
    }

    /// The rows whose function has this name or path on either side.
    pub fn rows_named(&self, text: &str) -> Vec<u32> {
        let mut found = Vec::new();
        for side in [0, 1] {
            let all = (0u32..).zip(&self.rows);
            let of_side = all.filter(|(_, row)| row.names[side].is_some());
            let of_side = of_side
                .map(|(number, row)| (number, self.function_of(number, side).name, row.module));
            found.extend(pairing::named(&self.session.hierarchy, text, of_side));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// What the costs of both count; that of A where they differ, which a doubt says.
    pub fn unit(&self) -> &Unit {
        static TIME: Unit = Unit::Nanoseconds;
        let first = self.session.recordings.first();
        first.map_or(&TIME, |it| it.recording.unit())
    }

    /// Whether both count calls, and of one kind.
    pub fn are_calls_alike(&self) -> bool {
        let mut all = self.session.recordings.iter().map(|it| &it.recording);
        let kind = all.clone().next().map(|it| it.recorded_as());
        all.all(|it| it.counts_calls() && Some(it.recorded_as()) == kind)
    }

    /// Whether both count calls, which are compared as they are.
    pub fn counts_calls(&self) -> bool {
        !self.is_by_shares
            && self
                .session
                .recordings
                .iter()
                .all(|it| it.recording.counts_calls())
    }
}
