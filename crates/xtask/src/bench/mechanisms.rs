//! Mechanisms that are measured: built of bodies and joints, with references that know nothing of them.
//!
//! The chain is that of `crates/problems/src/ball_chain.rs`, straight along x and turning about z; its reference is the solution in joint
//! coordinates there. Andrews' mechanism has seven bodies in the plane, 21 coordinates and 20 constraints; the seven angles of its reference are
//! those of the Test Set for IVP Solvers.

use alembert::{Answer, At, ConstrainedSystem, Description, Named, State, Workspace};
use alembert_mechanism::joint::{Revolute, Spherical};
use alembert_mechanism::law::Linear;
use alembert_mechanism::{Axes, Body, GROUND, Mechanism};
use alembert_problems::ball_chain::{self, Design, Posture};
use alembert_problems::{Problem, Reference, Start, andrews};

/// A mechanism that owns what is integrated.
struct Owned(Mechanism);

impl ConstrainedSystem for Owned {
    fn description(&self) -> &Description {
        self.0.system().description()
    }

    fn workspace(&self) -> Workspace {
        self.0.system().workspace()
    }

    fn evaluate(&self, at: &At, answer: &mut Answer, workspace: &mut Workspace) {
        self.0.system().evaluate(at, answer, workspace);
    }

    fn name(&self, what: Named, index: usize) -> String {
        self.0.system().name(what, index)
    }
}

fn problem(name: &'static str, mechanism: Mechanism, t_end: f64, reference: Reference) -> Problem {
    let guess = mechanism.guess().clone();
    Problem {
        name,
        title: "",
        system: Box::new(Owned(mechanism)),
        start: Start { t: guess.t, q: guess.q, v: guess.v, lambda: guess.lambda, psi: guess.psi },
        t_end,
        reference,
        energy: None,
    }
}

/// A chain of links on balls, built and closed.
///
/// # Panics
/// If it cannot be built or closed, which it always can.
pub fn ball_chain_mechanism(links: usize) -> Mechanism {
    let mut b = Mechanism::builder();
    b.gravity([0.0, 0.0, -9.81]);
    let mut before = GROUND.origin();
    for i in 0..links {
        let x = i as f64 + 0.5;
        let link = Body::new(1.0, [0.01, 1.0 / 12.0, 1.0 / 12.0])
            .at([x, 0.0, 0.0])
            .moving([0.0, x, 0.0])
            .spinning([0.0, 0.0, 1.0]);
        let link = b.body(format!("link {}", i + 1), link);
        b.joint(format!("ball {}", i + 1), Spherical, before, link.at([-0.5, 0.0, 0.0]));
        before = link.at([0.5, 0.0, 0.0]);
    }
    let mut mechanism = b.build().unwrap_or_else(|e| panic!("{e}"));
    mechanism.close().unwrap_or_else(|e| panic!("{e}"));
    mechanism
}

/// The same to be integrated.
pub fn ball_chain(links: usize) -> Problem {
    let (design, posture) = (Design::hanging(links), Posture::Straight(1.0));
    let reference = Reference::Reduced(Box::new(move |t| ball_chain::solution(design, posture, t)));
    problem("ball-chain", ball_chain_mechanism(links), 1.0, reference)
}

/// A body of Andrews' mechanism: mass, inertia, and its centre of mass from the base of its drawing, which is turned by its angle.
struct Part {
    mass: f64,
    inertia: f64,
    centre: [f64; 2],
}

// Constants of the Test Set for IVP Solvers.
const A: [f64; 3] = [-0.06934, -0.00227, 0.0];
const B: [f64; 3] = [-0.03635, 0.03273, 0.0];
const C: [f64; 3] = [0.014, 0.072, 0.0];
const PARTS: [Part; 7] = [
    Part { mass: 0.04325, inertia: 2.194e-6, centre: [0.00092, 0.0] },
    Part { mass: 0.00365, inertia: 4.410e-7, centre: [-0.0115, 0.0] },
    Part { mass: 0.02373, inertia: 5.255e-6, centre: [0.01043, -0.01874] },
    Part { mass: 0.00706, inertia: 5.667e-7, centre: [0.0, -(0.02 - 0.01421)] },
    Part { mass: 0.07050, inertia: 1.169e-5, centre: [0.02308, 0.00916] },
    Part { mass: 0.00706, inertia: 5.667e-7, centre: [0.02 - 0.01421, 0.0] },
    Part { mass: 0.05498, inertia: 1.912e-5, centre: [-0.00449, -0.01228] },
];
/// Where the bases of moving bodies stand: the crank carries the second, the fifth and the seventh carry the fourth and the sixth.
const CRANK: [f64; 3] = [0.007, 0.0, 0.0];
const UPPER: [f64; 3] = [0.04, 0.0, 0.0];
const LOWER: [f64; 3] = [0.0, -0.04, 0.0];

/// Angles of the bodies from beta, Theta, gamma, Phi, delta, Omega, epsilon.
fn turns(q: &[f64]) -> [f64; 7] {
    [q[0], q[0] + q[1], q[2], q[3] + q[4], q[4], q[5] + q[6], q[6]]
}

