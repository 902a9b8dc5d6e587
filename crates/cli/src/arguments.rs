//! The command line: one variant for each subcommand, whose own module declares its options.

use clap::{Parser, Subcommand};

use crate::{compare, model, reproduce};

/// Integrates the motion of constrained mechanical systems.
#[derive(Parser)]
#[command(name = "alembert", version, about, arg_required_else_help = true)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// No words on standard error but errors
    #[arg(long, short, global = true)]
    pub quiet: bool,
}

/// The subcommands.
#[derive(Subcommand)]
pub enum Command {
    /// Integrate a model: its motion, every reaction force, and a summary.
    Run(model::run::Arguments),
    /// Look at a model without running it: sizes, degrees of freedom, start, derivatives.
    Check(model::check::Arguments),
    /// Say in words and formulas what was understood of a model: equations, constraints, start.
    Explain(model::explain::Arguments),
    /// Format model files: order, spaces and lines; nothing of their meaning.
    Fmt(model::format::Arguments),
    /// Show the consistent start of a model, and what was changed to get there.
    Init(model::init::Arguments),
    /// Run a model on a ladder of steps or tolerances and say how far its result can be trusted.
    Verify(model::verify::Arguments),
    /// Run a model for many values of its parameters, in parallel: one row each.
    #[command(
        after_help = "--set m=1:2:11 are eleven values from 1 to 2, --set m=1,2,5 are three; several make a grid."
    )]
    Sweep(model::sweep::Arguments),
    /// Draw the results in a folder that `run` wrote.
    Plot(model::figures::Arguments),
    /// Make a page that moves of the results in a folder, or of several; and pictures of the motion.
    Report(model::report::Arguments),
    /// Write a commented model to start from.
    New(model::starter::Arguments),
    /// Say which methods there are, and when to use which.
    Methods,
    /// Print the JSON Schema of model files, for editors.
    Schema,
    /// Print completions for a shell.
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
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

    /// The help of every command, as it is in docs/cli.md. `UPDATE_DOCS=1 cargo test -p alembert-cli` writes it anew.
    #[test]
    fn the_reference_page_is_that_of_the_code() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cli.md");
        let page = std::fs::read_to_string(&path).expect("the page");
        let mark = "<!-- generated: UPDATE_DOCS=1 cargo test -p alembert-cli -->\n";
        let (hand, _) = page.split_once(mark).expect("the mark");
        let mut expected = format!("{hand}{mark}");
        let mut command = Arguments::command().term_width(110);
        command.build();
        for sub in command.get_subcommands_mut().filter(|sub| sub.get_name() != "help") {
            let help = sub.render_help().to_string();
            let help: Vec<&str> = help.lines().map(str::trim_end).collect();
            expected += &format!("\n### alembert {}\n\n```text\n{}\n```\n", sub.get_name(), help.join("\n").trim_end());
        }
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(&path, &expected).expect("a writable file");
        } else {
            assert_eq!(page, expected);
        }
    }
}
