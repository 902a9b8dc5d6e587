//! Whole files to drawings, and drawings to mechanisms.

use std::path::Path;

use toml::de::DeTable;

use super::*;
use crate::text::{Collector, Mistakes};

/// Reads a file as far as its drawing.
fn drawn<T>(name: &str, text: &str, look: impl FnOnce(Drawing) -> T) -> Result<T, Mistakes> {
    let mut mistakes = Collector::default();
    let root = DeTable::parse(text).expect("TOML");
    let document = Document::read(text, root.get_ref(), &mut mistakes);
    let mut scope = Scope::new(&mut mistakes);
    super::super::define(&document, &mut scope, "parameters", true);
    match read(&document, &mut scope) {
        Some(drawing) if mistakes.is_empty() => Ok(look(drawing)),
        _ => Err(mistakes.into_mistakes(name, text)),
    }
}

fn file(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn built<T>(text: &str, look: impl FnOnce(Drawing) -> T) -> T {
    drawn("model.toml", text, look).unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

/// The mechanism of a drawing, closed.
fn closed(drawing: Drawing) -> Mechanism {
    let mut mechanism = drawing.builder.build().unwrap_or_else(|error| panic!("{error}"));
    mechanism.close().unwrap_or_else(|error| panic!("{error}"));
    mechanism
}

/// Value and rate of a coordinate at the start.
fn at_start(mechanism: &Mechanism, of: CoordinateId) -> (f64, f64) {
    let guess = mechanism.guess();
    mechanism.coordinate(of, guess.t, &guess.q, &guess.v).expect("a coordinate")
}

fn near(x: f64, y: f64) -> bool {
    (x - y).abs() < 1e-10
}

/// The crank of the spatial slider-crank points along z: B is at (0, 0.1, 0.2), and |BC| = 0.3 with C on the x axis.
#[test]
fn the_slider_crank_closes_where_its_lengths_put_it() {
    built(&file("mechanisms/slider_crank_spatial.toml"), |drawing| {
        let joints: Vec<&str> = drawing.joints.iter().map(|joint| joint.name.as_str()).collect();
        assert_eq!(joints, ["A", "B", "C", "D"]);
        assert_eq!((drawing.bodies.len(), drawing.planar), (3, false));
        let (slide, hinge) = (drawing.joints[3].id, drawing.joints[0].id);
        let mechanism = closed(drawing);
        let expected = (0.3_f64 * 0.3 - 0.1 * 0.1 - 0.2 * 0.2).sqrt();
        let (x, _) = at_start(&mechanism, slide.displacement());
        assert!(near(x, expected), "{x}");
        let (angle, speed) = at_start(&mechanism, hinge.angle());
        assert!(near(angle, 0.0) && near(speed, 6.0), "{angle} {speed}");
        // x = sqrt(l^2 - y^2 - z^2) with B = (0, 0.1 - r sin a, 0.12 + r cos a): x x' = -y y' - z z'.
        let (_, rate) = at_start(&mechanism, slide.displacement());
        assert!(near(rate, 0.1 * 0.08 * 6.0 / expected), "{rate}");
    });
}

/// Four-bar of 0.1, 0.3, 0.25 on a base of 0.3: the coupler point is on both circles.
#[test]
fn the_four_bar_closes_and_has_a_law_for_its_motor() {
    built(&file("mechanisms/four_bar.toml"), |drawing| {
        assert!(drawing.planar);
        let [motor] = &drawing.laws[..] else { panic!("one law") };
        assert_eq!((motor.name.as_str(), motor.local), ("motor", Some("angle")));
        let joint = drawing.joints[0].id;
        assert!(matches!(motor.acts, Acts::Coordinate { of, restoring: false } if of == joint.angle()));
        let (coupler, b) = (drawing.bodies[1].id, drawing.bodies[1].points["B"]);
        assert_eq!(b, [0.15, -0.02, 0.0]);
        let mechanism = closed(drawing);
        let q = &mechanism.guess().q;
        let point = mechanism.point(coupler, b, q);
        let a = [0.1 * 1.0_f64.cos(), 0.1 * 1.0_f64.sin()];
        let distance = |x: f64, y: f64| ((point[0] - x).powi(2) + (point[1] - y).powi(2)).sqrt();
        assert!(near(distance(a[0], a[1]), 0.3) && near(distance(0.3, 0.0), 0.25), "{point:?}");
        assert!(near(at_start(&mechanism, joint.angle()).0, 1.0));
    });
}

#[test]
fn the_gyroscope_has_blanks_in_its_names_and_solids() {
    built(&file("mechanisms/gyroscope.toml"), |drawing| {
        let names: Vec<&str> = drawing.joints.iter().map(|joint| joint.name.as_str()).collect();
        assert_eq!(names, ["outer bearing", "inner bearing", "rotor bearing"]);
        let ids: Vec<JointId> = drawing.joints.iter().map(|joint| joint.id).collect();
        let mechanism = closed(drawing);
        let found: Vec<(f64, f64)> = ids.iter().map(|id| at_start(&mechanism, id.angle())).collect();
        for ((angle, speed), (wanted, rate)) in found.iter().zip([(0.0, 0.2), (0.6, 0.0), (0.0, 400.0)]) {
            assert!(near(*angle, wanted) && near(*speed, rate), "{found:?}");
        }
    });
}

#[test]
fn the_chain_is_repeated() {
    built(&file("mechanisms/chain.toml"), |drawing| {
        let names: Vec<&str> = drawing.bodies.iter().map(|body| body.name.as_str()).collect();
        assert_eq!((names[0], names[9], names.len()), ("link[1]", "link[10]", 10));
        assert_eq!(drawing.joints[9].name, "ball[10]");
        let (last, right) = (drawing.bodies[9].id, drawing.bodies[9].points["right"]);
        let mechanism = closed(drawing);
        let tip = mechanism.point(last, right, &mechanism.guess().q);
        assert!(near(tip[0], 10.0) && near(tip[1], 0.0), "{tip:?}");
    });
}
