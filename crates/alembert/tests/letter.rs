//! The papers' variants to the letter: the equations of a first step as they are printed, solved by Newton's method with
//! differences for the whole system at once, against what the methods compute.

use alembert::method::{Coefficients, Form, Scheme, Start};
use alembert::{
    Accepted, Equations, FixedSteps, GeneralizedAlpha, Guess, HhtAlpha, Integrator, Point, State, Tolerance, Unobserved,
};
use alembert_problems::{Problem, by_name};
use std::ops::ControlFlow;

/// What the printed equations are made of.
struct Functions<'p> {
    equations: Equations<'p>,
    n: usize,
    nl: usize,
    np: usize,
}

impl<'p> Functions<'p> {
    fn new(problem: &'p Problem) -> Self {
        let equations = Equations::new(&*problem.system);
        let dims = equations.dims();
        Functions { n: dims.v, nl: dims.lambda, np: dims.psi, equations }
    }

    fn mass(&mut self, t: f64, q: &[f64]) -> Vec<f64> {
        let mut mass = vec![0.0; self.n * self.n];
        self.equations.mass(t, q, &mut mass).expect("finite");
        mass
    }

    fn force(&mut self, t: f64, q: &[f64], v: &[f64]) -> Vec<f64> {
        let mut force = vec![0.0; self.n];
        self.equations.force(t, q, v, &mut force).expect("finite");
        force
    }

    fn reaction(&mut self, t: f64, q: &[f64], v: &[f64], mu: &[f64]) -> Vec<f64> {
        let (lambda, psi) = mu.split_at(self.nl);
        let (mut w_v, mut k_v) = (vec![0.0; self.nl * self.n], vec![0.0; self.np * self.n]);
        self.equations.holonomic_q(t, q, &mut w_v).expect("finite");
        self.equations.nonholonomic_v(t, q, v, &mut k_v).expect("finite");
        let mut r = vec![0.0; self.n];
        self.equations.reaction(Point { t, q, v, lambda, psi }, &w_v, &k_v, &mut r).expect("finite");
        r
    }

    /// F = f + r.
    fn total(&mut self, t: f64, q: &[f64], v: &[f64], mu: &[f64]) -> Vec<f64> {
        let r = self.reaction(t, q, v, mu);
        self.force(t, q, v).iter().zip(r).map(|(f, r)| f + r).collect()
    }

    fn holonomic(&mut self, t: f64, q: &[f64]) -> Vec<f64> {
        let mut g = vec![0.0; self.nl];
        self.equations.holonomic(t, q, &mut g).expect("finite");
        g
    }

    fn velocity(&mut self, t: f64, q: &[f64], v: &[f64]) -> Vec<f64> {
        let (mut g_q, mut out) = (vec![0.0; self.nl * self.n], vec![0.0; self.nl]);
        self.equations.holonomic_q(t, q, &mut g_q).expect("finite");
        self.equations.velocity(t, q, v, &g_q, &mut out).expect("finite");
        out
    }

    fn nonholonomic(&mut self, t: f64, q: &[f64], v: &[f64]) -> Vec<f64> {
        let mut k = vec![0.0; self.np];
        self.equations.nonholonomic(t, q, v, &mut k).expect("finite");
        k
    }
}

/// A x for a square matrix.
fn times(matrix: &[f64], x: &[f64]) -> Vec<f64> {
    matrix.chunks_exact(x.len()).map(|row| row.iter().zip(x).map(|(m, x)| m * x).sum()).collect()
}

/// x + sum of c y.
fn combine(x: &[f64], terms: &[(f64, &[f64])]) -> Vec<f64> {
    let mut out = x.to_vec();
    for (c, y) in terms {
        out.iter_mut().zip(*y).for_each(|(out, y)| *out += c * y);
    }
    out
}

/// A x = b by elimination with exchanges of rows.
fn eliminate(mut a: Vec<f64>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|i, j| a[i * n + k].abs().total_cmp(&a[j * n + k].abs())).expect("not empty");
        (0..n).for_each(|j| a.swap(k * n + j, pivot * n + j));
        b.swap(k, pivot);
        for i in 0..n {
            if i != k {
                let factor = a[i * n + k] / a[k * n + k];
                (k..n).for_each(|j| a[i * n + j] -= factor * a[k * n + j]);
                b[i] -= factor * b[k];
            }
        }
    }
    (0..n).map(|i| b[i] / a[i * n + i]).collect()
}

