//! What a picture is wanted of, and the card in which one asks for it.

use std::path::PathBuf;

use super::command::PictureWish;
use callscape_state::panes::ViewId;
use callscape_views as views;

/// The card in which one asks for a picture.
#[derive(Clone, Debug)]
pub struct PictureCard {
    pub is_open: bool,
    /// What it is a picture of.
    pub view: ViewId,
    pub wish: PictureWish,
}

impl Default for PictureCard {
    fn default() -> PictureCard {
        PictureCard {
            is_open: false,
            view: views::main(),
            wish: PictureWish {
                file: String::new(),
                width: 3840,
                legend: false,
                labels: true,
                transparent: false,
            },
        }
    }
}

/// What is to be taken with the next frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    pub view: ViewId,
    /// None for the clipboard.
    pub file: Option<PathBuf>,
}
