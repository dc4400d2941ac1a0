//! `callscape present`: A scene before an audience, shot by shot on keys

use std::path::PathBuf;

use crate::app::presenting::opening::Opens;
use crate::presentation::scene::SceneFile;

#[derive(Debug, clap::Args)]
#[command(about = "Present a scene: full screen, shot by shot on keys", after_help = HELP)]
pub struct Args {
    /// The scene file
    scene: PathBuf,
}

const HELP: &str = "\
Keys:
  → ↓ Page down Space   next shot            ← ↑ Page up    previous shot
  a number, Enter       to that shot         Home, End      to the first, to the last
  drag, wheel           look around          Backspace      back to the script
  L                     laser pointer        F              flashlight: all else is dimmed
  N                     notes and next shot in a second window
  B or .                black                A              by itself, or shot by shot
  F11                   full screen or not   Escape         leave

Example:
  callscape present scenes/tour.toml";

pub fn run(args: Args) -> anyhow::Result<()> {
    // What is wrong with it is better said where it was asked for.
    let file = SceneFile::read(&args.scene)?;
    Opens::of(&file)?;
    crate::app::run_scene(args.scene)
}
