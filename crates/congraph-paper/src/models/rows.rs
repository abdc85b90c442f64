//! What came of every method on every data set, one line each. The same lines are the checkpoint of the study.

use crate::methods::oracle::{Found, RULES};

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Contender {
    Smooth,
    SmoothAbove,
    Spectrum,
    SpectrumAbove,
    Joint,
    JointAbove,
    LikelihoodAbove,
    Likelihood,
}

impl Contender {
    pub(super) const ALL: [Self; 8] = [
        Self::Smooth,
        Self::SmoothAbove,
        Self::Spectrum,
        Self::SpectrumAbove,
        Self::Joint,
        Self::JointAbove,
        Self::LikelihoodAbove,
        Self::Likelihood,
    ];

    /// Each method without and with a threshold that is chosen by the truth: what is learned together.
    pub(super) const METHODS: [[Self; RULES]; 4] = [
        [Self::Smooth, Self::SmoothAbove],
        [Self::Spectrum, Self::SpectrumAbove],
        [Self::Joint, Self::JointAbove],
        [Self::Likelihood, Self::LikelihoodAbove],
    ];

    pub(super) const METHOD_NAMES: [&str; 4] = ["smooth", "spectrum", "jgl", "likelihood"];

    /// The name of what is learned, whatever threshold follows.
    pub(super) fn method_name(self) -> &'static str {
        let place = Self::METHODS.iter().position(|method| method.contains(&self));
        Self::METHOD_NAMES[place.unwrap_or_default()]
    }

    /// The name in tables.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Smooth => "smooth",
            Self::SmoothAbove => "smooth+thr",
            Self::Spectrum => "spectrum",
            Self::SpectrumAbove => "spectrum+thr",
            Self::Joint => "JGL-negative",
            Self::JointAbove => "JGL-negative+thr",
            Self::LikelihoodAbove => "likelihood+oracle",
            Self::Likelihood => "likelihood",
        }
    }

    /// The name for readers.
    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Smooth => "smooth",
            Self::SmoothAbove => "smooth + thr",
            Self::Spectrum => "spectrum ½",
            Self::SpectrumAbove => "spectrum ½ + thr",
            Self::Joint => "fused JGL, negative",
            Self::JointAbove => "fused JGL, negative + thr",
            Self::LikelihoodAbove => "likelihood, oracle b and thr",
            Self::Likelihood => "**likelihood, no oracle**",
        }
    }
}

/// One method on one data set.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    pub(super) setting: String,
    pub(super) seed: u64,
    pub(super) contender: Contender,
    pub(super) view_f1: f64,
    pub(super) consensus_f1: f64,
    pub(super) density: f64,
    pub(super) threshold: f64,
    /// α and β, λ1 and λ2, or q and b.
    pub(super) parameters: [f64; 2],
    /// Whether the best is inside the grid.
    pub(super) is_inside: bool,
    /// How many of the method's fits did not converge.
    pub(super) unconverged: usize,
}

pub(super) const COLUMNS: [&str; 11] = [
    "setting",
    "seed",
    "method",
    "view_f1",
    "consensus_f1",
    "density",
    "threshold",
    "parameter1",
    "parameter2",
    "grid",
    "unconverged",
];
const INSIDE: &str = "inside";
const AT_END: &str = "at its end";

impl Row {
    pub(super) fn of(setting: &str, seed: u64, contender: Contender, found: &Found, unconverged: usize) -> Self {
        Self {
            setting: setting.into(),
            seed,
            contender,
            view_f1: found.scored.view_f1,
            consensus_f1: found.scored.consensus_f1,
            density: found.scored.density,
            threshold: found.scored.threshold,
            parameters: found.parameters,
            is_inside: found.is_inside,
            unconverged,
        }
    }

    fn is_of(&self, setting: &str, seed: u64, contender: Contender) -> bool {
        self.setting == setting && self.seed == seed && self.contender == contender
    }

    pub(super) fn cells(&self) -> Vec<String> {
        let [one, two] = self.parameters;
        let numbers = [self.view_f1, self.consensus_f1, self.density, self.threshold, one, two];
        let mut cells = vec![
            self.setting.clone(),
            self.seed.to_string(),
            self.contender.name().into(),
        ];
        cells.extend(numbers.map(|number| number.to_string()));
        cells.push(if self.is_inside { INSIDE } else { AT_END }.into());
        cells.push(self.unconverged.to_string());
        cells
    }

