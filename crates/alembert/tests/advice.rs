//! Errors as data: their words are the message and, on a line of its own, the hint; nothing has to be split.

use alembert::BadTime;
use alembert::BadTolerance;
use alembert::controller::{BadControl, BadPattern};
use alembert::initial::consistent;
use alembert::integrator::{EventFailure, IntegrateError, Limit, Obstacle, StartError};
use alembert::method::{BadMethod, StepFailure};
use alembert::solution::NoState;
use alembert::solve::SolveError;
use alembert::{Advised, GeneralizedAlpha, Guess, HhtAlpha, RungeKutta, Tolerance};
use alembert_problems::by_name;

/// Step failures of all kinds that can be made by hand.
fn failures() -> Vec<StepFailure> {
    vec![
        StepFailure::Crossing { constraint: 0 },
        StepFailure::Contradiction { constraint: 0, other: 1, residual: 1e-3 },
        StepFailure::Opened { gap: 0, open: 1e-2, most: 1e-3 },
        StepFailure::MassSign { coordinate: 0 },
        StepFailure::Pole { coordinate: 0 },
        StepFailure::ConstraintJump { constraint: 0, jump: 1.0 },
        StepFailure::VelocityJump { constraint: 0, jump: 1.0 },
        StepFailure::Massless { coordinate: 2 },
        StepFailure::Diverged { iterations: 7, theta: 2.0 },
        StepFailure::NoMultipliers,
        StepFailure::Turn { coordinate: 0, angle: 4.0 },
        StepFailure::Ratio { ratio: 3.0, limit: 2.0 },
    ]
}

fn events() -> Vec<EventFailure> {
    let constraint = || "rod".to_owned();
    let mut all: Vec<EventFailure> = failures().into_iter().map(EventFailure::Step).collect();
    all.extend([
        EventFailure::NotANumber,
        EventFailure::OffConstraint { constraint: constraint(), residual: 0.1 },
        EventFailure::Restitution(2.0),
        EventFailure::NoSuchMode(3),
        EventFailure::Impact { constraint: constraint(), moved: 1.0 },
        EventFailure::NotFinite { what: "a velocity".to_owned(), value: f64::NAN },
        EventFailure::NotASurface("velocities"),
        EventFailure::NoNormal,
        EventFailure::Rough { error: 0.1 },
        EventFailure::WrongGradient { supplied: 1.0, measured: 2.0 },
        EventFailure::StillClosing { speed: 1.0 },
        EventFailure::LawNotMet { speed: 1.0, wanted: 2.0 },
        EventFailure::Jump,
        EventFailure::NoSide,
    ]);
    all
}

fn ends() -> Vec<IntegrateError> {
    let blame = || Some("rod".to_owned());
    let name = || "floor".to_owned();
    let mut all = Vec::new();
    for failure in failures() {
        all.push(IntegrateError::Step { t: 1.0, h: 0.1, failure, blame: blame() });
        for shortest in [0.0, 1e-3] {
            let cause = Obstacle::Failure(failure);
            all.push(IntegrateError::StepTooSmall { t: 1.0, h: 0.1, shortest, cause, blame: None });
        }
        all.push(IntegrateError::Row { t: 1.0, failure });
    }
    for failure in events() {
        all.push(IntegrateError::Event { t: 1.0, name: name(), failure: failure.clone() });
        all.push(IntegrateError::Jump { t: 1.0, failure });
    }
    let cause = Obstacle::Error(3.0);
    all.push(IntegrateError::StepTooSmall { t: 1.0, h: 0.1, shortest: 0.0, cause, blame: blame() });
    all.push(IntegrateError::Backward { t: 1.0, t_end: 0.0 });
    all.push(IntegrateError::Limit { t: 1.0, limit: Limit::Attempts(3) });
    all.push(IntegrateError::Chattering { t: 1.0, name: name() });
    all.push(IntegrateError::Sliding { t: 1.0, name: name(), accelerations: [1.0, -1.0], switch: None });
    all
}

fn check(error: &dyn Advised) {
    let advice = error.advice();
    assert!(!advice.message.is_empty() && !advice.message.contains("hint:"), "{advice:?}");
    let whole = match &advice.hint {
        Some(hint) => {
            assert!(!hint.is_empty() && !hint.contains("hint:") && !hint.contains('\n'), "{advice:?}");
            format!("{}\nhint: {hint}", advice.message)
        }
        None => advice.message.clone(),
    };
    assert_eq!(error.to_string(), whole);
}

#[test]
fn words_are_message_and_hint() {
    let mut all: Vec<Box<dyn Advised>> = Vec::new();
    all.extend(failures().into_iter().map(|error| Box::new(error) as Box<dyn Advised>));
    all.extend(events().into_iter().map(|error| Box::new(error) as Box<dyn Advised>));
    all.extend(ends().into_iter().map(|error| Box::new(error) as Box<dyn Advised>));
    for error in ends() {
        let stopped = Some(Box::new(error));
        all.push(Box::new(NoState::Outside { t: 2.0, range: (0.0, 1.0), stopped }));
    }
    all.push(Box::new(NoState::Outside { t: 2.0, range: (0.0, 1.0), stopped: None }));
    for (from, to) in [(0.0, 0.0), (1.0, 0.0), (0.0, f64::NAN)] {
        all.push(Box::new(SolveError::Range { from, to }));
    }
    all.push(Box::new(SolveError::OtherTime { guess: 0.0, from: 1.0 }));
    all.push(Box::new(BadTime { index: 0, t: f64::NAN }));
    all.push(Box::new(BadControl { name: "longest", h: -1.0 }));
    all.push(Box::new(BadPattern::Empty));
    for error in &all {
        check(&**error);
    }
    // All that ends an integration says what to do about it, but where a row cannot be computed.
    for error in ends() {
        let is_row = matches!(
            error,
            IntegrateError::Row { .. }
                | IntegrateError::Event { failure: EventFailure::Step(_), .. }
                | IntegrateError::Jump { failure: EventFailure::Step(_), .. }
        );
        assert!(is_row || error.hint().is_some(), "{error}");
    }
}

#[test]
fn who_is_to_blame_has_a_name() {
    let blamed = |error: &dyn Advised| error.blame().unwrap_or_default();
    assert_eq!(blamed(&HhtAlpha::new(0.5).expect_err("out of range")), "alpha");
    assert_eq!(blamed(&GeneralizedAlpha::from_rho_infinity(2.0).expect_err("out of range")), "rho_infinity");
    assert_eq!(blamed(&RungeKutta::radau(1).expect_err("out of range")), "stages");
    assert_eq!(blamed(&Tolerance::new(2.0, 1.0).expect_err("out of range")), "rtol");
    assert_eq!(blamed(&BadTolerance(Tolerance { rtol: 1e-6, atol_q: -1.0, atol_v: 1.0 })), "atol");
    let bad = BadMethod::Parameter { name: "alpha", value: 1.0, allowed: "in [-1/3, 0]" };
    assert_eq!(blamed(&StartError::Method(bad)), "alpha");
    let pendulum = by_name("pendulum").expect("known");
    let error = consistent(&*pendulum.system, &Guess::new(0.0, vec![], vec![])).expect_err("refused");
    check(&error);
    assert_eq!(blamed(&error), "q");
    for error in ends() {
        if let IntegrateError::Step { .. } = error {
            assert_eq!(blamed(&error), "rod");
        }
    }
}
