//! The study `models`: which method finds the truer graphs, the likelihood without any truth among them.
//!
//! ```text
//! plan         which data sets                       contenders   one data set → the score of every method
//! rows         one line per method and data set: the result, and the checkpoint
//! table        means, bands, claims
//! ```
//!
//! Every data set is one thread's. Its rows are kept beside the output folder as soon as it is done, and `--resume` goes
//! on from there, or from a folder that is finished, with as many seeds as are then asked for. `--again likelihood`
//! learns anew by a method that has changed, on the data sets that are asked for, and keeps all other rows.

mod contenders;
mod plan;
mod rows;
mod table;

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use congraph::Error;
use congraph_cli::console::{self, Console};
use congraph_cli::failure::Failure;
use congraph_cli::interrupt;
use congraph_cli::output::place;
use congraph_io::{OutputError, write_rows, write_text};
use serde_json::json;

use self::plan::{Job, Plan};
use self::rows::{Contender, Row};
use self::table::Results;
use crate::args::PaperArgs;
use crate::claims::Claim;
use crate::tables;

/// The rows of a finished study.
const SCORES: &str = "scores.tsv";

/// Runs the study, or what is left of it, and writes what came of it.
pub(crate) fn run(args: &PaperArgs, console: &Console) -> Result<(), Failure> {
    let start = Instant::now();
    let usual = if args.quick { 2 } else { 10 };
    let realisations = args.realisations.unwrap_or(usual) as usize;
    let plan = Plan::new(args.nodes as usize, args.quick, realisations, args.seed);
    if let Some(name) = plan.unknown(&args.settings) {
        let names: Vec<&str> = plan.settings.iter().map(|setting| setting.name).collect();
        return Err(Failure::usage(
            format!("`{name}` is no setting of this study"),
            format!("name some of {}, or `main`", names.join(", ")),
        ));
    }
    if let Some(name) = args
        .again
        .iter()
        .find(|name| !Contender::METHOD_NAMES.contains(&name.as_str()))
    {
        return Err(Failure::usage(
            format!("`{name}` is no method of this study"),
            format!("name some of {}", Contender::METHOD_NAMES.join(", ")),
        ));
    }
    let out = &args.output.out;
    let kept = Kept::beside(out);
    kept.check(args.resume, args.output.force)?;
    let folder = place(out, args.output.force || args.resume)?;
    let mut earlier = if args.resume { kept.earlier(out)? } else { Vec::new() };
    let jobs = plan.jobs(&args.settings);
    let is_asked = |row: &Row| {
        let is_of = |job: &Job| plan.settings[job.setting].name == row.setting && job.seed == row.seed;
        jobs.iter().any(is_of)
    };
    let is_again = |row: &Row| args.again.iter().any(|name| row.contender.method_name() == name);
    earlier.retain(|row| !(is_again(row) && is_asked(row)));
    kept.begin(&earlier)?;
    let rows = learn(&plan, &jobs, earlier, &kept, console)?;
    let mut rows = rows::whole(&rows);
    sort(&plan, &mut rows);

    let results = Results {
        plan: &plan,
        rows: &rows,
    };
    let claims = results.claims();
    interrupt::uninterrupted(|| -> Result<(), Failure> {
        let cells: Vec<Vec<String>> = rows.iter().map(Row::cells).collect();
        write_rows(&folder, SCORES, &rows::COLUMNS, &cells)?;
        write_rows(&folder, "means.tsv", &table::SUMMARY_COLUMNS, &results.summary_rows())?;
        write_rows(
            &folder,
            "claims.tsv",
            &tables::CLAIM_COLUMNS,
            &tables::claim_rows(&claims),
        )?;
        write_text(&folder, "models.md", &results.markdown(&claims))?;
        folder.commit()?;
        kept.remove();
        Ok(())
    })?;
    let held = claims.iter().filter(|claim| claim.holds).count();
    let seconds = start.elapsed().as_secs_f64();
    if args.global.json {
        console::print(&report(&plan, &claims, seconds).to_string())
    } else {
        console::print(&format!(
            "{}: {held} of {} claims hold, {seconds:.0} s",
            out.display(),
            claims.len()
        ))
    }
}

fn report(plan: &Plan, claims: &[Claim], seconds: f64) -> serde_json::Value {
    let claim = |claim: &Claim| json!({"id": claim.id, "claim": claim.sentence, "holds": claim.holds, "numbers": claim.numbers});
    json!({
        "schema": "congraph.models/1",
        "n_nodes": plan.n_nodes,
        "realisations": plan.realisations,
        "seed": plan.seed,
        "seconds": seconds,
        "claims": claims.iter().map(claim).collect::<Vec<_>>(),
    })
}

