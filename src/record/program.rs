//! What a command runs: an executable, or a script and its interpreter.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::Read;
use std::iter;
use std::path::{Path, PathBuf};

use super::elf::{self, Elf};
use super::error::RecordError;

/// A program with its arguments.
#[derive(Clone, Debug)]
pub struct Program {
    /// The program and its arguments as they were given.
    pub command: Vec<OsString>,
    /// The file that is run.
    pub path: PathBuf,
    pub kind: Kind,
    /// It begins with `#!`, and this runs it.
    pub interpreter: Option<Vec<OsString>>,
    /// The folder that it runs in, where that is not the current one.
    pub folder: Option<PathBuf>,
}

/// What kind of program it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Executable(Elf),
    Python,
    Node,
    Java,
    /// A language that nothing is driven for, by its name.
    Other(&'static str),
    /// A script of a shell.
    Shell,
}

/// By how the names of interpreters begin.
const LANGUAGES: [(&str, Kind); 12] = [
    ("python", Kind::Python),
    ("pypy", Kind::Python),
    ("nodejs", Kind::Node),
    ("node", Kind::Node),
    ("java", Kind::Java),
    ("deno", Kind::Other("deno")),
    ("bun", Kind::Other("bun")),
    ("ruby", Kind::Other("ruby")),
    ("php", Kind::Other("php")),
    ("dotnet", Kind::Other("dotnet")),
    ("perl", Kind::Other("perl")),
    ("lua", Kind::Other("lua")),
];

const SHELLS: [&str; 6] = ["sh", "bash", "dash", "zsh", "ksh", "fish"];

/// The language that a program of this name runs: `python3.11` runs Python, `javac` not Java.
pub(super) fn language(name: &OsStr) -> Option<Kind> {
    let name = name.to_str()?;
    let is_version = |rest: &str| {
        rest.chars()
            .all(|it| it.is_ascii_digit() || it == '.' || it == '-')
    };
    let found = LANGUAGES
        .iter()
        .find(|(begin, _)| name.strip_prefix(begin).is_some_and(is_version));
    found.map(|&(_, kind)| kind)
}

/// Where the program of this name is, as the system looks for it; an error says why it cannot be run.
pub fn find(name: &OsStr) -> Result<PathBuf, RecordError> {
    find_from(name, None)
}

/// The same for a program that is run in `folder`.
fn find_from(name: &OsStr, folder: Option<&Path>) -> Result<PathBuf, RecordError> {
    let path = Path::new(name);
    if name.as_encoded_bytes().contains(&b'/') {
        let path = folder.map_or(path.to_path_buf(), |folder| folder.join(path));
        check(&path)?;
        return Ok(path);
    }
    let folders = env::var_os("PATH").unwrap_or_default();
    let mut refused = None;
    for folder in env::split_paths(&folders) {
        let path = folder.join(name);
        match check(&path) {
            Ok(()) => return Ok(path),
            Err(error) if path.is_file() => refused = Some(error),
            Err(_) => {}
        }
    }
    Err(refused.unwrap_or_else(|| {
        RecordError::program(path, "no such program: expected a file, or a name in PATH")
    }))
}

fn check(path: &Path) -> Result<(), RecordError> {
    let metadata = fs::metadata(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => RecordError::program(path, "no such program"),
        _ => RecordError::program(path, error.to_string()),
    })?;
    if metadata.is_dir() {
        return Err(RecordError::program(
            path,
            "expected a program, found a folder",
        ));
    }
    ensure_executable(path, &metadata)
}

#[cfg(unix)]
fn ensure_executable(path: &Path, metadata: &fs::Metadata) -> Result<(), RecordError> {
    use std::os::unix::fs::PermissionsExt;

    let mode = metadata.permissions().mode();
    if mode & 0o111 == 0 {
        let reason = "it is not executable: `chmod +x` makes it so";
        return Err(RecordError::program(path, reason));
    }
    if mode & 0o6000 != 0 {
        let reason = "it runs with the rights of its owner or group (setuid, setgid), which the system takes away from a \
                      program that is traced: record a copy without them, or as that user";
        return Err(RecordError::program(path, reason));
    }
    Ok(())
}

#[cfg(not(unix))]
fn ensure_executable(_: &Path, _: &fs::Metadata) -> Result<(), RecordError> {
    Ok(())
}

