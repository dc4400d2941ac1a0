//! Small scripts of a shell that stand for a program and only choose it: those of version managers and of package managers.
//! They are read, not run, and only where they have exactly the form that these write.
//! <https://github.com/pyenv/pyenv> (`libexec/pyenv-rehash`, `pyenv-which`, `pyenv-version-name`),
//! <https://github.com/npm/cmd-shim>, <https://github.com/pnpm/cmd-shim>

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::shebang::words;

/// Where a shim leads.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Leads {
    /// What stands in for the shim; the arguments follow.
    pub words: Vec<OsString>,
    pub environment: Vec<(OsString, OsString)>,
}

/// Version managers: what they are called, and the file that chooses a version in a folder.
const MANAGERS: [(&str, &str); 2] = [("pyenv", ".python-version"), ("nodenv", ".node-version")];

/// Where the script at `file` leads when it is started in `folder`. None where it is no shim, an error where it leads
/// nowhere, or nobody knows where.
pub(crate) fn follow(file: &Path, text: &str, folder: &Path) -> Option<Result<Leads, String>> {
    let of_manager = MANAGERS.into_iter().find_map(|(name, chosen_by)| {
        let root = manager_root(text, name)?;
        let manager = Manager {
            name,
            chosen_by,
            root,
        };
        Some(manager.leads(file.file_name()?, folder))
    });
    of_manager.or_else(|| of_package(file, text))
}

/// The folder of a version manager, where the text is one of its shims.
fn manager_root(text: &str, name: &str) -> Option<PathBuf> {
    let is_call = |line: &str| {
        let called = line.strip_prefix("exec \"");
        let called = called.and_then(|it| it.strip_suffix("\" exec \"$program\" \"$@\""));
        called.is_some_and(|it| Path::new(it).file_name() == Some(OsStr::new(name)))
    };
    if !text.lines().any(|line| is_call(line.trim())) {
        return None;
    }
    let export = format!("export {}_ROOT=", name.to_ascii_uppercase());
    let root = text.lines().find_map(|it| it.trim().strip_prefix(&export));
    let [root] = &words(root?)?[..] else {
        return None;
    };
    Some(PathBuf::from(root)).filter(|it| it.is_absolute())
}

struct Manager {
    name: &'static str,
    chosen_by: &'static str,
    root: PathBuf,
}

impl Manager {
    /// The program of this name in the first of the chosen versions that has it, else in PATH behind the shims.
    fn leads(&self, program: &OsStr, folder: &Path) -> Result<Leads, String> {
        let chosen = self.chosen(folder);
        let found = chosen.iter().find_map(|version| {
            let path = match version.as_str() {
                "system" => return self.in_path(program),
                version => self.versions().join(version).join("bin").join(program),
            };
            is_program(&path).then_some(path)
        });
        let Some(found) = found.or_else(|| self.in_path(program)) else {
            return Err(format!(
                "it is a shim of {}, and the versions selected there do not have it: {}",
                self.name,
                chosen.join(", ")
            ));
        };
        let variable = |name: &str| format!("{}_{name}", self.name.to_ascii_uppercase()).into();
        let mut environment = vec![
            (variable("ROOT"), self.root.clone().into_os_string()),
            (variable("VERSION"), chosen.join(":").into()),
        ];
        if let Some(bin) = found.parent().filter(|_| found.starts_with(&self.root)) {
            let before = env::var_os("PATH").unwrap_or_default();
            let all = std::iter::once(bin.to_path_buf()).chain(env::split_paths(&before));
            if let Ok(path) = env::join_paths(all) {
                environment.push(("PATH".into(), path));
            }
        }
        Ok(Leads {
            words: vec![found.into_os_string()],
            environment,
        })
    }

    fn versions(&self) -> PathBuf {
        self.root.join("versions")
    }

    fn variable(&self, name: &str) -> Option<OsString> {
        let name = format!("{}_{name}", self.name.to_ascii_uppercase());
        env::var_os(name).filter(|it| !it.is_empty())
    }

    /// The versions that are chosen for a folder, as they are called under `versions`.
    fn chosen(&self, folder: &Path) -> Vec<String> {
        let from = self.variable("DIR").map(PathBuf::from);
        let around = from.iter().map(PathBuf::as_path).chain([folder]);
        let mut around = around.flat_map(Path::ancestors);
        let names: Vec<String> = match self.variable("VERSION") {
            Some(names) => {
                let names = names.to_string_lossy();
                names.split(':').map(str::to_owned).collect()
            }
            None => around
                .find_map(|it| names_in(&it.join(self.chosen_by)))
                .or_else(|| names_in(&self.root.join("version")))
                .unwrap_or_default(),
        };
        let names: Vec<String> = names.iter().map(|it| self.version(it)).collect();
        match names.is_empty() {
            true => vec!["system".to_owned()],
            false => names,
        }
    }

