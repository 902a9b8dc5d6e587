//! `alembert methods` and `alembert schema`: what there is.

use std::io::{self, Write};

use crate::failure::{Failure, Status};

const TEXT: &str = "\
radau   projected Radau IIA, order 2s - 1 with s stages; steps by error. The default: accurate and robust for smooth and for
        stiff motion, all kinds of constraints, general kinematics.
        stages = 2..9 or \"auto\" (3, 5 or 7 by tolerance), projection = true
bdf     BDF in two halves, variable order 1 to 5 with a tolerance, one order of 1 to 6 with fixed steps. Few evaluations at moderate
        accuracy; for large or expensive models, general kinematics.
        order = 1..6 or \"auto\" (2 with fixed steps: from 3 on undamped oscillations grow), start = \"consistent\" or \"plain\" (classical index-3 form)
soi2    generalized-alpha (Jay and Negrut), order 2, with numerical damping of your choice; holonomic and nonholonomic constraints,
        reactions nonlinear in the multipliers. For stiff elastic modes that shall be damped away.
        rho_infinity = 0..1 (0 damps most) or alpha_m, alpha_f, beta, gamma; start, mass_matrix, step_change, largest_ratio
hht     HHT-alpha (Jay and Negrut), order 2; needs an invertible mass matrix. For comparison with HHT codes.
        alpha = -1/3..0 (-1/3 damps most), b, form = \"full\", \"predicted\", \"midpoint\",
        \"midpoint predicted\" or \"index2\" (nonholonomic); start, step_change, largest_ratio
";

/// Says which methods there are.
pub fn run() -> Result<Status, Failure> {
    io::stdout().lock().write_all(TEXT.as_bytes())?;
    Ok(Status::Agrees)
}

/// Prints the schema.
pub fn schema() -> Result<Status, Failure> {
    io::stdout().lock().write_all(alembert_model::schema().as_bytes())?;
    Ok(Status::Agrees)
}

#[cfg(test)]
mod tests {
    use alembert_model::format::METHODS;

    #[test]
    fn every_method_is_told() {
        for method in METHODS {
            assert!(super::TEXT.lines().any(|line| line.split_whitespace().next() == Some(method)), "{method}");
        }
    }
}
