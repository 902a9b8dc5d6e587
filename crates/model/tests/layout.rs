//! The layout of files: the models of the project have it, it changes nothing of what a file means, and a second time nothing at all.

mod common;

use std::fs;
use std::path::Path;

use alembert::{At, ConstrainedSystem, Quantity, State};
use alembert_fuzz::Campaign;
use alembert_model::{Model, formatted};
use common::{Beside, folder};

/// Names and texts of all models, and of the corpus of texts.
fn texts() -> Vec<(String, String)> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/text");
    let mut found = Vec::new();
    for folder in [folder(), corpus] {
        for file in fs::read_dir(folder).expect("a folder") {
            let path = file.expect("a file").path();
            if path.extension().is_some_and(|extension| extension == "toml") {
                let text = fs::read_to_string(&path).expect("a text");
                // Some of what was found by chance is no model.
                if Model::parse_with("layout", &text, &[], &Beside).is_ok() {
                    found.push((path.display().to_string(), text));
                }
            }
        }
    }
    found.sort();
    assert!(found.len() > 20);
    found
}

fn parse(text: &str) -> Model {
    Model::parse_with("layout", text, &[], &Beside).unwrap_or_else(|mistakes| panic!("{mistakes}\n{text}"))
}

/// Numbers that look random.
struct Noise(u64);

impl Noise {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }

    fn numbers(&mut self, like: &[f64]) -> Vec<f64> {
        like.iter().map(|x| x + 0.02 * (self.below(1000) as f64 / 1000.0 - 0.3)).collect()
    }
}

/// Everything that a model says of itself, its equations to the last bit at a point off the start.
fn said(model: &Model) -> String {
    let mut noise = Noise(7);
    let guess = &model.guess;
    let (q, v) = (noise.numbers(&guess.q), noise.numbers(&guess.v));
    let (lambda, psi) = (noise.numbers(&guess.lambda), noise.numbers(&guess.psi));
    let a = noise.numbers(&vec![0.0; v.len()]);
    let at = At { t: guess.t + 0.01, q: &q, v: &v, a: &a, lambda: &lambda, psi: &psi, ..At::default() };
    let mut workspace = model.system.workspace();
    let mut text = format!("{} {} {:?} {:?} {:?}", model.name, model.description, model.names, guess, model.run);
    for (quantity, size) in [
        (Quantity::Residual, v.len()),
        (Quantity::Holonomic, lambda.len()),
        (Quantity::HolonomicBias, lambda.len()),
        (Quantity::Nonholonomic, psi.len()),
    ] {
        let mut out = vec![0.0; size];
        model.system.single(quantity, &at, &mut out, &mut workspace);
        text += &format!(" {out:?}");
    }
    let state = State { t: at.t, q: q.clone(), v: v.clone(), a: a.clone(), lambda: lambda.clone(), psi: psi.clone() };
    let mut outputs = vec![0.0; model.names.outputs.len()];
    model.outputs_into(&state, &mut outputs);
    let events: Vec<_> = model.events.iter().map(|event| (&event.name, event.value(&state), event.direction)).collect();
    text + &format!(" {outputs:?} {events:?} {:?} {:?}", model.parameters, model.exact(at.t))
}

#[test]
fn models_have_the_layout() {
    for (name, text) in texts().iter().filter(|(name, _)| name.contains("models")) {
        assert_eq!(formatted(text).as_ref(), Some(text), "{name}: run `alembert fmt` on it");
    }
}

