//! Freedoms and redundant constraints of known mechanisms.

use crate::drawings::{builder, load};

#[test]
fn freedoms_and_redundancy_are_those_of_theory() {
    let mut wrong = Vec::new();
    let entries = load("mobility", "mechanisms");
    for entry in &entries {
        let name = entry["name"].as_str().expect("a name");
        let mut mechanism = builder(entry).0.build().unwrap_or_else(|e| panic!("{name}: {e}"));
        let closed = mechanism.close().unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(closed.moved < 1e-9, "{name}: it is drawn closed, and moved by {:e}", closed.moved);
        let mobility = mechanism.mobility();
        let here = &entry["here"];
        let expected = (here["mobility"].as_u64().expect("a number"), here["redundant"].as_u64().expect("a number"));
        let nature = entry["nature"].as_str().expect("words");
        let found = (mobility.freedoms as u64, mobility.redundant.len() as u64);
        let stays = nature.starts_with("everywhere") || nature == "none";
        if found != expected || mobility.everywhere != stays {
            wrong.push(format!("{name}: {found:?} for {expected:?}, everywhere {} for {nature}", mobility.everywhere));
        }
        for row in &mobility.redundant {
            assert!(!row.follows_from.is_empty(), "{name}: {row:?}");
        }
    }
    assert!(wrong.is_empty() && entries.len() == 38, "{}", wrong.join("\n"));
}

#[test]
fn a_planar_loop_in_space_is_named() {
    let entries = load("mobility", "mechanisms");
    let four_bar = entries.iter().find(|entry| entry["name"] == "planar four-bar in space").expect("there");
    let mobility = builder(four_bar).0.build().expect("right").mobility();
    let named: Vec<String> = mobility
        .redundant
        .iter()
        .map(|row| format!("{} {} from {}", row.joint, row.direction, row.follows_from.join(", ")))
        .collect();
    assert_eq!(named.len(), 3, "{named:?}");
    assert!(named.iter().all(|row| row.starts_with("D ")), "{named:?}");
    assert!(named.contains(&"D along z from A, B, C".to_owned()), "{named:?}");
}

#[test]
fn freedoms_are_named_by_joint_coordinates() {
    let entries = load("mobility", "mechanisms");
    let expected = [
        ("pendulum", vec!["angle of `O`"]),
        ("double pendulum", vec!["angle of `O`", "angle of `A`"]),
        ("four-bar, C spherical, D cylindrical", vec!["angle of `A`"]),
        ("slider-crank at dead centre", vec!["angle of `O`"]),
        ("rigid triangle", vec![]),
    ];
    for (name, freedoms) in expected {
        let entry = entries.iter().find(|entry| entry["name"] == name).unwrap_or_else(|| panic!("no {name}"));
        let mechanism = builder(entry).0.build().expect("right");
        assert_eq!(mechanism.freedoms().expect("small"), freedoms, "{name}");
    }
    for entry in &entries {
        let mechanism = builder(entry).0.build().expect("right");
        let (freedoms, mobility) = (mechanism.freedoms().expect("small"), mechanism.mobility());
        assert_eq!(freedoms.len(), mobility.freedoms, "{}: {freedoms:?}", entry["name"]);
        assert!(mobility.to_string().contains("of freedom"), "{mobility}");
    }
}
