//! Bricard's mechanism to t = 10, against an integration with one coordinate that shares nothing with constraints.
//!
//! By its threefold symmetry the hinges turn by u, -w, u, -w, u, -w, and the loop closes where
//!
//! ```text
//! R(u, w) = sin u - sin w - sin u sin w = 0
//! ```
//!
//! With the way s along this curve as the coordinate, tangent (R_w, -R_u)/|R_u, R_w|, and m(s) s'^2 / 2 the kinetic energy,
//! V(s) the potential one: m s'' = -m_s s'^2 / 2 - V_s.

use alembert::rotation::{cross, exp, product, to_space};
use alembert::{At, ConstrainedSystem, Plan, Quantity, RungeKutta, Tolerance, solve};

use crate::machines;
use crate::reference::Stored;

const POINTS: [[f64; 3]; 6] =
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, -1.0, 0.0], [1.0, -1.0, 1.0], [0.0, -1.0, 1.0], [0.0, 0.0, 1.0]];
const AXES: [[f64; 3]; 6] = [machines::Y, machines::Z, machines::X, machines::Y, machines::Z, machines::X];

fn combine(x: [f64; 3], c: f64, y: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|i| x[i] + c * y[i])
}

fn dot(x: [f64; 3], y: [f64; 3]) -> f64 {
    (0..3).map(|i| x[i] * y[i]).sum()
}

/// The tangent of R = 0.
fn tangent(u: f64, w: f64) -> [f64; 2] {
    let (by_u, by_w) = (u.cos() - u.cos() * w.sin(), -w.cos() - u.sin() * w.cos());
    let length = by_u.hypot(by_w);
    [by_w / length, -by_u / length]
}

/// m, V and the centres of the five bars.
fn bars(stored: &Stored, u: f64, w: f64) -> (f64, f64, Vec<[f64; 3]>) {
    let rates = tangent(u, w);
    let (mut turn, mut shift) = ([1.0, 0.0, 0.0, 0.0], [0.0; 3]);
    let (mut m, mut v, mut centres) = (0.0, 0.0, Vec::new());
    // Axes and points of the hinges so far, and how fast they turn.
    let mut hinges: Vec<([f64; 3], [f64; 3], f64)> = Vec::new();
    for i in 0..5 {
        let (angle, rate) = if i % 2 == 0 { (u, rates[0]) } else { (-w, -rates[1]) };
        let at = combine(to_space(&turn, &POINTS[i]), 1.0, shift);
        hinges.push((to_space(&turn, &AXES[i]), at, rate));
        turn = product(&turn, &exp(&AXES[i].map(|x| angle * x)));
        shift = combine(at, -1.0, to_space(&turn, &POINTS[i]));
        let middle = [0, 1, 2].map(|k| 0.5 * (POINTS[i][k] + POINTS[i + 1][k]));
        let centre = combine(to_space(&turn, &middle), 1.0, shift);
        let (mut spin, mut speed) = ([0.0; 3], [0.0; 3]);
        for (axis, at, rate) in &hinges {
            spin = combine(spin, *rate, *axis);
            speed = combine(speed, *rate, cross(axis, &combine(centre, -1.0, *at)));
        }
        let (mass, moments) = stored.inertia(i);
        let inside = alembert::rotation::to_body(&turn, &spin);
        m += mass * dot(speed, speed) + dot(inside, moments.map(|row| dot(row, inside)));
        v += 9.81 * mass * centre[1];
        centres.push(centre);
    }
    (m, v, centres)
}

/// u', w', s''.
fn rate(stored: &Stored, [u, w, speed]: [f64; 3]) -> [f64; 3] {
    let [du, dw] = tangent(u, w);
    let along = |e: f64| {
        let (m, v, _) = bars(stored, u + e * du, w + e * dw);
        [m, v]
    };
    // Differences of fourth order: to 1e-12.
    let e = 1e-3;
    let (one, two) = ([along(e), along(-e)], [along(2.0 * e), along(-2.0 * e)]);
    let slope = |k: usize| (8.0 * (one[0][k] - one[1][k]) - (two[0][k] - two[1][k])) / (12.0 * e);
    let (m, ..) = bars(stored, u, w);
    [du * speed, dw * speed, -(0.5 * slope(0) * speed * speed + slope(1)) / m]
}

/// The centres of the bars at whole multiples of half a second, by the classical Runge-Kutta method.
fn with_one_coordinate(stored: &Stored, h: f64, until: f64) -> Vec<Vec<[f64; 3]>> {
    let mut x = [0.0; 3];
    let steps = (until / h).round() as usize;
    let every = (0.5 / h).round() as usize;
    let mut out = vec![bars(stored, x[0], x[1]).2];
    for step in 1..=steps {
        let k1 = rate(stored, x);
        let k2 = rate(stored, combine(x, 0.5 * h, k1));
        let k3 = rate(stored, combine(x, 0.5 * h, k2));
        let k4 = rate(stored, combine(x, h, k3));
        x = [0, 1, 2].map(|i| x[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
        if step % every == 0 {
            out.push(bars(stored, x[0], x[1]).2);
        }
    }
    out
}

#[test]
fn bricards_mechanism_moves_rightly_to_ten_seconds() {
    let machine = machines::bricard();
    let (stored, mechanism) = (&machine.stored, &machine.mechanism);
    let known = with_one_coordinate(stored, 5e-4, 10.0);
    let apart = |x: [f64; 3], y: [f64; 3]| (0..3).fold(0.0_f64, |max, i| max.max((x[i] - y[i]).abs()));
    // The other way is right where there are digits to compare with.
    for (at, t) in stored.times().iter().enumerate() {
        for body in 0..5 {
            let off = apart(known[(2.0 * t).round() as usize][body], stored.place(at, body));
            assert!(off < 1e-9, "bar {body} at {t}: {off:e}");
        }
    }
    let plan =
        Plan::new(Tolerance::new(1e-11, 1e-11).expect("in range")).with_method(RungeKutta::radau(3).expect("stages"));
    let motion = solve(mechanism.system(), mechanism.guess(), 0.0..10.0, plan)
        .expect("starts")
        .whole()
        .expect("reaches the end");
    let (mut worst, mut drift) = (0.0_f64, 0.0_f64);
    for at in 0..=20 {
        let state = motion.at(0.5 * at as f64).expect("in range");
        for ((id, _), known) in mechanism.bodies().zip(&known[at]) {
            worst = worst.max(apart(mechanism.motion(id, &state).p, *known));
        }
        let mut energy = [0.0; 5];
        let _ = mechanism.system().ask(Quantity::Energy, &At::new(state.t, &state.q, &state.v), &mut energy);
        drift = drift.max((energy[0] + energy[1] - stored.energy(0)).abs());
    }
    println!("off by {worst:e}, energy by {drift:e}");
    assert!(worst < 2e-9 && drift < 1e-9, "off by {worst:e}, energy by {drift:e}");

    // And it says what is redundant.
    let diagnosis = mechanism.diagnose();
    assert_eq!((diagnosis.count(), diagnosis.mobility), (0, 1), "{diagnosis}");
    assert!(diagnosis.to_string().contains("`hinge 6` (along z) follows from `hinge 1`, `hinge 2`"), "{diagnosis}");
    assert!(mechanism.joints().all(|(id, ..)| !diagnosis.unique_reaction(id)), "{diagnosis}");
}
