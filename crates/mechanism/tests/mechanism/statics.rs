//! Static equilibrium of stored mechanisms (`equilibrium.json`): where they hang, how high that is, and what the supports of a chain carry.

use alembert::equilibrium::{Stability, equilibrium};
use serde_json::Value;

use crate::drawings::{builder, load};

fn list(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().filter_map(Value::as_f64).collect()
}

#[test]
fn mechanisms_settle_where_they_must() {
    let entries = load("equilibrium", "cases");
    assert_eq!(entries.len(), 3);
    for entry in &entries {
        let name = entry["name"].as_str().expect("a name");
        let (mut b, joints) = builder(entry);
        let gravity = list(&entry["gravity"]);
        b.gravity([gravity[0], gravity[1], gravity[2]]);
        let mut mechanism = b.build().unwrap_or_else(|e| panic!("{name}: {e}"));
        mechanism.close().unwrap_or_else(|e| panic!("{name}: {e}"));
        let found = equilibrium(mechanism.system(), mechanism.guess()).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(!matches!(found.stability, Stability::Unstable { .. }), "{name}: {:?}", found.stability);
        let mut potential = 0.0;
        for ((id, _), (body, drawn)) in mechanism.bodies().zip(
            entry["equilibrium"]["bodies"]
                .as_array()
                .expect("a list")
                .iter()
                .zip(entry["bodies"].as_array().expect("a list")),
        ) {
            let motion = mechanism.motion(id, &found.state);
            for (x, y) in motion.p.iter().zip(list(&body["p"])) {
                assert!((x - y).abs() < 1e-9, "{name}: {x} for {y}");
            }
            let height: f64 = gravity.iter().zip(&motion.p).map(|(g, p)| g * p).sum();
            potential -= drawn["mass"].as_f64().expect("a mass") * height;
        }
        let exact = entry["equilibrium"]["potential"].as_f64().expect("a number");
        assert!((potential - exact).abs() < 1e-10 * exact.abs(), "{name}: {potential} for {exact}");
        if let Some(horizontal) = entry["exact"]["horizontal_force"].as_f64() {
            // The ground pulls the first link towards its support and carries half of the chain.
            let force = mechanism.reaction(joints[0], &found.state).on_second.force;
            let half = entry["exact"]["first_support"].as_f64().expect("a number");
            assert!((force[0] + horizontal).abs() < 1e-8 * horizontal, "{force:?} for {horizontal}");
            assert!((force[2] - half).abs() < 1e-8 * half, "{force:?} for {half}");
        }
    }
}
