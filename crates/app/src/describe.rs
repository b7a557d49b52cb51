//! `sanderling completions` and `sanderling man`: made from the definition of the command line.
use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use clap::{Args, Command, CommandFactory};
use clap_complete::Shell;

use crate::{
    cli::Cli,
    failure::{Failure, file_error},
    output,
};

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

#[derive(Debug, Args)]
pub(crate) struct Man {
    /// The folder to write the pages to, such as /usr/local/share/man/man1
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Prints the completions of a shell.
pub(crate) fn completions(arguments: &Completions) -> Result<(), Failure> {
    let mut script = vec![];
    clap_complete::generate(arguments.shell, &mut Cli::command(), "sanderling", &mut script);
    output::print(String::from_utf8_lossy(&script).trim_end())
}

/// Writes a manual page for the program and for each command.
pub(crate) fn man(arguments: &Man) -> Result<(), Failure> {
    let folder = &arguments.folder;
    fs::create_dir_all(folder)
        .map_err(|error| Failure::Input(file_error("created", folder, &error)))?;
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    write_page(folder, &command, "sanderling")
}

fn write_page(folder: &Path, command: &Command, name: &str) -> Result<(), Failure> {
    let page = command.clone().name(name.to_owned());
    let mut text = vec![];
    let path = folder.join(format!("{name}.1"));
    let written = clap_mangen::Man::new(page)
        .title(name.to_uppercase())
        .render(&mut text)
        .and_then(|()| fs::File::create(&path)?.write_all(&text));
    written.map_err(|error| Failure::Input(file_error("written", &path, &error)))?;
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        write_page(folder, inner, &format!("{name}-{}", inner.get_name()))?;
    }
    Ok(())
}
