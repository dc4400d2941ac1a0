//! What asking the map a question does.

use std::sync::Arc;

use super::question::{Found, Missing, Question};
use super::state::State;
use callscape_model::landscape::LandscapeSettings;
use callscape_model::metric::{Metric, Origin};
use callscape_model::presets::{PRESETS, Preset, find};
use callscape_model::surface::Scale;

impl State {
    /// Has the colours answer a question, and shows its panel.
    pub(crate) fn ask_map(&mut self, id: &str) {
        let Some(preset) = find(id).filter(|preset| self.missing_for(preset).is_none()) else {
            return;
        };
        self.configure(LandscapeSettings {
            surface: preset.surface,
            scale: Scale::Log,
            highlight: None,
            ..self.settings
        });
        self.look.question.asked = Some(preset);
        self.look.question.is_open = true;
        self.update_question();
    }

    /// Opens or closes the panel; without a question asked, the first that can be answered is.
    pub(crate) fn toggle_question(&mut self) {
        if self.look.question.is_open {
            self.look.question.is_open = false;
            return;
        }
        let first = PRESETS
            .iter()
            .find(|preset| self.missing_for(preset).is_none());
        match self.look.question.asked.or(first) {
            Some(preset) => self.ask_map(preset.id),
            None => self.look.question.is_open = false,
        }
    }

    /// What would have to be open as well for a question to be answered.
    pub fn missing_for(&self, preset: &Preset) -> Option<Missing> {
        let document = self.document.as_ref();
        let Some(document) = document else {
            return Some(Missing::Source);
        };
        // A history knows its files without a source tree.
        let known = document.city.metrics();
        if known.played().is_some() && preset.metrics().all(|it| is_of_files(it) && known.has(it)) {
            return None;
        }
        let needs = |origin| preset.metrics().any(|it| it.origin() == origin);
        match document.resolved() {
            None if needs(Origin::Recording) => return Some(Missing::Recording),
            Some(_) if preset.needs_imports() => return Some(Missing::Imports),
            _ => {}
        }
        document
            .inputs
            .source_dir
            .is_none()
            .then_some(Missing::Source)
    }

    /// The question that the colours of what has just been opened answer.
    pub(super) fn begin_question(&mut self) {
        let surface = self.settings.surface;
        let asked = PRESETS.iter().find(|preset| preset.surface == surface);
        let asked = asked.filter(|preset| self.missing_for(preset).is_none());
        self.look.question = Question {
            asked,
            is_open: asked.is_some(),
            found: None,
        };
    }

    /// Finds what stands out where the structure or what is known of it has changed. O(1) otherwise.
    pub(super) fn update_question(&mut self) {
        let question = &mut self.look.question;
        let Some(document) = &self.document else {
            *question = Question::default();
            return;
        };
        // Other colours answer nothing, or something else.
        if question
            .asked
            .is_some_and(|it| it.surface != self.settings.surface)
        {
            question.asked = None;
            question.is_open = false;
        }
        let Some(preset) = question.asked.filter(|_| question.is_open) else {
            question.found = None;
            return;
        };
        let (session, metrics) = (&document.session, document.city.metrics());
        let found = question.found.as_ref();
        let then = document.playback.as_ref().zip(metrics.played());
        let then = then.filter(|(playback, _)| !playback.summary);
        let commits = match then {
            // While time goes on, an answer would change faster than it can be read.
            Some((playback, _)) if playback.is_playing() && found.is_some() => {
                found.and_then(|it| it.commits)
            }
            then => then.map(|(playback, played)| played.commits_at(playback.time())),
        };
        let is_known = question.found.as_ref().is_some_and(|found| {
            std::ptr::eq(found.preset, preset)
                && Arc::ptr_eq(&found.session, session)
                && Arc::ptr_eq(&found.metrics, metrics)
                && found.without == self.settings.without
                && found.commits == commits
        });
        if !is_known {
            let (hierarchy, without) = (&session.hierarchy, self.settings.without);
            let at = commits.map(|commits| metrics.after(hierarchy, commits));
            let at = at.as_ref().unwrap_or(&**metrics);
            let modules = match preset.is_possible(at) {
                true => preset.stand_out(hierarchy, at, without),
                false => Vec::new(),
            };
            question.found = Some(Found {
                preset,
                session: Arc::clone(session),
                metrics: Arc::clone(metrics),
                without,
                commits,
                modules,
            });
        }
    }
}

/// Whether the history of a tree says it of files that are no longer there too.
fn is_of_files(metric: Metric) -> bool {
    metric == Metric::LinesOfCode
        || metric.origin() == Origin::History && metric != Metric::Hotspots
}