/// The same text with other spaces, and what is free to be somewhere else somewhere else.
fn mutated(text: &str, noise: &mut Noise) -> String {
    let mut written = String::new();
    for line in text.lines() {
        let (mut quote, mut is_formula, mut before) = (None, true, ' ');
        let code = if line.trim_start().starts_with('#') { 0 } else { line.len() };
        if code > 0 && quote.is_none() && !line.starts_with(' ') {
            written += &" ".repeat(noise.below(3));
        }
        for (i, letter) in line.char_indices() {
            let exponent = matches!(before, 'e' | 'E');
            match (quote, letter) {
                _ if i >= code => written.push(letter),
                (None, '"' | '\'') => {
                    quote = Some(letter);
                    is_formula = !["name = ", "unit = ", "label = "].iter().any(|key| line[..i].ends_with(key))
                        && !["name", "description", "method", "direction", "action"]
                            .iter()
                            .any(|key| line.starts_with(key))
                        && line[..i].contains(['=', '[']) | line.starts_with(' ');
                    written.push(letter);
                }
                (Some(mark), letter) if mark == letter => {
                    quote = None;
                    written.push(letter);
                }
                (None, '#') => {
                    written += &line[i..];
                    break;
                }
                (Some(_), '+' | '*' | '/' | '(' | ')' | ',' | '-' | '^' | '<' | '>') if is_formula && !exponent => {
                    let pair = line[i + 1..].starts_with('=') || before == '=';
                    written += &" ".repeat(noise.below(3));
                    written.push(letter);
                    written += &" ".repeat(if pair { 0 } else { noise.below(3) });
                }
                (None, '=' | ',' | '{' | ']') if !line.starts_with(['[', ']']) => {
                    written += &" ".repeat(noise.below(3));
                    written.push(letter);
                    written += &" ".repeat(noise.below(3));
                }
                (_, letter) => written.push(letter),
            }
            before = letter;
        }
        written += &" ".repeat(noise.below(2));
        written += if line.is_empty() { "\n\n" } else { "\n" };
    }
    written
}

#[test]
fn spaces_do_not_matter() {
    let mut noise = Noise(1);
    for (name, text) in texts() {
        let (meaning, layout) = (said(&parse(&text)), formatted(&text).expect("TOML"));
        assert_eq!(said(&parse(&layout)), meaning, "{name}");
        assert_eq!(formatted(&layout).as_ref(), Some(&layout), "{name}");
        // Comments behind code remember the column in which they stood.
        let free = !layout.lines().any(|line| line.find('#').is_some_and(|at| at > 0 && line.contains("  #")));
        // Texts of several lines, which the corpus has, are more than the mutations know of.
        for _ in 0..if name.contains("fuzz") { 0 } else { 5 } {
            let other = mutated(&layout, &mut noise);
            assert_eq!(said(&parse(&other)), meaning, "{name}\n{other}");
            let again = formatted(&other).unwrap_or_else(|| panic!("{name}\n{other}"));
            assert_eq!(said(&parse(&again)), meaning, "{name}\n{other}");
            assert_eq!(formatted(&again).as_ref(), Some(&again), "{name}");
            assert!(!free || again == layout, "{name}\n{again}");
            let squeezed = |text: &str| text.lines().filter(|line| !line.is_empty()).count();
            assert_eq!(squeezed(&again), squeezed(&layout), "{name}\n{again}");
        }
    }
}

/// Every comment is kept, and every text that is TOML has a layout that stays.
#[test]
fn any_text_keeps_its_comments() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/text");
    let words = ["#", "# c\n", "\n", "\n\n", ",", "[", "]", "{", "}", "\"", "'''", " = ", "[run]", "\r\n", "1", "\\"];
    let mut campaign = Campaign::new("layout", &corpus).with_words(&words).with_inputs(1000);
    for name in ["bouncing_pendulum", "andrews", "chain"] {
        campaign = campaign.with(fs::read(folder().join(format!("{name}.toml"))).expect("a model of the project"));
    }
    campaign.run(|bytes| {
        let Ok(text) = std::str::from_utf8(bytes) else { return };
        let Some(once) = formatted(text) else {
            assert!(toml::de::DeTable::parse(text).is_err(), "TOML without a layout");
            return;
        };
        assert_eq!(formatted(&once).as_ref(), Some(&once));
        let marks = |text: &str| text.matches('#').count();
        assert_eq!(marks(text), marks(&once), "{once}");
        match (Model::parse("a", text, &[]), Model::parse("a", &once, &[])) {
            (Ok(one), Ok(other)) => assert_eq!(format!("{:?}", one.names), format!("{:?}", other.names)),
            (Err(_), Err(_)) => {}
            _ => panic!("a model is one with every layout"),
        }
    });
}
