//! The interpreter that the first lines of a script name: `#!`, what follows `env`, and what pip writes where that line would
//! be too long. <https://man7.org/linux/man-pages/man2/execve.2.html>,
//! <https://www.gnu.org/software/coreutils/manual/html_node/env-invocation.html>

use std::ffi::OsString;
use std::path::Path;

/// The interpreter of a script and its options, and what is set in its environment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Interpreter {
    pub words: Vec<OsString>,
    pub environment: Vec<(OsString, OsString)>,
}

/// The interpreter of the script at `file`, which begins with `text`. None where the text does not begin with `#!`; without
/// words where none is named, or in a way that is not known.
pub(crate) fn interpreter(file: &Path, text: &str) -> Option<Interpreter> {
    let mut lines = text.lines();
    let line = lines.next()?.strip_prefix("#!")?.trim();
    if let Some(words) = lines.next().and_then(|it| of_pip(file, it)) {
        let environment = Vec::new();
        return Some(Interpreter { words, environment });
    }
    // The system hands all that follows the first word on as one.
    let (first, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    if Path::new(first).file_name().is_some_and(|it| it == "env") {
        return Some(of_env(rest).unwrap_or_default());
    }
    let words = [first, rest].into_iter().filter(|it| !it.is_empty());
    Some(Interpreter {
        words: words.map(OsString::from).collect(),
        environment: Vec::new(),
    })
}

/// What `env` runs: it splits words only where `-S` asks for that. None with options that are not known.
fn of_env(rest: &str) -> Option<Interpreter> {
    let split = ["--split-string=", "--split-string ", "-vS", "-S"];
    let split = split.iter().find_map(|it| rest.strip_prefix(it));
    let words = match split {
        Some(rest) => words(rest)?,
        // Without it the system finds no program with a space in its name.
        None => rest.split_whitespace().map(str::to_owned).collect(),
    };
    let mut found = Interpreter::default();
    let mut words = words.into_iter().peekable();
    words.next_if(|it| it == "--");
    while let Some(word) = words.next_if(|it| it.contains('=')) {
        let (name, value) = word.split_once('=')?;
        found.environment.push((name.into(), value.into()));
    }
    if words.peek().is_some_and(|it| it.starts_with('-')) {
        return None;
    }
    found.words = words.map(OsString::from).collect();
    Some(found)
}

/// The second line of scripts that pip and uv write as scripts of `sh` which Python reads as a string:
/// `'''exec' "/a folder/bin/python3" "$0" "$@"`.
fn of_pip(file: &Path, line: &str) -> Option<Vec<OsString>> {
    let line = line.strip_prefix("'''exec' ")?.trim_end();
    let line = line.strip_suffix("\"$0\" \"$@\"")?;
    // Where it can be moved with its folder.
    let beside = "\"$(dirname -- \"$(realpath -- \"$0\")\")\"/";
    let (folder, line) = match line.strip_prefix(beside) {
        Some(rest) => (file.canonicalize().ok()?.parent()?.to_path_buf(), rest),
        None => (Path::new("").to_path_buf(), line),
    };
    let mut words = words(line)?;
    if words.is_empty() || words.iter().any(|it| it.contains('$')) {
        return None;
    }
    let first = folder.join(words.remove(0));
    let rest = words.into_iter().map(OsString::from);
    Some(
        std::iter::once(first.into_os_string())
            .chain(rest)
            .collect(),
    )
}

/// Cuts text at white space outside of quotes. None where a quote has no end, and where a backslash means something.
pub(super) fn words(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for letter in text.chars() {
        match (letter, quote) {
            ('\\', _) => return None,
            (letter, Some(end)) if letter == end => quote = None,
            (letter, Some(_)) => word.get_or_insert_default().push(letter),
            ('\'' | '"', None) => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (letter, None) if letter.is_whitespace() => words.extend(word.take()),
            (letter, None) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_lines_of_a_script_name_its_interpreter() {
        for (text, words, environment) in [
            ("#!/bin/sh\necho", "/bin/sh", ""),
            (
                "#!  /usr/bin/python3 -u -O \n",
                "/usr/bin/python3|-u -O",
                "",
            ),
            ("#!/usr/bin/env node\r\n", "node", ""),
            ("#!/usr/bin/env -S python3 -u", "python3|-u", ""),
            (
                "#!/usr/bin/env -S A=1 B='x y' python3 -u",
                "python3|-u",
                "A=1|B=x y",
            ),
            ("#!/usr/bin/env -Spython3 -X 'a b'", "python3|-X|a b", ""),
            ("#!/usr/bin/env --split-string=python3 -u", "python3|-u", ""),
            ("#!/usr/bin/env -vS python3 -u", "python3|-u", ""),
            ("#!/usr/bin/env -S -- python3", "python3", ""),
            ("#!/usr/bin/env -i python3", "", ""),
            ("#!/usr/bin/env -S python3 ${X", "python3|${X", ""),
            ("#!/usr/bin/env", "", ""),
            ("#!", "", ""),
            (
                "#!/bin/sh\n'''exec' /a/python3 \"$0\" \"$@\"\n' '''\n",
                "/a/python3",
                "",
            ),
            (
                "#!/bin/sh\n'''exec' \"/a b/python3\" \"$0\" \"$@\"\n' '''",
                "/a b/python3",
                "",
            ),
            (
                "#!/bin/sh\n'''exec' \"$X\" \"$0\" \"$@\"\n' '''",
                "/bin/sh",
                "",
            ),
        ] {
            let found = interpreter(Path::new("/no/such"), text).expect("a script");
            let all: Vec<_> = found.words.iter().map(|it| it.to_string_lossy()).collect();
            assert_eq!(all.join("|"), words, "{text}");
            let pair = |it: &(OsString, OsString)| format!("{}={}", it.0.display(), it.1.display());
            let all: Vec<String> = found.environment.iter().map(pair).collect();
            assert_eq!(all.join("|"), environment, "{text}");
        }
        assert_eq!(interpreter(Path::new("/no/such"), "import sys"), None);
        // Beside the script, as uv writes it.
        let file = std::env::temp_dir().join(format!("callscape-shebang-{}", std::process::id()));
        std::fs::write(&file, "").expect("writable");
        let text = "#!/bin/sh\n'''exec' \"$(dirname -- \"$(realpath -- \"$0\")\")\"/'python' \"$0\" \"$@\"\n' '''";
        let found = interpreter(&file, text).expect("a script");
        let expected = file.canonicalize().expect("there").with_file_name("python");
        assert_eq!(found.words, [expected.into_os_string()]);
        std::fs::remove_file(file).expect("it is there");
    }
}
