//! Two runs in one window: which of them is shown, which time of it is which of the other, and what differs.

use crate::analysis::alignment::{Alignment, Link, Run};
use crate::analysis::comparison::amounts::Measure;
use crate::analysis::comparison::tables::Window;
use crate::analysis::comparison::{self, Comparison, Settings};
use crate::analysis::session::{Inputs, OpenError, Session};
use crate::progress::Progress;
use crate::units::Time;
use crate::views::difference::{Difference, Strength};

/// Two runs over one structure, one of them shown. The session holds the one that is shown first.
#[derive(Clone, Debug)]
pub struct Versus {
    pub difference: Difference,
    pub doubts: Vec<String>,
    names: [String; 2],
    /// 0 for A, 1 for B.
    shown: usize,
    /// None where one of them has no times.
    clocks: Option<Alignment>,
}

impl Versus {
    /// Opens two recordings as A and B; none for parts of one recording, which are read together.
    pub fn open(
        inputs: &Inputs,
        progress: &Progress,
    ) -> Result<Option<(Session, Versus)>, OpenError> {
        let [a, b] = &inputs.recordings[..] else {
            return Ok(None);
        };
        let sides = comparison::Inputs {
            recordings: [vec![a.clone()], vec![b.clone()]],
            source_dirs: inputs.source_dir.iter().cloned().collect(),
        };
        let comparison = Comparison::open(&sides, &Settings::default(), progress)?;
        let of = &comparison.session.recordings;
        // Files of one distributed trace are one recording (`import::open_all`), and a folder may hold several.
        let is_one = of.iter().all(|it| it.recording.format == "otlp");
        if comparison.runs != [1, 1] || is_one {
            return Ok(None);
        }
        let functions = comparison.functions(Window::default());
        let difference = Difference::new(
            &comparison,
            &functions,
            Measure::SelfCost,
            Strength::Absolute,
        );
        let have_times = of.iter().all(|it| it.recording.profile.is_none());
        let clocks = have_times.then(|| {
            let [a, b] = [0, 1].map(|place| Run {
                trace: &of[place].recording.trace,
                row_of: &comparison.row_of[place],
            });
            Alignment::new(a, b, &Link::Share)
        });
        let versus = Versus {
            difference,
            doubts: comparison.doubts.iter().map(ToString::to_string).collect(),
            names: [0, 1].map(|place| of[place].recording.name()),
            shown: 0,
            clocks,
        };
        Ok(Some((comparison.session, versus)))
    }

    /// The same with the other one shown.
    pub fn flipped(&self) -> Versus {
        Versus {
            shown: 1 - self.shown,
            ..self.clone()
        }
    }

    /// Which is shown: `A` or `B`.
    pub fn letter(&self) -> &'static str {
        ["A", "B"][self.shown]
    }

    /// The one that is shown, for people.
    pub fn title(&self) -> String {
        format!("{}: {}", self.letter(), self.names[self.shown])
    }

    /// The other one, for people.
    pub fn title_of_other(&self) -> String {
        self.flipped().title()
    }

    /// The time of the run that is not shown that is `time` of the one that is.
    pub fn time_of_other(&self, time: Time) -> Time {
        self.clocks
            .as_ref()
            .map_or(time, |it| it.map(self.shown, time))
    }
}
