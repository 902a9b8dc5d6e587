//! Static equilibrium against closed forms, and what is said where there is none.

use alembert::equilibrium::{Equilibrium, NoEquilibrium, Stability, equilibrium};
use alembert::{Dims, Functions, Guess};

fn rest(system: &Functions, q: &[f64]) -> Result<Equilibrium, NoEquilibrium> {
    equilibrium(system, &Guess::new(0.0, q.to_vec(), vec![0.0; q.len()]))
}

fn diagonal(masses: Vec<f64>) -> impl Fn(f64, &[f64], &mut [f64]) + Send + Sync {
    move |_, _, mass| masses.iter().enumerate().for_each(|(i, m)| mass[i * masses.len() + i] = *m)
}

/// A mass on a spring that can swing: length l0 + m g/k straight down.
fn spring_pendulum(m: f64, k: f64, l0: f64, g: f64) -> Functions<'static> {
    Functions::new(Dims { q: 2, v: 2, lambda: 0, psi: 0 }).mass(diagonal(vec![m, m])).force(move |_, q, _, f| {
        let d = q[0].hypot(q[1]);
        let pull = k * (d - l0) / d;
        (f[0], f[1]) = (-pull * q[0], -pull * q[1] - m * g);
    })
}

#[test]
fn a_spring_pendulum_hangs_at_its_stretched_length() {
    // Ordinary, tiny, stiff, and soft: it hangs many of its lengths below.
    for (m, k, l0, g) in
        [(2.0, 50.0, 1.0, 9.81), (1e-9, 1e-3, 1e-6, 9.81), (1.0, 1e9, 1.0, 9.81), (1.0, 0.02, 1.0, 9.81)]
    {
        let length = l0 + m * g / k;
        for guess in [[0.9, 0.5], [1.0, 1e-3], [-0.2, -0.4], [0.01, 1.0]] {
            let found = rest(&spring_pendulum(m, k, l0, g), &guess.map(|x| x * l0)).unwrap_or_else(|e| panic!("{e}"));
            let (x, y) = (found.state.q[0], found.state.q[1]);
            assert!(x.abs() < 1e-8 * length && (y + length).abs() < 1e-9 * length, "{m} {k}: {x} {y} {length}");
            // It swings with g/length and bounces with k/m.
            let expected = (g / length).min(k / m).sqrt();
            let Stability::Stable { frequency } = found.stability else { panic!("{}", found.stability) };
            // Differences lose the digits between the two stiffnesses; files have derivatives, and are tested to 1e-9.
            let good = 1e-5 + 1e-12 * (k / m) / (g / length);
            assert!((frequency / expected - 1.0).abs() < good, "{m} {k}: {frequency} {expected}");
            assert!(found.state.v.iter().all(|v| *v == 0.0));
        }
    }
}

/// A chain of equal links and equal masses between two points at the same height; its inner points are the coordinates.
fn chain(links: usize, span: f64) -> Functions<'static> {
    let n = links - 1;
    Functions::new(Dims { q: 2 * n, v: 2 * n, lambda: links, psi: 0 })
        .mass(diagonal(vec![1.0; 2 * n]))
        .force(move |_, _, _, f| (0..n).for_each(|i| f[2 * i + 1] = -9.81))
        .holonomic(move |_, q, g| {
            let at = |i: usize| match i {
                0 => (0.0, 0.0),
                i if i > n => (span, 0.0),
                i => (q[2 * i - 2], q[2 * i - 1]),
            };
            for (i, g) in g.iter_mut().enumerate() {
                let ((x0, y0), (x1, y1)) = (at(i), at(i + 1));
                *g = (x1 - x0).powi(2) + (y1 - y0).powi(2) - 1.0;
            }
        })
}

#[test]
fn a_hanging_chain_takes_the_shape_of_its_horizontal_force() {
    let (links, span) = (9, 5.0);
    // Link i, counted from the middle, pulls with H and carries the masses up to the lowest point: tan = i m g/H.
    let across = |h: f64| (0..links).map(|i| 1.0 / (9.81 * (i as f64 - 4.0) / h).hypot(1.0)).sum::<f64>();
    let (mut low, mut high) = (1e-3, 1e3);
    for _ in 0..200 {
        let middle: f64 = 0.5 * (low + high);
        if across(middle) < span { low = middle } else { high = middle }
    }
    let mut guess = Vec::new();
    for i in 1..links {
        // Above its supports, and neither symmetric nor on the constraints.
        guess.extend([span * i as f64 / links as f64 + 0.03 * (i as f64).sin(), 1.0 - 0.2 * (i as f64 - 4.0).abs()]);
    }
    let found = rest(&chain(links, span), &guess).unwrap_or_else(|e| panic!("{e}"));
    let (mut x, mut y) = (0.0, 0.0);
    for i in 0..links - 1 {
        let slope = 9.81 * (i as f64 - 4.0) / low;
        x += 1.0 / slope.hypot(1.0);
        y += slope / slope.hypot(1.0);
        let (fx, fy) = (found.state.q[2 * i], found.state.q[2 * i + 1]);
        assert!((fx - x).abs() < 1e-8 && (fy - y).abs() < 1e-8, "{i}: {fx} {fy}, {x} {y}");
        // g has 2 (x1 - x0) as derivative, so that H = 2 lambda (x1 - x0).
        let h = 2.0 * found.state.lambda[i] / slope.hypot(1.0);
        assert!((h.abs() / low - 1.0).abs() < 1e-7, "{h} {low}");
    }
    assert!(matches!(found.stability, Stability::Stable { .. }), "{}", found.stability);
}

