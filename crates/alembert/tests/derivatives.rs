//! Derivatives three ways, all against each other: written by hand, by generic numbers, by differences.
//!
//! ```text
//! M = [2 + sin x, x y; x y, 3 + cos y]    f = (t - y vx, x^2 vy + vx)    g = x^2 + y^2 - (1 + t/10)^2    k = x vy^2 + t vx
//! r = (-2 x lambda - t vx psi, -2 y lambda^2 - 2 x vy psi)   or, for the standard reaction, -G^T lambda - K^T psi
//! ```

use alembert::equations::{DerivativeReport, Equations};
use alembert::{
    ConstrainedSystem, Differentiated, Dims, Formulas, Functions, Named, Point, Scalar, Supplied, check_derivatives,
};

const DIMS: Dims = Dims { q: 2, v: 2, lambda: 1, psi: 1 };

/// The formulas; `standard` leaves the reaction to the library.
struct Generic {
    standard: bool,
}

impl Formulas for Generic {
    fn dims(&self) -> Dims {
        DIMS
    }
    fn mass<S: Scalar>(&self, _: S, q: &[S], mass: &mut [S]) {
        mass[0] = q[0].sin() + 2.0;
        mass[1] = q[0] * q[1];
        mass[2] = mass[1];
        mass[3] = q[1].cos() + 3.0;
    }
    fn force<S: Scalar>(&self, t: S, q: &[S], v: &[S], force: &mut [S]) {
        force[0] = t - q[1] * v[0];
        force[1] = q[0] * q[0] * v[1] + v[0];
    }
    fn holonomic<S: Scalar>(&self, t: S, q: &[S], g: &mut [S]) {
        g[0] = q[0] * q[0] + q[1] * q[1] - (t * 0.1 + 1.0).powi(2);
    }
    fn nonholonomic<S: Scalar>(&self, t: S, q: &[S], v: &[S], k: &mut [S]) {
        k[0] = q[0] * v[1] * v[1] + t * v[0];
    }
    fn reaction<S: Scalar>(&self, t: S, q: &[S], v: &[S], lambda: &[S], psi: &[S], r: &mut [S]) -> Supplied {
        if self.standard {
            return Supplied::No;
        }
        r[0] = -(q[0] * lambda[0] * 2.0) - t * v[0] * psi[0];
        r[1] = -(q[1] * lambda[0] * lambda[0] * 2.0) - q[0] * v[1] * psi[0] * 2.0;
        Supplied::Yes
    }
}

fn write<const N: usize>(out: &mut [f64], values: [f64; N]) {
    out.copy_from_slice(&values);
}

/// The same by hand. `slip` adds an error to one entry of one derivative.
fn by_hand(standard: bool, derivatives: bool, slip: f64) -> Functions<'static> {
    let values = move || Generic { standard };
    let system = Functions::new(DIMS)
        .mass(move |t, q, mass| values().mass(t, q, mass))
        .force(move |t, q, v, force| values().force(t, q, v, force))
        .holonomic(move |t, q, g| values().holonomic(t, q, g))
        .nonholonomic(move |t, q, v, k| values().nonholonomic(t, q, v, k));
    let system = match standard {
        true => system,
        false => system.reaction(move |at, r| {
            let Point { t, q, v, lambda, psi } = at;
            assert_eq!(values().reaction(t, q, v, lambda, psi, r), Supplied::Yes);
        }),
    };
    if !derivatives {
        return system;
    }
    system
        .holonomic_q(|_, q, out| write(out, [2.0 * q[0], 2.0 * q[1]]))
        .holonomic_t(|t, _, out| write(out, [-0.2 * (1.0 + 0.1 * t)]))
        .holonomic_bias(|_, _, v, out| write(out, [2.0 * (v[0] * v[0] + v[1] * v[1]) - 0.02]))
        .holonomic_velocity_q(|_, _, v, out| write(out, [2.0 * v[0], 2.0 * v[1]]))
        .nonholonomic_v(move |t, q, v, out| write(out, [t, 2.0 * q[0] * v[1] + slip]))
        .nonholonomic_q(|_, _, v, out| write(out, [v[1] * v[1], 0.0]))
        .nonholonomic_bias(|_, _, v, out| write(out, [v[0] + v[1] * v[1] * v[0]]))
        .mass_q(|_, q, a, out| {
            let cross = [q[1], q[0]];
            write(
                out,
                [
                    q[0].cos() * a[0] + cross[0] * a[1],
                    cross[1] * a[1],
                    cross[0] * a[0],
                    cross[1] * a[0] - q[1].sin() * a[1],
                ],
            );
        })
        .force_q(|_, q, v, out| write(out, [0.0, -v[0], 2.0 * q[0] * v[1], 0.0]))
        .force_v(|_, q, _, out| write(out, [-q[1], 0.0, 1.0, q[0] * q[0]]))
        .reaction_q(move |at, out| {
            let (l, p, v) = (at.lambda[0], at.psi[0], at.v);
            let last = if standard { -2.0 * l } else { -2.0 * l * l };
            write(out, [-2.0 * l, 0.0, -2.0 * v[1] * p, last]);
        })
        .reaction_v(move |at, out| {
            let p = at.psi[0];
            let first = if standard { 0.0 } else { -at.t * p };
            write(out, [first, 0.0, 0.0, -2.0 * at.q[0] * p]);
        })
        .reaction_lambda(move |at, out| match standard {
            true => write(out, [-2.0 * at.q[0], -2.0 * at.q[1]]),
            false => write(out, [-2.0 * at.q[0], -4.0 * at.q[1] * at.lambda[0]]),
        })
        .reaction_psi(move |at, out| match standard {
            true => write(out, [-at.t, -2.0 * at.q[0] * at.v[1]]),
            false => write(out, [-at.t * at.v[0], -2.0 * at.q[0] * at.v[1]]),
        })
}

