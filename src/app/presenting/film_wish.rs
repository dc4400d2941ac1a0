//! What a film from the window is of, and how large.

/// Pixels, and frames a second, of films that say nothing else.
pub const SIZE: [u32; 2] = [1920, 1080];
pub const FPS: u32 = 30;

/// The sizes that the window offers, in pixels.
pub const SIZES: [[u32; 2]; 3] = [[1280, 720], SIZE, [3840, 2160]];

/// What a film from the window is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilmOf {
    /// The shots of the scene that is edited.
    Scene,
    /// The camera's way from bookmark to bookmark.
    Way,
    /// The range that limits all views, or all of the recording, from where the camera is.
    Range,
}

impl FilmOf {
    pub fn title(self) -> &'static str {
        match self {
            FilmOf::Scene => "the scene",
            FilmOf::Way => "the way through the bookmarks",
            FilmOf::Range => "the selected range, or the whole recording",
        }
    }
}

/// A film as the window asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilmWish {
    pub of: FilmOf,
    /// In pixels.
    pub size: [u32; 2],
}
