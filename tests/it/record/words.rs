//! What a command runs, and whose arguments are whose: all that follows the program is the program's own.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::super::common::Scratch;
use super::names::{recording, stand_in};
use super::{calls, has, path, record, text, tools};

/// Python with VizTracer, if it is there.
fn python() -> Option<PathBuf> {
    let ask = "import sys, viztracer; print(sys.executable)";
    let asked = Command::new(tools::python()).args(["-c", ask]).output();
    let found = asked.ok().filter(|it| it.status.success());
    if found.is_none() {
        eprintln!("left out: VizTracer is not installed");
    }
    Some(PathBuf::from(text(&found?.stdout).trim()))
}

const APP: &str = "import sys\ndef leaf(x):\n    return x\nfor i in range(7):\n    leaf(i)\nprint(sys.argv[1:])\nsys.exit(6)\n";

/// Runs a command with `input` on standard input.
fn with_input(mut command: Command, input: &str) -> Output {
    let streams = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = streams.stderr(Stdio::piped()).spawn().expect("it starts");
    // What reads nothing may have ended.
    let _ = std::io::Write::write_all(&mut child.stdin.take().expect("piped"), input.as_bytes());
    child.wait_with_output().expect("it ends")
}

#[test]
fn no_argument_of_a_program_of_python_is_taken_by_its_recorder() {
    let Some(python) = python() else { return };
    let scratch = Scratch::new("record-python-words");
    std::fs::create_dir(scratch.0.join("tree")).expect("a folder");
    for file in ["app.py", "-odd.py", "tree/__main__.py"] {
        scratch.write(file, APP.as_bytes());
    }
    scratch.write(
        "app.bat",
        format!("@what is not Python\r\n{APP}").as_bytes(),
    );
    scratch.write("victim.json", b"of the user");
    let words = [
        "-o",
        "victim.json",
        "--help",
        "--tracer_entries",
        "5",
        "--",
        "-m",
        "x",
    ];
    let forms: [&[&str]; 14] = [
        &["app.py"],
        &["-X", "dev", "app.py"],
        &["-Xdev", "-W", "error", "app.py"],
        &["-I", "app.py"],
        &["-x", "app.bat"],
        &["--", "-odd.py"],
        &["tree"],
        &["-m", "app"],
        &["-um", "app"],
        &["-c", APP],
        &["-uc", APP],
        &["-Ic", APP],
        &["-", "first"],
        &["-m", "tree"],
    ];
    let try_form = |(number, form): (usize, &[&str])| {
        let is_input = form.contains(&"-");
        let out = scratch.0.join(format!("{number}.out"));
        let mut all = vec![path(&python)];
        all.extend(form);
        all.extend(words);
        let mut plain = Command::new(all[0]);
        plain.args(&all[1..]).current_dir(&scratch.0);
        let plain = with_input(plain, if is_input { APP } else { "" });
        let run = record(&scratch, &["--no-open", "-o", path(&out)], &all);
        let ran = with_input(run, if is_input { APP } else { "" });
        let said = text(&ran.stderr);
        assert_eq!(
            plain.status.code(),
            Some(6),
            "{form:?}: {}",
            text(&plain.stderr)
        );
        assert_eq!(ran.status.code(), Some(6), "{form:?}: {said}");
        assert_eq!(text(&ran.stdout), text(&plain.stdout), "{form:?}");
        assert_eq!(calls(&out, "leaf"), 7, "{form:?}: {said}");
    };
    let forms: Vec<_> = forms.into_iter().enumerate().collect();
    std::thread::scope(|scope| {
        for part in forms.chunks(4) {
            let try_form = &try_form;
            scope.spawn(move || part.iter().copied().for_each(try_form));
        }
    });
    let victim = std::fs::read(scratch.0.join("victim.json"));
    assert_eq!(victim.expect("it is there"), b"of the user");
    // Without an argument.
    let out = scratch.0.join("input.out");
    let run = record(&scratch, &["--no-open", "-o", path(&out)], &[path(&python)]);
    let ran = with_input(run, APP);
    assert_eq!(ran.status.code(), Some(6), "{}", text(&ran.stderr));
    assert_eq!(calls(&out, "leaf"), 7);
    let nothing = record(&scratch, &["--no-open"], &[path(&python), "-V"]).output();
    let said = text(&nothing.expect("it starts").stderr);
    assert!(said.contains("found nothing to record"), "{said}");
}

