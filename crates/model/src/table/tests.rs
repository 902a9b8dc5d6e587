//! Tables against polynomials that they must reproduce, against properties that define them, and against differences.

use super::*;

const X: [f64; 7] = [-1.0, -0.7, 0.1, 0.4, 1.5, 1.9, 3.0];

fn curve(kind: Kind, beyond: Beyond, x: &[f64], y: impl Fn(f64) -> f64) -> Table {
    let values: Vec<f64> = x.iter().map(|x| y(*x)).collect();
    Table::curve("road", kind, Axis::new(x.to_vec(), beyond), &values)
}

fn at(table: &Table, order: u8, x: f64) -> f64 {
    table.at(Asked::Derivative([order, 0]), x, x)
}

/// Close to rounding beside numbers of order 10.
fn assert_close(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() <= 2e-12 * (1.0 + expected.abs()), "{what}: {found} {expected}");
}

#[test]
fn knots_are_met_to_the_last_bit() {
    let y = |x: f64| (3.1 * x).sin() + 100.0;
    for kind in [Kind::Linear, Kind::Pchip, Kind::Spline] {
        let table = curve(kind, Beyond::Error, &X, y);
        for x in X {
            assert_eq!(at(&table, 0, x), y(x), "{kind:?} at {x}");
        }
    }
}

#[test]
fn splines_reproduce_cubics_with_all_derivatives() {
    let p = |x: f64| 1.0 - 2.0 * x + 0.5 * x * x + 0.25 * x * x * x;
    let derivatives = [p as fn(f64) -> f64, |x| -2.0 + x + 0.75 * x * x, |x| 1.0 + 1.5 * x, |_| 1.5];
    let spline = curve(Kind::Spline, Beyond::Error, &X, p);
    for i in 0..=40 {
        let x = -1.0 + 0.1 * f64::from(i);
        for (order, expected) in derivatives.iter().enumerate() {
            let digits = at(&spline, order as u8, x) - expected(x);
            assert!(digits.abs() < 1e-11 * 10.0_f64.powi(order as i32), "order {order} at {x}: {digits:e}");
        }
    }
    // Three points have their parabola, two a line.
    let parabola = curve(Kind::Spline, Beyond::Error, &X[..3], |x| 2.0 - x + 3.0 * x * x);
    assert_close(at(&parabola, 0, -0.2), 2.0 + 0.2 + 0.12, "parabola");
    assert_close(at(&parabola, 1, -0.2), -1.0 - 1.2, "its slope");
    for kind in [Kind::Pchip, Kind::Spline] {
        let line = curve(kind, Beyond::Error, &X[..2], |x| 4.0 * x);
        assert_close(at(&line, 0, -0.8), -3.2, "line");
        assert_close(at(&line, 1, -0.8), 4.0, "its slope");
    }
}

#[test]
fn splines_have_two_continuous_derivatives_and_no_knots_next_to_their_ends() {
    let spline = curve(Kind::Spline, Beyond::Error, &X, |x| (2.0 * x).sin());
    let sides = |order: u8, x: f64| (at(&spline, order, x.next_down()), at(&spline, order, x));
    for x in &X[1..6] {
        for order in 0..=2 {
            let (left, right) = sides(order, *x);
            assert!((left - right).abs() < 1e-11, "derivative {order} at {x}: {left} {right}");
        }
    }
    for x in [X[1], X[5]] {
        let (left, right) = sides(3, x);
        assert!((left - right).abs() < 1e-9, "not-a-knot at {x}: {left} {right}");
    }
    let (left, right) = sides(3, X[3]);
    assert!((left - right).abs() > 0.1, "a knot");
}

#[test]
fn pchip_is_monotone_where_its_points_are() {
    // A step that a spline overshoots.
    let values = [0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.5];
    let axis = || Axis::new(X.to_vec(), Beyond::Error);
    let pchip = Table::curve("step", Kind::Pchip, axis(), &values);
    let spline = Table::curve("step", Kind::Spline, axis(), &values);
    let all: Vec<f64> = (0..=400).map(|i| -1.0 + 0.01 * f64::from(i)).collect();
    assert!(all.iter().all(|x| (0.0..=1.0).contains(&at(&pchip, 0, *x))));
    assert!(all.iter().any(|x| !(-1e-3..=1.001).contains(&at(&spline, 0, *x))), "the spline does overshoot");
    for (i, x) in X.windows(2).enumerate() {
        let rises = (values[i + 1] - values[i]).signum();
        for k in 0..=10 {
            let slope = at(&pchip, 1, x[0] + 0.1 * f64::from(k) * (x[1] - x[0]));
            assert!(slope * rises >= -1e-12, "piece {i}: {slope}");
        }
    }
    // The harmonic mean of Fritsch and Butland at an inner knot, by hand: h = 1 and 3, slopes 1 and 2, so w = 7 and 5.
    let mean = Table::curve("mean", Kind::Pchip, Axis::new(vec![0.0, 1.0, 4.0], Beyond::Error), &[0.0, 1.0, 7.0]);
    assert_close(at(&mean, 1, 1.0), 12.0 / (7.0 / 1.0 + 5.0 / 2.0), "harmonic mean");
}

