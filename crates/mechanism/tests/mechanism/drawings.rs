//! Mechanisms of the stored files on mobility and on closing: bodies with poses, joints with markers.

use alembert_mechanism::joint::*;
use alembert_mechanism::{Body, Builder, GROUND, JointId, Marker, Mechanism};
use serde_json::Value;

fn numbers<const N: usize>(value: &Value) -> [f64; N] {
    std::array::from_fn(|i| value[i].as_f64().expect("a number"))
}

/// All entries of a file.
pub fn load(name: &str, key: &str) -> Vec<Value> {
    let path = format!("{}/tests/references/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let mut value: Value = serde_json::from_str(&text).expect("JSON");
    value[key].take().as_array_mut().map(std::mem::take).expect("a list")
}

/// The bodies and joints of an entry.
pub fn builder(entry: &Value) -> (Builder, Vec<JointId>) {
    let mut b = Mechanism::builder();
    let bodies: Vec<_> = entry["bodies"]
        .as_array()
        .expect("bodies")
        .iter()
        .map(|body| {
            let moments: [[f64; 3]; 3] = std::array::from_fn(|i| numbers(&body["inertia"][i]));
            let rigid = Body::with_moments(body["mass"].as_f64().expect("a mass"), moments);
            let rigid = match body["p"].is_array() {
                true => rigid.at(numbers(&body["p"])).quaternion(numbers(&body["quaternion"])),
                false => rigid.unposed(),
            };
            b.body(body["name"].as_str().expect("a name"), rigid)
        })
        .collect();
    let mut joints = Vec::new();
    for joint in entry["joints"].as_array().expect("joints") {
        let name = joint["name"].as_str().expect("a name");
        let marker = |side: usize| -> Marker {
            let of = joint["of"][side].as_i64().expect("a body");
            let body = if of < 0 { GROUND } else { bodies[of as usize] };
            let axes: [[f64; 3]; 3] = std::array::from_fn(|i| numbers(&joint["axes"][side][i]));
            body.at(numbers(&joint["o"][side])).axes(axes[2], axes[0])
        };
        let (i, j) = (marker(0), marker(1));
        let length = joint["length"].as_f64().unwrap_or(1.0);
        let id = match joint["type"].as_str().expect("a type") {
            "revolute" => b.joint(name, Revolute, i, j),
            "spherical" => b.joint(name, Spherical, i, j),
            "cylindrical" => b.joint(name, Cylindrical, i, j),
            "prismatic" => b.joint(name, Prismatic, i, j),
            "universal" => b.joint(name, Universal, i, j),
            "pointline" => b.joint(name, PointOnLine, i, j),
            "pointplane" => b.joint(name, PointOnPlane, i, j),
            "distance" => b.joint(name, Distance { length }, i, j),
            "screw" => {
                let id = b.joint(name, Cylindrical, i, j);
                let pitch = joint["pitch"].as_f64().expect("a pitch") / std::f64::consts::TAU;
                b.couple(format!("{name} thread"), &[(1.0, id.displacement()), (-pitch, id.angle())]);
                id
            }
            other => panic!("a joint of type {other}"),
        };
        joints.push(id);
    }
    for (at, gear) in entry["gears"].as_array().into_iter().flatten().enumerate() {
        let named = |k: usize| {
            let name = gear["joints"][k].as_str().expect("a name");
            let list = entry["joints"].as_array().expect("joints");
            joints[list.iter().position(|joint| joint["name"] == name).expect("a joint")].angle()
        };
        let radii: [f64; 2] = numbers(&gear["radii"]);
        b.couple(format!("gear {at}"), &[(radii[0], named(0)), (radii[1], named(1))]);
    }
    (b, joints)
}
