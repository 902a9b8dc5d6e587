//! The mechanisms of the stored motions, built as a user would.

use alembert_mechanism::joint::{Prismatic, Revolute, RollingDisk, Spherical, Universal};
use alembert_mechanism::law::Linear;
use alembert_mechanism::{Builder, GROUND, JointId, Marker, Mechanism};

use crate::reference::Stored;

pub const X: [f64; 3] = [1.0, 0.0, 0.0];
pub const Y: [f64; 3] = [0.0, 1.0, 0.0];
pub const Z: [f64; 3] = [0.0, 0.0, 1.0];

/// A mechanism with its stored motion, and the joints in the order of the stored reactions.
pub struct Machine {
    pub name: &'static str,
    pub stored: Stored,
    pub mechanism: Mechanism,
    pub joints: Vec<JointId>,
}

fn finish(name: &'static str, stored: Stored, builder: Builder, joints: Vec<JointId>) -> Machine {
    let mut mechanism = builder.build().unwrap_or_else(|e| panic!("{name}: {e}"));
    let closed = mechanism.close().unwrap_or_else(|e| panic!("{name}: {e}"));
    assert!(closed.moved < 1e-12, "{name}: drawn closed, moved by {:e}", closed.moved);
    Machine { name, stored, mechanism, joints }
}

fn begin(name: &str, gravity: [f64; 3]) -> (Stored, Builder) {
    let mut builder = Mechanism::builder();
    builder.gravity(gravity);
    (Stored::load(name), builder)
}

const DOWN: [f64; 3] = [0.0, 0.0, -9.81];

pub fn heavy_top() -> Machine {
    let (stored, mut b) = begin("heavy_top", DOWN);
    let top = b.body("top", stored.body(0));
    let ball = b.joint("ball", Spherical, GROUND.origin(), top.at([0.0, -1.0, 0.0]));
    finish("heavy_top", stored, b, vec![ball])
}

pub fn slider_crank() -> Machine {
    let (stored, mut b) = begin("slider_crank_spatial", DOWN);
    let [crank, rod, slider] = ["crank", "rod", "slider"].map({
        let mut at = 0;
        let (b, stored) = (&mut b, &stored);
        move |name| {
            at += 1;
            b.body(name, stored.body(at - 1))
        }
    });
    let joints = vec![
        b.joint("A", Revolute, GROUND.at([0.0, 0.1, 0.12]).axis(X), crank.origin().axis(X)),
        b.joint("B", Spherical, crank.at([0.0, 0.0, 0.08]), rod.at([-0.15, 0.0, 0.0])),
        b.joint("C", Universal, slider.origin().axis(X), rod.at([0.15, 0.0, 0.0]).axis(Y)),
        b.joint("D", Prismatic, GROUND.origin().axis(X), slider.origin().axis(X)),
    ];
    finish("slider_crank_spatial", stored, b, joints)
}

pub fn four_bar() -> Machine {
    let (stored, mut b) = begin("four_bar_motor", [0.0, -9.81, 0.0]);
    b.planar();
    let crank = b.body("crank", stored.body(0));
    let coupler = b.body("coupler", stored.body(1));
    let rocker = b.body("rocker", stored.body(2));
    let joints = vec![
        b.joint("O", Revolute, GROUND.origin(), crank.at([-0.05, 0.0, 0.0])),
        b.joint("A", Revolute, crank.at([0.05, 0.0, 0.0]), coupler.at([-0.15, -0.02, 0.0])),
        b.joint("B", Revolute, coupler.at([0.15, -0.02, 0.0]), rocker.at([0.125, 0.0, 0.0])),
        b.joint("C", Revolute, GROUND.at([0.3, 0.0, 0.0]), rocker.at([-0.125, 0.0, 0.0])),
    ];
    b.motor("motor", joints[0].angle(), |t, w| (-w + 20.0 * (1.0 - (-4.0 * t).exp())) * 0.4);
    finish("four_bar_motor", stored, b, joints)
}

pub fn gyroscope() -> Machine {
    let (stored, mut b) = begin("gimbal_gyroscope", DOWN);
    let outer = b.body("outer", stored.body(0));
    let inner = b.body("inner", stored.body(1));
    let rotor = b.body("rotor", stored.body(2));
    let joints = vec![
        b.joint("outer bearing", Revolute, GROUND.origin().axis(Z), outer.origin().axis(Z)),
        b.joint("inner bearing", Revolute, outer.origin().axis(X), inner.at([0.0, 0.0, -0.02]).axis(X)),
        b.joint("rotor bearing", Revolute, inner.at([0.0, 0.0, 0.03]).axis(Z), rotor.origin().axis(Z)),
    ];
    finish("gimbal_gyroscope", stored, b, joints)
}

