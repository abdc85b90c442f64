//! One run: the studies that are asked for, in figures, tables and judged claims. Those on simulated data are
//! checkpointed; those on EEG take a minute.

use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;

use congraph::Progress;
use congraph_cli::checkpoint::{Checkpoint, refuse_existing};
use congraph_cli::console::{self, Console, Reporter};
use congraph_cli::failure::Failure;
use congraph_cli::interrupt;
use congraph_cli::output::place;
use congraph_io::{Folder, write_rows, write_text};
use rayon::prelude::*;
use serde_json::json;

use crate::args::{PaperArgs, StudyArg};
use crate::claims::{self, Claim};
use crate::methods::Outcome;
use crate::plan::{Job, Plan};
use crate::tables::{self, Figure};
use crate::work::Work;
use crate::{eeg, methods, models, runtime};

/// Runs the studies that are asked for, and writes what came of them.
pub(crate) fn run(args: &PaperArgs, console: &Console) -> Result<(), Failure> {
    if args.studies.contains(&StudyArg::Models) {
        return match args.studies.len() {
            1 => models::run(args, console),
            _ => Err(Failure::usage(
                "models is a study of its own",
                "run the other studies apart, each into its own folder",
            )),
        };
    }
    let start = Instant::now();
    let plan = plan(args);
    let on_eeg = on_eeg(args)?;
    let folder = place(&args.output.out, args.output.force)?;
    refuse_existing::<Work>(&args.output.out, args.resume, args.output.force)?;
    let study = Study {
        plan: &plan,
        checkpoint: Checkpoint::new(&args.output.out, &folder, key(&plan)),
        start,
    };
    let mut work = study.earlier(args.resume, console)?;
    let of_eeg = {
        let progress = console.progress();
        let of_eeg = on_eeg.map(|(plan, data)| eeg::run(plan, data, &progress)).transpose()?;
        work = study.score(work, &progress)?;
        work = study.time(work, &progress)?;
        of_eeg
    };
    let seconds = work.seconds + start.elapsed().as_secs_f64();
    let mut claims = claims::all(&plan, &work);
    claims.extend(of_eeg.iter().flat_map(eeg::Results::claims));
    interrupt::uninterrupted(|| -> Result<(), Failure> {
        write(&folder, &plan, &work, of_eeg.as_ref(), &claims, seconds)?;
        folder.commit()?;
        study.checkpoint.remove();
        Ok(())
    })?;
    if args.global.json {
        console::print(&report(&plan, &claims, seconds).to_string())
    } else {
        console::print(&line(&args.output.out, &claims, seconds))
    }
}

fn plan(args: &PaperArgs) -> Plan {
    let asks = |study| args.studies.contains(&study) || args.studies.contains(&StudyArg::All);
    let usual = if args.quick { 2 } else { 10 };
    Plan {
        views: asks(StudyArg::Views),
        consensus: asks(StudyArg::Consensus),
        runtime: asks(StudyArg::Runtime),
        quick: args.quick,
        raw: args.raw,
        told: args.told,
        n_nodes: args.nodes as usize,
        realisations: args.realisations.unwrap_or(usual) as usize,
        seed: args.seed,
    }
}

/// Which studies on EEG are asked for, and of what.
fn on_eeg(args: &PaperArgs) -> Result<Option<(eeg::Plan, &Path)>, Failure> {
    let asks = |study| args.studies.contains(&study) || (args.data.is_some() && args.studies.contains(&StudyArg::All));
    let plan = eeg::Plan {
        recovery: asks(StudyArg::EegRecovery),
        smoothness: asks(StudyArg::EegSmoothness),
        communities: asks(StudyArg::EegCommunities),
        quick: args.quick,
        average: args.no_csd,
        seed: args.seed,
    };
    match (plan.recovery || plan.smoothness || plan.communities, &args.data) {
        (false, None) => Ok(None),
        (true, Some(data)) => Ok(Some((plan, data))),
        (true, None) => Err(Failure::usage(
            "the studies on EEG need epochs, and none are given",
            "add `--data FILE.npz`; docs/paper/eeg says where open ones are",
        )),
        (false, Some(_)) => Err(Failure::usage(
            "--data is for the studies on EEG, and none is asked for",
            "add eeg-recovery, eeg-smoothness or eeg-communities, or leave it out",
        )),
    }
}

/// All that the work depends on.
fn key(plan: &Plan) -> serde_json::Value {
    json!({"version": env!("CARGO_PKG_VERSION"), "plan": format!("{plan:?}")})
}

struct Study<'a> {
    plan: &'a Plan,
    checkpoint: Checkpoint<Work>,
    start: Instant,
}

