//! The program: parses the command line, runs it, prints one error.

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    // Parsing exits with 2 on wrong usage.
    match callscape::cli::run(callscape::cli::Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("callscape: {error:#}");
            ExitCode::from(1)
        }
    }
}