/// A root by Newton's method with central differences.
fn root(mut x: Vec<f64>, mut residual: impl FnMut(&[f64]) -> Vec<f64>) -> Vec<f64> {
    let n = x.len();
    for _ in 0..40 {
        let f = residual(&x);
        assert_eq!(f.len(), n, "as many equations as unknowns");
        let mut jacobian = vec![0.0; n * n];
        for j in 0..n {
            let d = 1e-5 * (1.0 + x[j].abs());
            let [up, down] = [d, -d].map(|d| {
                let mut moved = x.clone();
                moved[j] += d;
                residual(&moved)
            });
            (0..n).for_each(|i| jacobian[i * n + j] = (up[i] - down[i]) / (2.0 * d));
        }
        let step = eliminate(jacobian, f);
        x.iter_mut().zip(&step).for_each(|(x, d)| *x -= d);
        if step.iter().all(|d| d.abs() < 1e-11) {
            return x;
        }
    }
    panic!("no root of the printed equations");
}

/// What a method computes in its first step: q, v, and its own acceleration and multipliers.
fn first_step(problem: &Problem, scheme: &dyn Scheme, h: f64) -> (State, [Vec<f64>; 4]) {
    let at = &problem.start;
    let guess = Guess::new(at.t, at.q.clone(), at.v.clone()).with_multipliers(at.lambda.clone(), at.psi.clone());
    let start = alembert::consistent(&*problem.system, &guess).expect("consistent");
    let tolerance = Tolerance::new(1e-13, 1e-13).expect("in range");
    let steps = FixedSteps::new(h).expect("positive");
    let mut integrator = Integrator::new(&*problem.system, &start, scheme, steps, tolerance).expect("starts");
    let mut computed = None;
    integrator
        .run(at.t + h, &mut |step: &Accepted| {
            let mu = step.own.lambda.iter().chain(step.own.psi).copied().collect();
            computed = Some([step.state.q.clone(), step.state.v.clone(), step.own.a.to_vec(), mu]);
            ControlFlow::Continue(())
        })
        .expect("runs");
    ((*start).clone(), computed.expect("a step"))
}

fn agree(what: &str, computed: &[Vec<f64>; 4], printed: [&[f64]; 4]) {
    for ((name, computed), printed) in ["q", "v", "a", "multipliers"].iter().zip(computed).zip(printed) {
        assert_eq!(computed.len(), printed.len(), "{what}: {name}");
        for (x, y) in computed.iter().zip(printed) {
            assert!((x - y).abs() < 2e-9 * (1.0 + y.abs()), "{what}: {name} is {x}, the printed equations have {y}");
        }
    }
}

