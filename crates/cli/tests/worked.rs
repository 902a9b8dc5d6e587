//! The worked models, run by the program as they are, against exact solutions and integrations of their own: nothing of the library.
//!
//! The quarter car and the switched motor are compared with exact piecewise linear motions in crates/model/tests/worked.rs.

#[path = "common/folder.rs"]
mod folder;
#[path = "../../model/tests/exponential/mod.rs"]
mod independent;
#[path = "common/program.rs"]
mod program;
#[path = "common/rows.rs"]
mod rows;

use std::fs;

use independent::{Linear, runge_kutta};
use program::alembert;
use rows::Rows;

/// Runs a model of the project.
fn run(name: &str, more: &[&str]) -> Rows {
    let model = format!("models/{name}.toml");
    let (stdout, stderr, code) = alembert(&[&["run", &model, "--quiet"], more].concat());
    assert_eq!((code, stderr.as_str()), (0, ""), "{name}");
    Rows::read(&stdout)
}

/// The results of a run, from its summary.
fn results(name: &str, more: &[&str]) -> serde_json::Value {
    let model = format!("models/{name}.toml");
    let (stdout, stderr, code) = alembert(&[&["run", &model, "--quiet", "--json"], more].concat());
    assert_eq!((code, stderr.as_str()), (0, ""), "{name}");
    let summary: serde_json::Value = serde_json::from_str(&stdout).expect("JSON");
    summary["results"].clone()
}

fn close(found: f64, exact: f64, allowed: f64, what: &str) {
    assert!((found - exact).abs() <= allowed, "{what}: {found} instead of {exact}, off by {:e}", found - exact);
}

/// The velocity of the centre, less the drift on a tilted table, turns at Omega k/(1 + k); the rolling conditions give the spin.
#[test]
fn the_ball_on_the_turntable_runs_round_its_circle() {
    let (table, r, g): (f64, f64, f64) = (7.0, 0.02, 9.81);
    for (more, k, tilt) in [
        (&[][..], 0.4, 0.0),
        (&["--set", "k=2/3"], 2.0 / 3.0, 0.0),
        (&["--scenario", "tilted"], 0.4, 2.0_f64.to_radians()),
    ] {
        let rows = run("ball_on_turntable", more);
        let rate: f64 = table * k / (1.0 + k);
        if k == 0.4 {
            close(rate, 2.0, 1e-15, "2/7 of the table");
        }
        let drift = g * tilt.sin() / (table * k);
        let [ux, uy] = [0.1, 0.3 - drift];
        for t in rows.times() {
            let (s, c) = (rate * t).sin_cos();
            let v = [ux * c - uy * s, drift + ux * s + uy * c];
            let x = [0.15 + (ux * s - uy * (1.0 - c)) / rate, drift * t + (ux * (1.0 - c) + uy * s) / rate];
            let wanted = [
                ("x", x[0]),
                ("y", x[1]),
                ("x'", v[0]),
                ("y'", v[1]),
                ("a'", (table * x[0] - v[1]) / r),
                ("b'", (v[0] + table * x[1]) / r),
                ("c'", 0.0),
            ];
            for (name, exact) in wanted {
                // Spins are as accurate as their size asks for.
                let size = if ["a'", "b'", "c'"].contains(&name) { 1.0 / r } else { 1.0 };
                close(rows.at(t, name), exact, 2e-8 * (size + exact.abs()), name);
            }
            // m v' = grip turned round + weight: the friction that keeps it on its circle.
            let a = [-rate * (v[1] - drift), rate * v[0]];
            let friction = 0.1 * (a[0] - g * tilt.sin()).hypot(a[1]);
            close(rows.at(t, "grip"), friction, 1e-9, "grip");
        }
    }
    let rate = 2.0;
    let needed = rate * 0.1_f64.hypot(0.3) / g;
    close(results("ball_on_turntable", &[])["friction"]["value"].as_f64().expect("a number"), needed, 1e-9, "friction");
}

