//! Bodies that are welded into one, beside the same bodies held by six constraints: motions, reactions, energies.

use crate::machines::Y;
use crate::random::Random;
use alembert::{At, ConstrainedSystem, Guess, Quantity, State, Tolerance, consistent, solve};
use alembert_mechanism::joint::*;
use alembert_mechanism::{Body, BodyId, Builder, GROUND, JointId, Mechanism, Motion};

/// Bodies and joints.
pub type Drawn = (Vec<BodyId>, Vec<JointId>);

/// The same drawing, merged and not.
pub fn both(draw: impl Fn(&mut Builder) -> Drawn) -> ([Mechanism; 2], Drawn) {
    let build = |merging: bool| {
        let mut b = Mechanism::builder();
        b.merge_welds(merging);
        let drawn = draw(&mut b);
        let mut mechanism = b.build().unwrap_or_else(|e| panic!("merging {merging}: {e}"));
        mechanism.close().unwrap_or_else(|e| panic!("merging {merging}: {e}"));
        (mechanism, drawn)
    };
    let ((one, drawn), (many, _)) = (build(true), build(false));
    assert!(one.system().dims().v < many.system().dims().v, "nothing was merged");
    ([one, many], drawn)
}

/// The start, repaired.
pub fn start(mechanism: &Mechanism) -> State {
    (*consistent(mechanism.system(), mechanism.guess()).unwrap_or_else(|e| panic!("{e}"))).clone()
}

/// A state of the merged mechanism in the coordinates of the one that is not.
pub fn lifted([one, many]: &[Mechanism; 2], bodies: &[BodyId], state: &State, planar: bool) -> State {
    let (mut q, mut v) = (Vec::new(), Vec::new());
    for body in bodies {
        let Motion { p, quaternion, v: speed, omega, .. } = one.motion(*body, state);
        if planar {
            q.extend([p[0], p[1], one_angle(one, *body, state)]);
            v.extend([speed[0], speed[1], omega[2]]);
        } else {
            q.extend(p.iter().chain(&quaternion));
            v.extend(speed.iter().chain(&omega));
        }
    }
    let numbers = many.system().dims().q - q.len();
    q.extend(&state.q[state.q.len() - numbers..]);
    v.extend(&state.v[state.v.len() - numbers..]);
    let guess = Guess::new(state.t, q, v);
    (*consistent(many.system(), &guess).unwrap_or_else(|e| panic!("{e}"))).clone()
}

/// The angle of a planar body with its turns.
pub fn one_angle(mechanism: &Mechanism, body: BodyId, state: &State) -> f64 {
    let at = mechanism.standing(body);
    let moving = at.kind == alembert_mechanism::formal::Moving::InPlane;
    mechanism.seat(body).angle() + if moving { state.q[at.q + 2] } else { 0.0 }
}

/// The largest difference.
pub fn off(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).fold(0.0, |max, (x, y)| max.max((x - y).abs()))
}

fn largest(all: &[Vec<f64>]) -> f64 {
    all.iter().flatten().fold(0.0_f64, |max, x| max.max(x.abs()))
}

/// How bodies move, in numbers.
fn moved(mechanism: &Mechanism, bodies: &[BodyId], state: &State) -> Vec<Vec<f64>> {
    let numbers = |body: &BodyId| {
        let Motion { p, quaternion, v, omega, a, alpha } = mechanism.motion(*body, state);
        let sign = if quaternion.iter().find(|x| x.abs() > 0.1).is_some_and(|x| *x < 0.0) { -1.0 } else { 1.0 };
        let turn = quaternion.map(|x| sign * x);
        [&p[..], &turn, &v, &omega, &a, &alpha].concat()
    };
    bodies.iter().map(numbers).collect()
}

/// What joints carry, in numbers.
fn carried(mechanism: &Mechanism, joints: &[JointId], state: &State) -> Vec<Vec<f64>> {
    let numbers = |joint: &JointId| {
        let r = mechanism.reaction(*joint, state);
        let [first, second] = [r.on_first, r.on_second];
        [first.force, first.torque, second.force, second.torque, r.in_joint[0], r.in_joint[1]].concat()
    };
    joints.iter().map(numbers).collect()
}

