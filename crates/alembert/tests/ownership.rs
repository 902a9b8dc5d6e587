//! A run can own its system, be kept, moved to a thread, and dropped half-way; one system serves many runs at once.

use std::sync::Arc;

use alembert::controller::StepController;
use alembert::method::Scheme;
use alembert::{
    Action, At, Bdf, ConsistentState, ConstrainedSystem, Differentiated, Dims, Equations, ErrorControl, Event,
    FixedSteps, Functions, GeneralizedAlpha, Guess, HhtAlpha, Integrator, Limits, Occurrence, Quantity, Recorder,
    RungeKutta, State, Supplied, SystemRef, Tolerance, Unobserved, VariableBdf, Workspace, consistent,
};
use alembert_problems::bead::Bead;
use alembert_problems::{Problem, by_name};

const fn is_send<T: Send + ?Sized>() {}
const fn is_shared<T: Send + Sync + ?Sized>() {}

// Whether this compiles is the test.
const _: () = {
    is_send::<Integrator<'static>>();
    is_send::<Equations<'static>>();
    is_send::<Event<'static>>();
    is_send::<Limits<'static>>();
    is_send::<Box<dyn StepController>>();
    is_send::<Box<dyn alembert::method::Method>>();
    is_send::<Workspace>();
    is_send::<Recorder>();
    is_shared::<dyn ConstrainedSystem>();
    is_shared::<SystemRef<'static>>();
    is_shared::<Functions<'static>>();
    is_shared::<Differentiated<Bead>>();
    is_shared::<ConsistentState>();
    is_shared::<Occurrence>();
};

fn schemes() -> Vec<(&'static str, Box<dyn Scheme>)> {
    vec![
        ("soi2", Box::new(GeneralizedAlpha::from_rho_infinity(0.8).expect("in range"))),
        ("hht", Box::new(HhtAlpha::new(-0.1).expect("in range"))),
        ("radau", Box::new(RungeKutta::default())),
        ("bdf", Box::new(VariableBdf::new())),
        ("bdf 2, fixed", Box::new(Bdf::new(2).expect("in range"))),
    ]
}

fn start(problem: &Problem) -> ConsistentState {
    let from = &problem.start;
    let guess =
        Guess::new(from.t, from.q.clone(), from.v.clone()).with_multipliers(from.lambda.clone(), from.psi.clone());
    consistent(&*problem.system, &guess).expect("consistent")
}

/// A run with an event that counts.
fn build<'s>(
    system: impl Into<SystemRef<'s>>,
    start: &ConsistentState,
    name: &str,
    scheme: &dyn Scheme,
) -> Integrator<'s> {
    let tolerance = Tolerance::new(1e-6, 1e-6).expect("in range");
    let built = match name {
        "bdf 2, fixed" => Integrator::new(system, start, scheme, FixedSteps::new(1e-4).expect("positive"), tolerance),
        _ => Integrator::new(system, start, scheme, ErrorControl::new(), tolerance),
    };
    let mut integrator = built.unwrap_or_else(|e| panic!("{name}: {e}"));
    let mut seen = 0;
    let count = move |_: &mut State| {
        seen += 1;
        if seen > 1000 { Action::Stop } else { Action::Continue }
    };
    integrator.add_event(Event::new("x", |state| state.q[0]).with_action(count));
    integrator
}

/// All numbers of a state, bit for bit.
fn bits(state: &State) -> Vec<u64> {
    let State { t, q, v, a, lambda, psi } = state;
    let all = [q, v, a, lambda, psi].into_iter().flatten();
    std::iter::once(t).chain(all).map(|x| x.to_bits()).collect()
}

