//! Input is taken literally: what cannot be meant is refused, what is not wrong is not hidden, and hints cost nothing.

use std::time::{Duration, Instant};

use alembert_model::Model;

const LIST: &str = "format = 1\n[parameters]\nm = [1, 2, 3]\nk = 5\n[variables]\ncoordinates = [\"x[1..3]\"]\n[equations]\n\
                    mass = [\"m[i] for i in 1..3\"]\nforce = [\"-k*x[i] for i in 1..3\"]\n[initial]\nx = 0\n[run]\nt_end = 1\n";

fn set(name: &str, value: &str) -> Result<Vec<(String, f64)>, String> {
    let model = Model::parse("list", LIST, &[(name.to_owned(), value.to_owned())]);
    model.map(|model| model.parameters).map_err(|mistakes| mistakes.to_string())
}

#[test]
fn settings_name_what_they_set() {
    for bad in ["m[x]", "m[]", "m[1.0]", "m[1", "m[4]", "m[-1]", "m[1][2]", "k[1]", "[1]", "", "m]", "m[1]x", "m[ ]"] {
        let refused = set(bad, "9");
        assert!(refused.is_err(), "{bad}: {refused:?}");
    }
    for bad in ["", "x", "1,2", "1e999", "nan", "1 for i in 1..2", "m[1]"] {
        assert!(set("k", bad).is_err(), "{bad}");
    }
    let named = |values: [f64; 4]| -> Vec<(String, f64)> {
        ["m[1]", "m[2]", "m[3]", "k"].into_iter().map(str::to_owned).zip(values).collect()
    };
    assert_eq!(set("m[2]", "9"), Ok(named([1.0, 9.0, 3.0, 5.0])));
    assert_eq!(set(" m[ 3 ] ".trim(), "2*pi"), Ok(named([1.0, 2.0, std::f64::consts::TAU, 5.0])));
    assert_eq!(set("m", "4"), Ok(named([4.0, 4.0, 4.0, 5.0])));
}

#[test]
fn an_index_in_a_start_is_a_whole_number() {
    for (key, told) in
        [("x[1.5]", "whole number"), ("x[4]", "does not exist"), ("x[t]", "must not vary"), ("x[0/0]", "whole")]
    {
        let text = LIST
            .replace("x = 0\n", &format!("x = 0\n\"{key}\" = 2\n"))
            .replace("x = 0\n", "\"x[1]\" = 0\n\"x[2]\" = 0\n");
        let mistakes = Model::parse("start", &text, &[]).expect_err(key).to_string();
        assert!(mistakes.contains(told), "{key}: {mistakes}");
    }
}

#[test]
fn marks_in_comments_hide_no_mistakes() {
    for comment in ["# it's ''' here", "# \"\"\"", "# '''"] {
        let text = LIST
            .replace("k = 5\n", &format!("k = 5 {comment}\nbroken = = 1\n"))
            .replace("t_end = 1", "t_end = 1\ntypo = 2\nrtoll = 1e-3");
        let mistakes = Model::parse("comment", &text, &[]).expect_err("mistakes").to_string();
        for told in ["not TOML", "`typo`", "`rtoll`"] {
            assert!(mistakes.contains(told), "{comment}: {mistakes}");
        }
    }
}

#[test]
fn control_characters_reach_no_message() {
    let escape = "\\u001b[31mred\\u0007\\nline";
    let cases = [
        format!("name = \"{escape}\"\n{LIST}"),
        LIST.replace("k = 5", &format!("\"{escape}\" = 5")),
        LIST.replace("[run]", &format!("[[events]]\nname = \"{escape}\"\nformula = \"x[1]\"\n[run]")),
        LIST.replace("t_end = 1", &format!("t_end = 1\n\"{escape}\" = 2")),
        LIST.replace("t_end = 1", &format!("t_end = 1\nmethod = \"{escape}\"")),
        LIST.replace("force =", &format!("holonomic = [{{ name = \"{escape}\", formula = \"x[1]\" }}]\nforce =")),
    ];
    for text in cases {
        let mistakes = Model::parse("control", &text, &[]).expect_err(&text).to_string();
        assert!(mistakes.chars().all(|letter| letter == '\n' || !letter.is_control()), "{mistakes:?}");
    }
    // A description may have lines.
    let text = format!("description = \"one\\ntwo\"\n{LIST}");
    assert!(Model::parse("lines", &text, &[]).is_ok());
}

/// Quadratic work took more than a minute for each of these. A bound of seconds is no measurement of speed: what it tells apart is
/// thousands of times.
#[test]
fn hints_are_bounded() {
    let names: String = (0..8000).map(|k| format!("parameter_with_a_long_name_{k} = {k}\n")).collect();
    let uses: String = (0..8000).map(|k| format!("d{k} = \"parametr_with_a_long_name_{k}x\"\n")).collect();
    let many = LIST.replace("k = 5\n", &format!("k = 5\n{names}[definitions]\n{uses}"));
    let long = LIST.replace("-k*x[i]", &format!("-k*x[i] + {}", "y".repeat(90_000)));
    let keys = LIST.replace("t_end = 1", &format!("t_end = 1\n{} = 1", "z".repeat(400_000)));
    for text in [many, long, keys] {
        let clock = Instant::now();
        let mistakes = Model::parse("long", &text, &[]).expect_err("mistakes");
        assert!(!mistakes.list().is_empty() && clock.elapsed() < Duration::from_secs(20));
    }
}
