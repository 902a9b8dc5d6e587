//! What a mechanism is, as a mechanical engineer would write it down: counted, named, and with cures that were tried.

use std::fmt;

use alembert::ConstrainedSystem;

use super::blame::{Blamed, NOTHING, cures};
use super::block::{Block, DEPENDENT};
use super::mobility::NEARLY;
use super::nature::Nature;
use super::rates::Rates;
use crate::builder::JointId;
use crate::built::BuiltJoint;
use crate::mechanism::Mechanism;

/// So many names of a kind are told on a page.
const TOLD: usize = 8;
/// How directions that are turns begin.
const TURN: &str = "turn about ";

/// A mechanism, counted and named at its start.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnosis {
    /// Bodies.
    pub bodies: usize,
    /// Joints.
    pub joints: usize,
    /// Drivers.
    pub drivers: usize,
    /// Couplings: gears, racks, screws.
    pub couplings: usize,
    /// Velocities of all bodies, and of parameters of curves.
    pub coordinates: usize,
    /// Constraints of joints, couplings and drivers.
    pub constraints: usize,
    /// Independent motions at the start, to first order.
    pub freedoms: usize,
    /// Independent motions on the branch: less than at the start where that is a singular configuration, or a structure that shakes.
    pub mobility: usize,
    /// Coordinates that name the freedoms; none where the mechanism is too large to choose.
    pub named: Option<Vec<String>>,
    /// Whether the named coordinates hardly move here, as at a dead centre.
    pub poorly_named: bool,
    /// Bodies that spin about the line of their joints, which moves nothing else.
    pub idle: Vec<String>,
    /// Groups of joints that hold more than once.
    pub redundancies: Vec<Redundant>,
    /// Joints, drivers and couplings whose reactions are not unique.
    pub not_unique: Vec<String>,
    /// Groups of bodies that are welded and count as one, by name; where the ground is among them it comes first.
    pub welded: Vec<Vec<String>>,
    /// Whether the reaction of each joint is unique, in the order of the joints.
    unique: Vec<bool>,
    /// How independent the weakest constraint is, 1 at most, and the joints that nearly depend on each other, if it is nearly dependent.
    pub nearly_singular: Option<(f64, Vec<String>)>,
}

/// Joints on common loops with constraints that follow from others.
#[derive(Clone, Debug, PartialEq)]
pub struct Redundant {
    /// How many.
    pub count: usize,
    /// Where.
    pub nature: Nature,
    /// All joints, drivers and couplings that share in it, in order.
    pub joints: Vec<String>,
    /// Joints and directions that can be left out.
    pub blamed: Vec<Blamed>,
    /// Whether leaving them out was tried: the motions stay, and nothing is redundant any more.
    pub cured: bool,
    /// Whether these are loops of hinges about one direction and guides across it: a mechanism of the plane drawn in space.
    pub planar: bool,
}

impl Diagnosis {
    /// Coordinates less constraints, after Gruebler: what the freedoms were if no constraint followed from others.
    pub fn count(&self) -> i64 {
        self.coordinates as i64 - self.constraints as i64
    }

    /// Whether the reaction of a joint is unique. Where it is not, of all that do the same the smallest is reported.
    pub fn unique_reaction(&self, joint: JointId) -> bool {
        self.unique.get(joint.0).copied().unwrap_or(true)
    }

