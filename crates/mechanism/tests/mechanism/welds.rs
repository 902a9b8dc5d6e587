//! Bodies that are welded into one, beside the same bodies held by six constraints: motions, reactions, counts.

use std::sync::Arc;

use crate::machines::{X, Y, Z};
use crate::random::Random;
use alembert::scalar::Jet;
use alembert::{At, ConstrainedSystem, Guess, Quantity, Scalar, State, Tolerance, consistent, solve};
use alembert_mechanism::joint::*;
use alembert_mechanism::law::{Linear, OfTime, TimeLaw};
use alembert_mechanism::{
    Axes, Body, BodyId, Builder, Bushing, Contact, Drag, Friction, GROUND, JointId, Marker, Mechanism, Motion, Stops,
    Tyre,
};

type Drawn = (Vec<BodyId>, Vec<JointId>);

/// The same drawing, merged and not.
fn both(draw: impl Fn(&mut Builder) -> Drawn) -> ([Mechanism; 2], Drawn) {
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

fn start(mechanism: &Mechanism) -> State {
    (*consistent(mechanism.system(), mechanism.guess()).unwrap_or_else(|e| panic!("{e}"))).clone()
}

/// A state of the merged mechanism in the coordinates of the one that is not.
fn lifted([one, many]: &[Mechanism; 2], bodies: &[BodyId], state: &State, planar: bool) -> State {
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
fn one_angle(mechanism: &Mechanism, body: BodyId, state: &State) -> f64 {
    let at = mechanism.standing(body);
    let moving = at.kind == alembert_mechanism::formal::Moving::InPlane;
    mechanism.seat(body).angle() + if moving { state.q[at.q + 2] } else { 0.0 }
}

fn off(x: &[f64], y: &[f64]) -> f64 {
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
fn agree(mechanisms: &[Mechanism; 2], (bodies, joints): &Drawn, states: [&State; 2], limit: f64) {
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
fn same(draw: impl Fn(&mut Builder) -> Drawn, planar: bool, end: f64) -> [Mechanism; 2] {
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
    let motions = [&two, &one]
        .map(|m| solve(m.system(), m.guess(), 0.0..2.0, tolerance.clone()).expect("runs").whole().expect("ends"));
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
fn chain(b: &mut Builder, count: usize, welds: &[usize], planar: bool) -> Drawn {
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
    let markers: Vec<[([f64; 3], [f64; 3], [f64; 3]); 2]> =
        (0..7).map(|_| [(); 2].map(|()| (random.vector(), random.vector(), random.vector()))).collect();
    // Body k hangs on `on`; those after the first by welds, drawn from either side.
    let on = [None, Some(0), Some(1), Some(1), Some(0), Some(4), Some(4)];
    let draw = |b: &mut Builder| {
        b.gravity([0.3, 0.2, -9.81]);
        let ids: Vec<BodyId> =
            bodies.iter().enumerate().map(|(k, body)| b.body(format!("b{k}"), body.clone())).collect();
        let mut joints = Vec::new();
        for (k, (on, ends)) in on.iter().zip(&markers).enumerate() {
            let [i, j] = [(on.map_or(GROUND, |on: usize| ids[on]), ends[0]), (ids[k], ends[1])]
                .map(|(body, (at, z, x))| body.at(at).axes(z, x));
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

/// Two bodies and what acts on them: a welded pair on a hinge, and a free body beside it.
fn loaded(b: &mut Builder, act: impl Fn(&mut Builder, BodyId, BodyId, BodyId)) -> Drawn {
    b.gravity([0.0, 0.0, -9.81]);
    let base = b.body("base", Body::new(1.0, [0.2, 0.3, 0.4]).at([0.5, 0.0, 0.0]).centred([0.1, 0.05, 0.0]));
    let arm = b.body("arm", Body::new(0.7, [0.1, 0.2, 0.15]).centred([0.0, 0.1, 0.2]).unposed());
    let free = b.body("free", Body::new(2.0, [0.5, 0.6, 0.7]).at([1.5, 0.4, 0.3]).turned([1.0, 2.0, -1.0], 0.8));
    let hinge = b.joint("hinge", Revolute, GROUND.origin().axis(Y), base.at([-0.5, 0.0, 0.0]).axis(Y));
    let weld = b.joint(
        "weld",
        Fixed,
        base.at([0.5, 0.1, 0.0]).axes([1.0, 1.0, 0.3], X),
        arm.at([0.0, -0.2, 0.1]).axes([0.2, 1.0, 0.0], Z),
    );
    act(b, base, arm, free);
    (vec![base, arm, free], vec![hinge, weld])
}

#[test]
fn forces_on_members() {
    let wave = || Arc::new(OfTime(|t: Jet| (t * 3.0).sin() + 2.0)) as Arc<dyn TimeLaw>;
    type Act = Box<dyn Fn(&mut Builder, BodyId, BodyId, BodyId)>;
    let spring = Linear { stiffness: 50.0, damping: 2.0, rest: 0.3 };
    let cases: Vec<(&str, Act)> = vec![
        (
            "spring",
            Box::new(move |b, _, arm, free| {
                _ = b.spring("s", arm.at([0.1, 0.3, 0.0]), free.at([0.2, 0.0, 0.1]), spring)
            }),
        ),
        (
            "spring within",
            Box::new(move |b, base, arm, _| {
                _ = b.spring("s", base.at([0.1, 0.3, 0.0]), arm.at([0.2, 0.4, 0.1]), spring)
            }),
        ),
        (
            "force",
            Box::new(move |b, _, arm, _| {
                _ = b.force_by("f", arm.at([0.1, 0.3, 0.0]), [wave(), wave(), wave()], Axes::Body)
            }),
        ),
        (
            "torque",
            Box::new(|b, _, arm, _| {
                b.torque("in", arm, [0.3, -0.2, 0.5], Axes::Body).torque("out", arm, [0.1, 0.4, -0.3], Axes::World);
            }),
        ),
        (
            "bushing",
            Box::new(|b, _, arm, free| {
                let bushing = Bushing {
                    stiffness: [30.0, 40.0, 50.0],
                    torsion: [3.0, 4.0, 5.0],
                    damping: [1.0, 2.0, 3.0],
                    torsion_damping: [0.1, 0.2, 0.3],
                };
                b.bushing("soft", arm.at([0.1, 0.3, 0.0]).axes(X, Y), free.at([0.2, 0.0, 0.1]).axes(X, Y), bushing);
            }),
        ),
        (
            "bushing within",
            Box::new(|b, base, arm, _| {
                let bushing =
                    Bushing { stiffness: [30.0; 3], torsion: [3.0; 3], damping: [0.0; 3], torsion_damping: [0.0; 3] };
                b.bushing("soft", base.at([0.1, 0.3, 0.0]).axes(X, Y), arm.at([0.2, 0.0, 0.1]).axes(X, Y), bushing);
            }),
        ),
        (
            "contact",
            Box::new(|b, _, arm, _| {
                let touch = Contact::new(400.0).damping(0.1).friction(0.4, 0.1);
                b.sphere_on_plane("ball", arm.at([0.0, 0.1, 0.0]), 0.8, GROUND.at([0.0, 0.0, -0.3]), touch);
            }),
        ),
        (
            "contact of spheres",
            Box::new(|b, _, arm, free| {
                b.sphere_on_sphere(
                    "balls",
                    (arm.at([0.0, 0.1, 0.0]), 0.6),
                    (free.origin(), 0.7),
                    Contact::new(300.0).friction(0.3, 0.1),
                );
            }),
        ),
        (
            "drag",
            Box::new(|b, _, arm, _| _ = b.drag("air", arm.at([0.3, 0.2, 0.5]), Drag::new(0.8).wind([1.0, 2.0, 0.5]))),
        ),
        (
            "tyre",
            Box::new(|b, _, arm, _| {
                let tyre = Tyre {
                    radius: 0.9,
                    stiffness: 200.0,
                    damping: 5.0,
                    friction: 0.8,
                    slip_stiffness: 20.0,
                    cornering_stiffness: 30.0,
                    speed: 0.1,
                };
                b.tyre("wheel", arm.at([0.0, 0.1, 0.0]).axis([0.1, 1.0, 0.2]), GROUND.at([0.0, 0.0, -0.4]), tyre);
            }),
        ),
        (
            "joint on a member",
            Box::new(|b, _, arm, free| {
                b.joint("ball", Spherical, arm.at([0.4, 0.3, 0.1]), free.at([-0.3, 0.2, 0.1]));
            }),
        ),
        (
            "rod to a member",
            Box::new(|b, _, arm, free| {
                let other =
                    b.joint("turn", Revolute, arm.at([0.4, 0.3, 0.1]).axis(X), free.at([-0.3, 0.2, 0.1]).axis(X));
                b.load("torsion", other.angle(), Arc::new(Linear { stiffness: 3.0, damping: 0.1, rest: 0.2 }));
                b.stops("stop", other.angle(), Stops { lower: -0.1, upper: 0.1, stiffness: 20.0, damping: 1.0 });
            }),
        ),
        (
            "friction of a member",
            Box::new(|b, _, arm, free| {
                let other =
                    b.joint("turn", Revolute, arm.at([0.4, 0.3, 0.1]).axis(X), free.at([-0.3, 0.2, 0.1]).axis(X));
                b.friction("rubs", other, Friction::new(0.2).radius(0.05).speed(0.1).arm(0.2).preload(1.0));
            }),
        ),
        (
            "knife edge on a member",
            Box::new(|b, _, arm, free| {
                b.joint("edge", KnifeEdge, free.at([-0.3, 0.2, 0.1]), arm.at([0.4, 0.3, 0.1]));
            }),
        ),
    ];
    let mut random = Random(3);
    for (name, act) in cases {
        println!("{name}");
        same(|b| loaded(b, &act), false, 0.2);
        let mut builder = Mechanism::builder();
        loaded(&mut builder, &act);
        crate::derivatives::check(name, builder, &mut random);
    }
}

#[test]
fn a_rolling_member() {
    // A coin with a weight welded to its rim rolls on a plane.
    let draw = |b: &mut Builder| {
        b.gravity([0.0, 0.0, -9.81]);
        let coin = Body::new(1.0, [0.25, 0.25, 0.5]).at([0.0, 0.0, 1.0]).turned(X, 1.4);
        let coin = b.body("coin", coin.moving([1.0, 0.0, 0.0]).spinning([0.0, 0.0, -1.0]));
        let lump = b.body("lump", Body::new(0.2, [0.01, 0.02, 0.03]).unposed());
        let roll = b.joint("roll", RollingDisk { radius: 1.0 }, GROUND.origin(), coin.origin());
        let weld = b.joint("weld", Fixed, lump.origin().axes(X, Y), coin.at([0.0, 0.7, 0.1]).axes(Z, Y));
        (vec![coin, lump], vec![roll, weld])
    };
    same(draw, false, 0.4);
}

#[test]
fn velocities_that_do_not_fit_become_one_by_momentum() {
    let mut random = Random(21);
    for case in 0..20 {
        let planar = case % 2 == 1;
        let (first, second) = (random.body(), random.body());
        let mut ends = [(); 2].map(|()| [random.vector(), random.vector(), random.vector()]);
        if planar {
            ends.iter_mut().for_each(|end| *end = [[end[0][0], end[0][1], 0.0], Z, [end[2][0], end[2][1], 0.0]]);
        }
        let draw = |b: &mut Builder, second: &Body| {
            b.gravity([0.1, 0.2, -3.0]);
            if planar {
                b.planar();
            }
            let still = |body: &Body| if planar { body.clone().spinning([0.0, 0.0, 0.7]) } else { body.clone() };
            let (a, c) = (b.body("a", still(&first)), b.body("c", still(second)));
            let [i, j] = [(a, ends[0]), (c, ends[1])].map(|(body, [at, z, x])| body.at(at).axes(z, x));
            let weld = b.joint("weld", Fixed, i, j);
            (vec![a, c], vec![weld])
        };
        // The second body is drawn where the weld puts it, so that both begin at the same place.
        let mut b = Mechanism::builder();
        let (ids, _) = draw(&mut b, &second);
        let found = b.build().expect("right");
        let state = start(&found);
        let second = second.at(found.point(ids[1], [0.0; 3], &state.q));
        let second =
            second.quaternion(found.motion(ids[1], &state).quaternion).angled(one_angle(&found, ids[1], &state));
        // Nothing holds the pair: its momentum is that of the two as they were given, which is what constraints make of it, too.
        let (mechanisms, drawn) = both(|b| draw(b, &second));
        let states = mechanisms.each_ref().map(start);
        agree(&mechanisms, &drawn, states.each_ref(), 1e-10);
        let speed = states[0].v.iter().fold(0.0_f64, |max, v| max.max(v.abs()));
        assert!(speed > 1e-2, "case {case} moves");
    }
}

#[test]
fn velocities_that_fit_stay_as_given() {
    let spin = [0.3, -0.5, 0.8];
    let mut b = Mechanism::builder();
    let a = b.body("a", Body::new(0.0, [0.0; 3]).at([1.0, 0.0, 0.0]).moving([0.2, 0.0, 0.1]).spinning(spin));
    // A point at (1, 2, 0) of a body that spins so about (1, 0, 0).
    let c = b.body(
        "c",
        Body::new(2.0, [0.0, 1.0, 1.0]).at([1.0, 2.0, 0.0]).moving([0.2 - 1.6, 0.0, 0.1 + 0.6]).spinning(spin),
    );
    b.joint("weld", Fixed, a.at([0.0, 2.0, 0.0]), c.origin());
    // A rod has no inertia about its axis, where nothing else tells how it spins on.
    b.joint("guide", Revolute, GROUND.at([1.0, 0.0, 0.0]).axis(Z), c.at([0.0, -2.0, 0.0]).axis(Z));
    let mechanism = b.build().expect("right");
    let v = &mechanism.guess().v;
    assert!(off(v, &[-1.4, 0.0, 0.7, 0.3, -0.5, 0.8]) < 1e-15, "{v:?}");
}

#[test]
fn a_loop_of_welds_stays_as_it_is() {
    let draw = |merging: bool| {
        let mut b = Mechanism::builder();
        b.merge_welds(merging).gravity([0.0, 0.0, -9.81]);
        let body = |x: f64, y: f64| Body::new(1.0, [0.1, 0.2, 0.3]).at([x, y, 0.0]);
        let ids = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (2.0, 0.0)];
        let ids: Vec<BodyId> =
            ids.iter().enumerate().map(|(k, (x, y))| b.body(format!("b{k}"), body(*x, *y))).collect();
        b.joint("hinge", Revolute, GROUND.origin().axis(Y), ids[0].origin().axis(Y));
        b.joint("one", Fixed, ids[0].at([1.0, 0.0, 0.0]), ids[1].origin());
        b.joint("two", Fixed, ids[1].at([-1.0, 1.0, 0.0]), ids[2].origin());
        b.joint("three", Fixed, ids[2].at([0.0, -1.0, 0.0]), ids[0].origin());
        b.joint("out", Fixed, ids[1].at([1.0, 0.0, 0.0]), ids[3].origin());
        let mut mechanism = b.build().expect("right");
        mechanism.close().expect("closes");
        mechanism
    };
    let [one, many] = [draw(true), draw(false)];
    // The weld that leads out of the loop is merged, and it alone.
    assert_eq!(one.welded(), [["b1", "b3"]]);
    let [x, y] = [one.diagnose(), many.diagnose()];
    let counts = |d: &alembert_mechanism::Diagnosis| {
        (d.coordinates, d.constraints, d.freedoms, d.mobility, d.redundancies.len())
    };
    assert_eq!(counts(&x), counts(&y));
    assert_eq!((x.redundancies[0].count, x.mobility), (6, 1));
    let a = [&one, &many].map(|m| {
        let state = start(m);
        m.motion(m.bodies().last().expect("bodies").0, &state).a
    });
    assert!(off(&a[0], &a[1]) < 1e-10, "{a:?}");
}

#[test]
fn a_hinge_between_welded_bodies_keeps_the_weld() {
    let draw = |path: bool| {
        let mut b = Mechanism::builder();
        let a = b.body("a", Body::new(1.0, [0.1, 0.2, 0.3]));
        let c = b.body("c", Body::new(1.0, [0.1, 0.2, 0.3]).at([1.0, 0.0, 0.0]));
        let d = b.body("d", Body::new(1.0, [0.1, 0.2, 0.3]).at([2.0, 0.0, 0.0]));
        b.joint("ac", Fixed, a.at([1.0, 0.0, 0.0]), c.origin());
        b.joint("cd", Fixed, c.at([1.0, 0.0, 0.0]), d.origin());
        if path {
            let law = [1.0, 0.0, 0.0].map(|x| Arc::new(OfTime(move |_: Jet| Jet::from(x))) as Arc<dyn TimeLaw>);
            b.drive_path("path", a.origin(), c.origin(), law);
        } else {
            b.joint("hinge", Revolute, a.origin(), c.at([-1.0, 0.0, 0.0]));
        }
        b.build().expect("right").welded()
    };
    for path in [false, true] {
        assert_eq!(draw(path), [["c", "d"]]);
    }
}

#[test]
fn a_weld_that_is_kept_has_multipliers() {
    let draw = |keep: bool| {
        let mut b = Mechanism::builder();
        let (_, joints) = chain(&mut b, 4, &[1, 2, 3], false);
        if keep {
            b.keep(joints[2]);
        }
        b.build().expect("right")
    };
    assert_eq!(draw(true).welded(), [["b0", "b1"], ["b2", "b3"]]);
    assert_eq!(draw(true).system().dims().lambda, draw(false).system().dims().lambda + 6);
}

#[test]
fn what_a_weld_carries_in_a_redundant_loop_is_not_unique() {
    // A door on two hinges, made of two halves: the weld between them carries what the hinges share.
    let door = |merging: bool, second: bool| {
        let mut b = Mechanism::builder();
        b.merge_welds(merging);
        let upper = b.body("upper", Body::new(1.0, [0.5, 0.2, 0.7]).at([0.5, 0.0, 1.5]));
        let lower = b.body("lower", Body::new(1.0, [0.5, 0.2, 0.7]).at([0.5, 0.0, 0.5]));
        let sign = b.body("sign", Body::new(1.0, [0.5, 0.2, 0.7]).at([0.5, 0.1, 0.5]));
        b.joint("high", Revolute, GROUND.at([0.0, 0.0, 1.8]), upper.at([-0.5, 0.0, 0.3]));
        let weld = b.joint("weld", Fixed, upper.at([0.0, 0.0, -0.5]), lower.at([0.0, 0.0, 0.5]));
        let nail = b.joint("nail", Fixed, lower.at([0.0, 0.1, 0.0]), sign.origin());
        if second {
            b.joint("low", Revolute, GROUND.at([0.0, 0.0, 0.2]), lower.at([-0.5, 0.0, -0.3]));
        }
        let mut mechanism = b.build().expect("right");
        mechanism.close().expect("closes");
        let diagnosis = mechanism.diagnose();
        (diagnosis.unique_reaction(weld), diagnosis.unique_reaction(nail), diagnosis.not_unique, diagnosis.freedoms)
    };
    for second in [false, true] {
        assert_eq!(door(true, second), door(false, second), "second hinge: {second}");
    }
    assert!(!door(true, true).0 && door(true, true).1);
}

#[test]
fn angles_of_planar_members_count_their_turns() {
    // Members drawn by more than a turn, and markers that point backwards.
    let draw = |b: &mut Builder| {
        b.planar().gravity([0.0, -9.81, 0.0]);
        let a = b.body("a", Body::planar(1.0, 0.2).at([0.5, 0.0, 0.0]));
        let c = b.body("c", Body::planar(2.0, 0.3).at([1.0, 0.0, 0.0]).angled(7.5));
        let d = b.body("d", Body::planar(0.5, 0.1).at([1.5, 0.3, 0.0]).angled(-0.4));
        let turned = |at: Marker, angle: f64| at.axes(Z, [angle.cos(), angle.sin(), 0.0]);
        let hinge = b.joint("hinge", Revolute, GROUND.origin(), a.at([-0.5, 0.0, 0.0]));
        let weld = b.joint("weld", Fixed, turned(a.at([0.5, 0.0, 0.0]), 3.0), turned(c.origin(), 3.0 - 7.5));
        let tip = c.at({
            let (s, k) = 7.5_f64.sin_cos();
            [0.5 * k + 0.3 * s, -0.5 * s + 0.3 * k, 0.0]
        });
        let elbow = b.joint("elbow", Revolute, turned(tip, 2.0), turned(d.origin(), -2.5));
        b.load("torsion", elbow.angle(), Arc::new(Linear { stiffness: 3.0, damping: 0.1, rest: 0.2 }));
        (vec![a, c, d], vec![hinge, weld, elbow])
    };
    let [one, many] = same(draw, true, 0.5);
    let angles = [&one, &many].map(|m| {
        let state = start(m);
        let elbow = m.joints().last().expect("joints").0;
        m.coordinate(elbow.angle(), 0.0, &state.q, &state.v).expect("an angle")
    });
    assert!((angles[0].0 - angles[1].0).abs() < 1e-12 && (angles[0].1 - angles[1].1).abs() < 1e-12, "{angles:?}");
}

#[test]
fn a_welded_mechanism_counts_as_it_was_drawn() {
    let [one, many] = same(|b| chain(b, 4, &[2], false), false, 0.1);
    let [x, y] = [one.diagnose(), many.diagnose()];
    assert_eq!((x.coordinates, x.constraints, x.freedoms), (24, 21, 3));
    assert_eq!((x.named.map(|n| n.len()), x.idle), (y.named.map(|n| n.len()), y.idle));
}

#[test]
fn point_masses_that_are_welded_turn_with_what_they_are_welded_to() {
    // A dumbbell of two points on a rod without mass, hung up beside its middle: J = sum m r^2, and no rod is needed to tell.
    let hung = |b: &mut Builder, on: BodyId| {
        b.gravity([0.0, 0.0, -9.81]);
        b.joint("hinge", Revolute, GROUND.origin().axis(Y), on.origin().axis(Y))
    };
    let mut b = Mechanism::builder();
    let rod = b.body("rod", Body::new(0.0, [0.0; 3]));
    let left = b.body("left", Body::particle(2.0).at([-0.5, 0.0, 0.0]));
    let right = b.body("right", Body::particle(3.0).at([1.0, 0.0, 0.0]));
    hung(&mut b, rod);
    b.joint("one", Fixed, rod.at([-0.5, 0.0, 0.0]), left.origin());
    let weld = b.joint("other", Fixed, rod.at([1.0, 0.0, 0.0]), right.origin());
    let mechanism = b.build().expect("right");
    let state = start(&mechanism);
    let inertia = 2.0 * 0.25 + 3.0;
    let alpha = 9.81 * (3.0 - 1.0) / inertia;
    assert!((mechanism.motion(rod, &state).alpha[1] - alpha).abs() < 1e-12);
    assert!((mechanism.motion(right, &state).a[2] + alpha).abs() < 1e-12);
    let carried = mechanism.reaction(weld, &state).on_second;
    assert!((carried.force[2] - 3.0 * (9.81 - alpha)).abs() < 1e-12 && carried.torque.iter().all(|x| x.abs() < 1e-12));
}

#[test]
fn where_all_is_welded_to_the_ground_welds_stay() {
    let mut b = Mechanism::builder();
    b.gravity([0.0, 0.0, -9.81]);
    let post = b.body("post", Body::new(2.0, [1.0; 3]).at([1.0, 0.0, 0.0]));
    let weld = b.joint("weld", Fixed, GROUND.at([0.5, 0.0, 0.0]), post.at([-0.5, 0.0, 0.0]));
    let mechanism = b.build().expect("right");
    assert!(mechanism.welded().is_empty());
    let carried = mechanism.reaction(weld, &start(&mechanism)).on_second;
    assert!((carried.force[2] - 19.62).abs() < 1e-12 && (carried.torque[1] + 9.81).abs() < 1e-12, "{carried:?}");
}

#[test]
fn a_drawing_that_disagrees_with_its_weld_is_moved_and_told() {
    let drawn = |off: f64| {
        let mut b = Mechanism::builder();
        let a = b.body("a", Body::new(1.0, [0.1, 0.2, 0.3]).at([1.0, 0.0, 0.0]));
        let c = b.body("c", Body::new(1.0, [0.1, 0.2, 0.3]).at([2.0 + off, 0.0, 0.0]).turned(Z, off));
        b.joint("weld", Fixed, a.at([0.5, 0.0, 0.0]), c.at([-0.5, 0.0, 0.0]));
        let mut mechanism = b.build().expect("right");
        let moved = mechanism.close().expect("closes").moved;
        (moved, mechanism.point(c, [0.0; 3], &mechanism.guess().q))
    };
    assert_eq!(drawn(0.0).0, 0.0);
    let (moved, at) = drawn(0.1);
    assert!((0.1..0.12).contains(&moved), "{moved}");
    assert!(off(&at, &[2.0, 0.0, 0.0]) < 1e-14, "{at:?}");
}
