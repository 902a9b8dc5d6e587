//! The keys of a model file: one table from which files are checked and the JSON Schema and the reference page are made.

mod mechanism;
mod methods;
mod tables;
mod view;

pub(crate) use mechanism::*;
pub(crate) use methods::owners;
pub use tables::{BEYOND, KINDS, TABLE};
pub(crate) use view::*;

use std::sync::LazyLock;

/// What a key may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// The number 1.
    FormatNumber,
    /// Words.
    Words,
    /// Words, or a list of them.
    WordsOrList,
    /// A formula or a list of them, or a table with a distribution.
    Parameter,
    /// A table with keys of `[run]` and with `parameters`, `initial` and `start`.
    Scenario,
    /// A number, or a formula of parameters as a string.
    Number,
    /// A number, or numbers by the name of a variable.
    NumberOrByVariable,
    /// A number, a formula of parameters, or "auto".
    NumberOrAuto,
    /// One of some words.
    Choice(&'static [&'static str]),
    /// true or false.
    Flag,
    /// A list of names; `x[1..N]` is a vector.
    Names,
    /// A formula as a string, or a number.
    Formula,
    /// A list of formulas; a formula may end with `for i in 1..N`.
    Formulas,
    /// A list of formulas, or of tables with `name` and `formula`.
    NamedFormulas,
    /// A list of rows, or a list of formulas for a diagonal matrix.
    Matrix,
    /// A formula, or a list of them.
    FormulaOrList,
    /// A list of numbers or constant formulas.
    Numbers,
    /// A number or constant formula, or a list of them.
    NumberOrNumbers,
    /// Formulas by the name of a variable.
    Assignments,
    /// A formula, or a table with `of` and `formula`.
    Function,
    /// A table with the keys of [`TABLE`].
    Table,
    /// Numbers, or the name of a column of a file.
    Points,
    /// A formula, or a table with `formula` or `reaction` and `at`, and with `unit` and `label`.
    Output,
    /// A table with what is made of a formula: `max`, `min`, `mean`, `rms`, `integral`, `value` or `count`.
    Measure,
    /// The number 2 or 3.
    Dimension,
    /// A table with these keys.
    Keys(&'static [Key]),
    /// Such a table, or a list of them.
    KeysOrList(&'static [Key]),
    /// Such tables by names that the file chooses.
    KeysByName(&'static [Key]),
    /// A number or constant formula, or such a table.
    NumberOrKeys(&'static [Key]),
    /// Lists of numbers by names that the file chooses.
    NumbersByName,
    /// x, y, z, -x, -y, -z, or a vector.
    Axis,
    /// One axis, or a list of two.
    AxisOrTwo,
    /// A list of two places on bodies.
    Markers,
    /// A list of names that are no variables.
    ListOfWords,
    /// A point: two or three formulas, a formula that is a triple, or a place on a body.
    Point,
    /// A point, or true for the one of the entry.
    PointOrFlag,
    /// The same, or names of points of a body.
    Trace,
    /// A list of points; a formula in it may end with `for i in 1..N`.
    PointList,
    /// Two or three formulas or a formula that is a triple; or a table with these keys.
    PointOrKeys(&'static [Key]),
    /// A list of formulas, or a table with these keys.
    FormulasOrKeys(&'static [Key]),
    /// A formula, or a table with these keys.
    FormulaOrKeys(&'static [Key]),
    /// A string, or a table with these keys.
    WordsOrKeys(&'static [Key]),
    /// An axis, or a table with these keys.
    AxisOrKeys(&'static [Key]),
}

/// A key of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// As written in a file.
    pub name: &'static str,
    /// What it may hold.
    pub holds: Holds,
    /// What it means.
    pub says: &'static str,
}

/// A section of a file.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    /// As written in a file; the top level has no name.
    pub name: &'static str,
    /// What it is for.
    pub says: &'static str,
    /// The keys that it knows.
    pub keys: &'static [Key],
    /// Whether keys are names that the file chooses, and what they hold.
    pub open: Option<Holds>,
    /// Whether it may stand several times: `[[events]]`.
    pub repeated: bool,
    /// Whether a file must have it. A mechanism needs neither variables nor equations of its own.
    pub required: bool,
}

const fn key(name: &'static str, holds: Holds, says: &'static str) -> Key {
    Key { name, holds, says }
}

const fn section(name: &'static str, says: &'static str, keys: &'static [Key]) -> Section {
    Section { name, says, keys, open: None, repeated: false, required: false }
}

const fn open(name: &'static str, says: &'static str, holds: Holds) -> Section {
    Section { name, says, keys: &[], open: Some(holds), repeated: false, required: false }
}

/// Directions of an event.
pub const DIRECTIONS: &[&str] = &["rising", "falling", "any"];
/// Actions of an event.
pub const ACTIONS: &[&str] = &["stop", "continue", "bounce", "set"];
/// What becomes of redundant constraints.
pub const REDUNDANT: &[&str] = &["refused", "least squares"];

/// How matrices are kept and factored.
pub const SOLVERS: &[&str] = &["automatic", "dense", "sparse"];

/// Every section, the top level first. To `[run]` the keys of the [table of methods](alembert::catalogue) are added.
pub fn sections() -> &'static [Section] {
    static ALL: LazyLock<Vec<Section>> = LazyLock::new(|| SECTIONS.iter().map(complete).collect());
    &ALL
}

/// A section with the keys that come from elsewhere.
fn complete(section: &Section) -> Section {
    let mut keys = section.keys.to_vec();
    if section.name.is_empty() {
        keys.extend(mechanism::TOP);
    }
    if section.name == "run" {
        let after = keys.iter().position(|key| key.name == "t_end").map_or(0, |at| at + 1);
        keys.insert(after, methods::choice());
        keys.extend(methods::keys());
    }
    // Made once, and there for as long as the program runs.
    Section { keys: Vec::leak(keys), ..*section }
}

const SECTIONS: &[Section] = &[
    Section {
        required: true,
        ..section(
            "",
            "The top of the file. All quantities are in SI units (m, kg, s, rad, N).",
            &[
                key("format", Holds::FormatNumber, "the version of the format: 1"),
                key("name", Holds::Words, "what the model is, for headings"),
                key("description", Holds::Words, "more about it"),
                key(
                    "include",
                    Holds::WordsOrList,
                    "a TOML file beside the model, or a list of such files, whose `[parameters]` are taken over; those of the file itself win, and later files before earlier ones",
                ),
            ],
        )
    },
    open(
        "parameters",
        "Constants: numbers, formulas of other parameters, or lists of them (`m = [1, 2]` is used as `m[1]`, `m[2]`). `--set m=2.5` overrides. `m = { normal = [1, 0.1] }` (mean, standard deviation) and `{ uniform = [0.9, 1.1] }` are random: their values follow from `seed` under `[run]`, or `--set seed=7`, and from the name.",
        Holds::Parameter,
    ),
    open(
        "functions",
        "Functions of your own: `\"f(x, y)\" = \"x^2 + y\"`, or `f = { of = [\"x\", \"y\"], formula = \"x^2 + y\" }`. Arguments are numbers, conditions or triples; other names mean what they mean elsewhere. They may use each other, but not themselves.",
        Holds::Function,
    ),
    Section {
        required: true,
        ..section(
            "variables",
            "The unknowns. The velocity of the coordinate `x` is written `x'`, its acceleration `x''` (in outputs and events).",
            &[
                key(
                    "coordinates",
                    Holds::Names,
                    "names of the coordinates; `x[1..N]` declares a vector, `R : rotation` the orientation of a body",
                ),
                key(
                    "velocities",
                    Holds::Names,
                    "names of the velocities where they are not the rates of the coordinates; needs `velocities` in `[equations]`",
                ),
                key(
                    "multipliers",
                    Holds::Names,
                    "names of the multipliers of the holonomic constraints; `lambda1`, `lambda2`, … if omitted",
                ),
                key(
                    "nonholonomic_multipliers",
                    Holds::Names,
                    "names of the multipliers of the nonholonomic constraints; `psi1`, `psi2`, … if omitted",
                ),
            ],
        )
    },
    mechanism::BODIES,
    mechanism::JOINTS_SECTION,
    mechanism::DRIVERS,
    mechanism::FORCES_SECTION,
    open(
        "tables",
        "Measured values: `[tables.road]` makes `road(s)` a function in formulas. Points stand here, or in columns of a file beside the model.",
        Holds::Table,
    ),
    open(
        "definitions",
        "Named subexpressions. A formula that ends with `for i in 1..N` defines a vector; a list defines entries 1, 2, … or those of its `for` clauses.",
        Holds::FormulaOrList,
    ),
    Section {
        required: true,
        ..section(
            "equations",
            "The equations of motion M a = f + r with constraints, from `mass` and `force`, or from energies.",
            &[
                key("mass", Holds::Matrix, "mass matrix of t and coordinates: rows, or a list for a diagonal matrix"),
                key(
                    "force",
                    Holds::Formulas,
                    "forces of t, coordinates and velocities, one for each velocity; for a rotation three, or a triple: the moment about the axes of the body; with `kinetic` they are added to those of the energies",
                ),
                key("kinetic", Holds::Formula, "kinetic energy, quadratic in the velocities: instead of `mass`"),
                key("potential", Holds::Formula, "potential energy of t and coordinates; with `kinetic`"),
                key(
                    "dissipation",
                    Holds::Formula,
                    "Rayleigh's dissipation function; its derivatives in the velocities oppose the motion; with `kinetic`",
                ),
                key("holonomic", Holds::NamedFormulas, "constraints on t and coordinates: these formulas are zero"),
                key(
                    "nonholonomic",
                    Holds::NamedFormulas,
                    "constraints on t, coordinates and velocities: these formulas are zero",
                ),
                key(
                    "reaction",
                    Holds::Formulas,
                    "reaction forces of t, coordinates, velocities and multipliers; `-G^T lambda - K^T psi` if omitted",
                ),
                key(
                    "redundant",
                    Holds::Choice(REDUNDANT),
                    "constraints that follow from others: `refused`, which is the default, or accepted with the smallest multipliers (`least squares`; not with `reaction`). Accepted ones may contradict each other by 1e-8 of the size of the model; a run that finds more stops and names them",
                ),
                key(
                    "indefinite_mass",
                    Holds::Flag,
                    "whether the mass matrix may give motions a negative kinetic energy; false if omitted, and such a start is refused",
                ),
                key(
                    "solver",
                    Holds::Choice(SOLVERS),
                    "matrices with all entries (`dense`) or only those that may be nonzero (`sparse`; not with `velocities`); `automatic`, which is the default, decides by their number",
                ),
                key(
                    "program",
                    Holds::Words,
                    "who has some of the equations, where they are functions of a program, as Python; their formulas then only say how many there are and what they are called, and the file runs from that program alone",
                ),
                key(
                    "velocities",
                    Holds::Formulas,
                    "rates of the coordinates as formulas of t, coordinates and velocities, where they are not the velocities themselves",
                ),
            ],
        )
    },
    open(
        "states",
        "Variables of first order beside the mechanics, as of controllers and actuators: `\"x'\" = \"(u - x)/tau\"`. Rates may contain t, coordinates, velocities, states and inputs; forces, dissipation, potentials and nonholonomic constraints may contain states. They start under `[initial]`, at zero if omitted.",
        Holds::Formula,
    ),
    open(
        "discrete",
        "Variables that change at events only, with the values they start from: `gear = 1`. An event changes them by `set`. They may stand where states may.",
        Holds::Formula,
    ),
    open(
        "inputs",
        "What is given from outside. `u = 0` has this value until a program gives another one while the model runs, and may stand where states may; `u = \"road(t)\"` is a formula of t, and may stand everywhere.",
        Holds::Formula,
    ),
    open(
        "initial",
        "The start: every coordinate; velocities and multipliers are zero if omitted. Formulas may use parameters and other initial values. A start off the constraints is moved to the closest one on them.",
        Holds::FormulaOrList,
    ),
    section(
        "start",
        "How the start follows from `[initial]`. This is a section of its own because the keys of `[initial]` are names of variables.",
        &[
            key(
                "fixed",
                Holds::Names,
                "coordinates and velocities that keep their values of `[initial]`, as [\"phi\", \"phi'\"]; the others are moved onto the constraints",
            ),
            key(
                "equilibrium",
                Holds::Flag,
                "whether the motion starts from rest in static equilibrium, which is looked for downhill from `[initial]`; false if omitted",
            ),
            key(
                "find",
                Holds::Assignments,
                "parameters that the start determines, each with an equation that holds at the start, or a formula that is zero there, as { l = \"x = 0.3\" }; their values under `[parameters]` are the first guess",
            ),
        ],
    ),
    open(
        "exact",
        "The exact solution as formulas of t, where it is known; `verify` uses it. Velocities and accelerations follow from coordinates.",
        Holds::FormulaOrList,
    ),
    open(
        "outputs",
        "More columns for the results: formulas of everything, accelerations, multipliers and outputs above them included, and forces that constraints exert.",
        Holds::Output,
    ),
    open(
        "results",
        "Numbers that a whole run comes to, in `summary.json` and as columns of `sweep`. Formulas are of everything, outputs included; what is made of an output alone has its unit and label.",
        Holds::Measure,
    ),
    section(
        "run",
        "What `run` does if the command line does not say otherwise.",
        &[
            key("t_start", Holds::Number, "start time; 0 if omitted"),
            key("t_end", Holds::Number, "end time; required"),
            key(
                "rtol",
                Holds::Number,
                "relative tolerance; steps are chosen to meet it; 1e-6 if neither `rtol` nor `h` is given",
            ),
            key(
                "atol",
                Holds::NumberOrByVariable,
                "absolute tolerance, in the units of the model: one for all, or by variable, as { x = 1e-9, \"x'\" = 1e-6 }; typical sizes of the other variables are found, and of all if omitted",
            ),
            key(
                "scale",
                Holds::Assignments,
                "typical sizes of some variables, as { x = 1e-6 }: the tolerance is relative to the value and to this size; those of the others are found",
            ),
            key("h", Holds::Number, "fixed step size instead of a tolerance"),
            key(
                "step_pattern",
                Holds::Numbers,
                "with `h`: steps are h times each fraction in turn, as [\"1/3\", \"2/3\"]",
            ),
            key(
                "h_max",
                Holds::Number,
                "the longest step that a tolerance may choose; what happens faster than the steps and is no function of t alone may be stepped over",
            ),
            key(
                "h_min",
                Holds::Number,
                "the shortest step that a tolerance may choose; a run that needs shorter ones ends with an error",
            ),
            key("land_on", Holds::Numbers, "times at which steps end, besides those of the rows"),
            key(
                "jumps_at",
                Holds::Numbers,
                "times at which inputs jump: the motion starts afresh there, and velocities jump where constraints make them. Kinks and jumps of formulas of t alone are found without it, but make velocities jump only if they are named here",
            ),
            key(
                "smooth",
                Holds::Flag,
                "leaves kinks and jumps of formulas of the state (`abs`, `sign`, `min`, `max`, `floor`, `if`, ...) to the error of steps; otherwise steps end there, and formulas are smooth in between; false if omitted",
            ),
            key(
                "columns",
                Holds::Names,
                "columns of the result besides t, in their usual order; a vector stands for all of its entries; all columns if omitted",
            ),
            key(
                "t_eval",
                Holds::Numbers,
                "times of the rows of the result, besides the start, the end and both sides of events; instead of `output_every`",
            ),
            key(
                "seed",
                Holds::Number,
                "what the values of random parameters follow from: a whole number; 0 if omitted",
            ),
            key("max_steps", Holds::Number, "the run ends, partial, after so many steps; 20 million if omitted"),
            key("max_rows", Holds::Number, "the run ends, partial, after so many rows; 20 million if omitted"),
            key("max_seconds", Holds::Number, "the run ends, partial, after so many seconds of computing"),
            key("output_every", Holds::Number, "distance of the rows of the result; every step if omitted"),
        ],
    ),
    open(
        "scenarios",
        "Other runs of the same model: `run --scenario fast` takes what `[scenarios.fast]` says in the place of what the file says elsewhere.",
        Holds::Scenario,
    ),
    Section {
        repeated: true,
        ..section(
            "events",
            "What happens when a formula passes through zero, or at given times.",
            &[
                key("name", Holds::Words, "what messages call it"),
                key("formula", Holds::Formula, "the function to watch, of everything"),
                key("program", Holds::Words, "instead of a formula: who has the function, if it is one of a program"),
                key(
                    "at",
                    Holds::NumberOrNumbers,
                    "instead of a formula: the time, or the list of times, at which it happens, after the start",
                ),
                key(
                    "every",
                    Holds::Number,
                    "instead of a formula: it happens at these distances of time from the start on",
                ),
                key("once", Holds::Flag, "whether it happens only the first time; false if omitted"),
                key("times", Holds::Number, "how often it happens at most; any number if omitted"),
                key("direction", Holds::Choice(DIRECTIONS), "which way it must pass through zero; `any` if omitted"),
                key(
                    "action",
                    Holds::Choice(ACTIONS),
                    "`stop` the run; `continue` and only take note; `bounce` off the surface formula = 0 (of t and coordinates); `set` velocities, states and discrete variables",
                ),
                key(
                    "restitution",
                    Holds::Number,
                    "bounce: ratio of the normal velocities after and before, relative to the surface where it moves, in [0, 1]",
                ),
                key(
                    "jumps",
                    Holds::Flag,
                    "whether a jump over zero counts (the cut of `atan2`, `sign`, a pole); false if omitted",
                ),
                key(
                    "set",
                    Holds::Assignments,
                    "set: new values of velocities, states and discrete variables, as { \"x'\" = \"-x'\", gear = \"gear + 1\" }",
                ),
            ],
        )
    },
    view::VIEW,
];

/// The section of a name.
pub(crate) fn find(name: &str) -> Option<&'static Section> {
    sections().iter().find(|section| section.name == name)
}

/// The words that a key of `[run]` may hold.
pub(crate) fn choices(name: &str) -> &'static [&'static str] {
    let key = find("run").and_then(|section| section.keys.iter().find(|key| key.name == name));
    match key.map(|key| key.holds) {
        Some(Holds::Choice(words)) => words,
        _ => &[],
    }
}