/// Extended HHT-alpha, (3.4) with the variants printed below it. R = M^-1 r where M is not the identity.
fn extended_hht(problem: &Problem, form: Form, alpha: f64, b: f64, h: f64) {
    let scheme = HhtAlpha::new(alpha).expect("in range").with_b(b).expect("not 1/2").with_form(form);
    let (start, computed) = first_step(problem, &scheme.with_start(Start::A0), h);
    let mut functions = Functions::new(problem);
    let (n, nl) = (functions.n, functions.nl);
    let State { t: t0, q: q0, v: v0, .. } = &start;
    let (t0, t1) = (*t0, t0 + h);
    let (beta, gamma) = ((1.0 - alpha).powi(2) / 4.0, 0.5 - alpha);
    let force = functions.force(t0, q0, v0);
    let a0 = eliminate(functions.mass(t0, q0), force);
    // Unknowns: q1, v1, a1, R0, R1 (or R_1/2), Lambda_0, Lambda_1 (or Lambda_1/2).
    // A reaction that is nonlinear in lambda has several branches; the search begins near the right one.
    let reaction = functions.reaction(t0, q0, v0, &start.lambda);
    let r0 = eliminate(functions.mass(t0, q0), reaction);
    let q1 = combine(q0, &[(h, v0), (0.5 * h * h, &a0), (0.5 * h * h, &r0)]);
    let v1 = combine(v0, &[(h, &a0), (h, &r0)]);
    let guess = [&q1, &v1, &a0, &r0, &r0, &start.lambda, &start.lambda].map(|x| x.clone()).concat();
    let middle = matches!(form, Form::Midpoint | Form::MidpointPredicted);
    let solution = root(guess, |x| {
        let (q1, v1, a1) = (&x[..n], &x[n..2 * n], &x[2 * n..3 * n]);
        let (r0, r1) = (&x[3 * n..4 * n], &x[4 * n..5 * n]);
        let (l0, l1) = x[5 * n..].split_at(nl);
        let in_v: [(f64, &[f64]); 2] = if middle { [(0.0, r0), (h, r1)] } else { [(0.5 * h, r0), (0.5 * h, r1)] };
        let q = combine(
            q0,
            &[
                (h, v0),
                (h * h * (0.5 - beta), &a0),
                (h * h * beta, a1),
                (0.5 * h * h * (1.0 - b), r0),
                (0.5 * h * h * b, r1),
            ],
        );
        let v = combine(v0, &[(h * (1.0 - gamma), &a0), (h * gamma, a1), in_v[0], in_v[1]]);
        let predicted = combine(q0, &[(h, v0)]);
        let (t_node, q_node) = match form {
            Form::Full => (t1, q1.to_vec()),
            Form::Predicted => (t1, predicted),
            Form::Midpoint => (t0 + 0.5 * h, combine(&vec![0.0; n], &[(0.5, q0), (0.5, q1)])),
            _ => (t0 + 0.5 * h, combine(&vec![0.0; n], &[(0.5, q0), (0.5, &predicted)])),
        };
        let mut out = combine(q1, &[(-1.0, &q)]);
        out.extend(combine(v1, &[(-1.0, &v)]));
        // M1 a1 = (1+alpha) f1 - alpha M1 A0, and a0 = A0 in a first step.
        let (mass, f1) = (functions.mass(t1, q1), functions.force(t1, q1, v1));
        out.extend(combine(&times(&mass, &combine(a1, &[(alpha, &a0)])), &[(-1.0 - alpha, &f1)]));
        for (t, q, r, l) in [(t0, q0, r0, l0), (t_node, &q_node, r1, l1)] {
            let mass = functions.mass(t, q);
            out.extend(combine(&times(&mass, r), &[(-1.0, &functions.reaction(t, q, v0, l))]));
        }
        out.extend(functions.holonomic(t1, q1).iter().map(|g| g / (h * h)));
        out.extend(functions.velocity(t1, q1, v1).iter().map(|w| w / h));
        out
    });
    let (l0, l1) = solution[5 * n..].split_at(nl);
    let mean: Vec<f64> = l0.iter().zip(l1).map(|(l0, l1)| if middle { *l1 } else { 0.5 * (l0 + l1) }).collect();
    let what = format!("{form:?} on {}", problem.name);
    agree(&what, &computed, [&solution[..n], &solution[n..2 * n], &solution[2 * n..3 * n], &mean]);
}

#[test]
fn extended_hht_and_its_variants_are_those_of_paper_1() {
    for problem in ["paper1", "rheonomic_pendulum", "chain"] {
        let problem = by_name(problem).expect("known");
        extended_hht(&problem, Form::Full, -0.15, 0.3, 0.02);
        extended_hht(&problem, Form::Predicted, -0.15, 0.3, 0.02);
        extended_hht(&problem, Form::Midpoint, -0.2, 0.0, 0.02);
        extended_hht(&problem, Form::MidpointPredicted, -0.2, 0.0, 0.02);
    }
}

#[test]
fn the_two_midpoint_variants_differ() {
    let problem = by_name("paper1").expect("known");
    let scheme = HhtAlpha::new(-0.2).expect("in range").with_start(Start::A0);
    let [letter, predicted] = [Form::Midpoint, Form::MidpointPredicted]
        .map(|form| first_step(&problem, &scheme.with_form(form), 0.05).1[3][0]);
    assert!((letter - predicted).abs() > 1e-5, "{letter} and {predicted}");
}