/// The rows of all data sets: the earlier ones, and those that are left, each by one thread.
fn learn(plan: &Plan, jobs: &[Job], earlier: Vec<Row>, kept: &Kept, console: &Console) -> Result<Vec<Row>, Failure> {
    let is_done = |job: &Job| {
        let name = plan.settings[job.setting].name;
        Contender::METHODS
            .into_iter()
            .all(|method| rows::has(&earlier, name, job.seed, method))
    };
    let left: Vec<Job> = jobs.iter().copied().filter(|job| !is_done(job)).collect();
    if !earlier.is_empty() {
        let n_done = rows::whole(&earlier).len() / Contender::ALL.len();
        console.note(&format!("note: resuming after {}", console::count(n_done, "data set")));
    }
    let known = earlier.clone();
    let (next, n_done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let found = Mutex::new(Ok(earlier));
    let work = || {
        while let Some(&job) = left.get(next.fetch_add(1, Ordering::Relaxed)) {
            let clock = Instant::now();
            let result = alone(|| contenders::rows(plan, job, &known)).and_then(|rows| {
                kept.add(&rows)?;
                Ok(rows)
            });
            let Ok(mut found) = found.lock() else { return };
            match (&mut *found, result) {
                (Ok(all), Ok(rows)) => all.extend(rows),
                (Ok(_), Err(failure)) => *found = Err(failure),
                (Err(_), _) => {}
            }
            if found.is_err() {
                return;
            }
            let done = n_done.fetch_add(1, Ordering::Relaxed) + 1;
            console.note(&format!(
                "{} of {}: {}, seed {}, {:.0} s",
                done,
                left.len(),
                plan.settings[job.setting].name,
                job.seed,
                clock.elapsed().as_secs_f64()
            ));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..rayon::current_num_threads().min(left.len()) {
            scope.spawn(work);
        }
    });
    found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Runs something with one thread and no more: the other threads have data sets of their own.
fn alone<T: Send>(task: impl FnOnce() -> Result<T, Error> + Send) -> Result<T, Failure> {
    match rayon::ThreadPoolBuilder::new().num_threads(1).build() {
        Ok(pool) => Ok(pool.install(task)?),
        Err(_) => Ok(task()?),
    }
}

/// In the order of the settings, then the seeds, then the methods, whatever order the threads came in.
fn sort(plan: &Plan, rows: &mut [Row]) {
    rows.sort_by_key(|row| {
        let setting = plan.settings.iter().position(|setting| setting.name == row.setting);
        let contender = Contender::ALL.iter().position(|contender| *contender == row.contender);
        (setting, row.seed, contender)
    });
}

/// The rows so far, in a file beside the output folder.
struct Kept {
    path: PathBuf,
}

impl Kept {
    fn beside(out: &Path) -> Self {
        let mut name = out.file_name().unwrap_or(out.as_os_str()).to_os_string();
        name.push(".models-checkpoint.tsv");
        Self {
            path: out.with_file_name(name),
        }
    }

    fn check(&self, resume: bool, force: bool) -> Result<(), Failure> {
        if resume || force || !self.path.exists() {
            return Ok(());
        }
        Err(Failure::usage(
            format!(
                "an interrupted run left its work in `{}`, and nothing is overwritten unasked",
                self.path.display()
            ),
            "`--resume` continues from it; `--force` replaces it and starts anew",
        ))
    }

    fn failed(&self, source: std::io::Error) -> Failure {
        let path = self.path.clone();
        OutputError::Io { path, source }.into()
    }

    /// What earlier runs left: a finished folder, and the file of one that was interrupted.
    fn earlier(&self, out: &Path) -> Result<Vec<Row>, Failure> {
        let mut text = String::new();
        for path in [&out.join(SCORES), &self.path] {
            match fs::read_to_string(path) {
                Ok(read) => {
                    text.push_str(&read);
                    // A line that was cut must not run into the next.
                    if !read.ends_with('\n') {
                        text.push('\n');
                    }
                }
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Err(self.failed(error)),
            }
        }
        Ok(rows::read(&text))
    }

    fn begin(&self, earlier: &[Row]) -> Result<(), Failure> {
        fs::write(&self.path, rows::lines(earlier)).map_err(|error| self.failed(error))
    }

    /// All new rows of a data set at once.
    fn add(&self, rows: &[Row]) -> Result<(), Failure> {
        let mut file = OpenOptions::new()
            .append(true)
            .open(&self.path)
            .map_err(|error| self.failed(error))?;
        file.write_all(rows::lines(rows).as_bytes())
            .map_err(|error| self.failed(error))
    }

    fn remove(&self) {
        // What is left of it is what is in the folder.
        let _ = fs::remove_file(&self.path);
    }
}
