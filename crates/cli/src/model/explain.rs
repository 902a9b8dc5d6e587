//! `alembert explain`: what was understood of a model, in words and formulas.

use std::fmt::Write as _;
use std::io::{self, Write};

use alembert::{ConstrainedSystem, Named};
use alembert_model::clock::Clock;
use alembert_model::{Action, Constraint, Event, Explanation, Happening, Model};
use alembert_sim::check::{Findings, check};
use alembert_sim::simulate::start;
use alembert_sim::start::digits;
use alembert_sim::{Beside, Failure as Broken};
use clap::Args;
use serde_json::{Value, json};

use super::{Source, read, setting, with_scenario};
use crate::failure::{Failure, Status};

/// Rows of each kind that are shown of a large model.
const SHOWN: usize = 12;

/// Options of `alembert explain`.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    pub source: Source,
    /// All rows of a large model, not only the first of each kind
    #[arg(long)]
    pub all: bool,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// What is known of a model.
struct Known {
    model: Model,
    formulas: Explanation,
    findings: Findings,
    /// Name, value as given and as it will be, of what the start moves; or why there is none.
    moved: Result<Vec<(String, f64, f64)>, String>,
    most: usize,
}

/// Explains a model.
pub fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let Source { model: path, settings, scenario } = &arguments.source;
    let settings = with_scenario(settings, scenario.as_ref());
    let mut settings = settings.iter().map(|set| setting(set)).collect::<Result<Vec<_>, _>>()?;
    let loaded = arguments.source.load()?;
    if loaded.system.mechanism().is_some() {
        let message = "`explain` writes equations of motion, and those of joints are not written as formulas";
        let hint = Some("`alembert check` says what was understood of a mechanism".to_owned());
        return Err(Broken { hint, ..Broken::usage(message) }.into());
    }
    let found = loaded.found;
    settings.extend(found.iter().map(|(name, value)| (name.clone(), format!("{value:e}"))));
    let most = if arguments.all { usize::MAX } else { SHOWN };
    let (mut model, formulas) =
        Model::explain(&path.display().to_string(), &read(path)?, &settings, &Beside::new(path), most)
            .map_err(|mistakes| Broken::mistakes(mistakes.to_string()))?;
    model.found = found;
    let (findings, moved) = (check(&model), moved(&model));
    let known = Known { model, formulas, findings, moved, most };
    let mut stdout = io::stdout().lock();
    if arguments.json {
        writeln!(stdout, "{:#}", known.json())?;
    } else {
        stdout.write_all(known.words().as_bytes())?;
    }
    Ok(Status::Agrees)
}

fn moved(model: &Model) -> Result<Vec<(String, f64, f64)>, String> {
    let (state, _) = start(model).map_err(|failure| failure.message)?;
    let (names, guess) = (&model.names, &model.guess);
    let positions = names.q.iter().zip(guess.q.iter().zip(&state.q));
    let all = positions.chain(names.v.iter().zip(guess.v.iter().zip(&state.v)));
    let changed = all.filter(|(_, (given, now))| (*given - *now).abs() > 1e-12 * (1.0 + given.abs()));
    Ok(changed.map(|(name, (given, now))| (name.clone(), *given, *now)).collect())
}

/// A number of things.
fn count(n: usize, noun: &str) -> String {
    match noun.strip_suffix('y') {
        _ if n == 1 => format!("1 {noun}"),
        Some(stem) => format!("{n} {stem}ies"),
        None if noun.ends_with("ch") => format!("{n} {noun}es"),
        None => format!("{n} {noun}s"),
    }
}

impl Known {
    fn freedom(&self) -> Option<usize> {
        self.findings.rank.map(|rank| self.model.names.v.len().saturating_sub(rank))
    }

    /// The values of the file that the start is made of.
    fn given(&self) -> Vec<(&String, f64)> {
        let Model { names, guess, .. } = &self.model;
        let positions = names.q.iter().zip(guess.q.iter().copied());
        positions.chain(names.v.iter().chain(&names.states).zip(guess.v.iter().copied())).collect()
    }

    fn switches(&self) -> Vec<String> {
        let system = &self.model.system;
        (0..system.description().switches.len()).map(|i| system.name(Named::Switch, i)).collect()
    }

    /// Names, the first of many.
    fn list(&self, names: &[String]) -> String {
        let shown: Vec<&str> = names.iter().take(self.most).map(String::as_str).collect();
        let more = if names.len() > shown.len() { ", …" } else { "" };
        format!("{}{more}", shown.join(", "))
    }

    /// How many are not shown.
    fn more(&self, shown: usize, all: usize) -> String {
        if shown < all { format!("  … and {} more, see --all\n", all - shown) } else { String::new() }
    }

