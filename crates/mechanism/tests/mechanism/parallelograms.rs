//! Parallelograms of several cranks: over-constrained loops whose dimensions are rounded, and the flat place where they are singular.

use alembert::integrator::{IntegrateError, Obstacle};
use alembert::method::StepFailure;
use alembert::{
    Advised, At, ConstrainedSystem, GeneralizedAlpha, Plan, Quantity, RungeKutta, Supplied, Tolerance, VariableBdf,
    consistent, solve,
};
use alembert_mechanism::joint::Revolute;
use alembert_mechanism::{Body, BodyId, GROUND, Mechanism};

/// Cranks of length 1 at a distance of 1, one of which is longer, under a coupler that stays level.
struct Parallelogram {
    cranks: usize,
    longer: usize,
    by: f64,
    angle: f64,
    planar: bool,
}

impl Parallelogram {
    fn mechanism(&self) -> Mechanism {
        self.mechanism_with(9.81, 0.0)
    }

    fn mechanism_with(&self, gravity: f64, speed: f64) -> Mechanism {
        let Parallelogram { cranks, longer, by, angle, planar } = *self;
        let mut b = Mechanism::builder();
        if planar {
            b.planar();
        }
        b.gravity([0.0, -gravity, 0.0]);
        let body = |mass: f64, inertia: f64| {
            if planar { Body::planar(mass, inertia) } else { Body::new(mass, [inertia; 3]) }
        };
        let turned = |body: Body| if planar { body.angled(angle) } else { body.turned([0.0, 0.0, 1.0], angle) };
        let (s, c) = angle.sin_cos();
        let ends: Vec<BodyId> = (0..cranks)
            .map(|i| b.body(format!("crank {i}"), turned(body(1.0, 0.083)).at([i as f64 + 0.5 * c, 0.5 * s, 0.0])))
            .collect();
        let middle = 0.5 * (cranks - 1) as f64;
        let coupler = b.body("coupler", body(2.0, 2.6).at([middle + c, s, 0.0]));
        for (i, crank) in ends.iter().enumerate() {
            let length = if i == longer { 1.0 + by } else { 1.0 };
            let pin = b.joint(format!("O{i}"), Revolute, GROUND.at([i as f64, 0.0, 0.0]), crank.at([-0.5, 0.0, 0.0]));
            if i == 0 && speed != 0.0 {
                b.start_speed(pin.angle(), speed);
            }
            b.joint(
                format!("P{i}"),
                Revolute,
                crank.at([length - 0.5, 0.0, 0.0]),
                coupler.at([i as f64 - middle, 0.0, 0.0]),
            );
        }
        b.build().unwrap_or_else(|e| panic!("{e}"))
    }
}

fn plans() -> [(&'static str, Plan<'static>); 3] {
    let plan = || Plan::new(Tolerance::relative(1e-6).expect("in range"));
    [
        ("soi2", plan().with_method(GeneralizedAlpha::from_rho_infinity(0.8).expect("in range"))),
        ("radau", plan().with_method(RungeKutta::default())),
        ("bdf", plan().with_method(VariableBdf::new())),
    ]
}

/// How far tips of cranks and the coupler are apart, at most, and where.
fn apart(mechanism: &Mechanism, t: f64, q: &[f64], v: &[f64]) -> f64 {
    let gaps = mechanism.system().description().gaps.len();
    let mut open = vec![0.0; gaps];
    assert_eq!(mechanism.system().ask(Quantity::Gaps, &At::new(t, q, v), &mut open), Supplied::Yes);
    open.into_iter().fold(0.0, f64::max)
}

