//! What a file says of forces happens, however it is written.

use alembert_model::Model;
use alembert_sim::{Alone, End, simulate};

/// The last row of a run, by the names of its columns.
fn ends(text: &str) -> impl Fn(&str) -> f64 {
    let model = Model::parse("told.toml", text, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let result = simulate(&model, &model.run, &Alone).unwrap_or_else(|failure| panic!("{failure:?}"));
    assert_eq!(result.end, End::Reached);
    let state = result.states.last().expect("a row").clone();
    let mut outputs = vec![0.0; model.names.outputs.len()];
    model.outputs_into(&state, &mut outputs);
    let names = model.names.outputs.clone();
    move |name: &str| {
        let at = names.iter().position(|other| other == name);
        outputs[at.unwrap_or_else(|| panic!("{name} is none of {names:?}"))]
    }
}

#[test]
fn a_force_along_a_curve_moves_its_bead() {
    let bead = |law: &str, kind: &str| {
        format!(
            "format = 1\ndimension = 2\n[[bodies]]\nname = \"bead\"\nmass = 1\ninertia = 1\npose = {{ at = [1, 0] }}\n\
             [[joints]]\nname = \"groove\"\ntype = \"point on curve\"\nof = [\"ground\", \"bead\"]\n\
             curve = [\"cos(s)\", \"sin(s)\"]\nstart = {{ parameter = 0 }}\n\
             [[forces]]\nname = \"push\"\ntype = \"{kind}\"\njoint = \"groove\"\nlaw = \"{law}\"\n\
             [outputs]\ns = \"groove.parameter\"\n[run]\nt_end = 1\n"
        )
    };
    // s'' = 1, and s'' = -4 s + 1 from rest.
    assert!((ends(&bead("1", "force"))("s") - 0.5).abs() < 1e-6);
    let swung = ends(&bead("1 - 4*parameter", "force"))("s");
    assert!((swung - 0.25 * (1.0 - 2.0_f64.cos())).abs() < 1e-6, "{swung}");
    let wrong = |text: String| Model::parse("told.toml", &text, &[]).err().map(|mistakes| mistakes.to_string());
    assert!(wrong(bead("nonsense(3)", "force")).is_some_and(|words| words.contains("nonsense")));
    assert!(wrong(bead("1", "torque")).is_some_and(|words| words.contains("does not act on the parameter")));
}

#[test]
fn a_ball_rests_on_a_frame_in_the_plane() {
    let rest = |frame: &str, of: &str| {
        ends(&format!(
            "format = 1\ndimension = 2\ngravity = [0, -9.81]\n[[bodies]]\nname = \"floor\"\nmass = 1\ninertia = 1\n{frame}\n\
             [[joints]]\nname = \"w\"\ntype = \"fixed\"\nof = [\"ground\", \"floor\"]\n\
             [[bodies]]\nname = \"ball\"\nmass = 1\ninertia = 0.1\npose = {{ at = [0, 0.5] }}\n\
             [[forces]]\nname = \"c\"\ntype = \"contact\"\nof = [\"ball\", \"{of}\"]\nradius = 0.1\nstiffness = 1e4\ndamping = 1\n\
             [outputs]\ny = \"ball.y\"\n[run]\nt_end = 10\n"
        ))("y")
    };
    let (framed, plain) = (rest("frames = { top = { at = [0, 0] } }", "floor.top"), rest("", "floor"));
    assert!(plain > 0.08 && (framed - plain).abs() < 1e-9, "{framed} {plain}");
}

#[test]
fn letters_may_be_written_by_their_numbers() {
    let wound = |angle: &str| {
        ends(&format!(
            "format = 1\n[[bodies]]\nname = \"b\"\nmass = 2\ninertia = 0.1\n\
             [[joints]]\nname = \"j\"\ntype = \"revolute\"\nof = [\"ground\", \"b\"]\naxis = \"x\"\nstart = {{ speed = 20 }}\n\
             [[forces]]\nname = \"w\"\ntype = \"torsion\"\njoint = \"j\"\nlaw = \"0.1*({angle} - 3)\"\n\
             [outputs]\nw = \"b.omega.x\"\n[run]\nt_end = 3.5\n"
        ))("w")
    };
    // 0.1 a'' = -0.1 (a - 3), a = 3 - 3 cos t + 20 sin t.
    let exact = 3.0 * 3.5_f64.sin() + 20.0 * 3.5_f64.cos();
    for angle in ["j.angle", "\\u006a.angle", "\\U0000006a.ang\\u006Ce", "angle", "\\u0061ngle"] {
        let found = wound(angle);
        assert!((found - exact).abs() < 1e-4, "{angle}: {found} for {exact}");
    }
}
