//! The worked models with tables and states, against exact solutions of piecewise linear systems.

mod common;
mod exponential;

use alembert::{ErrorControl, Integrator, Unobserved, consistent};
use alembert_model::Model;
use alembert_model::run::{MethodChoice, Steps};
use common::{folder, load};
use exponential::Linear;

/// A run as the program makes it, to a time.
fn integrator<'m>(model: &'m Model, t_end: f64) -> Integrator<'m> {
    run(model, &model.run.method, &model.run.steps, &[], t_end)
}

/// A run that lands on these times.
fn run<'m>(model: &'m Model, method: &MethodChoice, steps: &Steps, landings: &[f64], t_end: f64) -> Integrator<'m> {
    let start = consistent(&model.system, &model.guess).expect("a start");
    let scheme = method.scheme(steps).expect("a scheme");
    let tolerance = steps.tolerance().expect("a tolerance");
    let mut integrator =
        Integrator::new(&model.system, &start, &*scheme, ErrorControl::new(), tolerance).expect("fits");
    model.sharpness(0.0, t_end).prepare(&mut integrator).expect("times");
    for event in &model.events {
        integrator.add_event(event.watcher());
    }
    integrator.land_on(landings).expect("times");
    integrator.run(t_end, &mut Unobserved).unwrap_or_else(|error| panic!("{error}"));
    integrator
}

#[test]
fn the_quarter_car_moves_as_between_kinks_exactly() {
    let model = load("quarter_car", &[]);
    let text = std::fs::read_to_string(folder().join("quarter_car_road.csv")).expect("the road");
    let points: Vec<[f64; 2]> = text
        .lines()
        .filter(|line| line.starts_with(|c: char| c.is_ascii_digit()))
        .map(|line| {
            let (s, z) = line.split_once(',').expect("two columns");
            [s, z].map(|number| number.parse().expect("a number"))
        })
        .collect();
    assert!(points.len() > 100);
    let [speed, wheel, body, tyre, spring, damper] = [12.0, 40.0, 320.0, 180e3, 22e3, 1.6e3];
    // (z_wheel, z_body, their rates, height, its rate).
    let linear = Linear([
        [0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
        [-(tyre + spring) / wheel, spring / wheel, -damper / wheel, damper / wheel, tyre / wheel, 0.0],
        [spring / body, -spring / body, damper / body, -damper / body, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
        [0.0; 6],
    ]);
    let (t_end, mut x) = (4.0, [0.0; 6]);
    for pair in points.windows(2) {
        let ([s0, z0], [s1, z1]) = (pair[0], pair[1]);
        let (t0, t1) = (s0 / speed, (s1 / speed).min(t_end));
        if t1 > t0 {
            (x[4], x[5]) = (z0, (z1 - z0) / (s1 - s0) * speed);
            x = linear.after(t1 - t0, x);
        }
    }
    let integrator = integrator(&model, t_end);
    let state = integrator.state();
    let found = [state.q[0], state.q[1], state.v[0], state.v[1]];
    for (i, (found, exact)) in found.iter().zip(x).enumerate() {
        // Sizes are taken for 1 at the start, where nothing moves.
        assert!((found - exact).abs() < 5e-6, "{i}: {found} {exact}");
    }
    assert!(state.q[0].abs() > 1e-3 && integrator.stats().steps < 1500, "{}", integrator.stats().steps);
    // The road is in the fingerprint.
    let faster = load("quarter_car", &[("speed", "13")]);
    assert_ne!(fingerprint(&model), fingerprint(&faster));
}

fn fingerprint(model: &Model) -> u64 {
    alembert::ConstrainedSystem::description(&model.system).fingerprint
}

#[test]
fn the_switched_motor_switches_when_it_should() {
    let model = load("switched_motor", &[]);
    let [j, friction, k, r, l, p, i] = [2e-3, 1e-3, 0.12, 0.6, 4e-3, 0.8, 6.0];
    // (phi', i, z, wanted).
    let mode = |on: f64| {
        Linear([
            [-friction / j, k / j, 0.0, 0.0],
            [(-on * p - k) / l, -r / l, on * i / l, on * p / l],
            [-1.0, 0.0, 0.0, 1.0],
            [0.0; 4],
        ])
    };
    let (t_end, mut t, mut on, mut x) = (0.2, 0.0, true, [0.0, 0.0, 0.0, 60.0]);
    let mut switches = Vec::new();
    'run: loop {
        let (linear, limit) = (mode(f64::from(u8::from(on))), if on { 12.0 } else { 8.0 });
        let passed = |x: [f64; 4]| if on { x[1] >= limit } else { x[1] <= limit };
        // A look every 10 microseconds, then by bisection to rounding.
        let (mut s, look) = (0.0, 1e-5);
        let mut here = x;
        loop {
            let next = linear.after(look, here);
            if passed(next) {
                let (mut low, mut high) = (0.0, look);
                for _ in 0..60 {
                    let middle = 0.5 * (low + high);
                    if passed(linear.after(middle, here)) { high = middle } else { low = middle }
                }
                if t + s + high >= t_end {
                    break;
                }
                (t, x, on) = (t + s + high, linear.after(high, here), !on);
                switches.push(t);
                continue 'run;
            }
            (s, here) = (s + look, next);
            if t + s >= t_end {
                break;
            }
        }
        x = linear.after(t_end - t, x);
        break;
    }
    assert!(switches.len() > 30, "{switches:?}");
    let integrator = integrator(&model, t_end);
    // Later the current falls below 8 A once more, with the supply on: that event changes nothing.
    let changes = integrator.occurrences().iter().filter(|event| event.before.v[3] != event.after.v[3]);
    let found: Vec<f64> = changes.map(|event| event.t).collect();
    assert_eq!(found.len(), switches.len());
    for (found, exact) in found.iter().zip(&switches) {
        assert!((found - exact).abs() < 1e-6, "{found} {exact}");
    }
    let state = integrator.state();
    for (found, exact) in [state.v[0], state.v[1], state.v[2]].into_iter().zip(x) {
        assert!((found - exact).abs() < 3e-4 * (1.0 + exact.abs()), "{found} {exact}");
    }
    assert_eq!(state.v[3], f64::from(u8::from(on)));
}

/// A step that ends just behind an event has an inside that nobody knows well: what is interpolated there is divided by its length.
/// The event must not happen again because of it.
#[test]
fn a_landing_just_behind_an_event_does_not_repeat_it() {
    let model = load("switched_motor", &[]);
    let times: Vec<f64> = integrator(&model, 0.02).occurrences().iter().map(|event| event.t).collect();
    assert_eq!(times.len(), 13, "{times:?}");
    let names = |integrator: &Integrator| -> Vec<(String, f64)> {
        integrator.occurrences().iter().map(|event| (event.name.clone(), event.t)).collect()
    };
    for stages in [3, 5, 7] {
        let method = MethodChoice::radau(stages).expect("in range");
        let steps = Steps::ByError { rtol: 1e-12, atol: None };
        let plain = names(&run(&model, &method, &steps, &[], 0.02));
        for distance in [0.0, 1e-17, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7] {
            let landings: Vec<f64> = plain.iter().map(|(_, t)| t + distance).collect();
            let found = names(&run(&model, &method, &steps, &landings, 0.02));
            let times = |events: &[(String, f64)]| -> Vec<(String, i64)> {
                events.iter().map(|(name, t)| (name.clone(), (t * 1e8).round() as i64)).collect()
            };
            assert_eq!(times(&plain), times(&found), "{stages} stages, {distance:e}");
        }
    }
}
