//! Which welds are merged, with which velocities, and what is told of them.

use std::sync::Arc;

use crate::machines::{Y, Z};
use crate::random::Random;
use crate::welds::{agree, both, chain, off, one_angle, same, start};
use alembert::ConstrainedSystem;
use alembert::scalar::Jet;
use alembert_mechanism::joint::*;
use alembert_mechanism::law::{OfTime, TimeLaw};
use alembert_mechanism::{Body, BodyId, Builder, GROUND, Mechanism};

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
