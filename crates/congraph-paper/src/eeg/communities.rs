//! Whose communities are more consistent with those of the subjects (`tbl:consistency`): of the consensus graph of
//! mvGL-ℓ1, or the group partition that consensus clustering finds in the graphs of svGL.

use congraph::communities::{Communities, ConsensusClustering, Leiden, communities};
use congraph::metrics::nmi;
use congraph::{Error, MultiviewGraph};

use super::{DENSITY, Data, Plan, SIMILARITY, assembled, coupled, separate};
use crate::methods::above;

/// What came of it.
pub(super) struct Consistency {
    /// The graphs of mvGL-ℓ1.
    pub(super) graph: MultiviewGraph,
    pub(super) floor: f64,
    /// The community of each node in the consensus graph, and in the group of svGL's graphs.
    pub(super) partitions: [Vec<usize>; 2],
    pub(super) modularity: f64,
    /// Of the consensus and of the group, with the subjects' partitions by mvGL-ℓ1 and by svGL: the NMI with every
    /// subject.
    pub(super) nmi: [[Vec<f64>; 2]; 2],
    pub(super) agreed: bool,
}

pub(super) fn run(plan: &Plan, data: &Data) -> Result<Consistency, Error> {
    let views = assembled(data.tables(|_| true))?;
    let alone = separate(&views, DENSITY)?;
    let floor = alone.similarity();
    let together = coupled(&views, DENSITY, above(floor, SIMILARITY))?;
    let settings = ConsensusClustering {
        leiden: Leiden {
            seed: plan.seed,
            ..Leiden::default()
        },
        ..ConsensusClustering::default()
    };
    let (of_alone, of_together) = (communities(&alone, &settings)?, communities(&together, &settings)?);
    let Some(consensus) = of_together.consensus else {
        return Err(Error::Parameter {
            name: "beta",
            message: "left no consensus".into(),
        });
    };
    let group = of_alone.group;
    let labels = [consensus.partition.labels().to_vec(), group.partition.labels().to_vec()];
    let with = |one: &[usize], subjects: &[Communities]| -> Vec<f64> {
        subjects.iter().map(|two| nmi(one, two.partition.labels())).collect()
    };
    let subjects = [&of_together.views, &of_alone.views];
    Ok(Consistency {
        nmi: [0, 1].map(|which| [0, 1].map(|of| with(&labels[which], subjects[of]))),
        graph: together,
        floor: floor.unwrap_or(1.0),
        partitions: labels,
        modularity: consensus.modularity,
        agreed: group.agreed,
    })
}
