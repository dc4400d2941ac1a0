//! `callscape present`: A scene before an audience, shot by shot on keys

use std::path::PathBuf;

use anyhow::Context;

use super::progress::with_progress;
use callscape_app::Opening;
use callscape_app::presenting::opening::Opens;
use callscape_app::sharing;
use callscape_export::pack;
use callscape_presentation::scene::SceneFile;

#[derive(Debug, clap::Args)]
#[command(about = "Present a scene: full screen, shot by shot on keys", after_help = HELP)]
pub(crate) struct PresentArgs {
    /// The scene file, or a pack with a scene
    scene: PathBuf,
}

const HELP: &str = "Keys:
  → ↓ Page down Space   next shot            ← ↑ Page up    previous shot
  a number, Enter       to that shot         Home, End      to the first, to the last
  drag, wheel           look around          Backspace      back to the script
  L                     laser pointer        F              flashlight: dims everything else
  N                     notes and next shot in a second window
  B or .                black                A              automatic, or shot by shot
  F11                   full screen or not   Escape         leave

Example:
  callscape present scenes/tour.toml
  callscape present talk.callscape-pack";

pub(crate) fn run(args: PresentArgs) -> anyhow::Result<()> {
    let mut scene = args.scene;
    if pack::is_pack(&scene) {
        let opened = with_progress(|progress| sharing::open(&scene, progress))??;
        scene = opened.scenes.into_iter().next().with_context(|| {
            let shown = scene.display();
            format!("{shown}: expected a pack with a scene, found none in it; `callscape pack --scene` adds one")
        })?;
    }
    // What is wrong with it is better said where it was asked for.
    let file = SceneFile::read(&scene)?;
    Opens::of(&file)?;
    let opening = Opening {
        write_page: Some(super::playable::share_whole),
        ..Opening::default()
    };
    callscape_app::run_scene(scene, opening)
}
