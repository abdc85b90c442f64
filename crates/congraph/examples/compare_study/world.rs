//! Graphs, signals and fits of the study.

use congraph::{
    Dial, Learn, Model, MultiviewGraph, Smooth, Table, Targets, ViewMatrix, ViewOptions, Views, no_progress,
};
use faer::{Mat, Side};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

pub(crate) type Pairs = Vec<[usize; 2]>;

/// What the data are like, and at which density graphs are learned.
#[derive(Clone, Debug)]
pub(crate) struct World {
    pub(crate) n_nodes: usize,
    /// The chance of an edge.
    pub(crate) probability: f64,
    /// Which share of the edges every view moves.
    pub(crate) moved: f64,
    /// Signals have the covariance L†^power.
    pub(crate) power: f64,
    /// Graphs are learned at this multiple of the chance of an edge.
    pub(crate) multiple: f64,
    /// Whether α and β are found anew for each data set, from all its views.
    pub(crate) each: bool,
    /// The |z| above which edges form components; none finds it.
    pub(crate) threshold: Option<f64>,
}

impl World {
    /// As the words say: `nodes=20 probability=0.15 moved=0.1 power=1 multiple=1 each=0 threshold=3`.
    pub(crate) fn read(words: &[String]) -> Self {
        let number = |name: &str| -> Option<f64> {
            let of_name = words.iter().filter_map(|word| word.split_once('='));
            of_name
                .filter(|(own, _)| *own == name)
                .find_map(|(_, text)| text.parse().ok())
        };
        Self {
            n_nodes: number("nodes").map_or(20, |n| n as usize),
            probability: number("probability").unwrap_or(0.15),
            moved: number("moved").unwrap_or(0.1),
            power: number("power").unwrap_or(1.0),
            multiple: number("multiple").unwrap_or(1.0),
            each: number("each").is_some_and(|on| on > 0.0),
            threshold: number("threshold"),
        }
    }

    fn all_pairs(&self) -> impl Iterator<Item = [usize; 2]> {
        (1..self.n_nodes).flat_map(|b| (0..b).map(move |a| [a, b]))
    }

    /// A connected Erdős–Rényi graph.
    pub(crate) fn erdos_renyi(&self, rng: &mut ChaCha8Rng) -> Pairs {
        loop {
            let pairs: Pairs = self
                .all_pairs()
                .filter(|_| rng.random::<f64>() < self.probability)
                .collect();
            if self.is_connected(&pairs) {
                return pairs;
            }
        }
    }

    fn is_connected(&self, pairs: &Pairs) -> bool {
        let mut reached = vec![false; self.n_nodes];
        reached[0] = true;
        for _ in 0..self.n_nodes {
            for &[a, b] in pairs {
                let either = reached[a] || reached[b];
                (reached[a], reached[b]) = (either, either);
            }
        }
        reached.iter().all(|is| *is)
    }

    pub(crate) fn absent(&self, pairs: &Pairs) -> Pairs {
        self.all_pairs().filter(|pair| !pairs.contains(pair)).collect()
    }

    /// The graph with a share of its edges elsewhere, connected.
    pub(crate) fn moved(&self, pairs: &Pairs, share: f64, rng: &mut ChaCha8Rng) -> Pairs {
        let n = (share * pairs.len() as f64).round() as usize;
        loop {
            let (mut kept, mut others) = (pairs.clone(), self.absent(pairs));
            kept.shuffle(rng);
            others.shuffle(rng);
            kept.truncate(pairs.len() - n);
            kept.extend(&others[..n]);
            if self.is_connected(&kept) {
                return kept;
            }
        }
    }

    /// A graph, the same with 4 edges more and 4 fewer, and these 8.
    pub(crate) fn planted(&self, rng: &mut ChaCha8Rng) -> (Pairs, Pairs, Pairs) {
        loop {
            let graph = self.erdos_renyi(rng);
            let (mut kept, mut others) = (graph.clone(), self.absent(&graph));
            kept.shuffle(rng);
            others.shuffle(rng);
            let mut changed = kept.split_off(kept.len() - 4);
            changed.extend(&others[..4]);
            kept.extend(&others[..4]);
            if self.is_connected(&kept) {
                return (graph, kept, changed);
            }
        }
    }

