//! The words of `congraph simulate`.

use clap::{ArgGroup, Args};

use super::{FilterArg, GraphArg, OutputArgs};

/// What its help ends with.
pub(super) const AFTER_HELP: &str = "\
Examples:
  congraph simulate -o sim
  congraph simulate --graph ba --growth 5 --nodes 200 --views 3 --signals 50,500,5000 --noise 0.2 --seed 3 -o sim
  congraph simulate --graph rgg --mean-degree 8 --filter gaussian -o sim
  congraph simulate --added 0.2 --removed 0.1 --changed-views 3 -o sim
  congraph learn sim/*.csv --alpha 0.02 --beta 0.03 -o out && congraph evaluate out --truth sim/truth";

#[derive(Args, Debug)]
#[command(group = ArgGroup::new("changes").args(["added", "removed"]).multiple(true))]
pub(crate) struct SimulateArgs {
    /// Where the consensus graph is drawn from: Erdős–Rényi, Barabási–Albert, or random geometric
    #[arg(long, value_enum, default_value_t = GraphArg::Er, help_heading = "Graph")]
    pub(crate) graph: GraphArg,
    /// How many nodes
    #[arg(long, default_value_t = 100, value_name = "N", help_heading = "Graph")]
    pub(crate) nodes: usize,
    /// How many views
    #[arg(long, default_value_t = 6, value_name = "N", help_heading = "Views")]
    pub(crate) views: usize,
    /// How many signals: one number for all views or one per view
    #[arg(
        long,
        default_value = "500",
        value_delimiter = ',',
        value_name = "P",
        help_heading = "Signals"
    )]
    pub(crate) signals: Vec<usize>,
    /// Erdős–Rényi: the probability of each edge
    #[arg(
        long,
        allow_negative_numbers = true,
        default_value_t = 0.1,
        value_name = "P",
        help_heading = "Graph"
    )]
    pub(crate) edge_probability: f64,
    /// Barabási–Albert: how many edges each new node brings
    #[arg(long, default_value_t = 5, value_name = "M", help_heading = "Graph")]
    pub(crate) growth: usize,
    /// Random geometric: join nodes of the unit square that are at most this far apart
    #[arg(long, allow_negative_numbers = true, value_name = "R", help_heading = "Graph")]
    pub(crate) radius: Option<f64>,
    /// Random geometric: join the nearest nodes until they have this many neighbours on average [default: 10]
    #[arg(
        long,
        allow_negative_numbers = true,
        value_name = "K",
        conflicts_with = "radius",
        help_heading = "Graph"
    )]
    pub(crate) mean_degree: Option<f64>,
    /// Draw the weight of every edge evenly between two numbers, such as 0.5:2; without it all weigh 1
    #[arg(long, value_name = "LOW:HIGH", value_parser = range, help_heading = "Graph")]
    pub(crate) weights: Option<[f64; 2]>,
    /// The share of the consensus edges that each view moves elsewhere
    #[arg(
        long,
        allow_negative_numbers = true,
        default_value_t = 0.1,
        value_name = "SHARE",
        help_heading = "Views"
    )]
    pub(crate) shuffled: f64,
    /// Instead of moving edges, add this share of the number of consensus edges, each in some of the views
    #[arg(
        long,
        allow_negative_numbers = true,
        value_name = "SHARE",
        conflicts_with = "shuffled",
        help_heading = "Views"
    )]
    pub(crate) added: Option<f64>,
    /// Instead of moving edges, remove this share of the consensus edges, each in some of the views
    #[arg(
        long,
        allow_negative_numbers = true,
        value_name = "SHARE",
        conflicts_with = "shuffled",
        help_heading = "Views"
    )]
    pub(crate) removed: Option<f64>,
    /// With --added and --removed, in how many of the views each edge differs
    #[arg(
        long,
        default_value_t = 1,
        value_name = "K",
        requires = "changes",
        help_heading = "Views"
    )]
    pub(crate) changed_views: usize,
    /// With --added and --removed, change the same views at all edges; the others equal the consensus
    #[arg(long, requires = "changes", help_heading = "Views")]
    pub(crate) same_views: bool,
    /// What smooths white signals: the pseudo-inverse of L (the paper's), its square root (Gaussian with precision L),
    /// exp(−tL), or (I + tL)⁻¹
    #[arg(long, value_enum, default_value_t = FilterArg::Pinv, help_heading = "Signals")]
    pub(crate) filter: FilterArg,
    /// The t of the filters heat and tikhonov; larger is smoother [default: 0.1 for heat, 0.3 for tikhonov]
    #[arg(long, allow_negative_numbers = true, value_name = "T", help_heading = "Signals")]
    pub(crate) filter_t: Option<f64>,
    /// The norm of the noise over that of the signals
    #[arg(
        long,
        allow_negative_numbers = true,
        default_value_t = 0.1,
        value_name = "ETA",
        help_heading = "Signals"
    )]
    pub(crate) noise: f64,
    /// The seed
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Two weights with a colon between them, the smaller first.
fn range(text: &str) -> Result<[f64; 2], String> {
    let wrong = || "two numbers above 0 are needed, the smaller first, such as 0.5:2".to_owned();
    let (low, high) = text.split_once(':').ok_or_else(wrong)?;
    let number = |text: &str| text.trim().parse::<f64>().map_err(|_| wrong());
    let (low, high) = (number(low)?, number(high)?);
    if low > 0.0 && low <= high && high.is_finite() {
        Ok([low, high])
    } else {
        Err(wrong())
    }
}
