//! How to integrate, where a file says otherwise: from a command line or another program to a [`Run`].

use alembert::catalogue::{self, Allowed, Entry, Parameters, Value as Setting};
use alembert_model::nearest::nearest;
use alembert_model::run::{MethodChoice, Run, Steps};
use serde_json::{Map, Value};

use crate::failure::{Failure, Kind};
use crate::simulate::check_length;

/// What is wanted; where nothing is, the file decides.
#[derive(Clone, Debug, Default)]
pub struct Wishes {
    /// Another method.
    pub method: Option<String>,
    /// Parameters of the method, by their names in files.
    pub parameters: Map<String, Value>,
    /// Steps that meet this tolerance.
    pub rtol: Option<f64>,
    /// An absolute tolerance beside it.
    pub atol: Option<f64>,
    /// Steps of this size.
    pub h: Option<f64>,
    /// Another end.
    pub t_end: Option<f64>,
    /// The distance of rows.
    pub output_every: Option<f64>,
    /// Times of rows.
    pub t_eval: Option<Vec<f64>>,
    /// The longest step.
    pub h_max: Option<f64>,
    /// The shortest step.
    pub h_min: Option<f64>,
    /// Times at which steps end.
    pub land_on: Option<Vec<f64>>,
    /// Times at which inputs jump.
    pub jumps_at: Option<Vec<f64>>,
    /// The most steps, rows and seconds.
    pub max_steps: Option<u64>,
    /// The most rows.
    pub max_rows: Option<u64>,
    /// The most seconds.
    pub max_seconds: Option<f64>,
    /// How parameters are written where they are asked for, for messages: `--` on a command line.
    pub prefix: &'static str,
}

/// Names of wishes that are no parameters of methods.
const NAMES: [&str; 14] = [
    "method",
    "rtol",
    "atol",
    "h",
    "t_end",
    "output_every",
    "t_eval",
    "h_max",
    "h_min",
    "land_on",
    "jumps_at",
    "max_steps",
    "max_rows",
    "max_seconds",
];

fn refused(name: &str, message: String) -> Failure {
    Failure::usage(message).with_parameter(name)
}

impl Wishes {
    /// Of an object with the keys of `[run]`.
    ///
    /// # Errors
    /// If a key is none, or holds what it must not.
    pub fn read(object: &Map<String, Value>) -> Result<Wishes, Failure> {
        let mut wishes = Wishes::default();
        let number = |name: &str, value: &Value| {
            value.as_f64().ok_or_else(|| refused(name, format!("{name} must be a number, not {value}")))
        };
        let count = |name: &str, value: &Value| {
            let whole = value.as_u64().filter(|count| *count > 0);
            whole.ok_or_else(|| refused(name, format!("{name} must be a positive whole number, not {value}")))
        };
        let times = |name: &str, value: &Value| {
            let list = value.as_array().and_then(|list| list.iter().map(Value::as_f64).collect::<Option<Vec<f64>>>());
            list.ok_or_else(|| refused(name, format!("{name} must be a list of numbers")))
        };
        for (name, value) in object.iter().filter(|(_, value)| !value.is_null()) {
            match name.as_str() {
                "method" => {
                    let word = value.as_str().ok_or_else(|| refused(name, format!("{name} must be a name")));
                    wishes.method = Some(word?.to_owned());
                }
                "rtol" => wishes.rtol = Some(number(name, value)?),
                "atol" => wishes.atol = Some(number(name, value)?),
                "h" => wishes.h = Some(number(name, value)?),
                "t_end" => wishes.t_end = Some(number(name, value)?),
                "output_every" => wishes.output_every = Some(number(name, value)?),
                "t_eval" => wishes.t_eval = Some(times(name, value)?),
                "h_max" => wishes.h_max = Some(number(name, value)?),
                "h_min" => wishes.h_min = Some(number(name, value)?),
                "land_on" => wishes.land_on = Some(times(name, value)?),
                "jumps_at" => wishes.jumps_at = Some(times(name, value)?),
                "max_steps" => wishes.max_steps = Some(count(name, value)?),
                "max_rows" => wishes.max_rows = Some(count(name, value)?),
                "max_seconds" => wishes.max_seconds = Some(number(name, value)?),
                _ => {
                    wishes.parameters.insert(name.clone(), value.clone());
                }
            }
        }
        Ok(wishes)
    }

    /// A number that must be positive, if it is there.
    fn positive(&self, name: &str, value: Option<f64>) -> Result<Option<f64>, Failure> {
        match value {
            Some(value) if !(value > 0.0 && value.is_finite()) => {
                Err(refused(name, format!("{}{name} must be a positive number, not {value}", self.prefix)))
            }
            value => Ok(value),
        }
    }

    /// What the file says, changed as is wished, if it does not come to more than a run may.
    ///
    /// # Errors
    /// If something is out of range, unknown, or too much.
    pub fn apply(&self, run: &Run) -> Result<Run, Failure> {
        let run = self.adjusted(run)?;
        check_length(&run)?;
        Ok(run)
    }

