//! Which program is started for a line of a file, and with which arguments: a list, without a shell in between.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::programs::{self, Telling};
use super::words;

/// What is known of the machine and of what the user wants.
pub(super) struct Surroundings<'a> {
    /// The command from the settings; empty where there is none.
    pub command: &'a str,
    /// A variable of the environment.
    pub variable: &'a dyn Fn(&str) -> Option<OsString>,
    /// The program that a name means on the search path, or a path.
    pub find: &'a dyn Fn(&OsStr) -> Option<PathBuf>,
}

/// A program to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Launch {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    /// Whether the editor is told the line; where that is not known, it gets the file alone.
    pub tells_line: bool,
}

/// Why no editor can be started.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NoEditor {
    #[error("{of}: a quotation mark is not closed")]
    Unquoted { of: &'static str },
    #[error("{of}: {program} not found")]
    Missing { of: &'static str, program: String },
    #[error(
        "{program} needs a terminal, but none was found; set a graphical editor, or a command, in the settings"
    )]
    NoTerminal { program: String },
    #[error("no editor found; set $VISUAL or $EDITOR, or a command in the settings")]
    Nothing,
}

/// In a command the file and the line that are to be shown.
const FILE: &str = "{file}";
const LINE: &str = "{line}";

/// Where the settings say it, and the variables, in this order.
const COMMAND: &str = "the command in the settings";
const VARIABLES: [(&str, &str); 2] = [("VISUAL", "$VISUAL"), ("EDITOR", "$EDITOR")];

/// What shows `line` of the file at `path`, which is absolute: the command from the settings, what `$VISUAL` or `$EDITOR` name,
/// or the first editor that is found.
pub(super) fn launch(of: &Surroundings<'_>, path: &Path, line: u32) -> Result<Launch, NoEditor> {
    if !of.command.trim().is_empty() {
        return by_command(of, path, line);
    }
    for (variable, name) in VARIABLES {
        let value = (of.variable)(variable);
        let value = value.as_deref().and_then(OsStr::to_str).unwrap_or("");
        let words = words::split(value).ok_or(NoEditor::Unquoted { of: name })?;
        if let Some((program, rest)) = words.split_first() {
            return by_words(of, name, (program, rest), path, line);
        }
    }
    // One with a window, else one in a terminal, if there is any.
    let is_there = |it: &&programs::Program| (of.find)(OsStr::new(it.name)).is_some();
    let mut found = programs::all().iter().filter(is_there);
    let first = found.next().ok_or(NoEditor::Nothing)?;
    by_words(of, COMMAND, (first.name, &[]), path, line)
}

fn program(of: &Surroundings<'_>, name: &'static str, word: &str) -> Result<PathBuf, NoEditor> {
    (of.find)(OsStr::new(word)).ok_or_else(|| NoEditor::Missing {
        of: name,
        program: word.to_owned(),
    })
}

/// The command as the user wrote it, with file and line in their places; where it names no file, that is the last argument.
fn by_command(of: &Surroundings<'_>, path: &Path, line: u32) -> Result<Launch, NoEditor> {
    let words = words::split(of.command).ok_or(NoEditor::Unquoted { of: COMMAND })?;
    let (first, rest) = words.split_first().ok_or(NoEditor::Nothing)?;
    let program = program(of, COMMAND, first)?;
    let has = |what: &str| rest.iter().any(|word| word.contains(what));
    let mut arguments: Vec<OsString> = rest.iter().map(|word| filled(word, path, line)).collect();
    if !has(FILE) {
        arguments.push(path.into());
    }
    Ok(Launch {
        program,
        arguments,
        tells_line: has(LINE),
    })
}

/// A word with the file and the line in their places. What a file is called is put in as it is, and never read again.
fn filled(word: &str, path: &Path, line: u32) -> OsString {
    let mut filled = OsString::new();
    for (place, part) in word.split(FILE).enumerate() {
        if place > 0 {
            filled.push(path);
        }
        filled.push(part.replace(LINE, &line.to_string()));
    }
    filled
}

/// An editor and its own arguments, told the line in its way, in a terminal where it needs one.
fn by_words(
    of: &Surroundings<'_>,
    name: &'static str,
    (word, own): (&str, &[String]),
    path: &Path,
    line: u32,
) -> Result<Launch, NoEditor> {
    let editor = program(of, name, word)?;
    let known = programs::known(word, own);
    let telling = known.map_or(Telling::Nothing, |it| it.telling);
    let mut arguments: Vec<OsString> = own.iter().map(OsString::from).collect();
    if let Some(known) = known {
        arguments.extend(known.before.iter().map(OsString::from));
    }
    arguments.extend(telling.arguments(path, line));
    let launch = Launch {
        program: editor,
        arguments,
        tells_line: telling != Telling::Nothing,
    };
    match known.is_some_and(|it| it.needs_terminal) {
        true => in_terminal(of, launch).ok_or_else(|| NoEditor::NoTerminal {
            program: word.to_owned(),
        }),
        false => Ok(launch),
    }
}

/// Terminals, each with what stands before a program and its arguments. Only those that take them as a list: others would
/// hand what a file is called to a shell.
const TERMINALS: [(&str, &[&str]); 12] = [
    ("x-terminal-emulator", &["-e"]),
    ("gnome-terminal", &["--"]),
    ("ptyxis", &["--"]),
    ("kgx", &["--"]),
    ("konsole", &["-e"]),
    ("xfce4-terminal", &["-x"]),
    ("kitty", &[]),
    ("alacritty", &["-e"]),
    ("ghostty", &["-e"]),
    ("wezterm", &["start", "--"]),
    ("foot", &[]),
    ("xterm", &["-e"]),
];

/// The same program in a terminal: the one that `$TERMINAL` names, where it is known, else the first that is found. None
/// where there is none.
fn in_terminal(of: &Surroundings<'_>, launch: Launch) -> Option<Launch> {
    let named = (of.variable)("TERMINAL").filter(|it| !it.is_empty());
    let named = named.and_then(|it| {
        let name = Path::new(&it).file_name()?.to_str()?;
        let (_, before) = TERMINALS.iter().find(|(known, _)| *known == name)?;
        Some(((of.find)(&it)?, *before))
    });
    let found = named.or_else(|| {
        let mut all = TERMINALS.iter();
        all.find_map(|(name, before)| Some(((of.find)(OsStr::new(name))?, *before)))
    });
    let (program, before) = found?;
    let before = before.iter().map(OsString::from);
    let editor = [launch.program.into_os_string()].into_iter();
    Some(Launch {
        program,
        arguments: before.chain(editor).chain(launch.arguments).collect(),
        tells_line: launch.tells_line,
    })
}

#[cfg(test)]
mod tests;
