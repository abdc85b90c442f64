//! The words of the command line: every option, its help and its default, in one place.

mod choices;
mod eeg;
mod project;
mod simulate;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{ArgGroup, Args, Parser, Subcommand};
use congraph::distances::{DistanceNorm, SampleNorm, Scaling};

pub(crate) use choices::*;
pub(crate) use eeg::{EegArgs, ViewsByArg};
pub(crate) use project::ProjectArgs;
pub(crate) use simulate::SimulateArgs;

/// Learn one sparse graph per data set, and the consensus graph they share.
#[derive(Parser, Debug)]
#[command(name = "congraph", version, arg_required_else_help = true, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) global: Global,
}

const EXAMPLES: &str = "\
Examples:
  congraph demo                                          simulate, learn, compare: no input needed
  congraph check data/*.csv                              is this data fit to learn from?
  congraph learn data/*.csv -o out                       one graph per view, and the consensus
  congraph simulate -o sim                               data whose graphs are known
  congraph evaluate out --truth sim/truth                how well were they found?
  congraph communities out                               which nodes belong together?
  congraph eeg sub-*.bdf --events 11 --window 0:0.1 -o out   from recordings to graphs
  congraph project out --view late.csv -o new            a new view against the consensus
  congraph report out --open                             see the graphs in a browser

Every result carries a proof of how close to optimal it is: the relative duality gap.";

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Simulate data, learn its graphs separately and jointly, and compare: no input needed
    #[command(after_help = "Example:\n  congraph demo\n  congraph demo --seed 7 -o my-demo")]
    Demo(DemoArgs),
    /// Validate data without learning: one row per view
    #[command(after_help = "Example:\n  congraph check data/*.csv\n  congraph check trials.csv --view-column subject")]
    Check(CheckArgs),
    /// Learn one graph per view and their consensus
    #[command(after_help = "\
Examples:
  congraph learn sub-*.csv -o out
  congraph learn sub-*.csv --density 0.15 --similarity 0.9 -o out
  congraph learn trials.csv --view-column subject --penalty l2 --consensus-density 0.1 -o out
  congraph learn one.csv --single --density 0.1 -o out
  congraph learn cov-*.npy --covariance --alpha 0.02 --beta 0.03 -o out
  congraph learn sub-*.csv --method jgl-fused --lambda1 0.1 --lambda2 0.02 -o out-jgl")]
    Learn(Box<LearnArgs>),
    /// Fit a grid of densities and similarities, and choose the fit whose edges come back in other samples
    #[command(after_help = "\
Examples:
  congraph tune sub-*.csv -o out
  congraph tune trials.csv --view-column subject --block-column trial --density 0.05:0.40 --similarity 0.6:0.95 -o out
  congraph tune sim/*.csv --truth sim/truth -o out

out/tune.tsv lists every cell; the chosen fit is written like that of `learn`.")]
    Tune(Box<TuneArgs>),
    /// Simulate views of smooth signals with a known consensus graph
    #[command(after_help = "\
Examples:
  congraph simulate -o sim
  congraph simulate --graph ba --growth 5 --nodes 200 --views 3 --signals 50,500,5000 --noise 0.2 --seed 3 -o sim
  congraph simulate --graph rgg --mean-degree 8 --filter gaussian -o sim
  congraph simulate --added 0.2 --removed 0.1 --changed-views 3 -o sim
  congraph learn sim/*.csv --alpha 0.02 --beta 0.03 -o out && congraph evaluate out --truth sim/truth")]
    Simulate(SimulateArgs),
    /// Score learned graphs against true ones, and how smooth data are on them
    #[command(after_help = "\
Scores, of all pairs of nodes:
  F1, precision, recall   of the edges (weights above 0)
  AUPRC                   average precision of the weights as a ranking; ties enter together
  accuracy                share of the pairs that both call an edge, or both not
  NMI                     mutual information of the edge sets over the mean of their entropies
  correlation             Pearson's, of the learned and the true weights
  variation               total variation tr(X'LX) per signal, with --data
  relative                mean distance along edges over that of all pairs; smaller is smoother

Examples:
  congraph evaluate out --truth sim/truth
  congraph evaluate out --truth sim/truth --data sim/*.csv --json
  congraph evaluate out --data held-out/*.csv")]
    Evaluate(EvaluateArgs),
    /// Find the communities of learned graphs, and what those of the views have in common
    #[command(after_help = "\
Adds to the folder:
  communities.tsv        the community of each node: in the consensus, in the group, in each view. 0 is the largest
  communities.json       modularity, number of communities, NMI between all partitions
  coclassification.npz   the share of all runs on all views that put two nodes together

Communities maximise modularity (Leiden). The group's are what all runs on all views have in common, by consensus clustering:
nodes that are together in enough of them are linked, and the communities of these links are found, until all runs agree.

Examples:
  congraph communities out
  congraph communities out --resolution 1.5 --runs 500 --seed 7 --force --json")]
    Communities(CommunitiesArgs),
    /// Learn the graph of a new view against the frozen consensus of a fit
    #[command(after_help = "\
The consensus stays as it is; alpha, beta, the penalty, the scale of the distances, the candidates,
the edge costs and the tolerance are those of the fit. The new folder is like that of `learn`, with
the new views in place of the old, and
  projection.tsv   every edge of a view or of the consensus: shared by both, added by the view,
                   lacking in it, or unmeasured since the view lacks a node

Examples:
  congraph project out --view sub-21=new/recording.csv -o new
  congraph project out --view later/*.csv --missing mask -o later-graphs")]
    Project(ProjectArgs),
    /// Write the report of a result folder: one HTML file to look at, print and send
    #[command(after_help = "\
`learn`, `tune`, `eeg` and `demo` write it already, and `communities` brings it up to date. Write it
again after adding positions to nodes.tsv: columns x and y, perhaps z, or lon and lat. The file
loads nothing from anywhere and works without JavaScript.

Examples:
  congraph report out
  congraph report out --open")]
    Report(ReportArgs),
    /// From EEG recordings to one graph per subject, and the consensus of all
    #[command(after_help = "\
The steps, in this order; only those that are asked for are done:
  names and positions, channels left out, reference, CSD, band-pass, epochs, baseline, rejection, window, first trials

Adds to what `learn` writes: the columns x, y and z of nodes.tsv (metres; right, front, up), recordings.tsv (what was kept and dropped of
each recording) and the steps in run.json.

Examples:
  congraph eeg sub-*.bdf --events 11,12 --band 4:7 --window 0:0.1 --csd -o out
  congraph eeg bids-folder --task flanker --views-by session --events correct,error --band 8:13 --baseline -0.2:0 --window 0:0.5 --reject 150 -o out
  congraph eeg S*.edf --subject-pattern '{subject}R*' --events T1,T2 --window 0:0.5 --first 34 --density 0.15 --similarity 0.75 -o out
  congraph eeg rest-*.edf --band 8:13 --every 2 --reference average --save-views views -o out")]
    Eeg(Box<EegArgs>),
    /// Write learned graphs for other programs: networkx, igraph, Gephi, MATLAB, NumPy, BIDS
    #[command(after_help = "\
Formats:
  graphml, gexf   one file per graph: consensus.graphml, view-NAME.graphml
  edges           one table per graph: consensus.edges.tsv with source, target and weight
  mat, npz        graphs.mat, graphs.npz: consensus (n×n), views (N×n×n), nodes, view_names
  relmat          BIDS: sub-LABEL_meas-graphlearning_relmat.tsv and .json

Examples:
  congraph export out --to graphml
  congraph export out --to mat,relmat -o derivatives/congraph")]
    Export(ExportArgs),
    /// Print shell completions
    #[command(
        after_help = "Example:\n  congraph completions bash > ~/.local/share/bash-completion/completions/congraph"
    )]
    Completions(CompletionsArgs),
}

// clap would number them after the commands, so that a new command moved them among the options of the others: they have their places.
/// Options of every command.
#[derive(Args, Debug)]
pub struct Global {
    /// Print the result as one JSON object on stdout, and nothing else there
    #[arg(long, global = true, display_order = 13)]
    pub json: bool,
    /// No notes, warnings or progress on stderr
    #[arg(short, long, global = true, display_order = 14)]
    pub quiet: bool,
    /// More notes on stderr
    #[arg(short, long, global = true, display_order = 15, conflicts_with = "quiet")]
    pub verbose: bool,
    /// How many threads to use [default: all cores]. The result does not depend on it
    #[arg(long, global = true, display_order = 16, value_name = "N", value_parser = threads)]
    pub threads: Option<NonZeroUsize>,
}

/// What to read, and how.
#[derive(Args, Debug)]
pub(crate) struct InputArgs {
    /// One file per view (.csv .tsv .txt, also .gz; .npy .npz .parquet .mat .h5ad), samples in rows and nodes in columns.
    /// NAME=FILE names the view
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    #[command(flatten)]
    pub(crate) scaling: ScalingArgs,
}

/// How files become views.
#[derive(Args, Debug)]
pub(crate) struct ReadingArgs {
    /// Which way round the tables are; nothing is transposed silently
    #[arg(long, value_enum, default_value_t = OrientArg::SamplesByNodes, help_heading = "Input")]
    pub(crate) orient: OrientArg,
    /// Whether text files start with a line of node names
    #[arg(long, value_enum, default_value_t = HeaderArg::Auto, help_heading = "Input")]
    pub(crate) header: HeaderArg,
    /// One long table for all views: the column that tells them apart
    #[arg(long, value_name = "COLUMN", help_heading = "Input")]
    pub(crate) view_column: Option<String>,
    /// The column that holds the resampling unit (trial, session) of each row
    #[arg(long, value_name = "COLUMN", help_heading = "Input")]
    pub(crate) block_column: Option<String>,
    /// Columns to leave out, such as a time stamp
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = "Input")]
    pub(crate) ignore_columns: Vec<String>,
    /// In .mat and .npz files, the variables to read as views, such as X [default: all that could be views]
    #[arg(
        long = "variable",
        value_name = "NAMES",
        value_delimiter = ',',
        help_heading = "Input"
    )]
    pub(crate) variables: Vec<String>,
    /// In .h5ad files, the column of obs that tells the views apart, such as cell_type
    #[arg(long, value_name = "COLUMN", help_heading = "Input")]
    pub(crate) groupby: Option<String>,
    /// In .h5ad files, the layer to read, or `raw` for the matrix of raw [default: X]
    #[arg(long, value_name = "LAYER", help_heading = "Input")]
    pub(crate) layer: Option<String>,
    /// In .h5ad files, the genes to read: a column of truth values in var, such as highly_variable, or a file with one gene a line
    #[arg(long, value_name = "COLUMN|FILE", help_heading = "Input")]
    pub(crate) genes: Option<String>,
    /// The tables are nodes × nodes sums of products X Xᵀ (of signals with mean zero)
    #[arg(long, conflicts_with = "covariance", help_heading = "Input")]
    pub(crate) gram: bool,
    /// The tables are nodes × nodes covariance matrices
    #[arg(long, help_heading = "Input")]
    pub(crate) covariance: bool,
    /// With --gram or --covariance: how many samples they were made from, one number or one per view
    #[arg(long, value_name = "N", value_delimiter = ',', help_heading = "Input")]
    pub(crate) samples: Vec<usize>,
    /// Which nodes to keep when views have different ones
    #[arg(long, value_enum, default_value_t = NodesArg::Same, help_heading = "Input")]
    pub(crate) nodes: NodesArg,
    /// Nodes to leave out of all views
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = "Input")]
    pub(crate) drop_nodes: Vec<String>,
    /// What to do with nodes that a view lacks, or that hold NaN or are constant in it: mask lets it take part with the others
    #[arg(long, value_enum, default_value_t = MissingArg::Error, help_heading = "Input")]
    pub(crate) missing: MissingArg,
    /// What to do with samples that hold NaN or infinite values
    #[arg(long, value_enum, default_value_t = NanArg::Error, help_heading = "Input")]
    pub(crate) nan: NanArg,
    /// Accept values that look like raw counts
    #[arg(long, help_heading = "Input")]
    pub(crate) allow_counts: bool,
}

/// How distances are made comparable.
#[derive(Args, Debug)]
pub(crate) struct ScalingArgs {
    /// Scale each node within its view
    #[arg(long, value_enum, default_value_t = ScaleArg::Zscore, help_heading = "Scaling")]
    pub(crate) scale: ScaleArg,
    /// Costs are means over samples, or sums
    #[arg(long, value_enum, default_value_t = SampleNormArg::Mean, help_heading = "Scaling")]
    pub(crate) sample_norm: SampleNormArg,
    /// Divide distances by the largest one over all views, so that alpha and beta do not depend on units
    #[arg(long, value_enum, default_value_t = DistanceNormArg::Max, help_heading = "Scaling")]
    pub(crate) distance_norm: DistanceNormArg,
}

impl ScalingArgs {
    pub(crate) fn scaling(&self) -> Scaling {
        Scaling {
            scale: self.scale.into(),
            sample_norm: match self.sample_norm {
                SampleNormArg::Mean => SampleNorm::Mean,
                SampleNormArg::Sum => SampleNorm::Sum,
            },
            distance_norm: match self.distance_norm {
                DistanceNormArg::Max => DistanceNorm::Max,
                DistanceNormArg::None => DistanceNorm::None,
            },
        }
    }
}

/// Where the result goes.
#[derive(Args, Debug)]
pub struct OutputArgs {
    /// The output folder
    #[arg(short, long = "out", value_name = "FOLDER")]
    pub out: PathBuf,
    /// Replace the results in an output folder that is not empty
    #[arg(long)]
    pub force: bool,
}

#[derive(Args, Debug)]
pub(crate) struct DemoArgs {
    /// The seed of the simulated data
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// The output folder
    #[arg(short, long = "out", value_name = "FOLDER", default_value = "congraph-demo")]
    pub(crate) out: PathBuf,
    /// Replace the results in an output folder that is not empty
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
}

#[derive(Args, Debug)]
pub(crate) struct LearnArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// What to learn: congraph's own graphs with a consensus, or precision matrices by the joint graphical lasso, fused or
    /// group, to compare with
    #[arg(long, value_enum, default_value_t = MethodArg::Congraph, help_heading = "Model")]
    pub(crate) method: MethodArg,
    /// With --method jgl-…: weight of Σ|θ_ij| off the diagonal; larger is sparser
    #[arg(
        long,
        allow_negative_numbers = true,
        value_name = "L",
        help_heading = "Joint graphical lasso"
    )]
    pub(crate) lambda1: Option<f64>,
    /// With --method jgl-…: weight of the coupling; larger makes the views more alike
    #[arg(
        long,
        allow_negative_numbers = true,
        value_name = "L",
        help_heading = "Joint graphical lasso"
    )]
    pub(crate) lambda2: Option<f64>,
    /// With --method jgl-fused: leave the diagonals out of the coupling, as some packages do
    #[arg(long, help_heading = "Joint graphical lasso")]
    pub(crate) free_diagonal: bool,
    #[command(flatten)]
    pub(crate) fit: FitArgs,
}

/// What is learned from views, however they were read: the dials, the support, the solver.
#[derive(Args, Debug)]
pub(crate) struct FitArgs {
    /// Write no report.html
    #[arg(long)]
    pub(crate) no_report: bool,
    /// Weight of ‖L‖²: larger is denser
    #[arg(long, allow_negative_numbers = true, value_name = "A", help_heading = "Model")]
    pub(crate) alpha: Option<f64>,
    /// Weight of the penalty: larger makes the views more alike
    #[arg(long, allow_negative_numbers = true, value_name = "B", help_heading = "Model")]
    pub(crate) beta: Option<f64>,
    /// Weight of the regulariser: larger makes the consensus sparser [default: 0]
    #[arg(long, allow_negative_numbers = true, value_name = "G", help_heading = "Model")]
    pub(crate) gamma: Option<f64>,
    /// Find alpha for this share of possible edges (mean of the views) [default: 0.15, at most 10 neighbours a node]
    #[arg(long, allow_negative_numbers = true, value_name = "D", help_heading = "Model")]
    pub(crate) density: Option<f64>,
    /// Find beta for this mean correlation between views [default: half-way from separate views to 1]
    #[arg(long, allow_negative_numbers = true, value_name = "S", help_heading = "Model")]
    pub(crate) similarity: Option<f64>,
    /// Find gamma for this density of the consensus
    #[arg(long, allow_negative_numbers = true, value_name = "D", help_heading = "Model")]
    pub(crate) consensus_density: Option<f64>,
    /// How a view's departure from the consensus is charged
    #[arg(long, default_value = "l1", value_parser = penalties(), help_heading = "Model")]
    pub(crate) penalty: String,
    /// What is asked of the consensus itself, weighed by gamma
    #[arg(long, default_value = "l1", value_parser = regularisers(), help_heading = "Model")]
    pub(crate) regulariser: String,
    /// Learn every view on its own, without a consensus
    #[arg(long, help_heading = "Model")]
    pub(crate) single: bool,
    /// Which pairs may be joined: `knn:K` (each node's K nearest neighbours in any view, approximate above 30 000 nodes) or a
    /// table of pairs with the columns source and target [default: all pairs]
    #[arg(long, value_name = "knn:K|FILE", help_heading = "Support")]
    pub(crate) candidates: Option<String>,
    /// A table with the columns source, target and cost: added to a pair's distance in every view; negative favours the edge,
    /// `inf` forbids it
    #[arg(long, value_name = "FILE", help_heading = "Support")]
    pub(crate) edge_costs: Option<PathBuf>,
    /// With --candidates, count the pairs outside that would have entered (up to 50 000 nodes)
    #[arg(long, requires = "candidates", help_heading = "Support")]
    pub(crate) check_outside: bool,
    /// The seed of the approximate neighbour search
    #[arg(long, default_value_t = 1, help_heading = "Support")]
    pub(crate) seed: u64,
    /// How much memory may be used, in GiB [default: half of what is free]. With less, distances are computed anew instead of
    /// kept
    #[arg(long, value_name = "GIB", help_heading = "Solver")]
    pub(crate) memory: Option<f64>,
    /// How to solve the problem: newton is fast, admm is the paper's algorithm
    #[arg(long, value_enum, default_value_t = SolverArg::Newton, help_heading = "Solver")]
    pub(crate) solver: SolverArg,
    /// The relative gap at which the result counts as converged
    #[arg(
        long,
        allow_negative_numbers = true,
        default_value = "1e-8",
        value_name = "GAP",
        help_heading = "Solver"
    )]
    pub(crate) tol: f64,
    /// The most iterations [default: 200 for newton, 50000 for admm]
    #[arg(long, value_name = "N", help_heading = "Solver")]
    pub(crate) max_iterations: Option<usize>,
    /// With admm, how to solve its (z^i, z)-step: exactly, or by the paper's block coordinate descent
    #[arg(long, value_enum, default_value_t = ZStepArg::Exact, help_heading = "Solver")]
    pub(crate) z_step: ZStepArg,
    /// Fail with exit code 5 if the result has not converged
    #[arg(long, help_heading = "Solver")]
    pub(crate) strict: bool,
}

#[derive(Args, Debug)]
pub(crate) struct TuneArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// Write no report.html
    #[arg(long)]
    pub(crate) no_report: bool,
    /// The densities, from the least to the highest [default: a third to three times that of `learn`]
    #[arg(long, value_name = "LO:HI", value_parser = range, help_heading = "Path")]
    pub(crate) density: Option<[f64; 2]>,
    /// The similarities, from the least to the highest [default: 0.7:0.95]
    #[arg(long, value_name = "LO:HI", value_parser = range, help_heading = "Path")]
    pub(crate) similarity: Option<[f64; 2]>,
    /// The true graphs, if they are known, such as `sim/truth`: F1 of every cell
    #[arg(long, value_name = "FOLDER", help_heading = "Path")]
    pub(crate) truth: Option<PathBuf>,
    /// How often every view's samples (or blocks) are halved to see which edges come back
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Choice")]
    pub(crate) halvings: u32,
    /// The most instability that the choice may have: the chance that two halves disagree on a pair
    #[arg(long, default_value_t = 0.05, value_name = "X", help_heading = "Choice")]
    pub(crate) threshold: f64,
    /// The seed of the halves
    #[arg(long, default_value_t = 1, help_heading = "Choice")]
    pub(crate) seed: u64,
    /// Go on where an interrupted run of the same command stopped
    #[arg(long, help_heading = "Choice")]
    pub(crate) resume: bool,
    /// How a view's departure from the consensus is charged
    #[arg(long, default_value = "l1", value_parser = penalties(), help_heading = "Model")]
    pub(crate) penalty: String,
    /// The relative gap at which a fit counts as converged
    #[arg(long, default_value = "1e-8", value_name = "GAP", help_heading = "Solver")]
    pub(crate) tol: f64,
    /// How much memory may be used, in GiB [default: half of what is free]
    #[arg(long, value_name = "GIB", help_heading = "Solver")]
    pub(crate) memory: Option<f64>,
}

#[derive(Args, Debug)]
#[command(group = ArgGroup::new("against").args(["truth", "data"]).multiple(true).required(true))]
pub(crate) struct EvaluateArgs {
    /// The folder with learned graphs
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
    /// The folder with the true graphs, such as `sim/truth`
    #[arg(long, value_name = "FOLDER")]
    pub(crate) truth: Option<PathBuf>,
    /// Signals to take the total variation of, such as held-out samples: one file per view, as for `learn`
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(crate) data: Vec<String>,
    /// How to scale each node of the data within its view; as it was for `learn`
    #[arg(long, value_enum, default_value_t = ScaleArg::Zscore, requires = "data")]
    pub(crate) scale: ScaleArg,
}

#[derive(Args, Debug)]
pub(crate) struct ExportArgs {
    /// The folder with learned graphs
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
    /// The formats, separated by commas
    #[arg(long, required = true, value_name = "FORMATS", value_delimiter = ',', value_parser = formats())]
    pub(crate) to: Vec<String>,
    /// The folder to write to [default: the folder `export` in FOLDER]
    #[arg(short, long = "out", value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
    /// Replace files in an output folder that is not empty
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Args, Debug)]
pub(crate) struct CommunitiesArgs {
    /// The folder with learned graphs, to which the communities are added
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
    /// Larger makes more and smaller communities; 1 is the usual modularity
    #[arg(long, allow_negative_numbers = true, default_value_t = 1.0, value_name = "GAMMA")]
    pub(crate) resolution: f64,
    /// How many runs on each graph to make the best of
    #[arg(long, default_value_t = 100, value_name = "N")]
    pub(crate) runs: usize,
    /// For the group, link nodes that are together in at least this share of the runs on all views
    #[arg(long, allow_negative_numbers = true, default_value_t = 0.5, value_name = "SHARE")]
    pub(crate) threshold: f64,
    /// For the group, the most rounds of consensus clustering
    #[arg(long, default_value_t = 50, value_name = "N")]
    pub(crate) max_rounds: usize,
    /// The seed
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Replace the communities that are in the folder already
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Args, Debug)]
pub(crate) struct ReportArgs {
    /// The folder with learned graphs, in which report.html is written
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
    /// Open it in the browser
    #[arg(long)]
    pub(crate) open: bool,
}

#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

/// Two shares with a colon between them, the smaller first.
fn range(text: &str) -> Result<[f64; 2], String> {
    let wrong = || "two numbers above 0 and at most 1 are needed, the smaller first, such as 0.05:0.40".to_owned();
    let (low, high) = text.split_once(':').ok_or_else(wrong)?;
    let number = |text: &str| text.trim().parse::<f64>().map_err(|_| wrong());
    let (low, high) = (number(low)?, number(high)?);
    if low > 0.0 && low <= high && high <= 1.0 {
        Ok([low, high])
    } else {
        Err(wrong())
    }
}

fn threads(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "a whole number from 1 up is needed".into())
}

/// The formats of `export`, as the library offers them.
fn formats() -> clap::builder::PossibleValuesParser {
    clap::builder::PossibleValuesParser::new(congraph_io::ExportFormat::ALL.map(|(name, _)| name))
}

fn penalties() -> clap::builder::PossibleValuesParser {
    names(
        congraph::penalties::registry()
            .iter()
            .map(|penalty| penalty.name().to_owned()),
    )
}

fn regularisers() -> clap::builder::PossibleValuesParser {
    names(
        congraph::regularisers::registry()
            .iter()
            .map(|regulariser| regulariser.name().to_owned()),
    )
}

fn names(names: impl Iterator<Item = String>) -> clap::builder::PossibleValuesParser {
    names.collect::<Vec<_>>().into()
}
