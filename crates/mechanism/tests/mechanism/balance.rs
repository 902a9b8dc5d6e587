//! Newton and Euler: what joints do to a body, its weight and its springs are its mass times its acceleration, on random mechanisms.

use crate::machinery::{Drawing, Machinery, spatial};
use crate::random::Random;
use alembert::rotation::{cross, to_space};
use alembert::{ConsistentState, State, consistent};
use alembert_mechanism::BodyId;

/// What is left of Newton's and Euler's laws on each body, relative to the largest of their terms.
fn imbalance(machinery: &Machinery, state: &State) -> f64 {
    let Machinery { mechanism, joints, .. } = machinery;
    let (mut worst, mut largest) = (0.0_f64, 0.0_f64);
    let size = |x: &[f64; 3]| x.iter().fold(0.0_f64, |max, x| max.max(x.abs()));
    for (body, _) in mechanism.bodies() {
        let [mut force, mut torque] = mechanism.effective_force(body, state).expect("a body");
        let weight = [0.4, -0.3, -9.81].map(|g| mechanism.mass(body) * g);
        largest = largest.max(size(&force)).max(size(&torque)).max(size(&weight));
        (0..3).for_each(|i| force[i] -= weight[i]);
        let centre = mechanism.motion(body, state).p;
        for (joint, first, second) in joints {
            let reaction = mechanism.reaction(*joint, state);
            for (on, wrench) in [(first, reaction.on_first), (second, reaction.on_second)] {
                if *on != body {
                    continue;
                }
                let arm = [0, 1, 2].map(|i| wrench.at[i] - centre[i]);
                let moment = cross(&arm, &wrench.force);
                largest = largest.max(size(&wrench.force)).max(size(&wrench.torque)).max(size(&moment));
                (0..3).for_each(|i| force[i] -= wrench.force[i]);
                (0..3).for_each(|i| torque[i] -= wrench.torque[i] + moment[i]);
            }
        }
        worst = worst.max(size(&force)).max(size(&torque));
    }
    worst / largest
}

#[test]
fn reactions_balance_on_random_trees_and_loops() {
    let mut random = Random(2024);
    let (mut worst, mut loops, mut seen, mut shared) = (0.0_f64, 0, 0, 0);
    for case in 0..200 {
        let (bodies, extra) = (1 + random.below(8), random.below(4));
        let mut machinery = spatial(&mut random, bodies, extra, Drawing::EXACT);
        machinery.mechanism.close().unwrap_or_else(|e| panic!("case {case} with {bodies} bodies: {e}"));
        let start: ConsistentState = match consistent(machinery.mechanism.system(), machinery.mechanism.guess()) {
            Ok(start) => start,
            Err(e) => panic!("case {case} with {bodies} bodies: {e}"),
        };
        let left = imbalance(&machinery, &start);
        // Loads that can be shared in many ways are found by least squares, to less than rounding.
        let redundant = !machinery.mechanism.mobility().redundant.is_empty();
        let limit = if redundant { 1e-9 } else { 1e-12 };
        assert!(left < limit, "case {case}, {bodies} bodies, redundant {redundant}: {left:e}");
        worst = worst.max(if redundant { 0.0 } else { left });
        shared += usize::from(redundant);
        loops += usize::from(machinery.joints.len() > bodies);
        seen += 1;
    }
    println!("{seen} mechanisms, {loops} with loops, {shared} redundant, worst of the others {worst:e}");
    assert!(loops > 50 && worst > 0.0 && shared < seen / 5);
}

#[test]
fn both_sides_of_a_joint_are_opposite() {
    let mut random = Random(77);
    for _ in 0..40 {
        let machinery = spatial(&mut random, 4, 2, Drawing::EXACT);
        let start = consistent(machinery.mechanism.system(), machinery.mechanism.guess()).expect("consistent");
        for (joint, _, _) in &machinery.joints {
            let reaction = machinery.mechanism.reaction(*joint, &start);
            let (first, second) = (reaction.on_first, reaction.on_second);
            let arm = [0, 1, 2].map(|i| first.at[i] - second.at[i]);
            let moment = cross(&arm, &first.force);
            let size = second.force.iter().chain(&second.torque).fold(1.0_f64, |max, x| max.max(x.abs()));
            for i in 0..3 {
                assert!((first.force[i] + second.force[i]).abs() < 1e-12 * size);
                assert!((first.torque[i] + moment[i] + second.torque[i]).abs() < 1e-11 * size, "{reaction:?}");
            }
            // The same force in the axes of the joint is as long.
            let length = |x: &[f64; 3]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
            assert!((length(&reaction.in_joint[0]) - length(&second.force)).abs() < 1e-12 * size);
        }
    }
}

#[test]
fn points_of_bodies_are_where_they_were_drawn() {
    let mut random = Random(5);
    let mut b = alembert_mechanism::Mechanism::builder();
    let turn = [0.5, 0.5, -0.5, 0.5];
    let body =
        alembert_mechanism::Body::new(1.0, [1.0; 3]).at([1.0, 2.0, 3.0]).quaternion(turn).centred(random.vector());
    let id: BodyId = b.body("body", body);
    let mechanism = b.build().expect("right");
    let point = random.vector();
    let expected = to_space(&turn, &point);
    let found = mechanism.point(id, point, &mechanism.guess().q);
    (0..3).for_each(|i| assert!((found[i] - expected[i] - [1.0, 2.0, 3.0][i]).abs() < 1e-15));
}
