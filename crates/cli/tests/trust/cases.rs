//! Small models whose motion is known in closed form, or from an independent integration in other coordinates.

use alembert_problems::reference::{Settings, extrapolate};

/// q and v at a time.
pub type Truth = fn(f64) -> (Vec<f64>, Vec<f64>);

/// A model, without its `[run]` section.
pub struct Motion {
    pub kind: &'static str,
    pub name: &'static str,
    pub text: &'static str,
    pub t_end: f64,
    /// A fixed step that resolves the motion.
    pub h: f64,
    /// Whether hht can do it: no nonholonomic constraints.
    pub is_holonomic: bool,
    pub truth: Truth,
}

/// Pulses: when, how wide, how strong.
const PULSE: (f64, f64, f64) = (3.2101, 3e-5, 50.0);
/// Restitution of the ball.
const E: f64 = 0.8;
const G: f64 = 9.81;

pub const MOTIONS: &[Motion] = &[
    Motion {
        kind: "smooth",
        name: "oscillator",
        text: "[variables]\ncoordinates = ['x']\n[equations]\nmass = ['1']\nforce = ['-4*x']\n[initial]\nx = 1\n",
        t_end: 6.0,
        h: 0.02,
        is_holonomic: true,
        truth: |t| (vec![(2.0 * t).cos()], vec![-2.0 * (2.0 * t).sin()]),
    },
    Motion {
        kind: "smooth",
        name: "circle",
        text: "[variables]\ncoordinates = ['x', 'y']\n[equations]\nmass = ['1', '1']\nforce = ['0', '0']\n\
               holonomic = ['x^2 + y^2 - 1']\n[initial]\nx = 1\ny = 0\n\"y'\" = 1.5\n",
        t_end: 5.0,
        h: 0.02,
        is_holonomic: true,
        truth: |t| {
            let (s, c) = (1.5 * t).sin_cos();
            (vec![c, s], vec![-1.5 * s, 1.5 * c])
        },
    },
    Motion {
        kind: "smooth",
        name: "pendulum",
        text: "[variables]\ncoordinates = ['x', 'y']\n[equations]\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = '9.81*y'\n\
               holonomic = ['x^2 + y^2 - 1']\n[initial]\nx = 1\ny = 0\n",
        t_end: 4.0,
        h: 0.01,
        is_holonomic: true,
        truth: pendulum,
    },
    Motion {
        kind: "smooth",
        name: "skate",
        text: "[variables]\ncoordinates = ['x', 'y', 'phi']\n[equations]\nmass = ['1', '1', '1']\nforce = ['0', '0', '0']\n\
               nonholonomic = [\"x'*sin(phi) - y'*cos(phi)\"]\n[initial]\nx = 0\ny = 0\nphi = 0\n\"x'\" = 2\n\"phi'\" = 1.5\n",
        t_end: 4.0,
        h: 0.02,
        is_holonomic: false,
        truth: |t| {
            let (s, c) = (1.5 * t).sin_cos();
            (vec![2.0 / 1.5 * s, 2.0 / 1.5 * (1.0 - c), 1.5 * t], vec![2.0 * c, 2.0 * s, 1.5])
        },
    },
    Motion {
        kind: "kinked",
        name: "two springs",
        text: "[variables]\ncoordinates = ['x']\n[equations]\nmass = ['1']\nforce = ['-max(x,0) - 4*min(x,0)']\n\
               [initial]\nx = 1\n",
        t_end: 8.0,
        h: 0.01,
        is_holonomic: true,
        truth: two_springs,
    },
    Motion {
        kind: "kinked",
        name: "constant pull",
        text: "[variables]\ncoordinates = ['x']\n[equations]\nmass = ['1']\nforce = ['-sign(x)']\n[initial]\nx = 0.5\n",
        t_end: 4.7,
        h: 0.01,
        is_holonomic: true,
        truth: constant_pull,
    },
    Motion {
        kind: "kinked",
        name: "ramp",
        text: "[variables]\ncoordinates = ['x']\n[equations]\nmass = ['1']\nforce = ['6*max(0, t - 0.777)']\n\
               [initial]\nx = 0\n",
        t_end: 2.0,
        h: 0.01,
        is_holonomic: true,
        truth: |t| {
            let s = (t - 0.777_f64).max(0.0);
            (vec![s.powi(3)], vec![3.0 * s * s])
        },
    },
    Motion {
        kind: "kinked",
        name: "switch",
        text: "[variables]\ncoordinates = ['x']\n[equations]\nmass = ['1']\nforce = ['2*max(0, sign(t - 0.777))']\n\
               [initial]\nx = 0\n",
        t_end: 2.0,
        h: 0.01,
        is_holonomic: true,
        truth: |t| {
            let s = (t - 0.777_f64).max(0.0);
            (vec![s * s], vec![2.0 * s])
        },
    },
    Motion {
        kind: "kinked",
        name: "dry friction",
        text: "[variables]\ncoordinates = ['x']\n[equations]\nmass = ['1']\nforce = [\"-x - 0.1*sign(x')\"]\n\
               [initial]\nx = 1\n\"x'\" = 0.5\n",
        t_end: 6.0,
        h: 0.01,
        is_holonomic: true,
        truth: dry_friction,
    },
    Motion {
        kind: "impacts",
        name: "ball",
        text: "[variables]\ncoordinates = ['y']\n[equations]\nmass = ['1']\nforce = ['-9.81']\n[initial]\ny = 1\n\
               [[events]]\nname = 'floor'\nformula = 'y'\ndirection = 'falling'\naction = 'bounce'\nrestitution = 0.8\n",
        t_end: 2.9,
        h: 0.01,
        is_holonomic: true,
        truth: ball,
    },
    Motion {
        kind: "impacts",
        name: "two walls",
        text: "[variables]\ncoordinates = ['x', 'y']\n[equations]\nmass = ['1', '1']\nforce = ['0', '0']\n\
               holonomic = ['y - 2*x']\n[initial]\nx = 0\ny = 0\n\"x'\" = 1\n\"y'\" = 2\n\
               [[events]]\nname = 'right'\nformula = 'x - 0.7'\ndirection = 'rising'\naction = 'bounce'\nrestitution = 1\n\
               [[events]]\nname = 'left'\nformula = 'x + 0.7'\ndirection = 'falling'\naction = 'bounce'\nrestitution = 1\n",
        t_end: 5.0,
        h: 0.01,
        is_holonomic: true,
        truth: |t| {
            // A triangle of period 2.8 through the origin.
            let s = (t + 0.7).rem_euclid(2.8);
            let (x, v) = if s < 1.4 { (s - 0.7, 1.0) } else { (2.1 - s, -1.0) };
            (vec![x, 2.0 * x], vec![v, 2.0 * v])
        },
    },
    Motion {
        kind: "impacts",
        name: "spring on a stop",
        text: "[variables]\ncoordinates = ['x']\n[equations]\nmass = ['1']\nforce = ['-x']\n[initial]\nx = 1\n\
               [[events]]\nname = 'stop'\nformula = 'x'\ndirection = 'falling'\naction = 'bounce'\nrestitution = 1\n",
        t_end: 6.0,
        h: 0.01,
        is_holonomic: true,
        truth: |t| {
            let (s, c) = t.sin_cos();
            (vec![c.abs()], vec![-s * c.signum()])
        },
    },
    Motion {
        kind: "pulses",
        name: "smooth pulse",
        text: "[variables]\ncoordinates = ['x']\n[equations]\nmass = ['1']\nforce = ['50/cosh(min(300, abs(t - 3.2101)/3e-5))^2']\n\
               [initial]\nx = 0\n",
        t_end: 5.0,
        h: 0.01,
        is_holonomic: true,
        truth: |t| {
            let (at, width, f) = PULSE;
            let log_cosh = |s: f64| s.abs() + (-2.0 * s.abs()).exp().ln_1p() - std::f64::consts::LN_2;
            let (s, s0) = ((t - at) / width, -at / width);
            let v = f * width * (s.tanh() - s0.tanh());
            (vec![f * width * width * (log_cosh(s) - log_cosh(s0) + (s - s0))], vec![v])
        },
    },
    Motion {
        kind: "pulses",
        name: "square pulse",
        text: "[variables]\ncoordinates = ['x', 'y']\n[equations]\nmass = ['1', '1']\n\
               force = ['10*(max(0, sign(t - 1.2345)) - max(0, sign(t - 1.2346)))', '0']\nholonomic = ['x + y']\n\
               [initial]\nx = 0\ny = 0\n\"x'\" = 0.25\n\"y'\" = -0.25\n",
        t_end: 5.0,
        h: 0.01,
        is_holonomic: true,
        truth: |t| {
            // Half of the force moves each mass.
            let after = |at: f64| (t - at).max(0.0);
            let v = 5.0 * (after(1.2345) - after(1.2346));
            let x = 2.5 * (after(1.2345).powi(2) - after(1.2346).powi(2));
            (vec![0.25 * t + x, -0.25 * t - x], vec![0.25 + v, -0.25 - v])
        },
    },
    Motion {
        kind: "chaotic",
        name: "double pendulum, short",
        text: DOUBLE,
        t_end: 2.0,
        h: 0.005,
        is_holonomic: true,
        truth: double,
    },
    Motion {
        kind: "chaotic",
        name: "double pendulum, long",
        text: DOUBLE,
        t_end: 10.0,
        h: 0.005,
        is_holonomic: true,
        truth: double,
    },
    Motion {
        kind: "stiff",
        name: "stiff spring and damper",
        text: "[variables]\ncoordinates = ['x']\n[equations]\nmass = ['1']\n\
               force = [\"-cos(t) - 1e6*(x - cos(t)) - 1e3*(x' + sin(t))\"]\n[initial]\nx = 1\n",
        t_end: 5.0,
        h: 0.02,
        is_holonomic: true,
        truth: |t| (vec![t.cos()], vec![-t.sin()]),
    },
    Motion {
        kind: "stiff",
        name: "stiffer, on a wire",
        text: "[variables]\ncoordinates = ['x', 'y']\n[equations]\nmass = ['1', '1']\n\
               force = [\"-cos(t) - 1e9*(x - cos(t)) - 1e5*(x' + sin(t))\", '-2*cos(t)']\nholonomic = ['y - 2*x']\n\
               [initial]\nx = 1\ny = 2\n",
        t_end: 5.0,
        h: 0.02,
        is_holonomic: true,
        truth: |t| (vec![t.cos(), 2.0 * t.cos()], vec![-t.sin(), -2.0 * t.sin()]),
    },
];

