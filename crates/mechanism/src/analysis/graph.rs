//! The graph of bodies and joints: which joints stand on a common loop.
//!
//! A combination of reactions that is in equilibrium with itself lives within a block of the graph in which any two bodies are joined by two
//! ways. A joint that is a bridge is in no loop, and its rows need no further look.

/// Edges of a graph, each between some nodes; node 0 is the ground.
#[derive(Clone, Debug)]
pub struct Graph {
    nodes: usize,
    edges: Vec<Vec<usize>>,
}

/// Where a search is.
struct Frame {
    node: usize,
    /// The link by which it was entered.
    by: usize,
    next: usize,
}

impl Graph {
    /// Of so many nodes.
    pub fn new(nodes: usize, edges: Vec<Vec<usize>>) -> Self {
        Graph { nodes, edges }
    }

    /// Groups of edges on common loops; a bridge is alone in its group.
    pub fn blocks(&self) -> Vec<Vec<usize>> {
        // An element with three nodes is a star of two links, which stay together.
        let mut links: Vec<(usize, usize, usize)> = Vec::new();
        for (edge, nodes) in self.edges.iter().enumerate() {
            for other in nodes.iter().skip(1) {
                links.push((nodes[0], *other, edge));
            }
        }
        let mut around = vec![Vec::new(); self.nodes];
        for (at, (i, j, _)) in links.iter().enumerate() {
            around[*i].push(at);
            around[*j].push(at);
        }
        let mut union = Union::new(self.edges.len());
        let (mut depth, mut low) = (vec![usize::MAX; self.nodes], vec![usize::MAX; self.nodes]);
        let mut stack: Vec<usize> = Vec::new();
        let mut clock = 0;
        for root in 0..self.nodes {
            if depth[root] != usize::MAX {
                continue;
            }
            (depth[root], low[root]) = (clock, clock);
            clock += 1;
            let mut path = vec![Frame { node: root, by: usize::MAX, next: 0 }];
            while let Some(frame) = path.last_mut() {
                let node = frame.node;
                if let Some(&link) = around[node].get(frame.next) {
                    frame.next += 1;
                    if link == frame.by {
                        continue;
                    }
                    let (i, j, _) = links[link];
                    let other = if i == node { j } else { i };
                    if depth[other] == usize::MAX {
                        (depth[other], low[other]) = (clock, clock);
                        clock += 1;
                        stack.push(link);
                        path.push(Frame { node: other, by: link, next: 0 });
                    } else if depth[other] < depth[node] {
                        stack.push(link);
                        low[node] = low[node].min(depth[other]);
                    }
                    continue;
                }
                let by = frame.by;
                path.pop();
                let Some(parent) = path.last() else { break };
                let parent = parent.node;
                low[parent] = low[parent].min(low[node]);
                if low[node] >= depth[parent] {
                    // What was met since then is a block.
                    while let Some(link) = stack.pop() {
                        union.join(links[link].2, links[by].2);
                        if link == by {
                            break;
                        }
                    }
                }
            }
        }
        union.groups()
    }

    /// Edges of the shortest loop through an edge, in order; it alone where there is none.
    pub fn cycle(&self, edge: usize) -> Vec<usize> {
        let (Some(&from), Some(&to)) = (self.edges[edge].first(), self.edges[edge].get(1)) else { return vec![edge] };
        // The edge and the node by which each node was reached, from one end to the other.
        let mut reached: Vec<Option<(usize, usize)>> = vec![None; self.nodes];
        let mut front = vec![from];
        while !front.is_empty() && reached[to].is_none() {
            let mut next = Vec::new();
            for (at, nodes) in self.edges.iter().enumerate().filter(|(at, _)| *at != edge) {
                let Some(&met) = nodes.iter().find(|node| front.contains(node)) else { continue };
                for &other in nodes.iter().filter(|node| **node != from) {
                    if reached[other].is_none() && other != met {
                        reached[other] = Some((at, met));
                        next.push(other);
                    }
                }
            }
            front = next;
        }
        let mut found = vec![edge];
        let mut node = to;
        while let Some((at, before)) = reached[node] {
            found.push(at);
            node = before;
        }
        found.sort_unstable();
        found
    }

    /// Whether there is no loop at all.
    pub fn is_forest(&self) -> bool {
        self.blocks().iter().all(|block| block.len() == 1)
    }
}

/// Groups that are joined.
pub struct Union(Vec<usize>);

impl Union {
    /// Each alone.
    pub fn new(count: usize) -> Self {
        Union((0..count).collect())
    }

    /// The first of a group.
    pub fn root(&mut self, mut at: usize) -> usize {
        while self.0[at] != at {
            self.0[at] = self.0[self.0[at]];
            at = self.0[at];
        }
        at
    }

    /// Makes one group of two.
    pub fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b)] = a.min(b);
    }

    /// All groups, each in order, by their first members.
    pub fn groups(mut self) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = vec![Vec::new(); self.0.len()];
        for at in 0..self.0.len() {
            let root = self.root(at);
            groups[root].push(at);
        }
        groups.retain(|group| !group.is_empty());
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_are_found_and_bridges_are_alone() {
        // A four-bar 0-1-2-3-0, a pendulum on it, a chain on the ground, two bodies joined twice.
        let edges = vec![
            vec![0, 1],
            vec![1, 2],
            vec![2, 3],
            vec![3, 0],
            vec![2, 4],
            vec![0, 5],
            vec![5, 6],
            vec![5, 7],
            vec![7, 5],
        ];
        let graph = Graph::new(8, edges);
        assert_eq!(graph.blocks(), vec![vec![0, 1, 2, 3], vec![4], vec![5], vec![6], vec![7, 8]]);
        assert!(!graph.is_forest());
        assert!(Graph::new(4, vec![vec![0, 1], vec![1, 2], vec![1, 3]]).is_forest());
    }

    #[test]
    fn the_shortest_loop_through_an_edge_is_found() {
        let edges = vec![vec![0, 1], vec![1, 2], vec![2, 3], vec![3, 0], vec![2, 0], vec![3, 4]];
        let graph = Graph::new(5, edges);
        assert_eq!(graph.cycle(0), [0, 1, 4]);
        assert_eq!(graph.cycle(3), [2, 3, 4]);
        assert_eq!(graph.cycle(5), [5]);
    }

    #[test]
    fn two_loops_at_a_common_body_are_two_blocks() {
        let edges = vec![vec![0, 1], vec![1, 2], vec![2, 0], vec![2, 3], vec![3, 4], vec![4, 2]];
        assert_eq!(Graph::new(5, edges).blocks(), vec![vec![0, 1, 2], vec![3, 4, 5]]);
    }

    #[test]
    fn long_chains_do_not_overflow() {
        let edges = (0..100_000).map(|i| vec![i, i + 1]).collect();
        assert!(Graph::new(100_001, edges).is_forest());
    }
}
