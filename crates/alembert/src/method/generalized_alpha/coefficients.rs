//! The four coefficients of a generalized-alpha method, and the families they come from.

use crate::method::{BadMethod, require};

/// alpha_m, alpha_f, beta, gamma. Second order needs gamma = 1/2 - alpha_m + alpha_f.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coefficients {
    /// Weight of the old inertia force, not 1.
    pub alpha_m: f64,
    /// Weight of the old force, not 1.
    pub alpha_f: f64,
    /// Weight of the new acceleration in q, > 0.
    pub beta: f64,
    /// Weight of the new acceleration in v, > 0.
    pub gamma: f64,
}

impl Coefficients {
    /// Chung and Hulbert's choice for a spectral radius at infinity in [0, 1].
    ///
    /// # Errors
    /// If rho is outside [0, 1].
    pub fn from_rho_infinity(rho: f64) -> Result<Self, BadMethod> {
        require((0.0..=1.0).contains(&rho), "rho_infinity", rho, "in [0, 1]")?;
        Ok(Self::with_alphas((2.0 * rho - 1.0) / (1.0 + rho), rho / (1.0 + rho)))
    }

    /// Hilber, Hughes and Taylor's choice, alpha in [-1/3, 0].
    ///
    /// # Errors
    /// If alpha is outside [-1/3, 0].
    pub fn from_hht(alpha: f64) -> Result<Self, BadMethod> {
        require((-1.0 / 3.0..=0.0).contains(&alpha), "alpha", alpha, "in [-1/3, 0]")?;
        Ok(Self::with_alphas(0.0, -alpha))
    }

    fn with_alphas(alpha_m: f64, alpha_f: f64) -> Self {
        let alpha = alpha_m - alpha_f;
        Coefficients { alpha_m, alpha_f, beta: (1.0 - alpha).powi(2) / 4.0, gamma: 0.5 - alpha }
    }

    /// alpha = alpha_m - alpha_f: accelerations belong to t + alpha h.
    pub fn alpha(&self) -> f64 {
        self.alpha_m - self.alpha_f
    }

    /// The order in q and v: 2 if gamma = 1/2 - alpha, else 1.
    pub fn order(&self) -> u32 {
        if (self.gamma - 0.5 + self.alpha()).abs() < 1e-12 { 2 } else { 1 }
    }

    /// The coefficients themselves, if a step with them can be solved.
    ///
    /// # Errors
    /// If one is out of range.
    pub fn checked(self) -> Result<Self, BadMethod> {
        let Coefficients { alpha_m, alpha_f, beta, gamma } = self;
        require(alpha_m.is_finite() && alpha_m < 1.0, "alpha_m", alpha_m, "a number less than 1")?;
        require(alpha_f.is_finite() && alpha_f < 1.0, "alpha_f", alpha_f, "a number less than 1")?;
        require(
            beta.is_finite() && beta > 0.0,
            "beta",
            beta,
            "positive (beta = 0 is explicit and holds no constraint)",
        )?;
        require(gamma.is_finite() && gamma > 0.0, "gamma", gamma, "positive")?;
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_methods_come_out() {
        let trapezoidal = Coefficients::from_hht(0.0).expect("in range");
        assert_eq!((trapezoidal.beta, trapezoidal.gamma), (0.25, 0.5));
        let rho = Coefficients::from_rho_infinity(0.2).expect("in range");
        assert!((rho.alpha_m + 0.5).abs() < 1e-15 && (rho.alpha_f - 1.0 / 6.0).abs() < 1e-15);
        assert_eq!(rho.order(), 2);
        assert_eq!(Coefficients { gamma: 0.6, ..trapezoidal }.order(), 1);
    }

    #[test]
    fn bad_parameters_are_named() {
        for (bad, name) in [
            (Coefficients::from_rho_infinity(1.1), "rho_infinity"),
            (Coefficients::from_rho_infinity(f64::NAN), "rho_infinity"),
            (Coefficients::from_hht(-0.34), "alpha"),
            (Coefficients::from_hht(0.01), "alpha"),
            (Coefficients { alpha_m: 1.0, alpha_f: 0.0, beta: 0.25, gamma: 0.5 }.checked(), "alpha_m"),
            (Coefficients { alpha_m: 0.0, alpha_f: 1.0, beta: 0.25, gamma: 0.5 }.checked(), "alpha_f"),
            (Coefficients { alpha_m: 0.0, alpha_f: 0.0, beta: 0.0, gamma: 0.5 }.checked(), "beta"),
            (Coefficients { alpha_m: 0.0, alpha_f: 0.0, beta: 0.25, gamma: -0.5 }.checked(), "gamma"),
        ] {
            let message = bad.expect_err("out of range").to_string();
            assert!(message.starts_with(name) && message.contains("hint"), "{message}");
        }
    }
}