const DOUBLE: &str = "[variables]\ncoordinates = ['x1', 'y1', 'x2', 'y2']\n[equations]\n\
    kinetic = \"(x1'^2 + y1'^2 + x2'^2 + y2'^2)/2\"\npotential = '9.81*(y1 + y2)'\n\
    holonomic = ['x1^2 + y1^2 - 1', '(x2 - x1)^2 + (y2 - y1)^2 - 1']\n\
    [initial]\nx1 = 'sin(2)'\ny1 = '-cos(2)'\nx2 = 'sin(2) + sin(1.5)'\ny2 = '-cos(2) - cos(1.5)'\n";

/// Halves of two periods: pi at frequency 1, pi/2 at frequency 2.
fn two_springs(t: f64) -> (Vec<f64>, Vec<f64>) {
    use std::f64::consts::PI;
    let s = (t + 0.5 * PI).rem_euclid(1.5 * PI);
    if s < PI {
        (vec![s.sin()], vec![s.cos()])
    } else {
        (vec![-0.5 * (2.0 * (s - PI)).sin()], vec![-(2.0 * (s - PI)).cos()])
    }
}

/// Parabolas of length 2, up and down.
fn constant_pull(t: f64) -> (Vec<f64>, Vec<f64>) {
    let s = (t + 1.0).rem_euclid(4.0);
    if s < 2.0 {
        (vec![s - 0.5 * s * s], vec![1.0 - s])
    } else {
        let s = s - 2.0;
        (vec![-s + 0.5 * s * s], vec![s - 1.0])
    }
}

