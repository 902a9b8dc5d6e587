//! BDF in the table of methods.

use super::{Allowed, Entry, Parameter, Parameters, Reach, Variant};
use crate::method::{BadMethod, Bdf, BdfStart, Formulation, Scheme, VariableBdf};

pub(super) const ENTRY: Entry = Entry {
    name: "bdf",
    says: "BDF in two halves, variable order 1 to 5 with a tolerance, one order of 1 to 6 with fixed steps. Few evaluations at \
           moderate accuracy; for large or expensive models, general kinematics.",
    parameters: &[
        Parameter {
            name: "order",
            allowed: Allowed::WholeOrAuto,
            says: "1 to 6 (with a tolerance: the highest, 1 to 5), or \"auto\", which is 2 at fixed steps: from 3 on undamped \
                   oscillations grow",
            brief: "order = 1..6 or \"auto\" (2 with fixed steps: from 3 on undamped oscillations grow)",
        },
        Parameter {
            name: "start",
            allowed: Allowed::Choice(&["consistent", "plain"]),
            says: "`consistent` or `plain` start values of the classical index-3 form",
            brief: "start = \"consistent\" or \"plain\" (classical index-3 form)",
        },
    ],
    build,
    variants: &[Variant { name: "bdf", label: "BDF", parameters: &[], reach: Reach::Coarse }],
};

fn build(parameters: &Parameters, rtol: Option<f64>) -> Result<Box<dyn Scheme>, BadMethod> {
    let order = parameters.whole("order");
    let start = match parameters.word("start") {
        Some("consistent") => Some(BdfStart::Consistent),
        Some("plain") => Some(BdfStart::Exact),
        _ => None,
    };
    // The highest order that is stable for undamped oscillations: at order 3 a pendulum gains energy.
    let fixed = Bdf::new(order.unwrap_or(2))?;
    Ok(match (start, rtol) {
        (None, Some(_)) => match order {
            Some(order) => Box::new(VariableBdf::new().with_max_order(order)?),
            None => Box::new(VariableBdf::new()),
        },
        (Some(start), _) => Box::new(fixed.with_formulation(Formulation::Index3).with_start(start)),
        (None, None) => Box::new(fixed),
    })
}
