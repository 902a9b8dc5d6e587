//! The torque of a motor that turns at constant speed w, from the way of the bodies as functions of its angle alone.
//!
//! ```text
//! torque w = d/dt (kinetic + potential energy) + power taken
//! torque   = w^2 sum (m p'.p'' + I a' a'') + g sum m y' + taken
//! ```
//!
//! Primes are derivatives by the angle of the motor, here differences of order 8 of closed forms.

/// Mass, inertia, place of the centre and angle of a body.
pub type Placed = (f64, f64, [f64; 2], f64);

const FIRST: [f64; 4] = [4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0];
const SECOND: [f64; 4] = [8.0 / 5.0, -1.0 / 5.0, 8.0 / 315.0, -1.0 / 560.0];
const MIDDLE: f64 = -205.0 / 72.0;

/// First and second derivative.
pub fn slopes(f: &dyn Fn(f64) -> f64, x: f64, h: f64) -> [f64; 2] {
    let (mut first, mut second) = (0.0, MIDDLE * f(x));
    for (k, (a, b)) in FIRST.iter().zip(SECOND).enumerate() {
        let away = (k + 1) as f64 * h;
        let (after, before) = (f(x + away), f(x - away));
        first += a * (after - before);
        second += b * (after + before);
    }
    [first / h, second / (h * h)]
}

/// The torque, where `taken` is a torque of forces besides weight against the motor.
pub fn torque(bodies: &dyn Fn(f64) -> Vec<Placed>, angle: f64, speed: f64, taken: f64) -> f64 {
    let here = bodies(angle);
    let mut sum = taken;
    for (k, (m, inertia, _, turned)) in here.iter().enumerate() {
        let [x, y] = [0, 1].map(|axis| slopes(&|angle| bodies(angle)[k].2[axis], angle, 0.01));
        // Angles go on where they leave a turn.
        let turn = |angle: f64| (bodies(angle)[k].3 - turned).sin().atan2((bodies(angle)[k].3 - turned).cos());
        let turn = slopes(&turn, angle, 0.01);
        sum += speed * speed * (m * (x[0] * x[1] + y[0] * y[1]) + inertia * turn[0] * turn[1]) + 9.81 * m * y[0];
    }
    sum
}

/// Where circles about two points meet: on the left of the way from the first to the second for side 1, right for -1.
pub fn meet(p: [f64; 2], r: f64, q: [f64; 2], s: f64, side: f64) -> [f64; 2] {
    let (dx, dy) = (q[0] - p[0], q[1] - p[1]);
    let d = dx.hypot(dy);
    let along = (r * r - s * s + d * d) / (2.0 * d);
    let across = side * (r * r - along * along).sqrt();
    [p[0] + (along * dx - across * dy) / d, p[1] + (along * dy + across * dx) / d]
}

/// The middle of two points.
pub fn middle(p: [f64; 2], q: [f64; 2]) -> [f64; 2] {
    [0.5 * (p[0] + q[0]), 0.5 * (p[1] + q[1])]
}

/// The direction from one point to another.
pub fn bearing(p: [f64; 2], q: [f64; 2]) -> f64 {
    (q[1] - p[1]).atan2(q[0] - p[0])
}
