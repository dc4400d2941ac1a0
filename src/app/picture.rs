//! The picture of the landscape that the window saves: what is asked for, and its drawing on another thread.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;

use super::command::PictureWish;
use super::compare::both::Both;
use super::desk::Desk;
use super::glb;
use super::headless::{MAX_SIDE, PictureSettings, Studio, Viewpoint};
use super::picture_card::Snapshot;
use callscape_base::progress::{Cancelled, Progress};
use callscape_look::image::{Image, PngWriter};
use callscape_look::quality::Quality;
use callscape_model::moment::Moment;
use callscape_state::State;
use callscape_state::city::City;
use callscape_state::job::{Job, take};
use callscape_state::message::Message;
use callscape_state::runs::RunsLayout;
use callscape_views as views;

impl PictureWish {
    /// Whether a model is written, and no picture.
    pub fn is_model(&self) -> bool {
        ends(Path::new(&self.file), "glb")
    }

    /// Sides in pixels in a window whose width is `aspect` times its height; no side is longer than can be drawn.
    pub fn size(&self, aspect: f32) -> [u32; 2] {
        let most = MAX_SIDE as f32;
        let width = (self.width as f32).min(most).min(most * aspect).max(1.0);
        [width, width / aspect].map(|side| (side.round() as u32).clamp(1, MAX_SIDE))
    }
}

pub(crate) fn ends(file: &Path, with: &str) -> bool {
    let extension = file.extension();
    extension.is_some_and(|it| it.eq_ignore_ascii_case(with))
}

/// Copies a picture to the clipboard; gives back its size in words.
pub(crate) fn copy(image: &Image, ctx: &egui::Context) -> String {
    let size = [image.width as usize, image.height as usize];
    let copied = egui::ColorImage::from_rgba_unmultiplied(size, &image.rgba);
    ctx.copy_image(copied);
    format!("{} × {} pixels", image.width, image.height)
}

/// What became of a picture that was saved, or copied.
pub(crate) fn say(done: anyhow::Result<String>, is_copied: bool) -> Message {
    let titles = match is_copied {
        true => [
            "The picture is on the clipboard",
            "The picture could not be copied",
        ],
        false => ["The picture is saved", "The picture could not be saved"],
    };
    let is_error = done.is_err();
    Message {
        is_error,
        is_open: !is_copied,
        title: titles[usize::from(is_error)].to_owned(),
        lines: vec![done.unwrap_or_else(|error| format!("{error:#}"))],
    }
}

/// A name in the current directory that nothing has yet.
fn free_name() -> String {
    let names = (1..1000).map(|number| match number {
        1 => "callscape.png".to_owned(),
        _ => format!("callscape-{number}.png"),
    });
    let mut names = names.filter(|name| !Path::new(name).exists());
    names.next().unwrap_or_else(|| "callscape.png".to_owned())
}

/// How many times as wide as high a picture of what is seen is.
pub(crate) fn aspect(state: &State) -> f32 {
    let beside = state.shows_both() && state.layout_of_both() == RunsLayout::SideBySide;
    state.moving.viewport.aspect() * if beside { 2.0 } else { 1.0 }
}

impl Desk {
    pub fn toggle_picture(&mut self) {
        self.picture.is_open ^= true;
        if self.picture.is_open {
            self.picture.view = self.pictured();
            self.picture.wish.file = free_name();
        }
    }