#[test]
fn periodic_tables_go_on_smoothly() {
    use std::f64::consts::PI;
    let x: Vec<f64> = (0..=40).map(|i| f64::from(i) * PI / 20.0).collect();
    for (kind, smooth) in [(Kind::Linear, 0), (Kind::Pchip, 1), (Kind::Spline, 2)] {
        let mut values: Vec<f64> = x.iter().map(|x| x.sin()).collect();
        values[40] = values[0];
        let table = Table::curve("wave", kind, Axis::new(x.clone(), Beyond::Periodic), &values);
        for order in 0..=smooth {
            for end in [0.0, 2.0 * PI, -4.0 * PI] {
                let (left, right) = (at(&table, order, end - 1e-12), at(&table, order, end + 1e-12));
                assert!((left - right).abs() < 1e-8, "{kind:?}, derivative {order} at {end}: {left} {right}");
            }
        }
        for x in [-7.3, 0.2, 20.0] {
            let error = at(&table, 0, x) - x.sin();
            assert!(error.abs() < [5e-3, 5e-3, 1e-5][smooth as usize], "{kind:?} at {x}: {error}");
        }
    }
    // Three points: the periodic spline through 0, 1, 0 with knots 0, 1, 2 is symmetric, so its slopes are zero.
    let three = Table::curve("three", Kind::Spline, Axis::new(vec![0.0, 1.0, 2.0], Beyond::Periodic), &[0.0, 1.0, 0.0]);
    assert_close(at(&three, 0, 0.5), 0.5, "three points");
}

#[test]
fn beyond_the_ends_is_what_was_asked_for() {
    let y = |x: f64| x * x;
    for kind in [Kind::Linear, Kind::Pchip, Kind::Spline] {
        let line = curve(kind, Beyond::Linear, &X, y);
        let slope = at(&line, 1, 3.0);
        assert_close(at(&line, 0, 5.0), 9.0 + 2.0 * slope, "line");
        assert_eq!((at(&line, 1, 5.0), at(&line, 2, 5.0)), (slope, 0.0));
        let error = curve(kind, Beyond::Error, &X, y);
        assert!(at(&error, 0, 3.1).is_nan() && at(&error, 1, -1.1).is_nan());
        // Rounding carries nothing out of a table.
        assert_close(at(&error, 0, 3.0_f64.next_up()), 9.0, "rounding");
        assert!(error.room(3.1, 0.0) < 0.0 && error.words(3.1, 0.0).contains("`road` goes from -1 to 3"));
        assert!([&line, &error].into_iter().all(|table| at(table, 0, f64::NAN).is_nan()));
    }
}

#[test]
fn surfaces_reproduce_what_their_kind_can() {
    let (x, y) = ([-1.0, -0.2, 0.5, 2.0, 2.5], [0.0, 1.0, 1.5, 4.0]);
    let grid =
        |z: &dyn Fn(f64, f64) -> f64| -> Vec<f64> { x.iter().flat_map(|x| y.iter().map(move |y| z(*x, *y))).collect() };
    let axes = || [Axis::new(x.to_vec(), Beyond::Error), Axis::new(y.to_vec(), Beyond::Error)];
    let bilinear = Table::surface("map", Kind::Linear, axes(), &grid(&|x, y| 1.0 + 2.0 * x - y + 3.0 * x * y));
    let ask = |table: &Table, orders: [u8; 2], x: f64, y: f64| table.at(Asked::Derivative(orders), x, y);
    assert_close(ask(&bilinear, [0, 0], 0.3, 2.2), 1.0 + 0.6 - 2.2 + 1.98, "value");
    assert_close(ask(&bilinear, [1, 0], 0.3, 2.2), 2.0 + 6.6, "z_x");
    assert_close(ask(&bilinear, [0, 1], 0.3, 2.2), -1.0 + 0.9, "z_y");
    assert_close(ask(&bilinear, [1, 1], 0.3, 2.2), 3.0, "z_xy");
    let z = |x: f64, y: f64| (1.0 + x - x * x * x) * (2.0 - y * y + 0.5 * y * y * y);
    let bicubic = Table::surface("map", Kind::Spline, axes(), &grid(&z));
    for (px, py) in [(-0.9, 0.1), (0.3, 2.2), (2.2, 3.9), (0.5, 1.5)] {
        assert_close(ask(&bicubic, [0, 0], px, py), z(px, py), "bicubic");
        let by_x = (1.0 - 3.0 * px * px) * (2.0 - py * py + 0.5 * py * py * py);
        let by_yy = (1.0 + px - px * px * px) * (-2.0 + 3.0 * py);
        assert!((ask(&bicubic, [1, 0], px, py) - by_x).abs() < 1e-10, "z_x");
        assert!((ask(&bicubic, [0, 2], px, py) - by_yy).abs() < 1e-9, "z_yy");
        let mixed = (1.0 - 3.0 * px * px) * (-2.0 * py + 1.5 * py * py);
        assert!((ask(&bicubic, [1, 1], px, py) - mixed).abs() < 1e-10, "z_xy");
    }
}

