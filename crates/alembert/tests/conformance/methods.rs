//! The methods under test. A new method is one more line.

#![allow(dead_code)] // two test binaries share this table, and each reads its own columns

use alembert::method::{
    BadMethod, Bdf, Factorisation, Form, GeneralizedAlpha, HhtAlpha, MassMatrix, RungeKutta, Scheme, Start, VariableBdf,
};

/// A method, what it can integrate, and what it promises.
pub struct Entry {
    pub name: &'static str,
    pub scheme: Box<dyn Scheme>,
    /// Order of q, v, a, lambda, psi.
    pub order: u32,
    /// Whether it keeps its order when steps alternate.
    pub variable_steps: bool,
    pub problems: &'static [&'static str],
}

const UNCONSTRAINED: &[&str] = &["oscillator", "polar_oscillator", "free_body"];
const HOLONOMIC: &[&str] = &["paper1", "rheonomic_pendulum", "chain", "heavy_top", "spatial_pendulum"];
const NONHOLONOMIC: &[&str] = &["sleigh", "paper2"];
const ALL: &[&str] = &[
    "oscillator",
    "polar_oscillator",
    "paper1",
    "rheonomic_pendulum",
    "spring_pendulum",
    "chain",
    "sleigh",
    "paper2",
    "paper3",
    "sleigh_bowl",
    "heavy_top",
    "free_body",
    "spatial_pendulum",
];

/// Smooth enough for high order at the steps of [`Entry::ladder`], and free of `paper1`: where velocities are free and the
/// reaction is nonlinear in lambda, Radau IIA has order 2s - 2 (see `claims.rs`).
const SMOOTH: &[&str] = &[
    "oscillator",
    "polar_oscillator",
    "rheonomic_pendulum",
    "sleigh",
    "paper3",
    "sleigh_bowl",
    "heavy_top",
    "free_body",
    "spatial_pendulum",
];

/// Problems with rotations, which have another way through every method where matrices are sparse.
const SPARSE: &[(&str, &str)] = &[("heavy_top", "heavy_top sparse"), ("spatial_pendulum", "spatial_pendulum sparse")];

/// The problems of a method; those with rotations dense and sparse.
pub fn problems(entry: &Entry) -> Vec<&'static str> {
    let sparse = SPARSE.iter().filter(|(dense, _)| entry.problems.contains(dense)).map(|(_, sparse)| *sparse);
    entry.problems.iter().copied().chain(sparse).collect()
}

impl Entry {
    /// A coarser and a finer mean step, both in the asymptotic range.
    pub fn ladder(&self, problem: &str) -> [f64; 2] {
        let fine = match problem.trim_end_matches(" sparse") {
            // 30 radians in 0.2 time units.
            "heavy_top" if self.is_bdf() && self.order == 1 => 1.0 / 51200.0,
            "heavy_top" if self.order >= 5 => 1.0 / 1600.0,
            "heavy_top" if self.order == 3 && !self.is_bdf() => 1.0 / 3200.0,
            "heavy_top" => 1.0 / 6400.0,
            "spatial_pendulum" if self.order == 1 => 1.0 / 10240.0,
            "spatial_pendulum" if self.order >= 5 => 1.0 / 80.0,
            "spatial_pendulum" if self.order == 3 && !self.is_bdf() => 1.0 / 160.0,
            "spatial_pendulum" => 1.0 / 1280.0,
            // Multistep errors have larger constants than those of Radau IIA, and first order shows late.
            "paper2" if self.is_bdf() && self.order == 4 => 1.0 / 320.0,
            "chain" if self.is_bdf() && self.order == 4 => 1.0 / 2560.0,
            "spring_pendulum" | "paper2" | "chain" if self.is_bdf() && self.order > 1 => 1.0 / 1280.0,
            "rheonomic_pendulum" if self.is_bdf() && self.order > 1 => 1.0 / 640.0,
            "spring_pendulum" | "paper2" | "chain" if self.order == 1 => 1.0 / 5120.0,
            "rheonomic_pendulum" if self.order == 1 => 1.0 / 2560.0,
            _ if self.order == 1 => 1.0 / 1280.0,
            _ if self.is_bdf() => 1.0 / 320.0,
            "rheonomic_pendulum" if self.order >= 5 => 1.0 / 160.0,
            "polar_oscillator" if self.order >= 5 => 1.0 / 32.0,
            _ if self.order >= 5 => 1.0 / 40.0,
            _ if self.order >= 3 => 1.0 / 80.0,
            "spring_pendulum" | "paper2" | "chain" => 1.0 / 1280.0,
            "rheonomic_pendulum" => 1.0 / 640.0,
            _ => 1.0 / 320.0,
        };
        [2.0 * fine, fine]
    }

    fn is_bdf(&self) -> bool {
        self.scheme.name().ends_with("BDF")
    }
}

/// Every method.
pub fn entries() -> Vec<Entry> {
    build().expect("parameters in range")
}