#[test]
fn a_run_that_moves_to_a_thread_ends_as_the_borrowed_one() {
    // Exact derivatives, rotations (charts under Radau and BDF), patterns.
    for problem in ["pendulum", "heavy_top", "andrews"] {
        for (name, scheme) in schemes() {
            let problem = by_name(problem).expect("known");
            let start = start(&problem);
            let t_end = problem.start.t + 0.5 * (problem.t_end - problem.start.t).min(1.0);
            let system: Arc<dyn ConstrainedSystem> = problem.system.into();
            let mut borrowed = build(&*system, &start, name, &*scheme);
            borrowed.run(t_end, &mut Unobserved).unwrap_or_else(|e| panic!("{name}: {e}"));

            let mut owning: Integrator<'static> = build(system.clone(), &start, name, &*scheme);
            owning.step(t_end).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert!(owning.state().t < t_end, "{name} has something left to do");
            let moved = std::thread::spawn(move || {
                owning.run(t_end, &mut Unobserved).unwrap_or_else(|e| panic!("{name}: {e}"));
                owning
            });
            let owning = moved.join().expect("no panic");
            assert_eq!(bits(owning.state()), bits(borrowed.state()), "{name} on {}", problem.name);
            assert_eq!(owning.stats().evaluations, borrowed.stats().evaluations, "{name} on {}", problem.name);
            assert_eq!(owning.occurrences().len(), borrowed.occurrences().len());
        }
    }
}

#[test]
fn a_run_that_is_dropped_half_way_lets_go_of_its_system() {
    for (name, scheme) in schemes() {
        let problem = by_name("heavy_top").expect("known");
        let start = start(&problem);
        let system: Arc<dyn ConstrainedSystem> = problem.system.into();
        let mut owning = build(system.clone(), &start, name, &*scheme);
        owning.step(1.0).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(Arc::strong_count(&system) > 1, "{name} owns it");
        std::thread::spawn(move || drop(owning)).join().expect("no panic");
        assert_eq!(Arc::strong_count(&system), 1, "{name}");
    }
}

#[test]
fn one_system_serves_several_threads_at_once() {
    let problem = by_name("andrews").expect("known");
    let start = start(&problem);
    let scheme = RungeKutta::default();
    let t_end = 0.005;
    let alone = {
        let mut run = build(&*problem.system, &start, "radau", &scheme);
        run.run(t_end, &mut Unobserved).expect("runs");
        bits(run.state())
    };
    let system: Arc<dyn ConstrainedSystem> = problem.system.into();
    let runs: Vec<_> = (0..4)
        .map(|_| {
            let mut run = build(system.clone(), &start, "radau", &scheme);
            std::thread::spawn(move || run.run(t_end, &mut Unobserved).map(|_| bits(run.state())))
        })
        .collect();
    for run in runs {
        assert_eq!(run.join().expect("no panic").expect("runs"), alone);
    }
}

#[test]
fn a_workspace_belongs_to_whoever_asks() {
    // The same workspace for two systems in turn, and two for the same system.
    let [one, other] = ["pendulum", "heavy_top"].map(|name| by_name(name).expect("known"));
    let ask = |problem: &Problem, workspace: &mut Workspace| {
        let mut g_q = vec![0.0; problem.start.lambda.len() * problem.start.v.len()];
        let at = At::new(0.0, &problem.start.q, &problem.start.v);
        let mut wanted = [(Quantity::HolonomicQ, &mut g_q[..])];
        problem.system.evaluate(&at, &mut alembert::Answer::new(&mut wanted), workspace);
        g_q
    };
    let expected = [&one, &other].map(|problem| ask(problem, &mut problem.system.workspace()));
    let mut workspace = Workspace::none();
    for _ in 0..2 {
        assert_eq!([&one, &other].map(|problem| ask(problem, &mut workspace)), expected);
    }
    assert!(expected.iter().flatten().any(|x| *x != 0.0));
}

#[test]
fn what_is_not_supplied_is_not_written() {
    let system = Functions::new(Dims { q: 1, v: 1, lambda: 0, psi: 0 }).mass(|_, _, mass| mass[0] = 2.0);
    let (at, mut out) = (At::new(0.0, &[0.0], &[0.0]), [7.0]);
    assert_eq!(system.ask(Quantity::ForceQ, &at, &mut out), Supplied::No);
    assert_eq!(out, [7.0]);
    assert_eq!(system.ask(Quantity::Mass, &at, &mut out), Supplied::Yes);
    assert_eq!(out, [2.0]);
    // A force that nobody gives is none.
    assert_eq!(system.ask(Quantity::Force, &at, &mut out), Supplied::Yes);
    assert_eq!(out, [0.0]);
}
