//! The editors that are known: how each is told a line, and whether it needs a terminal.

use std::ffi::OsString;
use std::path::Path;

/// How an editor is told which line of a file to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Telling {
    /// `-g FILE:LINE`
    Goto,
    /// `FILE:LINE`
    Colon,
    /// `+LINE FILE`
    Plus,
    /// `--line LINE FILE`
    Line,
    /// `-l LINE FILE`
    L,
    /// It cannot be told.
    Nothing,
}

/// An editor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Program {
    pub name: &'static str,
    pub telling: Telling,
    pub needs_terminal: bool,
    /// What it needs to go on beside us, as when a running one is asked.
    pub before: &'static [&'static str],
}

const fn window(name: &'static str, telling: Telling) -> Program {
    Program {
        name,
        telling,
        needs_terminal: false,
        before: &[],
    }
}

const fn terminal(name: &'static str, telling: Telling) -> Program {
    Program {
        needs_terminal: true,
        ..window(name, telling)
    }
}

/// In the order in which they are looked for where the user names none: editors with a window first.
#[rustfmt::skip]
const PROGRAMS: &[Program] = &[
    window("code", Telling::Goto),
    window("code-insiders", Telling::Goto),
    window("codium", Telling::Goto),
    window("vscodium", Telling::Goto),
    window("cursor", Telling::Goto),
    window("windsurf", Telling::Goto),
    window("zed", Telling::Colon),
    window("zeditor", Telling::Colon),
    window("idea", Telling::Line),
    window("clion", Telling::Line),
    window("pycharm", Telling::Line),
    window("webstorm", Telling::Line),
    window("goland", Telling::Line),
    window("rustrover", Telling::Line),
    window("phpstorm", Telling::Line),
    window("rubymine", Telling::Line),
    window("rider", Telling::Line),
    window("studio", Telling::Line),
    window("subl", Telling::Colon),
    window("sublime_text", Telling::Colon),
    window("kate", Telling::L),
    window("mate", Telling::L),
    window("gnome-text-editor", Telling::Plus),
    window("gedit", Telling::Plus),
    window("xed", Telling::Plus),
    window("pluma", Telling::Plus),
    window("gvim", Telling::Plus),
    window("neovide", Telling::Plus),
    window("nvim-qt", Telling::Plus),
    window("emacs", Telling::Plus),
    Program { before: &["-n"], ..window("emacsclient", Telling::Plus) },
    terminal("nvim", Telling::Plus),
    terminal("vim", Telling::Plus),
    terminal("hx", Telling::Colon),
    terminal("helix", Telling::Colon),
    terminal("kak", Telling::Plus),
    terminal("vi", Telling::Plus),
    terminal("nano", Telling::Plus),
    terminal("micro", Telling::Plus),
    terminal("joe", Telling::Plus),
    terminal("ne", Telling::Plus),
    terminal("mcedit", Telling::Plus),
];

/// What makes an editor with a window one in the terminal.
const IN_TERMINAL: [&str; 5] = ["-nw", "--no-window-system", "-t", "-tty", "--tty"];

/// All that are known, the ones to prefer first.
pub(super) fn all() -> &'static [Program] {
    PROGRAMS
}

/// The editor that a command begins with, whatever folder it lies in and whichever edition it is; none for one that is not
/// known. `rest` are the words that follow.
pub(super) fn known(command: &str, rest: &[String]) -> Option<Program> {
    let name = Path::new(command).file_stem()?.to_str()?;
    let is_known = |it: &&Program| {
        // `idea64`, `pycharm-community`, `vim.basic`.
        let more = name.strip_prefix(it.name);
        more.is_some_and(|more| more.is_empty() || more == "64" || more.starts_with(['-', '.']))
    };
    // `code-insiders` is not `code`'s.
    let longest = PROGRAMS
        .iter()
        .filter(is_known)
        .max_by_key(|it| it.name.len())?;
    let emacs = longest.name.starts_with("emacs");
    let in_terminal = emacs && rest.iter().any(|word| IN_TERMINAL.contains(&word.as_str()));
    Some(match in_terminal {
        true => Program {
            needs_terminal: true,
            before: &[],
            ..*longest
        },
        false => *longest,
    })
}

impl Telling {
    /// The arguments that have it show `line` of the file at `path`, which is absolute: no argument can be taken for an
    /// option.
    pub(super) fn arguments(self, path: &Path, line: u32) -> Vec<OsString> {
        let file = path.as_os_str().to_owned();
        let with_line = || {
            let mut file = file.clone();
            file.push(format!(":{line}"));
            file
        };
        match self {
            Telling::Goto => vec!["-g".into(), with_line()],
            Telling::Colon => vec![with_line()],
            Telling::Plus => vec![format!("+{line}").into(), file],
            Telling::Line => vec!["--line".into(), line.to_string().into(), file],
            Telling::L => vec!["-l".into(), line.to_string().into(), file],
            Telling::Nothing => vec![file],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn editors_are_known_by_any_path_and_edition() {
        let known = |command: &str| known(command, &[]).map(|it| (it.telling, it.needs_terminal));
        assert_eq!(known("code"), Some((Telling::Goto, false)));
        assert_eq!(
            known("/usr/share/code/bin/code-insiders"),
            Some((Telling::Goto, false))
        );
        assert_eq!(known("/opt/idea/bin/idea.sh"), Some((Telling::Line, false)));
        assert_eq!(known("pycharm-community"), Some((Telling::Line, false)));
        assert_eq!(known("clion64"), Some((Telling::Line, false)));
        assert_eq!(known("/usr/bin/vim.basic"), Some((Telling::Plus, true)));
        assert_eq!(known("hx"), Some((Telling::Colon, true)));
        assert_eq!(known("emacs"), Some((Telling::Plus, false)));
        assert_eq!(known("encode"), None);
        assert_eq!(known("vimdiffer"), None);
        assert_eq!(known(""), None);
    }

    #[test]
    fn emacs_in_the_terminal_needs_one() {
        let known = |rest: &str| known("emacsclient", &[rest.to_owned()]).expect("it is known");
        assert!(!known("-c").needs_terminal);
        assert_eq!(known("-c").before, ["-n"]);
        assert!(known("-t").needs_terminal);
        assert!(known("-t").before.is_empty());
    }

    #[test]
    fn every_way_to_tell_a_line_names_file_and_line() {
        let path = Path::new("/src/a b.c");
        let of = |telling: Telling| telling.arguments(path, 12);
        assert_eq!(of(Telling::Goto), ["-g", "/src/a b.c:12"]);
        assert_eq!(of(Telling::Colon), ["/src/a b.c:12"]);
        assert_eq!(of(Telling::Plus), ["+12", "/src/a b.c"]);
        assert_eq!(of(Telling::Line), ["--line", "12", "/src/a b.c"]);
        assert_eq!(of(Telling::L), ["-l", "12", "/src/a b.c"]);
        assert_eq!(of(Telling::Nothing), ["/src/a b.c"]);
    }
}