const AT: Point = Point { t: 0.7, q: &[0.8, -0.6], v: &[1.3, 0.4], lambda: &[1.7], psi: &[-0.9] };

/// Every derivative at one point, by name.
fn derivatives(system: &dyn ConstrainedSystem) -> Vec<(&'static str, Vec<f64>)> {
    let mut eq = Equations::new(system);
    let Point { t, q, v, .. } = AT;
    let mut table: Vec<(&'static str, Vec<f64>)> = [
        ("holonomic_q", 2),
        ("holonomic_t", 1),
        ("velocity", 1),
        ("velocity_q", 2),
        ("nonholonomic_v", 2),
        ("nonholonomic_q", 2),
        ("bias", 2),
        ("mass_q", 4),
        ("force_q", 4),
        ("force_v", 4),
        ("reaction", 2),
        ("reaction_mu", 4),
        ("reaction_q", 4),
        ("reaction_v", 4),
    ]
    .map(|(name, len)| (name, vec![0.0; len]))
    .to_vec();
    let (mut g_q, mut k_v) = ([0.0; 2], [0.0; 2]);
    eq.holonomic_q(t, q, &mut g_q).expect("finite");
    eq.nonholonomic_v(t, q, v, &mut k_v).expect("finite");
    for (name, out) in &mut table {
        match *name {
            "holonomic_q" => eq.holonomic_q(t, q, out),
            "holonomic_t" => eq.holonomic_t(t, q, out),
            "velocity" => eq.velocity(t, q, v, &g_q, out),
            "velocity_q" => eq.velocity_q(t, q, v, out),
            "nonholonomic_v" => eq.nonholonomic_v(t, q, v, out),
            "nonholonomic_q" => eq.nonholonomic_q(t, q, v, out),
            "bias" => eq.bias(t, q, v, out),
            "mass_q" => eq.mass_q(t, q, &[0.5, -1.1], out),
            "force_q" => eq.force_q(t, q, v, out),
            "force_v" => eq.force_v(t, q, v, out),
            "reaction" => eq.reaction(AT, &g_q, &k_v, out),
            "reaction_mu" => eq.reaction_mu(AT, &g_q, &k_v, out),
            "reaction_q" => eq.reaction_q(AT, out),
            _ => eq.reaction_v(AT, out),
        }
        .expect("finite");
    }
    table
}

#[test]
fn three_ways_agree() {
    for standard in [false, true] {
        let exact = derivatives(&by_hand(standard, true, 0.0));
        let generic = derivatives(&Differentiated::new(Generic { standard }));
        let differences = derivatives(&by_hand(standard, false, 0.0));
        for ((name, exact), (other, tolerance)) in exact
            .iter()
            .zip(&generic)
            .map(|pair| (pair, 1e-14))
            .chain(exact.iter().zip(&differences).map(|pair| (pair, 1e-6)))
            .map(|((exact, other), tolerance)| ((exact.0, &exact.1), (&other.1, tolerance)))
        {
            for (i, (x, y)) in exact.iter().zip(other).enumerate() {
                assert!((x - y).abs() <= tolerance * (1.0 + x.abs()), "{name}[{i}] (standard {standard}): {x} and {y}");
            }
        }
    }
}

#[test]
fn differences_that_enter_the_equations_are_accurate() {
    let exact = derivatives(&by_hand(true, true, 0.0));
    let differences = derivatives(&by_hand(true, false, 0.0));
    for (name, tolerance) in
        [("holonomic_q", 1e-11), ("holonomic_t", 1e-11), ("nonholonomic_v", 1e-11), ("bias", 1e-8), ("reaction", 1e-11)]
    {
        let find = |table: &[(&str, Vec<f64>)]| table.iter().find(|(n, _)| *n == name).expect("listed").1.clone();
        for (x, y) in find(&exact).iter().zip(find(&differences)) {
            assert!((x - y).abs() < tolerance, "{name}: {x} and {y}");
        }
    }
}

