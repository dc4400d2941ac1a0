//! Wrong usage, which ends the program with 2: what of the arguments is repeated cannot steer a terminal.

use std::error::Error;
use std::io::{self, IsTerminal};

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::{messages, output};
use callscape_base::escape;

/// Ends the program as wrong usage does, with `message`.
pub(crate) fn refuse(kind: ErrorKind, message: &str) -> ! {
    clap::Error::raw(kind, format!("{}\n", escape::name(message))).exit()
}

/// Ends the program with the parser's message: help on standard output, otherwise an error.
pub(crate) fn exit(mut error: clap::Error) -> ! {
    let repeated: Vec<_> = error
        .context()
        .filter_map(|(kind, value)| Some((kind, escaped(value)?)))
        .collect();
    for (kind, value) in repeated {
        error.insert(kind, value);
    }
    let said = error.source().map(ToString::to_string);
    let is_harmless = said.is_none_or(|it| escape::name(&it) == it);
    match is_harmless {
        true if error.use_stderr() => error.exit(),
        true => help(&error),
        false => messages::write(&refused(&error)),
    }
    std::process::exit(error.exit_code())
}

/// Prints help, in colours if standard output is a terminal; ends the program if it cannot be written.
fn help(error: &clap::Error) {
    let printed = match io::stdout().is_terminal() {
        true => output::written(error.print()),
        false => output::print_data(|out| write!(out, "{}", error.render())),
    };
    if let Err(failed) = printed {
        messages::say_error(&failed);
        std::process::exit(1);
    }
}

/// What the parser says of a value that a parser of ours refuses, whose reason may repeat it.
fn refused(error: &clap::Error) -> String {
    let named = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.as_str(),
        _ => "",
    };
    let (value, argument) = (
        named(ContextKind::InvalidValue),
        named(ContextKind::InvalidArg),
    );
    let reason = error.source().map(ToString::to_string);
    let reason = reason.unwrap_or_default();
    format!(
        "error: invalid value '{value}' for '{argument}': {}\n\nFor more information, try '--help'.\n",
        escape::name(&reason)
    )
}

/// None for what repeats no argument, or nothing of one that would steer a terminal.
fn escaped(value: &ContextValue) -> Option<ContextValue> {
    let name = |text: &String| escape::name(text).into_owned();
    let shown = match value {
        ContextValue::String(text) => ContextValue::String(name(text)),
        ContextValue::Strings(texts) => ContextValue::Strings(texts.iter().map(name).collect()),
        // What is suggested instead.
        ContextValue::StyledStrs(texts) => {
            let shown = |text: &StyledStr| StyledStr::from(name(&text.to_string()));
            let is_plain = |text: &StyledStr| !text.to_string().contains(escape::steers);
            match texts.iter().all(is_plain) {
                true => return None,
                false => ContextValue::StyledStrs(texts.iter().map(shown).collect()),
            }
        }
        _ => return None,
    };
    (shown != *value).then_some(shown)
}
