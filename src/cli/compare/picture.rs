//! `callscape compare -o`: a picture of the difference, or a report.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, bail, ensure};

use super::super::progress::{Bar, with_progress};
use super::args::CompareArgs;
use super::clocks::Align;
use super::moments::{Moment, Names};
use super::picture_args::{HeightArg, PictureArgs, StrengthArg, ThemeArg, ViewArg};
use super::tables::Tables;
use super::{lines, report};
use crate::page::escaped;
use crate::playable::{self, Playable};
use callscape_analysis::comparison::tables::Given;
use callscape_analysis::comparison::{Comparison, Inputs, Settings};
use callscape_analysis::mapping::regroup::Regrouped;
use callscape_analysis::session;
use callscape_app::compare::Pictures;
use callscape_app::headless::{PictureSettings, Viewpoint};
use callscape_app::sharing::Wanted;
use callscape_app::view_picture::ViewStudio;
use callscape_base::files::{self, Temporary};
use callscape_base::units::{Cost, Time, TimeRange};
use callscape_look::image::Image;
use callscape_look::quality::Quality;
use callscape_model::arcs::ArcMode;
use callscape_model::difference::Strength;
use callscape_model::landscape::LandscapeSettings;
use callscape_model::linked::Along;
use callscape_model::metric::Metric;
use callscape_model::theme::Theme;
use callscape_state::document::Document;
use callscape_state::runs::Runs;
use callscape_views as views;

/// A file to write, known to be writable.
pub(crate) struct Output {
    path: PathBuf,
    is_report: bool,
    /// The viewer, if the report becomes a page that plays.
    viewer: Option<String>,
}

