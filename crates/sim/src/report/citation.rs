//! How to cite what was used: the method of a run and the papers it is from.

/// A method and its sources.
const SOURCES: [(&str, &str); 4] = [
    (
        "radau",
        "J. Schropp, projected Runge-Kutta methods for index-3 systems; E. Hairer and G. Wanner, Solving Ordinary Differential Equations II, \
         for the Radau IIA methods",
    ),
    ("bdf", "C. Arevalo, numerically consistent initial values for multistep methods on index-3 systems"),
    (
        "soi2",
        "L. O. Jay and D. Negrut, A second order extension of the generalized-alpha method for constrained systems in mechanics; \
         L. O. Jay, Convergence of the generalized-alpha method for constrained systems in mechanics with nonholonomic constraints",
    ),
    (
        "hht",
        "L. O. Jay and D. Negrut, Extensions of the HHT-alpha method to differential-algebraic equations in mechanics",
    ),
];

/// What to write into a paper.
pub fn citation(method: &str, steps: &str) -> String {
    let program = concat!("alembert ", env!("CARGO_PKG_VERSION"));
    let source = SOURCES.iter().find(|(name, _)| *name == method).map(|(_, source)| *source);
    let mut text = format!("Computed with {program}, method {method}, {steps}.\n");
    if let Some(source) = source {
        text += &format!("The method: {source}.\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_has_its_source() {
        for entry in alembert::catalogue::METHODS {
            assert!(SOURCES.iter().any(|(name, _)| *name == entry.name), "{}", entry.name);
            assert!(citation(entry.name, "rtol = 1e-6").contains("The method: "));
        }
    }
}