    /// A version by its name, by that behind a prefix such as `python-`, or the newest whose name begins so.
    fn version(&self, name: &str) -> String {
        let language = self.name.trim_end_matches("env");
        let prefix = if language == "py" { "python-" } else { "node-" };
        let plain = name.strip_prefix(prefix).unwrap_or(name);
        let versions = self.versions();
        let is_there = |it: &str| it == "system" || versions.join(it).is_dir();
        if let Some(found) = [name, plain].into_iter().find(|it| is_there(it)) {
            return found.to_owned();
        }
        let entries = fs::read_dir(&versions).into_iter().flatten().flatten();
        let names = entries.filter_map(|it| it.file_name().into_string().ok());
        let fits = |it: &String| {
            let rest = it.strip_prefix(plain);
            rest.is_some_and(|it| it.starts_with(['.', '-']))
        };
        let newest = names.filter(fits).max_by_key(|it| numbers(it));
        newest.unwrap_or_else(|| plain.to_owned())
    }

    /// The program in PATH, where that is not one of the shims.
    fn in_path(&self, program: &OsStr) -> Option<PathBuf> {
        let path = env::var_os("PATH").unwrap_or_default();
        let shims = self.root.join("shims");
        let mut folders = env::split_paths(&path).filter(|it| *it != shims);
        folders.find_map(|it| Some(it.join(program)).filter(|it| is_program(it)))
    }
}

/// The names in a file that chooses versions: the first word of each line that is no comment. None where there is none. A
/// name that leads out of the folder of versions is left out.
fn names_in(file: &Path) -> Option<Vec<String>> {
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    let file = fs::File::open(file).ok()?;
    file.take(4096).read_to_string(&mut text).ok()?;
    let words = text.lines().filter_map(|it| it.split_whitespace().next());
    let is_name = |it: &&str| !it.starts_with(['#', '/']) && !it.split('/').any(|it| it == "..");
    let names: Vec<String> = words.filter(is_name).map(str::to_owned).collect();
    (!names.is_empty()).then_some(names)
}

