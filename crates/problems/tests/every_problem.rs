//! What must hold for every problem of the catalogue.

use alembert::{At, ConstrainedSystem, Dims, Point, Quantity, State, Supplied, equations::check_derivatives};
use alembert_problems::{NAMES, Problem, Reference, all, applied_acceleration, by_name};

/// Largest entries of (M a - f - r, g, g_t + G q', k), each relative to the size of its terms.
fn residuals(problem: &Problem, s: &State) -> [f64; 4] {
    let system: &dyn ConstrainedSystem = &*problem.system;
    let Dims { q: nq, v: n, lambda: nl, psi: np } = system.dims();
    let at = Point { t: s.t, q: &s.q, v: &s.v, lambda: &s.lambda, psi: &s.psi };
    let mut rate = s.v.clone();
    let mut u_v = vec![0.0; nq * n];
    let mut general = vec![0.0; nq];
    if system.ask(Quantity::Rate, &At::new(s.t, &s.q, &s.v), &mut general) == Supplied::Yes {
        rate = general;
        let _ = system.ask(Quantity::RateV, &At::new(s.t, &s.q, &s.v), &mut u_v);
    } else {
        (0..n).for_each(|i| u_v[i * n + i] = 1.0);
    }
    let columns = rate.len();
    let (mut mass, mut f, mut r) = (vec![0.0; n * n], vec![0.0; n], vec![0.0; n]);
    let (mut g, mut g_q, mut g_t) = (vec![0.0; nl], vec![0.0; nl * columns], vec![0.0; nl]);
    let (mut k, mut k_v) = (vec![0.0; np], vec![0.0; np * n]);
    let _ = system.ask(Quantity::Mass, &At::new(s.t, &s.q, &[]), &mut mass);
    let _ = system.ask(Quantity::Force, &At::new(s.t, &s.q, &s.v), &mut f);
    let _ = system.ask(Quantity::Holonomic, &At::new(s.t, &s.q, &[]), &mut g);
    let _ = system.ask(Quantity::HolonomicQ, &At::new(s.t, &s.q, &[]), &mut g_q);
    let _ = system.ask(Quantity::HolonomicT, &At::new(s.t, &s.q, &[]), &mut g_t);
    let _ = system.ask(Quantity::Nonholonomic, &At::new(s.t, &s.q, &s.v), &mut k);
    let _ = system.ask(Quantity::NonholonomicV, &At::new(s.t, &s.q, &s.v), &mut k_v);
    if system.ask(Quantity::Reaction, &at.into(), &mut r) == Supplied::No {
        for i in 0..n {
            for j in 0..nl {
                let w: f64 = (0..columns).map(|c| g_q[j * columns + c] * u_v[c * n + i]).sum();
                r[i] -= w * s.lambda[j];
            }
            r[i] -= (0..np).map(|j| k_v[j * n + i] * s.psi[j]).sum::<f64>();
        }
    }
    let mut worst = [0.0_f64; 4];
    let mut put = |kind: usize, x: f64, scale: f64| {
        assert!(x.is_finite(), "{} kind {kind} at {}", problem.name, s.t);
        worst[kind] = worst[kind].max(x.abs() / (1.0 + scale));
    };
    for i in 0..n {
        let terms: Vec<f64> = (0..n).map(|j| mass[i * n + j] * s.a[j]).collect();
        let scale = terms.iter().fold(f[i].abs().max(r[i].abs()), |m, x| m.max(x.abs()));
        put(0, terms.iter().sum::<f64>() - f[i] - r[i], scale);
    }
    let size = s.v.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    for j in 0..nl {
        put(1, g[j], 0.0);
        put(2, g_t[j] + (0..columns).map(|c| g_q[j * columns + c] * rate[c]).sum::<f64>(), size);
    }
    for k in k {
        put(3, k, size);
    }
    worst
}

#[test]
fn names_are_unique_and_known() {
    for (problem, name) in all().iter().zip(NAMES) {
        assert_eq!(problem.name, name);
        assert_eq!(NAMES.iter().filter(|n| **n == name).count(), 1);
    }
    assert!(by_name("no such problem").is_none());
}

#[test]
fn sizes_agree() {
    for p in all() {
        let d = p.system.dims();
        let sizes = [p.start.q.len(), p.start.v.len(), p.start.lambda.len(), p.start.psi.len()];
        assert_eq!(sizes, [d.q, d.v, d.lambda, d.psi], "{}", p.name);
    }
}

