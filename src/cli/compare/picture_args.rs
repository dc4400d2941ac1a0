//! Which picture `callscape compare -o` writes, as the command line says it.

use std::path::PathBuf;

use clap::ValueEnum;

use super::moments::Moment;

#[derive(Debug, clap::Args)]
pub(crate) struct PictureArgs {
    /// Write a picture, OUT.png, or a report with pictures and tables on one page, OUT.html
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Make the report a page that plays both runs in a browser, without Callscape and without a network
    #[arg(long, requires = "output")]
    pub page: bool,
    /// View to draw
    #[arg(long, value_enum, default_value = "difference", requires = "output")]
    pub view: ViewArg,
    /// Meaning of a strong colour [default: absolute; relative for two revisions]
    #[arg(long, value_enum, requires = "output")]
    pub strength: Option<StrengthArg>,
    /// Value shown by the height of a block [default: leaves of even height]
    #[arg(long, value_enum, requires = "output")]
    pub height: Option<HeightArg>,
    /// Collapse districts without differences
    #[arg(long)]
    pub only_differences: bool,
    /// Width and height of a picture in pixels
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "1280x720", value_parser = super::super::render::size)]
    pub size: [u32; 2],
    #[arg(long, value_enum, default_value = "light")]
    pub theme: ThemeArg,
    /// Side by side at this time of A and the matching time of B (--align), instead of both whole runs; or at the call
    /// CALLER -> CALLEE in each run
    #[arg(long, value_name = "TIME|CALL", requires = "output")]
    pub at: Option<Moment>,
    /// Do not draw arcs for call relations
    #[arg(long, requires = "output")]
    pub no_arcs: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ViewArg {
    /// One landscape, coloured by the value named by --sort: decreases are blue and striped, increases orange
    Difference,
    /// Both runs over one layout, each with its own arcs
    SideBySide,
    /// The call stacks of both over time, one above the other, with timelines aligned by --align
    #[value(name = "flame")]
    Stacks,
    /// Active functions of both over time, one above the other, with timelines aligned by --align
    #[value(name = "mural")]
    Functions,
    /// Merged stacks of B, and those that only A has, coloured by what grew and shrank
    FlameGraph,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum HeightArg {
    /// Value of A named by --sort
    A,
    /// Value of B
    B,
    /// Difference between both
    Difference,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StrengthArg {
    /// Difference relative to the whole run
    Absolute,
    /// Ratio of B to A
    Relative,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ThemeArg {
    Light,
    Dark,
}