fn energy(mechanism: &Mechanism, state: &State) -> Vec<f64> {
    let mut out = vec![0.0; 5];
    let at = At::new(state.t, &state.q, &state.v);
    let _supplied = mechanism.system().ask(Quantity::Energy, &at, &mut out);
    out
}

/// Both say the same at a state: motions, accelerations, energy, reactions of all joints with those of merged welds.
pub fn agree(mechanisms: &[Mechanism; 2], (bodies, joints): &Drawn, states: [&State; 2], limit: f64) {
    let [one, many] = mechanisms;
    let moves = [moved(one, bodies, states[0]), moved(many, bodies, states[1])];
    let scale = largest(&moves[1]).max(1.0);
    for (at, (x, y)) in moves[0].iter().zip(&moves[1]).enumerate() {
        assert!(off(x, y) < limit * scale, "body {at} moves otherwise: {:e}\n{x:?}\n{y:?}", off(x, y));
    }
    let loads = [carried(one, joints, states[0]), carried(many, joints, states[1])];
    let scale = largest(&loads[1]);
    assert!(scale > 0.0, "nothing is carried");
    for (at, (x, y)) in loads[0].iter().zip(&loads[1]).enumerate() {
        assert!(off(x, y) < limit * scale, "joint {at} carries something else: {:e}\n{x:?}\n{y:?}", off(x, y));
    }
    let [x, y] = [energy(one, states[0]), energy(many, states[1])];
    let scale = y.iter().fold(1.0_f64, |max, x| max.max(x.abs()));
    assert!(off(&x, &y) < limit * scale, "energies {x:?} {y:?}");
}

/// The same at the start, and again after a while of motion.
pub fn same(draw: impl Fn(&mut Builder) -> Drawn, planar: bool, end: f64) -> [Mechanism; 2] {
    let (mechanisms, drawn) = both(draw);
    let one = &mechanisms[0];
    // What closing leaves free it may leave elsewhere: the same configuration is looked at in both.
    let first = start(one);
    agree(&mechanisms, &drawn, [&first, &lifted(&mechanisms, &drawn.0, &first, planar)], 1e-10);
    let tolerance = Tolerance::new(1e-8, 1e-8).expect("in range");
    let motion = solve(one.system(), one.guess(), 0.0..end, tolerance).unwrap_or_else(|e| panic!("{e}"));
    let state = motion.whole().unwrap_or_else(|e| panic!("{e}")).last().clone();
    let exact = (*consistent(one.system(), &Guess::new(state.t, state.q, state.v)).expect("consistent")).clone();
    let again = lifted(&mechanisms, &drawn.0, &exact, planar);
    agree(&mechanisms, &drawn, [&exact, &again], 1e-10);
    let [x, y] = mechanisms.each_ref().map(Mechanism::diagnose);
    assert_eq!(
        (x.bodies, x.joints, x.coordinates, x.constraints, x.freedoms, x.mobility),
        (y.bodies, y.joints, y.coordinates, y.constraints, y.freedoms, y.mobility)
    );
    assert!(!x.welded.is_empty() && y.welded.is_empty());
    mechanisms
}

/// A body that fits: drawn where a weld or a hinge between these markers puts it.
fn beside(b: &mut Builder, name: &str, body: Body) -> BodyId {
    b.body(name, body.unposed())
}

