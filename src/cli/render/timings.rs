//! How long the passes of pictures took, in words and as JSON.

use std::path::Path;

use crate::app::headless::Adapter;

/// How long the passes of a picture took.
#[derive(serde::Serialize)]
pub struct PictureTimings {
    file: String,
    /// None where the device cannot tell.
    passes: Option<Vec<PassTiming>>,
}

#[derive(serde::Serialize)]
struct PassTiming {
    name: &'static str,
    ms: f32,
}

impl PictureTimings {
    pub fn new(path: &Path, passes: &[(&'static str, f32)]) -> PictureTimings {
        let passes = passes.iter().map(|&(name, ms)| PassTiming { name, ms });
        PictureTimings {
            file: path.display().to_string(),
            passes: Some(passes.collect()).filter(|passes: &Vec<_>| !passes.is_empty()),
        }
    }
}

/// Says how long the passes took, summed over the pictures that were averaged.
pub fn say_timings(
    adapter: &Adapter,
    pictures: Vec<PictureTimings>,
    as_json: bool,
) -> anyhow::Result<()> {
    if as_json {
        #[derive(serde::Serialize)]
        struct Report<'a> {
            #[serde(flatten)]
            adapter: &'a Adapter,
            pictures: Vec<PictureTimings>,
        }
        return crate::cli::output::print_json(&Report { adapter, pictures });
    }
    eprintln!("callscape: drawn by {}", adapter.adapter);
    for picture in pictures {
        let Some(passes) = picture.passes else {
            eprintln!("callscape: it cannot tell how long the passes take");
            return Ok(());
        };
        let sum: f32 = passes.iter().map(|pass| pass.ms).sum();
        eprintln!("callscape: {}: {sum:.1} ms", picture.file);
        for pass in passes {
            eprintln!("  {:<14}{:>9.1} ms", pass.name, pass.ms);
        }
    }
    Ok(())
}