pub fn governor() -> Machine {
    let (stored, mut b) = begin("flyball_governor", DOWN);
    let shaft = b.body("shaft", stored.body(0));
    let slider = b.body("slider", stored.body(1));
    let right = b.body("rod right", stored.body(2));
    let left = b.body("rod left", stored.body(3));
    let arm = 0.5 + 0.5 * 5.0 / 5.3;
    let joints = vec![
        b.joint("shaft bearing", Revolute, GROUND.origin().axis(Z), shaft.at([0.0, 0.0, -0.5]).axis(Z)),
        b.joint("guide", Prismatic, shaft.origin().axis(Z), slider.origin().axis(Z)),
        b.joint("hinge right", Revolute, shaft.at([0.05, 0.0, 0.5]).axis(Y), right.at([-arm, 0.0, 0.0]).axis(Y)),
        b.joint("hinge left", Revolute, shaft.at([-0.05, 0.0, 0.5]).axis(Y), left.at([arm, 0.0, 0.0]).axis(Y)),
    ];
    let spring = Linear { stiffness: 8e5, damping: 4e4, rest: 0.5 };
    b.spring("spring right", right.at([0.5 - arm, 0.0, 0.0]), slider.at([0.05, 0.0, 0.0]), spring);
    b.spring("spring left", left.at([arm - 0.5, 0.0, 0.0]), slider.at([-0.05, 0.0, 0.0]), spring);
    finish("flyball_governor", stored, b, joints)
}

pub fn chain() -> Machine {
    let (stored, mut b) = begin("chain_ball_10", DOWN);
    let mut before: Marker = GROUND.origin();
    let mut joints = Vec::new();
    for i in 0..10 {
        let link = b.body(format!("link {}", i + 1), stored.body(i));
        joints.push(b.joint(format!("ball {}", i + 1), Spherical, before, link.at([-0.5, 0.0, 0.0])));
        before = link.at([0.5, 0.0, 0.0]);
    }
    finish("chain_ball_10", stored, b, joints)
}

pub fn disk() -> Machine {
    let (stored, mut b) = begin("rolling_disk", DOWN);
    let disk = b.body("disk", stored.body(0));
    let rolling = b.joint("rolling", RollingDisk { radius: 0.5 }, GROUND.origin(), disk.origin().axis(Y));
    finish("rolling_disk", stored, b, vec![rolling])
}

pub fn n_four_bar() -> Machine {
    let (stored, mut b) = begin("n_four_bar_2", [0.0, -9.81, 0.0]);
    b.planar();
    let names = ["crank 1", "coupler 1", "crank 2", "coupler 2", "crank 3"];
    let mut bodies = Vec::new();
    for (at, name) in names.into_iter().enumerate() {
        bodies.push(b.body(name, stored.body(at)));
    }
    let (low, high) = ([-0.5, 0.0, 0.0], [0.5, 0.0, 0.0]);
    let mut joints = Vec::new();
    for k in 0..3 {
        let foot = GROUND.at([k as f64, 0.0, 0.0]);
        joints.push(b.joint(format!("ground {}", k + 1), Revolute, foot, bodies[2 * k].at(low)));
    }
    for k in 0..2 {
        let [crank, coupler, next] = [2 * k, 2 * k + 1, 2 * k + 2].map(|at| bodies[at]);
        joints.push(b.joint(format!("left {}", k + 1), Revolute, crank.at(high), coupler.at(low)));
        joints.push(b.joint(format!("right {}", k + 1), Revolute, coupler.at(high), next.at(high)));
    }
    finish("n_four_bar_2", stored, b, joints)
}

pub fn bricard() -> Machine {
    let (stored, mut b) = begin("bricard", [0.0, -9.81, 0.0]);
    let points =
        [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, -1.0, 0.0], [1.0, -1.0, 1.0], [0.0, -1.0, 1.0], [0.0, 0.0, 1.0]];
    let axes = [Y, Z, X, Y, Z, X];
    let middle = |i: usize| [0, 1, 2].map(|k| 0.5 * (points[i][k] + points[i + 1][k]));
    let bodies: Vec<_> = (0..5).map(|i| b.body(format!("bar {}", i + 1), stored.body(i))).collect();
    for i in 0..6 {
        // The body axes are those of the world at the start.
        let on = |bar: usize| {
            let centre = middle(bar);
            bodies[bar].at([0, 1, 2].map(|k| points[i][k] - centre[k])).axis(axes[i])
        };
        let ground = GROUND.at(points[i]).axis(axes[i]);
        let (first, second) = (if i == 0 { ground } else { on(i - 1) }, if i == 5 { ground } else { on(i) });
        b.joint(format!("hinge {}", i + 1), Revolute, first, second);
    }
    finish("bricard", stored, b, vec![])
}
