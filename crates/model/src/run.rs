//! How a model shall be integrated: the `[run]` section as values.

use std::fmt;

use alembert::method::{BadMethod, BdfStart, Coefficients, Form, Formulation, MassMatrix, Projection, Scheme, Start};
use alembert::tolerance::BadTolerance;
use alembert::{Bdf, GeneralizedAlpha, HhtAlpha, RungeKutta, Tolerance, VariableBdf};

/// Steps chosen by error, or prescribed.
#[derive(Clone, Debug, PartialEq)]
pub enum Steps {
    /// So that the estimated error meets these tolerances.
    ByError {
        /// Relative tolerance.
        rtol: f64,
        /// Absolute tolerance; without it, typical sizes of the variables are found.
        atol: Option<f64>,
    },
    /// Of length `h` times each fraction in turn.
    Fixed {
        /// The unit of the pattern.
        h: f64,
        /// Fractions of h; a single 1 for equal steps.
        pattern: Vec<f64>,
    },
}

/// Tolerance of Newton's method at fixed steps: far below the errors of the methods.
pub const NEWTON_TOLERANCE: f64 = 1e-10;

impl Steps {
    /// The tolerance of these steps, or of Newton's method where they are fixed.
    ///
    /// # Errors
    /// If it is out of range.
    pub fn tolerance(&self) -> Result<Tolerance, BadTolerance> {
        match self {
            Steps::ByError { rtol, atol: Some(atol) } => Tolerance::new(*rtol, *atol),
            Steps::ByError { rtol, atol: None } => Tolerance::relative(*rtol),
            Steps::Fixed { .. } => Tolerance::relative(NEWTON_TOLERANCE),
        }
    }
}

impl fmt::Display for Steps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Steps::ByError { rtol, atol: Some(atol) } => write!(f, "rtol = {rtol:e}, atol = {atol:e}"),
            Steps::ByError { rtol, atol: None } => write!(f, "rtol = {rtol:e}"),
            Steps::Fixed { h, pattern } => {
                // Many zeros cannot be counted.
                if (1e-5..1e6).contains(h) { write!(f, "h = {h}") } else { write!(f, "h = {h:e}") }?;
                let fractions: Vec<String> = pattern.iter().map(f64::to_string).collect();
                if pattern.len() == 1 { Ok(()) } else { write!(f, " times {}", fractions.join(", ")) }
            }
        }
    }
}

/// A method with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum Method {
    /// HHT-alpha.
    Hht(HhtAlpha),
    /// Generalized-alpha-SOI2.
    Soi2(GeneralizedAlpha),
    /// Radau IIA.
    Radau {
        /// Number of stages; by tolerance if none.
        stages: Option<usize>,
        /// Whether states are projected onto the constraints.
        projection: bool,
    },
    /// BDF.
    Bdf {
        /// Order; variable if none.
        order: Option<usize>,
        /// Start values of the classical index-3 form; none for the form with two halves.
        start: Option<BdfStart>,
    },
}

/// Parameters of methods as they stand in a file.
#[allow(missing_docs)] // the names are those of the file
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters {
    pub alpha: Option<f64>,
    pub b: Option<f64>,
    pub form: Option<&'static str>,
    pub rho_infinity: Option<f64>,
    pub alpha_m: Option<f64>,
    pub alpha_f: Option<f64>,
    pub beta: Option<f64>,
    pub gamma: Option<f64>,
    pub start: Option<&'static str>,
    pub mass_matrix: Option<&'static str>,
    pub step_change: Option<bool>,
    pub largest_ratio: Option<f64>,
    pub stages: Option<usize>,
    pub projection: Option<bool>,
    pub order: Option<usize>,
}

