//! Suspensions: a wheel between wishbones by the geometry of circles and spheres, a quarter of a car against its equations.

use std::fs;

use alembert_model::Model;
use alembert_sim::sheet::results;
use alembert_sim::{Alone, Beside, simulate};

use super::played::{self, Worst, play};
use super::power::meet;

type Vector = [f64; 3];

fn dot(x: Vector, y: Vector) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

fn cross(x: Vector, y: Vector) -> Vector {
    [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]
}

/// In the view from the front the wishbones are a four-bar linkage; about the kingpin the tie rod leaves
/// A cos(phi) + B sin(phi) = C for the steering.
#[test]
fn the_wheel_tilts_as_circles_say() {
    let (low, high, kingpin, tie): (f64, f64, f64, f64) = (0.38, 0.25, 0.28, 0.304);
    let (inner_low, inner_high, rack) = ([0.35, 0.2], [0.453, 0.44], [-0.12, 0.40, 0.248]);
    let played = play("double_wishbone");
    let [mut tilt, mut toes, mut post] = [Worst::default(), Worst::default(), Worst::default()];
    let mut cambers = Vec::new();
    for [t, angle, travel, camber, toe, track, height] in
        played.rows(["t", "lower_angle", "travel", "camber", "toe", "track", "patch_height"])
    {
        let ball = [inner_low[0] + low * angle.cos(), inner_low[1] + low * angle.sin()];
        let upper = meet(ball, kingpin, inner_high, high, -1.0);
        // Axes of the upright before it steers: z along the kingpin, x forward.
        let z = [0.0, (upper[0] - ball[0]) / kingpin, (upper[1] - ball[1]) / kingpin];
        let (x, y) = ([1.0, 0.0, 0.0], [0.0, z[2], -z[1]]);
        let foot = [0.0, ball[0], ball[1]];
        let placed = |point: Vector, phi: f64| -> Vector {
            let (s, c) = phi.sin_cos();
            let turned = [c * point[0] - s * point[1], s * point[0] + c * point[1], point[2]];
            [0, 1, 2].map(|k| turned[0] * x[k] + turned[1] * y[k] + turned[2] * z[k])
        };
        // |foot + p(phi) - rack| = tie, p(phi) = p_z z + cos(phi) u + sin(phi) z x u.
        let steer = [-0.12, -0.02, 0.06];
        let u: Vector = [0, 1, 2].map(|k| steer[0] * x[k] + steer[1] * y[k]);
        let away: Vector = [0, 1, 2].map(|k| foot[k] + steer[2] * z[k] - rack[k]);
        let (a, b) = (2.0 * dot(away, u), 2.0 * dot(away, cross(z, u)));
        let c = tie * tie - dot(away, away) - dot(u, u);
        let solutions = [1.0, -1.0].map(|side| b.atan2(a) + side * (c / a.hypot(b)).acos());
        let near = |x: f64| x.sin().atan2(x.cos());
        let phi = solutions.map(near).into_iter().min_by(|x, y| x.abs().total_cmp(&y.abs())).expect("two");
        let lean = 6.0_f64.to_radians();
        let axle = placed([0.0, lean.cos(), -lean.sin()], phi);
        let patch = placed([0.0, 0.09, -0.2], phi);
        tilt.add(camber, -axle[2].asin().to_degrees());
        toes.add(toe, axle[0].atan2(axle[1]).to_degrees());
        post.add(track, foot[1] + patch[1]);
        post.add(height, foot[2] + patch[2]);
        post.add(height, travel);
        post.add(travel, 0.06 * (std::f64::consts::TAU * t).sin());
        cambers.push((travel, camber));
    }
    tilt.within(1e-10, "camber, degrees");
    toes.within(1e-9, "toe, degrees");
    post.within(1e-12, "patch, m");
    // In bump the top goes inwards.
    let (up, down) =
        (cambers.iter().max_by(|x, y| x.0.total_cmp(&y.0)), cambers.iter().min_by(|x, y| x.0.total_cmp(&y.0)));
    assert!(up.is_some_and(|(_, camber)| *camber < -1.5) && down.is_some_and(|(_, camber)| *camber > 1.0));
}

/// The same motion as that of the equations, and the weight besides.
#[test]
fn the_quarter_car_moves_as_its_equations() {
    let path = played::folder().join("../quarter_car.toml");
    let text = fs::read_to_string(&path).expect("the model");
    let equations = Model::parse_with("quarter_car", &text, &[], &Beside::new(&path)).expect("a model");
    let run = simulate(&equations, &equations.run, &Alone).expect("runs");
    let sheet = results(&equations, &run.states);
    let column = |name: &str| sheet.columns.iter().position(|column| column == name).expect("a column");
    let [wheel, body, change] = ["wheel_height", "body_height", "tyre_force"].map(column);
    let drawn = play("quarter_car").rows(["t", "wheel_height", "body_height", "tyre_force"]);
    assert_eq!(drawn.len(), sheet.rows.len());
    let [mut heights, mut loads] = [Worst::default(), Worst::default()];
    for ([t, z_wheel, z_body, load], row) in drawn.iter().zip(&sheet.rows) {
        assert!((t - row[0]).abs() < 1e-12);
        heights.add(*z_wheel, row[wheel]);
        heights.add(*z_body, row[body]);
        loads.add(*load, 360.0 * 9.81 + row[change]);
    }
    heights.within(3e-7, "heights of some 0.04 m");
    loads.within(0.05, "loads of some 3500 N");
    let here = fs::read(played::folder().join("quarter_car_road.csv")).expect("a road");
    assert_eq!(here, fs::read(played::folder().join("../quarter_car_road.csv")).expect("a road"), "another road");
}