    fn words(&self) -> String {
        let Known { model, formulas, .. } = self;
        let names = &model.names;
        let mut text = format!("{}\n", model.name);
        let mut line = |words: String| _ = writeln!(text, "{words}");
        line(format!("{}: {}", count(names.q.len(), "coordinate"), self.list(&names.q)));
        line(format!("{}: {}", count(names.v.len(), "velocity"), self.list(&names.v)));
        if !names.states.is_empty() {
            line(format!("{} of first order: {}", count(names.states.len(), "variable"), self.list(&names.states)));
        }
        match self.freedom() {
            Some(freedom) => line(count(freedom, "degree") + " of freedom at the start"),
            None => line("degrees of freedom: not known, as the constraints cannot be met".to_owned()),
        }
        text + &self.parameters() + &self.motion() + &self.constraints() + &self.rest() + &named(formulas)
    }

    fn parameters(&self) -> String {
        let mut text = String::new();
        let all = &self.model.parameters;
        if !all.is_empty() {
            text += "\nparameters, which are numbers in the formulas below\n";
        }
        for (name, value) in all.iter().take(self.most.max(100)) {
            _ = writeln!(text, "  {name} = {value}");
        }
        text += &self.more(all.len().min(self.most.max(100)), all.len());
        let definitions = &self.formulas.definitions;
        if !definitions.is_empty() {
            text += "\ndefinitions, as they are written\n";
        }
        for (name, formulas) in definitions {
            match &formulas[..] {
                [formula] => _ = writeln!(text, "  {name} = {formula}"),
                several => _ = writeln!(text, "  {name} = [{}]", several.join(", ")),
            }
        }
        text
    }

    fn motion(&self) -> String {
        let Known { model, formulas, .. } = self;
        let mut text = "\nequations of motion, masses by accelerations = forces with reactions\n".to_owned();
        for (name, row) in model.names.v.iter().zip(&formulas.rows) {
            _ = writeln!(text, "  {name}: {} = {}", row.left, row.right);
        }
        text += &self.more(formulas.rows.len(), model.names.v.len());
        if !formulas.states.is_empty() {
            text += "\nvariables of first order\n";
            for (name, rate) in &formulas.states {
                _ = writeln!(text, "  {name}' = {rate}");
            }
            let still = model.system.description().still;
            text += &self.more(formulas.states.len(), model.names.states.len() - still);
        }
        if !formulas.rates.is_empty() {
            text += "\nrates of the coordinates\n";
            for (name, rate) in model.names.q.iter().zip(&formulas.rates) {
                _ = writeln!(text, "  {name}: {rate}");
            }
            text += &self.more(formulas.rates.len(), model.names.q.len());
        }
        text
    }

    fn constraints(&self) -> String {
        let (names, formulas) = (&self.model.names, &self.formulas);
        let mut text = String::new();
        for (what, names, multipliers, constraints) in [
            ("holonomic", &names.holonomic, &names.lambda, &formulas.holonomic),
            ("nonholonomic", &names.nonholonomic, &names.psi, &formulas.nonholonomic),
        ] {
            if constraints.is_empty() {
                continue;
            }
            _ = writeln!(text, "\n{}, each with its rates", count(names.len(), &format!("{what} constraint")));
            for ((name, multiplier), constraint) in names.iter().zip(multipliers).zip(constraints) {
                let Constraint { formula, rate, acceleration } = constraint;
                _ = writeln!(text, "  {name}, with the multiplier {multiplier}");
                _ = writeln!(text, "    0 = {formula}");
                if let Some(rate) = rate {
                    _ = writeln!(text, "    0 = {rate}");
                }
                _ = writeln!(text, "    0 = {acceleration}");
            }
            text += &self.more(constraints.len(), names.len());
        }
        text
    }

    /// Switches, events, start and method.
    fn rest(&self) -> String {
        let Known { model, formulas, .. } = self;
        let mut text = String::new();
        let switches = self.switches();
        if !switches.is_empty() {
            _ = writeln!(text, "\n{}, at which steps end", count(switches.len(), "switch"));
            for name in switches.iter().take(self.most) {
                _ = writeln!(text, "  {name}");
            }
            text += &self.more(switches.len().min(self.most), switches.len());
        }
        if model.run.smooth {
            text += "\nkinks and jumps of formulas are left to the error of steps (`smooth`)\n";
        }
        if !model.events.is_empty() {
            text += "\nevents\n";
        }
        for (event, written) in model.events.iter().zip(&formulas.events) {
            _ = writeln!(text, "  {}: {}, then {}", event.name, when(event, written), action(event, written));
        }
        _ = writeln!(text, "\nstart at t = {}", model.run.t_start);
        let given = self.given();
        let all = given.len();
        for (name, value) in given.iter().take(self.most.saturating_mul(2)) {
            _ = writeln!(text, "  {name} = {value}");
        }
        text += &self.more(all.min(self.most.saturating_mul(2)), all);
        match &self.moved {
            Ok(moved) if moved.is_empty() => text += "  on the constraints as given\n",
            Ok(moved) => {
                let equilibrium = model.start.equilibrium;
                text += if equilibrium { "  moved to static equilibrium\n" } else { "  moved onto the constraints\n" };
                for (name, given, now) in moved.iter().take(self.most) {
                    _ = writeln!(text, "    {name}: {} becomes {}", digits(*given), digits(*now));
                }
                text += &self.more(moved.len().min(self.most), moved.len());
            }
            Err(why) => _ = writeln!(text, "  {why}"),
        }
        let run = &model.run;
        _ = writeln!(text, "\nrun to t = {} with {}, {}", run.t_end, run.method.name(), run.steps);
        text
    }