/// beta, Theta, gamma, Phi, delta, Omega, epsilon of x, y, angle of all bodies.
pub fn angles(q: &[f64]) -> [f64; 7] {
    let at = |body: usize| q[3 * body + 2];
    [at(0), at(1) - at(0), at(2), at(3) - at(4), at(4), at(5) - at(6), at(6)]
}

/// Bases of the drawings.
fn bases(turns: &[f64; 7]) -> [[f64; 3]; 7] {
    let carried = |base: &[f64; 3], arm: &[f64; 3], angle: f64| {
        let (s, c) = angle.sin_cos();
        [base[0] + c * arm[0] - s * arm[1], base[1] + s * arm[0] + c * arm[1], 0.0]
    };
    let origin = [0.0; 3];
    [origin, carried(&origin, &CRANK, turns[0]), B, carried(&A, &UPPER, turns[4]), A, carried(&A, &LOWER, turns[6]), A]
}

/// Andrews' mechanism, built and closed.
///
/// # Panics
/// If it cannot be built or closed, which it always can.
pub fn andrews_mechanism() -> Mechanism {
    let turns = turns(&andrews::new().start.q);
    let mut b = Mechanism::builder();
    b.planar();
    let mut k = Vec::new();
    for (at, (base, Part { mass, inertia, centre })) in bases(&turns).into_iter().zip(&PARTS).enumerate() {
        let body = Body::planar(*mass, *inertia).centred([centre[0], centre[1], 0.0]).at(base).angled(turns[at]);
        k.push(b.body(format!("K{}", at + 1), body));
    }
    // The point that four bodies share, on each of them.
    let common = [[-0.028, 0.0, 0.0], [0.0, -0.035, 0.0], [0.0, -0.02, 0.0], [0.02, 0.0, 0.0]];
    b.joint("O", Revolute, GROUND.origin(), k[0].origin());
    b.joint("crank", Revolute, k[0].at(CRANK), k[1].origin());
    b.joint("B", Revolute, GROUND.at(B), k[2].origin());
    b.joint("E3", Revolute, k[1].at(common[0]), k[2].at(common[1]));
    b.joint("E4", Revolute, k[1].at(common[0]), k[3].at(common[2]));
    b.joint("upper", Revolute, k[4].at(UPPER), k[3].origin());
    b.joint("A5", Revolute, GROUND.at(A), k[4].origin());
    b.joint("E6", Revolute, k[1].at(common[0]), k[5].at(common[3]));
    b.joint("lower", Revolute, k[6].at(LOWER), k[5].origin());
    b.joint("A7", Revolute, GROUND.at(A), k[6].origin());
    let spring = Linear { stiffness: 4530.0, damping: 0.0, rest: 0.07785 };
    b.spring("spring", GROUND.at(C), k[2].at([0.02, -0.018, 0.0]), spring);
    b.torque("motor", k[0], [0.0, 0.0, 0.033], Axes::World);
    let mut mechanism = b.build().unwrap_or_else(|e| panic!("{e}"));
    mechanism.close().unwrap_or_else(|e| panic!("{e}"));
    mechanism
}

/// The same to be integrated; of its reference only angles and rates are known.
pub fn andrews_bodies() -> Problem {
    let reference = |t: f64| {
        let exact = andrews::new().reference_at(t);
        let (mut q, mut v) = (vec![0.0; 21], vec![0.0; 21]);
        let (angle, rate) = (turns(&exact.q), turns(&exact.v));
        for at in 0..7 {
            (q[3 * at + 2], v[3 * at + 2]) = (angle[at], rate[at]);
        }
        State { t, q, v, a: vec![], lambda: vec![], psi: vec![] }
    };
    problem("andrews-bodies", andrews_mechanism(), 0.03, Reference::Reduced(Box::new(reference)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alembert::{Plan, Tolerance, solve};

    #[test]
    fn andrews_of_bodies_moves_as_the_published_one() {
        let mechanism = andrews_mechanism();
        let plan = Plan::new(Tolerance::new(1e-10, 1e-10).expect("in range"));
        let motion = solve(mechanism.system(), mechanism.guess(), 0.0..0.03, plan).unwrap_or_else(|e| panic!("{e}"));
        let end = motion.whole().unwrap_or_else(|e| panic!("{e}"));
        let (ours, exact) = (angles(&end.last().q), andrews::new().reference_at(0.03).q);
        for (x, y) in ours.iter().zip(&exact) {
            assert!((x / y - 1.0).abs() < 1e-8, "{ours:?} {exact:?}");
        }
    }

    #[test]
    fn the_chain_of_bodies_moves_as_that_by_hand() {
        let mechanism = ball_chain_mechanism(4);
        let plan = Plan::new(Tolerance::new(1e-10, 1e-10).expect("in range"));
        let motion = solve(mechanism.system(), mechanism.guess(), 0.0..0.5, plan).unwrap_or_else(|e| panic!("{e}"));
        let end = motion.whole().unwrap_or_else(|e| panic!("{e}"));
        let exact = ball_chain(4).reference_at(0.5);
        for (x, y) in end.last().q.iter().zip(&exact.q) {
            assert!((x - y).abs() < 1e-9, "{x} {y}");
        }
    }
}