impl Study<'_> {
    /// What an interrupted run left, if it is to be used.
    fn earlier(&self, resume: bool, console: &Console) -> Result<Work, Failure> {
        if !resume {
            return Ok(Work::default());
        }
        let jobs = self.plan.jobs();
        let is_asked = |outcome: &Outcome| {
            let is_of = |job: &Job| outcome.setting == job.setting && outcome.realisation == job.realisation;
            jobs.iter().any(is_of)
        };
        let found = self.checkpoint.read(|work| work.outcomes.iter().all(is_asked))?;
        match &found {
            Some(work) => console.note(&format!(
                "note: resuming after {} data sets and {} timed runs",
                work.outcomes.len(),
                work.timings.len()
            )),
            None => console.note("note: there is no checkpoint to resume from; starting anew"),
        }
        Ok(found.unwrap_or_default())
    }

    fn keep(&self, work: &Work) -> Result<(), Failure> {
        self.checkpoint.write(&Work {
            seconds: work.seconds + self.start.elapsed().as_secs_f64(),
            ..work.clone()
        })
    }

    /// Scores the methods on every data set, several at a time.
    fn score(&self, work: Work, progress: &Reporter) -> Result<Work, Failure> {
        let jobs = self.plan.jobs();
        let left: Vec<Job> = jobs
            .iter()
            .filter(|job| !work.has(job, self.plan.told))
            .copied()
            .collect();
        let work = Mutex::new((work, 0));
        left.par_iter().try_for_each(|job| -> Result<(), Failure> {
            let known = work.lock().map_or_else(|_| Vec::new(), |work| work.0.known(job));
            let outcome = methods::outcome(self.plan, job, self.plan.views, &known)?;
            // A thread that failed has ended the whole study.
            let Ok(mut work) = work.lock() else { return Ok(()) };
            let (work, done) = &mut *work;
            work.put(outcome);
            *done += 1;
            let _ = progress.step(&Progress::Fitted {
                done: *done,
                total: left.len(),
            });
            self.keep(work)
        })?;
        let (mut work, _) = work.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        work.sort(&jobs);
        Ok(work)
    }

    /// Times the methods at every point, one after the other.
    fn time(&self, mut work: Work, progress: &Reporter) -> Result<Work, Failure> {
        if !self.plan.runtime {
            return Ok(work);
        }
        let points = runtime::points(self.plan);
        for (done, &point) in points.iter().enumerate() {
            let (varied, level, setting) = point;
            let is_done = work
                .timings
                .iter()
                .any(|timing| (timing.varied, timing.level) == (varied, level));
            if is_done {
                continue;
            }
            // The parameters of the joint graphical lasso are known only where the views were studied.
            let known = work
                .outcomes
                .iter()
                .find(|outcome| self.plan.views && outcome.realisation == 0 && outcome.setting == setting);
            let timings = runtime::timings(self.plan, point, known)?;
            work.timings.extend(timings);
            let _ = progress.step(&Progress::Fitted {
                done: done + 1,
                total: points.len(),
            });
            self.keep(&work)?;
        }
        Ok(work)
    }
}

fn write(
    folder: &Folder,
    plan: &Plan,
    work: &Work,
    of_eeg: Option<&eeg::Results>,
    claims: &[Claim],
    seconds: f64,
) -> Result<(), Failure> {
    for (figure, asked) in [(Figure::Views, plan.views), (Figure::Consensus, plan.consensus)] {
        if asked {
            let name = figure.name();
            write_text(folder, &format!("{name}.csv"), &figure.csv(plan, work))?;
            write_text(folder, &format!("{name}.svg"), &figure.chart(plan, work).svg())?;
        }
    }
    if plan.runtime {
        write_text(folder, "runtime.csv", &tables::runtime_csv(work))?;
        write_text(folder, "runtime.svg", &tables::runtime_chart(work).svg())?;
    }
    write_rows(
        folder,
        "claims.tsv",
        &tables::CLAIM_COLUMNS,
        &tables::claim_rows(claims),
    )?;
    let threads = rayon::current_num_threads();
    let is_simulated = plan.views || plan.consensus || plan.runtime;
    let mut text = String::new();
    if is_simulated {
        text.push_str(&tables::summary(plan, seconds, threads));
    }
    if let Some(of_eeg) = of_eeg {
        of_eeg.write(folder)?;
        text.push_str(if is_simulated { "\n" } else { "" });
        text.push_str(&of_eeg.summary());
    }
    text.push_str(&tables::verdicts(claims));
    write_text(folder, "summary.md", &text)?;
    Ok(())
}

fn report(plan: &Plan, claims: &[Claim], seconds: f64) -> serde_json::Value {
    let claim = |claim: &Claim| {
        json!({
            "id": claim.id,
            "claim": claim.sentence,
            "figure": claim.figure,
            "holds": claim.holds,
            "numbers": claim.numbers,
        })
    };
    json!({
        "schema": "congraph.paper/1",
        "n_nodes": plan.n_nodes,
        "realisations": plan.realisations,
        "seed": plan.seed,
        "raw": plan.raw,
        "seconds": seconds,
        "claims": claims.iter().map(claim).collect::<Vec<_>>(),
    })
}

fn line(out: &Path, claims: &[Claim], seconds: f64) -> String {
    let failed: Vec<&str> = claims
        .iter()
        .filter(|claim| !claim.holds)
        .map(|claim| claim.id.as_str())
        .collect();
    let rest = if failed.is_empty() {
        String::new()
    } else {
        format!(" (not {})", failed.join(", "))
    };
    format!(
        "{}: {} of {} claims hold{rest}, {seconds:.0} s",
        out.display(),
        claims.len() - failed.len(),
        claims.len()
    )
}