#[test]
fn no_argument_of_a_native_program_is_taken_by_its_recorder() {
    if !has("uftrace", "--version") || !has("gcc", "--version") {
        return;
    }
    let scratch = Scratch::new("record-native-words");
    std::fs::create_dir(scratch.0.join("bin")).expect("a folder");
    let show = "#include <stdio.h>\nint main(int n, char **w) { for (int i = 1; i < n; i++) puts(w[i]); return 4; }";
    super::build(&scratch, "bin/-d", show, &["-O2"]);
    for by in ["uftrace", "perf"] {
        let options = ["--no-open", "--with", by];
        let words = ["-d", "-d", "victim", "--help", "--", "-o", "victim"];
        let ran = recording(&scratch, &options, &words)
            .output()
            .expect("it starts");
        if text(&ran.stderr).contains("perf_event_paranoid")
            || by == "perf" && !has(by, "--version")
        {
            eprintln!("left out: perf may not record here");
            continue;
        }
        assert_eq!(
            text(&ran.stdout),
            words[1..].join("\n") + "\n",
            "{}",
            text(&ran.stderr)
        );
        assert_eq!(ran.status.code(), Some(4), "{}", text(&ran.stderr));
        assert!(!scratch.0.join("victim").exists());
    }
}

#[test]
fn shims_and_scripts_lead_to_the_interpreter() {
    let scratch = Scratch::new("record-shims");
    for folder in [
        "bin",
        "env",
        "env/shims",
        "env/versions",
        "env/versions/9.1.0",
        "env/versions/9.1.0/bin",
    ] {
        std::fs::create_dir(scratch.0.join(folder)).expect("a folder");
    }
    stand_in(
        &scratch,
        "node",
        &super::names::NODE.replace("echo running", "env | grep -o '^VARIABLE=.*'; echo \"$@\""),
    );
    let script = |path: &str, text: &str| {
        stand_in(&scratch, &format!("../{path}"), text);
    };
    let root = scratch.0.join("env");
    let shim = format!(
        "#!/usr/bin/env bash\nset -e\nprogram=\"${{0##*/}}\"\nexport NODENV_ROOT=\"{0}\"\nexec \"{0}/libexec/nodenv\" exec \"$program\" \"$@\"\n",
        root.display()
    );
    script("env/shims/tool", &shim);
    script("env/version", "9.1\n");
    script("env/versions/9.1.0/bin/tool", "#!/usr/bin/env node\n");
    script("split", "#!/usr/bin/env -S VARIABLE='a b' node --flag\n");
    script("again", "#!/usr/bin/env -S ./split\n");
    script("round", "#!./round\n");
    let pnpm = "#!/bin/sh\nbasedir=$(dirname \"$(echo \"$0\" | sed -e 's,\\\\,/,g')\")\n\n\
                if [ -x \"$basedir/node\" ]; then\n  exec \"$basedir/node\"  \"$basedir/../x/cli.js\" \"$@\"\n\
                else\n  exec node  \"$basedir/../x/cli.js\" \"$@\"\nfi\n";
    std::fs::create_dir_all(scratch.0.join("node_modules/.bin")).expect("a folder");
    script("node_modules/.bin/cli", pnpm);
    let linked = scratch.0.join("node_modules/.bin/linked");
    std::os::unix::fs::symlink(scratch.0.join("split"), linked).expect("a link");
    for (command, shows) in [
        ("env/shims/tool", "env/versions/9.1.0/bin/tool own\n"),
        ("./split", "--flag ./split own\n"),
        ("./again", "--flag ./split ./again own\n"),
        (
            "node_modules/.bin/cli",
            "node_modules/.bin/../x/cli.js own\n",
        ),
        (
            "node_modules/.bin/linked",
            "--flag node_modules/.bin/linked own\n",
        ),
    ] {
        let ran = recording(&scratch, &["--no-open"], &[command, "own"]).output();
        let ran = ran.expect("it starts");
        let said = text(&ran.stderr);
        assert!(said.contains("recorded by node"), "{command}: {said}");
        let shown = text(&ran.stdout);
        assert!(shown.ends_with(shows), "{command}: {shown}");
        let is_split = shown.contains("VARIABLE=a b\n");
        assert_eq!(is_split, shows.contains("--flag"), "{command}: {shown}");
    }
    let refused = |command: &str| {
        let ran = recording(&scratch, &["--no-open"], &[command]).output();
        text(&ran.expect("it starts").stderr)
    };
    assert!(refused("./round").contains("scripts that lead to scripts"));
    script("env/version", "gone\n");
    let said = refused("env/shims/tool");
    assert!(
        said.contains("a shim of nodenv") && said.contains("gone"),
        "{said}"
    );
}