/// One degree of freedom without losses: J_eff(phi) phi'^2/2 + U(phi) is constant, and time is an integral over the angle.
#[test]
fn the_crank_starts_as_it_is_told_and_keeps_its_energy() {
    let rows = run("gas_spring_crank", &[]);
    let [j, pin, piston, a, l] = [0.08, 0.6, 0.9, 0.05, 0.16];
    let [area, clearance, ambient, n] = [5.0e-3, 0.012, 1.0e5, 1.35_f64];
    // The piston with two derivatives by the angle; the potential with one by the piston.
    let place = |phi: f64| {
        let (s, c) = phi.sin_cos();
        let w = (l * l - a * a * s * s).sqrt();
        let w1 = -a * a * s * c / w;
        let w2 = (-a * a * (c * c - s * s) - w1 * w1) / w;
        (a * c + w, -a * s + w1, -a * c + w2)
    };
    let room = 2.0 * a + clearance;
    let gap = |s: f64| a + l + clearance - s;
    let pressure = |s: f64| ambient * (room / gap(s)).powf(n);
    // Work done on the gas, less that of the air behind the piston.
    let stored = |s: f64| {
        let x = gap(s);
        area * ((pressure(s) * x - ambient * room) / (n - 1.0) - ambient * (room - x))
    };
    let inertia = |phi: f64| j + pin * a * a + piston * place(phi).1.powi(2);
    let (angle, speed) = (-140.0_f64.to_radians(), 80.0);
    let energy = inertia(angle) * speed * speed / 2.0 + stored(place(angle).0);
    let speed_at = |phi: f64| (2.0 * (energy - stored(place(phi).0)) / inertia(phi)).sqrt();
    close(rows.at(0.0, "phi"), angle, 0.0, "fixed angle");
    close(rows.at(0.0, "phi'"), speed, 0.0, "fixed speed");
    let (mut time, mut from) = (0.0, angle);
    for t in rows.times() {
        let phi = rows.at(t, "phi");
        let (s, s1, s2) = place(phi);
        let rate = speed_at(phi);
        for (name, exact) in [
            ("x", a * phi.cos()),
            ("y", a * phi.sin()),
            ("s", s),
            ("s'", s1 * rate),
            ("phi'", rate),
            ("pressure", pressure(s) / 1e5),
        ] {
            close(rows.at(t, name), exact, 3e-7 * (1.0 + exact.abs()), name);
        }
        // The piston's own equation gives the force along the rod, which leans by beta.
        let push = area * (ambient - pressure(s));
        let turn = (push * s1 - piston * s1 * s2 * rate * rate) / inertia(phi);
        let along = piston * (s2 * rate * rate + s1 * turn) - push;
        let cos_beta = (1.0 - (a * phi.sin() / l).powi(2)).sqrt();
        let rod = (along / cos_beta).abs();
        close(rows.at(t, "rod"), rod, 1e-6 * (1.0 + rod), "rod");
        close(rows.at(t, "wall").abs(), rod * (a * phi.sin() / l).abs(), 1e-6 * (1.0 + rod), "wall");
        // Boole's rule over the angle since the last row.
        let width = phi - from;
        let at = |part: f64| 1.0 / speed_at(from + part * width);
        let boole = width / 90.0 * (7.0 * (at(0.0) + at(1.0)) + 32.0 * (at(0.25) + at(0.75)) + 12.0 * at(0.5));
        (time, from) = (time + boole, phi);
        close(t, time, 1e-9, "time at this angle");
    }
    assert!(from > angle + 10.0, "less than two turns: {from}");
    let found = results("gas_spring_crank", &[]);
    // The gas is densest at the upper dead centre, where the crank is slowest.
    let peak = ambient * (room / clearance).powf(n) / 1e5;
    close(found["peak"]["value"].as_f64().expect("a number"), peak, 1e-6 * peak, "peak");
    assert_eq!(
        (found["peak"]["unit"].as_str(), found["peak"]["label"].as_str()),
        (Some("bar"), Some("largest pressure"))
    );
    close(found["slowest"]["value"].as_f64().expect("a number"), speed_at(0.0), 1e-6 * speed, "slowest");
}

/// A start that is only roughly given: what is fixed stays, the rest follows, and that is told.
#[test]
fn a_rough_crank_follows_the_one_that_is_fixed() {
    let out = folder::folder("worked-rough");
    fs::create_dir_all(&out).expect("a folder");
    let text = fs::read_to_string("../../models/gas_spring_crank.toml").expect("the model");
    let rough = text
        .replace("x = \"a*cos(phi)\"", "x = 0")
        .replace("y = \"a*sin(phi)\"", "y = \"-a\"")
        .replace("s = \"x + sqrt(l^2 - y^2)\"", "s = \"l\"");
    assert_ne!(text, rough);
    let model = out.join("rough.toml");
    fs::write(&model, &rough).expect("a file");
    let (stdout, stderr, code) = alembert(&["run", &model.display().to_string()]);
    assert_eq!(code, 0, "{stderr}");
    let (rough, exact) = (Rows::read(&stdout), run("gas_spring_crank", &[]));
    for t in exact.times() {
        close(rough.at(t, "phi"), exact.at(t, "phi"), 1e-6, "phi");
    }
    for name in ["x", "y", "s"] {
        assert!(stderr.contains(&format!("start: {name} was given as ")), "{stderr}");
    }
    assert!(!stderr.contains("start: phi"), "{stderr}");
}