    /// None of a line that is not whole.
    fn from_line(line: &str) -> Option<Self> {
        let cells: Vec<&str> = line.split('\t').collect();
        let [
            setting,
            seed,
            method,
            view,
            consensus,
            density,
            threshold,
            one,
            two,
            grid,
            unconverged,
        ] = cells[..]
        else {
            return None;
        };
        Some(Self {
            setting: setting.into(),
            seed: seed.parse().ok()?,
            contender: Contender::ALL
                .into_iter()
                .find(|contender| contender.name() == method)?,
            view_f1: view.parse().ok()?,
            consensus_f1: consensus.parse().ok()?,
            density: density.parse().ok()?,
            threshold: threshold.parse().ok()?,
            parameters: [one.parse().ok()?, two.parse().ok()?],
            is_inside: match grid {
                INSIDE => true,
                AT_END => false,
                _ => return None,
            },
            unconverged: unconverged.parse().ok()?,
        })
    }
}

/// The lines of rows, without a header.
pub(super) fn lines(rows: &[Row]) -> String {
    rows.iter().map(|row| row.cells().join("\t") + "\n").collect()
}

/// Every row once, of methods that are whole: an interrupted run may have left a line, or a method, half written.
pub(super) fn read(text: &str) -> Vec<Row> {
    let complete = text.rfind('\n').map_or("", |end| &text[..end]);
    let mut rows: Vec<Row> = Vec::new();
    for row in complete.lines().filter_map(Row::from_line) {
        if !rows
            .iter()
            .any(|other| other.is_of(&row.setting, row.seed, row.contender))
        {
            rows.push(row);
        }
    }
    let is_whole = |row: &&Row| {
        let own = Contender::METHODS
            .into_iter()
            .find(|method| method.contains(&row.contender));
        own.is_some_and(|own| has(&rows, &row.setting, row.seed, own))
    };
    rows.iter().filter(is_whole).cloned().collect()
}

/// Whether all contenders of a method have a row on a data set.
pub(super) fn has(rows: &[Row], setting: &str, seed: u64, method: [Contender; RULES]) -> bool {
    let is_there = |contender: &Contender| rows.iter().any(|row| row.is_of(setting, seed, *contender));
    method.iter().all(is_there)
}

/// The rows of data sets that all methods have learned from.
pub(super) fn whole(rows: &[Row]) -> Vec<Row> {
    let has_all = |row: &&Row| {
        Contender::METHODS
            .into_iter()
            .all(|method| has(rows, &row.setting, row.seed, method))
    };
    rows.iter().filter(has_all).cloned().collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Rows of one data set in which each method has its own scores.
    pub(crate) fn data_set(setting: &str, seed: u64, scores: impl Fn(Contender) -> [f64; 2]) -> Vec<Row> {
        let row = |contender| {
            let [view_f1, consensus_f1] = scores(contender);
            Row {
                setting: setting.into(),
                seed,
                contender,
                view_f1,
                consensus_f1,
                density: 0.1,
                threshold: 1.0 / 3.0,
                parameters: [1e-5, 2.0],
                is_inside: contender != Contender::Joint,
                unconverged: 3,
            }
        };
        Contender::ALL.into_iter().map(row).collect()
    }

    #[test]
    fn whole_methods_are_read_again_and_halves_left_out() {
        let one = data_set("P1-500", 70_001, |_| [0.1 + 0.2, 0.9]);
        let two = data_set("P1-100", 70_001, |_| [0.5, 0.6]);
        let both = [one.clone(), two.clone()].concat();
        let text = lines(&one) + &lines(&two);
        assert_eq!(read(&text), both);
        assert_eq!(read(&(COLUMNS.join("\t") + "\n" + &text)), both);
        // Cut within the last line: the likelihood is left out, the other three methods are not.
        let cut = read(&text[..text.len() - 1]);
        assert_eq!(cut, both[..14]);
        let [smooth, .., likelihood] = Contender::METHODS;
        assert!(has(&cut, "P1-100", 70_001, smooth) && !has(&cut, "P1-100", 70_001, likelihood));
        assert_eq!(whole(&cut), one);
        // Twice the same.
        assert_eq!(read(&(lines(&one) + &lines(&one))), one);
        assert_eq!(read("nothing"), []);
    }
}
