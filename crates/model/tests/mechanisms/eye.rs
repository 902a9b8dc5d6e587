//! Looks at the scene of a model in a state: where items are in the world.

use alembert::State;
use alembert_model::Model;
use alembert_model::view::Workspace;
use alembert_picture::scene::{Figure, Item, Place, Quantity, Turn};

/// A scene with the values of its channels.
pub struct Eye<'m> {
    pub model: &'m Model,
    pub channels: Vec<f64>,
}

impl<'m> Eye<'m> {
    pub fn new(model: &'m Model, state: &State) -> Eye<'m> {
        let view = model.view.as_ref().expect("a view");
        let mut channels = vec![f64::NAN; view.channels()];
        view.channels_into(state, &mut Workspace::default(), &mut channels);
        Eye { model, channels }
    }

    /// A model in the state that its file gives, without accelerations.
    pub fn at_start(model: &'m Model) -> Eye<'m> {
        let guess = model.guess.clone();
        let a = vec![0.0; guess.v.len()];
        let state = State { t: guess.t, q: guess.q, v: guess.v, a, lambda: guess.lambda, psi: guess.psi };
        Eye::new(model, &state)
    }

    pub fn items(&self, name: &str) -> Vec<&'m Item> {
        let scene = self.model.view.as_ref().expect("a view").scene();
        scene.items.iter().filter(|item| item.name == name).collect()
    }

    /// The only item of a name that a look finds something in.
    pub fn one<T>(&self, name: &str, look: impl Fn(&'m Figure) -> Option<T>) -> T {
        let mut found = self.items(name).into_iter().filter_map(|item| look(&item.figure));
        let first = found.next().unwrap_or_else(|| panic!("no {name}: {:?}", self.items(name)));
        assert!(found.next().is_none(), "several {name}");
        first
    }

    pub fn number(&self, quantity: &Quantity) -> f64 {
        quantity.at(&self.channels)
    }

    pub fn vector(&self, quantities: &[Quantity; 3]) -> [f64; 3] {
        [0, 1, 2].map(|i| self.number(&quantities[i]))
    }

    /// o + R p.
    pub fn world(&self, place: &Place) -> [f64; 3] {
        let frame = &self.model.view.as_ref().expect("a view").scene().frames[place.frame];
        let (o, p) = (self.vector(&frame.origin), self.vector(&place.at));
        let r = match &frame.turn {
            Turn::None => p,
            Turn::Angle(angle) => {
                let (s, c) = self.number(angle).sin_cos();
                [c * p[0] - s * p[1], s * p[0] + c * p[1], p[2]]
            }
            Turn::Quaternion(e) => {
                let [w, x, y, z] = [0, 1, 2, 3].map(|i| self.number(&e[i]));
                let cross = |a: [f64; 3], b: [f64; 3]| {
                    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
                };
                let (u, once) = ([x, y, z], cross([x, y, z], p));
                let twice = cross(u, once);
                [0, 1, 2].map(|i| p[i] + 2.0 * (w * once[i] + twice[i]))
            }
        };
        [0, 1, 2].map(|i| o[i] + r[i])
    }

    /// Both ends of a cylinder or capsule.
    pub fn ends(&self, name: &str) -> [[f64; 3]; 2] {
        self.one(name, |figure| match figure {
            Figure::Cylinder { from, to, .. } => Some([self.world(from), self.world(to)]),
            _ => None,
        })
    }

    /// Where an arrow begins, and its components.
    pub fn arrow(&self, name: &str) -> [[f64; 3]; 2] {
        self.one(name, |figure| match figure {
            Figure::Arrow { at, vector, .. } => Some([self.world(at), self.vector(vector)]),
            _ => None,
        })
    }

    pub fn residual(&self, name: &str) -> f64 {
        self.one(name, |figure| match figure {
            Figure::Joint { residual: Some(residual), .. } => Some(self.number(residual)),
            _ => None,
        })
    }

    /// The points of a line.
    pub fn line(&self, name: &str) -> Vec<[f64; 3]> {
        self.one(name, |figure| match figure {
            Figure::Line { points, .. } => Some(points.iter().map(|place| self.world(place)).collect()),
            _ => None,
        })
    }

    /// The point that leaves a trace.
    pub fn trace(&self, name: &str) -> [f64; 3] {
        self.one(name, |figure| match figure {
            Figure::Trace { at } => Some(self.world(at)),
            _ => None,
        })
    }
}

/// Two points are one.
pub fn near(what: &str, a: [f64; 3], b: [f64; 3], tolerance: f64) {
    let off = (0..3).map(|i| (a[i] - b[i]).abs()).fold(0.0_f64, |max, x| if x.is_nan() { x } else { max.max(x) });
    assert!(off <= tolerance, "{what}: {a:?} and {b:?}");
}
