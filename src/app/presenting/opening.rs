//! What a scene opens.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::saved::SavedSession;
use callscape_analysis::mapping::Mapping;
use callscape_analysis::session::{Elsewhere, Inputs, Sides, Since};
use callscape_base::files::disk;
use callscape_base::progress::Progress;
use callscape_model::landscape::LandscapeSettings;
use callscape_presentation::bookmark::found_from;
use callscape_presentation::place::Step;
use callscape_presentation::scene::{Bookmark, SceneError, SceneFile};
use callscape_state::document::Document;

/// What a scene opens, known to be there.
#[derive(Clone, Debug, Default)]
pub struct Opens {
    pub inputs: Inputs,
    pub mapping: Option<PathBuf>,
    /// The session file that the inputs come from.
    pub session: Option<(PathBuf, SavedSession)>,
    /// What shots can go to: the bookmarks of the scene, then those of its session that it has not.
    pub bookmarks: Vec<Bookmark>,
}

/// A scene's inputs, read.
pub struct Opened {
    pub document: Document,
    pub opens: Opens,
}

impl Opens {
    /// What `file` names; an error says which field names what is not there.
    pub fn of(file: &SceneFile) -> anyhow::Result<Opens> {
        let of = &file.scene.inputs;
        let field = |name: &str| vec![Step::Key("inputs".to_owned()), Step::Key(name.to_owned())];
        let there = |field: Vec<Step>, path: &Path| -> Result<PathBuf, SceneError> {
            let path = file.folder().join(path);
            if disk::exists(&path) {
                return Ok(path);
            }
            let shown = path.display();
            let problem = format!("expected a file or folder, found nothing at {shown}");
            Err(file.problem(&field, problem))
        };
        let mapping = of.mapping.as_deref();
        let mapping = mapping.map(|path| there(field("mapping"), path));
        let mapping = mapping.transpose()?;
        let mut bookmarks = found_from(file.folder(), file.scene.bookmarks.clone());
        if let Some(session) = &of.session {
            let path = there(field("session"), session)?;
            let saved = SavedSession::read(&path)?;
            let (inputs, missing) = saved.inputs(&path);
            if let Some(missing) = missing.first() {
                let shown = (path.display(), missing.display());
                let problem = format!("{}: {} not found", shown.0, shown.1);
                return Err(file.problem(&field("session"), problem).into());
            }
            let own: BTreeSet<String> = bookmarks.iter().map(|it| it.name.clone()).collect();
            let folder = path.parent().unwrap_or(Path::new(""));
            let others = found_from(folder, saved.bookmarks.clone()).into_iter();
            bookmarks.extend(others.filter(|it| !own.contains(&it.name)));
            let of_session = saved.mapping(&path).map(|(path, _)| path);
            return Ok(Opens {
                inputs,
                mapping: mapping.or(of_session),
                session: Some((path, saved)),
                bookmarks,
            });
        }
        let source = of.source.as_deref();
        let source = source
            .map(|path| there(field("source"), path))
            .transpose()?;
        let source_of_a = of.source_of_a.as_deref();
        let source_of_a = source_of_a
            .map(|path| there(field("source-of-a"), path))
            .transpose()?;
        let recordings = of.recordings.iter().enumerate().map(|(number, path)| {
            let mut field = field("recordings");
            field.push(Step::Number(number));
            there(field, path)
        });
        let good_recording = of.good_recording.as_deref();
        let good_recording = good_recording
            .map(|path| there(field("good-recording"), path))
            .transpose()?;
        let results = of.results.iter().enumerate().map(|(number, path)| {
            let mut field = field("results");
            field.push(Step::Number(number));
            there(field, path)
        });
        Ok(Opens {
            inputs: Inputs {
                source_dir: source,
                recordings: recordings.collect::<Result<_, _>>()?,
                sides: Sides {
                    runs_of_a: of.runs_of_a,
                    source_of_a,
                },
                elsewhere: Elsewhere {
                    since: of.good.as_ref().map(|good| Since {
                        good: good.clone(),
                        bad: of.bad.clone(),
                        good_recording,
                    }),
                    results: results.collect::<Result<_, _>>()?,
                },
            },
            mapping,
            session: None,
            bookmarks,
        })
    }

    /// Reads it all. For a worker thread: takes as long as it takes.
    pub fn open(self, file: &SceneFile, progress: &Progress) -> anyhow::Result<Opened> {
        let mut map = None;
        if let Some(path) = &self.mapping {
            let shown = path.display().to_string();
            let text = Mapping::text(path)?;
            let (mapping, errors) = Mapping::parse(&text, &shown);
            if let Some(error) = errors.first() {
                anyhow::bail!("{error}");
            }
            map = Some(Arc::new(mapping));
        }
        let mut settings = LandscapeSettings::default();
        // Nothing is wrong with it, or the scene would not have been read.
        file.scene.look.apply(&mut settings);
        let part = self.session.as_ref().map(|(_, saved)| saved.part());
        let document = Document::open(&self.inputs, map, &settings, progress)?;
        let document = document.showing(&part.unwrap_or_default(), progress)?;
        Ok(Opened {
            document,
            opens: self,
        })
    }
}
