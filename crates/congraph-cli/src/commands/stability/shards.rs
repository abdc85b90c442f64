//! Parts of the work in files of their own, and all of them together.
//!
//! ```text
//! {"schema": "congraph.stability-shard/1", "sha256": that of the next line}
//! {"key": what it was made from, "shard": [part, parts], "asked": how data are halved, "work": what was counted}
//! ```

use std::path::{Path, PathBuf};

use congraph::refits::{Refit, Unit};
use congraph::stability::{Halvings, Tallies};
use congraph_io::OutputError;
use congraph_record::Choice;
use serde_json::{Value, json};

use crate::args::HalvingArgs;
use crate::checkpoint::Resumable;
use crate::failure::Failure;

const SCHEMA: &str = "congraph.stability-shard/1";

/// One part of the work.
pub(super) struct Shard {
    path: PathBuf,
    part: [usize; 2],
    key: Value,
    work: Tallies,
}

/// Where a part is written: beside the folder.
fn path_of(out: &Path, part: [usize; 2]) -> PathBuf {
    let mut name = out.file_name().unwrap_or(out.as_os_str()).to_os_string();
    name.push(format!(".stability-{}-of-{}.json", part[0], part[1]));
    out.with_file_name(name)
}

/// Hours of work may be in a part: it is not replaced unasked.
pub(super) fn refuse_existing(out: &Path, part: [usize; 2], force: bool) -> Result<(), Failure> {
    let path = path_of(out, part);
    if force || std::fs::symlink_metadata(&path).is_err() {
        return Ok(());
    }
    Err(Failure::usage(
        format!(
            "`{}` is there already, and nothing is overwritten unasked",
            path.display()
        ),
        "`congraph merge` puts it together with the other parts; `--force` replaces it",
    ))
}

/// Writes a part beside the folder, whole or not at all.
pub(super) fn write(
    out: &Path,
    part: [usize; 2],
    halving: &HalvingArgs,
    key: &Value,
    work: &Tallies,
) -> Result<PathBuf, Failure> {
    let path = path_of(out, part);
    let asked = json!({
        "pairs": halving.pairs,
        "units": halving.units.map(Choice::word),
        "seed": halving.seed,
        "direct": halving.direct,
        "level": halving.level,
    });
    let body = json!({"key": key, "shard": part, "asked": asked, "work": work.to_json()}).to_string();
    let head = json!({"schema": SCHEMA, "sha256": congraph_io::sha256(body.as_bytes())});
    let scratch = path.with_extension("json.part");
    let put = || {
        std::fs::write(&scratch, format!("{head}\n{body}"))?;
        std::fs::rename(&scratch, &path)
    };
    put().map_err(|source| OutputError::Io {
        path: path.clone(),
        source,
    })?;
    Ok(path)
}

/// All parts, and how data were halved in them.
pub(super) fn read(paths: &[PathBuf]) -> Result<(Vec<Shard>, HalvingArgs), Failure> {
    let mut shards: Vec<Shard> = Vec::new();
    let mut asked: Option<Value> = None;
    for path in paths {
        let (shard, theirs) = one(path)?;
        if let Some(first) = shards.first()
            && (first.key != shard.key || first.part[1] != shard.part[1] || asked.as_ref() != Some(&theirs))
        {
            return Err(refused(
                path,
                &format!(
                    "is a part of other work than `{}`: of other data, options or number of parts",
                    first.path.display()
                ),
            ));
        }
        if let Some(same) = shards.iter().find(|other| other.part == shard.part) {
            return Err(refused(path, &format!("is the same part as `{}`", same.path.display())));
        }
        asked = Some(theirs);
        shards.push(shard);
    }
    let parts = shards.first().map_or(0, |shard| shard.part[1]);
    let is_there = |part: &usize| shards.iter().any(|shard| shard.part[0] == *part);
    let missing: Vec<String> = (1..=parts)
        .filter(|part| !is_there(part))
        .map(|part| part.to_string())
        .collect();
    if !missing.is_empty() {
        return Err(Failure::usage(
            format!("of {parts} parts these are missing: {}", missing.join(", ")),
            format!(
                "make them with `congraph stability FOLDER --shard {}/{parts}`, and give all",
                missing[0]
            ),
        ));
    }
    let asked = asked.unwrap_or_default();
    let halving = HalvingArgs {
        pairs: asked["pairs"]
            .as_u64()
            .and_then(|pairs| u32::try_from(pairs).ok())
            .unwrap_or(0),
        units: asked["units"].as_str().and_then(Unit::of_word),
        seed: asked["seed"].as_u64().unwrap_or(0),
        direct: asked["direct"].as_str().unwrap_or("auto").to_owned(),
        level: asked["level"].as_f64().unwrap_or(0.05),
        data: Vec::new(),
    };
    Ok((shards, halving))
}

fn one(path: &Path) -> Result<(Shard, Value), Failure> {
    let damaged = || {
        refused(
            path,
            "is no part of a stability run, or damaged: it is not what was written",
        )
    };
    let bytes = std::fs::read(path).map_err(|error| refused(path, &format!("cannot be read: {error}")))?;
    let line = bytes.iter().position(|&byte| byte == b'\n').ok_or_else(damaged)?;
    let (head, body) = (&bytes[..line], &bytes[line + 1..]);
    let head: Value = serde_json::from_slice(head).map_err(|_| damaged())?;
    if head["schema"] != SCHEMA || head["sha256"] != congraph_io::sha256(body) {
        return Err(damaged());
    }
    let mut value: Value = serde_json::from_slice(body).map_err(|_| damaged())?;
    let number = |k: usize| value["shard"][k].as_u64().map(|number| number as usize);
    let part = number(0).zip(number(1)).ok_or_else(damaged)?;
    let work = Tallies::from_json(&value["work"]).ok_or_else(damaged)?;
    let shard = Shard {
        path: path.to_path_buf(),
        part: [part.0, part.1],
        key: value["key"].take(),
        work,
    };
    Ok((shard, value["asked"].take()))
}

/// What all parts counted, if it is of this fit and complete.
pub(super) fn together<M: Refit>(
    shards: Vec<Shard>,
    key: &Value,
    halvings: &Halvings<'_, M>,
) -> Result<Tallies, Failure> {
    let mut all = Tallies::default();
    for shard in shards {
        let own = |job: &usize| job % shard.part[1] == shard.part[0] - 1;
        let jobs: Vec<usize> = (0..halvings.n_jobs()).filter(own).collect();
        if shard.key != *key {
            return Err(refused(
                &shard.path,
                "is of another fit, or of other data or options than the folder's",
            ));
        }
        if !halvings.fits(&shard.work) || !shard.work.jobs.iter().copied().eq(jobs) {
            return Err(refused(&shard.path, "is not complete"));
        }
        all.merge(shard.work);
    }
    Ok(all)
}

fn refused(path: &Path, what: &str) -> Failure {
    Failure::usage(
        format!("`{}` {what}", path.display()),
        "give every file that one `congraph stability FOLDER --shard I/K` wrote for I = 1 … K, each once",
    )
}
