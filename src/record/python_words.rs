//! What a command line of Python runs, read as Python itself reads it: `Python/getopt.c` and `Modules/main.c` of
//! <https://github.com/python/cpython>. All that follows what is run is the program's own.

use std::ffi::{OsStr, OsString};

use super::signals;

/// What is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Runs {
    /// A file; also a folder or an archive with a `__main__.py` in it.
    File(OsString),
    Module(OsString),
    Code(OsString),
    /// A script on standard input, named by `-` or by nothing.
    Input {
        is_named: bool,
    },
    /// Help or the version is asked for, or what is to be run is missing.
    Nothing,
}

/// A command line of Python.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PythonWords {
    /// The interpreter and its own options.
    pub interpreter: Vec<OsString>,
    pub runs: Runs,
    /// What the program is told.
    pub arguments: Vec<OsString>,
    /// `-x`: the first line of the file is not Python.
    pub skips_first_line: bool,
}

/// Reads a command line, the interpreter first.
pub(crate) fn read(words: &[OsString]) -> PythonWords {
    let mut words = words.iter().cloned();
    let mut read = PythonWords {
        interpreter: words.next().into_iter().collect(),
        runs: Runs::Input { is_named: false },
        arguments: Vec::new(),
        skips_first_line: false,
    };
    while let Some(word) = words.next() {
        match word.to_str() {
            Some("-") => read.runs = Runs::Input { is_named: true },
            Some("--") => match words.next() {
                Some(word) if word == "-" => read.runs = Runs::Input { is_named: true },
                Some(word) => read.runs = Runs::File(word),
                None => {}
            },
            Some("--check-hash-based-pycs") => {
                read.interpreter.push(word);
                read.interpreter.extend(words.next());
                continue;
            }
            _ if word.as_encoded_bytes().starts_with(b"--") => read.runs = Runs::Nothing,
            _ if word.as_encoded_bytes().starts_with(b"-") => {
                match cluster(&word, &mut words, &mut read) {
                    Some(runs) => read.runs = runs,
                    None => continue,
                }
            }
            _ => read.runs = Runs::File(word),
        }
        break;
    }
    read.arguments = words.collect();
    read
}

/// Options in one word such as `-um`, of which the last may take the rest of it or the next word. Gives what is run where
/// they say that.
fn cluster(
    word: &OsStr,
    words: &mut impl Iterator<Item = OsString>,
    read: &mut PythonWords,
) -> Option<Runs> {
    let bytes = word.as_encoded_bytes();
    let mut own = String::from("-");
    let mut runs = None;
    for (at, &letter) in bytes.iter().enumerate().skip(1) {
        let mut value = || {
            let rest = rest(word, at + 1);
            Some(rest)
                .filter(|it| !it.is_empty())
                .or_else(|| words.next())
        };
        match letter {
            b'c' => runs = Some(value().map_or(Runs::Nothing, Runs::Code)),
            b'm' => runs = Some(value().map_or(Runs::Nothing, Runs::Module)),
            b'h' | b'?' | b'V' => runs = Some(Runs::Nothing),
            b'W' | b'X' => {
                let Some(value) = value() else {
                    return Some(Runs::Nothing);
                };
                let mut option = OsString::from(format!("{own}{}", char::from(letter)));
                option.push(value);
                read.interpreter.push(option);
                return None;
            }
            // Not for the file by which it is run.
            b'x' => {
                read.skips_first_line = true;
                continue;
            }
            letter if letter.is_ascii_alphabetic() => {
                own.push(char::from(letter));
                continue;
            }
            _ => runs = Some(Runs::Nothing),
        }
        break;
    }
    if own.len() > 1 {
        read.interpreter.push(own.into());
    }
    runs
}

/// A word from a byte on.
fn rest(word: &OsStr, from: usize) -> OsString {
    let bytes = word.as_encoded_bytes().get(from..).unwrap_or_default();
    signals::path(bytes).into_os_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Interpreter with its options, what is run, and the program's own arguments, in words.
    fn shown(command: &str) -> [String; 3] {
        let words: Vec<OsString> = command.split(' ').map(OsString::from).collect();
        let read = read(&words);
        let join = |words: &[OsString]| {
            let words: Vec<_> = words.iter().map(|it| it.to_string_lossy()).collect();
            words.join(" ")
        };
        let runs = match &read.runs {
            Runs::File(it) => format!("file {}", it.display()),
            Runs::Module(it) => format!("module {}", it.display()),
            Runs::Code(it) => format!("code {}", it.display()),
            Runs::Input { is_named: true } => "- input".to_owned(),
            Runs::Input { is_named: false } => "input".to_owned(),
            Runs::Nothing => "nothing".to_owned(),
        };
        let skips = if read.skips_first_line { " skips" } else { "" };
        [join(&read.interpreter), runs + skips, join(&read.arguments)]
    }

    #[test]
    fn what_follows_the_program_is_the_programs() {
        for (command, expected) in [
            (
                "python3 app.py -o x.json",
                ["python3", "file app.py", "-o x.json"],
            ),
            (
                "python3 app.py -- -m y",
                ["python3", "file app.py", "-- -m y"],
            ),
            (
                "python3 -m app -o x.json",
                ["python3", "module app", "-o x.json"],
            ),
            ("python3 -m app --help", ["python3", "module app", "--help"]),
            ("python3 -mapp -c x", ["python3", "module app", "-c x"]),
            ("python3 -um app -u", ["python3 -u", "module app", "-u"]),
            ("python3 -umapp", ["python3 -u", "module app", ""]),
            ("python3 -c pass -c y", ["python3", "code pass", "-c y"]),
            ("python3 -cpass --", ["python3", "code pass", "--"]),
            ("python3 -uc pass x", ["python3 -u", "code pass", "x"]),
            ("python3 -Ic pass", ["python3 -I", "code pass", ""]),
            ("python3 -I app.py", ["python3 -I", "file app.py", ""]),
            (
                "python3 -X dev app.py -X y",
                ["python3 -Xdev", "file app.py", "-X y"],
            ),
            (
                "python3 -Xdev -W error app",
                ["python3 -Xdev -Werror", "file app", ""],
            ),
            (
                "python3 -uW error -m app",
                ["python3 -uWerror", "module app", ""],
            ),
            (
                "python3 -bBEOOsu app.py",
                ["python3 -bBEOOsu", "file app.py", ""],
            ),
            ("python3 -- -app.py -x", ["python3", "file -app.py", "-x"]),
            ("python3 -u --", ["python3 -u", "input", ""]),
            ("python3 -", ["python3", "- input", ""]),
            ("python3 - -o x", ["python3", "- input", "-o x"]),
            ("python3 -- - x", ["python3", "- input", "x"]),
            ("python3", ["python3", "input", ""]),
            ("python3 -u", ["python3 -u", "input", ""]),
            (
                "python3 -x app.bat y",
                ["python3", "file app.bat skips", "y"],
            ),
            (
                "python3 -ux app.bat",
                ["python3 -u", "file app.bat skips", ""],
            ),
            (
                "python3 --check-hash-based-pycs never app.py",
                ["python3 --check-hash-based-pycs never", "file app.py", ""],
            ),
            ("python3 --help app.py", ["python3", "nothing", "app.py"]),
            ("python3 -V", ["python3", "nothing", ""]),
            ("python3 -uV", ["python3 -u", "nothing", ""]),
            ("python3 -m", ["python3", "nothing", ""]),
            ("python3 -X", ["python3", "nothing", ""]),
        ] {
            assert_eq!(shown(command), expected, "{command}");
        }
    }
}