    /// What the file says, changed as is wished.
    ///
    /// # Errors
    /// If something is out of range or unknown.
    pub fn adjusted(&self, run: &Run) -> Result<Run, Failure> {
        let mut run = run.clone();
        let prefix = self.prefix;
        if let (Some(_), Some(_)) = (self.rtol, self.h) {
            let message = format!("both {prefix}rtol and {prefix}h are given");
            return Err(refused("h", message).with_hint("keep one of the two"));
        }
        if let Some(rtol) = self.positive("rtol", self.rtol)? {
            run.steps = Steps::ByError { rtol, atol: self.positive("atol", self.atol)? };
        } else if let Some(given) = self.positive("atol", self.atol)? {
            let Steps::ByError { atol, .. } = &mut run.steps else {
                let message =
                    format!("{prefix}atol is for steps that a tolerance chooses, and the steps are prescribed");
                return Err(refused("atol", message).with_hint(format!("give {prefix}rtol too")));
            };
            *atol = Some(given);
        }
        if let Some(h) = self.positive("h", self.h)? {
            run.steps = Steps::Fixed { h, pattern: vec![1.0] };
            (run.h_max, run.h_min) = (None, None);
        }
        let every = if prefix.is_empty() { "output_every" } else { "output-every" };
        if let Some(every) = self.positive(every, self.output_every)? {
            (run.output_every, run.t_eval) = (Some(every), Vec::new());
        }
        for (name, wish, kept) in [("h_max", self.h_max, &mut run.h_max), ("h_min", self.h_min, &mut run.h_min)] {
            let Some(value) = self.positive(name, wish)? else { continue };
            if let Steps::Fixed { .. } = run.steps {
                let message =
                    format!("{prefix}{name} is for steps that a tolerance chooses, and the steps are prescribed");
                return Err(refused(name, message).with_hint(format!("leave it out, or give {prefix}rtol")));
            }
            *kept = Some(value);
        }
        self.set_end(&mut run)?;
        self.set_times(&mut run)?;
        self.set_method(&mut run)?;
        let limits = &mut run.limits;
        limits.steps = self.max_steps.or(limits.steps);
        limits.rows = self.max_rows.or(limits.rows);
        limits.seconds = self.positive("max_seconds", self.max_seconds)?.or(limits.seconds);
        Ok(run)
    }

    fn set_end(&self, run: &mut Run) -> Result<(), Failure> {
        let end = if self.prefix.is_empty() { "t_end" } else { "--t-end" };
        if let Some(t_end) = self.t_end {
            if !t_end.is_finite() || t_end <= run.t_start {
                let message = format!("{end} {t_end} is not a time after the start at {}", run.t_start);
                return Err(refused("t_end", message));
            }
            run.t_end = t_end;
        }
        if run.t_end <= run.t_start {
            // The file's own times were checked; the start is that of another result.
            let message = format!("the run ends at t = {}, and starts at t = {}", run.t_end, run.t_start);
            return Err(refused("t_end", message).with_hint(format!("choose a later end with {end}")));
        }
        Ok(())
    }

    fn set_times(&self, run: &mut Run) -> Result<(), Failure> {
        if let Some(times) = &self.t_eval {
            let (from, to) = (run.t_start, run.t_end);
            if let Some(bad) = times.iter().find(|t| !(from..=to).contains(*t)) {
                let message = format!("t_eval has {bad}, which is not between the start at {from} and the end at {to}");
                return Err(refused("t_eval", message));
            }
            if let Some(pair) = times.windows(2).find(|pair| pair[0] >= pair[1]) {
                let message = format!("t_eval must increase, and has {} after {}", pair[1], pair[0]);
                return Err(refused("t_eval", message));
            }
            (run.t_eval, run.output_every) = (times.clone(), None);
        }
        for (wish, kept) in [(&self.land_on, &mut run.land_on), (&self.jumps_at, &mut run.jumps_at)] {
            if let Some(times) = wish {
                kept.clone_from(times);
            }
        }
        Ok(())
    }

    fn set_method(&self, run: &mut Run) -> Result<(), Failure> {
        let name = self.method.as_deref().unwrap_or(run.method.name());
        let Some(entry) = catalogue::find(name) else {
            let names = catalogue::names();
            let meant = nearest(name, names.iter().copied()).map(|near| format!("did you mean `{near}`? "));
            let hint = format!("{}the methods are {}", meant.unwrap_or_default(), names.join(", "));
            return Err(refused("method", format!("unknown method `{name}`")).with_hint(hint));
        };
        // Parameters of the file's own method do not fit another.
        let same = name == run.method.name();
        if same && self.parameters.is_empty() {
            return Ok(());
        }
        let mut parameters = if same { run.method.parameters().clone() } else { Parameters::default() };
        for (name, value) in &self.parameters {
            parameters = set(entry, parameters, name, value)?;
        }
        run.method =
            MethodChoice::new(name, &parameters).map_err(|bad| Failure { kind: Kind::Usage, ..Failure::of(&bad) })?;
        Ok(())
    }
}

