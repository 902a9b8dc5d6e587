//! No heap allocation per step: joints of every kind, forces, drivers, couplings.

#[path = "../../alembert/tests/common/counting.rs"]
mod counting;

use std::sync::Arc;

use alembert::method::Scheme;
use alembert::scalar::Jet;
use alembert::{Bdf, Equations, GeneralizedAlpha, Redundancy, RungeKutta, Scalar, Tolerance, consistent};
use alembert_mechanism::joint::{PointOnCurve, Revolute, RollingDisk, Spherical};
use alembert_mechanism::law::{Linear, OfParameter};
use alembert_mechanism::{Axes, Body, Builder, Bushing, Contact, Drag, Friction, GROUND, Mechanism, Stops, Tyre};
use counting::allocations;

const Z: [f64; 3] = [0.0, 0.0, 1.0];
const Y: [f64; 3] = [0.0, 1.0, 0.0];

/// One of everything that makes its own numbers, with a tyre of some stiffness.
fn machine(tyre: f64) -> Mechanism {
    let mut b = Mechanism::builder();
    b.gravity([0.0, 0.0, -9.81]).redundancy(Redundancy::Refused);
    let wheel = |b: &mut Builder, name: &str, x: f64| {
        let body = b.body(name, Body::new(1.0, [0.01, 0.02, 0.015]).at([x, 0.0, 0.0]));
        let bearing =
            b.joint(format!("{name} bearing"), Revolute, GROUND.at([x, 0.0, 0.0]).axis(Y), body.origin().axis(Y));
        (body, bearing)
    };
    let (one, first) = wheel(&mut b, "one", 0.0);
    let (_, second) = wheel(&mut b, "two", 0.5);
    let (_, third) = wheel(&mut b, "three", 1.0);
    b.couple("gear", &[(0.1, first.angle()), (0.2, second.angle())]);
    b.drive("drive", third.angle(), |t: Jet| t * t * 0.5);
    b.actuator("torsion", first.angle(), |_, x, w| x.sin() * -3.0 - w * 0.1);
    b.motor("motor", second.angle(), |t, w| -w * 0.2 + t.cos());
    let bob = b.body("bob", Body::new(0.5, [0.01; 3]).at([0.2, 0.0, -0.3]));
    b.joint("ball", Spherical, one.at([0.2, 0.0, 0.0]), bob.at([0.0, 0.0, 0.3]));
    b.spring("spring", GROUND.at([0.3, 0.2, -0.4]), bob.origin(), Linear { stiffness: 20.0, damping: 0.3, rest: 0.1 });
    b.force("wind", bob.origin(), [0.1, 0.2, 0.0], Axes::World).torque("twist", bob, [0.0, 0.0, 0.01], Axes::Body);
    let pad = b.body("pad", Body::new(0.4, [0.01; 3]).at([0.2, 0.0, -0.4]));
    let soft = Bushing { stiffness: [50.0; 3], torsion: [1.0; 3], damping: [0.2; 3], torsion_damping: [0.01; 3] };
    b.bushing("bushing", bob.at([0.0, 0.0, -0.1]), pad.origin(), soft);
    let bead = b.body("bead", Body::new(0.3, [0.01; 3]).at([3.0, 0.0, 0.0]));
    let wire = OfParameter(|x: Jet| [x, x * x * 0.2, x.sin() * 0.3]);
    b.joint(
        "wire",
        PointOnCurve { curve: Arc::new(wire), start: Some(0.0) },
        GROUND.at([3.0, 0.0, 0.0]),
        bead.origin(),
    );
    let coin = b.body(
        "coin",
        Body::new(0.2, [0.01, 0.02, 0.01]).at([5.0, 0.0, -0.6]).moving([0.4, 0.0, 0.0]).spinning([0.0, 1.0, 0.1]),
    );
    b.joint("rolling", RollingDisk { radius: 0.4 }, GROUND.at([0.0, 0.0, -1.0]).axis(Z), coin.origin().axis(Y));
    b.friction("rubbing", second, Friction::new(0.1).radius(0.01).arm(0.02).preload(0.3));
    b.sphere_on_plane(
        "floor",
        bob.origin(),
        0.3,
        GROUND.at([0.0, 0.0, -0.5]).axis(Z),
        Contact::new(1e3).friction(0.2, 0.1),
    );
    b.sphere_on_sphere("balls", (bob.origin(), 0.2), (bead.origin(), 0.2), Contact::new(1e3));
    b.stops("stops", second.angle(), Stops { lower: 0.1, upper: 2.0, stiffness: 1.0, damping: 0.1 });
    b.drag("air", pad.origin(), Drag::new(0.2));
    let road = Tyre {
        radius: 0.5,
        stiffness: tyre,
        damping: 0.1,
        friction: 0.9,
        slip_stiffness: 10.0,
        cornering_stiffness: 10.0,
        speed: 0.5,
    };
    b.tyre("tyre", pad.origin().axis(Y), GROUND.at([0.0, 0.0, -0.8]).axis(Z), road);
    let drop = b.body("drop", Body::particle(0.1).at([7.0, 0.0, 0.0]));
    b.spring("thread", GROUND.at([7.0, 0.0, 1.0]), drop.origin(), Linear { stiffness: 10.0, damping: 0.1, rest: 0.9 });
    b.build().expect("right")
}