impl Program {
    /// The program with an interpreter taken as the executable that it is: then that is recorded, and not what it runs.
    pub fn itself(mut self) -> Program {
        let is_script = self.interpreter.is_some();
        let elf = File::open(&self.path).ok();
        let elf = elf.and_then(|mut file| elf::read(&mut file));
        if let Some(elf) = elf.filter(|_| !is_script) {
            self.kind = Kind::Executable(elf);
        }
        self
    }

    /// Looks at what a command runs in `folder`, or in the current one.
    pub fn look(command: &[OsString], folder: Option<&Path>) -> Result<Program, RecordError> {
        let Some(name) = command.first() else {
            let reason = "expected a program and its arguments behind --, found none";
            return Err(RecordError::Recorder(reason.to_owned()));
        };
        let path = find_from(name, folder)?;
        let file_name = path.file_name().unwrap_or(name);
        let unreadable = |error: std::io::Error| {
            RecordError::program(&path, format!("it cannot be looked at: {error}"))
        };
        let mut file = File::open(&path).map_err(unreadable)?;
        let mut head = Vec::new();
        (&mut file)
            .take(256)
            .read_to_end(&mut head)
            .map_err(unreadable)?;
        let program = |kind, interpreter| Program {
            // What stands in for a folder that is not the current one.
            command: iter::once(match folder {
                Some(_) if name.as_encoded_bytes().contains(&b'/') => path.clone().into_os_string(),
                _ => name.clone(),
            })
            .chain(command.iter().skip(1).cloned())
            .collect(),
            path: path.clone(),
            kind,
            interpreter,
            folder: folder.map(Path::to_path_buf),
        };
        // Version managers put scripts in the place of interpreters: the name tells first.
        if let Some(kind) = language(file_name) {
            return Ok(program(kind, None));
        }
        if head.starts_with(elf::MAGIC) {
            let Some(elf) = elf::read(&mut file) else {
                let reason = "expected the headers of an executable, found a damaged or short file";
                return Err(RecordError::program(&path, reason));
            };
            // A link such as `python` leads to the interpreter.
            let target = fs::canonicalize(&path).ok();
            let target = target
                .as_deref()
                .and_then(Path::file_name)
                .and_then(language);
            return Ok(program(target.unwrap_or(Kind::Executable(elf)), None));
        }
        let Some(line) = head.strip_prefix(b"#!") else {
            let reason =
                "expected an executable or a script that begins with #!, found something else";
            return Err(RecordError::program(&path, reason));
        };
        let line = line.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let words = interpreter(&String::from_utf8_lossy(line));
        let Some(first) = words.first() else {
            return Err(RecordError::program(
                &path,
                "it names no interpreter behind #!",
            ));
        };
        find_from(first, folder)?;
        let by = Path::new(first).file_name().unwrap_or(first);
        let is_shell = by.to_str().is_some_and(|it| SHELLS.contains(&it));
        let kind = match language(by) {
            Some(kind) => kind,
            None if is_shell => Kind::Shell,
            None => Kind::Other("a script of another language"),
        };
        Ok(program(kind, Some(words)))
    }

    /// The words that run it: of a script its interpreter first.
    pub fn words(&self) -> Vec<OsString> {
        match &self.interpreter {
            None => self.command.clone(),
            Some(interpreter) => {
                let mut words = interpreter.clone();
                words.push(self.path.clone().into_os_string());
                words.extend(self.command.iter().skip(1).cloned());
                words
            }
        }
    }

    /// What kind of program it is, for people.
    pub fn about(&self) -> String {
        let elf = match self.kind {
            Kind::Python => return "Python".to_owned(),
            Kind::Node => return "JavaScript, run by node".to_owned(),
            Kind::Java => return "Java".to_owned(),
            Kind::Shell => return "a script of a shell".to_owned(),
            Kind::Other(language) => return language.to_owned(),
            Kind::Executable(elf) => elf,
        };
        let facts = [
            (!elf.is_64_bit, "32-bit"),
            (elf.is_go, "built by Go"),
            (elf.is_static, "statically linked"),
            (!elf.has_symbols, "stripped of its functions' names"),
            (elf.is_instrumented, "built to be traced"),
            (elf.has_lines, "with lines of source code"),
        ];
        let facts = facts.into_iter().filter(|(holds, _)| *holds);
        let mut about = "a native program".to_owned();
        for (_, fact) in facts {
            about += ", ";
            about += fact;
        }
        about
    }

