//! Rates in time: `der(x)`, and primes of definitions.
//!
//! ```text
//! der x = x_t + x_q q' + x_v v'      q' = v or U(t,q,v);  v' is an acceleration, which has no rate;  that of a state is its formula
//! ```

use std::collections::HashMap;

use super::value::Value;
use super::{Instance, Items, Scope, Symbol};
use crate::graph::{Derivatives, Node};
use crate::tape::Layout;
use crate::text::Span;

/// The rate of a coordinate where it is a formula.
#[derive(Debug)]
enum Rate {
    Waiting(Instance),
    Working,
    Done(Node),
    Failed,
}

/// What is known of rates.
#[derive(Debug, Default)]
pub(crate) struct Rates {
    layout: Layout,
    /// Formulas of the rates of coordinates; none where they are the velocities.
    general: Option<Vec<Rate>>,
    /// The rates of states, discrete variables and inputs.
    states: Vec<Rate>,
    derivatives: Derivatives,
    /// By node.
    known: HashMap<Node, Node>,
    /// Whether a rate has brought accelerations in.
    pub accelerated: bool,
}

impl Rates {
    fn list(&mut self, states: bool) -> Option<&mut Vec<Rate>> {
        if states { Some(&mut self.states) } else { self.general.as_mut() }
    }
}

impl Scope<'_> {
    /// Says where variables are, what the rates of coordinates are if they are not the velocities, and those of states: zero for what
    /// changes at jumps only.
    pub fn set_in_motion(
        &mut self,
        layout: Layout,
        general: Option<Vec<Instance>>,
        states: impl Iterator<Item = Option<Instance>>,
    ) {
        let general = general.map(|rows| rows.into_iter().map(Rate::Waiting).collect());
        let zero = self.graph.constant(0.0);
        let states = states.map(|rate| rate.map_or(Rate::Done(zero), Rate::Waiting)).collect();
        self.rates = Rates { layout, general, states, ..Rates::default() };
    }

    /// Where variables are.
    pub(super) fn layout(&self) -> Layout {
        self.rates.layout
    }

    /// The acceleration of a velocity.
    pub(super) fn acceleration(&self, velocity: usize) -> usize {
        velocity + self.rates.layout.v
    }

    /// Whether an acceleration came from a rate.
    pub fn has_rates_of_velocities(&self) -> bool {
        self.rates.accelerated
    }

    /// The rate of a value.
    pub(super) fn rate(&mut self, value: Value, span: Span) -> Option<Value> {
        Some(match value {
            Value::Number(node) => Value::Number(self.rate_of(node, span)?),
            Value::Triple(nodes) => {
                let [x, y, z] = nodes.map(|node| self.rate_of(node, span));
                Value::Triple([x?, y?, z?])
            }
            Value::Rotation(_) => {
                let hint = "its angular velocity is R.omega, in the axes of the body; R*R.omega has the axes of space"
                    .to_owned();
                self.mistakes.add(span, "the rate of a rotation is not a rotation".to_owned(), Some(hint));
                return None;
            }
            Value::Reaction(_) | Value::Part(_) => {
                let hint = "a rate is that of a coordinate: hinge.angle', crank.A.x'".to_owned();
                self.mistakes.add(span, format!("{} has no rate", value.kind()), Some(hint));
                return None;
            }
            Value::Condition(_) => {
                let hint = "a rate is that of a number or a triple".to_owned();
                self.mistakes.add(span, "a condition has no rate".to_owned(), Some(hint));
                return None;
            }
        })
    }

    /// The rate of a number.
    pub fn rate_of(&mut self, node: Node, span: Span) -> Option<Node> {
        if let Some(rate) = self.rates.known.get(&node) {
            return Some(*rate);
        }
        let mut by_input = HashMap::new();
        for input in self.graph.inputs(node, &mut self.marks) {
            by_input.insert(input, self.rate_of_input(input, span)?);
        }
        let mut derivatives = std::mem::take(&mut self.rates.derivatives);
        let rate = derivatives.along(&mut self.graph, &[node], |input| by_input.get(&input).copied()).pop();
        self.rates.derivatives = derivatives;
        self.rates.known.insert(node, rate?);
        rate
    }

    fn rate_of_input(&mut self, input: usize, span: Span) -> Option<Node> {
        let layout = self.rates.layout;
        if input == Layout::T {
            return Some(self.graph.constant(1.0));
        }
        if layout.q().contains(&input) {
            let at = input - layout.q().start;
            return match self.rates.general {
                Some(_) => self.formula_of(false, at, span),
                None => Some(self.graph.coordinate_rate(layout, input)),
            };
        }
        if layout.states().contains(&input) {
            return self.formula_of(true, input - layout.states().start, span);
        }
        if layout.v().contains(&input) {
            self.rates.accelerated = true;
            return Some(self.graph.input(layout.a().start + input - layout.v().start));
        }
        let name = self.input_name(input);
        let (message, hint) = match layout.a().contains(&input) {
            true => (format!("the rate of `{name}` is not known"), "accelerations have no rates"),
            false => (format!("the rate of `{name}` is not known"), "multipliers have no rates"),
        };
        self.mistakes.add(span, message, Some(hint.to_owned()));
        None
    }

    /// The rate of a coordinate that `velocities` gives a formula, or that of a state.
    fn formula_of(&mut self, state: bool, at: usize, span: Span) -> Option<Node> {
        let rate = self.rates.list(state)?.get_mut(at)?;
        let instance = match std::mem::replace(rate, Rate::Working) {
            Rate::Waiting(instance) => instance,
            Rate::Done(node) => {
                *rate = Rate::Done(node);
                return Some(node);
            }
            Rate::Failed => {
                *rate = Rate::Failed;
                return None;
            }
            Rate::Working => {
                let (what, place) = if state { ("state", "[states]") } else { ("coordinate", "`velocities`") };
                let hint = format!("leave `der` out of the formulas of {place}");
                self.mistakes.add(span, format!("the rate of a {what} depends on itself"), Some(hint));
                return None;
            }
        };
        // A formula of the file sees nothing of the function that it is asked from.
        self.frames.push(Vec::new());
        let node = self.instance(&instance);
        self.frames.pop();
        if let Some(rate) = self.rates.list(state).and_then(|rates| rates.get_mut(at)) {
            *rate = node.map_or(Rate::Failed, Rate::Done);
        }
        node
    }

    /// What an input is called.
    fn input_name(&self, input: usize) -> String {
        for (name, symbol) in &self.symbols {
            if let Symbol::Rotation(turns) = symbol
                && let Some(name) = self.part_name(name, turns, input)
            {
                return name;
            }
            let Symbol::Variable(levels) = symbol else { continue };
            for (primes, items) in levels.iter().enumerate() {
                let primes = "'".repeat(primes);
                match items {
                    Items::One(known) if *known == input => return format!("{name}{primes}"),
                    Items::Many(known) => {
                        if let Some((index, _)) = known.iter().find(|(_, known)| **known == input) {
                            return format!("{name}[{index}]{primes}");
                        }
                    }
                    Items::One(_) => {}
                }
            }
        }
        "t".to_owned()
    }
}
