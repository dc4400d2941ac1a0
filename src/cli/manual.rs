//! `callscape manual`: writes the manual pages and what shells complete, for packages. Hidden: who installs a package has them.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap_complete::Shell;

use callscape_base::files;

#[derive(Debug, clap::Args)]
#[command(
    about = "Write the manual pages and the completions of shells into a folder",
    hide = true
)]
pub(crate) struct ManualArgs {
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// The shells, and where packages put what each completes.
const SHELLS: [(Shell, &str); 3] = [
    (Shell::Bash, "share/bash-completion/completions/callscape"),
    (Shell::Zsh, "share/zsh/vendor-completions/_callscape"),
    (
        Shell::Fish,
        "share/fish/vendor_completions.d/callscape.fish",
    ),
];

/// `command` is the whole command line.
pub(crate) fn run(args: ManualArgs, mut command: clap::Command) -> anyhow::Result<()> {
    for (shell, place) in SHELLS {
        let mut text = Vec::new();
        clap_complete::generate(shell, &mut command, "callscape", &mut text);
        write(&args.folder.join(place), &text)?;
    }
    command.build();
    let pages = args.folder.join("share/man/man1");
    page(&pages, &command)?;
    for sub in command.get_subcommands().filter(|it| !it.is_hide_set()) {
        page(&pages, sub)?;
    }
    Ok(())
}

/// Writes the page of a command and no page of a command that has none.
fn page(folder: &Path, command: &clap::Command) -> anyhow::Result<()> {
    let name = command.get_display_name().unwrap_or(command.get_name());
    if name.ends_with("-help") {
        return Ok(());
    }
    let mut text = Vec::new();
    clap_mangen::Man::new(command.clone())
        .title(name)
        .render(&mut text)?;
    write(&folder.join(format!("{name}.1")), &text)
}

fn write(path: &Path, text: &[u8]) -> anyhow::Result<()> {
    let write = || {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        files::write(path, text)
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn a_folder_gets_a_page_for_each_command_and_completions_for_three_shells() {
        let folder = std::env::temp_dir().join(format!("callscape-manual-{}", std::process::id()));
        let args = ManualArgs {
            folder: folder.clone(),
        };
        run(args, crate::Cli::command()).expect("there is room");
        let read = |path: &str| std::fs::read_to_string(folder.join(path)).expect("it is there");
        assert!(read("share/man/man1/callscape.1").contains(".TH callscape 1"));
        assert!(read("share/man/man1/callscape-info.1").contains("json"));
        for (_, place) in SHELLS {
            assert!(read(place).contains("functions"), "{place}");
        }
        let pages = std::fs::read_dir(folder.join("share/man/man1")).expect("it is there");
        assert!(pages.count() > 15);
        let _ = std::fs::remove_dir_all(&folder);
    }
}
