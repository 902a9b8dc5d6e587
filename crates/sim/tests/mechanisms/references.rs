//! Motions with 19 digits, each computed in two ways that share no formula with the library.

use alembert::State;
use alembert_mechanism::{BodyId, JointId};
use alembert_model::run::{MethodChoice, Steps};
use alembert_sim::{Alone, End, simulate};
use serde_json::Value;

use super::played;

fn numbers<const N: usize>(value: &Value) -> [f64; N] {
    let list = value.as_array().expect("a list");
    std::array::from_fn(|i| list[i].as_f64().expect("a number"))
}

/// Largest differences of positions, velocities and reactions to those stored, each relative to the largest of its kind.
fn differences(name: &str, reference: &str, steps: Option<Steps>) -> [f64; 3] {
    let path = format!("{}/../mechanism/tests/references/{reference}.json", env!("CARGO_MANIFEST_DIR"));
    let stored: Value = serde_json::from_str(&std::fs::read_to_string(&path).expect("a reference")).expect("JSON");
    let states = stored["states"].as_array().expect("states");
    let model = played::model(name, &[]);
    let mechanism = model.system.mechanism().expect("a mechanism");
    let mut run = model.run.clone();
    let times: Vec<f64> = states.iter().map(|state| state["t"].as_f64().expect("a time")).collect();
    run.t_end = *times.last().expect("times");
    (run.output_every, run.t_eval) = (None, times.clone());
    if let Some(steps) = steps {
        (run.steps, run.method) = (steps, MethodChoice::radau(3).expect("a method"));
    }
    let found = simulate(&model, &run, &Alone).unwrap_or_else(|failure| panic!("{name}: {failure:?}"));
    assert_eq!(found.end, End::Reached);
    let bodies: Vec<BodyId> = mechanism.bodies().map(|(id, _)| id).collect();
    let joints: Vec<JointId> = mechanism.joints().map(|(id, ..)| id).collect();
    let (mut off, mut sizes, mut compared) = ([0.0_f64; 3], [0.0_f64; 3], 0);
    let mut put = |kind: usize, ours: &[f64], theirs: &[f64]| {
        for (x, y) in ours.iter().zip(theirs) {
            assert!(x.is_finite());
            off[kind] = off[kind].max((x - y).abs());
            sizes[kind] = sizes[kind].max(y.abs());
        }
    };
    for (t, stored) in times.iter().zip(states) {
        let state: &State =
            found.states.iter().find(|state| (state.t - t).abs() < 1e-9).unwrap_or_else(|| panic!("no row at {t}"));
        let theirs = stored["bodies"].as_array().expect("bodies");
        assert_eq!(theirs.len(), bodies.len());
        for (id, theirs) in bodies.iter().zip(theirs) {
            let motion = mechanism.motion(*id, state);
            let turn: [f64; 4] = numbers(&theirs["quaternion"]);
            let inner: f64 = turn.iter().zip(&motion.quaternion).map(|(x, y)| x * y).sum();
            put(0, &motion.p, &numbers::<3>(&theirs["p"]));
            put(0, &motion.quaternion.map(|x| x * inner.signum()), &turn);
            put(1, &motion.v, &numbers::<3>(&theirs["v"]));
            put(1, &motion.omega, &numbers::<3>(&theirs["omega"]));
        }
        if let Some(reactions) = stored["reactions"].as_array() {
            assert_eq!(reactions.len(), joints.len());
            for (joint, theirs) in joints.iter().zip(reactions) {
                let on = mechanism.reaction(*joint, state).on_second;
                put(2, &on.force, &numbers::<3>(&theirs["force"]));
                put(2, &on.torque, &numbers::<3>(&theirs["torque"]));
            }
        }
        compared += 1;
    }
    assert!(compared >= 4, "{compared} times");
    let relative = [0, 1, 2].map(|kind| if sizes[kind] > 0.0 { off[kind] / sizes[kind] } else { 0.0 });
    println!("{name}: positions {:.1e}, velocities {:.1e}, reactions {:.1e}", relative[0], relative[1], relative[2]);
    relative
}

fn within(found: [f64; 3], allowed: [f64; 3]) {
    assert!(found.iter().zip(allowed).all(|(x, y)| *x <= y), "{found:?} instead of at most {allowed:?}");
}

#[test]
fn the_four_bar_is_that_of_the_reference() {
    within(differences("four_bar", "four_bar_motor", None), [1e-8, 1e-8, 1e-8]);
}

#[test]
fn the_spatial_slider_crank_is_that_of_the_reference() {
    within(differences("slider_crank_spatial", "slider_crank_spatial", None), [1e-7, 1e-7, 1e-7]);
}

#[test]
fn the_gyroscope_is_that_of_the_reference() {
    within(differences("gyroscope", "gimbal_gyroscope", None), [1e-9, 1e-9, 1e-7]);
}

#[test]
fn the_governor_is_that_of_the_reference() {
    within(differences("governor", "flyball_governor", None), [3e-8, 3e-8, 2e-6]);
}

/// It has no reactions that are unique.
#[test]
fn bricard_is_that_of_the_reference() {
    within(differences("bricard", "bricard", None), [1e-8, 1e-8, 0.0]);
}

/// With its fixed steps as it is, and by tolerance.
#[test]
fn the_chain_is_that_of_the_reference() {
    within(differences("chain", "chain_ball_10", None), [3e-6, 1e-4, 1e-4]);
    let tight = Steps::ByError { rtol: 1e-9, atol: None };
    within(differences("chain", "chain_ball_10", Some(tight)), [1e-9, 1e-8, 1e-8]);
}
