//! How a model is to be integrated: the `[run]` section as values.

use std::fmt;

use alembert::BadTolerance;
use alembert::GivenSizes;
use alembert::Tolerance;
use alembert::catalogue::{self, Entry, METHODS, Value};
use alembert::method::{BadMethod, Scheme};

pub use alembert::catalogue::Parameters;

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

/// The name of a setting that chooses a scenario of the file; no parameter can have it.
pub const SCENARIO: &str = "[scenario]";

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

/// A method of the [table](alembert::catalogue) with its parameters.
#[derive(Clone, Debug)]
pub struct MethodChoice {
    entry: &'static Entry,
    parameters: Parameters,
}

impl PartialEq for MethodChoice {
    fn eq(&self, other: &Self) -> bool {
        (self.name(), &self.parameters) == (other.name(), &other.parameters)
    }
}

impl MethodChoice {
    /// The method of a name, with its parameters. A name that is not in the table is that of its first method.
    ///
    /// # Errors
    /// If a parameter is out of range.
    pub fn new(name: &str, parameters: &Parameters) -> Result<MethodChoice, BadMethod> {
        let entry = catalogue::find(name).unwrap_or(&METHODS[0]);
        (entry.build)(parameters, None)?;
        Ok(MethodChoice { entry, parameters: parameters.clone() })
    }

    /// Radau IIA with a number of stages.
    ///
    /// # Errors
    /// If there is none with so many.
    pub fn radau(stages: usize) -> Result<MethodChoice, BadMethod> {
        MethodChoice::new("radau", &Parameters::default().with("stages", Value::Whole(stages)))
    }

    /// Its name in a file.
    pub fn name(&self) -> &'static str {
        self.entry.name
    }

    /// Its parameters as given.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The scheme for these steps.
    ///
    /// # Errors
    /// If a parameter is out of range, or needs other steps.
    pub fn scheme(&self, steps: &Steps) -> Result<Box<dyn Scheme>, BadMethod> {
        let rtol = match steps {
            Steps::ByError { rtol, .. } => Some(*rtol),
            Steps::Fixed { .. } => None,
        };
        (self.entry.build)(&self.parameters, rtol)
    }
}

/// What a run may come to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RunLimits {
    /// Steps.
    pub steps: Option<u64>,
    /// Rows.
    pub rows: Option<u64>,
    /// Seconds.
    pub seconds: Option<f64>,
}

/// The `[run]` section.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Start time.
    pub t_start: f64,
    /// End time.
    pub t_end: f64,
    /// The method.
    pub method: MethodChoice,
    /// Where steps come from.
    pub steps: Steps,
    /// Distance of the rows of a result; every step if none.
    pub output_every: Option<f64>,
    /// The longest step.
    pub h_max: Option<f64>,
    /// The shortest step, if not the one that the controller finds.
    pub h_min: Option<f64>,
    /// Times of rows, besides the start, the end and both sides of events; not with `output_every`.
    pub t_eval: Vec<f64>,
    /// Absolute tolerances of some variables.
    pub atols: GivenSizes,
    /// Typical sizes of some variables.
    pub scales: GivenSizes,
    /// The most steps, rows and seconds, where the file says so.
    pub limits: RunLimits,
    /// Times at which steps end.
    pub land_on: Vec<f64>,
    /// Times at which inputs jump.
    pub jumps_at: Vec<f64>,
    /// Whether kinks and jumps of formulas are left to the error of steps.
    pub smooth: bool,
}

impl Run {
    /// Sizes of the variables whose tolerance or size is given: w = atol + rtol |y| is rtol (size + |y|) with size = atol/rtol.
    pub fn sizes(&self) -> GivenSizes {
        let Steps::ByError { rtol, atol: None } = self.steps else { return GivenSizes::default() };
        let both = |scales: &[(usize, f64)], atols: &[(usize, f64)]| {
            scales.iter().copied().chain(atols.iter().map(|(i, atol)| (*i, atol / rtol))).collect()
        };
        GivenSizes { q: both(&self.scales.q, &self.atols.q), v: both(&self.scales.v, &self.atols.v) }
    }
}
