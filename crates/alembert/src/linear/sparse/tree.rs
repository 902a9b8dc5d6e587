//! Which unknowns are eliminated together.
//!
//! Eliminating an unknown couples those it is coupled with. Its parent in the *elimination tree* is the next of them to
//! go; what an unknown contributes travels up the tree and nowhere else. Consecutive unknowns with the same couplings
//! form a *front*, eliminated as one small dense matrix. Fronts are merged into their parents further, although the
//! merged matrix has some zeros, where the dense work costs less than the bookkeeping of one more front.

use super::order::Lists;

/// Work of handling a front at all, in multiplications.
const FRONT: f64 = 80.0;
/// Work of passing one number of an update matrix on to the parent, in multiplications.
const PASS: f64 = 3.0;

const NONE: u32 = u32::MAX;

/// Fronts with contiguous unknowns, children before parents and every subtree contiguous.
pub(super) struct Tree {
    /// Unknown eliminated `k`-th, in terms of the order asked for.
    pub sequence: Vec<u32>,
    /// Number of unknowns of each front.
    pub widths: Vec<u32>,
    /// Parent of each front; itself for a root.
    pub parents: Vec<u32>,
}

impl Tree {
    /// From the couplings of each unknown with earlier ones.
    pub fn new(earlier: &Lists, size: usize) -> Self {
        let parent = elimination_tree(earlier, size);
        let post = postorder(&parent);
        let mut label = vec![0; size];
        for (k, &node) in post.iter().enumerate() {
            label[node as usize] = k as u32;
        }
        let later = couplings(earlier, &parent);
        merge(&post, |k| {
            let node = post[k] as usize;
            let up = parent[node];
            (if up == NONE { NONE } else { label[up as usize] }, later[node])
        })
    }
}

/// Parents by Liu's algorithm: the paths already walked are shortened.
fn elimination_tree(earlier: &Lists, size: usize) -> Vec<u32> {
    let mut parent = vec![NONE; size];
    let mut ancestor = vec![NONE; size];
    for i in 0..size {
        for &k in earlier.list(i) {
            let mut k = k;
            while k != NONE && k != i as u32 {
                let next = std::mem::replace(&mut ancestor[k as usize], i as u32);
                if next == NONE {
                    parent[k as usize] = i as u32;
                }
                k = next;
            }
        }
    }
    parent
}

/// Nodes with all descendants directly before them.
fn postorder(parent: &[u32]) -> Vec<u32> {
    let (mut first, mut next) = (vec![NONE; parent.len()], vec![NONE; parent.len()]);
    let mut roots = Vec::new();
    for k in (0..parent.len()).rev() {
        match parent[k] {
            NONE => roots.push(k as u32),
            up => next[k] = std::mem::replace(&mut first[up as usize], k as u32),
        }
    }
    let mut post = Vec::with_capacity(parent.len());
    // Roots are popped from the first on; a node is put down when its last child is done.
    while let Some(root) = roots.pop() {
        let mut path = vec![root];
        while let Some(&node) = path.last() {
            match std::mem::replace(&mut first[node as usize], NONE) {
                NONE => {
                    post.push(node);
                    path.pop();
                }
                child => {
                    first[node as usize] = next[child as usize];
                    path.push(child);
                }
            }
        }
    }
    post
}

/// With how many later unknowns each is coupled when its turn comes: row by row, the coupled ones are a part of the tree.
fn couplings(earlier: &Lists, parent: &[u32]) -> Vec<u32> {
    let mut count = vec![0; parent.len()];
    let mut mark = vec![NONE; parent.len()];
    for i in 0..parent.len() {
        mark[i] = i as u32;
        for &k in earlier.list(i) {
            let mut k = k as usize;
            while mark[k] != i as u32 {
                mark[k] = i as u32;
                count[k] += 1;
                k = parent[k] as usize;
            }
        }
    }
    count
}

/// Multiplications of a front of `w` unknowns coupled with `r` later ones.
pub(super) fn operations(w: f64, r: f64) -> f64 {
    w * w * w + w * w * r + 0.5 * w * r * r
}

fn cost(w: f64, r: f64) -> f64 {
    FRONT + PASS * 0.5 * r * r + operations(w, r)
}

/// Fronts from the parent and the number of couplings of each unknown, in a postorder.
fn merge(post: &[u32], node: impl Fn(usize) -> (u32, u32)) -> Tree {
    let size = post.len();
    let (mut front_of, mut lasts): (Vec<u32>, Vec<usize>) = (Vec::with_capacity(size), Vec::new());
    for k in 0..size {
        // The same couplings as the one before, apart from itself.
        let continues = k > 0 && node(k - 1) == (k as u32, node(k).1 + 1);
        if continues {
            lasts[front_of[k - 1] as usize] = k;
        } else {
            lasts.push(k);
        }
        front_of.push(lasts.len() as u32 - 1);
    }
    let count = lasts.len();
    let mut width = vec![0.0; count];
    front_of.iter().for_each(|&s| width[s as usize] += 1.0);
    let later: Vec<f64> = lasts.iter().map(|&last| f64::from(node(last).1)).collect();
    let up: Vec<u32> = lasts.iter().map(|&last| node(last).0).collect();
    let parent = |s: usize| if up[s] == NONE { NONE } else { front_of[up[s] as usize] };

    // Children come before their parents: when a front asks, its own width is final.
    let mut merged: Vec<u32> = (0..count as u32).collect();
    for s in 0..count {
        let p = parent(s);
        if p == NONE {
            continue;
        }
        let p = p as usize;
        let together = width[s] + width[p];
        if cost(together, later[p]) <= cost(width[s], later[s]) + cost(width[p], later[p]) {
            merged[s] = p as u32;
            width[p] = together;
        }
    }
    let mut root = merged;
    for s in (0..count).rev() {
        root[s] = root[root[s] as usize];
    }
    // A front keeps the place of its last part, so that subtrees stay contiguous.
    let mut place = vec![NONE; count];
    let mut kept = 0;
    for s in 0..count {
        if root[s] == s as u32 {
            place[s] = kept;
            kept += 1;
        }
    }
    let target = |k: usize| place[root[front_of[k] as usize] as usize] as usize;
    let members = Lists::gather(kept as usize, |put| (0..size).for_each(|k| put(target(k), k)));
    let mut tree = Tree { sequence: Vec::with_capacity(size), widths: Vec::new(), parents: Vec::new() };
    for s in (0..count).filter(|&s| root[s] == s as u32) {
        let members = members.list(place[s] as usize);
        tree.sequence.extend(members.iter().map(|&k| post[k as usize]));
        tree.widths.push(members.len() as u32);
        tree.parents.push(if parent(s) == NONE { place[s] } else { place[root[parent(s) as usize] as usize] });
    }
    tree
}
