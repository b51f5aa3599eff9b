//! `completions` and `man`: made from the command line itself.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::arguments::Arguments;
use crate::error::Error;
use crate::{Verdict, print};

/// The program, as a shell and the manual know it.
const PROGRAM: &str = "cargo-authority";

pub(crate) fn completions(shell: Shell) -> Result<Verdict, Error> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), PROGRAM, &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(Verdict::Fine)
}

pub(crate) fn man() -> Result<Verdict, Error> {
    let mut page = Vec::new();
    clap_mangen::Man::new(Arguments::command().name(PROGRAM))
        .render(&mut page)
        .map_err(Error::Output)?;
    print(&String::from_utf8_lossy(&page))?;
    Ok(Verdict::Fine)
}
