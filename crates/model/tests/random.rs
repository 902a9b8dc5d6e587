//! Random files, good and bad: no panic, no hang, and valid ones mean what they say.

use alembert::{Point, check_derivatives};
use alembert_model::Model;
use proptest::prelude::*;

const GOOD: &str = include_str!("../../../models/chain.toml");

/// A formula over x, y, t and a vector z, with values that stay moderate near the start.
fn formula() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("x".to_owned()),
        Just("y".to_owned()),
        Just("t".to_owned()),
        Just("z[1]".to_owned()),
        Just("z[k]".to_owned()),
        (1..50_i32).prop_map(|n| format!("{}", f64::from(n) / 8.0)),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} + {b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} - {b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a}*{b}")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a}/(2 + ({b})^2)")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("atan2({a}, 3 + ({b})^2)")),
            (inner.clone(), 2..4_i32).prop_map(|(a, n)| format!("sin({a})^{n}")),
            inner.clone().prop_map(|a| format!("-tanh({a})")),
            inner.clone().prop_map(|a| format!("sqrt(1 + ({a})^2)")),
            inner.clone().prop_map(|a| format!("log(2 + cos({a}))*exp(-abs(sin({a}))/4)")),
            inner.clone().prop_map(|a| format!("sum(i*cos({a} + i) for i in 1..3)")),
            inner.clone().prop_map(|a| format!("bump({a}, 1)")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("if({a} > 1.13, {b}, sin({a})/2)")),
            (inner.clone(), inner.clone())
                .prop_map(|(a, b)| format!("if({a} < 0.17 or not ({b} < 0.29), sqrt(2 + sin({a})), cos({b}))")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("hypot({a}, 1 + ({b})^2)")),
            inner.clone().prop_map(|a| format!("mod(tanh({a}), 0.37)")),
            inner.clone().prop_map(|a| format!("floor(3*tanh({a}) + 0.21)*sin({a})")),
            inner.clone().prop_map(|a| format!("step({a}, 1.9)*clamp({a}, -1.3, 2.1)")),
            (inner.clone(), inner.clone())
                .prop_map(|(a, b)| format!("dot(rotate([1, 2, 2], {a}, [z[1], {b}, 1]), [x, 1, y]/3)")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("norm([{a}, {b}, 2])")),
        ]
    })
}

fn model(formulas: &[String; 4]) -> String {
    let [a, b, c, d] = formulas;
    format!(
        "format = 1\n[functions]\n\"bump(u, w)\" = \"if(abs(u) < w, (w^2 - u^2)^3, 0)\"\n[parameters]\nk = 2\n[variables]\ncoordinates = [\"x\", \"y\", \"z[1..2]\"]\n[definitions]\nf = \"{a}\"\n\
         [equations]\nmass = [\"2 + sin({a})\", 3, \"1 + i for i in 1..2\"]\n\
         force = [\"{b}\", \"f*y' - x' + f'/10 + der(x^2*y)\", \"-z[i] + f for i in 1..2\"]\nholonomic = [\"y + ({c})/10\"]\n\
         nonholonomic = [\"z[1]' - z[2]'*sin({d})\"]\n\
         [initial]\nx = 0.3\ny = 0.7\nz = [0.2, -0.4]\n[run]\nt_end = 1\n"
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_gives_a_model_or_mistakes(text in ".{0,400}") {
        if let Err(mistakes) = Model::parse("any", &text, &[]) {
            prop_assert!(!mistakes.to_string().is_empty());
        }
    }

    #[test]
    fn any_bytes_in_a_good_file_give_a_model_or_mistakes(
        at in 0..GOOD.len(), length in 0..40_usize, bytes in prop::collection::vec(any::<u8>(), 0..30)
    ) {
        let mut file = GOOD.as_bytes().to_vec();
        let end = (at + length).min(file.len());
        file.splice(at..end, bytes);
        let text = String::from_utf8_lossy(&file);
        if let Err(mistakes) = Model::parse("spoilt", &text, &[]) {
            prop_assert!(!mistakes.to_string().is_empty());
        }
    }

    #[test]
    fn any_formula_gives_a_model_or_mistakes(text in "([-+*/^()xyzt' .,0-9\\[\\]a-f<>=!]|if\\(| and | or | not |der\\(|\\.x|cross\\(|mod\\(){0,60}") {
        let file = GOOD.replace("g*sum(y[i] for i in 1..N)", &text);
        let _ = Model::parse("formula", &file, &[]).map_err(|mistakes| mistakes.to_string());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn derivatives_of_valid_models_are_right(formulas in [formula(), formula(), formula(), formula()]) {
        let text = model(&formulas);
        let model = Model::parse("random", &text, &[]).map_err(|mistakes| TestCaseError::fail(mistakes.to_string()))?;
        let at = Point { t: 0.1, q: &[0.31, 0.68, 0.22, -0.37], v: &[0.5, -0.3, 0.2, 0.4], lambda: &[0.7], psi: &[-0.6] };
        let report = check_derivatives(&model.system, at).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert!(report.is_ok(), "{report}\n{text}");
    }
}

#[test]
fn a_file_that_asks_for_too_much_is_refused_quickly() {
    let deep = format!("{}x{}", "sin(".repeat(5000), ")".repeat(5000));
    let wide = (0..20).fold("x[1]".to_owned(), |inner, k| format!("sum({inner} + k{k} for k{k} in 1..50)"));
    let many = (0..3000).map(|k| format!("d{k} = \"d{}*2\"\n", k + 1)).collect::<String>();
    for potential in [deep, wide, "d0".to_owned()] {
        let text = GOOD
            .replace("[definitions]", &format!("[definitions]\n{many}"))
            .replace("g*sum(y[i] for i in 1..N)", &potential);
        let mistakes = Model::parse("much", &text, &[]).expect_err("too much");
        assert!(!mistakes.list().is_empty());
    }
    // Few words, much work: constants that fold, and a long sum in every force.
    let folds = format!("sum({} for i in 1..500000)", vec!["sin(i)"; 200].join("+"));
    let shared = "sum(sin(i*x[1] + s) for i in 1..100000)".to_owned();
    for (bars, formula) in [("5", folds), ("1500", format!("({shared})*sum(x[i]*y[i] for i in 1..N)"))] {
        let text = GOOD.replace("N = 5", &format!("N = {bars}")).replace("g*sum(y[i] for i in 1..N)", &formula);
        let text = text.replace("[definitions]", "[definitions]\ns = \"x[1]\"");
        let mistakes = Model::parse("work", &text, &[]).expect_err("too much");
        assert!(mistakes.to_string().contains("too large"), "{mistakes}");
    }
    let many = GOOD.replace("N = 5", "N = 400000");
    let mistakes = Model::parse("many", &many, &[]).expect_err("too many");
    assert!(mistakes.to_string().contains("velocities and multipliers, more than"), "{mistakes}");
    // Nested squares: 2^40 terms as a tree, 40 nodes as a graph.
    let squares: String = (1..40).map(|k| format!("s{k} = \"s{}*s{}/2 + x[1]/100\"\n", k - 1, k - 1)).collect();
    let text = GOOD
        .replace("[definitions]", &format!("[definitions]\ns0 = \"x[1]/100\"\n{squares}"))
        .replace("g*sum(y[i] for i in 1..N)", "g*sum(y[i] for i in 1..N) + s39*1e-9");
    Model::parse("squares", &text, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}"));
}