    fn json(&self) -> Value {
        let Known { model, formulas, findings, moved, .. } = self;
        let names = &model.names;
        let rows = names.v.iter().zip(&formulas.rows).map(|(name, row)| {
            let mass: Vec<Value> = row.mass.iter().map(|(j, text)| json!([names.v[*j], text])).collect();
            json!({
                "velocity": name, "left": row.left, "right": row.right,
                "mass": mass, "force": row.force, "reaction": row.reaction,
            })
        });
        let constraints = |names: &[String], multipliers: &[String], all: &[Constraint]| -> Vec<Value> {
            let named = names.iter().zip(multipliers).zip(all);
            named
                .map(|((name, multiplier), constraint)| {
                    json!({
                        "name": name, "multiplier": multiplier, "formula": constraint.formula,
                        "rate": constraint.rate, "acceleration": constraint.acceleration,
                    })
                })
                .collect()
        };
        let pairs = |all: &[(String, String)]| all.iter().map(|(name, text)| json!([name, text])).collect::<Vec<_>>();
        let events = model.events.iter().zip(&formulas.events).map(|(event, written)| {
            json!({ "name": event.name, "when": when(event, written), "action": action(event, written) })
        });
        json!({
            "model": model.name,
            "description": model.description,
            "coordinates": names.q,
            "velocities": names.v,
            "degrees_of_freedom": self.freedom(),
            "parameters": model.parameters.iter().map(|(name, value)| json!([name, value])).collect::<Vec<_>>(),
            "definitions": formulas.definitions,
            "named": pairs(&formulas.named),
            "equations": rows.collect::<Vec<_>>(),
            "states": pairs(&formulas.states),
            "rates": formulas.rates,
            "holonomic": constraints(&names.holonomic, &names.lambda, &formulas.holonomic),
            "nonholonomic": constraints(&names.nonholonomic, &names.psi, &formulas.nonholonomic),
            "counts": { "equations": names.v.len(), "holonomic": names.holonomic.len(), "nonholonomic": names.nonholonomic.len() },
            "switches": self.switches(),
            "events": events.collect::<Vec<_>>(),
            "start": {
                "t": model.run.t_start,
                "given": self.given().iter().map(|(name, value)| json!([name, value])).collect::<Vec<_>>(),
                "moved": moved.as_ref().ok().map(|moved| {
                    moved.iter().map(|(name, given, now)| json!({ "name": name, "given": given, "now": now })).collect::<Vec<_>>()
                }),
                "refused": moved.as_ref().err(),
            },
            "findings": findings.words.lines().collect::<Vec<_>>(),
            "run": { "t_end": model.run.t_end, "method": model.run.method.name(), "steps": model.run.steps.to_string() },
        })
    }
}

/// What the formulas have names for.
fn named(formulas: &Explanation) -> String {
    let mut text = String::new();
    if !formulas.named.is_empty() {
        text += "\nwhere\n";
    }
    for (name, formula) in &formulas.named {
        _ = writeln!(text, "  {name} = {formula}");
    }
    text
}

/// When an event happens.
fn when(event: &Event, written: &Happening) -> String {
    let limit = event.most.map_or(String::new(), |most| format!(", {most} times at most"));
    match &event.clock {
        Some(Clock::Listed(times)) => {
            let few: Vec<String> = times.iter().take(SHOWN).map(f64::to_string).collect();
            let more = if times.len() > few.len() { ", …" } else { "" };
            format!("at t = {}{more}{limit}", few.join(", "))
        }
        Some(Clock::Every { every, .. }) => format!("every {every}{limit}"),
        None => {
            let direction = format!("{:?}", event.direction).to_lowercase();
            format!("{} = 0 ({direction}){limit}", written.formula)
        }
    }
}

fn action(event: &Event, written: &Happening) -> String {
    match &event.action {
        Action::Stop => "the run stops".to_owned(),
        Action::Continue => "it goes on".to_owned(),
        Action::Bounce { restitution } => format!("it bounces with restitution {restitution}"),
        Action::Set(_) => {
            let sets: Vec<String> = written.sets.iter().map(|(name, formula)| format!("{name} = {formula}")).collect();
            sets.join(", ")
        }
    }
}
