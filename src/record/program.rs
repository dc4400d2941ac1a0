//! What a command runs: an executable, or a script and its interpreter.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::elf::{self, Elf};
use super::error::RecordError;
use super::python_words::{self, Runs};
use super::{shebang, shim};

/// A program with its arguments.
#[derive(Clone, Debug)]
pub struct Program {
    /// The file that the command names.
    pub path: PathBuf,
    pub kind: Kind,
    /// All words that run it: of a script its interpreter first.
    pub words: Vec<OsString>,
    /// Words in front of the program's own arguments.
    pub(super) own: usize,
    /// What a shim or `env` sets in its environment.
    pub environment: Vec<(OsString, OsString)>,
    /// What the user should know about how it was found.
    pub notes: Vec<String>,
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
    find_from(name, None, env::var_os("PATH"))
}

/// The same for a program that is run in `folder`, with these folders to look into.
fn find_from(
    name: &OsStr,
    folder: Option<&Path>,
    search: Option<OsString>,
) -> Result<PathBuf, RecordError> {
    let path = Path::new(name);
    if name.as_encoded_bytes().contains(&b'/') {
        let path = folder.map_or(path.to_path_buf(), |folder| folder.join(path));
        check(&path)?;
        return Ok(path);
    }
    let folders = search.unwrap_or_default();
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
        io::ErrorKind::NotFound => RecordError::program(path, "no such program"),
        _ => RecordError::program(path, error.to_string()),
    })?;
    ensure_file(path, &metadata)?;
    ensure_executable(path, &metadata)
}

fn ensure_file(path: &Path, metadata: &fs::Metadata) -> Result<(), RecordError> {
    let reason = match metadata.file_type() {
        kind if kind.is_file() => return Ok(()),
        kind if kind.is_dir() => "expected a program, found a folder",
        _ => "expected a program, found a device, a pipe or a socket",
    };
    Err(RecordError::program(path, reason))
}

/// Opens a program to look at it. It may have become something else since it was checked: that must not be waited for.
fn open(path: &Path) -> Result<File, RecordError> {
    let unreadable =
        |error: io::Error| RecordError::program(path, format!("it cannot be inspected: {error}"));
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let file = options.open(path).map_err(unreadable)?;
    ensure_file(path, &file.metadata().map_err(unreadable)?)?;
    Ok(file)
}

#[cfg(unix)]
fn ensure_executable(path: &Path, metadata: &fs::Metadata) -> Result<(), RecordError> {
    use std::os::unix::fs::PermissionsExt;

    let mode = metadata.permissions().mode();
    if mode & 0o111 == 0 {
        let reason = "it is not executable; run `chmod +x` on it";
        return Err(RecordError::program(path, reason));
    }
    if mode & 0o6000 != 0 {
        let reason = "setuid or setgid program: the system drops these privileges when a program is traced. Record a \
                      copy without these bits, or record as that user";
        return Err(RecordError::program(path, reason));
    }
    Ok(())
}

#[cfg(not(unix))]
fn ensure_executable(_: &Path, _: &fs::Metadata) -> Result<(), RecordError> {
    Ok(())
}

/// So much of a script is read: its first lines, or all of a shim.
const HEAD: u64 = 16 << 10;

/// So many scripts may lead from one to the next.
const MOST_STEPS: usize = 8;

/// What a file is.
enum Content {
    Executable(Elf),
    Script(String),
}

fn content(path: &Path) -> Result<Content, RecordError> {
    let mut file = open(path)?;
    let mut head = Vec::new();
    let read = (&mut file).take(HEAD).read_to_end(&mut head);
    read.map_err(|error| RecordError::io(path, error))?;
    if head.starts_with(elf::MAGIC) {
        let reason = "expected the headers of an executable, found a damaged or short file";
        let elf = elf::read(&mut file).ok_or_else(|| RecordError::program(path, reason))?;
        return Ok(Content::Executable(elf));
    }
    // Elsewhere programs have other formats.
    let is_other = !cfg!(target_os = "linux") && path.file_name().and_then(language).is_some();
    if head.starts_with(b"#!") || is_other {
        return Ok(Content::Script(String::from_utf8_lossy(&head).into_owned()));
    }
    let found = match head.is_empty() {
        true => "an empty file",
        false => "something else",
    };
    let reason = format!("expected an executable or a script that begins with #!, found {found}");
    Err(RecordError::program(path, reason))
}

/// The kind of an executable: that of what it interprets, by its name or by that of the file that a link such as `python`
/// leads to.
fn kind_of(path: &Path, elf: Elf) -> Kind {
    let target = fs::canonicalize(path).ok();
    let names = [Some(path), target.as_deref()].into_iter().flatten();
    let found = names.filter_map(Path::file_name).find_map(language);
    found.unwrap_or(Kind::Executable(elf))
}

impl Program {
    /// The program with an interpreter taken as the executable that it is: then that is recorded, and not what it runs.
    pub fn itself(mut self) -> Program {
        let is_script = self.own > 1;
        if let Ok(Content::Executable(elf)) = self.next().and_then(|it| content(&it))
            && !is_script
        {
            self.kind = Kind::Executable(elf);
        }
        self
    }

    /// A program of which only the file is known.
    pub(super) fn at(path: &Path) -> Program {
        Program {
            path: path.to_path_buf(),
            kind: Kind::Shell,
            words: vec![path.as_os_str().to_owned()],
            own: 1,
            environment: Vec::new(),
            notes: Vec::new(),
            folder: None,
        }
    }