/// Allocations in each of some steps after others.
fn allocations_by_step(scheme: &dyn Scheme, mechanism: &Mechanism, before: usize, count: usize) -> Vec<u64> {
    let start = consistent(mechanism.system(), mechanism.guess()).unwrap_or_else(|e| panic!("{e}"));
    let mut equations = Equations::new(mechanism.system());
    let mut method = scheme.build(&equations, Tolerance::new(1e-8, 1e-8).expect("in range")).expect("suits");
    method.expect_no_retries();
    method.restart(&mut equations, &start).expect("starts");
    let mut found = vec![0; before + count];
    for (i, found) in found.iter_mut().enumerate() {
        let h = if i % 2 == 0 { 0.7e-3 } else { 1.3e-3 };
        let earlier = allocations();
        method.attempt(&mut equations, h).unwrap_or_else(|e| panic!("{} in step {i}: {e}", scheme.name()));
        method.accept();
        *found = allocations() - earlier;
    }
    found.split_off(before)
}

#[test]
fn steps_do_not_allocate() {
    let mechanism = machine(40.0);
    let schemes: [(&str, &dyn Scheme); 3] = [
        ("soi2", &GeneralizedAlpha::from_rho_infinity(0.8).expect("in range")),
        ("radau", &RungeKutta::default()),
        ("bdf", &Bdf::new(2).expect("an order")),
    ];
    for (name, scheme) in schemes {
        assert_eq!(allocations_by_step(scheme, &mechanism, 20, 40).iter().sum::<u64>(), 0, "{name}");
    }
    assert!(allocations() > 0, "the counter counts");
}

/// SOI2 solves both halves of a step with one matrix, with two, or with one of twice the size, by how strong the dampers are and how hard the
/// last steps were. A way takes its memory, with its order of elimination, when it is first needed: a few hundred allocations in step 38
/// here, where the tyre is loaded violently. Then it is kept: that the way changes back and forth, as it does twice here, costs nothing.
#[test]
fn a_way_to_solve_a_step_takes_its_memory_once() {
    let soi2 = GeneralizedAlpha::from_rho_infinity(0.8).expect("in range");
    let per_step = allocations_by_step(&soi2, &machine(1e3), 20, 300);
    let found: Vec<(usize, u64)> = per_step.into_iter().enumerate().filter(|(_, count)| *count > 0).collect();
    assert_eq!(found.len(), 1, "{found:?}");
}
