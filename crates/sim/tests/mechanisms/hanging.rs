//! A chain that hangs at rest along gravity: nothing moves, and nothing is told but that.

use alembert_model::Model;
use alembert_sim::{Alone, End, simulate};

#[test]
fn a_chain_at_rest_is_no_reason_for_warnings() {
    for (links, size, run) in [
        (3, 1000.0, "rtol = 1e-3\nmethod = \"bdf\""),
        (30, 1.0, "rtol = 1e-3\nmethod = \"bdf\""),
        (60, 1.0, "rtol = 1e-4\nmethod = \"bdf\""),
        (30, 1.0, "rtol = 1e-6"),
    ] {
        let text = format!(
            "format = 1\ndimension = 2\ngravity = [\"S*9.81*sin(0.5)\", \"-S*9.81*cos(0.5)\"]\n\
             [parameters]\nN = {links}\nS = {size}\n\
             [[bodies]]\nname = \"b[i]\"\nfor = \"i in 1..N\"\nmass = 1\ninertia = \"0.01*S^2\"\n\
             centre = [0, \"-0.5*S\"]\npoints = {{ end = [0, \"-S\"] }}\n\
             pose = {{ at = [\"(i-1)*S*sin(0.5)\", \"-(i-1)*S*cos(0.5)\"], angle = 0.5 }}\n\
             [[joints]]\nname = \"first\"\ntype = \"revolute\"\nof = [\"ground\", \"b[1]\"]\n\
             [[joints]]\nname = \"j[i]\"\nfor = \"i in 2..N\"\ntype = \"revolute\"\nof = [\"b[i-1].end\", \"b[i]\"]\n\
             [run]\nt_end = 5\n{run}\n"
        );
        let model = Model::parse("chain.toml", &text, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}"));
        let result = simulate(&model, &model.run, &Alone).unwrap_or_else(|failure| panic!("{failure:?}"));
        assert_eq!(result.end, End::Reached);
        let warnings: Vec<String> = result.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(warnings, [""; 0], "{links} {size} {run}");
    }
}
