//! Radau IIA in the table of methods.

use super::{Allowed, Entry, Parameter, Parameters, Reach, Value, Variant};
use crate::method::{BadMethod, Projection, RungeKutta, Scheme};
use crate::solve;

pub(super) const ENTRY: Entry = Entry {
    name: "radau",
    says: "projected Radau IIA, order 2s - 1 with s stages; steps by error. The default: accurate and robust for smooth and for \
           stiff motion, all kinds of constraints, general kinematics.",
    parameters: &[
        Parameter {
            name: "stages",
            allowed: Allowed::WholeOrAuto,
            says: "2 to 9, or \"auto\": 3, 5 or 7 by tolerance",
            brief: "stages = 2..9 or \"auto\" (3, 5 or 7 by tolerance)",
        },
        Parameter {
            name: "projection",
            allowed: Allowed::Flag,
            says: "whether states are projected onto the constraints; true if omitted",
            brief: "projection = true",
        },
    ],
    build,
    variants: &[
        Variant { name: "radau3", label: "Radau 3", parameters: &[("stages", Value::Whole(3))], reach: Reach::Fine },
        Variant { name: "radau5", label: "Radau 5", parameters: &[("stages", Value::Whole(5))], reach: Reach::Fine },
        Variant { name: "radau7", label: "Radau 7", parameters: &[("stages", Value::Whole(7))], reach: Reach::Fine },
    ],
};

fn build(parameters: &Parameters, rtol: Option<f64>) -> Result<Box<dyn Scheme>, BadMethod> {
    let stages = parameters.whole("stages").unwrap_or_else(|| rtol.map_or(5, solve::stages));
    let projection = if parameters.flag("projection") == Some(false) { Projection::Off } else { Projection::Full };
    Ok(Box::new(RungeKutta::radau(stages)?.with_projection(projection)))
}
