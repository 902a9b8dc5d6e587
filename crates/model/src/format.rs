//! The keys of a model file: one table from which files are checked and the JSON Schema and the reference page are made.

/// What a key may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// The number 1.
    FormatNumber,
    /// Words.
    Words,
    /// A number, or a formula of parameters as a string.
    Number,
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
    /// Formulas by the name of a variable.
    Assignments,
}

/// A key of a section.
#[derive(Clone, Copy, Debug)]
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
    /// Whether a file must have it.
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

/// The methods by name.
pub const METHODS: &[&str] = &["hht", "soi2", "radau", "bdf"];
/// Directions of an event.
pub const DIRECTIONS: &[&str] = &["rising", "falling", "any"];
/// Actions of an event.
pub const ACTIONS: &[&str] = &["stop", "continue", "bounce", "set"];
/// Forms of HHT-alpha.
pub const FORMS: &[&str] = &["full", "predicted", "midpoint", "midpoint predicted", "index2"];
/// First steps of alpha methods, then those of BDF.
pub const STARTS: &[&str] = &["a0", "implicit", "twice", "jerk", "consistent", "plain"];
/// Mass matrices of SOI2.
pub const MASS_MATRICES: &[&str] = &["recomputed", "previous"];

/// What becomes of redundant constraints.
pub const REDUNDANT: &[&str] = &["refused", "least squares"];

/// How matrices are kept and factored.
pub const SOLVERS: &[&str] = &["automatic", "dense", "sparse"];

/// Every section, the top level first.
pub const SECTIONS: &[Section] = &[
    Section {
        required: true,
        ..section(
            "",
            "The top of the file. All quantities are in SI units (m, kg, s, rad, N).",
            &[
                key("format", Holds::FormatNumber, "the version of the format: 1"),
                key("name", Holds::Words, "what the model is, for headings"),
                key("description", Holds::Words, "more about it"),
            ],
        )
    },
    open(
        "parameters",
        "Constants: numbers, formulas of other parameters, or lists of them (`m = [1, 2]` is used as `m[1]`, `m[2]`). `--set m=2.5` overrides.",
        Holds::FormulaOrList,
    ),
    Section {
        required: true,
        ..section(
            "variables",
            "The unknowns. The velocity of the coordinate `x` is written `x'`, its acceleration `x''` (in outputs and events).",
            &[
                key("coordinates", Holds::Names, "names of the coordinates; `x[1..N]` declares a vector"),
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
                    "forces of t, coordinates and velocities, one for each velocity; with `kinetic` they are added to those of the energies",
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
                    "velocities",
                    Holds::Formulas,
                    "rates of the coordinates as formulas of t, coordinates and velocities, where they are not the velocities themselves",
                ),
            ],
        )
    },
    open(
        "initial",
        "The start: every coordinate; velocities and multipliers are zero if omitted. Formulas may use parameters and other initial values. A start off the constraints is moved to the closest one on them.",
        Holds::FormulaOrList,
    ),
    open(
        "exact",
        "The exact solution as formulas of t, where it is known; `verify` uses it. Velocities and accelerations follow from coordinates.",
        Holds::FormulaOrList,
    ),
    open(
        "outputs",
        "More columns for the results: formulas of everything, accelerations and multipliers included.",
        Holds::Formula,
    ),
    section(
        "run",
        "What `run` does if the command line does not say otherwise.",
        &[
            key("t_start", Holds::Number, "start time; 0 if omitted"),
            key("t_end", Holds::Number, "end time; required"),
            key("method", Holds::Choice(METHODS), "the method; `radau` if omitted"),
            key(
                "rtol",
                Holds::Number,
                "relative tolerance; steps are chosen to meet it; 1e-6 if neither `rtol` nor `h` is given",
            ),
            key(
                "atol",
                Holds::Number,
                "absolute tolerance, in the units of the model; typical sizes of the variables are found if omitted",
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
            key("land_on", Holds::Numbers, "times at which steps end, besides those of the rows"),
            key(
                "jumps_at",
                Holds::Numbers,
                "times at which inputs jump: the motion starts afresh there, and velocities jump where constraints make them. Kinks and jumps of formulas of t alone are found without it, but make velocities jump only if they are named here",
            ),
            key("output_every", Holds::Number, "distance of the rows of the result; every step if omitted"),
            key("alpha", Holds::Number, "hht: damping, in [-1/3, 0]; -0.1 if omitted"),
            key("b", Holds::Number, "hht: share of the new reaction, not 1/2; 0 if omitted"),
            key("form", Holds::Choice(FORMS), "hht: where reactions are evaluated; `full` if omitted"),
            key("rho_infinity", Holds::Number, "soi2: spectral radius at infinity, in [0, 1]; 0.8 if omitted"),
            key("alpha_m", Holds::Number, "soi2: coefficients instead of `rho_infinity`, all four together"),
            key("alpha_f", Holds::Number, "soi2: see `alpha_m`"),
            key("beta", Holds::Number, "soi2: see `alpha_m`"),
            key("gamma", Holds::Number, "soi2: see `alpha_m`"),
            key(
                "start",
                Holds::Choice(STARTS),
                "soi2, hht: how the first step begins, `twice` if omitted; bdf: `consistent` or `plain` start values of the classical index-3 form",
            ),
            key(
                "mass_matrix",
                Holds::Choice(MASS_MATRICES),
                "soi2: which mass matrix belongs to the old acceleration; `recomputed` if omitted",
            ),
            key(
                "step_change",
                Holds::Flag,
                "soi2, hht: whether the acceleration follows changes of the step size; true if omitted",
            ),
            key(
                "largest_ratio",
                Holds::Number,
                "soi2, hht: largest ratio of a step to the one before, at least 1; 2 if omitted",
            ),
            key("stages", Holds::NumberOrAuto, "radau: 2 to 9, or \"auto\": 3, 5 or 7 by tolerance"),
            key("projection", Holds::Flag, "radau: whether states are projected onto the constraints; true if omitted"),
            key(
                "order",
                Holds::NumberOrAuto,
                "bdf: 1 to 6 (with a tolerance: the highest, 1 to 5), or \"auto\", which is 2 at fixed steps: from 3 on undamped oscillations grow",
            ),
        ],
    ),
    Section {
        repeated: true,
        ..section(
            "events",
            "What happens when a formula passes through zero.",
            &[
                key("name", Holds::Words, "what messages call it"),
                key("formula", Holds::Formula, "the function to watch, of everything"),
                key("direction", Holds::Choice(DIRECTIONS), "which way it must pass through zero; `any` if omitted"),
                key(
                    "action",
                    Holds::Choice(ACTIONS),
                    "`stop` the run; `continue` and only take note; `bounce` off the surface formula = 0 (of t and coordinates); `set` velocities",
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
                key("set", Holds::Assignments, "set: new velocities, as { \"x'\" = \"-x'\" }"),
            ],
        )
    },
];

/// The section of a name.
pub(crate) fn find(name: &str) -> Option<&'static Section> {
    SECTIONS.iter().find(|section| section.name == name)
}
