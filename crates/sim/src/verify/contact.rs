//! Bounces against their law, from the states before and after alone.
//!
//! ```text
//! phi'+ = -e phi'-       phi' = d/ds phi(t + s, q + s q'), by differences
//! phi does not change its sign while the surface is there
//! ```

use alembert::{Occurrence, State};
use alembert_model::{Action, Model};

/// Normal velocities may deviate from the law by this share: differences of phi have about ten digits.
const LAW: f64 = 1e-5;
/// How far a body may be behind a surface, relative to phi's own size.
const BEHIND: f64 = 1e-5;

/// What contradicts the law of impacts.
pub fn contradictions(model: &Model, states: &[State], occurrences: &[Occurrence], tol: f64) -> Vec<String> {
    let mut found = Vec::new();
    for (k, event) in model.events.iter().enumerate() {
        let Action::Bounce { restitution } = event.action else { continue };
        let broken = occurrences.iter().filter(|o| o.event == k && is_alone(o, occurrences)).find_map(|o| {
            let (before, after) = (rate(model, k, &o.before), rate(model, k, &o.after));
            let speed = o.before.v.iter().chain(&o.after.v).fold(0.0, |max: f64, v| max.max(v.abs()));
            // A body at rest on a surface makes no impact.
            let is_impact = before.abs() > 1e-6 * (1e-3 + speed);
            let off = after + restitution * before;
            (is_impact && off.abs() > (LAW + 100.0 * tol) * before.abs()).then(|| {
                format!(
                    "the bounce `{}` at t = {:.6} does not obey its law: the surface is met at {before:.3e} and left at \
                     {after:.3e}, where restitution {restitution} asks for {:.3e}",
                    event.name,
                    o.t,
                    -restitution * before
                )
            })
        });
        found.extend(broken.or_else(|| passage(model, k, states, tol)));
    }
    found
}

/// Whether nothing else happens at the same time: then others share the impulse.
fn is_alone(occurrence: &Occurrence, all: &[Occurrence]) -> bool {
    all.iter().filter(|other| (other.t - occurrence.t).abs() <= 1e-12 * (1.0 + occurrence.t.abs())).count() == 1
}

/// A body that was in front of a surface and is behind it.
fn passage(model: &Model, k: usize, states: &[State], tol: f64) -> Option<String> {
    let event = &model.events[k];
    let value = |state: &State| event.value(state);
    let size = states.iter().map(|state| value(state).abs()).filter(|x| x.is_finite()).fold(0.0, f64::max);
    let least = (BEHIND + 100.0 * tol) * size;
    let mut front = match event.direction {
        alembert::Direction::Falling => Some(1.0),
        alembert::Direction::Rising => Some(-1.0),
        alembert::Direction::Any => None,
    };
    let mut seen = false;
    for state in states {
        let phi = value(state);
        if phi.is_nan() || phi.abs() <= least {
            continue;
        }
        match front {
            None => (front, seen) = (Some(phi.signum()), true),
            Some(side) if side == phi.signum() => seen = true,
            Some(_) if seen => {
                return Some(format!(
                    "the surface of `{}` is passed: its formula is {phi:.2e} at t = {:.6}, on the other side",
                    event.name, state.t
                ));
            }
            Some(_) => {}
        }
    }
    None
}

/// phi' by Richardson's extrapolation of symmetric differences.
fn rate(model: &Model, k: usize, state: &State) -> f64 {
    use alembert::{At, ConstrainedSystem, Quantity, Supplied};
    let mut q_dot = vec![0.0; state.q.len()];
    if model.system.ask(Quantity::Rate, &At::new(state.t, &state.q, &state.v), &mut q_dot) == Supplied::No {
        q_dot.copy_from_slice(&state.v);
    }
    let value = |s: f64| {
        let mut moved = state.clone();
        moved.t += s;
        moved.q.iter_mut().zip(&q_dot).for_each(|(q, rate)| *q += s * rate);
        model.events[k].value(&moved)
    };
    // Small against the time in which anything moves by its own size.
    let size = state.q.iter().fold(0.0, |max: f64, q| max.max(q.abs())).max(1e-6);
    let speed = q_dot.iter().fold(0.0, |max: f64, v| max.max(v.abs()));
    let s = 1e-4 * if speed > 0.0 { (size / speed).min(1.0) } else { 1.0 };
    let slope = |s: f64| (value(s) - value(-s)) / (2.0 * s);
    (4.0 * slope(0.5 * s) - slope(s)) / 3.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A floor that rises with speed 1, met by a body at height `t` from above.
    const FLOOR: &str = "format = 1\n[variables]\ncoordinates = [\"y\"]\n[equations]\nmass = [1]\nforce = [0]\n[initial]\ny = 1\n\
        [run]\nt_end = 2\n[[events]]\nname = \"floor\"\nformula = \"y - t\"\ndirection = \"falling\"\naction = \"bounce\"\n\
        restitution = 0.5\n";

    fn state(t: f64, y: f64, v: f64) -> State {
        State { t, q: vec![y], v: vec![v], a: vec![0.0], lambda: vec![], psi: vec![] }
    }

    fn bounce(before: f64, after: f64) -> Occurrence {
        Occurrence {
            event: 0,
            name: "floor".to_owned(),
            t: 1.0,
            rising: false,
            action: alembert::Action::Bounce { restitution: 0.5 },
            modes: (0, 0),
            before: state(1.0, 1.0, before),
            after: state(1.0, 1.0, after),
            impulse: vec![],
            contact: after - before,
        }
    }

    #[test]
    fn bounces_are_held_against_their_law_relative_to_the_surface() {
        let model = Model::parse("floor.toml", FLOOR, &[]).expect("a model");
        // At rest before: the floor is met at -1, so that the body must leave it at 0.5, with velocity 1.5.
        assert!(contradictions(&model, &[], &[bounce(0.0, 1.5)], 1e-9).is_empty());
        for wrong in [0.0, 0.5, 1.0, 1.51, 2.0] {
            let found = contradictions(&model, &[], &[bounce(0.0, wrong)], 1e-9);
            assert!(found.len() == 1 && found[0].contains("`floor`"), "{wrong}: {found:?}");
        }
    }

    #[test]
    fn a_surface_that_is_passed_is_told() {
        let model = Model::parse("floor.toml", FLOOR, &[]).expect("a model");
        let above = [state(0.0, 1.0, 0.0), state(0.5, 1.0, 0.0), state(1.0, 1.0, 1.5), state(1.5, 1.75, 1.5)];
        assert!(contradictions(&model, &above, &[], 1e-9).is_empty());
        let through = [state(0.0, 1.0, 0.0), state(0.5, 1.0, 0.0), state(1.5, 1.0, 0.0)];
        let found = contradictions(&model, &through, &[], 1e-9);
        assert!(found.len() == 1 && found[0].contains("is passed"), "{found:?}");
    }
}