/// Parameters with one more, from outside.
fn set(entry: &Entry, parameters: Parameters, name: &str, value: &Value) -> Result<Parameters, Failure> {
    let Some(known) = entry.parameter(name) else {
        let own = entry.parameters.iter().map(|parameter| parameter.name);
        let near = nearest(name, own.chain(NAMES)).map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
        let own: Vec<&str> = entry.parameters.iter().map(|parameter| parameter.name).collect();
        let hint = format!("{near}the parameters of {} are {}", entry.name, own.join(", "));
        return Err(refused(name, format!("unknown option `{name}`")).with_hint(hint));
    };
    let expected = |what: &str| refused(name, format!("`{name}` of {} must be {what}, not {value}", entry.name));
    let setting = match known.allowed {
        Allowed::Number => Setting::Number(value.as_f64().ok_or_else(|| expected("a number"))?),
        Allowed::WholeOrAuto if value.as_str() == Some("auto") => return Ok(parameters),
        Allowed::WholeOrAuto => {
            let whole = value.as_u64().filter(|whole| (1..100).contains(whole));
            Setting::Whole(whole.ok_or_else(|| expected("a whole number or \"auto\""))? as usize)
        }
        Allowed::Flag => Setting::Flag(value.as_bool().ok_or_else(|| expected("true or false"))?),
        Allowed::Choice(words) => {
            let word = words.iter().find(|word| value.as_str() == Some(**word));
            Setting::Word(word.ok_or_else(|| expected(&format!("one of {}", words.join(", "))))?)
        }
    };
    Ok(parameters.with(known.name, setting))
}

#[cfg(test)]
mod tests {
    use alembert_model::Model;
    use serde_json::json;

    use super::*;

    fn run() -> Run {
        let text = "format = 1\n[variables]\ncoordinates = [\"x\"]\n[equations]\nmass = [1]\nforce = [\"-x\"]\n[initial]\nx = 1\n\
                    [run]\nt_end = 2\noutput_every = 0.1\n";
        Model::parse("x.toml", text, &[]).expect("right").run
    }

    fn wished(value: Value) -> Result<Run, Failure> {
        Wishes::read(value.as_object().expect("an object"))?.apply(&run())
    }

    #[test]
    fn wishes_change_what_they_name_and_nothing_else() {
        let own = run();
        assert_eq!(wished(json!({})).expect("nothing"), own);
        let found = wished(
            json!({ "rtol": 1e-9, "t_end": 3, "stages": 7, "t_eval": [0.5, 1], "max_steps": 10, "h_max": null }),
        );
        let found = found.expect("good");
        assert_eq!(found.steps, Steps::ByError { rtol: 1e-9, atol: None });
        assert_eq!((found.t_end, found.output_every, found.t_eval.as_slice()), (3.0, None, &[0.5, 1.0][..]));
        assert_eq!((found.method.parameters().whole("stages"), found.limits.steps), (Some(7), Some(10)));
        let fixed = wished(json!({ "h": 0.01, "method": "soi2", "rho_infinity": 0.8 })).expect("good");
        assert_eq!(fixed.steps, Steps::Fixed { h: 0.01, pattern: vec![1.0] });
        assert_eq!((fixed.method.name(), fixed.method.parameters().number("rho_infinity")), ("soi2", Some(0.8)));
    }

    #[test]
    fn wishes_that_cannot_be_are_refused_by_name() {
        for (wish, name, words) in [
            (json!({ "rtol": -1 }), "rtol", "rtol must be a positive number, not -1"),
            (json!({ "rtol": "fine" }), "rtol", "rtol must be a number"),
            (json!({ "rtol": 1e-3, "h": 0.1 }), "h", "both rtol and h are given"),
            (json!({ "h": 0.1, "h_max": 0.1 }), "h_max", "the steps are prescribed"),
            (json!({ "t_end": -1 }), "t_end", "t_end -1 is not a time after the start at 0"),
            (json!({ "t_eval": [0.5, 0.5] }), "t_eval", "t_eval must increase"),
            (json!({ "t_eval": [7] }), "t_eval", "t_eval has 7"),
            (json!({ "method": "radav" }), "method", "unknown method `radav`"),
            (json!({ "stagse": 5 }), "stagse", "unknown option `stagse`"),
            (json!({ "stages": 2.5 }), "stages", "must be a whole number"),
            (json!({ "stages": 11 }), "stages", "stages"),
            (json!({ "method": "soi2", "stages": 5 }), "stages", "unknown option `stages`"),
            (json!({ "max_steps": 0 }), "max_steps", "positive whole number"),
            (json!({ "h": 1e-12 }), "h", "more than"),
        ] {
            let failure = wished(wish.clone()).expect_err("refused");
            assert_eq!(failure.parameter.as_deref(), Some(name), "{wish}: {failure}");
            assert!(failure.message.contains(words), "{wish}: {failure}");
        }
        let hint = wished(json!({ "stagse": 5 })).expect_err("refused").hint.expect("a hint");
        assert!(hint.contains("did you mean `stages`?"), "{hint}");
    }
}