#[test]
fn a_shim_of_pyenv_and_a_script_of_pip_are_recorded_as_python() {
    let Some(python) = python() else { return };
    let scratch = Scratch::new("record-pyenv");
    std::fs::create_dir(scratch.0.join("bin")).expect("a folder");
    let bin = scratch.0.join("root/versions/3.1/bin");
    std::fs::create_dir_all(&bin).expect("a folder");
    std::fs::create_dir(scratch.0.join("root/shims")).expect("a folder");
    let script = |path: &str, text: &str| stand_in(&scratch, &format!("../{path}"), text);
    let root = scratch.0.join("root");
    let shim = format!(
        "#!/usr/bin/env bash\nset -e\nprogram=\"${{0##*/}}\"\nexport PYENV_ROOT=\"{0}\"\nexec \"{0}/libexec/pyenv\" exec \"$program\" \"$@\"\n",
        root.display()
    );
    let app = format!("#!{}\n{APP}", python.display());
    let long = format!(
        "#!/bin/sh\n'''exec' \"{}\" \"$0\" \"$@\"\n' '''\n{APP}",
        python.display()
    );
    script("root/shims/tool", &shim);
    script("root/version", "3.1\n");
    script("root/versions/3.1/bin/tool", &app);
    script("long", &long);
    script(
        "split",
        &format!("#!/usr/bin/env -S {} -u\n{APP}", python.display()),
    );
    for command in ["root/shims/tool", "./long", "./split"] {
        let out = scratch.0.join("out");
        let options = ["--no-open", "-o", path(&out)];
        let mut run = record(&scratch, &options, &[command, "-o", "x"]);
        run.env_remove("PYENV_VERSION").env_remove("PYENV_DIR");
        let ran = run.stdin(Stdio::null()).output().expect("it starts");
        let said = text(&ran.stderr);
        assert_eq!(ran.status.code(), Some(6), "{command}: {said}");
        assert!(said.contains("recorded by viztracer"), "{command}: {said}");
        assert_eq!(text(&ran.stdout), "['-o', 'x']\n");
        assert_eq!(calls(&out, "leaf"), 7, "{command}");
        std::fs::remove_file(out).expect("it is there");
    }
}

#[test]
fn what_is_no_program_is_refused_and_never_waited_for() {
    let scratch = Scratch::new("record-no-program");
    std::fs::create_dir(scratch.0.join("bin")).expect("a folder");
    for name in ["fifo", "python3"] {
        let made = Command::new("mkfifo")
            .args(["-m", "755"])
            .arg(scratch.0.join(name))
            .status();
        assert!(made.is_ok_and(|it| it.success()));
    }
    let socket = std::os::unix::net::UnixListener::bind(scratch.0.join("socket"));
    let _socket = socket.expect("a socket");
    for (name, text) in [
        ("empty", ""),
        ("text", "hello\n"),
        ("node", "MZ\0\0"),
        ("of-fifo", "#!./fifo\n"),
    ] {
        stand_in(&scratch, &format!("../{name}"), text);
    }
    for (name, why) in [
        ("./fifo", "a device, a pipe or a socket"),
        ("./python3", "a device, a pipe or a socket"),
        ("./socket", "a device, a pipe or a socket"),
        ("/dev/null", "a device, a pipe or a socket"),
        ("./of-fifo", "a device, a pipe or a socket"),
        ("./empty", "an empty file"),
        ("./text", "something else"),
        ("./node", "something else"),
        ("/", "a folder"),
    ] {
        let ran = recording(&scratch, &["--no-open"], &[name]).output();
        let ran = ran.expect("it starts");
        let said = text(&ran.stderr);
        assert_eq!(ran.status.code(), Some(1), "{name}: {said}");
        assert!(
            said.contains(why) && said.lines().count() == 1,
            "{name}: {said}"
        );
    }
}

