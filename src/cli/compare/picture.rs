//! `callscape compare -o`: a picture of the difference, or a report.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::ValueEnum;

use super::clocks::Align;
use super::moments::{self, Moment};
use super::tables::Tables;
use super::{picture, report};
use crate::analysis::comparison::tables::Given;
use crate::analysis::comparison::{Comparison, Inputs};
use crate::app::compare::Pictures;
use crate::app::headless::{PictureSettings, Viewpoint};
use crate::model::arcs::ArcMode;
use crate::model::difference::Strength;
use crate::model::landscape::LandscapeSettings;
use crate::model::linked::Along;
use crate::model::metric::Metric;
use crate::model::theme::Theme;
use crate::render::image::Image;
use crate::render::renderer::Quality;
use crate::units::{Cost, TimeRange};

#[derive(Debug, clap::Args)]
pub struct PictureArgs {
    /// Write a picture, OUT.png, or a report with pictures and tables on one page, OUT.html
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// What the picture shows
    #[arg(long, value_enum, default_value = "difference", requires = "output")]
    view: ViewArg,
    /// What a strong colour says
    #[arg(long, value_enum, default_value = "absolute", requires = "output")]
    strength: StrengthArg,
    /// What the height of a block says [default: leaves of even height]
    #[arg(long, value_enum, requires = "output")]
    height: Option<HeightArg>,
    /// Collapse districts in which nothing differs
    #[arg(long)]
    pub only_differences: bool,
    /// Width and height of a picture in pixels
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "1280x720", value_parser = super::super::render::size)]
    size: [u32; 2],
    #[arg(long, value_enum, default_value = "light")]
    theme: ThemeArg,
    /// Side by side at this time of A, and the time of B that --align links with it, in place of the whole of both; or
    /// where each run makes the call CALLER -> CALLEE
    #[arg(long, value_name = "TIME|CALL", requires = "output")]
    pub at: Option<Moment>,
    /// Without arcs for call relations
    #[arg(long, requires = "output")]
    no_arcs: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ViewArg {
    /// One landscape, coloured by what --sort names: less blue and striped, more orange
    Difference,
    /// Both runs over one layout, each with its own arcs
    SideBySide,
    /// The call stacks of both along time, one over the other, as --align links their clocks
    Flame,
    /// Which functions are active when in both, one over the other, as --align links their clocks
    Mural,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum HeightArg {
    /// What A has of what --sort names
    A,
    /// What B has of it
    B,
    /// How much they differ
    Difference,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum StrengthArg {
    /// How large a difference is beside the whole run
    Absolute,
    /// How many times as much it is
    Relative,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ThemeArg {
    Light,
    Dark,
}

/// A file to write, known to be writable.
pub struct Output {
    path: PathBuf,
    is_report: bool,
}

impl PictureArgs {
    /// What is to be written, tried before any long work.
    pub fn output(&self) -> anyhow::Result<Option<Output>> {
        let Some(path) = &self.output else {
            return Ok(None);
        };
        let shown = path.display();
        let ends = |end: &str| {
            path.extension()
                .is_some_and(|it| it.eq_ignore_ascii_case(end))
        };
        ensure!(!path.is_dir(), "{shown} is a directory; name a file in it");
        ensure!(
            ends("png") || ends("html"),
            "{shown}: expected a name that ends in .png or .html"
        );
        let trial = beside(path);
        let cannot = || format!("cannot write {shown}");
        std::fs::File::create(&trial).with_context(cannot)?;
        std::fs::remove_file(&trial).with_context(cannot)?;
        Ok(Some(Output {
            path: path.clone(),
            is_report: ends("html"),
        }))
    }

    fn settings(&self, theme: Theme, level: Option<u16>) -> PictureSettings {
        PictureSettings {
            size: self.size,
            landscape: LandscapeSettings {
                theme,
                arcs: match self.no_arcs {
                    true => ArcMode::None,
                    false => ArcMode::All,
                },
                height: self.height.map(|height| match height {
                    HeightArg::A => Metric::InA,
                    HeightArg::B => Metric::InB,
                    HeightArg::Difference => Metric::Difference,
                }),
                ..LandscapeSettings::default()
            },
            level,
            legend: false,
            viewpoint: Viewpoint::default(),
            quality: Quality {
                samples: 16,
                ..Quality::default()
            },
        }
    }

    pub fn theme(&self) -> Theme {
        match self.theme {
            ThemeArg::Light => Theme::Light,
            ThemeArg::Dark => Theme::Dark,
        }
    }
}

/// Where a file is written before it takes its name.
fn beside(path: &Path) -> PathBuf {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".part");
    PathBuf::from(beside)
}

/// The picture that the arguments ask for.
pub fn draw(
    args: &super::Args,
    comparison: &Comparison,
    tables: &Tables,
    view: ViewArg,
) -> anyhow::Result<Image> {
    let theme = args.picture.theme();
    let settings = args.picture.settings(theme, args.level);
    let strength = match args.picture.strength {
        StrengthArg::Absolute => Strength::Absolute,
        StrengthArg::Relative => Strength::Relative,
    };
    let measure = args.sort.measure();
    let mapped = tables.mapped.as_ref();
    let pictures = Pictures::new(
        comparison,
        &settings,
        &tables.functions,
        measure,
        strength,
        args.picture.only_differences,
        mapped,
    );
    Ok(match view {
        ViewArg::Difference => pictures.difference(&comparison.relations(Given::Compared))?,
        ViewArg::SideBySide => pictures.side_by_side(moments::times(args, comparison, mapped)?)?,
        ViewArg::Flame | ViewArg::Mural => {
            let along = match view {
                ViewArg::Flame => Along::Stacks,
                _ => Along::Overview,
            };
            let align = args.align.unwrap_or_default();
            let clocks = align.alignment(args, comparison)?;
            let is_wall = align == Align::Time;
            pictures.along(along, &clocks, is_wall, visible(comparison))?
        }
    })
}

/// Whether the first runs of both sides can be laid along time.
fn have_times(comparison: &Comparison) -> bool {
    [0, 1].into_iter().all(|side| {
        let first = comparison.recordings(side).first();
        first.is_some_and(|it| {
            it.recording.profile.is_none() && it.recording.trace.duration() > Cost::ZERO
        })
    })
}

/// The part of the longer run that --from and --to leave.
fn visible(comparison: &Comparison) -> Option<TimeRange> {
    let firsts = [0, 1].map(|side| comparison.runs_of(side).next());
    let firsts = firsts.into_iter().flatten();
    let longer = firsts.max_by_key(|&place| {
        let of = comparison.session.recordings.get(place);
        of.map(|it| it.recording.trace.duration())
    })?;
    comparison
        .range(longer)
        .filter(|range| range.start < range.end)
}

impl Output {
    pub fn is_report(&self) -> bool {
        self.is_report
    }

    pub fn write(
        &self,
        args: &super::Args,
        inputs: &Inputs,
        comparison: &Comparison,
        tables: &Tables,
    ) -> anyhow::Result<()> {
        let cannot = || format!("cannot write {}", self.path.display());
        if !self.is_report {
            let image = picture::draw(args, comparison, tables, args.picture.view)?;
            return image.write_png(&self.path).with_context(cannot);
        }
        let mut views = vec![
            (
                ViewArg::Difference,
                "The landscape, coloured by what differs",
            ),
            (
                ViewArg::SideBySide,
                "Both runs side by side over one layout",
            ),
        ];
        if have_times(comparison) {
            views.push((
                ViewArg::Flame,
                "The call stacks of both along time, A above B",
            ));
        }
        let mut pictures = Vec::new();
        for (view, said) in views {
            pictures.push((picture::draw(args, comparison, tables, view)?, said));
        }
        let page = report::page(inputs, comparison, tables, &pictures, args.map.as_deref())?;
        let trial = beside(&self.path);
        let written = std::fs::write(&trial, page);
        written
            .and_then(|()| std::fs::rename(&trial, &self.path))
            .inspect_err(|_| {
                // What was begun is of no use; that it could not be removed adds nothing to the error.
                let _ = std::fs::remove_file(&trial);
            })
            .with_context(cannot)
    }
}