/// The numbers in the name of a version, by which versions are ordered.
fn numbers(version: &str) -> Vec<u64> {
    let parts = version.split(|it: char| !it.is_ascii_digit());
    parts.filter_map(|it| it.parse().ok()).collect()
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;

    let metadata = path.metadata();
    metadata.is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

/// What package managers of node put into `node_modules/.bin` where they make no links.
fn of_package(file: &Path, text: &str) -> Option<Result<Leads, String>> {
    if !text.contains("basedir=$(dirname \"$(echo \"$0\" | sed -e 's,\\\\,/,g')\")") {
        return None;
    }
    let base = file.parent()?.to_str()?;
    let calls: Vec<Vec<String>> = text.lines().filter_map(|line| call(line, base)).collect();
    // The interpreter beside the shim where there is one, else that in PATH.
    let is_beside = |it: &&Vec<String>| Path::new(&it[0]).starts_with(base);
    let beside = calls
        .iter()
        .filter(is_beside)
        .find(|it| is_program(Path::new(&it[0])));
    let Some(words) = beside.or_else(|| calls.iter().find(|it| !is_beside(it))) else {
        return Some(Err(
            "it is a script that starts another program in an unsupported way".to_owned(),
        ));
    };
    let paths = text.lines().find_map(|line| {
        let value = line.trim().strip_prefix("export NODE_PATH=")?;
        let [value] = &self::words(value)?[..] else {
            return None;
        };
        (!value.contains('$')).then(|| value.clone())
    });
    let name = "NODE_PATH";
    let environment = paths.map(|mut paths| {
        if let Some(before) = env::var_os(name).filter(|it| !it.is_empty()) {
            paths = format!("{paths}:{}", before.to_string_lossy());
        }
        (name.into(), paths.into())
    });
    Some(Ok(Leads {
        words: words.iter().map(OsString::from).collect(),
        environment: environment.into_iter().collect(),
    }))
}

/// The words of a line that hands all arguments on, without these: `exec node "$basedir/../x/cli.js" "$@"`.
fn call(line: &str, base: &str) -> Option<Vec<String>> {
    let line = line.trim();
    let line = line.strip_prefix("exec ").unwrap_or(line);
    let line = line.strip_suffix("\"$@\"")?;
    let words = words(line)?;
    let words: Vec<String> = words
        .iter()
        .map(|it| it.replace("$basedir", base))
        .collect();
    let is_known = !words.is_empty() && words.iter().all(|it| !it.contains('$'));
    is_known.then_some(words)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("writable");
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("it is ours");
    }

    fn folder(name: &str) -> PathBuf {
        let name = format!("callscape-shim-{name}-{}", std::process::id());
        std::env::temp_dir().join(name)
    }

    #[test]
    fn a_shim_of_pyenv_leads_into_the_version_that_is_chosen() {
        let folder = folder("pyenv");
        let root = folder.join("a root");
        for version in ["3.9.2", "3.10.13", "3.10.2", "own"] {
            write(&root.join("versions").join(version).join("bin/pytest"), "");
        }
        let shim = root.join("shims/pytest");
        let text = format!(
            "#!/usr/bin/env bash\nset -e\n[ -n \"$PYENV_DEBUG\" ] && set -x\n\nprogram=\"${{0##*/}}\"\n\n\
             export PYENV_ROOT=\"{0}\"\nexec \"{0}/libexec/pyenv\" exec \"$program\" \"$@\"\n",
            root.display()
        );
        write(&shim, &text);
        let tree = folder.join("tree/inner");
        fs::create_dir_all(&tree).expect("a folder");
        let leads = || follow(&shim, &text, &tree).expect("a shim");
        for (chosen, version) in [
            ("# comment\n\n3.9.2 x\n", "3.9.2"),
            ("3.10\n", "3.10.13"),
            ("python-3.9\n", "3.9.2"),
            ("gone\nown\n3.9.2\n", "own"),
            ("../versions/own\n3.9.2\n", "3.9.2"),
        ] {
            write(&folder.join("tree/.python-version"), chosen);
            let leads = leads().expect("it leads somewhere");
            let bin = root.join("versions").join(version).join("bin");
            assert_eq!(
                leads.words,
                [bin.join("pytest").into_os_string()],
                "{chosen}"
            );
            let path = &leads.environment.last().expect("PATH").1;
            assert_eq!(env::split_paths(path).next(), Some(bin));
        }
        write(&folder.join("tree/.python-version"), "gone\n");
        let lost = leads().expect_err("no version has it");
        assert!(lost.contains("pyenv") && lost.contains("gone"), "{lost}");
        fs::remove_file(folder.join("tree/.python-version")).expect("it is there");
        write(&root.join("version"), "own\n");
        assert!(leads().is_ok_and(|it| it.words[0].to_string_lossy().contains("/own/")));
        // What only looks like one is none.
        for other in [
            "#!/bin/sh\nexec pyenv exec \"$program\" \"$@\"\n",
            "",
            "#!/bin/sh\n",
        ] {
            assert_eq!(follow(&shim, other, &tree), None);
        }
        fs::remove_dir_all(folder).expect("it can be removed");
    }

    /// As pnpm writes it.
    const PNPM: &str = r#"#!/bin/sh
basedir=$(dirname "$(echo "$0" | sed -e 's,\\,/,g')")

case `uname` in
    *CYGWIN*) basedir=`cygpath -w "$basedir"`;;
esac

if [ -z "$NODE_PATH" ]; then
  export NODE_PATH="/p/node_modules/.pnpm/x/node_modules"
else
  export NODE_PATH="/p/node_modules/.pnpm/x/node_modules:$NODE_PATH"
fi
if [ -x "$basedir/node" ]; then
  exec "$basedir/node" --no-warnings "$basedir/../x/bin/cli.js" "$@"
else
  exec node --no-warnings "$basedir/../x/bin/cli.js" "$@"
fi
"#;

    #[test]
    fn a_shim_of_pnpm_leads_to_the_script() {
        let folder = folder("pnpm");
        let shim = folder.join("node_modules/.bin/x");
        write(&shim, PNPM);
        let base = folder.join("node_modules/.bin");
        let script = format!("{}/../x/bin/cli.js", base.display());
        let leads = || {
            follow(&shim, PNPM, &folder)
                .expect("a shim")
                .expect("it is known")
        };
        assert_eq!(leads().words, ["node", "--no-warnings", &script]);
        let [(name, value)] = &leads().environment[..] else {
            panic!("one variable");
        };
        assert!(name == "NODE_PATH" && value.to_string_lossy().starts_with("/p/node_modules"));
        write(&base.join("node"), "");
        let node = base.join("node").into_os_string();
        assert_eq!(leads().words[0], node);
        // A program that needs no interpreter.
        let plain = PNPM.lines().take(2).collect::<Vec<_>>().join("\n");
        write(&base.join("../x/bin/tool"), "");
        let plain = plain + "\n\"$basedir/../x/bin/tool\"   \"$@\"\nexit $?\n";
        let found = follow(&shim, &plain, &folder).expect("a shim");
        assert!(found.is_ok_and(|it| it.words[0].to_string_lossy().ends_with("x/bin/tool")));
        fs::remove_dir_all(folder).expect("it can be removed");
    }
}