impl Method {
    /// The method of a name, with its parameters. A name that is not in [`METHODS`](crate::format::METHODS) is Radau.
    ///
    /// # Errors
    /// If a parameter is out of range.
    pub fn new(name: &str, p: &Parameters) -> Result<Method, BadMethod> {
        let start = match p.start {
            Some("a0") => Start::A0,
            Some("jerk") => Start::Jerk,
            Some("implicit") => Start::Implicit,
            _ => Start::Twice,
        };
        let (step_change, largest_ratio) = (p.step_change.unwrap_or(true), p.largest_ratio.unwrap_or(2.0));
        Ok(match name {
            "hht" => {
                let form = match p.form {
                    Some("predicted") => Form::Predicted,
                    Some("midpoint") => Form::Midpoint,
                    Some("midpoint predicted") => Form::MidpointPredicted,
                    Some("index2") => Form::Index2,
                    _ => Form::Full,
                };
                let scheme = HhtAlpha::new(p.alpha.unwrap_or(-0.1))?.with_b(p.b.unwrap_or(0.0))?;
                let scheme = scheme.with_largest_ratio(largest_ratio)?;
                Method::Hht(scheme.with_form(form).with_start(start).with_step_change(step_change))
            }
            "soi2" => {
                let mut scheme = GeneralizedAlpha::from_rho_infinity(p.rho_infinity.unwrap_or(0.8))?;
                if let (Some(alpha_m), Some(alpha_f), Some(beta), Some(gamma)) = (p.alpha_m, p.alpha_f, p.beta, p.gamma)
                {
                    scheme.coefficients = Coefficients { alpha_m, alpha_f, beta, gamma }.checked()?;
                }
                scheme = scheme.with_largest_ratio(largest_ratio)?;
                let mass_matrix =
                    if p.mass_matrix == Some("previous") { MassMatrix::Previous } else { MassMatrix::Recomputed };
                Method::Soi2(scheme.with_start(start).with_mass_matrix(mass_matrix).with_step_change(step_change))
            }
            "bdf" => {
                let start = match p.start {
                    Some("consistent") => Some(BdfStart::Consistent),
                    Some("plain") => Some(BdfStart::Exact),
                    _ => None,
                };
                if let Some(order) = p.order {
                    Bdf::new(order)?;
                }
                Method::Bdf { order: p.order, start }
            }
            _ => {
                if let Some(stages) = p.stages {
                    RungeKutta::radau(stages)?;
                }
                Method::Radau { stages: p.stages, projection: p.projection.unwrap_or(true) }
            }
        })
    }

    /// Its name in a file.
    pub fn name(&self) -> &'static str {
        match self {
            Method::Hht(_) => "hht",
            Method::Soi2(_) => "soi2",
            Method::Radau { .. } => "radau",
            Method::Bdf { .. } => "bdf",
        }
    }

    /// The scheme for these steps.
    ///
    /// # Errors
    /// If a parameter is out of range, or needs other steps.
    pub fn scheme(&self, steps: &Steps) -> Result<Box<dyn Scheme>, BadMethod> {
        Ok(match (self, steps) {
            (Method::Hht(scheme), _) => Box::new(*scheme),
            (Method::Soi2(scheme), _) => Box::new(*scheme),
            (Method::Radau { stages, projection }, steps) => {
                let stages = stages.unwrap_or(match steps {
                    Steps::ByError { rtol, .. } if *rtol >= 1e-4 => 3,
                    Steps::ByError { rtol, .. } if *rtol < 1e-9 => 7,
                    _ => 5,
                });
                let projection = if *projection { Projection::Full } else { Projection::Off };
                Box::new(RungeKutta::radau(stages)?.with_projection(projection))
            }
            (Method::Bdf { order, start: None }, Steps::ByError { .. }) => {
                let scheme = VariableBdf::new();
                Box::new(match order {
                    Some(order) => scheme.with_max_order(*order)?,
                    None => scheme,
                })
            }
            (Method::Bdf { order, start }, _) => {
                // The highest order that is stable for undamped oscillations: at order 3 a pendulum gains energy.
                let scheme = Bdf::new(order.unwrap_or(2))?;
                Box::new(match start {
                    Some(start) => scheme.with_formulation(Formulation::Index3).with_start(*start),
                    None => scheme,
                })
            }
        })
    }
}

/// The `[run]` section.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Start time.
    pub t_start: f64,
    /// End time.
    pub t_end: f64,
    /// The method.
    pub method: Method,
    /// Its parameters as given.
    pub parameters: Parameters,
    /// Where steps come from.
    pub steps: Steps,
    /// Distance of the rows of a result; every step if none.
    pub output_every: Option<f64>,
    /// The longest step.
    pub h_max: Option<f64>,
    /// Times at which steps end.
    pub land_on: Vec<f64>,
    /// Times at which inputs jump.
    pub jumps_at: Vec<f64>,
}