    /// Signals with covariance L†^power, and a tenth of noise.
    fn signals(&self, name: String, pairs: &Pairs, n_samples: usize, rng: &mut ChaCha8Rng) -> Table {
        let n_nodes = self.n_nodes;
        let mut laplacian = Mat::<f64>::zeros(n_nodes, n_nodes);
        for &[a, b] in pairs {
            laplacian[(a, b)] -= 1.0;
            laplacian[(b, a)] -= 1.0;
            laplacian[(a, a)] += 1.0;
            laplacian[(b, b)] += 1.0;
        }
        let parts = laplacian.self_adjoint_eigen(Side::Lower).expect("finite numbers");
        let (vectors, values) = (parts.U(), parts.S().column_vector());
        let mut signals = vec![0.0; n_samples * n_nodes];
        let mut draw = || -> f64 { StandardNormal.sample(rng) };
        for row in signals.chunks_exact_mut(n_nodes) {
            for k in (0..n_nodes).filter(|&k| values[k] > 1e-9) {
                let size = draw() / values[k].powf(self.power / 2.0);
                row.iter_mut()
                    .enumerate()
                    .for_each(|(node, x)| *x += size * vectors[(node, k)]);
            }
        }
        let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        let noise: Vec<f64> = (0..signals.len()).map(|_| draw()).collect();
        let scale = 0.1 * norm(&signals) / norm(&noise);
        signals
            .iter_mut()
            .zip(&noise)
            .for_each(|(x, noise)| *x += scale * noise);
        Table::new(name, n_nodes, signals)
    }

    /// A view that moves a share of the edges of a graph.
    pub(crate) fn view(&self, number: usize, graph: &Pairs, moved: f64, n_samples: usize, seed: u64) -> Table {
        let mut rng = rng(seed, 1 + number as u64);
        let graph = self.moved(graph, moved, &mut rng);
        self.signals(format!("v{number:02}"), &graph, n_samples, &mut rng)
    }

    /// The method whose views are that far from their floor to 1 alike; none for separate graphs.
    pub(crate) fn method(&self, views: &Views, share: Option<f64>) -> Smooth {
        let wanted = self.multiple * self.probability;
        let Some(share) = share else {
            let targets = Targets {
                density: Dial::At(wanted),
                similarity: Dial::Fixed,
                ..Targets::default()
            };
            return Smooth::with_model(Model::uncoupled(0.1))
                .learn_to(views, &targets, &no_progress)
                .expect("a density in reach")
                .method;
        };
        let alone = self.method(views, None).learn(views, &no_progress).expect("a fit");
        let floor = alone.graph.similarity().unwrap_or(0.0);
        let targets = Targets::new(wanted, floor + share * (1.0 - floor));
        Smooth::default()
            .learn_to(views, &targets, &no_progress)
            .expect("targets in reach")
            .method
    }

    /// The graphs of one data set: by a method found once, or by one of its own.
    pub(crate) fn pooled(&self, once: &Smooth, share: Option<f64>, tables: Vec<Table>) -> MultiviewGraph {
        let views = assembled(tables);
        let own = self.each.then(|| self.method(&views, share));
        own.as_ref()
            .unwrap_or(once)
            .learn(&views, &no_progress)
            .expect("a fit")
            .graph
    }
}

pub(crate) fn rng(seed: u64, stream: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(stream);
    rng
}

pub(crate) fn assembled(tables: Vec<Table>) -> Views {
    Views::assemble(tables, &ViewOptions::default())
        .expect("sound tables")
        .0
}

pub(crate) fn learned(method: &Smooth, tables: Vec<Table>) -> MultiviewGraph {
    method.learn(&assembled(tables), &no_progress).expect("a fit").graph
}

/// The graphs of several fits as if they were of one.
pub(crate) fn joined(parts: &[MultiviewGraph]) -> MultiviewGraph {
    let mut pairs: Vec<[u32; 2]> = parts.iter().flat_map(|part| part.pairs().to_vec()).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let views: Vec<String> = parts.iter().flat_map(|part| part.views().to_vec()).collect();
    let mut rows = ViewMatrix::zeros(0, views.len());
    for pair in &pairs {
        let mut row = Vec::new();
        for part in parts {
            match part.pairs().binary_search(pair) {
                Ok(edge) => row.extend(part.weights().row(edge)),
                Err(_) => row.extend(vec![0.0; part.n_views()]),
            }
        }
        rows.push_row(&row);
    }
    MultiviewGraph::new(parts[0].nodes().to_vec(), views, &pairs, &rows, None)
}