    /// Begins to draw and write what is asked for.
    pub fn save_picture(&mut self) {
        let Some(document) = &self.state.document else {
            return;
        };
        let wish = self.picture.wish.clone();
        let file = PathBuf::from(wish.file.trim());
        let path = std::path::absolute(&file).unwrap_or(file);
        let view = self.picture.view;
        let is_main = view == views::main();
        let expected = match is_main {
            _ if ends(&path, if is_main { "glb" } else { "svg" }) || ends(&path, "png") => "",
            true if ends(&path, "svg") => {
                "the landscape is three-dimensional and has no .svg: expected a name that ends in .png, or in .glb for \
                 a model"
            }
            true => "expected a name that ends in .png, or in .glb for a model",
            false => "expected a name that ends in .png or .svg",
        };
        if !expected.is_empty() {
            self.say_of_picture(Err(anyhow::anyhow!("{}: {expected}", path.display())));
            return;
        }
        if !is_main {
            let file = Some(path);
            self.wants_picture = Some(Snapshot { view, file });
            self.picture.is_open = false;
            return;
        }
        let session = Arc::clone(&document.session);
        let metrics = Arc::clone(document.city.metrics());
        let references = Arc::clone(document.city.references());
        let left = document.city.left().clone();
        let (cut, settings) = (document.cut.clone(), document.settings);
        let (moment, selection) = (document.moment(), document.selection.clone());
        let pose = self.state.moving.camera.pose();
        let size = wish.size(aspect(&self.state));
        let both = self.picture_of_both(&wish);
        let work = move |progress: &Progress| -> Result<anyhow::Result<PathBuf>, Cancelled> {
            progress.start("laying out", 0);
            let mut view = City::with(&session, metrics, references, &settings, &cut);
            view.leave(left);
            progress.check()?;
            let written = || -> anyhow::Result<()> {
                if wish.is_model() {
                    view.show(&session, moment);
                    glb::write(&session, &view, &path, progress)?;
                    return Ok(());
                }
                let settings = PictureSettings {
                    size,
                    landscape: settings,
                    level: None,
                    viewpoint: Viewpoint::default(),
                    quality: Quality::default(),
                    legend: wish.legend,
                };
                if let Some(both) = both {
                    return both(view).write(&session, &settings, &path, progress);
                }
                let mut studio = Studio::of_view(&session, &settings, view)?;
                studio.look_from(pose);
                studio.select(selection);
                studio.set_labels(wish.labels);
                studio.set_transparent(wish.transparent);
                let mut file = PngWriter::create(&path, studio.size())?;
                studio.strips(moment, progress, |strip| Ok(file.rows(strip)?))?;
                Ok(file.finish()?)
            }();
            progress.check()?;
            Ok(written
                .with_context(|| format!("cannot write {}", path.display()))
                .map(|()| path))
        };
        self.jobs.saving = Some(Job::start(self.state.waker(), work));
        self.picture.is_open = false;
    }

    /// Where two landscapes are seen, what makes a picture of both, from the landscape of the run that plays.
    fn picture_of_both(
        &self,
        wish: &PictureWish,
    ) -> Option<impl FnOnce(City) -> Both + Send + use<>> {
        let document = self.state.document.as_ref()?;
        let beside = document.other_city.as_ref()?;
        if wish.is_model() || !self.state.shows_both() {
            return None;
        }
        let session = Arc::clone(&document.session);
        let (metrics, left) = (Arc::clone(beside.metrics()), beside.left().clone());
        let runs = document.runs.as_ref();
        let own = runs.map_or(0, |it| it.side());
        let in_order = |of: [Option<Moment>; 2]| if own == 0 { of } else { [of[1], of[0]] };
        let moments = in_order([document.moment(), document.moment_of_other()]);
        let captions = [0, 1].map(|side| match runs {
            Some(runs) => {
                let at = moments[side].filter(|it| !it.summary);
                let at = at.map_or(String::new(), |it| format!(", at {}", it.time));
                format!("{}{at}", runs.title_of(side))
            }
            None => moments[side].map_or_else(String::new, |it| it.caption()),
        });
        let divider = match (self.state.layout_of_both(), &self.state.runs_view.halves) {
            (RunsLayout::Wipe, Some(halves)) => {
                let wide = self.state.moving.viewport.size.x.max(1.0);
                Some(((halves.split - halves.origins[0].x) / wide).clamp(0.0, 1.0))
            }
            (RunsLayout::Wipe, None) => Some(self.state.runs_view.divider),
            _ => None,
        };
        let (pose, selection) = (self.state.moving.camera.pose(), document.selection.clone());
        let (has_labels, is_transparent) = (wish.labels, wish.transparent);
        Some(move |view: City| {
            let mut other = view.for_other_run(&session, metrics);
            other.leave(left);
            Both {
                views: if own == 0 {
                    [view, other]
                } else {
                    [other, view]
                },
                moments,
                captions,
                divider,
                pose: Some(pose),
                selection,
                has_labels,
                is_transparent,
            }
        })
    }

    /// Takes what came of it.
    pub fn poll_picture(&mut self) {
        if let Some(saved) = take(&mut self.jobs.saving) {
            self.say_of_picture(saved);
        }
    }

    pub fn say_of_picture(&mut self, saved: anyhow::Result<PathBuf>) {
        let saved = saved.map(|path| path.display().to_string());
        self.state.told.messages.push(say(saved, false));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture_card::PictureCard;

    #[test]
    fn a_picture_has_the_shape_of_the_landscape_and_no_side_is_too_long() {
        let wish = |width| PictureWish {
            width,
            ..PictureCard::default().wish
        };
        assert_eq!(wish(3840).size(16.0 / 9.0), [3840, 2160]);
        assert_eq!(wish(99_999).size(2.0), [16_384, 8192]);
        assert_eq!(wish(99_999).size(0.5), [8192, 16_384]);
        assert_eq!(wish(0).size(1.5), [1, 1]);
    }
}