    /// The same for a page: one entry for each line, indented where it belongs to what is above.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![self.inventory()];
        lines.extend(self.welds());
        lines.push(self.counted());
        lines.extend(self.motions());
        for redundant in &self.redundancies {
            lines.extend(redundant.lines());
        }
        if !self.not_unique.is_empty() {
            lines.push(format!("reactions that are not unique: {}", quoted(&self.not_unique)));
        }
        if let Some((weakest, joints)) = &self.nearly_singular {
            let words = "the weakest constraint is independent by";
            lines.push(format!("nearly singular: {words} {weakest:.1e}, of {}", quoted(joints)));
        }
        lines
    }

    fn inventory(&self) -> String {
        let mut parts = vec![many(self.bodies, "body", "bodies"), many(self.joints, "joint", "joints")];
        if self.couplings > 0 {
            parts.push(many(self.couplings, "coupling", "couplings"));
        }
        if self.drivers > 0 {
            parts.push(many(self.drivers, "driver", "drivers"));
        }
        parts.join(", ")
    }

    fn welds(&self) -> impl Iterator<Item = String> {
        self.welded.iter().map(|group| {
            let names: Vec<String> = group.iter().map(|name| format!("`{name}`")).collect();
            match group.first().map(String::as_str) {
                Some("ground") => format!("    welded to the ground: {}", few(&names[1..])),
                _ => format!("    welded into one: {}", few(&names)),
            }
        })
    }

    fn counted(&self) -> String {
        let (n, m) = (self.coordinates, self.constraints);
        format!("by count (Gruebler): {n} coordinates - {m} constraints = {}", self.count())
    }

    fn motions(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let words = many(self.mobility, "degree of freedom", "degrees of freedom");
        let here = if self.mobility == self.freedoms {
            String::new()
        } else {
            format!(", and {} here to first order", self.freedoms)
        };
        let rigid = match (self.mobility, self.drivers) {
            (0, 0) => ": nothing moves",
            (0, _) => ": drivers determine every motion",
            _ => "",
        };
        lines.push(format!("{words}{here}{rigid}"));
        match &self.named {
            Some(named) if !named.is_empty() => {
                lines.push(format!("    named by {}", few(named)));
                if self.poorly_named {
                    lines.push("    a poor choice here: near a dead centre these coordinates hardly move".to_owned());
                }
            }
            Some(_) => {}
            None => lines.push("    too many to be named".to_owned()),
        }
        match self.idle.as_slice() {
            [] => {}
            [body] => lines.push(format!("    idle: `{body}` spins freely about the line of its joints")),
            bodies => {
                let bodies: Vec<String> = bodies.iter().map(|body| format!("`{body}`")).collect();
                lines.push(format!("    idle: {} spin freely about the lines of their joints", few(&bodies)));
            }
        }
        lines
    }
}

impl Redundant {
    fn lines(&self) -> Vec<String> {
        let nature = match self.nature {
            Nature::Everywhere => "everywhere",
            Nature::OnlyHere => "only here: a singular configuration, where branches of motion meet",
            Nature::Shaky => "here: a structure that shakes, which moves to first order only",
        };
        let mut lines = vec![format!("{} {nature}", many(self.count, "redundant constraint", "redundant constraints"))];
        if self.planar {
            let loops = if self.count > 3 { "planar loops" } else { "a planar loop" };
            lines.push(format!("    {loops} in space: {}", quoted(&self.joints)));
        }
        for blamed in &self.blamed {
            let (joint, directions) = (&blamed.joint, directions(&blamed.directions));
            lines.push(format!("    `{joint}` ({directions}) follows from {}", quoted(&blamed.follows_from)));
        }
        if self.cured && self.nature == Nature::Everywhere {
            let cures = self.blamed.iter().map(|blamed| match blamed.instead {
                Some(kind) => format!("`{}` as {kind}", blamed.joint),
                None => format!("`{}` without {}", blamed.joint, directions(&blamed.directions)),
            });
            let plane = if self.planar { ", or all of it in the plane" } else { "" };
            lines.push(format!("    cure: {}{plane}", cures.collect::<Vec<_>>().join(", ")));
        }
        lines
    }
}

/// `along z, turns about x and y`.
pub(crate) fn directions(all: &[&str]) -> String {
    let (turns, others): (Vec<&str>, Vec<&str>) = all.iter().partition(|word| word.starts_with(TURN));
    let mut words: Vec<String> = others.iter().map(|word| (*word).to_owned()).collect();
    match turns.as_slice() {
        [] => {}
        [turn] => words.push((*turn).to_owned()),
        several => {
            let axes: Vec<&str> = several.iter().map(|word| &word[TURN.len()..]).collect();
            words.push(format!("turns about {}", axes.join(" and ")));
        }
    }
    words.join(", ")
}

/// Names in a row.
pub(crate) fn quoted(names: &[impl AsRef<str>]) -> String {
    names.iter().map(|name| format!("`{}`", name.as_ref())).collect::<Vec<_>>().join(", ")
}

/// The first of some names, and how many more there are. A single one more is told: the words for it are as long.
fn few(names: &[String]) -> String {
    if names.len() <= TOLD + 1 {
        return names.join(", ");
    }
    format!("{} and {} more", names[..TOLD].join(", "), names.len() - TOLD)
}

fn many(count: usize, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lines().join("\n"))
    }
}