/// SOI2, (14), with a first a_al from (10).
fn soi2_from_10(problem: &Problem, rho: f64, h: f64) {
    let scheme = GeneralizedAlpha::from_rho_infinity(rho).expect("in range").with_start(Start::Implicit);
    let (start, computed) = first_step(problem, &scheme, h);
    let Coefficients { alpha_m, alpha_f, beta, gamma } = scheme.coefficients;
    let alpha = scheme.coefficients.alpha();
    let mut functions = Functions::new(problem);
    let (n, m) = (functions.n, functions.nl + functions.np);
    let State { t: t0, q: q0, v: v0, a: a0, lambda, psi } = &start;
    let (t0, t1) = (*t0, t0 + h);
    let mu0 = [lambda.clone(), psi.clone()].concat();
    let f0 = functions.total(t0, q0, v0, &mu0);
    let mass_al = functions.mass(t0 + alpha * h, &combine(q0, &[(alpha * h, v0)]));
    let mass = functions.mass(t0 + (1.0 + alpha) * h, &combine(q0, &[((1.0 + alpha) * h, v0)]));
    // Unknowns: a~, a, a_al, mu~, mu; q1, v~, v1 follow from them.
    let guess = [a0, a0, a0, &mu0, &mu0].map(|x| x.clone()).concat();
    let place = |x: &[f64]| {
        let (a_tilde, a, a_al) = (&x[..n], &x[n..2 * n], &x[2 * n..3 * n]);
        let q1 = combine(q0, &[(h, v0), (h * h * (0.5 - beta), a_al), (h * h * beta, a_tilde)]);
        let [v_tilde, v1] = [a_tilde, a].map(|a| combine(v0, &[(h * (1.0 - gamma), a_al), (h * gamma, a)]));
        (q1, v_tilde, v1)
    };
    let solution = root(guess, |x| {
        let (q1, v_tilde, v1) = place(x);
        let (a_tilde, a, a_al) = (&x[..n], &x[n..2 * n], &x[2 * n..3 * n]);
        let (mu_tilde, mu) = x[3 * n..].split_at(m);
        let mut out = Vec::new();
        for (a, mu) in [(a_tilde, mu_tilde), (a, mu)] {
            let f1 = functions.total(t1, &q1, &v1, mu);
            let inertia =
                combine(&vec![0.0; n], &[(1.0 - alpha_m, &times(&mass, a)), (alpha_m, &times(&mass_al, a_al))]);
            out.extend(combine(&inertia, &[(alpha_f - 1.0, &f1), (-alpha_f, &f0)]));
        }
        let f1 = functions.total(t1, &q1, &v1, mu);
        out.extend(combine(&times(&mass_al, a_al), &[(alpha - 1.0, &f0), (-alpha, &f1)]));
        out.extend(functions.holonomic(t1, &q1).iter().map(|g| g / (h * h)));
        out.extend(functions.velocity(t1, &q1, &v1).iter().map(|w| w / h));
        out.extend(functions.nonholonomic(t1, &q1, &v_tilde).iter().map(|k| k / h));
        out.extend(functions.nonholonomic(t1, &q1, &v1).iter().map(|k| k / h));
        out
    });
    let (q1, _, v1) = place(&solution);
    let what = format!("start (10) at rho {rho} on {}", problem.name);
    agree(&what, &computed, [&q1, &v1, &solution[n..2 * n], &solution[3 * n + m..]]);
}

#[test]
fn the_implicit_start_is_equation_10() {
    for problem in ["paper2", "paper3", "rheonomic_pendulum", "sleigh", "sleigh_bowl", "polar_oscillator"] {
        let problem = by_name(problem).expect("known");
        for rho in [0.2, 0.5, 0.8] {
            soi2_from_10(&problem, rho, 0.02);
        }
    }
}

#[test]
fn the_moving_middle_is_in_the_matrix_of_the_midpoint_form() {
    // A wrong block changes nothing but the iterations: 128 in 20 steps, 146 with its sign turned.
    let problem = by_name("chain").expect("known");
    let (at, h) = (&problem.start, 0.01);
    let start = alembert::consistent(&*problem.system, &Guess::new(at.t, at.q.clone(), at.v.clone()));
    let start = start.expect("consistent");
    let scheme = HhtAlpha::new(-0.2).expect("in range").with_form(Form::Midpoint);
    let tolerance = Tolerance::new(1e-12, 1e-12).expect("in range");
    let steps = FixedSteps::new(h).expect("positive");
    let mut integrator = Integrator::new(&*problem.system, &start, &scheme, steps, tolerance).expect("starts");
    integrator.run(at.t + 20.0 * h, &mut Unobserved).expect("runs");
    let iterations = integrator.stats().iterations;
    assert!(iterations <= 137, "{iterations}");
}