#[test]
fn two_welded_rods_are_one_of_double_length() {
    // Thin rods of 1 kg and 1 m, on a hinge at one end; from the closed form of a rod of 2 kg and 2 m.
    let rod = |m: f64, l: f64| Body::new(m, [1e-3 * m, m * l * l / 12.0, m * l * l / 12.0]);
    let hinge = |b: &mut Builder, on: BodyId, l: f64| {
        b.gravity([0.0, 0.0, -9.81]);
        b.joint("hinge", Revolute, GROUND.origin().axis(Y), on.at([-0.5 * l, 0.0, 0.0]).axis(Y))
    };
    let mut b = Mechanism::builder();
    let (first, second) =
        (b.body("first", rod(1.0, 1.0).at([0.5, 0.0, 0.0])), b.body("second", rod(1.0, 1.0).unposed()));
    hinge(&mut b, first, 1.0);
    let weld = b.joint("weld", Fixed, first.at([0.5, 0.0, 0.0]), second.at([-0.5, 0.0, 0.0]));
    let mut two = b.build().expect("right");
    two.close().expect("closes");
    let mut b = Mechanism::builder();
    let whole = b.body("whole", rod(2.0, 2.0).at([1.0, 0.0, 0.0]));
    hinge(&mut b, whole, 2.0);
    let mut one = b.build().expect("right");
    one.close().expect("closes");
    assert_eq!(two.system().dims(), one.system().dims());
    let tolerance = Tolerance::new(1e-10, 1e-10).expect("in range");
    let motions =
        [&two, &one].map(|m| solve(m.system(), m.guess(), 0.0..2.0, tolerance).expect("runs").whole().expect("ends"));
    for k in 0..=20 {
        let t = 0.1 * f64::from(k);
        let [x, y] = motions.each_ref().map(|motion| motion.at(t).expect("inside"));
        let (end, far) = (two.point(second, [0.5, 0.0, 0.0], &x.q), one.point(whole, [1.0, 0.0, 0.0], &y.q));
        assert!(off(&end, &far) < 1e-12, "t = {t}: {end:?} {far:?}");
        assert!(off(&x.v, &y.v) < 1e-11, "t = {t}: {:?} {:?}", x.v, y.v);
    }
    // At the start the rod is horizontal: alpha = 3 g/(2 L), a at x is alpha x. The weld carries the shear and the bending moment there.
    let state = start(&two);
    let (g, alpha) = (9.81, 1.5 * 9.81 / 2.0);
    let reaction = two.reaction(weld, &state);
    let shear = g - alpha * 1.5;
    let moment = alpha / 12.0 - 0.5 * shear;
    assert!((reaction.on_second.force[2] - shear).abs() < 1e-12, "{reaction:?} {shear}");
    // About y: -z along x. The moment that turns the second rod with its alpha, less that of the shear about its centre.
    assert!((reaction.on_second.torque[1] - moment).abs() < 1e-12, "{reaction:?} {moment}");
    assert!((two.mass(first), two.mass(second)) == (1.0, 1.0));
}

/// Swinging arms of some bodies with welds in between.
pub fn chain(b: &mut Builder, count: usize, welds: &[usize], planar: bool) -> Drawn {
    let mut random = Random(11 + count as u64);
    if planar {
        b.planar();
    }
    b.gravity(if planar { [0.4, -9.81, 0.0] } else { [0.3, 0.2, -9.81] });
    let (mut bodies, mut joints): Drawn = Default::default();
    for at in 0..count {
        let body = random.body().moving([0.0; 3]).spinning([0.0; 3]);
        let body = beside(b, &format!("b{at}"), body);
        let before = bodies.last().copied().unwrap_or(GROUND);
        let marker =
            |random: &mut Random, on: BodyId| if planar { random.planar_marker(on) } else { random.marker(on) };
        let (i, j) = (marker(&mut random, before), marker(&mut random, body));
        let name = format!("j{at}");
        joints.push(if welds.contains(&at) { b.joint(name, Fixed, i, j) } else { b.joint(name, Revolute, i, j) });
        bodies.push(body);
    }
    (bodies, joints)
}

#[test]
fn a_swinging_chain_with_welds_in_space() {
    let [one, _] = same(|b| chain(b, 5, &[1, 3], false), false, 0.4);
    assert_eq!(one.welded(), [["b0", "b1"], ["b2", "b3"]]);
}

#[test]
fn a_swinging_chain_with_welds_in_the_plane() {
    same(|b| chain(b, 5, &[1, 2, 4], true), true, 0.4);
}

#[test]
fn a_chain_of_five_welds_is_one_body() {
    for planar in [false, true] {
        let [one, _] = same(|b| chain(b, 6, &[1, 2, 3, 4, 5], planar), planar, 0.3);
        assert_eq!(one.welded().concat().len(), 6);
        assert_eq!(one.system().dims().v, if planar { 3 } else { 6 });
    }
}

