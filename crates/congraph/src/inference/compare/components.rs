//! Edges above a threshold that hang together: connected components and their intensity Σ(size − threshold).

/// A component: its edges (numbers in a list) and its intensity.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Component {
    pub(super) edges: Vec<usize>,
    pub(super) intensity: f64,
}

/// The nodes' leaders, kept from one graph to the next: only nodes that were touched are reset.
pub(super) struct Leaders {
    leader: Vec<u32>,
    intensity: Vec<f64>,
}

impl Leaders {
    pub(super) fn new(n_nodes: usize) -> Self {
        Self {
            leader: (0..n_nodes as u32).collect(),
            intensity: vec![0.0; n_nodes],
        }
    }

    fn root(&mut self, node: u32) -> u32 {
        let mut at = node as usize;
        while self.leader[at] != at as u32 {
            self.leader[at] = self.leader[self.leader[at] as usize];
            at = self.leader[at] as usize;
        }
        at as u32
    }

    fn join(&mut self, pairs: &[[u32; 2]], above: &[(u32, f64)]) {
        for &(edge, _) in above {
            let [one, two] = pairs[edge as usize].map(|node| self.root(node));
            self.leader[one.max(two) as usize] = one.min(two);
        }
    }

    fn reset(&mut self, pairs: &[[u32; 2]], above: &[(u32, f64)]) {
        for node in above.iter().flat_map(|&(edge, _)| pairs[edge as usize]) {
            self.leader[node as usize] = node;
            self.intensity[node as usize] = 0.0;
        }
    }

    /// The largest intensity of edges with their excess over the threshold; 0 without any.
    pub(super) fn largest(&mut self, pairs: &[[u32; 2]], above: &[(u32, f64)]) -> f64 {
        self.join(pairs, above);
        let mut largest = 0.0_f64;
        for &(edge, excess) in above {
            let root = self.root(pairs[edge as usize][0]) as usize;
            self.intensity[root] += excess;
            largest = largest.max(self.intensity[root]);
        }
        self.reset(pairs, above);
        largest
    }

    /// All components, the most intense first; of equal ones that with the first edge.
    pub(super) fn all(&mut self, pairs: &[[u32; 2]], above: &[(u32, f64)]) -> Vec<Component> {
        self.join(pairs, above);
        let mut components: Vec<(u32, Component)> = Vec::new();
        for &(edge, excess) in above {
            let root = self.root(pairs[edge as usize][0]);
            let place = components
                .iter()
                .position(|(known, _)| *known == root)
                .unwrap_or_else(|| {
                    let edges = Vec::new();
                    components.push((root, Component { edges, intensity: 0.0 }));
                    components.len() - 1
                });
            components[place].1.edges.push(edge as usize);
            components[place].1.intensity += excess;
        }
        self.reset(pairs, above);
        components.sort_by(|(_, one), (_, two)| two.intensity.total_cmp(&one.intensity));
        components.into_iter().map(|(_, component)| component).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_connected_edges_and_leave_nothing_behind() {
        let pairs = [[0, 1], [1, 2], [3, 4], [5, 6], [4, 6]];
        let mut leaders = Leaders::new(7);
        for _ in 0..2 {
            let all = leaders.all(&pairs, &[(0, 0.5), (1, 0.25), (2, 2.0)]);
            let told: Vec<_> = all.iter().map(|one| (one.edges.clone(), one.intensity)).collect();
            assert_eq!(told, [(vec![2], 2.0), (vec![0, 1], 0.75)]);
            assert_eq!(leaders.largest(&pairs, &[(0, 0.5), (2, 1.0), (3, 1.0), (4, 1.0)]), 3.0);
            assert_eq!(leaders.largest(&pairs, &[]), 0.0);
        }
    }
}