/// Half turns of the phase plane about +-0.1, as long as the velocity keeps its sign.
fn dry_friction(t: f64) -> (Vec<f64>, Vec<f64>) {
    let (mut x, mut v, mut left, mut side) = (1.0_f64, 0.5_f64, t, -0.1_f64);
    loop {
        // x - side = A cos(s - p): the velocity passes zero when s = p, or half a turn later.
        let radius = (x - side).hypot(v);
        let phase = v.atan2(x - side);
        let rest = if v > 0.0 { phase } else { std::f64::consts::PI };
        if left <= rest {
            return (vec![side + radius * (left - phase).cos()], vec![-radius * (left - phase).sin()]);
        }
        x = side + radius * (rest - phase).cos();
        (v, left, side) = (0.0, left - rest, -side);
    }
}

/// Parabolas between impacts.
fn ball(t: f64) -> (Vec<f64>, Vec<f64>) {
    let fall = (2.0 / G).sqrt();
    if t < fall {
        return (vec![1.0 - 0.5 * G * t * t], vec![-G * t]);
    }
    let (mut speed, mut s) = (E * G * fall, t - fall);
    while s > 2.0 * speed / G {
        s -= 2.0 * speed / G;
        speed *= E;
    }
    (vec![speed * s - 0.5 * G * s * s], vec![speed - G * s])
}

/// By the angle from the horizontal, integrated by extrapolation.
fn pendulum(t: f64) -> (Vec<f64>, Vec<f64>) {
    let rhs = |_: f64, y: &[f64], out: &mut [f64]| {
        (out[0], out[1]) = (y[1], -G * y[0].cos());
    };
    let y = extrapolate(rhs, 0.0, &[0.0, 0.0], t, Settings::default()).expect("smooth");
    let (s, c) = y[0].sin_cos();
    (vec![c, s], vec![-y[1] * s, y[1] * c])
}

/// By two angles from the downward vertical, integrated by extrapolation.
fn double(t: f64) -> (Vec<f64>, Vec<f64>) {
    let rhs = |_: f64, y: &[f64], out: &mut [f64]| {
        let (d, w1, w2) = (y[0] - y[1], y[2], y[3]);
        let (s, c) = d.sin_cos();
        // [2 c; c 1] (a1, a2) = right-hand side, for unit masses and lengths.
        let r1 = -w2 * w2 * s - 2.0 * G * y[0].sin();
        let r2 = w1 * w1 * s - G * y[1].sin();
        let determinant = 2.0 - c * c;
        (out[0], out[1]) = (w1, w2);
        (out[2], out[3]) = ((r1 - c * r2) / determinant, (2.0 * r2 - c * r1) / determinant);
    };
    let y = extrapolate(rhs, 0.0, &[2.0, 1.5, 0.0, 0.0], t, Settings::default()).expect("smooth");
    let ((s1, c1), (s2, c2)) = (y[0].sin_cos(), y[1].sin_cos());
    let v1 = [y[2] * c1, y[2] * s1];
    (vec![s1, -c1, s1 + s2, -c1 - c2], vec![v1[0], v1[1], v1[0] + y[3] * c2, v1[1] + y[3] * s2])
}
