//! States between steps: order of q, v, a, lambda, psi for every method, C1 in q, consistent with v, on the constraints
//! where asked.

#[path = "conformance/methods.rs"]
mod methods;
#[path = "conformance/run.rs"]
mod run;

use alembert::method::Scheme;
use alembert::space::Space;
use alembert::{FixedSteps, Integrator, State, Tolerance, consistent};
use alembert_problems::Problem;
use methods::{entries, problems};
use run::{ALTERNATING, NAMES, guess_of};

/// Steps after which a multistep method, or polynomials through earlier nodes, are complete.
const BEGINNING: f64 = 6.0;
/// Orders may be lower than stated by this much.
const SLACK: f64 = 0.2;
/// Where errors are looked at within a step.
const PLACES: [f64; 5] = [0.1, 0.3, 0.5, 0.7, 0.9];

fn distances(state: &State, exact: &State) -> [f64; 5] {
    let pairs = [
        (&state.q, &exact.q),
        (&state.v, &exact.v),
        (&state.a, &exact.a),
        (&state.lambda, &exact.lambda),
        (&state.psi, &exact.psi),
    ];
    pairs.map(|(x, y)| x.iter().zip(y).fold(0.0_f64, |max, (x, y)| max.max((x - y).abs())))
}

fn integrator<'p>(problem: &'p Problem, scheme: &dyn Scheme, h: f64) -> Integrator<'p> {
    let start = consistent(&*problem.system, &guess_of(problem)).expect("consistent");
    let steps = FixedSteps::pattern(h, ALTERNATING).expect("positive");
    let tolerance = Tolerance::new(1e-13, 1e-13).expect("in range");
    Integrator::new(&*problem.system, &start, scheme, steps, tolerance).expect("starts")
}

/// Largest errors between steps: in the first steps, and after the time in which the coarsest run has made them.
fn errors(problem: &Problem, scheme: &dyn Scheme, h: f64, beginning: f64) -> [[f64; 5]; 2] {
    let mut integrator = integrator(problem, scheme, h);
    let mut out = integrator.state().clone();
    let t_end = problem.start.t + 1.0;
    let (mut largest, mut steps) = ([[0.0_f64; 5]; 2], 0.0);
    while integrator.state().t < t_end - 1e-9 {
        let before = integrator.state().t;
        integrator.step(t_end).expect("steps");
        let h = integrator.state().t - before;
        for place in PLACES {
            integrator.interpolate(before + place * h, &mut out);
            let exact = problem.reference_at(out.t);
            let part = match out.t > beginning {
                true => 1,
                false if steps < BEGINNING => 0,
                false => continue,
            };
            for (largest, error) in largest[part].iter_mut().zip(distances(&out, &exact)) {
                *largest = largest.max(error);
            }
        }
        steps += 1.0;
    }
    largest
}

/// What the documentation says: q, v, a, then lambda and psi, in the beginning and after it.
fn stated(scheme: &str, order: f64) -> ([f64; 3], [f64; 2]) {
    match (scheme, order as u32) {
        ("Radau IIA", 3) => ([3.0, 3.0, 2.0], [2.0, 3.0]),
        ("Radau IIA", 5) => ([5.0, 5.0, 4.0], [2.0, 4.0]),
        _ => ([order; 3], [order.min(2.0), order]),
    }
}

#[test]
fn orders_between_steps_are_those_stated() {
    let mut wrong = Vec::new();
    for entry in entries() {
        let fits = |name: &&str| entry.problems.contains(name);
        let name =
            ["paper3", "sleigh", "rheonomic_pendulum", "polar_oscillator"].into_iter().find(fits).expect("one fits");
        let problem = alembert_problems::by_name(name).expect("known");
        let [coarse, fine] = entry.ladder(name);
        let beginning = problem.start.t + BEGINNING * coarse;
        let [rough, good] = [coarse, fine].map(|h| errors(&problem, &*entry.scheme, h, beginning));
        let ([q, v, a], multipliers) = stated(entry.scheme.name(), f64::from(entry.order));
        for (part, when) in ["in the beginning", "after it"].into_iter().enumerate() {
            let mu = multipliers[part];
            for (i, stated) in [q, v, a, mu, mu].into_iter().enumerate().filter(|(i, _)| good[part][*i] > 1e-12) {
                let order = (rough[part][i] / good[part][i]).log2();
                // Errors of steps accumulate, those of interpolation do not: early on the order may well be higher.
                if order < stated - SLACK {
                    wrong.push(format!("{} on {name} {when}: {} has order {order:.2}", entry.name, NAMES[i]));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn q_is_smooth_across_steps_and_v_is_its_slope_there() {
    for entry in entries() {
        for name in problems(&entry) {
            let problem = run::problem(name);
            let space =
                Space::new(problem.system.dims(), &problem.system.description().rotations, false).expect("fits");
            // In a chart BDF has no slopes of q, as under a general rate.
            if !space.is_flat() && entry.scheme.name().contains("BDF") {
                continue;
            }
            let [h, _] = entry.ladder(name);
            let mut integrator = integrator(&problem, &*entry.scheme, h);
            let mut out = integrator.state().clone();
            for _ in 0..12 {
                let before = integrator.state().clone();
                integrator.step(before.t + 100.0).expect("steps");
                let after = integrator.state().clone();
                let d = 1e-4 * (after.t - before.t);
                for (node, side) in [(&before, d), (&after, -d)] {
                    let mut q = |t: f64| {
                        integrator.interpolate(t, &mut out);
                        assert!(out.t == t && out.v.iter().chain(&out.a).all(|x| x.is_finite()));
                        out.q.clone()
                    };
                    // Increments from the node: rotations too are numbers there.
                    let points = [0.0, side, 2.0 * side].map(|s| {
                        let mut x = vec![0.0; node.v.len()];
                        space.difference(&node.q, &q(node.t + s), &mut x);
                        x
                    });
                    for i in 0..node.v.len() {
                        let size = if space.is_flat() { 1.0 + node.q[i].abs() } else { 2.0 };
                        assert!(points[0][i].abs() < 1e-13 * size, "{} on {name}", entry.name);
                        let slope = (-3.0 * points[0][i] + 4.0 * points[1][i] - points[2][i]) / (2.0 * side);
                        // Rounding of the differences, and their own error of second order.
                        let slack = 1e-14 / d + 1e-6 * h * h;
                        let error = (slope - node.v[i]).abs() / (1.0 + node.v[i].abs());
                        assert!(error < slack.max(1e-9), "{} on {name}: {error:e} {slack:e}", entry.name);
                    }
                }
            }
        }
    }
}

#[test]
fn states_between_steps_can_be_put_onto_the_constraints() {
    for entry in entries() {
        for name in problems(&entry) {
            let problem = run::problem(name);
            let space =
                Space::new(problem.system.dims(), &problem.system.description().rotations, false).expect("fits");
            // In a chart BDF has no slopes of q, as under a general rate.
            if !space.is_flat() && entry.scheme.name().contains("BDF") {
                continue;
            }
            let [h, _] = entry.ladder(name);
            let mut integrator = integrator(&problem, &*entry.scheme, h);
            let mut out = integrator.state().clone();
            for _ in 0..12 {
                let before = integrator.state().t;
                integrator.step(before + 100.0).expect("steps");
                for place in PLACES {
                    let t = before + place * (integrator.state().t - before);
                    let residuals = integrator.consistent_at(t, &mut out).expect("regular");
                    let worst = residuals.position.max(residuals.velocity).max(residuals.nonholonomic);
                    assert!(worst < 1e-13, "{} on {name}: {worst:e}", entry.name);
                }
            }
        }
    }
}