/// Methods whose steps may be three times as long as the one before.
pub fn large_ratios() -> Vec<Entry> {
    let problems: &[&str] =
        &["polar_oscillator", "paper1", "rheonomic_pendulum", "chain", "paper3", "sleigh_bowl", "heavy_top"];
    let entry = |name, scheme, problems| Entry { name, scheme, order: 2, variable_steps: true, problems };
    let build = || -> Result<Vec<Entry>, BadMethod> {
        let soi2 = |rho| GeneralizedAlpha::from_rho_infinity(rho)?.with_largest_ratio(3.0);
        let hht = HhtAlpha::new(-0.2)?.with_largest_ratio(3.0)?;
        Ok(vec![
            entry("soi2 rho 0.2, ratio 3", Box::new(soi2(0.2)?), problems),
            entry("soi2 rho 0.5, ratio 3", Box::new(soi2(0.5)?), problems),
            entry("soi2 rho 0.8, ratio 3", Box::new(soi2(0.8)?), problems),
            entry("hht, ratio 3", Box::new(hht), UNCONSTRAINED),
            entry("hht full, ratio 3", Box::new(hht), HOLONOMIC),
            entry("hht midpoint, ratio 3", Box::new(hht.with_form(Form::Midpoint)), HOLONOMIC),
        ])
    };
    build().expect("parameters in range")
}

fn build() -> Result<Vec<Entry>, BadMethod> {
    let entry = |name, scheme, variable_steps, problems| Entry { name, scheme, order: 2, variable_steps, problems };
    let radau = |name, stages: u32, problems| -> Result<Entry, BadMethod> {
        let scheme = Box::new(RungeKutta::radau(stages as usize)?);
        Ok(Entry { name, scheme, order: 2 * stages - 1, variable_steps: true, problems })
    };
    let bdf = |name, order: u32| -> Result<Entry, BadMethod> {
        let scheme = Box::new(Bdf::new(order as usize)?);
        Ok(Entry { name, scheme, order, variable_steps: true, problems: ALL })
    };
    let variable = |name, order, scheme: VariableBdf| Entry {
        name,
        scheme: Box::new(scheme),
        order,
        variable_steps: true,
        problems: ALL,
    };
    let soi2 = |rho| GeneralizedAlpha::from_rho_infinity(rho);
    let hht = HhtAlpha::new(-0.2)?;
    Ok(vec![
        entry("soi2 rho 0", Box::new(soi2(0.0)?), true, ALL),
        entry("soi2 rho 0.2", Box::new(soi2(0.2)?), true, ALL),
        entry("soi2 rho 0.8", Box::new(soi2(0.8)?), true, ALL),
        entry("soi2 rho 1", Box::new(soi2(1.0)?), false, ALL),
        entry("soi2 from hht", Box::new(GeneralizedAlpha::from_hht(-0.3)?), true, ALL),
        entry("trapezoidal", Box::new(GeneralizedAlpha::from_newmark(0.25, 0.5)?), true, ALL),
        entry("soi2 start (10)", Box::new(soi2(0.5)?.with_start(Start::Implicit)), true, ALL),
        entry("soi2 start a0", Box::new(soi2(0.5)?.with_start(Start::A0)), true, ALL),
        entry("soi2 previous mass", Box::new(soi2(0.2)?.with_mass_matrix(MassMatrix::Previous)), true, ALL),
        entry("hht", Box::new(hht), true, UNCONSTRAINED),
        entry("hht full", Box::new(hht), true, HOLONOMIC),
        entry("hht full b 0.3", Box::new(hht.with_b(0.3)?), true, HOLONOMIC),
        entry("hht full b -1", Box::new(hht.with_b(-1.0)?), true, HOLONOMIC),
        entry("hht undamped", Box::new(HhtAlpha::new(0.0)?), true, HOLONOMIC),
        entry("hht predicted", Box::new(hht.with_form(Form::Predicted)), true, HOLONOMIC),
        entry("hht midpoint", Box::new(hht.with_form(Form::Midpoint)), true, HOLONOMIC),
        entry("hht midpoint predicted", Box::new(hht.with_form(Form::MidpointPredicted)), true, HOLONOMIC),
        entry("hht start a0", Box::new(hht.with_start(Start::A0)), true, HOLONOMIC),
        radau("radau 2", 2, SMOOTH)?,
        radau("radau 3", 3, SMOOTH)?,
        entry("hht index 2", Box::new(hht.with_form(Form::Index2)), true, NONHOLONOMIC),
        bdf("implicit euler", 1)?,
        bdf("bdf 2", 2)?,
        bdf("bdf 3", 3)?,
        bdf("bdf 4", 4)?,
        // At prescribed steps that miss its tolerance by far it has no reason to leave the order it starts with.
        variable("variable bdf 1", 1, VariableBdf::new().with_max_order(1)?),
        variable("variable bdf", 2, VariableBdf::new()),
        variable("variable bdf lazy", 2, VariableBdf::new().with_factorisation(Factorisation::Lazy)),
    ])
}