impl Mechanism {
    /// Counts and names what the mechanism can do, and what it holds more than once, at the start, which must be [closed](Self::close).
    ///
    /// ```
    /// use alembert_mechanism::{Body, GROUND, Mechanism};
    /// use alembert_mechanism::joint::Revolute;
    ///
    /// fn main() -> Result<(), Box<dyn std::error::Error>> {
    ///     let mut builder = Mechanism::builder();
    ///     let door = builder.body("door", Body::new(20.0, [5.0, 2.0, 7.0]).at([0.5, 0.0, 1.0]));
    ///     builder.joint("upper", Revolute, GROUND.at([0.0, 0.0, 1.8]), door.at([-0.5, 0.0, 0.8]));
    ///     let lower = builder.joint("lower", Revolute, GROUND.at([0.0, 0.0, 0.2]), door.at([-0.5, 0.0, -0.8]));
    ///     let mut mechanism = builder.build()?;
    ///     mechanism.close()?.absorbed.iter().for_each(|absorbed| println!("{absorbed}"));
    ///     let diagnosis = mechanism.diagnose();
    ///     assert_eq!((diagnosis.count(), diagnosis.mobility), (-4, 1));
    ///     assert!(!diagnosis.unique_reaction(lower));
    ///     println!("{diagnosis}");
    ///     Ok(())
    /// }
    /// ```
    pub fn diagnose(&self) -> Diagnosis {
        let weights = self.weights();
        let q = &self.guess().q;
        let blocks = self.decide(q, &weights, DEPENDENT);
        let poses = Rates::new(self, q).poses;
        let names = self.named();
        let freedoms = self.count_freedoms(&blocks);
        let (mut redundancies, mut shared, mut lost) = (Vec::new(), Vec::new(), 0);
        for block in blocks.iter().filter(|block| block.null.rows() > 0) {
            let decision = self.nature(block, &weights);
            lost += decision.lost;
            let shares = self.blame(block);
            let sharing = self.sharing(block);
            redundancies.push(Redundant {
                count: block.null.rows(),
                nature: decision.nature,
                joints: sharing.iter().map(|at| names[*at].to_owned()).collect(),
                blamed: self.blamed(block, &shares),
                cured: cures(block, &shares),
                planar: self.is_planar_loop(block, &poses),
            });
            shared.extend(sharing);
        }
        let named = self.named_freedoms();
        let (dims, rows) = (self.assembly.dims(), self.count_rows());
        let counters = dims.constraints() - rows;
        // What is welded counts as bodies and joints that it was drawn with.
        let merged = self.welded.merged() * if self.welded.planar { 3 } else { 6 };
        let welds = self.shared_welds(&blocks);
        let unique = |(at, joint): (usize, &BuiltJoint)| !(welds[at] || shared.contains(&joint.constraint));
        let unique: Vec<bool> = self.joints.iter().enumerate().map(unique).collect();
        let welds: Vec<usize> =
            self.joints.iter().zip(&welds).filter(|(_, shared)| **shared).map(|(joint, _)| joint.constraint).collect();
        if !welds.is_empty() {
            shared.extend(welds);
            shared.sort_unstable();
        }
        Diagnosis {
            bodies: self.bodies().count(),
            joints: self.joints.len(),
            drivers: self.drivers.len(),
            couplings: self.couplings.len(),
            coordinates: dims.v - counters + merged,
            constraints: rows + merged,
            freedoms,
            mobility: freedoms.saturating_sub(lost),
            poorly_named: named.as_ref().is_some_and(|named| named.poor),
            idle: named.as_ref().map(|named| named.idle.clone()).unwrap_or_default(),
            named: named.map(|named| named.coordinates),
            redundancies,
            unique,
            welded: self.welded(),
            not_unique: shared.iter().map(|at| names[*at].to_owned()).collect(),
            nearly_singular: self.nearly_singular(&blocks, &weights),
        }
    }

    /// The weakest constraint that counts as independent, if it is nearly dependent, and the joints of that combination.
    fn nearly_singular(&self, blocks: &[Block], weights: &[f64]) -> Option<(f64, Vec<String>)> {
        let weakest = blocks.iter().map(|block| block.qr.kept).fold(1.0, f64::min);
        if weakest >= NEARLY {
            return None;
        }
        let mut joints: Vec<String> = Vec::new();
        for block in self.decide(&self.guess().q, weights, NEARLY) {
            let before = blocks.iter().find(|other| other.columns == block.columns);
            if before.is_some_and(|before| before.null.rows() == block.null.rows()) {
                continue;
            }
            for at in 0..block.null.rows() {
                let largest = block.null.row(at).iter().fold(0.0_f64, |max, x| max.max(x.abs()));
                for (row, share) in block.rows.iter().zip(block.null.row(at)) {
                    let name = &self.named()[row.constraint];
                    if share.abs() > NOTHING.sqrt() * largest && !joints.iter().any(|other| other == name) {
                        joints.push(name.to_owned());
                    }
                }
            }
        }
        Some((weakest, joints))
    }
}
