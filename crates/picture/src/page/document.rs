//! What a page shows, as JSON: the contract with the viewer.

use serde::Serialize;

use super::section::Section;
use crate::scene::Scene;

/// Everything that a page says, but for the numbers in its blocks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Document {
    /// The version of this form: 1.
    pub format: u32,
    /// What stands above the page.
    pub title: String,
    /// Who made it, as `alembert 0.1.0`.
    pub program: String,
    /// What to think of the result.
    pub verdict: Verdict,
    /// Tables of numbers over time.
    pub tracks: Vec<Track>,
    /// What moves.
    pub scene: Option<Scene>,
    /// Where the channels of the scene are.
    pub motion: Option<MotionBlock>,
    /// What happened on the way.
    pub events: Vec<Event>,
    /// Everything else, in order.
    pub sections: Vec<Section>,
}

impl Document {
    /// A document without anything to show.
    pub fn new(title: &str, program: &str, verdict: Verdict) -> Self {
        Document {
            format: 1,
            title: title.to_owned(),
            program: program.to_owned(),
            verdict,
            tracks: Vec::new(),
            scene: None,
            motion: None,
            events: Vec::new(),
            sections: Vec::new(),
        }
    }
}

/// What to think of a result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// In one word.
    pub state: State,
    /// In one sentence.
    pub headline: String,
    /// Why.
    pub points: Vec<Point>,
}

/// A result in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// As it should be.
    Good,
    /// Something is to be doubted.
    Doubt,
    /// There is none.
    Failed,
    /// It ends before its time.
    Partial,
}

/// One thing that a verdict says.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Point {
    /// How much it weighs.
    pub level: Level,
    /// The words.
    pub text: String,
}

/// How much a point of a verdict weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// As it should be.
    Good,
    /// To be doubted.
    Doubt,
    /// Wrong.
    Bad,
    /// For information.
    Note,
}

/// A table of numbers over time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Track {
    /// Whose it is, where there are several runs.
    pub run: String,
    /// `rows` for results, `steps` for what belongs to steps.
    pub name: String,
    /// What it is called.
    pub title: String,
    /// The number of its rows.
    pub n: usize,
    /// The unit of its times.
    pub t_unit: String,
    /// Its columns.
    pub signals: Vec<Signal>,
    /// The block of its numbers.
    pub block: usize,
}

/// A column of a track.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Signal {
    /// Its name.
    pub name: String,
    /// What it is called, or empty.
    pub label: String,
    /// Its unit, or empty.
    pub unit: String,
    /// What it is drawn with: `coordinates`, `velocities`, `accelerations`, `reactions`, `multipliers`, `outputs`, `states`, `energy`,
    /// `residuals`, `steps`.
    pub group: String,
    /// What was subtracted from its numbers.
    pub offset: f64,
}

/// The channels of the scene: a table over the times of its frames.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MotionBlock {
    /// How many frames there are.
    pub n: usize,
    /// How many channels.
    pub channels: usize,
    /// The block of their numbers.
    pub block: usize,
    /// What was subtracted from each channel.
    pub offsets: Vec<f64>,
}

/// Something that happened at an instant.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Event {
    /// When.
    pub t: f64,
    /// What it is called.
    pub name: String,
    /// Of which kind it is.
    pub kind: EventKind,
}

/// The kind of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EventKind {
    /// An event of the model.
    Event,
    /// An impact.
    Impact,
    /// A function of time that passes a kink or a jump.
    Passage,
    /// A switch in a formula.
    Switch,
}
