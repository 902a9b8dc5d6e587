//! Rows, events and tolerances, random parameters, scenarios and files that are included.

use alembert_model::Model;
use alembert_sim::{Alone, End, simulate};

use super::{model, model_with, oscillator, result, run};

#[test]
fn events_happen_at_their_times_and_as_often_as_they_may() {
    let text = |event: &str| {
        format!(
            "format = 1\n[variables]\ncoordinates = [\"x\"]\n[equations]\nmass = [1]\nforce = [\"0\"]\n[initial]\nx = 0\n\
             [[events]]\nname = \"kick\"\n{event}\naction = \"set\"\nset = {{ \"x'\" = \"x' + 1\" }}\n[run]\nt_end = 1\n"
        )
    };
    for (event, times) in [
        ("at = \"0.5\"", vec![0.5]),
        ("at = [0.75, \"1/4\", 0.5]", vec![0.25, 0.5, 0.75]),
        ("every = \"0.1\"", (1..=9).map(|k| 0.1 * f64::from(k)).collect()),
        ("every = 0.1\ntimes = 3", vec![0.1, 0.2, 0.3]),
        ("every = 0.1\nonce = true", vec![0.1]),
        ("at = [1e-3, 2e-3, 0.999]", vec![1e-3, 2e-3, 0.999]),
    ] {
        let trajectory = run(&model(&text(event)));
        let found: Vec<f64> = trajectory.events.iter().map(|event| event.t).filter(|t| *t < 0.9995).collect();
        assert_eq!(found.len(), times.len(), "{event}: {found:?}");
        for (found, exact) in found.iter().zip(&times) {
            assert!((found - exact).abs() < 1e-14, "{event}: {found} {exact}");
        }
        // Each kick adds 1: the way is the sum of the times that are left.
        let last = trajectory.states.last().expect("rows");
        let way: f64 = times.iter().map(|t| 1.0 - t).sum();
        assert!((last.q[0] - way).abs() < 1e-9, "{event}: {} {way}", last.q[0]);
    }
}

#[test]
fn an_event_of_the_motion_happens_as_often_as_it_may() {
    let text = oscillator("n = { count = \"up\" }", "t_start = 0").replace("t_end = 2", "t_end = 20")
        + "[[events]]\nname = \"up\"\nformula = \"x\"\ndirection = \"rising\"\naction = \"continue\"\ntimes = 4\n";
    assert_eq!(result(&run(&model(&text)), "n").0, 4.0);
}

#[test]
fn rows_are_at_the_times_that_are_asked_for() {
    let times = [0.013, 0.5, 0.5 + 1e-9, 1.25];
    let text = oscillator("", &format!("t_eval = {times:?}"));
    let trajectory = run(&model(&text));
    let found: Vec<f64> = trajectory.states.iter().map(|state| state.t).collect();
    let expected: Vec<f64> = [0.0].into_iter().chain(times).chain([2.0]).collect();
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (state, t) in trajectory.states.iter().zip(expected) {
        assert!((state.t - t).abs() < 1e-14 && (state.q[0] - (3.0 * t).sin()).abs() < 1e-7, "{t}");
    }
}

#[test]
fn tolerances_and_sizes_of_variables_are_kept() {
    // Two oscillators of very different size, not coupled: the small one is as accurate as its own tolerance.
    let text = |more: &str| {
        format!(
            "format = 1\n[variables]\ncoordinates = [\"x\", \"z\"]\n[equations]\nmass = [1, 1]\nforce = [\"-x\", \"-100*z\"]\n\
             [initial]\nx = 1\nz = 1e-6\n[run]\nt_end = 10\nrtol = 1e-6\n{more}\n"
        )
    };
    let error = |more: &str| {
        let trajectory = run(&model(&text(more)));
        let last = trajectory.states.last().expect("rows").clone();
        (last.q[1] - 1e-6 * (10.0 * last.t).cos()).abs() / 1e-6
    };
    let scaled = error("scale = { z = 1e-6, \"z'\" = 1e-5 }");
    assert!(scaled < 1e-4, "{scaled}");
    let absolute = error("atol = { z = 1e-12, \"z'\" = 1e-11 }");
    assert!(absolute < 1e-4, "{absolute}");
    let loose = error("atol = { z = 1, \"z'\" = 10, x = 1e-2, \"x'\" = 1e-2 }");
    assert!(loose > 100.0 * absolute, "{loose} {absolute}");
}

