//! What the window knows of presentations: bookmarks, the scene that is edited, and the one that is presented.

use std::path::PathBuf;
use std::time::Duration;

use crate::command::PointsWith;
use callscape_base::units::Time;
use callscape_look::pose::Pose;
use callscape_presentation::bookmark::{Pending, found_from};
use callscape_presentation::scene::{Bookmark, Scene, SceneFile};
use callscape_presentation::scene_state::SceneState;
use callscape_state::Viewport;

/// Bookmarks and scenes.
#[derive(Default)]
pub struct Talk {
    /// Of the open session, in the order that the user gave them.
    pub bookmarks: Vec<Bookmark>,
    /// Bookmarks and scene before bookmarks were added last.
    pub before: Option<(Vec<Bookmark>, Scene)>,
    /// What of a bookmark is gone to as soon as the structure is shown through its mapping.
    pub pending: Option<Pending>,
    /// Of the pack that is open.
    pub scenes: Vec<PathBuf>,
    /// The panel that lists them is open, and shows the scene that is edited.
    pub is_open: bool,
    pub shows_script: bool,
    pub script: Script,
    /// What is done becomes shots.
    pub recorder: Option<Recorder>,
    /// A scene is presented.
    pub live: Option<Live>,
    /// The window fills the screen.
    pub is_full: bool,
    /// The file that bookmarks are exported to and read from.
    pub file: String,
}

/// The scene that is edited and the file that it is of.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// As it is typed; empty for none.
    pub file: String,
    pub scene: Scene,
    /// The shot that is edited.
    pub chosen: Option<usize>,
    /// Something is not written yet.
    pub is_changed: bool,
}

impl Script {
    pub fn path(&self) -> Option<PathBuf> {
        let name = self.file.trim();
        (!name.is_empty()).then(|| PathBuf::from(name))
    }

    /// Holds what was read.
    pub fn take(&mut self, file: &SceneFile) {
        *self = Script {
            file: file.path.display().to_string(),
            scene: Scene {
                bookmarks: found_from(file.folder(), file.scene.bookmarks.clone()),
                ..file.scene.clone()
            },
            chosen: None,
            is_changed: false,
        };
    }
}

/// A recording of what is done.
pub struct Recorder {
    /// As the last shot left it.
    pub last: SceneState,
    /// When that was, and when what is going on began; none while all rests.
    pub since: Duration,
    pub began: Option<Duration>,
    /// When something last moved.
    pub moved: Duration,
    /// Where the clock stood when it began to play.
    pub played: Option<(Time, Duration)>,
    pub pose: Pose,
    pub time: Time,
    pub shots: usize,
}

/// A presentation under way.
pub struct Live {
    /// Shown as soon as the landscape has its place.
    pub begins: Option<Beginning>,
    pub is_black: bool,
    /// The number of a shot, as far as it is typed.
    pub number: String,
    pub points_with: PointsWith,
    pub has_notes: bool,
    /// Someone looks around.
    pub is_away: bool,
    /// The camera flies back to the script.
    pub returns: bool,
    /// Where the script has left the camera; elsewhere someone moved it.
    pub left_at: Option<Pose>,
    /// When the last key was heard, in milliseconds, until its first frame is drawn.
    pub heard_ms: Option<f64>,
    pub fading: Fading,
}

/// What was shown goes over into what a shot has changed at once.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Fading {
    #[default]
    Not,
    /// It does as soon as what the shot shows is there.
    Waits,
    /// What was shown is to be kept before the next frame is drawn.
    Begins,
    Since(Duration),
}

/// A scene that waits for the landscape to come to rest in a window of another size.
pub struct Beginning {
    pub file: SceneFile,
    pub bookmarks: Vec<Bookmark>,
    pub shot: usize,
    /// Frames to wait for at least.
    pub frames: u8,
    /// Where the landscape was last, and since when.
    pub viewport: Viewport,
    pub since: Duration,
}