#[test]
fn starts_satisfy_the_constraints() {
    for p in all() {
        let s = State {
            t: p.start.t,
            q: p.start.q.clone(),
            v: p.start.v.clone(),
            a: vec![0.0; p.start.v.len()],
            lambda: p.start.lambda.clone(),
            psi: p.start.psi.clone(),
        };
        let [_, g, w, k] = residuals(&p, &s);
        let limit = 1e-14;
        assert!(g <= limit && w <= limit && k <= limit, "{}: {g:e} {w:e} {k:e}", p.name);
    }
}

#[test]
fn derivatives_agree_with_differences() {
    // The slider crank is too stiff for differences; its own file checks a softer one.
    for p in all().into_iter().filter(|p| p.name != "slider_crank") {
        // Off the constraints and away from rest, with entries of the size of the problem's own.
        let shift = |x: &[f64], by: f64| -> Vec<f64> {
            x.iter().enumerate().map(|(i, x)| x + by * (0.3 + (1.7 * i as f64).sin()) * (0.1 + x.abs())).collect()
        };
        let (mut q, v) = (shift(&p.start.q, 0.05), shift(&p.start.v, 0.3));
        for (k, first) in p.system.description().rotations.iter().enumerate() {
            let quaternion = &mut q[first + k..first + k + 4];
            let length = quaternion.iter().map(|p| p * p).sum::<f64>().sqrt();
            quaternion.iter_mut().for_each(|p| *p /= length);
        }
        let (lambda, psi) = (shift(&p.start.lambda, 1.0), shift(&p.start.psi, 1.0));
        let at = Point { t: p.start.t + 0.1, q: &q, v: &v, lambda: &lambda, psi: &psi };
        let report = check_derivatives(&*p.system, at).expect("finite");
        // Friction bends too sharply for one-sided differences; the wheelset's own file uses better ones.
        let sharp = |function: &str| p.name == "wheelset" && function.starts_with("reaction");
        assert!(report.mismatches.iter().all(|m| sharp(m.function)), "{}:\n{report}", p.name);
    }
}

#[test]
fn references_satisfy_the_equations() {
    for p in all() {
        let mut times: Vec<f64> = [0.0, 0.13, 0.5, 1.0].iter().map(|x| p.start.t + x * (p.t_end - p.start.t)).collect();
        if let Reference::EndValue { states, .. } = &p.reference {
            times = states.iter().map(|s| s.t).collect();
        }
        for t in times {
            let worst = residuals(&p, &p.reference_at(t)).into_iter().fold(0.0, f64::max);
            // Inside the force of the slider crank terms of 1e3 cancel.
            let limit = if p.name == "slider_crank" { 1e-11 } else { 1e-12 };
            assert!(worst < limit, "{} at {t}: {:e}", p.name, worst);
        }
    }
}

#[test]
fn closed_forms_solve_the_system() {
    for p in all() {
        if let Reference::Exact(_) | Reference::Reduced(_) = p.reference {
            let t = p.start.t + (p.t_end - p.start.t).min(3.0);
            let (own, integrated) = (p.reference_at(t), p.integrate(t, Default::default()));
            let pairs = [(&own.q, &integrated.q), (&own.v, &integrated.v), (&own.a, &integrated.a)];
            for (own, integrated) in
                pairs.into_iter().chain([(&own.lambda, &integrated.lambda), (&own.psi, &integrated.psi)])
            {
                for (x, y) in own.iter().zip(integrated) {
                    assert!((x - y).abs() < 1e-11 * (1.0 + x.abs()), "{} at {t}: {x} {y} {:e}", p.name, x - y);
                }
            }
        }
    }
}

#[test]
fn energy_is_conserved_by_the_references() {
    for p in all() {
        if let Some(energy) = &p.energy {
            let start = energy(p.start.t, &p.start.q, &p.start.v);
            let end = p.reference_at(p.t_end);
            let change = energy(end.t, &end.q, &end.v) - start;
            assert!(change.abs() < 1e-11 * (1.0 + start.abs()), "{}: {change:e}", p.name);
        }
    }
}

#[test]
fn applied_acceleration_leaves_the_reaction_out() {
    let problem = by_name("paper1").expect("known");
    let (t, a) = (0.5_f64, applied_acceleration(&*problem.system, &problem.reference_at(0.5)));
    assert!(a[0].abs() < 1e-15);
    assert!((a[1] - (4.0 * (-2.0 * t).exp() - (-4.0 * t).exp())).abs() < 1e-15);
}
