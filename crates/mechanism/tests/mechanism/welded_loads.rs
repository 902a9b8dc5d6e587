//! Forces and joints on members of welded groups, of every kind.

use std::sync::Arc;

use crate::machines::{X, Y, Z};
use crate::random::Random;
use crate::welds::{Drawn, same, start};
use alembert::Scalar;
use alembert::scalar::Jet;
use alembert_mechanism::joint::*;
use alembert_mechanism::law::{Linear, OfTime, TimeLaw};
use alembert_mechanism::{
    Axes, Body, BodyId, Builder, Bushing, Contact, Drag, Friction, GROUND, Marker, Mechanism, Stops, Tyre,
};

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
