//! `cargo xtask accuracy`: error over tolerance.

use alembert::equations::Function;
use alembert::method::Scheme;
use alembert::{
    ErrorControl, GeneralizedAlpha, HhtAlpha, Integrator, RungeKutta, State, Stats, Tolerance, Unobserved, VariableBdf,
};
use alembert_problems::Problem;
use alembert_problems::kinked_pendulum::{self, Force};

use crate::TaskError;

fn kinked() -> Vec<(String, Vec<Problem>)> {
    let all = |forces: &[Force]| forces.iter().map(|f| kinked_pendulum::new(*f)).collect::<Vec<_>>();
    vec![
        (
            "kinks".into(),
            all(&[
                Force::Kink { k: 5.0, d: 0.3 },
                Force::Kink { k: 20.0, d: -0.2 },
                Force::Kink { k: 1.0, d: 0.0 },
                Force::Kink { k: 50.0, d: 0.55 },
            ]),
        ),
        (
            "jumps".into(),
            all(&[
                Force::Jump { c: 2.0, d: 0.1 },
                Force::Jump { c: -3.0, d: 0.4 },
                Force::Jump { c: 0.5, d: -0.5 },
                Force::Jump { c: 1.0, d: 0.0 },
            ]),
        ),
        (
            "contact".into(),
            all(&[
                Force::Stop { k: 1e4, d: -0.3 },
                Force::Stop { k: 1e5, d: -0.5 },
                Force::Stop { k: 1e6, d: 0.1 },
                Force::Stop { k: 1e6, d: -0.7 },
            ]),
        ),
        (
            "tanh".into(),
            all(&[
                Force::Steep { c: 3.0, d: 0.2, width: 1e-2 },
                Force::Steep { c: 3.0, d: 0.2, width: 1e-3 },
                Force::Steep { c: -2.0, d: -0.3, width: 1e-4 },
                Force::Steep { c: 1.0, d: 0.0, width: 1e-3 },
            ]),
        ),
        ("switched".into(), all(&[Force::Switched { c: 5.0, at: 1.234 }, Force::Switched { c: -2.0, at: 0.5 }])),
    ]
}

fn smooth() -> Vec<Problem> {
    let names = [
        "pendulum",
        "andrews",
        "chain",
        "car_axis",
        "rolling_disk",
        "paper1",
        "paper2",
        "paper3",
        "rheonomic_pendulum",
        "sleigh",
        "sleigh_bowl",
        "heavy_top",
        "spatial_pendulum",
        "spring_pendulum",
        "swinging",
        "slider_crank",
        "wheelset",
        "multiple_pendulum",
        "oscillator",
        "polar_oscillator",
        "free_body",
    ];
    names.iter().filter_map(|n| alembert_problems::by_name(n)).collect()
}

fn scheme(name: &str, tol: f64) -> Result<Box<dyn Scheme>, TaskError> {
    Ok(match name {
        "radau" => Box::new(RungeKutta::radau(if tol >= 1e-4 {
            3
        } else if tol < 1e-9 {
            7
        } else {
            5
        })?),
        "bdf" => Box::new(VariableBdf::new()),
        "soi2" => Box::new(GeneralizedAlpha::from_rho_infinity(0.8)?),
        _ => Box::new(HhtAlpha::new(-0.1)?),
    })
}

fn references(problem: &Problem) -> Vec<State> {
    (1..=4)
        .map(|i| problem.reference_at(problem.start.t + (problem.t_end - problem.start.t) * f64::from(i) / 4.0))
        .collect()
}

fn ratio(problem: &Problem, exact: &[State], method: &str, tol: f64) -> Result<(f64, Stats), TaskError> {
    let at = &problem.start;
    let guess =
        alembert::Guess::new(at.t, at.q.clone(), at.v.clone()).with_multipliers(at.lambda.clone(), at.psi.clone());
    let start = alembert::consistent(&*problem.system, &guess)?;
    let scheme = scheme(method, tol)?;
    let mut integrator =
        Integrator::new(&*problem.system, &start, &*scheme, ErrorControl::new(), Tolerance::new(tol, tol)?)?;
    let (mut error, mut size) = ([0.0_f64; 2], [0.0_f64; 2]);
    for exact in exact {
        integrator.run(exact.t, &mut Unobserved)?;
        let state = integrator.state();
        for (i, (x, y)) in [(&state.q, &exact.q), (&state.v, &exact.v)].into_iter().enumerate() {
            for (x, y) in x.iter().zip(y) {
                error[i] = error[i].max((x - y).abs());
                size[i] = size[i].max(y.abs());
            }
        }
    }
    let ratio = f64::max(error[0] / (1.0 + size[0]), error[1] / (1.0 + size[1])) / tol;
    Ok((ratio, integrator.stats()))
}

fn quantile(values: &mut Vec<f64>, q: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    if values.is_empty() {
        return f64::NAN;
    }
    values[((values.len() - 1) as f64 * q).round() as usize]
}

pub fn run(filter: &str) -> Result<(), TaskError> {
    let tolerances: Vec<f64> = (3..=10).map(|k| 10f64.powi(-k)).collect();
    let methods: Vec<&str> = ["radau", "bdf", "soi2", "hht"]
        .into_iter()
        .filter(|m| filter.is_empty() || filter.split(',').any(|f| f == *m))
        .collect();
    let kinked = kinked();
    for method in &methods {
        let mut all = Vec::new();
        let mut work = 0;
        for (family, problems) in &kinked {
            let exacts: Vec<Vec<State>> = problems.iter().map(references).collect();
            print!("{method} {family:10}");
            for tol in tolerances.iter().filter(|t| **t <= 1e-4 && (*method == "radau" || **t > 1e-8)) {
                let mut ratios = Vec::new();
                for (problem, exact) in problems.iter().zip(&exacts) {
                    match ratio(problem, exact, method, *tol) {
                        Ok((r, stats)) => {
                            ratios.push(r);
                            all.push(r);
                            work += stats.evaluations.of(Function::Force);
                        }
                        Err(e) => {
                            print!(" [{}]", e.to_string().lines().next().unwrap_or(""));
                        }
                    }
                }
                print!(" {:>7.1e}/{:>7.1e}", quantile(&mut ratios, 0.5), quantile(&mut ratios, 1.0));
            }
            println!();
        }
        println!(
            "{method} kinked: median {:.2e} p90 {:.2e} max {:.2e} work {work}",
            quantile(&mut all, 0.5),
            quantile(&mut all, 0.9),
            quantile(&mut all, 1.0)
        );
    }
    let smooth = smooth();
    for method in &methods {
        let mut all = Vec::new();
        for problem in &smooth {
            if *method == "hht" && problem.system.dims().psi > 0 {
                continue;
            }
            let exact = references(problem);
            print!("{method} {:20}", problem.name);
            for tol in tolerances.iter().filter(|t| *method == "radau" || **t > 1e-8) {
                match ratio(problem, &exact, method, *tol) {
                    Ok((r, stats)) => {
                        print!(" {r:>7.1e} ({:>6})", stats.evaluations.of(Function::Force));
                        all.push(r);
                    }
                    Err(e) => print!(" [{}]", e.to_string().lines().next().unwrap_or("")),
                }
            }
            println!();
        }
        println!(
            "{method} smooth: median {:.2e} p10 {:.2e} p90 {:.2e} max {:.2e}",
            quantile(&mut all, 0.5),
            quantile(&mut all, 0.1),
            quantile(&mut all, 0.9),
            quantile(&mut all, 1.0)
        );
    }
    Ok(())
}
