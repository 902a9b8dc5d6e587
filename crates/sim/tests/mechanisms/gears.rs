//! Gears: speeds by counting teeth, motions by linear equations of the speeds alone.

use super::played::{Worst, play};

/// Classical Runge-Kutta steps of x' = f(t, x) between two times.
fn follow<const N: usize>(f: &dyn Fn(f64, [f64; N]) -> [f64; N], from: f64, to: f64, x: [f64; N]) -> [f64; N] {
    let count = ((to - from) / 1e-4).ceil().max(1.0);
    let h = (to - from) / count;
    let plus = |x: [f64; N], c: f64, k: [f64; N]| std::array::from_fn(|i| x[i] + c * k[i]);
    let mut x = x;
    for step in 0..count as usize {
        let t = from + step as f64 * h;
        let a = f(t, x);
        let b = f(t + 0.5 * h, plus(x, 0.5 * h, a));
        let c = f(t + 0.5 * h, plus(x, 0.5 * h, b));
        let d = f(t + h, plus(x, h, c));
        x = std::array::from_fn(|i| x[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]));
    }
    x
}

fn smoothstep(x: f64, low: f64, high: f64) -> f64 {
    let s = ((x - low) / (high - low)).clamp(0.0, 1.0);
    s * s * (3.0 - 2.0 * s)
}

/// Speeds of the case and of the planet in it; the wheels turn at case -+ k planet, k the ratio of the teeth.
#[test]
fn the_differential_shares_speeds_and_torques() {
    let k = 12.0 / 18.0;
    let (ice, tarmac, wheel) = (0.5, 20.0, 1.2);
    let case = 0.05 + 0.4 * 0.05 * 0.05 + 2e-4 + 2.0 * wheel;
    let planet = 3e-4 + 2.0 * wheel * k * k;
    let rate = |t: f64, [w, p]: [f64; 2]| {
        let (left, right) = (ice * (w - k * p), tarmac * (w + k * p));
        [(200.0 * (1.0 - (-6.0 * t).exp()) - left - right) / case, k * (left - right) / planet]
    };
    let played = play("differential");
    let [mut sum, mut speeds] = [Worst::default(), Worst::default()];
    let (mut before, mut x) = (0.0, [0.0, 0.0]);
    for [t, w, left, right] in played.rows(["t", "case_speed", "left_speed", "right_speed"]) {
        x = follow(&rate, before, t, x);
        before = t;
        sum.add(left + right, 2.0 * w);
        speeds.add(w, x[0]);
        speeds.add(left, x[0] - k * x[1]);
        speeds.add(right, x[0] + k * x[1]);
    }
    sum.within(1e-12, "sum of the speeds of the wheels");
    speeds.within(1e-8, "speeds of some 140 rad/s");
}

/// Willis: sun (w_s - w_c) + ring (w_r - w_c) = 0; one equation for the ring, as the sun is driven.
#[test]
fn the_planetary_gear_obeys_willis() {
    let (sun, planet, ring): (f64, f64, f64) = (30.0, 18.0, 66.0);
    let (speed, load) = (100.0, 0.05);
    let share = ring / (sun + ring);
    let carrier = |w: f64| sun / (sun + ring) * speed + share * w;
    let arm = 2e-3 * (sun + planet) / 2.0;
    let inertia =
        5e-3 + share * share * (3e-3 + 3.0 * 0.15 * arm * arm) + 3.0 * 3e-5 * (share * (1.0 + sun / planet)).powi(2);
    let rate = |t: f64, [w]: [f64; 1]| [-(2.0 * smoothstep(t, 1.0, 1.5) * w + share * load * carrier(w)) / inertia];
    let played = play("planetary");
    let [mut willis, mut speeds, mut turn] = [Worst::default(), Worst::default(), Worst::default()];
    let (mut before, mut x) = (0.0, [-sun / ring * speed]);
    let names = ["t", "sun_speed", "carrier_speed", "ring_speed", "planet_speed", "torque"];
    for [t, w_sun, w_carrier, w_ring, w_planet, torque] in played.rows(names) {
        x = follow(&rate, before, t, x);
        before = t;
        willis.add(sun * (w_sun - w_carrier), -ring * (w_ring - w_carrier));
        willis.add(sun * (w_sun - w_carrier), -planet * (w_planet - w_carrier));
        speeds.add(w_ring, x[0]);
        speeds.add(w_carrier, carrier(x[0]));
        if t > 2.5 {
            // All turns evenly: the torques of sun, ring and carrier are as their teeth.
            turn.add(torque / sun, 2.0 * -w_ring / ring);
            turn.add(torque / sun, load * w_carrier / (sun + ring));
        }
    }
    willis.within(1e-9, "Willis' equation, teeth times rad/s");
    speeds.within(2e-6, "speeds of some 100 rad/s");
    turn.within(1e-9, "torques for each tooth");
}
