//! What is asked of a system together is what is asked alone, for every problem, in every combination that is asked.

use alembert::{Answer, At, ConstrainedSystem, Dims, Equations, Quantity};
use alembert_problems::{Problem, all, long_chain};

/// How many numbers a quantity has.
fn len(system: &dyn ConstrainedSystem, quantity: Quantity) -> usize {
    let description = system.description();
    let Dims { q, v, lambda, psi } = description.dims;
    let tangent = if description.has_general_rate() { q } else { v };
    let patterns = description.patterns.as_ref();
    let top = patterns.map_or(v * v, |patterns| patterns.top.len());
    let rows = |first: usize, count: usize, columns: usize| {
        patterns.map_or(count * columns, |patterns| patterns.rows.part(first..first + count).len())
    };
    use Quantity::*;
    match quantity {
        Mass | ForceV | ReactionV => top,
        MassQ | ForceQ | ReactionQ | ResidualQ => patterns.map_or(v * tangent, |patterns| patterns.top.len()),
        Force | Reaction | Residual => v,
        Holonomic | HolonomicT | HolonomicBias | HolonomicChange => lambda,
        Nonholonomic | NonholonomicBias => psi,
        HolonomicQ | HolonomicVelocityQ => rows(0, lambda, tangent),
        ReactionLambda => rows(0, lambda, v),
        NonholonomicQ => rows(lambda, psi, tangent),
        NonholonomicV | ReactionPsi => rows(lambda, psi, v),
        Rate => q,
        RateV => q * v,
        RateQ => q * q,
        Energy => 5,
        Landmarks => description.landmarks,
        Switches => description.switches.len(),
        Gaps => description.gaps.len(),
    }
}

/// The answers to one question. What a system says to overwrite is not zero before.
fn ask(system: &dyn ConstrainedSystem, at: &At, quantities: &[Quantity]) -> Vec<Vec<f64>> {
    let before = |quantity: Quantity| if system.description().overwritten.has(quantity) { f64::NAN } else { 0.0 };
    let room = |quantity: &Quantity| vec![before(*quantity); len(system, *quantity)];
    let mut rooms: Vec<Vec<f64>> = quantities.iter().map(room).collect();
    let mut wanted: Vec<_> = quantities.iter().copied().zip(rooms.iter_mut().map(Vec::as_mut_slice)).collect();
    let mut answer = Answer::new(&mut wanted);
    system.evaluate(at, &mut answer, &mut system.workspace());
    assert!(answer.open().is_empty(), "{:?} is left open", answer.open());
    rooms
}

fn check(problem: &Problem) {
    let system = &*problem.system;
    let supplied: Vec<Quantity> = system.description().supplied.iter().collect();
    let start = &problem.start;
    // Off the constraints, and moving.
    let v: Vec<f64> = start.v.iter().enumerate().map(|(i, v)| v + 0.1 * (1.3 * i as f64 + 0.4).sin()).collect();
    let a: Vec<f64> = (0..v.len()).map(|i| 1.0 + 0.3 * i as f64).collect();
    let mu = |count: usize| -> Vec<f64> { (0..count).map(|i| 0.7 - 0.2 * i as f64).collect() };
    let (lambda, psi) = (mu(start.lambda.len()), mu(start.psi.len()));
    let dq: Vec<f64> = (0..start.q.len()).map(|i| 0.01 - 0.003 * i as f64).collect();
    let at =
        At { t: start.t, q: &start.q, v: &v, a: &a, lambda: &lambda, psi: &psi, dt: 0.01, dq: &dq, ..At::default() };
    let alone: Vec<Vec<f64>> = supplied.iter().flat_map(|quantity| ask(system, &at, &[*quantity])).collect();
    for (quantity, exact) in supplied.iter().zip(&alone).filter(|(_, exact)| !exact.is_empty()) {
        let before = if system.description().overwritten.has(*quantity) { f64::NAN } else { 0.0 };
        let mut found = vec![before; exact.len()];
        system.single(*quantity, &at, &mut found, &mut system.workspace());
        assert_eq!(&found, exact, "{}: {} by itself", problem.name, quantity.name());
    }
    let compare = |quantities: &[Quantity]| {
        for (quantity, found) in quantities.iter().zip(ask(system, &at, quantities)) {
            let place = supplied.iter().position(|other| other == quantity).expect("supplied");
            let size = alone[place].iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            for (x, y) in found.iter().zip(&alone[place]) {
                // Numbers with derivatives may round otherwise.
                let close = (x - y).abs() <= 1e-12 * (1.0 + size);
                assert!(close, "{}: {} with {quantities:?}: {x} for {y}", problem.name, quantity.name());
            }
        }
    };
    compare(&supplied);
    let reversed: Vec<Quantity> = supplied.iter().rev().copied().collect();
    compare(&reversed);
    for (i, one) in supplied.iter().enumerate() {
        supplied[..i].iter().for_each(|other| compare(&[*one, *other]));
    }
}

#[test]
fn answers_do_not_depend_on_what_else_is_asked() {
    all().iter().for_each(check);
    let loads = long_chain::Loads { stiffness: 3.0, damping: 0.1, coriolis: 0.2, follower: 0.5 };
    check(&long_chain::new(7, loads));
}

#[test]
fn equations_count_each_quantity_once() {
    let problem = alembert_problems::by_name("andrews").expect("known");
    let mut equations = Equations::new(&*problem.system);
    let Dims { v, lambda, .. } = equations.dims();
    let (mut g, mut g_q) = (vec![1.0; lambda], vec![1.0; lambda * v]);
    let at = At::new(0.0, &problem.start.q, &problem.start.v);
    equations.ask(&at, [(Quantity::Holonomic, &mut g), (Quantity::HolonomicQ, &mut g_q)]).expect("finite");
    let counts: Vec<_> = equations.evaluations().iter().collect();
    assert_eq!(counts, [("holonomic", 1), ("holonomic_q", 1)]);
    let [exact, rows] = [Quantity::Holonomic, Quantity::HolonomicQ].map(|quantity| {
        let mut out = vec![0.0; len(&*problem.system, quantity)];
        let _ = problem.system.ask(quantity, &at, &mut out);
        out
    });
    assert!(g.iter().zip(&exact).all(|(x, y)| (x - y).abs() < 1e-13));
    assert!(g_q.iter().zip(&rows).all(|(x, y)| (x - y).abs() < 1e-13));
}