#[test]
fn the_check_passes_right_derivatives_and_names_a_wrong_entry() {
    for standard in [false, true] {
        let right = check_derivatives(&by_hand(standard, true, 0.0), AT).expect("finite");
        assert!(right.is_ok(), "{right}");
        assert_eq!(right.checked.len(), 14, "{:?}", right.checked);
        let wrong = check_derivatives(&by_hand(standard, true, 1e-3), AT).expect("finite");
        let named: Vec<_> = wrong.mismatches.iter().map(|m| (m.function, m.row, m.column)).collect();
        assert!(named.contains(&("nonholonomic_v", 0, 1)), "{wrong}");
        assert!(wrong.to_string().contains("d(k[0])/d(q[1]') is"), "{wrong}");
    }
    let nothing = check_derivatives(&by_hand(true, false, 0.0), AT).expect("finite");
    assert_eq!(nothing, DerivativeReport::default(), "nothing supplied, nothing checked");
}

/// Forces with a kink at y = 0, an angle, and a root; `slope` is what is said of the kinked one where y = 0.
fn kinked(slope: f64, slip: f64) -> Functions<'static> {
    Functions::new(Dims { q: 2, v: 2, lambda: 0, psi: 0 })
        .mass(|_, _, mass| (mass[0], mass[3]) = (1.0, 1.0))
        .force(|_, q, v, force| {
            // A spring that pushes only; friction with a kink; a pendulum that has turned often.
            force[0] = 200.0 * (-q[1]).max(0.0) - v[0].abs() * v[0];
            force[1] = -3.0 * q[0].sin() - 2.0 * v[1].abs();
        })
        .force_q(move |_, q, _, out| {
            let pushed = if q[1] == 0.0 {
                slope
            } else if q[1] < 0.0 {
                -200.0
            } else {
                0.0
            };
            write(out, [0.0, pushed, -3.0 * q[0].cos() + slip, 0.0]);
        })
        .force_v(|_, _, v, out| write(out, [-2.0 * v[0].abs(), 0.0, 0.0, -2.0 * v[1].signum()]))
        .named(Named::Coordinate, |index| ["phi", "y"][index].into())
}

fn check(system: &dyn ConstrainedSystem, q: [f64; 2], v: [f64; 2]) -> DerivativeReport {
    check_derivatives(system, Point { t: 0.3, q: &q, v: &v, lambda: &[], psi: &[] }).expect("finite")
}

#[test]
fn kinks_and_large_angles_are_no_mistakes() {
    for phi in [0.3, -1000.0, 31415.9, 1e6] {
        // On the kink, beside it on either side, and far away.
        for y in [0.0, 1e-9, -1e-9, 3e-5, -3e-5, 2e-4, -7e-4, 0.5, -0.5] {
            for vy in [0.4, -2e-5, 0.0] {
                // On the kink both branches are right.
                for slope in [0.0, -200.0] {
                    let report = check(&kinked(slope, 0.0), [phi, y], [1.3, vy]);
                    assert!(report.is_ok(), "{phi} {y} {vy}: {report}");
                }
            }
        }
    }
}

#[test]
fn mistakes_beside_kinks_are_found_and_named() {
    // A slope between those of the branches cannot be told from a choice; it is noted.
    let report = check(&kinked(-100.3, 0.0), [0.3, 0.0], [1.3, 0.4]);
    assert!(report.is_ok() && report.kinks.len() == 1, "{report}");
    assert!(report.to_string().contains("not checked at a kink: d(force of phi)/d(y) of `force_q`"), "{report}");
    // One that is neither of them, nor between, is wrong.
    for slope in [1.0, -201.0, f64::NAN] {
        let report = check(&kinked(slope, 0.0), [0.3, 0.0], [1.3, 0.4]);
        assert!(!report.is_ok(), "{slope}: {report}");
        assert!(report.to_string().contains("d(force of phi)/d(y) is"), "{report}");
    }
    // What is wrong elsewhere is wrong at any angle, beside any kink.
    for phi in [0.3, -1000.0, 1e6] {
        for y in [0.0, 1e-9, 0.5] {
            let report = check(&kinked(0.0, 1e-3), [phi, y], [1.3, 0.4]);
            assert_eq!(report.mismatches.len(), 1, "{report}");
            assert_eq!(report.mismatches[0].entry, "d(force of y)/d(phi)", "{report}");
        }
    }
    let wrong = by_hand(true, true, 1e-3);
    let report = check_derivatives(&wrong, AT).expect("finite");
    assert!(report.to_string().contains("d(k[0])/d(q[1]') is") && !report.to_string().contains("entry"), "{report}");
}
