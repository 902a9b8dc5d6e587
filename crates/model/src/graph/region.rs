//! Regions: where nodes are needed.
//!
//! What only one branch of an `if` uses is needed where its condition holds, and evaluated only there. A region is a chain of such
//! conditions; that of a node is what the chains of all its users have in common.
//!
//! ```text
//! if(c, a, b) in R      c is needed in R,  a in R and c,  b in R and not c
//! gate(c, x) in R       x is needed in R and c, if c is a condition
//! ```

use std::collections::HashMap;

use super::{Binary, Function, Graph, Node, Op};

/// A region; see [`Regions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Region(u32);

/// The conditions of a region: those of a larger one and one more.
#[derive(Clone, Copy, Debug)]
struct Chain {
    within: Region,
    condition: Node,
    holds: bool,
    depth: u32,
}

/// The regions of some nodes.
#[derive(Debug)]
pub(crate) struct Regions {
    /// By region, from the second on.
    chains: Vec<Chain>,
    known: HashMap<(Region, Node, bool), Region>,
    /// By place in the order of the nodes.
    of: Vec<Region>,
}

impl Regions {
    /// Where everything is needed.
    pub const EVERYWHERE: Region = Region(0);

    /// The regions of nodes in their order, when some of them, the roots, are needed everywhere.
    pub fn new(graph: &Graph, order: &[Node], roots: impl IntoIterator<Item = Node>) -> Regions {
        let mut regions = Regions { chains: Vec::new(), known: HashMap::new(), of: Vec::new() };
        let mut of: Vec<Option<Region>> = vec![None; order.len()];
        for root in roots {
            if let Ok(at) = order.binary_search(&root) {
                of[at] = Some(Regions::EVERYWHERE);
            }
        }
        for (i, &node) in order.iter().enumerate().rev() {
            let here = of[i].unwrap_or(Regions::EVERYWHERE);
            let mut need = |operand: Node, region: Region, regions: &Regions| {
                if let Ok(at) = order.binary_search(&operand) {
                    of[at] = Some(of[at].map_or(region, |other| regions.common(other, region)));
                }
            };
            match graph.op(node) {
                Op::Select(condition, then, other) => {
                    need(condition, here, &regions);
                    for (operand, holds) in [(then, true), (other, false)] {
                        let inside = regions.inside(graph, here, condition, holds);
                        need(operand, inside, &regions);
                    }
                }
                Op::Pair(Binary::Gate, condition, x) if graph.is_condition(condition) => {
                    need(condition, here, &regions);
                    let inside = regions.inside(graph, here, condition, true);
                    need(x, inside, &regions);
                }
                _ => graph.operands(node).for_each(|operand| need(operand, here, &regions)),
            }
        }
        regions.of = of.into_iter().map(|region| region.unwrap_or(Regions::EVERYWHERE)).collect();
        regions
    }

    /// The region of a node at a place of the order.
    pub fn at(&self, place: usize) -> Region {
        self.of[place]
    }

    /// The part of a region in which a condition holds, or does not.
    pub fn inside(&mut self, graph: &Graph, region: Region, condition: Node, holds: bool) -> Region {
        if let Op::Call(Function::Not, inner) = graph.op(condition) {
            return self.inside(graph, region, inner, !holds);
        }
        // A condition that holds already says nothing new.
        let mut outer = region;
        while let Some(chain) = self.chain(outer) {
            if (chain.condition, chain.holds) == (condition, holds) {
                return region;
            }
            outer = chain.within;
        }
        let depth = self.depth(region) + 1;
        let chains = &mut self.chains;
        *self.known.entry((region, condition, holds)).or_insert_with(|| {
            chains.push(Chain { within: region, condition, holds, depth });
            Region(chains.len() as u32)
        })
    }

    fn chain(&self, region: Region) -> Option<Chain> {
        (region.0 as usize).checked_sub(1).map(|at| self.chains[at])
    }

    fn depth(&self, region: Region) -> u32 {
        self.chain(region).map_or(0, |chain| chain.depth)
    }

    /// The last condition of a region, and what is left without it; none everywhere.
    pub fn last(&self, region: Region) -> Option<(Node, bool, Region)> {
        self.chain(region).map(|chain| (chain.condition, chain.holds, chain.within))
    }

    /// The smallest region that contains two.
    pub fn common(&self, mut a: Region, mut b: Region) -> Region {
        while a != b {
            let deeper = if self.depth(a) >= self.depth(b) { &mut a } else { &mut b };
            *deeper = self.chain(*deeper).map_or(Regions::EVERYWHERE, |chain| chain.within);
        }
        a
    }

    /// What a value of one region is in a larger one: zero where the smaller one is not.
    pub fn leave(&self, graph: &mut Graph, mut value: Node, from: Region, to: Region) -> Node {
        let mut region = from;
        while region != to
            && let Some(chain) = self.chain(region)
        {
            let condition = if chain.holds { chain.condition } else { graph.not(chain.condition) };
            value = graph.gate(condition, value);
            region = chain.within;
        }
        value
    }

    /// All regions but everywhere, each behind those around it.
    pub fn all(&self) -> impl DoubleEndedIterator<Item = Region> + use<> {
        (1..=self.chains.len() as u32).map(Region)
    }

    /// How many regions there are, beside everywhere.
    pub fn len(&self) -> usize {
        self.chains.len()
    }

    /// Takes nodes out of regions: `keep` says of each region, the larger ones first, whether it stays.
    pub fn retain(&mut self, mut keep: impl FnMut(Region) -> bool) {
        let mut to: Vec<Region> = (0..=self.chains.len() as u32).map(Region).collect();
        for i in 1..to.len() {
            if !keep(Region(i as u32)) {
                to[i] = to[self.chains[i - 1].within.0 as usize];
            }
        }
        for i in 0..self.chains.len() {
            self.chains[i].within = to[self.chains[i].within.0 as usize];
        }
        self.of.iter_mut().for_each(|region| *region = to[region.0 as usize]);
    }
}

impl Region {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Marks;

    #[test]
    fn what_both_branches_use_is_needed_everywhere() {
        let mut graph = Graph::default();
        let (x, y) = (graph.input(1), graph.input(2));
        let condition = graph.pair(Binary::Less, x, y);
        let (sine, cosine) = (graph.call(Function::Sin, x), graph.call(Function::Cos, x));
        let only = graph.mul(sine, y);
        let then = graph.add(only, cosine);
        let both = graph.select(condition, then, cosine);
        let order = graph.needed([both], &mut Marks::default());
        let regions = Regions::new(&graph, &order, [both]);
        let of = |node: Node| regions.at(order.binary_search(&node).expect("needed"));
        assert_eq!(of(sine), of(then));
        assert_eq!(regions.last(of(sine)), Some((condition, true, Regions::EVERYWHERE)));
        for everywhere in [x, y, cosine, condition, both] {
            assert_eq!(of(everywhere), Regions::EVERYWHERE);
        }
    }
}
