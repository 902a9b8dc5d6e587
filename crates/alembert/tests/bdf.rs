//! BDF: the tables of paper 5, and multipliers of full order from the first step on any grid.

use alembert::method::{Bdf, BdfStart, Formulation, Scheme};
use alembert::{FixedSteps, Guess, Integrator, State, Tolerance};
use alembert_problems::{Problem, by_name};

fn march(scheme: &dyn Scheme, problem: &Problem, steps: &[f64], mut look: impl FnMut(&State)) {
    let from = &problem.start;
    let guess =
        Guess::new(from.t, from.q.clone(), from.v.clone()).with_multipliers(from.lambda.clone(), from.psi.clone());
    let start = alembert::consistent(&*problem.system, &guess).expect("consistent");
    let tolerance = Tolerance::new(1e-13, 1e-13).expect("in range");
    let pattern = FixedSteps::pattern(1.0, steps).expect("positive");
    let mut integrator = Integrator::new(&*problem.system, &start, scheme, pattern, tolerance).expect("starts");
    for _ in steps {
        look(integrator.step(1e9).expect("converges").state);
    }
}

fn index3(order: usize, start: BdfStart) -> Bdf {
    Bdf::new(order).expect("in range").with_formulation(Formulation::Index3).with_start(start)
}

#[test]
fn probe() {
    for (name, table) in [("paper5_circle", 0), ("paper5_sphere", 1)] {
        let problem = by_name(name).expect("known");
        for start in [BdfStart::Exact, BdfStart::Consistent, BdfStart::Paper] {
            for h in [0.0005, 0.001] {
                print!("{table} {start:?} {h}: ");
                march(&index3(1, start), &problem, &vec![h; if h > 0.0007 { 2 } else { 4 }], |s| {
                    print!("{:.7} ", (s.lambda[0] - problem.reference_at(s.t).lambda[0]).abs());
                });
                println!();
            }
        }
    }
}