#[test]
fn the_shortest_step_is_a_limit() {
    let text = oscillator("", "h_min = 0.5").replace("rtol = 1e-8", "rtol = 1e-12\nstages = 3");
    let trajectory = simulate(&model(&text), &model(&text).run, &Alone).expect("a beginning");
    assert!(matches!(trajectory.end, End::Failed(_)), "{:?}", trajectory.end);
    let steps = run(&model(&oscillator("", "h_min = 1e-9"))).steps;
    assert!(steps.iter().all(|step| step.h > 1e-9));
}

#[test]
fn random_parameters_follow_from_their_seed() {
    let text = "format = 1\n[parameters]\nm = { normal = [2, 0.5] }\nk = { uniform = [\"m0\", 3] }\nm0 = 1\n[variables]\n\
                coordinates = [\"x\"]\n[equations]\nmass = [1]\nforce = [\"0\"]\n[initial]\nx = \"3*m + k\"\n[run]\nt_end = 1\nseed = 4\n";
    let value = |settings: &[(&str, &str)]| model_with(text, settings).guess.q[0];
    assert_eq!(value(&[]), value(&[("seed", "4")]));
    assert_ne!(value(&[]), value(&[("seed", "5")]));
    assert_eq!(value(&[("m", "2"), ("k", "1")]), 7.0);
    // The mean of a linear function is that of the means, within four standard errors.
    let n = 2000;
    let mean = (0..n).map(|seed| value(&[("seed", &seed.to_string())])).sum::<f64>() / f64::from(n);
    let deviation = (9.0 * 0.25 + 4.0 / 12.0_f64).sqrt();
    assert!((mean - 8.0).abs() < 4.0 * deviation / f64::from(n).sqrt(), "{mean}");
}

#[test]
fn scenarios_take_the_place_of_what_the_file_says() {
    let text = oscillator("", "")
        + "[scenarios.fast]\nt_end = 1\nparameters = { w = 7 }\ninitial = { x = 0.5 }\n[scenarios.long]\nt_end = 9\n";
    let with = |name: &str| model_with(&text, &[("[scenario]", name)]);
    let fast = with("fast");
    assert_eq!((fast.run.t_end, fast.guess.q[0], fast.guess.v[0]), (1.0, 0.5, 7.0));
    assert_eq!(fast.scenario.as_deref(), Some("fast"));
    let long = with("long");
    assert_eq!((long.run.t_end, long.guess.q[0], long.guess.v[0]), (9.0, 0.0, 3.0));
    assert_eq!(model(&text).run.t_end, 2.0);
    // Settings win over scenarios.
    assert_eq!(model_with(&text, &[("[scenario]", "fast"), ("w", "5")]).guess.v[0], 5.0);
    let bad = Model::parse("m", &text, &[("[scenario]".to_owned(), "slow".to_owned())]).expect_err("no such scenario");
    assert!(bad.to_string().contains("the scenarios are fast, long"), "{bad}");
}

#[test]
fn parameters_are_included() {
    use alembert_model::source::Files;
    let text = oscillator("", "")
        .replace("format = 1", "format = 1\ninclude = [\"a.toml\", \"data/b.toml\"]")
        .replace("x = 0\n", "x = \"u + v[2]\"\n");
    let files = |a: &str, b: &str| Files::from([("a.toml".to_owned(), a.into()), ("data/b.toml".to_owned(), b.into())]);
    let read = |files: &Files| Model::parse_with("m", &text, &[], files);
    let model = read(&files("[parameters]\nw = 100\nu = 1\n", "[parameters]\nu = \"2*w\"\nv = [5, 6]\n"))
        .unwrap_or_else(|e| panic!("{e}"));
    // The file's own w = 3 wins, and of the two u the later one.
    assert_eq!((model.guess.q[0], model.guess.v[0]), (12.0, 3.0));
    for (a, b, words) in [
        ("[parameters]\nu = 1", "[run]\nt_end = 1", "it has `run`"),
        ("u 1", "[parameters]\nv = [1, 2]\nu = 1", "cannot include `a.toml`: it is not TOML"),
        ("", "[parameters]\nv = [1, 2]\nu = \"nothing\"", "unknown name `nothing`"),
    ] {
        let error = read(&files(a, b)).expect_err("bad").to_string();
        assert!(error.contains(words), "{error}");
    }
    let error = Model::parse("m", &text, &[]).expect_err("no files").to_string();
    assert!(error.contains("cannot include `a.toml`: files are not read here"), "{error}");
}
