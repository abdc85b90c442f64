//! Simulated data whose graphs are known: a consensus graph, views that differ from it, and smooth signals on each.
//!
//! The default is the data generation of the paper's section "Simulated Datasets":
//!
//! ```text
//! G      a connected random graph on n nodes: Erdős–Rényi or Barabási–Albert; or random geometric
//! G^i    G with a share of its edges moved at random, for each of the N views independently;
//!        or with edges added and removed in k of the N views ([`Changes`])
//! X^i    h(L^i) X₀ with X₀ standard normal (n × p), plus white noise of η times its norm;
//!        h(L) = L† or another [`Filter`]
//! ```
//!
//! All edges have the weight 1, or one that is drawn from a range and that all views with the edge share. Everything follows from one seed, whatever the number of threads: the consensus, and
//! for each view its graph, its signals and its noise, have random streams of their own. So adding a view does not
//! change the others, more signals begin with the same clean ones, another noise level scales the same noise, and
//! another filter smooths the same white signals: what a sweep over one setting compares differs in that setting alone.
//! (Changes in k of the N views are drawn for all views together, and there another number of views makes other
//! graphs.)
//!
//! The cost per view is that of a dense Cholesky factorisation (n³/6 multiplications) and p triangular solves (n²
//! each); for heat, that of the terms of a series with a pass over the edges each.

mod changes;
mod filters;
mod geometric;
mod graphs;
mod heat;
mod laplacian;
mod shuffle;
mod signals;
mod weights;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

pub use self::changes::Changes;
pub use self::filters::Filter;
use self::graphs::Drawn;
pub use self::graphs::{GraphModel, Reach};
use self::shuffle::Shuffler;
use self::weights::Weights;
use crate::edges::ViewMatrix;
use crate::error::Error;
use crate::graph::MultiviewGraph;
use crate::parallel::chunks::try_map;
use crate::views::Table;

/// What to simulate; the default is the setting that the paper varies from.
///
/// ```
/// use congraph::simulate::{GraphModel, Settings, simulate};
///
/// let settings = Settings {
///     n_nodes: 30,
///     n_views: 3,
///     n_signals: vec![40, 40, 80],
///     graph: GraphModel::BarabasiAlbert { growth: 2 },
///     ..Settings::default()
/// };
/// let simulation = simulate(&settings)?;
/// assert_eq!(simulation.truth.views(), ["view1", "view2", "view3"]);
/// assert_eq!(simulation.tables[2].n_rows, 80);
/// # Ok::<(), congraph::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// How many nodes n, at least 2.
    pub n_nodes: usize,
    /// How many views N, at least 1.
    pub n_views: usize,
    /// How many signals p each view has: one number for all views, or one per view.
    pub n_signals: Vec<usize>,
    /// What the consensus graph is drawn from.
    pub graph: GraphModel,
    /// Between which numbers edges weigh, drawn evenly for each pair of nodes; without it, 1 each.
    pub weights: Option<[f64; 2]>,
    /// The share of the consensus edges that each view moves elsewhere, from 0 to 1; not used with `changes`.
    pub shuffled: f64,
    /// Edges to add and remove in some of the views, instead of moving edges in each.
    pub changes: Option<Changes>,
    /// What makes the signals smooth on their graph.
    pub filter: Filter,
    /// The noise level η: the norm of the noise over that of the signals, 0 or more.
    pub noise: f64,
    /// The seed that everything follows from.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            n_nodes: 100,
            n_views: 6,
            n_signals: vec![500],
            graph: GraphModel::ErdosRenyi { probability: 0.1 },
            weights: None,
            shuffled: 0.1,
            changes: None,
            filter: Filter::PseudoInverse,
            noise: 0.1,
            seed: 1,
        }
    }
}

/// Simulated data and the graphs that they come from.
#[derive(Clone, Debug, PartialEq)]
pub struct Simulation {
    /// The signals of each view: samples in rows, nodes in columns.
    pub tables: Vec<Table>,
    /// The view graphs and the consensus graph, with the weights that the signals were made of.
    pub truth: MultiviewGraph,
    /// Where the nodes are, in the order of the nodes, if the graph model places them.
    pub positions: Option<Vec<[f64; 2]>>,
}

