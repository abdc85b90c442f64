//! Consensus clustering (Lancichinetti and Fortunato, 2012): the partition that many partitions have in common.
//!
//! ```text
//! repeat   D_ij ← share of the partitions that put i and j together
//!          D_ij ← 0 where below τ; a node that is left alone keeps its strongest links
//!          partitions ← runs of Leiden on the network D
//! until    all of them are the same
//! ```
//!
//! This is not the consensus *graph* of a fit, which is learned from the data and has communities of its own.

use super::coclassification::Coclassification;
use super::partition::Partition;
use super::search::{Leiden, Stop, never};
use super::signs::Signs;
use crate::error::Error;

/// How to find what partitions have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConsensusClustering {
    /// How the networks D are partitioned, and how often in each round.
    pub leiden: Leiden,
    /// τ, from 0 to 1: nodes that are together in a smaller share of the partitions are not linked.
    pub threshold: f64,
    /// After how many rounds to give up, at least 1.
    pub max_rounds: usize,
    /// Whether negative weights of the graphs count.
    pub signs: Signs,
}

impl Default for ConsensusClustering {
    fn default() -> Self {
        Self {
            leiden: Leiden::default(),
            threshold: 0.5,
            max_rounds: 50,
            signs: Signs::default(),
        }
    }
}

/// What partitions have in common.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The partition. If the runs never agreed, the one with the largest modularity on the last network D.
    pub partition: Partition,
    /// How many rounds it took.
    pub rounds: usize,
    /// Whether all runs of the last round found the same partition.
    pub agreed: bool,
}

impl ConsensusClustering {
    /// The partition that all of these have in common.
    ///
    /// # Errors
    /// [`Error::Parameter`] if a setting is out of its range.
    ///
    /// ```
    /// use congraph::communities::{Coclassification, ConsensusClustering, Partition};
    ///
    /// let partitions = [[0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1]];
    /// let partitions = partitions.map(|labels| Partition::from_labels(&labels));
    /// let group = ConsensusClustering::default().group(&Coclassification::of(&partitions))?;
    /// assert!(group.agreed);
    /// assert_eq!(group.partition.labels(), [0, 0, 0, 1, 1, 1]);
    /// # Ok::<(), congraph::Error>(())
    /// ```
    pub fn group(&self, partitions: &Coclassification) -> Result<Group, Error> {
        self.check()?;
        self.group_until(partitions, &never)
    }

    /// As [`ConsensusClustering::group`], of settings that were checked.
    pub(super) fn group_until(&self, partitions: &Coclassification, stop: Stop<'_>) -> Result<Group, Error> {
        let mut network = partitions.network(self.threshold)?;
        let mut rounds = 1;
        loop {
            let runs = self.leiden.runs_until(&network, stop);
            // Labels are canonical: equal partitions have equal labels.
            let agreed = runs.windows(2).all(|two| two[0].partition == two[1].partition);
            if agreed || rounds >= self.max_rounds || stop() {
                let partition = self.leiden.best(&network, runs, stop).partition;
                return Ok(Group {
                    partition,
                    rounds,
                    agreed,
                });
            }
            rounds += 1;
            let partitions: Vec<Partition> = runs.into_iter().map(|run| run.partition).collect();
            // D of these runs, which agree more from round to round.
            network = Coclassification::of(&partitions).network(self.threshold)?;
        }
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        self.leiden.check()?;
        let refuse = |name, message| Err(Error::Parameter { name, message });
        if !(0.0..=1.0).contains(&self.threshold) {
            return refuse(
                "threshold",
                format!("is {}: a share from 0 to 1 is needed", self.threshold),
            );
        }
        if self.max_rounds == 0 {
            return refuse("max_rounds", "is 0: at least one round is needed".into());
        }
        Ok(())
    }
}
