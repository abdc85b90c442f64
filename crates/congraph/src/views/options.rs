//! How tables become views: what the numbers are, which nodes are kept, and what is accepted.

/// What the numbers of a table are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// One row per sample, one column per node.
    #[default]
    Signals,
    /// The nodes × nodes sums of products X Xᵀ over the samples.
    Gram,
    /// The nodes × nodes covariance matrix.
    Covariance,
}

/// Which way round the tables are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Orient {
    /// Samples in rows, nodes in columns.
    #[default]
    SamplesByNodes,
    /// Nodes in rows, samples in columns, as in the paper.
    NodesBySamples,
}

/// Which nodes to keep when the views do not all have the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NodeRule {
    /// Refuse.
    #[default]
    Same,
    /// Keep the nodes that all views have.
    Common,
}

/// What to do with rows that hold NaN or infinite values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NanRule {
    /// Refuse.
    #[default]
    Error,
    /// Leave out the samples that hold one.
    DropRows,
    /// Take the moments of every pair of nodes from the samples that both have, and the nearest covariance matrix that
    /// signals can have; the views are covariances then.
    Pairwise,
}

/// What to do with nodes that a view lacks, or that cannot be used in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Missing {
    /// Refuse.
    #[default]
    Error,
    /// Let the view take part with the nodes it has. A node is masked in this view if it is not in its table, holds
    /// NaN or infinite values (with [`NanRule::DropRows`]: nothing else), or is constant where that is refused.
    Mask,
}

/// How tables become views.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ViewOptions {
    /// What the numbers are.
    pub kind: Kind,
    /// Which way round the tables are.
    pub orient: Orient,
    /// Which nodes to keep.
    pub nodes: NodeRule,
    /// Nodes to leave out of all views.
    pub drop_nodes: Vec<String>,
    /// What to do with NaN and infinite values.
    pub nan: NanRule,
    /// What to do with nodes that a view lacks.
    pub missing: Missing,
    /// Accept values that look like raw counts.
    pub allow_counts: bool,
    /// Accept constant nodes. They must be refused when signals are z-scored.
    pub allow_constant: bool,
    /// The views are to be projected on the consensus of a fit, which knows the nodes: with masks, all views may lack
    /// one, and a node to leave out need not be in any. Their scale is settled too, and no hint speaks of it.
    pub projected: bool,
    /// The nodes are electrodes, and warnings may say what goes wrong with electrodes.
    pub electrodes: bool,
}
