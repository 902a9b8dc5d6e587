//! HHT-alpha in the table of methods.

use super::soi2::{LARGEST_RATIO, START, STEP_CHANGE, shared};
use super::{Allowed, Entry, Parameter, Parameters, Reach, Variant};
use crate::method::{BadMethod, Form, HhtAlpha, Scheme};

pub(super) const ENTRY: Entry = Entry {
    name: "hht",
    says: "HHT-alpha (Jay and Negrut), order 2; needs an invertible mass matrix. For comparison with HHT codes.",
    parameters: &[
        Parameter {
            name: "alpha",
            allowed: Allowed::Number,
            says: "damping, in [-1/3, 0]; -0.1 if omitted",
            brief: "alpha = -1/3..0 (-1/3 damps most)",
        },
        Parameter {
            name: "b",
            allowed: Allowed::Number,
            says: "share of the new reaction, not 1/2; 0 if omitted",
            brief: "b (not 1/2)",
        },
        Parameter {
            name: "form",
            allowed: Allowed::Choice(&["full", "predicted", "midpoint", "midpoint predicted", "index2"]),
            says: "where reactions are evaluated; `full` if omitted",
            brief: "form = \"full\", \"predicted\", \"midpoint\", \"midpoint predicted\" or \"index2\" (nonholonomic)",
        },
        START,
        STEP_CHANGE,
        LARGEST_RATIO,
    ],
    build,
    variants: &[Variant { name: "hht", label: "HHT, α −0.1", parameters: &[], reach: Reach::Steps }],
};

fn build(parameters: &Parameters, _: Option<f64>) -> Result<Box<dyn Scheme>, BadMethod> {
    let (start, step_change, largest_ratio) = shared(parameters);
    let form = match parameters.word("form") {
        Some("predicted") => Form::Predicted,
        Some("midpoint") => Form::Midpoint,
        Some("midpoint predicted") => Form::MidpointPredicted,
        Some("index2") => Form::Index2,
        _ => Form::Full,
    };
    let scheme = HhtAlpha::new(parameters.number("alpha").unwrap_or(-0.1))?;
    let scheme = scheme.with_b(parameters.number("b").unwrap_or(0.0))?.with_largest_ratio(largest_ratio)?;
    Ok(Box::new(scheme.with_form(form).with_start(start).with_step_change(step_change)))
}
