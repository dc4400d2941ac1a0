//! `docs/command-line.md` is what the program itself says of its commands.

use std::process::Command;

fn help(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_callscape"))
        .args(arguments)
        .arg("--help")
        .env("COLUMNS", "100")
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).expect("help is text")
}

/// The names of the sub-commands, as the program's own help lists them.
fn commands(help: &str) -> Vec<String> {
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed = listed.take_while(|line| !line.trim().is_empty());
    let names = listed.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next());
    names
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

fn document() -> String {
    let whole = help(&[]);
    let mut text =
        String::from("# Command line\n\nWhat `callscape --help` says. Made from the program.\n");
    let mut add = |title: &str, said: &str| {
        let said = said.trim_end();
        text.push_str(&format!("\n## {title}\n\n```text\n{said}\n```\n"));
    };
    add("callscape", &whole);
    let commands = commands(&whole);
    assert!(commands.len() > 8, "{commands:?}");
    for command in &commands {
        add(&format!("callscape {command}"), &help(&[command]));
    }
    text
}

/// With `CALLSCAPE_GOLDEN` set, the document is written instead.
#[test]
fn the_document_of_the_command_line_is_what_the_program_says() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/command-line.md");
    let document = document();
    if std::env::var_os("CALLSCAPE_GOLDEN").is_some() {
        std::fs::write(path, &document).expect("the document can be written");
    }
    let found = std::fs::read_to_string(path).expect("the document of the command line");
    assert!(
        found == document,
        "docs/command-line.md is made by this test with CALLSCAPE_GOLDEN=1"
    );
}