/// In the angle, with the law of cosines for the strut: the eye and the anchor are 0.3 m and 0.55 m from the hinge.
#[test]
fn the_tailgate_rises_as_the_law_of_cosines_says() {
    let rows = run("tailgate", &[]);
    let [m, j, g, c, e, h] = [18.0, 7.0, 9.81, 0.55, 0.3, 0.55];
    let [force, l_0, k, d] = [430.0, 0.6, 420.0, 600.0];
    let length = |phi: f64| (e * e + h * h + 2.0 * e * h * phi.sin()).sqrt();
    let lever = |phi: f64| e * h * phi.cos() / length(phi);
    let strut = |[phi, rate]: [f64; 2]| force - k * (length(phi) - l_0) - d * lever(phi) * rate;
    let rate = |x: [f64; 2]| [x[1], (strut(x) * lever(x[0]) - m * g * c * x[0].cos()) / j];
    let (mut x, mut t) = ([-55.0_f64.to_radians(), 0.0], 0.0);
    for next in rows.times() {
        if next > t {
            x = runge_kutta(2e-4, next - t, x, rate);
            t = next;
        }
        close(rows.at(t, "phi"), x[0], 1e-8, "phi");
        close(rows.at(t, "phi'"), x[1], 1e-8, "phi'");
        close(rows.at(t, "len"), length(x[0]), 1e-8, "len");
        close(rows.at(t, "speed"), lever(x[0]) * x[1], 1e-8, "speed");
        close(rows.at(t, "strut"), strut(x), 1e-5, "strut");
    }
    // At rest the strut carries the weight.
    let phi = rows.at(6.0, "phi");
    close(strut([phi, 0.0]) * lever(phi), m * g * c * phi.cos(), 1e-3, "moments");
}

