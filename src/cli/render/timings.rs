//! How long the passes of pictures took, in words and as JSON.

use std::path::Path;

use callscape_app::headless::Adapter;

/// How much of what there is a picture shows, and how much it leaves out.
pub(super) struct Amounts {
    pub modules: (usize, usize),
    pub relations: (usize, usize),
}

/// What a picture shows, and how long its passes took.
#[derive(serde::Serialize)]
pub(super) struct PictureTimings {
    file: String,
    /// Modules with their own block, and modules merged into their enclosing ones because of the device's limit.
    modules: usize,
    modules_left_out: usize,
    /// Call relations drawn as arcs, and those left out because there are too many.
    arcs: usize,
    arcs_left_out: usize,
    /// `None` if the device cannot measure them.
    passes: Option<Vec<PassTiming>>,
}

#[derive(serde::Serialize)]
struct PassTiming {
    name: &'static str,
    ms: f32,
}

impl PictureTimings {
    pub(super) fn new(path: &Path, passes: &[(&'static str, f32)], of: Amounts) -> PictureTimings {
        let passes = passes.iter().map(|&(name, ms)| PassTiming { name, ms });
        PictureTimings {
            file: path.display().to_string(),
            modules: of.modules.0,
            modules_left_out: of.modules.1,
            arcs: of.relations.0,
            arcs_left_out: of.relations.1,
            passes: Some(passes.collect()).filter(|passes: &Vec<_>| !passes.is_empty()),
        }
    }
}

/// Says how long the passes took, summed over the pictures that were averaged.
pub(super) fn say_timings(
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
        return crate::output::print_json(&Report { adapter, pictures });
    }
    say!("callscape: drawn by {}", adapter.adapter);
    for picture in pictures {
        let Some(passes) = picture.passes else {
            say!("callscape: the graphics device cannot measure the passes");
            return Ok(());
        };
        let sum: f32 = passes.iter().map(|pass| pass.ms).sum();
        say!("callscape: {}: {sum:.1} ms", picture.file);
        for pass in passes {
            say!("  {:<14}{:>9.1} ms", pass.name, pass.ms);
        }
    }
    Ok(())
}
