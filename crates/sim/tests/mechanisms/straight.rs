//! A straight chain that is released from rest. Links far from the support hardly turn at first, and assembly leaves 1e-17 of angles
//! that are zero: neither may be taken for a size.
//!
//! Bars of length l and mass m by their angles p from the horizontal, with the mass m(i, j) of what hangs on both:
//!
//! ```text
//! sum_j c_ij (cos(p_i - p_j) p_j'' + sin(p_i - p_j) p_j'^2) + g_i cos p_i = 0
//! c_ij = m l^2 (n - 1/2 - max(i, j)),  c_ii = m l^2 (n - 2/3 - i),  g_i = m g l (n - 1/2 - i)
//! ```

use std::fmt::Write;

use alembert_model::Model;
use alembert_sim::{Alone, End, simulate};

const LENGTH: f64 = 0.1;
const MASS: f64 = 0.1;
const G: f64 = 9.81;
const END: f64 = 0.2;

/// The chain as a file, each link `off` its place before it is assembled, tilted as a whole.
fn chain(links: usize, off: f64, tilt: f64, run: &str) -> Model {
    let mut text = format!("format = 1\ndimension = 2\ngravity = [0, -{G}]\n");
    for i in 0..links {
        let wave = |k: f64| off * (k + 1.7 * i as f64).sin();
        let (x, y, angle) = (LENGTH * i as f64 + wave(0.3), wave(1.1), wave(2.4));
        write!(
            text,
            "[[bodies]]\nname = \"b{i}\"\nsolid = {{ bar = {{ length = {LENGTH} }}, mass = {MASS}, at = [{}, 0] }}\n\
             points = {{ E = [{LENGTH}, 0] }}\npose = {{ at = [{x}, {y}], angle = {angle} }}\n",
            0.5 * LENGTH
        )
        .expect("text");
    }
    for i in 0..links {
        let (on, angle) = if i == 0 { ("ground".to_owned(), tilt) } else { (format!("b{}.E", i - 1), 0.0) };
        write!(text, "[[joints]]\nname = \"j{i}\"\ntype = \"revolute\"\nof = [\"{on}\", \"b{i}\"]\n").expect("text");
        writeln!(text, "start = {{ angle = {angle:e} }}").expect("text");
    }
    write!(text, "[run]\nt_end = {END}\n{run}\n").expect("text");
    Model::parse("chain.toml", &text, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

/// Angular accelerations, by elimination without pivoting: the matrix is positive definite.
fn accelerations(p: &[f64], w: &[f64]) -> Vec<f64> {
    let n = p.len();
    let coupling = |i: usize, j: usize| {
        let hanging = n as f64 - i.max(j) as f64 - if i == j { 2.0 / 3.0 } else { 0.5 };
        MASS * LENGTH * LENGTH * hanging
    };
    let mut rows: Vec<Vec<f64>> = Vec::with_capacity(n);
    for i in 0..n {
        let mut row: Vec<f64> = (0..n).map(|j| coupling(i, j) * (p[i] - p[j]).cos()).collect();
        let centrifugal: f64 = (0..n).map(|j| coupling(i, j) * (p[i] - p[j]).sin() * w[j] * w[j]).sum();
        row.push(-centrifugal - MASS * G * LENGTH * (n as f64 - 0.5 - i as f64) * p[i].cos());
        for (k, above) in rows.iter().enumerate() {
            let factor = row[k] / above[k];
            (k..=n).for_each(|j| row[j] -= factor * above[j]);
        }
        rows.push(row);
    }
    let mut a = vec![0.0; n];
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|j| rows[i][j] * a[j]).sum();
        a[i] = (rows[i][n] - known) / rows[i][i];
    }
    a
}

/// Angles at the end by the classical method of Runge and Kutta.
fn reference(links: usize, tilt: f64, steps: usize) -> Vec<f64> {
    let h = END / steps as f64;
    let (mut p, mut w) = (vec![tilt; links], vec![0.0; links]);
    let moved =
        |x: &[f64], by: f64, rate: &[f64]| -> Vec<f64> { x.iter().zip(rate).map(|(x, r)| x + by * r).collect() };
    for _ in 0..steps {
        let a1 = accelerations(&p, &w);
        let w2 = moved(&w, 0.5 * h, &a1);
        let a2 = accelerations(&moved(&p, 0.5 * h, &w), &w2);
        let w3 = moved(&w, 0.5 * h, &a2);
        let a3 = accelerations(&moved(&p, 0.5 * h, &w2), &w3);
        let w4 = moved(&w, h, &a3);
        let a4 = accelerations(&moved(&p, h, &w3), &w4);
        for i in 0..links {
            p[i] += h / 6.0 * (w[i] + 2.0 * w2[i] + 2.0 * w3[i] + w4[i]);
            w[i] += h / 6.0 * (a1[i] + 2.0 * a2[i] + 2.0 * a3[i] + a4[i]);
        }
    }
    p
}

/// The largest error of the angles at the end.
fn error(model: &Model, what: &str, exact: &[f64]) -> f64 {
    let run = simulate(model, &model.run, &Alone).unwrap_or_else(|failure| panic!("{what}: {failure:?}"));
    assert_eq!(run.end, End::Reached, "{what}");
    let last = &run.states.last().expect("a state").q;
    exact.iter().enumerate().fold(0.0, |most, (i, p)| most.max((last[3 * i + 2] - p).abs()))
}

#[test]
fn chains_from_rest_are_released_by_every_method() {
    for links in [10, 40] {
        let exact = reference(links, 0.0, 800);
        let finer = reference(links, 0.0, 1600);
        let own = exact.iter().zip(&finer).fold(0.0_f64, |most, (x, y)| most.max((x - y).abs()));
        assert!(own < 1e-7, "the reference is off by {own:e}");
        for off in [0.0, 0.03] {
            for (method, rtol) in [("radau", 1e-7), ("bdf", 1e-7), ("soi2", 1e-5)] {
                let what = format!("{method}, {links} links, off by {off}");
                let model = chain(links, off, 0.0, &format!("method = \"{method}\"\nrtol = {rtol}"));
                let error = error(&model, &what, &finer);
                println!("{what}: {error:.1e}");
                assert!(error < rtol, "{what}: {error:e}");
            }
        }
    }
}

#[test]
fn fixed_steps_have_their_order_from_rest() {
    let links = 60;
    let exact = reference(links, 0.0, 1600);
    let [coarse, fine] = [1e-3, 5e-4].map(|h| {
        let model = chain(links, 0.0, 0.0, &format!("method = \"soi2\"\nh = {h}"));
        error(&model, &format!("h = {h}"), &exact)
    });
    let order = (coarse / fine).log2();
    println!("order {order:.2}, {fine:.1e}");
    assert!((1.8..2.3).contains(&order), "{coarse:e}, {fine:e}");
}

#[test]
fn angles_that_are_nearly_zero_are_nothing_special() {
    let links = 12;
    for tilt in [1e-17, 1e-14, 1e-11, 1e-8, 1e-5, 1e-2] {
        let exact = reference(links, tilt, 1600);
        for (method, rtol) in [("radau", 1e-7), ("bdf", 1e-7), ("soi2", 1e-5)] {
            let what = format!("{method}, from {tilt:e}");
            let model = chain(links, 0.0, tilt, &format!("method = \"{method}\"\nrtol = {rtol}"));
            let error = error(&model, &what, &exact);
            println!("{what}: {error:.1e}");
            assert!(error < rtol, "{what}: {error:e}");
        }
    }
}
