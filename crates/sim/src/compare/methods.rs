//! The methods that can be compared. A new one is a line in the list (and its name in the help of `--methods`).

use alembert::method::{BadMethod, Scheme};
use alembert::{GeneralizedAlpha, HhtAlpha, RungeKutta, VariableBdf};

/// A method and the ladder it is run over.
pub struct Method {
    /// Its name on the command line and in files.
    pub name: &'static str,
    /// Its name in figures.
    pub label: &'static str,
    /// Makes it.
    pub scheme: fn() -> Result<Box<dyn Scheme>, BadMethod>,
    /// What it is run with.
    pub ladder: Ladder,
}

/// What grows finer from run to run.
#[derive(Clone, Copy, Debug)]
pub enum Ladder {
    /// Tolerances, relative and absolute alike.
    Tolerances(&'static [f64]),
    /// Numbers of equal steps.
    Steps(&'static [u32]),
}

const FINE: Ladder = Ladder::Tolerances(&[1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12]);
/// Orders up to 5: beyond this tolerance the steps are too many to be of use.
const COARSE: Ladder = Ladder::Tolerances(&[1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9]);
const STEPS: Ladder = Ladder::Steps(&[250, 500, 1000, 2000, 4000, 8000, 16000]);

/// Every method.
pub const METHODS: &[Method] = &[
    Method { name: "radau3", label: "Radau 3", scheme: || Ok(Box::new(RungeKutta::radau(3)?)), ladder: FINE },
    Method { name: "radau5", label: "Radau 5", scheme: || Ok(Box::new(RungeKutta::radau(5)?)), ladder: FINE },
    Method { name: "radau7", label: "Radau 7", scheme: || Ok(Box::new(RungeKutta::radau(7)?)), ladder: FINE },
    Method { name: "bdf", label: "BDF", scheme: || Ok(Box::new(VariableBdf::new())), ladder: COARSE },
    Method {
        name: "alpha",
        label: "gen.-α, ρ 0.8",
        scheme: || Ok(Box::new(GeneralizedAlpha::from_rho_infinity(0.8)?)),
        ladder: STEPS,
    },
    Method { name: "hht", label: "HHT, α −0.1", scheme: || Ok(Box::new(HhtAlpha::new(-0.1)?)), ladder: STEPS },
];