    /// What a process runs; none where that cannot be seen.
    pub fn of_process(pid: u32) -> Option<Program> {
        let link = PathBuf::from(format!("/proc/{pid}/exe"));
        let path = fs::read_link(&link).ok()?;
        let Content::Executable(elf) = content(&link).ok()? else {
            return None;
        };
        let kind = path.file_name().and_then(language);
        Some(Program {
            kind: kind.unwrap_or(Kind::Executable(elf)),
            ..Program::at(&path)
        })
    }

    /// Looks at what a command runs in `folder`, or in the current one: shims and scripts are followed to what runs at last.
    pub fn look(command: &[OsString], folder: Option<&Path>) -> Result<Program, RecordError> {
        let Some(name) = command.first() else {
            let reason = "expected a program and its arguments after --, found none";
            return Err(RecordError::Recorder(reason.to_owned()));
        };
        let path = find_from(name, folder, env::var_os("PATH"))?;
        let mut words = command.to_vec();
        // What stands in for a folder that is not the current one.
        if folder.is_some() && name.as_encoded_bytes().contains(&b'/') {
            words[0] = path.clone().into_os_string();
        }
        let mut program = Program {
            words,
            folder: folder.map(Path::to_path_buf),
            ..Program::at(&path)
        };
        let mut file = path.clone();
        for _ in 0..MOST_STEPS {
            match program.step(&file)? {
                Some(next) => file = next,
                None => return Ok(program),
            }
        }
        let reason = "expected a final interpreter, found a chain of scripts";
        Err(RecordError::program(&path, reason))
    }

    /// Looks at the file that the first word runs, and gives the next one where that leads further.
    fn step(&mut self, file: &Path) -> Result<Option<PathBuf>, RecordError> {
        let name = file.file_name().unwrap_or_default();
        let text = match content(file)? {
            Content::Executable(elf) => {
                self.kind = match kind_of(file, elf) {
                    Kind::Executable(_) if self.own > 1 => of_interpreter(name),
                    kind => kind,
                };
                return Ok(None);
            }
            Content::Script(text) => text,
        };
        let here = env::current_dir().unwrap_or_default();
        let here = self.folder.as_deref().unwrap_or(&here);
        match shim::follow(file, &text, here) {
            Some(Ok(leads)) => {
                self.own += leads.words.len() - 1;
                self.words.splice(..1, leads.words);
                self.environment.extend(leads.environment);
                return self.next().map(Some);
            }
            Some(Err(lost)) => self.notes.push(format!("{}: {lost}", file.display())),
            None => {}
        }
        // Other version managers put scripts in the place of interpreters: the name tells.
        if let Some(kind) = language(name) {
            self.kind = kind;
            return Ok(None);
        }
        let found = shebang::interpreter(file, &text).unwrap_or_default();
        if found.words.is_empty() {
            let reason = "it names no interpreter after #!, or in an unsupported way";
            return Err(RecordError::program(file, reason));
        }
        self.own += found.words.len();
        self.words[0] = file.as_os_str().to_owned();
        self.words.splice(..0, found.words);
        self.environment.extend(found.environment);
        self.next().map(Some)
    }

    /// The file that the first word runs.
    fn next(&self) -> Result<PathBuf, RecordError> {
        let first = self.words.first().map(OsString::as_os_str);
        let mut set = self.environment.iter().rev();
        let path = set.find(|it| it.0 == "PATH").map(|it| it.1.clone());
        let path = path.or_else(|| env::var_os("PATH"));
        find_from(first.unwrap_or_default(), self.folder.as_deref(), path)
    }

    /// What kind of program it is, for people.
    pub fn about(&self) -> String {
        let elf = match self.kind {
            Kind::Python => return "Python".to_owned(),
            Kind::Node => return "JavaScript, run by node".to_owned(),
            Kind::Java => return "Java".to_owned(),
            Kind::Shell => return "a shell script".to_owned(),
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

    /// Its name, for people and for the recording: of an interpreter that of what it runs.
    pub fn name(&self) -> String {
        let stem = |path: &Path| path.file_stem().unwrap_or_default().to_os_string();
        let own = match self.kind {
            Kind::Executable(_) => self.path.file_name().unwrap_or_default().to_owned(),
            _ => stem(&self.path),
        };
        let name = match self.kind {
            _ if self.own > 1 => own,
            Kind::Executable(_) => own,
            Kind::Python => match python_words::read(&self.words).runs {
                Runs::File(file) => stem(Path::new(&file)),
                Runs::Module(module) => module,
                _ => own,
            },
            _ => {
                let script = self.words.iter().skip(1).find(|word| {
                    let is_option = word.as_encoded_bytes().starts_with(b"-");
                    let path = Path::new(word);
                    let folder = self.folder.as_deref();
                    !is_option && folder.map_or(path.is_file(), |it| it.join(path).is_file())
                });
                script.map_or(own, |it| stem(Path::new(it)))
            }
        };
        name.to_string_lossy().into_owned()
    }
}

/// The kind of a script that an executable of this name runs.
fn of_interpreter(name: &OsStr) -> Kind {
    match name.to_str().is_some_and(|it| SHELLS.contains(&it)) {
        true => Kind::Shell,
        false => Kind::Other("a script in another language"),
    }
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
