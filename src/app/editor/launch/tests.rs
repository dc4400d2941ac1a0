use super::*;

/// A machine that has these programs and variables.
fn on(
    programs: &[&str],
    variables: &[(&str, &str)],
    command: &str,
    path: &str,
) -> Result<Launch, NoEditor> {
    let variable = |name: &str| {
        let found = variables.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| OsString::from(value))
    };
    let find = |name: &OsStr| {
        let is_there = programs.iter().any(|known| OsStr::new(known) == name);
        is_there.then(|| Path::new("/bin").join(name))
    };
    let of = Surroundings {
        command,
        variable: &variable,
        find: &find,
    };
    launch(&of, Path::new(path), 7)
}

fn words(launch: &Launch) -> Vec<String> {
    let program = launch.program.to_string_lossy().into_owned();
    let rest = launch.arguments.iter();
    let rest = rest.map(|it| it.to_string_lossy().into_owned());
    std::iter::once(program).chain(rest).collect()
}

fn started(programs: &[&str], variables: &[(&str, &str)], command: &str) -> Vec<String> {
    let found = on(programs, variables, command, "/t/a.c");
    words(&found.expect("an editor"))
}

#[test]
fn the_settings_come_first_then_the_variables_then_what_is_found() {
    let programs = ["code", "vim", "nano", "xterm"];
    let both = [("VISUAL", "code --wait"), ("EDITOR", "vim")];
    let of_settings = started(&programs, &both, "nano -x {file} {line}");
    assert_eq!(of_settings, ["/bin/nano", "-x", "/t/a.c", "7"]);
    let visual = started(&programs, &both, " ");
    assert_eq!(visual, ["/bin/code", "--wait", "-g", "/t/a.c:7"]);
    let editor = started(&programs, &[("VISUAL", ""), ("EDITOR", "vim -R")], "");
    assert_eq!(
        editor,
        ["/bin/xterm", "-e", "/bin/vim", "-R", "+7", "/t/a.c"]
    );
    assert_eq!(started(&programs, &[], ""), ["/bin/code", "-g", "/t/a.c:7"]);
    let in_terminal = started(&["nano", "hx", "foot"], &[], "");
    assert_eq!(in_terminal, ["/bin/foot", "/bin/hx", "/t/a.c:7"]);
}

#[test]
fn a_command_gets_the_file_even_where_it_does_not_ask_for_it() {
    let found = on(&["my-editor"], &[], "my-editor -a", "/t/a.c").expect("it is there");
    assert_eq!(words(&found), ["/bin/my-editor", "-a", "/t/a.c"]);
    assert!(!found.tells_line);
    let found = on(&["e"], &[], "e --at={line} --in={file}#{line}", "/t/a.c").expect("it");
    assert_eq!(words(&found), ["/bin/e", "--at=7", "--in=/t/a.c#7"]);
    assert!(found.tells_line);
}

#[test]
fn what_a_file_is_called_stays_one_argument_and_is_never_read_again() {
    let hostile = [
        "/t/a b.c",
        "/t/-rf",
        "/t/--help",
        "/t/$(touch x);`y`.c",
        "/t/a'b\"c.c",
        "/t/line\nbreak.c",
        "/t/{line}{file}.c",
        "/t/a:3:c",
    ];
    for path in hostile {
        let of_command = on(&["e"], &[], "e {file} +{line}", path).expect("it is there");
        assert_eq!(words(&of_command), ["/bin/e", path, "+7"]);
        let within = on(&["e"], &[], "e x{file}y", path).expect("it is there");
        assert_eq!(words(&within), ["/bin/e", &format!("x{path}y")]);
        for editor in ["code", "idea", "kate", "subl", "emacs", "unknown"] {
            let found = on(&[editor], &[("EDITOR", editor)], "", path).expect("it is there");
            let last = words(&found).pop().expect("arguments");
            assert!(
                last == path || last == format!("{path}:7"),
                "{editor}: {last}"
            );
        }
    }
}

#[test]
fn what_is_missing_is_said() {
    let fails = |programs: &[&str], variables: &[(&str, &str)], command: &str| {
        let failed = on(programs, variables, command, "/t/a.c");
        failed.expect_err("nothing can be started").to_string()
    };
    assert_eq!(
        fails(&[], &[], ""),
        "no editor found; set $VISUAL or $EDITOR, or a command in the settings"
    );
    assert_eq!(
        fails(&["code"], &[("EDITOR", "vim")], ""),
        "$EDITOR: vim not found"
    );
    assert!(fails(&["vim"], &[("EDITOR", "vim")], "").starts_with("vim needs a terminal"));
    assert_eq!(
        fails(&["code"], &[], "gone {file}"),
        "the command in the settings: gone not found"
    );
    assert_eq!(
        fails(&["code"], &[("VISUAL", "code 'x")], ""),
        "$VISUAL: a quotation mark is not closed"
    );
    assert_eq!(
        fails(&["code"], &[], "code \"x"),
        "the command in the settings: a quotation mark is not closed"
    );
}

#[test]
fn the_terminal_is_the_one_that_is_named_where_it_takes_a_list() {
    let with = |terminal: &str| {
        let variables = [("EDITOR", "vi"), ("TERMINAL", terminal)];
        started(&["vi", "xterm", "kitty", "odd"], &variables, "")
    };
    assert_eq!(
        with("xterm"),
        ["/bin/xterm", "-e", "/bin/vi", "+7", "/t/a.c"]
    );
    // How another takes its arguments is not known.
    assert_eq!(with("odd"), ["/bin/kitty", "/bin/vi", "+7", "/t/a.c"]);
}