    /// Its name, for people and for the recording: of an interpreter that of the script it runs.
    pub fn name(&self) -> String {
        let name = |path: &Path| {
            let stem = path.file_stem().unwrap_or(path.as_os_str());
            stem.to_string_lossy().into_owned()
        };
        let of_path = match self.kind {
            Kind::Executable(_) => self.path.file_name().unwrap_or_default(),
            _ => self.path.file_stem().unwrap_or_default(),
        };
        let is_bare = self.interpreter.is_none() && !matches!(self.kind, Kind::Executable(_));
        let script = self.command.iter().skip(1).find(|word| {
            let is_option = word.as_encoded_bytes().starts_with(b"-");
            let path = Path::new(word);
            let folder = self.folder.as_deref();
            !is_option && folder.map_or(path.is_file(), |it| it.join(path).is_file())
        });
        match script.filter(|_| is_bare) {
            Some(script) => name(Path::new(script)),
            None => of_path.to_string_lossy().into_owned(),
        }
    }
}

/// The words behind `#!`, `env` looked through: the system hands all that follows the first word on as one.
fn interpreter(line: &str) -> Vec<OsString> {
    let line = line.trim();
    let (first, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let is_env = Path::new(first).file_name() == Some(OsStr::new("env"));
    if !is_env {
        let words = [first, rest].into_iter().filter(|it| !it.is_empty());
        return words.map(OsString::from).collect();
    }
    // `env -S` splits; without it there is one word.
    let rest = rest.strip_prefix("-S").unwrap_or(rest).trim();
    let is_assignment = |word: &&str| word.contains('=') || word.starts_with('-');
    let words = rest.split_whitespace().skip_while(is_assignment);
    words.map(OsString::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interpreters_are_known_by_their_names() {
        for (name, kind) in [
            ("python3.11", Some(Kind::Python)),
            ("python", Some(Kind::Python)),
            ("node", Some(Kind::Node)),
            ("java", Some(Kind::Java)),
            ("ruby3.1", Some(Kind::Other("ruby"))),
            ("javac", None),
            ("nodemon", None),
            ("python-config", None),
        ] {
            assert_eq!(language(OsStr::new(name)), kind, "{name}");
        }
    }

    #[test]
    fn the_line_of_a_script_names_its_interpreter() {
        for (line, words) in [
            ("/bin/sh", &["/bin/sh"][..]),
            ("  /usr/bin/python3 -u -O ", &["/usr/bin/python3", "-u -O"]),
            ("/usr/bin/env node", &["node"]),
            ("/usr/bin/env -S A=1 python3 -u", &["python3", "-u"]),
            ("", &[]),
        ] {
            let found = interpreter(line);
            assert!(
                found.iter().eq(words.iter().filter(|it| !it.is_empty())),
                "{line}: {found:?}"
            );
        }
    }

    #[test]
    fn what_cannot_be_run_is_refused_and_named() {
        let folder = std::env::temp_dir().join(format!("callscape-look-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let plain = folder.join("plain text");
        fs::write(&plain, "not a program").expect("it can be written");
        let refused = |path: &Path| {
            let looked = Program::look(&[path.as_os_str().to_owned()], None);
            looked.expect_err("it cannot be run").to_string()
        };
        assert!(refused(Path::new("callscape-no-such")).contains("no such program"));
        assert!(refused(&folder.join("gone")).contains("no such program"));
        assert!(refused(&folder).contains("found a folder"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let set = |mode| {
                fs::set_permissions(&plain, fs::Permissions::from_mode(mode)).expect("it is ours");
            };
            assert!(refused(&plain).contains("chmod +x"));
            set(0o755);
            assert!(refused(&plain).contains("found something else"));
            set(0o4755);
            assert!(refused(&plain).contains("setuid"));
            set(0o755);
            fs::write(&plain, "#!/no/such/interpreter\n").expect("it can be written");
            assert!(refused(&plain).contains("/no/such/interpreter"));
            fs::write(&plain, "\x7fELF").expect("it can be written");
            assert!(refused(&plain).contains("damaged"));
        }
        fs::remove_dir_all(folder).expect("it can be removed");
    }
}