#[cfg(test)]
mod tests {
    use super::super::ask::LookAsk;
    use super::super::testing::{nothing_open, opened, tiny};
    use crate::state::State;
    use callscape_analysis::session::Inputs;
    use callscape_facts::kinds::Purpose;
    use callscape_model::landscape::LandscapeSettings;
    use callscape_model::metric::Metric;
    use callscape_model::surface::Surface;

    fn tree() -> State {
        let dir =
            std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("src/model");
        opened(&Inputs {
            source_dir: Some(dir),
            ..Inputs::default()
        })
    }

    #[test]
    fn a_tree_alone_says_where_it_is_complex_and_what_stands_out() {
        let mut state = tree();
        let complexity = Surface::Metric(Metric::Complexity);
        assert_eq!(state.settings.surface, complexity);
        assert!(state.look.question.is_open);
        // Functions are found after the files; what stands out is found again then.
        state.update_question();
        assert_eq!(
            state.look.question.asked().map(|it| it.id),
            Some("complexity")
        );
        state.execute(LookAsk::Question("size"));
        let hierarchy = &state.document.as_ref().expect("open").session.hierarchy;
        let lines: Vec<u32> = state
            .look
            .question
            .modules()
            .iter()
            .map(|it| hierarchy.module(it.module).loc)
            .collect();
        assert_eq!(lines.len(), 10);
        assert!(lines.is_sorted_by(|a, b| a >= b), "{lines:?}");
    }

    #[test]
    fn other_colours_answer_no_question() {
        let mut state = tree();
        let settings = callscape_model::landscape::LandscapeSettings {
            surface: Surface::District,
            ..state.settings
        };
        state.execute(LookAsk::Configure(settings));
        state.update_question();
        assert!(state.look.question.asked().is_none() && !state.look.question.is_open);
        state.execute(LookAsk::ToggleQuestion);
        assert_eq!(state.settings.surface, Surface::Metric(Metric::Complexity));
        state.execute(LookAsk::ToggleQuestion);
        assert!(!state.look.question.is_open);
    }

    #[test]
    fn files_for_some_purposes_are_not_shown_and_stand_out_nowhere() {
        let dir = std::env::temp_dir().join(format!("callscape-purposes-{}", std::process::id()));
        for (name, lines) in [("app.py", 3), ("test_app.py", 50), ("docs/conf.py", 20)] {
            let path = dir.join(name);
            std::fs::create_dir_all(path.parent().expect("there is one")).expect("there is room");
            let text = "def f():\n".to_owned() + &"    g()\n".repeat(lines);
            std::fs::write(path, text).expect("there is room");
        }
        let mut state = opened(&Inputs {
            source_dir: Some(dir.clone()),
            ..Inputs::default()
        });
        state.execute(LookAsk::Question("size"));
        let shown = |state: &State| {
            let document = state.document.as_ref().expect("open");
            let hierarchy = &document.session.hierarchy;
            let files = hierarchy.outermost_files();
            let blocks = document.city.blocks();
            let has_block = |&file: &_| blocks.iter().any(|it| hierarchy.contains(file, it.module));
            let shown = files.filter(has_block);
            let stands_out = state.look.question.modules().iter().map(|it| it.module);
            let names = |ids: Vec<_>| {
                let names = ids.into_iter().map(|id| hierarchy.name(id).to_owned());
                let mut names: Vec<String> = names.collect();
                names.sort();
                names
            };
            (names(shown.collect()), names(stands_out.collect()))
        };
        for (without, expected) in [
            (vec![], vec!["app.py", "conf.py", "test_app.py"]),
            (vec![Purpose::Test], vec!["app.py", "conf.py"]),
            (vec![Purpose::Test, Purpose::Documentation], vec!["app.py"]),
            (vec![Purpose::Product], vec!["conf.py", "test_app.py"]),
            (Purpose::ALL.to_vec(), vec![]),
            (vec![], vec!["app.py", "conf.py", "test_app.py"]),
        ] {
            state.execute(LookAsk::Configure(LandscapeSettings {
                without: without.into_iter().collect(),
                ..state.settings
            }));
            state.update_question();
            let (blocks, stand_out) = shown(&state);
            assert_eq!(blocks, expected);
            assert_eq!(stand_out, expected);
        }
        let _ = std::fs::remove_dir_all(&dir);
    }

    #[test]
    fn what_cannot_be_answered_is_not_asked() {
        for mut state in [nothing_open(), tiny()] {
            let surface = state.settings.surface;
            state.execute(LookAsk::Question("hotspots"));
            state.execute(LookAsk::Question("no such question"));
            assert_eq!(state.settings.surface, surface);
            assert!(!state.look.question.is_open);
        }
    }
}