impl PictureArgs {
    /// Output to write, checked before any long work.
    pub(crate) fn output(&self) -> anyhow::Result<Option<Output>> {
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
        ensure!(
            ends("html") || !self.page,
            "{shown}: expected a name that ends in .html with --page"
        );
        // Whether it can be written is said before the long work, not after it.
        Temporary::beside(path).with_context(|| format!("cannot write {shown}"))?;
        Ok(Some(Output {
            path: path.clone(),
            is_report: ends("html"),
            viewer: self.page.then(playable::viewer).transpose()?,
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

    pub(crate) fn theme(&self) -> Theme {
        match self.theme {
            ThemeArg::Light => Theme::Light,
            ThemeArg::Dark => Theme::Dark,
        }
    }
}

/// Draws the picture.
pub(super) fn draw(
    args: &CompareArgs,
    comparison: &Comparison,
    tables: &Tables,
    view: ViewArg,
) -> anyhow::Result<Image> {
    let theme = args.picture.theme();
    let settings = args.picture.settings(theme, args.level);
    let strength = match args.picture.strength {
        Some(StrengthArg::Absolute) => Strength::Absolute,
        Some(StrengthArg::Relative) => Strength::Relative,
        // Of a whole tree a function is next to nothing.
        None if comparison.revised().is_some() => Strength::Relative,
        None => Strength::Absolute,
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
        ViewArg::FlameGraph => flame_graph(comparison, &settings)?,
        ViewArg::Difference => {
            let relations = comparison.relations(Given::Compared);
            pictures.difference(&relations, &tables.causes)?
        }
        ViewArg::SideBySide => pictures.side_by_side(times(args, comparison, mapped)?)?,
        ViewArg::Stacks | ViewArg::Functions => {
            let along = match view {
                ViewArg::Stacks => Along::Stacks,
                _ => Along::Overview,
            };
            let align = args.align.unwrap_or_default();
            let clocks = align.alignment(args.align_by.as_deref(), comparison)?;
            let is_wall = align == Align::Time;
            pictures.along(along, &clocks, is_wall, visible(comparison))?
        }
    })
}

/// Merged stacks of B with those that only A has.
fn flame_graph(comparison: &Comparison, settings: &PictureSettings) -> anyhow::Result<Image> {
    let (session, runs) = Runs::of(comparison.clone(), Settings::default());
    let runs = Arc::new(runs.flipped());
    let range = comparison.range(comparison.runs_of(1).start);
    let inputs = session::Inputs::default();
    let (landscape, session) = (&settings.landscape, Arc::new(session));
    let document = with_progress(|progress| {
        Document::of(
            &inputs,
            session,
            None,
            None,
            Some(runs),
            landscape,
            progress,
        )
    })??;
    let view = views::without_times();
    let mut studio = ViewStudio::new(document, view, landscape, settings.size, range, None)?;
    let bar = Bar::new()?;
    studio.picture(None, &|progress| bar.show(progress))
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
    pub(crate) fn is_report(&self) -> bool {
        self.is_report
    }

    pub(crate) fn write(
        &self,
        args: &CompareArgs,
        inputs: &Inputs,
        comparison: &Comparison,
        tables: &Tables,
    ) -> anyhow::Result<()> {
        let cannot = || format!("cannot write {}", self.path.display());
        if !self.is_report {
            let image = draw(args, comparison, tables, args.picture.view)?;
            return image.write_png(&self.path).with_context(cannot);
        }
        let mut views = vec![
            (
                ViewArg::Difference,
                "The landscape, coloured by differences",
            ),
            (
                ViewArg::SideBySide,
                "Both runs side by side over one layout",
            ),
        ];
        if have_times(comparison) {
            views.push((
                ViewArg::Stacks,
                "The call stacks of both over time, A above B",
            ));
        }
        let mut pictures = Vec::new();
        for (view, said) in views {
            pictures.push((draw(args, comparison, tables, view)?, said));
        }
        let hunks = with_progress(|progress| lines::find(inputs, comparison, tables, progress))??;
        let found = with_progress(|progress| report::findings_of_each(comparison, progress))??;
        let shown = (&pictures[..], &hunks[..], &found[..]);
        if let Some(viewer) = &self.viewer {
            let title = report::title(comparison);
            let mut text = format!("<h1>{}</h1>\n", escaped(&title));
            report::body(&mut text, inputs, comparison, tables, shown, args)?;
            let wanted = wanted(args, inputs);
            let packed =
                with_progress(|progress| playable::packed(&wanted, &self.path, progress))??;
            let page = Playable {
                title,
                text,
                pack: packed.bytes,
            };
            let page = page.page(viewer)?;
            return playable::write(&self.path, &page);
        }
        let page = report::page(inputs, comparison, tables, shown, args)?;
        files::write(&self.path, page.as_bytes()).with_context(cannot)
    }
}

/// What a page of a comparison has in its pack.
fn wanted(args: &CompareArgs, inputs: &Inputs) -> Wanted {
    let [a, b] = &inputs.recordings;
    let (of_a, of_b) = match &inputs.source_dirs[..] {
        [of_a, of_b, ..] => (Some(of_a.clone()), Some(of_b.clone())),
        both => (None, both.first().cloned()),
    };
    Wanted {
        inputs: session::Inputs {
            source_dir: of_b,
            recordings: [a.clone(), b.clone()].concat(),
            sides: session::Sides {
                runs_of_a: a.len(),
                source_of_a: of_a,
            },
            ..session::Inputs::default()
        },
        mapping: args.map.clone(),
        ..Wanted::default()
    }
}

/// The time of A and of B at which both are shown; none for the whole of both.
fn times(
    args: &CompareArgs,
    comparison: &Comparison,
    mapped: Option<&Regrouped>,
) -> anyhow::Result<Option<[Time; 2]>> {
    let Some(at) = &args.picture.at else {
        return Ok(None);
    };
    let durations = [0, 1].map(|side| {
        let first = comparison.recordings(side).first();
        first.map_or(Cost::ZERO, |it| it.recording.trace.duration())
    });
    if durations.contains(&Cost::ZERO) {
        bail!("--at needs recordings with times, and one of these has none");
    }
    match at {
        Moment::At(at) => {
            let a = at.resolve(durations[0]);
            let align: Align = args.align.unwrap_or_default();
            let alignment = align.alignment(args.align_by.as_deref(), comparison)?;
            Ok(Some([a, alignment.map(0, a)]))
        }
        Moment::Call(called) => {
            let times = Names { comparison, mapped }.times(called)?;
            let of = |side: usize| {
                let first = comparison.runs_of(side).next();
                let time = first.and_then(|place| times.get(place).copied().flatten());
                time.unwrap_or(Time::ZERO + durations[side])
            };
            Ok(Some([of(0), of(1)]))
        }
    }
}
