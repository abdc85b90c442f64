//! How sure edges are, as `congraph stability` found it: which come back, and whose nodes depend directly on each other.

use congraph::is_edge;
use serde::{Deserialize, Serialize};

use crate::record::{BoundRecord, Named, StabilityRecord};

/// The probability of coming back from on which an edge is said to come back.
pub const COMES_BACK: f64 = 0.9;

/// What is known of each edge, if it was asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KnownStability {
    /// What was halved and how, as `stability.json` tells it.
    pub record: StabilityRecord,
    /// The columns that `edges.tsv` has of it, by their names; one cell per pair of the graph.
    pub edges: Named<Vec<Option<f64>>>,
}

impl KnownStability {
    /// What a column says of an edge.
    pub fn of(&self, column: &str, edge: usize) -> Option<f64> {
        *self.edges.get(column)?.get(edge)?
    }

    /// Whether there is such a column.
    pub fn has(&self, column: &str) -> bool {
        self.edges.get(column).is_some()
    }

    /// The level of direct dependence, if that could be told.
    pub fn level(&self) -> Option<f64> {
        self.record
            .direct
            .map(|direct| direct.level)
            .filter(|_| self.has("q_direct"))
    }

    /// Whether the nodes of an edge depend directly on each other; none where that could not be asked.
    pub fn is_supported(&self, edge: usize) -> Option<bool> {
        Some(self.of("q_direct", edge)? <= self.level()?)
    }

    /// The probability that an edge comes back, or where that is not calibrated how frequent it is; with the column's
    /// name.
    pub fn comes_back(&self) -> Option<&'static str> {
        ["replicates", "frequency"].into_iter().find(|column| self.has(column))
    }

    /// The bound on chance picks at a threshold on the frequency.
    pub fn bound(&self, threshold: f64) -> Option<BoundRecord> {
        let rows = &self.record.bounds.as_ref()?.thresholds;
        rows.iter()
            .find(|row| (row.threshold - threshold).abs() < 1e-9)
            .copied()
    }

    /// How many of the shared edges are supported, if that could be told.
    pub fn support(&self, shared: &[f64]) -> Option<Support> {
        let q = self.edges.get("q_direct")?;
        Some(Support::of(shared, q.iter().copied(), self.level()?))
    }
}

/// How many edges are supported: their nodes depend directly on each other.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Support {
    /// The level of `q_direct`.
    pub level: f64,
    /// How many edges it is.
    pub n_supported: usize,
    /// How many could be asked: not negative ones, nor those at nodes that some views lack.
    pub n_asked: usize,
    /// How many are negative.
    pub n_negative: usize,
    /// How many there are.
    pub n_edges: usize,
}

impl Support {
    /// Of shared weights and one `q_direct` for each of them; none where it was not asked.
    pub fn of(shared: &[f64], q: impl IntoIterator<Item = Option<f64>>, level: f64) -> Self {
        let present = || shared.iter().filter(|&&weight| is_edge(weight));
        let asked = shared.iter().zip(q).filter(|(weight, _)| is_edge(**weight));
        let asked: Vec<f64> = asked.filter_map(|(_, q)| q.filter(|q| !q.is_nan())).collect();
        Self {
            level,
            n_supported: asked.iter().filter(|q| **q <= level).count(),
            n_asked: asked.len(),
            n_negative: present().filter(|weight| **weight < 0.0).count(),
            n_edges: present().count(),
        }
    }

    /// In words: `12 of 73 edges are supported (q_direct ≤ 0.05)`.
    pub fn words(&self) -> String {
        let of = if self.n_asked == self.n_edges { "" } else { "the " };
        let kind = if self.n_negative == 0 { "" } else { "positive " };
        let whose = if self.n_asked + self.n_negative == self.n_edges {
            ""
        } else {
            " between nodes of all views"
        };
        let untested = match self.n_negative {
            0 => String::new(),
            1 => "; the negative edge is not tested".into(),
            n => format!("; the {n} negative edges are not tested"),
        };
        format!(
            "{} of {of}{} {kind}edge{}{whose} {} supported (q_direct ≤ {}{untested})",
            self.n_supported,
            self.n_asked,
            if self.n_asked == 1 { "" } else { "s" },
            if self.n_supported == 1 { "is" } else { "are" },
            self.level
        )
    }
}

impl Support {
    /// What is added to these words where nothing in the data goes beyond chance (W13), and yet some edges are supported.
    pub fn of_noise(&self) -> String {
        if self.n_supported == 0 {
            return String::new();
        }
        let share = format!("{:.2}", 100.0 * self.level);
        let share = share.trim_end_matches('0').trim_end_matches('.');
        format!(", as some are in about {share} % of data sets of pure noise")
    }
}

/// What is said where it was not asked how sure edges are, and could be; `ask` is how.
pub fn not_asked(ask: &str) -> String {
    format!("how sure each edge is has not been asked: {ask}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_that_are_supported_are_counted_among_those_that_are_there() {
        let q = [Some(0.01), Some(0.5), Some(0.001), None];
        let none = Support::of(&[1.0, 2.0, 0.0, 0.0], q, 1e-9);
        assert_eq!(none.words(), "0 of 2 edges are supported (q_direct ≤ 0.000000001)");
        assert_eq!(none.of_noise(), "");
        let one = Support::of(&[1.0, 2.0, 0.0, -3.0], q, 0.05);
        let told = "1 of the 2 positive edges is supported (q_direct ≤ 0.05; the negative edge is not tested)";
        let noise = Support {
            n_supported: 1,
            level: 0.05,
            ..none
        };
        assert_eq!(
            noise.of_noise(),
            ", as some are in about 5 % of data sets of pure noise"
        );
        assert_eq!(one.words(), told);
    }

    #[test]
    fn edges_at_nodes_that_some_views_lack_are_not_called_negative() {
        let q = [Some(0.01), Some(0.5), None, None];
        let masked = Support::of(&[1.0, 2.0, 3.0, 0.0], q, 0.05);
        let told = "1 of the 2 edges between nodes of all views is supported (q_direct ≤ 0.05)";
        assert_eq!(masked.words(), told);
        let both = Support::of(&[1.0, 2.0, 3.0, -1.0], q, 0.05);
        let told = "1 of the 2 positive edges between nodes of all views is supported (q_direct ≤ 0.05; the negative edge \
                    is not tested)";
        assert_eq!(both.words(), told);
    }
}