/// A strut that stays on a line is a damped oscillator, with a motion in closed form.
#[test]
fn a_damper_by_its_rate_is_the_one_of_the_textbook() {
    let out = folder::folder("worked-damper");
    fs::create_dir_all(&out).expect("a folder");
    let model = out.join("damper.toml");
    let text = "format = 1\n[variables]\ncoordinates = [\"r[1..3]\"]\n[definitions]\nlen = \"norm(r - [0.1, 0.2, 0.3])\"\n\
                [equations]\nkinetic = \"2*dot(r', r')/2\"\npotential = \"50*(len - 3)^2/2\"\ndissipation = \"4*der(len)^2/2\"\n\
                [initial]\nr = \"[0.1, 0.2, 0.3] + [2, 3, 6]/7*3.5\"\n[outputs]\nlen = \"len\"\nspeed = \"len'\"\n\
                [run]\nt_end = 4\nrtol = 1e-9\noutput_every = 0.05\n";
    fs::write(&model, text).expect("a file");
    let (stdout, stderr, code) = alembert(&["run", &model.display().to_string(), "--quiet"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    let rows = Rows::read(&stdout);
    let (decay, omega) = (1.0, 24.0_f64.sqrt());
    for t in rows.times() {
        let (s, c) = (omega * t).sin_cos();
        let x = 0.5 * (-decay * t).exp() * (c + decay / omega * s);
        close(rows.at(t, "len"), 3.0 + x, 1e-8, "len");
        close(rows.at(t, "speed"), -0.5 * (-decay * t).exp() * 25.0 / omega * s, 1e-8, "speed");
    }
}

/// By small steps of the classical Runge-Kutta method: 4 microseconds, where the slope of the friction at rest asks for 0.1 ms.
#[test]
fn the_mass_on_the_belt_sticks_and_slips() {
    let rows = run("stick_slip", &[]);
    let [m, k, d, load, belt] = [1.0, 100.0, 0.2, 20.0, 0.1];
    let mu = |v: f64| (0.3 + 0.2 * (-(v / 0.1).powi(2)).exp()) * (v / 1e-3).tanh();
    let rate = |[x, v]: [f64; 2]| [v, (load * mu(belt - v) - k * x - d * v) / m];
    let (mut x, mut t) = ([0.0, belt], 0.0);
    let mut extremes = [f64::INFINITY, f64::NEG_INFINITY];
    for next in (1..=100).map(|i| 0.05 * f64::from(i)) {
        x = runge_kutta(4e-6, next - t, x, rate);
        t = next;
        extremes = [extremes[0].min(x[1]), extremes[1].max(x[1])];
        close(rows.at(t, "x"), x[0], 2e-8, "x");
        close(rows.at(t, "x'"), x[1], 1e-6, "x'");
        close(rows.at(t, "friction"), load * mu(belt - x[1]), 2e-3, "friction");
    }
    // It goes with the belt and against it.
    assert!(extremes[0] < -0.2 && extremes[1] > 0.099, "{extremes:?}");
    let found = results("stick_slip", &[]);
    assert_eq!(found["times"]["value"].as_f64(), Some(4.0));
}

/// Both references see the same switchings as the run.
#[test]
fn the_motor_is_certified_although_it_is_switched() {
    let (stdout, stderr, code) = alembert(&["verify", "models/switched_motor.toml", "--t-end", "0.1", "--quiet"]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(stdout.contains("against a run of Radau IIA with 7 stages") && stdout.contains("converges"), "{stdout}");
    assert!(stdout.contains("events: ") && !stdout.contains("no reference"), "{stdout}");
    assert!(!stdout.contains("forces change within the steps"), "{stdout}");
}

/// The motion is linear between the points of the road, so its means over time follow from exact values close together.
#[test]
fn the_quarter_car_comes_to_exact_results() {
    let road = fs::read_to_string("../../models/quarter_car_road.csv").expect("the road");
    let points: Vec<[f64; 2]> = road
        .lines()
        .filter(|line| line.starts_with(|c: char| c.is_ascii_digit()))
        .map(|line| {
            let (s, z) = line.split_once(',').expect("two columns");
            [s, z].map(|number| number.parse().expect("a number"))
        })
        .collect();
    let (damper, speed, t_end) = (1600.0, 12.0, 5.0);
    let [wheel, body, tyre, spring] = [40.0, 320.0, 180e3, 22e3];
    // (z_wheel, z_body, their rates, height, its rate).
    let car = Linear([
        [0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
        [-(tyre + spring) / wheel, spring / wheel, -damper / wheel, damper / wheel, tyre / wheel, 0.0],
        [spring / body, -spring / body, damper / body, -damper / body, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
        [0.0; 6],
    ]);
    let (mut x, mut squares, mut travel) = ([0.0; 6], [0.0; 2], 0.0_f64);
    let mut ends: Vec<(f64, f64)> = points.iter().map(|[s, z]| (s / speed, *z)).filter(|(t, _)| *t < t_end).collect();
    // Beyond the last point the road goes on as it is.
    let last = *points.last().expect("a road");
    let after = points.iter().find(|[s, _]| s / speed >= t_end).copied().unwrap_or([t_end * speed, last[1]]);
    let (t, z) = *ends.last().expect("points");
    ends.push((t_end, z + (after[1] - z) * (t_end - t) / (after[0] / speed - t)));
    for pair in ends.windows(2) {
        let ((t0, z0), (t1, z1)) = (pair[0], pair[1]);
        (x[4], x[5]) = (z0, (z1 - z0) / (t1 - t0));
        // Simpson's rule with 32 intervals in each piece of at most 50 ms.
        let intervals = 32;
        let h = (t1 - t0) / f64::from(intervals);
        for k in 0..=intervals {
            let here = car.after(h * f64::from(k), x);
            let weight = match k {
                0 => 1.0,
                k if k == intervals => 1.0,
                k => f64::from(2 + 2 * (k % 2)),
            };
            let values = [car.rate(here)[3], tyre * (here[4] - here[0])];
            squares = std::array::from_fn(|i| squares[i] + weight * h / 3.0 * values[i] * values[i]);
            travel = travel.max((here[1] - here[0]).abs());
        }
        x = car.after(t1 - t0, x);
    }
    let found = results("quarter_car", &[]);
    let number = |name: &str| found[name]["value"].as_f64().expect("a number");
    for (name, exact) in [("comfort", (squares[0] / t_end).sqrt()), ("grip", (squares[1] / t_end).sqrt())] {
        close(number(name), exact, 2e-5 * exact, name);
    }
    // Of the largest value the samples know a little less.
    close(number("room"), travel, 1e-4 * travel, "room");
    assert_eq!((found["grip"]["unit"].as_str(), found["comfort"]["unit"].as_str()), (Some("N"), Some("m/s^2")));
}
