//! Generalized-alpha-SOI2 in the table of methods, and what alpha methods share.

use super::{Allowed, Entry, Parameter, Parameters, Reach, Variant};
use crate::method::{BadMethod, Coefficients, GeneralizedAlpha, MassMatrix, Output, Scheme, Start};

/// Keys of the coefficients themselves.
const FOUR: &[&str] = &["alpha_m", "alpha_f", "beta", "gamma"];

pub(super) const ENTRY: Entry = Entry {
    name: "soi2",
    says: "generalized-alpha (Jay and Negrut), order 2, with numerical damping of your choice; holonomic and nonholonomic \
           constraints, reactions nonlinear in the multipliers. For stiff elastic modes that are to be damped away.",
    parameters: &[
        Parameter {
            name: "rho_infinity",
            allowed: Allowed::Number,
            says: "spectral radius at infinity, in [0, 1]; 0.8 if omitted",
            brief: "rho_infinity = 0..1 (0 damps most)",
        },
        Parameter {
            name: "alpha_m",
            allowed: Allowed::Number,
            says: "coefficients instead of `rho_infinity`, all four together",
            brief: "or alpha_m",
        },
        Parameter { name: "alpha_f", allowed: Allowed::Number, says: "see `alpha_m`", brief: "alpha_f" },
        Parameter { name: "beta", allowed: Allowed::Number, says: "see `alpha_m`", brief: "beta" },
        Parameter { name: "gamma", allowed: Allowed::Number, says: "see `alpha_m`", brief: "gamma" },
        Parameter {
            name: "mass_matrix",
            allowed: Allowed::Choice(&["recomputed", "previous"]),
            says: "which mass matrix belongs to the old acceleration; `recomputed` if omitted",
            brief: "mass_matrix",
        },
        Parameter {
            name: "output",
            allowed: Allowed::Choice(&["consistent", "own"]),
            says: "where accelerations and multipliers come from: `consistent` if omitted (to rounding, dead points are watched), or \
                   the method's `own`: second order as well, and less than half the cost in large models with fixed steps",
            brief: "output = \"consistent\" or \"own\"",
        },
        START,
        STEP_CHANGE,
        LARGEST_RATIO,
    ],
    build,
    variants: &[Variant { name: "alpha", label: "gen.-α, ρ 0.8", parameters: &[], reach: Reach::Steps }],
};

/// The first step of alpha methods.
pub(super) const START: Parameter = Parameter {
    name: "start",
    allowed: Allowed::Choice(&["a0", "implicit", "twice", "jerk"]),
    says: "how the first step begins, `twice` if omitted",
    brief: "start = \"twice\", \"a0\", \"implicit\" or \"jerk\"",
};

/// Whether alpha methods follow changes of the step size.
pub(super) const STEP_CHANGE: Parameter = Parameter {
    name: "step_change",
    allowed: Allowed::Flag,
    says: "whether the acceleration follows changes of the step size; true if omitted",
    brief: "step_change = true",
};

/// How fast the steps of alpha methods may grow.
pub(super) const LARGEST_RATIO: Parameter = Parameter {
    name: "largest_ratio",
    allowed: Allowed::Number,
    says: "largest ratio of a step to the one before, at least 1; 2 if omitted",
    brief: "largest_ratio = 2",
};

/// What alpha methods share: the first step, whether changes of the step size are followed, and the largest ratio.
pub(super) fn shared(parameters: &Parameters) -> (Start, bool, f64) {
    let start = match parameters.word("start") {
        Some("a0") => Start::A0,
        Some("jerk") => Start::Jerk,
        Some("implicit") => Start::Implicit,
        _ => Start::Twice,
    };
    let (change, ratio) = (parameters.flag("step_change"), parameters.number("largest_ratio"));
    (start, change.unwrap_or(true), ratio.unwrap_or(2.0))
}

fn build(parameters: &Parameters, _: Option<f64>) -> Result<Box<dyn Scheme>, BadMethod> {
    let (start, step_change, largest_ratio) = shared(parameters);
    let mut scheme = GeneralizedAlpha::from_rho_infinity(parameters.number("rho_infinity").unwrap_or(0.8))?;
    match FOUR.iter().map(|name| parameters.number(name)).collect::<Vec<_>>()[..] {
        [None, None, None, None] => {}
        [Some(alpha_m), Some(alpha_f), Some(beta), Some(gamma)] if !parameters.has("rho_infinity") => {
            scheme.coefficients = Coefficients { alpha_m, alpha_f, beta, gamma }.checked()?;
        }
        _ => {
            let hint = "give all four of alpha_m, alpha_f, beta, gamma, or rho_infinity alone";
            return Err(BadMethod::Incomplete { method: "soi2", parameters: FOUR, hint });
        }
    }
    let mass_matrix = match parameters.word("mass_matrix") {
        Some("previous") => MassMatrix::Previous,
        _ => MassMatrix::Recomputed,
    };
    let output = match parameters.word("output") {
        Some("own") => Output::Own,
        _ => Output::Consistent,
    };
    let scheme = scheme.with_largest_ratio(largest_ratio)?.with_start(start).with_output(output);
    Ok(Box::new(scheme.with_mass_matrix(mass_matrix).with_step_change(step_change)))
}