#[test]
fn changes_keep_their_digits() {
    let d = 1e-10;
    for kind in [Kind::Linear, Kind::Pchip, Kind::Spline] {
        let table = curve(kind, Beyond::Linear, &X, |x| (2.0 * x).sin() + 1e3);
        let change = |x: f64, d: f64| table.change(Asked::Derivative([0, 0]), Increment { x, d }, Increment { x, d }).d;
        for x in [-0.3, 0.7, 2.0] {
            // Differences of values near 1000 are known to 1e-13, which is a thousandth of this change.
            let slope = at(&table, 1, x);
            assert!((change(x, d) - d * slope).abs() < 1e-8 * (d * slope).abs(), "{kind:?} at {x}");
            assert_close(change(x, 0.35), at(&table, 0, x + 0.35) - at(&table, 0, x), "a large change");
        }
        assert_close(change(2.9, 0.5), at(&table, 0, 3.4) - at(&table, 0, 2.9), "over the end");
    }
}

#[test]
fn pieces_change_where_kinks_are() {
    let piece = |table: &Table, x: f64| table.at(Asked::Piece, x, x);
    let linear = curve(Kind::Linear, Beyond::Linear, &X, |x| x * x);
    for x in &X[1..X.len() - 1] {
        assert_ne!(piece(&linear, x.next_down()), piece(&linear, *x), "at {x}");
    }
    assert!(linear.is_kinked() && !curve(Kind::Spline, Beyond::Linear, &X, |x| x * x).is_kinked());
    assert!(!curve(Kind::Linear, Beyond::Linear, &X[..2], |x| x * x).is_kinked());
    let around = curve(Kind::Linear, Beyond::Periodic, &[0.0, 1.0, 3.0], |x| x * (3.0 - x));
    let pieces: Vec<f64> = [-0.5, 0.5, 1.0, 3.0, 4.0, 6.5].into_iter().map(|x| piece(&around, x)).collect();
    assert_eq!(pieces, [-1.0, 0.0, 1.0, 2.0, 3.0, 4.0]);
    let signs = [-0.5, 0.5, 1.0, 3.0].map(|x| around.at(Asked::Parity, x, x));
    assert_eq!(signs, [-1.0, 1.0, -1.0, 1.0]);
}

/// Positions are whole at kinks only, increase, and say of which piece x is: what they are made for is to tell one from the next.
#[test]
fn positions_are_whole_at_kinks() {
    let knots = [0.0, 0.1, 0.7, 1.0, 3.0];
    for beyond in [Beyond::Linear, Beyond::Error, Beyond::Periodic] {
        let table = curve(Kind::Linear, beyond, &knots, |x| x * (3.0 - x));
        let ask = |asked: Asked, x: f64| table.at(asked, x, x);
        let mut before = f64::NEG_INFINITY;
        for k in 0..=4000 {
            let x = -5.0 + 0.0025 * f64::from(k);
            let (position, piece) = (ask(Asked::Position(0), x), ask(Asked::Piece, x));
            assert!(position > before && position.floor() == piece, "{beyond:?} {x}: {position} {piece}");
            before = position;
            assert!((ask(Asked::Place(0), position) - x).abs() < 1e-13 * (1.0 + x.abs()), "{beyond:?} {x}");
            // The middle of a piece is in it, so that its slope is known there.
            let middle = ask(Asked::Place(0), piece + 0.5);
            assert!(ask(Asked::Piece, middle) == piece, "{beyond:?} {x}: {middle}");
            assert!(beyond == Beyond::Periodic || (0.0..=3.0).contains(&middle), "{beyond:?} {x}: {middle}");
        }
        // The outermost pieces come to no other end.
        if beyond != Beyond::Periodic {
            for x in [-1e300, -1e9, 1e9, 1e300] {
                let within = ask(Asked::Position(0), x) - ask(Asked::Piece, x);
                assert!((0.2..=0.8).contains(&within), "{beyond:?} {x}: {within}");
            }
        }
    }
}
