//! The halvings of `tune` in parts.
//!
//! Every part fits the path to all data, which the halvings need and which is the same for all, and then its own
//! halvings of the grid's cells. Beyond the ends of the grid nothing is known before all of them are together: what lies
//! there is left to whoever puts the parts together.

use std::time::Duration;

use congraph::Progress;
use congraph::tune::choice::Steps;
use congraph::tune::parts::Halved;
use serde_json::json;

use super::Task;
use super::work::Work;
use crate::args::TuneArgs;
use crate::checkpoint::Resumable;
use crate::console::Console;
use crate::failure::Failure;
use crate::shards::{self, Made, Shard, Sweep};

/// One part of the work.
pub(crate) fn shard(args: &TuneArgs, part: [usize; 2], console: &Console) -> Result<Made, Failure> {
    let task = Task::read(args)?;
    let Task {
        asked, read, search, ..
    } = &task;
    let mut follower = task.follower(Work::default(), None);
    let numbers = shards::numbers_of(part, search.stability.halvings);
    let halved = {
        let progress = console.progress();
        let watch = |step: &Progress| progress.step(step);
        let method = asked.method_for(&read.views, &watch)?;
        let round = search.next_path(&method, &read.views, Steps::default(), &mut follower, &watch)?;
        let round = round.ok_or_else(|| search.nothing_in_reach())?;
        let halved = search.halved(&method, &read.views, &round, &numbers, &watch)?;
        halved.ok_or_else(|| Failure::usage("the halvings were interrupted", ""))?
    };
    let work = json!({"path": follower.work.to_json(), "halved": halved});
    Ok(shards::seal(Sweep::Tune, part, &task.key, &work, numbers.len()))
}

/// The work of all parts, if they are complete and their paths are the same.
pub(super) fn together(shards: Vec<Shard>, task: &Task) -> Result<Work, Failure> {
    let (search, n_nodes) = (&task.search, task.read.views.n_nodes());
    let n_halvings = search.stability.halvings;
    let mut first: Option<Work> = None;
    let mut all = Halved::default();
    for shard in shards {
        let path = Work::from_json(&shard.work["path"]).filter(|path| {
            let (n_densities, n_similarities) = (search.grid.densities.len(), search.grid.similarities.len());
            path.fits(n_nodes, n_densities, n_similarities, n_halvings) && path.rows == n_densities
        });
        let path = path.ok_or_else(|| shard.incomplete())?;
        let numbers = shards::numbers_of(shard.part, n_halvings);
        let halved = serde_json::from_value(shard.work["halved"].clone()).ok();
        let halved = halved.filter(|halved: &Halved| {
            halved.0.keys().copied().eq(numbers.iter().copied()) && halved.fits(path.cells.len(), n_nodes)
        });
        all = halved
            .and_then(|halved| all.with(halved))
            .ok_or_else(|| shard.incomplete())?;
        match &first {
            None => first = Some(path),
            Some(first) if timeless(first) == timeless(&path) => {}
            Some(_) => return Err(shard.computed_otherwise()),
        }
    }
    let mut work = first.unwrap_or_default();
    let steps = Steps {
        rows: work.rows,
        cells: work.cells.clone(),
        ..Steps::default()
    };
    let steps = steps.with(all);
    (work.halvings, work.tallies) = (steps.halvings, steps.tallies);
    Ok(work)
}

/// A path without how long its fits took.
fn timeless(path: &Work) -> Work {
    let mut path = path.clone();
    path.cells.iter_mut().for_each(|cell| cell.time = Duration::ZERO);
    path
}