/// Simulates a consensus graph, view graphs and noisy smooth signals.
///
/// The nodes are called `n001`, `n002`, … and the views `view1`, `view2`, …, with as many digits as the last one needs.
///
/// # Errors
/// [`Error::Parameter`] if a setting is out of its range, if the graph model is too sparse to give a connected graph,
/// if so many edges cannot be moved or added, or if so many cannot be removed without cutting a view in two.
///
/// ```
/// use congraph::simulate::{Settings, simulate};
///
/// let simulation = simulate(&Settings::default())?;
/// assert_eq!(simulation.truth.n_views(), 6);
/// assert_eq!((simulation.tables[0].n_rows, simulation.tables[0].n_columns), (500, 100));
/// # Ok::<(), congraph::Error>(())
/// ```
pub fn simulate(settings: &Settings) -> Result<Simulation, Error> {
    check(settings)?;
    let n = settings.n_nodes;
    let Drawn {
        edges: consensus,
        positions,
    } = settings.graph.draw(n, &mut stream(settings.seed, 0))?;
    let views = numbered("view", settings.n_views);
    let streams = |view: usize| [1, 2, 3].map(|part| stream(settings.seed, 3 * view as u64 + part));
    let graphs = match &settings.changes {
        Some(changes) => changes.draw(n, settings.n_views, &consensus, &mut stream(settings.seed, u64::MAX))?,
        None => {
            let shuffler = Shuffler::new(n, &consensus, settings.shuffled)?;
            let draw = |view| shuffler.draw(&mut streams(view)[0]);
            try_map((0..settings.n_views).into_par_iter(), draw)?
        }
    };
    let nodes = numbered("n", n);
    let weights = Weights::new(settings.weights, settings.seed);
    let table = |(view, edges): (usize, &Vec<[u32; 2]>)| {
        let [_, mut signal_rng, mut noise_rng] = streams(view);
        let filter = settings.filter.on(n, edges, &weights.of(edges))?;
        let mut values = signals::smooth(n, &filter, n_signals(settings, view), &mut signal_rng);
        signals::add_noise(&mut values, settings.noise, &mut noise_rng);
        Ok::<_, Error>(Table::new(&views[view], n, values).with_columns(&nodes))
    };
    let tables = try_map(graphs.par_iter().enumerate(), table)?;
    Ok(Simulation {
        tables,
        truth: truth(nodes, views, &consensus, &graphs, &weights),
        positions,
    })
}

/// 3.2 GB for the filter's matrix.
const MOST_NODES: usize = 20_000;

fn check(settings: &Settings) -> Result<(), Error> {
    let n_views = settings.n_views;
    if !(2..=MOST_NODES).contains(&settings.n_nodes) {
        return Err(Error::Parameter {
            name: "n_nodes",
            message: format!(
                "is {}: it must be from 2 to {MOST_NODES} (signals are filtered with a dense n × n matrix)",
                settings.n_nodes
            ),
        });
    }
    if n_views == 0 {
        return Err(Error::Parameter {
            name: "n_views",
            message: "is 0: at least one view is needed".into(),
        });
    }
    if ![1, n_views].contains(&settings.n_signals.len()) {
        return Err(Error::Parameter {
            name: "n_signals",
            message: format!(
                "has {} numbers: give one for all views, or one for each of the {n_views}",
                settings.n_signals.len()
            ),
        });
    }
    if settings.n_signals.contains(&0) {
        return Err(Error::Parameter {
            name: "n_signals",
            message: "is 0: every view needs at least one signal".into(),
        });
    }
    check_share("shuffled", settings.shuffled)?;
    if let Some(changes) = &settings.changes {
        changes.check(n_views)?;
    }
    Weights::check(settings.weights)?;
    settings.filter.check()?;
    if !(settings.noise.is_finite() && settings.noise >= 0.0) {
        return Err(Error::Parameter {
            name: "noise",
            message: format!(
                "is {}: it must be 0 or more (0.1 is noise with a tenth of the norm of the signals)",
                settings.noise
            ),
        });
    }
    settings.graph.check(settings.n_nodes)
}

/// Refuses a share or probability that is not between 0 and 1.
fn check_share(name: &'static str, share: f64) -> Result<(), Error> {
    if (0.0..=1.0).contains(&share) {
        return Ok(());
    }
    Err(Error::Parameter {
        name,
        message: format!("is {share}: it must be from 0 to 1"),
    })
}

fn n_signals(settings: &Settings, view: usize) -> usize {
    match settings.n_signals[..] {
        [for_all] => for_all,
        ref each => each[view],
    }
}

/// One of the independent random streams of a seed.
fn stream(seed: u64, number: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(number);
    rng
}

/// `prefix1`, `prefix2`, …, all with as many digits.
fn numbered(prefix: &str, count: usize) -> Vec<String> {
    let width = count.to_string().len();
    (1..=count).map(|number| format!("{prefix}{number:0width$}")).collect()
}

/// The graphs as weights over all pairs that are an edge anywhere, 0 where they are none.
fn truth(
    nodes: Vec<String>,
    views: Vec<String>,
    consensus: &[[u32; 2]],
    graphs: &[Vec<[u32; 2]>],
    weights: &Weights,
) -> MultiviewGraph {
    let mut pairs: Vec<[u32; 2]> = graphs.iter().flatten().chain(consensus).copied().collect();
    pairs.sort_unstable();
    pairs.dedup();
    // The edges of each graph are sorted, as the pairs are.
    let weight = |edges: &[[u32; 2]], pair, own: f64| if edges.binary_search(pair).is_ok() { own } else { 0.0 };
    let own = weights.of(&pairs);
    let weights = pairs
        .iter()
        .zip(&own)
        .flat_map(|(pair, &own)| graphs.iter().map(move |edges| weight(edges, pair, own)))
        .collect();
    let consensus_weights: Vec<f64> = pairs
        .iter()
        .zip(&own)
        .map(|(pair, &own)| weight(consensus, pair, own))
        .collect();
    let weights = ViewMatrix::from_values(graphs.len(), weights);
    MultiviewGraph::new(nodes, views, &pairs, &weights, Some(&consensus_weights))
}