#[test]
fn what_is_welded_to_the_ground_does_not_move() {
    for planar in [false, true] {
        let [one, _] = same(|b| chain(b, 4, &[0, 1, 3], planar), planar, 0.3);
        assert_eq!(one.system().dims().v, if planar { 3 } else { 6 });
        assert_eq!(one.welded(), [vec!["ground", "b0", "b1"], vec!["b2", "b3"]]);
        let page = one.diagnose().to_string();
        assert!(page.contains("welded to the ground: `b0`, `b1`"), "{page}");
        assert!(page.contains("welded into one: `b2`, `b3`"), "{page}");
    }
}

#[test]
fn welds_that_branch() {
    let mut random = Random(5);
    let bodies: Vec<Body> = (0..7).map(|_| random.body().moving([0.0; 3]).spinning([0.0; 3]).unposed()).collect();
    let markers: Vec<[[[f64; 3]; 3]; 2]> =
        (0..7).map(|_| [(); 2].map(|()| [random.vector(), random.vector(), random.vector()])).collect();
    // Body k hangs on `on`; those after the first by welds, drawn from either side.
    let on = [None, Some(0), Some(1), Some(1), Some(0), Some(4), Some(4)];
    let draw = |b: &mut Builder| {
        b.gravity([0.3, 0.2, -9.81]);
        let ids: Vec<BodyId> =
            bodies.iter().enumerate().map(|(k, body)| b.body(format!("b{k}"), body.clone())).collect();
        let mut joints = Vec::new();
        for (k, (on, ends)) in on.iter().zip(&markers).enumerate() {
            let [i, j] = [(on.map_or(GROUND, |on: usize| ids[on]), ends[0]), (ids[k], ends[1])]
                .map(|(body, [at, z, x])| body.at(at).axes(z, x));
            joints.push(match (on, k % 2) {
                (None, _) => b.joint("hinge", Spherical, i, j),
                (_, 0) => b.joint(format!("j{k}"), Fixed, i, j),
                (_, _) => b.joint(format!("j{k}"), Fixed, j, i),
            });
        }
        (ids, joints)
    };
    let [one, _] = same(draw, false, 0.3);
    assert_eq!(one.system().dims().v, 6);
}

/// A weld that stays a joint holds a point mass where it is; what it carries is that of the merged one.
#[test]
fn point_masses_stay_on_welds_that_are_kept() {
    for planar in [false, true] {
        let draw = |b: &mut Builder| {
            if planar {
                b.planar();
            }
            b.gravity([0.0, -9.81, 0.0]);
            let arm = if planar { Body::planar(1.0, 0.1) } else { Body::new(1.0, [0.1, 0.2, 0.3]) };
            let arm = b.body("arm", arm.spinning([0.0, 0.0, 2.0]));
            let weight = b.body("weight", Body::particle(3.0).at([1.0, 0.3, 0.0]));
            let joints = vec![
                b.joint("hinge", Revolute, GROUND.origin(), arm.origin()),
                b.joint("weld", Fixed, arm.at([1.0, 0.3, 0.0]), weight.origin()),
            ];
            (vec![arm, weight], joints)
        };
        let (mechanisms, (_, joints)) = both(draw);
        let [one, many] = mechanisms.each_ref().map(|mechanism| {
            let end =
                solve(mechanism.system(), mechanism.guess(), 0.0..1.0, Tolerance::relative(1e-10).expect("in range"));
            let end = end.expect("runs").whole().expect("whole").at(1.0).expect("the end").clone();
            joints.iter().map(|joint| mechanism.reaction(*joint, &end).on_second).collect::<Vec<_>>()
        });
        for (one, many) in one.iter().zip(&many) {
            for k in 0..3 {
                assert!((one.force[k] - many.force[k]).abs() < 1e-6, "planar {planar}: {one:?} {many:?}");
                assert!((one.torque[k] - many.torque[k]).abs() < 1e-6, "planar {planar}: {one:?} {many:?}");
            }
        }
    }
}