/// Whichever crank is longer: the loop would close exactly only where it is flat, which is far from the drawing.
#[test]
fn cranks_of_different_lengths_are_absorbed_where_they_are_drawn() {
    for planar in [true, false] {
        for cranks in [3, 5] {
            for longer in 0..cranks {
                let drawing = Parallelogram { cranks, longer, by: 1e-5, angle: 1.0, planar };
                let mut mechanism = drawing.mechanism();
                let closed = mechanism.close().unwrap_or_else(|e| panic!("{cranks}, {longer}, planar {planar}: {e}"));
                println!("{cranks}, {longer}, planar {planar}: {} m, {:?}", closed.moved, closed.absorbed);
                assert!(closed.moved < 1e-3, "{cranks}, {longer}, planar {planar}: moved by {} m", closed.moved);
                assert!(closed.absorbed.iter().any(|absorbed| absorbed.gap > 1e-6), "{:?}", closed.absorbed);
                assert_eq!(mechanism.diagnose().mobility, 1);
                let guess = mechanism.guess();
                assert!(apart(&mechanism, guess.t, &guess.q, &guess.v) < 1e-4);
            }
        }
    }
}

/// In the flat place nothing holds the cranks any more whose rows were left out: a motion stops there, and says so or that it is singular.
#[test]
fn what_gives_way_stays_together_or_stops_the_run() {
    let mut opened = 0;
    for planar in [true, false] {
        for (cranks, longer) in [(3, 1), (3, 2), (5, 0), (5, 2), (5, 3)] {
            let mut mechanism = Parallelogram { cranks, longer, by: 1e-5, angle: 1.0, planar }.mechanism();
            mechanism.close().unwrap_or_else(|e| panic!("{e}"));
            let limit = mechanism.system().description().gaps.iter().copied().fold(0.0, f64::max);
            for (name, plan) in plans() {
                let what = format!("{cranks}, {longer}, planar {planar}, {name}");
                let motion = solve(mechanism.system(), mechanism.guess(), 0.0..1.0, plan)
                    .unwrap_or_else(|e| panic!("{what}: {e}"));
                let gaps =
                    motion.steps().iter().map(|step| apart(&mechanism, step.state.t, &step.state.q, &step.state.v));
                let most = gaps.fold(0.0, f64::max);
                let error = motion.outcome().as_ref().expect_err(&what);
                println!("{what}: apart by {most:e} of {limit:e} up to t = {}: {error}", motion.last().t);
                assert!(most <= limit, "{what}: apart by {most:e} of {limit:e}");
                assert!((motion.last().t - 0.51).abs() < 0.03, "{what}: {error}");
                if let IntegrateError::StepTooSmall {
                    cause: Obstacle::Failure(StepFailure::Opened { open, .. }), ..
                } = error
                {
                    opened += 1;
                    assert!(error.blame().is_some_and(|joint| joint.starts_with("`P")), "{what}: {error}");
                    assert!(*open > limit || *open > 1e-4, "{what}: {error}");
                    assert!(mechanism.stopped_at(error, motion.last()).is_none());
                }
            }
        }
    }
    assert!(opened > 0, "no gap was ever told");
}

/// A motion that begins where it is flat is on no branch; one at rest in a dead point that nothing pushes stays there.
#[test]
fn flat_starts_are_told() {
    for (angle, speed, gravity, singular) in
        [(0.0, 2.0, 0.0, true), (0.0, 0.0, 9.81, true), (0.0, 0.0, 0.0, false), (0.01, 2.0, 0.0, false)]
    {
        for planar in [true, false] {
            let drawing = Parallelogram { cranks: 2, longer: 0, by: 0.0, angle, planar };
            let mut mechanism = drawing.mechanism_with(gravity, speed);
            mechanism.close().unwrap_or_else(|e| panic!("{e}"));
            let start = consistent(mechanism.system(), mechanism.guess()).unwrap_or_else(|e| panic!("{e}"));
            let found = mechanism.begins_singular(&start, 1.0);
            assert_eq!(found.is_some(), singular, "{angle}, {speed}, {gravity}, planar {planar}: {found:?}");
            if let Some(found) = found {
                assert_eq!(found.joints, ["O0", "P0", "O1", "P1"]);
            }
        }
    }
}
