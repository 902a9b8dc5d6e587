//! The command line: one variant for each subcommand, whose own module declares its options.

use clap::{Parser, Subcommand};

use crate::{compare, reproduce};

/// Integrates the motion of constrained mechanical systems.
#[derive(Parser)]
#[command(name = "alembert", version, about, arg_required_else_help = true)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Subcommand)]
pub enum Command {
    /// Run several methods on one problem and compare what accuracy costs.
    Compare(compare::Arguments),
    /// Run the papers' experiments again and compare every number with the expected one.
    Reproduce(reproduce::Arguments),
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Arguments::command().debug_assert();
    }
}
