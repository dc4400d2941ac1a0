//! Which picture `callscape compare -o` writes, as the command line says it.

use std::path::PathBuf;

use clap::ValueEnum;

use super::moments::Moment;

#[derive(Debug, clap::Args)]
pub struct PictureArgs {
    /// Write a picture, OUT.png, or a report with pictures and tables on one page, OUT.html
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// What the picture shows
    #[arg(long, value_enum, default_value = "difference", requires = "output")]
    pub view: ViewArg,
    /// What a strong colour says
    #[arg(long, value_enum, default_value = "absolute", requires = "output")]
    pub strength: StrengthArg,
    /// What the height of a block says [default: leaves of even height]
    #[arg(long, value_enum, requires = "output")]
    pub height: Option<HeightArg>,
    /// Collapse districts in which nothing differs
    #[arg(long)]
    pub only_differences: bool,
    /// Width and height of a picture in pixels
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "1280x720", value_parser = super::super::render::size)]
    pub size: [u32; 2],
    #[arg(long, value_enum, default_value = "light")]
    pub theme: ThemeArg,
    /// Side by side at this time of A, and the time of B that --align links with it, in place of the whole of both; or
    /// where each run makes the call CALLER -> CALLEE
    #[arg(long, value_name = "TIME|CALL", requires = "output")]
    pub at: Option<Moment>,
    /// Without arcs for call relations
    #[arg(long, requires = "output")]
    pub no_arcs: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ViewArg {
    /// One landscape, coloured by what --sort names: less blue and striped, more orange
    Difference,
    /// Both runs over one layout, each with its own arcs
    SideBySide,
    /// The call stacks of both along time, one over the other, as --align links their clocks
    #[value(name = "flame")]
    Stacks,
    /// Which functions are active when in both, one over the other, as --align links their clocks
    #[value(name = "mural")]
    Functions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum HeightArg {
    /// What A has of what --sort names
    A,
    /// What B has of it
    B,
    /// How much they differ
    Difference,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StrengthArg {
    /// How large a difference is beside the whole run
    Absolute,
    /// How many times as much it is
    Relative,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ThemeArg {
    Light,
    Dark,
}