/// What is run on a file system of a megabyte: records, and says what came of it.
const ON_SMALL_DISK: &str = r#"
mount -t tmpfs -o size=1m small "$SMALL" || exit 99
cd "$SMALL" || exit 99
"$CALLSCAPE" record --no-open -- "$@" > /dev/null
echo "code $?"
for file in *; do
  [ -e "$file" ] || continue
  "$CALLSCAPE" info "$file" > /dev/null 2>&1 && echo "opens $file" || echo "broken $file"
done
"#;

#[test]
fn what_finds_no_room_on_the_disk_opens_or_is_an_error_that_names_the_disk() {
    let scratch = Scratch::new("record-full");
    for folder in ["bin", "small"] {
        std::fs::create_dir(scratch.0.join(folder)).expect("a folder");
    }
    let many = super::names::NODE.replace("exit 3", "head -c 3000000 /dev/zero | tr '\\0' ' ' >> \"$dir/x.cpuprofile\"; echo x >> \"$dir/x.cpuprofile\"; exit 3");
    let broken = many.replace("echo '\"start", "printf '\"samples\":[' >> \"$dir/x.cpuprofile\"; head -c 3000000 /dev/zero | tr '\\0' 1 >> \"$dir/x.cpuprofile\"; echo '\"start");
    stand_in(&scratch, "node", &broken);
    scratch.write(
        "app.py",
        b"def leaf(x):\n    return x\nfor i in range(50000):\n    leaf(i)\n",
    );
    let small = scratch.0.join("small");
    let app = scratch.0.join("app.py");
    let mut commands = vec![vec![
        "node".to_owned(),
        "app.js".to_owned(),
        "work".to_owned(),
    ]];
    commands.extend(python().map(|it| vec![path(&it).to_owned(), path(&app).to_owned()]));
    if has("uftrace", "--version") && has("gcc", "--version") {
        let program = super::build(&scratch, "app", super::PROGRAM, &["-O2", "-pthread"]);
        commands.push(vec![path(&program).to_owned(), "spin".to_owned()]);
    }
    for command in commands {
        let mut run = Command::new("unshare");
        run.args(["--mount", "sh", "-c", ON_SMALL_DISK, "sh"])
            .args(&command);
        let paths = tools::path();
        let all = [scratch.0.join("bin")]
            .into_iter()
            .chain(std::env::split_paths(&paths));
        run.env("PATH", std::env::join_paths(all).expect("a path"));
        run.env("SMALL", &small)
            .env("CALLSCAPE", Path::new(env!("CARGO_BIN_EXE_callscape")));
        run.env("XDG_CACHE_HOME", &scratch.0);
        let ran = run.output().expect("it starts");
        let (shown, said) = (text(&ran.stdout), text(&ran.stderr));
        if !shown.contains("code ") {
            eprintln!("left out: nothing may be mounted here: {said}");
            return;
        }
        let is_recorded = said.contains("recorded by");
        let names_disk = said.contains(path(&small));
        assert!(
            names_disk || is_recorded && said.contains("the disk is nearly full"),
            "{command:?}: {shown}{said}"
        );
        assert_eq!(
            is_recorded,
            !shown.contains("broken") && shown.contains("opens"),
            "{command:?}: {shown}{said}"
        );
        assert!(
            is_recorded || !shown.contains("code 0"),
            "{command:?}: {shown}{said}"
        );
    }
}