fn pendulum() -> Functions<'static> {
    Functions::new(Dims { q: 2, v: 2, lambda: 1, psi: 0 })
        .mass(diagonal(vec![3.0, 3.0]))
        .force(|_, _, _, f| f[1] = -3.0 * 9.81)
        .holonomic(|_, q, g| g[0] = q[0] * q[0] + q[1] * q[1] - 4.0)
}

#[test]
fn a_pendulum_falls_to_its_stable_side_unless_it_is_balanced() {
    let found = rest(&pendulum(), &[0.02, 1.9]).unwrap_or_else(|e| panic!("{e}"));
    assert!(found.state.q[0].abs() < 1e-9 && (found.state.q[1] + 2.0).abs() < 1e-9);
    let Stability::Stable { frequency } = found.stability else { panic!("{}", found.stability) };
    assert!((frequency - (9.81_f64 / 2.0).sqrt()).abs() < 1e-4, "{frequency}: differences of differences");
    let found = rest(&pendulum(), &[0.0, 2.0]).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(found.state.q, [0.0, 2.0]);
    let Stability::Unstable { directions: 1, rate } = found.stability else { panic!("{}", found.stability) };
    assert!((rate - (9.81_f64 / 2.0).sqrt()).abs() < 1e-4, "{rate}");
}

#[test]
fn a_saddle_on_the_way_is_left() {
    // U = (x^2 - 1)^2/4 + y^2: from x = 0 the way down along y ends on the ridge between two wells.
    let system = Functions::new(Dims { q: 2, v: 2, lambda: 0, psi: 0 })
        .mass(diagonal(vec![1.0, 1.0]))
        .force(|_, q, _, f| (f[0], f[1]) = (q[0] - q[0].powi(3), -2.0 * q[1]));
    let found = rest(&system, &[0.0, 0.7]).unwrap_or_else(|e| panic!("{e}"));
    assert!((found.state.q[0].abs() - 1.0).abs() < 1e-9 && found.state.q[1].abs() < 1e-9, "{:?}", found.state.q);
    assert!(matches!(found.stability, Stability::Stable { .. }));
}

#[test]
fn what_nothing_resists_is_neutral_and_stays() {
    // A cart that may stand anywhere, with a pendulum given by its angle.
    let system = Functions::new(Dims { q: 2, v: 2, lambda: 0, psi: 0 })
        .mass(|_, q, mass| mass.copy_from_slice(&[2.0, q[1].cos(), q[1].cos(), 1.0]))
        .force(|_, q, v, f| (f[0], f[1]) = (v[1] * v[1] * q[1].sin(), -9.81 * q[1].sin()));
    let found = rest(&system, &[0.3, 1.2]).unwrap_or_else(|e| panic!("{e}"));
    assert!(found.state.q[1].abs() < 1e-9);
    assert_eq!(found.stability, Stability::Neutral { directions: 1 });
    // Where the cart comes to stand depends on the way; its force is zero there.
    assert!(found.state.q[0].is_finite() && found.state.a.iter().all(|a| a.abs() < 1e-8));
}

#[test]
fn there_is_no_equilibrium_where_nothing_holds() {
    let falls = Functions::new(Dims { q: 1, v: 1, lambda: 0, psi: 0 })
        .mass(diagonal(vec![1.0]))
        .force(|_, _, _, f| f[0] = -9.81);
    for guess in [0.0, 1.0, 1e-6] {
        let error = rest(&falls, &[guess]).err().expect("it falls");
        assert!(matches!(error, NoEquilibrium::Runaway { .. }), "{error}");
        assert!(error.to_string().contains("nothing holds the model"), "{error}");
    }
    let driven = Functions::new(Dims { q: 1, v: 1, lambda: 1, psi: 0 })
        .mass(diagonal(vec![1.0]))
        .force(|_, _, _, _| {})
        .holonomic(|t, q, g| g[0] = q[0] - 2.0 * t);
    let error = rest(&driven, &[0.0]).err().expect("it moves");
    assert!(matches!(error, NoEquilibrium::Moving { rate, .. } if (rate - 2.0).abs() < 1e-9), "{error}");
}

#[test]
fn forces_without_a_potential_are_balanced_but_not_judged() {
    let system = Functions::new(Dims { q: 2, v: 2, lambda: 0, psi: 0 })
        .mass(diagonal(vec![1.0, 1.0]))
        .force(|_, q, _, f| (f[0], f[1]) = (1.0 - q[0] - 0.5 * q[1], 0.5 * q[0] - q[1]));
    let found = rest(&system, &[3.0, -2.0]).unwrap_or_else(|e| panic!("{e}"));
    assert!((found.state.q[0] - 0.8).abs() < 1e-9 && (found.state.q[1] - 0.4).abs() < 1e-9, "{:?}", found.state.q);
    assert!(matches!(found.stability, Stability::Unknown(_)), "{}", found.stability);
}
